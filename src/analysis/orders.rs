//! The two orders of a pair: composed together, or each by itself.

use std::sync::Arc;

use rug::Rational;

use super::{Goal, Quantity, Resources};
use crate::composition::{Component, Composed, TwoOrders, compose, compose_upper};
use crate::kernel::{Budget, Failure, Profile};
use crate::mechanism::{Adjacency, Direction, Mechanism, Orders};
use crate::plan::{
    Demand, Directions, DominantDirection, SECOND_ORDER_TIME, Shape, is_better_apart, shapes,
};

/// Two compositions as one profile from above and one from below, and the atoms of the larger.
pub(super) struct InBothOrders {
    pub(super) upper: Arc<dyn Profile>,
    pub(super) lower: Arc<dyn Profile>,
    pub(super) cells: u64,
}

/// The parts composed in the order stated and in the other.
///
/// An order that is not asked for, and the lower side of one that does not lead, is what the other composition says of
/// it. Where nothing is known of the second order, it has half the cells at first.
pub(super) fn in_both_orders(
    stated: &[Component],
    adjacency: Adjacency,
    lead: Option<DominantDirection>,
    demand: Demand,
    resources: &Resources<'_>,
) -> Result<InBothOrders, Failure> {
    let swapped: Vec<Component> = stated.iter().map(Component::swapped).collect();
    let both_laws = |parts: &[Component], demand: Demand| {
        let shapes = shapes_of(parts, demand, resources)?;
        compose(parts, &shapes, demand, Directions::One, resources.budget)
    };
    let upper_law = |parts: &[Component], lead: DominantDirection| {
        let demand = lead.demand_for_other(demand, steps_of(parts));
        let shapes = shapes_of(parts, demand, resources)?;
        compose_upper(parts, &shapes, demand, Directions::One, resources.budget)
    };
    let (stated, swapped) = match (adjacency.orders(), lead) {
        (Orders::Remove, _) => with_other(both_laws(stated, demand)?, None),
        (Orders::Add, _) => flipped(with_other(both_laws(&swapped, demand)?, None)),
        (Orders::Both, Some(lead)) => match lead.direction {
            Direction::Remove => {
                let first = both_laws(stated, demand)?;
                with_other(first, Some(upper_law(&swapped, lead)?))
            }
            Direction::Add => {
                let first = both_laws(&swapped, demand)?;
                flipped(with_other(first, Some(upper_law(stated, lead)?)))
            }
        },
        (Orders::Both, None) => (
            both_laws(stated, demand)?,
            both_laws(&swapped, demand.for_second_order())?,
        ),
    };
    Ok(InBothOrders {
        upper: Arc::new(TwoOrders::new(stated.upper, swapped.upper)),
        lower: Arc::new(TwoOrders::new(stated.lower, swapped.lower)),
        cells: stated.cells.max(swapped.cells),
    })
}

/// The parts composed once for both orders of the pair. Of one that is the same in both, one order says everything: `is_symmetric` of a part is a proof that its
/// profile is that of the other order, and no float decides it.
pub(super) fn in_one_law(
    parts: &[Component],
    demand: Demand,
    resources: &Resources<'_>,
) -> Result<Composed, Failure> {
    let is_symmetric = parts.iter().all(|part| part.profile.is_symmetric());
    let directions = match is_symmetric {
        true => Directions::One,
        false => Directions::Both,
    };
    let shapes = shapes_of(parts, demand, resources)?;
    let composed = compose(parts, &shapes, demand, directions, resources.budget)?;
    Ok(match is_symmetric {
        true => composed.halved(),
        false => composed,
    })
}

/// A composition and the same in the other order, with a better upper side if there is one.
fn with_other(first: Composed, upper: Option<Arc<dyn Profile>>) -> (Composed, Composed) {
    let other = Composed {
        upper: upper.unwrap_or_else(|| first.upper.swapped()),
        lower: first.lower.swapped(),
        cells: first.cells,
    };
    (first, other)
}

fn flipped<T>((a, b): (T, T)) -> (T, T) {
    (b, a)
}

/// Is it better to compose the orders apart for this question, and if so, which order leads?
///
/// Only for quantities that look at one point of one order's profile.
pub(super) fn apart(
    parts: &[Component],
    (mechanism, adjacency): (&Mechanism, Adjacency),
    (quantity, goal): (&Quantity, &Goal),
    demand: Demand,
    shapes: &[Shape],
    budget: &Budget,
) -> Option<Option<DominantDirection>> {
    if !matches!(quantity, Quantity::Delta(_) | Quantity::Epsilon { .. }) {
        return None;
    }
    // Both orders are one then, which takes no longer.
    let is_symmetric = parts.iter().all(|part| part.profile.is_symmetric());
    if is_symmetric && adjacency.orders() == Orders::Both {
        return None;
    }
    let steps: Vec<u64> = parts.iter().map(|part| part.steps).collect();
    let is_better = |second| is_better_apart(&steps, shapes, demand, second);
    if adjacency.orders() != Orders::Both {
        return is_better(0.0).then_some(None);
    }
    // Estimates of other mechanisms take as long as what they would save.
    let is_estimated_fast = || {
        let mut profiles = parts.iter().map(|part| &part.profile);
        parts.len() <= MOST_PARTS && profiles.all(|profile| profile.sampled_gaussian().is_some())
    };
    let lead = (is_better(0.0) && is_estimated_fast())
        .then(|| lead_of(mechanism, (quantity, goal), budget))
        .flatten();
    let second = lead.map_or(SECOND_ORDER_TIME, |lead| {
        lead.time_of_other(demand, steps_of(parts))
    });
    is_better(second).then_some(lead)
}

