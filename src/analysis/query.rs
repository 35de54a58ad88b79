//! One quantity of one pair of profiles, and when it is known well enough.

use rug::{Float, Rational};

use super::{Answer, Ending, Goal, Method, Quantity, Resources, Witness};
use crate::bounds::{self, Effort, Enclosure, GdpForm, Target, TwoSided};
use crate::kernel::directed::rational_up;
use crate::kernel::{Failure, InvariantViolation, Pick};

/// An enclosure and a place where its lower or upper side can be seen.
pub(super) struct Found {
    pub(super) enclosure: Enclosure,
    pub(super) witness: Option<Witness>,
}

/// Encloses a quantity of the pair of profiles as given.
pub(super) fn ask(
    sides: &TwoSided,
    quantity: &Quantity,
    effort: &Effort,
) -> Result<Found, InvariantViolation> {
    let plain = |enclosure: Enclosure| Found {
        enclosure,
        witness: None,
    };
    Ok(match quantity {
        Quantity::Delta(at) => plain(bounds::delta(sides, at, effort)?),
        Quantity::Epsilon { delta } => plain(bounds::epsilon(sides, delta, effort)?),
        Quantity::TradeOff { alpha } => plain(bounds::tradeoff(sides, alpha, effort)?),
        Quantity::Advantage => plain(bounds::advantage(sides, effort)?),
        Quantity::BayesError { prior } => plain(bounds::bayes_error(sides, prior, effort)?),
        Quantity::MinimaxRisk => plain(bounds::minimax_risk(sides, effort)?),
        Quantity::GdpMu(form) => {
            let found = bounds::gdp_mu(sides, form, effort)?;
            let floor = match form {
                GdpForm::ErrorFloor(floor) => rational_up(floor, effort.bits),
                _ => Float::new(effort.bits),
            };
            // f(max(α, e)) ≤ max(β, e): the claim speaks of nothing below its floor.
            let witness = found.witness.map(|w| Witness::Point {
                alpha: w.alpha.larger(&floor),
                beta: w.beta.larger(&floor),
            });
            Found {
                enclosure: found.mu,
                witness,
            }
        }
        // These are not answered from one curve alone.
        Quantity::MaxLoss
        | Quantity::Regret { .. }
        | Quantity::Divergence { .. }
        | Quantity::RegretOfStrictMu
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho => plain(Enclosure::new(
            Float::with_val(64, 0),
            Float::with_val(64, rug::float::Special::Infinity),
        )?),
    })
}

/// What two enclosures of one quantity say together; the witness is that of the better lower bound.
pub(super) fn join(before: Option<Found>, now: Found) -> Result<Found, InvariantViolation> {
    let Some(before) = before else { return Ok(now) };
    let better_before = before.enclosure.lower() > now.enclosure.lower();
    let enclosure = before.enclosure.intersect(&now.enclosure)?;
    let (first, second) = if better_before {
        (before.witness, now.witness)
    } else {
        (now.witness, before.witness)
    };
    Ok(Found {
        enclosure,
        witness: first.or(second),
    })
}

/// Is the goal reached?
pub(super) fn decides(enclosure: &Enclosure, goal: &Goal) -> bool {
    match goal {
        Goal::Width(target) => enclosure.exact().is_some() || enclosure.meets(target),
        Goal::Compare { with } => {
            enclosure.exact().is_some()
                || enclosure.most().is_some_and(|most| most <= with)
                || enclosure.upper() < with
                || enclosure.lower() > with
                || enclosure.lower() == enclosure.upper()
        }
    }
}

/// Bits at which a search for this target starts.
pub(super) fn bits_for(target: &Target) -> u32 {
    digits_of(target).saturating_add(64).max(128)
}

/// About the binary digits after the point of a width.
pub(super) fn digits_of(target: &Target) -> u32 {
    let width = match target {
        Target::Relative(width) | Target::Absolute(width) => width,
    };
    width
        .denom()
        .significant_bits()
        .saturating_sub(width.numer().significant_bits())
}

/// The answer that a search ended with.
pub(super) fn answered(
    best: Option<Found>,
    goal: &Goal,
    method: Method,
    resources: &Resources<'_>,
) -> Result<Answer, Failure> {
    let Found { enclosure, witness } = best.ok_or(Failure::Interrupted)?;
    let ending = if decides(&enclosure, goal) {
        Ending::Reached
    } else if resources.budget.check().is_err() {
        Ending::OutOfTime
    } else {
        Ending::Exhausted
    };
    Ok(Answer {
        enclosure,
        method,
        ending,
        witness,
    })
}

/// The probability at which a μ is asked for.
pub(super) fn form_level(form: &GdpForm) -> Rational {
    match form {
        GdpForm::Strict => Rational::from((1, 1_000_000_000_000u64)),
        GdpForm::Tolerance(level) | GdpForm::ErrorFloor(level) => level.clone(),
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
