//! One step on a batch of fixed size, where a record is replaced by a special one that contributes nothing.

use std::sync::Arc;

use rug::Rational;

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::evaluate::refined;
use crate::mechanism::gaussian::survival;

/// The largest δ(u) of (1 − q)·N(y) + q·N(0) against (1 − q)·N(y) + q·N(x), all of norm at most 1, and noise of variance 1/μ².
///
/// A test of power Φ(z) at x has power at least Φ(z − μ|x − y|) at y and at least Φ(z − μ|x|) at 0. So, with |x − y| ≤ 2,
///
/// * for u ≥ 1: δ(u) ≤ max over z of qΦ(z) − (u − 1)(1 − q)Φ(z − 2μ) − uqΦ(z − μ), attained with y = −x;
/// * for u < 1, where the roles change, δ(u) ≤ 1 − u + u·max over z of qΦ(z) − (v − 1)(1 − q)Φ(z − μ) − vqΦ(z − μ) at v = 1/u, as a test of
///   power Φ(z) at 0 has power at least Φ(z − μ) both at y and at x, attained with y = x (`proofs/README.md`, W2).
///
/// The place z is where the derivative in z is 0: K·e^{dμz − d²μ²/2} + u·e^{μz − μ²/2} = 1 with K = (u − 1)(1 − q)/q and the distance d of y, 2 or 1.
pub(super) struct ReplacedBySpecial {
    rate: Rational,
    square: Rational,
    is_swapped: bool,
}

/// The distance of the others from the record whose law is the larger one.
#[derive(Clone, Copy)]
enum Others {
    Near,
    Far,
}

impl ReplacedBySpecial {
    /// Requires: 0 < `rate` < 1, `square` = μ² > 0.
    pub fn new(rate: Rational, square: Rational) -> Self {
        Self {
            rate,
            square,
            is_swapped: false,
        }
    }

    /// The largest value of the difference at u ≥ 1, with what the two tails contribute: (the value, Φ(z − μd)(1 − q) and the rest of
    /// the null's tail, qΦ(z)).
    ///
    /// Requires: all of the point has u ≥ 1; else the part below 1 is not described.
    fn hinge(&self, point: &Point, others: Others) -> Hinge {
        let bits = point.bits();
        let number = |x: &Rational| Interval::from_rational(x, bits);
        let (q, rest) = (number(&self.rate), number(&Rational::from(1 - &self.rate)));
        let (square, mu) = (number(&self.square), number(&self.square).sqrt());
        let half = number(&Rational::from(&self.square / 2u32));
        let above_one = point.log().exp_m1().at_least_zero();
        let u = point.exp().clone();
        let k = above_one.mul(&rest).div(&q);
        // y = e^{μz − μ²/2}.
        let log_y = match others {
            Others::Near => k.add(&u).ln().neg(),
            Others::Far => {
                // K·e^{−μ²}·y² + u·y = 1.
                let four = Interval::from_i64(4, bits);
                let root = u
                    .square()
                    .add(&four.mul(&k).mul(&square.neg().exp()))
                    .sqrt();
                let two = Interval::from_i64(2, bits);
                two.div(&u.add(&root)).ln()
            }
        };
        let z = log_y.add(&half).div(&mu);
        let distance = match others {
            Others::Near => mu.clone(),
            Others::Far => mu.add(&mu),
        };
        let accuracy = point.accuracy();
        let below = |x: &Interval| survival(&x.neg(), accuracy);
        let at_record = q.mul(&below(&z));
        let at_others = rest.mul(&below(&z.sub(&distance)));
        let at_null = q.mul(&below(&z.sub(&mu)));
        let value = at_record
            .sub(&above_one.mul(&at_others))
            .sub(&u.mul(&at_null))
            .in_unit();
        Hinge {
            value,
            at_record,
            at_others,
            at_null,
        }
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let (above, below) = if self.is_swapped {
            (Others::Near, Others::Far)
        } else {
            (Others::Far, Others::Near)
        };
        let upper = |point: &Point| {
            let hinge = self.hinge(point, above);
            ProfilePoint {
                delta: hinge.value,
                null_tail: hinge.at_others.add(&hinge.at_null).in_unit(),
            }
        };
        let lower = |point: &Point| {
            let hinge = self.hinge(&point.mirrored(), below);
            let u = point.exp();
            ProfilePoint {
                delta: u.one_minus().add(&u.mul(&hinge.value)).in_unit(),
                null_tail: hinge.at_record.add(&hinge.at_others).one_minus().in_unit(),
            }
        };
        if *point.log().lo() >= 0 {
            upper(point)
        } else if *point.log().hi() <= 0 {
            lower(point)
        } else {
            // δ falls and is convex: its values and slopes lie between those at the ends.
            let [left, right] = [point.log().lo(), point.log().hi()]
                .map(|end| Point::at_log(Interval::point(rug::Float::with_val(bits, end))));
            let (a, b) = (lower(&left), upper(&right));
            ProfilePoint {
                delta: a.delta.hull(&b.delta),
                null_tail: a.null_tail.hull(&b.null_tail),
            }
        }
    }
}

