//! `discrete-gaussian`: Gaussian noise on the integers.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// Noise on the integers with mass ∝ exp(−k²/(2 sigma²)), added by one party or by each of several.
///
/// Under secure aggregation only the sum of the noise of all parties is seen, which is no discrete Gaussian (Kairouz, Liu and Steinke 2021, arXiv 2102.06387).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteGaussian {
    sigma: Rational,
    parties: u64,
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
            parties: 1,
            sensitivity: sensitivity.into().checked()?,
        })
    }

    /// The same where each of `parties ≥ 1` adds such noise, and what is released is the sum.
    ///
    /// # Errors
    /// If `parties` is 0.
    pub fn of_parties(self, parties: u64) -> Result<Self, OutOfRange> {
        at_least("parties", 1, parties)?;
        Ok(Self { parties, ..self })
    }

    /// How many add noise of this sigma.
    pub fn parties(&self) -> u64 {
        self.parties
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
        let parties = match self.parties {
            1 => String::new(),
            // Whichever records are drawn: a sample of fewer parties has no less noise.
            parties => format!(" from all of {parties} parties"),
        };
        format!(
            "discrete Gaussian σ = {}{parties}{}",
            short(&self.sigma),
            self.sensitivity.words()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut all = vec![("sigma", Parameter::Number(&self.sigma))];
        if self.parties > 1 {
            all.push(("parties", Parameter::Whole(self.parties)));
        }
        all.push(self.sensitivity.entry());
        all
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let sensitivity = self.sensitivity.under(relation)?;
        let step = match self.parties {
            1 => Step::DiscreteGaussian {
                sigma: self.sigma.clone(),
                sensitivity,
            },
            parties => Step::gaussian_sum(&self.sigma, parties, sensitivity),
        };
        Ok(Steps::one(step, Conditions::NONE))
    }
}
