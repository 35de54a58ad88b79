//! Laws whose ends are known in finer units than what is between them.
//!
//! A far probability of a sum is one of the laws of steps tilted by e^{tL}: there a unit of 2^−b of a mass adds e^{tL}·2^−b, little where b is some 100, however small
//! the probability is. Only what a unit adds at +∞, in either order of the pair, does not fall with the tilt: the Q-mass where P has none, and the P-mass where
//! Q has none. So the cells of a step are in units of 2^−b, and these two in units of 2^−B, far below any probability that is asked for (I5 of `proofs/README.md`).
//!
//! # Above
//!
//! Let δ' ≥ δ be the profile of a law with its atoms at the knots y_0 < … < y_n and survivals S'_i ≥ S_i = Q(L > y_{i+1}) + E[1 − e^{−(L − y_i)}; cell i]/(1 − e^{−g_i}).
//!
//! * **E1** Any D with δ(e^{y_n}) ≤ D ≤ t may take the place of the mass t at +∞, and the rest of that go to y_n. Above y_n the profile is D, which is enough as δ decreases.
//!   Survivals stay what they are, and with δ_i the profile at y_i, δ_i = S_i·(1 − e^{−g}) + δ_{i+1}·e^{−g}: so by induction from the last knot to the first the new profile is
//!   at least δ at all knots. Between them it is a line, and δ is convex.
//! * **E2** Let a be the label of an atom, the first one or one to which all below it have been moved (S1), and b < a a lattice point. Of the atom's mass, m may move to b as
//!   long as the P-mass of the law stays at most 1 − c, with c ≥ (δ(u) − 1 + u)/u at u = e^{y_b}, the δ of the other order at 1/u. From y_a on nothing changes. Up to y_b the new
//!   profile is 1 − u·ΣP ≥ 1 − u + c·u, and there δ is at most its own chord from (0, 1), which is at most that. Between the two the new profile is a line with both ends on or above δ.
//!
//! # Below
//!
//! The line 1 − u lies below every profile, and has P-mass 1. The polygon of [`super::lower`] ends on it in its first corner x_1.
//!
//! * **E3** Where x_1 is among the corners that are kept (where u = 0 needs less than that, it goes, and nothing moves): masses are rounded down one after the other, from the right. So the polygon passes below (x_1, 1 − u_1), and its P-mass is above 1. All that is used of its
//!   next corner x_2 is that it is on or below the point made for it, and that the corners between them that were dropped were above the chord from where the polygon passes at x_2 to the
//!   point at x_1. So m may move from x_1 to x_2 as long as the P-mass stays at least 1: left of x_1 the polygon is 1 − u·ΣP ≤ 1 − u, at x_1 it is still on or below that
//!   point, and from x_2 on nothing changes.

use rug::{Float, Integer};

use super::LatticeLaw;
use super::lower::lower_corners;
use super::sum::{finer_bits, null_mass};
use crate::kernel::{Interval, InvariantViolation};
use crate::law::{CellTable, Lattice, ceil_scaled, floor_scaled};

/// What a pair has at the ends of a table of its cells.
#[derive(Debug, Clone)]
pub struct Ends {
    /// Masses there are in units of 2^−this, finer ones than those of the table.
    pub bits: u32,
    /// At least δ at the last knot.
    pub beyond_up: Float,
    /// A lattice point below the first knot.
    pub below: i64,
    /// At least the δ of the other order there.
    pub null_below_up: Float,
}

/// Atoms up to this one take part in what moves to a point below the first.
const MOST_MERGED: usize = 64;

