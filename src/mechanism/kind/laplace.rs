//! `laplace`: additive Laplace noise.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// Additive Laplace noise; only ε₀ = sensitivity/scale matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laplace {
    scale: Rational,
    sensitivity: Sensitivity,
}

impl Laplace {
    /// Noise of density exp(−|x|/b)/(2b), b = `scale > 0`, on a query of `sensitivity > 0`, or of
    /// records with a bound.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(scale: Rational, sensitivity: impl Into<Sensitivity>) -> Result<Self, OutOfRange> {
        Ok(Self {
            scale: Domain::Positive.check("scale", scale)?,
            sensitivity: sensitivity.into().checked()?,
        })
    }

    /// Scale b of the noise density exp(−|x|/b)/(2b).
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// How far the query moves.
    pub fn sensitivity(&self) -> &Sensitivity {
        &self.sensitivity
    }
}

impl Describe for Laplace {
    fn words(&self) -> String {
        format!(
            "Laplace b = {}{}",
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
        let epsilon = self.sensitivity.under(relation)? / &self.scale;
        Ok(Steps::one(
            Step::Laplace { epsilon },
            Conditions::REAL_NOISE,
        ))
    }
}
