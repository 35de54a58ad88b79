//! Laws that lie below a privacy profile.

use rug::{Float, Rational};

use super::mass::{Fraction, Mass, Product};
use super::row::{ProductRow, Row};
use super::shells::Shell;
use super::{Lattice, TailBudget, shells, spread, trim};
use crate::kernel::InvariantViolation;
use crate::kernel::directed as d;

/// A discrete PLD whose profile is ≤ the profile it stands for, at every u > 0.
///
/// Its atoms need not sit on the lattice. Each stands for a cell: it has the Q-mass q and the P-mass p of what was
/// merged into it, at the loss log(q/p), and the lattice only says where that is, roughly. Merging any outcomes of a pair
/// lowers the profile (S3), so two such atoms may be merged wherever they are, and a convolution may merge all
/// products whose labels add up to the same: c_k = Σ q_i·q'_{k−i} is a plain convolution of the Q-masses and another of the
/// P-masses. Rounding q down and p up lowers (q − u·p)⁺ at every u.
///
/// P-masses are kept as p·e^{y} for the label y of the cell ("scaled_p": near q however far y is from 0); labels add up
/// in a convolution, so scaled_p masses convolve like the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerLaw<const L: usize> {
    lattice: Lattice,
    shells: Vec<LowerShell<L>>,
    infinity_mass: Mass<L>,
    bits: u32,
}

/// The atoms of one shell: Q-masses rounded down and scaled_p P-masses rounded up, at the same labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerShell<const L: usize> {
    masses: Row<L>,
    scaled_p: Row<L>,
}

impl<const L: usize> LowerLaw<L> {
    /// The law with these atoms in units of 2^−bits, and the mass `infinity_mass` at +∞.
    ///
    /// Requires for soundness: its profile lies below the one it stands for.
    ///
    /// # Errors
    /// If the total is above 2^bits.
    pub fn new(
        lattice: Lattice,
        shells: Vec<LowerShell<L>>,
        infinity_mass: Mass<L>,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let total = shells
            .iter()
            .try_fold(infinity_mass, |sum, shell| sum.plus(&shell.masses.total()?))?;
        if total > Mass::power_of_two(bits)? {
            return Err(InvariantViolation(
                "the mass of a lower law is above one".into(),
            ));
        }
        Ok(Self {
            lattice,
            shells,
            infinity_mass,
            bits,
        })
    }

    /// The lattice of the labels of the finest shell.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The shells, each with twice the step of the one before.
    pub fn shells(&self) -> &[LowerShell<L>] {
        &self.shells
    }

    /// Mass at +∞ in units of 2^−bits.
    pub fn infinity_mass(&self) -> &Mass<L> {
        &self.infinity_mass
    }

    /// The unit of mass is 2^−bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The law of the sum of two independent losses: a lower law of the composition.
    ///
    /// The product of two laws is the sum of the products of their shells. Those whose coarser shell is s are formed on
    /// lattice s, with everything finer first merged into its cells (S3; S2 in each factor). Products of equal labels
    /// are merged and rounded in the direction of their kind.
    ///
    /// # Errors
    /// If the steps or units differ, or an invariant fails: internal errors.
    pub fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let lattice = self
            .lattice
            .sum(&other.lattice)
            .filter(|_| self.bits == other.bits)
            .ok_or_else(|| InvariantViolation("laws on different lattices".into()))?;
        let is_square = std::ptr::eq(self, other);
        let count = self.shells.len().max(other.shells.len());
        let (mut finer, mut other_finer) = (LowerShell::empty(), LowerShell::empty());
        let mut shells = Vec::with_capacity(count);
        for s in 0..count {
            let (a, b) = (shell(&self.shells, s), shell(&other.shells, s));
            let mut product = if is_square {
                a.product(&a.plus(&finer)?.plus(&finer)?, None, self.bits)?
            } else {
                a.product(&b.plus(&other_finer)?, Some((&finer, &b)), self.bits)?
            };
            product.relabel(&self.lattice.step_of(s))?;
            shells.push(product);
            if s.saturating_add(1) < count {
                let step = self.lattice.step_of(s);
                finer = a.plus(&finer)?.merged(&step)?;
                other_finer = if is_square {
                    finer.clone()
                } else {
                    b.plus(&other_finer)?.merged(&step)?
                };
            }
        }
        let all_of_other = other.finite()?.plus(&other.infinity_mass)?;
        let infinity_mass = Product::new(&self.finite()?, &other.infinity_mass)
            .plus(&Product::new(&self.infinity_mass, &all_of_other))?
            .shifted_down(self.bits)?;
        Self::new(lattice, shells, infinity_mass, self.bits)
    }

    /// Σ of the masses that are not at +∞.
    fn finite(&self) -> Result<Mass<L>, InvariantViolation> {
        self.shells
            .iter()
            .try_fold(Mass::ZERO, |sum, shell| sum.plus(&shell.masses.total()?))
    }

    /// The same law with the cells of its finest shell merged in pairs into the next one, which becomes the finest
    /// (S3).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn coarsen(&self) -> Result<Self, InvariantViolation> {
        let finest = shell(&self.shells, 0).merged(self.lattice.step())?;
        let mut coarse = vec![finest.plus(&shell(&self.shells, 1))?];
        coarse.extend(self.shells.iter().skip(2).cloned());
        Self::new(
            self.lattice.coarser(),
            coarse,
            self.infinity_mass,
            self.bits,
        )
    }

    /// Moves what lies farther than `reach` labels from the median to the next shell (S3).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn sort_into_shells(&mut self, reach: i64) -> Result<(), InvariantViolation> {
        let mut shells = std::mem::take(&mut self.shells);
        shells::sort(&mut shells, reach, |part, s| {
            part.merged(&self.lattice.step_of(s))
        })?;
        *self = Self::new(self.lattice.clone(), shells, self.infinity_mass, self.bits)?;
        Ok(())
    }

    /// Drops light ends (S1).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn trim(&mut self, budget: &TailBudget) -> Result<(), InvariantViolation> {
        let mut shells = std::mem::take(&mut self.shells);
        trim::take_right(&mut shells, budget, self.bits)?;
        trim::take_left(&mut shells, budget, &self.lattice, self.bits)?;
        *self = Self::new(self.lattice.clone(), shells, self.infinity_mass, self.bits)?;
        Ok(())
    }

    /// Atoms of all shells.
    pub fn atoms(&self) -> usize {
        let counts = self.shells.iter().map(|shell| shell.masses.masses().len());
        counts.sum()
    }
}

