//! Several choices by score together, from above: the table that the checker makes of them (C8 of `proofs/FORMAT.md`), in f64.

use super::steps::Steps;
use crate::float::elementary::{exp, exp_m1};
use crate::float::nearest;
use crate::mechanism::Step;

/// As many choices, ways, places and tries as the checker has.
const MOST: u64 = 12;
const WAYS: usize = 32;
const PLACES: f64 = 4096.0;
const TRIED: u32 = 64;
/// An f64 that is off by less is a whole number.
const NEAR: f64 = 1e-9;

/// δ is at most linear in u between places that are `h` apart on the loss axis, the one at `middle` being 0.
pub(super) struct Table {
    h: f64,
    middle: usize,
    values: Vec<f64>,
    /// The largest loss.
    end: f64,
}

struct Choice {
    times: usize,
    shares: Vec<f64>,
    range: f64,
    bend: f64,
}

impl Table {
    /// Of at least two runs of the exponential mechanism, and nothing else.
    pub fn new(steps: &Steps) -> Option<Self> {
        let one = |(step, times): &(Step, u64)| {
            let epsilon = step.as_closed()?.exponential()?;
            Some((nearest(&epsilon.rational_up()), *times as usize))
        };
        let runs: Vec<(f64, usize)> = steps.list.iter().map(one).collect::<Option<_>>()?;
        let count = steps
            .list
            .iter()
            .fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
        let end: f64 = runs.iter().map(|(epsilon, n)| epsilon * *n as f64).sum();
        let ways = runs.iter().fold(1usize, |all, (_, n)| {
            all.saturating_mul(n.saturating_add(1))
        });
        if !(2..=MOST).contains(&count) || ways > WAYS || end > 700.0 {
            return None;
        }
        let widest = runs.iter().map(|(epsilon, _)| *epsilon).fold(0.0, f64::max);
        let least = (widest * PLACES / end - NEAR).ceil().max(1.0);
        let count_of = |epsilon: f64, h: f64| (epsilon / h - NEAR).ceil().max(1.0);
        let excess = |h: f64| -> f64 {
            let over = runs
                .iter()
                .map(|(epsilon, n)| (count_of(*epsilon, h) * h - epsilon) * *n as f64);
            over.filter(|x| *x > NEAR * h).sum()
        };
        let tried = (0..TRIED).map(|i| widest / (least + f64::from(i)));
        let tried = tried.map(|h| (excess(h), h));
        let (_, h) = tried.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))?;
        let steps: Vec<usize> = runs.iter().map(|(e, _)| count_of(*e, h) as usize).collect();
        let last: usize = steps
            .iter()
            .zip(&runs)
            .map(|(n, (_, times))| n * times)
            .sum();
        let first = steps.iter().copied().max()?;
        let middle = last + first;
        let s = exp(-h / 2.0);
        let choices = steps.iter().zip(&runs).map(|(n, (_, times))| {
            let far = *n as f64 * h;
            let share = |i: usize| exp_m1(far - i as f64 * h) / exp_m1(far) * exp(i as f64 * h);
            Choice {
                times: *times,
                shares: (0..=*n).map(share).collect(),
                range: exp(far),
                bend: (1.0 - s) / (1.0 + s) / -exp_m1(-far),
            }
        });
        let choices: Vec<Choice> = choices.collect();
        let at = |place: usize| (place as f64 - middle as f64) * h;
        let nothing: Vec<f64> = (0..=middle + last)
            .map(|place| (-exp_m1(at(place))).max(0.0))
            .collect();
        let mut levels = vec![nothing.clone()];
        for state in 1..ways {
            let (mut level, mut weight) = (nothing.clone(), 1);
            for choice in &choices {
                if state / weight % (choice.times + 1) > 0
                    && let Some(rest) = state
                        .checked_sub(weight)
                        .and_then(|place| levels.get(place))
                {
                    choice.before(rest, first, &mut level);
                }
                weight *= choice.times + 1;
            }
            let mut least = 1.0;
            for value in &mut level {
                least = value.min(least);
                *value = least;
            }
            levels.push(level);
        }
        Some(Self {
            h,
            middle,
            values: levels.pop()?,
            end,
        })
    }

    /// δ, and the slope of the line it is on.
    pub fn at(&self, epsilon: f64) -> (f64, f64) {
        let place = epsilon / self.h + self.middle as f64;
        if place < 0.0 {
            return (-exp_m1(epsilon), 1.0);
        }
        let left = place.floor();
        let value = |place: f64| self.values.get(place as usize).copied().unwrap_or(0.0);
        let (high, low) = (value(left), value(left + 1.0));
        let start = (left - self.middle as f64) * self.h;
        let share = exp_m1(epsilon - start) / exp_m1(self.h);
        let slope = (high - low) / (exp(start) * exp_m1(self.h));
        ((high - (high - low) * share).max(0.0), slope)
    }

    /// The largest loss.
    pub fn end(&self) -> f64 {
        self.end
    }
}

impl Choice {
    fn before(&self, rest: &[f64], first: usize, level: &mut [f64]) {
        let n = self.shares.len() - 1;
        let at = |place: usize| rest.get(place).copied().unwrap_or(0.0);
        for (place, value) in level.iter_mut().enumerate().skip(first) {
            let mut right: Option<(f64, f64, f64)> = None;
            for (i, share) in self.shares.iter().enumerate() {
                let (near, far) = (at(place - i), at(place - i + n));
                let mean = far + (near - far) * share;
                if let Some((other, near_right, far_right)) = right {
                    let turn = ((near - near_right) - (far - far_right) / self.range).max(0.0);
                    *value = value.max(mean.max(other) + turn * self.bend);
                }
                right = Some((mean, near, far));
            }
        }
    }
}
