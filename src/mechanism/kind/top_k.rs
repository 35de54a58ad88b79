//! `top-k`: the best k candidates by noisy score, in order.

use super::selection::ScoreRange;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::{Selection, TopSelections};
use crate::mechanism::domain::{OutOfRange, at_least};
use crate::mechanism::steps::Steps;

/// Gumbel noise is added once to η·score of every candidate, and the k largest are released in order: k exponential mechanisms, each without the
/// candidates chosen before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopK {
    range: ScoreRange,
    k: u64,
}

impl TopK {
    /// `k ≥ 1`; `epsilon ≥ 0` of one choice, or `eta > 0` and `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(range: ScoreRange, k: u64) -> Result<Self, OutOfRange> {
        Ok(Self {
            range: range.checked()?,
            k: at_least("k", 1, k)?,
        })
    }

    /// How much a record can move the scores.
    pub fn range(&self) -> &ScoreRange {
        &self.range
    }

    /// How many candidates are released.
    pub fn k(&self) -> u64 {
        self.k
    }
}

impl Describe for TopK {
    fn words(&self) -> String {
        format!(
            "top {} with Gumbel noise, {} each",
            self.k,
            self.range.words()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut parameters = self.range.parameters();
        parameters.push(("k", Parameter::Whole(self.k)));
        parameters
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        if self.k == 1 {
            return self
                .range
                .steps(relation, |epsilon| Selection::new(epsilon).into());
        }
        let epsilon = self.range.under(relation)?;
        if epsilon.is_zero() {
            return Ok(Steps::nothing());
        }
        Ok(TopSelections::new(epsilon, self.k).steps())
    }
}
