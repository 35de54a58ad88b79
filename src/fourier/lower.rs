//! A law below a profile with all its atoms on one lattice.
//!
//! Each line ℓ_k(u) = t + Q_k − u·P_k, with Q_k and P_k the masses above knot k, lies below the profile: it is what the test
//! "the loss is above y_k" shows. Where the lattice has a point x between knots k and k + 1, the value v = min(ℓ_k, ℓ_{k+1}) there
//! makes the chord between neighbouring points (x, v) lie below ℓ_{k+1} on the way from one to the next, so the
//! polygon through these points, and the lower convex hull of them even more, lies below the profile everywhere. On the left it ends on ℓ_0: a
//! steeper line would add P-mass, in proportion to the number of steps.
//!
//! Lines are those of the table, where it has them: what one is off by is nothing to the others. Otherwise masses are added up.

use rug::{Integer, Rational};

use super::LatticeLaw;
use super::powers::Powers;
use super::units::{Growth, LOST, Number, WordPowers, Words};
use crate::kernel::InvariantViolation;
use crate::law::{
    CellTable, EXTRA_BITS, Lattice, Line, LowerAtom, Mass, Offset, ceil_scaled, lower_atoms,
};

/// Binary digits of values beyond those of masses.
const EXTRA: u32 = EXTRA_BITS;
/// Values are lowered by 2^this of those digits: what rounding may add up to over all corners, less than [`LOST`] units twice each.
const SLACK: u32 = 26;
const MOST_CELLS: usize = 1 << CELL_DIGITS;
const CELL_DIGITS: u32 = 22;
const _: () = assert!(2 * LOST <= 1 << (SLACK - CELL_DIGITS));
/// A polygon that ends on 1 − u does so where it is above it by 2^this of those digits: the mass of its first corner is many units, of which some can move.
const MARGIN: u32 = EXTRA + 10;

/// The hull of the points between the knots of a table, as a law on the lattice moved by half a step.
///
/// Requires: `table` is sampled on `lattice`.
/// Ensures: the profile of this law is nowhere above that of the table: values are rounded down, and each mass is rounded down when the
/// ones right of it are fixed, so the polygon passes below its points. Whether a corner goes is decided up to what rounding adds up
/// to: the chord that takes its place may pass above its lowered value, but not above the value itself.
///
/// # Errors
/// Only if an invariant fails: an internal error.
pub fn lattice_lower_law<const L: usize>(
    lattice: &Lattice,
    table: &CellTable<L>,
) -> Result<LatticeLaw, InvariantViolation> {
    let corners = lower_corners(lattice, table, false)?;
    LatticeLaw::new(corners.lattice, corners.atoms, corners.infinite, table.bits)
}

/// The corners of a polygon, from left to right.
pub(super) struct Corners {
    /// Where they are.
    pub(super) lattice: Lattice,
    /// Their labels and masses, which may be 0.
    pub(super) atoms: Vec<(i64, Integer)>,
    /// Mass at +∞.
    pub(super) infinite: Integer,
    /// Is the first of them where the polygon ends on the line 1 − u?
    pub(super) begins_on_line: bool,
}

/// The corners of that law. With `ends_on_line`, the polygon ends on the line 1 − u, where it is clearly above it, instead of ℓ_0.
///
/// # Errors
/// Those of [`lattice_lower_law`].
pub(super) fn lower_corners<const L: usize>(
    lattice: &Lattice,
    table: &CellTable<L>,
    ends_on_line: bool,
) -> Result<Corners, InvariantViolation> {
    let half = Offset::rational(Rational::from(lattice.step() / 2u32));
    let moved = Lattice::new(lattice.offset().plus(&half), lattice.step().clone());
    let cells = lower_atoms(table);
    let infinite = cells.infinity_mass.to_integer();
    let mut hull = (Vec::new(), false);
    if cells.atoms.len() <= MOST_CELLS {
        let knots = Knots {
            lattice,
            atoms: &cells.atoms,
            lines: &table.lines,
            end: ends_on_line.then_some((table.bits, &infinite)),
        };
        // In words, unless there are too few of them.
        let in_words = knots.hull::<Words>(&mut WordPowers::new(lattice.step()));
        let in_full = || knots.hull(&mut Powers::new(lattice.step(), table.bits));
        let found = in_words.or_else(in_full);
        hull = found.ok_or_else(|| InvariantViolation("a gap beyond 64 bits".into()))?;
    }
    let (atoms, is_whole) = hull;
    Ok(Corners {
        lattice: moved,
        atoms,
        infinite,
        begins_on_line: ends_on_line && is_whole,
    })
}

