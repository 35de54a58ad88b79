//! Base laws: from a sampled profile, or from exact masses on a lattice, to integers.

use rug::{Float, Integer};

use super::balance::{self, RATIO_BITS};
use super::knots::{Knots, SampledKnot};
use super::lattice::{ceil_scaled, floor_scaled};
use super::{Lattice, LowerLaw, UpperLaw};
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation};

/// Bits for positions inside a cell: they only steer how a cell is split, in a proven direction.
const CELL_BITS: u32 = 96;

/// Connect the dots: the chords of δ between the knots, as a law (δ is convex in u, so they lie above it).
///
/// On the cell from u_i to u_{i+1} = e^g·u_i the chord is the line with Q-tail
/// A_i = δ_i + (δ_i − δ_{i+1})/(e^g − 1); A_i is increasing in δ_i and decreasing in δ_{i+1}, which gives the
/// directions of rounding. Right of the last knot δ is at most its value there: mass δ_n at +∞. Left of the first
/// knot the chord runs to δ(0) = 1, where the Q-tail is 1.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn discretise_upper(knots: &Knots, bits: u32) -> Result<UpperLaw, InvariantViolation> {
    let UpperAtoms { atoms, top } = upper_atoms(knots, bits)?;
    let (first, dense) = on_every_point(&atoms);
    UpperLaw::new(knots.lattice.clone(), first, dense, top, bits)
}

/// The same law as a list of atoms on the knots alone.
pub struct UpperAtoms {
    /// Lattice index and mass in units of 2^−bits, in increasing order.
    pub atoms: Vec<(i64, Integer)>,
    /// Mass at +∞.
    pub top: Integer,
}

/// Connects the dots (see [`discretise_upper`]) and leaves out the lattice points between the knots.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn upper_atoms(knots: &Knots, bits: u32) -> Result<UpperAtoms, InvariantViolation> {
    let one = Integer::from(1) << bits;
    let (Some(first), Some(last)) = (knots.values.first(), knots.values.last()) else {
        return Err(InvariantViolation(
            "a profile was sampled at no point".into(),
        ));
    };
    let top = ceil_scaled(last.delta.hi(), bits).min(one.clone());
    let mut growth = Growth::new(knots.lattice.step(), last.delta.bits());
    let mut above = top.clone();
    let mut atoms = Vec::with_capacity(knots.values.len());
    for (low, high) in knots.values.iter().zip(knots.values.iter().skip(1)).rev() {
        let tail = chord_tail_up(low, high, growth.over(high.index - low.index));
        let tail = if tail >= 1 {
            one.clone()
        } else {
            ceil_scaled(&tail, bits)
        };
        // The true tails decrease; rounding may not, and a larger survival stays above (S1).
        let tail = tail.max(above.clone());
        atoms.push((high.index, Integer::from(&tail - &above)));
        above = tail;
    }
    atoms.push((first.index, one - above));
    atoms.reverse();
    Ok(UpperAtoms { atoms, top })
}

/// Masses of atoms at every lattice point from the first to the last.
fn on_every_point(atoms: &[(i64, Integer)]) -> (i64, Vec<Integer>) {
    let (Some((first, _)), Some((last, _))) = (atoms.first(), atoms.last()) else {
        return (0, Vec::new());
    };
    let length = usize::try_from(last - first).unwrap_or(0) + 1;
    let mut dense = vec![Integer::new(); length];
    for (index, mass) in atoms {
        if let Some(slot) = usize::try_from(index - first)
            .ok()
            .and_then(|i| dense.get_mut(i))
        {
            slot.clone_from(mass);
        }
    }
    (*first, dense)
}

/// Upper bound of the Q-tail of the chord between two knots with e^g − 1 in `growth`.
fn chord_tail_up(low: &SampledKnot, high: &SampledKnot, growth: &Interval) -> Float {
    let bits = low.delta.bits();
    let drop = d::sub_up(low.delta.hi(), high.delta.lo(), bits);
    d::add_up(low.delta.hi(), &d::div_up(&drop, growth.lo(), bits), bits)
}

