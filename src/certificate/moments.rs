//! Proofs about Rényi divergences: at one order, or at every order.

use rug::Rational;
use serde_json::{Value, json};

use super::law::LawBound;
use super::model::Model;
use super::prove::{Accept, Prover};
use super::steps::{lattice, response, vectors};
use crate::float::elementary::{exp, exp_m1, ln, ln_1p, log2, powi};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::shifted::Noise;
use crate::mechanism::{Direction, FiniteLosses, Step};

/// How many points a step is discretised at, one try after the other.
const POINTS: [u32; 5] = [16, 64, 256, 1024, 4096];

/// No law of a step is planned that reaches further from 0 than so many points.
const FARTHEST: f64 = 1e7;
/// Tails of unbounded losses that are left out.
const TAIL: f64 = 1e-30;
/// How many orders show that divergences are below a line.
const ORDERS: [u32; 3] = [32, 128, 512];
/// Orders at which divergences are looked for that are above a line.
const TRIED: [&str; 20] = [
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
    "1.00000001",
    "1.000000000001",
    "1.00000000000000000001",
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
                let best = directions.first().and_then(|d| self.best_order(*d));
                let tried = TRIED.into_iter().map(str::to_owned);
                for order in best.into_iter().chain(tried) {
                    for points in self.tries().into_iter().take(3) {
                        if self.offer_moments(
                            &directions,
                            points,
                            std::slice::from_ref(&order),
                            accept,
                        ) {
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
            match slope(step, self.budget) {
                Some(slope) => rest -= slope * times,
                None => {
                    let of =
                        |d: &Direction| Some(Model::new(step, *d, self.budget)?.largest()? * times);
                    let both = directions.iter().map(of).collect::<Option<Vec<_>>>();
                    let Some(both) = both else { return false };
                    largest += both.into_iter().fold(0.0, f64::max);
                }
            }
        }
        if rest <= 0.0 {
            return false;
        }
        if let Some(orders) = self.chords(&directions, rest, largest)
            && self.offer_moments(&directions, 1, &orders, accept)
        {
            return false;
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

    /// Orders between which chords of ψ are below ρ·t(t − 1), each as far from the one before as that allows; where ψ is known in f64.
    fn chords(&self, directions: &[Direction], rho: f64, largest: f64) -> Option<Vec<String>> {
        const MOST: usize = 1500;
        let models = directions.iter().map(|d| {
            let steps = self
                .steps
                .list
                .iter()
                .filter(|(step, _)| slope(step, self.budget).is_none());
            let one = |(step, times): &(Step, u64)| {
                let is_known = is_exact(step, *d, LawBound::Upper);
                Some((
                    is_known.then(|| Model::new(step, *d, self.budget))??,
                    *times as f64,
                ))
            };
            steps.map(one).collect::<Option<Vec<_>>>()
        });
        let models = models.collect::<Option<Vec<_>>>()?;
        let psi = |less: f64| {
            let of = |models: &Vec<(Model, f64)>| {
                let each = models
                    .iter()
                    .map(|(model, times)| Some(log_moment(model, less)? * times));
                each.sum::<Option<f64>>()
            };
            models.iter().map(of).collect::<Option<Vec<f64>>>()
        };
        let mut orders = Vec::new();
        let (mut left, mut low) = (0.0, vec![0.0; models.len()]);
        let mut width = 1e-9;
        while rho * (1.0 + left) < largest * (1.0 + 1e-12) {
            width *= 4.0;
            let (text, right, high) = loop {
                let (text, right) = order_after(left + width)?;
                let high = psi(right)?;
                let mut chords = low.iter().zip(&high);
                if right > left && chords.all(|(a, b)| is_chord_below(rho, (left, *a), (right, *b)))
                {
                    break (text, right, high);
                }
                width /= 2.0;
                if width < 1e-13 {
                    return None;
                }
            };
            orders.push(text);
            (left, low) = (right, high);
            if orders.len() > MOST || self.budget.check().is_err() {
                return None;
            }
        }
        Some(orders)
    }

    fn tries(&self) -> Vec<u32> {
        let of_all = |holds: &dyn Fn(&Step, Direction) -> bool| {
            let all = |d: &Direction| self.steps.list.iter().all(|(step, _)| holds(step, *d));
            self.steps.directions.iter().all(all)
        };
        let side = self.side();
        if of_all(&|step, d| is_exact(step, d, side)) {
            vec![1]
        } else if of_all(&|step, d| is_closed(step, d, side, self.budget)) {
            [&[1], POINTS.as_slice()].concat()
        } else {
            POINTS.to_vec()
        }
    }

    /// The order at which D_t/t is largest, where all steps have moments in f64.
    fn best_order(&self, direction: Direction) -> Option<String> {
        let steps = self.steps.list.iter();
        let models = steps
            .map(|(step, times)| Some((Model::new(step, direction, self.budget)?, *times as f64)));
        let models = models.collect::<Option<Vec<_>>>()?;
        let ratio = |x: f64| {
            let less = exp(x);
            let all = models
                .iter()
                .map(|(model, times)| Some(log_moment(model, less)? * times));
            let sum = all.sum::<Option<f64>>().filter(|sum| sum.is_finite());
            sum.map_or(f64::NEG_INFINITY, |sum| sum / (less * (1.0 + less)))
        };
        let (mut low, mut high) = (-12.0, 8.0);
        let mut found = 0.0;
        for _ in 0..4 {
            let width = (high - low) / 100.0;
            let places = (0..=100).map(|i| low + f64::from(i) * width);
            let all = places.map(|x| (ratio(x), x));
            found = all.max_by(|a, b| a.0.total_cmp(&b.0))?.1;
            (low, high) = (found - width, found + width);
        }
        (ratio(found) > f64::NEG_INFINITY).then(|| format!("{:.9}", 1.0 + exp(found)))
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
            let has_law =
                |model: &Option<Model>| model.as_ref().is_some_and(|m| m.largest().is_some());
            let is_short = points == 1 || is_exact(step, direction, side);
            let model = if is_short {
                None
            } else {
                Model::new(step, direction, self.budget)
            };
            ranges.push(
                if is_short || is_closed(step, direction, side, self.budget) && !has_law(&model) {
                    None
                } else {
                    let model = model?;
                    let reversed = Model::new(step, direction.reversed(), self.budget)?;
                    let (low, high) = model.range(TAIL);
                    let low = reversed.largest().map_or(low, |largest| -largest);
                    Some((low, model.largest().unwrap_or(high)))
                },
            );
        }
        let base = self.steps.list.iter().find_map(|(step, _)| lattice(step));
        let widths = ranges.iter().flatten().map(|(low, high)| high - low);
        let wide = widths.filter(|width| *width > 0.0);
        let width = wide.fold(f64::INFINITY, f64::min) / f64::from(points);
        let unit = base.unwrap_or_else(|| Rational::from(1));
        let power = log2(width / nearest(&unit)).floor().clamp(-200.0, 0.0);
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
                    let (low, high) = ((low / h + 1e-9).floor(), (high / h).ceil());
                    if low.abs().max(high.abs()) > FARTHEST {
                        return None;
                    }
                    // A point beyond the largest loss, where nothing is left.
                    let first = low as i64;
                    (first, (high as i64 + 1).max(first + 1))
                }
            };
            Some(json!({"coarsen": [], "first": first, "last": last, "level": 0}))
        };
        let parts = ranges.iter().map(part).collect::<Option<Vec<Value>>>()?;
        Some(json!({
            "bounds": [],
            "direction": direction.as_str(),
            "epsilons": [],
            "law": {"light": 0, "parts": parts, "step": unit.to_string()},
        }))
    }
}

