//! Proofs about mechanisms of which Rényi guarantees are known, on a sample or not, against another mechanism: bounds by lines, tests of members.

use std::collections::BTreeSet;

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::above::{Above, Below, is_above};
use super::class_gaussian::{LESS, UNSEEN};
use super::class_sampled::Order;
use super::comparison::Ladder;
use super::law::LawBound;
use super::profile::Test;
use super::prove::{Accept, LOST};
use super::steps::Steps;
use crate::float::elementary::{exp, ln};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::Direction;

/// Losses between which bounds are looked at first, and how many.
const FAR: f64 = 6.0;
const FIRST: u32 = 8;
/// What f64 does not see of a power.
const ROUNDED: f64 = 1e-12;
/// Lattices of the other mechanism are made finer so often.
const ROUNDS: u32 = 6;

/// δ of a class by lines, and room above it.
struct Bounded<'a> {
    orders: &'a [Order<'a>],
    room: f64,
}

impl Above for Bounded<'_> {
    fn deltas(&self, epsilon: f64) -> Option<Vec<f64>> {
        // Tests of a power next to 1 are not written in f64, and there is no line.
        let each = self.orders.iter();
        each.map(|order| Some(order.with_room(epsilon, self.room)).filter(|delta| *delta < 1.0))
            .collect()
    }

    fn places(&self) -> (Vec<f64>, f64) {
        let width = 2.0 * FAR / f64::from(FIRST);
        let places = (0..=FIRST).map(|i| width * f64::from(i) - FAR);
        (places.collect(), width)
    }

    fn unseen(&self) -> f64 {
        ROUNDED
    }

    fn sources(&self, epsilons: &[String], bounds: &[Vec<Integer>]) -> Vec<Value> {
        let each = self.orders.iter().zip(bounds);
        each.map(|(order, bounds)| {
            let lines = epsilons.iter().map(|text| {
                let epsilon = text.parse().unwrap_or(0.0);
                order.lines(epsilon)
            });
            json!({
                "bounds": bounds.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "direction": order.direction.as_str(),
                "epsilons": epsilons,
                "lines": lines.collect::<Vec<_>>(),
            })
        })
        .collect()
    }
}

/// Tests of members of a class, each of which is named by its size without a sample.
struct Members<'a> {
    /// Both.
    orders: &'a [Order<'a>],
    /// Those that the claim is about; of a class without a sample the first one stands for it where it is about one.
    stated: &'a [Direction],
    /// The share of what is known that they have.
    scale: f64,
    /// The size of the largest test that is looked at.
    even: f64,
}

impl Members<'_> {
    /// The type-I error and the power of a test, as it is read.
    fn read(&self, order: &Order<'_>, is_turned: bool, p: f64) -> Option<(f64, f64)> {
        let (_, q) = order.class.power(p, self.scale)?;
        let (power, size) = order.test((q, p));
        Some(match is_turned {
            true => (1.0 - power, 1.0 - size),
            false => (size, power),
        })
    }

    /// The one that is next to a size, mixed with no test or with that which always says yes.
    fn best(&self, order: &Order<'_>, is_turned: bool, size: f64) -> Option<(f64, f64)> {
        let (mut low, mut high) = (-690.0, ln(self.even));
        let fits = |x: f64| Some(self.read(order, is_turned, exp(x))?.0 <= size);
        // Sizes rise with p, and fall where the test is turned; the last one that fits.
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if fits(middle)? == is_turned {
                high = middle;
            } else {
                low = middle;
            }
        }
        let p = exp(if is_turned { high } else { low });
        let (a, b) = self.read(order, is_turned, p)?;
        let power = match a <= size {
            true => b + (1.0 - b) * (size - a) / (1.0 - a),
            false => b * size / a,
        };
        Some((power, p))
    }
}

impl Below for Members<'_> {
    fn tests(&self, size: f64) -> Option<Vec<Test>> {
        let (mut most, mut all) = (0.0, Vec::new());
        for order in self.orders {
            let is_own = self.stated.contains(&order.direction);
            let ways: &[bool] = match (is_own, self.stated.len() == 2) {
                (true, true) => &[false, true],
                (true, false) => &[false],
                (false, _) => &[true],
            };
            let mut test = Test::default();
            for is_turned in ways {
                let (power, p) = self.best(order, *is_turned, size)?;
                if power > most {
                    most = power;
                    all.iter_mut().for_each(|other| *other = Test::default());
                    let epsilons = vec![format!("{p:e}")];
                    test = Test { epsilons, power };
                }
            }
            all.push(test);
        }
        Some(all)
    }

    fn unseen(&self) -> f64 {
        ROUNDED
    }

    fn sources(&self, tests: &[BTreeSet<String>]) -> Vec<Value> {
        let mut all = Vec::new();
        for (order, sizes) in self.orders.iter().zip(tests) {
            for text in sizes {
                let p = text.parse().unwrap_or(0.0);
                let test = order.class.power(p, self.scale).map(|(_, q)| (q, p));
                let nothing = Integer::new();
                let source = test.and_then(|test| {
                    let class = order.class;
                    class.member_source(order.direction, &[], &nothing, test)
                });
                all.extend(source);
            }
        }
        for entries in all.iter_mut().filter_map(Value::as_object_mut) {
            entries.insert("bounds".to_owned(), json!([]));
        }
        all
    }
}

/// All of the class is below another mechanism but for little.
pub(super) fn class_dominated(
    orders: &[Order<'_>],
    other: &Steps,
    most: &Rational,
    budget: &Budget,
    accept: Accept<'_>,
) {
    let most = nearest(most);
    let directions = match other.is_symmetric() {
        true => vec![Direction::Remove],
        false => other.directions.clone(),
    };
    let tail = LOST * most.max(1e-9);
    let mut below = Ladder::new(other, &directions, LawBound::Lower, (tail, budget));
    for round in 0..ROUNDS {
        let Some(rung) = below.rung(round, true) else {
            return;
        };
        for room in UNSEEN {
            let above = Bounded { orders, room };
            let proof = is_above(&above, &rung, most, budget);
            let Some(proof) = proof else { break };
            if accept(proof) {
                return;
            }
        }
        if below.is_closed(true) || budget.check().is_err() {
            return;
        }
    }
}

/// Gaussian noise is below the class but for little; `orders` are both, `stated` those that the claim is about.
pub(super) fn class_regret(
    orders: &[Order<'_>],
    stated: &[Direction],
    gaussian: &Steps,
    most: &Rational,
    budget: &Budget,
    accept: Accept<'_>,
) {
    let most = nearest(most);
    let mut above = Ladder::new(
        gaussian,
        &[Direction::Remove],
        LawBound::Upper,
        (LOST, budget),
    );
    let Some(mut rung) = above.rung(0, false) else {
        return;
    };
    rung.cancelled = ROUNDED;
    for less in LESS {
        let scale = 1.0 - less;
        let even = orders.first().and_then(|order| order.class.even(scale));
        let Some((even, _)) = even else { return };
        let below = Members {
            orders,
            stated,
            scale,
            even,
        };
        if is_above(&rung, &below, most, budget).is_some_and(&mut *accept) {
            return;
        }
        if budget.check().is_err() {
            return;
        }
    }
}
