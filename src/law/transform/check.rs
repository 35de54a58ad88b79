//! What is checked of every product, whichever way it was computed.
//!
//! * **The total**, exactly: Σ c_k = Σ a_i · Σ b_j.
//! * **A random point**: a(r)·b(r) ≡ c(r) modulo the prime M = 2^61 − 1, for r drawn from 61 random bits after c is
//!   computed. The difference of a wrong c and the right product is a polynomial of degree at most
//!   d = len(a) + len(b) − 2. Unless all its coefficients are multiples of M it has at most d roots modulo M, and each
//!   residue is drawn with probability 2^−61 (0: 2^−60): a wrong c passes with probability at most (d + 1)/2^61,
//!   below 10^−12 for d < 2^21.
//!
//! The result of a computation never depends on r, unless a mistake is found.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use rug::Integer;

use super::field::{low, reduce_once, wide_product};
use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// M = 2^61 − 1.
const MERSENNE: u64 = (1 << 61) - 1;

/// Σ a_i, exactly.
pub(super) fn total<const L: usize>(masses: &[Mass<L>]) -> Integer {
    let mut columns = [0; L];
    for mass in masses {
        add_limbs(&mut columns, mass);
    }
    sum_of(&columns)
}

/// Σ c_k, exactly.
fn total_of_products<const L: usize>(products: &[Product<L>]) -> Integer {
    let (mut low, mut high) = ([0; L], [0; L]);
    for product in products {
        add_limbs(&mut low, &product.low);
        add_limbs(&mut high, &product.high);
    }
    columns_above(sum_of(&high), &low)
}

/// Fails unless c can be a·b; `expected` is Σ a · Σ b.
///
/// # Errors
/// If one of the checks of the module fails, or c has the wrong length.
pub(super) fn verify<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
    c: &[Product<L>],
    expected: &Integer,
) -> Result<(), InvariantViolation> {
    verify_at(a, b, c, expected, random_point())
}

fn verify_at<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
    c: &[Product<L>],
    expected: &Integer,
    point: u64,
) -> Result<(), InvariantViolation> {
    if c.len() != a.len().saturating_add(b.len()).saturating_sub(1) {
        return Err(InvariantViolation(
            "a product of laws has the wrong length".into(),
        ));
    }
    if total_of_products(c) != *expected {
        return Err(InvariantViolation(
            "a product of laws does not preserve the total mass".into(),
        ));
    }
    let mass = |mass: &Mass<L>| residue(mass.limbs().iter());
    let at_a = evaluate(a, point, mass);
    let at_b = if a == b {
        at_a
    } else {
        evaluate(b, point, mass)
    };
    let at_c = evaluate(c, point, |product| {
        residue(product.low.limbs().iter().chain(product.high.limbs()))
    });
    if canonical(times(at_a, at_b)) != canonical(at_c) {
        return Err(InvariantViolation(
            "a product of laws has a wrong value at a random point".into(),
        ));
    }
    Ok(())
}

/// 61 random bits.
fn random_point() -> u64 {
    RandomState::new().build_hasher().finish() & MERSENNE
}

/// Adds each limb to its column. Fewer than 2^64 masses fit into memory, so no column reaches 2^128.
#[inline]
fn add_limbs<const L: usize>(columns: &mut [u128; L], mass: &Mass<L>) {
    for (column, limb) in columns.iter_mut().zip(mass.limbs()) {
        *column = column.wrapping_add(u128::from(*limb));
    }
}

fn sum_of(columns: &[u128]) -> Integer {
    columns_above(Integer::new(), columns)
}

/// Σ column_j·2^(64·j), plus `above`·2^(64·len).
fn columns_above(above: Integer, columns: &[u128]) -> Integer {
    columns
        .iter()
        .rev()
        .fold(above, |sum, column| (sum << 64u32) + *column)
}

/// Σ values_k·r^k, a representative below 2^61 + 8.
fn evaluate<T>(values: &[T], r: u64, residue: impl Fn(&T) -> u64) -> u64 {
    let square = times(r, r);
    let [cube, fourth] = [times(square, r), times(square, square)];
    let (blocks, rest) = values.as_chunks::<4>();
    let start = rest.iter().rev().fold(0, |sum, value| {
        fold(wide_product(sum, r).wrapping_add(u128::from(residue(value))))
    });
    blocks.iter().rev().fold(start, |sum, block| {
        let [w, x, y, z] = block.each_ref().map(&residue);
        // Five terms, each at most (2^61 + 7)² < 2^122 + 2^66: below 2^124 + 2^123.
        let terms = [
            wide_product(sum, fourth),
            wide_product(z, cube),
            wide_product(y, square),
            wide_product(x, r),
            u128::from(w),
        ];
        fold(terms.into_iter().fold(0, u128::wrapping_add))
    })
}

/// A number ≡ Σ limb_j·2^(64·j), below 2^61 + 8.
#[inline]
fn residue<'a>(limbs: impl DoubleEndedIterator<Item = &'a u64>) -> u64 {
    // 2^64 ≡ 8; the sum is below 2^65.
    limbs.rev().fold(0, |sum, limb| {
        fold((u128::from(sum) << 3u32).wrapping_add(u128::from(*limb)))
    })
}

