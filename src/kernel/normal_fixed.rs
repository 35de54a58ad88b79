//! Fixed-point arithmetic for the table of the normal law: a signed number times a fraction, rounded.
//!
//! A signed number v is held as the integer V = v·2^[`FRACTION_BITS`] ("ulps") in two's complement; a fraction
//! t in [0, 1) as T = t·2^192 in three limbs, least first. Everything is integer arithmetic; where a sum or a
//! product is formed with `+` and `*` the line says why it cannot overflow, and where it is formed modulo a power of
//! two the caller requires the true value to fit, so that the remainder is the value.

/// One ulp is 2^-190: three limbs hold numbers in [−2, 2).
pub(crate) const FRACTION_BITS: u32 = 190;

/// A fraction t in [0, 1): t·2^192 with the least limb first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fraction(pub [u64; 3]);

/// A signed number of ulps, modulo 2^192 in two's complement, least limb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wide(pub [u64; 3]);

impl Fraction {
    /// ⌊v·t⌋ ulps, or up to 1 ulp less, for a number that fits one limb.
    ///
    /// Requires: |v| < 2^63 ulps.
    /// Ensures: v·t − 2 < result < v·t + 1 (ulps), and |result| ≤ |v| + 1.
    pub(crate) fn scale_one(&self, v: i128) -> i128 {
        // T = T₂·2^128 + rest: dropping the rest moves the product by less than 2^63·2^-64 either way, and the shift
        // rounds down by less than 1. |v·T₂| < 2^63·2^64 fits.
        let Self([_, _, t2]) = *self;
        v.wrapping_mul(i128::from(t2)) >> 64u32
    }

    /// About v·t ulps, for a number that fits two limbs.
    ///
    /// Requires: |v| < 2^127 − 4 ulps.
    /// Ensures: v·t − 4 < result < v·t + 1 (ulps).
    pub(crate) fn scale_two(&self, v: i128) -> i128 {
        // v = v₁·2^64 + v₀ with 0 ≤ v₀ < 2^64 and |v₁| ≤ 2^63; t ≈ (T₂·2^64 + T₁)/2^128, which drops less than
        // 2^127·2^-128 < 1 either way. Of the four products v₀·T₁ (less than 1 ulp) is dropped and two are
        // rounded down (less than 1 ulp each): below by less than 3.
        let Self([_, t1, t2]) = *self;
        let (v1, v0) = (v >> 64u32, low_limb(v.cast_unsigned()));
        // |v₁·Tᵢ| ≤ 2^63·(2^64 − 1) < 2^127; v₀·T₂ < 2^128 unsigned and < 2^64 after the shift.
        let high = v1.wrapping_mul(i128::from(t2));
        let middle = v1.wrapping_mul(i128::from(t1)) >> 64u32;
        let low = i128::from(high_limb(u128::from(v0) * u128::from(t2)));
        // The sum is within 4 of v·t, hence below 2^127.
        high.wrapping_add(middle).wrapping_add(low)
    }

    /// About v·t ulps.
    ///
    /// Ensures: v·t − 6 < result ≤ v·t (ulps), where v in [−2^191, 2^191) is the number `v` stands for.
    pub(crate) fn scale_three(&self, v: Wide) -> Wide {
        // Write v = V − 2^192·[v < 0] with 0 ≤ V < 2^192; then v·t = V·T/2^192 − T·[v < 0].
        let unsigned = Wide(high_product(v.0, self.0));
        if v.is_negative() {
            unsigned.wrapping_sub(Wide(self.0))
        } else {
            unsigned
        }
    }
}

impl Wide {
    /// The same number, sign-extended.
    pub(crate) fn from_two(v: i128) -> Self {
        let extension = if v < 0 { u64::MAX } else { 0 };
        let bits = v.cast_unsigned();
        Self([low_limb(bits), high_limb(bits), extension])
    }

