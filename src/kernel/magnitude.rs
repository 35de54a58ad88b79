//! Positive numbers with 192 significant bits, rounded down: powers of e along a lattice.

use rug::float::Round;
use rug::integer::Order;
use rug::{Float, Integer};

use super::Interval;
use super::normal_fixed::{Wide, high_product};

/// The number m·2^(e − 191) with 2^191 ≤ m < 2^192: it lies in [2^e, 2^(e + 1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Magnitude {
    mantissa: [u64; 3],
    exponent: i32,
}

/// Both words of a number, the lower one first.
fn words(x: u128) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x.to_le_bytes();
    [
        u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        u64::from_le_bytes([i, j, k, l, m, n, o, p]),
    ]
}

/// What w − c is, as far as a difference of rounded numbers can tell.
pub(crate) enum Difference {
    /// A positive number with a relative error below 0.6·2^-`good_bits`, at least 6 of them.
    Positive {
        /// The number.
        value: Magnitude,
        /// See above.
        good_bits: u32,
    },
    /// Certainly not positive.
    NotPositive,
    /// Too close to zero.
    Unclear,
}

impl Magnitude {
    /// The lower end of an interval, if that is positive and finite and the upper end is close.
    ///
    /// Ensures: for every member x of the interval, x·(1 − 2^-190) ≤ result ≤ x.
    pub(crate) fn of(x: &Interval) -> Option<Self> {
        let magnitude = Self::below(x.lo())?;
        // Two units of the mantissa are at most 2^-190 of the number.
        let mantissa = Integer::from_digits(&magnitude.mantissa, Order::Lsf) + 2u32;
        let shift = magnitude.exponent.checked_sub(191)?;
        (*x.hi() <= Float::with_val(200, mantissa) << shift).then_some(magnitude)
    }

    /// x rounded down to 192 bits, if it is positive and finite.
    ///
    /// Ensures: x·(1 − 2^-191) < result ≤ x.
    pub(crate) fn below(x: &Float) -> Option<Self> {
        if !x.is_finite() || *x <= 0 {
            return None;
        }
        let rounded = Float::with_val_round(192, x, Round::Down).0;
        // Of as many bits as the number has.
        let significand = rounded.get_significand()?;
        let mut mantissa = [0u64; 3];
        if significand.significant_bits() != 192 {
            return None;
        }
        significand.write_digits(&mut mantissa, Order::Lsf);
        Some(Self {
            mantissa,
            exponent: rounded.get_exp()?.checked_sub(1)?,
        })
    }

    /// A whole number rounded down to 192 bits, if it is positive.
    ///
    /// Ensures: x·(1 − 2^-191) < result ≤ x.
    pub(crate) fn of_integer(x: &Integer) -> Option<Self> {
        if *x <= 0 {
            return None;
        }
        let width = x.significant_bits();
        let mut digits = [0u64; 3];
        let left = if let Some(small) = x.to_u128() {
            let [low, high] = words(small);
            digits = [low, high, 0];
            192u32.checked_sub(width)?
        } else if let Some(beyond) = width.checked_sub(193) {
            Integer::from(x >> beyond.checked_add(1)?).write_digits(&mut digits, Order::Lsf);
            0
        } else {
            x.write_digits(&mut digits, Order::Lsf);
            192u32.checked_sub(width)?
        };
        Some(Self {
            mantissa: Wide(digits).shifted_left(left).0,
            exponent: i32::try_from(width).ok()?.checked_sub(1)?,
        })
    }

    /// v·2^−`bits`, if it is positive.
    ///
    /// Requires: `bits` below 2^30.
    pub(crate) fn of_wide(v: Wide, bits: u32) -> Option<Self> {
        let last = v.significant_bits().checked_sub(1)?;
        let exponent = i32::try_from(last)
            .ok()?
            .checked_sub(i32::try_from(bits).ok()?)?;
        Some(Self {
            mantissa: v.shifted_left(191u32.checked_sub(last)?).0,
            exponent,
        })
    }

