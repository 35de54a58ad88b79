//! What earlier answers prove about one privacy profile, and what follows from it for a later question.
//!
//! All facts of a store are about the profile δ of one pair under one adjacency (for add-remove the larger of both directions,
//! which is a privacy profile too). With u = e^ε, every such δ
//!
//! * falls with ε, from 1 at u = 0, and is never below 0;
//! * is convex in u, hence continuous on u > 0 (a supremum over events E of lines Q(E) − u·P(E), and a maximum of two such).
//!
//! Both are properties of the true profile, so they hold between facts that were proved on different ways.

use crate::mechanism::Epsilon;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rug::{Float, Rational};

use super::{Method, Quantity};
use crate::bounds::Enclosure;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, Pick};

/// Points and answers kept; the oldest give way.
const MOST: usize = 64;

const BITS: u32 = 192;

/// Facts about one profile.
#[derive(Default)]
pub(super) struct Facts(Mutex<Store>);

#[derive(Default)]
struct Store {
    points: Vec<Fact>,
    answers: Vec<(Quantity, Enclosure)>,
    /// How the last of them was found.
    method: Option<Method>,
}

/// δ at one place lies in `delta`.
#[derive(Clone)]
struct Fact {
    at: Epsilon,
    log: Interval,
    exp: Interval,
    delta: Interval,
}

impl Facts {
    /// Keeps what an answer proves.
    ///
    /// Requires: `enclosure` contains the true value of `quantity` for the profile of this store, or, for a μ, of either order.
    pub(super) fn learn(
        &self,
        quantity: &Quantity,
        enclosure: &Enclosure,
        method: &Method,
    ) -> Result<(), InvariantViolation> {
        let mut store = self.store();
        store.method = Some(method.clone());
        for fact in facts_of(quantity, enclosure)? {
            store
                .points
                .retain(|known| known.at != fact.at || !known.delta_is_wider(&fact));
            push(&mut store.points, fact);
        }
        store.answers.retain(|(known, _)| known != quantity);
        push(&mut store.answers, (quantity.clone(), enclosure.clone()));
        Ok(())
    }

    /// What follows for a quantity, and how the last of the facts was found; `None` where nothing is known.
    ///
    /// Ensures: the true value lies in the enclosure.
    ///
    /// # Errors
    /// If facts contradict each other: an internal error.
    pub(super) fn about(
        &self,
        quantity: &Quantity,
    ) -> Result<Option<(Enclosure, Method)>, InvariantViolation> {
        let store = self.store();
        let Some(method) = store.method.clone() else {
            return Ok(None);
        };
        let same = store.answers.iter().find(|(known, _)| known == quantity);
        let same = same.map(|(_, enclosure)| enclosure.clone());
        let found = match (same, store.implied(quantity)?) {
            (Some(a), Some(b)) => Some(a.intersect(&b)?),
            (a, b) => a.or(b),
        };
        Ok(found.map(|enclosure| (enclosure, method)))
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= MOST {
        list.remove(0);
    }
    list.push(item);
}

/// Points of the profile that an enclosure of a quantity amounts to.
///
/// Ensures: each is true if the value of the quantity lies in the enclosure.
fn facts_of(quantity: &Quantity, found: &Enclosure) -> Result<Vec<Fact>, InvariantViolation> {
    let (low, high) = (found.lower(), found.upper());
    let zero = Epsilon::from(Rational::new());
    let facts = match quantity {
        Quantity::Delta(at) => vec![Fact::new(at.clone(), found.interval())],
        Quantity::Advantage => vec![Fact::new(zero, found.interval())],
        // R(π) = (1 − π)·(1 − δ(u)) at u = π/(1 − π).
        Quantity::BayesError { prior } if *prior > 0 && *prior < 1 => {
            let rest = Rational::from(1 - prior);
            let error = found.interval().at_bits(BITS);
            let delta = error.div(&Interval::from_rational(&rest, BITS)).one_minus();
            let at = Epsilon::log_of(Rational::from(prior / &rest))?;
            vec![Fact::new(at, delta)]
        }
        // The infimum ε* of { ε : δ(ε) ≤ d }: δ falls, so it is ≤ d right of ε*, > d left of it, and d at ε* by continuity. Hence it
        // is at most d at any number ≥ ε*, and at least d at any ≤ ε*.
        Quantity::Epsilon { delta } => {
            let d = Interval::from_rational(delta, BITS);
            let mut facts = Vec::new();
            if let Some(at) = low.to_rational() {
                let above = Interval::new(d.lo().clone(), Float::with_val(BITS, 1).larger(d.hi()))?;
                facts.push(Fact::new(Epsilon::from(at), above));
            }
            if let Some(at) = high.to_rational() {
                let below = Interval::new(Float::new(BITS).smaller(d.lo()), d.hi().clone())?;
                facts.push(Fact::new(Epsilon::from(at), below));
            }
            facts
        }
        Quantity::BayesError { .. }
        | Quantity::TradeOff { .. }
        | Quantity::MinimaxRisk
        | Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::Regret { .. }
        | Quantity::Divergence { .. }
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho
        | Quantity::RegretOfStrictMu => Vec::new(),
    };
    Ok(facts.into_iter().flatten().collect())
}

impl Fact {
    /// `None` where u is not in reach.
    fn new(at: Epsilon, delta: Interval) -> Option<Self> {
        let place = at.place(BITS);
        let (log, exp) = (place.log().clone(), place.exp().clone());
        let is_in_reach = exp.is_positive() && exp.hi().is_finite() && log.hi().is_finite();
        is_in_reach.then(|| Self {
            at,
            log,
            exp,
            delta: delta.at_bits(BITS).in_unit(),
        })
    }