impl<const L: usize> LowerShell<L> {
    /// Atoms at the labels `first`, `first + 1`, …
    ///
    /// # Errors
    /// If there are more of one kind than of the other.
    pub fn new(
        first: i64,
        masses: Vec<Mass<L>>,
        scaled_p: Vec<Mass<L>>,
    ) -> Result<Self, InvariantViolation> {
        Self::of_rows(Row::new(first, masses), Row::new(first, scaled_p))
    }

    /// Atoms from their Q-masses and scaled_p P-masses.
    ///
    /// # Errors
    /// If the labels differ.
    pub(super) fn of_rows(masses: Row<L>, scaled_p: Row<L>) -> Result<Self, InvariantViolation> {
        if masses.first() != scaled_p.first() || masses.end() != scaled_p.end() {
            return Err(InvariantViolation(
                "an atom of a lower law lacks one of its masses".into(),
            ));
        }
        Ok(Self { masses, scaled_p })
    }

    /// Label, Q-mass and scaled_p P-mass of each atom.
    pub fn atoms(&self) -> impl Iterator<Item = (i64, &Mass<L>, &Mass<L>)> {
        let both = self.masses.atoms().zip(self.scaled_p.masses());
        both.map(|((index, mass), scaled_p)| (index, mass, scaled_p))
    }

    /// self·other, and another pair's product on top of it.
    fn product(
        &self,
        other: &Self,
        more: Option<(&Self, &Self)>,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let mut masses = self.masses.convolve(&other.masses)?;
        let mut scaled_p = self.scaled_p.convolve(&other.scaled_p)?;
        if let Some((a, b)) = more {
            masses = masses.plus(a.masses.convolve(&b.masses)?)?;
            scaled_p = scaled_p.plus(a.scaled_p.convolve(&b.scaled_p)?)?;
        }
        rounded(&masses, &scaled_p, bits)
    }

    /// Cells 2k and 2k + 1 merged into the cell k of twice the width, whose label is that of the first.
    fn merged(&self, step: &Rational) -> Result<Self, InvariantViolation> {
        let bits = spread::ratio_bits::<L>();
        // ≤ 1 − e^{−step}
        let decline = d::exp_m1_up(&d::rational_up(&Rational::from(-step), bits), bits);
        let decline = Fraction::below(&-decline);
        if self.masses.is_empty() {
            return Ok(Self::empty());
        }
        let (first, end) = (
            self.masses.first().div_euclid(2),
            self.masses.end().saturating_sub(1).div_euclid(2),
        );
        let mut masses = Vec::new();
        let mut scaled_p = Vec::new();
        for k in first..=end {
            let even = k.saturating_mul(2);
            let odd = even.saturating_add(1);
            masses.push(self.masses.at(even).plus(&self.masses.at(odd))?);
            let moved = self.scaled_p.at(odd).times_complement_up(&decline);
            scaled_p.push(self.scaled_p.at(even).plus(&moved)?);
        }
        Self::new(first, masses, scaled_p)
    }

