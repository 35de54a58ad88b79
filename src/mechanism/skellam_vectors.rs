//! Skellam noise on every coordinate of a vector of whole numbers, of whose change only the Euclidean length is known.
//!
//! With N(k) the mass at k and κ = log(N(0)/N(1)), no second difference of log N is below −2κ, the one at 0. So a change by v has
//! D_t ≤ t·|v|²·κ at every whole t ≥ 2, in any dimension and in both orders (`proofs/README.md`, Z8).

use rug::Rational;

use super::domain::OutOfRange;
use super::shifted::{IntegerNoise, SkellamNoise};
use super::steps::{Conditions, Step, Steps};

/// Every order up to here, and from here on some, each larger by about a sixteenth. Which ones there are decides about widths only.
const DENSE: u64 = 32;
const SPACING: u64 = 16;
const LARGEST_ORDER: u64 = 1 << 30;
/// No ratio of masses is computed above this mean.
const SUMMED: u32 = 1_000_000;
const BITS: u32 = 128;

/// The steps of vectors that change by the sum of so many vectors of at most this length each.
///
/// What is added is of whole numbers: along one coordinate each adds at most ⌊length⌋, and the square of its length is a whole number, too.
///
/// Requires: `mean > 0`, `length ≥ 1`, `count ≥ 1`.
/// Ensures: the list bounds all such changes; the member is one of them.
///
/// # Errors
/// If no number of 64 bits is as large as the sum.
pub(super) fn steps(
    key: &'static str,
    mean: &Rational,
    length: &Rational,
    count: u64,
) -> Result<Steps, OutOfRange> {
    let along = length.clone().floor().numer().to_u64();
    let Some(along) = along.and_then(|along| along.checked_mul(count)) else {
        return Err(OutOfRange::new(
            key,
            "is too large: the change must be below 2^64",
        ));
    };
    let orders = guarantees(mean, &largest_square(length, count)).into();
    Ok(Steps::between(
        [member(mean, along)],
        Steps::one(Step::Rdp { orders }, Conditions::GUARANTEE),
    ))
}

/// One of the changes: along one coordinate, or as far as is built; none, of the same data, where the noise on a count is not.
fn member(mean: &Rational, along: u64) -> Steps {
    match SkellamNoise::new(mean) {
        Some(_) => {
            let along = along.min(SkellamNoise::MOST_APART.unsigned_abs());
            Steps::one(Step::skellam(mean, along), Conditions::NONE)
        }
        None => Steps::nothing(),
    }
}

/// At least |v|².
fn largest_square(length: &Rational, count: u64) -> Rational {
    Rational::from(length.square_ref()).floor() * Rational::from(count).square()
}

/// Orders t with an upper bound of D_t.
///
/// Requires: `mean > 0`.
fn guarantees(mean: &Rational, square: &Rational) -> Vec<(Rational, Rational)> {
    let each = square * most_of_one(mean, BITS);
    let dense = 2..=DENSE;
    let sparse = std::iter::successors(Some(DENSE), |order| {
        order.checked_add(order.checked_div(SPACING)?)
    });
    let sparse = sparse.skip(1).take_while(|order| *order <= LARGEST_ORDER);
    let bound = |order| (Rational::from(order), Rational::from(&each * order));
    dense.chain(sparse).map(bound).collect()
}

/// At least κ.
///
/// κ = log r₁ ≤ (m + 3)/(m(4m + 3)), which is too large by a factor of about 1 + 2/m.
fn most_of_one(mean: &Rational, bits: u32) -> Rational {
    let simple = Rational::from(mean + 3u32) / (Rational::from(mean * 4u32) + 3u32) / mean;
    if *mean > SUMMED {
        return simple;
    }
    let rise = SkellamNoise::new(mean).map(|noise| noise.rise(1, bits).ln());
    match rise.and_then(|log| log.hi().to_rational()) {
        Some(narrow) => narrow.min(simple),
        None => simple,
    }
}

#[cfg(test)]
#[path = "skellam_vectors_tests.rs"]
mod tests;
