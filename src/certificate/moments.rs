//! Proofs about Rényi divergences: at one order, or at every order.

use rug::ops::Pow;
use rug::{Float, Integer, Rational};
use serde_json::{Value, json};

use super::closed::number;
use super::law::LawBound;
use super::model::Model;
use super::prove::{Accept, Prover};
use super::steps::{lattice, response, vectors};
use super::tails::{Tail, last_order, last_point, line, slope};
use crate::float::elementary::{exp, ln, log2};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::shifted::Noise;
use crate::mechanism::{Conditions, Direction, FiniteLosses, Step, Steps as NormalForm};
use crate::number::exact;
use crate::renyi::Parts;
use crate::statement::StatedClaim;

/// How many points a step is discretised at, one try after the other.
const POINTS: [u32; 5] = [16, 64, 256, 1024, 4096];

/// Of divergences in many digits.
const BITS: u32 = 256;
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
                let best = || directions.first().and_then(|d| self.best_order(*d, rho));
                let tried = || TRIED.into_iter().map(str::to_owned);
                let points = self.tries();
                // Closed forms are fast to ask, and slow to search.
                let orders: Box<dyn Iterator<Item = String>> = match points.len() {
                    1 => Box::new(tried().chain(std::iter::once_with(best).flatten())),
                    _ => Box::new(std::iter::once_with(best).flatten().chain(tried())),
                };
                for order in orders {
                    for points in points.iter().copied().take(3) {
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
        let mut rest = rho.clone();
        let mut tails: Vec<Vec<_>> = directions.iter().map(|_| Vec::new()).collect();
        for (step, times) in &self.steps.list {
            if let Some(slope) = slope(step) {
                rest -= slope * Integer::from(*times);
                continue;
            }
            for (direction, tails) in directions.iter().zip(&mut tails) {
                let Some(tail) = Tail::of(step, *direction, self.budget) else {
                    return false;
                };
                tails.push((tail, *times as f64));
            }
        }
        if rest <= 0 {
            return false;
        }
        let Some(last) = last_order(&tails, nearest(&rest)) else {
            return false;
        };
        // Laws of losses without end have no more than a few digits.
        let is_bounded = |(tail, _): &(Tail, f64)| matches!(tail, Tail::Bounded(_));
        let are_laws = self.tries().len() > 1 && !tails.iter().flatten().all(is_bounded);
        let (rooms, skipped): (&[f64], _) = if are_laws {
            (&[1e-3, 1e-5], 3)
        } else {
            (&[1e-9, 0.0], 0)
        };
        for room in rooms {
            let Some(orders) = self.chords(&directions, &rest, last, *room) else {
                continue;
            };
            // On a lattice few points tell all.
            for points in self.tries().into_iter().skip(skipped).take(2) {
                if self.offer_moments(&directions, points, &orders, accept) {
                    return false;
                }
            }
        }
        let last = last * 1.000_1 + 1e-3;
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

    /// Orders between which chords of ψ of the steps without a line of their own are below ρ·t(t − 1).
    fn chords(
        &self,
        directions: &[Direction],
        rho: &Rational,
        last: f64,
        room: f64,
    ) -> Option<Vec<String>> {
        let all = directions
            .iter()
            .map(|d| Psi::of(self, *d, &|step| slope(step).is_none()));
        let all = all.collect::<Option<Vec<_>>>()?;
        let more = |psi: Float| number(psi * (1.0 + room));
        let psi = |less: &Rational| all.iter().map(|of| of.at(less).map(more)).collect();
        let (rho, last) = (number(rho), number(last * (1.0 + 1e-12)));
        orders_below(&rho, &last, all.len(), &psi, self.budget)
    }

    fn tries(&self) -> Vec<u32> {
        let of_all = |holds: &dyn Fn(&Step, Direction) -> bool| {
            let all = |d: &Direction| self.steps.list.iter().all(|(step, _)| holds(step, *d));
            self.steps.directions.iter().all(all)
        };
        let side = self.side();
        if of_all(&|step, d| is_exact(step, d, side)) {
            vec![1]
        } else if of_all(&|step, d| is_closed(step, d, side)) {
            [&[1], POINTS.as_slice()].concat()
        } else {
            POINTS.to_vec()
        }
    }

    /// The order at which D_t/t is largest, where all steps have moments; or one at which it is well above ρ.
    fn best_order(&self, direction: Direction, rho: &Rational) -> Option<String> {
        const PLACES: u32 = 16;
        let psi = Psi::of(self, direction, &|_| true)?;
        let ratio = |x: f64| {
            let less = Rational::from_f64(exp(x)).unwrap_or_default();
            let all = psi.at(&less).filter(|psi| psi.is_finite());
            let by = number(Rational::from(&less + 1u32) * &less);
            all.map_or(f64::NEG_INFINITY, |all| number(all / by).to_f64())
        };
        let (mut low, mut high) = (-12.0, 8.0);
        let (mut most, mut found) = (f64::NEG_INFINITY, 0.0);
        for _ in 0..8 {
            let width = (high - low) / f64::from(PLACES);
            let places = (0..=PLACES).map(|i| low + f64::from(i) * width);
            let all = places.map(|x| (ratio(x), x));
            (most, found) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
            if most > nearest(rho) * 1.001 {
                break;
            }
            (low, high) = (found - width, found + width);
        }
        (most > f64::NEG_INFINITY).then(|| format!("{:.12}", 1.0 + exp(found)))
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
        // How far laws of losses without end have to reach.
        let last = orders.last().and_then(|order| order.parse().ok());
        let most = match self.claim.stated() {
            StatedClaim::Rdp { order, .. } => nearest(order),
            _ => last.unwrap_or(2.0),
        };
        let source = |d: &Direction| self.moment_source(*d, points, most);
        let sources = directions.iter().map(source);
        let Some(sources) = sources.collect::<Option<Vec<Value>>>() else {
            return false;
        };
        accept(json!({"kind": "moments", "orders": orders, "sources": sources}))
    }

    /// For orders up to `most`; a plan of one point asks for the closed form.
    fn moment_source(&self, direction: Direction, points: u32, most: f64) -> Option<Value> {
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
            let is_open = self.verified && !(matches!(step, Step::Sampled(_)) && has_law(&model));
            let mixed = line(step, direction).filter(|_| is_open);
            let is_bare = is_closed(step, direction, side) && mixed.is_none();
            ranges.push(if is_short || is_bare && !has_law(&model) {
                None
            } else if let Some(line) = mixed {
                Some((model?.range(TAIL).0, last_point(line, most)))
            } else {
                let model = model?;
                let reversed = Model::new(step, direction.reversed(), self.budget)?;
                let (low, high) = model.range(TAIL);
                let low = reversed.largest().map_or(low, |largest| -largest);
                Some((low, model.largest().unwrap_or(high)))
            });
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
        // The checker has no coarser lattice.
        let finer = log2(nearest(&unit)).ceil() - 6.0;
        let unit = unit >> finer.clamp(0.0, 1e3) as u32;
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

/// (t − 1)·D_t of some of the steps.
struct Psi<'a> {
    parts: Vec<(Parts, u64)>,
    direction: Direction,
    budget: &'a Budget,
}

impl<'a> Psi<'a> {
    fn of(
        prover: &Prover<'a>,
        direction: Direction,
        is_one: &dyn Fn(&Step) -> bool,
    ) -> Option<Self> {
        let steps = prover.steps.list.iter().filter(|(step, _)| is_one(step));
        let is_class = |step: &Step| matches!(step, Step::Zcdp { .. } | Step::Rdp { .. });
        let one = |(step, times): &(Step, u64)| {
            let of = NormalForm::one(step.clone(), Conditions::NONE);
            let parts = (!of.any(&is_class)).then(|| Parts::of(&of));
            Some((parts.flatten()?, *times))
        };
        Some(Self {
            parts: steps.map(one).collect::<Option<_>>()?,
            direction,
            budget: prover.budget,
        })
    }

    /// At t = 1 + `less`.
    fn at(&self, less: &Rational) -> Option<Float> {
        let order = Rational::from(less + 1u32);
        let mut sum = number(0);
        for (parts, times) in &self.parts {
            let one = parts.divergence(&order, self.direction, BITS, self.budget);
            sum += number(one.ok()?.hi() * number(*times));
        }
        Some(sum * number(less))
    }
}

/// Orders between which chords of some ψ are below ρ·t(t − 1), each as far from the one before as that allows; the last one is beyond `end`.
pub(super) fn orders_below(
    rho: &Float,
    end: &Float,
    count: usize,
    psi: &dyn Fn(&Rational) -> Option<Vec<Float>>,
    budget: &Budget,
) -> Option<Vec<String>> {
    const MOST: usize = 4000;
    let mut orders = Vec::new();
    let (mut left, mut low) = (Rational::new(), vec![number(0); count]);
    let mut width = 1e-9;
    while number(&left + Rational::from(1)) < *end {
        width *= 4.0;
        let (right, high) = loop {
            let right = rounded(&left, width)?;
            let high = psi(&right)?;
            let mut chords = low.iter().zip(&high);
            if right > left && chords.all(|(a, b)| is_chord_below(rho, (&left, a), (&right, b))) {
                break (right, high);
            }
            width /= 2.0;
            if width < 1e-30 {
                return None;
            }
        };
        orders.push(exact(&Rational::from(&right + 1u32)));
        (left, low) = (right, high);
        if orders.len() > MOST || budget.check().is_err() {
            return None;
        }
    }
    Some(orders)
}

/// A number of few digits that is about so much larger.
fn rounded(x: &Rational, width: f64) -> Option<Rational> {
    let goal = x + Rational::from_f64(width)?;
    let digits = (3.0 - ln(width) / std::f64::consts::LN_10).clamp(1.0, 40.0) as u32;
    let ten = Integer::from(10).pow(digits);
    let units = (goal * &ten).floor();
    Some(units / ten)
}

/// Is ρ·x(1 + x) above the chord between two points, with room for what the checker rounds?
fn is_chord_below(
    rho: &Float,
    (left, low): (&Rational, &Float),
    (right, high): (&Rational, &Float),
) -> bool {
    const ROOM: f64 = 1e-33;
    let (left, right) = (number(left), number(right));
    let high = number(high + ROOM);
    let slope = number(&high - low) / number(&right - &left);
    // ρx² + (ρ − slope)·x + slope·left − low: where it is least, or at an end.
    let at = |x: &Float| {
        let square = number(rho * x) * number(x + 1u32);
        square - low - number(&slope * number(x - &left))
    };
    let least = number(&slope - rho) / number(rho * 2u32);
    let is_inside = least > left && least < right;
    (left == 0 || at(&left) >= ROOM)
        && at(&right) >= ROOM
        && (left > 0 || slope < *rho)
        && (!is_inside || at(&least) >= ROOM)
}

/// Does the checker have a bound of the divergences of the step in closed form, from this side?
fn is_closed(step: &Step, direction: Direction, side: LawBound) -> bool {
    let is_exact = |step: &Step| is_exact(step, direction, side);
    // Several outcomes on a sample, where there are not too many.
    let is_sample = matches!(step, Step::Sampled(sampled) if sampled.of().list().iter()
        .all(|(of, _)| matches!(of, Step::Finite(_)) && is_exact(of)));
    is_exact(step) || is_sample || side == LawBound::Upper && slope(step).is_some()
}

/// Is it more than a line that is above them?
fn is_exact(step: &Step, direction: Direction, side: LawBound) -> bool {
    let is_upper = side == LawBound::Upper;
    match step {
        Step::Gaussian { .. } | Step::Laplace { .. } => true,
        Step::Zcdp { .. } | Step::Rdp { .. } => true,
        Step::DiscreteGaussian { .. } => !is_upper,
        Step::Shifted(pair) => matches!(
            pair.noise(),
            Noise::Skellam { .. }
                | Noise::GaussianSum { .. }
                | Noise::DiscreteGaussian { .. }
                | Noise::DiscreteLaplace { .. }
        ),
        Step::Labelled(parts) => {
            let mut steps = parts.iter().flat_map(|(_, of)| of.list());
            steps.all(|(of, _)| is_exact(of, direction, side))
        }
        // Outcomes, or noise on the integers that is moved or not.
        Step::Sampled(sampled) if sampled.law().is_some() => true,
        Step::Sampled(sampled) if matches!(sampled.of().list(), [(of @ Step::Shifted(_), 1)] if is_exact(of, direction, side)) => {
            true
        }
        Step::Sampled(sampled)
            if sampled.mu_squared().is_some()
                || matches!(sampled.of().list(), [(Step::DiscreteGaussian { .. }, 1)]) =>
        {
            // What is known from above is that of the other order, and more.
            match direction {
                Direction::Remove => true,
                Direction::Add => !is_upper && sampled.mu_squared().is_none(),
            }
        }
        Step::Closed(pair) if pair.as_choices().is_some() => is_upper,
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
