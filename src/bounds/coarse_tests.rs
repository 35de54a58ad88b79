//! All queries when no rounding has more than a few bits, against exact values: a wrong direction anywhere below is an error in
//! the first digits (see `kernel::coarse`).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;
use rug::Rational;

use super::exact::ExactCurve;
use super::testing::{
    Finite, blur, contains, finite_pair, power_of_ten, surrounded, unit_rational, with_effort,
};
use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Budget, InvariantViolation};
use crate::mechanism::{Adjacency, Epsilon};

/// The answer at a few bits, which seldom is as narrow as asked: after some milliseconds it is what it is.
fn coarse<T>(
    bits: u32,
    query: impl FnOnce(&Effort) -> Result<T, InvariantViolation>,
) -> Result<T, TestCaseError> {
    let budget = Budget::new(Duration::from_millis(10), Arc::new(AtomicBool::new(false)));
    let target = Target::Relative(power_of_ten(9));
    let effort = Effort {
        bits: 64,
        target: &target,
        goal: None,
        budget: &budget,
    };
    at_most_bits(bits, || query(&effort)).map_err(|e| TestCaseError::fail(e.to_string()))
}

fn every_query(
    pair: &Finite,
    sides: &TwoSided,
    x: &Rational,
    bits: u32,
) -> Result<(), TestCaseError> {
    let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
    let u = Rational::from(x * 3).max(power_of_ten(30));
    let place = Epsilon::log_of(u.clone()).unwrap();
    for (what, found, value) in [
        (
            "delta",
            coarse(bits, |e| delta(sides, &place, e))?,
            truth.delta(&u),
        ),
        (
            "advantage",
            coarse(bits, |e| advantage(sides, e))?,
            truth.advantage(),
        ),
        (
            "trade-off",
            coarse(bits, |e| tradeoff(sides, x, e))?,
            truth.tradeoff(x),
        ),
        (
            "bayes error",
            coarse(bits, |e| bayes_error(sides, x, e))?,
            truth.bayes_error(x),
        ),
        (
            "minimax risk",
            coarse(bits, |e| minimax_risk(sides, e))?,
            truth.minimax_risk(),
        ),
    ] {
        prop_assert!(contains(&found, &value), "{what} {value} {found:?}");
    }
    let exact = pair.sides();
    let fine = with_effort(20, 128, |e| epsilon(&exact, x, e)).unwrap();
    let found = coarse(bits, |e| epsilon(sides, x, e))?;
    prop_assert!(found.intersect(&fine).is_ok(), "epsilon {found:?} {fine:?}");
    for form in [
        GdpForm::Strict,
        GdpForm::Tolerance(Rational::from((1, 1000))),
        GdpForm::Tolerance(Rational::from((1, 7))),
        GdpForm::ErrorFloor(Rational::from((1, 1000))),
        GdpForm::ErrorFloor(Rational::from((1, 9))),
    ] {
        let fine = with_effort(9, 128, |e| gdp_mu(&exact, &form, e))
            .unwrap()
            .mu;
        let found = coarse(bits, |e| gdp_mu(sides, &form, e))?.mu;
        prop_assert!(
            found.intersect(&fine).is_ok(),
            "{form:?} {found:?} {fine:?}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(9)))]

    #[test]
    fn closed_forms(pair in finite_pair(), x in unit_rational(), bits in 4u32..20) {
        every_query(&pair, &pair.sides(), &x, bits)?;
    }

    #[test]
    fn two_sides((pair, sides) in surrounded(), x in unit_rational(), bits in 4u32..20) {
        every_query(&pair, &sides, &x, bits)?;
    }

    /// Profiles known by wide enclosures only.
    #[test]
    fn blurred_profiles(pair in finite_pair(), by in (blur(), blur()), x in unit_rational(), bits in 4u32..20) {
        let blurred = testing::Blurred { pair: pair.clone(), delta: by.0, null_tail: by.1 };
        every_query(&pair, &TwoSided::closed_form(Arc::new(blurred)), &x, bits)?;
    }
}
