//! Self-composition by repeated squaring, with the lattice growing as the law spreads.
//!
//! The binary digits of the number of steps are read from the highest on: the law so far is squared and, for a digit 1,
//! multiplied by one step brought to the same lattice. Laws are kept in shells about their median, so a step much
//! narrower than the lattice, or with a tail much longer than its bulk, costs no more than another.

use super::shells::{self, Shell};
use super::{Lattice, LowerLaw, TailBudget, UpperLaw};
use crate::kernel::{Budget, Failure, InvariantViolation};

/// When to coarsen and how much to trim. Every field is a hint: none can make a law unsound.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Points of the finest lattice that the middle nine tenths of a law should take up, at least.
    pub bulk: i64,
    /// A law with no more atoms than this is not coarsened.
    pub few_atoms: usize,
    /// Points of its lattice on either side of the median that a shell reaches.
    pub reach: i64,
    /// Mass that may be cut off each end of the final law.
    pub tail: TailBudget,
}

/// An upper law of `steps` ≥ 1 independent copies of `base`.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn power_upper<const L: usize>(
    base: &UpperLaw<L>,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<UpperLaw<L>, Failure> {
    power(base, steps, schedule, budget)
}

/// A lower law of `steps` ≥ 1 independent copies of `base`.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn power_lower<const L: usize>(
    base: &LowerLaw<L>,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<LowerLaw<L>, Failure> {
    power(base, steps, schedule, budget)
}

/// What composing needs of a law; the two kinds never meet in one computation.
pub trait Composable: Clone {
    /// The law of the sum of two independent losses.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation>;
    /// The law on every second point.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    fn coarsen(&self) -> Result<Self, InvariantViolation>;
    /// Cuts light ends off.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    fn trim(&mut self, budget: &TailBudget) -> Result<(), InvariantViolation>;
    /// Moves what is far from the median to coarser shells.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    fn sort_into_shells(&mut self, reach: i64) -> Result<(), InvariantViolation>;
    /// The lattice of the finest shell.
    fn lattice(&self) -> &Lattice;
    /// Atoms of all shells.
    fn atoms(&self) -> usize;
    /// Points of the finest lattice that the middle nine tenths take up.
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    fn bulk_width(&self) -> Result<i64, InvariantViolation>;
    /// The largest magnitude of an index on the finest lattice; huge where that does not fit.
    fn farthest_index(&self) -> u64;
}

fn power<C: Composable>(
    base: &C,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<C, Failure> {
    if steps == 0 {
        return Err(InvariantViolation("a power of nothing".into()).into());
    }
    let mut step = base.clone();
    let mut law = base.clone();
    let mut count = 1u64;
    let lower_digits = steps.ilog2();
    for digit in (0..lower_digits).rev() {
        budget.check()?;
        let is_set = (steps >> digit) & 1 == 1;
        law = product(&law, &law)?;
        count = count.saturating_mul(2);
        law.trim(&schedule.tail.share(count, steps))?;
        // Nothing but one step comes after the last squaring.
        if digit > 0 {
            law = arranged(law, schedule, budget)?;
        }
        if is_set {
            step = brought_to(step, law.lattice(), budget)?;
            law = product(&law, &step)?;
            count = count.saturating_add(1);
            law.trim(&schedule.tail.share(count, steps))?;
        }
    }
    Ok(law)
}

/// The product of two laws on the same lattice.
///
/// # Errors
/// Lattice indices are 64-bit numbers, on the finest lattice too, where all shells meet in the end: a plan that needs
/// larger ones is given up, not computed wrongly.
pub fn product<C: Composable>(a: &C, b: &C) -> Result<C, Failure> {
    const FARTHEST: u64 = 1 << 61;
    if a.farthest_index() >= FARTHEST || b.farthest_index() >= FARTHEST {
        return Err(Failure::Interrupted);
    }
    Ok(a.convolve(b)?)
}

/// The law on the coarsest lattice that the schedule allows, sorted into shells.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn arranged<C: Composable>(
    mut law: C,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<C, Failure> {
    while law.atoms() > schedule.few_atoms && law.bulk_width()? / 2 >= schedule.bulk.max(1) {
        budget.check()?;
        law = law.coarsen()?;
    }
    if law.atoms() > schedule.few_atoms {
        law.sort_into_shells(schedule.reach)?;
    }
    Ok(law)
}

/// The law on a lattice at least as coarse as the given one.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn brought_to<C: Composable>(
    mut law: C,
    lattice: &Lattice,
    budget: &Budget,
) -> Result<C, Failure> {
    while law.lattice().step() < lattice.step() {
        budget.check()?;
        law = law.coarsen()?;
    }
    Ok(law)
}

macro_rules! composable {
    ($law:ident) => {
        impl<const L: usize> Composable for $law<L> {
            fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation> {
                self.convolve(other)
            }

            fn coarsen(&self) -> Result<Self, InvariantViolation> {
                self.coarsen()
            }

            fn trim(&mut self, budget: &TailBudget) -> Result<(), InvariantViolation> {
                self.trim(budget)
            }

            fn sort_into_shells(&mut self, reach: i64) -> Result<(), InvariantViolation> {
                self.sort_into_shells(reach)
            }

            fn lattice(&self) -> &Lattice {
                self.lattice()
            }

            fn atoms(&self) -> usize {
                self.atoms()
            }

            fn bulk_width(&self) -> Result<i64, InvariantViolation> {
                shells::bulk_width(self.shells())
            }

            fn farthest_index(&self) -> u64 {
                let rows = self.shells().iter().map(Shell::masses).enumerate();
                let occupied = rows.filter(|(_, row)| !row.is_empty());
                let ends = occupied.flat_map(|(s, row)| {
                    [row.first(), row.end()].map(|end| shells::fine_index(end, s).unsigned_abs())
                });
                ends.max().unwrap_or(0)
            }
        }
    };
}

composable!(UpperLaw);
composable!(LowerLaw);
