//! How far the characteristic function of a lattice law must fall (I2).

use crate::kernel::Pick;
use std::collections::BTreeMap;

use rug::Float;

use super::fixed::{ERROR_BITS, FRACTION, Fixed};
use super::tilted::{Tilted, WEIGHT_DIGITS};
use crate::kernel::directed as d;
use crate::kernel::fixed_ln;

/// What bounds |χ(e^{iφ})| of one law.
pub(super) struct Decay {
    /// Labels relative to the mean, in increasing order.
    labels: Vec<i64>,
    /// Σ p, Σ p·i and Σ p·i² over the labels before each, in units of 2^−60, the masses rounded down.
    moments: Vec<[i128; 3]>,
    /// The law in parts, each a sequence of labels with equal gaps.
    rows: Vec<Row>,
}

/// All atoms with the same gap to their neighbours; in units of 2^−60.
struct Row {
    gap: u64,
    mass_up: u64,
    /// At least Σ |p_i − p_{i−gap}|.
    variation_up: u64,
}

/// All angles φ from one to another, in units of 2^−[`ARC_DIGITS`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub(super) from_down: u64,
    pub(super) to_up: u64,
}

impl Arc {
    fn from(self) -> Float {
        Float::with_val(ERROR_BITS, self.from_down) >> ARC_DIGITS
    }

    fn to(self) -> Float {
        Float::with_val(ERROR_BITS, self.to_up) >> ARC_DIGITS
    }
}

/// Binary digits of angles, masses and variations.
pub(super) const ARC_DIGITS: u32 = 60;
/// 1 in those units.
const ONE: u128 = 1 << ARC_DIGITS;

/// Masses keep so many binary digits in sums of moments.
const MASS_DIGITS: u32 = 60;
/// Labels farther from the mean than this are left out, so that Σ p·i² fits.
const FARTHEST: i64 = 1 << 30;
/// c and a lower bound of C(c) = (1 − cos c)/c².
const CONSTANTS: [(u32, (u32, u32)); 3] = [
    (1, (4596, 10_000)),
    (2, (3540, 10_000)),
    (3, (2211, 10_000)),
];

impl Decay {
    pub(super) fn new(law: &Tilted) -> Self {
        let weights = &law.weights;
        let middle = middle(weights);
        let mut sums = [0i128; 3];
        let mut labels = Vec::with_capacity(weights.len());
        let mut moments = Vec::with_capacity(weights.len().saturating_add(1));
        moments.push(sums);
        for (label, weight) in weights {
            let distance = label.saturating_sub(middle);
            // Weights are rounded down to units of 2^−120, hence off by relative errors of some units at most.
            let mass = (weight >> (FRACTION - MASS_DIGITS))
                .saturating_sub(1)
                .max(0);
            if distance.saturating_abs() > FARTHEST {
                continue;
            }
            let far = i128::from(distance);
            let added = [
                mass,
                mass.wrapping_mul(far),
                mass.wrapping_mul(far.wrapping_mul(far)),
            ];
            for (sum, more) in sums.iter_mut().zip(added) {
                *sum = sum.saturating_add(more);
            }
            labels.push(distance);
            moments.push(sums);
        }
        Self {
            labels,
            moments,
            rows: rows(weights),
        }
    }

    /// At least log |χ(e^{iφ})| for all φ in [from, to], at most 0; one at most `plenty` is as good as any.
    ///
    /// Requires: 0 < from ≤ to ≤ π (rounded).
    pub(super) fn log_up(&self, arc: Arc, plenty: &Float) -> Float {
        let by_variation = self.by_variation_up(arc);
        if by_variation <= *plenty {
            return by_variation;
        }
        let (from, to) = (&arc.from(), &arc.to());
        let by_moments = CONSTANTS.iter().map(|(c, constant)| {
            let length = d::div_down(&Float::with_val(ERROR_BITS, *c), to, ERROR_BITS);
            self.by_moments_up(from, &length, *constant)
        });
        by_moments.fold(by_variation, |best, next| best.smaller(&next))
    }

