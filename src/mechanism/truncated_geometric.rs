//! Truncated geometric noise on a count: discrete Laplace noise that ends.

use std::sync::Arc;

use rug::Rational;

use super::evaluate::Cache;
use super::finite::{Atom, FiniteLaw, Loss, Mass};
use super::powers::Powers;
use crate::kernel::Interval;

/// More losses than this are not listed one by one.
const MOST_LOSSES: u64 = 20_000;

/// Mass ∝ x^|k| with x = e^{−1/scale} on the whole numbers from −`last` to `last`, at 0 and at `sensitivity`.
///
/// Desfontaines, Voss, Gipson and Mandayam (Differentially private partition selection, 2022): at sensitivity 1 all of what (ε, δ)-DP allows is used,
/// with ε = 1/scale and δ the mass of the last number. The losses are (2j − s)/scale for the places j = 0 … s that both laws reach (the ends stand for what is
/// beyond them, too), and ±∞ where one of them has ended (`proofs/README.md`, Z6).
///
/// `None` if the sensitivity is above 20,000.
///
/// Requires: `scale > 0`, `sensitivity ≥ 1`.
pub fn law(scale: &Rational, last: u64, sensitivity: u64) -> Option<FiniteLaw> {
    if sensitivity > MOST_LOSSES {
        return None;
    }
    let noise = TruncatedGeometric::new(scale, last);
    let distance = i128::from(sensitivity);
    let end = i128::from(last);
    // The places where the noise is that is not moved, for each loss: from the first that the moved one reaches to the last that it reaches itself.
    let places = |j: i128| {
        let from = if j == 0 { distance - end } else { j };
        let to = if j == distance { end } else { j };
        (from.max(distance - end), to.min(end))
    };
    let mass = |(from, to): (i128, i128)| {
        let noise = noise.clone();
        Mass::real(move |bits| noise.between(from, to, bits))
    };
    let atoms = (0..=distance)
        .filter(|j| {
            let (from, to) = places(*j);
            from <= to
        })
        .map(|j| {
            let (from, to) = places(j);
            Atom {
                loss: Loss::rational(Rational::from(2 * j - distance) / scale),
                with: mass((from - distance, to - distance)),
                without: mass((from, to)),
            }
        })
        .collect();
    // As far from the last number as the other law begins.
    let beyond = || mass(((end - distance + 1).max(-end), end));
    FiniteLaw::new(atoms, beyond(), beyond())
}

/// The noise.
#[derive(Debug, Clone)]
pub(super) struct TruncatedGeometric {
    /// log x, below 0.
    step: Rational,
    last: i128,
    powers: Powers,
    /// The sum of all masses as they are before it divides them, by bits.
    totals: Arc<Cache<u32, Interval>>,
}

impl TruncatedGeometric {
    /// Requires: `scale > 0`.
    pub fn new(scale: &Rational, last: u64) -> Self {
        let step = -scale.clone().recip();
        Self {
            powers: Powers::new(&step, last.min(MOST_LOSSES)),
            step,
            last: i128::from(last),
            totals: Arc::default(),
        }
    }

    /// P(from ≤ Z ≤ to), 0 if there is nothing between.
    pub fn between(&self, from: i128, to: i128, bits: u32) -> Interval {
        let (from, to) = (from.max(-self.last), to.min(self.last));
        let work = bits.saturating_add(16);
        let sum = if from > to {
            Interval::zero(work)
        } else if from > 0 {
            self.powers(from, to, work)
        } else if to < 0 {
            self.powers(-to, -from, work)
        } else {
            let left = self.powers(1, -from, work);
            left.add(&self.powers(0, to, work))
        };
        let all = self.totals.get_or(&work, || {
            let right = self.powers(0, self.last, work);
            right.add(&self.powers(1, self.last, work))
        });
        sum.div(&all).in_unit().at_bits(bits)
    }

    /// x^from + … + x^to, times 1 − x: x^from − x^(to + 1). 0 where `to` is before `from`.
    ///
    /// Requires: 0 ≤ from.
    fn powers(&self, from: i128, to: i128, bits: u32) -> Interval {
        if to < from {
            return Interval::zero(bits);
        }
        let power = |n: i128| Interval::from_rational(&Rational::from(&self.step * n), bits);
        let fall = match from == to {
            true => self.powers.complement(bits),
            false => power(to - from + 1).exp_m1().neg(),
        };
        let first = match u64::try_from(from) {
            Ok(from) => self.powers.at(from, bits),
            Err(_) => power(from).exp(),
        };
        first.mul(&fall)
    }
}

#[cfg(test)]
#[path = "truncated_geometric_tests.rs"]
mod tests;
