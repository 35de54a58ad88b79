//! Exponentials of intervals, and logarithms, in short where few bits are asked for.

use rug::Float;

use super::{Interval, NARROW_BITS, is_narrow};
use crate::kernel::directed as d;
use crate::kernel::fixed_exp::{self, Exponential};
use crate::kernel::fixed_ln;

/// An exponential that is known to a relative 2^-121 has as many bits, and more than enough to be rounded to them.
const SHORT_BITS: u32 = 108;

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
            let hi = risen_up(&least, &rise, bits);
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
        let lo = d::words_down(lowest.least, bits) << lowest.exponent;
        if let Some(rise) = self.rise_of_exp_up() {
            let most = most_up(&lowest, bits);
            let hi = risen_up(&most, &rise, bits);
            return Self { lo, hi };
        }
        let hi = self.exp_up_in_short();
        Self { lo, hi }
    }

    /// At least e^a for every member a, and a relative 2^-121 more: sooner than both ends.
    #[must_use]
    pub fn exp_up_in_short(&self) -> Float {
        let bits = self.bits();
        match fixed_exp::exp(&self.hi) {
            Some(highest) => most_up(&highest, bits),
            None => d::exp_up(&self.hi, bits),
        }
    }

    /// [`Self::exp_m1`], where few bits are asked for by way of the exponential: by far sooner.
    #[must_use]
    pub fn exp_m1_in_short(&self) -> Self {
        let bits = self.bits();
        // Of an exponential next to 1 so many bits are lost.
        let is_far = |exponent: i32| exponent > -NEAREST;
        let is_short = bits.saturating_add(8) <= SHORT_BITS;
        if !is_short || *self.lo() <= 0 || !self.lo().get_exp().is_some_and(is_far) {
            return self.exp_m1();
        }
        let wide = bits.saturating_add(NEAREST.unsigned_abs());
        let one = Self::one(wide);
        self.at_bits(wide).exp_in_short().sub(&one).at_bits(bits)
    }

    /// e^a and e^a − 1, from one evaluation where |a| ≤ 1: there e^a is not much less than 1, nor than e^a − 1.
    #[must_use]
    pub fn exp_and_exp_m1(&self) -> (Self, Self) {
        let excess = self.exp_m1();
        let is_near = *self.lo() >= -1 && *self.hi() <= 1;
        let exp = if is_near {
            excess.add(&Self::one(self.bits()))
        } else {
            self.exp()
        };
        (exp, excess)
    }

    /// [`Self::ln_1p`], where few bits are asked for in fixed point: by far sooner.
    #[must_use]
    pub fn ln_1p_in_short(&self) -> Self {
        let bits = self.bits();
        let short = (bits <= SHORT_BITS).then(|| self.ln_1p_fixed(bits));
        short.flatten().unwrap_or_else(|| self.ln_1p())
    }

    /// log a up to 2^-173, where few bits are asked for; `None` where that is not known, and where it is so near to 0 that it would say little.
    pub(super) fn ln_short(&self, bits: u32) -> Option<Self> {
        (bits <= SHORT_BITS).then(|| self.ln_fixed(bits)).flatten()
    }

    /// [`Self::ln`] up to 2^-173, where all else is known no better: by far sooner.
    #[must_use]
    pub fn ln_in_short(&self) -> Self {
        self.ln_fixed(self.bits()).unwrap_or_else(|| self.ln())
    }

    /// log a up to 2^-173; `None` where that is not known, and where it is so near to 0 that it would say little.
    fn ln_fixed(&self, bits: u32) -> Option<Self> {
        let both = |end: &Float| {
            let fits = end.prec() <= 192 && *end > 0;
            fits.then(|| fixed_ln::ln_both(end, bits)).flatten()
        };
        let is_far = |end: &Float| end.get_exp().is_some_and(|exponent| exponent > -FARTHEST);
        let (lo, least) = both(&self.lo).filter(|(lo, least)| is_far(lo) && is_far(least))?;
        if let Some(rise) = self.rise_of_ln_up(&self.lo) {
            let hi = d::add_up(&least, &rise, bits);
            return Some(Self { lo, hi });
        }
        let (_, hi) = both(&self.hi).filter(|(lo, hi)| is_far(lo) && is_far(hi))?;
        Some(Self { lo, hi })
    }

    /// log(1 + a) up to 2^-173; `None` where that is not known, and where a is so small that it would say little.
    fn ln_1p_fixed(&self, bits: u32) -> Option<Self> {
        let both = |end: &Float| {
            // 1 + a is exact: it has no more than 1 + 60 + 128 digits, or as many as a.
            let is_inside = |exponent: i32| exponent > -FARTHEST && exponent < FARTHEST;
            let fits = end.prec() <= 128 && *end > 0 && end.get_exp().is_some_and(is_inside);
            let sum = fits.then(|| Float::with_val(192, end + 1u32))?;
            fixed_ln::ln_both(&sum, bits).map(|ends| (sum, ends))
        };
        let (start, (lo, least)) = both(&self.lo)?;
        if let Some(rise) = self.rise_of_ln_up(&start) {
            let hi = d::add_up(&least, &rise, bits);
            return Some(Self { lo, hi });
        }
        let (_, (_, hi)) = both(&self.hi)?;
        Some(Self { lo, hi })
    }
}