    /// log |χ| ≤ −C·φ²·W/2 with W = Σ_{i,j∈I} p_i p_j (i−j)² = 2(m₀m₂ − m₁²), which grows with every p.
    fn by_moments_up(&self, from: &Float, length: &Float, constant: (u32, u32)) -> Float {
        let half = Float::with_val(ERROR_BITS, length / 2u32).floor();
        let half = half
            .to_integer()
            .and_then(|n| n.to_i64())
            .unwrap_or(FARTHEST);
        let start = self
            .labels
            .partition_point(|label| *label < half.saturating_neg());
        let end = self.labels.partition_point(|label| *label <= half);
        let (Some(before), Some(after)) = (self.moments.get(start), self.moments.get(end)) else {
            return Float::new(ERROR_BITS);
        };
        let [m0, m1, m2] = [0, 1, 2].map(|k: usize| {
            let of = |sums: &[i128; 3]| sums.get(k).copied().unwrap_or(0);
            of(after).saturating_sub(of(before))
        });
        // In units of 2^−120; with the C of 1 − |χ|² ≥ C·φ²·W.
        let size = |m: i128| m.unsigned_abs();
        let product = d::mul_down(
            &d::words_down(size(m0.max(0)), ERROR_BITS),
            &d::words_down(size(m2.max(0)), ERROR_BITS),
            ERROR_BITS,
        );
        let away = d::words_up(size(m1), ERROR_BITS);
        let away = d::mul_up(&away, &away, ERROR_BITS);
        let spread = d::sub_down(&product, &away, ERROR_BITS);
        if spread <= 0 {
            return Float::new(ERROR_BITS);
        }
        let spread = spread >> (2 * MASS_DIGITS - 1);
        let square = d::mul_down(from, from, ERROR_BITS);
        let [over, under] = <[u32; 2]>::from(constant).map(|n| Float::with_val(32, n));
        let constant = d::div_down(&over, &under, ERROR_BITS);
        let fall = d::mul_down(
            &d::mul_down(&constant, &square, ERROR_BITS),
            &spread,
            ERROR_BITS,
        );
        -(fall >> 1u32)
    }

    /// |χ| ≤ Σ over rows of min(mass, variation/(2 sin(gφ/2))), and sin(gφ/2) grows up to gφ = π; sin t ≥ t − t³/6.
    fn by_variation_up(&self, arc: Arc) -> Float {
        let mut sum = 0u128;
        for row in &self.rows {
            sum = sum.saturating_add(row.bound_up(arc).into());
            if sum >= ONE {
                return Float::new(ERROR_BITS);
            }
        }
        // Below 2^60.
        log_up(&(Float::with_val(ERROR_BITS, sum) >> ARC_DIGITS))
    }
}

impl Row {
    /// At least what the row adds to |χ|.
    fn bound_up(&self, arc: Arc) -> u64 {
        let [gap, from, to] = [self.gap, arc.from_down, arc.to_up].map(u128::from);
        // The last zone ends at π for a gap of 1. Products of two words fit.
        let grows = gap == 1 || to.saturating_mul(gap) <= 3 * ONE;
        if !grows {
            return self.mass_up;
        }
        // At most 2 units of 1, as no angle is above π and a little.
        let half = (from.saturating_mul(gap) >> 1u32).min(2 * ONE);
        let scaled_up = |product: u128| (product >> ARC_DIGITS).saturating_add(1);
        let cube_up = scaled_up(scaled_up(half.saturating_mul(half)).saturating_mul(half));
        let Some(sine) = half.checked_sub((cube_up / 6).saturating_add(1)) else {
            return self.mass_up;
        };
        // Below 2^124.
        let scaled = u128::from(self.variation_up) << ARC_DIGITS;
        let quotient = scaled.checked_div(sine.saturating_mul(2));
        let bound = quotient.and_then(|quotient| u64::try_from(quotient.saturating_add(1)).ok());
        bound.map_or(self.mass_up, |bound| bound.min(self.mass_up))
    }
}

/// At least log x, at most 0, for x > 0 that bounds what is at most 1.
pub(super) fn log_up(x: &Float) -> Float {
    if *x >= 1 {
        return Float::new(ERROR_BITS);
    }
    let log = fixed_ln::ln_up(x, ERROR_BITS).unwrap_or_else(|| d::ln_up(x, ERROR_BITS));
    log.smaller(&Float::new(ERROR_BITS))
}

/// The label nearest to the mean, roughly: any would do.
pub(super) fn middle(weights: &[(i64, Fixed)]) -> i64 {
    let sum = weights.iter().fold(0i128, |sum, (label, weight)| {
        let mass = weight >> (FRACTION - MASS_DIGITS);
        sum.saturating_add(mass.saturating_mul(i128::from(*label)))
    });
    i64::try_from(sum >> MASS_DIGITS).unwrap_or(0)
}

