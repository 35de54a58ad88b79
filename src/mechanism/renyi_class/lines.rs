//! Proof that δ is at most something: lines above the region of all pairs of the class.

use rug::{Float, Rational};

use super::exchange::{Support, Supports};
use super::order::RenyiBound;
use crate::kernel::Interval;

/// q ≤ height + slope·p for every pair of the class with p + q ≤ 1.
struct Line {
    height: Interval,
    slope: Interval,
}

/// Upper bound of max q − u·p over the pairs of the class with p + q ≤ 1; `None` where a line could not be drawn.
///
/// For a share λ of the left line and 1 − λ of the right one, q − u·p ≤ height + r·p with r = slope − u near 0. Only pairs
/// with q ≥ u·p matter, and those have p ≤ h/(u − s) by a third line (h, s) with s < u.
///
/// Requires: every order in `supports` is a guarantee of the class; 0 ≤ share ≤ 1; u ≥ 1.
pub(super) fn delta_up(supports: &Supports, u: &Interval, bits: u32) -> Option<Float> {
    let (left, right, far) = (
        line(&supports.left, bits)?,
        line(&supports.right, bits)?,
        line(&supports.far, bits)?,
    );
    let share = Interval::point(supports.share.clone()).in_unit();
    let rest = share.one_minus();
    let height = share.mul(&left.height).add(&rest.mul(&right.height));
    let slope = share.mul(&left.slope).add(&rest.mul(&right.slope));
    let excess = slope.sub(u).at_least_zero();
    let fall = u.sub(&far.slope);
    let largest = if fall.is_positive() {
        far.height.div(&fall).in_unit()
    } else {
        Interval::one(bits)
    };
    let bound = height.add(&excess.mul(&largest)).in_unit();
    Some(bound.hi().clone())
}

/// The line through a point that touches the set of equal divergence there, moved out to the boundary of the guarantee:
/// F(p, q) = E_P[(dQ/dP)^t] is convex, so F_q·(q − q₀) + F_p·(p − p₀) ≤ E − F(p₀, q₀) wherever F ≤ E.
fn line(support: &Support, bits: u32) -> Option<Line> {
    let Some(order) = &support.order else {
        // q ≤ 1 − p.
        return Some(Line {
            height: Interval::one(bits),
            slope: Interval::from_i64(-1, bits),
        });
    };
    let bits = bits.max(support.spot.bits());
    let pair = Pair::new(&support.spot.p, &support.spot.d, bits)?;
    let (gap, by_q, by_p) = if order.is_first() {
        let gap = Interval::from_rational(&order.epsilon, bits).sub(&pair.relative_entropy());
        let by_p = pair.up.exp().sub(&pair.down.exp()).neg();
        (gap, pair.up.sub(&pair.down), by_p)
    } else {
        let t = Interval::from_rational(&order.order, bits);
        let less = Rational::from(&order.order - 1u32);
        let exponent = Rational::from(&less * &order.epsilon);
        let limit = Interval::from_rational(&exponent, bits).exp_m1();
        let less = Interval::from_rational(&less, bits);
        let power = |loss: &Interval, by: &Interval| loss.mul(by).exp();
        let by_q = power(&pair.up, &less)
            .sub(&power(&pair.down, &less))
            .mul(&t);
        let by_p = power(&pair.up, &t)
            .sub(&power(&pair.down, &t))
            .mul(&less)
            .neg();
        (limit.sub(&pair.gain(order)), by_q, by_p)
    };
    if !by_q.is_positive() {
        return None;
    }
    let slope = by_p.div(&by_q).neg();
    // q₀ − slope·p₀ = d₀ − (slope − 1)·p₀.
    let lowered = slope.sub(&Interval::one(bits)).mul(&pair.p);
    let height = pair.d.sub(&lowered).add(&gap.div(&by_q));
    Some(Line { height, slope })
}

/// A Bernoulli pair p against p + d, given exactly, with its losses enclosed.
pub(super) struct Pair {
    pub p: Interval,
    pub d: Interval,
    /// 1 − p.
    pub rest: Interval,
    /// log(q/p) > 0.
    pub up: Interval,
    /// log((1 − q)/(1 − p)) < 0.
    pub down: Interval,
}

impl Pair {
    /// `None` unless 0 < p, 0 < d and 2p + d ≤ 1 (that is p + q ≤ 1) certainly.
    pub fn new(p: &Float, d: &Float, bits: u32) -> Option<Self> {
        let (p, d) = (Interval::point(p.clone()), Interval::point(d.clone()));
        let one = Interval::one(bits);
        let rest = one.sub(&p);
        let sum = p.add(&p).add(&d);
        if !p.is_positive() || !d.is_positive() || *sum.hi() > 1 {
            return None;
        }
        Some(Self {
            up: d.div(&p).ln_1p(),
            down: d.div(&rest).neg().ln_1p(),
            p,
            d,
            rest,
        })
    }

    /// p·g(up) + (1 − p)·g(down): a mean under P.
    pub fn mean(&self, g: impl Fn(&Interval) -> Interval) -> Interval {
        let rare = self.p.mul(&g(&self.up));
        rare.add(&self.rest.mul(&g(&self.down)))
    }

    /// E_P[(dQ/dP)^t] − 1.
    pub fn gain(&self, order: &RenyiBound) -> Interval {
        let bits = self.p.bits().max(self.up.bits());
        let t = Interval::from_rational(&order.order, bits);
        self.mean(|loss| loss.mul(&t).exp_m1())
    }

    /// KL(Q‖P) = q·up + (1 − q)·down.
    pub fn relative_entropy(&self) -> Interval {
        let q = self.p.add(&self.d);
        let rest = self.rest.sub(&self.d);
        q.mul(&self.up).add(&rest.mul(&self.down))
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
