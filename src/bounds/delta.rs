//! δ at a point of the privacy profile, and the advantage δ(0).

use super::curve::Curve;
use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::{Interval, InvariantViolation};
use crate::mechanism::Epsilon;

/// Encloses δ = sup over events E of Q(E) − u·P(E), within [max(0, 1 − u), 1].
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn delta(
    sides: &TwoSided,
    at: &Epsilon,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    let found = sides.growing(|curve| effort.raising_bits(|bits| of_curve(curve, at, bits)))?;
    let place = at.place(effort.bits);
    let range = &sides.known_range;
    if range
        .max
        .as_ref()
        .is_some_and(|max| place.log().lo() >= max.hi())
    {
        return found.at_most(&rug::Float::new(effort.bits));
    }
    if range
        .min
        .as_ref()
        .is_some_and(|min| place.log().hi() <= min.lo())
    {
        return found.at_most(place.exp().one_minus().hi());
    }
    Ok(found)
}

/// Encloses the attacker's advantage δ(0) = max over α of 1 − α − f(α): the total variation distance.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn advantage(sides: &TwoSided, effort: &Effort) -> Result<Enclosure, InvariantViolation> {
    delta(sides, &Epsilon::zero(), effort)
}

fn of_curve(curve: &Curve, at: &Epsilon, bits: u32) -> Result<Enclosure, InvariantViolation> {
    let place = at.place(bits);
    if let Some(exact) = curve.forward.exact_delta(&place) {
        return Ok(Enclosure::exactly(exact, bits));
    }
    let one = Interval::one(bits);
    let least = place.exp().one_minus().at_least_zero();
    let known = curve.forward.at(&place).delta;
    let bounded = known.max(&least).min(&one);
    Ok(Enclosure::from_interval(&bounded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::LossRange;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::Gaussian;
    use crate::bounds::testing::{Finite, contains, finite_pair, is_near, meets, with_effort};
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;
    use rug::Rational;

    proptest! {
        #[test]
        fn contains_the_exact_value(pair in finite_pair(), u in (1u32..400, 1u32..60)) {
            let u = Rational::from(u);
            let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
            let at = Epsilon::log_of(u.clone()).unwrap();
            let found = with_effort(12, 64, |e| delta(&pair.sides(), &at, e)).unwrap();
            prop_assert!(contains(&found, &truth.delta(&u)) && meets(&found, 12));
            let found = with_effort(12, 64, |e| advantage(&pair.sides(), e)).unwrap();
            prop_assert!(contains(&found, &truth.advantage()) && meets(&found, 12));
        }
    }

    #[test]
    fn far_out() {
        let gaussian = Gaussian::sides(1, 1);
        for epsilon in [-100_000i64, -700, 700, 100_000] {
            let at = Epsilon::from(Rational::from(epsilon));
            let found = with_effort(12, 64, |e| delta(&gaussian, &at, e)).unwrap();
            assert!(meets(&found, 12), "{epsilon}: {found:?}");
            assert!(*found.lower() >= 0 && *found.upper() <= 1);
        }
    }

    #[test]
    fn gaussian_advantage() {
        // 2Φ(1/2) − 1
        let found = with_effort(12, 128, |e| advantage(&Gaussian::sides(1, 1), e)).unwrap();
        assert!(
            is_near(&found, "0.38292492254802620727540922122", 20),
            "{found:?}"
        );
    }

    /// An upper law with mass at infinity, of a mechanism whose loss is known to end at log 3.
    #[test]
    fn beyond_the_known_range_nothing_is_left() {
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
        let three = Interval::from_i64(3, 200).ln();
        let range = LossRange {
            max: Some(three.clone()),
            min: Some(three.neg()),
        };
        let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
        for (u, expected) in [((4, 1), (0, 1)), ((1, 4), (3, 4))] {
            let at = Epsilon::log_of(Rational::from(u)).unwrap();
            let found = with_effort(12, 128, |e| delta(&sides, &at, e)).unwrap();
            assert!(
                contains(&found, &Rational::from(expected)) && meets(&found, 12),
                "{found:?}"
            );
        }
    }

    /// What is known of the range by intervals counts with its farther end, and where a place is not certainly beyond it nothing is said.
    #[test]
    fn ranges_that_are_intervals() {
        let at = |n: i64| Interval::from_i64(n, 60);
        let known = |max: Option<Interval>, min: Option<Interval>| LossRange { max, min };
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
        let find = |upper: &Finite, range: LossRange, at: &Epsilon, bits: u32| {
            let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
            with_effort(12, bits, |e| delta(&sides, at, e)).unwrap()
        };
        let epsilon = |n: i64, d: i64| Epsilon::from(Rational::from((n, d)));
        let max = || known(Some(at(1).hull(&at(2))), None);
        assert!(*find(&upper, max(), &epsilon(3, 2), 60).upper() >= 0.009);
        assert_eq!(*find(&upper, max(), &epsilon(2, 1), 60).upper(), 0);
        // P has mass where Q has none.
        let other = Finite::new(&[(25, 100), (74, 100), (1, 100)], &[(3, 4), (1, 4), (0, 1)]);
        let min = || known(None, Some(at(-2).hull(&at(-1))));
        let line = |x: f64| 1.0 - x.exp();
        let found = find(&other, min(), &epsilon(-3, 2), 60);
        assert!(found.upper().to_f64() > line(-1.5) + 0.002, "{found:?}");
        let found = find(&other, min(), &epsilon(-2, 1), 60);
        assert!(
            (found.upper().to_f64() - line(-2.0)).abs() < 1e-12,
            "{found:?}"
        );
        // log 3 lies next to the end, and only an enclosure of it is known.
        let three = Epsilon::log_of(Rational::from(3)).unwrap();
        let middle = |bits| Interval::point(three.place(bits).log().at_bits(60).middle());
        let found = find(&upper, known(Some(middle(8)), None), &three, 8);
        assert!(*found.upper() > 0, "{found:?}");
        let third = Epsilon::log_of(Rational::from((1, 3))).unwrap();
        let end = Interval::point(third.place(8).log().at_bits(60).middle());
        let found = find(&other, known(None, Some(end)), &third, 8);
        assert!(found.upper().to_f64() > 2.0 / 3.0 + 0.001, "{found:?}");
    }

    /// At a few bits, where a place next to the end of the loss may be on either side, and 1 − e^ε is rounded up.
    #[test]
    fn least_losses_at_few_bits() {
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (1, 4), (1, 2)], &[(3, 4), (1, 4), (0, 1)]);
        let find = |min: Interval, at: &Epsilon, bits: u32| {
            let range = LossRange {
                max: None,
                min: Some(min),
            };
            let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
            with_effort(12, bits, |e| delta(&sides, at, e)).unwrap()
        };
        let third = Epsilon::log_of(Rational::from((1, 3))).unwrap();
        let end = third.place(8).log().lo().clone();
        let found = find(Interval::point(end), &third, 8);
        assert!(found.upper().to_f64() > 0.8, "{found:?}");
        for bits in 4..=20 {
            let found = find(
                Interval::from_i64(-2, 60),
                &Epsilon::from(Rational::from(-2)),
                bits,
            );
            let truth = 1.0 - (-2f64).exp();
            assert!(
                found.upper().to_f64() >= truth && found.upper().to_f64() < 0.95,
                "{bits} {found:?}"
            );
        }
    }
}
