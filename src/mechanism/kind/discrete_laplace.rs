//! `discrete-laplace`: Laplace noise on the integers.

use rug::Rational;

use super::laplace::per;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::mechanism::steps::{Assumptions, FiniteLosses, Step, Steps};
use crate::number::short;

/// Noise on the integers with mass ∝ exp(−|k|/scale).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteLaplace {
    scale: Rational,
    sensitivity: u64,
}

impl DiscreteLaplace {
    /// `scale > 0`, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(scale: Rational, sensitivity: u64) -> Result<Self, OutOfRange> {
        Ok(Self {
            scale: Domain::Positive.check("scale", scale)?,
            sensitivity: at_least("sensitivity", 1, sensitivity)?,
        })
    }

    /// Scale of the noise.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// Integer sensitivity of the query.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }
}

impl Describe for DiscreteLaplace {
    fn words(&self) -> String {
        let sensitivity = Rational::from(self.sensitivity);
        format!(
            "discrete Laplace b = {}{}",
            short(&self.scale),
            per(&sensitivity)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("scale", Parameter::Number(&self.scale)),
            ("sensitivity", Parameter::Whole(self.sensitivity)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let losses = FiniteLosses::DiscreteLaplace {
            scale: self.scale.clone(),
            sensitivity: self.sensitivity,
        };
        Ok(Steps::one(Step::finite(losses), Assumptions::NONE))
    }
}
