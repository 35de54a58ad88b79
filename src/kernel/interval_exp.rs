//! Exponentials of intervals.

use rug::{Float, Integer};

use super::{Interval, NARROW_BITS, is_narrow};
use crate::kernel::directed as d;
use crate::kernel::fixed_exp::{self, Exponential};

/// An exponential that is known to a relative 2^-121 has as many bits, and more than enough to be rounded to them.
const SHORT_BITS: u32 = 100;

impl Interval {
    /// e^a.
    #[must_use]
    pub fn exp(&self) -> Self {
        let bits = self.bits();
        if bits <= SHORT_BITS {
            self.exp_in_short()
        } else {
            self.exp_in_full()
        }
    }

    fn exp_in_full(&self) -> Self {
        let bits = self.bits();
        if let Some(rise) = self.rise_of_exp_up() {
            let (lo, least) = d::exp_both(&self.lo, bits);
            let hi = d::add_up(&least, &d::mul_up(&least, &rise, bits), bits);
            return Self { lo, hi };
        }
        Self {
            lo: d::exp_down(&self.lo, bits),
            hi: d::exp_up(&self.hi, bits),
        }
    }

    /// Upper bound of e^w − 1, w being the width of a very narrow interval: of its exponential one end then says enough.
    ///
    /// e^w − 1 ≤ w + w² for 0 ≤ w ≤ 1.
    pub(super) fn rise_of_exp_up(&self) -> Option<Float> {
        if !self.lo.is_finite() || !self.hi.is_finite() {
            return None;
        }
        let width = d::sub_up(&self.hi, &self.lo, NARROW_BITS);
        is_narrow(&width).then(|| {
            let square = d::mul_up(&width, &width, NARROW_BITS);
            d::add_up(&width, &square, NARROW_BITS)
        })
    }

    /// e^a, and a relative 2^-121 more on either side: by far sooner, where all else is known no better.
    #[must_use]
    pub fn exp_in_short(&self) -> Self {
        let bits = self.bits();
        let Some(lowest) = fixed_exp::exp(&self.lo) else {
            return self.exp_in_full();
        };
        let lo = d::integer_down(&Integer::from(lowest.least), bits) << lowest.exponent;
        if let Some(rise) = self.rise_of_exp_up() {
            let most = most_up(&lowest, bits);
            let hi = d::add_up(&most, &d::mul_up(&most, &rise, bits), bits);
            return Self { lo, hi };
        }
        let hi = match fixed_exp::exp(&self.hi) {
            Some(highest) => most_up(&highest, bits),
            None => d::exp_up(&self.hi, bits),
        };
        Self { lo, hi }
    }
}

fn most_up(found: &Exponential, bits: u32) -> Float {
    d::integer_up(&Integer::from(found.most), bits) << found.exponent
}
