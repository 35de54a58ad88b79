//! The largest gain of one step at each ratio r ≥ 1, bounded from above along a lattice of ratios.
//!
//! With distances a and b in units of the noise, a test of power Φ(z) at x has power at least Φ(z − a) at y and Φ(z − b) at x', so that
//! H_r(Q‖P) ≤ h_r(a, b) = max over z of qΦ(z) − (r − 1)(1 − q)Φ(z − a) − rqΦ(z − b). The derivative in z is 0 where
//! κ·e^{az − a²/2} + r·e^{bz − b²/2} = 1, κ = (r − 1)(1 − q)/q: each z ≤ b/2 is the place for exactly one r ≥ 1. h is convex in r, and falls.

use rug::{Float, Rational};

use crate::kernel::{Interval, normal};

pub(super) const BITS: u32 = 160;

/// Places per unit.
const DENSITY: u32 = 32;
/// Places end here, where a normal tail is below 2^-125.
const FARTHEST: i32 = -13;

/// Sides of a triangle in units of the noise.
#[derive(Debug, Clone)]
pub(super) struct Sides {
    pub a: Interval,
    pub b: Interval,
}

/// The rate, q and 1 − q, and (1 − q)/q.
#[derive(Debug, Clone)]
pub(super) struct Rate {
    pub taken: Interval,
    pub left: Interval,
    pub odds: Interval,
}

impl Rate {
    pub fn new(rate: &Rational) -> Self {
        let left = Rational::from(1 - rate);
        let odds = Rational::from(&left / rate);
        Self {
            taken: Interval::from_rational(rate, BITS),
            left: Interval::from_rational(&left, BITS),
            odds: Interval::from_rational(&odds, BITS),
        }
    }
}

/// A threshold z and the ratio r(z) for which it is the place of the maximum.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub z: Float,
    pub ratio: Interval,
}

/// e^{xz − x²/2}.
fn tilt(x: &Interval, z: &Interval) -> Interval {
    let half = Interval::from_rational(&Rational::from((1, 2)), BITS);
    x.mul(&z.sub(&x.mul(&half))).exp()
}

/// Places from r = 1 on, with rising ratios.
pub(super) fn places(sides: &Sides, rate: &Rate) -> Vec<Place> {
    let half = Float::with_val(BITS, sides.b.hi() / 2u32);
    let one = Interval::one(BITS);
    let mut all = vec![Place {
        z: half,
        ratio: one.clone(),
    }];
    let start = Float::with_val(BITS, sides.b.lo() / 2u32);
    let mut steps = 0u32;
    loop {
        steps = steps.saturating_add(1);
        let z = Float::with_val(BITS, &start - Float::with_val(BITS, steps) / DENSITY);
        if z < FARTHEST || steps > 4_000 {
            return all;
        }
        let at = Interval::point(z.clone());
        // r = (1 + k·e_a)/(k·e_a + e_b), k = (1 − q)/q.
        let scaled = rate.odds.mul(&tilt(&sides.a, &at));
        let ratio = one.add(&scaled).div(&scaled.add(&tilt(&sides.b, &at)));
        let rises = all
            .last()
            .is_none_or(|last| ratio.hi() > last.ratio.hi() && ratio.lo() >= last.ratio.lo());
        if rises && ratio.hi().is_finite() {
            all.push(Place { z, ratio });
        }
    }
}

/// Points (r, y) with y ≥ h_r(a, b).
pub(super) fn points(sides: &Sides, rate: &Rate) -> Vec<(Float, Float)> {
    let one = Interval::one(BITS);
    let points = places(sides, rate).into_iter().map(|place| {
        let z = Interval::point(place.z);
        let at = |shift: &Interval| normal::cdf_absolute(&z.sub(shift));
        let gain = rate.taken.mul(&normal::cdf_absolute(&z));
        let others = place.ratio.sub(&one).mul(&rate.left).mul(&at(&sides.a));
        let replaced = place.ratio.mul(&rate.taken).mul(&at(&sides.b));
        let value = gain.sub(&others).sub(&replaced).at_least_zero();
        // h falls in r: what is above it at r is above it from there on.
        (place.ratio.hi().clone(), value.hi().clone())
    });
    points.collect()
}

/// Upper bounds, at rising ratios, of a convex and falling function that lies below all of these points, or of the chords between any such points.
///
/// Requires: points with rising places, the first one at 1.
pub(super) fn along_chords(points: &[(Float, Float)], ratios: &[Interval]) -> Vec<Float> {
    let mut values = Vec::with_capacity(ratios.len());
    let mut rest = points;
    let mut chord = Chord::of(rest);
    for ratio in ratios {
        let mut is_next = false;
        while let [_, (next, _), ..] = rest {
            if next > ratio.lo() {
                break;
            }
            rest = rest.get(1..).unwrap_or_default();
            is_next = true;
        }
        if is_next {
            chord = Chord::of(rest);
        }
        values.push(match (&chord, rest.first()) {
            (Some(chord), _) => chord.at(ratio.lo()),
            (None, Some((_, y))) => y.clone(),
            (None, None) => Float::with_val(BITS, 1),
        });
    }
    values
}

/// A line through two points.
struct Chord {
    x: Interval,
    y: Interval,
    slope: Interval,
}

impl Chord {
    /// Of the first two, if there are two.
    fn of(points: &[(Float, Float)]) -> Option<Self> {
        let [(x, y), (next, low), ..] = points else {
            return None;
        };
        let [x, y, next, low] = [x, y, next, low].map(|x| Interval::point(x.clone()));
        let slope = low.sub(&y).div(&next.sub(&x));
        Some(Self { x, y, slope })
    }

    fn at(&self, r: &Float) -> Float {
        let way = Interval::point(r.clone()).sub(&self.x);
        self.y.add(&self.slope.mul(&way)).hi().clone()
    }
}

#[cfg(test)]
#[path = "hinges_tests.rs"]
pub(super) mod tests;
