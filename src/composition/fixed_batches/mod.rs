//! Several steps on batches of fixed size: an upper bound of δ that no composition of one pair gives.
//!
//! Which of the other records are worst depends on what was answered so far, so that the largest of the compositions of single pairs is no bound of them (an
//! adversary reaches more), and the composition of the largest profile of one step is a loose one. In between: the largest δ of T steps is a supremum over
//! triangles of three records, step by step backwards, computed by a dynamic program with everything rounded up (`proofs/README.md`, W3 and W4).

mod hinges;
mod kernels;
mod program;
mod stretches;
mod table;
mod tree;
mod triangles;

use std::sync::Arc;

use rug::Rational;

use crate::kernel::{Budget, Failure, Profile};
use crate::plan::lattice_of_ratios;
use kernels::{Ratios, kernels};
use table::Tabulated;
use triangles::{Cover, Grid};

/// A profile that dominates so many steps, and how often such a block is taken.
pub(super) type Blocks = Vec<(Arc<dyn Profile>, u64)>;

/// Gaussian noise on batches of fixed size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batches<'a> {
    /// The share of the records in a batch.
    pub rate: &'a Rational,
    /// (c/σ)² for the record bound c.
    pub unit_squared: &'a Rational,
}

/// Blocks that together dominate `times` adaptive steps of Gaussian noise on batches of fixed size, any record replaced by any other.
///
/// `None` if the bound is not worth it, or there is no time for it.
///
/// # Errors
/// If the user stops.
pub(super) fn blocks(
    batches: Batches<'_>,
    times: u64,
    budget: &Budget,
) -> Result<Option<Blocks>, Failure> {
    // The rest of the time is for the questions, and for the way without this bound.
    match within(batches, times, Grid::Fine, &budget.most_of_it()) {
        Err(Failure::Interrupted) if !budget.is_stopped() => Ok(None),
        other => other,
    }
}

fn within(
    batches: Batches<'_>,
    times: u64,
    grid: Grid,
    budget: &Budget,
) -> Result<Option<Blocks>, Failure> {
    let Batches { rate, unit_squared } = batches;
    let mu = Rational::from(unit_squared * 4u32);
    let plan = lattice_of_ratios(rate, &mu, times);
    let lattice = Ratios::new(plan.density, plan.reach);
    let cover = Cover::new(grid);
    let Some(rows) = kernels(&cover, rate, unit_squared, &lattice, budget)? else {
        return Ok(None);
    };
    let stops = stops(times, plan.block);
    let found = program::run(rows, lattice.density, lattice.reach, &stops, budget)?;
    Ok(found.map(|(table, steps)| {
        let profile: Arc<dyn Profile> = Arc::new(Tabulated::new(table));
        // A few steps more than there are only add to δ.
        vec![(profile, times.div_ceil(steps.max(1)))]
    }))
}

/// Steps of alike blocks, of at most so many, that have at least `times` steps together: rising, so that those that there was time for are of use.
fn stops(times: u64, most: u64) -> Vec<u64> {
    const FEWEST: u64 = 32;
    let mut count = times.div_ceil(most.max(1)).max(1);
    let mut stops = vec![times.div_ceil(count)];
    while let Some(last) = stops.last().copied().filter(|last| *last > FEWEST) {
        count += (count / 8).max(1);
        let next = times.div_ceil(count);
        if next < last {
            stops.push(next);
        }
    }
    stops.reverse();
    stops
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
