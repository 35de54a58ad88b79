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
use crate::kernel::InvariantViolation;
use crate::law::{CellTable, EXTRA_BITS, Lattice, Line, Offset, ceil_scaled, lower_atoms};

/// Binary digits of values beyond those of masses.
const EXTRA: u32 = EXTRA_BITS;
/// Values are lowered by 2^this of those digits: what rounding may add up to over all corners, two of them each.
const SLACK: u32 = 24;
const MOST_CELLS: usize = 1 << 22;
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
    let mut powers = Powers::new(lattice.step(), table.bits);
    let cells = lower_atoms(table);
    if cells.atoms.len() > MOST_CELLS {
        return Ok(Corners {
            lattice: moved,
            atoms: Vec::new(),
            infinite: cells.infinity_mass.to_integer(),
            begins_on_line: false,
        });
    }
    let mut hull = Hull::default();
    let mut above = Above::default();
    let mut right: Option<i64> = None;
    let lines: Vec<Option<&Line>> = if table.lines.len() == cells.atoms.len() {
        table.lines.iter().map(Some).collect()
    } else {
        vec![None; cells.atoms.len()]
    };
    for (atom, line) in cells.atoms.iter().zip(lines).rev() {
        let knot = atom.index;
        let before = above.clone();
        match (line, right) {
            (Some(line), _) => above = Above::of(line),
            (None, Some(right)) => {
                above.move_left(halves(right, knot)?, &mut powers);
                above.add(&atom.mass.to_integer(), &atom.scaled_p.to_integer());
            }
            (None, None) => above.add(&atom.mass.to_integer(), &atom.scaled_p.to_integer()),
        }
        if let Some(right) = right {
            let gap = right.saturating_sub(knot);
            let x = knot.saturating_add(gap.saturating_sub(1) / 2);
            // y_{k+1} − x and x − y_k in half steps.
            let up = halves(right, x)?.saturating_sub(1);
            let down = halves(x, knot)?.saturating_add(1);
            let on_right = &before.q - powers.fall_up(up, &before.scaled_p);
            let value = match powers.rise_up(down, &above.scaled_p) {
                Some(risen) => (&above.q - risen).min(on_right),
                None => Integer::from(-1),
            };
            hull.add(x, lowered(value), &mut powers)?;
        }
        right = Some(knot);
    }
    let infinite = cells.infinity_mass.to_integer();
    let mut margin = Integer::new();
    if let Some(first) = right {
        if ends_on_line {
            above = Above::of_everything(lattice, first, table.bits, &infinite);
            margin = Integer::from(1) << MARGIN;
        }
        hull.end_on(first, &above, &margin, &mut powers)?;
    }
    let (atoms, is_whole) = hull.close(&above.q);
    Ok(Corners {
        lattice: moved,
        atoms,
        infinite,
        begins_on_line: ends_on_line && is_whole,
    })
}

/// Σ of the masses above a knot, and of the P-masses times e^y of it, rounded up; scaled by 2^EXTRA.
#[derive(Debug, Clone, Default)]
struct Above {
    q: Integer,
    scaled_p: Integer,
}

impl Above {
    fn of(line: &Line) -> Self {
        Self {
            q: line.mass_down.clone(),
            scaled_p: line.scaled_p_up.clone(),
        }
    }

    /// The line 1 − u, which is below every profile, seen from a knot: above the mass at +∞.
    fn of_everything(lattice: &Lattice, knot: i64, bits: u32, infinite: &Integer) -> Self {
        let digits = bits.saturating_add(EXTRA);
        let positions = lattice.positions(digits.saturating_add(32));
        let one = Integer::from(1) << bits;
        Self {
            q: (one - infinite) << EXTRA,
            scaled_p: ceil_scaled(positions.at(knot).exp().hi(), digits),
        }
    }

    /// To a knot so many half steps farther left.
    fn move_left(&mut self, halves: i64, powers: &mut Powers) {
        self.scaled_p = powers.fall_up(halves, &self.scaled_p);
    }

    /// With the masses of the knot itself.
    fn add(&mut self, mass: &Integer, scaled_p: &Integer) {
        self.q += Integer::from(mass << EXTRA);
        self.scaled_p += Integer::from(scaled_p << EXTRA);
    }
}

