//! `skellam`: the difference of two Poisson variables as noise on the integers.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// The difference of two Poisson variables with the same mean (Agarwal, Kairouz and Liu 2021, arXiv 2110.04995), on a whole number.
///
/// Under secure aggregation the sum of such noise of several parties is such noise again, and the means add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skellam {
    mean: Rational,
    sensitivity: Sensitivity<u64>,
}

impl Skellam {
    /// `mean > 0` of each of the two, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        mean: Rational,
        sensitivity: impl Into<Sensitivity<u64>>,
    ) -> Result<Self, OutOfRange> {
        Ok(Self {
            mean: Domain::Positive.check("mean", mean)?,
            sensitivity: sensitivity.into().checked()?,
        })
    }

    /// Mean of each of the two: half the variance of the noise.
    pub fn mean(&self) -> &Rational {
        &self.mean
    }

    /// Integer sensitivity of the query.
    pub fn sensitivity(&self) -> &Sensitivity<u64> {
        &self.sensitivity
    }
}

impl Describe for Skellam {
    fn words(&self) -> String {
        format!(
            "Skellam noise, Poisson mean {}{}",
            short(&self.mean),
            self.sensitivity.words()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("mean", Parameter::Number(&self.mean)),
            self.sensitivity.entry(),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let distance = self.sensitivity.under(relation)?;
        Ok(Steps::one(
            Step::skellam(&self.mean, distance),
            Conditions::NONE,
        ))
    }
}
