//! The cells of a sampled profile, as whole numbers: what both base laws are made from.

use rug::{Float, Integer, Rational};

use super::knots::{Knots, SampledKnot};
use super::lattice::{ceil_scaled, floor_scaled};
use super::mass::Mass;
use crate::kernel::directed as d;
use crate::kernel::normal_fixed::Wide;
use crate::kernel::{CELL_BITS, CellNumber, Cells, Interval, InvariantViolation};

/// The part of the pair with a loss in (y_i, y_{i+1}], in units of 2^−bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<const L: usize> {
    /// At most its Q-mass.
    pub mass_down: Mass<L>,
    /// At least e^{y_i} times its P-mass.
    pub scaled_p_up: Mass<L>,
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
    pub infinity_mass_up: Mass<L>,
    /// At most the finite Q-mass above the last knot.
    pub beyond_down: Mass<L>,
    /// At least e^y times the P-mass above the last knot y.
    pub beyond_tilted_up: Mass<L>,
    /// At most Q(L = +∞).
    pub infinite_down: Mass<L>,
    /// The line of each knot, where the knots themselves are known; otherwise none.
    pub lines: Vec<Line>,
    /// The unit of mass is 2^−bits.
    pub bits: u32,
}

/// What the test "the loss is above y_i" shows, in units of 2^−(bits + [`EXTRA_BITS`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// At most the finite Q-mass above y_i.
    pub mass_down: Integer,
    /// At least e^{y_i} times the P-mass above it.
    pub scaled_p_up: Integer,
}

impl<const L: usize> CellTable<L> {
    /// The cells between sampled knots.
    ///
    /// The part of the pair in (y_i, y_{i+1}] has the Q-mass A_i − A_{i+1} with A = δ + u·s and the P-mass
    /// s_i − s_{i+1}. With any D_i ≥ δ_i, chords of D lie above δ, which is convex in u. That over the cell is the line with the
    /// Q-tail S_i = D_i + (D_i − D_{i+1})/(e^g − 1), g = y_{i+1} − y_i. A law with tails S'_i ≥ S_i has δ'_i = S'_i·(1 − e^−g) +
    /// δ'_{i+1}·e^−g, and D_i is the same of S_i and D_{i+1}: so δ'_i ≥ D_i from the last to the first, where δ' and D are the upper end
    /// of δ. Both chords at a knot take the same D_i, so that its error changes no sum of P-masses: what those lack to 1 would be mass
    /// at infinity of the other order.
    ///
    /// A scaled_p mass is at most the mass: losses in the cell are above y_i.
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
        let finer = bits.saturating_add(EXTRA_BITS);
        // A null tail that is hardly known counts e^y times: nothing is more than all the mass.
        let exact = |mass: &Interval, scaled_p: &Interval| Raw {
            mass: floor_scaled(mass.in_unit().lo(), finer),
            scaled_p: ceil_scaled(scaled_p.min(mass).in_unit().hi(), finer),
        };
        let working = last.delta.bits().max(bits.saturating_add(CHORD_BITS));
        let mut growth = Growth::new(knots.lattice.step(), working);
        let pairs = knots.values.iter().zip(knots.values.iter().skip(1));
        let cells = pairs.map(|(low, high)| {
            let mass = low.tail().sub(&high.tail());
            let null = low.null_tail.sub(&high.null_tail).at_least_zero();
            let tail = chord_tail_up(low, high, growth.over(high.index.saturating_sub(low.index)));
            (exact(&mass, &null.mul(&low.exp)), up(&tail))
        });
        let cells: Vec<(Raw, Mass<L>)> = cells.collect();
        let lines = knots.values.iter().map(|knot| {
            let raw = exact(
                &knot.tail().sub(&knots.infinite_mass),
                &knot.exp.mul(&knot.null_tail),
            );
            Line {
                mass_down: raw.mass,
                scaled_p_up: raw.scaled_p,
            }
        });
        let beyond = last.tail().sub(&knots.infinite_mass);
        let infinite = floor_scaled(knots.infinite_mass.in_unit().lo(), bits);
        let mut carry = Carry::new(EXTRA_BITS, one);
        let beyond = carry.rounded(exact(&beyond, &last.exp.mul(&last.null_tail)));
        Ok(Self {
            indices: knots.values.iter().map(|knot| knot.index).collect(),
            cells: carry.cells(cells),
            infinity_mass_up: up(last.delta.hi()),
            beyond_down: beyond.0,
            beyond_tilted_up: beyond.1,
            infinite_down: Mass::from_integer(&infinite).unwrap_or(Mass::ZERO),
            lines: lines.collect(),
            bits,
        })
    }
}

