//! Self-composition by repeated squaring, with the lattice growing as the law spreads.
//!
//! The powers 1, 2, 4, … of the base are squared one from the other; those that the binary digits of the number of
//! steps call for are multiplied, the smallest first. A law meets a coarser lattice only when it is multiplied
//! with one that is at least as spread out.

use rug::{Float, Integer, Rational};

use super::{Lattice, LowerLaw, TailBudget, UpperLaw};
use crate::kernel::{Budget, Failure, InvariantViolation};

/// When to coarsen and how much to trim. Every field is a hint: none can make a law unsound.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// A law of t steps may have a step of 2^l base steps while 4^l ≤ t · `spread`: (standard deviation of one step /
    /// (cells wanted per standard deviation · base step))².
    pub spread: Rational,
    /// Never coarsen beyond this level.
    pub last_level: u32,
    /// Laws are coarsened further while they have more atoms than this.
    pub most_atoms: usize,
    /// Mass that may be cut off each end of the final law.
    pub tail: TailBudget,
    /// What a step is worth: about its mean loss. A lower law that would lose more than that by coarsening leaves
    /// its steps out instead (δ of fewer steps is a lower bound).
    pub worth: Float,
}

impl Schedule {
    /// The coarsest level for a law of `steps` steps.
    pub fn level(&self, steps: u64) -> u32 {
        let room = Rational::from(&self.spread * steps);
        let whole = room.floor().numer().clone().max(Integer::from(1));
        // 4^l ≤ whole
        (whole.significant_bits().saturating_sub(1) / 2).min(self.last_level)
    }
}

/// An upper law of `steps` ≥ 1 independent copies of `base`.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn power_upper(
    base: &UpperLaw,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<UpperLaw, Failure> {
    power(base, steps, schedule, budget)
}

/// A lower law of `steps` ≥ 1 independent copies of `base`.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn power_lower(
    base: &LowerLaw,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<LowerLaw, Failure> {
    power(base, steps, schedule, budget)
}

/// What powering needs of a law; the two kinds never meet in one computation.
trait Powered: Clone {
    fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation>;
    fn coarsen(&self) -> Result<Self, InvariantViolation>;
    fn trim(&mut self, budget: &TailBudget);
    fn lattice(&self) -> &Lattice;
    fn first(&self) -> i64;
    fn atoms(&self) -> usize;
    /// `fine` brought to a coarser lattice as `coarse`: is it better left out of a product?
    fn better_left_out(fine: &Self, coarse: &Self, worth: &Float) -> bool;
}

fn power<L: Powered>(
    base: &L,
    steps: u64,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<L, Failure> {
    if steps == 0 {
        return Err(InvariantViolation("a power of nothing".into()).into());
    }
    let mut square = base.clone();
    let mut square_steps = 1u64;
    let mut level = 0;
    let mut product: Option<(L, u64)> = None;
    loop {
        budget.check()?;
        if steps & square_steps != 0 {
            product = Some(match product {
                Some((smaller, count)) => {
                    let joined = multiply(&smaller, count, &square, schedule, budget)?;
                    (
                        trimmed(joined, schedule, count + square_steps, steps),
                        count + square_steps,
                    )
                }
                None => (square.clone(), square_steps),
            });
        }
        if steps / 2 < square_steps {
            break;
        }
        has_room(&square, &square)?;
        square = square.convolve(&square)?;
        square_steps *= 2;
        square = trimmed(square, schedule, square_steps, steps);
        while level < schedule.level(square_steps)
            || (square.atoms() > schedule.most_atoms && level < 62)
        {
            budget.check()?;
            square = square.coarsen()?;
            level += 1;
        }
    }
    product
        .map(|(law, _)| law)
        .ok_or_else(|| InvariantViolation("a power of nothing".into()).into())
}

fn trimmed<L: Powered>(mut law: L, schedule: &Schedule, steps: u64, total: u64) -> L {
    law.trim(&schedule.tail.share(steps, total));
    law
}

/// The product of a law of `count` steps with one on the same lattice or a coarser one.
fn multiply<L: Powered>(
    smaller: &L,
    count: u64,
    larger: &L,
    schedule: &Schedule,
    budget: &Budget,
) -> Result<L, Failure> {
    let mut coarse = smaller.clone();
    while coarse.lattice().step() < larger.lattice().step() {
        budget.check()?;
        coarse = coarse.coarsen()?;
    }
    let worth = Float::with_val(64, &schedule.worth * count);
    if L::better_left_out(smaller, &coarse, &worth) {
        return Ok(larger.clone());
    }
    has_room(&coarse, larger)?;
    Ok(coarse.convolve(larger)?)
}

/// Lattice indices are 64-bit numbers; a plan that needs larger ones is given up, not computed wrongly.
fn has_room<L: Powered>(a: &L, b: &L) -> Result<(), Failure> {
    const FARTHEST: u64 = 1 << 60;
    let far = |law: &L| law.first().unsigned_abs() >= FARTHEST;
    if far(a) || far(b) {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

impl Powered for UpperLaw {
    fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation> {
        self.convolve(other)
    }

    fn coarsen(&self) -> Result<Self, InvariantViolation> {
        self.coarsen()
    }

    fn trim(&mut self, budget: &TailBudget) {
        self.trim(budget);
    }

    fn lattice(&self) -> &Lattice {
        self.lattice()
    }

    fn first(&self) -> i64 {
        self.first()
    }

    fn atoms(&self) -> usize {
        self.masses().len()
    }

    /// Never: leaving steps out lowers δ.
    fn better_left_out(_fine: &Self, _coarse: &Self, _worth: &Float) -> bool {
        false
    }
}

impl Powered for LowerLaw {
    fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation> {
        self.convolve(other)
    }

    fn coarsen(&self) -> Result<Self, InvariantViolation> {
        self.coarsen()
    }

    fn trim(&mut self, budget: &TailBudget) {
        self.trim(budget);
    }

    fn lattice(&self) -> &Lattice {
        self.lattice()
    }

    fn first(&self) -> i64 {
        self.first()
    }

    fn atoms(&self) -> usize {
        self.masses().len()
    }

    /// Contractions keep Σ mass·e^{−y}; what it grows by has moved down.
    fn better_left_out(fine: &Self, coarse: &Self, worth: &Float) -> bool {
        Float::with_val(64, coarse.p_mass() - fine.p_mass()) > *worth
    }
}
