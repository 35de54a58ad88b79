//! Shuffled answers of randomised response, given what all other users hold: every possible count of answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use rug::{Integer, Rational};

use super::Vectors;
use crate::kernel::Interval;
use crate::mechanism::epsilon::Epsilon;

/// The counts of answers of k-ary randomised response, where one user holds value 0 under P and 1 under Q.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShuffledResponse {
    epsilon: Epsilon,
    /// How many others hold each value.
    others: Arc<[u64]>,
}

/// Products of masses that are made for all values that the others may hold, at most.
const MOST_WORK: u64 = 300_000;
/// Exact numbers are kept up to so many bits of e^ε.
const MOST_EXACT_BITS: u32 = 64;

/// What the law of the counts needs of a number.
trait Number: Clone {
    fn times(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
}

impl Number for Rational {
    fn times(&self, other: &Self) -> Self {
        Self::from(self * other)
    }

    fn plus(&self, other: &Self) -> Self {
        Self::from(self + other)
    }
}

impl Number for Interval {
    fn times(&self, other: &Self) -> Self {
        self.mul(other)
    }

    fn plus(&self, other: &Self) -> Self {
        self.add(other)
    }
}

impl ShuffledResponse {
    /// Everything that the other users may hold, each up to the order of the values that the user does not hold; `None` if that is too much.
    ///
    /// Requires: `users ≥ 1`, `answers ≥ 2`, `epsilon > 0`.
    pub fn all(users: u64, epsilon: &Epsilon, answers: u64) -> Option<Vec<Self>> {
        let others = users.checked_sub(1)?;
        let values = usize::try_from(answers).ok().filter(|k| *k <= 8)?;
        // n counts of k values: C(n + k − 1, k − 1), and for as many datasets a factor for each of n users.
        let counts = |n: u64| -> Option<u64> {
            let top = u32::try_from(n.checked_add(answers)?.checked_sub(1)?).ok()?;
            let below = u32::try_from(answers.checked_sub(1)?).ok()?;
            Integer::from(top).binomial(below).to_u64()
        };
        let work = counts(others)?
            .checked_mul(counts(users)?)?
            .checked_mul(users)?;
        if work > MOST_WORK {
            return None;
        }
        let mut all = Vec::new();
        histograms(
            others,
            values,
            &mut Vec::new(),
            &mut |histogram: &[u64]| {
                let (_, rest) = histogram.split_at(values.min(2));
                if rest.is_sorted_by(|a, b| a >= b) {
                    all.push(Self {
                        epsilon: epsilon.clone(),
                        others: histogram.into(),
                    });
                }
            },
        );
        Some(all)
    }

    /// The probabilities as exact numbers, where e^ε is a short one.
    pub fn exact(&self) -> Option<Vectors> {
        let odds = self.epsilon.exact_exp()?;
        let bits = odds
            .numer()
            .significant_bits()
            .max(odds.denom().significant_bits());
        if bits > MOST_EXACT_BITS {
            return None;
        }
        let total = Rational::from(&odds + self.less_one());
        let (truth, lie) = (Rational::from(&odds / &total), total.recip());
        let (one, zero) = (Rational::from(1), Rational::new());
        Some(self.pair(&truth, &lie, &one, &zero).into_iter().unzip())
    }

    /// The probabilities, enclosed.
    pub(in crate::mechanism) fn masses(&self, bits: u32) -> Option<Vec<(Interval, Interval)>> {
        let odds = self.epsilon.place(bits).exp().clone();
        let total = odds.add(&Interval::from_integer(&self.less_one(), bits));
        let (one, zero) = (Interval::one(bits), Interval::zero(bits));
        let (truth, lie) = (odds.div(&total), one.div(&total));
        Some(self.pair(&truth, &lie, &one, &zero))
    }

    /// k − 1.
    fn less_one(&self) -> Integer {
        Integer::from(self.others.len()) - 1u32
    }

    /// Each count of answers with its probabilities.
    fn pair<T: Number>(&self, truth: &T, lie: &T, one: &T, zero: &T) -> Vec<(T, T)> {
        let values = self.others.len();
        let report = |held: usize| -> Vec<T> {
            let answer = |value: usize| if value == held { truth } else { lie };
            (0..values).map(|value| answer(value).clone()).collect()
        };
        let mut law = BTreeMap::from([(vec![0u64; values], one.clone())]);
        for (held, count) in self.others.iter().enumerate() {
            for _ in 0..*count {
                law = with_report(&law, &report(held));
            }
        }
        let (null, with) = (with_report(&law, &report(0)), with_report(&law, &report(1)));
        let of = |counts: &Vec<u64>| with.get(counts).unwrap_or(zero).clone();
        null.into_iter()
            .map(|(counts, p)| (p, of(&counts)))
            .collect()
    }
}

/// All ways to distribute `rest` over the places that are left of `values`.
fn histograms(rest: u64, values: usize, start: &mut Vec<u64>, found: &mut dyn FnMut(&[u64])) {
    if start.len().saturating_add(1) == values {
        start.push(rest);
        found(start);
        start.pop();
        return;
    }
    for here in 0..=rest {
        start.push(here);
        histograms(rest.saturating_sub(here), values, start, found);
        start.pop();
    }
}

/// The law of the counts with one more report of this law.
fn with_report<T: Number>(law: &BTreeMap<Vec<u64>, T>, report: &[T]) -> BTreeMap<Vec<u64>, T> {
    let mut all: BTreeMap<Vec<u64>, T> = BTreeMap::new();
    for (counts, mass) in law {
        for (value, chance) in report.iter().enumerate() {
            let mut counts = counts.clone();
            if let Some(count) = counts.get_mut(value) {
                *count = count.saturating_add(1);
            }
            let share = mass.times(chance);
            all.entry(counts)
                .and_modify(|sum| *sum = sum.plus(&share))
                .or_insert(share);
        }
    }
    all
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
