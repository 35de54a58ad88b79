//! Batches of a largest size B, from below: others that tell the size of their batch.
//!
//! All others are one vector of norm c, at a right angle to the record. Along it the answer is K, or B, and noise, so that it says how near K was to B: in cells of that line
//! left of B − 1/2 the record takes part at a higher rate, as it may have displaced another one. With P and G for the mass of a cell without the record, and of the answers with
//! it in the batch, G is that of q·P(K < B) and w at B − 1 (`proofs/README.md`, Y4).

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::binomial;
use super::chances::{Chances, rounded_down};
use crate::kernel::{Interval, normal};

/// Working precision.
const BITS: u32 = 128;
/// Cells.
const CELLS: u32 = 6;
/// Noise ends here: its tail is below 2^-125.
const FARTHEST: u32 = 13;
/// Only where two batch sizes next to each other are not much closer than the noise, (c/σ)² at least this.
const LEAST_SQUARE: (u32, u32) = (1, 16);
/// And a displaced record is not next to impossible: the part of the rate.
const LEAST_PART: (u32, u32) = (1, 1 << 20);

/// Labels, each with its probability and the rate at which the record takes part; no rate is below that of the first one.
///
/// Requires: Gaussian noise with (c/σ)² = `unit_squared`; `chances` of these numbers; 0 < `rate` < 1.
/// Ensures: the probabilities add up to 1; δ(u) of the mixture of Poisson samples is no more than that of these datasets, for u ≥ 1, and for
/// u < 1 neither is that of the sample at the mean rate.
pub(super) fn labels(
    rate: &Rational,
    dataset_size: u64,
    max_batch: u64,
    chances: &Chances,
    unit_squared: &Rational,
) -> Option<Vec<(Rational, Rational)>> {
    let is_of_use = *rate < 1
        && *unit_squared >= Rational::from(LEAST_SQUARE)
        && chances.displacing >= Rational::from(LEAST_PART) * rate
        && max_batch >= 3;
    if !is_of_use {
        return None;
    }
    let cells = Line::new(rate, dataset_size, max_batch, chances, unit_squared)?.cells()?;
    let all = Rational::from(1 - &chances.full_upper) * rate + &chances.displacing;
    let mut kept: Vec<Labelled> = cells.iter().filter_map(Labelled::of).collect();
    loop {
        // What the cells leave: at least so much of the answers with the record, at most so much of all.
        let (mut taking_part, mut rest, mut weight) =
            (all.clone(), Rational::from(1), Rational::from(1));
        for label in &kept {
            taking_part -= &label.taking_part_upper;
            rest -= &label.weight_lower;
            weight -= &label.weight;
        }
        if taking_part <= 0 || rest <= 0 || weight <= 0 {
            return None;
        }
        let least = rounded_down(&(taking_part / rest));
        let count = kept.len();
        kept.retain(|label| label.rate > least);
        if kept.is_empty() {
            return None;
        }
        if kept.len() == count {
            let labels = kept.into_iter().map(|label| (label.weight, label.rate));
            return Some(std::iter::once((weight, least)).chain(labels).collect());
        }
    }
}

/// A cell, in rational numbers.
struct Labelled {
    /// At most P.
    weight: Rational,
    weight_lower: Rational,
    /// At most G/P, and at most 1.
    rate: Rational,
    /// At least G.
    taking_part_upper: Rational,
}

impl Labelled {
    /// `None` for next to no mass.
    fn of(cell: &Cell) -> Option<Self> {
        let weight = cell.without.lo().to_rational()?;
        if weight < Rational::from((1, 1u128 << 100)) {
            return None;
        }
        let rate = cell.taking_part.div(&cell.without).lo().to_rational()?;
        Some(Self {
            weight_lower: weight.clone(),
            weight,
            // A label may say more than a record in the batch: less will do.
            rate: rounded_down(&rate.max(Rational::new()).min(Rational::from(1))),
            taking_part_upper: cell.taking_part.hi().to_rational()?,
        })
    }
}

/// P and G of a cell.
struct Cell {
    without: Interval,
    taking_part: Interval,
}

