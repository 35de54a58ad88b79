//! Two mechanisms in closed form next to equality, where f64 does not tell: the same search in many digits.

use std::collections::BTreeSet;

use rug::{Float, Rational};
use serde_json::{Value, json};

use super::closed::{Closed, Losses, Order, Place, Test, UNITS, bound, number, root};
use super::prove::peak;
use crate::float::elementary::exp;
use crate::kernel::{Budget, Pick};
use crate::mechanism::Direction;

/// The profile that is above has no more points than this.
const MOST: usize = 4000;
/// Points that are tried first.
const FIRST: u32 = 24;

fn is_few(order: &Order) -> bool {
    matches!(order.losses, Losses::Few(_))
}

/// A point of the profile of the one above.
struct Node {
    place: Place,
    bounds: Vec<Rational>,
    delta: Float,
}

/// Proofs that f is at least f̃(α + most) − most: of f upper bounds, of f̃ tests.
pub(super) fn is_above(
    above: &Closed,
    below: &Closed,
    most: &Rational,
    budget: &Budget,
) -> Option<Value> {
    let node = |place: Place| {
        let bounds = above.above(&place);
        let delta = number(bounds.iter().max()?);
        Some(Node {
            place,
            bounds,
            delta,
        })
    };
    let range = above.orders.iter().map(Order::range);
    let (low, high) = range.fold((0.0f64, 0.0f64), |(low, high), (a, b)| {
        (low.min(a), high.max(b))
    });
    let (low, high) = (low.max(-600.0), high.min(600.0).max(low + 1e-6));
    let width = (high - low) / f64::from(FIRST);
    let even = (0..=FIRST).filter_map(|i| Place::near(&number(low + width * f64::from(i))));
    let width = number(width);
    // Further left the checker does not tell δ from 1.
    let is_told = |place: &Place| place.u.clone().log2() > -f64::from(UNITS / 2);
    let places = above
        .places()
        .filter(is_told)
        .chain(Place::near(&number(0)));
    // What is made of lines needs no points between its corners.
    let mut nodes: Vec<Node> = match above.orders.iter().all(is_few) {
        true => {
            let corners = on_corners(sorted(places.filter_map(node).collect()));
            let start = above.start().and_then(node);
            start.into_iter().chain(corners).collect()
        }
        false => {
            // The losses of compositions are long fractions.
            let short = |place: Place| match place.text.len() > 100 {
                true => Place::near(&place.log),
                false => Some(place),
            };
            let losses = below.places().filter(is_told).filter_map(short);
            let places = places.chain(even).chain(losses);
            places.filter_map(node).collect()
        }
    };
    let mut tests: Vec<Vec<(Place, Test)>> = below
        .orders
        .iter()
        .map(|order| {
            order
                .first_tests()
                .into_iter()
                .map(|place| (place.clone(), order.test(&place)))
                .collect()
        })
        .collect();
    let mut asked = BTreeSet::new();
    let most = number(most);
    while budget.check().is_ok() && nodes.len() < MOST {
        nodes = sorted(nodes);
        let hulls: Vec<Vec<Test>> = tests
            .iter()
            .zip(&below.orders)
            .map(|(all, order)| hull(all.iter().map(|(_, test)| test), below.stated(order)))
            .collect();
        let (mut more, mut sizes) = (Vec::new(), Vec::new());
        for (place, (alpha, power)) in corners(&nodes).into_iter().enumerate() {
            let (size, needed) = (number(&alpha + &most), number(&power - &most));
            let best = hulls
                .iter()
                .map(|corners| on(corners, &size))
                .max_by(Float::total_cmp);
            if size >= 1 || needed <= 0 || best.is_some_and(|best| best >= needed) {
                continue;
            }
            let at = |place: usize| nodes.get(place).map(|node| &node.place);
            let (left, right) = (place.checked_sub(1).and_then(at), at(place));
            // First the best test, then more points.
            if asked.insert([left, right].map(|place| place.map(|place| place.text.clone()))) {
                sizes.push(size);
                continue;
            }
            more.push(match (left, right) {
                (None, Some(first)) => number(&first.log - &width),
                (Some(last), None) => number(&last.log + &width),
                (Some(left), Some(right)) if number(&right.log - &left.log) > 1e-36 => {
                    number(&left.log + &right.log) / 2u32
                }
                _ => return None,
            });
        }
        if more.is_empty() && sizes.is_empty() {
            return Some(proof(above, &nodes, below, &tests));
        }
        for (order, all) in below.orders.iter().zip(&mut tests) {
            let found = sizes.iter().filter_map(|size| order.test_of_size(size));
            all.extend(found.map(|place| (place.clone(), order.test(&place))));
        }
        nodes.extend(
            more.iter()
                .filter_map(|epsilon| node(Place::near(epsilon)?)),
        );
    }
    None
}

fn sorted(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_unstable_by(|a, b| a.place.log.total_cmp(&b.place.log));
    nodes.dedup_by(|a, b| a.place.log == b.place.log);
    nodes
}

/// Without those on the line between their neighbours, the first of which is (0, 1).
fn on_corners(nodes: Vec<Node>) -> Vec<Node> {
    let mut kept: Vec<Node> = Vec::new();
    let mut nodes = nodes.into_iter().peekable();
    while let Some(node) = nodes.next() {
        let before = kept
            .last()
            .map(|last| (last.place.u.clone(), last.delta.clone()));
        let (u, delta) = before.unwrap_or_else(|| (number(0), number(1)));
        let is_on_line = nodes.peek().is_some_and(|next| {
            let slope = number(&delta - &next.delta) / number(&next.place.u - &u);
            let line = number(&delta - number(&node.place.u - &u) * slope);
            number(line - &node.delta) < 1e-50
        });
        if !is_on_line {
            kept.push(node);
        }
    }
    kept
}

