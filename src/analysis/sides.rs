//! A profile that is only known between others: finer ones until the answer is narrow enough.

use std::sync::Arc;

use rug::{Float, Rational};

use super::query::{self, Found, answered, decides};
use super::{Answer, Goal, Method, Quantity, Resources, Subject};
use crate::bounds::{Effort, Enclosure, LossRange, Target, TwoSided};
use crate::kernel::{Between, Budget, Failure, Fineness, Profile};

/// The first answer, then four times as narrow with each doubling.
const FIRST: Fineness = Fineness {
    cells: 256,
    depth: 64,
};
const FINEST_CELLS: u32 = 1 << 16;
const DEEPEST: u32 = 4096;
/// A number this many bits above the depth is not changed by what is given up there.
const MARGIN: u32 = 30;

impl Subject {
    /// `None` if the profile is a closed form.
    pub(super) fn by_sides(
        &self,
        profile: &dyn Profile,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Option<Answer>, Failure> {
        let mut fineness = Fineness {
            depth: FIRST.depth.max(depth_of(quantity)),
            ..FIRST
        };
        let coarse = Target::Relative(super::subject::power_of_ten(3));
        let target = match goal {
            Goal::Width(target) => target.clone(),
            Goal::Compare { .. } => coarse,
        };
        let mut best: Option<Found> = None;
        let mut rounds = 0u32;
        loop {
            rounds = rounds.saturating_add(1);
            let between = match profile.between(fineness, resources.budget) {
                Ok(Some(between)) => between,
                Ok(None) if best.is_none() => return Ok(None),
                Ok(None) | Err(Failure::Interrupted) => break,
                Err(failure) => return Err(failure),
            };
            let Between { upper, lower } = between;
            let sides = TwoSided::between(upper, lower, LossRange::default());
            let effort = Effort {
                bits: query::bits_for(&target),
                target: &target,
                goal: None,
                budget: resources.budget,
            };
            let found = query::ask(&self.oriented(&sides, quantity), quantity, &effort)?;
            let is_deep =
                fineness.depth < DEEPEST && is_below(found.enclosure.upper(), fineness.depth);
            let joined = query::join(best.take(), found)?;
            let done = decides(&joined.enclosure, goal);
            let more = growth(goal, &joined.enclosure);
            best = Some(joined);
            if done || resources.budget.check().is_err() {
                break;
            }
            if is_deep {
                fineness.depth = fineness.depth.saturating_mul(2);
            } else if fineness.cells < FINEST_CELLS {
                fineness.cells = fineness.cells.saturating_mul(more).min(FINEST_CELLS);
            } else {
                break;
            }
        }
        let method = Method::Laws {
            cells: u64::from(fineness.cells),
            rounds,
        };
        answered(best, goal, method, resources).map(Some)
    }
}

/// Profiles above and below one, each pair finer than the one before: for what is compared over all ε.
pub(super) struct Finer {
    profile: Arc<dyn Profile>,
    next: Option<Fineness>,
    last: Fineness,
    rounds: u32,
}

impl Finer {
    /// Requires: `profile` is no closed form.
    pub(super) fn new(profile: Arc<dyn Profile>) -> Self {
        Self {
            profile,
            next: Some(FIRST),
            last: FIRST,
            rounds: 0,
        }
    }

    /// The next ones, which give up less than `tail`; `None` after the finest. Where there are none, the profile itself is all that is known.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    pub(super) fn next(
        &mut self,
        tail: &Rational,
        budget: &Budget,
    ) -> Result<Option<TwoSided>, Failure> {
        let Some(next) = self.next else {
            return Ok(None);
        };
        let fineness = Fineness {
            depth: next.depth.max(depth_below(tail)),
            ..next
        };
        let between = self.profile.between(fineness, budget)?;
        self.rounds = self.rounds.saturating_add(1);
        self.last = fineness;
        let cells = fineness.cells.saturating_mul(2);
        self.next =
            (between.is_some() && cells <= FINEST_CELLS).then_some(Fineness { cells, ..next });
        Ok(Some(match between {
            Some(Between { upper, lower }) => TwoSided::between(upper, lower, LossRange::default()),
            None => TwoSided::closed_form(Arc::clone(&self.profile)),
        }))
    }

    pub(super) fn method(&self) -> Method {
        Method::Laws {
            cells: u64::from(self.last.cells),
            rounds: self.rounds,
        }
    }
}

/// How many times as many cells are needed, as widths fall with their square.
fn growth(goal: &Goal, found: &Enclosure) -> u32 {
    const MOST: u32 = 8;
    let Goal::Width(target) = goal else {
        return 2;
    };
    let (lower, upper) = (found.lower(), found.upper());
    let excess = (2u32..MOST).find(|times| {
        let narrower = Float::with_val(64, upper - lower) / times.saturating_mul(*times);
        narrower <= target.allowed_width(lower, upper, 64)
    });
    excess.unwrap_or(MOST)
}

/// Is a number so small that what is given up at this depth may be most of it?
fn is_below(x: &Float, depth: u32) -> bool {
    let least = Float::with_val(64, 1) >> depth.saturating_sub(MARGIN);
    x.is_finite() && *x >= 0 && *x < least
}

/// How deep the tails are that a quantity is about, as far as it says so.
fn depth_of(quantity: &Quantity) -> u32 {
    let level = match quantity {
        Quantity::Epsilon { delta } => delta,
        Quantity::TradeOff { alpha } => alpha,
        Quantity::BayesError { prior } => prior,
        _ => return 0,
    };
    depth_below(level).saturating_add(MARGIN).min(DEEPEST)
}

/// A depth at which what is given up is far less than this.
fn depth_below(level: &Rational) -> u32 {
    let (numerator, denominator) = (level.numer(), level.denom());
    let bits = denominator
        .significant_bits()
        .saturating_sub(numerator.significant_bits());
    bits.saturating_add(16).min(DEEPEST)
}

#[cfg(test)]
#[path = "sides_tests.rs"]
mod tests;
