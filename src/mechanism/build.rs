//! From the description of a mechanism to its privacy profile.

use std::sync::Arc;

use rug::Rational;

use super::discrete_gaussian::DiscreteGaussian;
use super::finite::{FiniteLaw, FiniteProfile};
use super::gaussian::Gaussian;
use super::laplace::Laplace;
use super::renyi_class::RenyiClass;
use super::subsampled::subsampled;
use super::{Mechanism, approx_dp, discrete_laplace, finite_pair, points, randomized_response};
use crate::kernel::Profile;

/// The profile of the pair (P, Q) of a mechanism that is not a composition; for a class of mechanisms, of its
/// canonical pair, or the largest at every point (`zcdp` and `rdp`, which no single pair represents). `None` for
/// compositions and beyond the size limits of a kind.
pub fn profile(mechanism: &Mechanism) -> Option<Arc<dyn Profile>> {
    if let Some(law) = finite_law(mechanism) {
        return Some(Arc::new(FiniteProfile::new(law)));
    }
    match mechanism {
        Mechanism::Gaussian { sigma, sensitivity } => {
            Some(Arc::new(Gaussian::from_noise(sigma, sensitivity)))
        }
        Mechanism::Gdp { mu } => Some(Arc::new(Gaussian::from_mu(mu))),
        Mechanism::Laplace { scale, sensitivity } => {
            Some(Arc::new(Laplace::from_noise(scale, sensitivity)))
        }
        Mechanism::DiscreteGaussian { sigma, sensitivity } => {
            Some(Arc::new(DiscreteGaussian::new(sigma, *sensitivity)?))
        }
        Mechanism::Zcdp { rho } => Some(Arc::new(RenyiClass::zcdp(rho))),
        Mechanism::Rdp { orders } => Some(Arc::new(RenyiClass::rdp(orders)?)),
        Mechanism::Subsampled { rate, of } => {
            let (rate, inner) = innermost(rate, of);
            Some(subsampled(&rate, profile(inner)?))
        }
        _ => None,
    }
}

/// The law of a mechanism whose loss takes finitely many values.
pub fn finite_law(mechanism: &Mechanism) -> Option<Arc<FiniteLaw>> {
    let law = match mechanism {
        Mechanism::RandomizedResponse { epsilon, k } => randomized_response::law(epsilon, *k)?,
        Mechanism::PureDp { epsilon } => randomized_response::law(epsilon, 2)?,
        Mechanism::ApproxDp { epsilon, delta } => approx_dp::law(epsilon, delta)?,
        Mechanism::DiscreteLaplace { scale, sensitivity } => {
            discrete_laplace::law(scale, *sensitivity)?
        }
        Mechanism::Finite { p, q } => finite_pair::law(p, q)?,
        Mechanism::Points { points } => points::law(points)?,
        Mechanism::Subsampled { rate, of } => {
            let (rate, inner) = innermost(rate, of);
            finite_law(inner)?.subsampled(&rate)?
        }
        _ => return None,
    };
    Some(Arc::new(law))
}

/// Nested Poisson sampling multiplies the rates: the same record takes part in all stages.
pub(crate) fn innermost<'a>(rate: &Rational, of: &'a Mechanism) -> (Rational, &'a Mechanism) {
    let (mut rate, mut inner) = (rate.clone(), of);
    while let Mechanism::Subsampled { rate: next, of } = inner {
        rate *= next;
        inner = of;
    }
    (rate, inner)
}
