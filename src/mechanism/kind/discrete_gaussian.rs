//! `discrete-gaussian`: Gaussian noise on the integers.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// Noise on the integers with mass ∝ exp(−k²/(2 sigma²)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteGaussian {
    sigma: Rational,
    sensitivity: Sensitivity<u64>,
}

impl DiscreteGaussian {
    /// `sigma > 0`, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        sigma: Rational,
        sensitivity: impl Into<Sensitivity<u64>>,
    ) -> Result<Self, OutOfRange> {
        Ok(Self {
            sigma: Domain::Positive.check("sigma", sigma)?,
            sensitivity: sensitivity.into().checked()?,
        })
    }

    /// The parameter σ (close to, not equal to, the standard deviation).
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// Integer sensitivity of the query.
    pub fn sensitivity(&self) -> &Sensitivity<u64> {
        &self.sensitivity
    }
}

impl Describe for DiscreteGaussian {
    fn words(&self) -> String {
        format!(
            "discrete Gaussian σ = {}{}",
            short(&self.sigma),
            self.sensitivity.words()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("sigma", Parameter::Number(&self.sigma)),
            self.sensitivity.entry(),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let step = Step::DiscreteGaussian {
            sigma: self.sigma.clone(),
            sensitivity: self.sensitivity.under(relation)?,
        };
        Ok(Steps::one(step, Conditions::NONE))
    }
}
