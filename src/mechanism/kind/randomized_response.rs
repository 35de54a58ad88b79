//! `randomized-response`: the truth, or one of the other answers.

use super::{Describe, Parameter, entry_of};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{OutOfRange, at_least};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};

/// k-ary randomised response: the truth with odds e^ε against each other answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomizedResponse {
    epsilon: Epsilon,
    k: u64,
}

impl RandomizedResponse {
    /// `epsilon ≥ 0`, `k ≥ 2` answers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(epsilon: Epsilon, k: u64) -> Result<Self, OutOfRange> {
        Ok(Self {
            epsilon: epsilon.non_negative()?,
            k: at_least("k", 2, k)?,
        })
    }

    /// ε.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Number of answers.
    pub fn k(&self) -> u64 {
        self.k
    }
}

impl Describe for RandomizedResponse {
    fn words(&self) -> String {
        format!(
            "randomised response ε = {}, {} answers",
            self.epsilon.words(),
            self.k
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![entry_of(&self.epsilon), ("k", Parameter::Whole(self.k))]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let (epsilon, k) = (self.epsilon.clone(), self.k);
        let (losses, conditions) = match relation {
            Relation::Presence | Relation::ReplaceOne => (
                FiniteLosses::RandomizedResponse { epsilon, k },
                Conditions::NONE,
            ),
            // A record that contributes nothing is answered for by noise alone.
            Relation::ReplaceSpecial => (
                FiniteLosses::ResponseOrUniform { epsilon, k },
                Conditions::SPECIAL_RESPONSES,
            ),
        };
        Ok(Steps::one(Step::finite(losses), conditions))
    }
}