/// Exponents of numbers whose exponential is told from 1 in short.
const NEAREST: i32 = 20;
/// Exponents of numbers to which 1 is added exactly, in either direction.
const FARTHEST: i32 = 60;

fn most_up(found: &Exponential, bits: u32) -> Float {
    d::words_up(found.most, bits) << found.exponent
}

/// Ensures: not below x·(1 + rise).
fn risen_up(x: &Float, rise: &Float, bits: u32) -> Float {
    d::add_up(x, &d::mul_up(x, rise, bits), bits)
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::Random;

    /// Narrow and wide ones, next to 1 and far from it, and those that reach to 0.
    #[test]
    fn logarithms_in_short() {
        let mut random = Random(72);
        let (mut short, mut all) = (0, 0);
        for _ in 0..5_000 {
            let bits = 30 + u32::try_from(random.below(100)).unwrap();
            let size = i32::try_from(random.below(400)).unwrap() - 200;
            let digits = Float::with_val(64, 1 + random.below(u64::MAX - 1)) >> 63u32;
            let lo = match random.below(4) {
                0 => Float::with_val(
                    bits,
                    1 + Float::with_val(bits, &digits >> size.unsigned_abs()),
                ),
                1 => Float::new(bits),
                _ => Float::with_val(bits, digits) << size,
            };
            let share = Float::with_val(bits, random.below(1 << 10))
                >> u32::try_from(random.below(100)).unwrap();
            let x = Interval::spanning(lo.clone(), Float::with_val(bits, &lo * (share + 1u32)));
            let found = x.ln();
            let truth = |end: &Float| Float::with_val(500, end).ln();
            assert!(
                *found.lo() <= truth(x.lo()) && *found.hi() >= truth(x.hi()),
                "{x:?}: {found:?}"
            );
            if let Some(found) = x.ln_short(bits) {
                let [low, high] = [truth(x.lo()), truth(x.hi())];
                assert!(
                    *found.lo() <= low && *found.hi() >= high,
                    "{x:?}: {found:?}"
                );
                // And hardly wider; of a narrow one its relative width says how wide, to some digits.
                let width = Float::with_val(64, x.hi() - x.lo()) / x.lo();
                let size = low.clone().abs() + high.clone().abs();
                let slack = found.width_up() - Float::with_val(500, &high - &low);
                let allowed = (size >> (bits - 4))
                    + Float::with_val(64, width.square_ref())
                    + (width >> 20u32);
                assert!(slack <= allowed, "{x:?}: {found:?}");
                short += 1;
            }
            all += i32::from(bits <= SHORT_BITS);
        }
        assert!(short > all / 3, "{short} of {all}");
    }

    /// Both from one evaluation and from two, at many bits and at a few.
    #[test]
    fn exponentials_and_what_they_are_beyond_one() {
        use crate::kernel::coarse::at_most_bits;
        let mut random = Random(73);
        for round in 0..4_000 {
            let bits = 30 + u32::try_from(random.below(200)).unwrap();
            let size = i32::try_from(random.below(80)).unwrap() - 76;
            let digits = Float::with_val(bits, 1 + random.below(u64::MAX - 1)) >> 63u32;
            let lo = Float::with_val(bits, digits << size);
            let lo = if round % 2 == 0 { -lo } else { lo };
            let share = Float::with_val(bits, random.below(1 << 10))
                >> u32::try_from(random.below(100)).unwrap();
            let hi = Float::with_val(bits, share + &lo);
            let x = Interval::spanning(lo.clone(), hi);
            let truth = |end: &Float, less: u32| Float::with_val(500, end.exp_ref()) - less;
            for few in [bits, 2, 3, 5, 9] {
                let (exp, excess) = at_most_bits(few, || x.exp_and_exp_m1());
                for (found, less) in [(&exp, 0), (&excess, 1)] {
                    assert!(
                        *found.lo() <= truth(x.lo(), less) && *found.hi() >= truth(x.hi(), less),
                        "{x:?} {few}: {found:?}"
                    );
                }
            }
            let point = Interval::point(lo).exp_and_exp_m1().0;
            let width = Float::with_val(64, point.width_up() / point.lo());
            assert!(
                width <= Float::with_val(64, 1) >> (bits - 5).min(116),
                "{point:?}"
            );
        }
    }

    /// Both of its roundings go up, also where the product alone decides the last place.
    #[test]
    fn rises_are_rounded_up() {
        let mut random = Random(71);
        for _ in 0..20_000 {
            let mut number = || Float::with_val(24, 1 + random.below(1 << 8));
            let (x, rise) = (number(), number() >> 10u32);
            let exact = |x: &Float| x.to_rational().unwrap();
            let truth = exact(&x) * (exact(&rise) + Rational::from(1));
            for bits in [2, 3, 4, 6, 9, 24] {
                assert!(risen_up(&x, &rise, bits) >= truth, "{x} {rise} {bits}");
            }
        }
    }
}
