//! Tables above the profile of several adaptive selections.

use super::fixed::{ONE, mean_up, times_down, times_up};
use super::lattice::Lattice;

/// V(rʲ) from above for j = −n, …; V falls.
struct Level {
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
    fn new(forward: &[u128], end: usize, lattice: &Lattice) -> Self {
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
/// V is convex, so that it is at most the polygon through upper bounds at the places. For t from i to i + 1 steps, with z = e^t, both terms are then
/// on one piece of it each and the right side is C − A·z − B/z, where A = (a − a')/(R − 1) for the intercepts a ≥ a' of the pieces. If A or B is
/// negative the largest value is at an end. Otherwise the top at θ·rⁱ is above the ends by A·rⁱ(θ − 1)² and A·rⁱ(r − θ)²/r, the smaller of which
/// is at most A·rⁱ(r − 1)²/4.
///
/// Ensures: at most runs·n values; V_T is at most the last of them from there on, and 0 from runs·n on.
pub(super) fn table(lattice: &Lattice, runs: usize) -> Vec<u128> {
    let mut forward = Vec::new();
    for run in 1..=runs {
        let before = (run - 1).saturating_mul(lattice.steps);
        let level = Level::new(&forward, before, lattice);
        let last = before.saturating_add(lattice.steps);
        let mut next = Vec::with_capacity(forward.len().saturating_add(lattice.steps));
        let mut hint = lattice.steps / 2;
        for j in 0..last {
            let (value, place) = largest(&level, lattice, j, hint);
            hint = place;
            next.push(value.min(ONE));
            if value <= FLOOR {
                break;
            }
        }
        forward = next;
    }
    forward
}

/// An upper bound over all t at the place j, and the cell of its largest value.
fn largest(level: &Level, lattice: &Lattice, j: usize, hint: usize) -> (u128, usize) {
    let n = lattice.steps;
    let mut best = (0, hint);
    for cell in hint.saturating_sub(1)..=hint.saturating_add(1).min(n.saturating_sub(1)) {
        let value = of_cell(level, lattice, j, cell);
        if value > best.0 {
            best = (value, cell);
        }
    }
    let mut open = vec![(0, n)];
    while let Some((low, high)) = open.pop() {
        if high - low == 1 {
            let value = of_cell(level, lattice, j, low);
            if value > best.0 {
                best = (value, low);
            }
            continue;
        }
        if of_block(level, lattice, j, low, high) <= best.0 {
            continue;
        }
        let middle = low.midpoint(high);
        open.push((low, middle));
        open.push((middle, high));
    }
    best
}

/// All t from `low` to `high` steps: q falls in t, V falls in its argument.
fn of_block(level: &Level, lattice: &Lattice, j: usize, low: usize, high: usize) -> u128 {
    let place = (j + level.back).saturating_sub(high);
    let q = lattice.first.get(low).copied().unwrap_or((0, 0));
    let (a, b) = (level.at(place), level.at(place + lattice.steps));
    b + times_up(a - b, q.1)
}

fn of_cell(level: &Level, lattice: &Lattice, j: usize, cell: usize) -> u128 {
    let n = lattice.steps;
    let place = (j + level.back).saturating_sub(cell);
    let end = |place: usize, i: usize| {
        let q = lattice.first.get(i).copied().unwrap_or((0, 0));
        mean_up(level.at(place), level.at(place + n), q)
    };
    let below = place.saturating_sub(1);
    let ends = end(place, cell).max(end(below, cell + 1));
    let (near, far) = (level.at(below), level.at(below + n));
    let fall = near - level.at(place);
    let fall_far = far - level.at(place + n);
    let (square, linear) = lattice.excess.get(cell).copied().unwrap_or((0, 0));
    ends + times_up(near - far, square) + times_up(fall.saturating_sub(fall_far), linear)
}