/// A value, less what rounding may add up to over all corners.
fn lowered(value: Integer) -> Integer {
    value - (Integer::from(1) << SLACK)
}

/// 2·(a − b), the distance of two points in half steps.
fn halves(a: i64, b: i64) -> Result<i64, InvariantViolation> {
    let twice = a.checked_sub(b).and_then(|gap| gap.checked_mul(2));
    twice.ok_or_else(|| InvariantViolation("a gap beyond 64 bits".into()))
}

/// The lower convex hull of points that come from right to left.
#[derive(Default)]
struct Hull {
    /// From right to left.
    corners: Vec<Corner>,
}

/// A corner of the hull, with what the masses right of it add up to.
struct Corner {
    label: i64,
    /// What the polygon may be there at most.
    value: Integer,
    /// Σ of the masses right of it.
    above: Integer,
    /// Σ of those masses times e^{x − y}, x the corner and y the mass, rounded down.
    fallen: Integer,
    /// Its mass, once the corner left of it is known.
    mass: Integer,
}

impl Hull {
    /// Adds a point with its value above the mass at +∞, in units scaled by 2^EXTRA.
    ///
    /// The mass m of the corner c before it makes the polygon pass at most through the point x:
    /// A + m − e^{x−c}·(B + m) ≤ v. A negative mass means that the corner lies above the chord of its neighbours: it goes.
    fn add(
        &mut self,
        label: i64,
        value: Integer,
        powers: &mut Powers,
    ) -> Result<(), InvariantViolation> {
        if value < 0 {
            // From here on to the right the polygon is 0.
            self.corners.clear();
            return Ok(());
        }
        let mut last = None;
        while let Some(corner) = self.corners.last_mut() {
            let gap = halves(corner.label, label)?;
            let fallen = powers.fall_down(gap, &corner.fallen);
            let wanted = Integer::from(&value - &corner.above) + fallen;
            if wanted >= 0 {
                last = Some((gap, wanted));
                break;
            }
            self.corners.pop();
        }
        let (mut above, mut fallen) = (Integer::new(), Integer::new());
        if let Some((corner, (gap, wanted))) = self.corners.last_mut().zip(last) {
            let mass = powers.over_drop_down(gap, &wanted);
            // Whole units.
            corner.mass = (mass >> EXTRA) << EXTRA;
            above = Integer::from(&corner.above + &corner.mass);
            fallen = powers.fall_down(gap, &Integer::from(&corner.fallen + &corner.mass));
        }
        self.corners.push(Corner {
            label,
            value,
            above,
            fallen,
            mass: Integer::new(),
        });
        Ok(())
    }

    /// Lowers the leftmost corner at which the polygon may be above ℓ_0 by a margin to ℓ_0, and drops those left of it: from there on to u = 0
    /// the polygon is ℓ_0.
    fn end_on(
        &mut self,
        first: i64,
        Above { q, scaled_p }: &Above,
        margin: &Integer,
        powers: &mut Powers,
    ) -> Result<(), InvariantViolation> {
        while let Some(corner) = self.corners.pop() {
            let distance = halves(corner.label, first)?.saturating_add(1);
            let Some(risen) = powers.rise_up(distance, scaled_p) else {
                continue;
            };
            let value: Integer = q - risen;
            if Integer::from(&value + margin) <= corner.value {
                return self.add(corner.label, value, powers);
            }
        }
        Ok(())
    }

