//! The exact product of two integer sequences: Kronecker substitution on GMP.
//!
//! Each sequence is written into one large integer with a slot per element, wide enough that no slot of the
//! product can overflow into the next; the product of the two integers then holds the convolution. GMP's
//! multiplication is the only arithmetic trusted here, and the total is checked after every product.

use rug::Integer;
use rug::integer::Order;

use super::mass::{Mass, Product};
use crate::kernel::InvariantViolation;

/// c_k = Σ_{i+j=k} a_i·b_j, exactly.
///
/// Requires: no negative element (checked).
///
/// # Errors
/// If an element is negative, or if the totals do not match: Σ c = Σ a · Σ b.
pub fn convolve<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let x: Vec<Integer> = a.iter().map(|m| m.to_integer()).collect();
    if std::ptr::eq(a, b) {
        return Ok(convolve_integers(&x, &x)?.iter().map(to_product).collect());
    }
    let y: Vec<Integer> = b.iter().map(|m| m.to_integer()).collect();
    Ok(convolve_integers(&x, &y)?.iter().map(to_product).collect())
}

fn to_product<const L: usize>(n: &Integer) -> Product<L> {
    let bits = u32::try_from(L).unwrap_or(0) * 64;
    Product {
        high: Mass::from_integer(&(Integer::from(n >> bits))).unwrap_or(Mass::ZERO),
        low: Mass::from_integer(&Integer::from(n.keep_bits_ref(bits))).unwrap_or(Mass::ZERO),
    }
}

pub fn convolve_integers(a: &[Integer], b: &[Integer]) -> Result<Vec<Integer>, InvariantViolation> {
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let words = slot_words(a, b)?;
    let product = if std::ptr::eq(a, b) {
        pack(a, words).square()
    } else {
        pack(a, words) * pack(b, words)
    };
    let result = unpack(&product, words, a.len() + b.len() - 1);
    let (total_a, total_b): (Integer, Integer) = (a.iter().sum(), b.iter().sum());
    if result.iter().sum::<Integer>() != total_a * total_b {
        return Err(InvariantViolation(
            "a convolution does not preserve the total mass".into(),
        ));
    }
    Ok(result)
}

/// 64-bit words a slot needs: a product element is at most min(len) · max a · max b.
fn slot_words(a: &[Integer], b: &[Integer]) -> Result<usize, InvariantViolation> {
    let (Some(max_a), Some(max_b)) = (a.iter().max(), b.iter().max()) else {
        return Ok(1);
    };
    if a.iter().chain(b).any(|x| *x < 0) {
        return Err(InvariantViolation("a law has a negative mass".into()));
    }
    let largest = Integer::from(max_a * max_b) * Integer::from(a.len().min(b.len()));
    Ok(largest.significant_digits::<u64>().max(1))
}

fn pack(a: &[Integer], words: usize) -> Integer {
    let mut digits = vec![0u64; a.len() * words];
    for (slot, x) in digits.chunks_mut(words).zip(a) {
        let used = x.significant_digits::<u64>();
        if let Some(target) = slot.get_mut(..used) {
            x.write_digits(target, Order::Lsf);
        }
    }
    Integer::from_digits(&digits, Order::Lsf)
}

fn unpack(product: &Integer, words: usize, length: usize) -> Vec<Integer> {
    let digits = product.to_digits::<u64>(Order::Lsf);
    let mut result: Vec<Integer> = digits
        .chunks(words)
        .map(|slot| Integer::from_digits(slot, Order::Lsf))
        .collect();
    result.resize(length, Integer::new());
    result
}
