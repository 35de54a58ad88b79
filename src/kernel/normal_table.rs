//! 1 − Φ to an absolute error below 2^-178, by Taylor polynomials about the nodes k/32.
//!
//! For 0 ≤ x < 15.5 let a = k/32 be the node below x and t = 32(x − a) in [0, 1). With S = 1 − Φ,
//! S′ = −φ and φ⁽ⁿ⁾ = (−1)ⁿ·Heₙ·φ (Heₙ the Hermite polynomials with leading coefficient 1),
//!
//! S(x) = S(a) + Σ dₙ·tⁿ (1 ≤ n ≤ 25) + R,   dₙ = (−1)ⁿ·Heₙ₋₁(a)·φ(a)/(n!·32ⁿ),   |R| ≤ sup|φ⁽²⁵⁾|/(26!·32²⁶).
//!
//! **Remainder.** φ is the Fourier transform of e^{−s²/2}/(2π), so |φ⁽²⁵⁾(x)| ≤ (1/2π)∫|s|²⁵e^{−s²/2}ds
//! = 2¹²·12!/π < 6.3e11 for every x. With 26! > 4.03e26: |R| < 1.6e-15·2^-130 < 2^-179.
//!
//! **Rounding**, in ulps of 2^-190. Each coefficient is off by at most 2 ulps (checked when the node is built) and
//! counts with tⁿ ≤ 1: at most 26·2. Horner's scheme multiplies 7 times by `scale_one` (at most 2 ulps),
//! 9 times by `scale_two` (4) and 10 times by `scale_three` (6), and every later factor t is below 1: at most
//! 110. Rounding x down to a multiple of 2^-197 moves S by less than 0.4·2^-197. Sum below 2^8 ulps = 2^-182.
//!
//! **Tail.** For x ≥ 15.5, 0 ≤ S(x) ≤ φ(x)/x (Gordon 1941, Mills' ratio) ≤ φ(15.5)/15.5 < 2^-178.5.
//!
//! So |value − S(x)| < 2^-179 + 2^-182 < 2^-178 before the tail, and < 2^-178 in it with the value 0.

use std::sync::OnceLock;

use rug::float::Round;
use rug::integer::Order;
use rug::{Float, Integer, Rational};

use super::Interval;
use super::normal;
use super::normal_fixed::{FRACTION_BITS, Fraction, Wide};

/// Arguments of up to this many bits are looked up; more would ask for more accuracy than there is.
pub(super) const MAX_ARGUMENT_BITS: u32 = 192;

/// 1 − Φ at a number: a fixed-point value and a bound of its error.
pub(super) struct Estimate {
    value: Wide,
    error: Wide,
}

/// Can a value from the table ever be right to this many bits?
pub(super) fn may_give(bits: u32) -> bool {
    bits < ABSOLUTE_BITS
}

/// Encloses 1 − Φ(x).
///
/// Ensures: off by at most 2^-178.
pub(super) fn survival(x: &Float) -> Estimate {
    let right = survival_of_magnitude(x);
    if *x < 0 {
        // 1 − Φ(−x) = 1 − (1 − Φ(x)).
        Estimate {
            value: Wide::power_of_two(FRACTION_BITS).wrapping_sub(right.value),
            ..right
        }
    } else {
        right
    }
}

impl Estimate {
    /// Lower bound of the probability, in `bits` bits.
    pub(super) fn down(&self, bits: u32) -> Float {
        let low = self.value.wrapping_sub(self.error);
        if low.is_negative() {
            Float::new(bits)
        } else {
            Float::with_val_round(bits, to_integer(low), Round::Down).0 >> FRACTION_BITS
        }
    }

    /// Upper bound of the probability, in `bits` bits.
    pub(super) fn up(&self, bits: u32) -> Float {
        let one = Float::with_val(bits, 1);
        let high = self.value.wrapping_add(self.error);
        let high = Float::with_val_round(bits, to_integer(high), Round::Up).0 >> FRACTION_BITS;
        if high > one { one } else { high }
    }

    /// The number of leading bits that are right: error ≤ 2^-(that)·(lower bound), roughly.
    pub(super) fn relative_bits(&self) -> u32 {
        let low = self.value.wrapping_sub(self.error);
        low.significant_bits()
            .saturating_sub(self.error.significant_bits())
    }

