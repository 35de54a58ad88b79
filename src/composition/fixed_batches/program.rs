//! The dynamic program: what an adversary can gain in T steps, who chooses the records after each answer.
//!
//! With V the largest δ of what follows, convex, and V = Σ wⱼ(1 − u/xⱼ)⁺ + w_∞ at and above the lattice xⱼ = ρ^j, one more step has
//! E_Q V(u/LR) = Σ wⱼ·H_{u/xⱼ}(Q‖P) + w_∞ ≤ V(u) + Σ wⱼ·gain(u/xⱼ), and the largest over all triangles is at most that over the corners of a cover.
//! δ of T steps is the same in both orders, so that half of V is enough: V(u) = 1 − u + u·V(1/u).

use super::kernels::{UNIT_BITS, threads};
use super::stretches::Stretches;
use super::tree::{Row, Tree};
use crate::kernel::{Budget, Failure, InvariantViolation, in_parallel};

/// δ along the lattice from u = 1 on, in units; convex between, and constant beyond the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// N, where ρ = 1 + 1/N.
    pub density: u32,
    /// In units of 2^-84.
    pub values: Vec<u128>,
}

const ONE: u128 = 1 << UNIT_BITS;

/// The table after as many steps as there is time for, of the numbers of steps in `stops`, which rise; and how many those are.
pub(super) fn run(
    rows: Vec<Row>,
    density: u32,
    reach: usize,
    stops: &[u64],
    budget: &Budget,
) -> Result<Option<(Table, u64)>, Failure> {
    let Some(mut program) = Program::new(rows, density, reach)? else {
        return Ok(None);
    };
    let mut values = vec![0u128; reach + 1];
    let mut last = None;
    let mut steps = 0;
    for stop in stops {
        while steps < *stop {
            match budget.check() {
                Err(Failure::Interrupted) if last.is_some() && !budget.is_stopped() => {
                    return Ok(last);
                }
                other => other?,
            }
            values = program.step(&values, steps)?;
            steps += 1;
        }
        match convex(values.clone(), density) {
            Some(values) => last = Some((Table { density, values }, steps)),
            None => return Ok(last),
        }
    }
    Ok(last)
}

struct Program {
    density: u32,
    tree: Tree,
    stretches: Stretches,
    /// For each stretch the groups that were enough last time.
    active: Vec<Vec<usize>>,
    /// ρ^−j, in units, rounded up.
    inverse: Vec<u128>,
}

impl Program {
    fn new(rows: Vec<Row>, density: u32, reach: usize) -> Result<Option<Self>, Failure> {
        let tree = Tree::new(rows);
        let Some(stretches) = Stretches::new(&tree.nodes, reach)? else {
            return Ok(None);
        };
        let whole = u128::from(density) + 1;
        let mut inverse = Vec::with_capacity(reach + 1);
        let mut next = ONE;
        for _ in 0..=reach {
            inverse.push(next);
            next = (next * u128::from(density)).div_ceil(whole);
        }
        Ok(Some(Self {
            density,
            active: vec![tree.root.clone(); stretches.count()],
            tree,
            stretches,
            inverse,
        }))
    }

    /// One more step, after so many.
    fn step(&mut self, values: &[u128], steps: u64) -> Result<Vec<u128>, Failure> {
        let (weights, base) = hinges(values, self.density)?;
        let mirrored = weights.iter().zip(&self.inverse).skip(1);
        // w_{−j} = wⱼ/xⱼ.
        let mirrored = mirrored
            .take(self.stretches.exact())
            .map(|(w, inverse)| times_up(*w, *inverse));
        let all = mirrored.rev().chain(weights.iter().copied());
        let all = all.map(Stretches::weight);
        let all = all.collect::<Result<Vec<_>, InvariantViolation>>()?;
        // All weights, of both sides, are 2 at most.
        let sum: u128 = weights.iter().map(|w| 2 * w).sum();
        let common = self.stretches.common(&all, sum)?;
        let mut near = Vec::with_capacity(base.len());
        for (number, active) in self.active.iter_mut().enumerate() {
            let stretch = self.stretches.stretch(number, &all)?;
            let gains =
                |nodes: &[usize]| in_parallel(nodes, threads(), |node| Ok(stretch.gains(*node)?));
            let (most, enough) = self.tree.largest(steps, active, gains)?;
            near.extend(most);
            *active = enough;
        }
        if near.len() != base.len() || common.len() != base.len() {
            return Err(InvariantViolation("a step of a table of δ has gaps".into()).into());
        }
        let gains = near.into_iter().zip(common).map(|(near, far)| near + far);
        let next = base.iter().zip(gains);
        Ok(next
            .map(|(base, gain)| base.saturating_add(gain).min(ONE))
            .collect())
    }
}