/// Knots, and what lies above each.
struct Knots<'a, const L: usize> {
    lattice: &'a Lattice,
    atoms: &'a [LowerAtom<L>],
    /// One of each knot, or too few.
    lines: &'a [Line],
    /// Bits and the mass at +∞, where the polygon ends on the line 1 − u.
    end: Option<(u32, &'a Integer)>,
}

/// Labels and masses, and whether no corner went where the polygon ends.
type HullMasses = (Vec<(i64, Integer)>, bool);

impl<const L: usize> Knots<'_, L> {
    /// `None` where a number does not fit, or a gap.
    fn hull<N: Number>(&self, powers: &mut impl Growth<N>) -> Option<HullMasses> {
        let mut hull = Hull::default();
        let slack = slack::<N>()?;
        let mut above = Above::<N>::default();
        let mut right: Option<i64> = None;
        let has_lines = self.lines.len() == self.atoms.len();
        let lines = self.lines.iter().filter(|_| has_lines).map(Some).rev();
        let lines = lines.chain(std::iter::repeat(None));
        for (atom, line) in self.atoms.iter().rev().zip(lines) {
            let knot = atom.index;
            let before = above.clone();
            above = match (line, right) {
                (Some(line), _) => Above::of(line)?,
                (None, Some(right)) => {
                    let moved = above.moved_left(halves(right, knot)?, powers)?;
                    moved.with(atom)?
                }
                (None, None) => above.with(atom)?,
            };
            if let Some(right) = right {
                let gap = right.saturating_sub(knot);
                let x = knot.saturating_add(gap.saturating_sub(1) / 2);
                // y_{k+1} − x and x − y_k in half steps.
                let up = halves(right, x)?.saturating_sub(1);
                let down = halves(x, knot)?.saturating_add(1);
                let on_right = before.q.minus(&powers.fall_up(up, &before.scaled_p)?)?;
                let value = match powers.rise_up(down, &above.scaled_p) {
                    Some(risen) => above.q.minus(&risen)?.smaller(on_right)?,
                    // More than any mass.
                    None => N::of(&Integer::from(-1))?,
                };
                hull.add(x, value.minus(&slack)?, powers)?;
            }
            right = Some(knot);
        }
        if let Some(first) = right {
            let mut margin = N::default();
            if let Some((bits, infinite)) = self.end {
                above = Above::of_everything(self.lattice, first, bits, infinite)?;
                margin = N::of(&(Integer::from(1) << MARGIN))?;
            }
            hull.end_on(first, &above, &margin, powers)?;
        }
        hull.close(&above.q)
    }
}

/// Σ of the masses above a knot, and of the P-masses times e^y of it, rounded up; scaled by 2^EXTRA.
#[derive(Debug, Clone, Default)]
struct Above<N> {
    q: N,
    scaled_p: N,
}

impl<N: Number> Above<N> {
    fn of(line: &Line) -> Option<Self> {
        Some(Self {
            q: N::of(&line.mass_down)?,
            scaled_p: N::of(&line.scaled_p_up)?,
        })
    }

    /// The line 1 − u, which is below every profile, seen from a knot: above the mass at +∞.
    fn of_everything(lattice: &Lattice, knot: i64, bits: u32, infinite: &Integer) -> Option<Self> {
        let digits = bits.saturating_add(EXTRA);
        let positions = lattice.positions(digits.saturating_add(32));
        let one = Integer::from(1) << bits;
        Some(Self {
            q: N::of(&((one - infinite) << EXTRA))?,
            scaled_p: N::of(&ceil_scaled(positions.at(knot).exp().hi(), digits))?,
        })
    }

    /// To a knot so many half steps farther left.
    fn moved_left(&self, halves: i64, powers: &mut impl Growth<N>) -> Option<Self> {
        Some(Self {
            q: self.q.clone(),
            scaled_p: powers.fall_up(halves, &self.scaled_p)?,
        })
    }

    /// With the masses of the knot itself.
    fn with<const L: usize>(&self, atom: &LowerAtom<L>) -> Option<Self> {
        let of = |mass: &Mass<L>| N::of_limbs(mass.limbs(), EXTRA);
        Some(Self {
            q: self.q.plus(&of(&atom.mass)?)?,
            scaled_p: self.scaled_p.plus(&of(&atom.scaled_p)?)?,
        })
    }
}

