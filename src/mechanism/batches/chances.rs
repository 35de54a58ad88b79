//! What a sample of a largest size is made of, by probability.

use rug::{Float, Rational};

use super::binomial::{self, Tails, exact_tail};
use crate::kernel::Interval;
use crate::kernel::directed as d;

/// Probabilities below 2^-this are taken for unknown ones up to it.
const SMALLEST_BITS: i32 = 1_024;

/// Bits of a probability that is rounded.
pub(super) const BITS: u32 = 128;

/// Probabilities are exact up to this product of the records and the bits of the rate.
const EXACT_BITS: u64 = 2_048;

/// Bounds of probabilities of K, of a = P(K ≥ B), and of w, the probability that the record is in a batch with B − 1 others that stay of at least B.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chances {
    /// At most P(K = B − 2).
    pub before_last: Rational,
    /// At most P(K = B − 1).
    pub last: Rational,
    /// At most a.
    pub full: Rational,
    /// At least a.
    pub full_upper: Rational,
    /// At most w.
    pub displacing: Rational,
    /// At least w.
    pub displacing_upper: Rational,
}

impl Chances {
    /// Requires: 0 < `rate` ≤ 1, 1 ≤ `max_batch`.
    pub fn of(rate: &Rational, dataset_size: u64, max_batch: u64) -> Self {
        let others = dataset_size.saturating_sub(1);
        let share = Rational::from((max_batch, dataset_size));
        let before = max_batch.saturating_sub(1);
        let rate_bits = u64::from(rate.denom().significant_bits());
        if *rate == 1 {
            // All others are drawn, and fill the batch.
            let exactly = |holds: bool| Rational::from(u32::from(holds));
            return Self {
                before_last: exactly(max_batch >= 2 && others == max_batch.saturating_sub(2)),
                last: exactly(others == before),
                full: exactly(others >= max_batch),
                full_upper: exactly(others >= max_batch),
                displacing: exactly(dataset_size > max_batch) * &share,
                displacing_upper: exactly(dataset_size > max_batch) * share,
            };
        }
        if dataset_size.saturating_mul(rate_bits) <= EXACT_BITS {
            let full = exact_tail(others, rate, max_batch);
            let displacing = exact_tail(dataset_size, rate, max_batch.saturating_add(1)) * share;
            let from_last = exact_tail(others, rate, before);
            let before_last = match max_batch.checked_sub(2) {
                Some(size) => exact_tail(others, rate, size) - &from_last,
                None => Rational::new(),
            };
            return Self {
                before_last,
                last: from_last - &full,
                full_upper: full.clone(),
                full,
                displacing_upper: displacing.clone(),
                displacing,
            };
        }
        Self::enclosed(rate, dataset_size, max_batch)
    }

    /// Requires: 0 < `rate` < 1, 1 ≤ `max_batch` ≤ `dataset_size`.
    pub(super) fn enclosed(rate: &Rational, dataset_size: u64, max_batch: u64) -> Self {
        let others = dataset_size.saturating_sub(1);
        let share = Rational::from((max_batch, dataset_size));
        let before = max_batch.saturating_sub(1);
        let beyond = max_batch.saturating_add(1);
        let mass = |size: u64| Bounds::few(&binomial::mass(others, rate, size).in_unit());
        let before_last = max_batch.checked_sub(2).map(mass);
        let last = mass(before);
        let full = Bounds::of(&binomial::tails(others, rate, max_batch));
        let displacing = Bounds::of(&binomial::tails(dataset_size, rate, beyond));
        Self {
            before_last: before_last.map_or_else(Rational::new, |bounds| bounds.lower),
            last: last.lower,
            full: full.lower,
            full_upper: full.upper,
            displacing: displacing.lower * &share,
            displacing_upper: displacing.upper * share,
        }
    }
}

/// Rational bounds of a probability.
struct Bounds {
    lower: Rational,
    upper: Rational,
}

impl Bounds {
    /// Of P(X ≥ k): few bits, and few of its complement where that is the smaller one.
    fn of(tails: &Tails) -> Self {
        let (from, below) = (Self::few(&tails.from), Self::few(&tails.below));
        if from.upper <= below.upper {
            return from;
        }
        Self {
            lower: 1 - below.upper,
            upper: 1 - below.lower,
        }
    }

    fn few(x: &Interval) -> Self {
        let smallest = Float::with_val(BITS, 1) >> SMALLEST_BITS;
        let exact = |x: &Float| x.to_rational();
        let lower = if *x.lo() < smallest {
            None
        } else {
            exact(x.lo())
        };
        let upper = if *x.hi() < smallest {
            exact(&smallest)
        } else {
            exact(x.hi())
        };
        Self {
            lower: lower.map_or_else(Rational::new, |x| rounded_down(&x)),
            upper: upper.map_or_else(|| Rational::from(1), |x| rounded_up(&x)),
        }
    }
}

/// A probability to few bits, rounded down.
///
/// Requires: at most 1, and 0 or at least 2^-2048.
pub(super) fn rounded_down(x: &Rational) -> Rational {
    let float = d::rational_down(x, BITS);
    float.to_rational().unwrap_or_else(|| x.clone())
}

/// The same rounded up.
///
/// Requires: as [`rounded_down`].
pub(super) fn rounded_up(x: &Rational) -> Rational {
    let float = d::rational_up(x, BITS);
    float.to_rational().unwrap_or_else(|| x.clone())
}

#[cfg(test)]
#[path = "chances_tests.rs"]
mod tests;
