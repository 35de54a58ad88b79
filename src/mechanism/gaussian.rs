//! The Gaussian pair N(0, 1) against N(μ, 1), known by the exact μ².

use std::sync::Arc;

use rug::{Float, Rational};

use super::evaluate::refined;
use super::gaussian_cells::{self, Mixing};
use crate::kernel::{
    Accuracy, Budget, CellPlaces, Cells, Failure, Interval, LossBound, Point, Profile,
    ProfilePoint, normal,
};

/// The Gaussian mechanism, and the class of all μ-GDP mechanisms: its privacy profile is
/// δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) (Balle and Wang 2018, Theorem 8); the pair is symmetric.
#[derive(Debug, Clone)]
pub struct Gaussian {
    square: Rational,
}

impl Gaussian {
    /// The pair with the given μ² (0: the two laws are the same).
    ///
    /// Requires: `square ≥ 0`.
    pub fn from_square(square: Rational) -> Self {
        Self { square }
    }

    /// The pair with the given μ ≥ 0.
    pub fn from_mu(mu: &Rational) -> Self {
        Self::from_square(mu.clone().square())
    }

    /// Noise of standard deviation `sigma` on a query of the given sensitivity: μ = sensitivity/sigma.
    ///
    /// Requires: `sigma > 0`.
    pub fn from_noise(sigma: &Rational, sensitivity: &Rational) -> Self {
        Self::from_mu(&Rational::from(sensitivity / sigma))
    }

    /// μ².
    pub fn square(&self) -> &Rational {
        &self.square
    }

    /// μ, enclosed.
    pub fn mu(&self, bits: u32) -> Interval {
        Interval::from_rational(&self.square, bits).sqrt()
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let mu = self.mu(bits);
        let half = mu.mul(&Interval::from_rational(&Rational::from((1, 2)), bits));
        let shift = point.log().div(&mu);
        let upper = survival(&shift.sub(&half), point.accuracy());
        let below = shift.add(&half);
        // Under `Absolute` the factor u must not blow up the absolute error of the null's tail.
        let null_accuracy = if *point.exp().hi() > Float::with_val(32, 1u32 << 20) {
            Accuracy::Relative
        } else {
            point.accuracy()
        };
        let null_tail = survival(&below, null_accuracy);
        let delta = upper.sub(&point.exp().mul(&null_tail));
        ProfilePoint {
            delta: delta.max(&point.exp().one_minus()).in_unit(),
            null_tail: null_tail.in_unit(),
        }
    }
}

impl Profile for Gaussian {
    fn at(&self, point: &Point) -> ProfilePoint {
        if self.square == 0 {
            return no_information(point);
        }
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        if self.square == 0 {
            zero_bound(bits)
        } else {
            LossBound::Unbounded
        }
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.max_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        if self.square != 0 {
            return None;
        }
        if point.log().lo() >= &0 {
            return Some(Rational::new());
        }
        let u = point.exact_exp()?;
        Some(Rational::from(1 - u).max(Rational::new()))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn cells(&self, places: &CellPlaces<'_>, budget: &Budget) -> Result<Option<Cells>, Failure> {
        gaussian_cells::cells(&self.square, &Mixing::None, places, budget)
    }

    fn sampled_gaussian(&self) -> Option<(Rational, Rational)> {
        self.mu_squared()
            .map(|square| (Rational::from(1), square.clone()))
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn mu_squared(&self) -> Option<&Rational> {
        (self.square > 0).then_some(&self.square)
    }
}

pub(super) fn survival(x: &Interval, accuracy: Accuracy) -> Interval {
    match accuracy {
        Accuracy::Relative => normal::survival(x),
        Accuracy::Absolute => normal::survival_absolute(x),
    }
}

/// The profile of two equal laws: δ(u) = (1 − u)⁺, with an atom of mass 1 at loss 0.
fn no_information(point: &Point) -> ProfilePoint {
    let bits = point.bits();
    let delta = match point.exact_exp() {
        Some(u) => Interval::from_rational(&Rational::from(1 - u), bits),
        None => point.log().exp_m1().neg(),
    };
    let null_tail = if point.log().hi() < &0 {
        Interval::one(bits)
    } else if point.log().lo() >= &0 {
        Interval::zero(bits)
    } else {
        Interval::zero(bits).hull(&Interval::one(bits))
    };
    ProfilePoint {
        delta: delta.in_unit(),
        null_tail,
    }
}

fn zero_bound(bits: u32) -> LossBound {
    LossBound::Finite {
        value: Interval::zero(bits),
        exact: Some(Rational::new()),
    }
}

#[cfg(test)]
#[path = "gaussian_tests.rs"]
mod tests;
