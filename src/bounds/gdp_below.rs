//! The lower bound of μ* from the points that matter of the profile above.

use std::sync::Arc;

use rug::Float;

use super::curve::{Curve, exact_place};
use super::enclosure::Effort;
use super::gdp_search::{Outcome, look_at};
use super::two_sided::TwoSided;
use crate::kernel::{InvariantViolation, Profile};
use crate::mechanism::GdpForm;

/// A bound from below is as good at any point: most often those that matter of the upper profile are enough, and the first of them.
///
/// Where the lower profile is the larger of two, each of them is a lower profile, too: first the one whose partner above is the larger there.
pub(super) fn seen_from_above(
    sides: &TwoSided,
    above: &Outcome,
    form: &GdpForm,
    effort: &Effort,
) -> Result<Outcome, InvariantViolation> {
    let first = above.first_peak();
    let whole = sides.lower.clone();
    let mut looks = Vec::new();
    match (sides.lower.either(), sides.upper.either()) {
        (Some([a, b]), Some(upper)) => {
            let (is_first, is_certain) = leading(&upper, &first, effort);
            let [leader, other] = if is_first { [a, b] } else { [b, a] };
            looks.push((leader, first.clone()));
            if !is_certain {
                looks.push((other, first));
            }
        }
        (None, _) | (_, None) => looks.push((whole.clone(), first)),
    }
    let mut best: Option<Outcome> = None;
    let is_better = |seen: &Outcome, best: &Option<Outcome>| {
        best.as_ref().is_none_or(|best| seen.lower > best.lower)
    };
    for (lower, places) in looks {
        let seen = look_at(&Curve::new(lower), &places, form, effort)?;
        if is_better(&seen, &best) {
            best = Some(seen);
        }
        if let Some(best) = best
            .as_ref()
            .filter(|best| effort.is_enough(&best.lower, &above.upper))
        {
            return Ok(best.clone());
        }
    }
    let all = look_at(&Curve::new(whole), above, form, effort)?;
    Ok(match best {
        Some(best) if best.lower > all.lower => best,
        _ => all,
    })
}

/// Is the first of two profiles the larger where most is asked for, and is the other one far below?
fn leading(both: &[Arc<dyn Profile>; 2], first: &Outcome, effort: &Effort) -> (bool, bool) {
    let Some(place) = first.peaks.first() else {
        return (true, false);
    };
    let at = |profile: &Arc<dyn Profile>| {
        let point = exact_place(&place.clone().abs(), effort.bits);
        profile.at(&point).delta.middle()
    };
    let [a, b] = both.each_ref().map(at);
    let far = |less: &Float, more: &Float| Float::with_val(64, less << 1u32) < *more;
    (a >= b, far(&a, &b) || far(&b, &a))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Rational;

    use super::*;
    use crate::bounds::LossRange;
    use crate::bounds::gdp_search::search;
    use crate::bounds::testing::{Finite, finite_pair, with_effort};
    use crate::mechanism::symmetrised::Symmetrised;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// What the points of the larger profile show of the smaller one is true of that: where each is the larger of two, and where it is not.
        #[test]
        fn nothing_is_seen_that_is_above_only(pair in finite_pair(), share in 1u32..16, is_symmetric: bool, by_floor: bool) {
            // A record is in the batch by this chance: that tells less, in either order.
            let share = Rational::from((share, 16));
            let mixed = pair.p.iter().zip(&pair.q);
            let mixed = mixed.map(|(p, q)| Rational::from(q - p) * &share + p);
            let less = Finite { p: pair.p.clone(), q: mixed.collect() };
            let of = |pair: Finite| -> Arc<dyn Profile> {
                match is_symmetric {
                    true => Arc::new(Symmetrised::new(Arc::new(pair))),
                    false => Arc::new(pair),
                }
            };
            let (upper, lower) = (of(pair), of(less));
            let sides = TwoSided::between(upper.clone(), lower.clone(), LossRange::default());
            let level = Rational::from((1, 100));
            let form = match by_floor {
                true => GdpForm::ErrorFloor(level),
                false => GdpForm::Tolerance(level),
            };
            with_effort(6, 128, |effort| {
                let all = |profile| search(&Curve::new(profile), &LossRange::default(), &form, effort);
                let (above, truth) = (all(upper).unwrap(), all(lower).unwrap());
                let seen = seen_from_above(&sides, &above, &form, effort).unwrap();
                prop_assert!(seen.lower <= truth.upper, "{seen:?} {truth:?}");
                Ok(())
            })?;
        }
    }
}
