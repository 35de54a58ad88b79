//! A curve at many places: one composition, many questions.

#![allow(clippy::float_arithmetic, reason = "how narrow to ask, no bounds")]

use crate::mechanism::OutOfRange;
use rug::Rational;

use super::CurveKind;
use super::places::Place;
use crate::analysis::{Ending, Refusal, Subject, Unsupported};
use crate::bounds::Target;
use crate::float::{Curve, nearest};
use crate::kernel::{Failure, InvariantViolation};
use crate::statement::Query;
use crate::study::{Finding, Limits, NoAnswer, SharedDeadline, answer, is_attained, says_nothing};
use crate::verdict::Analyst;

/// A point of a curve.
#[derive(Debug, Clone)]
pub struct CurvePoint {
    /// The ε, false-positive rate or prior.
    pub place: Place,
    /// The value there, or how dpcmp contradicts itself.
    pub found: Result<Finding, InvariantViolation>,
}

impl CurvePoint {
    /// Was its time over before anything was known of this mechanism?
    pub fn says_nothing(&self, kind: CurveKind) -> bool {
        match (&self.found, query(kind, &self.place)) {
            (Ok(Finding::Enclosure { answer, .. }), Ok(query)) => {
                answer.ending == Ending::OutOfTime && says_nothing(answer, &query)
            }
            _ => false,
        }
    }
}

/// Who is asked.
pub enum Source<'a> {
    /// Enclosures; what was composed for one place serves the others.
    Certified(&'a Subject),
    /// Estimates.
    Float(&'a Curve),
}

/// The curve at each of the places. Where f is near 1, what matters is 1 − f: if no precision is
/// asked for and an estimate is at hand, it is found to a thousandth of that.
///
/// # Errors
/// If there is no such curve.
pub fn sample(
    limits: &Limits<'_>,
    source: &Source<'_>,
    hint: Option<&Curve>,
    kind: CurveKind,
    places: &[Place],
    time: &SharedDeadline,
) -> Result<Vec<CurvePoint>, Unsupported> {
    let out_of_time = Refusal::Failure(Failure::Interrupted);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let one = match source {
            Source::Float(curve) => Ok(Finding::Estimate(estimate(curve, kind, place))),
            Source::Certified(subject) => {
                let query = query(kind, place).map_err(InvariantViolation::from);
                let fine = hint
                    .filter(|_| kind == CurveKind::TradeOff)
                    .and_then(|hint| fine(hint, place));
                let precision = limits.precision.clone().or(fine);
                let answer = query.map_err(NoAnswer::from).and_then(|query| {
                    limits.with_shared(time, |resources| {
                        // With no time left, what is known of every mechanism.
                        let analyst: Result<&dyn Analyst, _> = if time.is_over() {
                            Err(&out_of_time)
                        } else {
                            Ok(*subject)
                        };
                        let answer = answer(analyst, &query, precision.as_ref(), resources)?;
                        let attained = is_attained(analyst, &query, &answer);
                        Ok(Finding::Enclosure {
                            answer: Box::new(answer),
                            attained,
                        })
                    })
                });
                match answer {
                    Ok(found) => Ok(found),
                    Err(NoAnswer::Unsupported(unsupported)) => return Err(unsupported),
                    Err(NoAnswer::Internal(violation)) => {
                        let (kind, at) = (kind.as_str(), &place.text);
                        let words = format!("{kind} at {at}: {violation}");
                        limits.listener.contradiction(&words);
                        Err(violation)
                    }
                }
            }
        };
        found.push(CurvePoint {
            place: place.clone(),
            found: one,
        });
    }
    Ok(found)
}

/// A thousandth of 1 − f, where f is near 1.
fn fine(hint: &Curve, place: &Place) -> Option<Target> {
    let rest = Rational::from_f64(1.0 - hint.tradeoff(nearest(&place.value)))?;
    let is_near_one = rest > 0 && rest < Rational::from((1, 10));
    is_near_one.then(|| Target::Absolute(rest / 1000u32))
}

fn query(kind: CurveKind, place: &Place) -> Result<Query, OutOfRange> {
    match kind {
        CurveKind::PrivacyProfile => Query::delta(&place.value),
        CurveKind::TradeOff => Query::trade_off(&place.value),
        CurveKind::BayesError => Query::bayes_error(&place.value),
    }
}

fn estimate(curve: &Curve, kind: CurveKind, place: &Place) -> f64 {
    let at = nearest(&place.value);
    match kind {
        CurveKind::PrivacyProfile => curve.delta(at),
        CurveKind::TradeOff => curve.tradeoff(at),
        CurveKind::BayesError => curve.bayes_error(at),
    }
}
