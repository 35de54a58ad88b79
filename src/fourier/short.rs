//! Positive numbers in one word and an exponent, rounded down: totals of which few digits are asked for.

use rug::float::Round;
use rug::{Float, Integer};

/// The number m·2^(e − 63) with 2^63 ≤ m < 2^64: it lies in [2^e, 2^(e + 1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Short {
    mantissa: u64,
    exponent: i32,
}

/// Exponents have sizes up to this.
const LARGEST_EXPONENT: i32 = 1 << 28;

impl Short {
    /// Every operation is relatively off by less than 2^−this.
    pub(super) const BITS: u32 = 62;

    pub(super) const ONE: Self = Self {
        mantissa: 1 << 63,
        exponent: 0,
    };

    fn new(mantissa: u64, exponent: i32) -> Option<Self> {
        let is_small = exponent.checked_abs()? <= LARGEST_EXPONENT;
        is_small.then_some(Self { mantissa, exponent })
    }

    /// The highest bits of a number.
    fn of_u128(x: u128, exponent: i32) -> Option<Self> {
        let high = x.checked_shl(x.leading_zeros())? >> 64u32;
        Self::new(u64::try_from(high).ok()?, exponent)
    }

    /// A number, if it is positive and finite.
    ///
    /// Ensures: x·(1 − 2^−63) < result ≤ x.
    pub(super) fn below(x: &Float) -> Option<Self> {
        if !x.is_finite() || *x <= 0 {
            return None;
        }
        let (rounded, _) = Float::with_val_round(64, x, Round::Down);
        let significand = rounded.get_significand()?.to_u128()?;
        Self::of_u128(significand, rounded.get_exp()?.checked_sub(1)?)
    }

    /// A whole number, if it is positive.
    ///
    /// Ensures: x·(1 − 2^−63) < result ≤ x.
    pub(super) fn of_integer(x: &Integer) -> Option<Self> {
        if *x <= 0 {
            return None;
        }
        let width = x.significant_bits();
        let exponent = i32::try_from(width).ok()?.checked_sub(1)?;
        match x.to_u128() {
            Some(small) => Self::of_u128(small, exponent),
            None => {
                let high = Integer::from(x >> width.checked_sub(64)?);
                Self::new(high.to_u64()?, exponent)
            }
        }
    }

    /// a·b, rounded down; `None` for a number too far from 1.
    ///
    /// Ensures: a·b·(1 − 2^−63) < result ≤ a·b.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        // The product of the mantissas is at least 2^126: with 126 or 127 bits after its first, of which 63 are kept.
        let product = u128::from(self.mantissa).checked_mul(u128::from(other.mantissa))?;
        let carry = i32::from(product.leading_zeros() == 0);
        let exponent = self.exponent.checked_add(other.exponent)?;
        Self::of_u128(product, exponent.checked_add(carry)?)
    }

    /// a + b, rounded down.
    ///
    /// Ensures: (a + b)·(1 − 2^−62) < result ≤ a + b.
    pub(super) fn plus(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        // Units of the larger mantissa, which is at least 2^63 of them: less than one of the smaller number is lost, and less than one more where the sum is halved.
        let apart = large.exponent.abs_diff(small.exponent);
        let moved = small.mantissa.checked_shr(apart).unwrap_or(0);
        match large.mantissa.checked_add(moved) {
            Some(mantissa) => Self { mantissa, ..large },
            None => {
                let sum = u128::from(large.mantissa).saturating_add(u128::from(moved));
                Self {
                    // Below 2^64.
                    mantissa: u64::try_from(sum >> 1u32).unwrap_or(1 << 63),
                    exponent: large.exponent.saturating_add(1),
                }
            }
        }
    }

    /// The number itself.
    pub(super) fn to_float(self) -> Float {
        Float::with_val(64, self.mantissa) << self.exponent.saturating_sub(63)
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::Random;

    fn exact(x: Short) -> Rational {
        Rational::from(x.mantissa) << (x.exponent - 63)
    }

    fn any(random: &mut Random, far: u64) -> Short {
        let mantissa = match random.below(4) {
            0 => u64::MAX,
            1 => 1 << 63,
            _ => random.below(u64::MAX) | 1 << 63,
        };
        let exponent = i32::try_from(random.below(far)).unwrap() - i32::try_from(far / 2).unwrap();
        Short { mantissa, exponent }
    }

    /// Never above the truth, and below by no more than is said.
    fn is_below(found: Short, truth: &Rational, digits: u32) {
        let lost = truth.clone() - exact(found);
        assert!(lost >= 0 && lost << digits < *truth, "{found:?} {truth}");
        assert!(found.mantissa >> 63u32 == 1, "{found:?}");
    }

    #[test]
    fn products_and_sums_are_rounded_down() {
        let mut random = Random(91);
        for round in 0..20_000 {
            let far = if round % 2 == 0 { 8 } else { 300 };
            let (a, b) = (any(&mut random, far), any(&mut random, far));
            is_below(a.times(b).unwrap(), &(exact(a) * exact(b)), 63);
            is_below(a.plus(b), &(exact(a) + exact(b)), 62);
            assert_eq!(a.to_float().to_rational().unwrap(), exact(a));
        }
        let one = exact(Short::ONE);
        assert_eq!(one, 1);
        let far = Short::new(1 << 63, LARGEST_EXPONENT).unwrap();
        assert!(far.times(far).is_none() && far.times(Short::ONE) == Some(far));
    }

    #[test]
    fn numbers_of_any_size_are_rounded_down() {
        let mut random = Random(92);
        for _ in 0..20_000 {
            let digits = [0, 1, 2, 3].map(|_| random.below(u64::MAX));
            let all = Integer::from_digits(&digits, rug::integer::Order::Lsf);
            let shift = u32::try_from(random.below(255)).unwrap();
            let whole = Integer::from(&all >> shift) + 1u32;
            is_below(
                Short::of_integer(&whole).unwrap(),
                &Rational::from(&whole),
                63,
            );
            let bits = 2 + u32::try_from(random.below(200)).unwrap();
            let float = Float::with_val(bits, &all) >> shift << 7u32;
            is_below(
                Short::below(&float).unwrap(),
                &float.to_rational().unwrap(),
                63,
            );
        }
        assert!(Short::of_integer(&Integer::new()).is_none());
        assert!(Short::of_integer(&Integer::from(-5)).is_none());
        assert!(Short::below(&Float::new(64)).is_none());
        assert!(Short::below(&Float::with_val(64, -1)).is_none());
        assert!(Short::below(&Float::with_val(64, rug::float::Special::Infinity)).is_none());
    }
}
