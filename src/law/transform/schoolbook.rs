//! The product of short sequences, term by term.

use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

use super::field::{high, low, wide_product};

/// c_k = Σ a_i·b_{k−i}.
///
/// Requires: Σ a · Σ b < 2^(128·L), so that no sum overflows (it is an error then).
///
/// # Errors
/// If a sum does not fit.
pub(super) fn convolve<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let length = a.len().saturating_add(b.len()).saturating_sub(1);
    if L == 1 {
        return Ok(single_limbs(short, long, length));
    }
    let mut sums = vec![Product::ZERO; length];
    for (i, x) in short.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        for (sum, y) in sums.iter_mut().skip(i).zip(long) {
            *sum = sum.plus(&Product::new(x, y))?;
        }
    }
    Ok(sums)
}

/// The same for masses of one limb, of which only the first is read.
fn single_limbs<const L: usize>(
    short: &[Mass<L>],
    long: &[Mass<L>],
    length: usize,
) -> Vec<Product<L>> {
    let first = |mass: &Mass<L>| mass.limbs().first().copied().unwrap_or(0);
    let factors: Vec<u64> = long.iter().map(first).collect();
    let mut sums = vec![0u128; length];
    for (i, x) in short.iter().map(first).enumerate() {
        for (sum, y) in sums.iter_mut().skip(i).zip(&factors) {
            // Every partial sum is at most Σ a · Σ b < 2^128.
            *sum = sum.wrapping_add(wide_product(x, *y));
        }
    }
    let limb = |x: u64| Mass::from_limbs([x; L]); // L = 1
    sums.into_iter()
        .map(|sum| Product {
            low: limb(low(sum)),
            high: limb(high(sum)),
        })
        .collect()
}
