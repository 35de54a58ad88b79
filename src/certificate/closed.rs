//! Mechanisms in closed form in many digits.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::atoms::Atoms;
use super::model::Model;
use super::profile::threshold;
use super::steps::Steps;
use super::text::place;
use crate::composition::finite::compose;
use crate::float::elementary::exp;
use crate::kernel::{Budget, LossBound, Point, Profile, is_late};
use crate::mechanism::finite::{FiniteLaw, FiniteProfile};
use crate::mechanism::{Direction, Epsilon, Step};
use crate::number::exact;

/// Of all numbers here.
const BITS: u32 = 384;
/// What the checker computes with has units of 2^-288, and loses some of them; numbers near e^ε cost as many times more.
pub(super) const UNITS: u32 = 288;
const LOST: u32 = 200;
/// Of an ε that is looked for.
const DIGITS: u32 = 40;
/// Numbers that are no further apart are equal.
const EQUAL: f64 = 1e-70;
/// Bits of a number just below the least loss.
const NEAR: u32 = 60;
/// Losses of one step that are all looked at.
const MOST_LOSSES: usize = 512;

pub(super) fn number<T>(x: T) -> Float
where
    Float: rug::Assign<T>,
{
    Float::with_val(BITS, x)
}

/// A place on the loss axis, as it is written.
#[derive(Clone)]
pub(super) struct Place {
    pub text: String,
    pub log: Float,
    pub u: Float,
    /// u, where that is a fraction.
    ratio: Option<Rational>,
    point: Point,
}

impl Place {
    pub fn of(epsilon: &Epsilon) -> Self {
        let point = epsilon.place(BITS);
        Self {
            text: place(epsilon),
            log: point.log().middle(),
            u: point.exp().middle(),
            ratio: epsilon.exact_exp(),
            point,
        }
    }

    /// The number of few digits next to this one.
    pub fn near(epsilon: &Float) -> Option<Self> {
        let epsilon = rounded(epsilon)?;
        let text = exact(&epsilon);
        let one = Self::of(&Epsilon::from(epsilon));
        (one.log.clone().abs() < 700).then_some(Self { text, ..one })
    }
}

/// A test: its size, at least, and its power, at most.
pub(super) type Test = (Float, Float);

/// One order of a pair.
pub(super) struct Order {
    pub direction: Direction,
    profile: Arc<dyn Profile>,
    pub losses: Losses,
    corners: OnceLock<Vec<Corner>>,
}

/// u and δ(u), in f64.
type Corner = (f64, f64);

pub(super) enum Losses {
    /// All of them, rising.
    Few(Vec<Place>),
    /// In f64, and the largest and smallest where these are written.
    Many(Model, Vec<Place>),
}

/// A mechanism in closed form.
pub(super) struct Closed {
    pub orders: Vec<Order>,
    /// The orders that are stated.
    stated: Vec<Direction>,
}

impl Closed {
    /// Of a single step that has a closed form, or of several with few outcomes together, in these orders.
    pub fn new(steps: &Steps, directions: &[Direction], budget: &Budget) -> Option<Self> {
        let orders = match few(steps, budget) {
            Some(law) => {
                let order = |direction: &Direction| of_law(&law, *direction);
                directions.iter().map(order).collect()
            }
            None => {
                let step = steps.single()?;
                let order = |direction: &Direction| of_many(step, *direction, budget);
                directions.iter().map(order).collect::<Option<_>>()?
            }
        };
        let stated = match steps.is_symmetric() {
            true if steps.directions.len() == 1 => vec![Direction::Remove],
            _ => steps.directions.clone(),
        };
        Some(Self { orders, stated })
    }

    /// Are tests of this order what is stated, and are they as well read the other way round?
    pub fn stated(&self, order: &Order) -> (bool, bool) {
        let is_own = self.stated.contains(&order.direction);
        (is_own, !is_own || self.stated.len() == 2)
    }

    /// Just below all losses, of few outcomes that are all there with the record: there δ is 1 − u.
    pub fn start(&self) -> Option<Place> {
        let first = self.orders.iter().map(|order| match &order.losses {
            Losses::Few(all) => all.first().map(|place| &place.u),
            Losses::Many(..) => None,
        });
        let all = first.collect::<Option<Vec<_>>>()?;
        let least = all.into_iter().min_by(|a, b| a.total_cmp(b))?;
        // So many bits of it, whatever its size.
        let bits = NEAR.saturating_add_signed(-least.get_exp()?.min(0));
        if bits > UNITS {
            return None;
        }
        let units = number(least << bits).floor().to_integer()? - 1u32;
        let u = Rational::from((units, Integer::from(1) << bits));
        let rest = Rational::from(1 - &u);
        let place = Place::of(&Epsilon::log_of(u).ok()?);
        let is_all = self.above(&place).iter().all(|delta| *delta == rest);
        is_all.then_some(place)
    }

