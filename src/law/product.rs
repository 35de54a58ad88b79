//! The exact product of two integer sequences: Kronecker substitution on GMP.
//!
//! Each sequence is written into one large integer with a slot per element, wide enough that no slot of the
//! product can overflow into the next; the product of the two integers then holds the convolution. GMP's
//! multiplication is the only arithmetic trusted here, and the total is checked after every product.

use rug::Integer;
use rug::integer::Order;

use crate::kernel::InvariantViolation;

/// c_k = Σ_{i+j=k} a_i·b_j, exactly.
///
/// Requires: no negative element (checked).
///
/// # Errors
/// If an element is negative, or if the totals do not match: Σ c = Σ a · Σ b.
pub fn convolve(a: &[Integer], b: &[Integer]) -> Result<Vec<Integer>, InvariantViolation> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
        let mut c = vec![Integer::new(); (a.len() + b.len()).saturating_sub(1)];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                c[i + j] += Integer::from(x * y);
            }
        }
        c
    }

    fn sequence() -> impl Strategy<Value = Vec<Integer>> {
        let element = (any::<u128>(), 0u32..200, 0u8..4).prop_map(|(x, shift, kind)| match kind {
            0 => Integer::new(),
            1 => (Integer::from(1) << shift) - 1u32,
            _ => Integer::from(x) >> shift.min(127),
        });
        proptest::collection::vec(element, 1..40)
    }

    proptest! {
        #[test]
        fn equals_the_schoolbook_product(a in sequence(), b in sequence()) {
            prop_assert_eq!(convolve(&a, &b).unwrap(), naive(&a, &b));
            prop_assert_eq!(convolve(&a, &a).unwrap(), naive(&a, &a));
        }
    }

    /// Every slot at its largest value: the width computed must just suffice.
    #[test]
    fn full_slots_do_not_overflow() {
        for (bits, length) in [(64u32, 3usize), (63, 16), (128, 255), (120, 256), (1, 9)] {
            let a = vec![(Integer::from(1) << bits) - 1u32; length];
            assert_eq!(convolve(&a, &a).unwrap(), naive(&a, &a));
        }
    }

    #[test]
    fn negative_masses_are_refused() {
        let bad = [Integer::from(-1), Integer::from(2)];
        assert!(convolve(&bad, &bad).is_err());
    }
}