/// Bits of chords beyond those of masses.
const CHORD_BITS: u32 = 40;

/// Bits to which masses are known before they are rounded.
pub const EXTRA_BITS: u32 = 64;

/// A cell in finer units than those of a law.
struct Raw {
    mass: Integer,
    scaled_p: Integer,
}

/// Rounds cells from the highest to the lowest: what rounding takes from the mass of a cell moves down to the label of the
/// next (S1: losses are above the label of their cell, hence above the one below), where it counts alike in both masses.
struct Carry<const L: usize> {
    extra_bits: u32,
    one: Mass<L>,
    carried: Integer,
}

impl<const L: usize> Carry<L> {
    fn new(extra_bits: u32, one: Mass<L>) -> Self {
        Self {
            extra_bits,
            one,
            carried: Integer::new(),
        }
    }

    /// Mass rounded down, scaled_p mass rounded up.
    fn rounded(&mut self, raw: Raw) -> (Mass<L>, Mass<L>) {
        let mass = raw.mass + &self.carried;
        let scaled_p = raw.scaled_p + &self.carried;
        self.carried = mass.clone().keep_bits(self.extra_bits);
        let up = -((-scaled_p) >> self.extra_bits);
        let down = Mass::from_integer(&(mass >> self.extra_bits));
        let up = Mass::from_integer(&up).map_or(self.one, |scaled_p| scaled_p.min(self.one));
        kept(down.unwrap_or(Mass::ZERO), up)
    }

    fn cells(mut self, raw: Vec<(Raw, Mass<L>)>) -> Vec<Cell<L>> {
        let mut cells: Vec<Cell<L>> = raw
            .into_iter()
            .rev()
            .map(|(raw, survival_up)| {
                let (mass_down, scaled_p_up) = self.rounded(raw);
                Cell {
                    mass_down,
                    scaled_p_up,
                    survival_up,
                }
            })
            .collect();
        cells.reverse();
        cells
    }
}

impl<const L: usize> CellTable<L> {
    /// What makes an upper law of one table, what makes a lower one of another.
    ///
    /// Requires: both have the same indices and bits.
    ///
    /// # Errors
    /// If they have not: an internal error.
    pub fn between(upper: Self, lower: Self) -> Result<Self, InvariantViolation> {
        if upper.indices != lower.indices || upper.bits != lower.bits {
            return Err(InvariantViolation("two tables of different cells".into()));
        }
        let cells = upper.cells.into_iter().zip(lower.cells);
        let cells = cells.map(|(upper, lower)| Cell {
            survival_up: upper.survival_up,
            ..lower
        });
        Ok(Self {
            cells: cells.collect(),
            infinity_mass_up: upper.infinity_mass_up,
            ..lower
        })
    }

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
        let ones = Wide::power_of_two(shift).wrapping_sub(Wide([1, 0, 0]));
        let down = |x: Wide| Mass::from_limb_slice(&x.shifted_right(shift).0);
        let up = |x: Wide| down(x.wrapping_add(ones)).map_or(one, |mass| mass.min(one));
        // As `Carry` does, in machine words: cells are below 1.01·2^191 and what is carried is below 2^130, so sums fit.
        let mut carried = Wide::ZERO;
        let mut rounded = |mass: CellNumber, scaled_p: CellNumber| {
            let mass = Wide(mass).wrapping_add(carried);
            let scaled_p = Wide(scaled_p).wrapping_add(carried);
            carried = mass.remainder(shift);
            kept(down(mass).unwrap_or(Mass::ZERO), up(scaled_p))
        };
        let beyond = rounded(bounds.right_mass_down, bounds.right_scaled_p_up);
        let mut cells: Vec<Cell<L>> = bounds
            .cells
            .iter()
            .rev()
            .map(|cell| {
                let (mass_down, scaled_p_up) = rounded(cell.mass_down, cell.scaled_p_up);
                Cell {
                    mass_down,
                    scaled_p_up,
                    survival_up: up(Wide(cell.tail_up).wrapping_add(Wide(cell.rise_up))),
                }
            })
            .collect();
        cells.reverse();
        Ok(Self {
            indices: indices.to_vec(),
            cells,
            infinity_mass_up: up(Wide(bounds.right_delta_up)),
            beyond_down: beyond.0,
            beyond_tilted_up: beyond.1,
            infinite_down: Mass::ZERO,
            lines: Vec::new(),
            bits,
        })
    }
}

