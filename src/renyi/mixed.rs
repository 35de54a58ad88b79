//! Mixtures of shifted noise other than Gaussian: sums on the integers, pieces between the peaks of Laplace noise, and what bounds both.

use std::sync::Arc;

use rug::Rational;

use super::growth::Growth;
use super::integers::ShiftedIntegers;
use super::parts::Parts;
use super::pieces::ShiftedLaplace;
use crate::kernel::{Budget, Failure, Interval, LossBound};
use crate::mechanism::Direction;
use crate::mechanism::shifted::{Noise, ShiftedNoise};

/// A pair of mixtures, with the pair between its farthest shifts.
///
/// D_t is jointly quasi-convex and grows with the shift, so that the pair of the farthest shifts bounds it.
#[derive(Debug)]
pub(super) struct MixedShifts {
    pair: Arc<ShiftedNoise>,
    law: Law,
    most: Parts,
}

#[derive(Debug)]
enum Law {
    Integers(ShiftedIntegers),
    Laplace(ShiftedLaplace),
    /// Beyond the sizes of sums.
    Unknown,
}

impl MixedShifts {
    /// Requires: `most` are the parts of the pair between the farthest shifts.
    pub(super) fn new(pair: &Arc<ShiftedNoise>, most: Parts) -> Self {
        let integers = || ShiftedIntegers::of(pair).map(Law::Integers);
        let law = ShiftedLaplace::of(pair).map(Law::Laplace).or_else(integers);
        Self {
            pair: Arc::clone(pair),
            law: law.unwrap_or(Law::Unknown),
            most,
        }
    }

    /// Is D_t the same in both directions?
    pub(super) fn is_symmetric(&self) -> bool {
        self.pair.is_symmetric()
    }

    /// D_t in one direction; as wide as what bounds it where it takes too much work.
    ///
    /// # Errors
    /// If the budget ends, or bounds cross: an internal error.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let found = match &self.law {
            Law::Integers(sum) => sum.divergence(order, direction, bits, budget)?,
            Law::Laplace(pieces) => pieces.divergence(order, direction, bits, budget)?,
            Law::Unknown => None,
        };
        let zero = Interval::zero(bits);
        Ok(match found {
            Some(found) => found.intersect(&self.cheap_bounds(order, direction, bits)?)?,
            None => zero.hull(&self.most.divergence(order, direction, bits, budget)?),
        })
    }

    /// What is known of D_t without a sum.
    ///
    /// # Errors
    /// If bounds cross: an internal error.
    pub(super) fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Result<Interval, Failure> {
        let most = self.most.cheap_bounds(order, direction, bits)?;
        Ok(Interval::zero(bits).hull(&most))
    }

    /// How D_t grows from an order ≥ 1 on: not above the largest loss, and as that of Gaussian noise does on the integers.
    pub(super) fn growth(
        &self,
        direction: Direction,
        from: &Rational,
        bits: u32,
    ) -> Option<Growth> {
        let stated = self.pair.profile()?;
        let profile = match direction {
            Direction::Remove => stated,
            Direction::Add => stated.swapped(),
        };
        if let LossBound::Finite { value, .. } = profile.max_loss(bits) {
            return Some(Growth::bounded(value));
        }
        let most = self.most.growth(direction, from, bits)?;
        let Noise::DiscreteGaussian { sigma, unit } = self.pair.noise() else {
            return Some(most.without_limit());
        };
        // D_t of two discrete Gaussians is at most that of Gaussians for t ≥ 1, and less only by a quotient of theta sums with a bound.
        let (ahead, behind) = match direction {
            Direction::Remove => (self.pair.with(), self.pair.without()),
            Direction::Add => (self.pair.without(), self.pair.with()),
        };
        let apart = (ahead.most() + behind.least()) * Rational::from(*unit) / sigma;
        let (_, weight) = behind.list().first()?;
        let constant = Interval::from_rational(weight, bits).ln().neg();
        Some(most.or_line(apart.square() / 2u32, constant, from))
    }
}

#[cfg(test)]
#[path = "mixed_tests.rs"]
mod tests;
