//! 1 − Φ far out, by Laplace's continued fraction: fast where MPFR's erfc is slow.
//!
//! 1 − Φ(x) = φ(x)/W₁, where Wₙ = x + n/Wₙ₊₁ and Wₙ > x, for every x > 0.
//!
//! Proof. Let I₋₁ = φ and Iₙ(x) = ∫ Iₙ₋₁ over (x, ∞), so that I₀ = 1 − Φ; all are positive. Integration by parts gives
//! n·Iₙ = Iₙ₋₂ − x·Iₙ₋₁ (Abramowitz and Stegun, 7.2.5, in other units; n = 1 is I₁ = φ − x(1 − Φ)). Put Wₙ = Iₙ₋₂/Iₙ₋₁ and
//! divide by Iₙ₋₁. ∎
//!
//! So x < Wₙ < x + n/x, and each step back to W₁ keeps a bound and turns its side. No convergence is assumed: with
//! too few levels the bounds are wide, not false.

use rug::Float;
use rug::float::Round;

use super::directed as d;
use super::normal::guard_bits;

/// Lower bound of 1 − Φ(x), in `bits` bits; none where erfc is the better way (x small, or infinite).
pub(super) fn survival_down(x: &Float, bits: u32) -> Option<Float> {
    let pairs = pairs(x, bits)?;
    let working = bits.saturating_add(GUARD_BITS);
    let inverse_mills = first_quotient_up(x, pairs, working);
    Some(d::div_down(&density_down(x, working), &inverse_mills, bits))
}

/// Upper bound of 1 − Φ(x), in `bits` bits; none where erfc is the better way (x small, or infinite).
pub(super) fn survival_up(x: &Float, bits: u32) -> Option<Float> {
    let pairs = pairs(x, bits)?;
    let working = bits.saturating_add(GUARD_BITS);
    let inverse_mills = first_quotient_down(x, pairs, working);
    Some(d::div_up(&density_up(x, working), &inverse_mills, bits))
}

const GUARD_BITS: u32 = 8;

/// Pairs of levels after which the bounds agree to about `bits` bits. A guess; none if x is not between 1/4 and
/// 2^32 or there would be too many for this to be fast.
///
/// An error at level k + 1 counts k/Wₖ₊₁² times as much at level k, and Wₖ ≈ x/2 + √(x²/4 + k): n levels shrink
/// the relative error to about e^{−L(n)}, L(n) = ∫ 2·asinh(x/(2√k)) dk. L is concave with L(x²/4) ≈ 0.648x², so that
/// L(n) ≥ 2.59n up to there; beyond, asinh(z) ≥ 0.88z for z ≤ 1 makes L(n) ≥ 1.76x√n − 0.232x². Of no more than m levels each counts at least
/// 2·asinh(x/(2√m)) ≥ 2·log(x/√m): far out, with thousands of bits, a tenth of them is enough.
fn pairs(x: &Float, bits: u32) -> Option<u32> {
    let in_range = *x >= 0.25 && x.get_exp().is_some_and(|exponent| exponent <= 32);
    if !in_range {
        return None;
    }
    let x = Float::with_val(32, x);
    let square = Float::with_val(32, x.square_ref());
    let goal = Float::with_val(32, bits.checked_add(4)?) * 69u32 / 100u32; // log 2 = 0.69…
    let levels = if goal < Float::with_val(32, &square * 648u32) / 1000u32 {
        let most = Float::with_val(32, &goal * 100u32) / 259u32;
        // log2(x/√m), at least.
        let far = x.get_exp()?.saturating_sub(1);
        let root = most.get_exp()?.saturating_add(1) / 2;
        match u32::try_from(far.saturating_sub(root)) {
            // 2·log 2 = 1.38…
            Ok(binary) if binary > 1 => goal * 100u32 / (138u32.saturating_mul(binary)),
            _ => most,
        }
    } else {
        let reached = goal + square * 232u32 / 1000u32;
        (reached * 100u32 / (x * 176u32)).square()
    };
    let levels = levels.to_integer_round(Round::Up)?.0.to_u32()?;
    (levels <= bits).then_some((levels >> 1u32).saturating_add(3))
}

/// Lower bound of W₁.
fn first_quotient_down(x: &Float, pairs: u32, bits: u32) -> Float {
    quotient_down(1, x, pairs, bits)
}

/// Upper bound of W₁ = x + 1/W₂.
fn first_quotient_up(x: &Float, pairs: u32, bits: u32) -> Float {
    add_ratio_up(x, 1, &quotient_down(2, x, pairs, bits), bits)
}

/// Lower bound of W at level `first`, from W > x at level `first` + 2·`pairs`.
///
/// Requires: x > 0.
fn quotient_down(first: u32, x: &Float, pairs: u32, bits: u32) -> Float {
    (0..pairs).rev().fold(x.clone(), |lower, pair| {
        let level = first.saturating_add(pair.saturating_mul(2)); // ≤ 2 + 2·bits: far from saturation
        let upper = add_ratio_up(x, level.saturating_add(1), &lower, bits);
        let ratio = Float::with_val_round(bits, level / &upper, Round::Down).0;
        d::add_down(x, &ratio, bits)
    })
}

