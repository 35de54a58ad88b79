//! Pairs whose privacy profile is certified and that need nothing else of their own: everything beyond the profile, a composition,
//! an estimate, a sample, is made from it.
//!
//! A new pair is one more file and one more line in the list below.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use rug::Rational;

use super::adjacency::Direction;
#[cfg(feature = "certificates")]
use super::epsilon::Epsilon;
#[cfg(feature = "certificates")]
use super::steps::Step;
use super::steps::Steps;
use crate::kernel::{Interval, Profile};

mod allocation;
mod chained;
mod envelope;
mod fixed_batches;
mod informative_label;
mod outcomes;
mod rates_by_label;
mod selection;
mod shuffled_answers;
mod special;

pub use allocation::Allocation;
pub use chained::Chained;
pub use envelope::{Envelope, Largest};
pub use fixed_batches::{Answers, FixedBatches, Replaced};
pub use informative_label::{InformativeLabel, LabelledPart};
pub use outcomes::{Outcomes, OutcomesOf};
pub use rates_by_label::RatesByLabel;
pub use selection::{AdaptiveSelections, NoisyMax, Selection, TopSelections};
pub use shuffled_answers::ShuffledAnswers;

/// What every such pair says of itself.
///
/// Two equal values have the same pair.
pub trait Closed: fmt::Debug + Eq + Hash {
    /// The privacy profile; `None` beyond [`Closed::limits`].
    fn profile(&self) -> Option<Arc<dyn Profile>>;

    /// Up to which sizes the profile is built, as a sentence without a full stop.
    fn limits(&self) -> &'static str;

    /// D_t of Q from P for [`Direction::Remove`], of P from Q for [`Direction::Add`], at any order t > 0; `None` where it is not built.
    fn renyi_divergence(
        &self,
        _order: &Rational,
        _direction: Direction,
        _bits: u32,
    ) -> Option<Interval> {
        None
    }

    /// Does [`Closed::renyi_divergence`] enclose as narrowly as is asked for?
    fn is_renyi_exact(&self) -> bool {
        true
    }

    /// Steps whose product dominates the pair at every u, for what is built of them only.
    fn dominated_by(&self) -> Option<Steps> {
        None
    }

    /// The square of strict μ*, where the pair is below a Gaussian of that μ and its tails are those of it.
    fn strict_mu_squared(&self) -> Option<Rational> {
        None
    }

    /// Is the pair only the largest of those of many datasets, the worst of which is not the same at every ε?
    ///
    /// Then the profile is that of one run, but a composition of the pair is only a bound, above [`Closed::members`].
    fn is_of_no_dataset(&self) -> bool {
        false
    }

    /// Is it a run of a selection by score, or several of them?
    fn is_selection(&self) -> bool {
        false
    }

    /// What some datasets attain in `times` runs, where the pair is that of none.
    fn members(&self, _times: u64) -> Vec<Steps> {
        Vec::new()
    }

    /// A pair that is at most the largest of those of many adversaries in `times` runs, and of no single one.
    fn adversaries(&self, _times: u64) -> Option<ClosedPair> {
        None
    }

    /// The pair of `times` runs in one, where that is exact.
    fn of_runs(&self, _times: u64) -> Option<ClosedPair> {
        None
    }

    /// The pair of which this one is so many runs.
    fn as_runs(&self) -> Option<(ClosedPair, u64)> {
        None
    }

    /// Profiles, each with a count, whose product bounds `times` ≥ 2 adaptive runs and is below so many copies of the pair.
    fn powers(&self, _times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
        None
    }

    /// The pair where `records` records change together.
    fn of_group(&self, _records: u64) -> Option<ClosedPair> {
        None
    }

    /// The least μ with G_μ ≤ f on all of [0, 1]; `None` where it is not known.
    fn strict_mu(&self, _bits: u32) -> Option<Interval> {
        None
    }
}

macro_rules! delegate {
    ($self:ident, $($pair:ident)*, $one:ident => $call:expr) => {
        match $self {
            $(Self::$pair($one) => $call,)*
        }
    };
}

