//! The Rényi divergence of Skellam noise from itself, shifted: a sum over the integers.

use rug::{Integer, Rational};

use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::shifted::{IntegerNoise, Noise, ShiftedNoise, SkellamNoise};

/// Noise at 0 against noise at s; the pair is symmetric.
///
/// (t − 1)·D_t = log Σ T_k with T_k = N(k − s)^t·N(k)^{1−t}. With r_k = N(k − 1)/N(k), which never falls, and r_{k+1} ≤ r_k + 1/m for k ≥ 1:
///
/// * T_{k+1}/T_k = r_{k+1}^{t−1}/r_{k+1−s}^t ≤ (1 + (s/m)/r_{k+1−s})^{max(t − 1, 0)}/r_{k+1−s} for k ≥ s, which falls in k;
/// * T_{−j−1}/T_{−j} = r_{j+1+s}^{−t}·r_{j+1}^{t−1} ≤ 1/r_{j+1} for j ≥ 0;
///
/// so that both tails are at most geometric. At t = 1 the loss at k is at most s·log r_k ≤ s·(r_{k−s} + s/m), and N(k)·r_k = N(k − 1)
/// (`proofs/README.md`, Z2).
#[derive(Debug)]
pub(super) struct Skellam {
    noise: SkellamNoise,
    shift: i64,
}

/// Sums of more terms are not made.
const LONGEST: i64 = 200_000;
/// Bits beyond those asked for.
const GUARD_BITS: u32 = 64;

impl Skellam {
    /// `None` for other pairs, and beyond the size limits.
    pub(super) fn of(pair: &ShiftedNoise) -> Option<Self> {
        let Noise::Skellam { mean, unit } = pair.single()? else {
            return None;
        };
        Some(Self {
            noise: SkellamNoise::new(mean)?,
            shift: i64::try_from(*unit).ok()?,
        })
    }

    /// A slope and a constant with D_t ≤ slope·t + constant from an order ≥ 1 on.
    ///
    /// The loss at k is at most s·log(1 + k⁺/m), and log(1 + x) ≤ c·(1 + x) − 1 − log c. With n = s·(t − 1) and c = m/n, (t − 1)·D_t is at most
    /// m − n + n·log(n/m) + log E_Q e^{k⁺}, and E_Q e^{k⁺} ≤ 1 + e^s·e^{m·(e + 1/e − 2)} ≤ 2·e^{s + 1.09·m}; log 2 ≤ 0.7. For t ≥ b ≥ 2, log n is at most its tangent
    /// at b; below 2, D_t ≤ D_2 (`proofs/README.md`, R11).
    pub(super) fn line(&self, from: &Rational, bits: u32) -> (Rational, Interval) {
        let start = from.clone().max(Rational::from(2));
        let excess = start - 1u32;
        let slope = Rational::from(self.shift) / &excess;
        let mean = self.noise.mean();
        let count = Rational::from(self.shift) * &excess / mean;
        let logarithm = Interval::from_rational(&count, bits).ln();
        let rest = Rational::from((209, 100)) * mean + self.shift + Rational::from((7, 10));
        // −slope from the tangent, and slope again for the orders below 2.
        let rational = rest / excess - 2 * self.shift;
        let shift = Interval::from_i64(self.shift, bits);
        let constant = shift
            .mul(&logarithm)
            .add(&Interval::from_rational(&rational, bits));
        (slope, constant)
    }

