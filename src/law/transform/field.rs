//! Arithmetic modulo a prime of the transform.
//!
//! p is one of the primes of `primes.rs`: p = 2^62 − c with 0 < c < 2^30. Hence 4p < 2^64, and 2^62 ≡ c folds a long
//! number into a short one.
//!
//! **Lazy residues** (D. Harvey, "Faster arithmetic for number-theoretic transforms", Journal of Symbolic
//! Computation 60, 2014): a residue is held as any representative in [0, 2p) or [0, 4p), as each function says. A
//! factor w known in advance comes with w' = ⌊w·2^64/p⌋ (Shoup). For 0 ≤ w < p and *any* 0 ≤ y < 2^64 let
//! q = ⌊w'·y/2^64⌋. From w·2^64/p − 1 < w' ≤ w·2^64/p follows w·y/p − y/2^64 − 1 < q ≤ w·y/p: q is the true
//! quotient ⌊w·y/p⌋ or one less, and 0 ≤ w·y − q·p < p + p·y/2^64 < 2p. That difference is below 2^64, so computing it
//! modulo 2^64 gives it exactly.

/// 2^62 > p.
pub(super) const TWO_TO_62: u64 = 1 << 62;

/// The integers modulo a prime, and what the transform needs to know of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    /// The prime p.
    pub modulus: u64,
    /// An element of order 2^22.
    pub root: u64,
    /// An element of order 3.
    pub cube_root: u64,
}

/// A factor w < p with its quotient ⌊w·2^64/p⌋.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Twiddle {
    pub factor: u64,
    pub quotient: u64,
}

impl Twiddle {
    /// A number ≡ w·y in [0, 2p), for any y: see the module's proof.
    #[inline]
    pub(super) fn times(self, y: u64, modulus: u64) -> u64 {
        let quotient = high(wide_product(self.quotient, y));
        // Modulo 2^64; the difference is in [0, 2p).
        self.factor
            .wrapping_mul(y)
            .wrapping_sub(quotient.wrapping_mul(modulus))
    }
}

impl Field {
    /// c = 2^62 − p < 2^30.
    #[inline]
    pub(super) const fn complement(&self) -> u64 {
        TWO_TO_62.wrapping_sub(self.modulus) // p < 2^62
    }

    /// 2p < 2^63.
    #[inline]
    pub(super) const fn twice(&self) -> u64 {
        self.modulus.wrapping_mul(2)
    }

    /// A number ≡ x in [0, 2p).
    ///
    /// Requires: x < 2^126.
    #[inline]
    pub(super) fn fold(&self, x: u128) -> u64 {
        // x = h·2^62 + l ≡ h·c + l, where h < 2^64: at most (2^64 − 1)·2^30 + 2^62 < 2^94 + 2^62.
        let once = wide_product(low(x >> 62u32), self.complement())
            .wrapping_add(u128::from(low(x) & (TWO_TO_62 - 1)));
        // Again, with h < 2^32 + 1: at most 2^32·2^30 + 2^62 − 1 < 4p, because 4p > 2^64 − 2^32.
        let twice = low(once >> 62u32)
            .wrapping_mul(self.complement())
            .wrapping_add(low(once) & (TWO_TO_62 - 1));
        reduce_once(twice, self.twice())
    }

    /// A number ≡ Σ limb_j·2^(64·j) in [0, 2p).
    #[inline]
    pub(super) fn residue(&self, limbs: &[u64]) -> u64 {
        // 2^64 ≡ 4c < 2^32, so that each sum is below 2^63·2^32 + 2^64 < 2^126.
        let power = self.complement().wrapping_mul(4);
        limbs.iter().rev().fold(0, |residue, &limb| {
            self.fold(wide_product(residue, power).wrapping_add(u128::from(limb)))
        })
    }

    /// A number ≡ x·y in [0, 2p).
    ///
    /// Requires: x, y < 4p.
    #[inline]
    pub(super) fn times(&self, x: u64, y: u64) -> u64 {
        // Both factors are below 2p < 2^63 then.
        let (x, y) = (reduce_once(x, self.twice()), reduce_once(y, self.twice()));
        self.fold(wide_product(x, y))
    }

    /// The representative in [0, p).
    ///
    /// Requires: x < 2p.
    #[inline]
    pub(super) fn canonical(&self, x: u64) -> u64 {
        reduce_once(x, self.modulus)
    }

    /// w with its quotient.
    ///
    /// Requires: w < p.
    #[inline]
    pub(super) fn twiddle(&self, factor: u64) -> Twiddle {
        // w·2^64/p = 4w + 4cw/p because 2^64 = 4p + 4c, and 4cw/p exceeds 4cw/2^62 by 4c²w/(p·2^62) < 4c²/2^62 < 1.
        // So the estimate is the quotient or one less. It is at most w·2^64/p < 2^64.
        let correction = low(wide_product(self.complement().wrapping_mul(4), factor) >> 62u32);
        let estimate = factor.wrapping_mul(4).wrapping_add(correction);
        // w·2^64 − estimate·p is in [0, 2p): exact modulo 2^64.
        let rest = 0u64.wrapping_sub(estimate.wrapping_mul(self.modulus));
        let quotient = estimate.wrapping_add(u64::from(rest >= self.modulus));
        Twiddle { factor, quotient }
    }

