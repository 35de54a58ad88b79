//! The trapezoidal rule on the whole line, with an error bound relative to the integral.

use rug::Float;
use rug::float::Round;

use crate::kernel::{Budget, Failure, Interval, directed as d};

/// Terms of a sum at a precision, at most: it costs about as much at any.
fn most_nodes(bits: u32) -> u32 {
    (1 << 23) / bits.max(256)
}

/// How far into the complex plane an integrand f > 0 can be followed.
///
/// Requires of f: analytic in the strip |Im z| ≤ b for every b ≤ `widest`, tending to 0 at both ends, and
/// ∫|f(x + iy)|dx ≤ e^{growth·b²}·∫f for |y| ≤ b.
pub(super) struct Strip {
    /// The largest b allowed, a positive lower bound of it.
    pub(super) widest: Float,
    /// An upper bound of the growth.
    pub(super) growth: Float,
}

/// A step h and the error that belongs to it.
pub(super) struct Rule {
    /// Distance of the nodes.
    pub(super) step: Float,
    /// |h·Σ f(z_j) − ∫f| is at most this fraction of ∫f.
    pub(super) error: Interval,
}

impl Strip {
    /// A step whose error is about 2^−bits.
    ///
    /// |h·Σ f(z_j) − ∫f| ≤ 2M/(e^{2πb/h} − 1), where M bounds ∫|f(x + iy)|dx in |y| ≤ b (Trefethen and Weideman 2014, Theorem 5.1; the
    /// nodes may be shifted). The choice of b and h is free; the bound is evaluated for what was chosen.
    pub(super) fn rule(&self, bits: u32) -> Rule {
        const BITS: u32 = 64;
        // bits·log 2 < 7/10·bits.
        let wanted = Float::with_val(BITS, bits.saturating_add(2)) * 7u32 / 10u32;
        let best = Float::with_val(BITS, &wanted / &self.growth).sqrt();
        let half_width = if best <= self.widest {
            best
        } else {
            self.widest.clone()
        };
        // h = 2πb/(wanted + growth·b²), with 2π about 44/7.
        let spent = Float::with_val(BITS, half_width.square_ref()) * &self.growth;
        let exponent = Float::with_val(BITS, &wanted + spent);
        let step = Float::with_val(BITS, &half_width * 44u32) / 7u32 / exponent;
        // Few digits, so that the nodes are exact.
        let step = Float::with_val_round(10, step, Round::Down).0;
        Rule {
            error: self.error(&half_width, &step),
            step,
        }
    }

    /// 2·e^{growth·b²}/(e^{2πb/h} − 1).
    fn error(&self, half_width: &Float, step: &Float) -> Interval {
        const BITS: u32 = 128;
        let width = Interval::point(Float::with_val(BITS, half_width));
        let growth = Interval::point(Float::with_val(BITS, &self.growth)).mul(&width.square());
        let step = Interval::point(Float::with_val(BITS, step));
        let periods = two_pi(BITS).mul(&width).div(&step);
        let two = Interval::from_i64(2, BITS);
        two.mul(&growth.exp()).div(&periods.exp_m1())
    }
}

impl Rule {
    /// ∫f from h·Σ f(z_j).
    pub(super) fn integral(&self, sum: &Interval) -> Interval {
        let bits = sum.bits();
        let one = Interval::one(bits);
        let error = self.error.at_bits(bits);
        if *error.hi() >= 1 {
            return Interval::zero(bits).hull(&Interval::infinity(bits));
        }
        let low = sum.div(&one.add(&error));
        let high = sum.div(&one.sub(&error));
        Interval::between_or_line(low.lo().clone(), high.hi().clone())
    }
}

impl Rule {
    /// h'·Σ f(z_j) for any h' ≤ h, from ∫f: the error bound grows with h.
    pub(super) fn spread(&self, integral: &Interval) -> Interval {
        let error = self.error.at_bits(integral.bits());
        let most = Interval::zero(integral.bits()).hull(&error);
        let factor = Interval::one(integral.bits()).add(&most.hull(&most.neg()));
        integral.mul(&factor.at_least_zero())
    }
}

/// Equally spaced nodes j·step, j any integer.
pub(super) struct Nodes {
    /// Their distance > 0.
    pub(super) step: Interval,
}

impl Nodes {
    pub(super) fn at(&self, j: i64) -> Interval {
        self.step.mul(&Interval::from_i64(j, self.step.bits()))
    }

    /// The index of a node at or above x, for the least such node or one more; `None` beyond 2^60.
    pub(super) fn index_above(&self, x: &Interval) -> Option<i64> {
        let place = x.div(&self.step);
        let (integer, _) = place.hi().to_integer_round(Round::Up)?;
        integer.to_i64().filter(|j| j.unsigned_abs() < 1 << 60)
    }

