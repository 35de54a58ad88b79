//! A query and its answer to the precision asked for.

use rug::Rational;

use crate::analysis::{
    Answer, Contrast, Ending, Goal, Means, Method, Other, Quantity, Refusal, Unsupported,
};
use crate::bounds::{HyperPrior, LossAxis, Target};
use crate::input::{MechanismFile, Prior, Query, RegretMu, RenyiOrder, Threshold};
use crate::kernel::{Failure, InvariantViolation};
use crate::renyi::Order;
use crate::verdict::{Analyst, gdp_form, known_of_every_mechanism};

/// Relative width to reach where none is asked for.
pub fn default_target() -> Target {
    Target::Relative(Rational::from((1, 10_000)))
}

/// Relative width to reach, where none is asked for, if there is a closed form.
fn closed_form_target() -> Target {
    Target::Relative(Rational::from((1, 1_000_000_000_000u64)))
}

/// Why there is no answer, not even a wide one.
#[derive(Debug)]
pub enum NoAnswer {
    /// The mechanism or the query cannot be treated.
    Unsupported(Unsupported),
    /// dpcmp contradicts itself.
    Internal(InvariantViolation),
}

impl From<InvariantViolation> for NoAnswer {
    fn from(violation: InvariantViolation) -> Self {
        Self::Internal(violation)
    }
}

/// The quantity that a query asks for.
pub fn quantity(query: &Query) -> Quantity {
    match query {
        Query::Delta(Threshold::Epsilon(epsilon)) => {
            Quantity::Delta(LossAxis::Epsilon(epsilon.clone()))
        }
        Query::Delta(Threshold::ExpEpsilon(u)) => Quantity::Delta(LossAxis::ExpEpsilon(u.clone())),
        Query::Epsilon { delta } => Quantity::Epsilon {
            delta: delta.clone(),
        },
        Query::Tradeoff { alpha } => Quantity::TradeOff {
            alpha: alpha.clone(),
        },
        Query::Advantage => Quantity::Advantage,
        Query::BayesError { prior } => Quantity::BayesError {
            prior: prior.clone(),
        },
        Query::MinimaxRisk => Quantity::MinimaxRisk,
        Query::GdpMu(form) => Quantity::GdpMu(gdp_form(form)),
        Query::Regret(RegretMu::At(mu)) => Quantity::Divergence {
            other: Other::gaussian(mu.clone()),
            contrast: Contrast::To,
        },
        Query::Regret(RegretMu::MuStar) => Quantity::RegretOfStrictMu,
        Query::DeltaDivergence { other } => against(other, Contrast::To),
        Query::DeltaSymmetric { other } => against(other, Contrast::Symmetric),
        Query::WeightedDelta { other, prior } => {
            against(other, Contrast::Weighted(hyper_prior(prior)))
        }
        Query::Renyi { order } => Quantity::Renyi {
            order: match order {
                RenyiOrder::Finite(order) => Order::Finite(order.clone()),
                RenyiOrder::Infinite => Order::Infinite,
            },
        },
        Query::ZcdpRho => Quantity::ZcdpRho,
    }
}

fn against(other: &MechanismFile, contrast: Contrast) -> Quantity {
    Quantity::Divergence {
        other: Other::new(other.mechanism.clone(), other.adjacency),
        contrast,
    }
}

/// The density of a query, in the words of [`crate::bounds`].
pub fn hyper_prior(prior: &Prior) -> HyperPrior {
    match prior {
        Prior::Uniform => HyperPrior::Uniform,
        Prior::Jeffreys => HyperPrior::jeffreys(),
        Prior::UQuadratic => HyperPrior::UQuadratic,
        Prior::Beta { a, b } => HyperPrior::Beta {
            a: a.clone(),
            b: b.clone(),
        },
        Prior::Table { points } => HyperPrior::Table(points.clone()),
    }
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
    quantity: &Quantity,
    precision: Option<&Target>,
    means: &Means<'_>,
) -> Result<Answer, NoAnswer> {
    match quantity.prepare(means.budget) {
        Ok(()) | Err(Refusal::Failure(Failure::Interrupted)) => {}
        Err(Refusal::Failure(Failure::Invariant(violation))) => {
            return Err(NoAnswer::Internal(violation));
        }
        Err(Refusal::Unsupported(unsupported)) => return Err(NoAnswer::Unsupported(unsupported)),
    }
    let ask = |target: Target| {
        let answer = match analyst {
            Ok(analyst) => analyst.answer(quantity, &Goal::Width(target), means),
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
            enclosure: known_of_every_mechanism(quantity)?,
            method: Method::Theorem("true of every mechanism".to_owned()),
            ending: Ending::OutOfTime,
            witness: None,
        });
    };
    if precision.is_some() || matches!(first.method, Method::Laws { .. }) {
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
