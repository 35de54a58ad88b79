//! One mechanism below another one but for little, by points of its profile and tests of the other one.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use rug::Integer;
use serde_json::{Value, json};

use super::profile::{Test, units_up};
use crate::float::elementary::exp;
use crate::kernel::Budget;

/// More points are not looked at.
pub(super) const MOST_POINTS: usize = 2000;

/// The one that is to be more private.
pub(super) trait Above {
    /// At least δ in each order; `None` where nothing is known.
    fn deltas(&self, epsilon: f64) -> Option<Vec<f64>>;

    /// Where its profile is looked at first, and how far beyond that next.
    fn places(&self) -> (Vec<f64>, f64);

    /// What is not seen of a power, relatively.
    fn unseen(&self) -> f64;

    /// An entry of `sources` for each order, with its bounds.
    fn sources(&self, epsilons: &[String], bounds: &[Vec<Integer>]) -> Vec<Value>;
}

/// The one that it is compared with.
pub(super) trait Below {
    /// The best test of each order that is no larger; `None` where none is known.
    fn tests(&self, size: f64) -> Option<Vec<Test>>;

    /// As of the one above.
    fn unseen(&self) -> f64;

    /// Entries of `others` for the tests of each order.
    fn sources(&self, tests: &[BTreeSet<String>]) -> Vec<Value>;
}

/// A point of the profile of the one above.
#[derive(Clone)]
struct Node {
    text: String,
    epsilon: f64,
    /// In each order.
    bounds: Vec<f64>,
}

impl Node {
    fn of(above: &dyn Above, epsilon: f64) -> Option<Self> {
        let text = format!("{epsilon:.12}");
        let epsilon = text.parse().ok()?;
        Some(Self {
            text,
            epsilon,
            bounds: above.deltas(epsilon)?,
        })
    }

    fn delta(&self) -> f64 {
        self.bounds.iter().copied().fold(0.0, f64::max)
    }
}

/// Tests of the one below that are as good as those of the one above, but for `most`: more and more points where there are none.
pub(super) fn is_above(
    above: &dyn Above,
    below: &dyn Below,
    most: f64,
    budget: &Budget,
) -> Option<Value> {
    let unseen = above.unseen().max(below.unseen());
    let (places, width) = above.places();
    let node = |epsilon| Node::of(above, epsilon);
    let mut nodes: Vec<Node> = places.into_iter().filter_map(node).collect();
    let mut known: HashMap<[Option<u64>; 2], Vec<Test>> = HashMap::new();
    while budget.check().is_ok() {
        nodes.sort_unstable_by(|a, b| a.epsilon.total_cmp(&b.epsilon));
        nodes.dedup_by(|a, b| a.epsilon == b.epsilon);
        let mut tests: Vec<BTreeSet<String>> = Vec::new();
        let mut more = Vec::new();
        for (place, (alpha, power)) in corners(&nodes).into_iter().enumerate() {
            let (size, needed) = (alpha + most, power - most);
            if size >= 1.0 || needed <= 0.0 {
                continue;
            }
            let at = |place: usize| nodes.get(place).map(|node| node.epsilon);
            let (left, right) = (place.checked_sub(1).and_then(at), at(place));
            let found = match known.entry([left.map(f64::to_bits), right.map(f64::to_bits)]) {
                Entry::Occupied(found) => found.into_mut(),
                Entry::Vacant(entry) => entry.insert(below.tests(size)?),
            };
            let best = found.iter().map(|test| test.power).fold(0.0, f64::max);
            tests.resize_with(found.len(), BTreeSet::new);
            for (all, test) in tests.iter_mut().zip(found.iter()) {
                all.extend(test.epsilons.iter().cloned());
            }
            if best < needed * (1.0 + unseen) {
                more.push(match (left, right) {
                    (None, Some(first)) => first - width,
                    (Some(last), None) => last + width,
                    (Some(left), Some(right)) if right - left > 1e-9 => f64::midpoint(left, right),
                    _ => return None,
                });
            }
        }
        if more.is_empty() {
            return Some(proof(above, &nodes, below, &tests));
        }
        if nodes.len() + more.len() > MOST_POINTS || more.iter().any(|e| e.abs() > 700.0) {
            return None;
        }
        let before = nodes.len();
        nodes.extend(more.into_iter().filter_map(node));
        if nodes.len() == before {
            return None;
        }
    }
    None
}

fn proof(
    above: &dyn Above,
    nodes: &[Node],
    below: &dyn Below,
    tests: &[BTreeSet<String>],
) -> Value {
    let epsilons: Vec<String> = nodes.iter().map(|node| node.text.clone()).collect();
    let orders = nodes.first().map_or(0, |node| node.bounds.len());
    let bounds = (0..orders).map(|order| {
        let bounds = nodes.iter().map(|node| node.bounds.get(order));
        let bounds = bounds.map(|delta| units_up(delta.copied().unwrap_or(1.0)));
        bounds.collect()
    });
    json!({
        "kind": "dominance",
        "others": below.sources(tests),
        "sources": above.sources(&epsilons, &bounds.collect::<Vec<_>>()),
    })
}

/// (α, 1 − β) of the lines from (0, 1) over the points (u, δ), and of the flat one beyond them.
fn corners(nodes: &[Node]) -> Vec<(f64, f64)> {
    let points = nodes.iter().map(|node| (exp(node.epsilon), node.delta()));
    let points: Vec<(f64, f64)> = std::iter::once((0.0, 1.0)).chain(points).collect();
    let pairs = points.iter().zip(points.iter().skip(1));
    let lines = pairs.map(|((u, delta), (next, then))| {
        let alpha = ((delta - then) / (next - u)).max(0.0);
        match alpha > 0.0 {
            true => (alpha, delta + u * alpha),
            false => (0.0, *then),
        }
    });
    let last = points.last().map(|(_, delta)| (0.0, *delta));
    lines.chain(last).collect()
}
