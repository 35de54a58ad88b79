//! 1 − Φ to an absolute error below 2^-178, by Taylor polynomials about the nodes k/32.
//!
//! For 0 ≤ x < 15.5 let a = k/32 be the node below x and t = 32(x − a) in [0, 1). With S = 1 − Φ,
//! S′ = −φ and φ⁽ⁿ⁾ = (−1)ⁿ·Heₙ·φ (Heₙ the Hermite polynomials with leading coefficient 1),
//!
//! S(x) = S(a) + Σ dₙ·tⁿ (1 ≤ n ≤ 25) + R,   dₙ = (−1)ⁿ·Heₙ₋₁(a)·φ(a)/(n!·32ⁿ),   |R| ≤ sup|φ⁽²⁵⁾|/(26!·32²⁶).
//!
//! **Remainder.** φ is the Fourier transform of e^{−s²/2}/(2π), so |φ⁽²⁵⁾(x)| ≤ (1/2π)∫|s|²⁵e^{−s²/2}ds
//! = 2¹²·12!/π < 6.3e11 for every x. With 26! > 4.03e26: |R| < 1.6e-15·2^-130 < 2^-179.
//!
//! **Rounding**, in ulps of 2^-190. Each coefficient is off by at most 2 ulps (see `normal_nodes`) and
//! counts with tⁿ ≤ 1: at most 26·2. Horner's scheme multiplies 7 times by `scale_one` (at most 2 ulps),
//! 9 times by `scale_two` (4) and 10 times by `scale_three` (6), and every later factor t is below 1: at most
//! 110. Rounding x down to a multiple of 2^-197 moves S by less than 0.4·2^-197. Sum below 2^8 ulps = 2^-182.
//!
//! **Tail.** For x ≥ 15.5, 0 ≤ S(x) ≤ φ(x)/x (Gordon 1941, Mills' ratio) ≤ φ(15.5)/15.5 < 2^-178.5.
//!
//! So |value − S(x)| < 2^-179 + 2^-182 < 2^-178 before the tail, and < 2^-178 in it with the value 0.

use rug::float::Round;
use rug::integer::Order;
use rug::{Float, Integer};

use super::normal_fixed::{FRACTION_BITS, Fraction, Wide};
use super::normal_nodes::{NODES, node};

/// Arguments of up to this many bits are looked up; more would ask for more accuracy than there is.
pub(crate) const MAX_ARGUMENT_BITS: u32 = 192;

/// 1 − Φ at a number: a fixed-point value and a bound of its error.
pub(crate) struct Estimate {
    value: Wide,
    error: Wide,
}

/// Can a value from the table ever be right to this many bits?
pub(crate) fn may_give(bits: u32) -> bool {
    bits < ABSOLUTE_BITS
}

/// Encloses 1 − Φ(x).
///
/// Ensures: off by at most 2^-178.
pub(crate) fn survival(x: &Float) -> Estimate {
    let right = survival_of_magnitude(x);
    if *x < 0 {
        // 1 − Φ(−x) = 1 − (1 − Φ(x)).
        Estimate {
            value: Wide::power_of_two(FRACTION_BITS).wrapping_sub(right.value),
            ..right
        }
    } else {
        right
    }
}

impl Estimate {
    /// Lower bound of the probability, in `bits` bits.
    pub(crate) fn down(&self, bits: u32) -> Float {
        let low = self.value.wrapping_sub(self.error);
        if low.is_negative() {
            Float::new(bits)
        } else {
            Float::with_val_round(bits, to_integer(low), Round::Down).0 >> FRACTION_BITS
        }
    }

    /// Upper bound of the probability, in `bits` bits.
    pub(crate) fn up(&self, bits: u32) -> Float {
        let one = Float::with_val(bits, 1);
        let high = self.value.wrapping_add(self.error);
        let high = Float::with_val_round(bits, to_integer(high), Round::Up).0 >> FRACTION_BITS;
        if high > one { one } else { high }
    }

    /// The number of leading bits that are right: error ≤ 2^-(that)·(lower bound), roughly.
    pub(crate) fn relative_bits(&self) -> u32 {
        let low = self.value.wrapping_sub(self.error);
        low.significant_bits()
            .saturating_sub(self.error.significant_bits())
    }

