//! From residues modulo the primes to the number: the Chinese remainder theorem in mixed radix (Garner).
//!
//! Let p₁ > p₂ > … be the first K primes and 0 ≤ x < p₁⋯p_K. There are unique digits 0 ≤ v_i < p_i with
//! x = v₁ + p₁(v₂ + p₂(v₃ + …)): v₁ = x mod p₁, and v_i is (…((x − v₁)/p₁ − v₂)/p₂ − …)/p_{i−1} modulo p_i, which needs
//! only x mod p_i. By the theorem no other number in that range has the same residues.

use super::field::{FIELDS, Field, Twiddle, high, low, reduce_once, wide_product};
use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// The numbers with these residues, one sequence of residues in [0, p) per prime.
///
/// # Errors
/// If a number does not fit.
pub(super) fn combine<const K: usize, const L: usize>(
    residues: &[Vec<u64>; K],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let radix = MixedRadix::<K>::new();
    let length = residues.iter().map(Vec::len).min().unwrap_or(0);
    let mut sources = residues.each_ref().map(|residues| residues.iter());
    let mut overflow = 0;
    let numbers = (0..length)
        .map(|_| {
            let at = sources
                .each_mut()
                .map(|source| source.next().copied().unwrap_or(0));
            let (number, rest) = to_product(&radix.number(&radix.digits(at)));
            overflow |= rest;
            number
        })
        .collect();
    if overflow != 0 {
        return Err(InvariantViolation(
            "a coefficient of a product of laws does not fit".into(),
        ));
    }
    Ok(numbers)
}

/// The first K primes and the reciprocals 1/p_j modulo p_i.
struct MixedRadix<const K: usize> {
    fields: [Field; K],
    reciprocals: [[Twiddle; K]; K],
}

impl<const K: usize> MixedRadix<K> {
    fn new() -> Self {
        let field = |i: usize| FIELDS.get(i).copied().unwrap_or(FIELDS[0]);
        let fields = std::array::from_fn(field);
        let reciprocals = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                // p_j < 2p_i: both are between 2^61 and 2^62. (For i = j this is 0 and is not used.)
                let p = reduce_once(field(j).modulus, field(i).modulus);
                field(i).twiddle(field(i).inverse(p))
            })
        });
        Self {
            fields,
            reciprocals,
        }
    }

    /// The digits of the number with these residues.
    ///
    /// Requires: residues in [0, p_i). Ensures: digits in [0, p_i).
    #[inline]
    fn digits(&self, residues: [u64; K]) -> [u64; K] {
        let mut digits = residues;
        let rows = self.fields.iter().zip(&self.reciprocals).enumerate();
        for (i, (field, reciprocals)) in rows.skip(1) {
            let (known, rest) = digits.split_at_mut(i);
            let Some(digit) = rest.first_mut() else {
                continue;
            };
            // `value` stays in [0, 2p_i), and each digit is below p₁ < 2^62 < 2p_i: the difference is in (0, 4p_i).
            let value = known
                .iter()
                .zip(reciprocals)
                .fold(*digit, |value, (known, reciprocal)| {
                    let difference = value.wrapping_add(field.twice()).wrapping_sub(*known);
                    reciprocal.times(difference, field.modulus)
                });
            *digit = field.canonical(value);
        }
        digits
    }

    /// v₁ + p₁(v₂ + p₂(…)), least limb first.
    ///
    /// Requires: digits in [0, p_i). The value is below p₁⋯p_K < 2^(62K): it fits K limbs.
    #[inline]
    fn number(&self, digits: &[u64; K]) -> [u64; K] {
        let mut limbs = [0; K];
        for (field, digit) in self.fields.iter().zip(digits).rev() {
            let mut carry = *digit;
            for limb in &mut limbs {
                // At most (2^64 − 1)² + 2^64 − 1 < 2^128.
                let total = wide_product(*limb, field.modulus).wrapping_add(u128::from(carry));
                *limb = low(total);
                carry = high(total);
            }
        }
        limbs
    }
}

/// The product with these limbs, and the bits that do not fit it (0 if all do).
#[inline]
fn to_product<const L: usize>(limbs: &[u64]) -> (Product<L>, u64) {
    let mut source = limbs.iter().copied();
    let [low, high] = [(); 2].map(|()| [(); L].map(|()| source.next().unwrap_or(0)));
    let product = Product {
        low: Mass::from_limbs(low),
        high: Mass::from_limbs(high),
    };
    (product, source.fold(0, |rest, limb| rest | limb))
}
