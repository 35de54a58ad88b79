//! The Bayes error R(π): the least error of an attacker whose prior that the record is absent is π.

use rug::Rational;

use super::curve::Curve;
use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::{Interval, InvariantViolation, Point};

/// Encloses R(π) = min over α of πα + (1 − π)f(α), for a prior π that the record is **absent**.
///
/// R(π) = (1 − π)(1 − δ(u)) = π(1 − δ_(Q,P)(1/u)) with u = π/(1 − π); the first form is used for u ≥ 1,
/// the second for u < 1 (theory, Conventions). It is 0 for π ≤ 0 and π ≥ 1.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn bayes_error(
    sides: &TwoSided,
    prior: &Rational,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    if *prior <= 0 || *prior >= 1 {
        return Ok(Enclosure::exactly(Rational::new(), effort.bits));
    }
    let odds = Odds::of_prior(prior);
    let found = sides.falling(|curve| effort.raising_bits(|bits| of_curve(curve, &odds, bits)))?;
    let range = &sides.known_range;
    let end = if odds.is_absence_likelier {
        range.max.clone()
    } else {
        range.min.as_ref().map(Interval::neg)
    };
    match end {
        // δ = 0 from here on: the likelier hypothesis is always the better guess.
        Some(end) if *end.exp().hi() <= odds.ratio => {
            let all = Interval::from_rational(&odds.smaller, effort.bits);
            found.at_least(all.lo())
        }
        _ => Ok(found),
    }
}

/// The prior odds, seen from the likelier hypothesis.
struct Odds {
    is_absence_likelier: bool,
    /// At least 1.
    ratio: Rational,
    /// The probability of the less likely hypothesis.
    smaller: Rational,
}

impl Odds {
    /// Requires: 0 < π < 1.
    fn of_prior(prior: &Rational) -> Self {
        let rest = Rational::from(1 - prior);
        let is_absence_likelier = *prior >= rest;
        let (larger, smaller) = if is_absence_likelier {
            (prior.clone(), rest)
        } else {
            (rest, prior.clone())
        };
        Self {
            is_absence_likelier,
            ratio: larger / &smaller,
            smaller,
        }
    }
}

fn of_curve(curve: &Curve, odds: &Odds, bits: u32) -> Result<Enclosure, InvariantViolation> {
    let side = if odds.is_absence_likelier {
        &curve.forward
    } else {
        &curve.backward
    };
    let place = Point::at_exp_epsilon(&odds.ratio, bits);
    if let Some(delta) = side.exact_delta(&place) {
        return Ok(Enclosure::exactly((1 - delta) * &odds.smaller, bits));
    }
    let rest = side.at(&place).delta.in_unit().one_minus();
    let share = Interval::from_rational(&odds.smaller, bits);
    Ok(Enclosure::from_interval(&rest.mul(&share)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::{Gaussian, contains, finite_pair, is_near, meets};
    use crate::bounds::testing::{unit_rational, with_effort};
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contains_the_exact_value(pair in finite_pair(), prior in unit_rational()) {
            let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove).bayes_error(&prior);
            let found = with_effort(12, 64, |e| bayes_error(&pair.sides(), &prior, e)).unwrap();
            prop_assert!(contains(&found, &truth) && meets(&found, 12), "{truth} {found:?}");
        }
    }

    /// R(1/2) = Φ(−μ/2), and R is symmetric for a symmetric curve.
    #[test]
    fn gaussian() {
        let error = |n, m| {
            let prior = Rational::from((n, m));
            with_effort(12, 128, |e| bayes_error(&Gaussian::sides(2, 1), &prior, e)).unwrap()
        };
        let text = "0.158655253931457051414767454368";
        assert!(is_near(&error(1, 2), text, 25));
        let (low, high) = (error(1, 1000), error(999, 1000));
        assert!(
            low.intersect(&high).is_ok()
                && low.meets(&crate::bounds::Target::Absolute(Rational::from((
                    1,
                    1u64 << 60
                ))))
        );
        assert_eq!(error(0, 1).exact(), Some(&Rational::new()));
        assert_eq!(error(1, 1).exact(), Some(&Rational::new()));
    }

    /// A known range lifts the error to that of guessing, at the priors whose end it is, and nowhere else.
    #[test]
    fn ranges_of_the_loss() {
        use crate::bounds::LossRange;
        use crate::bounds::testing::Finite;
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
        let other = Finite::new(&[(25, 100), (74, 100), (1, 100)], &[(3, 4), (1, 4), (0, 1)]);
        let find = |upper: &Finite, range: LossRange, prior: (i64, i64)| {
            let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
            let prior = Rational::from(prior);
            with_effort(12, 60, |e| bayes_error(&sides, &prior, e)).unwrap()
        };
        let end = |n: i64| Some(Interval::from_i64(n, 60));
        let max = || LossRange {
            max: end(1),
            min: None,
        };
        let min = || LossRange {
            max: None,
            min: end(-1),
        };
        for (upper, range, likely, other_prior) in [
            (&upper, &max as &dyn Fn() -> LossRange, (6, 7), (1, 7)),
            (&other, &min, (1, 7), (6, 7)),
        ] {
            let found = find(upper, range(), likely);
            let least = Rational::from((1, 7));
            assert!(
                *found.lower() <= least && found.lower().to_f64() > 1.0 / 7.0 - 1e-12,
                "{found:?}"
            );
            assert!(*found.upper() >= least);
            let without = find(upper, LossRange::default(), likely);
            assert!(without.lower().to_f64() < 1.0 / 7.0 - 0.001, "{without:?}");
            let unchanged = find(upper, LossRange::default(), other_prior);
            assert_eq!(find(upper, range(), other_prior).lower(), unchanged.lower());
        }
    }
}
