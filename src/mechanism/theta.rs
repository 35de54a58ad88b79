//! Tail sums of the discrete Gaussian weights e^{−(k−d)²/(2σ²)}, with the hinge sums over the loss lattice.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::evaluate::Cache;
use crate::kernel::{Interval, is_late};

/// Sums at one index k, all unnormalised.
#[derive(Debug, Clone)]
pub(crate) struct HingeSums {
    /// e^{−(k−d)²/(2σ²)}.
    pub(crate) weight: Interval,
    /// Σ_{j ≥ k} of the weights.
    pub(crate) upper: Interval,
    /// Σ_{j > k} weight_j·(1 − e^{−(j−k)·d/σ²}): the profile at the loss y_k.
    pub(crate) hinge: Interval,
    /// Weight at k − 1 over weight at k.
    growth: Interval,
}

/// Sums at every index, from checkpoints; far out they are computed afresh.
///
/// Every sum runs from far out towards the middle, so all terms are positive and the relative error stays small.
#[derive(Debug)]
pub(crate) struct ThetaTable {
    variance: Rational,
    shift: i64,
    bits: u32,
    /// e^{−1/σ²}, by which the growth shrinks per step down.
    slowing: Interval,
    /// e^{−d/σ²} and 1 minus it.
    decay: Interval,
    rise: Interval,
    /// Sums at lowest, lowest + stride, …
    checkpoints: Vec<HingeSums>,
    lowest: i64,
    stride: i64,
    total: Interval,
    far: Cache<i64, HingeSums>,
}

/// Checkpoints are next to each other where these are enough,
const MOST_CHECKPOINTS: i64 = 4096;
/// and never so far apart that a sum takes more steps than this.
const LONGEST_STRIDE: i64 = 64;
/// Each time after so many terms it is looked whether the time is over: with many bits a million terms take seconds.
const TERMS_PER_LOOK: i64 = 4096;

impl ThetaTable {
    /// Requires: `variance > 0`, `shift ≥ 1`.
    pub(crate) fn new(variance: &Rational, shift: i64, bits: u32) -> Self {
        let exponential = |x: Rational| Interval::from_rational(&x, bits);
        let slowing = exponential(-variance.clone().recip()).exp();
        let fall = exponential(Rational::from(-shift) / variance);
        let mut table = Self {
            variance: variance.clone(),
            shift,
            bits,
            slowing,
            decay: fall.exp(),
            rise: fall.exp_m1().neg(),
            checkpoints: Vec::new(),
            lowest: 0,
            stride: 1,
            total: Interval::one(bits),
            far: Cache::default(),
        };
        table.fill();
        // The weights are symmetric about d: the whole sum is twice the part above d, and 1.
        let above = table.at(shift.saturating_add(1)).upper;
        table.total = above.add(&above).add(&Interval::one(bits));
        table
    }

    /// An r with e^{−r²/(2σ²)} < 2^−bits.
    pub(crate) fn reach(variance: &Rational, bits: u32) -> i64 {
        let square = Rational::from(variance * 2u32) * bits;
        let root = square.ceil().numer().clone().sqrt();
        root.to_i64().unwrap_or(i64::MAX / 4).saturating_add(2)
    }

    /// Σ_k of all weights.
    pub(crate) fn total(&self) -> &Interval {
        &self.total
    }

    /// The sums at an index; where the time is over before they are added up, what is true of any.
    pub(crate) fn at(&self, index: i64) -> HingeSums {
        let above = index
            .saturating_sub(self.lowest)
            .saturating_add(self.stride.saturating_sub(1));
        let checkpoint = above.checked_div_euclid(self.stride).and_then(|i| {
            let sums = self.checkpoints.get(usize::try_from(i).ok()?)?;
            Some((
                sums.clone(),
                self.lowest.saturating_add(i.saturating_mul(self.stride)),
            ))
        });
        match checkpoint {
            Some((sums, from)) => self.down(sums, from, index),
            None if index > self.lowest => {
                let make = || self.started_above(index);
                let sums: Arc<HingeSums> = self.far.get_or_in_time(&index, make);
                (*sums).clone()
            }
            None => self.below(index),
        }
    }

    /// The sums one index further down.
    pub(crate) fn next_below(&self, sums: &HingeSums) -> HingeSums {
        let weight = sums.weight.mul(&sums.growth);
        HingeSums {
            upper: sums.upper.add(&weight),
            hinge: self.decay.mul(&sums.hinge).add(&self.rise.mul(&sums.upper)),
            growth: sums.growth.mul(&self.slowing),
            weight,
        }
    }

