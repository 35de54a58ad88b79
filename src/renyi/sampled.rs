//! The Rényi divergence of Poisson-subsampled Gaussian noise, any order.

use rug::{Float, Rational};

use super::from_moments::{self, leading_zeros};
use super::sampled_moment::SampledGaussian;
use super::softplus::{Softplus, log_of_sum};
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;

/// Precision of what is known without integration.
const COARSE_BITS: u32 = 256;

/// No working precision is higher.
const MOST_BITS: u32 = 1 << 14;

/// D_t in one direction, with a relative error of about 2^−bits where the integrals can be had.
///
/// # Errors
/// If the budget ends.
pub(super) fn divergence(
    pair: &SampledGaussian,
    order: &Rational,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let outside = coarse(pair, order, direction)?;
    if is_narrow(&outside, bits) {
        return Ok(outside);
    }
    // The variance of w is about r²·μ².
    let zeros = leading_zeros(&pair.rate)
        .saturating_mul(2)
        .saturating_add(leading_zeros(&pair.square));
    let found = from_moments::divergence(
        order,
        direction,
        bits,
        (zeros, MOST_BITS),
        &|power, working| pair.log_moment(power, working, budget),
    )?;
    Ok(match found {
        Some(found) => found.at_bits(bits.saturating_add(32)).intersect(&outside)?,
        None => outside,
    })
}

/// What is known of D_t in closed form, tight where the integrals are out of reach: for tiny and for huge noise or orders.
///
/// D_t ≤ tμ²/2, as D_t is jointly quasi-convex and 0 for the pair (P, P); D_1 ≤ rμ²/2, as D_1 is convex; D_t(P‖Q') ≤ −log(1 − r), as
/// w ≥ 1 − r. For t > 1, A(t)^{1/t} ≤ 1 − r + r·e^{(t−1)μ²/2} (Minkowski) and A(t) ≥ (1 − r)^t + r^t·e^{t(t−1)μ²/2} (superadditivity of x^t);
/// for a in (0, 1), A(a) is at most that sum (subadditivity). D_1(Q'‖P) ≥ rμ²/2 − H(r), as a label that says which part a draw came
/// from carries no more than its entropy H(r). On the integers E_P[e^{aℓ}] ≤ e^{a(a−1)μ²/2}, with equality where a·d is an integer (`lattice`).
///
/// # Errors
/// If the bounds cross: an internal error.
pub(super) fn coarse(
    pair: &SampledGaussian,
    order: &Rational,
    direction: Direction,
) -> Result<Interval, Failure> {
    let bits = COARSE_BITS;
    let exact = |x: &Rational| Interval::from_rational(x, bits);
    let local = Softplus::new(&pair.rate, bits);
    let (floor, log_rate) = (local.floor().clone(), local.log_rate());
    let half_square = Rational::from(&pair.square / 2u32);
    let rate = exact(&pair.rate);

    // On the integers this is not known below t = 1.
    let mut upper = exact(&(order.clone().max(Rational::from(1)) * &half_square));
    if *order <= 1 {
        upper = upper.min(&rate.mul(&exact(&half_square)));
    }
    if *order < 1 && pair.spacing.is_none() {
        upper = upper.min(&exact(&Rational::from(order * &half_square)));
    }
    let mut lower = Interval::zero(bits);
    // log((1 − r)^a + r^a·e^{a(a−1)μ²/2}).
    let two_terms = |power: &Rational| {
        let tilt = Rational::from(power - 1) * power * &half_square;
        let power = exact(power);
        log_of_sum(&power.mul(&floor), &power.mul(&log_rate).add(&exact(&tilt)))
    };
    match direction {
        Direction::Remove if *order > 1 => {
            let excess = Rational::from(order - 1);
            let tilted = log_rate.add(&exact(&Rational::from(&excess * &half_square)));
            let factor = exact(&Rational::from(order / &excess));
            upper = upper.min(&log_of_sum(&floor, &tilted).mul(&factor));
            let below = pair.simple_order(order);
            if below > 1 {
                let excess = exact(&Rational::from(&below - 1));
                lower = lower.max(&two_terms(&below).div(&excess));
            }
        }
        Direction::Remove if *order == 1 => {
            let rest = rate.one_minus();
            let entropy = rate.mul(&log_rate).add(&rest.mul(&floor)).neg();
            lower = lower.max(&rate.mul(&exact(&half_square)).sub(&entropy));
        }
        Direction::Remove => {
            let excess = exact(&Rational::from(order - 1));
            lower = lower.max(&two_terms(order).div(&excess));
        }
        Direction::Add => {
            upper = upper.min(&floor.neg());
            // From t = 1 on a smaller order bounds from below.
            let order = order.clone().min(Rational::from((63, 64)));
            let excess = Rational::from(&order - 1);
            lower = lower.max(&two_terms(&Rational::from(-&excess)).div(&exact(&excess)));
        }
    }
    Ok(Interval::new(
        lower.at_least_zero().lo().clone(),
        upper.at_least_zero().hi().clone(),
    )?)
}

/// Relative width at most 2^−bits.
fn is_narrow(x: &Interval, bits: u32) -> bool {
    let allowed = Float::with_val(x.bits(), x.lo() >> bits);
    x.lo() == x.hi() || x.width_up() <= allowed
}

#[cfg(test)]
#[path = "sampled_tests.rs"]
mod tests;
