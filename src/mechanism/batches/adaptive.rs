//! What an adversary learns from batches of fixed size who picks the other records after each answer.
//!
//! Two records x and −x of norm c replace each other, the noise has the standard deviation σ, and μ = 2c/σ. In each step all other records are −x, or all are x. Along
//! the line of both, in units of σ, the answer without and with x is N(0) and M = (1 − q)·N(0) + q·N(μ) in the first case, and M and N(0) in the second.
//!
//! The adversary looks only into which cell an answer falls. Each cell moves a count s by a whole number k near its loss log(dM/dN(0))/h, up in the first case and
//! down in the second one; the others are −x as long as s is below a limit, and x from there on. What s is in the end is a post-processing of all answers.

use rug::float::Round;
use rug::{Float, Integer, Rational};

use crate::kernel::{Interval, normal};
use crate::mechanism::polygon::{Vectors, pair_below};

/// Working precision.
const BITS: u32 = 128;

/// Probabilities are multiples of 2^-this.
const UNIT_BITS: u32 = 63;

/// Steps at most, and the largest (2c/σ)².
const MOST_STEPS: u64 = 2_000;
const LARGEST_SQUARE: u32 = 9;

/// The count stays within this, on both sides of 0.
const FARTHEST: i64 = 2_000;

/// Cells of one unit of the count up to here; beyond, a cell is this part of its place wide.
const FINE: i64 = 32;

/// So many steps on batches of fixed size, with other records that are picked after each answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PickedOthers {
    rate: Rational,
    unit_squared: Rational,
    steps: u64,
}

impl PickedOthers {
    /// Gaussian noise with (c/σ)² = `unit_squared`, `steps` batches at this rate, 0 < rate < 1; `None` beyond 2000 steps, and where two records are more than 3σ apart.
    pub(crate) fn new(rate: &Rational, unit_squared: &Rational, steps: u64) -> Option<Self> {
        let is_built = (2..=MOST_STEPS).contains(&steps)
            && Rational::from(unit_squared * 4u32) <= LARGEST_SQUARE;
        is_built.then(|| Self {
            rate: rate.clone(),
            unit_squared: unit_squared.clone(),
            steps,
        })
    }

    /// Two probability vectors: a pair that is below what such an adversary learns.
    pub(crate) fn pair(&self) -> Vectors {
        let square = Rational::from(&self.unit_squared * 4u32);
        let Some(plan) = Plan::new(&self.rate, &square, self.steps) else {
            return pair_below([]);
        };
        tests(&self.rate, &square, self.steps, &plan).map_or_else(|| pair_below([]), pair_below)
    }
}

/// How fine the count is, and from where on the other records are x. Any plan is sound.
#[derive(Debug)]
struct Plan {
    /// h.
    width: Float,
    limit: i64,
}

impl Plan {
    /// For δ near 1e-5, with the loss as if it were normal.
    fn new(rate: &Rational, square: &Rational, steps: u64) -> Option<Self> {
        let number = |n: i64, d: i64| Interval::from_rational(&Rational::from((n, d)), BITS);
        let excess = Interval::from_rational(square, BITS).exp_m1();
        let one = excess.sqrt().mul(&Interval::from_rational(rate, BITS));
        let all = Interval::from_integer(&Integer::from(steps), BITS).sqrt();
        let deviation = one.mul(&all);
        let middle = deviation.square().mul(&number(1, 2));
        let aim = middle.add(&deviation.mul(&number(21, 5)));
        let far = middle.add(&deviation.mul(&number(9, 1)));
        let width = one.mul(&number(3, 20)).max(&far.div(&number(FARTHEST, 1)));
        let limit = aim.div(&width).middle().to_integer()?.to_i64()?;
        Some(Self {
            width: width.middle(),
            limit: limit.clamp(0, FARTHEST),
        })
    }
}

/// A cell of answers: by how much it moves the count, and its mass under N(0) and M, at least and at most.
struct Cell {
    moves: i64,
    null: [u64; 2],
    mixed: [u64; 2],
}

