//! Discrete Laplace (two-sided geometric) noise on an integer query.

use rug::Rational;

use super::finite::{Atom, FiniteLaw, Loss, Mass};
use super::powers::Powers;
use crate::kernel::Interval;

/// More losses than this are not listed one by one.
const MOST_LOSSES: u64 = 20_000;

/// Mass (1 − x)/(1 + x)·x^|k| with x = e^{−1/scale}, at distance s: the losses are (2j − s)/scale for j = 0 … s.
/// With Q centred at s, Q(j) has its tail masses 1/(1 + x) at j = s and x^s/(1 + x) at j = 0.
/// `None` if the sensitivity is above 20,000.
///
/// Requires: `scale > 0`, `sensitivity ≥ 1`.
pub fn law(scale: &Rational, sensitivity: u64) -> Option<FiniteLaw> {
    if sensitivity > MOST_LOSSES {
        return None;
    }
    let powers = Powers::new(&-scale.clone().recip(), sensitivity);
    let mass = |distance: u64, is_end: bool| {
        let powers = powers.clone();
        Mass::real(move |bits| {
            let total = Interval::one(bits).add(&powers.at(1, bits));
            let tail = powers.at(distance, bits).div(&total);
            if is_end {
                tail
            } else {
                tail.mul(&powers.complement(bits))
            }
        })
    };
    let atoms = (0..=sensitivity)
        .map(|j| {
            let is_end = j == 0 || j == sensitivity;
            let rest = sensitivity.checked_sub(j)?;
            let steps = i128::from(j) - i128::from(rest);
            Some(Atom {
                loss: Loss::rational(Rational::from(steps) / scale),
                with: mass(rest, is_end),
                without: mass(j, is_end),
            })
        })
        .collect::<Option<Vec<_>>>()?;
    FiniteLaw::new(atoms, Mass::zero(), Mass::zero())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::finite::FiniteProfile;

    /// Against the sum over a wide range of integers of (q − u·p)⁺.
    #[test]
    fn equals_direct_summation() {
        let (scale, s) = (Rational::from((7, 2)), 3i64);
        let profile = FiniteProfile::new(Arc::new(law(&scale, 3).unwrap()));
        let bits = 200;
        let mass = |k: i64| {
            let power = Rational::from(-k.abs()) / &scale;
            let x = Interval::from_rational(&(-scale.clone().recip()), bits).exp();
            let norm = x.one_minus().div(&Interval::one(bits).add(&x));
            norm.mul(&Interval::from_rational(&power, bits).exp())
        };
        for e in [(-2, 7), (0, 1), (1, 7), (5, 7), (6, 7)] {
            let point = Point::at_epsilon(&Rational::from(e), bits);
            let direct = (-400..=400).fold(Interval::zero(bits), |sum, k: i64| {
                sum.add(&mass(k - s).sub(&point.exp().mul(&mass(k))).at_least_zero())
            });
            let tail = Interval::spanning(rug::Float::new(bits), rug::Float::with_val(bits, 1e-45));
            let delta = profile.at(&point).delta;
            assert!(delta.intersect(&direct.add(&tail)).is_ok(), "{e:?}");
            assert!(delta.width_up() < 1e-50);
        }
    }

    #[test]
    fn masses_sum_to_one() {
        let law = law(&Rational::from(2), 5).unwrap();
        let numbers = law.numbers(128);
        for masses in [&numbers.with, &numbers.without] {
            let total = masses.iter().fold(Interval::zero(128), |sum, q| sum.add(q));
            assert!(total.contains(&Rational::from(1)) && total.width_up() < 1e-35);
        }
    }
}
