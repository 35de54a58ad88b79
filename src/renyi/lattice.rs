//! The Rényi divergence of discrete Gaussian noise: that of the Gaussian, and a quotient of theta sums.

use rug::{Integer, Rational};

use crate::kernel::{Budget, Failure, Interval};

/// Sums of more terms than twice this are bounded by Poisson summation instead.
const LONGEST_REACH: u32 = 20_000;

/// D_t for distance d and parameter σ; the pair is symmetric.
///
/// Completing the square, (t − 1)·D_t = t(t − 1)d²/(2σ²) + log(θ(td)/θ(0)) with θ(c) = Σ_k e^{−(k−c)²/(2σ²)} over all integers k. θ has
/// period 1 and is largest at 0, so D_t = t·d²/(2σ²) for integer td, and is at most that for t > 1 (Canonne, Kamath and Steinke 2020,
/// Theorem 4). At t = 1 the derivative of log θ counts, which is 0 at the integer d.
///
/// Requires: `order > 0`, `variance > 0`.
///
/// # Errors
/// If the budget ends.
pub(super) fn divergence(
    variance: &Rational,
    shift: u64,
    order: &Rational,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let main = Interval::from_rational(&(square(variance, shift) * order / 2u32), bits);
    let place = Rational::from(order * Integer::from(shift));
    if *order == 1 || *place.denom() == 1 {
        return Ok(main);
    }
    let fraction = &place - Rational::from(place.floor_ref());
    let excess = Interval::from_rational(&Rational::from(order - 1), bits);
    let quotient = log_quotient(variance, &fraction, bits, budget)?;
    Ok(main.add(&quotient.div(&excess)).at_least_zero())
}

/// (d/σ)².
pub(super) fn square(variance: &Rational, shift: u64) -> Rational {
    Rational::from(Integer::from(shift).square()) / variance
}

/// log(θ(c)/θ(0)) ≤ 0 for c in [0, 1).
fn log_quotient(
    variance: &Rational,
    fraction: &Rational,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let zero = Interval::zero(bits);
    let bound = poisson_bound(variance, bits).hull(&zero);
    let reach = reach(variance, bits);
    if reach > LONGEST_REACH {
        return Ok(bound);
    }
    let reach = reach.to_i64().unwrap_or_default();
    let at = theta(variance, fraction, reach, bits, budget)?;
    let whole = theta(variance, &Rational::new(), reach, bits, budget)?;
    Ok(at.div(&whole).ln().min(&zero).intersect(&bound)?)
}

/// A lower bound of log(θ(c)/θ(0)): by Poisson summation the quotient is (1 + 2Σ w_m·cos(2πmc))/(1 + 2Σ w_m) with
/// w_m = e^{−2π²σ²m²}, m ≥ 1, and Σ w_m ≤ w/(1 − w) for w = e^{−2π²σ²}.
fn poisson_bound(variance: &Rational, bits: u32) -> Interval {
    let sum = poisson_sum(variance, bits);
    let four = Interval::from_i64(4, bits);
    let twice = sum.add(&sum);
    four.mul(&sum)
        .div(&Interval::one(bits).add(&twice))
        .neg()
        .ln_1p()
}

/// θ(0).
///
/// # Errors
/// If the budget ends.
pub(super) fn total(variance: &Rational, bits: u32, budget: &Budget) -> Result<Interval, Failure> {
    let reach = reach(variance, bits);
    let Some(reach) = reach.to_i64().filter(|_| reach <= LONGEST_REACH) else {
        return Ok(Interval::zero(bits).hull(&Interval::infinity(bits)));
    };
    theta(variance, &Rational::new(), reach, bits, budget)
}

/// θ(0)/(σ√(2π)) = 1 + 2Σ w_m for large σ.
pub(super) fn total_of_close_nodes(variance: &Rational, bits: u32) -> Interval {
    let one = Interval::one(bits);
    let sum = poisson_sum(variance, bits);
    one.hull(&one.add(&sum).add(&sum))
}

/// An r with e^{−r²/(2σ²)} < 2^−bits.
fn reach(variance: &Rational, bits: u32) -> Integer {
    let square = (Rational::from(variance * 2u32) * bits).ceil();
    Integer::from(square.numer().sqrt_ref()) + 2u32
}

/// An upper bound of Σ w_m.
fn poisson_sum(variance: &Rational, bits: u32) -> Interval {
    // 2π² > 19.739.
    let power = variance * Rational::from((-19_739, 1_000));
    let first = Interval::from_rational(&power, bits).exp();
    first.div(&first.one_minus())
}

/// θ(c) from the terms |k| ≤ reach; beyond them the terms fall at least geometrically on either side.
fn theta(
    variance: &Rational,
    centre: &Rational,
    reach: i64,
    bits: u32,
    budget: &Budget,
) -> Result<Interval, Failure> {
    let twice = Rational::from(variance * 2u32);
    let weight = |k: i64| {
        let square = (Rational::from(k) - centre).square();
        Interval::from_rational(&-(square / &twice), bits).exp()
    };
    let mut sum = Interval::zero(bits);
    for k in reach.saturating_neg()..=reach {
        if k % 64 == 0 {
            budget.check()?;
        }
        sum = sum.add(&weight(k));
    }
    let beyond = reach.saturating_add(1);
    // For j ≥ beyond and c in [0, 1) each term is at most e^{−(beyond − 1)/σ²} times the one before.
    let decay = Rational::from(reach) / variance;
    let rest = Interval::from_rational(&-decay, bits).exp_m1().neg();
    let ends = weight(beyond).add(&weight(beyond.saturating_neg()));
    Ok(sum.add(&Interval::zero(bits).hull(&ends.div(&rest))))
}

#[cfg(test)]
#[path = "lattice_tests.rs"]
mod tests;