macro_rules! pairs {
    ($($pair:ident,)*) => {
        /// A pair with a certified profile and no step of its own.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum ClosedPair {
            $(#[doc = concat!("See [`", stringify!($pair), "`].")] $pair($pair),)*
        }

        impl ClosedPair {
            /// See [`Closed::profile`].
            pub fn profile(&self) -> Option<Arc<dyn Profile>> {
                match self {
                    $(Self::$pair(one) => one.profile(),)*
                }
            }

            /// See [`Closed::limits`].
            pub fn limits(&self) -> &'static str {
                match self {
                    $(Self::$pair(one) => one.limits(),)*
                }
            }

            /// See [`Closed::renyi_divergence`].
            pub fn renyi_divergence(
                &self,
                order: &Rational,
                direction: Direction,
                bits: u32,
            ) -> Option<Interval> {
                match self {
                    $(Self::$pair(one) => one.renyi_divergence(order, direction, bits),)*
                }
            }

            /// See [`Closed::strict_mu_squared`].
            pub fn strict_mu_squared(&self) -> Option<Rational> {
                match self {
                    $(Self::$pair(one) => one.strict_mu_squared(),)*
                }
            }

            /// See [`Closed::dominated_by`].
            pub fn dominated_by(&self) -> Option<Steps> {
                match self {
                    $(Self::$pair(one) => one.dominated_by(),)*
                }
            }

            /// See [`Closed::is_renyi_exact`].
            pub fn is_renyi_exact(&self) -> bool {
                delegate!(self, $($pair)*, one => one.is_renyi_exact())
            }

            /// See [`Closed::is_of_no_dataset`].
            pub fn is_of_no_dataset(&self) -> bool {
                delegate!(self, $($pair)*, one => one.is_of_no_dataset())
            }

            /// See [`Closed::is_selection`].
            pub(super) fn is_selection(&self) -> bool {
                delegate!(self, $($pair)*, one => one.is_selection())
            }

            /// See [`Closed::members`].
            pub(super) fn members(&self, times: u64) -> Vec<Steps> {
                delegate!(self, $($pair)*, one => one.members(times))
            }

            /// See [`Closed::adversaries`].
            pub(super) fn adversaries(&self, times: u64) -> Option<ClosedPair> {
                delegate!(self, $($pair)*, one => one.adversaries(times))
            }

            /// See [`Closed::of_runs`].
            pub(super) fn of_runs(&self, times: u64) -> Option<ClosedPair> {
                delegate!(self, $($pair)*, one => one.of_runs(times))
            }

            /// See [`Closed::as_runs`].
            pub(super) fn as_runs(&self) -> Option<(ClosedPair, u64)> {
                delegate!(self, $($pair)*, one => one.as_runs())
            }

            /// See [`Closed::powers`].
            pub fn powers(&self, times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
                delegate!(self, $($pair)*, one => one.powers(times))
            }

            /// See [`Closed::of_group`].
            pub(super) fn of_group(&self, records: u64) -> Option<ClosedPair> {
                delegate!(self, $($pair)*, one => one.of_group(records))
            }

            /// See [`Closed::strict_mu`].
            pub fn strict_mu(&self, bits: u32) -> Option<Interval> {
                delegate!(self, $($pair)*, one => one.strict_mu(bits))
            }
        }

        $(impl From<$pair> for ClosedPair {
            fn from(one: $pair) -> Self {
                Self::$pair(one)
            }
        })*
    };
}

pairs! {
    Envelope,
    InformativeLabel,
    RatesByLabel,
    FixedBatches,
    Outcomes,
    Allocation,
    Chained,
    Selection,
    AdaptiveSelections,
    NoisyMax,
    TopSelections,
    ShuffledAnswers,
}

