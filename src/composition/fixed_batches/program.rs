//! The dynamic program: what an adversary can gain in T steps, who chooses the records after each answer.
//!
//! With V the largest δ of what follows, convex, and V = Σ wⱼ(1 − u/xⱼ)⁺ + w_∞ at and above the lattice xⱼ = ρ^j, one more step has
//! E_Q V(u/LR) = Σ wⱼ·H_{u/xⱼ}(Q‖P) + w_∞ ≤ V(u) + Σ wⱼ·gain(u/xⱼ), and the largest over all triangles is at most that over the corners of a cover.
//! δ of T steps is the same in both orders, so that half of V is enough: V(u) = 1 − u + u·V(1/u).

use super::kernels::UNIT_BITS;
use crate::kernel::{Budget, Failure, InvariantViolation, in_parallel};
use crate::law::Mass;
use crate::law::transform::{Factor, Products};

/// δ along the lattice from u = 1 on, in units; convex between, and constant beyond the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// N, where ρ = 1 + 1/N.
    pub density: u32,
    /// In units of 2^-84.
    pub values: Vec<u128>,
}

const ONE: u128 = 1 << UNIT_BITS;

/// The tables after the numbers of steps in `stops`, which rise.
pub(super) fn run(
    rows: &[Vec<u128>],
    density: u32,
    reach: usize,
    stops: &[u64],
    budget: &Budget,
) -> Result<Option<Vec<Table>>, Failure> {
    let Some(program) = Program::new(rows, density, reach)? else {
        return Ok(None);
    };
    let mut values = vec![0u128; reach + 1];
    let mut tables = Vec::with_capacity(stops.len());
    let mut steps = 0;
    for stop in stops {
        while steps < *stop {
            budget.check()?;
            values = program.step(&values)?;
            steps += 1;
        }
        match convex(values.clone(), density) {
            Some(values) => tables.push(Table { density, values }),
            None => return Ok(None),
        }
    }
    Ok(Some(tables))
}

struct Program {
    density: u32,
    reach: usize,
    products: Products<3>,
    kernels: Vec<Factor<2>>,
    /// Kernels of one thread.
    share: usize,
    /// ρ^−j, in units, rounded up.
    inverse: Vec<u128>,
}

impl Program {
    fn new(rows: &[Vec<u128>], density: u32, reach: usize) -> Result<Option<Self>, Failure> {
        let longest = 5 * reach + 2;
        let Some(products) = Products::new(longest) else {
            return Ok(None);
        };
        let kernels = rows.iter().map(|row| {
            let masses: Vec<Mass<2>> = row.iter().map(|x| mass(*x)).collect();
            products.factor(masses)
        });
        let kernels = kernels.collect::<Result<Vec<_>, InvariantViolation>>()?;
        // The largest of all gains does not depend on who computes them.
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let whole = u128::from(density) + 1;
        let mut inverse = Vec::with_capacity(reach + 1);
        let mut next = ONE;
        for _ in 0..=reach {
            inverse.push(next);
            next = (next * u128::from(density)).div_ceil(whole);
        }
        Ok(Some(Self {
            density,
            reach,
            products,
            share: kernels.len().div_ceil(threads.clamp(1, 16)).max(1),
            kernels,
            inverse,
        }))
    }

    /// One more step.
    fn step(&self, values: &[u128]) -> Result<Vec<u128>, Failure> {
        let (weights, base) = hinges(values, self.density)?;
        let mirrored = weights.iter().zip(&self.inverse).skip(1).rev();
        // w_{−j} = wⱼ/xⱼ.
        let mirrored = mirrored.map(|(w, inverse)| times_up(*w, *inverse));
        let all: Vec<Mass<2>> = mirrored.chain(weights.iter().copied()).map(mass).collect();
        let all = self.products.factor(all)?;
        let chunks: Vec<&[Factor<2>]> = self.kernels.chunks(self.share).collect();
        let gains = in_parallel(&chunks, chunks.len(), |kernels| {
            Ok(self.largest(&all, kernels)?)
        })?;
        let mut most = vec![0u128; self.reach + 1];
        for gains in gains {
            for (most, gain) in most.iter_mut().zip(gains) {
                *most = (*most).max(gain);
            }
        }
        let next = base.iter().zip(most);
        Ok(next
            .map(|(base, gain)| base.saturating_add(gain).min(ONE))
            .collect())
    }

    /// The largest gain of any of these kernels, at each place from u = 1 on.
    fn largest(
        &self,
        weights: &Factor<2>,
        kernels: &[Factor<2>],
    ) -> Result<Vec<u128>, InvariantViolation> {
        let mut most = vec![0u128; self.reach + 1];
        for kernel in kernels {
            let product = self.products.product(weights, kernel)?;
            let part = product
                .get(2 * self.reach..=3 * self.reach)
                .unwrap_or_default();
            for (most, sum) in most.iter_mut().zip(part) {
                // At least the sum over 2^84.
                let units = sum
                    .shifted_down(UNIT_BITS)
                    .map_or(ONE, |floor| number(&floor).saturating_add(1));
                *most = (*most).max(units);
            }
        }
        Ok(most)
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

fn mass(x: u128) -> Mass<2> {
    let bytes = x.to_le_bytes();
    let mut limbs = [0u64; 2];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    }
    Mass::from_limbs(limbs)
}

fn number(x: &Mass<2>) -> u128 {
    let limbs = x.limbs().iter().rev();
    limbs.fold(0, |sum, limb| (sum << 64) | u128::from(*limb))
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
