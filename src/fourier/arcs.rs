//! How large a characteristic function can be on an arc, by its value in the middle of it (I2).

use std::collections::BTreeMap;
use std::ops::Range;

use rug::{Float, Integer};

use super::decay::middle;
use super::fixed::{self, Complex, ERROR_BITS, FRACTION, power, root_of_unity};
use super::tilted::Tilted;
use super::transform::error_of_powers_up;
use crate::kernel::directed as d;

/// One law, its masses in words: units of 2^−60.
pub(super) struct Arcs {
    /// Distances from about the mean.
    labels: Vec<i64>,
    /// Masses rounded down.
    masses: Vec<i64>,
    /// Σ p and Σ p·|label| over the labels before each, rounded up.
    sums: Vec<[u128; 2]>,
    /// Which of the gaps lies before each label.
    places: Vec<usize>,
    gaps: Vec<i64>,
}

/// Binary digits of words after the point.
const DIGITS: u32 = 60;
/// Masses are below what is kept of them by less than so many units: one, and 2^−118.
const MASS_ERROR: u32 = 2;
/// Labels farther from the mean than this are in no window.
const FARTHEST: i64 = 1 << 30;
/// Laws of more atoms are not looked at.
const MOST_ATOMS: usize = 1 << 20;

/// What is known of |χ| on an arc.
pub(super) struct Found {
    /// At least |χ| at all its roots.
    pub(super) whole_up: Float,
    /// About |χ| in the middle: a hint.
    pub(super) middle: Float,
}

impl Arcs {
    /// `None` for laws of more atoms than are looked at, or of gaps over which a root has no good power.
    pub(super) fn new(law: &Tilted) -> Option<Self> {
        let middle = middle(&law.weights);
        let count = law.weights.len();
        if count > MOST_ATOMS {
            return None;
        }
        let mut numbers: BTreeMap<i64, usize> = BTreeMap::new();
        let mut found = Self {
            labels: Vec::with_capacity(count),
            masses: Vec::with_capacity(count),
            sums: Vec::with_capacity(count.saturating_add(1)),
            places: Vec::with_capacity(count),
            gaps: Vec::new(),
        };
        let mut sums = [0u128; 2];
        found.sums.push(sums);
        let mut before: Option<i64> = None;
        let mut last: Option<(i64, usize)> = None;
        for (label, weight) in &law.weights {
            let gap = before.map_or(0, |before| label.saturating_sub(before));
            before = Some(*label);
            // Most gaps are those before them.
            let place = match last {
                Some((same, place)) if same == gap => place,
                _ => *numbers.entry(gap).or_insert_with(|| {
                    found.gaps.push(gap);
                    found.gaps.len().saturating_sub(1)
                }),
            };
            last = Some((gap, place));
            let mass = i64::try_from(weight >> (FRACTION - DIGITS)).ok()?;
            let mass_up = u128::try_from(mass).ok()?.checked_add(MASS_ERROR.into())?;
            let distance = label.saturating_sub(middle);
            let [of_mass, of_distance] = &mut sums;
            *of_mass = of_mass.checked_add(mass_up)?;
            let far = distance.unsigned_abs().min(FARTHEST.unsigned_abs());
            *of_distance = of_distance.checked_add(mass_up.checked_mul(far.into())?)?;
            found.labels.push(distance);
            found.masses.push(mass);
            found.places.push(place);
            found.sums.push(sums);
        }
        let largest = u64::try_from(found.gaps.iter().copied().max()?).ok()?;
        let error = error_of_powers_up(largest)?;
        (error <= unit()).then_some(found)
    }

    /// The roots from number `from` to `to`, of which `middle` is one.
    ///
    /// Requires: `turn_up` is at least 2π/period.
    /// Ensures: |χ(φ)| ≤ |χ_I(φ₀)| + |φ − φ₀|·Σ_{k∈I} p_k·|k − a| + Σ_{k∉I} p_k for any I and a, since |e^{ix} − 1| ≤ |x|.
    pub(super) fn at(
        &self,
        (from, middle, to): (u64, u64, u64),
        period: u64,
        turn_up: &Float,
    ) -> Option<Found> {
        let away = middle.abs_diff(from).max(to.abs_diff(middle));
        let away = turns_up(turn_up, away);
        let near = self.window(&away);
        let value = self.value_up(&near, root_of_unity(middle, period))?;
        let [mass, spread] = self.sum(&near)?;
        let [all, _] = self.sum(&(0..self.labels.len()))?;
        Some(Found {
            whole_up: anywhere_up(&value, &away, spread, all.checked_sub(mass)?),
            middle: value,
        })
    }