#[cfg(feature = "certificates")]
impl ClosedPair {
    /// Choices by score: one run, and how often it runs at the most.
    pub(crate) fn as_choices(&self) -> Option<(Self, u64)> {
        match self {
            Self::Selection(_) => Some(self.as_runs().unwrap_or_else(|| (self.clone(), 1))),
            Self::NoisyMax(_) => Some((self.clone(), 1)),
            Self::TopSelections(top) => Some((top.run().into(), top.k())),
            Self::Envelope(_)
            | Self::InformativeLabel(_)
            | Self::RatesByLabel(_)
            | Self::FixedBatches(_)
            | Self::Outcomes(_)
            | Self::Allocation(_)
            | Self::Chained(_)
            | Self::ShuffledAnswers(_)
            | Self::AdaptiveSelections(_) => None,
        }
    }

    /// Above the largest of all datasets of shuffled answers, and one of them, where it is that: in so many runs.
    pub(crate) fn around_answers(&self, times: u64) -> Option<(Steps, Steps)> {
        match self {
            Self::ShuffledAnswers(answers) => {
                let above = Steps::composed([(&answers.dominated_by()?, times)]).ok()?;
                Some((above, answers.members(times).into_iter().next()?))
            }
            Self::Envelope(_)
            | Self::InformativeLabel(_)
            | Self::RatesByLabel(_)
            | Self::FixedBatches(_)
            | Self::Outcomes(_)
            | Self::Allocation(_)
            | Self::Chained(_)
            | Self::Selection(_)
            | Self::NoisyMax(_)
            | Self::TopSelections(_)
            | Self::AdaptiveSelections(_) => None,
        }
    }

    /// ε of one run of the exponential mechanism.
    pub(crate) fn exponential(&self) -> Option<&Epsilon> {
        let Self::Selection(one) = self else {
            return None;
        };
        self.as_runs().is_none().then(|| one.epsilon())
    }

    /// Two candidates of one run of the exponential mechanism, the loss of the first being this share of ε, and what names them.
    pub(crate) fn dataset_of(&self, share: &Rational) -> Option<(Vec<Rational>, Step)> {
        let Self::Selection(one) = self else {
            return None;
        };
        let step = one.candidates_of(share)?;
        let (p, q) = step.two_outcomes()?;
        Some((vec![q.clone(), p.clone()], step))
    }

    /// The pair among those of [`Self::datasets`] that has nearly the largest divergence of this order, where that is known.
    pub(crate) fn dataset_at(&self, order: &Rational) -> Option<(Vec<Rational>, Step)> {
        let Self::Selection(one) = self else {
            return None;
        };
        let step = one.candidates_at(order)?;
        let (p, q) = step.two_outcomes()?;
        Some((vec![q.clone(), p.clone()], step))
    }

    /// Some pairs that single datasets have in one run, where this one is that of none: two probabilities (with the record first) of one of two
    /// candidates, or the place of the pair in the list that this one is the largest of.
    pub(crate) fn datasets(&self) -> Vec<(Vec<Rational>, Step)> {
        let tests = |steps: Vec<Step>| {
            let named = steps.into_iter().filter_map(|step| {
                let (p, q) = step.two_outcomes()?;
                Some((vec![q.clone(), p.clone()], step))
            });
            named.collect()
        };
        match self {
            Self::Selection(one) => tests(one.candidates()),
            Self::NoisyMax(one) => tests(one.candidates()),
            Self::Envelope(all) => (0u32..)
                .zip(all.of())
                .filter_map(|(place, one)| {
                    Some((vec![Rational::from(place)], one.single()?.clone()))
                })
                .collect(),
            Self::FixedBatches(_) => self
                .members(1)
                .iter()
                .filter_map(|one| Some((vec![Rational::new()], one.single()?.clone())))
                .collect(),
            Self::TopSelections(_)
            | Self::InformativeLabel(_)
            | Self::RatesByLabel(_)
            | Self::Outcomes(_)
            | Self::Allocation(_)
            | Self::Chained(_)
            | Self::ShuffledAnswers(_)
            | Self::AdaptiveSelections(_) => Vec::new(),
        }
    }
}
