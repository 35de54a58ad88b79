//! One step of a mechanism: a pair whose privacy profile is known, or a class of pairs.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rug::Rational;

use super::allocation::scores::Scores;
use super::batches::{OppositeOthers, PickedOthers, largest_answer};
use super::closed::ClosedPair;
use super::discrete_gaussian::DiscreteGaussian;
use super::epsilon::Epsilon;
use super::finite::{FiniteLaw, FiniteProfile};
use super::gaussian::Gaussian;
use super::labelled::Labelled;
use super::laplace::Laplace;
use super::release::Release;
use super::renyi_class::RenyiClass;
use super::shifted::{Noise, ShiftedNoise, Shifts};
use super::shuffled::ShuffledBound;
use super::steps::Steps;
use super::subsampled::subsampled;
use super::{
    approx_dp, discrete_laplace, finite_pair, points, randomized_response, truncated_geometric,
};
use crate::kernel::{Profile, is_late};

/// A step of a mechanism.
///
/// Two steps that are equal have the same pair; two that differ may have the same pair, too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// N(0, 1) against N(μ, 1).
    Gaussian {
        /// μ² ≥ 0.
        mu_squared: Rational,
    },
    /// Laplace noise with the largest loss ε₀.
    Laplace {
        /// ε₀ ≥ 0.
        epsilon: Rational,
    },
    /// Discrete Gaussian noise.
    DiscreteGaussian {
        /// σ > 0.
        sigma: Rational,
        /// The whole number by which it is shifted, at least 1.
        sensitivity: u64,
    },
    /// A pair whose loss takes finitely many values.
    Finite(Arc<FiniteStep>),
    /// Every mechanism that is ρ-zCDP.
    Zcdp {
        /// ρ ≥ 0.
        rho: Rational,
    },
    /// Every mechanism with these Rényi guarantees.
    Rdp {
        /// Pairs (order > 1, ε ≥ 0), at least one.
        orders: Arc<[(Rational, Rational)]>,
    },
    /// Steps on a Poisson sample.
    Sampled(Arc<SampledStep>),
    /// Mixtures of shifted noise.
    Shifted(Arc<ShiftedNoise>),
    /// A mixture whose output says which part it came from: weights > 0 that add up to 1, at least two parts.
    Labelled(Arc<Vec<(Rational, Steps)>>),
    /// A pair of which nothing but the profile is used.
    Closed(ClosedPair),
}

/// How a pair with finitely many losses is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FiniteLosses {
    /// k-ary randomised response.
    RandomizedResponse {
        /// ε ≥ 0.
        epsilon: Epsilon,
        /// Number of answers, at least 2.
        k: u64,
    },
    /// k-ary randomised response against an answer that is uniform over all k.
    ResponseOrUniform {
        /// ε ≥ 0.
        epsilon: Epsilon,
        /// Number of answers, at least 2.
        k: u64,
    },
    /// The pair that dominates all (ε, δ)-DP mechanisms.
    ApproxDp {
        /// ε ≥ 0.
        epsilon: Epsilon,
        /// δ in [0, 1].
        delta: Rational,
    },
    /// Laplace noise on the integers.
    DiscreteLaplace {
        /// Scale of the noise, above 0.
        scale: Rational,
        /// Whole sensitivity, at least 1.
        sensitivity: u64,
    },
    /// The same, but the noise ends.
    TruncatedGeometric {
        /// Scale of the noise, above 0.
        scale: Rational,
        /// Its largest value.
        last: u64,
        /// Whole sensitivity, at least 1.
        sensitivity: u64,
    },
    /// Two probability vectors.
    Pair {
        /// Without the record.
        p: Arc<[Rational]>,
        /// With it.
        q: Arc<[Rational]>,
    },
    /// What the largest of several answers with Gaussian noise reveals, one of which is moved by so much, or by 2 with the record.
    LargestAnswer {
        /// Standard deviation of the noise, above 0.
        sigma: Rational,
        /// How many answers there are, at least 1.
        answers: u64,
        /// How far one of them is moved without the record: 0 or 1.
        without: u32,
    },
    /// Below what is learned from all answers of an epoch of random allocation.
    Scores(Scores),
    /// Below what is learned from several batches of fixed size where the other records are picked after each answer.
    PickedOthers(PickedOthers),
    /// Below what is learned from one batch of fixed size where a special record replaces one, and all others are the opposite of that one.
    OppositeOthers(OppositeOthers),
    /// A key that is in one of the two datasets only, and released where its noisy count passes a threshold.
    NewKey {
        /// When.
        release: Release,
        /// Is it in the dataset with the record? Otherwise in the one without it.
        with_record: bool,
    },
    /// Two outcomes that stand for others: sums over their compositions are enclosed, not made exactly.
    TwoOutcomes {
        /// Probability of the first without the record, in (0, 1).
        p: Rational,
        /// With it, in (0, 1).
        q: Rational,
    },
    /// The pair that dominates all mechanisms with these points of a profile.
    Points {
        /// Pairs (ε, δ).
        points: Arc<[(Epsilon, Rational)]>,
    },
    /// Above or below shuffled reports.
    Shuffled(Arc<ShuffledBound>),
}

