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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Epsilon;
    use crate::mechanism::closed::Selection;

    /// Every dataset of a selection within a mixture, with the weights as they are.
    #[test]
    fn datasets_within_a_mixture() {
        let q = |n, d| Rational::from((n, d));
        let selection = Selection::new(Epsilon::from(q(1, 1)));
        let selection = Steps::one(Step::Closed(selection.into()), Conditions::NONE);
        let laplace = Steps::one(Step::Laplace { epsilon: q(1, 2) }, Conditions::NONE);
        let alone = attained(&selection).unwrap();
        assert!(alone.len() > 1);
        let mixture = Steps::labelled(vec![(q(1, 3), selection), (q(2, 3), laplace.clone())]);
        assert!(has_largest(&mixture));
        let found = attained(&mixture).unwrap();
        assert_eq!(found.len(), alone.len());
        for (found, alone) in found.iter().zip(&alone) {
            assert!(!has_largest(found));
            let [(Step::Labelled(parts), 1)] = found.list() else {
                panic!("one step")
            };
            let parts: Vec<_> = parts
                .iter()
                .map(|(weight, of)| (weight.clone(), of.list().to_vec()))
                .collect();
            let expected = [
                (q(1, 3), alone.list().to_vec()),
                (q(2, 3), laplace.list().to_vec()),
            ];
            assert_eq!(parts, expected);
        }
    }
}