    fn delta_is_wider(&self, other: &Self) -> bool {
        self.delta.lo() <= other.delta.lo() && self.delta.hi() >= other.delta.hi()
    }

    /// Is this place certainly not to the right of the other?
    fn is_not_after(&self, other: &Self) -> bool {
        self.at == other.at || self.exp.hi() <= other.exp.lo()
    }
}

impl Store {
    fn implied(&self, quantity: &Quantity) -> Result<Option<Enclosure>, InvariantViolation> {
        if self.points.is_empty() {
            return Ok(None);
        }
        let number = |x: &Rational| Interval::from_rational(x, BITS);
        let one = Interval::one(BITS);
        let found = match quantity {
            Quantity::Delta(at) => self.delta(at)?,
            Quantity::Advantage => self.delta(&Epsilon::from(Rational::new()))?,
            Quantity::BayesError { prior } if *prior > 0 && *prior < 1 => {
                let rest = Rational::from(1 - prior);
                let delta = self.delta(&Epsilon::log_of(Rational::from(prior / &rest))?)?;
                delta.map(|delta| delta.one_minus().mul(&number(&rest)))
            }
            // δ > d at a place puts the infimum at or right of it, δ ≤ d at or left.
            Quantity::Epsilon { delta } => {
                let (mut low, mut high) = (d::neg_infinity(BITS), d::infinity(BITS));
                for fact in &self.points {
                    if fact.delta.lo() > delta {
                        low = low.larger(fact.log.lo());
                    }
                    if fact.delta.hi() <= delta {
                        high = high.smaller(fact.log.hi());
                    }
                }
                Some(Interval::new(low, high)?)
            }
            // f(α) ≥ 1 − δ(u) − u·α for every u.
            Quantity::TradeOff { alpha } => {
                let lines = self.points.iter().map(|fact| {
                    let line = fact.delta.one_minus().sub(&fact.exp.mul(&number(alpha)));
                    line.lo().clone()
                });
                let low = lines.fold(Float::new(BITS), |low, line| low.larger(&line));
                Some(Interval::new(low, one.hi().clone())?)
            }
            // The fixed point r = f(r) ≥ 1 − δ(u) − u·r for every u. A test with α + β = 1 − δ(0) has both at most that, and r is
            // between its α and β.
            Quantity::MinimaxRisk => {
                let lines = self.points.iter().map(|fact| {
                    let line = fact.delta.one_minus().div(&one.add(&fact.exp));
                    line.lo().clone()
                });
                let low = lines.fold(Float::new(BITS), |low, line| low.larger(&line));
                let advantage = self.delta(&Epsilon::from(Rational::new()))?;
                let high = advantage.map_or(one, |delta| delta.one_minus());
                Some(Interval::new(low, high.hi().clone())?)
            }
            Quantity::BayesError { .. }
            | Quantity::GdpMu(_)
            | Quantity::MaxLoss
            | Quantity::Regret { .. }
            | Quantity::Divergence { .. }
            | Quantity::Renyi { .. }
            | Quantity::ZcdpRho
            | Quantity::RegretOfStrictMu => None,
        };
        Ok(found.map(|found| Enclosure::from_interval(&found)))
    }

