//! Proofs about Rényi divergences: at one order, or at every order.

use rug::Rational;
use serde_json::{Value, json};

use super::law::LawBound;
use super::model::Model;
use super::prove::{Accept, Prover};
use super::steps::{lattice, response, vectors};
use crate::float::nearest;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::shifted::Noise;
use crate::mechanism::{Direction, FiniteLosses, Step};

/// How many points a step is discretised at, one try after the other.
const POINTS: [u32; 5] = [16, 64, 256, 1024, 4096];
/// Tails of unbounded losses that are left out.
const TAIL: f64 = 1e-30;
/// How many orders show that divergences are below a line.
const ORDERS: [u32; 3] = [32, 128, 512];
/// Orders at which divergences are looked for that are above a line.
const TRIED: [&str; 17] = [
    "2",
    "3/2",
    "3",
    "4",
    "6",
    "8",
    "12",
    "16",
    "32",
    "64",
    "128",
    "512",
    "2048",
    "11/10",
    "101/100",
    "1001/1000",
    "10001/10000",
];

impl Prover<'_> {
    /// D_t against a number, at the order of the claim.
    pub(super) fn divergence(&self, accept: Accept<'_>) -> bool {
        for directions in self.directions() {
            for points in self.tries() {
                if self.offer_moments(&directions, points, &[], accept) {
                    return false;
                }
            }
        }
        false
    }

    /// D_t against ρ·t, at every order or at one.
    pub(super) fn divergences(&self, rho: &Rational, accept: Accept<'_>) -> bool {
        if !self.verified {
            for directions in self.directions() {
                for order in TRIED {
                    for points in self.tries().into_iter().take(3) {
                        if self.offer_moments(&directions, points, &[order.to_owned()], accept) {
                            return false;
                        }
                    }
                }
            }
            return false;
        }
        let directions = if self.steps.is_symmetric() {
            vec![Direction::Remove]
        } else {
            vec![Direction::Remove, Direction::Add]
        };
        if self.offer_moments(&directions, 1, &[], accept) {
            return false;
        }
        let mut rest = nearest(rho);
        let mut largest = 0f64;
        for (step, times) in &self.steps.list {
            let times = *times as f64;
            match slope(step) {
                Some(slope) => rest -= slope * times,
                None => {
                    let of = |d: &Direction| Some(Model::new(step, *d)?.largest()? * times);
                    let both = directions.iter().map(of).collect::<Option<Vec<_>>>();
                    let Some(both) = both else { return false };
                    largest += both.into_iter().fold(0.0, f64::max);
                }
            }
        }
        let last = largest / rest * 1.000_1 + 1e-3;
        for (points, count) in POINTS.into_iter().skip(1).zip(ORDERS) {
            let order = |k: u32| {
                let share = f64::from(k) / f64::from(count);
                format!("{:.7}", 1.0 + (last - 1.0) * share * share)
            };
            let mut orders: Vec<String> = (1..=count).map(order).collect();
            orders.dedup();
            if last <= 1.0 {
                orders.clear();
            }
            if self.offer_moments(&directions, points, &orders, accept) {
                return false;
            }
        }
        false
    }

    fn tries(&self) -> Vec<u32> {
        let all_closed = |d: &Direction| {
            let mut steps = self.steps.list.iter();
            steps.all(|(step, _)| is_closed(step, *d, self.side()))
        };
        if self.steps.directions.iter().all(all_closed) {
            vec![1]
        } else {
            POINTS.to_vec()
        }
    }

    fn offer_moments(
        &self,
        directions: &[Direction],
        points: u32,
        orders: &[String],
        accept: Accept<'_>,
    ) -> bool {
        if self.budget.check().is_err() {
            return false;
        }
        let sources = directions.iter().map(|d| self.moment_source(*d, points));
        let Some(sources) = sources.collect::<Option<Vec<Value>>>() else {
            return false;
        };
        accept(json!({"kind": "moments", "orders": orders, "sources": sources}))
    }

    /// A plan of one point asks for the closed form.
    fn moment_source(&self, direction: Direction, points: u32) -> Option<Value> {
        let side = self.side();
        let mut ranges = Vec::new();
        for (step, _) in &self.steps.list {
            ranges.push(if is_closed(step, direction, side) || points == 1 {
                None
            } else {
                let model = Model::new(step, direction)?;
                let reversed = Model::new(step, direction.reversed())?;
                let (low, high) = model.range(TAIL);
                let low = reversed.largest().map_or(low, |largest| -largest);
                Some((low, model.largest().unwrap_or(high)))
            });
        }
        let base = self.steps.list.iter().find_map(|(step, _)| lattice(step));
        let widths = ranges.iter().flatten().map(|(low, high)| high - low);
        let width = widths.fold(f64::INFINITY, f64::min) / f64::from(points);
        let unit = base.unwrap_or_else(|| Rational::from(1));
        let power = (width / nearest(&unit)).log2().floor().clamp(-200.0, 0.0);
        let unit = if width.is_finite() {
            unit >> (-power as u32)
        } else {
            unit
        };
        let h = nearest(&unit);
        let part = |range: &Option<(f64, f64)>| {
            let (first, last) = match range {
                None => (0, 0),
                Some((low, high)) => {
                    let first = (low / h + 1e-9).floor() as i64;
                    // A point beyond the largest loss, where nothing is left.
                    (first, ((high / h).ceil() as i64 + 1).max(first + 1))
                }
            };
            json!({"coarsen": [], "first": first, "last": last, "level": 0})
        };
        let parts: Vec<Value> = ranges.iter().map(part).collect();
        Some(json!({
            "bounds": [],
            "direction": direction.as_str(),
            "epsilons": [],
            "law": {"light": 0, "parts": parts, "step": unit.to_string()},
        }))
    }
}

