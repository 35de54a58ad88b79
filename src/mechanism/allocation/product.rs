//! Exact convolutions of whole numbers, by one product of two long ones (Kronecker).

use rug::Integer;
use rug::integer::Order;

/// The convolution of two sequences of whole numbers ≥ 0: entry k is Σ aᵢ·bₖ₋ᵢ, exactly.
///
/// The sequences are written one number after the other with room enough for every entry, so that no entry runs into the next.
pub(crate) fn convolve(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let terms = Integer::from(a.len().min(b.len())).significant_bits();
    let bits = longest(a).saturating_add(longest(b)).saturating_add(terms);
    let limbs = usize::try_from(bits.div_ceil(64))
        .unwrap_or(usize::MAX)
        .max(1);
    let product = written(a, limbs) * written(b, limbs);
    let digits = product.to_digits::<u64>(Order::Lsf);
    let entries = a.len().saturating_add(b.len()).saturating_sub(1);
    let mut all: Vec<Integer> = digits
        .chunks(limbs)
        .map(|chunk| Integer::from_digits(chunk, Order::Lsf))
        .collect();
    all.resize(entries, Integer::new());
    all
}

fn longest(of: &[Integer]) -> u32 {
    of.iter().map(Integer::significant_bits).max().unwrap_or(0)
}

/// Σ aᵢ·2^(64·limbs·i); every entry has to be ≥ 0 and to fit.
fn written(of: &[Integer], limbs: usize) -> Integer {
    let mut digits: Vec<u64> = Vec::with_capacity(of.len().saturating_mul(limbs));
    for (place, entry) in of.iter().enumerate() {
        digits.resize(place.saturating_mul(limbs), 0);
        digits.extend_from_slice(entry.as_abs().to_digits::<u64>(Order::Lsf).as_slice());
    }
    Integer::from_digits(&digits, Order::Lsf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_the_sum_over_pairs(
            a in prop::collection::vec((any::<u128>(), 0u32..200), 0..12),
            b in prop::collection::vec((any::<u128>(), 0u32..90), 0..7),
        ) {
            let whole = |of: Vec<(u128, u32)>| -> Vec<Integer> {
                of.into_iter().map(|(x, shift)| (Integer::from(x) << shift) >> (shift / 2)).collect()
            };
            let (a, b) = (whole(a), whole(b));
            let mut sums = vec![Integer::new(); (a.len() + b.len()).saturating_sub(1)];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    sums[i + j] += Integer::from(x * y);
                }
            }
            if a.is_empty() || b.is_empty() {
                sums.clear();
            }
            prop_assert_eq!(convolve(&a, &b), sums);
        }
    }

    /// The largest entries, all bits set: nothing runs over.
    #[test]
    fn has_room_for_the_largest_entries() {
        let most: Vec<Integer> = vec![(Integer::from(1) << 64u32) - 1u32; 9];
        let found = convolve(&most, &most);
        let square = Integer::from(most[0].square_ref());
        for (k, entry) in found.iter().enumerate() {
            let terms = u32::try_from((k + 1).min(17 - k)).unwrap();
            assert_eq!(*entry, Integer::from(&square * terms));
        }
    }
}
