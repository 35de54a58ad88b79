//! `exponential`: one of several candidates, chosen by its score.

use super::selection::ScoreRange;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::Selection;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::steps::{Conditions, Step, Steps};

/// The exponential mechanism: candidate i is chosen with probability proportional to e^{η·scoreᵢ}.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exponential {
    range: ScoreRange,
}

impl Exponential {
    /// `epsilon ≥ 0`, or `eta > 0` and `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(range: ScoreRange) -> Result<Self, OutOfRange> {
        Ok(Self {
            range: range.checked()?,
        })
    }

    /// How much a record can move the scores.
    pub fn range(&self) -> &ScoreRange {
        &self.range
    }
}

impl Describe for Exponential {
    fn words(&self) -> String {
        format!("exponential mechanism {}", self.range.words())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        self.range.parameters()
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let epsilon = self.range.under(relation)?;
        if epsilon.is_zero() {
            return Ok(Steps::nothing());
        }
        let step = Step::Closed(Selection::new(epsilon).into());
        Ok(Steps::one(step, Conditions::NONE))
    }
}