/// Upper bound of x + n/w.
///
/// Requires: w > 0.
fn add_ratio_up(x: &Float, n: u32, w: &Float, bits: u32) -> Float {
    let ratio = Float::with_val_round(bits, n / w, Round::Up).0;
    d::add_up(x, &ratio, bits)
}

/// Lower bound of φ(x).
fn density_down(x: &Float, bits: u32) -> Float {
    let finer = bits.saturating_add(guard_bits(x));
    let exponent = -(d::mul_up(x, x, finer) >> 1u32);
    d::div_down(
        &d::exp_down(&exponent, bits),
        &d::sqrt_two_pi_up(bits),
        bits,
    )
}

/// Upper bound of φ(x).
fn density_up(x: &Float, bits: u32) -> Float {
    let finer = bits.saturating_add(guard_bits(x));
    let exponent = -(d::mul_down(x, x, finer) >> 1u32);
    d::div_up(
        &d::exp_up(&exponent, bits),
        &d::sqrt_two_pi_down(bits),
        bits,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(70)))]

        /// Against MPFR's erfc in more bits: bounds on the right sides, and close.
        #[test]
        fn bounds_and_sharpness(numerator in 1u32..60_000, bits in 30u32..260) {
            let x = Float::with_val(bits, numerator) / 1000u32;
            let root = Float::with_val(420, 2).sqrt();
            let truth = (Float::with_val(420, &x) / root).erfc() >> 1u32;
            if let (Some(down), Some(up)) = (survival_down(&x, bits), survival_up(&x, bits)) {
                prop_assert!(down < truth && truth < up, "{x}: {down} {truth} {up}");
                let width = Float::with_val(64, &up - &down) / &truth;
                prop_assert!(width < Float::with_val(64, 1) >> (bits - 3), "{x} at {bits} bits: {width}");
            } else {
                prop_assert!(x < 9);
            }
        }

        /// However few levels: wide, never false.
        #[test]
        fn few_levels_are_true(numerator in 1u32..20_000, count in 0u32..40) {
            let x = Float::with_val(100, numerator) / 1000u32;
            let root = Float::with_val(420, 2).sqrt();
            let survival: Float = (Float::with_val(420, &x) / root).erfc() >> 1u32;
            let density = density_down(&Float::with_val(420, &x), 420);
            let truth = density / survival;
            prop_assert!(first_quotient_down(&x, count, 100) < truth);
            prop_assert!(first_quotient_up(&x, count, 100) > truth);
        }
    }

    /// At a few bits, without guard bits: what is between a bound and the truth is rounding alone.
    #[test]
    fn few_bits_are_true() {
        let mut random = Random(1);
        for _ in 0..3000 {
            let bits = 2 + u32::try_from(random.below(12)).unwrap();
            let x = Float::with_val(24, 1 + random.below(20_000)) / 1000u32;
            // Some whose squares are exact.
            let (x, bits) = match random.below(3) {
                0 => (Float::with_val(24, 9 + random.below(80)), 13 + bits / 4),
                _ => (x, bits),
            };
            for (what, down, up) in [
                (
                    "density",
                    density_down as fn(&Float, u32) -> Float,
                    density_up as fn(&Float, u32) -> Float,
                ),
                (
                    "quotient",
                    |x, bits| first_quotient_down(x, 40, bits),
                    |x, bits| first_quotient_up(x, 40, bits),
                ),
                (
                    "survival",
                    |x, bits| survival_down(x, bits).unwrap(),
                    |x, bits| survival_up(x, bits).unwrap(),
                ),
            ] {
                if what == "survival" && (pairs(&x, bits).is_none() || pairs(&x, 300).is_none()) {
                    continue;
                }
                let (low, high) = at_most_bits(bits, || (down(&x, bits), up(&x, bits)));
                assert!(low <= up(&x, 300), "{what} of {x} at {bits} bits: {low}");
                assert!(
                    high >= down(&x, 300),
                    "{what} of {x} at {bits} bits: {high}"
                );
            }
        }
    }

    /// Far out a few levels tell thousands of bits.
    #[test]
    fn few_levels_are_enough_far_out() {
        for (x, bits, most) in [
            (10_000u32, 8_192, 400),
            (500_000_000, 8_192, 130),
            (500_000_000, 300, 10),
            (30, 200, 50),
        ] {
            let x = Float::with_val(64, x);
            let count = pairs(&x, bits).unwrap();
            assert!(count <= most, "{x} at {bits} bits: {count}");
            let (down, up) = (
                quotient_down(1, &x, count, bits + 8),
                first_quotient_up(&x, count, bits + 8),
            );
            let width = Float::with_val(64, &up - &down) / &up;
            assert!(down <= up && width < Float::with_val(64, 1) >> (bits - 3));
        }
    }

    #[test]
    fn corners() {
        for x in [
            d::infinity(64),
            d::neg_infinity(64),
            Float::new(64),
            Float::with_val(64, -20),
        ] {
            assert!(survival_down(&x, 64).is_none() && survival_up(&x, 64).is_none());
        }
        let far = Float::with_val(64, 1_000_000_000);
        assert!(survival_down(&far, 64).unwrap() == 0);
        assert!(survival_up(&far, 64).unwrap() > 0);
    }
}