    /// 2^`exponent` ulps (0 from 2^192 on).
    pub(crate) fn power_of_two(exponent: u32) -> Self {
        let limbs = [0u32, 64, 128].map(|start| {
            exponent
                .checked_sub(start)
                .and_then(|shift| 1u64.checked_shl(shift))
                .unwrap_or(0)
        });
        Self(limbs)
    }

    pub(crate) fn is_negative(self) -> bool {
        let Self([_, _, top]) = self;
        top >> 63u32 == 1
    }

    /// Bits of v, from the highest that is set; 0 for a negative number.
    pub(crate) fn significant_bits(self) -> u32 {
        let Self([low, middle, top]) = self;
        if self.is_negative() {
            return 0;
        }
        let zeros = match (top, middle) {
            (0, 0) => low.leading_zeros().saturating_add(128),
            (0, _) => middle.leading_zeros().saturating_add(64),
            _ => top.leading_zeros(),
        };
        192u32.saturating_sub(zeros)
    }

    /// 0.
    pub(crate) const ZERO: Self = Self([0; 3]);

    /// ⌊v·2^−`bits`⌋.
    ///
    /// Requires: v ≥ 0 (or an unsigned number of three limbs).
    pub(crate) fn shifted_right(self, bits: u32) -> Self {
        let Self([v0, v1, v2]) = self;
        let limbs = match bits {
            0..64 => [v0, v1, v2, 0],
            64..128 => [v1, v2, 0, 0],
            128..192 => [v2, 0, 0, 0],
            _ => [0; 4],
        };
        let [v0, v1, v2, v3] = limbs;
        let shift = bits % 64;
        let pair = |low: u64, high: u64| {
            low_limb(((u128::from(high) << 64u32) | u128::from(low)) >> shift)
        };
        Self([pair(v0, v1), pair(v1, v2), pair(v2, v3)])
    }

    /// v modulo 2^`bits`, at least 0.
    pub(crate) fn remainder(self, bits: u32) -> Self {
        let Self(mask) = Self::power_of_two(bits).wrapping_sub(Self([1, 0, 0]));
        let (Self([v0, v1, v2]), [m0, m1, m2]) = (self, mask);
        Self([v0 & m0, v1 & m1, v2 & m2])
    }

    /// v·2^−`bits`, rounded towards zero.
    pub(crate) fn toward_zero(self, bits: u32) -> Self {
        if self.is_negative() {
            self.negated().shifted_right(bits).negated()
        } else {
            self.shifted_right(bits)
        }
    }

    /// The most significant limb.
    pub(crate) fn top(self) -> u64 {
        let Self([_, _, top]) = self;
        top
    }

    /// v·2^`bits` modulo 2^192.
    pub(crate) fn shifted_left(self, bits: u32) -> Self {
        let Self([v0, v1, v2]) = self;
        let limbs = match bits {
            0..64 => [0, v0, v1, v2],
            64..128 => [0, 0, v0, v1],
            128..192 => [0, 0, 0, v0],
            _ => [0; 4],
        };
        let [below, v0, v1, v2] = limbs;
        let shift = bits % 64;
        let pair = |low: u64, high: u64| {
            high_limb(((u128::from(high) << 64u32) | u128::from(low)) << shift)
        };
        Self([pair(below, v0), pair(v0, v1), pair(v1, v2)])
    }

    /// n·v modulo 2^192.
    pub(crate) fn times_integer(self, n: i64) -> Self {
        let Self([v0, v1, v2]) = self;
        let factor = n.unsigned_abs();
        let product = |v: u64| u128::from(v).wrapping_mul(u128::from(factor)); // < 2^128
        let (p0, p1) = (product(v0), product(v1));
        let middle = u128::from(high_limb(p0)).wrapping_add(u128::from(low_limb(p1))); // < 2^65
        let top = v2
            .wrapping_mul(factor)
            .wrapping_add(high_limb(p1))
            .wrapping_add(high_limb(middle));
        let size = Self([low_limb(p0), low_limb(middle), top]);
        if n < 0 { size.negated() } else { size }
    }

    /// −v modulo 2^192.
    pub(crate) fn negated(self) -> Self {
        Self::ZERO.wrapping_sub(self)
    }

