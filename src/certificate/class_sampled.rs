//! Proofs about a class of mechanisms of which Rényi guarantees are known, on a Poisson sample.

use std::cell::RefCell;
use std::collections::HashMap;

use rug::Rational;
use serde_json::{Value, json};

use super::class::source;
use super::class_compared::{class_dominated, class_regret};
use super::class_gaussian::{Found, LESS, UNSEEN, highest};
use super::gaussian::{Curve, points_by};
use super::model::Model;
use super::profile::{units_down, units_up};
use super::prove::{Accept, Prover};
use super::steps::{Steps, vectors};
use super::text::place;
use super::touch::Tables;
use crate::float::elementary::{exp, ln};
use crate::float::{nearest, normal_quantile, normal_tail};
use crate::input::GdpForm;
use crate::mechanism::{Direction, Epsilon, Step, Steps as NormalForm};
use crate::statement::StatedClaim;

/// What is rounded away of a number below 1.
const ROUNDED: f64 = 1e-15;
/// Losses between which points are looked for.
const FAR: f64 = 12.0;

/// A class on a sample, in one order of the pair; at the rate 1 the class itself.
pub(super) struct Order<'a> {
    pub direction: Direction,
    pub rate: f64,
    /// Does the output say whether the record is drawn?
    is_open: bool,
    pub class: &'a Prover<'a>,
    /// Bounds and lines of what runs on the sample.
    found: Found,
    /// Where these are, by ε.
    places: RefCell<HashMap<u64, f64>>,
}

impl<'a> Order<'a> {
    pub fn new(class: &'a Prover<'a>, rate: f64, direction: Direction) -> Self {
        Self {
            direction,
            rate,
            is_open: false,
            class,
            found: Found::default(),
            places: RefCell::default(),
        }
    }

    /// A share and v with δ'(u) = share·δ(v), as long as there is one.
    fn inner(&self, u: f64) -> Option<(f64, f64)> {
        if self.is_open {
            return Some((self.rate, u));
        }
        let rest = 1.0 - self.rate;
        let (share, odds) = match self.direction {
            Direction::Remove => (self.rate, u - rest),
            Direction::Add => (1.0 - u * rest, u * self.rate),
        };
        (share > 0.0 && odds > 0.0).then(|| (share, odds / share))
    }

    /// At least δ'.
    pub fn above(&self, epsilon: f64) -> f64 {
        match self.inner(exp(epsilon)) {
            Some((share, v)) => {
                let inner = ln(v);
                self.places.borrow_mut().insert(epsilon.to_bits(), inner);
                let rest = match self.is_open {
                    true => (1.0 - self.rate) * (1.0 - v).max(0.0),
                    false => 0.0,
                };
                share * self.class.by_lines(inner, &self.found) + rest
            }
            None => (1.0 - exp(epsilon)).max(0.0),
        }
    }

    /// The same with room for what f64 does not see, where it is not known exactly.
    pub fn with_room(&self, epsilon: f64, room: f64) -> f64 {
        let delta = self.above(epsilon);
        let room = match self.inner(exp(epsilon)) {
            Some(_) => room * self.rate,
            None if delta > 0.0 => ROUNDED,
            None => 0.0,
        };
        (delta + room).clamp(0.0, 1.0)
    }

    /// The lines that show it; where the largest loss does, none are needed.
    pub fn lines(&self, epsilon: f64) -> Value {
        let places = self.places.borrow();
        let inner = places.get(&epsilon.to_bits()).map(|inner| inner.to_bits());
        let found = self.found.borrow();
        let lines = inner.and_then(|inner| Some(found.get(&inner)?.1.clone()));
        lines.unwrap_or_else(|| json!([]))
    }

    /// Of a test without the sample.
    pub fn test(&self, (q, p): (f64, f64)) -> (f64, f64) {
        let rest = 1.0 - self.rate;
        match self.direction {
            Direction::Remove => (rest * p + self.rate * q, p),
            Direction::Add => (q, rest * q + self.rate * p),
        }
    }
}

