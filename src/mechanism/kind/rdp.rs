//! `rdp`: all that is known are Rényi guarantees at some orders.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::{Conditions, Step, Steps};

/// Every mechanism with these Rényi guarantees: D_t ≤ ε for each (t, ε).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rdp {
    orders: Vec<(Rational, Rational)>,
}

impl Rdp {
    /// Pairs (order > 1, ε ≥ 0), at least one.
    ///
    /// # Errors
    /// If a number is out of its range, or there is none.
    pub fn new(orders: Vec<(Rational, Rational)>) -> Result<Self, OutOfRange> {
        if orders.is_empty() {
            return Err(OutOfRange::new("orders", "must not be empty"));
        }
        for (order, epsilon) in &orders {
            Domain::AboveOne.hold("order", order)?;
            Domain::NonNegative.hold("epsilon", epsilon)?;
        }
        Ok(Self { orders })
    }

    /// The pairs (order, ε).
    pub fn orders(&self) -> &[(Rational, Rational)] {
        &self.orders
    }
}

impl Describe for Rdp {
    fn words(&self) -> String {
        format!("any mechanism with {} Rényi guarantees", self.orders.len())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("orders", Parameter::Pairs(&self.orders))]
    }

    /// A divergence of 0, at whatever order, is one of equal laws, of which all are 0 (van Erven and Harremoës 2014, Theorem 8).
    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        if self.orders.iter().any(|(_, epsilon)| *epsilon == 0) {
            let rho = Rational::new();
            return Ok(Steps::one(Step::Zcdp { rho }, Conditions::GUARANTEE));
        }
        let orders = self.orders.as_slice().into();
        Ok(Steps::one(Step::Rdp { orders }, Conditions::GUARANTEE))
    }
}
