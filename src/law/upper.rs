//! Laws that lie above a privacy profile.

use rug::Rational;

use super::mass::{Fraction, Mass, Product};
use super::row::{ProductRow, Row};
use super::{Lattice, TailBudget, shells, spread, trim};
use crate::kernel::{Interval, InvariantViolation};

/// A discrete PLD whose profile is ≥ the profile it stands for, at every u > 0.
///
/// Row s ("shell") has its atoms at offset + index·step·2^s: close to the bulk of the law on the finest lattice,
/// farther away on coarser ones. Where a mass sits is a matter of quality only.
///
/// Invariant (checked at every construction): Σ masses + infinity_mass = 2^bits exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpperLaw<const L: usize> {
    lattice: Lattice,
    shells: Vec<Row<L>>,
    infinity_mass: Mass<L>,
    bits: u32,
}

impl<const L: usize> UpperLaw<L> {
    /// The law with these masses in units of 2^−bits, and `infinity_mass` at +∞.
    ///
    /// Requires for soundness: its profile lies above the one it stands for.
    ///
    /// # Errors
    /// If the total is not 2^bits.
    pub fn new(
        lattice: Lattice,
        shells: Vec<Row<L>>,
        infinity_mass: Mass<L>,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let total = shells
            .iter()
            .try_fold(infinity_mass, |sum, row| sum.plus(&row.total()?))?;
        if total != Mass::power_of_two(bits)? {
            return Err(InvariantViolation(
                "the mass of an upper law is not one".into(),
            ));
        }
        Ok(Self {
            lattice,
            shells,
            infinity_mass,
            bits,
        })
    }

    /// The lattice of the finest shell.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The shells, each with twice the step of the one before.
    pub fn shells(&self) -> &[Row<L>] {
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

    /// The law of the sum of two independent losses: an upper law of the composition.
    ///
    /// The product of two laws is the sum of the products of their shells. Those whose coarser shell is s are formed on
    /// lattice s, with everything finer first spread onto it (S3; the profile of a convolution is
    /// monotone in each factor, S2). Rounding moves mass up, at most one unit across each point (S1).
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
        let (mut finer, mut other_finer) = (Row::EMPTY, Row::EMPTY);
        let mut shells = Vec::with_capacity(count);
        let mut exact_total = Product::ZERO;
        let mut rounded_total = Mass::ZERO;
        for s in 0..count {
            let (a, b) = (shell(&self.shells, s), shell(&other.shells, s));
            let products = if is_square {
                // A·A + 2·A·C = A·(A + C + C).
                a.convolve(&a.plus(&finer)?.plus(&finer)?)?
            } else {
                a.convolve(&b.plus(&other_finer)?)?
                    .plus(finer.convolve(b)?)?
            };
            let (row, total) = rounded_up(&products, self.bits)?;
            exact_total = exact_total.plus(&total)?;
            rounded_total = rounded_total.plus(&row.total()?)?;
            shells.push(row);
            if s.saturating_add(1) < count {
                let share = share_down(&self.step_of(s));
                finer = spread::onto_coarser(&a.plus(&finer)?, &share)?;
                other_finer = if is_square {
                    finer.clone()
                } else {
                    spread::onto_coarser(&b.plus(&other_finer)?, &share)?
                };
            }
        }
        self.check_total(other, &exact_total)?;
        // What rounding left over, less than a unit a shell, goes to +∞ with the mass that belongs there.
        let infinity_mass = Mass::power_of_two(self.bits)?.minus(&rounded_total)?;
        Self::new(lattice, shells, infinity_mass, self.bits)
    }

    /// Runtime guard: the exact products add up to (1 − infinity_mass)·(1 − infinity_mass').
    fn check_total(&self, other: &Self, total: &Product<L>) -> Result<(), InvariantViolation> {
        let one = Mass::power_of_two(self.bits)?;
        let expected = Product::new(
            &one.minus(&self.infinity_mass)?,
            &one.minus(&other.infinity_mass)?,
        );
        if *total == expected {
            Ok(())
        } else {
            Err(InvariantViolation(
                "a composition does not preserve the total mass".into(),
            ))
        }
    }

