//! What an adversary learns from the largest answer of one epoch.
//!
//! An epoch has T steps with noise N(0, σ²); in one of them, however chosen, the sum is shifted by s. The largest answer M has
//! P(M ≤ C) = Φ((C − s)/σ)·Φ(C/σ)^{T − 1}, whichever step it was. Any thresholds C make a post-processing of the epoch.

use rug::float::Round;
use rug::{Float, Integer, Rational};

use crate::kernel::Interval;
use crate::kernel::normal;

/// Working precision.
const BITS: u32 = 192;

/// Probabilities are multiples of 2^-this.
const GRID_BITS: u32 = 160;

/// Thresholds are so many σ around the shifts at most.
const FARTHEST: u32 = 14;

/// Below a threshold that all answers pass but with probability 2^-this there are no others.
const LEFT_BITS: i64 = 150;

const FEWEST: u32 = 400;
const MOST: u32 = 4_000;

/// Thresholds per unit of the loss.
const PER_LOSS: u32 = 100;

/// Two probability vectors (p, q): a pair that is below the one of the largest answers with shift `without` and `with`.
///
/// Requires: `sigma` > 0, `steps` ≥ 1, 0 ≤ `without` < `with`.
/// Ensures: each threshold C gives a test of power P(M > C) under either shift. Powers are rounded up without the record and down with
/// it, which moves the point (power without, power with) into the region of points that are tests of the epoch: this region is convex and holds (0, 0)
/// and (1, 1), hence everything below its upper edge and above the diagonal. The concave polygon above the points is in it, too, and the pair of
/// its edges has that polygon as its upper edge; so every δ(u), in both orders, is at most that of the epoch.
pub(crate) fn largest_answer(
    sigma: &Rational,
    steps: u64,
    without: u32,
    with: u32,
) -> (Vec<Rational>, Vec<Rational>) {
    on_multiples(GRID_BITS, sigma, steps, without, with)
}

/// The same with probabilities that are multiples of 2^-`grid_bits`.
fn on_multiples(
    grid_bits: u32,
    sigma: &Rational,
    steps: u64,
    without: u32,
    with: u32,
) -> (Vec<Rational>, Vec<Rational>) {
    let mut tests = vec![(Rational::new(), Rational::new())];
    for threshold in thresholds(sigma, steps, without, with) {
        let [p, q] = powers(&threshold, sigma, steps, [without, with]);
        tests.push((
            on_grid(p.hi(), grid_bits, Round::Up),
            on_grid(q.lo(), grid_bits, Round::Down),
        ));
    }
    tests.push((Rational::from(1), Rational::from(1)));
    edges(&concave(tests))
}

/// P(M > C) under each of some shifts. The answers that are not shifted are the same for all: their logarithm is taken once.
fn powers<const SHIFTS: usize>(
    threshold: &Rational,
    sigma: &Rational,
    steps: u64,
    shifts: [u32; SHIFTS],
) -> [Interval; SHIFTS] {
    let unshifted = stays(threshold, sigma, 0);
    let others = Interval::from_integer(&(Integer::from(steps) - 1u32), BITS).mul(&unshifted);
    shifts.map(|shift| {
        let shifted = match shift {
            0 => unshifted.clone(),
            _ => stays(threshold, sigma, shift),
        };
        shifted.add(&others).exp_m1().neg().in_unit()
    })
}

/// log P(an answer with this shift stays at or below C).
fn stays(threshold: &Rational, sigma: &Rational, shift: u32) -> Interval {
    let place = Rational::from(threshold - shift) / sigma;
    log_cdf(&Interval::from_rational(&place, BITS))
}

/// log Φ(x), so that T times it has an exponential with an absolute error far below the grid: Φ is off by about 2^-177, log Φ by that over Φ, and Φ^T by T·Φ^{T − 1} times as much.
fn log_cdf(x: &Interval) -> Interval {
    if x.is_positive() {
        normal::survival_absolute(x).neg().ln_1p()
    } else {
        normal::cdf_absolute(x).ln()
    }
}

/// Places that are worth a threshold, from the right; which ones decides only how much is learned.
fn thresholds(
    sigma: &Rational,
    steps: u64,
    without: u32,
    with: u32,
) -> impl Iterator<Item = Rational> {
    let far = Rational::from(sigma * FARTHEST);
    let right = Rational::from(&far + with);
    let left = sigma * leftmost(steps);
    let range = Rational::from(&right - &left);
    // The loss of a threshold rises by (with − without)/σ² per unit.
    let wanted = Rational::from(&range * PER_LOSS) * (with.saturating_sub(without)) / sigma / sigma;
    let count = wanted
        .clamp(&Rational::from(FEWEST), &Rational::from(MOST))
        .trunc()
        .numer()
        .to_u32()
        .unwrap_or(MOST);
    let step = range / count;
    (0..=count).map(move |index| &right - &step * Rational::from(index))
}

/// A multiple of σ that the largest of T answers exceeds nearly surely: Φ^T ≤ 2^-150.
fn leftmost(steps: u64) -> Rational {
    let count = Interval::from_integer(&Integer::from(steps), 64);
    let nearly_never = Interval::from_i64(LEFT_BITS, 64).neg();
    let mut best = -Rational::from(FARTHEST);
    for quarters in 0..FARTHEST.saturating_mul(8) {
        let place = Rational::from((quarters, 4)) - FARTHEST;
        let log = log_cdf(&Interval::from_rational(&place, 64));
        if !count.mul(&log).certainly_lt(&nearly_never) {
            break;
        }
        best = place;
    }
    best
}

/// A probability rounded to the grid.
fn on_grid(x: &Float, grid_bits: u32, round: Round) -> Rational {
    let scaled = Float::with_val(BITS, x) << grid_bits;
    let whole = scaled.to_integer_round(round).map(|(whole, _)| whole);
    // What is no number says nothing: the test that always, or never, rejects.
    let trivial = || match round {
        Round::Up => Integer::from(1) << grid_bits,
        _ => Integer::new(),
    };
    let all = Integer::from(1) << grid_bits;
    let whole = whole.unwrap_or_else(trivial).clamp(&Integer::new(), &all);
    Rational::from((whole, all))
}

/// The corners of the least concave function above some points, from (0, 0) to (1, 1).
///
/// Requires: both of these are among them, and all lie in the unit square.
pub(in crate::mechanism) fn concave(
    mut points: Vec<(Rational, Rational)>,
) -> Vec<(Rational, Rational)> {
    points.sort_unstable();
    let mut corners: Vec<(Rational, Rational)> = Vec::new();
    for point in points {
        while let [.., before, last] = corners.as_slice() {
            let rise = Rational::from(&last.1 - &before.1) * Rational::from(&point.0 - &last.0);
            let next = Rational::from(&point.1 - &last.1) * Rational::from(&last.0 - &before.0);
            if rise > next {
                break;
            }
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

/// The masses between neighbouring corners.
pub(in crate::mechanism) fn edges(
    corners: &[(Rational, Rational)],
) -> (Vec<Rational>, Vec<Rational>) {
    corners
        .iter()
        .zip(corners.iter().skip(1))
        .map(|(a, b)| (Rational::from(&b.0 - &a.0), Rational::from(&b.1 - &a.1)))
        .unzip()
}

#[cfg(test)]
#[path = "thresholds_tests.rs"]
mod tests;