/// Tests of the count after all steps: a probability without the record, at most, and with it, at least.
fn tests(
    rate: &Rational,
    square: &Rational,
    steps: u64,
    plan: &Plan,
) -> Option<Vec<(Rational, Rational)>> {
    let cells = cells(rate, square, &plan.width)?;
    let places = usize::try_from(2 * FARTHEST + 1).ok()?;
    let middle = usize::try_from(FARTHEST).ok()?;
    let split = usize::try_from(FARTHEST.checked_add(plan.limit)?).ok()?;
    let mut without = vec![0u64; places];
    *without.get_mut(middle)? = 1 << UNIT_BITS;
    let mut with = without.clone();
    for _ in 0..steps {
        // Sums are at most 2^63 and what rounding added, of both factors: below 2^128.
        let mut next_without = vec![0u128; places];
        let mut next_with = next_without.clone();
        let (low_without, high_without) = without.split_at_checked(split)?;
        let (low_with, high_with) = with.split_at_checked(split)?;
        let from = i64::try_from(split).ok()?;
        for cell in &cells {
            let ([null_least, null_most], [mixed_least, mixed_most]) = (cell.null, cell.mixed);
            spread(&mut next_without, low_without, cell.moves, null_most)?;
            spread(&mut next_with, low_with, cell.moves, mixed_least)?;
            let back = from.checked_sub(cell.moves)?;
            spread(&mut next_without, high_without, back, mixed_most)?;
            spread(&mut next_with, high_with, back, null_least)?;
        }
        let units = |x: u128| u64::try_from(x >> UNIT_BITS).ok();
        let least = next_with.into_iter().map(units);
        let most = next_without.into_iter();
        let most = most.map(|x| units(x.checked_add((1 << UNIT_BITS) - 1)?));
        without = most.collect::<Option<_>>()?;
        with = least.collect::<Option<_>>()?;
    }
    let one = Integer::from(1u64 << UNIT_BITS);
    let share = |sum: u128| Rational::from((Integer::from(sum).min(one.clone()), one.clone()));
    let (mut alpha, mut power) = (0u128, 0u128);
    let tests = without.iter().zip(&with).rev().map(|(p, q)| {
        alpha = alpha.saturating_add(u128::from(*p));
        power = power.saturating_add(u128::from(*q));
        (share(alpha), share(power))
    });
    Some(tests.collect())
}

/// Adds `mass` times each of these to its place from `at` on; what is beyond an end goes to the end.
fn spread(to: &mut [u128], from: &[u64], at: i64, mass: u64) -> Option<()> {
    let mass = u128::from(mass);
    let sum = |part: &[u64]| part.iter().map(|x| u128::from(*x)).sum::<u128>();
    let below = usize::try_from(at.min(0).unsigned_abs()).ok()?;
    let (below, rest) = from.split_at_checked(below.min(from.len()))?;
    let start = usize::try_from(at.max(0)).ok()?.min(to.len());
    let room = to.len().checked_sub(start)?;
    let (inside, above) = rest.split_at_checked(room.min(rest.len()))?;
    for (to, from) in to.iter_mut().skip(start).zip(inside) {
        *to += u128::from(*from) * mass;
    }
    if let Some(first) = to.first_mut() {
        *first += sum(below) * mass;
    }
    if let Some(last) = to.last_mut() {
        *last += sum(above) * mass;
    }
    Some(())
}

/// Cells that together are the line.
fn cells(rate: &Rational, square: &Rational, width: &Float) -> Option<Vec<Cell>> {
    let number = |x: &Rational| Interval::from_rational(x, BITS);
    let left = Rational::from(1 - rate);
    let width = Interval::point(Float::with_val(BITS, width));
    let mu = number(square).sqrt();
    let half = number(&Rational::from(square / 2u32));
    // The answer with the loss l: (log((e^l − (1 − q))/q) + μ²/2)/μ.
    let answer = |twice: i64| {
        let loss = width.mul(&number(&Rational::from((twice, 2))));
        let excess = loss.exp().sub(&number(&left));
        excess
            .is_positive()
            .then(|| excess.div(&number(rate)).ln().add(&half).div(&mu).middle())
    };
    let above = |at: &Float, shift: &Interval| {
        normal::survival_absolute(&Interval::point(at.clone()).sub(shift)).in_unit()
    };
    let (zero, one) = (Interval::zero(BITS), Interval::one(BITS));
    let least = number(&left).ln().div(&width).middle().floor();
    let mut moves = least.to_integer()?.to_i64()?.max(-FARTHEST);
    let mut last = [one.clone(), one];
    let mut cells = Vec::new();
    loop {
        let next = moves + 1 + (moves - FINE).max(0) / FINE;
        let end = if moves >= 2 * FARTHEST {
            [zero.clone(), zero.clone()]
        } else {
            match answer(moves.checked_add(next)?) {
                Some(end) => [above(&end, &zero), above(&end, &mu)],
                // No answer has so small a loss.
                None => last.clone(),
            }
        };
        let [null, moved] = [0, 1].map(|i| {
            let (from, to) = (last.get(i), end.get(i));
            from.zip(to).map(|(from, to)| from.sub(to).at_least_zero())
        });
        let (null, moved) = (null?, moved?);
        let mixed = null.mul(&number(&left)).add(&moved.mul(&number(rate)));
        cells.push(Cell {
            moves,
            null: units(&null)?,
            mixed: units(&mixed)?,
        });
        if moves >= 2 * FARTHEST {
            return Some(cells);
        }
        last = end;
        moves = next;
    }
}

/// A probability in units, rounded down and up.
fn units(x: &Interval) -> Option<[u64; 2]> {
    let whole = |end: &Float, round| {
        let scaled = Float::with_val(BITS, end << UNIT_BITS);
        scaled.to_integer_round(round)?.0.to_u64()
    };
    Some([whole(x.lo(), Round::Down)?, whole(x.hi(), Round::Up)?])
}

#[cfg(test)]
#[path = "adaptive_tests.rs"]
mod checks;
