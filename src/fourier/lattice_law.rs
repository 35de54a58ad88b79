//! One step of a composition: whole-number masses on one lattice.

use rug::{Float, Integer};

use super::LOG_BITS;
use crate::kernel::{Interval, InvariantViolation};
use crate::law::{Atoms, CellTable, Lattice, upper_atoms};

/// A discrete PLD: masses q_i = N_i/2^bits at y_i = offset + i·step, and t at +∞. Its profile is
/// δ'(u) = t + Σ_i q_i (1 − u·e^{−y_i})⁺.
#[derive(Debug, Clone)]
pub struct LatticeLaw {
    lattice: Lattice,
    /// Labels and masses, in increasing order; no mass is 0.
    atoms: Vec<(i64, Integer)>,
    /// Mass at +∞.
    infinite: Integer,
    bits: u32,
}

impl LatticeLaw {
    /// The law with these masses in units of 2^−bits.
    ///
    /// # Errors
    /// If a mass is negative, labels do not increase, or the total is above 1: internal errors.
    pub fn new(
        lattice: Lattice,
        atoms: Vec<(i64, Integer)>,
        infinite: Integer,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let atoms: Vec<(i64, Integer)> = atoms.into_iter().filter(|(_, n)| *n != 0).collect();
        let mut following = atoms.iter().zip(atoms.iter().skip(1));
        let total = atoms.iter().fold(infinite.clone(), |sum, (_, n)| sum + n);
        let is_law = infinite >= 0
            && atoms.iter().all(|(_, n)| *n > 0)
            && following.all(|((i, _), (j, _))| i < j)
            && total <= Integer::from(1) << bits;
        if !is_law {
            return Err(InvariantViolation("the masses of a law are none".into()));
        }
        Ok(Self {
            lattice,
            atoms,
            infinite,
            bits,
        })
    }

    /// The law above a profile whose atoms are at the knots of a table (connect the dots).
    ///
    /// Requires: `table` is sampled on `lattice`.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn above<const L: usize>(
        lattice: &Lattice,
        table: &CellTable<L>,
    ) -> Result<Self, InvariantViolation> {
        let Atoms {
            atoms,
            infinity_mass: top,
        } = upper_atoms(table)?;
        let atoms = atoms.into_iter();
        let atoms = atoms.map(|(label, mass)| (label, mass.to_integer()));
        let (atoms, top) = (atoms.collect(), top.to_integer());
        let law = Self::new(lattice.clone(), atoms, top, table.bits)?;
        if law.is_whole() {
            Ok(law)
        } else {
            Err(InvariantViolation(
                "the mass of an upper law is not one".into(),
            ))
        }
    }

    /// Where its atoms are.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Labels and masses in units of 2^−bits, in increasing order.
    pub fn atoms(&self) -> &[(i64, Integer)] {
        &self.atoms
    }

    /// Mass at +∞, in units of 2^−bits.
    pub fn infinite(&self) -> &Integer {
        &self.infinite
    }

    /// Masses are in units of 2^−this.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The label of the first atom.
    pub(super) fn first(&self) -> Option<i64> {
        self.atoms.first().map(|(label, _)| *label)
    }

    /// Σ of the masses that are not at +∞, exactly.
    pub(super) fn finite(&self) -> Interval {
        let total = self
            .atoms
            .iter()
            .fold(Integer::new(), |sum, (_, n)| sum + n);
        self.real(&total)
    }

    /// The Q-mass that is nowhere, exactly.
    pub(super) fn missing(&self) -> Interval {
        let total = self.atoms.iter().map(|(_, n)| n);
        let total = total.fold(self.infinite.clone(), |sum, n| sum + n);
        self.real(&((Integer::from(1) << self.bits) - total))
    }

    /// Do all masses, also that at +∞, add up to 1?
    pub(super) fn is_whole(&self) -> bool {
        let total = self.atoms.iter().map(|(_, n)| n);
        let total = total.fold(self.infinite.clone(), |sum, n| sum + n);
        total == Integer::from(1) << self.bits
    }

    /// A number of units.
    pub(super) fn real(&self, units: &Integer) -> Interval {
        let bits = units.significant_bits().max(LOG_BITS);
        Interval::point(Float::with_val(bits, units) >> self.bits)
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::law::Offset;

    /// In eighths.
    #[test]
    fn masses_that_are_no_law_are_refused() {
        let law = |atoms: &[(i64, i32)], infinite: i32| {
            let lattice = Lattice::new(Offset::default(), Rational::from((1, 2)));
            let atoms = atoms.iter().map(|(at, n)| (*at, Integer::from(*n)));
            LatticeLaw::new(lattice, atoms.collect(), Integer::from(infinite), 3)
        };
        assert!(law(&[(-1, 3), (0, 0), (2, 4)], 1).unwrap().is_whole());
        assert_eq!(law(&[(-1, 3), (0, 0), (2, 4)], 0).unwrap().atoms().len(), 2);
        for (atoms, infinite) in [
            (&[(0, 3), (2, 4)][..], 2),
            (&[(0, 9)][..], 0),
            (&[(0, 1), (0, 1)][..], 0),
            (&[(1, 1), (0, 1)][..], 0),
            (&[(0, 3), (1, -1)][..], 0),
            (&[(0, 3)][..], -1),
        ] {
            assert!(law(atoms, infinite).is_err(), "{atoms:?} {infinite}");
        }
    }
}
