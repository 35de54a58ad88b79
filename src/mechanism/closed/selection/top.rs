//! The best k of one run: noise is drawn once, and the k candidates with the largest noisy scores are released in order.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::{LIMITS, Selection, many_candidates, two_candidates};
use crate::kernel::{Interval, Profile};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::closed::Closed;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, Step, Steps};

/// A bound of the best k with Gumbel noise: k adaptive runs of the exponential mechanism, each without the candidates chosen before, have the same law
/// (Durfee and Rogers 2019), and are at most what any k adaptive runs reveal.
///
/// Large datasets come as near as wanted to k runs with two candidates each: two kinds of candidates, N of each with the same score, of which the record
/// moves one kind. Which kinds are chosen is k draws without putting back, and those tend to k draws with the same odds as N grows.
///
/// Requires: ε > 0, k ≥ 2.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopSelections {
    run: Selection,
    k: u64,
}

/// Up to so many choices the first one of them is looked at alone, too: at a small δ it has other odds than several.
const FEW: u64 = 2;

/// Up to so many choices many odds are looked at.
const SEVERAL: u64 = 12;

impl TopSelections {
    /// Requires: ε > 0, `k ≥ 2`.
    pub fn new(epsilon: Epsilon, k: u64) -> Self {
        Self {
            run: Selection::new(epsilon),
            k,
        }
    }

    /// One run.
    #[cfg(feature = "certificates")]
    pub(in crate::mechanism::closed) fn run(&self) -> Selection {
        self.run.clone()
    }

    /// ε of one run.
    pub(in crate::mechanism) fn epsilon(&self) -> &Epsilon {
        self.run.epsilon()
    }

    /// How many are chosen.
    pub(in crate::mechanism) fn k(&self) -> u64 {
        self.k
    }

    /// Runs with two candidates each that large datasets approach, for `times` of these mechanisms.
    fn runs(&self, times: u64) -> u64 {
        self.k.saturating_mul(times)
    }

    /// The steps of one such mechanism: this bound, and what is attained.
    pub(crate) fn steps(self) -> Steps {
        let mut members = match self.k <= SEVERAL {
            true => many_candidates(self.run.epsilon(), self.k),
            false => self.members(1),
        };
        if self.k <= FEW {
            let one = Step::Closed(self.run.clone().into());
            members.push(Steps::one(one, Conditions::NONE));
        }
        let most = Steps::one(Step::Closed(self.into()), Conditions::NONE);
        Steps::between(members, most)
    }
}

impl Closed for TopSelections {
    /// The bound, where one table is enough.
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        match self.run.powers(self.k)?.as_slice() {
            [(only, 1)] => Some(Arc::clone(only)),
            _ => None,
        }
    }

    fn limits(&self) -> &'static str {
        LIMITS
    }

    fn renyi_divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Option<Interval> {
        let one = self.run.renyi_divergence(order, direction, bits)?;
        Some(one.mul(&Interval::from_integer(&Integer::from(self.k), bits)))
    }

    fn is_selection(&self) -> bool {
        true
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        two_candidates(self.run.epsilon(), self.runs(times))
    }

    fn powers(&self, times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
        let runs = self.k.checked_mul(times)?;
        let copies = || Some(vec![(self.run.profile()?, runs)]);
        self.run.powers(runs).or_else(copies)
    }
}

#[cfg(test)]
#[path = "top_tests.rs"]
mod tests;