    /// D_t, the same in both directions.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let unknown = Interval::zero(bits).hull(&Interval::infinity(bits));
        let excess = Rational::from(order - 1);
        // Near order 1 what the sum differs from 1 by is divided by little.
        let near = excess.denom() / excess.numer().clone().abs().max(Integer::from(1));
        let work = bits
            .saturating_add(GUARD_BITS)
            .saturating_add(near.significant_bits());
        let centre = Rational::from(order * self.shift).ceil();
        let Some(centre) = centre.numer().to_i64().filter(|x| *x < LONGEST) else {
            return Ok(unknown);
        };
        let right = self
            .noise
            .reach(centre.saturating_add(self.shift), work)
            .saturating_add(self.shift);
        let left = self.noise.reach(0, work);
        let last = right.max(left.saturating_add(self.shift));
        if last > LONGEST || work > 4_096 {
            return Ok(unknown);
        }
        budget.check()?;
        let logs: Vec<Interval> = self
            .noise
            .masses(last, work)
            .iter()
            .map(Interval::ln)
            .collect();
        let log = |k: i64| {
            let place = usize::try_from(k.saturating_abs()).ok();
            let known = place.and_then(|place| logs.get(place)).cloned();
            known.unwrap_or_else(|| Interval::whole_line(work))
        };
        let sum = Sum {
            pair: self,
            left,
            right,
            bits: work,
            budget,
        };
        let value = if excess == 0 {
            sum.at_one(log)?
        } else {
            let total = sum.at(order, &excess, log)?;
            total.ln().div(&Interval::from_rational(&excess, work))
        };
        Ok(value.at_least_zero().at_bits(bits))
    }
}

/// The sum from −left to right, and what lies beyond.
struct Sum<'a> {
    pair: &'a Skellam,
    left: i64,
    right: i64,
    bits: u32,
    budget: &'a Budget,
}

impl Sum<'_> {
    fn over(&self, term: impl Fn(i64) -> Interval) -> Result<Interval, Failure> {
        let mut sum = Interval::zero(self.bits);
        for k in self.left.saturating_neg()..=self.right {
            if k % 64 == 0 {
                self.budget.check()?;
            }
            sum = sum.add(&term(k));
        }
        Ok(sum)
    }

    /// Σ T_k.
    fn at(
        &self,
        order: &Rational,
        excess: &Rational,
        log: impl Fn(i64) -> Interval,
    ) -> Result<Interval, Failure> {
        let bits = self.bits;
        let shift = self.pair.shift;
        let order = Interval::from_rational(order, bits);
        let other = Interval::from_rational(&Rational::from(-excess), bits);
        let term = |k: i64| {
            let with = order.mul(&log(k.saturating_sub(shift)));
            with.add(&other.mul(&log(k))).exp()
        };
        let sum = self.over(term)?;
        let one = Interval::one(bits);
        // What is at most geometric with this factor, from the term after `first`.
        let rest = |first: &Interval, factor: &Interval| {
            if factor.certainly_lt(&one) {
                first.mul(factor).div(&factor.one_minus())
            } else {
                Interval::infinity(bits)
            }
        };
        let rise = self
            .pair
            .noise
            .rise(self.right.saturating_add(1).saturating_sub(shift), bits);
        let growth = Rational::from(shift) / self.pair.noise.mean();
        let grown = Interval::from_rational(&growth, bits).div(&rise).ln_1p();
        let power = Interval::from_rational(&excess.clone().max(Rational::new()), bits);
        let factor = grown.mul(&power).exp().div(&rise);
        let above = rest(&term(self.right), &factor);
        let fall = self
            .pair
            .noise
            .rise(self.left.saturating_add(1), bits)
            .recip();
        let below = rest(&term(self.left.saturating_neg()), &fall);
        Ok(sum.add(&Interval::zero(bits).hull(&above.add(&below))))
    }

    /// Σ N(k − s)·log(N(k − s)/N(k)).
    fn at_one(&self, log: impl Fn(i64) -> Interval) -> Result<Interval, Failure> {
        let (bits, shift) = (self.bits, self.pair.shift);
        let sum = self.over(|k| {
            let with = log(k.saturating_sub(shift));
            with.exp().mul(&with.sub(&log(k)))
        })?;
        let zero = Interval::zero(bits);
        let tail = |k: i64| self.pair.noise.upper_tail(k, bits);
        let distance = Interval::from_i64(shift, bits);
        let growth = Rational::from(shift) / self.pair.noise.mean();
        let from = self.right.saturating_sub(shift);
        let beyond = tail(from.saturating_add(1)).mul(&Interval::from_rational(&growth, bits));
        let above = distance.mul(&tail(from).add(&beyond));
        let below = distance.mul(&tail(self.left.saturating_add(shift)));
        Ok(sum.add(&zero.hull(&above)).sub(&zero.hull(&below)))
    }
}

#[cfg(test)]
#[path = "skellam_tests.rs"]
mod tests;