/// An order as text, and by how much it is above 1.
fn order_after(less: f64) -> Option<(String, f64)> {
    let text = format!("{less:.15}");
    let (whole, part) = text.split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    Some((format!("{}.{part}", whole + 1), text.parse().ok()?))
}

/// Is ρ·x(1 + x) above the chord between two points, with room for what f64 does not see?
fn is_chord_below(rho: f64, (left, low): (f64, f64), (right, high): (f64, f64)) -> bool {
    let rho = rho * (1.0 - 1e-13);
    let slope = (high - low) / (right - left);
    // ρx² + (ρ − slope)·x + slope·left − low: where it is least, or at an end.
    let at = |x: f64| rho * x * (1.0 + x) - low - slope * (x - left);
    let least = ((slope - rho) / (2.0 * rho)).clamp(left, right);
    let room = 1e-15 * (low + high);
    (left == 0.0 || at(left) >= room) && at(right) >= room && (at(least) >= room || least == left)
}

/// Does the checker have a bound of the divergences of the step in closed form, from this side?
fn is_closed(step: &Step, direction: Direction, side: LawBound, budget: &Budget) -> bool {
    is_exact(step, direction, side) || side == LawBound::Upper && slope(step, budget).is_some()
}

/// Is it more than a line that is above them?
fn is_exact(step: &Step, direction: Direction, side: LawBound) -> bool {
    let is_upper = side == LawBound::Upper;
    match step {
        Step::Gaussian { .. } | Step::Laplace { .. } => true,
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
        _ => false,
    }
}

