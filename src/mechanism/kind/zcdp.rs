//! `zcdp`: all that is known is (ξ, ρ)-zCDP.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::kind::pure_dp::pure_dp;
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// Every mechanism that is (ξ, ρ)-zCDP: every Rényi divergence of order t > 1 is at most ξ + ρt (Bun and Steinke 2016, Definition 8.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zcdp {
    rho: Rational,
    xi: Rational,
}

impl Zcdp {
    /// `rho ≥ 0`, `xi ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(rho: Rational, xi: Rational) -> Result<Self, OutOfRange> {
        Ok(Self {
            rho: Domain::NonNegative.check("rho", rho)?,
            xi: Domain::NonNegative.check("xi", xi)?,
        })
    }

    /// ρ.
    pub fn rho(&self) -> &Rational {
        &self.rho
    }

    /// ξ.
    pub fn xi(&self) -> &Rational {
        &self.xi
    }
}

impl Describe for Zcdp {
    fn words(&self) -> String {
        let rho = short(&self.rho);
        if self.xi == 0 {
            format!("any {rho}-zCDP mechanism")
        } else {
            format!("any ({}, {rho})-zCDP mechanism", short(&self.xi))
        }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut parameters = vec![("rho", Parameter::Number(&self.rho))];
        if self.xi != 0 {
            parameters.push(("xi", Parameter::Number(&self.xi)));
        }
        parameters
    }

    /// With ξ > 0 every mechanism stated has the Rényi guarantees ξ + ρt at some orders, and the ρ-zCDP ones are among those stated. Those with ρ = 0 are
    /// those that are ξ-DP: D_t rises with t to the largest loss (van Erven and Harremoës 2014, Theorems 3 and 6).
    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let rho = self.rho.clone();
        let least = Steps::one(Step::Zcdp { rho }, Conditions::GUARANTEE);
        if self.xi == 0 {
            return Ok(least);
        }
        if self.rho == 0 {
            return Ok(pure_dp(self.xi.clone().into()));
        }
        let at = |order: Rational| {
            let epsilon = Rational::from(&self.rho * &order) + &self.xi;
            (order, epsilon)
        };
        let orders = orders().into_iter().map(at).collect();
        Ok(Steps::between(
            [least],
            Steps::one(Step::Rdp { orders }, Conditions::GUARANTEE),
        ))
    }
}

/// Orders at which the guarantee is used.
fn orders() -> Vec<Rational> {
    let near = (1..10u32).map(|n| Rational::from((n, 10)) + 1u32);
    let middle = (4..=40u32).map(|n| Rational::from((n, 2)));
    let far = [24u32, 32, 48, 64, 96, 128, 256, 512].map(Rational::from);
    near.chain(middle).chain(far).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rényi divergences of a guarantee with ξ are those of orders above 1.
    #[test]
    fn orders_are_above_one() {
        assert!(orders().iter().all(|order| *order > 1));
    }
}
