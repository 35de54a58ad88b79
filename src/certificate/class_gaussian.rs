//! Proofs about mechanisms of which Rényi guarantees are known, against Gaussian noise or another mechanism: bounds by lines, members by a test.

use std::cell::RefCell;
use std::collections::HashMap;

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::class::{LEANS, source};
use super::closed::{Closed, Place, bound, number};
use super::gaussian::{Curve, Points, points_by};
use super::model::Model;
use super::profile::{units_down, units_up};
use super::prove::{Accept, Prover};
use super::steps::Steps;
use super::touch::log_moment;
use crate::float::elementary::{exp, ln, ln_1p};
use crate::float::{nearest, normal_quantile, normal_tail};
use crate::input::GdpForm;
use crate::mechanism::{Direction, Epsilon, Step};
use crate::number::parse_rational;
use crate::statement::Other;

/// By so much less than what is known a member has.
pub(super) const LESS: [f64; 5] = [0.01, 1e-3, 1e-4, 1e-5, 1e-6];
/// What f64 may not see of what lines bound, in several sizes: next to order 1 their digits cancel.
pub(super) const UNSEEN: [f64; 3] = [1e-11, 1e-9, 3e-8];

/// No test is smaller than that of a normal variable above this.
const FARTHEST: f64 = 18.0;