/// Runs of equal gaps, those of the same gap put together.
fn rows(weights: &[(i64, Fixed)]) -> Vec<Row> {
    // All weights are 1 together, so that no sum of units leaves 128 bits.
    let mut sums: BTreeMap<i64, (u128, u128, u64)> = BTreeMap::new();
    let mut rest = weights;
    while let [(label, weight), tail @ ..] = rest {
        let gap = tail
            .first()
            .map_or(1, |(next, _)| next.saturating_sub(*label));
        let (mass, variation, count) = sums.entry(gap).or_default();
        let (mut label, mut weight) = (*label, *weight);
        *mass = mass.saturating_add(weight.unsigned_abs());
        *variation = variation.saturating_add(weight.unsigned_abs());
        *count = count.saturating_add(1);
        rest = tail;
        while let [(next, following), tail @ ..] = rest {
            if next.saturating_sub(label) != gap {
                break;
            }
            *mass = mass.saturating_add(following.unsigned_abs());
            *variation = variation.saturating_add(following.abs_diff(weight));
            *count = count.saturating_add(1);
            (label, weight) = (*next, *following);
            rest = tail;
        }
        *variation = variation.saturating_add(weight.unsigned_abs());
    }
    let rows = sums.into_iter().map(|(gap, (mass, variation, count))| {
        // Each weight is in two differences.
        let error = u128::from(count).saturating_mul(2 * WEIGHT_ERROR);
        let up = |sum: u128| units_up(sum.saturating_add(error));
        Row {
            gap: u64::try_from(gap).unwrap_or(u64::MAX),
            mass_up: up(mass),
            variation_up: up(variation),
        }
    });
    rows.collect()
}

/// Units of 2^−60 from those of 2^−120, rounded up; as many as there can be for what does not fit.
fn units_up(sum: u128) -> u64 {
    let units = (sum >> (FRACTION - ARC_DIGITS)).saturating_add(1);
    u64::try_from(units).unwrap_or(u64::MAX)
}

/// What a weight is off by at most, in units of 2^−120.
const WEIGHT_ERROR: u128 = 1 << (FRACTION - WEIGHT_DIGITS);

/// Zones reach from a root to this share farther.
pub(super) const WIDE: u64 = 2;
pub(super) const NARROW: u64 = 8;

/// Ranges of roots [from, to], from the first to the last, each a little wider than the one before.
pub(super) fn zones(first: u64, last: u64, share: u64) -> Vec<(u64, u64)> {
    let mut zones = Vec::new();
    let mut from = first;
    while from <= last {
        let to = from.saturating_add(from / share.max(1)).min(last);
        zones.push((from, to));
        from = to.saturating_add(1);
    }
    zones
}

#[cfg(test)]
mod tests {
    use rug::{Integer, Rational};

    use super::super::fixed::ONE;
    use super::super::tilted::weight_error_up;
    use super::*;
    use crate::kernel::Interval;
    use crate::kernel::coarse::at_most_bits;
    use proptest::prelude::*;

    /// At most 0, and not below the logarithm, at any precision and far out.
    #[test]
    fn logs_are_bounded_from_above() {
        let mut random = crate::kernel::coarse::Random(47);
        for _ in 0..5_000 {
            let x = (random.float(60).abs() >> u32::try_from(random.below(400)).unwrap())
                + (Float::with_val(64, 1) >> 600u32);
            let bits = 3 + u32::try_from(random.below(60)).unwrap();
            let found = at_most_bits(bits, || log_up(&x));
            let truth = Float::with_val(300, x.ln_ref());
            assert!(found <= 0 && (found >= truth || truth > 0), "{x} {found}");
            assert!(found == 0 || found <= truth * 3u32 / 4u32, "{x} {found}");
        }
        assert!(log_up(&Float::with_val(64, 1)) == 0 && log_up(&Float::with_val(64, 7)) == 0);
    }

    /// No root is in no zone: of those left out each must have a bound.
    #[test]
    fn zones_cover_all_roots() {
        for last in 1..300 {
            for (first, share) in [(1, WIDE), (1, NARROW), (1 + last / 2, NARROW)] {
                let mut next = first;
                for (from, to) in zones(first, last, share) {
                    assert!(from == next && from <= to && to <= last, "{last}");
                    next = to + 1;
                }
                assert_eq!(next, last + 1);
            }
        }
    }

    fn law(masses: &[(i64, u32)]) -> Tilted {
        let total: i128 = masses.iter().map(|(_, n)| i128::from(*n)).sum();
        Tilted {
            weights: masses
                .iter()
                .map(|(label, n)| (*label, ONE / total * i128::from(*n)))
                .collect(),
            log_total: Interval::zero(64),
        }
    }

