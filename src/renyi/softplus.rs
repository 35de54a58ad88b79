//! The likelihood ratio w = 1 − r + r·e^ℓ of Poisson subsampling, by its logarithm.

use rug::Rational;

use crate::kernel::Interval;

/// log w as a function of the loss ℓ of the pair that is sampled: log(1 − r) + v(ℓ), v(ℓ) = log(1 + r/(1 − r)·e^ℓ), convex
/// and increasing in ℓ.
///
/// Requires: `0 < rate < 1`.
pub(super) struct Softplus {
    /// log(r/(1 − r)).
    log_odds: Interval,
    /// log(1 − r).
    floor: Interval,
}

impl Softplus {
    pub(super) fn new(rate: &Rational, bits: u32) -> Self {
        let rest = Rational::from(1 - rate);
        let log_rate = near_one(rate, &rest, bits);
        let floor = near_one(&rest, rate, bits);
        Self {
            log_odds: log_rate.sub(&floor),
            floor,
        }
    }

    /// log(1 − r) < 0.
    pub(super) fn floor(&self) -> &Interval {
        &self.floor
    }

    /// log r < 0.
    pub(super) fn log_rate(&self) -> Interval {
        self.log_odds.add(&self.floor)
    }

    /// v(ℓ) > 0, with small relative width.
    pub(super) fn rise(&self, loss: &Interval) -> Interval {
        let place = self.log_odds.add(loss);
        if *place.lo() > 0 {
            place.add(&place.neg().exp().ln_1p_in_short())
        } else {
            place.exp().ln_1p_in_short()
        }
    }

    /// v'(ℓ) = r·e^ℓ/w, in (0, 1).
    pub(super) fn share(&self, loss: &Interval) -> Interval {
        let place = self.log_odds.add(loss);
        Interval::one(place.bits())
            .add(&place.neg().exp())
            .recip()
            .in_unit()
    }

    /// log w.
    pub(super) fn log(&self, loss: &Interval) -> Interval {
        self.floor.add(&self.rise(loss))
    }
}

/// log x for x = 1 − rest, accurate also near x = 1.
fn near_one(x: &Rational, rest: &Rational, bits: u32) -> Interval {
    if *x > *rest {
        Interval::from_rational(&Rational::from(-rest), bits).ln_1p()
    } else {
        Interval::from_rational(x, bits).ln()
    }
}

/// log(e^a + e^b).
pub(super) fn log_of_sum(a: &Interval, b: &Interval) -> Interval {
    let (high, low) = if a.middle() >= b.middle() {
        (a, b)
    } else {
        (b, a)
    };
    high.add(&low.sub(high).exp().ln_1p())
}