/// Offers a member with a test whose δ is at least so many units at an ε.
type Offer<'a> = &'a dyn Fn(&str, &Integer, (f64, f64), Accept<'_>) -> bool;

/// Bounds of δ with the lines that prove them, by ε.
pub(super) type Found = RefCell<HashMap<u64, (f64, Value)>>;

impl Prover<'_> {
    /// f(α) ≥ G_μ(α + τ) − τ, or where both errors are at least the floor, or not.
    pub(super) fn gaussian_of_class(&self, mu: &Rational, form: &GdpForm, accept: Accept<'_>) {
        let mu = nearest(mu);
        let (tau, floor) = match form {
            GdpForm::Tolerance(tau) => (nearest(tau), 0.0),
            GdpForm::ErrorFloor(floor) => (0.0, nearest(floor)),
            GdpForm::Strict => (0.0, 0.0),
        };
        match self.verified {
            true => self.class_above_gaussian((mu, tau, floor), accept),
            false if floor > 0.0 => self.class_below_gaussian_above(mu, floor, accept),
            false => self.class_below_gaussian(mu, tau, accept),
        }
    }

    /// The least bound of δ(ε) by lines, which are kept.
    pub(super) fn by_lines(&self, epsilon: f64, found: &Found) -> f64 {
        if let Some((known, _)) = found.borrow().get(&epsilon.to_bits()) {
            return *known;
        }
        let u = exp(epsilon);
        let all = LEANS.into_iter().flat_map(|lean| self.lines_at(u, lean));
        let all = all.filter_map(|lines| Some((self.bound_of_lines(u, &lines)?, lines)));
        let Some((least, lines)) = all.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return 1.0;
        };
        found.borrow_mut().insert(epsilon.to_bits(), (least, lines));
        least
    }

    /// What the checker finds of lines.
    fn bound_of_lines(&self, u: f64, lines: &Value) -> Option<f64> {
        let (mut bound, mut of_q, mut of_p) = (0.0, 1.0, -u);
        for line in lines.as_array()? {
            let numbers = line.as_array()?.iter();
            let numbers = numbers.map(|x| x.as_str()?.parse().ok());
            let [t, q, p, weight] = numbers.collect::<Option<Vec<f64>>>()?[..] else {
                return None;
            };
            let most = exp(self.known(if t < 0.0 { 1.0 - t } else { t })? + ln(weight));
            let (one, other) = (ln(q / p), ln_1p(-q) - ln_1p(-p));
            let slope_q = weight * t * (exp((t - 1.0) * one) - exp((t - 1.0) * other));
            let slope_p = weight * (1.0 - t) * (exp(t * one) - exp(t * other));
            let at = exp(log_moment(t, q, p) + ln(weight));
            bound += most - at + slope_q * q + slope_p * p;
            of_q -= slope_q;
            of_p -= slope_p;
        }
        let bound = bound + of_q.max(0.0) + of_p.max(0.0);
        bound.is_finite().then_some(bound)
    }

    fn class_above_gaussian(&self, (mu, tau, floor): (f64, f64, f64), accept: Accept<'_>) {
        let found = Found::default();
        // Smaller tests follow from ρ.
        let floor = match tau.max(floor) > 0.0 {
            true => floor,
            false => self.far_size(mu).unwrap_or(floor),
        };
        for room in UNSEEN {
            let delta = |epsilon: f64| match self.budget.check() {
                Ok(()) => (self.by_lines(epsilon, &found) + room).clamp(0.0, 1.0),
                Err(_) => 1.0,
            };
            // With an error floor, the line that is highest there comes last.
            let height = |epsilon: f64| 1.0 - delta(epsilon) - exp(epsilon) * floor;
            let last = (floor > 0.0).then(|| highest((0.0, -ln(floor)), height));
            let curve = Curve {
                mu,
                tau,
                floor,
                last,
                room: 0.0,
            };
            let proof = points_by(delta, &curve, None)
                .and_then(|points| of_lines(&points, &found, &self.first_directions()));
            if proof.is_some_and(&mut *accept) {
                return;
            }
        }
    }

    /// Where D_t ≤ ρ·t: a size up to which this alone keeps all tests below G_μ, nearly the largest one.
    pub(super) fn far_size(&self, mu: f64) -> Option<f64> {
        if !self.listed().is_empty() {
            return None;
        }
        let root = (self.known(2.0)? / 2.0).sqrt();
        let exponent = |x: f64| -ln(normal_tail(x));
        let is_far = |x: f64| {
            let least = exponent(x - mu).max(0.0).sqrt() + root;
            least * least * (1.0 + 1e-9) < exponent(x)
        };
        let (mut low, mut high) = (mu / 2.0, FARTHEST);
        if !is_far(high) {
            return None;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if is_far(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(normal_tail(high))
    }

    /// δ of the class is above that of the Gaussian by more than τ·(1 + u) somewhere.
    fn class_below_gaussian(&self, mu: f64, tau: f64, accept: Accept<'_>) {
        let gaussian = Model::Gaussian { mu: mu.max(1e-12) };
        let needed = |epsilon: f64| gaussian.at(epsilon).0 + tau * (1.0 + exp(epsilon));
        let place = |text: &str, units: &Integer, test: (f64, f64), accept: Accept<'_>| {
            self.offer_member(&[text.to_owned()], units, test, accept)
        };
        self.member_above(&needed, accept, &place);
    }

    /// A member whose δ is above a number at some ε is offered.
    fn member_above(&self, needed: &dyn Fn(f64) -> f64, accept: Accept<'_>, offer: Offer<'_>) {
        let excess = |epsilon: f64| {
            let touch = self.touch(exp(epsilon), 1.0);
            touch.map_or(f64::NEG_INFINITY, |touch| touch.delta - needed(epsilon))
        };
        let text = format!("{:.6}", highest((0.0, 12.0), excess));
        let epsilon: f64 = text.parse().unwrap_or(0.0);
        let needed = needed(epsilon);
        for less in LESS {
            let touch = self.touch(exp(epsilon), 1.0 - less);
            let Some(touch) = touch.filter(|touch| touch.delta > needed * (1.0 + 1e-9)) else {
                continue;
            };
            let units = units_up(touch.delta / 2.0 + needed / 2.0);
            if self.budget.check().is_err() || offer(&text, &units, (touch.q, touch.p), accept) {
                return;
            }
        }
    }

    /// A test of a member is better than one of the Gaussian, where both errors are at least the floor.
    fn class_below_gaussian_above(&self, mu: f64, floor: f64, accept: Accept<'_>) {
        let far = -normal_quantile(floor) - 1e-9;
        // Of both errors alike, and up to the floor.
        for i in 0..12u32 {
            let x = mu / 2.0 + (far - mu / 2.0) * f64::from(i) / 11.0;
            let text = format!("{x:.12}");
            let x: f64 = text.parse().unwrap_or(x);
            let (alpha, needed) = (normal_tail(x), normal_tail(x - mu));
            for less in LESS {
                let found = self.power(alpha * (1.0 - 1e-12), 1.0 - less);
                let Some((_, q)) = found.filter(|(_, q)| *q > needed * (1.0 + 1e-9)) else {
                    continue;
                };
                let units = units_up(q / 2.0 + needed / 2.0);
                let is_accepted =
                    self.offer_member(&[], &units, (q, alpha * (1.0 - 1e-12)), &mut |mut proof| {
                        if let Some(source) = proof.pointer_mut("/sources/0") {
                            source["quantiles"] = json!([text]);
                        }
                        accept(proof)
                    });
                if is_accepted || self.budget.check().is_err() {
                    return;
                }
            }
        }
    }

    /// Is a member less private than another mechanism by more than `most`?
    pub(super) fn class_not_dominated(&self, other: &Other, most: &Rational, accept: Accept<'_>) {
        let other = Steps::new(other.mechanism().steps(), other.adjacency());
        let directions = match other.is_symmetric() {
            true => vec![Direction::Remove],
            false => other.directions.clone(),
        };
        let Some(other) = Closed::new(&other, &directions, self.budget) else {
            return;
        };
        let far = nearest(most);
        let needed = |epsilon: f64| {
            let deltas = other.orders.iter().map(|order| order.delta(epsilon));
            deltas.fold(0.0, f64::max) + far * (1.0 + exp(epsilon))
        };
        let offer = |text: &str, units: &Integer, test: (f64, f64), accept: Accept<'_>| {
            let Ok(epsilon) = parse_rational(text) else {
                return false;
            };
            let place = Place::of(&Epsilon::from(epsilon));
            let others = other.orders.iter().zip(other.above(&place)).map(|(order, delta)| {
                json!({"bounds": [bound(&delta)], "direction": order.direction.as_str(), "epsilons": [text]})
            });
            let others: Vec<Value> = others.collect();
            self.offer_member(&[text.to_owned()], units, test, &mut |proof| {
                accept(
                    json!({"kind": "dominance", "others": others, "sources": proof.get("sources")}),
                )
            })
        };
        self.member_above(&needed, accept, &offer);
    }

    /// Is all of the class more private than Gaussian noise by more than `most`?
    pub(super) fn class_beyond_regret(&self, mu: &Rational, most: &Rational, accept: Accept<'_>) {
        let gaussian = Steps {
            list: vec![(
                Step::Gaussian {
                    mu_squared: Rational::from(mu.square_ref()),
                },
                1,
            )],
            directions: self.steps.directions.clone(),
        };
        let closed = Closed::new(&gaussian, &[Direction::Remove], self.budget);
        let Some(order) = closed.as_ref().and_then(|closed| closed.orders.first()) else {
            return;
        };
        let found = Found::default();
        let excess = |epsilon: f64| order.delta(epsilon) - self.by_lines(epsilon, &found);
        let place = Place::near(&number(highest((0.0, 12.0), |epsilon| {
            excess(epsilon) / (1.0 + exp(epsilon))
        })));
        let Some(place) = place else { return };
        let epsilon = place.log.to_f64();
        let theirs = self.by_lines(epsilon, &found);
        let own = units_down(&order.delta_down(&place));
        let Some((_, lines)) = found.into_inner().remove(&epsilon.to_bits()) else {
            return;
        };
        let texts = [place.text.clone()];
        let of_noise = json!({"bounds": [own.to_string()], "direction": Direction::Remove.as_str(), "epsilons": texts});
        for theirs in UNSEEN.map(|room| theirs + room) {
            if order.delta(epsilon) - theirs <= nearest(most) * (1.0 + exp(epsilon)) {
                return;
            }
            let of_class =
                self.sources(|d| source(d, &texts, &units_up(theirs), "lines", json!([lines])));
            if accept(json!({"kind": "dominance", "others": of_class, "sources": [of_noise]})) {
                return;
            }
        }
    }
}

