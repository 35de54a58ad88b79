//! Shuffled answers of two values: the worst of all datasets of up to some thousand users.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rug::{Integer, Rational};

use super::Closed;
use super::selection::mirror::{Mirrored, OwnMirror, mirrored};
use crate::kernel::{Budget, Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::shuffled::{Corners, FRACTION, Test};
use crate::mechanism::steps::Steps;

/// The pair whose profile is the largest of those of all datasets of shuffled randomised response of two values.
#[derive(Clone)]
pub struct ShuffledAnswers(Arc<Kept>);

struct Kept {
    users: u64,
    epsilon: Epsilon,
    /// What one dataset has in several runs.
    member: Steps,
    /// Above all datasets.
    above: Steps,
    corners: OnceLock<Option<Arc<Corners>>>,
    between: OnceLock<Between>,
}

/// Binary digits of e^ε₀.
const ODDS_BITS: u32 = 512;
/// Binary digits of u after the point.
const PLACE_BITS: u32 = 384;

impl ShuffledAnswers {
    /// `member` is a pair of one of the datasets, or one below it; `above` one above them all.
    ///
    /// Requires: `users ≥ 2`, ε > 0. `None` beyond the limits. Nothing is computed before it is asked for.
    pub(in crate::mechanism) fn new(
        users: u64,
        epsilon: Epsilon,
        member: Steps,
        above: Steps,
    ) -> Option<Self> {
        let kept = Kept {
            users,
            epsilon,
            member,
            above,
            corners: OnceLock::new(),
            between: OnceLock::new(),
        };
        Corners::are_in_reach(users, &kept.odds()).then(|| Self(Arc::new(kept)))
    }

    /// `None` beyond the limits that are met on the way, and where the time ends.
    fn corners(&self) -> Option<Arc<Corners>> {
        if let Some(known) = self.0.corners.get() {
            return known.clone();
        }
        // There is another way around.
        let budget = Budget::of_evaluations().most_of_it();
        let made = Corners::of(self.0.users, &self.0.odds(), &budget).ok()?;
        let made = made.map(Arc::new);
        self.0.corners.get_or_init(|| made).clone()
    }

    /// What there is without corners; `None` beyond the limits, and where the time ends.
    fn between(&self) -> Option<&Between> {
        if let Some(known) = self.0.between.get() {
            return Some(known);
        }
        let made = Between {
            member: self.0.member.single()?.profile()?,
            above: self.0.above.single()?.profile()?,
        };
        Some(self.0.between.get_or_init(|| made))
    }
}

impl Kept {
    /// e^ε₀.
    fn odds(&self) -> Interval {
        match self.epsilon.exact_exp() {
            Some(odds) => Interval::from_rational(&odds, ODDS_BITS),
            None => self.epsilon.place(ODDS_BITS).exp().clone(),
        }
    }
}

impl PartialEq for ShuffledAnswers {
    fn eq(&self, other: &Self) -> bool {
        (self.0.users, &self.0.epsilon) == (other.0.users, &other.0.epsilon)
    }
}

impl Eq for ShuffledAnswers {}

impl Hash for ShuffledAnswers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.users, &self.0.epsilon).hash(state);
    }
}

impl fmt::Debug for ShuffledAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epsilon = self.0.epsilon.words();
        write!(f, "ShuffledAnswers({}, {epsilon})", self.0.users)
    }
}

impl Closed for ShuffledAnswers {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        Some(Arc::new(OwnMirror(Answers(self.clone()))))
    }

    fn limits(&self) -> &'static str {
        "shuffled answers of two values are built up to some thousand users"
    }

    fn dominated_by(&self) -> Option<Steps> {
        Some(self.0.above.clone())
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        let runs = Steps::composed([(&self.0.member, times)]);
        runs.ok().into_iter().collect()
    }
}

/// δ(u) for u ≥ 1 is the largest Q(accept) − u·P(accept) of all tests of all datasets; 1 − u + u·δ(1/u) below, as the datasets with both values exchanged
/// have the pairs in the other order.
#[derive(Debug, Clone)]
struct Answers(ShuffledAnswers);

/// A pair below the worst dataset and one above it.
struct Between {
    member: Arc<dyn Profile>,
    above: Arc<dyn Profile>,
}

impl Between {
    /// At all u between two numbers, as δ falls.
    fn at(&self, low: &Rational, high: &Rational, bits: u32) -> ProfilePoint {
        let delta =
            |of: &Arc<dyn Profile>, u: &Rational| of.at(&Point::at_exp_epsilon(u, bits)).delta;
        ProfilePoint {
            delta: delta(&self.member, high)
                .hull(&delta(&self.above, low))
                .in_unit(),
            null_tail: Interval::zero(bits).hull(&Interval::one(bits)),
        }
    }
}

impl Answers {
    /// At all u between two numbers.
    ///
    /// Requires: 1 ≤ `low` ≤ `high`.
    fn beyond_one(&self, low: &Rational, high: &Rational, bits: u32) -> ProfilePoint {
        if let Some(corners) = self.0.corners() {
            return corners_beyond_one(&corners, low, high, bits);
        }
        match self.0.between() {
            Some(both) => both.at(low, high, bits),
            None => anything(bits),
        }
    }
}

