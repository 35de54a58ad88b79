//! Pairs with finitely many losses: a sum over the atoms.

use rug::Rational;

use crate::kernel::{Budget, Failure, Interval, Pick};
use crate::mechanism::Direction;
use crate::mechanism::finite::{FiniteLaw, Numbers};

/// Atoms between two looks at the clock.
const CHUNK: usize = 256;

/// D_t of a finite law. With the losses y_i and the masses q_i of the first argument, (t − 1)·D_t = log Σ q_i·e^{(t−1)y_i},
/// and D_1 = Σ q_i·y_i; mass where the second argument has none makes it infinite for t ≥ 1.
///
/// Requires: `order > 0`.
///
/// # Errors
/// If the budget ends.
pub(super) fn divergence(
    law: &FiniteLaw,
    order: &Rational,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    if is_trivial(law) {
        return Ok(Interval::zero(bits));
    }
    let stated = law.numbers(bits);
    let (numbers, escaping) = match direction {
        Direction::Remove => ((*stated).clone(), law.infinite()),
        Direction::Add => (stated.mirrored(), law.null_only()),
    };
    let (zero, infinity) = (Interval::zero(bits), Interval::infinity(bits));
    if *order >= 1 && !escaping.is_zero() {
        return Ok(if numbers.infinite.is_positive() {
            infinity
        } else {
            zero.hull(&infinity)
        });
    }
    let Some(largest) = numbers.positions.last() else {
        // The laws are disjoint.
        return Ok(infinity);
    };
    let found = if *order == 1 {
        mean(&numbers, bits, budget)?
    } else {
        let excess = Interval::from_rational(&Rational::from(order - 1), bits);
        tilted(&numbers, &excess, bits, budget)?
    };
    let is_bounded = escaping.is_zero();
    // D_t ≤ D_∞, the largest loss; far out in t the sum alone would not tell.
    let capped = if is_bounded {
        Interval::new(
            found.lo().clone().smaller(largest.hi()),
            found.hi().clone().smaller(largest.hi()),
        )?
    } else {
        found
    };
    Ok(capped.at_least_zero())
}

/// The largest finite loss in a direction; `None` if there is mass at +∞.
pub(super) fn largest_loss(law: &FiniteLaw, direction: Direction, bits: u32) -> Option<Interval> {
    let numbers = law.numbers(bits);
    let (escaping, largest) = match direction {
        Direction::Remove => (law.infinite(), numbers.positions.last().cloned()),
        Direction::Add => (
            law.null_only(),
            numbers.positions.first().map(Interval::neg),
        ),
    };
    if escaping.is_zero() { largest } else { None }
}

/// Are both laws the same?
pub(super) fn is_trivial(law: &FiniteLaw) -> bool {
    let is_one_sided = !law.infinite().is_zero() || !law.null_only().is_zero();
    !is_one_sided && law.len() == 1
}

/// Σ q_i·y_i.
fn mean(numbers: &Numbers, bits: u32, budget: &Budget) -> Result<Interval, Failure> {
    let mut sum = Interval::zero(bits);
    for (index, (y, q)) in numbers.positions.iter().zip(&numbers.with).enumerate() {
        if index.is_multiple_of(CHUNK) {
            budget.check()?;
        }
        sum = sum.add(&y.mul(q));
    }
    Ok(sum)
}

/// y_m + log(Σ q_i·e^{s(y_i − y_m)})/s for the atom m at which the terms are largest, about; s = t − 1.
fn tilted(
    numbers: &Numbers,
    excess: &Interval,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let atoms = || numbers.positions.iter().zip(&numbers.with).enumerate();
    let mut reference: Option<(usize, Interval, Interval)> = None;
    for (index, (y, q)) in atoms() {
        if index.is_multiple_of(CHUNK) {
            budget.check()?;
        }
        let size = q.at_bits(64).ln().add(&y.mul(excess).at_bits(64));
        if reference
            .as_ref()
            .is_none_or(|(_, _, known)| size.middle() > known.middle())
        {
            reference = Some((index, y.clone(), size));
        }
    }
    let Some((place, centre, _)) = reference else {
        return Ok(Interval::whole_line(bits));
    };
    let mut sum = Interval::zero(bits);
    for (index, (y, q)) in atoms() {
        if index.is_multiple_of(CHUNK) {
            budget.check()?;
        }
        let term = if index == place {
            q.clone()
        } else {
            q.mul(&y.sub(&centre).mul(excess).exp())
        };
        sum = sum.add(&term);
    }
    Ok(centre.add(&sum.ln().div(excess)))
}

#[cfg(test)]
#[path = "finite_tests.rs"]
mod tests;
