//! What an (ε, δ) guarantee alone implies about attacks, solved for ε: the step that calibration to an attack risk avoids.

use rug::Rational;

use super::requirement::as_claim;
use crate::statement::{Claim, Requirement, StatedClaim, StatedRequirement};

/// The largest u = e^ε with ε ≥ 0 for which every mechanism that is (ε, δ)-DP in both orders of the pair meets the requirement.
///
/// Its canonical member has f(α) = max{0, 1 − δ − uα, (1 − δ − α)/u} (Kulynych et al. 2024, Proposition 2.5), so
///
/// * advantage η: η ≥ (u − 1 + 2δ)/(u + 1) (Proposition 2.6) says u ≤ (1 + η − 2δ)/(1 − η);
/// * f(α) ≥ β > 0: u ≤ max{(1 − δ − β)/α, (1 − δ − α)/β}, as either line will do;
/// * Bayes error r > 0 at prior π: the least of πα + (1 − π)f(α) is at a vertex, (0, 1 − δ), (1 − δ, 0) or, with both errors
///   equal, (1 − δ)/(1 + u): so r ≤ (1 − δ)·min{π, 1 − π} and u ≤ (1 − δ)/r − 1.
///
/// Ensures: exact; `None` if no ε ≥ 0 will do, any will, or the requirement is not an attack risk.
pub fn largest_standard_u(requirement: &Requirement, delta: &Rational) -> Option<Rational> {
    let rest = Rational::from(1 - delta);
    let claim = as_claim(requirement);
    let u = match (claim.as_ref().map(Claim::stated), requirement.stated()) {
        (Some(StatedClaim::Advantage { at_most }), _) if *at_most < 1 => {
            let top = Rational::from(at_most + 1u32) - Rational::from(delta * 2u32);
            top / Rational::from(1 - at_most)
        }
        (Some(StatedClaim::TradeOff { alpha, beta }), _) if *alpha > 0 && *beta > 0 => {
            let steep = Rational::from(&rest - beta) / alpha;
            let flat = Rational::from(&rest - alpha) / beta;
            steep.max(flat)
        }
        (None, StatedRequirement::BayesError { prior, at_least }) if *at_least > 0 => {
            let other = Rational::from(1 - prior);
            if *at_least > prior.clone().min(other) * &rest {
                return None;
            }
            rest / at_least - 1u32
        }
        _ => return None,
    };
    (u >= 1).then_some(u)
}

/// By how much the least FNR at FPR α falls, for the mechanism that is no better than its (ε, δ), when it is calibrated to
/// the advantage η directly instead of by way of (ε, δ): (η − δ)(1 − 2α/(1 − η)).
///
/// Kulynych et al. 2024, Proposition 3.6, as its proof has it (Eq. 32); Eq. 15 states less, η in place of the second η − δ.
///
/// Ensures: exact; `None` unless δ < η < 1 and 0 < α < (1 − η)/2.
pub fn generic_cost(eta: &Rational, delta: &Rational, alpha: &Rational) -> Option<Rational> {
    let rest = Rational::from(1 - eta);
    let twice = Rational::from(alpha * 2u32);
    if delta >= eta || *alpha <= 0 || twice >= rest {
        return None;
    }
    Some(Rational::from(eta - delta) * (1 - twice / rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::mechanism::Adjacency;

    /// The four outcomes of Kulynych et al. 2024, Eq. 29.
    fn canonical(u: &Rational, delta: &Rational) -> ExactCurve {
        let rest = Rational::from(1 - delta);
        let low = &rest / Rational::from(u + 1u32);
        let high = Rational::from(&low * u);
        let zero = Rational::new();
        ExactCurve::new(
            &[zero.clone(), high.clone(), low.clone(), delta.clone()],
            &[delta.clone(), low, high, zero],
            Adjacency::Remove,
        )
    }

    fn ratio(a: u32, b: u32) -> Rational {
        Rational::from((a, b))
    }

    /// At the u found the canonical mechanism just meets the requirement; slightly above it does not.
    #[test]
    fn the_largest_u_is_the_largest() {
        let more = ratio(1_000_001, 1_000_000);
        for delta in [ratio(0, 1), ratio(1, 100_000), ratio(1, 50)] {
            for (text, met) in [
                (
                    "advantage:at-most=0.3",
                    Box::new(|c: &ExactCurve| c.advantage() <= ratio(3, 10))
                        as Box<dyn Fn(&ExactCurve) -> bool>,
                ),
                (
                    "trade-off:alpha=0.1,beta=0.5",
                    Box::new(|c| c.tradeoff(&ratio(1, 10)) >= ratio(1, 2)),
                ),
                (
                    "tpr:fpr=0.6,at-most=0.8",
                    Box::new(|c| c.tradeoff(&ratio(3, 5)) >= ratio(1, 5)),
                ),
                (
                    "bayes-error:prior=0.3,at-least=0.2",
                    Box::new(|c| c.bayes_error(&ratio(3, 10)) >= ratio(1, 5)),
                ),
                (
                    "bayes-error:prior=0.6,at-least=0.1",
                    Box::new(|c| c.bayes_error(&ratio(3, 5)) >= ratio(1, 10)),
                ),
            ] {
                let requirement = Requirement::from_argument(text).unwrap();
                let u = largest_standard_u(&requirement, &delta).unwrap();
                assert!(met(&canonical(&u, &delta)), "{text} {delta}");
                assert!(
                    !met(&canonical(&Rational::from(&u * &more), &delta)),
                    "{text} {delta}"
                );
            }
        }
    }

    #[test]
    fn what_no_epsilon_implies() {
        let delta = ratio(1, 10);
        for text in [
            "advantage:at-most=0.05",
            "tpr:fpr=0.1,at-most=0.15",
            "bayes-error:prior=1/2,at-least=0.49",
            // More than either test that ignores the data has.
            "bayes-error:prior=0.3,at-least=0.4",
            "bayes-error:prior=0.7,at-least=0.4",
            "zcdp:rho=1",
        ] {
            let requirement = Requirement::from_argument(text).unwrap();
            assert_eq!(largest_standard_u(&requirement, &delta), None, "{text}");
        }
    }

    /// Figure 3b: about 30 points at η = 1/2, α = 0.1; and Eq. 32 is the difference of two canonical curves.
    #[test]
    fn the_cost_is_that_of_the_canonical_mechanism() {
        let (eta, delta) = (ratio(1, 2), ratio(1, 100_000));
        let advantage = Requirement::from_argument("advantage:at-most=1/2").unwrap();
        let u = largest_standard_u(&advantage, &delta).unwrap();
        let (standard, aware) = (canonical(&u, &delta), canonical(&ratio(1, 1), &eta));
        for alpha in [ratio(1, 1000), ratio(1, 10), ratio(6, 25)] {
            let gap = standard.tradeoff(&alpha) - aware.tradeoff(&alpha);
            assert_eq!(generic_cost(&eta, &delta, &alpha), Some(gap.clone()));
            // Eq. 15 is true but weaker.
            let eq_15 =
                Rational::from(&eta - &delta) + alpha * 2u32 * &eta / Rational::from(&eta - 1u32);
            assert!(eq_15 < gap);
        }
        assert_eq!(generic_cost(&eta, &delta, &ratio(1, 4)), None);
        let tenth = generic_cost(&eta, &delta, &ratio(1, 10)).unwrap();
        assert!(tenth < ratio(3, 10) && tenth > ratio(2999, 10_000));
    }
}