impl Prover<'_> {
    /// Offers proofs, if there is nothing but a class on a sample.
    pub(super) fn of_sampled_class(&self, accept: Accept<'_>) -> bool {
        let Some((rate, of, is_open)) = self.steps.single().and_then(drawn) else {
            return false;
        };
        // Of these the members are on a sample, and divergences have closed forms.
        let is_other = matches!(
            self.claim.stated(),
            StatedClaim::Rdp { .. }
                | StatedClaim::Zcdp { .. }
                | StatedClaim::DominatedBy { .. }
                | StatedClaim::Regret { .. }
        );
        if is_open && (is_other || !self.verified) {
            return false;
        }
        let steps = Steps {
            list: of.list().to_vec(),
            directions: self.steps.directions.clone(),
        };
        let tables = Tables::of(&steps);
        let class = Prover {
            steps: &steps,
            tables: &tables,
            ..*self
        };
        if !class.is_class() {
            return false;
        }
        let order = |direction: &Direction| Order {
            is_open,
            ..Order::new(&class, rate, *direction)
        };
        for directions in self.directions() {
            let orders: Vec<Order<'_>> = directions.iter().map(order).collect();
            match self.claim.stated() {
                StatedClaim::ApproxDp { epsilon, delta } => {
                    sampled_delta(self.verified, &orders, epsilon, delta, accept);
                }
                StatedClaim::Advantage { at_most } => {
                    sampled_delta(self.verified, &orders, &Epsilon::zero(), at_most, accept);
                }
                StatedClaim::PureDp { epsilon } if !self.verified => {
                    sampled_delta(false, &orders, epsilon, &Rational::new(), accept);
                }
                StatedClaim::TradeOff { alpha, beta } => {
                    let at = (nearest(alpha), nearest(beta));
                    match (self.verified, orders.as_slice()) {
                        (true, _) => sampled_line(&orders, at, accept),
                        (false, [one]) => sampled_test(one, at, accept),
                        (false, _) => {}
                    }
                }
                StatedClaim::Gdp { mu, form } => {
                    let (tau, floor) = match form {
                        GdpForm::Tolerance(tau) => (nearest(tau), 0.0),
                        GdpForm::ErrorFloor(floor) => (0.0, nearest(floor)),
                        GdpForm::Strict => (0.0, 0.0),
                    };
                    match (self.verified, orders.as_slice()) {
                        (true, _) => sampled_above((nearest(mu), tau, floor), &orders, accept),
                        (false, [one]) if floor == 0.0 => {
                            sampled_below((nearest(mu), tau), one, accept);
                        }
                        (false, [one]) => {
                            sampled_below_floor(one, (nearest(mu), floor), accept);
                        }
                        (false, _) => {}
                    }
                }
                StatedClaim::DominatedBy { .. } | StatedClaim::Regret { .. } if self.verified => {
                    class.compared_by_class(rate, &directions, accept);
                }
                _ => {}
            }
        }
        true
    }

    /// What runs on a sample of this rate against another mechanism, all of it; the claim is about these orders.
    pub(super) fn compared_by_class(&self, rate: f64, stated: &[Direction], accept: Accept<'_>) {
        let orders = |all: &[Direction]| -> Vec<Order<'_>> {
            all.iter().map(|one| Order::new(self, rate, *one)).collect()
        };
        match self.claim.stated() {
            StatedClaim::DominatedBy { other, at_most } => {
                let other = Steps::new(other.mechanism().steps(), other.adjacency());
                class_dominated(&orders(stated), &other, at_most, self.budget, accept);
            }
            // Tests of several members, which the checker mixes in one order of a sample.
            StatedClaim::Regret { mu, at_most } if rate == 1.0 || stated.len() == 1 => {
                let mu_squared = Rational::from(mu.square_ref());
                let gaussian = Steps {
                    list: vec![(Step::Gaussian { mu_squared }, 1)],
                    directions: self.steps.directions.clone(),
                };
                let both = orders(&[Direction::Remove, Direction::Add]);
                let stated = match (rate < 1.0, self.steps.directions.len()) {
                    (false, 1) => &[Direction::Remove],
                    (_, _) => self.steps.directions.as_slice(),
                };
                class_regret(&both, stated, &gaussian, at_most, self.budget, accept);
            }
            _ => {}
        }
    }
}

