//! f against the curve of a Gaussian next to equality, where f64 does not tell, in many digits.

use rug::{Float, Rational};
use serde_json::{Value, json};

use super::closed::{Closed, Losses, Order, Place, Test, bound, number, rounded, written_down};
use super::precise::{crosses, on};
use super::precise_line::{places_of_lines, tests};
use super::prove::{Accept, Prover};
use super::steps::Steps;
use crate::float::normal_quantile;
use crate::input::GdpForm;
use crate::kernel::{Budget, Pick};
use crate::mechanism::{Direction, Step};
use crate::number::exact;

/// More points are not tried.
const MOST: usize = 1500;
/// Next to the largest loss.
const NEAR: f64 = 1e-36;
/// Between what a point allows for the quantile there must be this much room.
const ROOM: f64 = 1e-38;

/// G_μ(α + τ) − τ, where α and G_μ(α) are at least `floor`.
struct Curve {
    mu: Float,
    tau: Float,
    floor: Float,
    /// The last ε, if there is an error floor.
    last: Option<Place>,
}

impl Prover<'_> {
    /// f(α) ≥ G_μ(α + τ) − τ everywhere, or where both errors are at least the floor, or not.
    pub(super) fn precise_gaussian(&self, mu: &Rational, form: &GdpForm, accept: Accept<'_>) {
        let nothing = Rational::new();
        let (tau, floor) = match form {
            GdpForm::Tolerance(tau) => (tau, &nothing),
            GdpForm::ErrorFloor(floor) => (&nothing, floor),
            GdpForm::Strict => (&nothing, &nothing),
        };
        for directions in self.directions() {
            let Some(closed) = Closed::new(self.steps, &directions, self.budget) else {
                return;
            };
            let curve = Curve {
                mu: number(mu),
                tau: number(tau),
                floor: number(floor),
                last: None,
            };
            let proof = match self.verified {
                true => is_above(&closed, curve, floor, self.budget),
                false if *floor > 0 => is_below_above_floor(&closed, &curve),
                false => is_below(&closed, (mu, tau), self.budget),
            };
            if proof.is_some_and(&mut *accept) {
                return;
            }
        }
    }
}

fn profile(sources: &[Value]) -> Value {
    json!({"kind": "profile", "sources": sources})
}

/// A point of δ.
#[derive(Clone)]
struct Node {
    place: Place,
    delta: Rational,
}

fn is_above(closed: &Closed, curve: Curve, floor: &Rational, budget: &Budget) -> Option<Value> {
    let places = places_of_lines(closed, floor);
    // The line that is highest at the floor: of the hull, where both orders are claimed.
    let last_of = |order: &Order| {
        let height = |place: &Place| {
            let most = match closed.stated(order).1 && closed.stated(order).0 {
                true => closed.above(place).into_iter().max().unwrap_or_default(),
                false => order.delta_up(place),
            };
            number(number(1) - number(most)) - number(&place.u * &curve.floor)
        };
        let all = places.iter().map(|place| (height(place), place));
        Some(all.max_by(|a, b| a.0.total_cmp(&b.0))?.1.clone())
    };
    let source = |order: &Order| {
        let curve = Curve {
            last: if *floor > 0 { last_of(order) } else { None },
            mu: curve.mu.clone(),
            tau: curve.tau.clone(),
            floor: curve.floor.clone(),
        };
        let (nodes, quantiles) = match &order.losses {
            Losses::Few(all) => at_losses(order, all, &curve),
            Losses::Many(_, ends) => between(order, ends.last(), &curve, budget),
        }?;
        let texts: Vec<&str> = nodes.iter().map(|node| node.place.text.as_str()).collect();
        let bounds = nodes.iter().map(|node| bound(&node.delta));
        Some(json!({
            "bounds": bounds.collect::<Vec<_>>(),
            "direction": order.direction.as_str(),
            "epsilons": texts,
            "quantiles": quantiles,
        }))
    };
    let sources = closed.orders.iter().map(source);
    Some(profile(&sources.collect::<Option<Vec<_>>>()?))
}

type Points = (Vec<Node>, Vec<String>);

