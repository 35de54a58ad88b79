//! Intervals with MPFR ends: the value of every operation on any members lies in the result.

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use super::InvariantViolation;
use super::directed as d;

/// A closed interval [lo, hi] of the extended real line that contains the number it stands for.
///
/// Invariant: `lo ≤ hi`, neither is NaN. An infinite end means "no bound known on this side" (or a true infinity).
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    lo: Float,
    hi: Float,
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
        Self::from_integer(&Integer::from(x), bits)
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
                let middle = Float::with_val(bits, &self.lo + half);
                if middle < self.lo {
                    self.lo.clone()
                } else if middle > self.hi {
                    self.hi.clone()
                } else {
                    middle
                }
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
        Self::one(self.bits()).sub(self)
    }

    /// −a.
    #[must_use]
    pub fn neg(&self) -> Self {
        Self {
            lo: Float::with_val(self.hi.prec(), -&self.hi),
            hi: Float::with_val(self.lo.prec(), -&self.lo),
        }
    }

    /// a·b. An infinite end times zero counts as zero: it is the limit of finite bounds.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let bits = self.bits().max(other.bits());
        if self.lo >= 0 && other.lo >= 0 {
            return Self {
                lo: mul_ends_down(&self.lo, &other.lo, bits),
                hi: mul_ends_up(&self.hi, &other.hi, bits),
            };
        }
        let ends = [
            (&self.lo, &other.lo),
            (&self.lo, &other.hi),
            (&self.hi, &other.lo),
            (&self.hi, &other.hi),
        ];
        let lo = ends
            .iter()
            .map(|(a, b)| mul_ends_down(a, b, bits))
            .reduce(smaller);
        let hi = ends
            .iter()
            .map(|(a, b)| mul_ends_up(a, b, bits))
            .reduce(larger);
        Self {
            lo: lo.unwrap_or_else(|| d::neg_infinity(bits)),
            hi: hi.unwrap_or_else(|| d::infinity(bits)),
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

    /// e^a.
    #[must_use]
    pub fn exp(&self) -> Self {
        let bits = self.bits();
        Self {
            lo: d::exp_down(&self.lo, bits),
            hi: d::exp_up(&self.hi, bits),
        }
    }

    /// e^a − 1.
    #[must_use]
    pub fn exp_m1(&self) -> Self {
        let bits = self.bits();
        Self {
            lo: d::exp_m1_down(&self.lo, bits),
            hi: d::exp_m1_up(&self.hi, bits),
        }
    }

    /// log a on the non-negative part of the interval; log 0 = −∞.
    #[must_use]
    pub fn ln(&self) -> Self {
        let bits = self.bits();
        let clipped = self.at_least_zero();
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
        Self {
            lo: d::ln_1p_down(&clipped.lo, bits),
            hi: d::ln_1p_up(&clipped.hi, bits),
        }
    }

    /// max(a, b).
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self {
            lo: larger(self.lo.clone(), other.lo.clone()),
            hi: larger(self.hi.clone(), other.hi.clone()),
        }
    }

    /// min(a, b).
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self {
            lo: smaller(self.lo.clone(), other.lo.clone()),
            hi: smaller(self.hi.clone(), other.hi.clone()),
        }
    }

    /// Smallest interval that contains both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            lo: smaller(self.lo.clone(), other.lo.clone()),
            hi: larger(self.hi.clone(), other.hi.clone()),
        }
    }

    /// The common part of two enclosures of the same number.
    ///
    /// # Errors
    /// If they are disjoint: then one of them is false, which is an internal error.
    pub fn intersect(&self, other: &Self) -> Result<Self, InvariantViolation> {
        Self::new(
            larger(self.lo.clone(), other.lo.clone()),
            smaller(self.hi.clone(), other.hi.clone()),
        )
    }

    /// The enclosure of a number known to be ≥ 0.
    #[must_use]
    pub fn at_least_zero(&self) -> Self {
        self.max(&Self::zero(self.bits()))
    }

    /// The enclosure of a number known to be in [0, 1].
    #[must_use]
    pub fn in_unit(&self) -> Self {
        self.at_least_zero().min(&Self::one(self.bits()))
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

fn smaller(a: Float, b: Float) -> Float {
    if b < a { b } else { a }
}

fn larger(a: Float, b: Float) -> Float {
    if b > a { b } else { a }
}

fn mul_ends_down(a: &Float, b: &Float, bits: u32) -> Float {
    if *a == 0 || *b == 0 {
        Float::new(bits)
    } else {
        d::mul_down(a, b, bits)
    }
}

fn mul_ends_up(a: &Float, b: &Float, bits: u32) -> Float {
    if *a == 0 || *b == 0 {
        Float::new(bits)
    } else {
        d::mul_up(a, b, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = Rational> {
        (-2000i64..2000, 1i64..500).prop_map(|(n, m)| Rational::from((n, m)))
    }

    fn enclose(a: &Rational, b: &Rational, bits: u32) -> Interval {
        Interval::spanning(
            d::rational_down(a.min(b), bits),
            d::rational_up(a.max(b), bits),
        )
    }

    fn between(a: &Rational, b: &Rational, t: u32) -> Rational {
        let t = Rational::from((t, 16));
        Rational::from(a + Rational::from(b - a) * t)
    }

    proptest! {
        /// Containment: any members, any operation, exact rational arithmetic as the oracle.
        #[test]
        fn rational_operations_contain(a in rational(), b in rational(), c in rational(), e in rational(),
                                       t in 0u32..17, s in 0u32..17, bits in 2u32..90) {
            let (x, y) = (enclose(&a, &b, bits), enclose(&c, &e, bits));
            let (p, q) = (between(&a, &b, t), between(&c, &e, s));
            prop_assert!(x.contains(&p));
            prop_assert!(x.add(&y).contains(&Rational::from(&p + &q)));
            prop_assert!(x.sub(&y).contains(&Rational::from(&p - &q)));
            prop_assert!(x.mul(&y).contains(&Rational::from(&p * &q)));
            prop_assert!(x.square().contains(&Rational::from(&p * &p)));
            prop_assert!(x.neg().contains(&Rational::from(-&p)));
            prop_assert!(x.one_minus().contains(&Rational::from(1 - &p)));
            prop_assert!(x.max(&y).contains(&p.clone().max(q.clone())));
            prop_assert!(x.min(&y).contains(&p.clone().min(q.clone())));
            prop_assert!(x.hull(&y).contains(&p) && x.hull(&y).contains(&q));
            prop_assert!(x.at_bits(2).contains(&p));
            if q != 0 {
                prop_assert!(x.div(&y).contains(&Rational::from(&p / &q)));
            }
            if p >= 0 {
                let root = x.sqrt();
                prop_assert!(root.square().contains(&p));
            }
            prop_assert!(Float::with_val(200, x.width_up()) >= Rational::from(&b - &a).abs());
        }

        /// Two precisions and inverse functions: the coarse interval contains the fine one, and undoing an
        /// operation leads back to an interval that contains the start.
        #[test]
        fn functions_contain_and_invert(a in rational(), bits in 10u32..60) {
            let small = Rational::from(&a / 100);
            let (coarse, fine) = (Interval::from_rational(&small, bits), Interval::from_rational(&small, 300));
            for f in [Interval::exp, Interval::exp_m1] {
                let (outer, inner) = (f(&coarse), f(&fine));
                prop_assert!(outer.lo() <= inner.lo() && inner.hi() <= outer.hi());
            }
            prop_assert!(coarse.exp().ln().contains(&small));
            prop_assert!(coarse.exp_m1().ln_1p().contains(&small));
        }
    }

    #[test]
    fn tight_at_high_precision() {
        let third = Interval::from_rational(&Rational::from((1, 3)), 300);
        for value in [
            third.add(&third),
            third.mul(&third),
            third.div(&third),
            third.exp().ln(),
            third.sqrt(),
        ] {
            assert!(value.width_up() < Float::with_val(53, 1e-88), "{value:?}");
        }
    }

    #[test]
    fn crossed_bounds_are_an_internal_error() {
        let (one, two) = (Float::with_val(53, 1), Float::with_val(53, 2));
        assert!(Interval::new(two.clone(), one.clone()).is_err());
        let (a, b) = (Interval::point(one), Interval::point(two));
        assert!(a.intersect(&b).is_err());
        assert_eq!(a.intersect(&a.hull(&b)).unwrap(), a);
    }

    #[test]
    fn division_by_an_interval_around_zero_knows_nothing() {
        let around = Interval::spanning(Float::with_val(53, -1), Float::with_val(53, 1));
        assert_eq!(Interval::one(53).div(&around), Interval::whole_line(53));
        assert!(Interval::zero(53).mul(&Interval::whole_line(53)).is_zero());
    }

    #[test]
    fn logarithm_of_zero_is_minus_infinity() {
        let unit = Interval::zero(53).hull(&Interval::one(53));
        assert!(unit.ln().lo().is_infinite());
        assert!(*unit.ln().hi() == 0);
    }
}