    /// The masses in whole units, and whether no corner went. u = 0 is a point, too, with the Q-mass of all cells as its value, which the first line has.
    fn close(mut self, total: &Integer) -> (Vec<(i64, Integer)>, bool) {
        let mut is_whole = !self.corners.is_empty();
        while let Some(last) = self.corners.last_mut() {
            last.mass = Integer::from(total - &last.above);
            if last.mass >= 0 {
                break;
            }
            self.corners.pop();
            is_whole = false;
        }
        let atoms = self.corners.into_iter().rev();
        let atoms = atoms.map(|corner| (corner.label, corner.mass >> EXTRA));
        (atoms.collect(), is_whole)
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// A corner next to the value at which its mass gains a unit, or at which it goes: the polygon passes below the point that is added, and
    /// what is kept of the masses is not above theirs.
    #[test]
    fn polygons_pass_below_their_points() {
        let mut random = Random(47);
        let unit = Integer::from(1) << EXTRA;
        for round in 0..2_950 {
            let step = Rational::from((1 + random.below(30), 10));
            let gap = i64::try_from(1 + random.below(5)).unwrap();
            let fall = Float::with_val(400, &(-step.clone() * gap)).exp();
            let units = |n: u64| Integer::from(n) << EXTRA;
            let above = units(50 + random.below(50));
            // Of the masses right of the corner, which are farther away than that.
            let fallen = units(random.below(50)) + random.below(1 << 40);
            let mass = units(if round % 2 == 0 { 0 } else { random.below(20) });
            let exact = Float::with_val(400, Integer::from(&above + &mass))
                - Float::with_val(400, &fall * Integer::from(&fallen + &mass));
            let floor = exact.floor().to_integer().unwrap();
            for value in [floor.clone(), floor + 1u32] {
                let corner = Corner {
                    label: gap,
                    value: Integer::from(&above - &fallen),
                    above: above.clone(),
                    fallen: fallen.clone(),
                    mass: Integer::new(),
                };
                let mut hull = Hull {
                    corners: vec![corner],
                };
                let mut powers = Powers::new(&step, 20);
                hull.add(0, value.clone(), &mut powers).unwrap();
                let [kept @ .., added] = hull.corners.as_slice() else {
                    panic!("no corner")
                };
                let Some(kept) = kept.last() else { continue };
                assert!(Integer::from(&kept.mass % &unit) == 0);
                let all = Integer::from(&kept.fallen + &kept.mass);
                let rest = Float::with_val(400, &fall * all);
                let there = Float::with_val(400, Integer::from(&kept.above + &kept.mass)) - &rest;
                assert!(there <= value, "{round}: {there} {value}");
                assert!(added.fallen <= rest, "{round}");
            }
        }
    }

    /// P-masses that are moved left, each from its own knot, are never less than what is left of them; and the slack is two units for each corner.
    #[test]
    fn masses_above_a_knot_at_the_last_unit() {
        let mut random = Random(5);
        for _ in 0..2_500 {
            let step = Rational::from((1 + random.below(9), 1 + random.below(9)));
            let mut powers = Powers::new(&step, 20);
            let mut above = Above::default();
            let (mut q, mut scaled_p) = (Integer::new(), Float::new(400));
            for _ in 0..1 + random.below(4) {
                let halves = i64::try_from(2 + random.below(60)).unwrap();
                above.move_left(halves, &mut powers);
                let fall = Float::with_val(400, &(step.clone() * halves)) / -2i32;
                scaled_p *= fall.exp();
                assert!(above.scaled_p >= scaled_p, "{step} {halves}");
                let [mass, p] = [0, 1].map(|_| Integer::from(random.below(100)));
                above.add(&mass, &p);
                q += mass << EXTRA;
                scaled_p += p << EXTRA;
                assert!(above.q == q && above.scaled_p >= scaled_p);
                assert!(above.scaled_p <= scaled_p.clone() + 8u32);
            }
        }
        let value = Integer::from(7);
        assert!(lowered(value.clone()) <= value - 2 * Integer::from(MOST_CELLS));
    }

    /// The line 1 − u is seen from a knot with at least as much P-mass as it has, from few bits too.
    #[test]
    fn the_line_of_everything_is_not_above_it() {
        let (bits, index) = (40, 7);
        for few in [8, 400] {
            let lattice = Lattice::new(Offset::default(), Rational::from((1, 9)));
            let infinite = Integer::from(1) << 38;
            let line = at_most_bits(few, || {
                Above::of_everything(&lattice, index, bits, &infinite)
            });
            let one = Float::with_val(400, 1) << (bits + EXTRA);
            let exact = (Float::with_val(400, index) / 9u32).exp() * &one;
            assert!(line.scaled_p >= exact && line.q == one * 0.75);
        }
    }
}
