//! The exact product of two sequences of masses: c_k = Σ a_i·b_{k−i}.
//!
//! Three ways, chosen by cost alone, all exact and all checked at run time (see `check.rs`):
//!
//! * **term by term** when one sequence is short (`schoolbook.rs`);
//! * **number-theoretic transforms** for masses of one to three limbs. Every c_k is at most Σ a · Σ b =: S, so its
//!   residues modulo primes whose product exceeds S determine it (`remainder.rs`). S is computed exactly, and two to
//!   six primes just below 2^62 are taken: S < 2^124, 2^186, …, 2^372, less one part in 2^30. Modulo a prime the product is
//!   found by transforms of length 2^j or 3·2^j ≥ len(a) + len(b) − 1 (`ntt.rs`);
//! * **Kronecker substitution** on GMP otherwise (`kronecker.rs`).
//!
//! The transform is written here because it carries the engine's exactness and its proof must be readable beside it: the
//! kept crates of this kind (tfhe-ntt, concrete-ntt) offer negacyclic products of powers of two for encryption, with
//! `unsafe` vector code, under a licence that grants no patent rights; those for contests know one small prime.

mod check;
mod field;
mod kronecker;
mod layers;
mod ntt;
mod prepared;
mod primes;
mod remainder;
mod roots;
mod schoolbook;

#[cfg(test)]
mod tests;

use rug::Integer;

use super::{Mass, Product};
use crate::kernel::InvariantViolation;
pub use prepared::{Factor, Products};

use ntt::{Transform, length_for};
use primes::{FIELDS, ROOT_BITS};

/// c_k = Σ a_i·b_{k−i} for 0 ≤ k ≤ len(a) + len(b) − 2, exactly; empty if a or b is.
///
/// # Errors
/// If an element does not fit 2L limbs (never if Σ a · Σ b does), or if a check of the result fails.
pub fn convolve<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let bound = check::total(a) * check::total(b);
    let result = match way(a, b, &bound) {
        Way::Schoolbook => schoolbook::convolve(a, b),
        Way::Transform { length, primes } => by_transform(a, b, length, primes),
        Way::Kronecker => kronecker::convolve(a, b),
    }?;
    check::verify(a, b, &result, &bound)?;
    Ok(result)
}

/// [`convolve`] by Kronecker substitution at any width, to compare.
///
/// # Errors
/// As [`convolve`].
pub fn convolve_by_kronecker<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
) -> Result<Vec<Product<L>>, InvariantViolation> {
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let result = kronecker::convolve(a, b)?;
    check::verify(a, b, &result, &(check::total(a) * check::total(b)))?;
    Ok(result)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Schoolbook,
    Transform { length: usize, primes: usize },
    Kronecker,
}

/// The cheapest way that is possible for products of total `bound`.
fn way<const L: usize>(a: &[Mass<L>], b: &[Mass<L>], bound: &Integer) -> Way {
    // Within 2L limbs neither a term nor a sum of terms overflows.
    if L > MOST_LIMBS || bound.significant_digits::<u64>() > 2 * L {
        return Way::Kronecker;
    }
    let Some((primes, length)) = primes_for(bound).zip(transform_length(a.len(), b.len())) else {
        return Way::Kronecker;
    };
    let terms = a.len().saturating_mul(b.len());
    if terms.saturating_mul(term_cost(L)) <= transform_cost(length, primes, a == b) {
        Way::Schoolbook
    } else {
        Way::Transform { length, primes }
    }
}

/// Six primes hold products of masses of at most this many limbs (of up to 186 bits); beyond, GMP is faster.
const MOST_LIMBS: usize = 3;

/// The time of one product term by term, in eighths of a nanosecond of some machine.
const fn term_cost(limbs: usize) -> usize {
    match limbs {
        1 => 6,
        2 => 20,
        _ => 45,
    }
}

/// The time of a product by transforms, in the same unit.
fn transform_cost(length: usize, primes: usize, square: bool) -> usize {
    let layers = usize::try_from(length.max(1).ilog2()).unwrap_or(0);
    let transforms = if square { 2 } else { 3 };
    // 5 for each place and layer, 70 for each place of the rest: remainders and checks.
    let place = layers.saturating_mul(5 * transforms).saturating_add(70);
    length.saturating_mul(primes).saturating_mul(place)
}

/// The least number of primes, two to six, whose product exceeds `bound`.
fn primes_for(bound: &Integer) -> Option<usize> {
    let mut product = Integer::from(1);
    let enough = FIELDS.iter().position(|field| {
        product *= field.modulus;
        product > *bound
    })?;
    Some(enough.max(1) + 1)
}

/// The length of the transform, if there is one so long.
fn transform_length(a: usize, b: usize) -> Option<usize> {
    let length = length_for(a.checked_add(b)?.checked_sub(1)?)?;
    (length <= 3 << ROOT_BITS).then_some(length)
}

fn by_transform<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
    length: usize,
    primes: usize,
) -> Result<Vec<Product<L>>, InvariantViolation> {
    match primes {
        2 => by_primes::<2, L>(a, b, length),
        3 => by_primes::<3, L>(a, b, length),
        4 => by_primes::<4, L>(a, b, length),
        5 => by_primes::<5, L>(a, b, length),
        _ => by_primes::<6, L>(a, b, length),
    }
}

/// Requires: Σ a · Σ b is less than the product of the first K primes, and `length` at least that of the result.
fn by_primes<const K: usize, const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
    length: usize,
) -> Result<Vec<Product<L>>, InvariantViolation> {
    let mut residues = [const { Vec::new() }; K];
    for (prime, residues) in residues.iter_mut().enumerate() {
        *residues = modulo_prime(a, b, length, prime)
            .ok_or_else(|| InvariantViolation("there is no transform of this length".into()))?;
        residues.truncate(a.len().saturating_add(b.len()).saturating_sub(1));
    }
    remainder::combine(residues)
}

/// The residues of the product in [0, p), followed by zeros.
fn modulo_prime<const L: usize>(
    a: &[Mass<L>],
    b: &[Mass<L>],
    length: usize,
    prime: usize,
) -> Option<Vec<u64>> {
    let (transform, field) = (Transform::new(prime, length)?, FIELDS.get(prime)?);
    let values = |masses: &[Mass<L>]| {
        let mut data = Vec::with_capacity(length);
        data.extend(masses.iter().map(|mass| field.residue(mass.limbs())));
        data.resize(length, 0);
        transform.forward(&mut data);
        data
    };
    let mut product = values(a);
    if a == b {
        for x in &mut product {
            *x = field.times(*x, *x);
        }
    } else {
        for (x, y) in product.iter_mut().zip(values(b)) {
            *x = field.times(*x, y);
        }
    }
    transform.inverse(&mut product);
    Some(product)
}