/// A point at every loss: between two of them δ is its chord.
fn at_losses(order: &Order, losses: &[Place], curve: &Curve) -> Option<Points> {
    let end = match (&curve.last, losses.last()) {
        (Some(last), _) => Some(last.clone()),
        (None, Some(largest)) if largest.log >= 0 => Place::near(&number(&largest.log + NEAR)),
        (None, _) => None,
    };
    let start = start(curve)?;
    let is_between = |place: &&Place| {
        let is_before = end.as_ref().is_some_and(|end| place.log < end.log);
        place.log > start.log && is_before
    };
    let mut places = vec![start.clone()];
    places.extend(losses.iter().filter(is_between).cloned());
    places.extend(end.filter(|end| end.log > start.log));
    let mut nodes: Vec<Node> = places.into_iter().map(|place| node(order, place)).collect();
    loop {
        let chords = nodes.iter().zip(nodes.iter().skip(1));
        let mut points: Vec<Test> = chords.map(|(near, far)| chord(near, far)).collect();
        let tangents = nodes.iter().zip(&points);
        let mut quantiles: Vec<_> = tangents
            .map(|(node, point)| quantile(point, curve).or_else(|| tangent(node, point, curve)))
            .collect();
        points.push(beyond(nodes.last()?, curve));
        quantiles.push(quantile(points.last()?, curve));
        if quantiles.iter().all(Option::is_some) {
            return Some((nodes, quantiles.into_iter().flatten().collect()));
        }
        // Errors below the floor are not asked for: one chord for all of them.
        let (before, last) = (nodes.len().checked_sub(2)?, points.len().checked_sub(2)?);
        let is_below = points
            .get(last)
            .is_some_and(|(alpha, _)| *alpha < curve.floor);
        if !is_below || before == 0 || quantiles.get(last).is_none_or(Option::is_some) {
            return None;
        }
        nodes.remove(before);
    }
}

/// Points as far apart as they may be.
fn between(order: &Order, end: Option<&Place>, curve: &Curve, budget: &Budget) -> Option<Points> {
    let last = match (&curve.last, end) {
        (Some(last), _) => Some(last.clone()),
        (None, Some(end)) => Some(Place::near(&number(&end.log + NEAR))?),
        (None, None) => None,
    };
    if last.is_none() && !is_told(order, curve) {
        return None;
    }
    let mut at = node(order, start(curve)?);
    let (mut nodes, mut quantiles) = (Vec::new(), Vec::new());
    let mut width = number(0.25);
    while nodes.len() < MOST && budget.check().is_ok() {
        nodes.push(at.clone());
        let is_last = curve
            .last
            .as_ref()
            .is_none_or(|last| at.place.log >= last.log);
        if is_last && let Some(quantile) = quantile(&beyond(&at, curve), curve) {
            quantiles.push(quantile);
            return Some((nodes, quantiles));
        }
        loop {
            // Quantiles far out take a thousandth of a second each.
            budget.check().ok()?;
            let goal = Place::near(&number(&at.place.log + &width))?;
            let goal = match &last {
                Some(last) if goal.log >= last.log => last.clone(),
                _ => goal,
            };
            let next = node(order, goal);
            if next.place.log > at.place.log
                && let Some(quantile) = quantile(&chord(&at, &next), curve)
            {
                quantiles.push(quantile);
                at = next;
                width *= 1.5;
                break;
            }
            width /= 2u32;
            if width < NEAR {
                return None;
            }
        }
    }
    None
}

/// Is the tolerance above what the checker loses? Else no last point is far enough out, and each look at one takes long.
fn is_told(order: &Order, curve: &Curve) -> bool {
    quantile(&(curve.floor.clone(), order.least_delta()), curve).is_some()
}

fn start(curve: &Curve) -> Option<Place> {
    let early = curve.last.clone().filter(|last| last.log < 0);
    early.or_else(|| Place::near(&number(0)))
}

fn node(order: &Order, place: Place) -> Node {
    let delta = order.delta_up(&place);
    Node { place, delta }
}

/// The point of the chord of δ: α and 1 − β.
fn chord(near: &Node, far: &Node) -> Test {
    let fallen = number(Rational::from(&near.delta - &far.delta));
    if fallen <= 0 {
        return (number(0), number(&far.delta));
    }
    let alpha = fallen / number(&far.place.u - &near.place.u);
    let rest = number(&near.place.u * &alpha) + number(&near.delta);
    (alpha, rest)
}

/// The point beyond the last one.
fn beyond(last: &Node, curve: &Curve) -> Test {
    let rest = number(&last.place.u * &curve.floor) + number(&last.delta);
    (curve.floor.clone(), rest)
}

/// A number x with P(Z > x) ≤ α + τ and P(Z > μ − x) ≤ β + τ.
fn quantile((alpha, rest): &Test, curve: &Curve) -> Option<String> {
    let size = number(alpha + &curve.tau);
    let miss = number(number(1) - rest) + &curve.tau;
    if curve.tau >= *rest || size >= 1 {
        return (miss >= 0).then(|| "0".to_owned());
    }
    let (low, high) = (above(&size)?, number(&curve.mu - above(&miss)?));
    let x = number(&low + &high) / 2u32;
    (number(high - low) > ROOM)
        .then(|| rounded(&x))
        .flatten()
        .map(|x| exact(&x))
}

/// The same by the tangent of the slope at the near end of a chord, which is above it from there on.
fn tangent(near: &Node, (alpha, rest): &Test, curve: &Curve) -> Option<String> {
    let x = number(&near.place.log / &curve.mu) + number(&curve.mu / 2u32);
    let x = rounded(&x)?;
    let at = number(&x);
    let (a, b) = (tail(&at), tail(&number(&curve.mu - &at)));
    let size = number(alpha + &curve.tau);
    let miss = number(number(1) - rest) + &curve.tau;
    let room = miss + number(number(&size - &a) * &near.place.u) - b;
    (a < size && room > ROOM).then(|| exact(&x))
}