/// The line of batch sizes next to the largest.
struct Line {
    rate: Interval,
    unit: Interval,
    /// P(K = B − 1), P(K = B − 2) and so on, as far as noise reaches from the cells.
    sizes: Vec<Interval>,
    full: Interval,
    displacing: Interval,
    /// Width of a cell, in records.
    width: Rational,
}

fn between(lower: &Rational, upper: &Rational) -> Interval {
    let (lower, upper) = (
        Interval::from_rational(lower, BITS),
        Interval::from_rational(upper, BITS),
    );
    lower.hull(&upper)
}

impl Line {
    fn new(
        rate: &Rational,
        dataset_size: u64,
        max_batch: u64,
        chances: &Chances,
        unit_squared: &Rational,
    ) -> Option<Self> {
        let unit = Interval::from_rational(unit_squared, BITS).sqrt();
        // In records: few bits are enough.
        let noise = Float::with_val_round(16, unit.recip().hi(), Round::Up).0;
        let noise = noise.to_rational()?;
        let reach = Rational::from(&noise * 2u32) + Rational::from((3, 2));
        let farthest = Rational::from(&noise * FARTHEST) + &reach + 1u32;
        let count = Integer::from(farthest.ceil_ref()).to_u64()?.min(max_batch);
        let others = dataset_size.checked_sub(1)?;
        let odds = Rational::from(1 - rate) / rate;
        let odds = Interval::from_rational(&odds, BITS);
        let whole = |x: u64| Interval::from_integer(&Integer::from(x), BITS);
        let mut size = max_batch.checked_sub(1)?;
        let mut next = binomial::mass(others, rate, size).at_bits(BITS);
        let mut sizes = Vec::new();
        for _ in 0..count {
            sizes.push(next.clone());
            let Some(smaller) = size.checked_sub(1) else {
                break;
            };
            // P(K = k − 1) = P(K = k)·k/(n − k)·(1 − q)/q, of n − 1 records.
            let more = whole(others.checked_sub(smaller)?);
            next = next.mul(&whole(size)).mul(&odds).div(&more);
            size = smaller;
        }
        Some(Self {
            rate: Interval::from_rational(rate, BITS),
            unit,
            sizes,
            full: between(&chances.full, &chances.full_upper),
            displacing: between(&chances.displacing, &chances.displacing_upper),
            width: reach / CELLS,
        })
    }

    /// Cells from B − 1/2 leftwards.
    fn cells(&self) -> Option<Vec<Cell>> {
        let ends = (0..=CELLS).map(|number| self.left_of(number));
        let ends: Vec<Vec<Interval>> = ends.collect();
        // Batches too small to be told apart: what noise puts so far away.
        let far = Interval::from_i64(i64::from(FARTHEST), BITS);
        let far = Interval::zero(BITS).hull(&normal::survival(&far));
        let cells = ends.windows(2).map(|pair| {
            let [right, left] = pair else { return None };
            let mut masses = right
                .iter()
                .zip(left)
                .map(|(right, left)| right.sub(left).at_least_zero());
            let full = masses.next()?.mul(&self.full);
            let masses: Vec<Interval> = masses.collect();
            let of_sizes = masses
                .iter()
                .zip(&self.sizes)
                .map(|(mass, size)| mass.mul(size));
            let of_sizes = of_sizes.fold(far.clone(), |sum, next| sum.add(&next));
            let beside = masses.first()?.mul(&self.displacing);
            Some(Cell {
                taking_part: self.rate.mul(&of_sizes).add(&beside),
                without: of_sizes.add(&full),
            })
        });
        cells.collect()
    }

    /// The probability of an answer left of the end with this number, for K ≥ B, K = B − 1, K = B − 2 and so on.
    fn left_of(&self, number: u32) -> Vec<Interval> {
        // B − 1/2 − number·width, seen from B − k.
        let end = Rational::from(&self.width * number) + Rational::from((1, 2));
        let sizes = (0u32..).zip(std::iter::once(()).chain(self.sizes.iter().map(|_| ())));
        let at = |k: u32| {
            let records = Rational::from(k) - &end;
            normal::cdf_absolute(&Interval::from_rational(&records, BITS).mul(&self.unit)).in_unit()
        };
        sizes.map(|(k, ())| at(k)).collect()
    }
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
