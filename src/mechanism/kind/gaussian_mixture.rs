//! `gaussian-mixture`: Gaussian noise on a query that moves by one of several distances.

use std::sync::Arc;

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// N(0, σ²) without the record, Σ wᵢ·N(sᵢ, σ²) with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaussianMixture {
    sigma: Rational,
    shifts: Vec<Rational>,
    weights: Vec<Rational>,
}

impl GaussianMixture {
    /// `sigma > 0`; as many `shifts ≥ 0` as `weights ≥ 0`, which add up to exactly 1.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        sigma: Rational,
        shifts: Vec<Rational>,
        weights: Vec<Rational>,
    ) -> Result<Self, OutOfRange> {
        if shifts.len() != weights.len() {
            let message = format!(
                "`shifts` and `weights` must have the same length, but have {} and {} entries",
                shifts.len(),
                weights.len()
            );
            return Err(OutOfRange::sentence("weights", message));
        }
        let this = Self {
            sigma: Domain::Positive.check("sigma", sigma)?,
            shifts,
            weights,
        };
        this.law().map(|_| this)
    }

    /// Standard deviation of the noise.
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// The distances.
    pub fn shifts(&self) -> &[Rational] {
        &self.shifts
    }

    /// Their probabilities.
    pub fn weights(&self) -> &[Rational] {
        &self.weights
    }

    fn law(&self) -> Result<Shifts, OutOfRange> {
        let both = self
            .shifts
            .iter()
            .cloned()
            .zip(self.weights.iter().cloned());
        Shifts::new(both.collect())
    }
}

impl Describe for GaussianMixture {
    fn words(&self) -> String {
        format!(
            "Gaussian σ = {}, {} shifts up to {}",
            short(&self.sigma),
            self.shifts.len(),
            self.shifts.iter().max().map(short).unwrap_or_default()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("sigma", Parameter::Number(&self.sigma)),
            ("shifts", Parameter::List(&self.shifts)),
            ("weights", Parameter::List(&self.weights)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let unit_squared = self.sigma.clone().square().recip();
        let pair = ShiftedNoise::new(
            Noise::Gaussian { unit_squared },
            Shifts::none(),
            self.law()?,
        );
        Ok(Steps::one(
            Step::Shifted(Arc::new(pair)),
            Conditions::REAL_NOISE,
        ))
    }
}
