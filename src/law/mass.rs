//! Masses of a law: whole numbers of units 2^−bits in a fixed number of limbs.
//!
//! Everything here is exact integer arithmetic, or rounded in the direction that the name says. A sum or a product
//! that does not fit is an error, never a wrong number.

use rug::integer::Order;
use rug::{Float, Integer};

use super::lattice::{ceil_scaled, floor_scaled};
use crate::kernel::InvariantViolation;

/// A whole number 0 ≤ n < 2^(64·L), least limb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mass<const L: usize>([u64; L]);

/// A fraction 0 ≤ t < 1 as t·2^(64·L), rounded as the constructor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction<const L: usize>([u64; L]);

/// A whole number 0 ≤ n < 2^(128·L): a product of two masses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product<const L: usize> {
    /// ⌊n / 2^(64·L)⌋.
    pub high: Mass<L>,
    /// The rest.
    pub low: Mass<L>,
}

impl<const L: usize> Mass<L> {
    /// 0.
    pub const ZERO: Self = Self([0; L]);

    /// The number with these limbs, least first.
    pub const fn from_limbs(limbs: [u64; L]) -> Self {
        Self(limbs)
    }

    /// The limbs, least first.
    pub const fn limbs(&self) -> &[u64; L] {
        &self.0
    }

    /// 2^`bits`.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn power_of_two(bits: u32) -> Result<Self, InvariantViolation> {
        Self::from_integer(&(Integer::from(1) << bits)).ok_or_else(does_not_fit)
    }

    /// The same number; `None` if it is negative or does not fit.
    pub fn from_integer(n: &Integer) -> Option<Self> {
        let mut limbs = [0; L];
        let fits = *n >= 0 && n.significant_digits::<u64>() <= L;
        fits.then(|| n.write_digits(&mut limbs, Order::Lsf))?;
        Some(Self(limbs))
    }

    /// The number with these limbs, least first; `None` if it does not fit.
    pub fn from_limb_slice(source: &[u64]) -> Option<Self> {
        let mut limbs = [0; L];
        for (limb, value) in limbs.iter_mut().zip(source) {
            *limb = *value;
        }
        let rest = source.iter().skip(L).fold(0, |rest, limb| rest | limb);
        (rest == 0).then_some(Self(limbs))
    }

    /// The same number.
    pub fn to_integer(self) -> Integer {
        Integer::from_digits(&self.0, Order::Lsf)
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.0 == [0; L]
    }

    /// self + other.
    ///
    /// # Errors
    /// If it does not fit.
    #[inline]
    pub fn plus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let (sum, carry) = self.add_with_carry(other);
        if carry { Err(does_not_fit()) } else { Ok(sum) }
    }

    /// self − other.
    ///
    /// # Errors
    /// If it is negative.
    #[inline]
    pub fn minus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let (difference, borrow) = self.sub_with_borrow(other);
        if borrow {
            Err(InvariantViolation("a mass is negative".into()))
        } else {
            Ok(difference)
        }
    }

    /// self − other, or 0 if that is negative.
    #[inline]
    #[must_use]
    pub fn minus_or_zero(&self, other: &Self) -> Self {
        let (difference, borrow) = self.sub_with_borrow(other);
        if borrow { Self::ZERO } else { difference }
    }

    /// ⌊self·t⌋.
    #[inline]
    #[must_use]
    pub fn times_down(&self, t: &Fraction<L>) -> Self {
        Product::of(&self.0, &t.0).high
    }

    /// ⌈self·(1 − t)⌉ = self − ⌊self·t⌋.
    #[inline]
    #[must_use]
    pub fn times_complement_up(&self, t: &Fraction<L>) -> Self {
        // The floor is at most self.
        self.minus_or_zero(&self.times_down(t))
    }

    /// ⌈self·t⌉, or one unit more where that is self·t exactly.
    ///
    /// # Errors
    /// If it does not fit.
    #[inline]
    pub fn times_up(&self, t: &Fraction<L>) -> Result<Self, InvariantViolation> {
        if self.is_zero() {
            return Ok(Self::ZERO);
        }
        self.times_down(t).plus(&one_if(true))
    }

    /// self·2^`shift` in another number of limbs.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn widened<const W: usize>(&self, shift: u32) -> Result<Mass<W>, InvariantViolation> {
        let skipped = usize::try_from(shift / 64).unwrap_or(usize::MAX);
        let within = shift % 64;
        let mut wide = [0u64; W];
        let mut below = 0u64;
        let mut source = self.0.iter();
        for slot in wide.iter_mut().skip(skipped) {
            let limb = source.next().copied().unwrap_or(0);
            *slot = (limb << within) | below.checked_shr(64 - within).unwrap_or(0);
            below = limb;
        }
        let rest = below.checked_shr(64 - within).unwrap_or(0) != 0;
        if rest || source.any(|limb| *limb != 0) {
            return Err(does_not_fit());
        }
        Ok(Mass(wide))
    }

    /// ⌊self / 2^bits⌋.
    #[must_use]
    pub fn shifted_down(&self, bits: u32) -> Self {
        let product = Product {
            high: Self::ZERO,
            low: *self,
        };
        // The quotient of a number below 2^(64·L) fits.
        product.shifted_down(bits).unwrap_or(Self::ZERO)
    }

    /// The sum.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn sum<'a>(masses: impl IntoIterator<Item = &'a Self>) -> Result<Self, InvariantViolation> {
        masses
            .into_iter()
            .try_fold(Self::ZERO, |sum, mass| sum.plus(mass))
    }

    fn add_with_carry(&self, other: &Self) -> (Self, bool) {
        let mut sum = self.0;
        let mut carry = false;
        for (limb, added) in sum.iter_mut().zip(&other.0) {
            let (partial, first) = limb.overflowing_add(*added);
            let (total, second) = partial.overflowing_add(u64::from(carry));
            *limb = total;
            carry = first | second;
        }
        (Self(sum), carry)
    }

    fn sub_with_borrow(&self, other: &Self) -> (Self, bool) {
        let mut difference = self.0;
        let mut borrow = false;
        for (limb, taken) in difference.iter_mut().zip(&other.0) {
            let (partial, first) = limb.overflowing_sub(*taken);
            let (rest, second) = partial.overflowing_sub(u64::from(borrow));
            *limb = rest;
            borrow = first | second;
        }
        (Self(difference), borrow)
    }
}