/// A pair with finitely many losses; its law is made when it is first needed.
#[derive(Debug)]
pub struct FiniteStep {
    losses: FiniteLosses,
    law: LazyLaw,
}

/// Steps on a Poisson sample.
#[derive(Debug)]
pub struct SampledStep {
    rate: Rational,
    of: Arc<Steps>,
    law: LazyLaw,
}

type LazyLaw = OnceLock<Option<Arc<FiniteLaw>>>;

impl FiniteStep {
    /// How the pair is given.
    pub fn losses(&self) -> &FiniteLosses {
        &self.losses
    }

    /// The law of the loss; `None` beyond the size limits of a kind, and where the time ends before it is made.
    pub fn law(&self) -> Option<&Arc<FiniteLaw>> {
        if let Some(known) = self.law.get() {
            return known.as_ref();
        }
        let made = self.losses.law();
        if made.is_none() && is_late() {
            return None;
        }
        self.law.get_or_init(|| made).as_ref()
    }
}

impl PartialEq for FiniteStep {
    fn eq(&self, other: &Self) -> bool {
        self.losses == other.losses
    }
}

impl Eq for FiniteStep {}

impl Hash for FiniteStep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.losses.hash(state);
    }
}

impl Step {
    /// Does it tell nothing, by one outcome that is certain?
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Self::Finite(one) if matches!(one.losses(), FiniteLosses::Pair { p, q } if p.len() == 1 && q.len() == 1))
    }
}

#[cfg(feature = "certificates")]
impl Step {
    /// The probabilities of the first of two outcomes, without the record and with it.
    pub(crate) fn two_outcomes(&self) -> Option<(&Rational, &Rational)> {
        if let Self::Finite(one) = self
            && let FiniteLosses::TwoOutcomes { p, q } = one.losses()
        {
            return Some((p, q));
        }
        None
    }

    /// The pair, if nothing but its profile is used.
    #[cfg(feature = "certificates")]
    pub(crate) fn as_closed(&self) -> Option<&ClosedPair> {
        match self {
            Self::Closed(pair) => Some(pair),
            Self::Gaussian { .. } | Self::Laplace { .. } | Self::DiscreteGaussian { .. } => None,
            Self::Finite(_) | Self::Zcdp { .. } | Self::Rdp { .. } => None,
            Self::Sampled(_) | Self::Shifted(_) | Self::Labelled(_) => None,
        }
    }

    /// σ, the number of answers and how far they are moved without the record, if the largest answer of an epoch is seen.
    #[cfg(feature = "certificates")]
    pub(crate) fn largest_answer(&self) -> Option<(&Rational, u64, u32)> {
        if let Self::Finite(one) = self
            && let FiniteLosses::LargestAnswer {
                sigma,
                answers,
                without,
            } = one.losses()
        {
            return Some((sigma, *answers, *without));
        }
        None
    }
}

