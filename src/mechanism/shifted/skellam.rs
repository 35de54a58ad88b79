//! Skellam noise: the difference of two Poisson variables with the same mean m.
//!
//! N(k) = e^{−2m}·I_k(2m) with the modified Bessel function I. With r_k = N(k − 1)/N(k):
//!
//! * r_k = k/m + 1/r_{k+1}, the recurrence I_{k−1}(x) − I_{k+1}(x) = (2k/x)·I_k(x) at x = 2m;
//! * N is log-concave, as a convolution of log-concave laws, so that r_k never falls; it is symmetric, so that r_k ≥ 1 for k ≥ 1;
//! * hence max(1, k/m) ≤ r_k ≤ k/m + 1 for k ≥ 1, and Σ_{j ≥ k} N(j) ≤ N(k)/(1 − 1/r_{k+1}).
//!
//! An error of r_{k+1} counts 1/r² times as much in r_k, so that the recurrence downwards forgets where it began (Miller's algorithm). No
//! Bessel function is ever computed: the masses add up to 1. Where a sum begins decides about widths only, never about truth
//! (`proofs/README.md`, Z1).

use std::sync::Arc;

use rug::{Integer, Rational};

use super::discrete_noise::IntegerNoise;
use crate::kernel::{Interval, is_late};
use crate::mechanism::evaluate::Cache;

/// The law of the difference.
#[derive(Debug, Clone)]
pub struct SkellamNoise {
    mean: Rational,
    tables: Arc<Cache<u32, Table>>,
}

/// Sums over the lattice take about √(4·mean·bits) terms: seconds at this mean.
const LARGEST_MEAN: u32 = 200_000_000;
/// Recurrences from 1/mean on: smaller means have masses that no use has.
const LARGEST_RECIPROCAL: u32 = 1_000_000_000;
/// Sums of more terms are made with at most this many bits.
const LONGEST: i64 = 1 << 17;
const FEW_BITS: u32 = 448;
/// After so many ratios it is looked whether the time is over.
const PLACES_PER_LOOK: i64 = 2048;
/// Places between those that are kept.
const STRIDE: i64 = 64;

/// What the recurrence has reached at a place k ≥ 0. Weights are masses up to a factor.
#[derive(Debug, Clone)]
struct Reached {
    place: i64,
    weight: Interval,
    /// Σ_{j ≥ k} of the weights.
    upper: Interval,
    /// r_k.
    rise: Interval,
}

/// r_k from r_{k+1}, at some precision.
#[derive(Debug)]
struct Recurrence {
    mean: Rational,
    /// 1/m.
    inverse: Interval,
    bits: u32,
}

/// Weights and tails from 0 to where next to nothing is left.
#[derive(Debug)]
struct Table {
    recurrence: Recurrence,
    /// At 0, STRIDE, 2·STRIDE, …
    kept: Vec<Reached>,
    /// The largest place kept.
    top: i64,
    total: Interval,
}

impl SkellamNoise {
    /// The difference of two Poisson variables of this mean; `None` above 2·10⁸ or below 10⁻⁹.
    ///
    /// Requires: `mean > 0`.
    pub fn new(mean: &Rational) -> Option<Self> {
        let is_built = *mean <= LARGEST_MEAN && Rational::from(mean * LARGEST_RECIPROCAL) >= 1;
        is_built.then(|| Self {
            mean: mean.clone(),
            tables: Arc::default(),
        })
    }

    fn table(&self, bits: u32) -> Arc<Table> {
        let mut bits = (bits / 64).saturating_add(2).saturating_mul(64);
        // Long sums are not made with many bits: far out only an upper bound is left then.
        while bits > FEW_BITS && reach(&self.mean, 0, bits) > LONGEST {
            bits = bits.saturating_sub(64);
        }
        let make = || Table::new(&self.mean, bits);
        self.tables.get_or(&bits, make)
    }

