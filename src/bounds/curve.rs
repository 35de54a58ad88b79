//! One profile with its mirror image, and points of its trade-off curve.

use std::sync::Arc;

use rug::{Float, Rational};

use crate::kernel::about;
use crate::kernel::directed as d;
use crate::kernel::{Interval, Point, Profile, ProfilePoint};

/// A profile δ of (P, Q) together with that of (Q, P).
///
/// The swapped profile knows small β and 1 − δ near 1 with small relative error, where the profile itself
/// would have to subtract nearly equal numbers: δ_(Q,P)(1/u) = 1 − (1 − δ(u))/u (theory, Conventions).
#[derive(Clone)]
pub(super) struct Curve {
    pub forward: Arc<dyn Profile>,
    pub backward: Arc<dyn Profile>,
}

/// The trade-off curve and its supporting line −u at one u = e^ε.
///
/// Seen from the side on which e^|ε| ≥ 1: for ε < 0 the knot belongs to the swapped pair.
#[derive(Debug, Clone)]
pub(super) struct CurvePoint {
    /// ε, exactly.
    pub epsilon: Float,
    /// Encloses e^|ε|.
    pub odds: Interval,
    /// δ and null tail of (P, Q) at ε ≥ 0, of (Q, P) at −ε for ε < 0.
    pub knot: ProfilePoint,
    /// Encloses the α of a point (α, β) of the trade-off curve with slope −u.
    pub alpha: Interval,
    /// Encloses the β of the same point.
    pub beta: Interval,
}

impl Curve {
    pub fn new(forward: Arc<dyn Profile>) -> Self {
        Self {
            backward: forward.swapped(),
            forward,
        }
    }

    /// The curve of the swapped pair: α and β exchanged.
    pub fn mirrored(&self) -> Self {
        Self {
            forward: self.backward.clone(),
            backward: self.forward.clone(),
        }
    }

    /// The point of the curve with slope −e^ε.
    pub fn point(&self, epsilon: &Float, bits: u32) -> CurvePoint {
        let backward = *epsilon < 0;
        let side = if backward {
            &self.backward
        } else {
            &self.forward
        };
        let place = exact_place(&epsilon.clone().abs(), bits);
        let raw = side.at(&place);
        let knot = ProfilePoint {
            delta: raw.delta.in_unit(),
            null_tail: raw.null_tail.in_unit(),
        };
        let other_tail = knot.delta.add(&place.exp().mul(&knot.null_tail));
        let (near, far) = (knot.null_tail.clone(), other_tail.one_minus().in_unit());
        let (alpha, beta) = if backward { (far, near) } else { (near, far) };
        CurvePoint {
            epsilon: epsilon.clone(),
            odds: place.exp().clone(),
            knot,
            alpha,
            beta,
        }
    }
}

impl CurvePoint {
    /// Is ε < 0, so that the knot belongs to the swapped pair?
    pub fn is_backward(&self) -> bool {
        self.epsilon < 0
    }

    /// Lower bound of f(α) on the supporting line: 1 − δ(u) − uα = u·(1 − α − δ_(Q,P)(1/u)), at least 0.
    ///
    /// Ensures: at most f(a) for every member a of `alpha`, if the profile is at or above the true one.
    pub fn support_down(&self, alpha: &Interval) -> Float {
        let line = if self.is_backward() {
            let gap = alpha.one_minus().sub(&self.knot.delta);
            gap.at_least_zero().div(&self.odds)
        } else {
            let fall = self.odds.mul(alpha);
            self.knot.delta.add(&fall).one_minus()
        };
        line.at_least_zero().lo().clone()
    }

    /// Lower bound of the minimax risk by the supporting line where it meets the diagonal:
    /// (1 − δ(u))/(1 + u) = (1 − δ_(Q,P)(v))/(1 + v) with v = 1/u.
    pub fn diagonal_down(&self) -> Float {
        let one = Interval::one(self.odds.bits());
        let height = self.knot.delta.one_minus().at_least_zero();
        height.div(&one.add(&self.odds)).lo().clone()
    }
}

/// The point at an exact ε given as a Float.
pub(super) fn exact_place(epsilon: &Float, bits: u32) -> Point {
    match epsilon.to_rational() {
        Some(exact) => Point::at_epsilon(&exact, bits),
        None => Point::at_log(Interval::point(Float::with_val(bits, epsilon))),
    }
}

/// Bits of numbers that say where to look.
const ROUGH_BITS: u32 = 64;

/// log(π) for a ratio of two Floats, roughly: where to look next.
pub(super) fn rough_log_ratio(numerator: &Float, denominator: &Float, bits: u32) -> Option<Float> {
    let ratio = Float::with_val(ROUGH_BITS, numerator / denominator);
    let log = Float::with_val(bits, about::ln(ratio));
    log.is_finite().then_some(log)
}

/// Upper bound of a·t + b·(1 − t) for 0 ≤ t ≤ 1.
pub(super) fn mix_up(t: &Float, a: &Float, b: &Float, bits: u32) -> Float {
    let rest = d::sub_up(&Float::with_val(bits, 1), t, bits);
    d::add_up(&d::mul_up(t, a, bits), &d::mul_up(&rest, b, bits), bits)
}

/// Lower and upper bound of a rational at least 0 as an interval within [0, 1].
pub(super) fn unit_interval(x: &Rational, bits: u32) -> Interval {
    Interval::from_rational(x, bits).in_unit()
}
