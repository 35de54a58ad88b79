//! Mixtures of one noise law at several shifts: a record that takes part with some probability, several records at once, one record instead of another.
//!
//! Without the record P = Σⱼ qⱼ·N(−wⱼ), with it Q = Σᵢ pᵢ·N(+vᵢ), all shifts ≥ 0, for a noise law N with a log-concave density or mass
//! function: the likelihood ratio increases along the line, so that every δ(u) is attained by a threshold (`proofs/README.md`, N3).
//! The pair of any mixtures of shifts in R^d is dominated, at every u, by the pair of their norms (N1), and each norm only adds to δ.

mod discrete_noise;
mod gaussian;
mod gaussian_sum;
mod integers;
mod laplace;
mod skellam;

use std::sync::Arc;

use rug::Rational;

use crate::kernel::Profile;
use crate::kernel::{Interval, LossBound};
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::laplace::Laplace;

pub use discrete_noise::{DiscreteGaussianNoise, DiscreteLaplaceNoise, IntegerNoise};
pub use gaussian::GaussianMixtures;
pub use gaussian_sum::GaussianSumNoise;
pub use integers::IntegerMixtures;
pub use laplace::{LaplaceMixtures, Piece};
pub use skellam::SkellamNoise;

/// A pair of mixtures of shifted noise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShiftedNoise {
    noise: Noise,
    without: Shifts,
    with: Shifts,
}

/// The law of the noise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Noise {
    /// N(0, 1); a shift of 1 stands for μ.
    Gaussian {
        /// μ² ≥ 0.
        unit_squared: Rational,
    },
    /// Density e^{−|x|}/2; a shift of 1 stands for the distance of the query over the scale of the noise.
    Laplace {
        /// ≥ 0.
        unit: Rational,
    },
    /// Mass ∝ e^{−k²/(2σ²)} on the integers; all shifts are whole.
    DiscreteGaussian {
        /// σ > 0.
        sigma: Rational,
        /// How far a shift of 1 goes, at least 1.
        unit: u64,
    },
    /// Mass ∝ e^{−|k|/scale} on the integers; all shifts are whole.
    DiscreteLaplace {
        /// Scale of the noise, above 0.
        scale: Rational,
        /// How far a shift of 1 goes, at least 1.
        unit: u64,
    },
    /// The sum of noise of mass ∝ e^{−k²/(2σ²)} of several parties; all shifts are whole.
    GaussianSum {
        /// σ > 0 of each party.
        sigma: Rational,
        /// How many add noise, at least 2.
        parties: u64,
        /// How far a shift of 1 goes, at least 1.
        unit: u64,
    },
    /// The difference of two Poisson variables; all shifts are whole.
    Skellam {
        /// Mean of each of the two, above 0.
        mean: Rational,
        /// How far a shift of 1 goes, at least 1.
        unit: u64,
    },
}

/// Shifts ≥ 0, strictly increasing, with weights > 0 that add up to 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shifts(Vec<(Rational, Rational)>);

impl Shifts {
    /// The law with these weights on these shifts; equal shifts are taken together, weights of 0 left out.
    ///
    /// # Errors
    /// If a shift or a weight is negative, or the weights do not add up to 1.
    pub fn new(mut list: Vec<(Rational, Rational)>) -> Result<Self, OutOfRange> {
        for (index, (shift, weight)) in list.iter().enumerate() {
            if *shift < 0 {
                return Err(OutOfRange::new("shifts", "must be at least 0").at(index));
            }
            if *weight < 0 {
                return Err(OutOfRange::new("weights", "must be at least 0").at(index));
            }
        }
        let total: Rational = list.iter().map(|(_, weight)| weight).sum();
        if total != 1 {
            return Err(OutOfRange::new("weights", "must add up to 1")
                .help("write them as fractions, for instance \"1/3\""));
        }
        list.retain(|(_, weight)| *weight > 0);
        list.sort_unstable();
        list.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        Ok(Self(list))
    }

    /// No shift at all.
    pub fn none() -> Self {
        Self(vec![(Rational::new(), Rational::from(1))])
    }

    /// A shift of 1 with this probability.
    ///
    /// Requires: `rate` in [0, 1].
    pub fn sampled(rate: &Rational) -> Self {
        let all = [(0, Rational::from(1 - rate)), (1, rate.clone())];
        let taken = all.into_iter().filter(|(_, weight)| *weight > 0);
        Self(
            taken
                .map(|(shift, weight)| (Rational::from(shift), weight))
                .collect(),
        )
    }

    /// The same shifts, and none with the rest of the probability: the record takes part at this rate.
    ///
    /// Requires: `rate` in [0, 1].
    #[must_use]
    pub fn thinned(&self, rate: &Rational) -> Self {
        let mut absent = Rational::from(1 - rate);
        let mut list = Vec::with_capacity(self.0.len().saturating_add(1));
        for (shift, weight) in &self.0 {
            let weight = Rational::from(weight * rate);
            if *shift == 0 {
                absent += weight;
            } else if weight > 0 {
                list.push((shift.clone(), weight));
            }
        }
        if absent > 0 {
            list.insert(0, (Rational::new(), absent));
        }
        Self(list)
    }

