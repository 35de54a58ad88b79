//! Truth for finite mechanisms, by enumeration in `num-rational`: no line is shared with the crate under test.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod curve;
pub mod pair;
pub mod probit;

use dpcmp::bounds::Enclosure;
use dpcmp::kernel::Interval;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rug::float::Round;
use rug::{Float, Rational};

/// Multiplies the number of random cases; 1 unless `DPCMP_TEST_SCALE` says otherwise.
pub fn scale() -> u32 {
    std::env::var("DPCMP_TEST_SCALE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// One item of a list in so many is tried: `stride` by default, fewer by as much as the scale says, and every item from a scale of half the stride on.
pub fn every(stride: usize) -> usize {
    let scale = usize::try_from(scale()).unwrap_or(usize::MAX);
    (stride / scale.max(1)).max(1)
}

/// Is the item at this place one of those? Given the sum of the places in two lists, one within the other, the items that are
/// tried go round, so that each of both lists has its turn.
pub fn is_asked(place: usize, stride: usize) -> bool {
    place.is_multiple_of(every(stride))
}

/// Is the scale 10 or more, so that what takes long is run as well?
pub fn is_thorough() -> bool {
    scale() >= 10
}

/// `base` random cases, times the scale, always the same ones.
pub fn cases(base: u32) -> proptest::prelude::ProptestConfig {
    proptest::prelude::ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5eed),
        ..proptest::prelude::ProptestConfig::with_cases(base.saturating_mul(scale()))
    }
}

pub fn fraction(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The same number in the crate's own type.
pub fn to_rug(x: &BigRational) -> Rational {
    x.to_string().parse().unwrap()
}

pub fn from_rug(x: &Rational) -> BigRational {
    x.to_string().parse().unwrap()
}

/// log x, rounded down and up in a precision far beyond any enclosure's.
pub fn log_bounds(x: &BigRational) -> (Float, Float) {
    const BITS: u32 = 1200;
    if x.is_zero() {
        let minus = Float::with_val(BITS, rug::float::Special::NegInfinity);
        return (minus.clone(), minus);
    }
    if x.is_one() {
        return (Float::new(BITS), Float::new(BITS));
    }
    let bound = |round| {
        let argument = Float::with_val_round(BITS, &to_rug(x), round).0;
        Float::with_val_round(BITS, argument.ln_ref(), round).0
    };
    (bound(Round::Down), bound(Round::Up))
}

/// lower ≤ truth ≤ upper, and the exact value, if it is claimed to be known, is the truth.
pub fn encloses(found: &Enclosure, truth: &BigRational) -> bool {
    let truth = to_rug(truth);
    *found.lower() <= truth
        && *found.upper() >= truth
        && found.exact().is_none_or(|exact| *exact == truth)
}

/// The same for a truth known between two numbers: the enclosure meets the segment, with nothing to spare.
pub fn encloses_real(found: &Enclosure, low: &Float, high: &Float) -> bool {
    found.lower() <= high && found.upper() >= low
}

pub fn meets_truth(found: &Interval, truth: &BigRational) -> bool {
    found.contains(&to_rug(truth))
}

/// The enclosure, made wider by these multiples of 2^−shift.
pub fn widened(
    x: &dpcmp::kernel::Interval,
    (down, up): (u32, u32),
    shift: u32,
) -> dpcmp::kernel::Interval {
    let by = |n: u32| Float::with_val(200, n) >> shift;
    let lo = Float::with_val(200, x.lo() - by(down));
    let hi = Float::with_val(200, x.hi() + by(up));
    dpcmp::kernel::Interval::new(lo, hi).unwrap()
}