/// A number ≡ x·y below 2^61 + 8, for x, y < 2^61 + 8.
#[inline]
fn times(x: u64, y: u64) -> u64 {
    fold(wide_product(x, y))
}

/// A number ≡ x below 2^61 + 8.
///
/// Requires: x < 2^124 + 2^123.
#[inline]
fn fold(x: u128) -> u64 {
    // 2^61 ≡ 1. x/2^61 < 2^63 + 2^62, so the first sum is below 2^64, and the second at most 2^61 − 1 + 7.
    let once = (low(x) & MERSENNE).wrapping_add(low(x >> 61u32));
    (once & MERSENNE).wrapping_add(once >> 61u32)
}

/// The representative in [0, M), for x < 2^61 + 8 < 2M.
fn canonical(x: u64) -> u64 {
    reduce_once(x, MERSENNE)
}

#[cfg(test)]
mod tests {
    use super::super::convolve;
    use super::*;
    use proptest::prelude::*;

    fn modulo(x: &Integer) -> u64 {
        Integer::from(x % MERSENNE).to_u64().unwrap()
    }

    fn numbers(limbs: &[u64]) -> Vec<Mass<2>> {
        limbs
            .windows(2)
            .map(|pair| Mass::from_limbs([pair[0], pair[1]]))
            .collect()
    }

    proptest! {
        #[test]
        fn values_and_totals_are_those_of_gmp(
            limbs in proptest::collection::vec(prop_oneof![2 => any::<u64>(), 1 => Just(u64::MAX), 1 => Just(0)], 2..40),
            point in prop_oneof![3 => 0..=MERSENNE, 1 => Just(MERSENNE), 1 => Just(MERSENNE - 1)],
            wide in any::<u128>(),
        ) {
            let masses = numbers(&limbs);
            let value = evaluate(&masses, point, |mass| residue(mass.limbs().iter()));
            let horner = masses.iter().rev().fold(Integer::new(), |sum, mass| sum * point + mass.to_integer());
            prop_assert_eq!(canonical(value), modulo(&horner));
            let sum: Integer = masses.iter().map(|mass| mass.to_integer()).sum();
            prop_assert_eq!(total(&masses), sum);
            let products: Vec<_> = masses.windows(2).map(|pair| Product { low: pair[0], high: pair[1] }).collect();
            let sum: Integer = products.iter().map(|product| product.to_integer()).sum();
            prop_assert_eq!(total_of_products(&products), sum);
            for x in [wide >> 4, (3 << 123) - 1, (3 << 123) - 1 - (wide >> 64)] {
                prop_assert!(fold(x) < (1 << 61) + 8);
                prop_assert_eq!(canonical(fold(x)), modulo(&x.into()));
            }
        }
    }

    /// One wrong bit anywhere, two that keep the total, two exchanged elements, a missing one.
    #[test]
    fn wrong_products_are_noticed() {
        let a: Vec<Mass<2>> = (1u64..50)
            .map(|i| Mass::from_limbs([i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i]))
            .collect();
        let b = &a[..20];
        let right = convolve(&a, b).unwrap();
        let expected = total(&a) * total(b);
        let verdict = |c: &[Product<2>]| {
            verify(&a, b, c, &expected)
                .err()
                .map(|violation| violation.0)
        };
        let with = |change: &dyn Fn(&mut Vec<Product<2>>)| {
            let mut wrong = right.clone();
            change(&mut wrong);
            verdict(&wrong).expect("a wrong product must be noticed")
        };
        assert_eq!(verdict(&right), None);
        let one = Mass::<2>::from_limbs([1, 0]);
        for k in 0..right.len() {
            let raised = |c: &mut Vec<Product<2>>| c[k].low = c[k].low.plus(&one).unwrap();
            assert!(with(&raised).contains("total mass"));
            let flipped = |c: &mut Vec<Product<2>>| {
                let [low, high] = *c[k].high.limbs();
                c[k].high = Mass::from_limbs([low, high ^ (1 << (k % 64))]);
            };
            assert!(with(&flipped).contains("total mass"));
            let moved = |c: &mut Vec<Product<2>>| {
                let next = (k + 1) % c.len();
                c[k].low = c[k].low.plus(&one).unwrap();
                c[next].low = c[next].low.minus(&one).unwrap();
            };
            assert!(with(&moved).contains("random point"));
        }
        assert!(with(&|c| c.swap(3, 4)).contains("random point"));
        assert!(with(&|c| c.reverse()).contains("random point"));
        assert!(with(&|c| c.truncate(3)).contains("length"));
    }

    /// At a root of the difference the second check is blind: it is the choice of the point that finds errors.
    #[test]
    fn the_point_matters() {
        let a = [Mass::<1>::from_limbs([5]), Mass::from_limbs([7])];
        let mut c = convolve(&a, &a).unwrap();
        let expected = total(&a).square();
        c.swap(0, 2); // 25 + 70x + 49x² and 49 + 70x + 25x² agree where x² = 1.
        assert!(verify_at(&a, &a, &c, &expected, 1).is_ok());
        assert!(verify_at(&a, &a, &c, &expected, 2).is_err());
        assert_ne!(random_point(), random_point());
    }
}
