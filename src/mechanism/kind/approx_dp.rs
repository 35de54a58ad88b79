//! `approx-dp`: all that is known is (ε, δ)-DP.

use rug::Rational;

use super::{Describe, Parameter, entry_of};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::short;

/// Every mechanism that is (ε, δ)-DP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApproxDp {
    epsilon: Epsilon,
    delta: Rational,
}

impl ApproxDp {
    /// `epsilon ≥ 0`, `delta` in [0, 1].
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(epsilon: Epsilon, delta: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            epsilon: epsilon.non_negative()?,
            delta: Domain::Unit.check("delta", delta)?,
        })
    }

    /// ε.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// δ.
    pub fn delta(&self) -> &Rational {
        &self.delta
    }
}

impl Describe for ApproxDp {
    fn words(&self) -> String {
        format!(
            "any ({}, {})-DP mechanism",
            self.epsilon.words(),
            short(&self.delta)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            entry_of(&self.epsilon),
            ("delta", Parameter::Number(&self.delta)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let losses = FiniteLosses::ApproxDp {
            epsilon: self.epsilon.clone(),
            delta: self.delta.clone(),
        };
        Ok(Steps::one(Step::finite(losses), Conditions::GUARANTEE))
    }
}