    /// 1/x, rounded down.
    ///
    /// Ensures: (1 − 2^-190)/x < result ≤ 1/x.
    pub(crate) fn recip(self) -> Option<Self> {
        // x = m·2^(e − 191), so 1/x = (2^383/m)·2^(−192 − e), and that quotient is at least 2^191.
        let mantissa = Integer::from_digits(&self.mantissa, Order::Lsf);
        let quotient = (Integer::from(1) << 383u32) / mantissa;
        let exponent = self.exponent.checked_add(192)?.checked_neg()?;
        Some(Self::of_integer(&quotient)?.shifted(exponent))
    }

    /// The number itself.
    ///
    /// Requires: the size of the exponent is below 2^30.
    pub(crate) fn to_float(self) -> Float {
        let mantissa = Integer::from_digits(&self.mantissa, Order::Lsf);
        Float::with_val(192, mantissa) << self.exponent.wrapping_sub(191)
    }

    /// e with 2^e ≤ the number < 2^(e + 1).
    pub(crate) fn exponent(self) -> i32 {
        self.exponent
    }

    /// The number times 2^`bits`, exactly.
    ///
    /// Requires: |`bits`| and the size of the exponent below 2^30.
    pub(crate) fn shifted(self, bits: i32) -> Self {
        Self {
            exponent: self.exponent.wrapping_add(bits),
            ..self
        }
    }

    /// ⌊x·2^`bits`⌋; none if that is 2^192 or more.
    pub(crate) fn fixed(self, bits: i32) -> Option<Wide> {
        let shift = 191i32.checked_sub(bits)?.checked_sub(self.exponent)?;
        Some(Wide(self.mantissa).shifted_right(u32::try_from(shift).ok()?))
    }

    /// m: the number without its exponent, in units of 2^-191 (unsigned).
    pub(crate) fn mantissa(self) -> Wide {
        Wide(self.mantissa)
    }

    /// a·b, rounded down.
    ///
    /// Ensures: a·b·(1 − 2^-187) < result ≤ a·b.
    /// Requires: exponents below 2^30 in size.
    pub(crate) fn times(self, other: Self) -> Self {
        // The product of the mantissas is at least 2^382: below by less than 6 of at least 2^190 units; a shift to
        // the left is exact.
        let high = Wide(high_product(self.mantissa, other.mantissa));
        let sum = self.exponent.wrapping_add(other.exponent);
        if high.is_negative() {
            Self {
                mantissa: high.0,
                exponent: sum.wrapping_add(1),
            }
        } else {
            // Dropping up to 6 units may reach below 2^190 only if the product is within 6 units of it.
            let Wide([_, _, top]) = high;
            let normal = if top >> 62u32 == 1 {
                high
            } else {
                Wide([0, 0, 1 << 62u32])
            };
            Self {
                mantissa: normal.shifted_left(1).0,
                exponent: sum,
            }
        }
    }

    /// v·x in the units of v, rounded down; none if that is 2^191 units or more.
    ///
    /// Requires: v ≥ 0.
    /// Ensures: v·x − 14 < result ≤ v·x (units).
    pub(crate) fn scale(self, v: Wide) -> Option<Wide> {
        // v·2^e, rounded down by less than 1, times m·2^-191 < 2: below by less than 2 + 2·6.
        let shifted = match u32::try_from(self.exponent) {
            Ok(left) => {
                if v.significant_bits().saturating_add(left) > 192 {
                    return None;
                }
                v.shifted_left(left)
            }
            Err(_) => v.shifted_right(self.exponent.unsigned_abs()),
        };
        let half = Wide(high_product(shifted.0, self.mantissa));
        let Wide([_, _, top]) = half;
        (top >> 62u32 == 0).then(|| half.shifted_left(1))
    }

