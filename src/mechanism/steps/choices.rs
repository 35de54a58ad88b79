//! The largest loss of runs of choices by score, whatever is known of their profiles.

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::{Step, Steps};
use crate::kernel::Interval;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::epsilon::Epsilon;

/// Bits of a sum of logarithms.
const BITS: u32 = 512;
/// Bits of the largest e^Σε that is written out.
const MOST_BITS: u64 = 1 << 16;

/// Σ ε over all runs.
#[derive(Debug, Clone)]
pub(crate) struct LargestLoss {
    /// The sum.
    pub value: Interval,
    /// The sum itself: a number, or the logarithm of one.
    pub exact: Option<Epsilon>,
}

impl Steps {
    /// The largest loss of runs of exponential mechanisms and of permute-and-flip, Σ ε, k of them where the best k are released; `None` of anything else.
    ///
    /// Each run is ε-DP, and of two candidates, the first chosen with a probability near 0 without the record, its loss is as near to ε as is wanted
    /// (`proofs/README.md`, J1). The same dataset with the first and the second candidate changed over has it in the other order.
    /// The best k are k such runs, to which large datasets come as near as is wanted ([`crate::mechanism::closed::TopSelections`]).
    pub(crate) fn largest_loss_of_choices(&self) -> Option<LargestLoss> {
        let runs = self.list().iter().map(|(step, times)| {
            let Step::Closed(pair) = step else {
                return None;
            };
            let (epsilon, runs) = one_choice(pair)?;
            Some((epsilon, Integer::from(runs) * *times))
        });
        Some(LargestLoss::sum(runs.collect::<Option<Vec<_>>>()?))
    }
}

impl LargestLoss {
    /// Σ ε, each so many times.
    pub(crate) fn sum(of: impl IntoIterator<Item = (Epsilon, Integer)>) -> Self {
        let (mut value, mut number) = (Interval::zero(BITS), Rational::new());
        let mut odds = Some(Rational::from(1));
        for (epsilon, times) in of {
            let count = Interval::from_integer(&times, BITS);
            value = value.add(&epsilon.enclose(BITS).mul(&count));
            match (epsilon.exact(), epsilon.exact_exp()) {
                (Some(each), _) => number += each * &times,
                (None, Some(each)) => odds = odds.and_then(|odds| power(&each, &times, odds)),
                (None, None) => odds = None,
            }
        }
        let exact = match odds {
            Some(odds) if odds == 1 => Some(Epsilon::from(number)),
            Some(odds) if number == 0 => Epsilon::log_of(odds).ok(),
            Some(_) | None => None,
        };
        Self { value, exact }
    }
}

impl Steps {
    /// Are all steps runs of exponential mechanisms?
    pub(crate) fn is_of_exponential_mechanisms(&self) -> bool {
        self.list()
            .iter()
            .all(|(step, _)| matches!(step, Step::Closed(ClosedPair::Selection(_))))
    }

    /// Are there choices by score that reveal more in one order than in another? Equal steps are counted together.
    pub(super) fn has_order(&self) -> bool {
        let is_choice = |step: &Step| {
            matches!(
                step,
                Step::Closed(ClosedPair::Selection(_) | ClosedPair::TopSelections(_))
            )
        };
        self.list()
            .iter()
            .filter(|(step, _)| is_choice(step))
            .count()
            > 1
    }
}

/// ε of a run, and how many there are in this one.
fn one_choice(pair: &ClosedPair) -> Option<(Epsilon, u64)> {
    let (one, runs) = pair.as_runs().unwrap_or_else(|| (pair.clone(), 1));
    match one {
        ClosedPair::Selection(one) => Some((one.epsilon().clone(), runs)),
        ClosedPair::NoisyMax(one) => Some((one.epsilon().clone(), runs)),
        ClosedPair::TopSelections(top) => Some((top.epsilon().clone(), top.k().checked_mul(runs)?)),
        ClosedPair::Envelope(_)
        | ClosedPair::InformativeLabel(_)
        | ClosedPair::RatesByLabel(_)
        | ClosedPair::FixedBatches(_)
        | ClosedPair::Outcomes(_)
        | ClosedPair::Allocation(_)
        | ClosedPair::Chained(_)
        | ClosedPair::ShuffledAnswers(_)
        | ClosedPair::AdaptiveSelections(_) => None,
    }
}

/// start·u^times; `None` if it is too long.
fn power(u: &Rational, times: &Integer, start: Rational) -> Option<Rational> {
    let size = u64::from(
        u.numer()
            .significant_bits()
            .max(u.denom().significant_bits()),
    );
    let long = Integer::from(size) * times > MOST_BITS;
    let times = times.to_u32().filter(|_| !long)?;
    let found = start * Rational::from(u.pow(times));
    let size = u64::from(found.numer().significant_bits());
    (size <= MOST_BITS).then_some(found)
}