    /// Encloses δ at a place; `None` where that is out of reach.
    ///
    /// # Errors
    /// If facts contradict each other.
    fn delta(&self, at: &Epsilon) -> Result<Option<Interval>, InvariantViolation> {
        let anything = Interval::zero(BITS).hull(&Interval::one(BITS));
        let Some(here) = Fact::new(at.clone(), anything.clone()) else {
            return Ok(None);
        };
        let (mut low, mut high) = (anything.lo().clone(), anything.hi().clone());
        let mut left: Option<&Fact> = None;
        let mut right: Option<&Fact> = None;
        for fact in &self.points {
            if fact.is_not_after(&here) {
                high = high.smaller(fact.delta.hi());
                low = low.larger(&beyond(fact, &here));
                if left.is_none_or(|known| known.is_not_after(fact)) {
                    left = Some(fact);
                }
            }
            if here.is_not_after(fact) {
                low = low.larger(fact.delta.lo());
                if right.is_none_or(|known| fact.is_not_after(known)) {
                    right = Some(fact);
                }
            }
        }
        if let Some(right) = right {
            high = high.smaller(&chord(left, right, &here));
        }
        Ok(Some(Interval::new(low, high)?))
    }
}

/// δ to the right of a fact, at u' ≥ u: the chord from (0, 1) to (u', δ(u')) is not below δ(u), so δ(u') ≥ 1 − (1 − δ(u))·u'/u.
fn beyond(fact: &Fact, here: &Fact) -> Float {
    let least = Interval::point(fact.delta.lo().clone()).one_minus();
    let line = least.mul(&here.exp.div(&fact.exp)).one_minus();
    line.lo().clone()
}

/// δ between two facts (or (0, 1) and a fact) is not above their chord.
fn chord(left: Option<&Fact>, right: &Fact, here: &Fact) -> Float {
    let (from, high) = match left {
        Some(left) => (left.exp.clone(), Interval::point(left.delta.hi().clone())),
        None => (Interval::zero(BITS), Interval::one(BITS)),
    };
    let run = right.exp.sub(&from);
    if !run.is_positive() {
        return Float::with_val(BITS, 1);
    }
    // Where the place lies on the chord: enclosed, and within [0, 1] as the order is certain.
    let share = here.exp.sub(&from).div(&run).in_unit();
    let fall = Interval::point(right.delta.hi().clone()).sub(&high);
    high.add(&share.mul(&fall)).hi().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::finite_pair;
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;

    fn exactly(value: Rational) -> Enclosure {
        Enclosure::exactly(value, 96)
    }

    fn around(value: &Rational, below: u32, above: u32) -> Enclosure {
        let unit = |n: u32| Rational::from((n, 64));
        let low = d::rational_down(&(value - unit(below)), 96);
        let high = d::rational_up(&(value + unit(above)), 96);
        Enclosure::new(low, high).unwrap()
    }

    fn value(curve: &ExactCurve, quantity: &Quantity) -> Rational {
        match quantity {
            Quantity::Delta(at) => curve.delta(&at.exact_exp().unwrap()),
            Quantity::Advantage => curve.advantage(),
            Quantity::BayesError { prior } => curve.bayes_error(prior),
            Quantity::TradeOff { alpha } => curve.tradeoff(alpha),
            Quantity::MinimaxRisk => curve.minimax_risk(),
            other => panic!("{other:?}"),
        }
    }

    fn quantity() -> impl Strategy<Value = Quantity> {
        let part = || (1u32..40, 1u32..40);
        prop_oneof![
            part().prop_map(|(n, m)| Quantity::Delta(
                Epsilon::log_of(Rational::from((n, m))).unwrap()
            )),
            Just(Quantity::Advantage),
            part().prop_map(|(n, m)| Quantity::BayesError {
                prior: Rational::from((n, n + m))
            }),
            part().prop_map(|(n, m)| Quantity::TradeOff {
                alpha: Rational::from((n, n + m))
            }),
            Just(Quantity::MinimaxRisk),
        ]
    }

    proptest! {
        /// Whatever true things were learned, what follows is true.
        #[test]
        fn what_follows_is_true(
            pair in finite_pair(),
            side in 0usize..3,
            learned in prop::collection::vec((quantity(), 0u32..6, 0u32..6), 1..6),
            asked in quantity(),
        ) {
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][side];
            let curve = ExactCurve::new(&pair.p, &pair.q, adjacency);
            let facts = Facts::default();
            for (quantity, below, above) in &learned {
                let found = around(&value(&curve, quantity), *below, *above);
                facts.learn(quantity, &found, &Method::ClosedForm).unwrap();
            }
            let truth = value(&curve, &asked);
            if let Some((found, _)) = facts.about(&asked).unwrap() {
                prop_assert!(*found.lower() <= truth && *found.upper() >= truth, "{found:?} {truth}");
            }
        }
    }

