//! The Rényi divergence of the sum of discrete Gaussians of several parties from itself, shifted.

use rug::Rational;

use super::integers::ShiftedIntegers;
use super::lattice;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;
use crate::mechanism::shifted::{GaussianSumNoise, Noise, ShiftedNoise};

/// Noise at 0 against noise at s; the pair is symmetric.
///
/// With V = Nσ² the masses are S(k) ∝ e^{−k²/(2V)}·c(k). Where |log c| is at most half of λ, (t − 1)·D_t is that of the discrete Gaussian of
/// variance V up to max(t, 1)·λ, and D_1 is s²/(2V) up to λ. In any case D_t ≤ (s²t + s(N − 1))/(2V) (`proofs/README.md`, Z7).
#[derive(Debug)]
pub(super) struct GaussianSum {
    noise: GaussianSumNoise,
    shift: u64,
    sum: Option<ShiftedIntegers>,
}

impl GaussianSum {
    /// `None` for other pairs, and beyond the size limits.
    pub(super) fn of(pair: &ShiftedNoise) -> Option<Self> {
        let Noise::GaussianSum {
            sigma,
            parties,
            unit,
        } = pair.single()?
        else {
            return None;
        };
        Some(Self {
            noise: GaussianSumNoise::new(sigma, *parties)?,
            shift: *unit,
            sum: ShiftedIntegers::of(pair),
        })
    }

    /// A slope and a constant with D_t ≤ slope·t + constant; D_t/t comes as near to the slope as one likes.
    pub(super) fn line(&self) -> (Rational, Rational) {
        let slope = lattice::square(self.noise.variance(), self.shift) / 2u32;
        let others = Rational::from(self.noise.parties()) - 1u32;
        let constant = others * self.shift / self.noise.variance() / 2u32;
        (slope, constant)
    }

    /// What is known without a sum: 0, and the least of the line and t·s²/(2V) + λ·t/(t − 1), both for max(t, 1); at t = 1 the second is s²/(2V) + λ.
    pub(super) fn cheap_bounds(&self, order: &Rational, bits: u32) -> Interval {
        let (slope, constant) = self.line();
        // D_t grows.
        let order = order.clone().max(Rational::from(1));
        let main = slope * &order;
        let line = Interval::from_rational(&(&main + constant), bits);
        let most = match self.noise.log_range() {
            Some(range) => {
                let excess = Rational::from(&order - 1u32);
                let factor = if excess == 0 { order } else { order / excess };
                let factor = Interval::from_rational(&factor, bits);
                let slack = range.at_bits(bits).mul(&factor);
                line.min(&Interval::from_rational(&main, bits).add(&slack))
            }
            None => line,
        };
        Interval::zero(bits).hull(&most)
    }

    /// By the discrete Gaussian of variance V; `None` where c may be anything.
    fn near(
        &self,
        order: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let Some(slack) = self.slack(order, bits) else {
            return Ok(None);
        };
        let found = lattice::divergence(self.noise.variance(), self.shift, order, bits, budget)?;
        Ok(Some(found.add(&slack).at_least_zero()))
    }

    /// From −λ·max(t, 1)/|t − 1| to λ·max(t, 1)/|t − 1|, at t = 1 from −λ to λ; `None` where c may be anything.
    fn slack(&self, order: &Rational, bits: u32) -> Option<Interval> {
        let range = self.noise.log_range()?;
        let excess = Rational::from(order - 1).abs();
        let factor = if excess == 0 {
            Rational::from(1)
        } else {
            order.clone().max(Rational::from(1)) / excess
        };
        let most = Interval::point(range.hi().clone()).at_bits(bits);
        let most = most.mul(&Interval::from_rational(&factor, bits));
        Some(most.neg().hull(&most))
    }

    /// D_t, the same in both directions.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If the budget ends, or bounds cross: an internal error.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let cheap = self.cheap_bounds(order, bits);
        let cheap = match self.near(order, bits, budget)? {
            Some(near) => near.intersect(&cheap)?,
            None => cheap,
        };
        if is_narrow(&cheap, bits) {
            return Ok(cheap);
        }
        let found = match &self.sum {
            Some(sum) => sum.divergence(order, Direction::Remove, bits, budget)?,
            None => None,
        };
        match found {
            Some(found) => Ok(found.at_bits(bits).intersect(&cheap)?),
            None => Ok(cheap),
        }
    }
}

/// Is the number known to nearly so many bits?
fn is_narrow(x: &Interval, bits: u32) -> bool {
    let most = Rational::from((1, rug::Integer::from(1) << bits.saturating_sub(16)));
    let least = x.lo().to_rational();
    least.is_some_and(|least| least > 0 && x.width_up() <= least * most)
}

#[cfg(test)]
#[path = "gaussian_sum_tests.rs"]
mod tests;