impl<const L: usize> Ord for Mass<L> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const L: usize> PartialOrd for Mass<L> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const L: usize> Fraction<L> {
    /// The largest fraction that is at most `x`; 0 if `x` is negative or not a number.
    pub fn below(x: &Float) -> Self {
        let whole = floor_scaled(x, Self::bits());
        let most = (Integer::from(1) << Self::bits()) - 1u32;
        let clamped = whole.clamp(&Integer::new(), &most);
        Self(Mass::from_integer(&clamped).unwrap_or(Mass::ZERO).0)
    }

    /// The smallest fraction that is at least `x`; `None` if there is none below 1.
    pub fn above(x: &Float) -> Option<Self> {
        let whole = ceil_scaled(x, Self::bits()).max(Integer::new());
        Mass::from_integer(&whole).map(|mass| Self(mass.0))
    }

    /// ⌊self·2^(64·L)⌋ has these limbs, least first.
    pub const fn from_limbs(limbs: [u64; L]) -> Self {
        Self(limbs)
    }

    /// Fractional bits.
    fn bits() -> u32 {
        u32::try_from(L).unwrap_or(u32::MAX / 64).saturating_mul(64)
    }
}

impl<const L: usize> Product<L> {
    /// 0.
    pub const ZERO: Self = Self {
        high: Mass::ZERO,
        low: Mass::ZERO,
    };

    /// The exact product of two numbers given by their limbs.
    fn of(a: &[u64; L], b: &[u64; L]) -> Self {
        let mut low = [0; L];
        let mut high = [0; L];
        for (i, &x) in a.iter().enumerate() {
            let mut carry = 0u64;
            // Limbs i, i + 1, … of the result so far.
            let target = low.iter_mut().chain(high.iter_mut()).skip(i);
            for (limb, &y) in target.zip(b.iter().chain(std::iter::once(&0))) {
                // At most (2^64 − 1)² + 2(2^64 − 1) = 2^128 − 1.
                let total = u128::from(x) * u128::from(y) + u128::from(*limb) + u128::from(carry);
                *limb = low_limb(total);
                carry = high_limb(total);
            }
        }
        Self {
            high: Mass(high),
            low: Mass(low),
        }
    }