/// The number above which a normal one lies with this probability.
fn above(probability: &Float) -> Option<Float> {
    if *probability <= 0 || *probability >= 1 {
        return None;
    }
    if *probability > 0.5 {
        return Some(-above(&number(number(1) - probability))?);
    }
    let mut x = number(-normal_quantile(probability.to_f64()));
    if !x.is_finite() {
        return None;
    }
    for _ in 0..6 {
        let half = number(x.square_ref()) / 2u32;
        let density = number(-half).exp() / number(two_pi().sqrt());
        let step = number(tail(&x) - probability) / density;
        x += step;
    }
    Some(x)
}

fn two_pi() -> Float {
    number(rug::float::Constant::Pi) * 2u32
}

/// P(Z > x).
fn tail(x: &Float) -> Float {
    number(x / number(2).sqrt()).erfc() / 2u32
}

/// f(α) < G_μ(α + τ) − τ somewhere: δ(u) > δ_G(u) + τ·(1 + u).
fn is_below(closed: &Closed, (mu, tau): (&Rational, &Rational), budget: &Budget) -> Option<Value> {
    let mu_squared = Rational::from(mu.square_ref());
    let gaussian = Steps {
        list: vec![(Step::Gaussian { mu_squared }, 1)],
        directions: vec![Direction::Remove],
    };
    let gaussian = Closed::new(&gaussian, &[Direction::Remove], budget)?;
    let proof = crosses(closed, &gaussian, tau)?;
    let sources = proof.get("sources")?.as_array()?;
    Some(profile(sources))
}

/// f(α) < G_μ(α) somewhere, α and G_μ(α) at least the floor, of few outcomes: G_μ − f is most at a corner of f, or where an error is at the floor.
fn is_below_above_floor(closed: &Closed, curve: &Curve) -> Option<Value> {
    let order = closed.orders.first()?;
    let Losses::Few(_) = order.losses else {
        return None;
    };
    let (texts, corners) = tests(closed, order, None);
    let (far, one) = (above(&curve.floor)?, number(1));
    let near = number(&curve.mu - &far);
    // A size a little larger than that of a corner.
    let more = number(&one + ROOM);
    let sizes = corners
        .iter()
        .filter_map(|(size, _)| above(&number(size * &more)));
    let inside = [number(&near + ROOM), number(&far - ROOM)];
    let tried = sizes.chain(inside).filter_map(|x| {
        let x = rounded(&x)?;
        let at = number(&x);
        let (alpha, beta) = (tail(&at), tail(&number(&curve.mu - &at)));
        let is_allowed = alpha >= curve.floor && beta >= curve.floor;
        let power = on(&corners, &alpha);
        let needed = number(&one - &beta);
        let excess = number(&power - &needed);
        is_allowed.then(|| (excess, x, number(power + needed) / 2u32))
    });
    let (excess, x, stated) = tried.max_by(|a, b| a.0.total_cmp(&b.0))?;
    if excess <= 0 {
        return None;
    }
    let stated = written_down(&stated.smaller(&one));
    Some(profile(&[json!({
        "bounds": [bound(&stated)],
        "direction": order.direction.as_str(),
        "epsilons": texts,
        "quantiles": [exact(&x)],
    })]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tolerance of less than the checker tells is not looked at, unless losses end, beyond which δ is 0.
    #[test]
    fn tolerances_below_all_that_is_told() {
        let q = |n: u32, d: u32| Rational::from((n, d));
        let gaussian = Step::Gaussian {
            mu_squared: q(1, 4),
        };
        let laplace = Step::Laplace { epsilon: q(1, 4) };
        let curve = |tau: f64| Curve {
            mu: number(1),
            tau: number(tau),
            floor: number(0),
            last: None,
        };
        for (step, smallest) in [(gaussian, 1e-60), (laplace, 1e-300)] {
            let steps = Steps {
                list: vec![(step, 1)],
                directions: vec![Direction::Remove],
            };
            let budget = Budget::unlimited();
            let closed = Closed::new(&steps, &[Direction::Remove], &budget).unwrap();
            let order = closed.orders.first().unwrap();
            for tau in [1e-10, 1e-40, 1e-60, 1e-75, 1e-100, 1e-300] {
                let is_large = tau >= smallest;
                assert_eq!(is_told(order, &curve(tau)), is_large, "{tau}");
                if !is_large {
                    assert!(between(order, None, &curve(tau), &budget).is_none());
                }
            }
            // A claim that is proved next to it.
            let found = between(order, None, &curve(1e-10), &budget);
            assert!(found.is_some());
        }
    }
}
