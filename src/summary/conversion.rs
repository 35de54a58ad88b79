//! A statement as a class of mechanisms, and as a Gaussian mechanism.

use rug::Rational;

use super::{GaussianMu, gaussian_mu};
use crate::input::GdpForm;
use crate::kernel::{Interval, InvariantViolation, normal};
use crate::mechanism::Mechanism;
use crate::statement::{Claim, StatedClaim};

const BITS: u32 = 192;

/// The mechanism that dominates all of which the statement is true; `None` for a statement whose weakest trade-off curve
/// is no trade-off function, or which is about another mechanism.
///
/// Ensures: whatever is true of it is true of every such mechanism. An advantage of at most η is (0, η)-DP.
pub fn class_of(claim: &Claim) -> Option<Mechanism> {
    let class = match claim.stated() {
        StatedClaim::PureDp { epsilon } => Mechanism::pure_dp(epsilon.clone()),
        // One point of a profile at ε < 0 says more than (0, δ')-DP for any δ'.
        StatedClaim::ApproxDp { epsilon, delta } if epsilon.is_negative() => {
            Mechanism::profile(vec![(epsilon.clone(), delta.clone())])
        }
        StatedClaim::ApproxDp { epsilon, delta } => {
            Mechanism::approx_dp(epsilon.clone(), delta.clone())
        }
        StatedClaim::Gdp {
            mu,
            form: GdpForm::Strict,
        } => Mechanism::gdp(mu.clone()),
        StatedClaim::Zcdp { rho } => Mechanism::zcdp(rho.clone()),
        StatedClaim::Rdp { order, epsilon } => {
            Mechanism::rdp(vec![(order.clone(), epsilon.clone())])
        }
        StatedClaim::Advantage { at_most } => Mechanism::approx_dp(0, at_most.clone()),
        StatedClaim::Gdp {
            form: GdpForm::Tolerance(_) | GdpForm::ErrorFloor(_),
            ..
        }
        | StatedClaim::TradeOff { .. }
        | StatedClaim::Regret { .. }
        | StatedClaim::DominatedBy { .. } => return None,
    };
    // Statements with numbers that no mechanism of the kind may have (δ > 1) are left out.
    class.ok()
}

