//! The second mechanism of a question, prepared once.

use super::{Answer, Contrast, Goal, Other, Quantity, Refusal, Resources, Subject, Unsupported};
use crate::kernel::{Budget, Failure, InvariantViolation};
use crate::statement::Query;

/// Prepares the other mechanism of a question, if there is one.
///
/// # Errors
/// If it cannot be treated, or the budget ends.
pub fn prepare(query: &Query, budget: &Budget) -> Result<(), Refusal> {
    let other = match query.quantity() {
        Quantity::Regret { gaussian, .. } => gaussian,
        Quantity::Divergence { other, .. } => other,
        Quantity::Delta(_)
        | Quantity::Epsilon { .. }
        | Quantity::TradeOff { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MinimaxRisk
        | Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::RegretOfStrictMu
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho => return Ok(()),
    };
    subject_of(other, budget).map(|_| ())
}

impl Subject {
    /// Prepares the other mechanism first. If it cannot be treated, what is left is what is true of any two.
    pub(super) fn against(
        &self,
        other: &Other,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        match subject_of(other, resources.budget) {
            Ok(other) if other.is_bound() => Err(Failure::Interrupted),
            Ok(other) => {
                let found = self.compare_alone(other, contrast, goal, resources)?;
                Ok(found.larger)
            }
            Err(Refusal::Failure(failure)) => Err(failure),
            Err(Refusal::Unsupported(_)) => Err(Failure::Interrupted),
        }
    }
}

impl Subject {
    /// The larger one of the divergences to another mechanism and from it, where this mechanism is known only between others: neither rises, nor falls, with what is
    /// revealed, but each of both does.
    pub(super) fn against_both_ways(
        &self,
        other: &Other,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        match subject_of(other, resources.budget) {
            Ok(other) => self.compare(other, &Contrast::Symmetric, goal, resources),
            Err(Refusal::Failure(failure)) => Err(failure),
            Err(Refusal::Unsupported(_)) => Err(Failure::Interrupted),
        }
    }
}

/// The other mechanism, prepared.
///
/// # Errors
/// If it cannot be treated, or the budget ends.
fn subject_of<'a>(other: &'a Other, budget: &Budget) -> Result<&'a Subject, Refusal> {
    let kept =
        other.prepared(
            || match Subject::new(other.mechanism(), other.adjacency(), budget) {
                Ok(subject) if subject.is_bound() => Ok(Err(Unsupported::NotBuilt(
                    "the other mechanism is known only between two bounds".to_owned(),
                ))),
                Ok(subject) => Ok(Ok(subject)),
                Err(Refusal::Unsupported(why)) => Ok(Err(why)),
                Err(Refusal::Failure(failure)) => Err(failure),
            },
        );
    let kept: Option<&Result<Subject, Unsupported>> = kept?;
    match kept {
        Some(Ok(subject)) => Ok(subject),
        Some(Err(why)) => Err(why.clone().into()),
        None => {
            let words = "another engine prepared the other mechanism".to_owned();
            Err(Failure::from(InvariantViolation(words)).into())
        }
    }
}
