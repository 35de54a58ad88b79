//! Intervals with MPFR ends: the value of every operation on any members lies in the result.

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use super::InvariantViolation;
use super::directed::{self as d, Pick};

#[path = "interval_exp.rs"]
mod exp;
#[path = "interval_product.rs"]
mod product;

/// A closed interval [lo, hi] of the extended real line that contains the number it stands for.
///
/// Invariant: `lo ≤ hi`, neither is NaN. An infinite end means "no bound known on this side" (or a true infinity).
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    lo: Float,
    hi: Float,
}

/// Bits for the width of a narrow interval.
const NARROW_BITS: u32 = 64;

/// Is a width so small that its square does not matter?
fn is_narrow(width: &Float) -> bool {
    *width >= 0 && width.get_exp().is_none_or(|exponent| exponent < -32) && width.is_finite()
}

impl Interval {
    /// The interval between two bounds that some computation found for the same number.
    ///
    /// # Errors
    /// If `lo > hi` or one is NaN: then one of the bounds is false, which is an internal error.
    pub fn new(lo: Float, hi: Float) -> Result<Self, InvariantViolation> {
        if lo <= hi {
            Ok(Self { lo, hi })
        } else {
            Err(InvariantViolation(format!(
                "lower bound {lo:.6e} above upper bound {hi:.6e}"
            )))
        }
    }

