//! How fine the laws of a composition are, step by step.

use rug::Rational;

use super::{Demand, Shape};
use crate::kernel::{Budget, Failure, Profile};

/// One step on the way from a first glance to the finest laws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// log2 of the cells across the bulk of a law.
    level: u32,
    /// Mass that the tails may lose.
    tail: f64,
}

const FIRST_LEVEL: u32 = 11;
const LAST_LEVEL: u32 = 20;
/// Tails are never wider than this, nor budgeted below the other.
const WIDEST_TAIL: f64 = 1e-13;
const NARROWEST_TAIL: f64 = 1e-307;

impl Resolution {
    /// The step after `last`: more cells, or the same with narrower tails if those stood in the way; `None` after the
    /// finest.
    pub fn after(last: Option<Self>, tail_wanted: &Rational) -> Option<Self> {
        let tail = tail_wanted.to_f64().clamp(NARROWEST_TAIL, WIDEST_TAIL);
        match last {
            None => Some(Self {
                level: FIRST_LEVEL,
                tail,
            }),
            Some(last) if tail < last.tail / 10.0 => Some(Self { tail, ..last }),
            Some(last) => (last.level < LAST_LEVEL).then(|| Self {
                level: last.level + 1,
                tail: tail.min(last.tail),
            }),
        }
    }

    /// Cells across the bulk of a law.
    pub fn cells(&self) -> u64 {
        1 << self.level
    }

    /// What the planner is asked for.
    pub fn demand(&self, jobs: usize) -> Demand {
        Demand {
            cells: self.cells(),
            tail: self.tail,
            jobs,
        }
    }
}

/// The shapes of parts that are composed so many times each.
///
/// # Errors
/// If the budget ends.
pub fn shapes<'a>(
    parts: impl Iterator<Item = (&'a dyn Profile, u64)>,
    demand: Demand,
    budget: &Budget,
) -> Result<Vec<Shape>, Failure> {
    let parts: Vec<(&dyn Profile, u64)> = parts.collect();
    let steps: f64 = parts.iter().map(|(_, steps)| *steps as f64).sum();
    parts
        .iter()
        .map(|(profile, _)| {
            budget.check()?;
            Ok(Shape::of(*profile, demand.tail / steps.max(1.0)))
        })
        .collect()
}
