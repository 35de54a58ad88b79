//! Poisson sampling where a batch has a largest size.

use std::sync::Arc;

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::binomial::{self, MOST_VARIANCE, Tails, exact_tail};
use crate::kernel::Interval;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, Why, at_least};
use crate::mechanism::shifted::{ShiftedNoise, Shifts};
use crate::mechanism::step::Step;
use crate::mechanism::steps::{Assumptions, Steps, noise_of};

/// Each record is drawn with probability `rate`; of more than `max-batch` records drawn, a uniform choice of that many stays.
///
/// Let K be the number of the others that are drawn, binomial of n − 1 and q, and B the largest size. Given K < B the record is in the
/// batch with probability q, beside the others. Given K ≥ B it takes the place of another one with probability q·B/(K + 1); with a = P(K ≥ B) that
/// is q' = E(q·B/(K + 1) | K ≥ B) = (B/n)·P(S > B)/a, where S is binomial of n and q. So it is in the batch with probability (1 − a)·q + a·q'.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedPoisson {
    rate: Rational,
    dataset_size: u64,
    max_batch: u64,
    chances: Chances,
}

/// Bounds of the probabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chances {
    /// At most a.
    full_lower: Rational,
    /// At least a.
    full_upper: Rational,
    /// At least q', at most q.
    displacing_upper: Rational,
    /// At most (1 − a)·q + a·q'.
    taking_part_lower: Rational,
}

/// Probabilities below 2^-this are taken for unknown ones up to it.
const SMALLEST_BITS: i32 = 1_024;

/// Bits of a probability that is rounded.
const BITS: u32 = 128;

/// Probabilities are exact up to this product of the records and the bits of the rate.
const EXACT_BITS: u64 = 2_048;

impl TruncatedPoisson {
    /// With `rate` in (0, 1], of `dataset_size ≥ 1` records (of the larger dataset), at most `max_batch ≥ 1` in a batch.
    ///
    /// # Errors
    /// If a number is out of its range, or the number of records drawn has a variance above 10^9.
    pub fn new(rate: Rational, dataset_size: u64, max_batch: u64) -> Result<Self, OutOfRange> {
        Domain::Rate.hold("rate", &rate)?;
        at_least("dataset-size", 1, dataset_size)?;
        at_least("max-batch", 1, max_batch)?;
        let variance = Rational::from(1 - &rate) * &rate * dataset_size;
        if variance > MOST_VARIANCE && max_batch < dataset_size {
            let message = "the size of a Poisson sample of so many records at this rate has a variance above 10^9";
            return Err(OutOfRange::sentence("dataset-size", message).because(Why::TooLarge));
        }
        let chances = Chances::of(&rate, dataset_size, max_batch);
        Ok(Self {
            rate,
            dataset_size,
            max_batch,
            chances,
        })
    }

    /// Probability that a record is drawn.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// Records of the larger dataset.
    pub fn dataset_size(&self) -> u64 {
        self.dataset_size
    }

    /// Records of the largest batch.
    pub fn max_batch(&self) -> u64 {
        self.max_batch
    }

    /// The normal form of noise on the sum of such a batch; `of` are its steps under `relation`, `present` those under presence.
    ///
    /// Ensures, above (`proofs/README.md`, X1): whether K ≥ B is told, which has the same law with and without the record. If not, this is Poisson sampling at rate q. If so,
    /// the others of the batch and the one that the record would displace are told, whose law does not depend on K; what is left is a sum that moves with probability q' from
    /// that one, y, to the record: by 2 record bounds at most, and from y to either of two records that are exchanged.
    /// Below: the others contribute nothing, so that this is Poisson sampling at the rate (1 − a)·q + a·q'.
    ///
    /// # Errors
    /// If it is anything but noise on a sum.
    pub(crate) fn steps(
        &self,
        relation: Relation,
        of: &Steps,
        present: &Steps,
    ) -> Result<Steps, OutOfRange> {
        let sampled = |rate: &Rational| match relation {
            Relation::Presence | Relation::ReplaceSpecial => of.sampled(rate),
            Relation::ReplaceOne => of.sampled_replaced(rate, present),
        };
        if self.max_batch >= self.dataset_size {
            return Ok(sampled(&self.rate));
        }
        let Chances {
            full_lower,
            full_upper,
            displacing_upper,
            taking_part_lower,
        } = &self.chances;
        let parts = [
            (Rational::from(1 - full_upper), sampled(&self.rate)),
            (
                full_lower.clone(),
                displacing(relation, present, displacing_upper)?,
            ),
            // Above both others, since q' ≤ q and the shifts are no smaller.
            (
                Rational::from(full_upper - full_lower),
                displacing(relation, present, &self.rate)?,
            ),
        ];
        let parts = parts.into_iter().filter(|(weight, _)| *weight > 0);
        let most = Steps::labelled(parts.collect());
        let least = if *taking_part_lower > 0 {
            sampled(taking_part_lower)
        } else {
            Steps::one(
                Step::Gaussian {
                    mu_squared: Rational::new(),
                },
                Assumptions::NONE,
            )
        };
        Ok(Steps::between([least], most).with_assumptions(Assumptions {
            truncated_batches: true,
            ..of.assumptions()
        }))
    }
}