    /// The larger of v and 0.
    pub(crate) fn at_least_zero(self) -> Self {
        if self.is_negative() { Self::ZERO } else { self }
    }

    /// The smaller of two numbers, neither of them negative.
    pub(crate) fn min(self, other: Self) -> Self {
        let Self([a0, a1, a2]) = self;
        let Self([b0, b1, b2]) = other;
        if (a2, a1, a0) <= (b2, b1, b0) {
            self
        } else {
            other
        }
    }

    /// a + b modulo 2^192.
    pub(crate) fn wrapping_add(self, other: Self) -> Self {
        let (Self([a0, a1, a2]), Self([b0, b1, b2])) = (self, other);
        let low = u128::from(a0) + u128::from(b0); // < 2^65
        let middle = u128::from(a1) + u128::from(b1) + u128::from(high_limb(low)); // < 2^66
        let top = a2.wrapping_add(b2).wrapping_add(high_limb(middle));
        Self([low_limb(low), low_limb(middle), top])
    }

    /// a − b modulo 2^192.
    pub(crate) fn wrapping_sub(self, other: Self) -> Self {
        // −b = (not b) + 1.
        let Self(limbs) = other;
        let one = Self([1, 0, 0]);
        self.wrapping_add(Self(limbs.map(|limb| !limb)))
            .wrapping_add(one)
    }
}

/// a·b/2^192, below by less than 6 and never above.
///
/// Ensures: a·b/2^192 − 6 < result ≤ a·b/2^192, as integers of three limbs.
pub(crate) fn high_product(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    // a·b/2^192 = Σ aᵢbⱼ·2^(64(i + j) − 192). The products with i + j ≤ 1 are dropped: less than 2 and a bit for
    // i + j = 1, 2^-64 for i = j = 0. Those with i + j = 2 are rounded down, less than 1 each. In all the result is
    // below by less than 2 + 2^-64 − 2^-60 + 3 < 6, and never above.
    let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
    let product = |a: u64, b: u64| u128::from(a).wrapping_mul(u128::from(b)); // < 2^128
    let (p22, p21, p12) = (product(a2, b2), product(a2, b1), product(a1, b2));
    let middle = |p: u128| u128::from(high_limb(p));
    // Sums of at most five terms below 2^64.
    let limb0 = middle(product(a2, b0))
        .wrapping_add(middle(product(a1, b1)))
        .wrapping_add(middle(product(a0, b2)))
        .wrapping_add(u128::from(low_limb(p21)))
        .wrapping_add(u128::from(low_limb(p12)));
    let limb1 = middle(p21)
        .wrapping_add(middle(p12))
        .wrapping_add(u128::from(low_limb(p22)))
        .wrapping_add(middle(limb0));
    let limb2 = middle(p22).wrapping_add(middle(limb1));
    [low_limb(limb0), low_limb(limb1), low_limb(limb2)]
}

/// x modulo 2^64.
pub(crate) fn low_limb(x: u128) -> u64 {
    u64::try_from(x & u128::from(u64::MAX)).unwrap_or(0)
}