    /// The shifts with their weights.
    pub fn list(&self) -> &[(Rational, Rational)] {
        &self.0
    }

    /// The smallest shift.
    pub fn least(&self) -> Rational {
        self.0
            .first()
            .map(|(shift, _)| shift.clone())
            .unwrap_or_default()
    }

    /// The largest shift.
    pub fn most(&self) -> Rational {
        self.0
            .last()
            .map(|(shift, _)| shift.clone())
            .unwrap_or_default()
    }

    /// The infimum of the likelihood ratio of this law, upwards, against that one, downwards, where it is approached far down and known for noise with tails
    /// lighter than any exponential: the part that is not shifted outlives the others.
    fn infimum_against(&self, without: &Self) -> Option<Rational> {
        (self.least() == 0 && without.most() == 0).then(|| self.weight_of_least())
    }

    /// The probability of the smallest shift.
    fn weight_of_least(&self) -> Rational {
        self.0
            .first()
            .map(|(_, weight)| weight.clone())
            .unwrap_or_default()
    }
}

/// See [`ShiftedNoise::rate_of_replaced`].
fn rate_of_replaced<'a>(without: &Shifts, with: &'a Shifts) -> Option<&'a Rational> {
    match with.list() {
        [(zero, _), (one, rate)] if *zero == 0 && *one == 1 && with == without => Some(rate),
        _ => None,
    }
}

impl ShiftedNoise {
    /// The pair.
    pub fn new(noise: Noise, without: Shifts, with: Shifts) -> Self {
        Self {
            noise,
            without,
            with,
        }
    }

    /// The law of the noise.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// How far P is shifted downwards.
    pub fn without(&self) -> &Shifts {
        &self.without
    }

    /// How far Q is shifted upwards.
    pub fn with(&self) -> &Shifts {
        &self.with
    }

    /// Is the pair the same in both orders?
    pub fn is_symmetric(&self) -> bool {
        self.without == self.with
    }

    /// The rate at which one record takes part, if the pair is that of a record that is replaced.
    pub fn rate_of_replaced(&self) -> Option<&Rational> {
        rate_of_replaced(&self.without, &self.with)
    }

    /// The privacy profile; `None` beyond the size limits of noise on the integers.
    pub fn profile(&self) -> Option<Arc<dyn Profile>> {
        let (without, with) = (self.without.clone(), self.with.clone());
        Some(match &self.noise {
            Noise::Gaussian { unit_squared } => {
                Arc::new(GaussianMixtures::new(unit_squared.clone(), without, with))
            }
            Noise::Laplace { unit } => match (without.list(), with.list()) {
                ([(down, _)], [(up, _)]) => {
                    Arc::new(Laplace::new(Rational::from(down + up) * unit))
                }
                _ => Arc::new(LaplaceMixtures::new(unit.clone(), without, with)),
            },
            Noise::DiscreteGaussian { sigma, unit } => {
                let noise = DiscreteGaussianNoise::new(sigma)?;
                Arc::new(IntegerMixtures::new(noise, *unit, &without, &with)?)
            }
            Noise::DiscreteLaplace { scale, unit } => {
                let noise = DiscreteLaplaceNoise::new(scale);
                Arc::new(IntegerMixtures::new(noise, *unit, &without, &with)?)
            }
            Noise::GaussianSum {
                sigma,
                parties,
                unit,
            } => {
                let noise = GaussianSumNoise::new(sigma, *parties)?;
                Arc::new(IntegerMixtures::new(noise, *unit, &without, &with)?)
            }
            Noise::Skellam { mean, unit } => {
                let noise = SkellamNoise::new(mean)?;
                Arc::new(IntegerMixtures::new(noise, *unit, &without, &with)?)
            }
        })
    }

    /// The noise, if the pair is pure noise that a record moves by one unit.
    pub fn single(&self) -> Option<&Noise> {
        let is_one = *self.with.list() == [(Rational::from(1), Rational::from(1))];
        (is_one && self.without == Shifts::none()).then_some(&self.noise)
    }

    /// The shift of the noise law that certainly dominates: both ends at their farthest.
    pub fn farthest(&self) -> Rational {
        self.with.most() + self.without.most()
    }

    /// A lower bound of how far the tails are apart, in either order.
    ///
    /// The tail of Q is at least a positive multiple of that of its farthest part, the tail of P at most that of its nearest part; and in the
    /// other order likewise. Of one pair: those of several steps add up only where all are of the same order.
    pub fn tails_apart(&self) -> Rational {
        let stated = self.with.most() + self.without.least();
        let swapped = self.without.most() + self.with.least();
        stated.max(swapped)
    }
}

/// The loss log u, which is approached; none at all if there is no u.
fn log_bound(u: Option<Rational>, bits: u32) -> LossBound {
    match u {
        Some(u) => LossBound::Finite {
            value: Interval::from_rational(&u, bits).ln(),
            exact: (u == 1).then(Rational::new),
        },
        None => LossBound::Unbounded,
    }
}

#[cfg(test)]
mod limits_tests;
#[cfg(test)]
mod tests;
