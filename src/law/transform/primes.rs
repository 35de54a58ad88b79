//! The primes of the transform: the six largest p < 2^62 with p ≡ 1 modulo 3·2^22.
//!
//! Roots of unity of every order 2^j and 3·2^j, j ≤ 22, exist modulo such a prime. The tests prove primality by Pocklington's
//! theorem from the factors of p − 1, the orders of the roots, and that no prime of this form between them was left out.

use super::field::Field;

/// The order of [`Field::root`] is 2^22.
pub(super) const ROOT_BITS: u32 = 22;

/// The fields, largest prime first.
pub(super) const FIELDS: [Field; 6] = [
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
    Field {
        modulus: 0x3fff_ffff_cc00_0001,
        root: 0x39d2_3bee_50d5_1a2a,
        cube_root: 0x2d61_d340_c7de_e890,
    },
    Field {
        modulus: 0x3fff_ffff_ca80_0001,
        root: 0x0213_68b0_b114_417c,
        cube_root: 0x0fac_d50e_8345_3de1,
    },
];

#[cfg(test)]
mod tests {
    use super::super::field::TWO_TO_62;
    use super::*;
    use rug::Integer;

    /// The distinct prime factors of p − 1.
    const FACTORS: [&[u64]; 6] = [
        &[2, 3, 113, 810_849_283],
        &[2, 3, 5, 130_051, 187_877],
        &[2, 3, 1487, 10_269_667],
        &[2, 3, 17, 3089, 3_489_649],
        &[2, 3, 15_473, 1_480_417],
        &[2, 3, 34_483, 1_771_423],
    ];

    fn power(x: u64, exponent: u64, modulus: u64) -> u64 {
        let power = Integer::from(x).pow_mod(&exponent.into(), &modulus.into());
        power.unwrap().to_u64().unwrap()
    }

    fn is_prime_by_division(n: u64) -> bool {
        n > 1
            && (2..)
                .take_while(|d| d * d <= n)
                .all(|d| !n.is_multiple_of(d))
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
                while rest.is_multiple_of(q) {
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
}
