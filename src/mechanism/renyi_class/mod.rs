//! The class of all mechanisms with given Rényi guarantees: ρ-zCDP, or ε(t) at some orders t.
//!
//! A guarantee is one about both orders of the pair: D_t(Q‖P) ≤ ε(t) and D_t(P‖Q) ≤ ε(t); ρ-zCDP is ε(t) = ρt at every
//! order t > 1. No single pair stands for the class, but its curve does:
//! f(α) = min{β : the Bernoulli pair (1 − β against α) is in the class}, and every point of f belongs to a mechanism of the
//! class (`proofs/README.md`, Rényi classes). In u = e^ε ≥ 1 the profile is
//!
//! δ(u) = max{q − u·p : D_t(Bern(q)‖Bern(p)) ≤ ε(t) for all t, p + q ≤ 1},
//!
//! a convex problem in two variables. The search for its solution is sloppy; the lower bound is a pair that is proved to
//! be in the class, and the upper bound a mixture of two supporting lines of convex sets that contain the class.
//!
//! | file | job |
//! |---|---|
//! | `order` | one guarantee at one order: its value, slope, and where it binds |
//! | `guarantee` | all the guarantees, and which a pair violates most |
//! | `search` | the best pair for a few guarantees |
//! | `exchange` | the best pair for all of them |
//! | `lines` | proof that δ is at most something |
//! | `member` | proof that a pair is in the class |

mod exchange;
mod guarantee;
mod lines;
mod member;
mod order;
mod search;
#[cfg(test)]
mod spans_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rug::{Float, Rational};

use exchange::{Found, find};
use guarantee::Guarantee;

use super::evaluate::{Cache, refined_once, refined_sparingly};
use super::gaussian::Gaussian;
use crate::kernel::{Accuracy, Interval, LossBound, Pick, Point, Profile, ProfilePoint, is_late};

/// δ below about 2^−2^this, and ε beyond that, are not searched for.
const LARGEST_LOG: u32 = 24;
/// Working precision never exceeds this,
const MOST_BITS: u32 = 1 << 12;
/// and where more than this is lost to cancellation (ρ below about 1e-92) nothing is searched for: δ is next to that of equal P and Q.
const MOST_LOST: u32 = 640;

/// The curve of the class. The class is closed under swapping the pair, so the curve is symmetric.
///
/// `ProfilePoint::null_tail` is the p of the pair that shows the lower end of `delta`, so the line through that end with the
/// slope −p lies below δ everywhere.
#[derive(Debug, Clone)]
pub struct RenyiClass {
    guarantee: Arc<Guarantee>,
    /// Points that were asked for: searches come back to some, and each is dear.
    known: Arc<Cache<(u32, Point), ProfilePoint>>,
}

impl RenyiClass {
    /// All ρ-zCDP mechanisms (Bun and Steinke 2016, Definition 1.1).
    ///
    /// Requires: `rho ≥ 0`.
    pub fn zcdp(rho: &Rational) -> Self {
        Self::of(Guarantee::zcdp(rho))
    }

    /// All mechanisms with D_t ≤ ε at every pair (t, ε) (Mironov 2017, Definition 4). `None` for an empty list.
    ///
    /// Requires: `t > 1`, `ε ≥ 0`. Several entries of one order all hold.
    pub fn rdp(orders: &[(Rational, Rational)]) -> Option<Self> {
        Some(Self::of(Guarantee::rdp(orders)?))
    }

    fn of(guarantee: Guarantee) -> Self {
        Self {
            guarantee: Arc::new(guarantee),
            known: Arc::default(),
        }
    }

    /// Must P and Q be equal?
    fn is_perfect(&self) -> bool {
        self.guarantee.is_perfect()
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let (zero, log) = (Interval::zero(point.bits()), point.log());
        if log.lo() >= zero.lo() {
            self.beyond_zero(point).knot
        } else if log.hi() <= zero.hi() {
            mirrored(self.beyond_zero(&point.mirrored()), point)
        } else {
            self.around_zero(point)
        }
    }

