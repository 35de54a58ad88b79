//! Several adaptive selections between two tables.

use rug::{Float, Integer, Rational};

use super::fixed::{ONE, value};
use super::lattice::{Lattice, Side};
use super::polygon::{Line, Polygon};
use super::{above, below};
use crate::kernel::Interval;
use crate::mechanism::epsilon::Epsilon;

/// A table has about this many places over all runs.
pub(super) const PLACES: usize = 13_000;
/// Fewest and most places of one run.
const STEPS: (usize, usize) = (32, 2_048);
/// Upper tables are made up to so many runs.
pub(super) const MOST_RUNS: u64 = 100;
/// And lower ones, which take less time.
const MOST: usize = 1_000;
/// Places of one run, at least, for each unit of ε.
const STEPS_PER_EPSILON: u32 = 8;

fn steps(epsilon: &Epsilon, runs: usize) -> Option<usize> {
    let wanted = epsilon.rational_up() * STEPS_PER_EPSILON;
    let least = wanted.ceil().numer().to_usize()?;
    let (fewest, most) = STEPS;
    let count = PLACES.checked_div(runs)?.clamp(fewest, most).max(least);
    // The largest power of 2 up to that, or the smallest from the fewest on.
    let even = count.checked_next_power_of_two()?;
    let even = if even > count && even / 2 >= least {
        even / 2
    } else {
        even
    };
    (even <= most).then_some(even.max(fewest))
}

/// Is there a table for so many runs? It is for ε from 2^−30 to 250.
pub(super) fn is_built(epsilon: &Epsilon, runs: u64) -> bool {
    let is_wide = epsilon.rational_down() >= Rational::from((1, 1u64 << 30));
    let runs = usize::try_from(runs).ok();
    let steps = runs.and_then(|runs| steps(epsilon, runs));
    is_wide && steps.is_some() && runs.is_some_and(|runs| runs <= MOST)
}

/// A profile that is nowhere below that of any adversary in `runs` runs. `None` beyond the limits. When it is late, only the end of all losses is known of it.
pub(super) fn upper(epsilon: &Epsilon, runs: u64) -> Option<Polygon> {
    let (lattice, runs) = lattice(epsilon, runs, Side::Above)?;
    let end = runs.checked_mul(lattice.steps)?;
    match above::table(&lattice, runs) {
        Some(values) => polygon_above(&lattice, values, end),
        None => polygon_of_end(&lattice, end),
    }
}

/// A profile nowhere below any that is 0 at R = r^`end` and its own mirror image: it is 1 − 1/R at 1/R, so that by convexity it is at most the line (R − u)/(1 + R)
/// between the two, and no more than the larger of 0 and 1 − u elsewhere.
pub(super) fn polygon_of_end(lattice: &Lattice, end: usize) -> Option<Polygon> {
    let places = lattice.places(end, Side::Above);
    let range = Interval::point(places.get(end)?.clone()).at_bits(BITS);
    let slope = Interval::one(BITS).add(&range).recip();
    let slope = slope.lo().to_rational()?;
    let start = Rational::from(1 - &slope);
    Polygon::new(vec![Line { start, slope }])
}

/// A profile nowhere below the one that has these upper bounds at rʲ, j = 0, …, and is 0 at `end`.
///
/// The profile is convex, so that it is at most the chord through upper bounds at any two places, between them: which places take part does not
/// matter, as long as the first and the last do. Those on or above the chord through their neighbours do not, so that only the end is at 0: of
/// equal bounds a chord would be flat, and above 0 for ever.
///
/// Requires: the bounds fall.
pub(super) fn polygon_above(lattice: &Lattice, values: Vec<u128>, end: usize) -> Option<Polygon> {
    let places = lattice.places(end, Side::Above);
    let mut points: Vec<(&Float, u128)> = Vec::with_capacity(values.len().saturating_add(1));
    let last = (places.get(end)?, 0);
    for point in places.iter().zip(values).chain([last]) {
        while let [.., before, middle] = points.as_slice() {
            if !is_no_corner(*before, *middle, point) {
                break;
            }
            points.pop();
        }
        points.push(point);
    }
    let lines = points.iter().zip(points.iter().skip(1));
    Polygon::new(lines.map(|(a, b)| chord(*a, *b)).collect::<Option<_>>()?)
}