/// The largest μ for which the statement is true of G_μ, between two numbers; `None` where it is true for none or all.
///
/// Ensures, each quantity growing with μ: δ(ε) as in `gaussian_mu`; ρ = μ²/2 and D_t = tμ²/2 (Bun and Steinke 2016, Lemma
/// 2.3); advantage 2Φ(μ/2) − 1 and f(α) = Φ(Φ⁻¹(1 − α) − μ) (Dong, Roth and Su 2022, Eq. 6).
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn gaussian_of(claim: &Claim) -> Result<Option<GaussianMu>, InvariantViolation> {
    let exact = |x: &Rational| Interval::from_rational(x, BITS);
    let is_inside = |x: &Rational| *x > 0 && *x < 1;
    let mu = match claim.stated() {
        StatedClaim::ApproxDp { epsilon, delta } => return gaussian_mu(epsilon, delta),
        StatedClaim::Gdp {
            mu,
            form: GdpForm::Strict,
        } => exact(mu),
        StatedClaim::Zcdp { rho } => exact(&Rational::from(rho * 2u32)).sqrt(),
        StatedClaim::Rdp { order, epsilon } => {
            exact(&(Rational::from(epsilon * 2u32) / order)).sqrt()
        }
        StatedClaim::Advantage { at_most } if is_inside(at_most) => {
            let half = normal::quantile(&exact(&(Rational::from(at_most + 1u32) / 2u32)));
            half.add(&half)
        }
        StatedClaim::TradeOff { alpha, beta } if is_inside(alpha) && is_inside(beta) => {
            normal::survival_inverse(&exact(alpha)).sub(&normal::quantile(&exact(beta)))
        }
        _ => return Ok(None),
    };
    // A trade-off above 1 − α is true of no mechanism.
    if *mu.hi() < 0 {
        return Ok(None);
    }
    let ends = mu.at_least_zero();
    Ok(ends
        .lo()
        .to_rational()
        .zip(ends.hi().to_rational())
        .map(|(lower, upper)| GaussianMu { lower, upper }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits, few_bits};
    use crate::mechanism::KindName;

    fn mu(text: &str) -> Option<(f64, f64)> {
        let found = gaussian_of(&Claim::from_argument(text).unwrap()).unwrap()?;
        assert!(found.lower <= found.upper);
        Some((found.lower.to_f64(), found.upper.to_f64()))
    }

    fn is_near(text: &str, value: f64) -> bool {
        mu(text)
            .is_some_and(|(low, high)| (low - value).abs() < 1e-9 && (high - value).abs() < 1e-9)
    }

    /// Every form at the values of the Gaussian mechanism with μ = 1.
    #[test]
    fn one_gaussian_in_every_form() {
        assert!(is_near("gdp:mu=1", 1.0));
        assert!(is_near("zcdp:rho=1/2", 1.0));
        assert!(is_near("rdp:order=3,epsilon=3/2", 1.0));
        assert!(is_near("advantage:at-most=0.38292492254802620727", 1.0));
        assert!(is_near(
            "approx-dp:epsilon=1,delta=0.12693673750664397",
            1.0
        ));
        // α = 1/2: f = Φ(−1).
        assert!(is_near("trade-off:alpha=1/2,beta=0.15865525393145705", 1.0));
    }

    /// Rounded to both sides, and 0 where that is the number.
    #[test]
    fn ends_of_a_gaussian() {
        assert!(is_near("rdp:order=2,epsilon=4", 2.0));
        assert_eq!(mu("gdp:mu=0"), Some((0.0, 0.0)));
        let claim = Claim::from_argument("zcdp:rho=1").unwrap();
        let found = gaussian_of(&claim).unwrap().unwrap();
        assert!(found.lower.square() < 2 && found.upper.square() > 2);
        // f(1/3) = 2/3 where nothing is revealed, which an enclosure of μ does not tell from less.
        assert!(is_near("trade-off:alpha=1/3,beta=2/3", 0.0));
    }

    #[test]
    fn statements_of_no_gaussian_or_all() {
        for text in [
            "pure-dp:epsilon=1",
            "advantage:at-most=1",
            "advantage:at-most=0",
            "trade-off:alpha=1/2,beta=0.6",
            "trade-off:alpha=0,beta=1/2",
            "gdp:mu=1,tolerance=1e-10",
        ] {
            assert_eq!(mu(text), None, "{text}");
        }
    }

    #[test]
    fn classes() {
        let class = |text| class_of(&Claim::from_argument(text).unwrap());
        let kind = |text| class(text).map(|class| class.kind().name());
        assert_eq!(kind("advantage:at-most=0.1"), Some(KindName::ApproxDp));
        assert_eq!(kind("zcdp:rho=1"), Some(KindName::Zcdp));
        let below_zero = kind("approx-dp:epsilon=-1,delta=0.9");
        assert_eq!(below_zero, Some(KindName::Profile));
        for none in [
            "trade-off:alpha=0.1,beta=0.5",
            "regret:mu=1,at-most=0.1",
            "advantage:at-most=1.1",
            // No mechanism is so private.
            "approx-dp:epsilon=-1,delta=0.5",
        ] {
            assert_eq!(class(none), None, "{none}");
        }
    }

    /// Between the ends at few bits lies what is known at many; a statement of which no more than its sign is told is not turned away.
    #[test]
    fn gaussians_of_few_bits() {
        let mut random = Random(62);
        for round in 0..1_700 {
            let mut share = || Rational::from((1 + random.below(1022), 1024u32));
            let (x, y) = (share(), share());
            let is_large = x > 0.75;
            let claim = match round % 5 {
                0 => Claim::gdp(x * 8u32),
                1 => Claim::zcdp(x * 8u32),
                2 => Claim::rdp(1 + y * 8u32, x * 3u32),
                3 => Claim::advantage(x),
                // Above Φ⁻¹(1 − α) nothing is true.
                _ => Claim::trade_off(x.clone(), y * Rational::from(1 - &x)),
            };
            let claim = claim.unwrap();
            let fine = gaussian_of(&claim).unwrap().unwrap();
            assert!(Rational::from(&fine.upper - &fine.lower) < Rational::from(1) >> 100u32);
            for _ in 0..5 {
                let bits = few_bits(&mut random) + 2;
                let Some(found) = at_most_bits(bits, || gaussian_of(&claim)).unwrap() else {
                    // A share next to 1 is 1 at few bits, and the end infinite.
                    assert!(round % 5 > 2 && is_large, "{claim:?} {bits}");
                    continue;
                };
                assert!(
                    found.lower <= fine.upper && found.upper >= fine.lower,
                    "{claim:?} {bits}: {found:?} {fine:?}"
                );
            }
        }
    }
}
