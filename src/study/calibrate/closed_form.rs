//! Closed forms for the Gaussian mechanism (Kulynych et al. 2024, Corollaries B.3 and B.4), to any number of digits.

use rug::{Float, Rational};

use super::search::Estimate;
use crate::bounds::GdpForm;
use crate::kernel::{Interval, normal};
use crate::mechanism::{Mechanism, Step};
use crate::statement::{Claim, StatedClaim};

/// The value of `key` at which the Gaussian mechanism just meets the claim, to about this many bits.
///
/// `example` is the mechanism with the key at `value`: its μ = Δ/σ says how the parameter enters. A hint like any
/// other: what is printed has been checked. `None` where there is no closed form.
pub fn closed_form(
    claim: &Claim,
    example: &Mechanism,
    key: &str,
    value: &Rational,
    bits: u32,
) -> Option<Estimate> {
    let wanted = wanted_mu(claim, bits.saturating_add(32))?;
    let Some(Step::Gaussian { mu_squared }) = example.steps().single() else {
        return None;
    };
    let mu = Interval::from_rational(mu_squared, wanted.bits()).sqrt();
    let value = Interval::from_rational(value, wanted.bits());
    let solved = match key {
        // μ = constant/key.
        "sigma" | "noise-multiplier" => mu.mul(&value).div(&wanted),
        // μ = constant·key.
        "sensitivity" | "mu" => value.div(&mu).mul(&wanted),
        // μ² = constant·key.
        "mu-squared" => value.mul(&wanted.mul(&wanted)).div(&mu.mul(&mu)),
        _ => return None,
    };
    let error = Float::with_val(64, solved.hi() - solved.lo()) / solved.hi();
    Some(Estimate {
        value: solved.lo().to_rational()?,
        error: error.to_rational()?.abs(),
    })
}

/// The largest μ for which the Gaussian mechanism, G_μ(α) = Φ(Φ⁻¹(1 − α) − μ), meets the claim.
///
/// * Corollary B.3: δ(0) = 2Φ(μ/2) − 1 ≤ η says μ ≤ 2Φ⁻¹((1 + η)/2).
/// * Corollary B.4: f(α) ≥ β says μ ≤ Φ⁻¹(1 − α) − Φ⁻¹(β).
/// * Strict μ-GDP is μ itself, and ρ-zCDP is μ²/2.
///
/// Ensures: encloses it; `None` if the claim is of another kind, or no finite μ > 0 is the largest.
fn wanted_mu(claim: &Claim, bits: u32) -> Option<Interval> {
    let interval = |value: &Rational| Interval::from_rational(value, bits);
    let mu = match claim.stated() {
        StatedClaim::Advantage { at_most } => {
            // Φ⁻¹((1 + η)/2) = −Φ⁻¹((1 − η)/2).
            let rest = Rational::from(1 - at_most) / 2u32;
            let half = normal::quantile(&interval(&rest)).neg();
            half.add(&half)
        }
        StatedClaim::TradeOff { alpha, beta } => normal::quantile(&interval(alpha))
            .neg()
            .sub(&normal::quantile(&interval(beta))),
        StatedClaim::Gdp { mu, form } if *form == GdpForm::Strict => interval(mu),
        StatedClaim::Zcdp { rho } => interval(&Rational::from(rho * 2u32)).sqrt(),
        _ => return None,
    };
    (*mu.lo() > 0 && mu.hi().is_finite()).then_some(mu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::decimal_down;

    fn sigma(claim: &str) -> String {
        let claim = Claim::from_argument(claim).unwrap();
        let (value, sensitivity) = (Rational::from(3), Rational::from(1));
        let example = Mechanism::gaussian(value.clone(), sensitivity).unwrap();
        let found = closed_form(&claim, &example, "sigma", &value, 200).unwrap();
        decimal_down(&found.value, 45)
    }

    /// Values of mpmath 1.3 at 80 digits, by its `findroot` of `erfc`.
    #[test]
    fn agrees_with_another_program() {
        assert_eq!(sigma("advantage:at-most=0.1"), ADVANTAGE);
        assert_eq!(sigma("trade-off:alpha=0.01,beta=0.5"), TRADE_OFF);
        assert_eq!(sigma("trade-off:alpha=1e-9,beta=0.999"), FAR_OUT);
    }

    const ADVANTAGE: &str = "3.97894828054527318082743384915636077848944312";
    const TRADE_OFF: &str = "0.42985832478399320977520289518211885384712064";
    const FAR_OUT: &str = "0.343929253807205352920201437999320657971439607";

    #[test]
    fn the_parameter_may_enter_either_way() {
        let claim = Claim::from_argument("gdp:mu=2").unwrap();
        let gaussian = |sigma: u32, sensitivity: u32| {
            Mechanism::gaussian(Rational::from(sigma), Rational::from(sensitivity)).unwrap()
        };
        for (example, key, value, expected) in [
            (gaussian(3, 5), "sigma", 3, (5, 2)),
            // sigma = noise-multiplier · sensitivity
            (gaussian(15, 5), "noise-multiplier", 3, (1, 2)),
            (gaussian(3, 5), "sensitivity", 5, (6, 1)),
            (
                Mechanism::gaussian_with_mu_squared(3).unwrap(),
                "mu-squared",
                3,
                (4, 1),
            ),
        ] {
            let found = closed_form(&claim, &example, key, &Rational::from(value), 100).unwrap();
            let apart = (&found.value - Rational::from(expected)).abs();
            assert!(apart < Rational::from((1, 1u64 << 60)), "{key}");
        }
        assert!(closed_form(&claim, &gaussian(1, 1), "epsilon", &Rational::from(1), 99).is_none());
    }

    #[test]
    fn chance_has_no_closed_form() {
        for text in [
            "advantage:at-most=0",
            "trade-off:alpha=0.1,beta=0.9",
            "trade-off:alpha=0,beta=0.5",
        ] {
            let claim = Claim::from_argument(text).unwrap();
            assert_eq!(wanted_mu(&claim, 100), None, "{text}");
        }
    }
}
