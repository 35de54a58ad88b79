//! `discrete-gaussian`: Gaussian noise on the integers.

use rug::Rational;

use super::laplace::per;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::mechanism::steps::{Assumptions, Step, Steps};
use crate::number::short;

/// Noise on the integers with mass ∝ exp(−k²/(2 sigma²)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteGaussian {
    sigma: Rational,
    sensitivity: u64,
}

impl DiscreteGaussian {
    /// `sigma > 0`, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(sigma: Rational, sensitivity: u64) -> Result<Self, OutOfRange> {
        Ok(Self {
            sigma: Domain::Positive.check("sigma", sigma)?,
            sensitivity: at_least("sensitivity", 1, sensitivity)?,
        })
    }

    /// The parameter σ (close to, not equal to, the standard deviation).
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// Integer sensitivity of the query.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }
}

impl Describe for DiscreteGaussian {
    fn words(&self) -> String {
        let sensitivity = Rational::from(self.sensitivity);
        format!(
            "discrete Gaussian σ = {}{}",
            short(&self.sigma),
            per(&sensitivity)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("sigma", Parameter::Number(&self.sigma)),
            ("sensitivity", Parameter::Whole(self.sensitivity)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let step = Step::DiscreteGaussian {
            sigma: self.sigma.clone(),
            sensitivity: self.sensitivity,
        };
        Ok(Steps::one(step, Assumptions::NONE))
    }
}
