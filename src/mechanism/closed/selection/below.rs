//! Tables below the profile of several adaptive selections: one adversary for each place.

use super::fixed::{ONE, mean_down, mean_up, times_down, times_up};
use super::lattice::Lattice;
use crate::kernel::is_late;

/// δ and −u·δ' of the pair of one adversary at one place, each between two bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// δ(u).
    pub(super) delta: (u128, u128),
    /// u·s for a slope −s of δ at u.
    pub(super) slope: (u128, u128),
}

impl Touch {
    const NOTHING: Self = Self {
        delta: (0, 0),
        slope: (0, 0),
    };

    /// The pair in the other order at 1/u = `power`: 1 − 1/u + δ(u)/u, and (1 − δ(u) − u·s)/u.
    pub(super) fn mirrored(self, power: (u64, u64)) -> Self {
        let rest = |x: u128, y: u128| ONE.saturating_sub(x.saturating_add(y));
        let (low, high) = (self.delta, self.slope);
        Self {
            delta: (
                ONE - times_up(ONE.saturating_sub(low.0), power.1).min(ONE),
                ONE - times_down(ONE.saturating_sub(low.1), power.0),
            ),
            slope: (
                times_down(rest(low.1, high.1), power.0),
                times_up(rest(low.0, high.0), power.1),
            ),
        }
    }

    /// An outcome with Q-mass q after which `first` follows, and one after which `second` does.
    fn mean(first: Self, second: Self, q: (u64, u64)) -> Self {
        let of = |a: (u128, u128), b: (u128, u128)| {
            (mean_down(a.0, b.0, q), mean_up(a.1, b.1, q).min(ONE))
        };
        Self {
            delta: of(first.delta, second.delta),
            slope: of(first.slope, second.slope),
        }
    }
}

/// At u = rʲ for j = 0, …, the profile of an adversary in these runs, in this order, with a slope of it: t is among the places of the lattice, and
/// what follows the outcome with loss t is the adversary of the runs after it at u·e^{−t}, what follows the other that at u·e^{ε−t}.
///
/// Any t will do, so that the best is looked for near that of the place before. When it is late, runs are left out: fewer of them reveal no more.
///
/// Requires: one ratio for all lattices.
pub(super) fn table(runs: &[(&Lattice, usize)]) -> Vec<Touch> {
    let mut forward: Vec<Touch> = Vec::new();
    let Some((widest, _)) = runs.iter().max_by_key(|(lattice, _)| lattice.steps) else {
        return forward;
    };
    let back = widest.steps;
    let mut end = 0usize;
    let single = runs
        .iter()
        .rev()
        .flat_map(|(lattice, count)| std::iter::repeat_n(*lattice, *count));
    for lattice in single {
        if is_late() {
            break;
        }
        let n = lattice.steps;
        let mirrored = widest.powers.iter().enumerate().skip(1);
        let mirrored = mirrored.map(|(k, power)| {
            let there = forward.get(k).copied().unwrap_or(Touch::NOTHING);
            there.mirrored(*power)
        });
        let mut level: Vec<Touch> = mirrored.collect();
        level.reverse();
        level.extend_from_slice(&forward);
        let at = |place: usize| level.get(place).copied().unwrap_or(Touch::NOTHING);
        let of = |j: usize, i: usize| {
            let q = lattice.first.get(i).copied().unwrap_or((0, 0));
            let place = (j + back).saturating_sub(i);
            Touch::mean(at(place), at(place + n), q)
        };
        end = end.saturating_add(n);
        let mut next = Vec::with_capacity(level.len());
        let mut place = n / 2;
        for j in 0..end {
            let mut best = of(j, place);
            // To the left and to the right as long as it rises.
            for forwards in [true, false] {
                while (forwards && place < n) || (!forwards && place > 0) {
                    let other = if forwards { place + 1 } else { place - 1 };
                    let touch = of(j, other);
                    if touch.delta.0 <= best.delta.0 {
                        break;
                    }
                    (best, place) = (touch, other);
                }
            }
            next.push(best);
            if best.delta.0 <= 1 {
                break;
            }
        }
        forward = next;
    }
    forward
}

#[cfg(test)]
#[path = "below_tests.rs"]
mod tests;
