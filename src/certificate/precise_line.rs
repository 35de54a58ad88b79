//! f(α) against a number next to equality, where f64 does not tell, in many digits.

use std::collections::BTreeSet;

use rug::Rational;
use serde_json::{Value, json};

use super::closed::{Closed, Order, Place, Test, bound, number, written_down, written_up};
use super::precise::{crossing, hull, on};
use super::prove::{Accept, MARGIN, Prover, peak};
use crate::float::elementary::exp;
use crate::float::nearest;
use crate::mechanism::Direction;

/// 2^-270 is nothing beside what is looked for, and more than the checker rounds by.
const ROOM: u32 = 270;

impl Prover<'_> {
    /// f(α) ≥ β by a line 1 − δ(u) − u·α, or f(α) < β by a test.
    pub(super) fn precise_line(&self, alpha: &Rational, beta: &Rational, accept: Accept<'_>) {
        for directions in self.directions() {
            let Some(closed) = Closed::new(self.steps, &directions, self.budget) else {
                return;
            };
            let proof = match self.verified {
                true => above(&closed, alpha, beta),
                false => below(&closed, alpha, beta),
            };
            if proof.is_some_and(&mut *accept) {
                return;
            }
        }
    }

    /// Where no loss is below ε, the line u·(1 − α).
    pub(super) fn line_of_all(&self, alpha: &Rational, beta: &Rational) -> Option<Value> {
        let directions = self.directions().into_iter().next()?;
        let least = |d: &Direction| self.largest_loss(d.reversed());
        let least = directions.iter().map(least).collect::<Option<Vec<_>>>()?;
        let place = Place::near(&number(-least.into_iter().fold(0.0, f64::max) - 1e-9))?;
        let rest = Rational::from(1 - alpha);
        let is_enough = number(&place.u * number(rest)) * number(1.0 - MARGIN) > number(beta);
        // With room for what the checker rounds.
        let delta = written_up(&number(number(number(1) - &place.u) + (number(1) >> ROOM)));
        let source = |d: &Direction| json!({"bounds": [bound(&delta)], "direction": d.as_str(), "epsilons": [place.text]});
        let sources: Vec<Value> = directions.iter().map(source).collect();
        is_enough.then(|| json!({"kind": "profile", "sources": sources}))
    }
}

/// The places where a line of size α may be the highest.
pub(super) fn places_of_lines(closed: &Closed, alpha: &Rational) -> Vec<Place> {
    let near = nearest(alpha);
    let height = |epsilon: f64| {
        let deltas = closed.orders.iter().map(|order| order.delta(epsilon));
        1.0 - deltas.fold(0.0, f64::max) - exp(epsilon) * near
    };
    let ranges = closed.orders.iter().map(Order::range);
    let far = ranges.fold(1.0f64, |far, (low, high)| far.max(high).max(-low));
    let guess = peak(far.min(600.0), height).map(number);
    let crossing = guess.as_ref().and_then(|near| crossing(closed, near));
    let size = number(alpha);
    let sizes = closed.orders.iter();
    let tests = sizes.filter_map(|order| order.test_of_size(&size));
    let guesses = guess.iter().chain(&crossing).filter_map(Place::near);
    let zero = Place::near(&number(0));
    closed
        .places()
        .chain(guesses)
        .chain(tests)
        .chain(zero)
        .collect()
}

fn above(closed: &Closed, alpha: &Rational, beta: &Rational) -> Option<Value> {
    let size = number(alpha);
    let tried = places_of_lines(closed, alpha).into_iter().map(|place| {
        let bounds = closed.above(&place);
        let most = bounds.iter().max().cloned().unwrap_or_default();
        let allowed = Rational::from(1 - beta);
        let room = number(Rational::from(&allowed - &most)) - number(&place.u * &size);
        (room, place, bounds)
    });
    let (room, place, bounds) = tried.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let sources = closed.orders.iter().zip(&bounds).map(|(order, delta)| {
        json!({"bounds": [bound(delta)], "direction": order.direction.as_str(), "epsilons": [place.text]})
    });
    (room >= 0).then(|| json!({"kind": "profile", "sources": sources.collect::<Vec<_>>()}))
}

fn below(closed: &Closed, alpha: &Rational, beta: &Rational) -> Option<Value> {
    let order = closed.orders.first()?;
    let size = number(alpha);
    let (texts, corners) = tests(closed, order, order.test_of_size(&size));
    let needed = Rational::from(1 - beta);
    let power = on(&corners, &size);
    let stated = written_down(&(number(power + number(&needed)) / 2u32));
    let source = json!({"bounds": [bound(&stated)], "direction": order.direction.as_str(), "epsilons": texts});
    (stated > needed).then(|| json!({"kind": "profile", "sources": [source]}))
}

/// The names of the first tests of an order, that of advantage and one more, and the corners of the curve above them.
pub(super) fn tests(
    closed: &Closed,
    order: &Order,
    more: Option<Place>,
) -> (BTreeSet<String>, Vec<Test>) {
    let zero = Place::near(&number(0));
    let places = order.first_tests().into_iter().chain(zero).chain(more);
    let (texts, tests): (BTreeSet<String>, Vec<Test>) = places
        .map(|place| (place.text.clone(), order.test(&place)))
        .unzip();
    (texts, hull(tests.iter(), closed.stated(order)))
}