/// What rounding may add up to over all corners: values are lowered by it.
fn slack<N: Number>() -> Option<N> {
    N::of(&(Integer::from(1) << SLACK))
}

/// 2·(a − b), the distance of two points in half steps.
fn halves(a: i64, b: i64) -> Option<i64> {
    a.checked_sub(b)?.checked_mul(2)
}

/// The lower convex hull of points that come from right to left.
#[derive(Default)]
struct Hull<N> {
    /// From right to left.
    corners: Vec<Corner<N>>,
}

/// A corner of the hull, with what the masses right of it add up to.
struct Corner<N> {
    label: i64,
    /// What the polygon may be there at most.
    value: N,
    /// Σ of the masses right of it.
    above: N,
    /// Σ of those masses times e^{x − y}, x the corner and y the mass, rounded down.
    fallen: N,
    /// Its mass, once the corner left of it is known.
    mass: N,
}

impl<N: Number> Corner<N> {
    /// v − A + B for a point so many half steps left of it, with the value v there; rounded down.
    fn wanted(&self, gap: i64, value: &N, powers: &mut impl Growth<N>) -> Option<N> {
        let fallen = powers.fall_down(gap, &self.fallen)?;
        value.minus(&self.above)?.plus(&fallen)
    }

    /// The same sums for that point, after the corner has got its mass in whole units.
    fn left_of(&mut self, gap: i64, wanted: &N, powers: &mut impl Growth<N>) -> Option<(N, N)> {
        self.mass = powers.over_drop_down(gap, wanted)?.whole(EXTRA);
        let above = self.above.plus(&self.mass)?;
        let fallen = powers.fall_down(gap, &self.fallen.plus(&self.mass)?)?;
        Some((above, fallen))
    }
}

impl<N: Number> Hull<N> {
    /// Adds a point with its value above the mass at +∞, in units scaled by 2^EXTRA.
    ///
    /// The mass m of the corner c before it makes the polygon pass at most through the point x:
    /// A + m − e^{x−c}·(B + m) ≤ v. A negative mass means that the corner lies above the chord of its neighbours: it goes.
    fn add(&mut self, label: i64, value: N, powers: &mut impl Growth<N>) -> Option<()> {
        if value.is_negative() {
            // From here on to the right the polygon is 0.
            self.corners.clear();
            return Some(());
        }
        let mut sums = (N::default(), N::default());
        while let Some(corner) = self.corners.last_mut() {
            let gap = halves(corner.label, label)?;
            let wanted = corner.wanted(gap, &value, powers)?;
            if !wanted.is_negative() {
                sums = corner.left_of(gap, &wanted, powers)?;
                break;
            }
            self.corners.pop();
        }
        let (above, fallen) = sums;
        self.corners.push(Corner {
            label,
            value,
            above,
            fallen,
            mass: N::default(),
        });
        Some(())
    }

    /// Lowers the leftmost corner at which the polygon may be above ℓ_0 by a margin to ℓ_0, and drops those left of it: from there on to u = 0
    /// the polygon is ℓ_0.
    fn end_on(
        &mut self,
        first: i64,
        Above { q, scaled_p }: &Above<N>,
        margin: &N,
        powers: &mut impl Growth<N>,
    ) -> Option<()> {
        while let Some(corner) = self.corners.pop() {
            let distance = halves(corner.label, first)?.saturating_add(1);
            let Some(risen) = powers.rise_up(distance, scaled_p) else {
                continue;
            };
            let value = q.minus(&risen)?;
            let room = corner.value.minus(&value.plus(margin)?)?;
            if !room.is_negative() {
                return self.add(corner.label, value, powers);
            }
        }
        Some(())
    }

    /// The masses in whole units, and whether no corner went. u = 0 is a point, too, with the Q-mass of all cells as its value, which the first line has.
    fn close(mut self, total: &N) -> Option<HullMasses> {
        let mut is_whole = !self.corners.is_empty();
        while let Some(last) = self.corners.last_mut() {
            last.mass = total.minus(&last.above)?;
            if !last.mass.is_negative() {
                break;
            }
            self.corners.pop();
            is_whole = false;
        }
        let atoms = self.corners.iter().rev();
        let atoms = atoms.map(|corner| (corner.label, corner.mass.to_integer() >> EXTRA));
        Some((atoms.collect(), is_whole))
    }
}

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