    /// In [0, 1], and nothing more.
    fn unknown() -> Self {
        let half = Wide::power_of_two(FRACTION_BITS.saturating_sub(1));
        Self {
            value: half,
            error: half,
        }
    }
}

/// Requires: v ≥ 0.
fn to_integer(v: Wide) -> Integer {
    Integer::from_digits(&v.0, Order::Lsf)
}

/// Number of nodes: k/32 for k = 0, …, 495 and x < 496/32 = 15.5.
const NODES: usize = 496;

/// 32 nodes to the unit.
const NODES_PER_UNIT_LOG2: u32 = 5;

/// Values are off by at most 2^-178.
const ABSOLUTE_BITS: u32 = 178;

/// That error in ulps, log2.
const ERROR_LOG2: u32 = FRACTION_BITS - ABSOLUTE_BITS;

/// Bits of t.
const ARGUMENT_BITS: u32 = 192;

/// Built one by one when first needed, once per process.
static TABLE: [OnceLock<Option<Node>>; NODES] = [const { OnceLock::new() }; NODES];

/// 1 − Φ(|x|).
fn survival_of_magnitude(x: &Float) -> Estimate {
    let error = Wide::power_of_two(ERROR_LOG2);
    let Some((index, fraction)) = locate(x) else {
        // |x| ≥ 15.5: see "Tail" above.
        return Estimate {
            value: Wide([0; 3]),
            error,
        };
    };
    let node = TABLE
        .get(index)
        .and_then(|slot| slot.get_or_init(|| Node::build(index)).as_ref());
    match node {
        Some(node) => Estimate {
            value: node.evaluate(fraction),
            error,
        },
        None => Estimate::unknown(),
    }
}

/// k and t with |x| = (k + t)/32, t rounded down to a multiple of 2^-192; none from 15.5 on.
fn locate(x: &Float) -> Option<(usize, Fraction)> {
    if x.is_zero() {
        return Some((0, Fraction([0; 3])));
    }
    // |x| = significand·2^(exponent − width), so |x|·2^(5 + 192) is a shift; no exponent means infinite.
    let (exponent, significand) = (x.get_exp()?, x.get_significand()?);
    if exponent > 4 {
        return None;
    }
    let width = i32::try_from(significand.significant_bits()).ok()?;
    let scale = i32::try_from(NODES_PER_UNIT_LOG2 + ARGUMENT_BITS).ok()?;
    // A shift to the right (negative) rounds down. |x| < 2^4 bounds the result by 2^201.
    let shift = exponent.checked_sub(width)?.checked_add(scale)?;
    let scaled = Integer::from(&*significand << shift);
    let mut limbs = [0u64; 4];
    if scaled.significant_digits::<u64>() > limbs.len() {
        return None;
    }
    scaled.write_digits(&mut limbs, Order::Lsf);
    let [t0, t1, t2, index] = limbs;
    let index = usize::try_from(index).ok()?;
    (index < NODES).then_some((index, Fraction([t0, t1, t2])))
}

/// The coefficients d₀ = S(a), d₁, …, d₂₅ in ulps, in as many limbs as the partial sums of Horner's scheme need.
///
/// Invariants: each is within 2 ulps of the truth; the absolute values of `one` add up to less than 2^63,
/// those of `one` and `two` to less than 2^126, those of all to less than 2^190. By |scale(v)| ≤ |v| + 6 no partial sum
/// leaves the range that `scale_one` (2^63), `scale_two` (2^127 − 4) and `scale_three` (2^191) require.
#[derive(Clone)]
struct Node {
    /// d₀, …, d₉.
    three: [Wide; 10],
    /// d₁₀, …, d₁₈.
    two: [i128; 9],
    /// d₁₉, …, d₂₅.
    one: [i64; 7],
}

