//! The best k of one run: noise is drawn once, and the k candidates with the largest noisy scores are released in order.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::{LIMITS, Selection, two_candidates};
use crate::kernel::{Interval, Profile};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::closed::Closed;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, Step, Steps};

/// A bound of the best k with Gumbel noise: k adaptive runs of the exponential mechanism, each without the candidates chosen before, have the same law
/// (Durfee and Rogers 2019), and are at most what any k adaptive runs reveal.
///
/// Some datasets attain ⌈k/2⌉ runs with two candidates each: pairs of candidates whose scores are so far from those of the next pair that each pair is
/// chosen as a whole; of each pair, the order in which it comes tells as much as one run between the two.
///
/// Requires: ε > 0, k ≥ 2.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopSelections {
    run: Selection,
    k: u64,
}

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

    /// How many are chosen.
    #[cfg(feature = "certificates")]
    pub(in crate::mechanism::closed) fn k(&self) -> u64 {
        self.k
    }

    /// Runs with two candidates each that some datasets attain, for `times` of these mechanisms.
    fn pairs(&self, times: u64) -> u64 {
        self.k.div_ceil(2).saturating_mul(times)
    }

    /// The steps of one such mechanism: this bound, and what is attained.
    pub(crate) fn steps(self) -> Steps {
        let mut members = self.members(1);
        if self.pairs(1) == 1 {
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
        two_candidates(self.run.epsilon(), self.pairs(times))
    }

    fn powers(&self, times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
        let runs = self.k.checked_mul(times)?;
        let copies = || Some(vec![(self.run.profile()?, runs)]);
        self.run.powers(runs).or_else(copies)
    }
}
