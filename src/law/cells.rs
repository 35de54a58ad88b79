//! The cells of a sampled profile, as whole numbers: what both base laws are made from.

use rug::{Float, Rational};

use super::knots::{Knots, SampledKnot};
use super::lattice::{ceil_scaled, floor_scaled};
use super::mass::Mass;
use crate::kernel::directed as d;
use crate::kernel::{CELL_BITS, Cells, Interval, InvariantViolation};

/// The part of the pair with a loss in (y_i, y_{i+1}], in units of 2^−bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<const L: usize> {
    /// At most its Q-mass.
    pub mass_down: Mass<L>,
    /// At least e^{y_i} times its P-mass.
    pub tilted_up: Mass<L>,
    /// At least the mass at or above y_{i+1} after the cell has been spread onto its two ends.
    pub survival_up: Mass<L>,
}

/// All cells between the knots, and what lies beyond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellTable<const L: usize> {
    /// Indices of the knots, strictly increasing.
    pub indices: Vec<i64>,
    /// One fewer than the knots.
    pub cells: Vec<Cell<L>>,
    /// At least δ at the last knot.
    pub top_up: Mass<L>,
    /// At most the finite Q-mass above the last knot.
    pub beyond_down: Mass<L>,
    /// At least e^y times the P-mass above the last knot y.
    pub beyond_tilted_up: Mass<L>,
    /// At most Q(L = +∞).
    pub infinite_down: Mass<L>,
    /// The unit of mass is 2^−bits.
    pub bits: u32,
}

impl<const L: usize> CellTable<L> {
    /// The cells between sampled knots.
    ///
    /// The part of the pair in (y_i, y_{i+1}] has the Q-mass A_i − A_{i+1} with A = δ + u·s and the P-mass
    /// s_i − s_{i+1}. The chord of δ over the cell (δ is convex in u, so it lies above) is the line with the Q-tail
    /// δ_i + (δ_i − δ_{i+1})/(e^g − 1), g = y_{i+1} − y_i; it grows with δ_i and falls with δ_{i+1}. Right of the last
    /// knot δ is at most its value there.
    ///
    /// A tilted mass is at most the mass: losses in the cell are above y_i.
    ///
    /// # Errors
    /// If there is no knot: an internal error.
    pub fn from_knots(knots: &Knots, bits: u32) -> Result<Self, InvariantViolation> {
        let Some(last) = knots.values.last() else {
            return Err(InvariantViolation(
                "a profile was sampled at no point".into(),
            ));
        };
        let one = Mass::power_of_two(bits)?;
        let up = |x: &Float| Mass::from_integer(&ceil_scaled(x, bits)).map_or(one, |m| m.min(one));
        let down = |x: &Float| Mass::from_integer(&floor_scaled(x, bits)).unwrap_or(Mass::ZERO);
        let mut growth = Growth::new(knots.lattice.step(), last.delta.bits());
        let mut cell = |(low, high): (&SampledKnot, &SampledKnot)| {
            let mass = low.tail().sub(&high.tail());
            let tilted = low
                .null_tail
                .sub(&high.null_tail)
                .at_least_zero()
                .mul(&low.exp);
            let tail = chord_tail_up(low, high, growth.over(high.index.saturating_sub(low.index)));
            Ok(Cell {
                mass_down: down(mass.lo()),
                tilted_up: up(tilted.min(&mass).hi()),
                survival_up: up(&tail),
            })
        };
        let pairs = knots.values.iter().zip(knots.values.iter().skip(1));
        let beyond = last.tail().sub(&knots.infinite_mass);
        Ok(Self {
            indices: knots.values.iter().map(|knot| knot.index).collect(),
            cells: pairs
                .map(&mut cell)
                .collect::<Result<_, InvariantViolation>>()?,
            top_up: up(last.delta.hi()),
            beyond_down: down(beyond.lo()),
            beyond_tilted_up: up(last.exp.mul(&last.null_tail).min(&beyond).hi()),
            infinite_down: down(knots.infinite_mass.lo()),
            bits,
        })
    }
}

impl<const L: usize> CellTable<L> {
    /// The cells as a mechanism gives them in fixed point.
    ///
    /// # Errors
    /// If there is not one cell between any two knots: an internal error.
    pub fn from_bounds(
        indices: &[i64],
        bounds: &Cells,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        if bounds.cells.len().checked_add(1) != Some(indices.len()) {
            return Err(InvariantViolation(
                "cells and knots do not fit together".into(),
            ));
        }
        let one = Mass::power_of_two(bits)?;
        let shift = CELL_BITS
            .checked_sub(bits)
            .ok_or_else(|| InvariantViolation("masses finer than cells".into()))?;
        let down = |x: u128| Mass::from_u128(x >> shift).unwrap_or(Mass::ZERO);
        let ones = (1u128 << shift).saturating_sub(1);
        let up = |x: u128| {
            let rounded = x.checked_add(ones).map(|sum| sum >> shift);
            let mass = rounded.and_then(Mass::from_u128);
            mass.map_or(one, |mass| mass.min(one))
        };
        let cells = bounds.cells.iter().map(|cell| Cell {
            mass_down: down(cell.mass_down),
            // At most the mass of the cell, hence at most 1.
            tilted_up: up(cell.tilted_up),
            survival_up: up(cell.tail_up.saturating_add(cell.rise_up)),
        });
        Ok(Self {
            indices: indices.to_vec(),
            cells: cells.collect(),
            top_up: up(bounds.right_delta_up),
            beyond_down: down(bounds.right_mass_down),
            beyond_tilted_up: up(bounds.right_tilted_up),
            infinite_down: Mass::ZERO,
            bits,
        })
    }
}

/// Upper bound of the Q-tail of the chord between two knots with e^g − 1 in `growth`.
fn chord_tail_up(low: &SampledKnot, high: &SampledKnot, growth: &Interval) -> Float {
    let bits = low.delta.bits();
    let drop = d::sub_up(low.delta.hi(), high.delta.lo(), bits);
    d::add_up(low.delta.hi(), &d::div_up(&drop, growth.lo(), bits), bits)
}

/// e^{k·step} − 1, computed once for each k in a row.
struct Growth {
    step: Rational,
    bits: u32,
    gap: i64,
    value: Interval,
}

impl Growth {
    fn new(step: &Rational, bits: u32) -> Self {
        Self {
            step: step.clone(),
            bits,
            gap: 0,
            value: Interval::zero(bits),
        }
    }

    fn over(&mut self, gap: i64) -> &Interval {
        if gap != self.gap {
            let width = Rational::from(&self.step * gap);
            (self.gap, self.value) = (gap, Interval::from_rational(&width, self.bits).exp_m1());
        }
        &self.value
    }
}