/// Is the point in the middle on or above the chord through the others? Up to rounding, but true if it is as high as the first.
fn is_no_corner(
    (first, high): (&Float, u128),
    (middle, value): (&Float, u128),
    (last, low): (&Float, u128),
) -> bool {
    let fall = |to: u128| Float::with_val(BITS, high.saturating_sub(to));
    let way = |to: &Float| Float::with_val(BITS, to - first);
    fall(value) * way(last) <= fall(low) * way(middle)
}

/// A profile that is nowhere above the largest of those of some adversaries in `runs` runs. `None` beyond the limits.
pub(super) fn lower(epsilon: &Epsilon, runs: u64) -> Option<Polygon> {
    let (lattice, runs) = lattice(epsilon, runs, Side::Below)?;
    polygon_below(&lattice, &below::table(&[(&lattice, runs)]))
}

/// The largest of the lines at rʲ, j = 0, ….
pub(super) fn polygon_below(lattice: &Lattice, touches: &[below::Touch]) -> Option<Polygon> {
    let places = lattice.places(touches.len(), Side::Below);
    let lines = places.iter().zip(touches);
    let lines = lines.filter_map(|(place, touch)| tangent(place, touch));
    Polygon::new(lines.collect())
}

fn lattice(epsilon: &Epsilon, runs: u64, side: Side) -> Option<(Lattice, usize)> {
    if !is_built(epsilon, runs) {
        return None;
    }
    let runs = usize::try_from(runs).ok()?;
    let lattice = Lattice::new(epsilon, steps(epsilon, runs)?, side)?;
    Some((lattice, runs))
}

/// Bits of slopes.
const BITS: u32 = 128;

/// A line that is nowhere below a profile between two points above it. Requires: the first is on the left and not lower.
///
/// It is the one through both points; if that starts above 1, the highest that starts at 1 and is above both.
fn chord((u, v): (&Float, u128), (next, w): (&Float, u128)) -> Option<Line> {
    let number = |v: u128| Interval::from_rational(&value(v), BITS);
    let place = |u: &Float| Interval::point(u.clone()).at_bits(BITS);
    let fall = number(v.checked_sub(w)?);
    let slope = fall.div(&place(next).sub(&place(u)));
    let start = number(v).add(&slope.mul(&place(u)));
    if *start.hi() <= 1 {
        return Some(Line {
            start: start.hi().to_rational()?,
            slope: slope.lo().to_rational()?,
        });
    }
    let below = |u: &Float, v: u128| number(v).one_minus().div(&place(u)).at_least_zero();
    let slope = below(u, v).min(&below(next, w));
    Some(Line {
        start: Rational::from(1),
        slope: slope.lo().to_rational()?,
    })
}

/// A line that is nowhere above the one that the touch is on, as far as it is above 0.
///
/// With the slope y/u too small by at most d the true line falls below this one from u on, by d·(v/u − 1) at v, which is at most d·δ/y where this
/// line is above 0. It is lowered by that. A place too small makes it steeper about its start.
fn tangent(place: &Float, touch: &below::Touch) -> Option<Line> {
    let (delta, (slope, steeper)) = (touch.delta.0, touch.slope);
    let unknown = Integer::from(steeper.checked_sub(slope)?) * Integer::from(delta);
    let lowered = (unknown / Integer::from((slope > 0).then_some(slope)?) + 1u32).to_u128()?;
    let delta = delta.checked_sub(lowered)?;
    let steep = Interval::from_rational(&value(slope), BITS).div(&Interval::point(place.clone()));
    Some(Line {
        start: value(delta.checked_add(slope).filter(|start| *start <= ONE)?),
        slope: steep.hi().to_rational()?,
    })
}

#[cfg(test)]
#[path = "adaptive_tests.rs"]
mod tests;