    /// The same law with its finest shell spread onto the next one, which becomes the finest (S3).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn coarsen(&self) -> Result<Self, InvariantViolation> {
        let mut shells = self.shells.iter();
        let finest = shells.next().unwrap_or(const { &Row::EMPTY });
        let spread = spread::onto_coarser(finest, &share_down(self.lattice.step()))?;
        let next = shells.next().unwrap_or(const { &Row::EMPTY });
        let mut coarse = vec![spread.plus(next)?];
        coarse.extend(shells.cloned());
        Self::new(
            self.lattice.coarser(),
            coarse,
            self.infinity_mass,
            self.bits,
        )
    }

    /// Moves what lies farther than `reach` points of its lattice from the median to the next shell (S3).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn sort_into_shells(&mut self, reach: i64) -> Result<(), InvariantViolation> {
        let mut shells = std::mem::take(&mut self.shells);
        shells::sort(&mut shells, reach, |row, s| {
            spread::onto_coarser(row, &share_down(&self.step_of(s)))
        })?;
        *self = Self::new(self.lattice.clone(), shells, self.infinity_mass, self.bits)?;
        Ok(())
    }

    /// Moves light ends: on the right to +∞, on the left up to the first atom that stays (S1).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn trim(&mut self, budget: &TailBudget) -> Result<(), InvariantViolation> {
        let mut shells = std::mem::take(&mut self.shells);
        let right = trim::take_right(&mut shells, budget, self.bits)?;
        let left = trim::take_left(&mut shells, budget, &self.lattice, self.bits)?;
        if let Some(s) = shells::leftmost(&shells)
            && let Some(row) = shells.get_mut(s)
        {
            row.add_to_first(&left)?;
        }
        let infinity_mass = self.infinity_mass.plus(&right)?;
        *self = Self::new(self.lattice.clone(), shells, infinity_mass, self.bits)?;
        Ok(())
    }

    /// Atoms of all shells.
    pub fn atoms(&self) -> usize {
        self.shells.iter().map(|row| row.masses().len()).sum()
    }

    fn step_of(&self, s: usize) -> Rational {
        self.lattice.step_of(s)
    }
}

/// The row of a shell; empty beyond the last.
fn shell<const L: usize>(shells: &[Row<L>], s: usize) -> &Row<L> {
    shells.get(s).unwrap_or(const { &Row::EMPTY })
}

/// ⌊2^(64·L)·e^{−step}/(1 + e^{−step})⌋: the share of an odd atom that may go down when it is spread onto its
/// neighbours.
fn share_down<const L: usize>(step: &Rational) -> Fraction<L> {
    let bits = spread::ratio_bits::<L>();
    let shrink = Interval::from_rational(step, bits).neg().exp();
    let share = shrink.div(&Interval::one(bits).add(&shrink));
    Fraction::below(share.lo())
}

/// The products in units of 2^−bits, rounded up the line: the mass at or above each point is the ceiling of the
/// exact one, up to the floor of the total, which all of them add up to. Also the exact total.
fn rounded_up<const L: usize>(
    products: &ProductRow<L>,
    bits: u32,
) -> Result<(Row<L>, Product<L>), InvariantViolation> {
    let total = products
        .products()
        .iter()
        .try_fold(Product::ZERO, |sum, product| sum.plus(product))?;
    let whole = total.shifted_down(bits)?;
    let mut above = Product::ZERO;
    let mut previous = Mass::ZERO;
    let mut masses = products
        .products()
        .iter()
        .rev()
        .map(|product| {
            above = above.plus(product)?;
            let survival = above.shifted_up(bits)?.min(whole);
            let mass = survival.minus(&previous)?;
            previous = survival;
            Ok(mass)
        })
        .collect::<Result<Vec<_>, InvariantViolation>>()?;
    masses.reverse();
    Ok((Row::new(products.first(), masses), total))
}
