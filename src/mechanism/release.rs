//! The release of a noisy count that passes a threshold, of a key that is in one of two datasets only.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use rug::Rational;

use super::finite::{Atom, FiniteLaw, Loss, Mass};
use super::shifted::{DiscreteGaussianNoise, DiscreteLaplaceNoise, IntegerNoise};
use super::truncated_geometric::TruncatedGeometric;
use crate::kernel::{Interval, normal};

/// The noise of a count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountNoise {
    /// Density ∝ e^{−|x|/scale}.
    Laplace {
        /// Above 0.
        scale: Rational,
    },
    /// N(0, σ²).
    Gaussian {
        /// Above 0.
        sigma: Rational,
    },
    /// Mass ∝ e^{−|k|/scale} on the integers.
    DiscreteLaplace {
        /// Above 0.
        scale: Rational,
    },
    /// The same on the integers from −`last` to `last`.
    TruncatedGeometric {
        /// Above 0.
        scale: Rational,
        /// Where it ends.
        last: u64,
    },
    /// Mass ∝ e^{−k²/(2σ²)} on the integers, σ ≤ 20,000.
    DiscreteGaussian {
        /// Above 0.
        sigma: Rational,
    },
}

/// A count c with noise Z is released where it passes a threshold τ.
///
/// The place x is such that it is released if and only if Z > x for real noise, and Z ≥ x, a whole number, for noise on the integers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    noise: CountNoise,
    place: Rational,
    sums: Sums,
}

/// Sums of discrete Gaussian weights, made once for all copies of a release and all that is asked of it. They follow from the noise, so that
/// they have no part in what is equal.
#[derive(Debug, Clone)]
struct Sums(Option<DiscreteGaussianNoise>);

impl Sums {
    /// `None` for noise that needs none, and for a σ that is too large.
    fn of(noise: &CountNoise) -> Self {
        Self(match noise {
            CountNoise::DiscreteGaussian { sigma } => DiscreteGaussianNoise::new(sigma),
            CountNoise::Laplace { .. }
            | CountNoise::Gaussian { .. }
            | CountNoise::DiscreteLaplace { .. }
            | CountNoise::TruncatedGeometric { .. } => None,
        })
    }
}

impl PartialEq for Sums {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Sums {}

impl PartialOrd for Sums {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sums {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Sums {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Scales from the count beyond which a tail is only known to be smaller than there.
const FARTHEST: u32 = 10_000;
/// Bits of a bound of what is beyond.
const BITS_FAR_OUT: u32 = 64;

impl CountNoise {
    fn scale(&self) -> &Rational {
        match self {
            Self::Laplace { scale }
            | Self::DiscreteLaplace { scale }
            | Self::TruncatedGeometric { scale, .. } => scale,
            Self::Gaussian { sigma } | Self::DiscreteGaussian { sigma } => sigma,
        }
    }

    /// Is it on the integers?
    pub fn is_whole(&self) -> bool {
        matches!(
            self,
            Self::DiscreteLaplace { .. }
                | Self::TruncatedGeometric { .. }
                | Self::DiscreteGaussian { .. }
        )
    }
}

impl Release {
    /// Of a count `c` if c + Z > `threshold`, or ≥ where `at_threshold`. `None` for discrete Gaussian noise above σ = 20,000.
    ///
    /// For whole k: k > y is k ≥ ⌊y⌋ + 1, and k ≥ y is k ≥ ⌈y⌉. For real noise both have the same probability.
    ///
    /// Requires: `count` is whole if the noise is.
    pub fn new(
        noise: CountNoise,
        count: &Rational,
        threshold: &Rational,
        at_threshold: bool,
    ) -> Option<Self> {
        let sums = Sums::of(&noise);
        if matches!(noise, CountNoise::DiscreteGaussian { .. }) && sums.0.is_none() {
            return None;
        }
        let rest = Rational::from(threshold - count);
        let place = match (noise.is_whole(), at_threshold) {
            (false, _) => rest,
            (true, true) => rest.ceil(),
            (true, false) => rest.floor() + 1u32,
        };
        Some(Self { noise, place, sums })
    }

    /// δ₀, the probability of release.
    pub fn probability(&self, bits: u32) -> Interval {
        self.tail(&self.place, bits)
    }

    /// 1 − δ₀. The noise is symmetric: Z ≤ x is −Z ≥ −x, and Z < x is −Z ≥ 1 − x on the integers.
    pub fn rest(&self, bits: u32) -> Interval {
        let mirrored = match self.noise.is_whole() {
            true => Rational::from(1 - &self.place),
            false => Rational::from(-&self.place),
        };
        self.tail(&mirrored, bits)
    }