    /// Labels whose terms turn by less than 1 over so much of an angle: any would do.
    fn window(&self, away: &Float) -> Range<usize> {
        let far = Float::with_val(ERROR_BITS, away.recip_ref()).floor();
        let far = far
            .to_integer()
            .and_then(|n| n.to_i64())
            .map_or(FARTHEST, |n| n.min(FARTHEST));
        let start = self
            .labels
            .partition_point(|label| *label < far.saturating_neg());
        start..self.labels.partition_point(|label| *label <= far)
    }

    fn sum(&self, places: &Range<usize>) -> Option<[u128; 2]> {
        let [mass, spread] = self.sums.get(places.start)?;
        let [mass_to, spread_to] = self.sums.get(places.end)?;
        Some([mass_to.checked_sub(*mass)?, spread_to.checked_sub(*spread)?])
    }

    /// At least |Σ p_k·w^k| over a window.
    ///
    /// Ensures: with u = 2^−60, a power of w over a gap is off by at most u as it is made, and by √2·u more as a word. A product of two words in both parts is off by √2·u. So the
    /// n-th power from the left, of modulus 1, is off by e_n ≤ e_{n−1}(1 + 3u) + 3u + 2u, at most 6nu for n ≤ 2^20. Masses are off by at most 2u each and sum up to at most 1;
    /// their products with powers are added exactly, and stay below 2^123. All is off by at most (6 + 2)nu, and 1 + 6nu is less than 4, so that no word leaves 64 bits.
    fn value_up(&self, near: &Range<usize>, root: Complex) -> Option<Float> {
        let powers = self.gaps.iter().map(|gap| {
            let power = power(root, u64::try_from(*gap).unwrap_or(0));
            Some([word(power.re)?, word(power.im)?])
        });
        let powers: Vec<[i64; 2]> = powers.collect::<Option<_>>()?;
        let places = self.places.get(near.clone())?;
        let masses = self.masses.get(near.clone())?;
        let mut turned = [1i64 << DIGITS, 0];
        let (mut re, mut im) = (0i128, 0i128);
        for (number, (mass, place)) in masses.iter().zip(places).enumerate() {
            if number > 0 {
                turned = product(turned, *powers.get(*place)?);
            }
            let [cos, sin] = turned;
            re = re.wrapping_add(product_of(*mass, cos));
            im = im.wrapping_add(product_of(*mass, sin));
        }
        Some(modulus_up([re, im], masses.len()))
    }
}

/// At least so many turns.
fn turns_up(turn_up: &Float, count: u64) -> Float {
    d::mul_up(turn_up, &Float::with_val(ERROR_BITS, count), ERROR_BITS)
}

/// At least value + away·spread + beside, the last two in units of 2^−60.
fn anywhere_up(value: &Float, away: &Float, spread: u128, beside: u128) -> Float {
    let up = |sum: u128| d::integer_up(&Integer::from(sum), ERROR_BITS) >> DIGITS;
    let change = d::mul_up(away, &up(spread), ERROR_BITS);
    d::add_up(
        value,
        &d::add_up(&change, &up(beside), ERROR_BITS),
        ERROR_BITS,
    )
}

/// At least |re + i·im|, in units of 2^−120, and the error of so many products.
fn modulus_up(parts: [i128; 2], count: usize) -> Float {
    let part = |x: i128| d::integer_up(&Integer::from(x).abs(), ERROR_BITS) >> FRACTION;
    let [re, im] = parts.map(part);
    let square = d::add_up(
        &d::mul_up(&re, &re, ERROR_BITS),
        &d::mul_up(&im, &im, ERROR_BITS),
        ERROR_BITS,
    );
    let count = Float::with_val(ERROR_BITS, count) << 3u32;
    let error = d::mul_up(&count, &unit(), ERROR_BITS);
    d::add_up(&d::sqrt_up(&square, ERROR_BITS), &error, ERROR_BITS)
}

/// 2^−60.
fn unit() -> Float {
    Float::with_val(ERROR_BITS, 1) >> DIGITS
}

/// In units of 2^−60, rounded down.
fn word(x: fixed::Fixed) -> Option<i64> {
    i64::try_from(x >> (FRACTION - DIGITS)).ok()
}

/// The product of two words, which always fits.
fn product_of(a: i64, b: i64) -> i128 {
    i128::from(a).wrapping_mul(i128::from(b))
}

/// The product of two complex numbers, both parts rounded down once.
///
/// Requires: both have modulus at most 2, or a little more: the sums of two products are below 2^125.
/// Ensures: so a part of the product is below 2^65, and within 64 bits where the product has modulus at most 4.
fn product([a, b]: [i64; 2], [c, e]: [i64; 2]) -> [i64; 2] {
    let re = product_of(a, c).wrapping_sub(product_of(b, e));
    let im = product_of(a, e).wrapping_add(product_of(b, c));
    [fixed::word(re >> DIGITS), fixed::word(im >> DIGITS)]
}

#[cfg(test)]
#[path = "arcs_tests.rs"]
mod tests;
