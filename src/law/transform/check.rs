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
        // Five terms, each at most (2^61 + 7)² < 2^122 + 2^66: below 2^125.
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