struct Hinge {
    value: Interval,
    /// qΦ(z).
    at_record: Interval,
    /// (1 − q)Φ(z − μd).
    at_others: Interval,
    /// qΦ(z − μ).
    at_null: Interval,
}

impl Profile for ReplacedBySpecial {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |sharp| self.knot(sharp))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            rate: self.rate.clone(),
            square: self.square.clone(),
            is_swapped: !self.is_swapped,
        })
    }

    /// The factor of Φ(z) outlives all others far down, in both orders.
    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Place, places_hold, profile_holds, spans_hold, surrounds};

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// In both orders: places known by intervals, few bits, and the tail as a slope on either side of 1.
    #[test]
    fn both_orders_at_intervals_and_few_bits() {
        let pair = ReplacedBySpecial::new(q(1, 4), q(1, 1));
        let places = [-6, -3, -1, 0, 1, 2, 4, 9].map(|n| q(n, 5));
        for profile in [pair.swapped().swapped(), pair.swapped()] {
            assert_eq!(spans_hold(&*profile, &places, 60), Ok(()));
            for bits in [5, 8, 12] {
                for place in [q(-2, 3), q(1, 7), q(3, 2)] {
                    let near = Place::NearEpsilon(place.clone());
                    assert_eq!(profile_holds(&*profile, &near, bits, true), Ok(()));
                    let exact = Place::Epsilon(place);
                    assert_eq!(profile_holds(&*profile, &exact, bits, true), Ok(()));
                }
            }
            for x in &places {
                let at = Point::at_epsilon(x, 120);
                let knot = profile.at(&at);
                for y in &places {
                    let other = Point::at_epsilon(y, 120);
                    let line = knot
                        .delta
                        .sub(&knot.null_tail.mul(&other.exp().sub(at.exp())));
                    let gap = profile.at(&other).delta.sub(&line);
                    assert!(*gap.hi() >= -1e-25, "{x} {y}: {gap:?}");
                }
            }
        }
    }

    /// Places known by intervals on either side of 1, from 1 on, up to 1 and across it, without what is refined from them.
    #[test]
    fn wide_places() {
        let pair = ReplacedBySpecial::new(q(1, 4), q(1, 1));
        let other = ReplacedBySpecial {
            is_swapped: true,
            ..ReplacedBySpecial::new(q(1, 3), q(1, 2))
        };
        let ends = [-6, -2, 0, 1, 5].map(|n| q(n, 8));
        for profile in [pair, other] {
            for (index, from) in ends.iter().enumerate() {
                for to in ends.iter().skip(index) {
                    let end = |x: &Rational| rug::Float::with_val(60, x);
                    let span = Interval::spanning(end(from), end(to));
                    let wide = profile.knot(&Point::at_log(span));
                    for part in 0..=4 {
                        let x = Rational::from(to - from) * q(part, 4) + from;
                        let fine = profile.at(&Point::at_epsilon(&x, 120));
                        assert!(surrounds(&wide.delta, &fine.delta), "{from} {to} {x}");
                        // At 1 the slope may be that of either side.
                        assert!(
                            x == 0 || surrounds(&wide.null_tail, &fine.null_tail),
                            "{from} {to} {x}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn random_places_at_few_bits() {
        let pair = ReplacedBySpecial::new(q(1, 4), q(1, 1));
        assert_eq!(places_hold(&*pair.swapped(), 1, 2_600, true), Ok(()));
        assert_eq!(
            places_hold(&*pair.swapped().swapped(), 2, 2_600, true),
            Ok(())
        );
    }
}