/// Noise on a sum where, with this probability, the record takes the place of another one that stays otherwise.
///
/// That other one is at 0 on the line. Present or absent: it is there, or the record is, at a distance of 2 at most. Replaced: one of two records, each at such a distance. Zeroed:
/// the special record at a distance of 1, or the other at 2.
fn displacing(relation: Relation, present: &Steps, rate: &Rational) -> Result<Steps, OutOfRange> {
    let one = present.with_one_gaussian();
    let noise = one.single().and_then(noise_of).ok_or_else(no_sum)?;
    let by = |shift: u32| {
        let list = vec![
            (Rational::new(), Rational::from(1 - rate)),
            (Rational::from(shift), rate.clone()),
        ];
        Shifts::new(list)
    };
    let (without, with) = match relation {
        Relation::Presence => {
            let pair = ShiftedNoise::new(
                noise,
                Shifts::none(),
                Shifts::new(vec![(Rational::from(2), Rational::from(1))])?,
            );
            let twice = Step::farthest(&pair).ok_or_else(no_sum)?;
            return Ok(Steps::one(twice, present.assumptions()).sampled(rate));
        }
        Relation::ReplaceOne => (by(2)?, by(2)?),
        Relation::ReplaceSpecial => (by(1)?, by(2)?),
    };
    let pair = ShiftedNoise::new(noise, without, with);
    Ok(Steps::one(
        Step::Shifted(Arc::new(pair)),
        present.assumptions(),
    ))
}

fn no_sum() -> OutOfRange {
    OutOfRange::sentence(
        "of",
        "only noise on a sum is built on batches of a largest size",
    )
    .because(Why::Unsupported)
    .help("put one noise kind with a `record-bound` in `of`")
}

impl Chances {
    fn of(rate: &Rational, dataset_size: u64, max_batch: u64) -> Self {
        let others = dataset_size.saturating_sub(1);
        let share = Rational::from((max_batch, dataset_size));
        // B/(K + 1) ≤ B/(B + 1).
        let most = Rational::from(rate * max_batch) / (Integer::from(max_batch) + 1u32);
        let rate_bits = u64::from(rate.denom().significant_bits());
        if *rate == 1 {
            // All others are drawn, and fill the batch.
            let full = Rational::from(u32::from(others >= max_batch));
            return Self {
                displacing_upper: share.clone(),
                taking_part_lower: share,
                full_lower: full.clone(),
                full_upper: full,
            };
        }
        if dataset_size.saturating_mul(rate_bits) <= EXACT_BITS {
            let full = exact_tail(others, rate, max_batch);
            let beyond = exact_tail(dataset_size, rate, max_batch.saturating_add(1)) * share;
            return Self {
                displacing_upper: if full > 0 {
                    Rational::from(&beyond / &full)
                } else {
                    most
                },
                taking_part_lower: Rational::from(1 - &full) * rate + beyond,
                full_lower: full.clone(),
                full_upper: full,
            };
        }
        let full = Bounds::of(&binomial::tails(others, rate, max_batch));
        let beyond = Bounds::of(&binomial::tails(
            dataset_size,
            rate,
            max_batch.saturating_add(1),
        ));
        let displacing = if full.lower > 0 {
            (Rational::from(&beyond.upper * &share) / &full.lower).min(most)
        } else {
            most
        };
        let taking_part = Rational::from(1 - &full.upper) * rate + beyond.lower * share;
        Self {
            displacing_upper: rounded(&displacing, Round::Up).min(rate.clone()),
            taking_part_lower: rounded(&taking_part, Round::Down),
            full_lower: full.lower,
            full_upper: full.upper,
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
            lower: lower.map_or_else(Rational::new, |x| rounded(&x, Round::Down)),
            upper: upper.map_or_else(|| Rational::from(1), |x| rounded(&x, Round::Up)),
        }
    }
}

/// A probability to few bits.
///
/// Requires: at most 1, and 0 or at least 2^-2048.
fn rounded(x: &Rational, round: Round) -> Rational {
    let float = Float::with_val_round(BITS, x, round).0;
    float.to_rational().unwrap_or_else(|| x.clone())
}

#[cfg(test)]
#[path = "truncated_tests.rs"]
mod tests;