    /// a + b, rounded down.
    ///
    /// Ensures: (a + b)·(1 − 2^-189) < result ≤ a + b.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        // Units of 2^(e − 190) for the larger exponent e: both below 2^191, rounded down by less than 1 each, so that the sum,
        // at least 2^190 of them, is below by less than 2.
        let apart = large.exponent.wrapping_sub(small.exponent).unsigned_abs();
        let sum = Wide(large.mantissa)
            .shifted_right(1)
            .wrapping_add(Wide(small.mantissa).shifted_right(apart.saturating_add(1)));
        if sum.is_negative() {
            Self {
                mantissa: sum.0,
                exponent: large.exponent.wrapping_add(1),
            }
        } else {
            Self {
                mantissa: sum.shifted_left(1).0,
                exponent: large.exponent,
            }
        }
    }

    /// √x, rounded down.
    ///
    /// Ensures: √x·(1 − 2^-190) < result ≤ √x.
    pub(crate) fn sqrt(self) -> Option<Self> {
        // x = m·2^(e − 191) = (m·2^s)·2^(e − 191 − s) with an even last exponent: the root of m·2^s ≥ 2^382 is at least 2^191.
        let is_even = self.exponent & 1 == 0;
        let shift = if is_even { 191u32 } else { 192u32 };
        let square = Integer::from_digits(&self.mantissa, Order::Lsf) << shift;
        let root = square.sqrt();
        let mut mantissa = [0u64; 3];
        if root.significant_bits() != 192 {
            return None;
        }
        root.write_digits(&mut mantissa, Order::Lsf);
        let exponent = if is_even {
            self.exponent
        } else {
            self.exponent.wrapping_sub(1)
        };
        Some(Self {
            mantissa,
            exponent: exponent >> 1u32,
        })
    }

    /// x − 1, as [`Magnitude::minus`].
    ///
    /// Requires: x is below what it stands for by a relative error of at most 2^-178.
    pub(crate) fn minus_one(self) -> Difference {
        let unit = self.exponent.max(0).unsigned_abs();
        self.less(Wide::power_of_two(190u32.saturating_sub(unit)))
    }

    /// x − c for a number c in [0, 1) given as c·2^191.
    ///
    /// Requires: x is below what it stands for by a relative error of at most 2^-178, c by less than 2^-189.
    /// Ensures: a positive answer has a relative error below 0.6·2^-`good_bits`; a negative one is certain.
    pub(crate) fn minus(self, c: Wide) -> Difference {
        let unit = self.exponent.max(0).unsigned_abs();
        self.less(c.shifted_right(unit.saturating_add(1)))
    }

    /// x − c for c in units of 2^(E − 190), E = max(e, 0), below what it stands for by less than 3 of them.
    fn less(self, c: Wide) -> Difference {
        // Units of 2^(E − 190) with E = max(e, 0): x is below 2^191 of them, so off by less than 2^13 and 1 more by
        // rounding; c is off by less than 3. The difference is within 2^13 + 4 of the truth.
        let unit = self.exponent.max(0).unsigned_abs();
        let below = self.exponent.min(0).unsigned_abs();
        let x = Wide(self.mantissa).shifted_right(below.saturating_add(1));
        let difference = x.wrapping_sub(c);
        let slack = Wide([1 << 14u32, 0, 0]);
        if difference.wrapping_add(slack).is_negative() {
            return Difference::NotPositive;
        }
        // At least 2^(size − 1) ≥ 2^20 units, and within 2^13 + 4 of the truth: so that is at least 0.99·2^(size − 1), and
        // the relative error below 0.51·2^(15 − size).
        let size = difference.significant_bits();
        if size <= 20 {
            return Difference::Unclear;
        }
        let Ok(exponent) = i32::try_from(unit.wrapping_add(size).wrapping_sub(1)) else {
            return Difference::Unclear;
        };
        Difference::Positive {
            value: Self {
                mantissa: difference.shifted_left(192u32.saturating_sub(size)).0,
                exponent: exponent.wrapping_sub(190),
            },
            good_bits: size.wrapping_sub(15),
        }
    }
}

#[cfg(test)]
#[path = "magnitude_tests.rs"]
mod tests;
