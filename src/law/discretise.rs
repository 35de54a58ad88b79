//! Base laws: from cells, or from exact masses on a lattice, to integers.

use rug::Float;

use super::cells::CellTable;
use super::lattice::{ceil_scaled, floor_scaled};
use super::lower::LowerShell;
use super::mass::Mass;
use super::row::Row;
use super::{Lattice, LowerLaw, UpperLaw};
use crate::kernel::{Failure, Interval, InvariantViolation};

/// Connect the dots: the chords of δ between the knots, as a law with its atoms on the knots.
///
/// Left of the first knot the chord runs to δ(0) = 1, where the Q-tail is 1 (Doroshenko et al. 2022).
///
/// # Errors
/// [`Failure::Interrupted`] if the knots are laid out so that the law would be too long; an invariant violation is an
/// internal error.
pub fn discretise_upper<const L: usize>(
    lattice: &Lattice,
    table: &CellTable<L>,
) -> Result<UpperLaw<L>, Failure> {
    let Atoms {
        atoms,
        infinity_mass,
    } = upper_atoms(table)?;
    let rows = into_rows(&table.indices, atoms.into_iter().map(|(_, mass)| mass))?;
    Ok(UpperLaw::new(
        lattice.clone(),
        rows,
        infinity_mass,
        table.bits,
    )?)
}

/// Atoms on the knots and the mass at +∞, in units of 2^−bits.
pub struct Atoms<A, const L: usize> {
    /// In increasing order of their index.
    pub atoms: Vec<A>,
    /// Mass at +∞.
    pub infinity_mass: Mass<L>,
}

/// The atoms (index, mass) of [`discretise_upper`].
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn upper_atoms<const L: usize>(
    table: &CellTable<L>,
) -> Result<Atoms<(i64, Mass<L>), L>, InvariantViolation> {
    let one = Mass::power_of_two(table.bits)?;
    let mut above = table.infinity_mass_up.min(one);
    let mut atoms = Vec::with_capacity(table.indices.len());
    let knots = table.indices.iter().skip(1).zip(&table.cells);
    for (index, cell) in knots.rev() {
        // The true tails decrease; rounding may not, and a larger survival stays above (S1).
        let survival = cell.survival_up.min(one).max(above);
        atoms.push((*index, survival.minus(&above)?));
        above = survival;
    }
    if let Some(first) = table.indices.first() {
        atoms.push((*first, one.minus(&above)?));
    }
    atoms.reverse();
    Ok(Atoms {
        atoms,
        infinity_mass: table.infinity_mass_up.min(one),
    })
}

/// Merge each cell: a lower law.
///
/// The part of the pair in a cell becomes one outcome with its Q-mass, rounded down, and its P-mass, rounded up (S3;
/// [`LowerLaw`]). What lies beyond the last knot is one more such part; what lies left of the first is dropped.
///
/// # Errors
/// [`Failure::Interrupted`] if the knots are laid out so that the law would be too long; an invariant violation is an
/// internal error.
pub fn discretise_lower<const L: usize>(
    lattice: &Lattice,
    table: &CellTable<L>,
) -> Result<LowerLaw<L>, Failure> {
    let Atoms {
        atoms,
        infinity_mass,
    } = lower_atoms(table);
    let masses = into_rows(&table.indices, atoms.iter().map(|atom| atom.mass))?;
    let scaled_p = into_rows(&table.indices, atoms.iter().map(|atom| atom.scaled_p))?;
    let shells = masses.into_iter().zip(scaled_p);
    let shells = shells.map(|(masses, scaled_p)| LowerShell::of_rows(masses, scaled_p));
    let shells = shells.collect::<Result<_, _>>()?;
    Ok(LowerLaw::new(
        lattice.clone(),
        shells,
        infinity_mass,
        table.bits,
    )?)
}

/// Cells (index of the lower end, mass, scaled_p mass) of [`discretise_lower`].
pub fn lower_atoms<const L: usize>(table: &CellTable<L>) -> Atoms<LowerAtom<L>, L> {
    let cells = table
        .cells
        .iter()
        .map(|cell| (cell.mass_down, cell.scaled_p_up));
    let beyond = (table.beyond_down, table.beyond_tilted_up);
    let atoms = table
        .indices
        .iter()
        .zip(cells.chain(std::iter::once(beyond)))
        .map(|(index, (mass, scaled_p))| LowerAtom {
            index: *index,
            mass,
            scaled_p,
        })
        .collect();
    Atoms {
        atoms,
        infinity_mass: table.infinite_down,
    }
}