    pub fn places(&self) -> impl Iterator<Item = Place> {
        let each = self.orders.iter().flat_map(|order| match &order.losses {
            Losses::Few(all) | Losses::Many(_, all) => all,
        });
        each.cloned()
    }

    /// At least δ, in each order.
    pub fn above(&self, place: &Place) -> Vec<Rational> {
        self.orders
            .iter()
            .map(|order| order.delta_up(place))
            .collect()
    }
}

/// The checker multiplies few outcomes out, but no guarantees.
fn few(steps: &Steps, budget: &Budget) -> Option<Arc<FiniteLaw>> {
    let law = match steps.single() {
        Some(step) => Arc::clone(step.finite_law()?),
        None => {
            let factor = |(step, times): &(Step, u64)| {
                // Of others the checker has no list.
                Atoms::listed(step, Direction::Remove)?;
                Some((Arc::clone(step.finite_law()?), *times))
            };
            let factors: Vec<_> = steps.list.iter().map(factor).collect::<Option<_>>()?;
            Arc::new(compose(&factors, budget).ok()??)
        }
    };
    (law.len() <= MOST_LOSSES).then_some(law)
}

fn of_law(law: &Arc<FiniteLaw>, direction: Direction) -> Order {
    let profile = FiniteProfile::new(Arc::clone(law)).toward(direction);
    let losses = profile.losses(BITS).into_iter().enumerate();
    let losses = losses.filter_map(|(index, loss)| {
        let stated = match profile.rational_loss(index) {
            Some(loss) => Some(Epsilon::from(loss)),
            None => profile.ratio(index).and_then(|u| Epsilon::log_of(u).ok()),
        };
        match stated {
            Some(loss) => Some(Place::of(&loss)),
            None => Place::near(&loss.middle()),
        }
    });
    let losses = Losses::Few(losses.collect());
    Order {
        direction,
        profile: Arc::new(profile),
        losses,
        corners: OnceLock::new(),
    }
}

fn of_many(step: &Step, direction: Direction, budget: &Budget) -> Option<Order> {
    let stated = step.profile()?;
    let profile = match direction {
        Direction::Remove => stated,
        Direction::Add => stated.swapped(),
    };
    let ends = match step {
        Step::Laplace { epsilon } => {
            let end = Epsilon::from(epsilon.clone());
            vec![Place::of(&end.opposite()), Place::of(&end)]
        }
        _ => Vec::new(),
    };
    let model = Model::new(step, direction, budget)?;
    Some(Order {
        direction,
        profile,
        losses: Losses::Many(model, ends),
        corners: OnceLock::new(),
    })
}

impl Order {
    /// Losses between which nearly all lie.
    pub fn range(&self) -> (f64, f64) {
        match &self.losses {
            Losses::Few(all) => {
                let ends = (all.first(), all.last());
                let at = |end: Option<&Place>| end.map_or(0.0, |end| end.log.to_f64());
                (at(ends.0) - 1.0, at(ends.1) + 1.0)
            }
            Losses::Many(model, _) => model.range(1e-15),
        }
    }

    /// In f64.
    pub fn delta(&self, epsilon: f64) -> f64 {
        match &self.losses {
            Losses::Few(all) => {
                let corner = |place: &Place| {
                    let delta = self.profile.at(&place.point).delta.middle();
                    (place.u.to_f64(), delta.to_f64())
                };
                // Next to u = 0 it is 1.
                let first = std::iter::once((0.0, 1.0));
                let corners = || first.chain(all.iter().map(corner)).collect();
                between(self.corners.get_or_init(corners), exp(epsilon))
            }
            Losses::Many(model, _) => model.at(epsilon).0,
        }
    }

    pub fn delta_up(&self, place: &Place) -> Rational {
        let delta = self.profile.at(&place.point).delta;
        if delta.hi().is_zero() {
            return Rational::new();
        }
        // Below all losses it is 1 − u, and a number of few bits is exact in the checker's units.
        if let Some(rest) = place.ratio.as_ref().map(|u| Rational::from(1 - u))
            && rest.denom().is_power_of_two()
            && rest.denom().significant_bits() <= UNITS
            && number(delta.middle() - &rest).abs() < EQUAL
        {
            return rest;
        }
        let up = number(delta.hi() + lost(place));
        written(&up, Ordering::Greater).min(Rational::from(1))
    }

    /// Nothing, if losses end; else no [`Self::delta_up`] at an ε ≥ 0 is less.
    pub fn least_delta(&self) -> Float {
        match self.profile.max_loss(BITS) {
            LossBound::Unbounded => number(2) >> LOST,
            LossBound::Finite { .. } => number(0),
        }
    }

