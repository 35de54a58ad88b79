//! Tables above the profile of several adaptive selections.

use super::fixed::{ONE, WHOLE, mean_up, times_down, times_up};
use super::lattice::Lattice;
use crate::kernel::is_late;

/// V(rʲ) from above for j = −n, …; V falls.
pub(super) struct Level {
    values: Vec<u128>,
    back: usize,
    /// From where on V is 0, counted from −n.
    end: usize,
    /// A bound from the last of the values on.
    rest: u128,
}

/// Values below this are not told apart.
const FLOOR: u128 = ONE >> 83;

impl Level {
    /// From upper bounds at rʲ, j = 0, …; V is at most the last of them from there on, and 0 from `end` on: V(1/u) = 1 − 1/u + V(u)/u.
    ///
    /// It goes back as far as this lattice is wide.
    pub(super) fn new(forward: &[u128], end: usize, lattice: &Lattice) -> Self {
        let rest = forward.last().copied().unwrap_or(0);
        let bound = |j: usize| match forward.get(j) {
            Some(value) => *value,
            None if j < end => rest,
            None => 0,
        };
        let mirrored = lattice.powers.iter().enumerate().skip(1);
        let mirrored = mirrored.map(|(k, power)| ONE - times_down(ONE - bound(k), power.0));
        let mut values: Vec<u128> = mirrored.collect();
        values.reverse();
        values.extend_from_slice(forward);
        // V falls, so that a bound holds on its right, too.
        let mut least = ONE;
        for value in &mut values {
            least = least.min(*value);
            *value = least;
        }
        Self {
            values,
            back: lattice.steps,
            end: end.saturating_add(lattice.steps),
            rest: least.min(rest),
        }
    }

    /// V at the place, counted from −n.
    fn at(&self, place: usize) -> u128 {
        match self.values.get(place) {
            Some(value) => *value,
            None if place < self.end => self.rest,
            None => 0,
        }
    }
}

/// Upper bounds, at u = rʲ for j = 0, …, of V_T(u) = sup_t q_t·V_{T−1}(u·e^{−t}) + (1 − q_t)·V_{T−1}(u·e^{ε−t}), V_0 = (1 − u)⁺.
///
/// V is convex, so that between two places it is at most the chord through upper bounds there. For t in a block of w steps from i on, with z = e^t and
/// ρ = rʷ, both terms are then at most lines in 1/z, and the right side is at most C − A·z − B/z, where A = (a − a')/(R − 1) for the intercepts a and a'
/// of the chords. If A or B is negative its largest value is at an end. Otherwise the top at θ·rⁱ is above the ends by A·rⁱ(θ − 1)² and
/// A·rⁱ(ρ − θ)²/ρ, the smaller of which is at most A·rⁱ(ρ − 1)²/4.
///
/// Ensures: they fall; at most runs·n values; V_T is at most the last of them from there on, and 0 from runs·n on. `None` when it is late.
pub(super) fn table(lattice: &Lattice, runs: usize) -> Option<Vec<u128>> {
    let mut forward = Vec::new();
    for run in 1..=runs {
        if is_late() {
            return None;
        }
        let before = (run - 1).saturating_mul(lattice.steps);
        let level = Level::new(&forward, before, lattice);
        forward = one_more(&[(&level, lattice)], before.saturating_add(lattice.steps));
    }
    Some(forward)
}

/// The same before one more run, which is any of these, each with a level of what follows it.
///
/// Requires: what follows a run is 0 from `last` less the steps of that run on, and its level goes back by as many steps at least.
pub(super) fn one_more(choices: &[(&Level, &Lattice)], last: usize) -> Vec<u128> {
    let mut next = Vec::new();
    let mut hints: Vec<usize> = choices.iter().map(|(_, of)| of.steps / 2).collect();
    let mut least = ONE;
    for j in 0..last {
        let mut most = 0;
        for ((level, lattice), hint) in choices.iter().zip(&mut hints) {
            let (value, place) = largest(level, lattice, j, *hint);
            *hint = place;
            most = most.max(value);
        }
        least = least.min(most);
        next.push(least);
        if least <= FLOOR {
            break;
        }
    }
    next
}

/// An upper bound over all t at the place j, and the step from which on it is reached.
///
/// Blocks are halved until they are single steps, or surely not the best.
fn largest(level: &Level, lattice: &Lattice, j: usize, hint: usize) -> (u128, usize) {
    let mut best = (0, hint);
    let near = hint.saturating_sub(1)..=hint.saturating_add(1).min(lattice.steps - 1);
    for place in near {
        let value = of_block(level, lattice, j, place, 0);
        if value > best.0 {
            best = (value, place);
        }
    }
    let mut open = lattice.blocks.clone();
    while let Some((start, exponent)) = open.pop() {
        let value = of_block(level, lattice, j, start, exponent);
        if value <= best.0 {
            continue;
        }
        match exponent.checked_sub(1) {
            None => best = (value, start),
            Some(half) => {
                open.push((start, half));
                open.push((start + (1 << half), half));
            }
        }
    }
    best
}

/// An upper bound over all t from `start` to `start` + 2^`exponent` steps.
fn of_block(level: &Level, lattice: &Lattice, j: usize, start: usize, exponent: usize) -> u128 {
    let n = lattice.steps;
    let excess = lattice.excess.get(exponent);
    let excess = excess.and_then(|of| of.get(start >> exponent).copied().flatten());
    let Some((square, linear)) = excess else {
        return ONE;
    };
    let q = |i: usize| lattice.first.get(i).copied().unwrap_or((0, WHOLE));
    let end = start + (1 << exponent);
    // V at u·e^{−t} and at u·e^{ε−t}, for the least and the largest t of the block.
    let (right, left) = (j + level.back - start, (j + level.back).saturating_sub(end));
    let (near, near_right) = (level.at(left), level.at(right));
    let (far, far_right) = (level.at(left + n), level.at(right + n));
    let ends = mean_up(near_right, far_right, q(start)).max(mean_up(near, far, q(end)));
    let (fall, fall_far) = (near - near_right, far - far_right);
    ends + times_up(near - far, square) + times_up(fall.saturating_sub(fall_far), linear)
}

#[cfg(test)]
#[path = "above_tests.rs"]
mod tests;
