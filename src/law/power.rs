//! Self-composition by repeated squaring, with the lattice growing as the law spreads.

use rug::{Integer, Rational};

use super::{LowerLaw, TailBudget, UpperLaw};
use crate::kernel::{Budget, Failure};

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
    /// From this level on the lower law leaves out single steps instead of putting them on the lattice: their
    /// standard deviation is far below its step, and δ of T − 1 steps is a lower bound for T.
    pub drop_from_level: u32,
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

macro_rules! power_of {
    ($(#[$doc:meta])* $name:ident, $law:ty, $drops:expr) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
        pub fn $name(
            base: &$law,
            steps: u64,
            schedule: &Schedule,
            budget: &Budget,
        ) -> Result<($law, u32), Failure> {
            let mut single = base.clone();
            let mut level = 0;
            let mut law = base.clone();
            let mut done: u64 = 1;
            for bit in (0..steps.max(1).ilog2()).rev() {
                budget.check()?;
                law = law.convolve(&law)?;
                done *= 2;
                law.trim(&schedule.tail.share(done, steps));
                let target = schedule.level(done);
                while level < target || (law.masses().len() > schedule.most_atoms && level < 62) {
                    budget.check()?;
                    law = law.coarsen()?;
                    single = single.coarsen()?;
                    level += 1;
                }
                let dropped = $drops && level >= schedule.drop_from_level;
                if steps >> bit & 1 == 1 {
                    done += 1;
                    if !dropped {
                        law = law.convolve(&single)?;
                        law.trim(&schedule.tail.share(done, steps));
                    }
                }
            }
            Ok((law, level))
        }
    };
}

power_of! {
    /// An upper law of `steps` independent copies of `base`, and how often its lattice was coarsened.
    power_upper, UpperLaw, false
}

power_of! {
    /// A lower law of `steps` independent copies of `base`, and how often its lattice was coarsened.
    power_lower, LowerLaw, true
}
