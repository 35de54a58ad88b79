//! Divergences of mechanisms of which one, or both, are known only between a bound and members.
//!
//! An attacker's least error R falls with what is revealed: of what is stated the worst case has R_bound ≤ R ≤ R_member for each member. So Δ(A‖B), the
//! largest ψ·(R_A − R_B), is at least that of A's bound from any member of B, and at most that of any member of A from B's bound.

use super::bracket::{BOTH, of_member, undecided};
use super::comparison::BothWays;
use super::query::decides;
use super::{Answer, Contrast, Ending, Goal, Method, Resources, Subject};
use crate::bounds::Enclosure;
use crate::kernel::{Failure, Pick, directed};

impl Subject {
    /// Encloses a divergence between this mechanism and another.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] if the budget ended before there was any enclosure; an invariant violation is an
    /// internal error.
    pub fn compare(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let found = self.compare_both_ways(other, contrast, goal, resources)?;
        Ok(found.larger)
    }

    /// [`Self::compare`], and what was found on the way of each direction.
    ///
    /// # Errors
    /// As [`Self::compare`].
    pub fn compare_both_ways(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<BothWays, Failure> {
        let is_known = !self.is_bound() && !other.is_bound();
        // A theorem about bounds says that of both the same is stated.
        if is_known || self.certainly_dominates(other).is_some() {
            return self.compare_alone(other, contrast, goal, resources);
        }
        let there = |contrast| self.compare_between(other, contrast, goal, resources);
        let back = || other.compare_between(self, &Contrast::To, goal, resources);
        match contrast {
            Contrast::To | Contrast::Weighted(_) => Ok(there(contrast)?.into()),
            Contrast::From => Ok(back()?.into()),
            Contrast::Symmetric => larger(there(&Contrast::To)?, back()?, goal),
        }
    }

    /// Δ of the other one from this one, plain or weighted, of which at least one is a bound.
    fn compare_between(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        // None of them takes all of the time.
        let ask = |one: &Self, against: &Self| {
            let time = resources.budget.most_of_it();
            let part = Resources {
                budget: &time,
                jobs: resources.jobs,
                progress: resources.progress,
            };
            match one.compare_alone(against, contrast, goal, &part) {
                Ok(found) => Ok(Some(found.larger)),
                Err(Failure::Interrupted) => Ok(None),
                Err(failure) => Err(failure),
            }
        };
        let mut least: Option<Answer> = None;
        for member in other.attained() {
            let next = ask(self, member)?;
            least = better(least, next, |one, than| one.lower() > than.lower());
        }
        let mut most: Option<Answer> = None;
        for member in self.attained() {
            let next = ask(member, other)?;
            most = better(most, next, |one, than| one.upper() < than.upper());
        }
        let bits = 64;
        let zero = || rug::Float::new(bits);
        let largest = || match contrast {
            Contrast::Weighted(_) => directed::infinity(bits),
            Contrast::To | Contrast::From | Contrast::Symmetric => {
                rug::Float::with_val(bits, 1) >> 1u32
            }
        };
        if least.is_none() && most.is_none() {
            return Err(Failure::Interrupted);
        }
        let low = least.as_ref().map(|found| found.enclosure.lower().clone());
        let high = most.as_ref().map(|found| found.enclosure.upper().clone());
        let high = high.map_or_else(largest, |high| high.smaller(&largest()));
        let enclosure = Enclosure::new(low.unwrap_or_else(zero), high)?;
        let ending = |found: &Option<Answer>| {
            found
                .as_ref()
                .map_or(Ending::OutOfTime, |found| found.ending)
        };
        Ok(Answer {
            ending: match decides(&enclosure, goal) {
                true => Ending::Reached,
                false => undecided(ending(&least), ending(&most)),
            },
            enclosure,
            method: match most.map(|found| found.method) {
                Some(method @ (Method::ClosedForm | Method::Laws { .. })) => method,
                Some(Method::Theorem(_)) | None => Method::Theorem(BOTH.to_owned()),
            },
            // There is at least as much between what is stated.
            witness: least.and_then(|found| found.witness).map(of_member),
        })
    }

    /// What is known to be stated: members of a bound, else the mechanism itself.
    fn attained(&self) -> &[Self] {
        match self.members.as_slice() {
            [] => std::slice::from_ref(self),
            members => members,
        }
    }
}

/// The better of what is known so far and what was found next.
fn better(
    known: Option<Answer>,
    next: Option<Answer>,
    is_better: impl Fn(&Enclosure, &Enclosure) -> bool,
) -> Option<Answer> {
    match (known, next) {
        (Some(known), Some(next)) if is_better(&next.enclosure, &known.enclosure) => Some(next),
        (Some(known), _) => Some(known),
        (None, next) => next,
    }
}

/// The larger of both directions.
fn larger(there: Answer, back: Answer, goal: &Goal) -> Result<BothWays, Failure> {
    let (one, other) = (&there.enclosure, &back.enclosure);
    let low = one.lower().clone().larger(other.lower());
    let high = one.upper().clone().larger(other.upper());
    let enclosure = Enclosure::new(low, high)?;
    let ways = [&there, &back].map(|way| (way.enclosure.clone(), way.witness.clone()));
    let (first, second) = match one.lower() >= other.lower() {
        true => (there, back),
        false => (back, there),
    };
    let ending = match decides(&enclosure, goal) {
        true => Ending::Reached,
        false => undecided(first.ending, second.ending),
    };
    Ok(BothWays {
        larger: Answer {
            enclosure,
            ending,
            ..first
        },
        ways: Some(ways),
    })
}

#[cfg(test)]
#[path = "between_tests.rs"]
mod tests;