    /// In [0, 1], and nothing more.
    fn unknown() -> Self {
        let half = Wide::power_of_two(FRACTION_BITS.saturating_sub(1));
        Self {
            value: half,
            error: half,
        }
    }
}

/// Requires: v ≥ 0.
fn to_integer(v: Wide) -> Integer {
    Integer::from_digits(&v.0, Order::Lsf)
}

/// 32 nodes to the unit.
const NODES_PER_UNIT_LOG2: u32 = 5;

/// Values are off by at most 2^-178.
const ABSOLUTE_BITS: u32 = 178;

/// That error in ulps, log2.
const ERROR_LOG2: u32 = FRACTION_BITS - ABSOLUTE_BITS;

/// Bits of t.
const ARGUMENT_BITS: u32 = 192;

/// Fractional bits of the arguments of [`survival_fixed`]: numbers in [−32, 32).
pub(crate) const FIXED_ARGUMENT_BITS: u32 = 186;

/// [`survival_fixed`] is off by less than this many ulps of 2^-190.
pub(crate) const FIXED_ERROR: u64 = 1 << ERROR_LOG2;

/// 1 − Φ(x) in ulps of 2^-190, for x in units of 2^-186.
///
/// Ensures: off by less than [`FIXED_ERROR`]; none only if the table could not be built.
pub(crate) fn survival_fixed(x: Wide) -> Option<Wide> {
    let magnitude = if x.is_negative() { x.negated() } else { x };
    let Wide([x0, x1, x2]) = magnitude;
    // 32·|x| = k + t: k is what lies above the lowest 181 bits, t·2^192 those bits times 2^11.
    let index = usize::try_from(x2 >> 53u32).ok()?;
    let value = if index < NODES {
        let t = Fraction([
            x0 << 11u32,
            (x1 << 11u32) | (x0 >> 53u32),
            (x2 << 11u32) | (x1 >> 53u32),
        ]);
        node(index)?.evaluate(t)
    } else {
        Wide::ZERO // |x| ≥ 15.5: see "Tail" above.
    };
    Some(if x.is_negative() {
        Wide::power_of_two(FRACTION_BITS).wrapping_sub(value)
    } else {
        value
    })
}

/// 1 − Φ(|x|).
fn survival_of_magnitude(x: &Float) -> Estimate {
    let error = Wide::power_of_two(ERROR_LOG2);
    let Some((index, fraction)) = locate(x) else {
        // |x| ≥ 15.5: see "Tail" above.
        return Estimate {
            value: Wide([0; 3]),
            error,
        };
    };
    match node(index) {
        Some(node) => Estimate {
            value: node.evaluate(fraction),
            error,
        },
        None => Estimate::unknown(),
    }
}

/// k and t with |x| = (k + t)/32, t rounded down to a multiple of 2^-192; none from 15.5 on.
fn locate(x: &Float) -> Option<(usize, Fraction)> {
    if x.is_zero() {
        return Some((0, Fraction([0; 3])));
    }
    // |x| = significand·2^(exponent − width), so |x|·2^(5 + 192) is a shift; no exponent means infinite.
    let (exponent, significand) = (x.get_exp()?, x.get_significand()?);
    if exponent > 4 {
        return None;
    }
    let width = i32::try_from(significand.significant_bits()).ok()?;
    let scale = i32::try_from(NODES_PER_UNIT_LOG2 + ARGUMENT_BITS).ok()?;
    // A shift to the right (negative) rounds down. |x| < 2^4 bounds the result by 2^201.
    let shift = exponent.checked_sub(width)?.checked_add(scale)?;
    let scaled = Integer::from(&*significand << shift);
    let mut limbs = [0u64; 4];
    if scaled.significant_digits::<u64>() > limbs.len() {
        return None;
    }
    scaled.write_digits(&mut limbs, Order::Lsf);
    let [t0, t1, t2, index] = limbs;
    let index = usize::try_from(index).ok()?;
    (index < NODES).then_some((index, Fraction([t0, t1, t2])))
}

#[cfg(test)]
#[path = "normal_table_tests.rs"]
mod tests;