impl LatticeLaw {
    /// [`LatticeLaw::above`] of a table, with its ends (E1, E2).
    ///
    /// Requires: the table bounds the cells of the pair themselves, each on its own; `ends` are those of the same pair, and its profile is sampled on `lattice`.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn above_with_ends<const L: usize>(
        lattice: &Lattice,
        table: &CellTable<L>,
        ends: &Ends,
    ) -> Result<Self, InvariantViolation> {
        let law = Self::above(lattice, table)?;
        let (Some(extra), Some(last)) = (
            ends.bits.checked_sub(law.bits()),
            table.indices.last().copied(),
        ) else {
            return Ok(law);
        };
        let mut atoms = finer(law.atoms(), extra);
        let known = Integer::from(law.infinite() << extra);
        let infinite = ceil_scaled(&ends.beyond_up, ends.bits)
            .max(Integer::new())
            .min(known.clone());
        let rest = known - &infinite;
        match atoms.last_mut() {
            Some((label, mass)) if *label == last => *mass += rest,
            _ => atoms.push((last, rest)),
        }
        let law = Self::new(lattice.clone(), atoms, infinite, ends.bits)?;
        let Some(atoms) = moved_down(&law, ends) else {
            return Ok(law);
        };
        let law = Self::new(lattice.clone(), atoms, law.infinite().clone(), ends.bits)?;
        if law.is_whole() {
            Ok(law)
        } else {
            Err(InvariantViolation(
                "the ends of an upper law changed its mass".into(),
            ))
        }
    }

    /// The law below a profile (`lower`), with its first end in finer units (E3).
    ///
    /// Requires: `table` is sampled on `lattice`.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn below_with_ends<const L: usize>(
        lattice: &Lattice,
        table: &CellTable<L>,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let corners = lower_corners(lattice, table, true)?;
        let extra = bits.saturating_sub(table.bits);
        let bits = table.bits.saturating_add(extra);
        let mut atoms = finer(&corners.atoms, extra);
        let infinite = corners.infinite << extra;
        let law = Self::new(
            corners.lattice.clone(),
            atoms.clone(),
            infinite.clone(),
            bits,
        )?;
        let moved = moved_up(&law, &atoms);
        let Some(moved) = moved.filter(|_| corners.begins_on_line) else {
            return Ok(law);
        };
        if let [(_, first), (_, second), ..] = atoms.as_mut_slice() {
            *first -= &moved;
            *second += moved;
        }
        Self::new(corners.lattice, atoms, infinite, bits)
    }
}

fn finer(atoms: &[(i64, Integer)], extra: u32) -> Vec<(i64, Integer)> {
    let atoms = atoms.iter();
    atoms
        .map(|(label, mass)| (*label, Integer::from(mass << extra)))
        .collect()
}

/// All atoms after as much as may has moved to the point below the first (E2); `None` where nothing may.
fn moved_down(law: &LatticeLaw, ends: &Ends) -> Option<Vec<(i64, Integer)>> {
    if ends.below >= law.first()? {
        return None;
    }
    let bits = finer_bits(law);
    let positions = law.lattice().positions(bits);
    let null_at = |label| positions.at(label).neg().exp();
    let below = null_at(ends.below);
    let allowed = Interval::point(ends.null_below_up.clone())
        .at_bits(bits)
        .one_minus();
    let mut left = allowed.sub(&null_mass(law, bits)?);
    let mut merged = Integer::new();
    let mut before: Option<Interval> = None;
    for (n, (label, mass)) in law.atoms().iter().enumerate().take(MOST_MERGED) {
        let here = null_at(*label);
        if let Some(before) = before {
            left = left.add(&law.real(&merged).mul(&before.sub(&here)));
        }
        merged += mass;
        let units = floor_scaled(left.div(&below.sub(&here)).lo(), law.bits());
        if units <= 0 {
            return None;
        }
        if units <= merged {
            let rest = Integer::from(&merged - &units);
            let others = law.atoms().iter().skip(n.saturating_add(1)).cloned();
            let moved = [(ends.below, units), (*label, rest)];
            return Some(moved.into_iter().chain(others).collect());
        }
        before = Some(here);
    }
    None
}

/// How many units may move from the first corner of a polygon to the second (E3); `None` where none may.
fn moved_up(law: &LatticeLaw, corners: &[(i64, Integer)]) -> Option<Integer> {
    let [(first, mass), (second, _), ..] = corners else {
        return None;
    };
    let bits = finer_bits(law);
    let positions = law.lattice().positions(bits);
    let null_at = |label| positions.at(label).neg().exp();
    let over = null_mass(law, bits)?.sub(&Interval::one(bits));
    let fall = null_at(*first).sub(&null_at(*second));
    let units = floor_scaled(over.div(&fall).lo(), law.bits());
    (units > 0).then(|| units.min(mass.clone()))
}

#[cfg(test)]
#[path = "ends_tests.rs"]
mod tests;