    /// N(0), N(1), … up to N(last) or beyond.
    pub fn masses(&self, last: i64, bits: u32) -> Vec<Interval> {
        let recurrence = Recurrence::new(&self.mean, bits);
        let top = last.max(reach(&self.mean, 0, bits)).max(1);
        let mut reached = Reached::at_top(top, &recurrence);
        let mut weights = vec![reached.weight.clone()];
        while reached.place > 1 {
            reached = reached.lower(&recurrence);
            weights.push(reached.weight.clone());
        }
        let zero = reached.lower(&recurrence);
        weights.push(zero.weight.clone());
        let total = total(&reached, &zero);
        let masses = weights.iter().rev().map(|weight| weight.div(&total));
        masses.collect()
    }

    /// A place above this one where the mass is smaller by a factor of about 2^−bits.
    pub fn reach(&self, from: i64, bits: u32) -> i64 {
        reach(&self.mean, from, bits)
    }

    /// Mean of each of the two.
    pub fn mean(&self) -> &Rational {
        &self.mean
    }

    /// r_k = N(k − 1)/N(k) for k ≥ 1.
    pub fn rise(&self, k: i64, bits: u32) -> Interval {
        let recurrence = Recurrence::new(&self.mean, bits.saturating_add(64));
        recurrence.rise(k.max(1)).at_bits(bits)
    }
}

impl IntegerNoise for SkellamNoise {
    const GEOMETRIC: bool = false;
    const MOST_APART: i64 = 40_000;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        if k <= 0 {
            let mirrored = 1i64.saturating_sub(k);
            return self.upper_tail(mirrored, bits).one_minus();
        }
        let table = self.table(bits);
        table.at(k).upper.div(&table.total).at_bits(bits)
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        let (from, to) = (k.saturating_sub(shift).saturating_abs(), k.saturating_abs());
        let (low, high) = (from.min(to), from.max(to));
        let table = self.table(bits);
        // N(low)/N(high) ≥ 1.
        let fall = if high <= table.top {
            let (low, high) = (table.at(low), table.at(high));
            low.weight.div(&high.weight)
        } else {
            let recurrence = &table.recurrence;
            let mut product = Interval::one(recurrence.bits);
            let mut rise = recurrence.rise(high);
            let mut place = high;
            while place > low {
                if place.checked_rem(PLACES_PER_LOOK) == Some(0) && is_late() {
                    let left = place.saturating_sub(low);
                    product = product.mul(&recurrence.of_any(place, left));
                    break;
                }
                product = product.mul(&rise);
                place = place.saturating_sub(1);
                rise = recurrence.below(place, &rise);
            }
            product
        };
        let log = fall.ln().at_bits(bits);
        if from <= to { log } else { log.neg() }
    }
}

impl Recurrence {
    fn new(mean: &Rational, bits: u32) -> Self {
        Self {
            mean: mean.clone(),
            inverse: Interval::from_rational(&mean.clone().recip(), bits),
            bits,
        }
    }

    /// k/m.
    fn ratio(&self, place: i64) -> Interval {
        self.inverse.mul(&Interval::from_i64(place, self.bits))
    }

    /// r_k from r_{k+1}.
    fn below(&self, place: i64, above: &Interval) -> Interval {
        self.ratio(place).add(&above.recip())
    }

    /// max(1, k/m) ≤ r_k ≤ k/m + 1, for k ≥ 1.
    fn around(&self, place: i64) -> Interval {
        let (ratio, one) = (self.ratio(place), Interval::one(self.bits));
        ratio.max(&one).hull(&ratio.add(&one))
    }

    /// r_k·r_{k−1}·… of so many, without a sum: each is at least 1 and at most k/m + 1.
    fn of_any(&self, place: i64, count: i64) -> Interval {
        let one = Interval::one(self.bits);
        let most = self.ratio(place).add(&one).ln();
        let most = most.mul(&Interval::from_i64(count, self.bits)).exp();
        one.hull(&most)
    }

    /// r_k for k ≥ 1, from far above.
    fn rise(&self, place: i64) -> Interval {
        let start = reach(&self.mean, place, (self.bits / 2).saturating_add(8));
        let mut rise = self.around(start);
        let mut at = start;
        while at > place {
            at = at.saturating_sub(1);
            rise = self.below(at, &rise);
        }
        rise
    }
}