/// Compositions of more parts than these are not estimated for a hint.
const MOST_PARTS: usize = 16;

fn lead_of(
    mechanism: &Mechanism,
    (quantity, goal): (&Quantity, &Goal),
    budget: &Budget,
) -> Option<DominantDirection> {
    let at_delta =
        |delta: &Rational| DominantDirection::at_delta(mechanism, delta.to_f64(), budget);
    match (quantity, goal) {
        (Quantity::Epsilon { delta }, _) => at_delta(delta),
        (Quantity::Delta(_), Goal::Compare { with }) => at_delta(with),
        (Quantity::Delta(at), _) => {
            DominantDirection::at_epsilon(mechanism, at.rational_down().to_f64(), budget)
        }
        _ => None,
    }
}

/// The shapes of the parts.
///
/// # Errors
/// If the budget ends.
pub(super) fn shapes_of(
    parts: &[Component],
    demand: Demand,
    resources: &Resources<'_>,
) -> Result<Vec<Shape>, Failure> {
    let profiles = parts.iter().map(|part| (&*part.profile, part.steps));
    shapes(profiles, demand, resources.budget)
}

/// Steps of all parts.
pub(super) fn steps_of(parts: &[Component]) -> u64 {
    parts
        .iter()
        .fold(0, |sum, part| sum.saturating_add(part.steps))
}

#[cfg(test)]
mod tests {
    use super::super::components::Components;
    use super::*;
    use crate::composition::parts::{Composition, resolve};
    use crate::kernel::Point;
    use crate::test_scale::{every, is_asked};

    const COUPLES: [(&str, &str); 3] = [
        (r#"["9/10", "1/10"]"#, r#"["3/5", "2/5"]"#),
        (r#"["1/2", "49/100", "1/100"]"#, r#"["1/2", "1/4", "1/4"]"#),
        (r#"["1/100", "99/100"]"#, r#"["1/2", "1/2"]"#),
    ];

    fn resolved(mechanism: &str) -> Composition {
        let file = crate::input::mechanism_from_bytes("test", mechanism.as_bytes()).unwrap();
        resolve(file.mechanism.steps(), &Budget::unlimited()).unwrap()
    }

    fn finite((p, q): (&str, &str)) -> String {
        format!(r#"{{"kind": "finite", "p": {p}, "q": {q}}}"#)
    }

    fn closed(mechanism: &str) -> crate::composition::parts::PoweredPair {
        match resolved(mechanism) {
            Composition::Closed(part) => part,
            _ => panic!("no closed form: {mechanism}"),
        }
    }

    /// Whoever is said to lead, and however coarse the other order is, every bound is on its side of both profiles.
    #[test]
    fn any_lead_is_sound() {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let leads = [Direction::Remove, Direction::Add].map(|direction| {
            Some(DominantDirection {
                direction,
                gap: 0.2,
            })
        });
        let leads = leads.into_iter().chain([None]).enumerate();
        let all = COUPLES.into_iter().enumerate();
        for (number, couple, lead) in
            all.flat_map(|(n, c)| leads.clone().map(move |(i, l)| (n + i, c, l)))
        {
            let mut part = closed(&finite(couple));
            let truth = closed(&format!(
                r#"{{"kind": "compose", "of": [{{"times": 9, {}]}}"#,
                &finite(couple)[1..]
            ));
            part.times = 9;
            // As a part that only its profile is known of.
            let mut components = Components::of(std::slice::from_ref(&part)).composed;
            for component in &mut components {
                component.masses = None;
            }
            // Each pair of directions meets each leader.
            let adjacencies = [Adjacency::Remove, Adjacency::AddRemove, Adjacency::Add];
            for (place, adjacency) in adjacencies.into_iter().enumerate() {
                if !is_asked(number + place, 6) {
                    continue;
                }
                let demand = Demand {
                    tail: 1e-9,
                    cells: 256,
                    ..Demand::glance(1)
                };
                let found =
                    in_both_orders(&components, adjacency, lead, demand, &resources).unwrap();
                let pairs = [
                    (
                        found.upper.clone(),
                        found.lower.clone(),
                        truth.profile.clone(),
                    ),
                    (
                        found.upper.swapped(),
                        found.lower.swapped(),
                        truth.profile.swapped(),
                    ),
                ];
                for (upper, lower, truth) in pairs {
                    for n in (-20..=20).step_by(every(6)) {
                        let at = Point::at_epsilon(&Rational::from((n, 4)), 160);
                        let true_delta = truth.at(&at).delta;
                        let (upper, lower) = (upper.at(&at).delta, lower.at(&at).delta);
                        assert!(upper.hi() >= true_delta.lo(), "{couple:?} {n}");
                        assert!(lower.lo() <= true_delta.hi(), "{couple:?} {n}");
                        let gap = upper.sub(&lower);
                        assert!(
                            adjacency != Adjacency::AddRemove || lead.is_some() || *gap.hi() < 0.05,
                            "{couple:?} {n} {gap:?}"
                        );
                    }
                }
            }
        }
    }
}