    /// δ and a pair that shows its lower bound, at ε ≥ 0.
    fn beyond_zero(&self, point: &Point) -> Bounded {
        let lost = self.guarantee.bits_lost();
        let bits = point.bits().max(64).saturating_add(lost).min(MOST_BITS);
        let far = Float::with_val(64, 1) << LARGEST_LOG;
        let far_up = self.far_up(point);
        let is_tiny = far_up
            .get_exp()
            .is_none_or(|exponent| exponent < -(1i32 << LARGEST_LOG));
        if lost > MOST_LOST || *point.log().hi() > far || is_tiny {
            return Bounded::trivial(point, &far_up.smaller(&self.distance_up(point.bits())));
        }
        let (log, exp) = (point.log().at_bits(bits), point.exp().at_bits(bits));
        let Some(Found {
            lines,
            member,
            excess,
        }) = find(&self.guarantee, &exp.middle(), &log.middle(), bits)
        else {
            return Bounded::trivial(point, &far_up);
        };
        let upper = lines::delta_up(&lines, &exp, bits)
            .filter(|_| self.guarantee.has_all_it_needs())
            .unwrap_or_else(|| Float::with_val(bits, 1));
        let upper = upper.smaller(&far_up);
        let Some(pair) = member::certified(&self.guarantee, &member, &excess, bits) else {
            return Bounded::trivial(point, &upper);
        };
        // q − u·p = (q − p) − (u − 1)·p.
        let cost = exp
            .sub(&Interval::one(bits))
            .mul(&Interval::point(pair.p.clone()));
        let lower = Interval::point(pair.d.clone()).sub(&cost).at_least_zero();
        if *lower.lo() == 0 {
            return Bounded::trivial(point, &upper);
        }
        let rest = Interval::one(bits)
            .sub(&Interval::point(pair.p.clone()))
            .sub(&Interval::point(pair.d.clone()));
        Bounded {
            knot: ProfilePoint {
                delta: Interval::between_or_line(lower.lo().clone(), upper).in_unit(),
                null_tail: Interval::point(pair.p),
            },
            rest: rest.in_unit(),
        }
    }

    /// δ ≤ q, u·p ≤ q and q^t·p^{1−t} ≤ e^{(t−1)ε(t)} give δ ≤ e^{(t−1)(ε(t) − ε)}; at the order where that is least, roughly.
    fn far_up(&self, point: &Point) -> Float {
        let bits = point.bits();
        let order = self.guarantee.steepest_stated(point.log());
        let gap = Interval::from_rational(&order.epsilon, bits).sub(point.log());
        let power = Interval::from_rational(&Rational::from(&order.order - 1u32), bits);
        power.mul(&gap).exp().in_unit().hi().clone()
    }

    /// δ(u) ≤ δ(1) for u ≥ 1, the total variation, which is at most √(D_1/2) (Pinsker), and D_1 ≤ D_t ≤ ε(t) for every order t > 1; ρ-zCDP is
    /// ε(t) = ρt at orders as near to 1 as one likes.
    ///
    /// Ensures: an upper bound of δ at every ε ≥ 0.
    fn distance_up(&self, bits: u32) -> Float {
        let Some(least) = self.guarantee.least() else {
            return Float::with_val(bits, 1);
        };
        let half = Interval::from_rational(&Rational::from(least / 2u32), bits);
        half.sqrt().in_unit().hi().clone()
    }

    /// Near u = 1 without knowing the side: |δ(u) − δ(1)| ≤ |u − 1|.
    fn around_zero(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let centre = self.beyond_zero(&Point::at_epsilon(&Rational::new(), bits));
        let away = point.exp().sub(&Interval::one(bits));
        let away = away.hull(&away.neg());
        ProfilePoint {
            delta: centre.knot.delta.add(&away).in_unit(),
            null_tail: Interval::zero(bits).hull(&Interval::one(bits)),
        }
    }
}

/// δ at an ε ≥ 0, with 1 − q for the pair whose p is the null's tail.
struct Bounded {
    knot: ProfilePoint,
    rest: Interval,
}

impl Bounded {
    /// Lower bound 0, from the pair (0, 0).
    fn trivial(point: &Point, upper: &Float) -> Self {
        let bits = point.bits();
        Self {
            knot: ProfilePoint {
                delta: Interval::between_or_line(Float::new(bits), upper.clone()).in_unit(),
                null_tail: Interval::zero(bits),
            },
            rest: Interval::one(bits),
        }
    }
}

/// The knot at −ε: δ(u) = 1 − u + u·δ(1/u), from the pair (1 − q, 1 − p).
fn mirrored(bounded: Bounded, point: &Point) -> ProfilePoint {
    let swapped = point.exp().mul(&bounded.knot.delta);
    ProfilePoint {
        delta: point.exp().one_minus().add(&swapped).in_unit(),
        null_tail: bounded.rest,
    }
}

impl Profile for RenyiClass {
    fn at(&self, point: &Point) -> ProfilePoint {
        if self.is_perfect() {
            return Gaussian::from_square(Rational::new()).at(point);
        }
        let point = point.clone().with_accuracy(Accuracy::Relative);
        let key = (point.bits(), point.clone());
        if let Some(known) = self.known.known(&key) {
            return ProfilePoint::clone(&known);
        }
        let found = match self.guarantee.is_cut() {
            true => refined_once(&point, |sharp| self.knot(sharp)),
            false => refined_sparingly(&point, |sharp| self.knot(sharp)),
        };
        // What a search found when the time was over is no more than there was time for.
        if !is_late() {
            self.known.keep(&key, found.clone());
        }
        found
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    /// Some mechanism of the class has any loss, with a small probability.
    fn max_loss(&self, bits: u32) -> LossBound {
        if self.is_perfect() {
            return LossBound::Finite {
                value: Interval::zero(bits),
                exact: Some(Rational::new()),
            };
        }
        LossBound::Unbounded
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.max_loss(bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        self.is_perfect()
            .then(|| Gaussian::from_square(Rational::new()).exact_delta(point))?
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
