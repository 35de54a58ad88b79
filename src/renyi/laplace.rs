//! The Rényi divergence of Laplace noise, in closed form (Mironov 2017, Proposition 6).

use rug::Rational;

use crate::kernel::Interval;

/// D_t for the largest loss ε0; the pair is symmetric.
///
/// With h = t − 1: D_t = ε0 + log(1 + h·(e^{−(1+2h)ε0} − 1)/(1 + 2h))/h for t > 1/2, its limits ε0 − 2·log(1 + ε0/2) at t = 1/2 and
/// ε0 − 1 + e^{−ε0} at t = 1, and D_t = t/(1 − t)·D_{1−t} below.
///
/// Requires: `order > 0`, `epsilon ≥ 0`.
pub(super) fn divergence(epsilon: &Rational, order: &Rational, bits: u32) -> Interval {
    let half = Rational::from((1, 2));
    if *order < half {
        let mirrored = Rational::from(1 - order);
        let factor = Rational::from(order / &mirrored);
        return divergence(epsilon, &mirrored, bits).mul(&Interval::from_rational(&factor, bits));
    }
    let loss = Interval::from_rational(epsilon, bits);
    if *epsilon == 0 {
        return loss;
    }
    if *order == 1 {
        return loss.add(&loss.neg().exp_m1()).at_least_zero();
    }
    let excess = Rational::from(order - 1);
    let rate = Rational::from(&excess * 2u32) + 1u32;
    let bracket = if rate == 0 {
        loss.neg()
    } else {
        let fall = Interval::from_rational(&(-Rational::from(&rate * epsilon)), bits);
        fall.exp_m1().div(&Interval::from_rational(&rate, bits))
    };
    let excess = Interval::from_rational(&excess, bits);
    let correction = excess.mul(&bracket).ln_1p().div(&excess);
    loss.add(&correction).at_least_zero().min(&loss)
}

#[cfg(test)]
#[path = "laplace_tests.rs"]
mod tests;
