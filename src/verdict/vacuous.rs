//! Claims that are true of every mechanism, so that verifying them says nothing.

use rug::Rational;

use crate::input::GdpForm;
use crate::kernel::{Interval, normal};
use crate::statement::{Claim, StatedClaim};

/// Is the claim true whatever the mechanism? A `false` may also mean that it could not be told.
pub fn is_vacuous(claim: &Claim) -> bool {
    match claim.stated() {
        StatedClaim::ApproxDp { delta, .. } => *delta >= 1,
        StatedClaim::Advantage { at_most } => *at_most >= 1,
        StatedClaim::TradeOff { beta, .. } => *beta == 0,
        StatedClaim::Gdp { mu, form } => match form {
            // G_μ(0) = 1 for every finite μ, and some mechanisms have f(0) = 0.
            GdpForm::Strict => false,
            GdpForm::Tolerance(tau) => is_beyond(mu, tau),
            GdpForm::ErrorFloor(floor) => is_beyond(mu, floor),
        },
        // A regret is a difference of two Bayes errors in [0, 1/2].
        StatedClaim::Regret { at_most, .. } | StatedClaim::DominatedBy { at_most, .. } => {
            *at_most >= Rational::from((1, 2))
        }
        StatedClaim::PureDp { .. } | StatedClaim::Zcdp { .. } | StatedClaim::Rdp { .. } => false,
    }
}

/// Certainly μ > 2Φ⁻¹(1 − e), that is 1 − Φ(μ/2) < e.
///
/// Then the fixed point of G_μ is below e. Nothing is left of an error floor e, as G_μ(α) < e for α ≥ e; and a
/// tolerance e is met, as G_μ(α + e) ≤ G_μ(e) < e for every α ≥ 0. Equality is impossible to tell and harmless.
fn is_beyond(mu: &Rational, errors: &Rational) -> bool {
    // −log₂ e, about: the tail must be evaluated more finely than e.
    let scale = errors
        .denom()
        .significant_bits()
        .saturating_sub(errors.numer().significant_bits());
    let bits = scale.saturating_mul(2).clamp(128, 4096);
    // 1 − Φ(20) < 2^-200 needs few bits, and 1 − Φ(μ/2) is not evaluated where it would underflow.
    let half = Rational::from(mu / 2u32).min(Rational::from(100_000));
    let tail = normal::survival(&Interval::from_rational(&half, bits));
    *tail.hi() < *errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn claim(text: &str) -> bool {
        is_vacuous(&Claim::from_argument(text).unwrap())
    }

    #[test]
    fn each_kind_at_its_limit() {
        for (text, vacuous) in [
            ("approx-dp:epsilon=1,delta=1", true),
            ("approx-dp:epsilon=1,delta=0.999999", false),
            ("advantage:at-most=1", true),
            ("advantage:at-most=0.999", false),
            ("trade-off:alpha=0.1,beta=0", true),
            ("trade-off:alpha=0.1,beta=1e-9", false),
            ("regret:mu=1,at-most=1/2", true),
            ("regret:mu=1,at-most=0.49", false),
            ("gdp:mu=1e6", false),
            // 2Φ⁻¹(1 − 1e-10) = 12.72268180…
            ("gdp:mu=12.722682,tolerance=1e-10", true),
            ("gdp:mu=12.722681,tolerance=1e-10", false),
            ("gdp:mu=12.722682,error-floor=1e-10", true),
            ("gdp:mu=12.722681,error-floor=1e-10", false),
            ("gdp:mu=1e9,error-floor=1e-300", true),
            ("pure-dp:epsilon=1e9", false),
        ] {
            assert_eq!(claim(text), vacuous, "{text}");
        }
    }

    #[test]
    fn extreme_numbers_take_no_time() {
        let tiny = parse_rational("1e-20000").unwrap();
        assert!(is_beyond(&Rational::from(1_000_000), &tiny));
        assert!(!is_beyond(&Rational::from(1), &tiny));
    }
}
