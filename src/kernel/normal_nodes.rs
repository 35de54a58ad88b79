//! The Taylor polynomials of S = 1 − Φ about the nodes a = k/32, all of them from S(0) and S′(0).
//!
//! Let dₙ = S⁽ⁿ⁾(a)/(n!·32ⁿ). From S″ = −x·S′: dₙ₊₂ = −(k(n + 1)·dₙ₊₁ + n·dₙ)/(1024(n + 1)(n + 2)), so d₀ and d₁ give
//! them all, and Σ dₙ, Σ n·dₙ are the d₀ and d₁ of the next node. The table starts from d₀ = 1/2 and d₁ =
//! −1/(32√(2π)) at k = 0 and sums n ≤ 30.
//!
//! **Errors**, in units of 2^-256; an ulp is 2^66 of them. Write eₙ for the error of dₙ.
//!
//! * One division rounds by less than 1, and k < 512: eₙ₊₂ ≤ eₙ₊₁/(2(n + 2)) + eₙ/1024 + 1. So with e = max(e₁, 2):
//!   eₙ ≤ e for every n ≥ 2 (at most e/4 + e/1024 + 1 ≤ e).
//! * What a step does to exact d₀ and d₁ is linear: d₁ goes to d₁·e^{−a/32 − 1/2048}, d₀ to d₀ + d₁·B with 0 < B = ∫
//!   e^{−at/32 − t²/2048}dt ≤ 1 (over [0, 1]). So errors are carried on with factors of at most 1.
//! * What a step adds: rounding, less than 2 per coefficient, Σ 2n < 2^10 for d₁ and Σ 2 < 2^6 for d₀; and what lies
//!   beyond n = 30. By Lagrange that is at most sup|φ⁽³⁰⁾|/(31!·32³¹) for d₀ and 31 times that for d₁ (the same
//!   remainder for S′), where |φ⁽³⁰⁾| ≤ (1/2π)∫s³⁰e^{−s²/2}ds = 29!!/√(2π) < 2.5e15: less than 2^-216 and 2^-211,
//!   that is 2^40 and 2^45.
//! * After at most 495 steps: e₁ < 496·(2^45 + 2^10) + 1 < 2^54, e₀ < 496·(2^40 + 2^6) + 496·e₁ < 2^64.
//!
//! So every dₙ is within 2^64 units, a quarter of an ulp, and rounding it to a multiple of an ulp makes that less
//! than 2 ulps.

use std::sync::OnceLock;

use rug::float::{Constant, Round};
use rug::integer::Order;
use rug::ops::NegAssign;
use rug::{Assign, Float, Integer};

use super::normal_fixed::{FRACTION_BITS, Fraction, Wide};

/// Number of nodes: k/32 for k = 0, …, 495 and x < 496/32 = 15.5.
pub(super) const NODES: usize = 496;

/// Node number `index`; none from [`NODES`] on.
pub(super) fn node(index: usize) -> Option<&'static Node> {
    static TABLE: OnceLock<Option<Vec<Node>>> = OnceLock::new();
    TABLE.get_or_init(build).as_ref()?.get(index)
}

/// Coefficients of a node.
const COEFFICIENTS: usize = 26;

/// Terms of a step.
const TERMS: u32 = 31;

/// Fractional bits while the table is built.
const WORKING_BITS: u32 = 256;

/// All nodes.
fn build() -> Option<Vec<Node>> {
    let mut nodes = Vec::with_capacity(NODES);
    let mut value = Integer::from(1) << (WORKING_BITS - 1);
    let mut slope = first_slope()?;
    let (mut last, mut current) = (Integer::new(), Integer::new());
    for index in 0u32..u32::try_from(NODES).ok()? {
        let mut coefficients = Vec::with_capacity(COEFFICIENTS);
        last.assign(&value);
        current.assign(&slope);
        value.assign(0);
        slope.assign(0);
        for n in 0..TERMS {
            // `last` is dₙ, `current` is dₙ₊₁.
            value += &last;
            slope += &last * n;
            if coefficients.len() < COEFFICIENTS {
                coefficients.push(to_ulps(&last)?);
            }
            // dₙ₊₂ takes the room of dₙ. n < 31 and k < 496 bound every factor by 2^20.
            last *= n;
            last += &current * (index * (n + 1));
            last /= 1024 * (n + 1) * (n + 2);
            last.neg_assign();
            std::mem::swap(&mut last, &mut current);
        }
        nodes.push(Node::new(&coefficients)?);
    }
    Some(nodes)
}

/// −1/(32√(2π)), within 1 unit.
fn first_slope() -> Option<Integer> {
    let bits = WORKING_BITS + 64;
    let root = Float::with_val(bits, Float::with_val(bits, Constant::Pi) << 1u32).sqrt();
    let slope = -(root.recip() << (WORKING_BITS - 5));
    Some(slope.to_integer_round(Round::Nearest)?.0)
}

