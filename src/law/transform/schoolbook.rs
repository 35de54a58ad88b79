//! The product of short sequences, term by term, for masses of one to three limbs.

use super::field::{high, low, wide_product};
use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// c_k = Σ a_i·b_{k−i}.
///
/// Requires: L ≤ 3 (checked), and Σ a · Σ b < 2^(128·L).
///
/// # Errors
/// If L > 3.
pub(super) fn convolve<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match L {
        1 => Ok(single_limbs(short, long)),
        2 => Ok(by_columns::<L, 2, 3>(short, long)),
        3 => Ok(by_columns::<L, 3, 5>(short, long)),
        _ => Err(InvariantViolation(
            "masses are too wide to be multiplied term by term".into(),
        )),
    }
}

/// One row after the other.
fn single_limbs<const L: usize>(short: &[Mass<L>], long: &[Mass<L>]) -> Vec<Product<L>> {
    let factors: Vec<u64> = long.iter().map(|mass| limb(mass, 0)).collect();
    let mut sums = vec![0u128; length(short, long)];
    for (i, x) in short.iter().enumerate() {
        let x = limb(x, 0);
        for (sum, y) in sums.iter_mut().skip(i).zip(&factors) {
            // Every partial sum is at most Σ a · Σ b < 2^128.
            *sum = sum.wrapping_add(wide_product(x, *y));
        }
    }
    sums.into_iter()
        .map(|sum| product([low(sum), high(sum), 0, 0, 0, 0]))
        .collect()
}

/// One element of the result after the other, for masses of N limbs.
///
/// Requires: COLUMNS = 2N − 1.
fn by_columns<const L: usize, const N: usize, const COLUMNS: usize>(
    short: &[Mass<L>],
    long: &[Mass<L>],
) -> Vec<Product<L>> {
    let limbs = |masses: &[Mass<L>]| -> Vec<[u64; N]> {
        let of = |mass: &Mass<L>| {
            let mut source = mass.limbs().iter().copied();
            [(); N].map(|()| source.next().unwrap_or(0))
        };
        masses.iter().map(of).collect()
    };
    let (mut reversed, long) = (limbs(short), limbs(long));
    reversed.reverse();
    (1..=length(short, long.as_slice()))
        .map(|end| {
            // a_{n−1}, …, a_0 lies over b_{end−n}, …, b_{end−1}, as far as these exist.
            let missing = reversed.len().saturating_sub(end);
            let first = end.saturating_sub(reversed.len());
            let terms = reversed.iter().skip(missing).zip(long.iter().skip(first));
            let mut sums = [Sum::default(); COLUMNS];
            for (x, y) in terms {
                for (i, x) in x.iter().enumerate() {
                    for (sum, y) in sums.iter_mut().skip(i).zip(y) {
                        sum.add(wide_product(*x, *y));
                    }
                }
            }
            product(joined(sums))
        })
        .collect()
}

/// A sum of fewer than 2^64 products of two limbs.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: u128,
    /// How often 2^128 was passed: not more often than there are terms.
    carries: u64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, term: u128) {
        let (value, carry) = self.value.overflowing_add(term);
        self.value = value;
        self.carries = self.carries.wrapping_add(u64::from(carry));
    }
}

/// Limbs of the widest product.
const PRODUCT_LIMBS: usize = 6;

/// Σ column_j·2^(64·j), which is below 2^(64·(COLUMNS + 1)): at most Σ a · Σ b.
fn joined<const COLUMNS: usize>(columns: [Sum; COLUMNS]) -> [u64; PRODUCT_LIMBS] {
    let mut columns = columns.into_iter();
    // What earlier columns leave for this limb and for the next.
    let (mut here, mut next) = (0u128, 0u64);
    [(); PRODUCT_LIMBS].map(|()| {
        let Sum { value, carries } = columns.next().unwrap_or_default();
        // At most four numbers below 2^64 in all: `here` is a carry, a high half and the carries of an earlier column.
        let limb = here.wrapping_add(u128::from(low(value)));
        here = [high(value), next, high(limb)]
            .map(u128::from)
            .into_iter()
            .sum();
        next = carries;
        low(limb)
    })
}

fn length<A, B>(a: &[A], b: &[B]) -> usize {
    a.len().saturating_add(b.len()).saturating_sub(1)
}

fn limb<const L: usize>(mass: &Mass<L>, place: usize) -> u64 {
    mass.limbs().get(place).copied().unwrap_or(0)
}

/// The product with these limbs, L ≤ 3.
fn product<const L: usize>(limbs: [u64; PRODUCT_LIMBS]) -> Product<L> {
    let mut source = limbs.into_iter();
    let mut next = || Mass::from_limbs([(); L].map(|()| source.next().unwrap_or(0)));
    let (low, high) = (next(), next());
    Product { high, low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Integer;

    /// Every carry that there is: the largest elements whose sums just fit.
    #[test]
    fn the_largest_sums_carry() {
        for (n, bits) in [(1usize, 128u32), (2, 127), (16, 124), (255, 120)] {
            let largest = (Integer::from(1) << bits) - 1u32;
            let a = vec![Mass::<2>::from_integer(&largest).unwrap(); n];
            for (k, found) in convolve(&a, &a).unwrap().into_iter().enumerate() {
                let terms = Integer::from((k + 1).min(2 * n - 1 - k));
                assert_eq!(found.to_integer(), terms * &largest * &largest);
            }
        }
    }

    #[test]
    fn the_largest_sums_of_three_limbs_carry() {
        for (n, bits) in [(1usize, 192u32), (2, 191), (16, 188), (255, 184)] {
            let largest = (Integer::from(1) << bits) - 1u32;
            let a = vec![Mass::<3>::from_integer(&largest).unwrap(); n];
            for (k, found) in convolve(&a, &a).unwrap().into_iter().enumerate() {
                let terms = Integer::from((k + 1).min(2 * n - 1 - k));
                assert_eq!(found.to_integer(), terms * &largest * &largest);
            }
        }
    }

    #[test]
    fn sums_count_their_carries() {
        let limbs =
            |sums: [(u128, u64); 3]| joined(sums.map(|(value, carries)| Sum { value, carries }));
        assert_eq!(
            limbs([(u128::MAX, 3), (1, 0), (0, 0)]),
            [u64::MAX, 0, 4, 0, 0, 0]
        );
        assert_eq!(
            limbs([(0, 0), (u128::MAX, 5), (1, 0)]),
            [0, u64::MAX, 0, 6, 0, 0]
        );
        let mut sum = Sum::default();
        sum.add(u128::MAX);
        sum.add(u128::MAX);
        assert_eq!((sum.value, sum.carries), (u128::MAX - 1, 1));
    }
}