/// ⌊x/2^64⌋.
pub(crate) fn high_limb(x: u128) -> u64 {
    u64::try_from(x >> 64u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rug::integer::Order;
    use rug::{Integer, Rational};

    fn integer(v: Wide) -> Integer {
        let unsigned = Integer::from_digits(&v.0, Order::Lsf);
        if v.is_negative() {
            unsigned - (Integer::from(1) << 192)
        } else {
            unsigned
        }
    }

    fn fraction(t: Fraction) -> Rational {
        Rational::from((
            Integer::from_digits(&t.0, Order::Lsf),
            Integer::from(1) << 192,
        ))
    }

    /// Limbs at random, but zero and all ones often.
    fn limb() -> impl Strategy<Value = u64> {
        prop_oneof![3 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX), 1 => Just(1u64 << 63)]
    }

    fn limbs() -> impl Strategy<Value = [u64; 3]> {
        [limb(), limb(), limb()]
    }

    /// −below < computed − v·t < above.
    fn check(computed: &Integer, v: &Integer, t: Fraction, below: i32, above: i32) -> bool {
        let excess = Rational::from(computed) - fraction(t) * v;
        excess > -below && excess < above
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(500)))]

        #[test]
        fn scaling_stays_within_its_bounds(t in limbs(), v in limbs(), w in limb(), high in any::<i64>(), low in limb()) {
            let t = Fraction(t);
            let three = Wide(v);
            prop_assert!(check(&integer(t.scale_three(three)), &integer(three), t, 6, 1));
            let two = (i128::from(high >> 1) << 64) | i128::from(low);
            prop_assert!(check(&t.scale_two(two).into(), &two.into(), t, 4, 1));
            let one = i128::from(w.cast_signed());
            prop_assert!(check(&t.scale_one(one).into(), &one.into(), t, 2, 1));
            prop_assert!(t.scale_one(one).abs() <= one.abs());
        }

        #[test]
        fn high_products_stay_within_their_bounds(a in limbs(), b in limbs()) {
            let unsigned = |v: [u64; 3]| Integer::from_digits(&v, Order::Lsf);
            let lost = unsigned(a) * unsigned(b) - (unsigned(high_product(a, b)) << 192);
            prop_assert!(lost >= 0 && lost < Integer::from(6) << 192);
        }

        #[test]
        fn shifts_and_multiples(v in limbs(), shift in 0u32..200, n in any::<i64>()) {
            let unsigned = |v: Wide| Integer::from_digits(&v.0, Order::Lsf);
            let all = Wide(v);
            prop_assert_eq!(unsigned(all.shifted_right(shift)), unsigned(all) >> shift);
            prop_assert_eq!(unsigned(all.remainder(shift)), unsigned(all).keep_bits(shift));
            let kept = (unsigned(all) << shift).keep_bits(192);
            prop_assert_eq!(unsigned(all.shifted_left(shift)), kept);
            let excess = integer(all.times_integer(n)) - integer(all) * n;
            prop_assert!(excess.is_divisible(&(Integer::from(1) << 192)));
            let truncated = &integer(all) / (Integer::from(1) << shift);
            prop_assert_eq!(integer(all.toward_zero(shift)), truncated);
            prop_assert_eq!(integer(all.at_least_zero()), integer(all).max(Integer::new()));
        }

        #[test]
        fn sums_are_exact_modulo_the_range(a in limbs(), b in limbs(), narrow in any::<i128>()) {
            let (a, b) = (Wide(a), Wide(b));
            let modulus = Integer::from(1) << 192;
            let same = |x: Integer, y: Integer| (x - y).is_divisible(&modulus);
            prop_assert!(same(integer(a.wrapping_add(b)), integer(a) + integer(b)));
            prop_assert!(same(integer(a.wrapping_sub(b)), integer(a) - integer(b)));
            prop_assert_eq!(integer(Wide::from_two(narrow)), Integer::from(narrow));
            let unsigned = |v: Wide| Integer::from_digits(&v.0, Order::Lsf);
            prop_assert_eq!(unsigned(a.min(b)), unsigned(a).min(unsigned(b)));
            if !a.is_negative() {
                prop_assert_eq!(a.significant_bits(), integer(a).significant_bits());
            }
        }
    }

    #[test]
    fn powers_of_two() {
        for exponent in 0..191 {
            assert_eq!(
                integer(Wide::power_of_two(exponent)),
                Integer::from(1) << exponent
            );
        }
        assert_eq!(Wide::power_of_two(192), Wide([0; 3]));
    }

    #[test]
    fn bits_of_a_number() {
        for (v, bits) in [
            (Wide::ZERO, 0),
            (Wide::ZERO.wrapping_sub(Wide([1, 0, 0])), 0),
            (Wide([1, 0, 0]), 1),
            (Wide([0, 0, 1]), 129),
        ] {
            assert_eq!(v.significant_bits(), bits);
        }
    }
}