    /// Moves the labels up by as many cells as the atoms have drifted above them on average (a matter of quality: the
    /// atoms stay where they are).
    fn relabel(&mut self, step: &Rational) -> Result<(), InvariantViolation> {
        let (mass, scaled_p) = (self.masses.total()?, self.scaled_p.total()?);
        if mass.is_zero() || scaled_p.is_zero() {
            return Ok(());
        }
        let ratio = Float::with_val(64, mass.to_integer()) / scaled_p.to_integer();
        let cells = (ratio.ln() / Float::with_val(64, step)).floor();
        let Some(cells) = cells
            .to_integer()
            .and_then(|n| n.to_i64())
            .filter(|n| (1..MOST_DRIFT).contains(n))
        else {
            return Ok(());
        };
        let bits = spread::ratio_bits::<L>();
        let shift = d::rational_up(&Rational::from(step * cells), bits);
        let Some(growth) = Fraction::above(&d::exp_m1_up(&shift, bits)) else {
            return Ok(());
        };
        let moved = |mass: &Mass<L>| mass.plus(&mass.times_up(&growth)?);
        let scaled_p = self.scaled_p.masses().iter().map(moved);
        *self = Self::new(
            self.masses.first().saturating_add(cells),
            self.masses.masses().to_vec(),
            scaled_p.collect::<Result<_, _>>()?,
        )?;
        Ok(())
    }
}

impl<const L: usize> Shell<L> for LowerShell<L> {
    fn empty() -> Self {
        Self {
            masses: Row::EMPTY,
            scaled_p: Row::EMPTY,
        }
    }

    fn masses(&self) -> &Row<L> {
        &self.masses
    }

    fn between(&self, from: i64, to: i64) -> Self {
        Self {
            masses: self.masses.between(from, to),
            scaled_p: self.scaled_p.between(from, to),
        }
    }

    fn plus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        Ok(Self {
            masses: self.masses.plus(&other.masses)?,
            scaled_p: self.scaled_p.plus(&other.scaled_p)?,
        })
    }

    /// An atom without Q-mass counts for nothing.
    fn stripped(self) -> Self {
        let masses = self.masses.stripped();
        let scaled_p = self.scaled_p.between(masses.first(), masses.end());
        Self { masses, scaled_p }
    }

    fn drop_last(&mut self, count: usize) {
        self.masses.drop_last(count);
        self.scaled_p.drop_last(count);
    }

    fn drop_first(&mut self, count: usize) {
        self.masses.drop_first(count);
        self.scaled_p.drop_first(count);
    }
}

/// Atoms drift by a cell or two in a product; where cells are finer than units of mass can tell, nothing is known.
const MOST_DRIFT: i64 = 1 << 20;

/// Products in units of 2^−bits: Q-masses rounded down, scaled_p P-masses rounded up.
///
/// What rounding takes from a Q-mass is given to the next cell below, so that rounding loses one unit of a shell, not
/// one of each atom. An atom of masses (q, a) splits into two of the same loss; the part of Q-mass r has the scaled_p
/// mass r·a/q at its own label and less at the label below, where it is merged (S3). So r will do for it where a ≤ q, 2r
/// where a ≤ 2q; other atoms, far below their labels, give nothing away. The rest keeps all of a, which is more than its
/// share.
fn rounded<const L: usize>(
    masses: &ProductRow<L>,
    scaled_p: &ProductRow<L>,
    bits: u32,
) -> Result<LowerShell<L>, InvariantViolation> {
    let both = masses.products().iter().zip(scaled_p.products());
    if masses.first() != scaled_p.first() || masses.products().len() != scaled_p.products().len() {
        return Err(InvariantViolation("labels of a lower law differ".into()));
    }
    let mut carried = (Product::ZERO, Product::ZERO);
    let mut rows = (
        Vec::with_capacity(masses.products().len()),
        Vec::with_capacity(masses.products().len()),
    );
    for (mass, scaled_p) in both.rev() {
        let (mass, scaled_p) = (mass.plus(&carried.0)?, scaled_p.plus(&carried.1)?);
        let whole = mass.shifted_down(bits)?;
        // Without Q-mass an atom counts for nothing.
        rows.1.push(if whole.is_zero() {
            Mass::ZERO
        } else {
            scaled_p.shifted_up(bits)?
        });
        rows.0.push(whole);
        let rest = mass.below(bits);
        carried = if is_at_most(&scaled_p, &mass) {
            (rest, rest)
        } else if is_at_most(&scaled_p, &mass.plus(&mass)?) {
            (rest, rest.plus(&rest)?)
        } else {
            (Product::ZERO, Product::ZERO)
        };
    }
    rows.0.reverse();
    rows.1.reverse();
    LowerShell::new(masses.first(), rows.0, rows.1)
}

fn is_at_most<const L: usize>(a: &Product<L>, b: &Product<L>) -> bool {
    (a.high, a.low) <= (b.high, b.low)
}

fn shell<const L: usize>(shells: &[LowerShell<L>], s: usize) -> LowerShell<L> {
    shells.get(s).cloned().unwrap_or_else(LowerShell::empty)
}

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
