//! The Gaussian mechanism that a single (ε, δ) speaks of.

use rug::Rational;

use crate::kernel::{InvariantViolation, Profile};
use crate::mechanism::Epsilon;
use crate::mechanism::gaussian::Gaussian;

/// Two numbers with the μ between them at which G_μ has δ(ε) = delta.
///
/// Which one to use depends on what for: G_μ with `lower` is (ε, δ)-DP, so noise for a budget is to be made from it; `upper` is
/// at least the μ of every Gaussian mechanism that is (ε, δ)-DP, so a risk is to be assessed from that one. Neither says
/// anything of mechanisms that are not Gaussian (Gomez et al. 2025, Proposition 6.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaussianMu {
    /// G_μ is certainly (ε, δ)-DP.
    pub lower: Rational,
    /// No larger μ is.
    pub upper: Rational,
}

/// Bits of an evaluation.
const BITS: u32 = 192;
/// Steps of the bisection, and of the search for its start.
const STEPS: u32 = 64;

/// The μ with δ(ε) = delta for G_μ, to 2^−60 relative.
///
/// Requires: `epsilon ≥ 0`, `0 < delta < 1`; `None` otherwise, and where μ is beyond 2^64 or below 2^−64.
/// Ensures: δ(ε) of G_μ grows with μ (a μ-GDP mechanism is μ'-GDP for μ' ≥ μ), so a certified comparison at an end is one of
/// μ.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn gaussian_mu(
    epsilon: &Epsilon,
    delta: &Rational,
) -> Result<Option<GaussianMu>, InvariantViolation> {
    if epsilon.is_negative() || *delta <= 0 || *delta >= 1 {
        return Ok(None);
    }
    let at = epsilon.place(BITS);
    let delta_of = |mu: &Rational| Gaussian::from_mu(mu).at(&at).delta;
    let holds = |mu: &Rational| *delta_of(mu).hi() <= *delta;
    let fails = |mu: &Rational| *delta_of(mu).lo() >= *delta;
    let mut lower = Rational::from(1);
    let mut upper = Rational::from(1);
    for step in 0..=STEPS {
        if holds(&lower) {
            break;
        }
        if step == STEPS {
            return Ok(None);
        }
        lower /= 2u32;
    }
    for step in 0..=STEPS {
        if fails(&upper) {
            break;
        }
        if step == STEPS {
            return Ok(None);
        }
        upper *= 2u32;
    }
    for _ in 0..STEPS {
        let middle = Rational::from(&lower + &upper) / 2u32;
        if holds(&middle) {
            lower = middle;
        } else if fails(&middle) {
            upper = middle;
        } else {
            break;
        }
    }
    if lower > upper {
        return Err(InvariantViolation("a μ is above and below a number".into()));
    }
    Ok(Some(GaussianMu { lower, upper }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::at_most_bits;

    fn found(epsilon: (u32, u32), delta: (u32, u32)) -> (f64, f64) {
        let mu = gaussian_mu(&Rational::from(epsilon).into(), &Rational::from(delta))
            .unwrap()
            .unwrap();
        (mu.lower.to_f64(), mu.upper.to_f64())
    }

    /// Balle and Wang's calibration: σ = 3.730631634… for (1, 1e-5).
    #[test]
    fn the_analytic_gaussian_mechanism() {
        let (lower, upper) = found((1, 1), (1, 100_000));
        assert!(
            (1.0 / lower - 3.730_631_634).abs() < 1e-6 && lower <= upper && upper - lower < 1e-12
        );
        // At ε = 0 it is the total variation distance 2Φ(μ/2) − 1, 0.3829249… at μ = 1.
        let (lower, upper) = found((0, 1), (3_829_249, 10_000_000));
        assert!((lower - 1.0).abs() < 1e-6 && (upper - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nonsense_has_no_answer() {
        for (epsilon, delta) in [((1, 1), (0, 1)), ((1, 1), (1, 1)), ((1, 1), (2, 1))] {
            assert_eq!(
                gaussian_mu(&Rational::from(epsilon).into(), &Rational::from(delta)).unwrap(),
                None
            );
        }
        assert_eq!(
            gaussian_mu(&Rational::from(-1).into(), &Rational::from((1, 2))).unwrap(),
            None
        );
    }

    /// δ is known by wide intervals then; both ends are on their side.
    #[test]
    fn ends_at_few_bits() {
        for (epsilon, delta) in [((1, 1), (1, 1000)), ((0, 1), (1, 3)), ((2, 1), (1, 10))] {
            let (epsilon, delta) = (
                Epsilon::from(Rational::from(epsilon)),
                Rational::from(delta),
            );
            let at = epsilon.place(400);
            let delta_of = |mu: &Rational| Gaussian::from_mu(mu).at(&at).delta;
            for bits in [8, 12, 16, 24, 40, 64] {
                let found = at_most_bits(bits, || gaussian_mu(&epsilon, &delta)).unwrap();
                if let Some(found) = found {
                    assert!(
                        *delta_of(&found.lower).hi() <= delta,
                        "{bits} bits: {found:?}"
                    );
                    assert!(
                        *delta_of(&found.upper).lo() >= delta,
                        "{bits} bits: {found:?}"
                    );
                }
            }
            assert!(gaussian_mu(&epsilon, &delta).unwrap().is_some());
        }
    }
}
