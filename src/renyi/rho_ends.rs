//! What theorems tell of ρ*, the supremum of D_t/t.

use rug::{Integer, Rational};

use super::lattice;
use super::parts::Base;
use crate::kernel::LossBound;
use crate::mechanism::Step;

/// ρ with D_t ≤ ρt for all t > 1, in both orders, of one step, where a theorem has it.
pub fn concentrated_at_most(step: &Step) -> Option<Rational> {
    let known = Base::of(step).and_then(|base| RhoEnds::of(&base));
    let all = [known.map(|ends| ends.most), of_bounded_loss(step)];
    all.into_iter().flatten().min()
}

/// ε²/2 of an ε-DP step (Bun and Steinke 2016, Proposition 3.3).
fn of_bounded_loss(step: &Step) -> Option<Rational> {
    const BITS: u32 = 96;
    let stated = step.profile()?;
    let swapped = stated.swapped();
    let mut largest = Rational::new();
    for profile in [&stated, &swapped] {
        let LossBound::Finite { value, .. } = profile.max_loss(BITS) else {
            return None;
        };
        if profile.exact_infinite_mass()? != 0 {
            return None;
        }
        largest = largest.max(value.hi().to_rational()?);
    }
    Some(largest.square() / 2u32)
}

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
            Base::AtMost(bound) => bound.rho_ends()?,
            Base::Finite(_)
            | Base::Shifted(_)
            | Base::Mixed(_)
            | Base::Skellam(_)
            | Base::GaussianSum(_)
            | Base::Closed(_)
            | Base::Batch(_) => return None,
        })
    }

    pub(super) fn without_limit(self) -> Self {
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