    pub fn delta_down(&self, place: &Place) -> Rational {
        let delta = self.profile.at(&place.point).delta;
        written(&number(delta.lo() - lost(place)), Ordering::Less).max(Rational::new())
    }

    pub fn test(&self, place: &Place) -> Test {
        let point = self.profile.at(&place.point);
        let (size, lost) = (number(point.null_tail.hi()), lost(place));
        let power = number(point.delta.lo() + number(&place.u * point.null_tail.lo()));
        // Beyond all losses it is nothing at all.
        let above = if size == 0 { size } else { size + &lost };
        (above, power - lost)
    }

    /// Tests that are all there are of few outcomes, and those next to the ends of others.
    pub fn first_tests(&self) -> Vec<Place> {
        match &self.losses {
            Losses::Few(all) => {
                let (Some(first), Some(last)) = (all.first(), all.last()) else {
                    return Place::near(&number(0)).into_iter().collect();
                };
                let pairs = all.iter().zip(all.iter().skip(1));
                let between = pairs.map(|(a, b)| number(&a.log + &b.log) / 2u32);
                let ends = [number(&first.log - 1u32), number(&last.log + 1u32)];
                let places = between.chain(ends);
                places.filter_map(|epsilon| Place::near(&epsilon)).collect()
            }
            Losses::Many(_, ends) => {
                let near = number(10).pow(1 - DIGITS.cast_signed());
                let around = |end: &Place| [number(&end.log - &near), number(&end.log + &near)];
                let places = ends.iter().flat_map(around);
                places.filter_map(|epsilon| Place::near(&epsilon)).collect()
            }
        }
    }

    /// A test of about this size, and no larger, where there is one between any two.
    pub fn test_of_size(&self, size: &Float) -> Option<Place> {
        let Losses::Many(model, _) = &self.losses else {
            return None;
        };
        let goal = size.to_f64();
        let about = threshold(|epsilon| model.at(epsilon).1 <= goal);
        let excess = |epsilon: &Float| {
            let point = self.profile.at(&Place::near(epsilon)?.point);
            let tail = point.null_tail.middle();
            (tail > 0).then(|| number(tail.ln() - number(size.ln_ref())))
        };
        let epsilon = root(number(about), excess)?;
        Place::near(&(epsilon + number(10).pow(4 - DIGITS.cast_signed())))
    }
}

/// δ of few outcomes is a chord between two losses, and constant beyond the last.
fn between(corners: &[Corner], u: f64) -> f64 {
    let next = corners.partition_point(|(corner, _)| *corner <= u);
    let last = next.checked_sub(1).and_then(|last| corners.get(last));
    match (last, corners.get(next)) {
        (Some((from, high)), Some((to, low))) => low + (high - low) * ((to - u) / (to - from)),
        (Some((_, delta)), None) | (None, Some((_, delta))) => *delta,
        (None, None) => 0.0,
    }
}

/// Where a function is 0 near a place, by secants; as near as the time allows.
pub(super) fn root(near: Float, value: impl Fn(&Float) -> Option<Float>) -> Option<Float> {
    let (mut last, mut place) = (number(&near - 1e-7), near);
    let (mut before, mut now) = (value(&last)?, value(&place)?);
    for _ in 0..12 {
        if now == before || now.clone().abs() < 1e-60 || is_late() {
            break;
        }
        let slope = number(&now - &before) / number(&place - &last);
        let next = number(&place - number(&now / slope));
        (last, before) = (place, now);
        now = value(&next)?;
        place = next;
    }
    Some(place)
}

/// What rounding in the checker's units may cost.
fn lost(place: &Place) -> Float {
    number(&place.u + 1u32) >> LOST
}

pub(super) fn written_down(x: &Float) -> Rational {
    written(x, Ordering::Less)
}

pub(super) fn written_up(x: &Float) -> Rational {
    written(x, Ordering::Greater)
}

/// In the checker's units.
fn written(x: &Float, to: Ordering) -> Rational {
    let units = number(x << UNITS);
    let units = match to {
        Ordering::Less => units.floor(),
        Ordering::Equal | Ordering::Greater => units.ceil(),
    };
    Rational::from((
        units.to_integer().unwrap_or_default(),
        Integer::from(1) << UNITS,
    ))
}

/// The number of few digits next to this one.
pub(super) fn rounded(x: &Float) -> Option<Rational> {
    let ten = Integer::from(10).pow(DIGITS);
    let (nearest, _) = number(x * &ten).to_integer_round(rug::float::Round::Nearest)?;
    Some(Rational::from((nearest, ten)))
}

/// How a bound is written in `sources`: in units of 2^-120.
pub(super) fn bound(delta: &Rational) -> String {
    Rational::from(delta << 120u32).to_string()
}

#[cfg(test)]
#[path = "closed_tests.rs"]
mod tests;