/// Weights wⱼ ≥ 0 of hinges at the lattice from u = 1 on, and the values of their sum, which is at least the table.
///
/// The chords between the values are Σ wⱼ(1 − u/xⱼ)⁺ + w_∞ with wⱼ = N·V_{j+1} − (2N + 1)·Vⱼ + (N + 1)·V_{j−1}. Negative weights −nⱼ are left out, which adds
/// Sⱼ = Σ_{i > j} nᵢ(1 − xⱼ/xᵢ): with Yⱼ = xⱼ·Σ_{i ≥ j} nᵢ/xᵢ = nⱼ + Y_{j+1}·N/(N + 1) it is S_{j−1} = Sⱼ + Yⱼ/(N + 1). (Steps instead of these lines would make weights that
/// are negative again, and more of them.)
fn hinges(values: &[u128], density: u32) -> Result<(Vec<u128>, Vec<u128>), InvariantViolation> {
    /// Further bits of S and Y.
    const FINER: u32 = 20;
    let too_large = || InvariantViolation("a table of δ is too far from convex".into());
    let weights = weights(values, density)?;
    let whole = u128::from(density) + 1;
    let mut base = Vec::with_capacity(values.len());
    let (mut slope, mut added) = (0u128, 0u128);
    for (weight, value) in weights.iter().zip(values).rev() {
        base.push(value.saturating_add(added.div_ceil(1 << FINER)));
        if *weight < 0 {
            let missing = weight.unsigned_abs().checked_mul(1 << FINER);
            let sum = missing.and_then(|missing| slope.checked_add(missing));
            slope = sum.ok_or_else(too_large)?;
        }
        added = added
            .checked_add(slope.div_ceil(whole))
            .ok_or_else(too_large)?;
        slope -= slope / whole;
    }
    base.reverse();
    let kept = weights.iter().map(|w| u128::try_from(*w).unwrap_or(0));
    Ok((kept.collect(), base))
}

fn weights(values: &[u128], density: u32) -> Result<Vec<i128>, InvariantViolation> {
    let too_large = || InvariantViolation("a table of δ is too large".into());
    let n = i128::from(density);
    let one = i128::try_from(ONE).map_err(|_| too_large())?;
    let value = |index: usize| -> Result<i128, InvariantViolation> {
        // Constant beyond the end.
        let value = values.get(index).or(values.last()).copied().unwrap_or(0);
        i128::try_from(value).map_err(|_| too_large())
    };
    let mut weights = Vec::with_capacity(values.len());
    for index in 0..values.len() {
        let (here, next) = (value(index)?, value(index + 1)?);
        let weight = match index.checked_sub(1) {
            // (N + 1)·V(1/ρ) = 1 + N·V(ρ).
            None => one + 2 * n * next - (2 * n + 1) * here,
            Some(last) => n * next - (2 * n + 1) * here + (n + 1) * value(last)?,
        };
        weights.push(weight);
    }
    Ok(weights)
}

/// A table at least as large, convex with what mirrors it; `None` if there is none below 1.
fn convex(mut values: Vec<u128>, density: u32) -> Option<Vec<u128>> {
    let n = u128::from(density);
    // From the right: V_{j−1} ≥ ((2N + 1)·Vⱼ − N·V_{j+1})/(N + 1).
    for index in (1..values.len()).rev() {
        let here = *values.get(index)?;
        let next = *values.get(index + 1).unwrap_or(&here);
        let least = ((2 * n + 1) * here)
            .saturating_sub(n * next)
            .div_ceil(n + 1);
        let before = values.get_mut(index - 1)?;
        *before = (*before).max(least);
    }
    // From the middle: 2N·V₁ ≥ (2N + 1)·V₀ − 1, and N·V_{j+1} ≥ (2N + 1)·Vⱼ − (N + 1)·V_{j−1}.
    let first = *values.first()?;
    let least = ((2 * n + 1) * first).saturating_sub(ONE).div_ceil(2 * n);
    let mut index = 1;
    let mut needed = least;
    while let Some(here) = values.get_mut(index) {
        if *here >= needed {
            break;
        }
        *here = needed;
        let (here, before) = (*here, *values.get(index - 1)?);
        needed = ((2 * n + 1) * here)
            .saturating_sub((n + 1) * before)
            .div_ceil(n);
        index += 1;
    }
    let is_done = weights(&values, density).ok()?.iter().all(|w| *w >= 0);
    (is_done && values.iter().all(|v| *v <= ONE)).then_some(values)
}

/// ⌈w·t⌉ for a fraction t in units: w and t below 2^86.
fn times_up(w: u128, t: u128) -> u128 {
    // Halves of 43 bits: w·t/2^84.
    const HALF: u32 = UNIT_BITS / 2;
    const MASK: u128 = (1 << HALF) - 1;
    let (high, low) = (w >> HALF, w & MASK);
    let (top, rest) = (t >> HALF, t & MASK);
    let middle = high * rest + low * top;
    let bottom = low * rest;
    let carried = middle + (bottom >> HALF) + 1;
    high * top + (carried >> HALF) + 1
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
