//! Arithmetic modulo the four primes of the transform.
//!
//! **The primes** are the four largest p < 2^62 with p ≡ 1 modulo 3·2^22, so that roots of unity of every order 2^j and
//! 3·2^j, j ≤ 22, exist. Write p = 2^62 − c. All four have 0 < c < 2^30; hence 4p < 2^64, and 2^62 ≡ c folds a long
//! number into a short one. The tests prove primality by Pocklington's theorem from the factors of p − 1, the order
//! of the roots, and that no prime between them was left out.
//!
//! **Lazy residues** (D. Harvey, "Faster arithmetic for number-theoretic transforms", Journal of Symbolic
//! Computation 60, 2014): a residue is held as any representative in [0, 2p) or [0, 4p), as each function says. A
//! factor w known in advance comes with w' = ⌊w·2^64/p⌋ (Shoup). For 0 ≤ w < p and *any* 0 ≤ y < 2^64 let
//! q = ⌊w'·y/2^64⌋. From w·2^64/p − 1 < w' ≤ w·2^64/p follows w·y/p − y/2^64 − 1 < q ≤ w·y/p: q is the true
//! quotient ⌊w·y/p⌋ or one less, and 0 ≤ w·y − q·p < p + p·y/2^64 < 2p. That difference is below 2^64, so computing it
//! modulo 2^64 gives it exactly.

/// 2^62 > p.
const TWO_TO_62: u64 = 1 << 62;

/// The integers modulo a prime, and what the transform needs to know of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    /// The prime p.
    pub modulus: u64,
    /// An element of order 2^[`ROOT_BITS`].
    pub root: u64,
    /// An element of order 3.
    pub cube_root: u64,
}

/// The order of [`Field::root`] is 2^22.
pub(super) const ROOT_BITS: u32 = 22;

/// The fields, largest prime first.
pub(super) const FIELDS: [Field; 4] = [
    Field {
        modulus: 0x3fff_ffff_f900_0001,
        root: 0x23db_c7ec_eeaa_2c94,
        cube_root: 0x3cdf_34d9_25c4_9555,
    },
    Field {
        modulus: 0x3fff_ffff_f0c0_0001,
        root: 0x00ae_30b2_5413_2933,
        cube_root: 0x09f6_2bcf_0219_ff16,
    },
    Field {
        modulus: 0x3fff_ffff_ea00_0001,
        root: 0x1d51_a72e_8a60_0c10,
        cube_root: 0x004c_b307_8736_575e,
    },
    Field {
        modulus: 0x3fff_ffff_d980_0001,
        root: 0x0515_b972_f18e_7439,
        cube_root: 0x3b3d_a2ea_b72a_125b,
    },
];

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
    const fn complement(&self) -> u64 {
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
    use super::*;
    use proptest::prelude::*;
    use rug::Integer;

    /// The distinct prime factors of p − 1.
    const FACTORS: [&[u64]; 4] = [
        &[2, 3, 113, 810_849_283],
        &[2, 3, 5, 130_051, 187_877],
        &[2, 3, 1487, 10_269_667],
        &[2, 3, 17, 3089, 3_489_649],
    ];

    fn power(x: u64, exponent: u64, modulus: u64) -> u64 {
        let power = Integer::from(x).pow_mod(&exponent.into(), &modulus.into());
        power.unwrap().to_u64().unwrap()
    }

    fn is_prime_by_division(n: u64) -> bool {
        n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
    }

    /// Deterministic below 3·10^24 with these bases (Sorenson and Webster, 2015).
    fn is_prime_by_miller_rabin(n: u64) -> bool {
        let (s, d) = (
            (n - 1).trailing_zeros(),
            (n - 1) >> (n - 1).trailing_zeros(),
        );
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]
            .iter()
            .all(|base| {
                let first = power(*base, d, n);
                first == 1 || (0..s).any(|i| power(*base, d << i, n) == n - 1)
            })
    }

    /// Pocklington: n is prime if some a_q with a_q^(n − 1) ≡ 1 and gcd(a_q^((n−1)/q) − 1, n) = 1 exists for every prime
    /// factor q of n − 1.
    #[test]
    fn the_moduli_are_prime() {
        for (field, factors) in FIELDS.iter().zip(FACTORS) {
            let p = field.modulus;
            let mut rest = p - 1;
            for &q in factors {
                assert!(is_prime_by_division(q));
                while rest % q == 0 {
                    rest /= q;
                }
                let witness = (2..100).any(|a| {
                    let less_one = Integer::from(power(a, (p - 1) / q, p)) - 1u32;
                    power(a, p - 1, p) == 1 && less_one.gcd(&p.into()) == 1
                });
                assert!(witness, "{p}, {q}");
            }
            assert_eq!(rest, 1);
        }
    }

    #[test]
    fn they_are_the_largest_of_their_form() {
        let step = 3u64 << ROOT_BITS;
        let largest = (TWO_TO_62 - 1) / step * step + 1;
        let found: Vec<u64> = (0u64..)
            .map(|i| largest - i * step)
            .filter(|p| *p < TWO_TO_62 && is_prime_by_miller_rabin(*p))
            .take(FIELDS.len())
            .collect();
        assert_eq!(found, FIELDS.map(|field| field.modulus));
        assert!(FIELDS.iter().all(|field| field.complement() < 1 << 30));
    }

    #[test]
    fn the_roots_have_their_orders() {
        for field in &FIELDS {
            let p = field.modulus;
            assert_eq!(power(field.root, 1 << (ROOT_BITS - 1), p), p - 1);
            assert_eq!(power(field.cube_root, 3, p), 1);
            assert_ne!(field.cube_root, 1);
            assert!(field.root < p && field.cube_root < p);
        }
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