/// log ∫ q^t·p^(1−t), t = 1 + `less`, of a step that has it in f64.
fn log_moment(model: &Model, less: f64) -> Option<f64> {
    match model {
        Model::Gaussian { mu } => Some(mu * mu / 2.0 * less * (1.0 + less)),
        Model::Laplace { epsilon } => {
            let (t, other) = (1.0 + less, 1.0 + 2.0 * less);
            let rest = less / t * exp(-other * epsilon);
            Some(less * epsilon + ln_1p(-less / other) + ln_1p(rest))
        }
        // Next to order 1 the sum is near 1.
        Model::Atoms(atoms) if less < 1e-3 => {
            let above = atoms.iter().filter(|(q, _, _)| *q > 0.0);
            let more: f64 = above.map(|(q, _, loss)| q * exp_m1(less * loss)).sum();
            Some(ln_1p(more))
        }
        Model::Atoms(atoms) => {
            let exponents = atoms.iter().filter(|(q, _, _)| *q > 0.0);
            let exponents: Vec<f64> = exponents.map(|(q, _, loss)| ln(*q) + less * loss).collect();
            let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = exponents.iter().map(|x| exp(x - most)).sum();
            Some(most + ln(sum))
        }
        Model::Sampled { .. } | Model::Other(_) => None,
    }
}

/// ρ with D_t ≤ ρ·t at every order, where a step has one by itself.
fn slope(step: &Step, budget: &Budget) -> Option<f64> {
    match step {
        Step::Gaussian { mu_squared } => Some(nearest(mu_squared) / 2.0),
        Step::Zcdp { rho } => Some(nearest(rho)),
        Step::DiscreteGaussian { sigma, sensitivity } => {
            Some(powi(*sensitivity as f64 / nearest(sigma), 2) / 2.0)
        }
        Step::Shifted(pair) => {
            let far = nearest(&pair.farthest());
            match pair.noise() {
                Noise::Gaussian { unit_squared } => Some(far * far * nearest(unit_squared) / 2.0),
                Noise::DiscreteGaussian { sigma, unit } => {
                    Some(powi(far * *unit as f64 / nearest(sigma), 2) / 2.0)
                }
                _ => None,
            }
        }
        // Its losses are in a range of ε.
        Step::Closed(ClosedPair::Selection(_)) => {
            let largest = Model::new(step, Direction::Remove, budget)?.largest()?;
            Some(largest * largest / 8.0)
        }
        Step::Sampled(sampled) => {
            let parts = sampled.of().list().iter();
            parts
                .map(|(step, times)| Some(slope(step, budget)? * *times as f64))
                .sum()
        }
        _ => None,
    }
}
