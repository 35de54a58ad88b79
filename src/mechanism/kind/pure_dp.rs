//! `pure-dp`: all that is known is ε-DP.

use super::{Describe, Parameter, entry_of};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};

/// Every mechanism that is ε-DP. Randomised response between two answers dominates them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PureDp {
    epsilon: Epsilon,
}

impl PureDp {
    /// `epsilon ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(epsilon: Epsilon) -> Result<Self, OutOfRange> {
        Ok(Self {
            epsilon: epsilon.non_negative()?,
        })
    }

    /// ε.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }
}

impl Describe for PureDp {
    fn words(&self) -> String {
        format!("any {}-DP mechanism", self.epsilon.words())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![entry_of(&self.epsilon)]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        Ok(pure_dp(self.epsilon.clone()))
    }
}

/// All that is ε-DP.
///
/// Requires: `epsilon ≥ 0`.
pub(super) fn pure_dp(epsilon: Epsilon) -> Steps {
    let losses = FiniteLosses::RandomizedResponse { epsilon, k: 2 };
    Steps::one(Step::finite(losses), Conditions::GUARANTEE)
}