    /// Checkpoints over the bulk of both laws, in one pass from the top; none if the time is over before.
    fn fill(&mut self) {
        let reach = Self::reach(&self.variance, self.bits);
        self.lowest = reach.saturating_neg();
        let span = self.shift.saturating_add(reach).saturating_sub(self.lowest);
        let stride = span.checked_div_euclid(MOST_CHECKPOINTS).unwrap_or(0);
        self.stride = stride.clamp(1, LONGEST_STRIDE);
        let count = span.checked_div_euclid(self.stride).unwrap_or(0);
        let top = self
            .lowest
            .saturating_add(count.saturating_mul(self.stride));
        let mut sums = self.started_above(top);
        let mut checkpoints = vec![sums.clone()];
        let looks = TERMS_PER_LOOK.checked_div(self.stride).unwrap_or(1).max(1);
        for n in 0..count {
            if n > 0 && n.checked_rem(looks) == Some(0) && is_late() {
                return;
            }
            sums = self.down(sums, self.stride, 0);
            checkpoints.push(sums.clone());
        }
        checkpoints.reverse();
        self.checkpoints = checkpoints;
    }

    fn down(&self, sums: HingeSums, from: i64, to: i64) -> HingeSums {
        (to..from).fold(sums, |sums, _| self.next_below(&sums))
    }

    /// Starts so far above that what is left out does not matter in `bits` bits.
    fn started_above(&self, index: i64) -> HingeSums {
        // With t = index − d ≥ 0, the weight has fallen by e^{−((t+n)² − t²)/(2σ²)} ≤ 2^−needed at t + n. The sums
        // lose at most σ³ by their length and by the factor 1 − e^{−d/σ²}, which the extra bits cover.
        let t = Integer::from(index.saturating_sub(self.shift).max(0));
        let needed = self.bits.saturating_add(128);
        let drop = (Rational::from(&self.variance * 2u32) * needed).ceil();
        let end = (Integer::from(t.square_ref()) + drop.numer()).sqrt();
        let start = end
            .to_i64()
            .unwrap_or(i64::MAX / 4)
            .saturating_add(self.shift)
            .saturating_add(2)
            .max(index);
        let (mut sums, mut from) = (self.first(start), start);
        while from > index {
            if from < start && is_late() {
                return self.of_any(index);
            }
            let next = from.saturating_sub(TERMS_PER_LOOK).max(index);
            sums = self.down(sums, from, next);
            from = next;
        }
        sums
    }

    /// At k > d the weights beyond fall at least geometrically: Σ_{j ≥ k} ≤ weight/(1 − weight_{k+1}/weight_k).
    fn first(&self, index: i64) -> HingeSums {
        let t = Integer::from(index.saturating_sub(self.shift));
        let twice = Rational::from(&self.variance * 2u32);
        let exponential = |numerator: Integer| {
            Interval::from_rational(&(Rational::from(numerator) / &twice), self.bits)
        };
        let weight = exponential(-Integer::from(t.square_ref())).exp();
        let rest = exponential(-Integer::from(&t * 2u32) - 1).exp_m1().neg();
        let most = weight.div(&rest);
        let zero = Interval::zero(self.bits);
        HingeSums {
            upper: weight.hull(&most),
            hinge: zero.hull(&most),
            growth: exponential(Integer::from(&t * 2u32) - 1).exp(),
            weight,
        }
    }

    /// Below all checkpoints: only the sum over everything is a bound.
    fn below(&self, index: i64) -> HingeSums {
        self.within(&self.total, index)
    }

    /// Whatever the index: the weights rise to 1 and fall again, so that their sum is at most 1 and the integral, σ·√(2π) < 3σ.
    fn of_any(&self, index: i64) -> HingeSums {
        let sigma = Interval::from_rational(&self.variance, self.bits).sqrt();
        let all = sigma.add(&sigma).add(&sigma).add(&Interval::one(self.bits));
        self.within(&all, index)
    }

    /// All sums are between 0 and that over everything.
    fn within(&self, total: &Interval, index: i64) -> HingeSums {
        let all = Interval::zero(self.bits).hull(total);
        let t = Integer::from(index.saturating_sub(self.shift));
        let twice = Rational::from(&self.variance * 2u32);
        let growth = Rational::from(Integer::from(&t * 2u32) - 1) / &twice;
        HingeSums {
            weight: all.clone(),
            upper: all.clone(),
            hinge: all,
            growth: Interval::from_rational(&growth, self.bits).exp(),
        }
    }
}

#[cfg(test)]
#[path = "theta_tests.rs"]
mod tests;
