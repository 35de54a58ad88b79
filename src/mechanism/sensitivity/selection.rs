//! The heaviest steps that one record may take part in.

use rug::Integer;

use super::Participation;

/// The largest sum of weights over the steps of a pattern.
///
/// Requires: no weight is negative. The dynamic program `VecSens` of arXiv 2306.08153 (Algorithm 3): with at most k steps from
/// i on, either i is one of them, and the next is at least a separation later, or it is none.
pub(super) fn heaviest(weights: &[Integer], participation: Participation) -> Integer {
    heaviest_with(weights, participation, |_, _| ())
}

/// The steps of such a pattern.
pub(super) fn heaviest_pattern(weights: &[Integer], participation: Participation) -> Vec<usize> {
    let mut taken: Vec<Vec<bool>> = Vec::new();
    heaviest_with(weights, participation, |round, takes| {
        if taken.len() <= round {
            taken.push(Vec::with_capacity(weights.len()));
        }
        if let Some(row) = taken.get_mut(round) {
            row.push(takes);
        }
    });
    // Rows are from the last step to the first, and each round allows one participation more.
    let separation = usize::try_from(participation.separation()).unwrap_or(usize::MAX);
    let mut pattern = Vec::new();
    let mut from = 0;
    for row in taken.iter().rev() {
        let next = (from..weights.len()).find(|step| {
            let place = weights.len().checked_sub(step.saturating_add(1));
            place.and_then(|place| row.get(place)).copied() == Some(true)
        });
        let Some(step) = next else { break };
        pattern.push(step);
        from = step.saturating_add(separation);
    }
    pattern
}

/// Calls `choice` with the round, from 0, and whether a best pattern with the first step at or after i begins with i, for each
/// i from the last to the first.
fn heaviest_with(
    weights: &[Integer],
    participation: Participation,
    mut choice: impl FnMut(usize, bool),
) -> Integer {
    let steps = u64::try_from(weights.len()).unwrap_or(u64::MAX);
    let separation = usize::try_from(participation.separation()).unwrap_or(usize::MAX);
    let zero = Integer::new();
    // best[i] is the largest sum over steps from i on, with one participation more each round.
    let mut best: Vec<Integer> = vec![Integer::new(); weights.len()];
    for round in 0..participation.most_in(steps) {
        let round = usize::try_from(round).unwrap_or(usize::MAX);
        let mut next = Integer::new();
        let mut backwards = Vec::with_capacity(weights.len());
        for (step, weight) in weights.iter().enumerate().rev() {
            let after = best.get(step.saturating_add(separation)).unwrap_or(&zero);
            let with = Integer::from(weight + after);
            let takes = with > next;
            choice(round, takes);
            if takes {
                next = with;
            }
            backwards.push(next.clone());
        }
        backwards.reverse();
        best = backwards;
    }
    best.first().cloned().unwrap_or_default()
}
