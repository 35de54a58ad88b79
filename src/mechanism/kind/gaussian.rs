//! `gaussian`: additive Gaussian noise.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};
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
        /// How far the query moves, above 0.
        sensitivity: Sensitivity,
    },
    /// By μ² > 0, which is rational also where σ is not.
    MuSquared(Rational),
}

impl Gaussian {
    /// Noise of standard deviation `sigma > 0` on a query of `sensitivity > 0`, or of records with a bound.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(sigma: Rational, sensitivity: impl Into<Sensitivity>) -> Result<Self, OutOfRange> {
        let stated = GaussianNoise::Sigma {
            sigma: Domain::Positive.check("sigma", sigma)?,
            sensitivity: sensitivity.into().checked()?,
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

    /// (c/σ)², where this is noise on a sum of records of norm at most c, and on no other query.
    pub(crate) fn of_sum(&self) -> Option<Rational> {
        match &self.stated {
            GaussianNoise::Sigma {
                sigma,
                sensitivity: Sensitivity::RecordBound(bound),
            } => Some(Rational::from(bound / sigma).square()),
            GaussianNoise::Sigma {
                sensitivity: Sensitivity::OfQuery(_),
                ..
            }
            | GaussianNoise::MuSquared(_) => None,
        }
    }

    /// μ² = (distance/σ)², for the distance that the query moves.
    ///
    /// Ensures: exact, above 0.
    ///
    /// # Errors
    /// If the distance does not follow from what is stated.
    pub fn mu_squared(&self, relation: Relation) -> Result<Rational, OutOfRange> {
        match (&self.stated, relation) {
            (GaussianNoise::Sigma { sigma, sensitivity }, _) => {
                Ok((sensitivity.under(relation)? / sigma).square())
            }
            (
                GaussianNoise::MuSquared(mu_squared),
                Relation::Presence | Relation::ReplaceSpecial,
            ) => Ok(mu_squared.clone()),
            (GaussianNoise::MuSquared(_), Relation::ReplaceOne) => Err(OutOfRange::sentence(
                "adjacency",
                "`mu-squared` does not say what a replaced record does",
            )
            .help("state `sigma` and `record-bound`, the most that one record contributes")),
        }
    }
}

impl Describe for Gaussian {
    fn words(&self) -> String {
        match &self.stated {
            GaussianNoise::Sigma { sigma, sensitivity } => {
                format!("Gaussian σ = {}{}", short(sigma), sensitivity.words())
            }
            GaussianNoise::MuSquared(mu_squared) => {
                format!("Gaussian μ² = {}", short(mu_squared))
            }
        }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        match &self.stated {
            GaussianNoise::Sigma { sigma, sensitivity } => {
                vec![("sigma", Parameter::Number(sigma)), sensitivity.entry()]
            }
            GaussianNoise::MuSquared(mu_squared) => {
                vec![("mu-squared", Parameter::Number(mu_squared))]
            }
        }
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let mu_squared = self.mu_squared(relation)?;
        Ok(Steps::one(
            Step::Gaussian { mu_squared },
            Conditions::REAL_NOISE,
        ))
    }
}
