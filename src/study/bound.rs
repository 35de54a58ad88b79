//! Queries about one mechanism, each answered to the precision asked for.

use std::time::{Duration, Instant};

use rug::Rational;

use super::Limits;
use crate::analysis::{Answer, Ending, Goal, Method, Refusal, Resources, Unsupported, prepare};
use crate::bounds::Target;
use crate::kernel::{Failure, InvariantViolation};
use crate::statement::Query;
use crate::verdict::{Analyst, known_of_every_mechanism};

/// Relative width to reach where none is asked for.
pub fn default_target() -> Target {
    Target::Relative(Rational::from((1, 10_000)))
}

/// Relative width to reach, where none is asked for, if there is a closed form.
fn closed_form_target() -> Target {
    Target::Relative(Rational::from((1, 1_000_000_000_000u64)))
}

/// Why there is no answer, not even a wide one.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoAnswer {
    /// The mechanism or the query cannot be treated.
    #[error("{0}")]
    Unsupported(Unsupported),
    /// dpcmp contradicts itself.
    #[error("{0}")]
    Internal(InvariantViolation),
}

/// An answer and how long it took.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// What was found.
    pub answer: Answer,
    /// Do both ends belong to one mechanism?
    pub attained: bool,
    /// Time taken.
    pub time: Duration,
}

/// Encloses what a query asks for, with a time budget of its own.
///
/// # Errors
/// As [`answer`].
pub fn bound(
    limits: &Limits<'_>,
    analyst: Result<&dyn Analyst, &Refusal>,
    query: &Query,
) -> Result<Bounded, NoAnswer> {
    let start = Instant::now();
    let precision = limits.precision.as_ref();
    let answer = limits.with_resources(|resources| answer(analyst, query, precision, resources))?;
    let attained = is_attained(analyst, query, &answer);
    Ok(Bounded {
        answer,
        attained,
        time: start.elapsed(),
    })
}

/// Do both ends of an answer belong to one mechanism?
pub fn is_attained(
    analyst: Result<&dyn Analyst, &Refusal>,
    query: &Query,
    answer: &Answer,
) -> bool {
    answer.ending != Ending::DoesNotFollow
        && analyst.map_or(true, |analyst| analyst.is_attained(query))
}

/// Is an answer true of every mechanism, so that it says nothing about this one?
pub fn says_nothing(answer: &Answer, query: &Query) -> bool {
    let found = &answer.enclosure;
    known_of_every_mechanism(query)
        .is_ok_and(|known| found.lower() <= known.lower() && known.upper() <= found.upper())
}

impl From<InvariantViolation> for NoAnswer {
    fn from(violation: InvariantViolation) -> Self {
        Self::Internal(violation)
    }
}

/// Says which questions follow, to the precision asked for or the default one.
pub fn expect<'q>(
    analyst: &dyn Analyst,
    queries: impl Iterator<Item = &'q Query>,
    precision: Option<&Target>,
) {
    let target = precision.cloned().unwrap_or_else(default_target);
    analyst.expect(&queries.collect::<Vec<_>>(), &target);
}

/// Answers to the precision asked for, or to the default one.
///
/// Closed forms, those that a theorem gives too, are cheap, so they are asked again for many more digits. With no time for any answer, the answer is what
/// is known of every mechanism.
///
/// # Errors
/// If the mechanism cannot be treated, or dpcmp contradicts itself.
pub fn answer(
    analyst: Result<&dyn Analyst, &Refusal>,
    query: &Query,
    precision: Option<&Target>,
    resources: &Resources<'_>,
) -> Result<Answer, NoAnswer> {
    match prepare(query, resources.budget) {
        Ok(()) | Err(Refusal::Failure(Failure::Interrupted)) => {}
        Err(Refusal::Failure(Failure::Invariant(violation))) => {
            return Err(NoAnswer::Internal(violation));
        }
        Err(Refusal::Unsupported(unsupported)) => return Err(NoAnswer::Unsupported(unsupported)),
    }
    let ask = |target: Target| {
        let answer = match analyst {
            Ok(analyst) => analyst.answer(query, &Goal::Width(target), resources),
            Err(Refusal::Failure(failure)) => Err(failure.clone()),
            Err(Refusal::Unsupported(unsupported)) => {
                return Err(NoAnswer::Unsupported(unsupported.clone()));
            }
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Failure::Interrupted) => Ok(None),
            Err(Failure::Invariant(violation)) => Err(NoAnswer::Internal(violation)),
        }
    };
    let first = ask(precision.cloned().unwrap_or_else(default_target))?;
    let Some(first) = first else {
        return Ok(Answer {
            enclosure: known_of_every_mechanism(query)?,
            method: Method::Theorem("true of every mechanism".to_owned()),
            ending: Ending::OutOfTime,
            witness: None,
        });
    };
    // More digits of both ends of a gap are no narrower.
    let is_a_gap = first.ending == Ending::DoesNotFollow;
    if precision.is_some() || is_a_gap || matches!(first.method, Method::Laws { .. }) {
        return Ok(first);
    }
    Ok(match ask(closed_form_target())? {
        None => first,
        Some(second) => Answer {
            enclosure: first.enclosure.intersect(&second.enclosure)?,
            ..second
        },
    })
}
