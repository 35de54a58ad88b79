//! What datasets attain of compositions of steps whose pair is that of no dataset: the worst dataset is not the same at every ε.

use std::sync::Arc;

use rug::Rational;

use super::closed::{AdaptiveSelections, ClosedPair};
use super::domain::OutOfRange;
use super::steps::{Conditions, FiniteLosses, Step, Steps};

/// Is there a step whose pair is that of no dataset, be it inside a sample or a mixture?
pub(super) fn has_largest(steps: &Steps) -> bool {
    steps.any(&|step| matches!(step, Step::Closed(pair) if pair.is_of_no_dataset()))
}

/// Are all steps runs of selections by score, whose members follow from the steps?
pub(super) fn is_selections_only(steps: &Steps) -> bool {
    let is_selection = |(step, _): &(Step, u64)| match step {
        Step::Closed(pair) => pair.is_selection(),
        _ => false,
    };
    steps.list().iter().all(is_selection)
}

/// Compositions that are attained, each step being replaced by one that some dataset has. At least one.
///
/// # Errors
/// If there are too many steps.
pub(super) fn attained(steps: &Steps) -> Result<Vec<Steps>, OutOfRange> {
    let conditions = steps.conditions();
    let choices = steps.list().iter();
    let choices = choices.map(|(step, times)| of_step(step, *times, conditions));
    let choices: Vec<Vec<Steps>> = choices.collect::<Result<_, OutOfRange>>()?;
    let most = choices.iter().map(Vec::len).max().unwrap_or(1);
    let one = |place: usize| {
        let chosen = choices.iter().filter_map(|of| of.iter().cycle().nth(place));
        let chosen: Vec<&Steps> = chosen.collect();
        Steps::composed(chosen.into_iter().map(|of| (of, 1)))
    };
    (0..most).map(one).collect()
}

/// Adversaries who choose by what they have seen, where all steps are runs of selections.
pub(super) fn adversaries(steps: &Steps) -> Option<Steps> {
    let found = match steps.list() {
        [(Step::Closed(pair), times)] => pair.adversaries(*times)?,
        several => {
            let one = |(step, times): &'_ (Step, u64)| match step {
                Step::Closed(ClosedPair::Selection(one)) => Some((one.clone(), *times)),
                _ => None,
            };
            let all = several.iter().map(one).collect::<Option<Vec<_>>>()?;
            let all: Vec<_> = all.iter().map(|(one, times)| (one, *times)).collect();
            AdaptiveSelections::in_turn(&all)?.into()
        }
    };
    Some(Steps::one(Step::Closed(found), steps.conditions()))
}

fn of_step(step: &Step, times: u64, conditions: Conditions) -> Result<Vec<Steps>, OutOfRange> {
    let repeated = |of: Steps| Steps::composed([(&of, times)]);
    let members = match step {
        Step::Closed(pair) if pair.is_of_no_dataset() => pair.members(times),
        Step::Sampled(sampled) if has_largest(sampled.of()) => {
            let of = attained(sampled.of())?;
            let of = of.iter().map(|of| repeated(of.sampled(sampled.rate())));
            of.collect::<Result<_, _>>()?
        }
        Step::Labelled(parts) if parts.iter().any(|(_, of)| has_largest(of)) => labelled(parts)?
            .into_iter()
            .map(repeated)
            .collect::<Result<_, _>>()?,
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Finite(_)
        | Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Sampled(_)
        | Step::Shifted(_)
        | Step::Labelled(_)
        | Step::Closed(_) => vec![repeated(Steps::one(step.clone(), conditions))?],
    };
    Ok(if members.is_empty() {
        vec![Steps::nothing()]
    } else {
        members
    })
}

fn labelled(parts: &[(Rational, Steps)]) -> Result<Vec<Steps>, OutOfRange> {
    let choices = parts.iter().map(|(_, of)| attained(of));
    let choices: Vec<Vec<Steps>> = choices.collect::<Result<_, _>>()?;
    let most = choices.iter().map(Vec::len).max().unwrap_or(1);
    let one = |place: usize| {
        let chosen = parts.iter().zip(&choices).filter_map(|((weight, _), of)| {
            Some((weight.clone(), of.iter().cycle().nth(place)?.clone()))
        });
        Steps::labelled(chosen.collect())
    };
    Ok((0..most).map(one).collect())
}

impl Steps {
    /// The record changes nothing.
    pub(crate) fn nothing() -> Self {
        let certain: Arc<[Rational]> = Arc::from([Rational::from(1)]);
        let losses = FiniteLosses::Pair {
            p: Arc::clone(&certain),
            q: certain,
        };
        Self::one(Step::finite(losses), Conditions::NONE)
    }
}
