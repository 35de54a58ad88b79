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
/// On the cell from u_i to u_{i+1} = e^h·u_i the chord is the line with Q-tail
/// A_i = δ_i + (δ_i − δ_{i+1})/(e^h − 1); A_i is increasing in δ_i and decreasing in δ_{i+1}, which gives the
/// directions of rounding. Right of the last knot δ is at most its value there: mass δ_n at +∞. Left of the first
/// knot the chord runs to δ(0) = 1, where the Q-tail is 1.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn discretise_upper(knots: &Knots, bits: u32) -> Result<UpperLaw, InvariantViolation> {
    let one = Integer::from(1) << bits;
    let Some(last) = knots.values.last() else {
        return Err(InvariantViolation(
            "a profile was sampled at no point".into(),
        ));
    };
    let top = ceil_scaled(last.delta.hi(), bits).min(one.clone());
    let work = last.delta.bits();
    let growth = Interval::from_rational(knots.lattice.step(), work).exp_m1();
    let mut above = top.clone();
    let mut survival: Vec<Integer> = knots
        .values
        .iter()
        .zip(knots.values.iter().skip(1))
        .rev()
        .map(|(here, next)| {
            let drop = d::sub_up(here.delta.hi(), next.delta.lo(), work);
            let tail = d::add_up(here.delta.hi(), &d::div_up(&drop, growth.lo(), work), work);
            let tail = if tail >= 1 {
                one.clone()
            } else {
                ceil_scaled(&tail, bits)
            };
            // The true tails decrease; rounding may not, and a larger survival stays above (S1).
            if tail > above {
                above.clone_from(&tail);
            }
            above.clone()
        })
        .collect();
    survival.push(one);
    survival.reverse();
    UpperLaw::from_survival(knots.lattice.clone(), knots.first, &survival, top, bits)
}

/// Merge each cell, then split it onto the knots in balance: a lower law.
///
/// The part of the pair in the cell (y_k, y_{k+1}] has Q-mass A_k − A_{k+1} with A = δ + u·s, and P-mass
/// s_k − s_{k+1}. Merging it into one outcome lowers the profile (S3) and puts an atom of that mass at the loss
/// −log(P-mass/Q-mass); rounding it to a smaller loss and splitting it as in `balance` keeps it below. Atoms that
/// sit on knots are taken out of their cell first and kept where they are.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn discretise_lower(knots: &Knots, bits: u32) -> Result<LowerLaw, InvariantViolation> {
    let cells = cells(knots, bits);
    let ratios = ratios(&cells, knots.lattice.step());
    let masses: Vec<Integer> = cells.iter().map(|cell| cell.mass.clone()).collect();
    let up = balance::amounts_up(&masses, |k| ratios.get(k).and_then(Option::as_ref))?;
    let mut result = vec![Integer::new(); masses.len() + 1];
    for (slot, (mass, up)) in result.iter_mut().zip(masses.iter().zip(&up)) {
        *slot += Integer::from(mass - up);
    }
    for (slot, up) in result.iter_mut().skip(1).zip(&up) {
        *slot += up;
    }
    if let (Some(slot), Some(last)) = (result.last_mut(), knots.values.last()) {
        let beyond = last.tail().sub(&knots.infinite_mass);
        *slot += floor_scaled(beyond.lo(), bits).max(Integer::new());
    }
    for (index, mass) in &knots.atoms {
        let slot = usize::try_from(index - knots.first)
            .ok()
            .and_then(|i| result.get_mut(i));
        if let Some(slot) = slot {
            *slot += floor_scaled(mass.lo(), bits).max(Integer::new());
        }
    }
    LowerLaw::new(
        knots.lattice.clone(),
        knots.first,
        result,
        floor_scaled(knots.infinite_mass.lo(), bits).max(Integer::new()),
        bits,
    )
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

/// A merged cell: its mass, rounded down, and how far above its lower knot it sits, rounded down.
struct Cell {
    mass: Integer,
    rise: Float,
}

fn cells(knots: &Knots, bits: u32) -> Vec<Cell> {
    let step_up = d::rational_up(knots.lattice.step(), CELL_BITS);
    let pairs = knots
        .values
        .iter()
        .zip(knots.values.iter().skip(1))
        .zip(knots.first..);
    pairs
        .map(|((low, high), index)| {
            let atom = knots
                .atoms
                .iter()
                .find(|(i, _)| *i == index + 1)
                .map(|(_, mass)| mass);
            cell(low, high, atom, &step_up, bits)
        })
        .collect()
}

fn cell(
    low: &SampledKnot,
    high: &SampledKnot,
    atom_at_high: Option<&Interval>,
    step_up: &Float,
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
        };
    }
    // e^{−rise} = (P-mass/Q-mass)·u, rounded up.
    let tilt = p.at_least_zero().div(&q).mul(&low.exp);
    let log = d::ln_up(tilt.hi(), CELL_BITS);
    let rise = d::sub_down(&Float::new(CELL_BITS), &log, CELL_BITS);
    let rise = if rise > *step_up {
        step_up.clone()
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
    }
}

/// ⌈g_k·2^64⌉ with g_k = (e^a − 1)/(1 − e^{−b}): a from the cell below up to knot k, b from the cell above down to it.
fn ratios(cells: &[Cell], step: &rug::Rational) -> Vec<Option<Integer>> {
    let step_up = d::rational_up(step, CELL_BITS);
    let one = Float::with_val(CELL_BITS, 1);
    let between = cells
        .iter()
        .zip(cells.iter().skip(1))
        .map(|(below, above)| {
            let climb = d::sub_up(&step_up, &below.rise, CELL_BITS);
            let numerator = d::exp_m1_up(&climb, CELL_BITS);
            let fall = Float::with_val(CELL_BITS, -&above.rise);
            let denominator = d::sub_down(
                &Float::new(CELL_BITS),
                &d::exp_m1_up(&fall, CELL_BITS),
                CELL_BITS,
            );
            let ratio = d::div_up(&numerator, &denominator, CELL_BITS);
            // Below one ulp of the ratio, or with the cell above on its knot, nothing may come up.
            (denominator > 0 && ratio < Float::with_val(CELL_BITS, &one << 512u32))
                .then(|| ceil_scaled(&ratio, RATIO_BITS).max(Integer::from(1)))
        });
    std::iter::once(None).chain(between).collect()
}
