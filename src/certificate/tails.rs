//! Lines that are above Rényi divergences: of one step at every order, or from an order on.

use rug::{Integer, Rational};

use super::model::Model;
use crate::float::elementary::{ln, powi};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::shifted::Noise;
use crate::mechanism::{Direction, Step};

/// ρ with D_t ≤ ρ·t at every order, where a step has one by itself.
pub(super) fn slope(step: &Step) -> Option<Rational> {
    let half_of_square = |x: Rational| Rational::from(x.square_ref()) / 2u32;
    match step {
        Step::Gaussian { mu_squared } => Some(Rational::from(mu_squared / 2u32)),
        Step::Zcdp { rho } => Some(rho.clone()),
        Step::DiscreteGaussian { sigma, sensitivity } => {
            Some(half_of_square(Rational::from(*sensitivity) / sigma))
        }
        Step::Shifted(pair) => {
            let far = pair.farthest();
            match pair.noise() {
                Noise::Gaussian { unit_squared } => Some(half_of_square(far) * unit_squared),
                Noise::DiscreteGaussian { sigma, unit } => {
                    Some(half_of_square(far * Rational::from(*unit) / sigma))
                }
                _ => None,
            }
        }
        Step::Sampled(sampled) => {
            let parts = sampled.of().list().iter();
            parts
                .map(|(step, times)| Some(slope(step)? * Integer::from(*times)))
                .sum()
        }
        _ => None,
    }
}

/// What is beyond the last point of a law of unbounded losses is so much less than the rest.
const BEYOND: f64 = 40.0;

/// What D_t is at most from an order on.
pub(super) enum Tail {
    /// The largest loss.
    Bounded(f64),
    /// ρ and ξ with D_t ≤ ξ + ρ·t.
    Line(f64, f64),
    /// Of Skellam noise of this mean, moved so far.
    Skellam(f64, f64),
}

impl Tail {
    pub(super) fn of(step: &Step, direction: Direction, budget: &Budget) -> Option<Self> {
        if let Some(largest) = Model::new(step, direction, budget).and_then(|model| model.largest())
        {
            return Some(Self::Bounded(largest));
        }
        if let Step::Shifted(pair) = unsampled(step) {
            let far = nearest(&pair.farthest());
            match pair.noise() {
                Noise::Skellam { mean, unit } => {
                    return Some(Self::Skellam(nearest(mean), far * *unit as f64));
                }
                Noise::GaussianSum {
                    sigma,
                    parties,
                    unit,
                } => {
                    let (far, parties) = (far * *unit as f64, *parties as f64);
                    let share = far / (2.0 * nearest(sigma) * nearest(sigma) * parties);
                    return Some(Self::Line(share * far, share * (parties - 1.0)));
                }
                _ => {}
            }
        }
        line(step, direction).map(|(rho, rest)| Self::Line(rho, rest))
    }

    /// The slope of a line above it from an order on, and where that begins.
    fn at(&self, order: f64) -> (f64, f64) {
        match self {
            Self::Bounded(largest) => (0.0, *largest),
            Self::Line(rho, rest) => (*rho, rho * order + rest),
            Self::Skellam(mean, far) => {
                let less = order - 1.0;
                let rest = (far + 2.09 * mean + 0.7) / less;
                (far / less, far * (ln(far * less / mean) - 1.0) + rest)
            }
        }
    }
}

/// An order from which on no D_t is above ρ·t, in each order of the pair.
pub(super) fn last_order(tails: &[Vec<(Tail, f64)>], rho: f64) -> Option<f64> {
    const STEP: f64 = 1.02;
    const MOST: f64 = 1e4;
    let bounded = |tails: &Vec<(Tail, f64)>| {
        let one = |(tail, times): &(Tail, f64)| match tail {
            Tail::Bounded(largest) => Some(largest * times),
            Tail::Line(..) | Tail::Skellam(..) => None,
        };
        tails.iter().map(one).sum::<Option<f64>>()
    };
    if let Some(all) = tails.iter().map(bounded).collect::<Option<Vec<_>>>() {
        return Some(all.into_iter().fold(0.0, f64::max) / rho);
    }
    let holds = |order: f64| {
        tails.iter().all(|tails| {
            let add = |(slope, most): (f64, f64), (tail, times): &(Tail, f64)| {
                let (one, value) = tail.at(order);
                (slope + one * times, most + value * times)
            };
            let (slope, most) = tails.iter().fold((0.0, 0.0), add);
            slope < rho && most < rho * order
        })
    };
    let mut order = 1.5;
    while order < MOST {
        if holds(order) {
            return Some(order * STEP);
        }
        order *= STEP;
    }
    None
}

/// What runs on a sample, where that is one step.
fn unsampled(step: &Step) -> &Step {
    if let Step::Sampled(sampled) = step
        && let [(inner, 1)] = sampled.of().list()
    {
        return unsampled(inner);
    }
    step
}

/// ρ and ξ with D_t ≤ ξ + ρ·t at every order, of a mixture of Gaussian noise, or of Skellam noise at whole orders: P has its share of what is moved least (R1).
pub(super) fn line(step: &Step, direction: Direction) -> Option<(f64, f64)> {
    let Step::Shifted(pair) = unsampled(step) else {
        return None;
    };
    let (without, with) = (pair.without(), pair.with());
    let is_mixed = without.list().len() > 1 || with.list().len() > 1;
    let square = match pair.noise() {
        Noise::Skellam { mean, unit } => {
            let (m, unit) = (nearest(mean), *unit as f64);
            2.0 * unit * unit * (m + 3.0) / (m * (4.0 * m + 3.0))
        }
        _ if !is_mixed => return None,
        Noise::Gaussian { unit_squared } => nearest(unit_squared),
        Noise::DiscreteGaussian { sigma, unit } => powi(*unit as f64 / nearest(sigma), 2),
        _ => return None,
    };
    let (down, up) = match direction {
        Direction::Remove => (without, with),
        Direction::Add => (with, without),
    };
    let shift = |(shift, _): &&(Rational, Rational)| shift.clone();
    let ((least, weight), (far, _)) = (
        down.list().iter().min_by_key(shift)?,
        up.list().iter().max_by_key(shift)?,
    );
    let apart = nearest(least) + nearest(far);
    Some((apart * apart * square / 2.0, -ln(nearest(weight))))
}

/// How far a law has to reach for moments of this order: the checker looks at the order at which the line says most of what is beyond.
pub(super) fn last_point((rho, loss): (f64, f64), order: f64) -> f64 {
    let beyond = |end: f64| {
        let other = ((end / rho + 1.0) / 2.0).ceil();
        let is_far = other > order;
        is_far && (other - 1.0) * (rho * other + loss) - (other - order) * end < -BEYOND
    };
    let step = (rho * order).max(0.01) / 8.0;
    (1..4000)
        .map(|n| f64::from(n) * step)
        .find(|end| beyond(*end))
        .unwrap_or(step)
}