    /// The interval spanned by two numbers, in whichever order.
    pub fn spanning(a: Float, b: Float) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::whole_line(a.prec().max(b.prec()));
        }
        if a <= b {
            Self { lo: a, hi: b }
        } else {
            Self { lo: b, hi: a }
        }
    }

    /// The interval between a lower and an upper bound; the whole line if they contradict each other, or one is no number.
    ///
    /// For evaluations that cannot fail, and whose ends come from one computation: of rounding once down and once up, of a
    /// middle and its error, of a function that is monotone. There NaN is what can happen, and then nothing is known. Bounds
    /// that come from two proofs belong into [`Self::new`], which reports a contradiction.
    pub fn between_or_line(lo: Float, hi: Float) -> Self {
        let bits = lo.prec().max(hi.prec());
        Self::new(lo, hi).unwrap_or_else(|_| Self::whole_line(bits))
    }

    /// The single number `x`.
    pub fn point(x: Float) -> Self {
        if x.is_nan() {
            Self::whole_line(x.prec())
        } else {
            Self {
                lo: x.clone(),
                hi: x,
            }
        }
    }

    /// Encloses a rational in `bits` bits.
    pub fn from_rational(x: &Rational, bits: u32) -> Self {
        Self {
            lo: d::rational_down(x, bits),
            hi: d::rational_up(x, bits),
        }
    }

    /// Encloses an integer in `bits` bits.
    pub fn from_integer(x: &Integer, bits: u32) -> Self {
        Self {
            lo: d::integer_down(x, bits),
            hi: d::integer_up(x, bits),
        }
    }

    /// Encloses a small integer in `bits` bits.
    pub fn from_i64(x: i64, bits: u32) -> Self {
        Self {
            lo: d::word_down(x, bits),
            hi: d::word_up(x, bits),
        }
    }

    /// Zero.
    pub fn zero(bits: u32) -> Self {
        Self {
            lo: Float::new(bits),
            hi: Float::new(bits),
        }
    }

    /// One.
    pub fn one(bits: u32) -> Self {
        Self::from_i64(1, bits)
    }

    /// [−∞, ∞]: nothing is known.
    pub fn whole_line(bits: u32) -> Self {
        Self {
            lo: d::neg_infinity(bits),
            hi: d::infinity(bits),
        }
    }

    /// +∞ itself.
    pub fn infinity(bits: u32) -> Self {
        Self {
            lo: d::infinity(bits),
            hi: d::infinity(bits),
        }
    }

    /// Lower end.
    pub fn lo(&self) -> &Float {
        &self.lo
    }

    /// Upper end.
    pub fn hi(&self) -> &Float {
        &self.hi
    }

    /// Precision of the ends, in bits.
    pub fn bits(&self) -> u32 {
        self.lo.prec().max(self.hi.prec())
    }

    /// The same interval with ends of `bits` bits (wider if that is fewer than now).
    #[must_use]
    pub fn at_bits(&self, bits: u32) -> Self {
        Self {
            lo: d::float_down(&self.lo, bits),
            hi: d::float_up(&self.hi, bits),
        }
    }

    /// Upper bound of hi − lo.
    pub fn width_up(&self) -> Float {
        if self.lo == self.hi {
            Float::new(self.bits())
        } else {
            d::sub_up(&self.hi, &self.lo, self.bits())
        }
    }

    /// A number inside (the middle, rounded), for searches; 0 if both ends are infinite.
    pub fn middle(&self) -> Float {
        let bits = self.bits();
        match (self.lo.is_infinite(), self.hi.is_infinite()) {
            (false, false) => {
                let half = Float::with_val(bits, &self.hi - &self.lo) >> 1u32;
                // Not below the lower end; beyond the upper one where their distance is no number.
                Float::with_val(bits, &self.lo + half).smaller(&self.hi)
            }
            (true, false) => self.hi.clone(),
            (false, true) => self.lo.clone(),
            (true, true) => Float::new(bits),
        }
    }

    /// Is the rational inside?
    pub fn contains(&self, x: &Rational) -> bool {
        self.lo <= *x && self.hi >= *x
    }

    /// Every member of `self` is ≤ every member of `other`.
    pub fn certainly_le(&self, other: &Self) -> bool {
        self.hi <= other.lo
    }

    /// Every member of `self` is < every member of `other`.
    pub fn certainly_lt(&self, other: &Self) -> bool {
        self.hi < other.lo
    }

    /// Every member is > 0.
    pub fn is_positive(&self) -> bool {
        self.lo > 0
    }

    /// Every member is ≤ 0.
    pub fn is_not_positive(&self) -> bool {
        self.hi <= 0
    }

    /// Is it the single number 0?
    pub fn is_zero(&self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// a + b.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let bits = self.bits().max(other.bits());
        Self {
            lo: d::add_down(&self.lo, &other.lo, bits),
            hi: d::add_up(&self.hi, &other.hi, bits),
        }
    }

    /// a − b.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        let bits = self.bits().max(other.bits());
        Self {
            lo: d::sub_down(&self.lo, &other.hi, bits),
            hi: d::sub_up(&self.hi, &other.lo, bits),
        }
    }

    /// 1 − a.
    #[must_use]
    pub fn one_minus(&self) -> Self {
        let bits = self.bits();
        Self {
            lo: d::one_minus_down(&self.hi, bits),
            hi: d::one_minus_up(&self.lo, bits),
        }
    }

    /// −a.
    #[must_use]
    pub fn neg(&self) -> Self {
        Self {
            lo: Float::with_val(self.hi.prec(), -&self.hi),
            hi: Float::with_val(self.lo.prec(), -&self.lo),
        }
    }

    /// a².
    #[must_use]
    pub fn square(&self) -> Self {
        let bits = self.bits();
        let (low, high) = (self.lo.clone().abs(), self.hi.clone().abs());
        let (inner, outer) = if low <= high {
            (low, high)
        } else {
            (high, low)
        };
        let crosses_zero = self.lo < 0 && self.hi > 0;
        Self {
            lo: if crosses_zero {
                Float::new(bits)
            } else {
                d::mul_down(&inner, &inner, bits)
            },
            hi: d::mul_up(&outer, &outer, bits),
        }
    }

    /// a/b; the whole line if b may be zero.
    #[must_use]
    pub fn div(&self, other: &Self) -> Self {
        self.mul(&other.recip())
    }

    /// 1/a; the whole line if a may be zero.
    #[must_use]
    pub fn recip(&self) -> Self {
        let bits = self.bits();
        if self.lo <= 0 && self.hi >= 0 {
            return Self::whole_line(bits);
        }
        let one = Float::with_val(bits, 1);
        Self {
            lo: d::div_down(&one, &self.hi, bits),
            hi: d::div_up(&one, &self.lo, bits),
        }
    }

    /// √a on the non-negative part of the interval (0 if there is none).
    #[must_use]
    pub fn sqrt(&self) -> Self {
        let bits = self.bits();
        let clipped = self.at_least_zero();
        Self {
            lo: d::sqrt_down(&clipped.lo, bits),
            hi: d::sqrt_up(&clipped.hi, bits),
        }
    }

    /// Upper bound of log(1 + w/start), w being the width, where that is very small; log(1 + x) ≤ x.
    fn rise_of_ln_up(&self, start: &Float) -> Option<Float> {
        if *start <= 0 || !self.hi.is_finite() {
            return None;
        }
        let width = d::sub_up(&self.hi, &self.lo, NARROW_BITS);
        let share = d::div_up(&width, start, NARROW_BITS);
        is_narrow(&share).then_some(share)
    }

    /// e^a − 1.
    #[must_use]
    pub fn exp_m1(&self) -> Self {
        let bits = self.bits();
        if let Some(rise) = self.rise_of_exp_up() {
            let (lo, least) = d::exp_m1_both(&self.lo, bits);
            let exp = d::add_up(&least, &Float::with_val(8, 1), bits);
            let hi = d::add_up(&least, &d::mul_up(&exp, &rise, bits), bits);
            return Self { lo, hi };
        }
        Self {
            lo: d::exp_m1_down(&self.lo, bits),
            hi: d::exp_m1_up(&self.hi, bits),
        }
    }

    /// log a on the non-negative part of the interval; log 0 = −∞.
    #[must_use]
    pub fn ln(&self) -> Self {
        let bits = self.bits();
        if let Some(short) = self.ln_short(bits) {
            return short;
        }
        let clipped = self.at_least_zero();
        if let Some(rise) = clipped.rise_of_ln_up(&clipped.lo) {
            let (lo, least) = d::ln_both(&clipped.lo, bits);
            let hi = d::add_up(&least, &rise, bits);
            return Self { lo, hi };
        }
        Self {
            lo: d::ln_down(&clipped.lo, bits),
            hi: d::ln_up(&clipped.hi, bits),
        }
    }

    /// log(1 + a) on the part of the interval ≥ −1; log 0 = −∞.
    #[must_use]
    pub fn ln_1p(&self) -> Self {
        let bits = self.bits();
        let minus_one = Self::from_i64(-1, bits);
        let clipped = self.max(&minus_one);
        let start = d::add_down(&clipped.lo, &Float::with_val(8, 1), bits);
        if let Some(rise) = clipped.rise_of_ln_up(&start) {
            let (lo, least) = d::ln_1p_both(&clipped.lo, bits);
            let hi = d::add_up(&least, &rise, bits);
            return Self { lo, hi };
        }
        Self {
            lo: d::ln_1p_down(&clipped.lo, bits),
            hi: d::ln_1p_up(&clipped.hi, bits),
        }
    }

    /// max(a, b).
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self {
            lo: larger_of(&self.lo, &other.lo).clone(),
            hi: larger_of(&self.hi, &other.hi).clone(),
        }
    }

    /// min(a, b).
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self {
            lo: smaller_of(&self.lo, &other.lo).clone(),
            hi: smaller_of(&self.hi, &other.hi).clone(),
        }
    }

    /// Smallest interval that contains both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            lo: smaller_of(&self.lo, &other.lo).clone(),
            hi: larger_of(&self.hi, &other.hi).clone(),
        }
    }

    /// The common part of two enclosures of the same number.
    ///
    /// # Errors
    /// If they are disjoint: then one of them is false, which is an internal error.
    pub fn intersect(&self, other: &Self) -> Result<Self, InvariantViolation> {
        Self::new(
            larger_of(&self.lo, &other.lo).clone(),
            smaller_of(&self.hi, &other.hi).clone(),
        )
    }

    /// The enclosure of a number known to be ≥ 0.
    #[must_use]
    pub fn at_least_zero(&self) -> Self {
        let bits = self.bits();
        let end = |end: &Float| {
            if *end < 0 {
                Float::new(bits)
            } else {
                end.clone()
            }
        };
        Self {
            lo: end(&self.lo),
            hi: end(&self.hi),
        }
    }

    /// The enclosure of a number known to be in [0, 1].
    #[must_use]
    pub fn in_unit(&self) -> Self {
        let bits = self.bits();
        let end = |end: &Float| {
            if *end < 0 {
                Float::new(bits)
            } else if *end > 1 {
                d::word_down(1, bits)
            } else {
                end.clone()
            }
        };
        Self {
            lo: end(&self.lo),
            hi: end(&self.hi),
        }
    }

    /// How the number compares with a rational, where the enclosure tells.
    pub fn compare(&self, x: &Rational) -> Option<Ordering> {
        if self.hi < *x {
            Some(Ordering::Less)
        } else if self.lo > *x {
            Some(Ordering::Greater)
        } else if self.lo == *x && self.hi == *x {
            Some(Ordering::Equal)
        } else {
            None
        }
    }
}

/// One of two numbers, as [`Pick`] has it.
pub(super) fn larger_of<'a>(a: &'a Float, b: &'a Float) -> &'a Float {
    if b > a { b } else { a }
}

/// One of two numbers, as [`Pick`] has it.
pub(super) fn smaller_of<'a>(a: &'a Float, b: &'a Float) -> &'a Float {
    if b < a { b } else { a }
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;
