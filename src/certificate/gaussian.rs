//! The points at which a curve is compared with that of a Gaussian.

use rug::{Integer, Rational};

use super::profile::{Form, Profile, units_up};
use crate::float::elementary::{exp, exp_m1};
use crate::float::{nearest, normal_quantile, normal_tail};

/// ε's, bounds of δ and quantiles that prove f(α) ≥ G_μ(α + τ) − τ for slopes of at least 1.
pub(super) struct Points {
    pub epsilons: Vec<String>,
    pub bounds: Vec<Integer>,
    pub quantiles: Vec<String>,
}

/// More points are not tried.
const MOST_POINTS: usize = 1500;
/// Between what a point allows for the quantile there must be this much room.
const ROOM: f64 = 1e-8;
/// The same where points are at losses, where f64 is off by little more than its own rounding,
const ROOM_AT_LOSSES: f64 = 1e-12;
/// which δ has room for.
const SLACK_AT_LOSSES: f64 = 2e-13;

/// G_μ(α + τ) − τ, where α and G_μ(α) are at least `floor`.
pub(super) struct Curve {
    pub mu: f64,
    pub tau: f64,
    pub floor: f64,
    /// The last ε, if there is an error floor.
    pub last: Option<f64>,
    /// Above what f64 finds of δ, as a share of what it takes from what.
    pub room: f64,
}

/// The points, from ε = 0 as far apart as they may be; `None` where the curve is not above.
///
/// `end` is where δ becomes 0 for good, if it does.
pub(super) fn points_below(profile: &Profile, curve: &Curve, end: Option<f64>) -> Option<Points> {
    let delta = |epsilon: f64| match end {
        Some(end) if epsilon >= end => 0.0,
        _ => profile.delta_with_room(epsilon, curve.room),
    };
    points_by(delta, curve, end)
}

/// The same with these bounds of δ.
pub(super) fn points_by(
    delta: impl Fn(f64) -> f64,
    curve: &Curve,
    end: Option<f64>,
) -> Option<Points> {
    let (mu, tau) = (curve.mu, curve.tau);
    let mut points = Points {
        epsilons: Vec::new(),
        bounds: Vec::new(),
        quantiles: Vec::new(),
    };
    // A bounded loss ends just before the last point.
    let last = curve.last.or(end.map(|end| end + 1e-7));
    let start = curve.last.unwrap_or(0.0).min(0.0);
    let mut at = Node::new(start, &delta);
    let mut width = 0.25;
    while points.epsilons.len() < MOST_POINTS {
        points.epsilons.push(at.text.clone());
        points.bounds.push(units_up(at.delta));
        let rest = at.delta + exp(at.epsilon) * curve.floor;
        let is_last = match curve.last {
            Some(last) => at.epsilon >= last - 1e-7,
            None => true,
        };
        if is_last && let Some(quantile) = quantile(curve.floor, rest, mu, tau) {
            points.quantiles.push(quantile);
            return Some(points);
        }
        loop {
            let goal = match last {
                Some(last) if at.epsilon + width >= last => last,
                _ => at.epsilon + width,
            };
            let next = Node::new(goal, &delta);
            let (alpha, rest) = chord(&at, &next);
            if next.epsilon > at.epsilon
                && let Some(quantile) = quantile(alpha, rest, mu, tau)
            {
                points.quantiles.push(quantile);
                at = next;
                width *= 1.5;
                break;
            }
            width /= 2.0;
            if width < 1e-8 {
                return None;
            }
        }
    }
    None
}