    /// |χ| at φ by plain sums.
    fn modulus(law: &Tilted, phi: f64) -> f64 {
        let (mut re, mut im) = (0.0, 0.0);
        for (label, weight) in &law.weights {
            let p = *weight as f64 / ONE as f64;
            re += p * (phi * *label as f64).cos();
            im += p * (phi * *label as f64).sin();
        }
        f64::hypot(re, im)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn no_characteristic_function_is_above_its_bound(
            masses in prop::collection::vec((1i64..5, 1u32..1000), 1..60),
            from in 0.001f64..3.1,
            stretch in 1.0f64..1.5,
        ) {
            let mut label = 0;
            let masses: Vec<(i64, u32)> = masses.into_iter().map(|(gap, n)| { label += gap; (label, n) }).collect();
            let law = law(&masses);
            let to = (from * stretch).min(std::f64::consts::PI);
            let (low, high) = (Float::with_val(64, from), Float::with_val(64, to));
            let units = |x: &Float| Float::with_val(64, x << ARC_DIGITS).to_integer().unwrap().to_u64().unwrap();
            let arc = Arc { from_down: units(&low), to_up: units(&high) + 1 };
            let bound = Decay::new(&law).log_up(arc, &d::neg_infinity(ERROR_BITS));
            // With fewer bits each way to it is farther above.
            let ways = || {
                let decay = Decay::new(&law);
                let length = Float::with_val(ERROR_BITS, 2) / &high;
                let [first, second, third] = CONSTANTS.map(|c| decay.by_moments_up(&low, &length, c.1));
                let whole = decay.log_up(arc, &d::neg_infinity(ERROR_BITS));
                [decay.by_variation_up(arc), first, second, third, whole]
            };
            let fine = ways();
            for bits in 2..=24 {
                for (coarse, fine) in at_most_bits(bits, ways).iter().zip(&fine) {
                    prop_assert!(coarse.to_f64() >= fine.to_f64() - 1e-12, "{bits} {coarse} {fine}");
                }
            }
            // What is as good as nothing at once is a bound, too.
            let hasty = Decay::new(&law).log_up(arc, &Float::new(ERROR_BITS));
            prop_assert!(hasty >= bound);
            for k in 0..=20 {
                let phi = from + (to - from) * f64::from(k) / 20.0;
                prop_assert!(modulus(&law, phi) <= bound.to_f64().exp() + 1e-12, "{phi} {bound}");
            }
        }
    }

    /// Masses that need no rounding, and the error of every weight on top; units are rounded up.
    #[test]
    fn rows_count_the_errors_of_their_weights() {
        let real = |units: u64| Rational::from((units, 1u64 << ARC_DIGITS));
        for count in [1i64, 2, 4, 8] {
            let masses: Vec<(i64, u32)> = (0..count).map(|i| (3 * i, 1)).collect();
            let rows = rows(&law(&masses).weights);
            let [one] = rows.as_slice() else {
                // The last one has no neighbour.
                panic!("{}", rows.len())
            };
            let error = weight_error_up().to_rational().unwrap() * (2 * count);
            let variation = Rational::from((2, count));
            assert!(real(one.mass_up) >= Rational::from(1) + &error);
            assert!(real(one.variation_up) >= variation + error);
            assert!(real(one.mass_up) < 1.000001f64);
        }
        assert_eq!(weight_error_up() << FRACTION, WEIGHT_ERROR);
        let mut random = crate::kernel::coarse::Random(48);
        for _ in 0..1000 {
            let sum = u128::from(random.below(1 << 62)) << random.below(60);
            for sum in [sum, sum + 1, (sum >> 60u32 << 60u32) + 1] {
                let truth = Rational::from((Integer::from(sum), Integer::from(1) << 120u32));
                assert!(real(units_up(sum)) >= truth, "{sum}");
            }
        }
        assert_eq!(units_up(u128::MAX), u64::MAX);
    }

    /// A law as smooth as a normal one falls about as fast.
    #[test]
    fn smooth_laws_fall_fast() {
        let masses: Vec<(i64, u32)> = (-200i64..=200)
            .map(|i| (i, ((-(i * i) as f64 / 3200.0).exp() * 1e9) as u32))
            .filter(|(_, n)| *n > 0)
            .collect();
        let decay = Decay::new(&law(&masses));
        for (phi, most) in [
            (0.005f64, -0.013),
            (0.02, -0.06),
            (0.05, -0.5),
            (0.2, -1.5),
            (3.0, -3.5),
        ] {
            let units = |x: f64| (x * 2f64.powi(60)) as u64;
            let arc = Arc {
                from_down: units(phi),
                to_up: units((phi * 1.2).min(std::f64::consts::PI)),
            };
            let none = d::neg_infinity(ERROR_BITS);
            let bound = decay.log_up(arc, &none).to_f64();
            assert!(bound <= most, "{phi} {bound}");
        }
    }
}

#[cfg(test)]
#[path = "decay_tests.rs"]
mod twins;