/// Does the checker have the divergences of the step in closed form, from this side?
fn is_closed(step: &Step, direction: Direction, side: LawBound) -> bool {
    let is_upper = side == LawBound::Upper;
    match step {
        Step::Gaussian { .. } => true,
        Step::Sampled(sampled) if sampled.mu_squared().is_some() => {
            is_upper || direction == Direction::Remove
        }
        Step::Rdp { .. } => is_upper,
        Step::Finite(_)
            if response(step).is_some()
                || vectors(step).is_some()
                || step.two_outcomes().is_some() =>
        {
            true
        }
        Step::Finite(one) if matches!(one.losses(), FiniteLosses::ResponseOrUniform { .. }) => true,
        _ => is_upper && slope(step).is_some(),
    }
}

/// ρ with D_t ≤ ρ·t at every order, where a step has one by itself.
fn slope(step: &Step) -> Option<f64> {
    match step {
        Step::Gaussian { mu_squared } => Some(nearest(mu_squared) / 2.0),
        Step::Zcdp { rho } => Some(nearest(rho)),
        Step::DiscreteGaussian { sigma, sensitivity } => {
            Some((*sensitivity as f64 / nearest(sigma)).powi(2) / 2.0)
        }
        Step::Shifted(pair) => {
            let far = nearest(&pair.farthest());
            match pair.noise() {
                Noise::Gaussian { unit_squared } => Some(far * far * nearest(unit_squared) / 2.0),
                Noise::DiscreteGaussian { sigma, unit } => {
                    Some((far * *unit as f64 / nearest(sigma)).powi(2) / 2.0)
                }
                _ => None,
            }
        }
        // Its losses are in a range of ε.
        Step::Closed(ClosedPair::Selection(_)) => {
            let largest = Model::new(step, Direction::Remove)?.largest()?;
            Some(largest * largest / 8.0)
        }
        Step::Sampled(sampled) => {
            let parts = sampled.of().list().iter();
            parts
                .map(|(step, times)| Some(slope(step)? * *times as f64))
                .sum()
        }
        _ => None,
    }
}