/// δ and the tail by the corners, at all u between two numbers.
///
/// Requires: 1 ≤ `low` ≤ `high`.
fn corners_beyond_one(
    corners: &Corners,
    low: &Rational,
    high: &Rational,
    bits: u32,
) -> ProfilePoint {
    let unit = Integer::from(1) << PLACE_BITS;
    let scaled = |u: &Rational| Rational::from(u * &unit);
    let low = scaled(low).floor().into_numer_denom().0;
    let high = scaled(high).ceil().into_numer_denom().0;
    let (tests, error) = (&corners.tests, &corners.error);
    // (1 + u) times the error, for both numbers of a test.
    let slack = Integer::from(&unit + &high) * error;
    let gain = |test: &Test, u: &Integer| {
        Integer::from(&test.with * &unit) - Integer::from(&test.null * u)
    };
    // Slopes fall, so that the gain rises up to the best corner and falls from there on.
    let best_at = |u: &Integer| {
        let (mut left, mut right) = (0usize, tests.len().saturating_sub(1));
        while left < right {
            let middle = left.midpoint(right);
            match tests.get(middle..) {
                Some([here, next, ..]) if gain(next, u) > gain(here, u) => {
                    left = middle.saturating_add(1);
                }
                _ => right = middle,
            }
        }
        left
    };
    let corner = |place: usize| tests.get(place);
    let (first, last) = (best_at(&high), best_at(&low));
    let most = corner(last).map(|test| gain(test, &low));
    let least = corner(first).map(|test| gain(test, &high));
    let (most, least) = (most.unwrap_or_default(), least.unwrap_or_default());
    let scale = Integer::from(1) << FRACTION;
    let value =
        |x: Integer, of: &Integer| Interval::from_rational(&Rational::from((x, of.clone())), bits);
    let full = Integer::from(&scale * &unit);
    let delta = value(least - &slack, &full).hull(&value(most + &slack, &full));
    // A test may be the best one if it is within twice the slack of the best corner; on the edge to the next corner only a part of it is.
    let reach = |from: usize, u: &Integer, back: bool| -> Interval {
        let Some(best) = corner(from).map(|test| gain(test, u)) else {
            return Interval::zero(bits).hull(&Interval::one(bits));
        };
        let twice = Integer::from(&slack * 2u32);
        let mut place = from;
        loop {
            let beside = if back {
                place.checked_sub(1)
            } else {
                place.checked_add(1)
            };
            let here = corner(place).map(|test| &test.null);
            let Some((here, next)) = here.zip(beside.and_then(corner)) else {
                return here.map_or_else(
                    || Interval::zero(bits).hull(&Interval::one(bits)),
                    |null| value(null.clone(), &scale),
                );
            };
            let lost = Integer::from(&best - &gain(next, u));
            if lost > twice {
                let part = Rational::from((twice, lost));
                let run = Rational::from(&next.null - here) * part;
                let null = (run + here) / &scale;
                return Interval::from_rational(&null, bits);
            }
            place = beside.unwrap_or(place);
        }
    };
    let off = value(error.clone(), &scale);
    let tail = reach(first, &high, true)
        .sub(&off)
        .hull(&reach(last, &low, false).add(&off));
    ProfilePoint {
        delta: delta.in_unit(),
        null_tail: tail.in_unit(),
    }
}

fn anything(bits: u32) -> ProfilePoint {
    let all = Interval::zero(bits).hull(&Interval::one(bits));
    ProfilePoint {
        delta: all.clone(),
        null_tail: all,
    }
}

impl Mirrored for Answers {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let u = point.exp();
        let odds = self.0.0.epsilon.place(bits);
        if point.log().lo() >= odds.log().hi() {
            return ProfilePoint {
                delta: Interval::zero(bits),
                null_tail: Interval::zero(bits),
            };
        }
        let (Some(low), Some(high)) = (u.lo().to_rational(), u.hi().to_rational()) else {
            return anything(bits);
        };
        if low <= 0 {
            return anything(bits);
        }
        let one = Rational::from(1);
        let beyond =
            (high >= 1).then(|| self.beyond_one(&low.clone().max(one.clone()), &high, bits));
        let below = (low < 1).then(|| {
            let near = Rational::from(high.clone().min(one.clone()).recip_ref());
            let far = Rational::from(low.recip_ref());
            let there = self.beyond_one(&near, &far, bits);
            let here = Interval::from_rational(&low, bits)
                .hull(&Interval::from_rational(&high.clone().min(one), bits));
            mirrored(&there, &here)
        });
        match (beyond, below) {
            (Some(a), Some(b)) => ProfilePoint {
                delta: a.delta.hull(&b.delta).in_unit(),
                null_tail: a.null_tail.hull(&b.null_tail).in_unit(),
            },
            (Some(one), None) | (None, Some(one)) => ProfilePoint {
                delta: one.delta.in_unit(),
                null_tail: one.null_tail.in_unit(),
            },
            (None, None) => anything(bits),
        }
    }

    fn largest_loss(&self, bits: u32) -> LossBound {
        LossBound::Finite {
            value: self.0.0.epsilon.enclose(bits),
            exact: self.0.0.epsilon.exact(),
        }
    }

    fn largest_odds(&self) -> Option<Rational> {
        self.0.0.epsilon.exact_exp()
    }
}

#[cfg(test)]
#[path = "shuffled_answers_tests.rs"]
mod tests;
