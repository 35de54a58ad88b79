//! All queries on profiles known only between two others: a finite pair with pairs of outcomes merged (a
//! post-processing: nowhere above) or told apart by a further signal (nowhere below).

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::exact::ExactCurve;
use super::testing::{
    Finite, contains, finite_pair, leak_a_bit, meets, power_of_ten, surrounded, unit_rational,
    with_effort,
};
use super::*;
use crate::kernel::Interval;
use crate::mechanism::symmetrised::Symmetrised;
use crate::mechanism::{Adjacency, Epsilon};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_enclosure_contains_the_truth((pair, sides) in surrounded(), x in unit_rational()) {
        let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        let ask = |query: &dyn Fn(&Effort) -> Enclosure| with_effort(9, 64, query);
        // e^ε is positive.
        let u = Rational::from(&x * 3).max(power_of_ten(30));
        let epsilon_of_u = Epsilon::log_of(u.clone()).unwrap();
        prop_assert!(contains(&ask(&|e| delta(&sides, &epsilon_of_u, e).unwrap()), &truth.delta(&u)));
        prop_assert!(contains(&ask(&|e| advantage(&sides, e).unwrap()), &truth.advantage()));
        prop_assert!(contains(&ask(&|e| tradeoff(&sides, &x, e).unwrap()), &truth.tradeoff(&x)));
        prop_assert!(contains(&ask(&|e| bayes_error(&sides, &x, e).unwrap()), &truth.bayes_error(&x)));
        prop_assert!(contains(&ask(&|e| minimax_risk(&sides, e).unwrap()), &truth.minimax_risk()));
        let (found, exact) = (
            ask(&|e| epsilon(&sides, &x, e).unwrap()),
            ask(&|e| epsilon(&pair.sides(), &x, e).unwrap()),
        );
        prop_assert!(found.lower() <= exact.lower() && exact.upper() <= found.upper()
                     || found.intersect(&exact).is_ok());
        for form in [
            GdpForm::Strict,
            GdpForm::Tolerance(Rational::from((1, 1000))),
            GdpForm::ErrorFloor(Rational::from((1, 1000))),
        ] {
            let found = ask(&|e| gdp_mu(&sides, &form, e).unwrap().mu);
            let exact = ask(&|e| gdp_mu(&pair.sides(), &form, e).unwrap().mu);
            prop_assert!(found.intersect(&exact).is_ok(), "{found:?} {exact:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The curve of both directions is the convex hull of f and f⁻¹; its kinks are where the two cross.
    #[test]
    fn both_directions(pair in finite_pair(), x in unit_rational()) {
        let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::AddRemove);
        let sides = TwoSided::closed_form(Arc::new(Symmetrised::new(Arc::new(pair.clone()))));
        let ask = |query: &dyn Fn(&Effort) -> Enclosure| with_effort(9, 64, query);
        for (found, value) in [
            (ask(&|e| advantage(&sides, e).unwrap()), truth.advantage()),
            (ask(&|e| tradeoff(&sides, &x, e).unwrap()), truth.tradeoff(&x)),
            (ask(&|e| bayes_error(&sides, &x, e).unwrap()), truth.bayes_error(&x)),
            (ask(&|e| minimax_risk(&sides, e).unwrap()), truth.minimax_risk()),
        ] {
            prop_assert!(contains(&found, &value) && meets(&found, 9), "{value} {found:?}");
        }
        // The least u with 1 − β − uα ≤ δ at every vertex.
        let least = truth.vertices().iter().try_fold(Rational::new(), |least, v| {
            let gap = 1 - Rational::from(&x + &v.beta);
            if v.alpha != 0 {
                Some(least.max(gap / &v.alpha))
            } else {
                (gap <= 0).then_some(least)
            }
        });
        let found = ask(&|e| epsilon(&sides, &x, e).unwrap());
        match least {
            Some(u) if x < 1 => {
                let truth = Interval::from_rational(&u, 2000).ln();
                prop_assert!(found.lower() <= truth.lo() && truth.hi() <= found.upper(), "{found:?}");
            }
            Some(_) => prop_assert!(found.upper().is_infinite()),
            None => prop_assert!(found.lower().is_infinite()),
        }
        for form in [GdpForm::Tolerance(Rational::from((1, 1000))), GdpForm::ErrorFloor(Rational::from((1, 1000)))] {
            let both = ask(&|e| gdp_mu(&sides, &form, e).unwrap().mu);
            let one = ask(&|e| gdp_mu(&pair.sides(), &form, e).unwrap().mu);
            prop_assert!(meets(&both, 9) && both.upper() >= one.lower(), "{both:?} {one:?}");
        }
    }
}

/// A little spurious mass at infinity does not spoil the strict μ where the loss is known to end.
#[test]
fn strict_mu_from_an_upper_law_with_a_little_mass_beyond_the_end() {
    let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
    let spurious = Rational::from((1, 1_000_000_000_000u64));
    let upper = leak_a_bit(&pair, &spurious);
    let three = Interval::from_i64(3, 200).ln();
    let range = LossRange {
        max: Some(three.clone()),
        min: Some(three.neg()),
    };
    let sides = TwoSided::between(upper.sides().upper, pair.sides().lower, range);
    let found = with_effort(9, 128, |e| gdp_mu(&sides, &GdpForm::Strict, e)).unwrap();
    let exact = with_effort(9, 128, |e| gdp_mu(&pair.sides(), &GdpForm::Strict, e)).unwrap();
    assert!(found.mu.intersect(&exact.mu).is_ok());
    assert!(meets(&found.mu, 9), "{found:?}");
    let unknown = TwoSided::between(sides.upper, sides.lower, LossRange::default());
    let found = with_effort(9, 128, |e| gdp_mu(&unknown, &GdpForm::Strict, e)).unwrap();
    assert!(found.mu.upper().is_infinite());
}