    /// Is δ₀ certainly 1, or 0? Noise that ends makes it so.
    fn is_certain(&self) -> Option<bool> {
        match &self.noise {
            CountNoise::TruncatedGeometric { last, .. } => {
                let is_always = self.place <= -Rational::from(*last);
                (is_always || self.place > *last).then_some(is_always)
            }
            CountNoise::Laplace { .. }
            | CountNoise::Gaussian { .. }
            | CountNoise::DiscreteLaplace { .. }
            | CountNoise::DiscreteGaussian { .. } => None,
        }
    }

    /// log(1 − δ₀), accurate also where δ₀ is small.
    pub fn log_of_rest(&self, bits: u32) -> Interval {
        if self.place > 0 {
            self.probability(bits).neg().ln_1p()
        } else {
            self.rest(bits).ln()
        }
    }

    /// P(Z > place) for real noise, P(Z ≥ place) for noise on the integers.
    fn tail(&self, place: &Rational, bits: u32) -> Interval {
        let farthest = Rational::from(self.noise.scale() * FARTHEST).ceil();
        // A bound of what is so small is one at a few bits too; at thousands it takes as long as what is known. The noise is symmetric.
        let beyond = || {
            let there = self.tail(&farthest, bits.min(BITS_FAR_OUT));
            Interval::zero(bits).hull(&there.at_bits(bits))
        };
        if *place > farthest {
            return beyond();
        }
        if *place < Rational::from(-&farthest) {
            return beyond().one_minus();
        }
        let work = bits.saturating_add(32);
        let whole = |of: &dyn Fn(i64) -> Interval| {
            let place = place.numer().to_i64();
            place.map_or_else(|| Interval::zero(work).hull(&Interval::one(work)), of)
        };
        let tail = match &self.noise {
            CountNoise::Laplace { scale } => {
                let far = Rational::from(place / scale).abs();
                let half = Interval::from_rational(&-far, work)
                    .exp()
                    .mul(&Interval::from_rational(&Rational::from((1, 2)), work));
                if *place >= 0 { half } else { half.one_minus() }
            }
            CountNoise::Gaussian { sigma } => normal::survival(&Interval::from_rational(
                &Rational::from(place / sigma),
                work,
            )),
            CountNoise::DiscreteLaplace { scale } => {
                let noise = DiscreteLaplaceNoise::new(scale);
                whole(&|k| noise.upper_tail(k, work))
            }
            CountNoise::TruncatedGeometric { scale, last } => {
                let noise = TruncatedGeometric::new(scale, *last);
                whole(&|k| noise.between(i128::from(k), i128::from(*last), work))
            }
            CountNoise::DiscreteGaussian { .. } => match &self.sums.0 {
                Some(noise) => whole(&|k| noise.upper_tail(k, work)),
                None => whole(&|_| Interval::zero(work).hull(&Interval::one(work))),
            },
        };
        tail.at_bits(bits).in_unit()
    }

    /// The pair of a key that is in the dataset with the record only: never released without it, with probability δ₀ with it. So the loss is +∞
    /// with probability δ₀ and log(1 − δ₀) otherwise; where it is released, what is released says no more.
    ///
    /// `with_record` false: the key is in the dataset without the record only, as that of the other record where one replaces another.
    ///
    /// δ(u) = max(δ₀, 1 − u), and the pair is attained: an empty dataset and a record with one key.
    pub fn law(&self, with_record: bool) -> Option<FiniteLaw> {
        let one = Mass::Exact(Rational::from(1));
        match self.is_certain() {
            // What is seen tells which dataset it is: each outcome is one of a single one.
            Some(true) => return FiniteLaw::new(Vec::new(), one.clone(), one),
            Some(false) => {
                let nothing = Atom {
                    loss: Loss::log_of(Rational::from(1)),
                    with: one.clone(),
                    without: one,
                };
                return FiniteLaw::new(vec![nothing], Mass::zero(), Mass::zero());
            }
            None => {}
        }
        let half = Rational::from((1, 2));
        let (released, rest, loss) = if !self.noise.is_whole() && self.place == 0 {
            let ratio = if with_record {
                half.clone()
            } else {
                Rational::from(2)
            };
            let mass = Mass::Exact(half);
            (mass.clone(), mass, Loss::log_of(ratio))
        } else {
            let (a, b) = (self.clone(), self.clone());
            (
                Mass::real(move |bits| a.probability(bits)),
                Mass::real(move |bits| b.rest(bits)),
                Loss::not_released(self, with_record),
            )
        };
        let (with, without) = if with_record {
            (rest, one)
        } else {
            (one, rest)
        };
        let atom = Atom {
            loss,
            with,
            without,
        };
        let (infinite, null_only) = if with_record {
            (released, Mass::zero())
        } else {
            (Mass::zero(), released)
        };
        FiniteLaw::new(vec![atom], infinite, null_only)
    }
}

#[cfg(test)]
#[path = "release_tests.rs"]
mod tests;