/// e^{k·step} − 1, computed once for each k in a row.
struct Growth {
    step: rug::Rational,
    bits: u32,
    gap: i64,
    value: Interval,
}

impl Growth {
    fn new(step: &rug::Rational, bits: u32) -> Self {
        Self {
            step: step.clone(),
            bits,
            gap: 0,
            value: Interval::zero(bits),
        }
    }

    fn over(&mut self, gap: i64) -> &Interval {
        if gap != self.gap {
            let width = rug::Rational::from(&self.step * gap);
            (self.gap, self.value) = (gap, Interval::from_rational(&width, self.bits).exp_m1());
        }
        &self.value
    }
}

/// Merge each cell, then split it onto the knots in balance: a lower law.
///
/// The part of the pair in the cell (y_k, y_{k+1}] has Q-mass A_k − A_{k+1} with A = δ + u·s, and P-mass
/// s_k − s_{k+1}. Merging it into one outcome lowers the profile (S3) and puts an atom of that mass at the loss
/// −log(P-mass/Q-mass); rounding it to a smaller loss and splitting it as in `balance` keeps it below. Atoms that
/// sit on knots are taken out of their cell first and kept where they are; what lies beyond the last knot moves
/// down to it.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn discretise_lower(knots: &Knots, bits: u32) -> Result<LowerLaw, InvariantViolation> {
    let LowerAtoms { atoms, top } = lower_atoms(knots, bits)?;
    let (first, dense) = on_every_point(&atoms);
    LowerLaw::new(knots.lattice.clone(), first, dense, top, bits)
}

/// The same law as a list of atoms on the knots alone.
pub struct LowerAtoms {
    /// Lattice index and mass in units of 2^−bits, in increasing order.
    pub atoms: Vec<(i64, Integer)>,
    /// Mass at +∞.
    pub top: Integer,
}

/// Merges and splits cells (see [`discretise_lower`]) and leaves out the lattice points between the knots.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lower_atoms(knots: &Knots, bits: u32) -> Result<LowerAtoms, InvariantViolation> {
    let Some(last) = knots.values.last() else {
        return Err(InvariantViolation(
            "a profile was sampled at no point".into(),
        ));
    };
    let cells = cells(knots, bits);
    let ratios = ratios(&cells);
    let masses: Vec<Integer> = cells.iter().map(|cell| cell.mass.clone()).collect();
    let up = balance::amounts_up(&masses, |k| ratios.get(k).and_then(Option::as_ref))?;
    let none = Integer::new();
    let from_below = std::iter::once(&none).chain(&up);
    let downwards = masses
        .iter()
        .zip(&up)
        .map(|(mass, up)| Integer::from(mass - up));
    let beyond = last.tail().sub(&knots.infinite_mass);
    let beyond = floor_scaled(beyond.lo(), bits).max(Integer::new());
    let from_above = downwards.chain(std::iter::once(beyond));
    let atoms = knots
        .values
        .iter()
        .zip(from_below.zip(from_above))
        .map(|(knot, (risen, fallen))| {
            let own = knots.atoms.iter().find(|(index, _)| *index == knot.index);
            let own = own.map_or_else(Integer::new, |(_, mass)| floor_scaled(mass.lo(), bits));
            (knot.index, fallen + risen + own.max(Integer::new()))
        })
        .collect();
    let top = floor_scaled(knots.infinite_mass.lo(), bits).max(Integer::new());
    Ok(LowerAtoms { atoms, top })
}

/// An upper law from enclosures of masses that sit exactly on a lattice: `below` goes to the first point, `above`
/// to +∞.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lattice_upper(
    lattice: Lattice,
    first: i64,
    masses: &[Interval],
    above: &Interval,
    bits: u32,
) -> Result<UpperLaw, InvariantViolation> {
    let one = Integer::from(1) << bits;
    let top = ceil_scaled(above.hi(), bits).min(one.clone());
    let mut total = top.clone();
    let mut survival: Vec<Integer> = masses
        .iter()
        .rev()
        .map(|mass| {
            total += ceil_scaled(mass.hi(), bits);
            total.clone().min(one.clone())
        })
        .collect();
    survival.reverse();
    if let Some(first) = survival.first_mut() {
        first.clone_from(&one);
    }
    UpperLaw::from_survival(lattice, first, &survival, top, bits)
}

