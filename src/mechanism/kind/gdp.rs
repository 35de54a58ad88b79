//! `gdp`: all that is known is μ-GDP.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// Every mechanism that is μ-GDP. The Gaussian one dominates them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gdp {
    mu: Rational,
}

impl Gdp {
    /// `mu ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(mu: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            mu: Domain::NonNegative.check("mu", mu)?,
        })
    }

    /// |μ|, for a μ that is known to be at least 0.
    pub(crate) fn of_magnitude(mu: &Rational) -> Self {
        Self {
            mu: mu.clone().abs(),
        }
    }

    /// The normal form.
    pub(crate) fn one_step(&self) -> Steps {
        let mu_squared = self.mu.clone().square();
        Steps::one(Step::Gaussian { mu_squared }, Conditions::GUARANTEE)
    }

    /// μ.
    pub fn mu(&self) -> &Rational {
        &self.mu
    }
}

impl Describe for Gdp {
    fn words(&self) -> String {
        format!("any {}-GDP mechanism", short(&self.mu))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("mu", Parameter::Number(&self.mu))]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        Ok(self.one_step())
    }
}
