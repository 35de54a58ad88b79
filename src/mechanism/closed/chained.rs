//! A record that is replaced, where all that is used is what it takes to remove one and to add one.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rug::{Float, Rational};

use super::Closed;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Fineness, Interval, Pick, Point, Profile, is_late};
use crate::mechanism::Epsilon;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::points;
use crate::mechanism::steps::Steps;

/// A pair above the ends of a chain: from one record to none, and from none to another.
///
/// It dominates, in either order, wherever a step dominates the pairs with either record and without, whatever else the records are, and several of them in their product,
/// though their answers come in turns (`proofs/README.md`, A7). It is the largest pair through some points above the chain's profile, so that it is finite.
#[derive(Debug, Clone)]
pub struct Chained {
    of: Arc<Of>,
}

struct Of {
    presence: Steps,
    apart: Steps,
    profile: OnceLock<Option<Arc<dyn Profile>>>,
}

impl std::fmt::Debug for Of {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Of")
            .field("presence", &self.presence)
            .field("apart", &self.apart)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Chained {
    fn eq(&self, other: &Self) -> bool {
        self.of.presence == other.of.presence && self.of.apart == other.of.apart
    }
}

impl Eq for Chained {}

impl Hash for Chained {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.of.presence.hash(state);
        self.of.apart.hash(state);
    }
}

/// Points from 0 to where δ is next to nothing.
const POINTS: u32 = 600;
/// Next to nothing: 2^−this.
const DEPTH: u32 = 100;
/// Working precision.
const BITS: u32 = 152;
/// How finely a profile is asked for that is known between others only.
const FINENESS: Fineness = Fineness {
    cells: 512,
    depth: 120,
};

impl Chained {
    /// Requires: `presence` is one step that is one pair, without a record and with one; `apart` dominates what it makes of two records that are told apart.
    pub fn new(presence: Steps, apart: Steps) -> Self {
        let of = Of {
            presence,
            apart,
            profile: OnceLock::new(),
        };
        Self { of: Arc::new(of) }
    }

    fn made(&self) -> Option<Arc<dyn Profile>> {
        let there = self.of.presence.single()?.profile()?;
        let there = match there.between(FINENESS, &Budget::of_evaluations()).ok()? {
            Some(between) => between.upper,
            None => there,
        };
        let law = points::law(&Chain::new(there).points(BITS))?;
        Some(Arc::new(FiniteProfile::new(Arc::new(law))))
    }
}

/// P without the record and Q with it, or what is above both orders of the two.
struct Chain {
    /// The profile of (P, Q).
    there: Arc<dyn Profile>,
    /// And of (Q, P).
    back: Arc<dyn Profile>,
}

/// Halvings of the stretch where F is looked for, and doublings before. The error of the least F is about the square of what is left.
const HALVINGS: u32 = 10;
const DOUBLINGS: u32 = 14;

impl Chain {
    fn new(there: Arc<dyn Profile>) -> Self {
        Self {
            back: there.swapped(),
            there,
        }
    }

    /// δ(u) ≤ F(s) = there(s) + s·back(u/s) for every s > 0 (`proofs/README.md`, A7), rounded up, at a good s.
    ///
    /// F is convex, and falls or rises as its slope back(w) + w·s_back(w) − s_there(s) does, w = u/s: a hint.
    fn delta_up(&self, point: &Point) -> Float {
        let bits = point.bits();
        let mut least = Float::with_val(bits, 1);
        let mut falls = |log: &Float| {
            let s = Point::at_log(Interval::point(log.clone()));
            let w = Point::at_log(point.log().sub(s.log()));
            let (there, back) = (self.there.at(&s), self.back.at(&w));
            let bound = bound_up(&there.delta, s.exp(), &back.delta, bits);
            least = bound.smaller(&least);
            let with_record = back.delta.add(&w.exp().mul(&back.null_tail));
            with_record.sub(&there.null_tail).middle() < 0
        };
        let middle = point.log().middle() / 2u32;
        let mut away = |side: i32, is_enough: bool| {
            let mut log = middle.clone();
            for doublings in 0..DOUBLINGS {
                let step = Float::with_val(bits, side) << doublings >> 2u32;
                log = Float::with_val(bits, &middle + step);
                if falls(&log) == is_enough {
                    break;
                }
            }
            log
        };
        let (mut left, mut right) = (away(-1, true), away(1, false));
        for _ in 0..HALVINGS {
            let log = Float::with_val(bits, &left + &right) / 2u32;
            if falls(&log) {
                left = log;
            } else {
                right = log;
            }
        }
        least
    }

    /// Points on or above the chain's profile, ε ≥ 0, at exact e^ε ≥ 1.
    fn points(&self, bits: u32) -> Vec<(Epsilon, Rational)> {
        let point = |log: &Float| {
            let u = d::exp_up(log, 40).to_rational()?.max(Rational::from(1));
            let delta = self.delta_up(&Point::at_exp_epsilon(&u, bits));
            let delta = d::float_up(&delta, 64).to_rational()?;
            Some((Epsilon::log_of(u).ok()?, delta))
        };
        let nothing = Rational::from(1) >> DEPTH;
        let mut far = Float::with_val(64, 1) >> 12u32;
        for _ in 0..21 {
            if point(&far).is_some_and(|(_, delta)| delta <= nothing) {
                break;
            }
            far *= 2u32;
        }
        let places = (0..=POINTS).map(|place| Float::with_val(64, &far * place) / POINTS);
        places.filter_map(|log| point(&log)).collect()
    }
}

/// there + s·back, rounded up.
fn bound_up(there: &Interval, s: &Interval, back: &Interval, bits: u32) -> Float {
    let far = d::mul_up(s.hi(), back.hi(), bits);
    d::add_up(there.hi(), &far, bits)
}

impl Closed for Chained {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        if let Some(known) = self.of.profile.get() {
            return known.clone();
        }
        let made = self.made();
        match is_late() {
            true => made,
            false => self.of.profile.get_or_init(|| made).clone(),
        }
    }

    fn limits(&self) -> &'static str {
        "replaced records are built where those that are there or not are"
    }

    fn dominated_by(&self) -> Option<Steps> {
        Some(self.of.apart.clone())
    }
}

#[cfg(test)]
#[path = "chained_tests.rs"]
mod tests;