/// One cell of a lower law.
#[derive(Debug, Clone, Copy)]
pub struct LowerAtom<const L: usize> {
    /// Index of its lower end, the label.
    pub index: i64,
    /// Q-mass.
    pub mass: Mass<L>,
    /// P-mass times e^y of the label.
    pub scaled_p: Mass<L>,
}

/// An upper law from enclosures of masses that sit exactly on a lattice: `below` goes to the first point, `above`
/// to +∞.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lattice_upper<const L: usize>(
    lattice: Lattice,
    first: i64,
    masses: &[Interval],
    above: &Interval,
    bits: u32,
) -> Result<UpperLaw<L>, InvariantViolation> {
    let one = Mass::power_of_two(bits)?;
    let up = |x: &Float| Mass::from_integer(&ceil_scaled(x, bits)).map_or(one, |m| m.min(one));
    let infinity_mass = up(above.hi());
    let mut survival = infinity_mass;
    let mut rounded = Vec::with_capacity(masses.len());
    for mass in masses.iter().rev() {
        let next = survival.plus(&up(mass.hi()))?.min(one);
        rounded.push(next.minus(&survival)?);
        survival = next;
    }
    if let Some(lowest) = rounded.last_mut() {
        *lowest = lowest.plus(&one.minus(&survival)?)?;
    }
    rounded.reverse();
    UpperLaw::new(lattice, vec![Row::new(first, rounded)], infinity_mass, bits)
}

/// A lower law from enclosures of masses that sit exactly on a lattice, and of the true mass at +∞.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lattice_lower<const L: usize>(
    lattice: Lattice,
    first: i64,
    masses: &[Interval],
    infinite: &Interval,
    bits: u32,
) -> Result<LowerLaw<L>, InvariantViolation> {
    let down = |x: &Interval| Mass::from_integer(&floor_scaled(x.lo(), bits)).unwrap_or(Mass::ZERO);
    let rounded: Vec<Mass<L>> = masses.iter().map(down).collect();
    // A part of the outcome of that Q-mass has, at the loss y, e^{−y} times that P-mass.
    let shell = LowerShell::new(first, rounded.clone(), rounded)?;
    LowerLaw::new(lattice, vec![shell], down(infinite), bits)
}

/// Rows are never longer than this in all.
const MOST_POINTS: usize = 1 << 23;

/// Puts each atom into the coarsest shell that has a point there and whose step is at most the gaps beside it.
///
/// # Errors
/// [`Failure::Interrupted`] if the rows would be too long.
fn into_rows<const L: usize>(
    indices: &[i64],
    masses: impl Iterator<Item = Mass<L>>,
) -> Result<Vec<Row<L>>, Failure> {
    let mut placed: Vec<Vec<(i64, Mass<L>)>> = Vec::new();
    for ((index, mass), s) in indices.iter().zip(masses).zip(shells_of(indices)) {
        if placed.len() <= s {
            placed.resize_with(s.saturating_add(1), Vec::new);
        }
        if let Some(row) = placed.get_mut(s) {
            row.push((index >> s, mass));
        }
    }
    let mut left = MOST_POINTS;
    let rows = placed.into_iter().map(|atoms| {
        let (Some((first, _)), Some((last, _))) = (atoms.first(), atoms.last()) else {
            return Ok(Row::EMPTY);
        };
        let length = last.saturating_sub(*first).saturating_add(1);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        left = left.checked_sub(length).ok_or(Failure::Interrupted)?;
        let mut dense = vec![Mass::ZERO; length];
        for (index, mass) in &atoms {
            let place = usize::try_from(index.saturating_sub(*first)).unwrap_or(usize::MAX);
            if let Some(slot) = dense.get_mut(place) {
                *slot = *mass;
            }
        }
        Ok(Row::new(*first, dense))
    });
    rows.collect()
}

/// The shell of each knot.
fn shells_of(indices: &[i64]) -> Vec<usize> {
    let gaps = indices.iter().zip(indices.iter().skip(1));
    let gaps: Vec<i64> = gaps
        .map(|(low, high)| high.saturating_sub(*low).max(1))
        .collect();
    let (first, last) = (gaps.first().copied(), gaps.last().copied());
    let before = first.into_iter().chain(gaps.iter().copied());
    let after = gaps.iter().copied().chain(last);
    let shell = |(index, (before, after)): (&i64, (i64, i64))| {
        let gap = before.min(after).ilog2();
        let aligned = if *index == 0 {
            gap
        } else {
            index.trailing_zeros()
        };
        usize::try_from(gap.min(aligned)).unwrap_or(0)
    };
    match indices {
        [_] => vec![0],
        _ => indices.iter().zip(before.zip(after)).map(shell).collect(),
    }
}