/// v in ulps, rounded towards zero.
///
/// Requires: |v| < 2^256 units.
fn to_ulps(v: &Integer) -> Option<Wide> {
    if v.significant_bits() > WORKING_BITS {
        return None;
    }
    let mut limbs = [0u64; 4];
    v.write_digits(&mut limbs, Order::Lsf); // the magnitude
    let [_, low, middle, top] = limbs;
    let size = Wide([low, middle, top]).shifted_right(WORKING_BITS - FRACTION_BITS - 64);
    Some(if *v < 0 { size.negated() } else { size })
}

/// The coefficients d₀ = S(a), d₁, …, d₂₅ in ulps, in as many limbs as the partial sums of Horner's scheme need.
///
/// Invariants: each is within 2 ulps of the truth; the absolute values of `one` add up to less than 2^63,
/// those of `one` and `two` to less than 2^126, those of all to less than 2^190. By |scale(v)| ≤ |v| + 6 no partial sum
/// leaves the range that `scale_one` (2^63), `scale_two` (2^127 − 4) and `scale_three` (2^191) require.
#[derive(Clone)]
pub(super) struct Node {
    /// d₀, …, d₉.
    pub(super) three: [Wide; 10],
    /// d₁₀, …, d₁₈.
    pub(super) two: [i128; 9],
    /// d₁₉, …, d₂₅.
    pub(super) one: [i64; 7],
}

impl Node {
    /// S(a + t/32) in ulps, by Horner's scheme.
    pub(super) fn evaluate(&self, t: Fraction) -> Wide {
        // The invariants keep every sum in range: nothing wraps.
        let one = (self.one.iter().rev()).fold(0i128, |sum, coefficient| {
            t.scale_one(sum).wrapping_add(i128::from(*coefficient))
        });
        let two = (self.two.iter().rev()).fold(one, |sum, coefficient| {
            t.scale_two(sum).wrapping_add(*coefficient)
        });
        (self.three.iter().rev()).fold(Wide::from_two(two), |sum, coefficient| {
            t.scale_three(sum).wrapping_add(*coefficient)
        })
    }

    /// The node with these coefficients; none if an invariant does not hold (the tests show that all do).
    fn new(all: &[Wide]) -> Option<Self> {
        // From the smallest: sums of absolute values after 7, 16 and 26 coefficients. Nothing wraps below 2^190 each.
        let mut sum = Wide::ZERO;
        for (n, coefficient) in all.iter().enumerate().rev() {
            let size = if coefficient.is_negative() {
                coefficient.negated()
            } else {
                *coefficient
            };
            sum = sum.wrapping_add(size);
            let most = match n {
                19.. => 63,
                10..19 => 126,
                _ => 190,
            };
            if size.is_negative() || sum.is_negative() || sum.significant_bits() > most {
                return None;
            }
        }
        let low_two = |Wide([low, middle, _]): &Wide| {
            ((u128::from(*middle) << 64u32) | u128::from(*low)).cast_signed()
        };
        let three: Vec<Wide> = all.iter().take(10).copied().collect();
        let two: Vec<i128> = all.iter().skip(10).take(9).map(low_two).collect();
        let one: Vec<i64> = (all.iter().skip(19))
            .map(|Wide([low, _, _])| low.cast_signed())
            .collect();
        Some(Self {
            three: three.try_into().ok()?,
            two: two.try_into().ok()?,
            one: one.try_into().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Rational;

    /// The numbers in the proof at the head of the module.
    #[test]
    fn constants_of_the_proof() {
        let factorial = |n: u32| Integer::from(Integer::factorial(n));
        // 29!!/√(2π) < 29!!·2/5, and 29!! = 30!/(2¹⁵·15!).
        let moment = Rational::from((factorial(30), factorial(15) << 15)) * Rational::from((2, 5));
        assert!(moment < 2_500_000_000_000_000u64);
        let beyond = moment / (factorial(31) << (5 * 31));
        let unit = Rational::from(1) >> WORKING_BITS;
        assert!(beyond < unit.clone() << 40);
        assert!(beyond * 31 < unit << 45);
        let roundings: u32 = (0..TERMS).map(|n| 2 * n).sum();
        assert!(roundings < 1 << 10 && 2 * TERMS < 1 << 6);
        let power = |n: u32| Integer::from(1) << n;
        let slope = (power(45) + power(10)) * 496u32 + 1u32;
        assert!(slope < power(54));
        assert!((power(40) + power(6)) * 496u32 + slope * 496u32 < power(64));
    }

    #[test]
    fn nodes_end_where_the_tail_begins() {
        assert!(node(NODES - 1).is_some() && node(NODES).is_none());
    }
}