impl FiniteLosses {
    fn law(&self) -> Option<Arc<FiniteLaw>> {
        let law = match self {
            Self::RandomizedResponse { epsilon, k } => randomized_response::law(epsilon, *k),
            Self::ResponseOrUniform { epsilon, k } => {
                randomized_response::against_uniform(epsilon, *k)
            }
            Self::ApproxDp { epsilon, delta } => approx_dp::law(epsilon, delta),
            Self::DiscreteLaplace { scale, sensitivity } => {
                discrete_laplace::law(scale, *sensitivity)
            }
            Self::TruncatedGeometric {
                scale,
                last,
                sensitivity,
            } => truncated_geometric::law(scale, *last, *sensitivity),
            Self::Pair { p, q } => finite_pair::law(p, q),
            Self::TwoOutcomes { p, q } => finite_pair::two_outcomes(p, q),
            Self::LargestAnswer {
                sigma,
                answers,
                without,
            } => {
                let (p, q) = largest_answer(sigma, *answers, *without, 2);
                finite_pair::law(&p, &q)
            }
            Self::Scores(scores) => {
                let (p, q) = scores.pair()?;
                finite_pair::law(&p, &q)
            }
            Self::PickedOthers(others) => {
                let (p, q) = others.pair();
                finite_pair::law(&p, &q)
            }
            Self::OppositeOthers(others) => {
                let (p, q) = others.pair();
                finite_pair::law(&p, &q)
            }
            Self::Points { points } => points::law(points),
            Self::NewKey {
                release,
                with_record,
            } => release.law(*with_record),
            Self::Shuffled(bound) => {
                let (p, q) = bound.pair()?;
                finite_pair::law(&p, &q)
            }
        };
        law.map(Arc::new)
    }
}

impl SampledStep {
    /// Requires: 0 < rate < 1.
    pub(super) fn new(rate: Rational, of: Arc<Steps>) -> Self {
        Self {
            rate,
            of,
            law: OnceLock::new(),
        }
    }

    /// Probability that a record takes part, in (0, 1).
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// What runs on the sample: no single sampled step.
    pub fn of(&self) -> &Arc<Steps> {
        &self.of
    }

    /// μ² of the noise, if nothing but Gaussian noise is added to the sample.
    pub fn mu_squared(&self) -> Option<&Rational> {
        match self.of.single() {
            Some(Step::Gaussian { mu_squared }) => Some(mu_squared),
            _ => None,
        }
    }

    /// The law of the loss, if one step with finitely many losses runs on the sample.
    pub fn law(&self) -> Option<&Arc<FiniteLaw>> {
        if let Some(known) = self.law.get() {
            return known.as_ref();
        }
        let of = match self.of.single() {
            Some(Step::Finite(one)) => one.law(),
            _ => None,
        };
        let made = of.and_then(|law| law.subsampled(&self.rate).map(Arc::new));
        if made.is_none() && is_late() {
            return None;
        }
        self.law.get_or_init(|| made).as_ref()
    }
}

impl PartialEq for SampledStep {
    fn eq(&self, other: &Self) -> bool {
        self.rate == other.rate && self.of == other.of
    }
}

impl Eq for SampledStep {}

impl Hash for SampledStep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rate.hash(state);
        self.of.hash(state);
    }
}

impl Step {
    /// A pair with finitely many losses.
    pub(crate) fn finite(losses: FiniteLosses) -> Self {
        Self::Finite(Arc::new(FiniteStep {
            losses,
            law: OnceLock::new(),
        }))
    }

    /// Skellam noise that is moved by so much.
    pub(crate) fn skellam(mean: &Rational, unit: u64) -> Self {
        Self::moved(Noise::Skellam {
            mean: mean.clone(),
            unit,
        })
    }

