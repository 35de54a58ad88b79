//! One guarantee at one order: its value, slope, and where it binds. Nearest rounding: for searches.

use crate::kernel::{Pick, about, is_late};
use rug::{Float, Rational};

/// D_order ≤ epsilon; order 1 is the Kullback–Leibler divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RenyiBound {
    /// t ≥ 1.
    pub order: Rational,
    /// ε(t) > 0.
    pub epsilon: Rational,
}

impl RenyiBound {
    pub fn is_first(&self) -> bool {
        self.order == 1
    }
}

/// The Bernoulli pair p against q = p + d, with its two losses.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub p: Float,
    pub d: Float,
    /// log(q/p) > 0.
    pub up: Float,
    /// log((1 − q)/(1 − p)) < 0.
    pub down: Float,
}

impl Spot {
    /// Requires: 0 < p, 0 < d < 1 − p, in the same precision.
    pub fn new(p: &Float, d: &Float) -> Self {
        let bits = p.prec();
        let rest = Float::with_val(bits, 1 - p);
        Self {
            up: about::ln_1p(Float::with_val(bits, d / p)),
            down: about::ln_1p(-Float::with_val(bits, d / &rest)),
            p: p.clone(),
            d: d.clone(),
        }
    }

    pub fn bits(&self) -> u32 {
        self.p.prec()
    }

    /// 1 − p.
    pub fn rest(&self) -> Float {
        Float::with_val(self.bits(), 1 - &self.p)
    }

    /// q − u·p.
    pub fn value(&self, u: &Float) -> Float {
        let cost = Float::with_val(self.bits(), u - 1u32) * &self.p;
        Float::with_val(self.bits(), &self.d - cost)
    }

    /// p·g(up) + (1 − p)·g(down).
    pub fn mean(&self, g: impl Fn(&Float) -> Float) -> Float {
        g(&self.up) * &self.p + g(&self.down) * self.rest()
    }
}

/// The boundary of one guarantee, prepared at one precision.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    pub order: RenyiBound,
    t: Float,
    less: Float,
    log_target: Float,
}

const MOST_STEPS: u32 = 120;

impl Boundary {
    pub fn new(order: &RenyiBound, bits: u32) -> Self {
        let less = Rational::from(&order.order - 1u32);
        let log_target = if order.is_first() {
            about::ln(Float::with_val(bits, &order.epsilon))
        } else {
            let exponent = Float::with_val(bits, Rational::from(&less * &order.epsilon));
            about::ln(about::exp_m1(exponent))
        };
        Self {
            t: Float::with_val(bits, &order.order),
            less: Float::with_val(bits, less),
            log_target,
            order: order.clone(),
        }
    }

    /// What is bounded, E_P[(dQ/dP)^t] − 1 or the divergence itself, and its derivative by q.
    pub fn gain(&self, spot: &Spot) -> (Float, Float) {
        let bits = spot.bits();
        if self.order.is_first() {
            let q = Float::with_val(bits, &spot.p + &spot.d);
            let value =
                Float::with_val(bits, &q * &spot.up) + Float::with_val(bits, 1 - q) * &spot.down;
            return (value, Float::with_val(bits, &spot.up - &spot.down));
        }
        let value = spot.mean(|loss| about::exp_m1(Float::with_val(bits, loss * &self.t)));
        let power = |loss: &Float| about::exp(Float::with_val(bits, loss * &self.less));
        (value, (power(&spot.up) - power(&spot.down)) * &self.t)
    }

    /// log of what is bounded over its bound: above 0 where the guarantee is violated.
    pub fn excess(&self, spot: &Spot) -> Float {
        about::ln(self.gain(spot).0) - &self.log_target
    }

    /// dq/dp along the curve of equal divergence.
    pub fn slope(&self, spot: &Spot) -> Float {
        let bits = spot.bits();
        let times = |loss: &Float, by: &Float| about::exp(Float::with_val(bits, loss * by));
        if self.order.is_first() {
            let one = Float::with_val(bits, 1);
            let rise = times(&spot.up, &one) - times(&spot.down, &one);
            return rise / Float::with_val(bits, &spot.up - &spot.down);
        }
        let rise = (times(&spot.up, &self.t) - times(&spot.down, &self.t)) * &self.less;
        let run = (times(&spot.up, &self.less) - times(&spot.down, &self.less)) * &self.t;
        rise / run
    }

    /// The largest d with D_t ≤ ε at this p, if it is below 1 − 2p. Newton's method for logarithms, within a bracket,
    /// from a solution for a similar p or order on.
    pub fn distance(&self, p: &Float, near: Option<&Spot>) -> Option<Float> {
        let bits = p.prec();
        let most = Float::with_val(bits, 1 - Float::with_val(bits, p << 1u32));
        if most <= 0 {
            return None;
        }
        let at_most = self.excess(&Spot::new(p, &most));
        if at_most <= 0 {
            return None;
        }
        let fine = Float::with_val(bits, 1) >> (bits / 2);
        let mut high = most;
        let mut low: Option<Float> = None;
        let similar = near.map(|spot| Float::with_val(bits, &spot.d / &spot.p) * p);
        let mut d = similar.unwrap_or_else(|| self.guess(p)).smaller(&high);
        for _ in 0..MOST_STEPS {
            if is_late() {
                break;
            }
            let spot = Spot::new(p, &d);
            let (value, slope) = self.gain(&spot);
            let elasticity = slope * &d / &value;
            let excess = about::ln(value) - &self.log_target;
            if excess > 0 {
                high.clone_from(&d);
            } else {
                low = Some(d.clone());
            }
            let step = excess / elasticity;
            let size = Float::with_val(bits, step.abs_ref());
            let next = Float::with_val(bits, about::exp(-step) * &d);
            let inside =
                next.is_finite() && next < high && low.as_ref().is_none_or(|low| next > *low);
            if size < fine {
                return Some(if next.is_finite() { next } else { d });
            }
            d = if inside {
                next
            } else {
                match &low {
                    Some(low) => Float::with_val(bits, &high * low).sqrt(),
                    None => Float::with_val(bits, &high >> 8u32),
                }
            };
        }
        Some(d)
    }

    /// The smaller of p·((E/p)^{1/t} − 1), an upper bound, and what small losses give.
    fn guess(&self, p: &Float) -> Float {
        let bits = p.prec();
        let target = about::exp(self.log_target.clone());
        let spread = Float::with_val(bits, 1 - p) * p * 2u32 * &target;
        if self.order.is_first() {
            return spread.sqrt();
        }
        let small = (spread / Float::with_val(bits, &self.t * &self.less)).sqrt();
        let log = (about::ln_1p(target) - about::ln(p.clone())) / &self.t;
        let large = about::exp_m1(log) * p;
        if small > 0 {
            small.smaller(&large)
        } else {
            large
        }
    }
}
