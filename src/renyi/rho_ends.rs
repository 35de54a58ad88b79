//! What theorems tell of ρ*, the supremum of D_t/t.

use rug::{Integer, Rational};

use super::lattice;
use super::parts::Base;

/// D_t/t comes at least as high as `limit` as t → ∞, where the record is removed, and no D_t/t with t > 1 is above `most`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RhoEnds {
    pub(super) limit: Rational,
    pub(super) most: Rational,
}

impl RhoEnds {
    /// Gaussian and discrete Gaussian noise has one number, and so has a Poisson sample of it; ε-DP has D_t ≤ tε²/2 (Bun and Steinke 2016, Proposition 3.3); a mixture has
    /// the largest of its parts (`proofs/README.md`, R13).
    pub(super) fn of(base: &Base) -> Option<Self> {
        let both = |rho: Rational| Self {
            limit: rho.clone(),
            most: rho,
        };
        let pure = |epsilon: &Rational| both(Rational::from(epsilon.square_ref()) / 2u32);
        Some(match base {
            Base::Gaussian(square) => both(Rational::from(square / 2u32)),
            Base::DiscreteGaussian(variance, shift) => {
                both(lattice::square(variance, *shift) / 2u32)
            }
            Base::Sampled(pair) => both(Rational::from(&pair.square / 2u32)),
            Base::Stated(stated) => both(stated.rho()?),
            Base::Labelled(parts) => parts.rho_ends()?,
            Base::Laplace(epsilon) => pure(epsilon).without_limit(),
            Base::SampledLaplace(pair) => pure(&pair.epsilon).without_limit(),
            // A sample raises no D_t.
            Base::AtMost(parts) => parts.rho_ends()?.without_limit(),
            Base::Finite(_)
            | Base::Shifted(_)
            | Base::Mixed(_)
            | Base::Skellam(_)
            | Base::GaussianSum(_)
            | Base::Closed(_)
            | Base::Batch(_) => return None,
        })
    }

    fn without_limit(self) -> Self {
        Self {
            limit: Rational::new(),
            ..self
        }
    }

    pub(super) fn or_higher(self, other: Self) -> Self {
        Self {
            limit: self.limit.max(other.limit),
            most: self.most.max(other.most),
        }
    }

    pub(super) fn times(self, times: &Integer) -> Self {
        Self {
            limit: self.limit * times,
            most: self.most * times,
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            limit: self.limit + other.limit,
            most: self.most + other.most,
        }
    }
}