/// A place above this one where the mass is smaller by a factor of about 2^−bits; only widths depend on it.
///
/// r_k is about e^{asinh(k/2m)}: the logarithms up to K ≤ 2m add up to 0.88·(K² − k²)/(4m) or more, and each is at least log(K/m) beyond.
fn reach(mean: &Rational, from: i64, bits: u32) -> i64 {
    let spread = Rational::from(mean * 4u32) * bits * Rational::from((4, 5));
    let square = Integer::from(from).square() + spread.ceil().numer();
    let near = square.sqrt().to_i64().unwrap_or(i64::MAX / 4);
    let twice = Rational::from(mean * 2u32).ceil().numer().to_i64();
    let twice = twice.unwrap_or(i64::MAX / 4);
    if near <= twice {
        return near.saturating_add(2);
    }
    // Beyond 2m each step loses log₂(k/m) ≥ 1 bits.
    let outer = from.max(twice);
    let ratio = (Rational::from(outer) / mean).floor();
    let each = ratio.numer().significant_bits().saturating_sub(1).max(1);
    let steps = i64::from(bits.checked_div(each).unwrap_or(bits));
    outer.saturating_add(steps).saturating_add(2)
}

/// All weights, by symmetry: those from 1 on twice, and the one at 0.
fn total(first: &Reached, zero: &Reached) -> Interval {
    first.upper.add(&zero.upper)
}

impl Reached {
    /// Where a sum begins, with weight 1, and Σ_{j ≥ k} ≤ 1/(1 − 1/r_{k+1}).
    fn at_top(place: i64, recurrence: &Recurrence) -> Self {
        let beyond = recurrence.rise(place.saturating_add(1));
        let one = Interval::one(recurrence.bits);
        let most = beyond.recip().one_minus().recip();
        Self {
            place,
            upper: one.hull(&most).max(&one),
            rise: recurrence.below(place, &beyond),
            weight: one,
        }
    }

    /// At the next place below.
    fn lower(&self, recurrence: &Recurrence) -> Self {
        let place = self.place.saturating_sub(1);
        let weight = self.weight.mul(&self.rise);
        Self {
            place,
            upper: self.upper.add(&weight),
            rise: recurrence.below(place, &self.rise),
            weight,
        }
    }

    fn down_to(mut self, place: i64, recurrence: &Recurrence) -> Self {
        while self.place > place {
            self = self.lower(recurrence);
        }
        self
    }
}

impl Table {
    fn new(mean: &Rational, bits: u32) -> Self {
        let recurrence = Recurrence::new(mean, bits);
        let strides = reach(mean, 0, bits)
            .checked_div_euclid(STRIDE)
            .unwrap_or(0)
            .saturating_add(1);
        let mut reached = Reached::at_top(strides.saturating_mul(STRIDE), &recurrence);
        let top = reached.place;
        let mut kept = vec![reached.clone()];
        while reached.place > STRIDE {
            let next = reached.place.saturating_sub(STRIDE);
            reached = reached.down_to(next, &recurrence);
            kept.push(reached.clone());
        }
        let first = reached.down_to(1, &recurrence);
        let zero = first.lower(&recurrence);
        let total = total(&first, &zero);
        kept.push(zero);
        kept.reverse();
        Self {
            recurrence,
            kept,
            top,
            total,
        }
    }

    /// Requires: `place ≥ 0`. Beyond the table only the tail there is a bound.
    fn at(&self, place: i64) -> Reached {
        let above = place
            .saturating_add(STRIDE - 1)
            .checked_div_euclid(STRIDE)
            .and_then(|index| self.kept.get(usize::try_from(index).ok()?));
        match above {
            Some(from) => from.clone().down_to(place, &self.recurrence),
            None => {
                let zero = Interval::zero(self.recurrence.bits);
                let most = self.kept.last().map_or(&self.total, |last| &last.upper);
                let rest = zero.hull(most);
                Reached {
                    place,
                    weight: rest.clone(),
                    upper: rest,
                    rise: self.recurrence.rise(place),
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "skellam_tests.rs"]
mod tests;
