//! `zcdp`: all that is known is ρ-zCDP.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Assumptions, Step, Steps};
use crate::number::short;

/// Every mechanism that is ρ-zCDP: every Rényi divergence of order t > 1 is at most ρt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zcdp {
    rho: Rational,
}

impl Zcdp {
    /// `rho ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(rho: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            rho: Domain::NonNegative.check("rho", rho)?,
        })
    }

    /// ρ.
    pub fn rho(&self) -> &Rational {
        &self.rho
    }
}

impl Describe for Zcdp {
    fn words(&self) -> String {
        format!("any {}-zCDP mechanism", short(&self.rho))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("rho", Parameter::Number(&self.rho))]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let rho = self.rho.clone();
        Ok(Steps::one(Step::Zcdp { rho }, Assumptions::GUARANTEE))
    }
}
