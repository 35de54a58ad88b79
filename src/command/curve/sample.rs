//! A curve at many places: one composition, many questions.

#![allow(clippy::float_arithmetic, reason = "how narrow to ask, no bounds")]

use rug::Rational;

use super::Kind;
use super::places::Place;
use crate::analysis::{Quantity, Refusal, Subject, Unsupported};
use crate::bounds::{LossAxis, Target};
use crate::command::interrupt::internal_error;
use crate::command::query::{NoAnswer, answer};
use crate::command::{Session, Shared};
use crate::float::{Curve, nearest};
use crate::kernel::Failure;
use crate::plot::{Knot, knots};
use crate::report::Found;
use crate::verdict::Analyst;

/// Who is asked.
pub enum Source<'a> {
    /// Enclosures; what was composed for one place serves the others.
    Certified(&'a Subject),
    /// Estimates.
    Float(&'a Curve),
}

/// The curve at each of the places, with these as they are written. Where f is near 1, what matters is 1 − f: if no precision is
/// asked for and an estimate is at hand, it is found to a thousandth of that.
///
/// # Errors
/// If there is no such curve.
pub fn sample(
    session: &Session,
    source: &Source<'_>,
    hint: Option<&Curve>,
    kind: Kind,
    places: &[Place],
    time: &Shared,
) -> Result<Vec<(String, Found)>, Unsupported> {
    let out_of_time = Refusal::Failure(Failure::Interrupted);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let one = match source {
            Source::Float(curve) => Found::estimate(estimate(curve, kind, place)),
            Source::Certified(subject) => {
                let quantity = quantity(kind, place);
                let fine = hint
                    .filter(|_| kind == Kind::TradeOff)
                    .and_then(|hint| fine(hint, place));
                let precision = session.options.precision.clone().or(fine);
                let answer = session.with_shared(time, |means| {
                    // With no time left, what is known of every mechanism.
                    let analyst: Result<&dyn Analyst, _> = if time.is_over() {
                        Err(&out_of_time)
                    } else {
                        Ok(*subject)
                    };
                    answer(analyst, &quantity, precision.as_ref(), means)
                });
                match answer {
                    Ok(answer) => Found::enclosure(&answer),
                    Err(NoAnswer::Unsupported(unsupported)) => return Err(unsupported),
                    Err(NoAnswer::Internal(violation)) => {
                        let text = &place.text;
                        let words = format!("{} at {text}: {violation}", kind.as_str());
                        session.progress.aside(|| internal_error(&words));
                        Found::error("internal", &violation.to_string())
                    }
                }
            }
        };
        found.push((place.text.clone(), one));
    }
    Ok(found)
}

/// A thousandth of 1 − f, where f is near 1.
fn fine(hint: &Curve, place: &Place) -> Option<Target> {
    let rest = Rational::from_f64(1.0 - hint.tradeoff(nearest(&place.value)))?;
    let is_near_one = rest > 0 && rest < Rational::from((1, 10));
    is_near_one.then(|| Target::Absolute(rest / 1000u32))
}

/// What was found, as points of a picture.
pub fn shown(found: &[(String, Found)]) -> Vec<Knot> {
    knots(found.iter().map(|(place, found)| (place.as_str(), found)))
}

fn quantity(kind: Kind, place: &Place) -> Quantity {
    let value = place.value.clone();
    match kind {
        Kind::PrivacyProfile => Quantity::Delta(LossAxis::Epsilon(value)),
        Kind::TradeOff => Quantity::TradeOff { alpha: value },
        Kind::BayesError => Quantity::BayesError { prior: value },
    }
}

fn estimate(curve: &Curve, kind: Kind, place: &Place) -> f64 {
    let at = nearest(&place.value);
    match kind {
        Kind::PrivacyProfile => curve.delta(at),
        Kind::TradeOff => curve.tradeoff(at),
        Kind::BayesError => curve.bayes_error(at),
    }
}
