//! What is only bounded: by what dominates it, and on a Poisson sample by less (`proofs/README.md`, R14).

use std::sync::Arc;

use rug::{Integer, Rational};

use super::Parts;
use super::growth::Growth;
use super::rho_ends::RhoEnds;
use crate::kernel::{Budget, Failure, Interval, LossBound};
use crate::mechanism::steps::FiniteLosses;
use crate::mechanism::{Direction, Epsilon, Step, Steps};

/// Bits of a largest loss.
const BITS: u32 = 96;

/// Beyond this, e^ε is not written out.
const LARGEST_LOSS: u32 = 64;

/// Something with a Rényi divergence of at most this, at every order, in either order of the pair.
#[derive(Debug)]
pub(super) struct AtMost {
    most: Parts,
    rate: Rational,
    /// Randomised response with no smaller loss than the sample has, where that is finite.
    response: Option<Parts>,
}

impl AtMost {
    /// What these dominate.
    pub(super) fn of(most: Parts) -> Self {
        Self {
            most,
            rate: Rational::from(1),
            response: None,
        }
    }

    /// These steps on a Poisson sample, `most` being what bounds them without it.
    ///
    /// Requires: 0 < `rate` ≤ 1.
    pub(super) fn sampled(rate: &Rational, steps: &Steps, most: Parts) -> Self {
        Self {
            most,
            rate: rate.clone(),
            response: response(rate, steps),
        }
    }

    /// From 0 to the least of the bounds.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let most = self.most.divergence(order, direction, bits, budget)?;
        let most = mixed(&self.rate, order, &most);
        let zero = Interval::zero(bits);
        let Some(response) = &self.response else {
            return Ok(zero.hull(&most));
        };
        let other = response.divergence(order, direction, bits, budget)?;
        Ok(zero.hull(&most.min(&other)))
    }

    /// The same without any long computation.
    ///
    /// # Errors
    /// If bounds cross: an internal error.
    pub(super) fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Result<Interval, Failure> {
        let most = self.most.cheap_bounds(order, direction, bits)?;
        Ok(Interval::zero(bits).hull(&mixed(&self.rate, order, &most)))
    }

    /// The lower of both lines; D_t/t need not come near to it.
    pub(super) fn growth(
        &self,
        direction: Direction,
        from: &Rational,
        bits: u32,
    ) -> Option<Growth> {
        let of = |parts: &Parts| parts.growth(direction, from, bits);
        let most = of(&self.most).map(Growth::without_limit);
        let response = self.response.as_ref().and_then(of);
        match (most, response) {
            (Some(most), Some(response)) => {
                Some(most.or_line(Rational::new(), response.constant, from))
            }
            (most, response) => most.or(response),
        }
    }

    /// A sample raises no D_t.
    pub(super) fn rho_ends(&self) -> Option<RhoEnds> {
        Some(self.most.rho_ends()?.without_limit())
    }
}

/// At most log(1 − q + q·e^{(t − 1)D})/(t − 1), and qD at t = 1, of D = D_t; no more than D.
///
/// Requires: `order > 0`, 0 < `rate` ≤ 1.
/// Ensures: the upper end rises with that of D.
pub(super) fn mixed(rate: &Rational, order: &Rational, apart: &Interval) -> Interval {
    let bits = apart.bits();
    let number = |x: &Rational| Interval::from_rational(x, bits);
    let excess = Rational::from(order - 1u32);
    let most = if excess == 0 {
        apart.mul(&number(rate))
    } else {
        let rise = number(&excess).mul(apart).exp_m1();
        let sum = number(rate).mul(&rise);
        sum.ln_1p().div(&number(&excess))
    };
    // Without sampling nothing is smaller.
    most.min(apart)
}

/// Randomised response with e^ε ≥ 1 + q(e^{ε₀} − 1), ε₀ the largest loss of the steps in either order; `None` where that is not known to be finite.
fn response(rate: &Rational, steps: &Steps) -> Option<Parts> {
    let loss = match steps.largest_loss_of_choices() {
        Some(known) => known.value.at_bits(BITS),
        None => largest_loss(steps)?,
    };
    if *loss.hi() > LARGEST_LOSS {
        return None;
    }
    let rise = Interval::from_rational(rate, BITS).mul(&loss.exp_m1());
    let odds = Interval::one(BITS).add(&rise).hi().to_rational()?;
    let epsilon = Epsilon::log_of(odds).ok()?;
    let step = Step::finite(FiniteLosses::RandomizedResponse { epsilon, k: 2 });
    Some(Parts::of_law(Arc::clone(step.finite_law()?)))
}

/// The sum of the largest losses of steps, each in the order in which it is larger; `None` if one has no largest loss, or mass at ∞.
fn largest_loss(steps: &Steps) -> Option<Interval> {
    let start = Interval::zero(BITS);
    steps.list().iter().try_fold(start, |sum, (step, times)| {
        let stated = step.profile()?;
        let swapped = stated.swapped();
        let mut largest = Interval::zero(BITS);
        for profile in [&stated, &swapped] {
            let LossBound::Finite { value, .. } = profile.max_loss(BITS) else {
                return None;
            };
            if profile.exact_infinite_mass()? != 0 {
                return None;
            }
            largest = largest.max(&value);
        }
        let count = Interval::from_integer(&Integer::from(*times), BITS);
        Some(sum.add(&largest.mul(&count)))
    })
}

#[cfg(test)]
#[path = "at_most_tests.rs"]
mod tests;
