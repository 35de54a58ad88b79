//! The Laplace pair: densities e^{−|x|/b}/(2b) at distance `sensitivity`, with ε0 = sensitivity/b.

use std::sync::Arc;

use rug::Rational;

use super::evaluate::refined;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The Laplace mechanism. Under Q the loss has mass 1/2 at ε0, mass e^{−ε0}/2 at −ε0 and the density
/// e^{(ε−ε0)/2}/4 between, so δ(ε) = max(0, 1 − e^{(ε−ε0)/2}, 1 − e^ε); the pair is symmetric.
#[derive(Debug, Clone)]
pub struct Laplace {
    epsilon: Rational,
}

impl Laplace {
    /// The pair with largest loss ε0 ≥ 0.
    pub fn new(epsilon: Rational) -> Self {
        Self { epsilon }
    }

    /// Noise of scale b on a query of the given sensitivity.
    ///
    /// Requires: `scale > 0`.
    pub fn from_noise(scale: &Rational, sensitivity: &Rational) -> Self {
        Self::new(Rational::from(sensitivity / scale))
    }

    /// ε0, the largest loss.
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        let above = point.minus_exact(&self.epsilon);
        let bulk = above.log().mul(&half).exp_m1().neg();
        let delta = bulk.max(&point.log().exp_m1().neg()).in_unit();

        let below = point.minus_exact(&Rational::from(-&self.epsilon));
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        let middle = below.log().mul(&half).neg().exp().mul(&half).in_unit();
        let null_tail = if above.log().lo() >= &0 {
            zero
        } else if below.log().hi() < &0 {
            one
        } else {
            let reaches_end = above.log().hi() >= &0;
            let reaches_start = below.log().lo() < &0;
            let middle = if reaches_end {
                middle.hull(&zero)
            } else {
                middle
            };
            if reaches_start {
                middle.hull(&one)
            } else {
                middle
            }
        };
        ProfilePoint { delta, null_tail }
    }

    fn bound(&self, exact: Rational, bits: u32) -> LossBound {
        LossBound::Finite {
            value: Interval::from_rational(&exact, bits),
            exact: Some(exact),
        }
    }
}

impl Profile for Laplace {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.bound(self.epsilon.clone(), bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.bound(Rational::from(-&self.epsilon), bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        if point.minus_exact(&self.epsilon).log().lo() >= &0 {
            return Some(Rational::new());
        }
        let u = point.exact_exp()?;
        let below = point.minus_exact(&Rational::from(-&self.epsilon));
        (below.log().hi() <= &0).then(|| Rational::from(1 - u))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "laplace_tests.rs"]
mod tests;