/// A proof by points and the lines that bound δ there.
fn of_lines(points: &Points, found: &Found, directions: &[Direction]) -> Option<Value> {
    let found = found.borrow();
    let lines = points.epsilons.iter().map(|text| {
        let epsilon: f64 = text.parse().ok()?;
        Some(found.get(&epsilon.to_bits())?.1.clone())
    });
    let lines = lines.collect::<Option<Vec<Value>>>()?;
    let bounds: Vec<String> = points.bounds.iter().map(ToString::to_string).collect();
    // What is known is known of both orders.
    let one = |direction: &Direction| {
        json!({
            "bounds": bounds,
            "direction": direction.as_str(),
            "epsilons": points.epsilons,
            "lines": lines,
            "quantiles": points.quantiles,
        })
    };
    let sources: Vec<Value> = directions.iter().map(one).collect();
    Some(json!({"kind": "profile", "sources": sources}))
}

/// Where a function that takes long is highest: on a grid, then between its neighbours.
pub(super) fn highest((low, high): (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    const POINTS: u32 = 16;
    let (mut low, mut high) = (low, high);
    let mut found = low;
    for _ in 0..4 {
        let width = (high - low) / f64::from(POINTS);
        let all = (0..=POINTS).map(|i| low + width * f64::from(i));
        let best = all
            .map(|x| (value(x), x))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        found = best.map_or(found, |(_, x)| x);
        (low, high) = ((found - width).max(low), (found + width).min(high));
    }
    found
}