/// The same with a point at every loss, where all are on one lattice: what lies on the curve, and not a chord above it.
pub(super) fn points_at_losses(profile: &Profile, curve: &Curve, end: f64) -> Option<Points> {
    let Form::Law(planned) = &profile.form else {
        return None;
    };
    let step = planned.own_step.as_ref()?;
    let count = (end / nearest(step)).round();
    if curve.last.is_some() || !(1.0..=MOST_POINTS as f64).contains(&count) {
        return None;
    }
    let node = |k: u32| {
        let place = Rational::from(step * k);
        let epsilon = nearest(&place);
        let delta = match f64::from(k) < count {
            true => profile.delta(epsilon) * (1.0 + SLACK_AT_LOSSES),
            false => 0.0,
        };
        Node {
            text: place.to_string(),
            epsilon,
            delta,
        }
    };
    let nodes: Vec<Node> = (0..=count as u32).map(node).collect();
    let mut points = Points {
        epsilons: nodes.iter().map(|node| node.text.clone()).collect(),
        bounds: nodes.iter().map(|node| units_up(node.delta)).collect(),
        quantiles: Vec::new(),
    };
    let chords = nodes.iter().zip(nodes.iter().skip(1));
    let places = chords
        .map(|(near, far)| chord(near, far))
        .chain([(0.0, 0.0)]);
    for (alpha, rest) in places {
        let text = quantile_with(ROOM_AT_LOSSES, alpha, rest, (curve.mu, curve.tau))?;
        points.quantiles.push(text);
    }
    Some(points)
}

struct Node {
    text: String,
    epsilon: f64,
    delta: f64,
}

impl Node {
    /// δ at the number that is written.
    fn new(epsilon: f64, delta: impl Fn(f64) -> f64) -> Self {
        let text = format!("{epsilon:.9}");
        let text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
        let epsilon = text.parse().unwrap_or(epsilon);
        Self {
            epsilon,
            text,
            delta: delta(epsilon),
        }
    }
}

/// The point of the chord of δ: α and 1 − β.
fn chord(near: &Node, far: &Node) -> (f64, f64) {
    let u = exp(near.epsilon);
    let alpha = (near.delta - far.delta).max(0.0) / (u * exp_m1(far.epsilon - near.epsilon));
    (alpha, near.delta + u * alpha)
}

/// A number x with P(Z > x) ≤ α + τ and P(Z > μ − x) ≤ β + τ, β = 1 − `rest`.
fn quantile(alpha: f64, rest: f64, mu: f64, tau: f64) -> Option<String> {
    quantile_with(ROOM, alpha, rest, (mu, tau))
}

fn quantile_with(room: f64, alpha: f64, rest: f64, (mu, tau): (f64, f64)) -> Option<String> {
    let size = alpha + tau;
    let miss = 1.0 - rest + tau;
    // 1 − rest would round away what is left of δ.
    if tau >= rest || size >= 1.0 {
        return (miss >= 1e-12).then(|| "0".to_owned());
    }
    if size <= 0.0 || miss <= 0.0 {
        return None;
    }
    let low = -normal_quantile(size);
    // Where the miss is close to 1, from its complement.
    let high = if rest - tau < 0.5 {
        mu - normal_quantile(rest - tau)
    } else {
        mu + normal_quantile(miss)
    };
    let text = format!("{:.14}", (low + high) / 2.0);
    let x: f64 = text.parse().ok()?;
    (high - low > room && normal_tail(x) < size).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::super::profile::Form;
    use super::*;
    use crate::kernel::Budget;
    use crate::mechanism::{Direction, Epsilon, FiniteLosses, Step};
    use rug::Rational;

    fn response() -> Profile {
        let step = Step::finite(FiniteLosses::RandomizedResponse {
            epsilon: Epsilon::from(Rational::from(1)),
            k: 2,
        });
        Profile {
            direction: Direction::Remove,
            form: Form::Closed(Model::new(&step, Direction::Remove, &Budget::unlimited()).unwrap()),
        }
    }

    /// μ* of randomised response with ε = 1 is −2Φ⁻¹(1/(e + 1)) = 1.232035…
    #[test]
    fn points_are_found_above_the_least_mu_only() {
        let points = |mu: f64| {
            let curve = Curve {
                mu,
                tau: 0.0,
                floor: 0.0,
                last: None,
                room: 0.0,
            };
            points_below(&response(), &curve, Some(1.0))
        };
        assert!(points(1.2321).is_some());
        assert!(points(1.2320).is_none());
    }
}