impl Node {
    /// S(a + t/32) in ulps, by Horner's scheme.
    fn evaluate(&self, t: Fraction) -> Wide {
        // The invariants keep every sum in range: nothing wraps.
        let one = (self.one.iter().rev()).fold(0i128, |sum, coefficient| {
            t.scale_one(sum).wrapping_add(i128::from(*coefficient))
        });
        let two = (self.two.iter().rev()).fold(one, |sum, coefficient| {
            t.scale_two(sum).wrapping_add(*coefficient)
        });
        (self.three.iter().rev()).fold(Wide::from_two(two), |sum, coefficient| {
            t.scale_three(sum).wrapping_add(*coefficient)
        })
    }

    /// Node number `index`; none if an invariant cannot be shown (which the tests show not to happen).
    fn build(index: usize) -> Option<Self> {
        let exact = coefficients(index)?;
        let mut sizes = exact.iter().rev().map(|c| Integer::from(c.abs_ref()));
        let one_size: Integer = sizes.by_ref().take(7).sum();
        let two_size: Integer = sizes.by_ref().take(9).sum::<Integer>() + &one_size;
        let three_size: Integer = sizes.sum::<Integer>() + &two_size;
        if one_size.significant_bits() > 63
            || two_size.significant_bits() > 126
            || three_size.significant_bits() > 190
        {
            return None;
        }
        let three: Option<Vec<Wide>> = exact.iter().take(10).map(to_wide).collect();
        let two: Option<Vec<i128>> = exact
            .iter()
            .skip(10)
            .take(9)
            .map(Integer::to_i128)
            .collect();
        let one: Option<Vec<i64>> = exact.iter().skip(19).map(Integer::to_i64).collect();
        Some(Self {
            three: three?.try_into().ok()?,
            two: two?.try_into().ok()?,
            one: one?.try_into().ok()?,
        })
    }
}

/// d₀, …, d₂₅ in ulps, each within 2 of the truth.
fn coefficients(index: usize) -> Option<Vec<Integer>> {
    let bits = 208;
    let a = Rational::from((index, 32u32));
    let point = Interval::from_rational(&a, bits); // exact: k < 2^9
    let density = normal::density(&point);
    // S(a) ≤ e^{−a²/2}/2 < 2^-(a²·11/16): that many bits fewer give the same absolute width, much faster.
    let saved = u32::try_from(index.checked_mul(index)?.checked_mul(11)? >> 14u32).ok()?;
    let survival = normal::survival_without_table(&point.at_bits(bits.checked_sub(saved)?));
    let mut all = vec![to_ulps(&survival)?];
    // H = 32ᵐ·Heₘ(a) is an integer, with Heₘ₊₁(a) = a·Heₘ(a) − m·Heₘ₋₁(a); denominator = (−1)ⁿ·n!·32ⁿ·32ⁿ⁻¹.
    let (mut previous, mut hermite) = (Integer::new(), Integer::from(1));
    let mut denominator = Integer::from(-32);
    for n in 1u32..=25 {
        let exact = Rational::from((&hermite, &denominator));
        all.push(to_ulps(
            &density.mul(&Interval::from_rational(&exact, bits)),
        )?);
        // From Heₙ₋₁ to Heₙ.
        let next = Integer::from(&hermite * index) - previous * (n.checked_sub(1)?) * 1024u32;
        previous = hermite;
        hermite = next;
        denominator *= n.checked_add(1)?;
        denominator *= -1024;
    }
    Some(all)
}

/// ⌊v·2^190⌋ for the lower end, if the upper end is within 2 ulps of it.
fn to_ulps(v: &Interval) -> Option<Integer> {
    let scaled = |end: &Float| Float::with_val(end.prec(), end << FRACTION_BITS); // exact
    let floor = scaled(v.lo()).to_integer_round(Round::Down)?.0;
    (scaled(v.hi()) <= Integer::from(&floor + 2)).then_some(floor)
}

/// Requires: |v| < 2^191.
fn to_wide(v: &Integer) -> Option<Wide> {
    let mut limbs = [0u64; 3];
    let magnitude = Integer::from(v.abs_ref());
    if magnitude.significant_bits() > 191 {
        return None;
    }
    magnitude.write_digits(&mut limbs, Order::Lsf);
    let magnitude = Wide(limbs);
    Some(if *v < 0 {
        Wide([0; 3]).wrapping_sub(magnitude)
    } else {
        magnitude
    })
}

#[cfg(test)]
#[path = "normal_table_tests.rs"]
mod tests;