    /// The sum of discrete Gaussian noise of several parties, moved by so much.
    pub(crate) fn gaussian_sum(sigma: &Rational, parties: u64, unit: u64) -> Self {
        Self::moved(Noise::GaussianSum {
            sigma: sigma.clone(),
            parties,
            unit,
        })
    }

    /// Noise moved by one unit.
    fn moved(noise: Noise) -> Self {
        let once = Shifts::sampled(&Rational::from(1));
        Self::Shifted(Arc::new(ShiftedNoise::new(noise, Shifts::none(), once)))
    }

    /// The noise of the pair between its two farthest shifts, which dominates the pair at every u (`proofs/README.md`, N1).
    ///
    /// `None` if that is a distance which noise on the integers cannot be shifted by.
    pub fn farthest(pair: &ShiftedNoise) -> Option<Self> {
        let shift = pair.farthest();
        let whole = |unit: u64| {
            let distance = Rational::from(&shift * unit);
            (distance > 0 && distance.is_integer()).then(|| distance.numer().to_u64())?
        };
        Some(match pair.noise() {
            Noise::Gaussian { unit_squared } => Self::Gaussian {
                mu_squared: shift.square() * unit_squared,
            },
            Noise::Laplace { unit } => Self::Laplace {
                epsilon: shift * unit,
            },
            Noise::DiscreteGaussian { sigma, unit } => Self::DiscreteGaussian {
                sigma: sigma.clone(),
                sensitivity: whole(*unit)?,
            },
            Noise::DiscreteLaplace { scale, unit } => Self::finite(FiniteLosses::DiscreteLaplace {
                scale: scale.clone(),
                sensitivity: whole(*unit)?,
            }),
            Noise::GaussianSum {
                sigma,
                parties,
                unit,
            } => Self::gaussian_sum(sigma, *parties, whole(*unit)?),
            Noise::Skellam { mean, unit } => Self::skellam(mean, whole(*unit)?),
        })
    }

    /// The law of the loss, if it takes finitely many values.
    pub fn finite_law(&self) -> Option<&Arc<FiniteLaw>> {
        match self {
            Self::Finite(step) => step.law(),
            Self::Sampled(step) => step.law(),
            Self::Gaussian { .. }
            | Self::Laplace { .. }
            | Self::DiscreteGaussian { .. }
            | Self::Zcdp { .. }
            | Self::Rdp { .. }
            | Self::Shifted(_)
            | Self::Labelled(_)
            | Self::Closed(_) => None,
        }
    }

    /// The profile of the pair; for a class that no single pair represents, the largest at every point. `None` beyond the size
    /// limits of a kind, and for a sample of a composition.
    pub fn profile(&self) -> Option<Arc<dyn Profile>> {
        if let Some(law) = self.finite_law() {
            return Some(Arc::new(FiniteProfile::new(Arc::clone(law))));
        }
        Some(match self {
            Self::Gaussian { mu_squared } => Arc::new(Gaussian::from_square(mu_squared.clone())),
            Self::Laplace { epsilon } => Arc::new(Laplace::new(epsilon.clone())),
            Self::DiscreteGaussian { sigma, sensitivity } => {
                Arc::new(DiscreteGaussian::new(sigma, *sensitivity)?)
            }
            Self::Finite(_) => return None,
            Self::Zcdp { rho } => Arc::new(RenyiClass::zcdp(rho)),
            Self::Rdp { orders } => Arc::new(RenyiClass::rdp(orders)?),
            Self::Sampled(step) => subsampled(&step.rate, step.of.single()?.profile()?),
            Self::Shifted(step) => step.profile()?,
            Self::Labelled(parts) => {
                let part = |(weight, of): &(Rational, Steps)| {
                    Some((weight.clone(), of.single()?.profile()?))
                };
                let parts = parts.iter().map(part).collect::<Option<_>>()?;
                Arc::new(Labelled::new(parts))
            }
            Self::Closed(pair) => pair.profile()?,
        })
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
