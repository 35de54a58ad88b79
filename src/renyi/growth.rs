//! How fast a Rényi divergence can grow with its order.

use rug::{Integer, Rational};

use super::parts::Base;
use super::softplus::Softplus;
use super::{finite, lattice};
use crate::kernel::{Interval, LossBound};
use crate::mechanism::Direction;
use crate::mechanism::closed::ClosedPair;

/// D_t ≤ slope·t + constant for t ≥ some order, and D_t/t comes at least as high as `limit` as t → ∞.
pub(super) struct Growth {
    pub(super) slope: Rational,
    pub(super) constant: Interval,
    pub(super) limit: Rational,
}

impl Growth {
    pub(super) fn zero(bits: u32) -> Self {
        Self::line(Rational::new(), Interval::zero(bits))
    }

    fn line(slope: Rational, constant: Interval) -> Self {
        Self {
            limit: slope.clone(),
            slope,
            constant,
        }
    }

    /// A largest loss.
    pub(super) fn bounded(loss: Interval) -> Self {
        Self::line(Rational::new(), loss.at_least_zero())
    }

    /// The same of something below.
    pub(super) fn without_limit(self) -> Self {
        Self {
            limit: Rational::new(),
            ..self
        }
    }

    /// This line or one with the slope to which D_t/t comes as close as one likes: what is lower relative to t at `from`, where both are highest.
    pub(super) fn or_line(self, limit: Rational, constant: Interval, from: &Rational) -> Self {
        let bits = constant.bits();
        let at_from = |slope: &Rational, constant: &Interval| {
            let rest = constant.div(&Interval::from_rational(from, bits));
            Interval::from_rational(slope, bits).add(&rest)
        };
        let tail = at_from(&limit, &constant);
        let known = at_from(&self.slope, &self.constant);
        let (slope, constant) = if tail.hi() < known.hi() {
            (limit.clone(), constant)
        } else {
            (self.slope, self.constant)
        };
        Self {
            slope,
            constant,
            limit,
        }
    }

    /// From the order `from` ≥ 1 on. A bounded loss bounds D_t ≤ D_∞; for noise with Gaussian tails D_t ≤ tμ²/2, also after
    /// subsampling, and then D_t ≤ tμ²/2 − g by Minkowski's inequality, g = −log(r + (1 − r)·e^{−(from − 1)μ²/2}) (`proofs/README.md`,
    /// Rényi). `None` if there is no such line.
    pub(super) fn of(
        base: &Base,
        direction: Direction,
        from: &Rational,
        bits: u32,
    ) -> Option<Self> {
        let zero = || Interval::zero(bits);
        let bounded = Self::bounded;
        let half = |square: Rational| Self::line(square / 2u32, zero());
        Some(match (base, direction) {
            (Base::Gaussian(square), _) => half(square.clone()),
            (Base::DiscreteGaussian(variance, shift), _) => half(lattice::square(variance, *shift)),
            (Base::Sampled(pair), Direction::Remove) => {
                let lift = Rational::from(from - 1) * &pair.square / 2u32;
                let lift = Interval::from_rational(&lift, bits);
                let lifted = Softplus::new(&pair.rate, bits).log(&lift);
                Self::line(Rational::from(&pair.square / 2u32), lifted.sub(&lift))
            }
            (Base::Sampled(pair), Direction::Add) => {
                bounded(Softplus::new(&pair.rate, bits).floor().neg())
            }
            (Base::Laplace(epsilon), _) => bounded(Interval::from_rational(epsilon, bits)),
            (Base::SampledLaplace(pair), _) => bounded(pair.largest_loss(direction, bits)),
            (Base::Finite(law), _) => bounded(finite::largest_loss(law, direction, bits)?),
            (Base::Shifted(pair), _) => {
                let (limit, constant) = pair.tail_line(direction, bits)?;
                half(pair.half_farthest() * 2u32).or_line(limit, constant, from)
            }
            (Base::Mixed(pair), _) => pair.growth(direction, from, bits)?,
            (Base::Skellam(pair), _) => {
                let (slope, constant) = pair.line(from, bits);
                Self {
                    limit: Rational::new(),
                    ..Self::line(slope, constant)
                }
            }
            (Base::GaussianSum(pair), _) => {
                let (slope, constant) = pair.line();
                Self::line(slope, Interval::from_rational(&constant, bits))
            }
            (Base::Closed(pair), _) => bounded(largest_loss(pair, direction, bits)?),
            (Base::Labelled(parts), _) => parts.growth(direction, from, bits)?,
            (Base::Stated(stated), _) => Self::line(stated.rho()?, zero()),
            (Base::Batch(batch), _) => batch.most().growth(direction, from, bits)?.without_limit(),
            (Base::AtMost(bound), _) => bound.growth(direction, from, bits)?,
        })
    }

    /// A line above both, and the higher limit.
    pub(super) fn or_higher(self, other: Self) -> Self {
        Self {
            slope: self.slope.max(other.slope),
            constant: self.constant.max(&other.constant),
            limit: self.limit.max(other.limit),
        }
    }

    pub(super) fn times(self, times: &Integer) -> Self {
        let bits = self.constant.bits();
        Self {
            slope: self.slope * times,
            constant: self.constant.mul(&Interval::from_integer(times, bits)),
            limit: self.limit * times,
        }
    }

    pub(super) fn add(self, other: &Self) -> Self {
        Self {
            slope: self.slope + &other.slope,
            constant: self.constant.add(&other.constant),
            limit: self.limit + &other.limit,
        }
    }
}
/// The largest loss of a pair in one direction; `None` if there is none, or mass at ∞.
fn largest_loss(pair: &ClosedPair, direction: Direction, bits: u32) -> Option<Interval> {
    let stated = pair.profile()?;
    let profile = match direction {
        Direction::Remove => stated,
        Direction::Add => stated.swapped(),
    };
    let LossBound::Finite { value, .. } = profile.max_loss(bits) else {
        return None;
    };
    (profile.exact_infinite_mass()? == 0).then_some(value)
}

#[cfg(test)]
#[path = "growth_tests.rs"]
mod tests;