/// A lower law from enclosures of masses that sit exactly on a lattice, and of the true mass at +∞.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lattice_lower(
    lattice: Lattice,
    first: i64,
    masses: &[Interval],
    infinite: &Interval,
    bits: u32,
) -> Result<LowerLaw, InvariantViolation> {
    let floor = |mass: &Interval| floor_scaled(mass.lo(), bits).max(Integer::new());
    let rounded = masses.iter().map(floor).collect();
    LowerLaw::new(lattice, first, rounded, floor(infinite), bits)
}

/// A merged cell: its mass, rounded down, how far above its lower knot it sits, rounded down, and its width.
struct Cell {
    mass: Integer,
    rise: Float,
    width_up: Float,
}

fn cells(knots: &Knots, bits: u32) -> Vec<Cell> {
    let step = knots.lattice.step();
    let pairs = knots.values.iter().zip(knots.values.iter().skip(1));
    pairs
        .map(|(low, high)| {
            let atom = knots
                .atoms
                .iter()
                .find(|(i, _)| *i == high.index)
                .map(|(_, mass)| mass);
            let width = rug::Rational::from(step * (high.index - low.index));
            cell(low, high, atom, d::rational_up(&width, CELL_BITS), bits)
        })
        .collect()
}

fn cell(
    low: &SampledKnot,
    high: &SampledKnot,
    atom_at_high: Option<&Interval>,
    width_up: Float,
    bits: u32,
) -> Cell {
    let mut q = low.tail().sub(&high.tail());
    let mut p = low.null_tail.sub(&high.null_tail);
    if let Some(mass) = atom_at_high {
        q = q.sub(mass);
        p = p.sub(&mass.div(&high.exp));
    }
    let mass = floor_scaled(q.lo(), bits);
    if mass <= 0 {
        return Cell {
            mass: Integer::new(),
            rise: Float::new(CELL_BITS),
            width_up,
        };
    }
    // e^{−rise} = (P-mass/Q-mass)·u, rounded up.
    let tilt = p.at_least_zero().div(&q).mul(&low.exp);
    let log = d::ln_up(tilt.hi(), CELL_BITS);
    let rise = d::sub_down(&Float::new(CELL_BITS), &log, CELL_BITS);
    let rise = if rise > width_up {
        width_up.clone()
    } else {
        rise
    };
    Cell {
        mass,
        rise: if rise > 0 {
            rise
        } else {
            Float::new(CELL_BITS)
        },
        width_up,
    }
}

/// ⌈g_k·2^64⌉ with g_k = (e^a − 1)/(1 − e^{−b}): a from the cell below up to knot k, b from the cell above down to it.
fn ratios(cells: &[Cell]) -> Vec<Option<Integer>> {
    let one = Float::with_val(CELL_BITS, 1);
    let between = cells
        .iter()
        .zip(cells.iter().skip(1))
        .map(|(below, above)| {
            let climb = d::sub_up(&below.width_up, &below.rise, CELL_BITS);
            let numerator = d::exp_m1_up(&climb, CELL_BITS);
            let fall = Float::with_val(CELL_BITS, -&above.rise);
            let denominator = d::sub_down(
                &Float::new(CELL_BITS),
                &d::exp_m1_up(&fall, CELL_BITS),
                CELL_BITS,
            );
            let ratio = d::div_up(&numerator, &denominator, CELL_BITS);
            // With the cell above on its knot nothing can balance what would come up.
            (denominator > 0 && ratio < Float::with_val(CELL_BITS, &one << 512u32))
                .then(|| ceil_scaled(&ratio, RATIO_BITS).max(Integer::from(1)))
        });
    std::iter::once(None).chain(between).collect()
}
