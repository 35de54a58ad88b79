//! What follows without any law holds, and where a place is shown.

use super::*;
use crate::analysis::subject::Kind;
use crate::analysis::test_tools::{resources, subject};
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Interval, Point};
use rug::Float;

const TWO: &str =
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":3},{"kind":"gaussian","sigma":2}]}"#;

fn q(n: u32, d: u32) -> Rational {
    Rational::from((n, d))
}

/// Between the parts and the Gaussian of the strict μ, at a few bits too.
#[test]
fn theorems_enclose_the_composition() {
    let whole = subject(TWO);
    let goal = Goal::Width(Target::Relative(q(1, 20)));
    for quantity in [
        Quantity::Delta(Epsilon::from(q(1, 2))),
        Quantity::Advantage,
        Quantity::TradeOff { alpha: q(1, 5) },
        Quantity::BayesError { prior: q(1, 2) },
        Quantity::MinimaxRisk,
    ] {
        resources(|resources| {
            let Kind::Laws(refinements) = &whole.kind else {
                panic!("no closed form");
            };
            let fine = whole.enclose_alone(&quantity, &goal, resources).unwrap();
            for bits in [7, 12, 200] {
                let by_theorems = || {
                    whole
                        .by_theorems(refinements, &quantity, resources)
                        .unwrap()
                };
                let found = at_most_bits(bits, by_theorems).unwrap();
                let words = format!("{quantity:?} {bits}: {found:?} {:?}", fine.enclosure);
                assert!(found.intersect(&fine.enclosure).is_ok(), "{words}");
                // Both ends say something.
                let (low, high) = (found.lower().to_f64(), found.upper().to_f64());
                assert!(bits < 200 || low > 0.02 && high < 0.9, "{words}");
                assert!(bits < 200 || found.width_up() > 0.01, "{words}");
            }
        });
    }
}

/// The Gaussian above all is one of a μ that is not below the strict one, however it is rounded.
#[test]
fn the_gaussian_above_at_a_few_bits() {
    for text in [
        TWO,
        r#"{"kind":"laplace","scale":"0.7"}"#,
        r#"{"kind":"gaussian","sigma":"1.3"}"#,
        r#"{"kind":"zcdp","rho":"0.3"}"#,
    ] {
        let whole = subject(text);
        let (mu, _) = whole.strict.at_most().unwrap();
        let zero = Point::at_epsilon(&Rational::new(), 128);
        let of = |mu: &Float| {
            let gaussian = Gaussian::from_mu(&mu.to_rational().unwrap());
            gaussian.at(&zero).delta
        };
        let truth = of(mu.enclose(200).lo());
        for bits in 3..14 {
            let found = at_most_bits(bits, || whole.strict_gaussian().unwrap());
            let delta = found.at(&zero).delta;
            assert!(delta.hi() >= truth.lo(), "{text} {bits}");
        }
        let fine: Interval = whole.strict_gaussian().unwrap().at(&zero).delta;
        assert!(fine.sub(&truth).width_up() < 1e-15);
        assert!(*fine.sub(&truth).hi() < 1e-15);
    }
}

/// The point that shows a lower bound of μ stays where laws prove it.
#[test]
fn a_place_is_shown() {
    let quantity = Quantity::GdpMu(crate::bounds::GdpForm::Tolerance(q(1, 20)));
    let goal = Goal::Width(Target::Relative(q(1, 10)));
    resources(|resources| {
        let found = subject(TWO).enclose_alone(&quantity, &goal, resources);
        let witness = found.unwrap().witness;
        assert!(
            matches!(witness, Some(super::super::Witness::Point { .. })),
            "{witness:?}"
        );
    });
}

#[test]
fn nothing_and_everything() {
    let zero = Point::at_epsilon(&Rational::new(), 64);
    for delta in [0u32, 1] {
        let profile = all_or_nothing(delta).unwrap();
        assert_eq!(profile.exact_delta(&zero), Some(Rational::from(delta)));
    }
}