    fn learned(facts: &[(Quantity, Enclosure)]) -> Facts {
        let store = Facts::default();
        for (quantity, found) in facts {
            store.learn(quantity, found, &Method::ClosedForm).unwrap();
        }
        store
    }

    fn delta(u: (u32, u32)) -> Quantity {
        Quantity::Delta(Epsilon::log_of(Rational::from(u)).unwrap())
    }

    #[test]
    fn what_a_point_says_of_its_neighbours() {
        let rational = |n: u32, m: u32| Rational::from((n, m));
        let known = learned(&[
            (delta((2, 1)), exactly(rational(3, 4))),
            (delta((4, 1)), exactly(rational(5, 8))),
        ]);
        let ends = |quantity: &Quantity| {
            let (found, _) = known.about(quantity).unwrap().unwrap();
            (found.lower().to_f64(), found.upper().to_f64())
        };
        // Left: at least as much, and below the chord from (0, 1). Between: below the chord, above the line from (0, 1).
        assert_eq!(ends(&Quantity::Advantage), (0.75, 0.875));
        assert_eq!(ends(&delta((3, 1))), (0.625, 0.6875));
        assert_eq!(ends(&delta((5, 1))), (0.53125, 0.625));
        let (low, high) = ends(&Quantity::Epsilon {
            delta: rational(7, 10),
        });
        assert!((low - 2f64.ln()).abs() < 1e-9 && (high - 4f64.ln()).abs() < 1e-9);
        assert_eq!(ends(&Quantity::MinimaxRisk), (0.125 / 1.5 * 1.0, 0.25));
    }

    #[test]
    fn the_infimum_of_epsilon_is_a_point_on_either_side() {
        let quantity = Quantity::Epsilon {
            delta: Rational::from((1, 4)),
        };
        let known = learned(&[(quantity, around(&Rational::from(1), 2, 3))]);
        let ends = |epsilon: (u32, u32)| {
            let at = Quantity::Delta(Epsilon::from(Rational::from(epsilon)));
            let (found, _) = known.about(&at).unwrap().unwrap();
            (found.lower().to_f64(), found.upper().to_f64())
        };
        assert_eq!(ends((62, 64)), (0.25, 1.0));
        assert!(ends((60, 64)).0 >= 0.25);
        let (low, high) = ends((67, 64));
        assert!(low < 0.25 && high <= 0.25);
    }

    /// A profile that rises is none: then one of the proofs is wrong, and it is said.
    #[test]
    fn a_contradiction_is_an_error() {
        let known = learned(&[
            (delta((2, 1)), exactly(Rational::from((1, 4)))),
            (delta((3, 1)), exactly(Rational::from((1, 2)))),
        ]);
        assert!(known.about(&delta((2, 1))).is_err());
        assert!(known.about(&delta((5, 2))).is_err());
    }

    #[test]
    fn the_store_is_bounded() {
        let facts = Facts::default();
        for n in 1..500u32 {
            let found = exactly(Rational::new());
            facts
                .learn(&delta((n + 1, 1)), &found, &Method::ClosedForm)
                .unwrap();
        }
        assert!(facts.store().points.len() <= MOST && facts.store().answers.len() <= MOST);
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod coarse;