    /// Σ_j f(j·step) of a log-concave f given by its logarithm, from the node `centre` outward; `None` if that takes too
    /// many terms.
    ///
    /// Outward from any node the ratio of neighbours falls, so once it is ρ < 1 all further terms add up to at most
    /// the last one times ρ/(1 − ρ).
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn log_concave_sum(
        &self,
        centre: i64,
        log: impl Fn(&Interval) -> Interval,
        accuracy: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let bits = self.step.bits();
        let middle = log(&self.at(centre));
        let mut sum = middle.exp();
        for sign in [1i64, -1] {
            let mut before = middle.clone();
            let mut is_done = false;
            for j in 1..=most_nodes(bits) {
                if j.is_multiple_of(64) {
                    budget.check()?;
                }
                let index = centre.saturating_add(i64::from(j).saturating_mul(sign));
                let here = log(&self.at(index));
                let term = here.exp();
                sum = sum.add(&term);
                let ratio = here.sub(&before).exp();
                before = here;
                if *ratio.hi() < 1 {
                    let rest = term.mul(&ratio).div(&ratio.one_minus());
                    let allowed = Float::with_val(bits, sum.lo() >> accuracy);
                    if *rest.hi() <= allowed {
                        sum = sum.add(&Interval::zero(bits).hull(&rest));
                        is_done = true;
                        break;
                    }
                }
            }
            if !is_done {
                return Ok(None);
            }
        }
        Ok(Some(sum))
    }
}

/// Nodes, and a function f with log f = −z²/2 + a·g(z), g convex and a > 0.
pub(super) struct Windows<'a> {
    /// The nodes.
    pub(super) nodes: &'a Nodes,
    /// a.
    pub(super) power: &'a Interval,
    /// g.
    pub(super) convex: &'a dyn Fn(&Interval) -> Interval,
    /// The logarithm of a factor that all terms are divided by.
    pub(super) scale: &'a Interval,
    /// Stretches that add up to less than e^this are not looked at one by one.
    pub(super) threshold: Interval,
    /// Working precision.
    pub(super) bits: u32,
}

impl Windows<'_> {
    /// Σ f over the nodes first ≤ j ≤ last; `None` if that takes too many terms.
    ///
    /// On a stretch g is below its chord, so log f is below a parabola, whose maximum bounds all terms.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn sum(
        &self,
        first: i64,
        last: i64,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        const SHORT: i64 = 8;
        let mut stack = vec![(first, last)];
        let mut sum = Interval::zero(self.bits);
        let mut looked = 0u32;
        while let Some((low, high)) = stack.pop() {
            looked = looked.saturating_add(1);
            if looked.is_multiple_of(16) {
                budget.check()?;
            }
            if looked > most_nodes(self.bits) {
                return Ok(None);
            }
            let count = high.saturating_sub(low).saturating_add(1);
            if count <= SHORT {
                for j in low..=high {
                    let z = self.node(j);
                    let log = self.log(&z, &(self.convex)(&z));
                    sum = sum.add(&log.exp());
                }
                continue;
            }
            let size = Interval::from_i64(count, self.bits).ln();
            let bound = self.chord_bound(low, high).add(&size);
            if bound.hi() <= self.threshold.lo() {
                sum = sum.add(&Interval::zero(self.bits).hull(&bound.exp()));
                continue;
            }
            let middle = low.midpoint(high);
            stack.push((middle.saturating_add(1), high));
            stack.push((low, middle));
        }
        Ok(Some(sum))
    }

    fn node(&self, j: i64) -> Interval {
        self.nodes.at(j)
    }

    fn log(&self, z: &Interval, convex: &Interval) -> Interval {
        let log = self.power.mul(convex).sub(&half(&z.square()));
        log.sub(self.scale)
    }

    /// An upper bound of log f between two nodes.
    fn chord_bound(&self, low: i64, high: i64) -> Interval {
        let (left, right) = (self.node(low), self.node(high));
        let (at_left, at_right) = ((self.convex)(&left), (self.convex)(&right));
        let slope = at_right
            .sub(&at_left)
            .div(&right.sub(&left))
            .mul(self.power);
        // −z²/2 + slope·z + constant is largest at z = slope.
        if slope.certainly_le(&left) {
            self.log(&left, &at_left)
        } else if right.certainly_le(&slope) {
            self.log(&right, &at_right)
        } else {
            let constant = self.power.mul(&at_left).sub(&slope.mul(&left));
            constant.add(&half(&slope.square())).sub(self.scale)
        }
    }
}

/// x/2.
pub(super) fn half(x: &Interval) -> Interval {
    let bits = x.bits();
    Interval::between_or_line(
        Float::with_val(bits, x.lo() >> 1u32),
        Float::with_val(bits, x.hi() >> 1u32),
    )
}

/// 2π.
fn two_pi(bits: u32) -> Interval {
    let root = Interval::between_or_line(d::sqrt_two_pi_down(bits), d::sqrt_two_pi_up(bits));
    root.square()
}

/// √(2π).
pub(super) fn root_two_pi(bits: u32) -> Interval {
    Interval::between_or_line(d::sqrt_two_pi_down(bits), d::sqrt_two_pi_up(bits))
}

#[cfg(test)]
#[path = "trapezoid_tests.rs"]
mod tests;
