//! The roots of unity of the transform, computed once per process, prime and length.
//!
//! Let ζ_k have order 2^k with ζ_k² = ζ_{k−1}, and let R₀ = 1, R_{2^l + i} = R_i·ζ_{l+2} for 0 ≤ i < 2^l. Then
//! R_{2b}² = R_b and R_{2b+1} = R_{2b}·ζ₂: true for b = 0, and if it holds for i < 2^l, then for b = 2^l + i, because
//! R_{2b} = R_{2i}·ζ_{l+3} and R_{2b+1} = R_{2i+1}·ζ_{l+3}. As ζ₂² = −1,
//!
//! > x^{2m} − R_b² = (x^m − R_b)(x^m + R_b),  where R_b = R_{2b}² and −R_b = R_{2b+1}²,
//!
//! and the block b of every layer of every length 2^j uses the same root R_b. For the factors x^m − ω^e of x^{3m} − 1,
//! ω³ = 1, the roots are R_b·ω^{∓e} in turn, because (ω^{−e})² = ω^e: tables with `rotation` 1 and 2.

use std::sync::OnceLock;

use super::field::{Field, Twiddle};
use super::primes::{FIELDS, ROOT_BITS};

/// R_b·ω^rotation and its reciprocal for 0 ≤ b < 2^bits.
#[derive(Debug)]
pub(super) struct Roots {
    pub forward: Vec<Twiddle>,
    pub inverse: Vec<Twiddle>,
}

/// Rotations by ω^0, ω^1, ω^2.
const ROTATIONS: usize = 3;

/// Tables of 2^0, …, 2^21 roots, by the number of the field.
static TABLES: [[[OnceLock<Roots>; ROTATIONS]; TABLE_SIZES]; FIELDS.len()] =
    [const { [const { [const { OnceLock::new() }; ROTATIONS] }; TABLE_SIZES] }; FIELDS.len()];

/// The roots R_b, b < 2^21, have orders up to 2^22 = 2^[`ROOT_BITS`].
const TABLE_SIZES: usize = 22;

/// The table of 2^bits roots of the field with this number; `None` if there is no such table.
pub(super) fn roots(field: usize, bits: usize, rotation: usize) -> Option<&'static Roots> {
    let table = TABLES.get(field)?.get(bits)?.get(rotation)?;
    let field = FIELDS.get(field)?;
    Some(table.get_or_init(|| Roots::new(field, bits, rotation)))
}

impl Roots {
    fn new(field: &Field, bits: usize, rotation: usize) -> Self {
        let exponent = u64::try_from(rotation % ROTATIONS).unwrap_or(0);
        let turn = field.power(field.cube_root, exponent);
        Self {
            forward: products(field, bits, turn, field.root),
            inverse: products(field, bits, field.inverse(turn), field.inverse(field.root)),
        }
    }
}

/// `first`·R_b for b < 2^bits, where R is formed of the powers of `root`, an element of order 2^22.
fn products(field: &Field, bits: usize, first: u64, root: u64) -> Vec<Twiddle> {
    // ζ₂₂, ζ₂₁, …, ζ₂, and then backwards.
    let mut orders: Vec<u64> = std::iter::successors(Some(root), |zeta| {
        Some(field.canonical(field.times(*zeta, *zeta)))
    })
    .take(TABLE_SIZES - 1)
    .collect();
    orders.reverse();
    let mut table = vec![field.twiddle(first)];
    for zeta in orders.into_iter().take(bits) {
        let zeta = field.twiddle(zeta);
        let next: Vec<Twiddle> = table
            .iter()
            .map(|root| field.twiddle(field.canonical(zeta.times(root.factor, field.modulus))))
            .collect();
        table.extend(next);
    }
    table
}

const _: () = assert!(ROOT_BITS == 22 && TABLE_SIZES == 22);

#[cfg(test)]
mod tests {
    use super::*;

    fn times(field: &Field, x: u64, y: u64) -> u64 {
        let product = u128::from(x) * u128::from(y) % u128::from(field.modulus);
        u64::try_from(product).unwrap()
    }

    #[test]
    fn the_roots_satisfy_their_recurrence() {
        for (number, field) in FIELDS.iter().enumerate() {
            for bits in [0, 1, 2, 5, 10] {
                let plain = roots(number, bits, 0).unwrap();
                assert_eq!(plain.forward.len(), 1 << bits);
                assert_eq!(plain.forward[0].factor, 1);
                let r = |b: usize| plain.forward[b].factor;
                for b in 0..(1 << bits) / 2 {
                    assert_eq!(times(field, r(2 * b), r(2 * b)), r(b));
                    assert_eq!(
                        times(field, r(2 * b + 1), r(2 * b + 1)),
                        field.modulus - r(b)
                    );
                }
                for rotation in 0..3 {
                    let turned = roots(number, bits, rotation).unwrap();
                    let turn = field.power(field.cube_root, u64::try_from(rotation).unwrap());
                    for (b, (x, y)) in turned.forward.iter().zip(&turned.inverse).enumerate() {
                        assert_eq!(x.factor, times(field, r(b), turn));
                        assert_eq!(times(field, x.factor, y.factor), 1);
                        assert_eq!((*x, *y), (field.twiddle(x.factor), field.twiddle(y.factor)));
                    }
                }
            }
        }
    }

    /// The largest table exists: 2^21 roots, the last of order 2^22.
    #[test]
    fn the_largest_table_reaches_the_largest_order() {
        let last = roots(1, TABLE_SIZES - 1, 0).unwrap().forward[1 << 20];
        assert_eq!(last.factor, FIELDS[1].root);
        assert!(roots(0, TABLE_SIZES, 0).is_none());
        assert!(roots(FIELDS.len(), 0, 0).is_none() && roots(0, 0, 3).is_none());
    }
}