/// The atom, or nothing where its scaled_p mass is known so badly that it may lie far below its label: dropping it is sound
/// (S1), and scaled_p masses add up to two at most.
fn kept<const L: usize>(mass: Mass<L>, scaled_p: Mass<L>) -> (Mass<L>, Mass<L>) {
    match mass.plus(&mass) {
        Ok(twice) if scaled_p <= twice => (mass, scaled_p),
        _ => (Mass::ZERO, Mass::ZERO),
    }
}

/// Upper bound of the Q-tail of the chord between the upper ends at two knots, with e^g − 1 in `growth`; to as many bits.
fn chord_tail_up(low: &SampledKnot, high: &SampledKnot, growth: &Interval) -> Float {
    let bits = growth.bits();
    let drop = d::sub_up(low.delta.hi(), high.delta.hi(), bits);
    let rise = if drop > 0 {
        d::div_up(&drop, growth.lo(), bits)
    } else {
        Float::new(bits)
    };
    d::add_up(low.delta.hi(), &rise, bits)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::CellBounds;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::law::{Lattice, Offset};
    use proptest::prelude::*;
    use rug::integer::Order;

    fn integer(x: CellNumber) -> Integer {
        Integer::from_digits(&x, Order::Lsf)
    }

    /// The same as in whole numbers of any size.
    fn agrees<const L: usize>(cells: &Cells, bits: u32) {
        let indices: Vec<i64> = (0..).take(cells.cells.len() + 1).collect();
        let table = CellTable::<L>::from_bounds(&indices, cells, bits).unwrap();
        let one = Mass::<L>::power_of_two(bits).unwrap();
        let extra = CELL_BITS - bits;
        let up = |x: Integer| {
            let units: Integer = -((-x) >> extra);
            Mass::from_integer(&units).map_or(one, |mass: Mass<L>| mass.min(one))
        };
        let raw = |mass, scaled_p| Raw {
            mass: integer(mass),
            scaled_p: integer(scaled_p),
        };
        let mut carry = Carry::new(extra, one);
        let beyond = carry.rounded(raw(cells.right_mass_down, cells.right_scaled_p_up));
        assert_eq!((table.beyond_down, table.beyond_tilted_up), beyond);
        assert_eq!(table.infinity_mass_up, up(integer(cells.right_delta_up)));
        let cell = |cell: &CellBounds| {
            let survival = integer(cell.tail_up) + integer(cell.rise_up);
            (raw(cell.mass_down, cell.scaled_p_up), up(survival))
        };
        let expected = carry.cells(cells.cells.iter().map(cell).collect());
        assert_eq!(table.cells, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_700))]

        #[test]
        fn bounds_are_rounded_as_whole_numbers_are(
            numbers in prop::collection::vec((any::<[u64; 3]>(), 2u32..192), 8..80),
        ) {
            let numbers: Vec<CellNumber> = numbers
                .into_iter()
                .map(|(limbs, less)| Wide(limbs).shifted_right(less).0)
                .collect();
            let (blocks, _) = numbers.as_chunks::<4>();
            let bounds: Vec<CellBounds> = blocks
                .iter()
                .map(|[mass_down, scaled_p_up, tail_up, rise_up]| CellBounds {
                    mass_down: *mass_down,
                    scaled_p_up: *scaled_p_up,
                    tail_up: *tail_up,
                    rise_up: *rise_up,
                })
                .collect();
            let (last, cells) = bounds.split_last().unwrap();
            let cells = Cells {
                cells: cells.to_vec(),
                first_tail_up: last.tail_up,
                right_mass_down: last.mass_down,
                right_scaled_p_up: last.scaled_p_up,
                right_delta_up: last.rise_up,
            };
            agrees::<1>(&cells, 61);
            agrees::<2>(&cells, 92);
            agrees::<2>(&cells, 122);
            agrees::<3>(&cells, 154);
            agrees::<3>(&cells, 165);
            agrees::<4>(&cells, CELL_BITS);
        }
    }

    fn knot(index: i64, delta: Interval, null_tail: Interval) -> SampledKnot {
        SampledKnot {
            index,
            exp: Interval::one(300),
            delta,
            null_tail,
        }
    }

    /// The least chord through the upper ends at two knots, at a few bits.
    #[test]
    fn chords_at_few_bits() {
        let mut random = Random(43);
        for _ in 0..2000 {
            let mut ends = [(); 4].map(|()| random.below(256));
            ends.sort_unstable();
            let at = |units: u64| Float::with_val(64, units) >> 8u32;
            let between = |lo: u64, hi: u64| Interval::spanning(at(lo), at(hi));
            let [a, b, c, d] = ends;
            let zero = || Interval::zero(64);
            let (low, high) = (
                knot(0, between(c, d), zero()),
                knot(1, between(a, b), zero()),
            );
            let growth = 1 + random.below(500);
            let wide = between(growth, growth + random.below(50));
            let share = Rational::from((d - b, growth));
            let truth = share + Rational::from((d, 256));
            let found = chord_tail_up(&low, &high, &wide);
            assert!(found >= truth && found.to_f64() < truth.to_f64() + 1e-9);
            let bits = 2 + u32::try_from(random.below(9)).unwrap();
            let found = at_most_bits(bits, || chord_tail_up(&low, &high, &wide));
            assert!(found >= truth, "{ends:?} {wide:?} at {bits} bits: {found}");
        }
    }

    /// In quarters: a mass just below a unit, a P-mass just above one, and what lies beyond the last knot.
    #[test]
    fn knots_beside_whole_units() {
        let quarters = |n: u32| Float::with_val(300, n) >> 2u32;
        let tiny = Float::with_val(300, 1) >> 200u32;
        let point = |x: Float| Interval::point(x);
        let table = |values: Vec<SampledKnot>, infinite: u32| {
            let knots = Knots {
                lattice: Lattice::new(Offset::default(), Rational::from(1)),
                values,
                infinite_mass: point(quarters(infinite)),
            };
            CellTable::<1>::from_knots(&knots, 2).unwrap()
        };
        let last = || knot(1, Interval::zero(300), Interval::zero(300));
        let eighth = Float::with_val(300, quarters(1) >> 1u32);
        let less = Float::with_val(300, &eighth - &tiny);
        let below = table(vec![knot(0, point(less), point(eighth)), last()], 0);
        assert_eq!(below.cells[0].mass_down, Mass::ZERO);
        let (more, rest) = (
            Float::with_val(300, quarters(1) + &tiny),
            Float::with_val(300, quarters(2) - &tiny),
        );
        let above = table(vec![knot(0, point(rest), point(more)), last()], 0);
        let [cell] = above.cells.as_slice() else {
            panic!("one cell")
        };
        assert_eq!(cell.mass_down.limbs(), &[3]);
        assert_eq!(cell.scaled_p_up.limbs(), &[2]);
        let beyond = table(vec![knot(0, point(quarters(2)), point(quarters(1)))], 1);
        assert_eq!(beyond.beyond_down.limbs(), &[2]);
        assert_eq!(beyond.beyond_tilted_up.limbs(), &[1]);
        assert_eq!(beyond.infinite_down.limbs(), &[1]);
        assert_eq!(beyond.infinity_mass_up.limbs(), &[2]);
    }

    #[test]
    fn masses_finer_than_cells_are_refused() {
        let cells = Cells {
            cells: Vec::new(),
            first_tail_up: [0; 3],
            right_mass_down: [0; 3],
            right_scaled_p_up: [0; 3],
            right_delta_up: [0; 3],
        };
        assert!(CellTable::<4>::from_bounds(&[0], &cells, CELL_BITS).is_ok());
        assert!(CellTable::<4>::from_bounds(&[0], &cells, CELL_BITS + 1).is_err());
        assert!(CellTable::<4>::from_bounds(&[0, 1], &cells, 61).is_err());
    }
}