/// At which rate something is drawn, what runs then, and whether the output says so.
fn drawn(step: &Step) -> Option<(f64, &NormalForm, bool)> {
    match step {
        Step::Sampled(sampled) => Some((nearest(sampled.rate()), sampled.of(), false)),
        Step::Labelled(parts) => match parts.as_slice() {
            [(rate, of), (_, rest)] => {
                let (p, q) = vectors(rest.single()?)?;
                (p == q).then(|| (nearest(rate), of, true))
            }
            _ => None,
        },
        _ => None,
    }
}

fn sampled_delta(
    verified: bool,
    orders: &[Order<'_>],
    epsilon: &Epsilon,
    bound: &Rational,
    accept: Accept<'_>,
) {
    let text = [place(epsilon)];
    let at = nearest(&epsilon.rational_down());
    if verified {
        let sources = orders.iter().map(|order| {
            order.above(at);
            let lines = json!([order.lines(at)]);
            source(order.direction, &text, &units_down(bound), "lines", lines)
        });
        let sources: Vec<Value> = sources.collect();
        accept(json!({"kind": "profile", "sources": sources}));
        return;
    }
    let [order] = orders else { return };
    let Some((share, v)) = order.inner(exp(at)) else {
        return;
    };
    let units = units_down(bound) + 1u32;
    for less in LESS {
        let touch = order.class.touch(v, 1.0 - less);
        let Some(touch) = touch.filter(|touch| touch.delta * share > nearest(bound)) else {
            continue;
        };
        let member = order
            .class
            .member_source(order.direction, &text, &units, (touch.q, touch.p));
        if member.is_some_and(|one| accept(json!({"kind": "profile", "sources": [one]}))) {
            return;
        }
    }
}

/// f(α) ≥ β by a line 1 − δ(u) − u·α.
fn sampled_line(orders: &[Order<'_>], (alpha, beta): (f64, f64), accept: Accept<'_>) {
    let height = |epsilon: f64| {
        let deltas = orders.iter().map(|order| order.above(epsilon));
        1.0 - deltas.fold(0.0, f64::max) - exp(epsilon) * alpha
    };
    let text = [format!("{:.9}", highest((-FAR, FAR), height))];
    let epsilon: f64 = text.concat().parse().unwrap_or(0.0);
    let units = Rational::from_f64(1.0 - beta - exp(epsilon) * alpha - 1e-15).unwrap_or_default();
    let sources = orders.iter().map(|order| {
        order.above(epsilon);
        let lines = json!([order.lines(epsilon)]);
        source(order.direction, &text, &units_down(&units), "lines", lines)
    });
    let sources: Vec<Value> = sources.collect();
    accept(json!({"kind": "profile", "sources": sources}));
}

/// The test of the class that is the largest no larger than α on the sample, with this share of what is known, and its power there.
fn largest_test(order: &Order<'_>, alpha: f64, scale: f64) -> Option<((f64, f64), f64)> {
    let test = |x: f64| Some((order.class.power(exp(x), scale)?.1, exp(x)));
    let (mut low, mut high) = (-690.0, ln(alpha));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let (_, size) = order.test(test(middle)?);
        if size <= alpha * (1.0 - 1e-12) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let found = test(low)?;
    Some((found, order.test(found).0))
}

/// f(α) < β by a test of a member.
fn sampled_test(order: &Order<'_>, (alpha, beta): (f64, f64), accept: Accept<'_>) {
    for less in LESS {
        let Some((found, power)) = largest_test(order, alpha, 1.0 - less) else {
            return;
        };
        if power > 1.0 - beta {
            let units = units_up((power + 1.0 - beta) / 2.0);
            let member = order
                .class
                .member_source(order.direction, &[], &units, found);
            if member.is_some_and(|one| accept(json!({"kind": "profile", "sources": [one]}))) {
                return;
            }
        }
    }
}

/// f(α) < G_μ(α) by a test of a member, where both errors are at least the floor.
fn sampled_below_floor(order: &Order<'_>, (mu, floor): (f64, f64), accept: Accept<'_>) {
    const TRIED: u32 = 11;
    let far = -normal_quantile(floor) - 1e-9;
    for i in 0..=TRIED {
        let x = mu / 2.0 + (far - mu / 2.0) * f64::from(i) / f64::from(TRIED);
        let text = format!("{x:.12}");
        let x: f64 = text.parse().unwrap_or(x);
        let (alpha, needed) = (normal_tail(x), normal_tail(x - mu));
        for less in LESS {
            let found = largest_test(order, alpha, 1.0 - less);
            let Some((found, power)) = found.filter(|(_, power)| *power > needed * (1.0 + 1e-9))
            else {
                continue;
            };
            let units = units_up(power / 2.0 + needed / 2.0);
            let member = order
                .class
                .member_source(order.direction, &[], &units, found);
            let proof = member.map(|mut one| {
                let entries = one.as_object_mut();
                entries.map(|entries| entries.insert("quantiles".to_owned(), json!([text])));
                json!({"kind": "profile", "sources": [one]})
            });
            if proof.is_some_and(&mut *accept) || order.class.budget.check().is_err() {
                return;
            }
        }
    }
}

/// f(α) ≥ G_μ(α + τ) − τ, or where both errors are at least a floor.
fn sampled_above((mu, tau, floor): (f64, f64, f64), orders: &[Order<'_>], accept: Accept<'_>) {
    let Some(first) = orders.first() else { return };
    let floor = match tau.max(floor) > 0.0 {
        true => floor,
        false => first.class.far_size(mu).unwrap_or(floor),
    };
    for room in UNSEEN {
        let delta = |order: &Order<'_>, epsilon: f64| match order.class.budget.check() {
            Ok(()) => order.with_room(epsilon, room),
            Err(_) => 1.0,
        };
        // The last ε of both, where δ is that of the first one or not much more.
        let height = |epsilon: f64| 1.0 - delta(first, epsilon) - exp(epsilon) * floor;
        let last = (floor > 0.0).then(|| highest((0.0, -ln(floor)), height));
        let curve = Curve {
            mu,
            tau,
            floor,
            last,
            room: 0.0,
        };
        let sources = orders.iter().map(|order| {
            let points = points_by(|epsilon| delta(order, epsilon), &curve, None)?;
            let lines = points.epsilons.iter().map(|text| {
                let epsilon: f64 = text.parse().ok()?;
                Some(order.lines(epsilon))
            });
            let lines: Vec<Value> = lines.collect::<Option<_>>()?;
            let bounds: Vec<String> = points.bounds.iter().map(ToString::to_string).collect();
            Some(json!({
                "bounds": bounds,
                "direction": order.direction.as_str(),
                "epsilons": points.epsilons,
                "lines": lines,
                "quantiles": points.quantiles,
            }))
        });
        let sources = sources.collect::<Option<Vec<Value>>>();
        if sources.is_some_and(|all| accept(json!({"kind": "profile", "sources": all}))) {
            return;
        }
    }
}

/// δ of a member is above that of the Gaussian by more than τ·(1 + u) somewhere.
fn sampled_below((mu, tau): (f64, f64), order: &Order<'_>, accept: Accept<'_>) {
    let gaussian = Model::Gaussian { mu: mu.max(1e-12) };
    let needed = |epsilon: f64| gaussian.at(epsilon).0 + tau * (1.0 + exp(epsilon));
    let member = |epsilon: f64, scale: f64| {
        let (share, v) = order.inner(exp(epsilon))?;
        let touch = order.class.touch(v, scale)?;
        Some((touch.delta * share, (touch.q, touch.p)))
    };
    let excess = |epsilon: f64| {
        member(epsilon, 1.0).map_or(f64::NEG_INFINITY, |(delta, _)| delta - needed(epsilon))
    };
    let text = [format!("{:.6}", highest((0.0, FAR), excess))];
    let epsilon: f64 = text.concat().parse().unwrap_or(0.0);
    let needed = needed(epsilon);
    for less in LESS {
        let Some((delta, test)) = member(epsilon, 1.0 - less).filter(|(delta, _)| *delta > needed)
        else {
            continue;
        };
        let units = units_up(delta / 2.0 + needed / 2.0);
        let member = order
            .class
            .member_source(order.direction, &text, &units, test);
        if member.is_some_and(|one| accept(json!({"kind": "profile", "sources": [one]}))) {
            return;
        }
    }
}