    /// a·b.
    #[inline]
    pub fn new(a: &Mass<L>, b: &Mass<L>) -> Self {
        Self::of(&a.0, &b.0)
    }

    /// self + other.
    ///
    /// # Errors
    /// If it does not fit.
    #[inline]
    pub fn plus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let (low, carry) = self.low.add_with_carry(&other.low);
        let (high, first) = self.high.add_with_carry(&other.high);
        let (high, second) = high.add_with_carry(&one_if(carry));
        if first | second {
            Err(does_not_fit())
        } else {
            Ok(Self { high, low })
        }
    }

    /// ⌊self / 2^bits⌋.
    ///
    /// # Errors
    /// If it does not fit.
    #[inline]
    pub fn shifted_down(&self, bits: u32) -> Result<Mass<L>, InvariantViolation> {
        let skipped = usize::try_from(bits / 64).unwrap_or(usize::MAX);
        let within = bits % 64;
        let mut limbs = self.low.0.iter().chain(&self.high.0).skip(skipped);
        let mut current = limbs.next().copied().unwrap_or(0);
        let mut shifted = [0u64; L];
        for slot in &mut shifted {
            let next = limbs.next().copied().unwrap_or(0);
            *slot = join(current, next, within);
            current = next;
        }
        let rest = (current >> within) != 0 || limbs.any(|limb| *limb != 0);
        if rest {
            Err(does_not_fit())
        } else {
            Ok(Mass(shifted))
        }
    }

    /// ⌈self / 2^bits⌉.
    ///
    /// # Errors
    /// If it does not fit.
    #[inline]
    pub fn shifted_up(&self, bits: u32) -> Result<Mass<L>, InvariantViolation> {
        let floor = self.shifted_down(bits)?;
        if self.has_bits_below(bits) {
            floor.plus(&one_if(true))
        } else {
            Ok(floor)
        }
    }

    /// self modulo 2^bits.
    #[must_use]
    pub fn below(&self, bits: u32) -> Self {
        let mut left = bits;
        let mut rest = *self;
        for limb in rest.low.0.iter_mut().chain(&mut rest.high.0) {
            let here = left.min(64);
            left -= here;
            *limb &= mask(here);
        }
        rest
    }

    /// Is self not a multiple of 2^bits?
    fn has_bits_below(&self, bits: u32) -> bool {
        self.below(bits) != Self::ZERO
    }

    /// The same number.
    pub fn to_integer(self) -> Integer {
        (self.high.to_integer() << Fraction::<L>::bits()) + self.low.to_integer()
    }
}

/// The lowest `bits` ≤ 64 bits of a limb.
#[inline]
fn mask(bits: u32) -> u64 {
    1u64.checked_shl(bits)
        .map_or(u64::MAX, |power| power.wrapping_sub(1))
}

/// The limb that starts `within` < 64 bits into `low`, continued by `high`.
#[inline]
fn join(low: u64, high: u64, within: u32) -> u64 {
    (low >> within) | high.checked_shl(64 - within).unwrap_or(0)
}

fn one_if<const L: usize>(condition: bool) -> Mass<L> {
    let mut limbs = [0; L];
    if let Some(first) = limbs.first_mut() {
        *first = u64::from(condition);
    }
    Mass(limbs)
}

/// x modulo 2^64.
#[inline]
fn low_limb(x: u128) -> u64 {
    u64::try_from(x & u128::from(u64::MAX)).unwrap_or(0)
}

/// ⌊x/2^64⌋.
#[inline]
fn high_limb(x: u128) -> u64 {
    u64::try_from(x >> 64u32).unwrap_or(0)
}

fn does_not_fit() -> InvariantViolation {
    InvariantViolation("a mass does not fit".into())
}

#[cfg(test)]
#[path = "mass_tests.rs"]
mod tests;
