//! Adaptive runs of exponential mechanisms with different ε, in whatever order.

use rug::Rational;

use super::above::{Level, one_more};
use super::adaptive::{self, PLACES};
use super::below;
use super::lattice::{self, Lattice, Side};
use super::polygon::Polygon;
use crate::kernel::{Interval, is_late};
use crate::mechanism::epsilon::{Epsilon, StatedEpsilon};
use crate::mechanism::finite::gcd;

/// Tables have at most so many values in all.
const MOST_VALUES: u32 = 3 << 20;
/// Fewest steps of the smallest ε, and most of the largest.
const STEPS: (u32, u32) = (32, 2_048);
/// Bits of ε, for the choice of a step only.
const BITS: u32 = 64;

/// A profile that is nowhere below that of any adversary who takes each exponential mechanism so many times, in an order that may depend on
/// what was released (J5): V_k(u) is the largest over i of what one run of mechanism i before V_{k − e_i} makes of it.
///
/// `None` beyond the limits. When it is late, only the end of all losses is known of it.
pub(super) fn upper(all: &[(Epsilon, u64)]) -> Option<Polygon> {
    let runs = lattices(all, Side::Above)?;
    let counts: Vec<usize> = runs.iter().map(|(_, count)| *count).collect();
    let lattices: Vec<&Lattice> = runs.iter().map(|(lattice, _)| lattice).collect();
    let widest = lattices.iter().max_by_key(|lattice| lattice.steps)?;
    // The counts of a state are its digits; how far apart two states are that differ by one run of each.
    let mut strides = Vec::with_capacity(counts.len());
    let mut states = 1usize;
    for count in &counts {
        strides.push(states);
        states = states.checked_mul(count.checked_add(1)?)?;
    }
    let mut levels: Vec<Level> = Vec::with_capacity(states);
    let mut last = Vec::new();
    let end = counts.iter().zip(&lattices);
    let end = end.map(|(runs, lattice)| runs * lattice.steps).sum();
    for state in 0..states {
        if is_late() {
            return adaptive::polygon_of_end(widest, end);
        }
        let digit = |(stride, count): (&usize, &usize)| {
            let base = count.saturating_add(1);
            state.checked_div(*stride)?.checked_rem(base)
        };
        let taken: Vec<usize> = strides
            .iter()
            .zip(&counts)
            .map(digit)
            .collect::<Option<_>>()?;
        let end = taken
            .iter()
            .zip(&lattices)
            .try_fold(0usize, |sum, (runs, lattice)| {
                sum.checked_add(runs.checked_mul(lattice.steps)?)
            })?;
        let before = taken.iter().zip(&strides).zip(&lattices);
        let before = before.filter(|((runs, _), _)| **runs > 0);
        let choices = before.map(|((_, stride), lattice)| {
            let place = state.checked_sub(*stride)?;
            Some((levels.get(place)?, *lattice))
        });
        last = one_more(&choices.collect::<Option<Vec<_>>>()?, end);
        levels.push(Level::new(&last, end, widest));
    }
    adaptive::polygon_above(widest, last, end)
}

/// A profile that is nowhere above the largest of those of some adversaries who take the runs in this order. `None` beyond the limits.
pub(super) fn lower(all: &[(Epsilon, u64)]) -> Option<Polygon> {
    let runs = lattices(all, Side::Below)?;
    let runs: Vec<(&Lattice, usize)> = runs.iter().map(|(of, count)| (of, *count)).collect();
    let (first, _) = runs.first()?;
    adaptive::polygon_below(first, &below::table(&runs))
}

/// A lattice for each ε, all of one ratio.
fn lattices(all: &[(Epsilon, u64)], side: Side) -> Option<Vec<(Lattice, usize)>> {
    let ratio = lattice::ratio(&Interval::from_rational(&width(all)?, 256), side)?;
    let one = |(epsilon, runs): &(Epsilon, u64)| {
        let lattice = Lattice::around(epsilon, ratio.clone(), side)?;
        Some((lattice, usize::try_from(*runs).ok()?))
    };
    all.iter().map(one).collect()
}

/// Are there tables for these runs?
pub(super) fn is_built(all: &[(Epsilon, u64)]) -> bool {
    all.len() > 1 && width(all).is_some()
}

/// The width of a step, of which each ε is a whole number, or nearly; `None` if there would be too many.
fn width(all: &[(Epsilon, u64)]) -> Option<Rational> {
    let mut states = Rational::from(1);
    let mut sum = Rational::new();
    for (epsilon, runs) in all {
        states *= Rational::from(*runs) + 1u32;
        sum += epsilon.rational_up() * Rational::from(*runs);
    }
    let sizes = || all.iter().map(|(epsilon, _)| epsilon.rational_up());
    let (largest, smallest) = (sizes().max()?, sizes().min()?);
    let mean = Rational::from(&sum / 2u32) + &largest;
    let least = [
        mean * &states / MOST_VALUES,
        sum / Rational::from(PLACES),
        largest / STEPS.1,
    ];
    let least = least.into_iter().max()?;
    let most = (smallest.clone() / STEPS.0).min(Rational::from((1, 8)));
    if least > most {
        return None;
    }
    let divided = |whole: Rational| {
        let parts = Rational::from(&whole / &least).floor();
        let width = (parts > 0).then(|| whole / parts)?;
        (width <= most).then_some(width)
    };
    let stated = all.iter().map(|(epsilon, _)| match epsilon.stated() {
        StatedEpsilon::Number(x) => Some(x.clone()),
        StatedEpsilon::Exp(_) => None,
    });
    let common = stated.collect::<Option<Vec<Rational>>>();
    let common = common.and_then(|all| all.into_iter().reduce(|a, b| gcd(&a, &b)));
    let width = common.and_then(divided).or_else(|| divided(smallest))?;
    let short = Interval::from_rational(&width, BITS);
    short.lo().to_rational()
}

#[cfg(test)]
#[path = "together_tests.rs"]
mod tests;