fn proof(above: &Closed, nodes: &[Node], below: &Closed, tests: &[Vec<(Place, Test)>]) -> Value {
    let epsilons: Vec<&str> = nodes.iter().map(|node| node.place.text.as_str()).collect();
    let sources = above.orders.iter().enumerate().map(|(index, order)| {
        let bounds = nodes.iter().filter_map(|node| node.bounds.get(index)).map(bound);
        json!({"bounds": bounds.collect::<Vec<_>>(), "direction": order.direction.as_str(), "epsilons": epsilons})
    });
    let others = below.orders.iter().zip(tests).map(|(order, tests)| {
        let texts: BTreeSet<&str> = tests.iter().map(|(place, _)| place.text.as_str()).collect();
        // A list of tests is never empty, even where none is needed.
        let texts = if texts.is_empty() {
            BTreeSet::from(["0"])
        } else {
            texts
        };
        json!({"bounds": [], "direction": order.direction.as_str(), "epsilons": texts})
    });
    json!({
        "kind": "dominance",
        "others": others.collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(),
    })
}

/// (α, 1 − β) of the lines from (0, 1) over the points (u, δ), and of the flat one beyond them.
fn corners(nodes: &[Node]) -> Vec<Test> {
    let points = nodes
        .iter()
        .map(|node| (node.place.u.clone(), node.delta.clone()));
    let points: Vec<Test> = std::iter::once((number(0), number(1)))
        .chain(points)
        .collect();
    let lines = points
        .iter()
        .zip(points.iter().skip(1))
        .map(|((u, delta), (next, then))| {
            if delta <= then {
                return (number(0), then.clone());
            }
            let alpha = number(delta - then) / number(next - u);
            let power = number(u * &alpha) + delta;
            (alpha, power)
        });
    let last = points.last().map(|(_, delta)| (number(0), delta.clone()));
    lines.chain(last).collect()
}

/// The corners of the smallest concave curve above some tests, as they are, read the other way round, or both.
pub(super) fn hull<'a>(
    tests: impl Iterator<Item = &'a Test>,
    (is_own, is_turned): (bool, bool),
) -> Vec<Test> {
    let one = number(1);
    let mut points = vec![(number(0), number(0)), (one.clone(), one.clone())];
    for (size, power) in tests {
        if is_turned {
            points.push((number(&one - power), number(&one - size)));
        }
        if is_own {
            points.push((size.clone().smaller(&one), power.clone()));
        }
    }
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut corners: Vec<Test> = Vec::new();
    for (size, power) in points {
        while let [.., (first, low), (last, high)] = corners.as_slice() {
            let chord = number(last - first) * number(&power - low);
            if chord < number(high - low) * number(&size - first) {
                break;
            }
            corners.pop();
        }
        corners.push((size, power));
    }
    corners
}

/// The height of a curve.
pub(super) fn on(corners: &[Test], size: &Float) -> Float {
    let next = corners.partition_point(|(other, _)| other <= size);
    let before = next.checked_sub(1).and_then(|last| corners.get(last));
    match (before, corners.get(next)) {
        (Some((from, power)), Some((to, more))) => {
            let share = number(size - from) / number(to - from);
            number(more - power) * share + power
        }
        (Some((_, power)), None) => power.clone(),
        (None, _) => number(0),
    }
}

/// One ε at which δ of the one above is above that of the one below by more than x·(1 + e^ε).
pub(super) fn crosses(above: &Closed, below: &Closed, most: &Rational) -> Option<Value> {
    let order = above.orders.first()?;
    let rough = |epsilon: f64| {
        let others = below.orders.iter().map(|other| other.delta(epsilon));
        (order.delta(epsilon) - others.fold(0.0, f64::max)) / (1.0 + exp(epsilon))
    };
    // Between two losses of few outcomes the most is at one of them, or where both orders of the one below are alike.
    let all = below.orders.iter();
    let guess = match is_few(order) && all.len() == 1 && all.clone().all(is_few) {
        true => None,
        false => {
            let (low, high) = order.range();
            peak(high.max(-low).clamp(1.0, 600.0), rough)
        }
    };
    let near = guess.map(number);
    let crossing = near.as_ref().and_then(|near| crossing(below, near));
    let places = near.iter().chain(&crossing).filter_map(Place::near);
    let places = places.chain(above.places()).chain(below.places());
    let tried = places.map(|place| {
        let (delta, others) = (order.delta_down(&place), below.above(&place));
        let most_of_others = others.iter().max().cloned().unwrap_or_default();
        let room =
            number(number(Rational::from(&delta - &most_of_others)) / number(&place.u + 1u32))
                - number(most);
        (room, place, delta, others)
    });
    let (room, place, delta, others) = tried.max_by(|a, b| a.0.total_cmp(&b.0))?;
    if room <= 0 {
        return None;
    }
    let source = |direction: Direction, delta: &Rational| json!({"bounds": [bound(delta)], "direction": direction.as_str(), "epsilons": [place.text]});
    let others = below
        .orders
        .iter()
        .zip(&others)
        .map(|(other, delta)| source(other.direction, delta));
    Some(json!({
        "kind": "dominance",
        "others": others.collect::<Vec<_>>(),
        "sources": [source(order.direction, &delta)],
    }))
}

/// Where two orders are alike, near this place.
pub(super) fn crossing(below: &Closed, near: &Float) -> Option<Float> {
    let [one, other] = below.orders.as_slice() else {
        return None;
    };
    let gap = |epsilon: &Float| {
        let place = Place::near(epsilon)?;
        Some(number(one.delta_down(&place) - other.delta_down(&place)))
    };
    root(near.clone(), gap)
}