    /// x^exponent in [0, p).
    ///
    /// Requires: x < p.
    pub(super) fn power(&self, x: u64, exponent: u64) -> u64 {
        let (mut result, mut square, mut rest) = (1, x, exponent);
        while rest != 0 {
            if rest & 1 == 1 {
                result = self.times(result, square);
            }
            square = self.times(square, square);
            rest >>= 1u32;
        }
        self.canonical(result)
    }

    /// x^−1 in [0, p), or 0 for 0: x^(p − 2) by Fermat.
    ///
    /// Requires: x < p.
    pub(super) fn inverse(&self, x: u64) -> u64 {
        self.power(x, self.modulus.wrapping_sub(2))
    }
}

/// x − m if x ≥ m, else x.
#[inline]
pub(super) fn reduce_once(x: u64, m: u64) -> u64 {
    // For x < m the difference wraps to 2^64 − (m − x) > x.
    x.min(x.wrapping_sub(m))
}

/// x·y < 2^128.
#[inline]
pub(super) fn wide_product(x: u64, y: u64) -> u128 {
    // (2^64 − 1)² < 2^128.
    u128::from(x).wrapping_mul(u128::from(y))
}

/// x modulo 2^64.
#[inline]
pub(super) fn low(x: u128) -> u64 {
    u64::try_from(x & u128::from(u64::MAX)).unwrap_or(0)
}

/// ⌊x/2^64⌋.
#[inline]
pub(super) fn high(x: u128) -> u64 {
    low(x >> 64u32)
}

#[cfg(test)]
mod tests {
    use super::super::primes::FIELDS;
    use super::*;
    use proptest::prelude::*;
    use rug::Integer;

    fn power(x: u64, exponent: u64, modulus: u64) -> u64 {
        let power = Integer::from(x).pow_mod(&exponent.into(), &modulus.into());
        power.unwrap().to_u64().unwrap()
    }

    /// Numbers up to `most`, its ends often.
    fn up_to(most: u64) -> impl Strategy<Value = u64> {
        prop_oneof![3 => 0..=most, 1 => Just(most), 1 => Just(0), 1 => Just(1), 1 => Just(most - 1)]
    }

    /// x in [0, bound) and x ≡ exact.
    fn stands_for(x: u64, exact: &Integer, field: &Field, bound: u64) -> bool {
        x < bound && (exact - Integer::from(x)).is_divisible(&field.modulus.into())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn products_are_congruent_and_within_range(
            which in 0usize..4, w in any::<u64>(), y in up_to(u64::MAX), edge in 0u64..3, wide in any::<u128>(),
            limbs in proptest::collection::vec(up_to(u64::MAX), 0..5),
        ) {
            let field = &FIELDS[which];
            let p = field.modulus;
            let w = if edge == 0 { p - 1 - w % 3 } else { w % p };
            let twiddle = field.twiddle(w);
            let exact = (Integer::from(w) << 64u32) / p;
            prop_assert_eq!(Integer::from(twiddle.quotient), exact);
            let product = Integer::from(w) * y;
            prop_assert!(stands_for(twiddle.times(y, p), &product, field, 2 * p));
            // The quotient is off by at most one.
            let quotient = (Integer::from(twiddle.quotient) * y) >> 64u32;
            let missing = Integer::from(&product / p) - quotient;
            prop_assert!(missing == 0 || missing == 1);

            let y = y.min(4 * p - 1);
            prop_assert!(stands_for(field.times(y, w), &(Integer::from(w) * y), field, 2 * p));
            prop_assert!(stands_for(field.times(y, y), &Integer::from(y).square(), field, 2 * p));
            let number = Integer::from_digits(&limbs, rug::integer::Order::Lsf);
            prop_assert!(stands_for(field.residue(&limbs), &number, field, 2 * p));
            for x in [wide >> 2, u128::MAX >> 2, (u128::MAX >> 2) - u128::from(y)] {
                prop_assert!(stands_for(field.fold(x), &x.into(), field, 2 * p));
            }
            prop_assert_eq!(field.power(w, y), power(w, y, p));
            prop_assert_eq!(u128::from(field.inverse(w)) * u128::from(w) % u128::from(p), u128::from(w != 0));
        }

        #[test]
        fn reducing_once_subtracts_at_most_once(x in up_to(u64::MAX), m in up_to(u64::MAX)) {
            prop_assert_eq!(reduce_once(x, m), if x >= m { x - m } else { x });
        }
    }
}
