//! `discrete-laplace`: Laplace noise on the integers.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::short;

/// Noise on the integers with mass ∝ exp(−|k|/scale).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteLaplace {
    scale: Rational,
    sensitivity: Sensitivity<u64>,
}

impl DiscreteLaplace {
    /// `scale > 0`, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        scale: Rational,
        sensitivity: impl Into<Sensitivity<u64>>,
    ) -> Result<Self, OutOfRange> {
        Ok(Self {
            scale: Domain::Positive.check("scale", scale)?,
            sensitivity: sensitivity.into().checked()?,
        })
    }

    /// Scale of the noise.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// Integer sensitivity of the query.
    pub fn sensitivity(&self) -> &Sensitivity<u64> {
        &self.sensitivity
    }
}

impl Describe for DiscreteLaplace {
    fn words(&self) -> String {
        format!(
            "discrete Laplace b = {}{}",
            short(&self.scale),
            self.sensitivity.words()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("scale", Parameter::Number(&self.scale)),
            self.sensitivity.entry(),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let losses = FiniteLosses::DiscreteLaplace {
            scale: self.scale.clone(),
            sensitivity: self.sensitivity.under(relation)?,
        };
        Ok(Steps::one(Step::finite(losses), Conditions::NONE))
    }
}
