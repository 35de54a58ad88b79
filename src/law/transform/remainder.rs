//! From residues modulo the primes to the number: the Chinese remainder theorem in mixed radix (Garner).
//!
//! Let p₁ > p₂ > … be the first K primes and 0 ≤ x < p₁⋯p_K. There are unique digits 0 ≤ v_i < p_i with
//! x = v₁ + p₁(v₂ + p₂(v₃ + …)): v₁ = x mod p₁, and v_i is (…((x − v₁)/p₁ − v₂)/p₂ − …)/p_{i−1} modulo p_i, which needs
//! only x mod p_i. By the theorem no other number in that range has the same residues.

use super::field::{Field, high, low, reduce_once, wide_product};
use super::primes::FIELDS;
use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// The numbers with these residues, one sequence of residues in [0, p) per prime, all of one length.
///
/// # Errors
/// If a number does not fit.
pub(super) fn combine<const K: usize, const L: usize>(
    residues: [Vec<u64>; K],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let digits = digits_of(residues);
    let length = digits.iter().map(Vec::len).min().unwrap_or(0);
    let mut sources = digits.each_ref().map(|digits| digits.iter());
    let moduli = FIELDS.each_ref().map(|field| field.modulus);
    let mut overflow = 0;
    let numbers = (0..length)
        .map(|_| {
            let digits = sources
                .each_mut()
                .map(|source| source.next().copied().unwrap_or(0));
            let (number, rest) = to_product(&number_of(&moduli, &digits));
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

/// The digits in place of the residues, all sequences at once: v_i in [0, p_i).
fn digits_of<const K: usize>(mut residues: [Vec<u64>; K]) -> [Vec<u64>; K] {
    for (i, field) in FIELDS.iter().enumerate().take(K) {
        let (known, rest) = residues.split_at_mut(i);
        let Some(values) = rest.first_mut() else {
            break;
        };
        for (digits, other) in known.iter().zip(&FIELDS) {
            subtract_and_divide(values, digits, other.modulus, field);
        }
    }
    residues
}

/// (x − v)/q modulo p, in [0, p), for each x in [0, p) and v in [0, q), q another prime.
fn subtract_and_divide(values: &mut [u64], digits: &[u64], q: u64, field: &Field) {
    // q < 2p: all primes are between 2^61 and 2^62.
    let reciprocal = field.twiddle(field.inverse(reduce_once(q, field.modulus)));
    let (p, twice) = (field.modulus, field.twice());
    for (x, v) in values.iter_mut().zip(digits) {
        // x < p and v < q < 2p: the difference is in (0, 3p).
        let difference = x.wrapping_add(twice).wrapping_sub(*v);
        *x = field.canonical(reciprocal.times(difference, p));
    }
}

/// v₁ + p₁(v₂ + p₂(…)), least limb first.
///
/// Requires: v_i < p_i. The value is below p₁⋯p_K < 2^(62K): it fits K limbs.
#[inline(always)]
fn number_of<const K: usize>(moduli: &[u64; FIELDS.len()], digits: &[u64; K]) -> [u64; K] {
    let mut limbs = [0; K];
    for (modulus, digit) in moduli.iter().zip(digits).rev() {
        let mut carry = *digit;
        for limb in &mut limbs {
            // At most (2^64 − 1)² + 2^64 − 1 < 2^128.
            let total = wide_product(*limb, *modulus).wrapping_add(u128::from(carry));
            *limb = low(total);
            carry = high(total);
        }
    }
    limbs
}

/// The product with these limbs, and the bits that do not fit it (0 if all do).
#[inline(always)]
fn to_product<const L: usize>(limbs: &[u64]) -> (Product<L>, u64) {
    let mut source = limbs.iter().copied();
    let [low, high] = [(); 2].map(|()| [(); L].map(|()| source.next().unwrap_or(0)));
    let product = Product {
        low: Mass::from_limbs(low),
        high: Mass::from_limbs(high),
    };
    (product, source.fold(0, |rest, limb| rest | limb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Integer;

    fn modulus<const K: usize>() -> Integer {
        FIELDS[..K]
            .iter()
            .map(|field| Integer::from(field.modulus))
            .product()
    }

    /// Numbers of the whole range: the ends, the neighbours of partial products, and some without pattern.
    fn numbers<const K: usize>() -> Vec<Integer> {
        let all = modulus::<K>();
        let mut numbers = vec![
            Integer::new(),
            Integer::from(&all - 1u32),
            all.clone() / 2u32,
        ];
        for j in 1..K {
            let part: Integer = FIELDS[..j]
                .iter()
                .map(|field| Integer::from(field.modulus))
                .product();
            numbers.extend([
                part.clone() - 1u32,
                part.clone(),
                part.clone() + 1u32,
                &all - part,
            ]);
        }
        for bit in 0..62 * K {
            numbers.push((Integer::from(1) << u32::try_from(bit).unwrap()) - 1u32);
        }
        let mut scattered = Integer::from(1);
        for _ in 0..1000 {
            scattered = (scattered * 0x9e37_79b9_7f4a_7c15_u64 + 12_345u32).square() % &all;
            numbers.push(scattered.clone());
        }
        numbers
    }

    fn come_back<const K: usize, const L: usize>() {
        let numbers = numbers::<K>();
        let residues = std::array::from_fn(|i| {
            let p = FIELDS[i].modulus;
            numbers
                .iter()
                .map(|x| Integer::from(x % p).to_u64().unwrap())
                .collect()
        });
        let fit: Vec<bool> = numbers
            .iter()
            .map(|x| x.significant_digits::<u64>() <= 2 * L)
            .collect();
        let found = combine::<K, L>(residues.clone());
        if fit.contains(&false) {
            assert!(found.is_err());
        }
        let keep = |of: &Vec<u64>| {
            of.iter()
                .zip(&fit)
                .filter(|(_, fits)| **fits)
                .map(|(x, _)| *x)
                .collect()
        };
        let found = combine::<K, L>(residues.each_ref().map(keep)).unwrap();
        let found: Vec<Integer> = found.into_iter().map(Product::to_integer).collect();
        let expected: Vec<Integer> = numbers
            .into_iter()
            .zip(fit)
            .filter(|(_, fits)| *fits)
            .map(|(x, _)| x)
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_come_back_from_their_residues() {
        come_back::<2, 1>();
        come_back::<3, 1>();
        come_back::<4, 1>();
        come_back::<2, 2>();
        come_back::<3, 2>();
        come_back::<4, 2>();
        come_back::<5, 2>();
        come_back::<4, 3>();
        come_back::<5, 3>();
        come_back::<6, 3>();
    }
}
