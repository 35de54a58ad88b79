//! `laplace`: additive Laplace noise.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Assumptions, Step, Steps};
use crate::number::short;

/// Additive Laplace noise; only ε₀ = sensitivity/scale matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laplace {
    scale: Rational,
    sensitivity: Rational,
}

impl Laplace {
    /// Noise of density exp(−|x|/b)/(2b), b = `scale > 0`, on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(scale: Rational, sensitivity: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            scale: Domain::Positive.check("scale", scale)?,
            sensitivity: Domain::Positive.check("sensitivity", sensitivity)?,
        })
    }

    /// Scale b of the noise density exp(−|x|/b)/(2b).
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// Sensitivity of the query.
    pub fn sensitivity(&self) -> &Rational {
        &self.sensitivity
    }
}

impl Describe for Laplace {
    fn words(&self) -> String {
        format!(
            "Laplace b = {}{}",
            short(&self.scale),
            per(&self.sensitivity)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("scale", Parameter::Number(&self.scale)),
            ("sensitivity", Parameter::Number(&self.sensitivity)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let epsilon = Rational::from(&self.sensitivity / &self.scale);
        Ok(Steps::one(
            Step::Laplace { epsilon },
            Assumptions::REAL_NOISE,
        ))
    }
}

/// ", sensitivity 2"; nothing for 1.
pub(super) fn per(sensitivity: &Rational) -> String {
    if *sensitivity == 1 {
        String::new()
    } else {
        format!(", sensitivity {}", short(sensitivity))
    }
}
