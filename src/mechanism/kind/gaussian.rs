//! `gaussian`: additive Gaussian noise.

use rug::Rational;

use super::laplace::per;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Assumptions, Step, Steps};
use crate::number::short;

/// Additive Gaussian noise; only μ = sensitivity/σ matters.
///
/// Two that are stated differently differ, although their normal forms may be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gaussian {
    stated: GaussianNoise,
}

/// How Gaussian noise is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GaussianNoise {
    /// By its standard deviation.
    Sigma {
        /// σ > 0.
        sigma: Rational,
        /// Sensitivity of the query, above 0.
        sensitivity: Rational,
    },
    /// By μ² > 0, which is rational also where σ is not.
    MuSquared(Rational),
}

impl Gaussian {
    /// Noise of standard deviation `sigma > 0` on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(sigma: Rational, sensitivity: Rational) -> Result<Self, OutOfRange> {
        let stated = GaussianNoise::Sigma {
            sigma: Domain::Positive.check("sigma", sigma)?,
            sensitivity: Domain::Positive.check("sensitivity", sensitivity)?,
        };
        Ok(Self { stated })
    }

    /// Noise with (sensitivity/σ)² = `mu_squared > 0`.
    ///
    /// # Errors
    /// If the number is out of its range.
    pub fn with_mu_squared(mu_squared: Rational) -> Result<Self, OutOfRange> {
        let mu_squared = Domain::Positive.check("mu-squared", mu_squared)?;
        Ok(Self {
            stated: GaussianNoise::MuSquared(mu_squared),
        })
    }

    /// How it was stated.
    pub fn stated(&self) -> &GaussianNoise {
        &self.stated
    }

    /// μ² = (sensitivity/σ)².
    ///
    /// Ensures: exact, above 0.
    pub fn mu_squared(&self) -> Rational {
        match &self.stated {
            GaussianNoise::Sigma { sigma, sensitivity } => {
                Rational::from(sensitivity / sigma).square()
            }
            GaussianNoise::MuSquared(mu_squared) => mu_squared.clone(),
        }
    }
}

impl Describe for Gaussian {
    fn words(&self) -> String {
        match &self.stated {
            GaussianNoise::Sigma { sigma, sensitivity } => {
                format!("Gaussian σ = {}{}", short(sigma), per(sensitivity))
            }
            GaussianNoise::MuSquared(mu_squared) => {
                format!("Gaussian μ² = {}", short(mu_squared))
            }
        }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        match &self.stated {
            GaussianNoise::Sigma { sigma, sensitivity } => vec![
                ("sigma", Parameter::Number(sigma)),
                ("sensitivity", Parameter::Number(sensitivity)),
            ],
            GaussianNoise::MuSquared(mu_squared) => {
                vec![("mu-squared", Parameter::Number(mu_squared))]
            }
        }
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let mu_squared = self.mu_squared();
        Ok(Steps::one(
            Step::Gaussian { mu_squared },
            Assumptions::REAL_NOISE,
        ))
    }
}
