//! A μ that theorems give, at any precision.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::concentrated;
use super::vertex_mu::finite_mu;
use crate::kernel::{Interval, normal};
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::finite::FiniteLaw;

/// A number ≥ 0 that can be enclosed at any precision.
#[derive(Clone)]
pub struct Mu {
    /// μ², where it is rational.
    pub square: Option<Rational>,
    enclose: Arc<dyn Fn(u32) -> Interval + Send + Sync>,
}

impl Mu {
    /// √square.
    pub fn root(square: Rational) -> Self {
        let inner = square.clone();
        Self {
            square: Some(square),
            enclose: Arc::new(move |bits| Interval::from_rational(&inner, bits).sqrt()),
        }
    }

    /// Encloses μ.
    pub fn enclose(&self, bits: u32) -> Interval {
        (self.enclose)(bits)
    }

    pub(super) fn real(enclose: impl Fn(u32) -> Interval + Send + Sync + 'static) -> Self {
        Self {
            square: None,
            enclose: Arc::new(enclose),
        }
    }

    /// −2Φ⁻¹(e^{−ε0/2}/2). On the middle part of its curve αβ = e^{−ε0}/4, and log-probability ↦ Φ⁻¹ of the complement is
    /// concave (its slope is minus Mills' ratio), so Φ⁻¹(1 − α) + Φ⁻¹(1 − β) is largest at α = β; the linear parts are
    /// chords of points above G_μ.
    pub(super) fn of_laplace(epsilon: &Rational) -> Self {
        let half = Rational::from(epsilon / 2u32);
        Self::real(move |bits| {
            let power = Interval::from_rational(&Rational::from(-&half), bits).exp();
            let level = power.mul(&Interval::from_rational(&Rational::from((1, 2)), bits));
            let quantile = normal::survival_inverse(&level);
            quantile.add(&quantile).at_least_zero()
        })
    }

    /// Enough for all ρ-zCDP mechanisms.
    ///
    /// Requires: `rho > 0`.
    pub(super) fn of_concentrated(rho: Rational) -> Self {
        Self::real(move |bits| concentrated::enough(&rho, bits))
    }

    pub(super) fn of_closed(pair: &ClosedPair) -> Self {
        let pair = pair.clone();
        let unknown = |bits| Interval::zero(bits).hull(&Interval::infinity(bits));
        Self::real(move |bits| pair.strict_mu(bits).unwrap_or_else(|| unknown(bits)))
    }

    pub(super) fn of_finite(law: &Arc<FiniteLaw>) -> Self {
        let law = Arc::clone(law);
        Self::real(move |bits| finite_mu(&law, bits))
    }

    /// √(Σ times·μ²).
    pub(super) fn root_of_sum(parts: Vec<(Self, u64)>) -> Self {
        let square = parts.iter().try_fold(Rational::new(), |sum, (mu, times)| {
            Some(sum + Rational::from(mu.square.as_ref()? * Integer::from(*times)))
        });
        match square {
            Some(square) => Self::root(square),
            None => Self::real(move |bits| {
                let term = |(mu, times): &(Self, u64)| {
                    let times = Interval::from_integer(&Integer::from(*times), bits);
                    mu.enclose(bits).square().mul(&times)
                };
                let sum = parts.iter().map(term);
                sum.fold(Interval::zero(bits), |sum, x| sum.add(&x)).sqrt()
            }),
        }
    }

    pub(super) fn largest(of: Vec<Self>) -> Self {
        match of.as_slice() {
            [only] => only.clone(),
            _ => Self::real(move |bits| {
                let all = of.iter().map(|mu| mu.enclose(bits));
                all.fold(Interval::zero(bits), |most, mu| most.max(&mu))
            }),
        }
    }
}
