//! The standard normal law, enclosed: φ, Φ, 1 − Φ and their inverses.
//!
//! Two ways to Φ: [`cdf`] and [`survival`] have small *relative* width however far out in their tail;
//! [`cdf_absolute`] and [`survival_absolute`] have small *absolute* width and always come from a table of Taylor
//! polynomials. The former use that table too where it is accurate enough, and otherwise Laplace's continued
//! fraction far out and MPFR's erfc near the middle.

use rug::Float;
use rug::float::Round;

use super::Interval;
use super::directed as d;
use super::normal_table as table;
use super::normal_tail as tail;

pub use super::normal_inverse::{quantile, survival_inverse};

/// The density φ(x) = e^{−x²/2}/√(2π), with small relative width.
pub fn density(x: &Interval) -> Interval {
    let bits = x.bits();
    let working = bits.saturating_add(guard_bits(x.lo()).max(guard_bits(x.hi())));
    let half_square = x
        .at_bits(working)
        .square()
        .mul(&Interval::point(half(working)));
    let root = Interval::between_or_line(d::sqrt_two_pi_down(working), d::sqrt_two_pi_up(working));
    half_square.neg().exp().div(&root).at_bits(bits)
}

/// Φ(x) = erfc(−x/√2)/2, with small relative width in the left tail.
pub fn cdf(x: &Interval) -> Interval {
    survival(&x.neg())
}

/// 1 − Φ(x) = erfc(x/√2)/2, with small relative width in the right tail.
pub fn survival(x: &Interval) -> Interval {
    let bits = x.bits();
    // 1 − Φ is decreasing: its derivative is −φ < 0.
    Interval::between_or_line(survival_down(x.hi(), bits), survival_up(x.lo(), bits))
}

/// [`survival`] without the table.
pub(super) fn survival_without_table(x: &Interval) -> Interval {
    let bits = x.bits();
    Interval::between_or_line(
        survival_without_table_down(x.hi(), bits),
        survival_without_table_up(x.lo(), bits),
    )
}

/// Φ(x), in [0, 1], within about 2^-177 of the ends' values (at `x.bits()` bits): fast.
pub fn cdf_absolute(x: &Interval) -> Interval {
    survival_absolute(&x.neg())
}

/// 1 − Φ(x), in [0, 1], within about 2^-177 of the ends' values (at `x.bits()` bits): fast.
///
/// Arguments of more than 192 bits ask for more than the table holds and get the slow evaluation.
pub fn survival_absolute(x: &Interval) -> Interval {
    let bits = x.bits();
    if bits > table::MAX_ARGUMENT_BITS {
        return survival_without_table(x).in_unit();
    }
    // 1 − Φ is decreasing.
    let at_lo = table::survival(x.lo());
    if x.lo() == x.hi() {
        Interval::between_or_line(at_lo.down(bits), at_lo.up(bits))
    } else {
        Interval::between_or_line(table::survival(x.hi()).down(bits), at_lo.up(bits))
    }
}

/// Lower bound of 1 − Φ(x), in `bits` bits, to about as many bits: from the table where that is enough.
pub(crate) fn survival_down(x: &Float, bits: u32) -> Float {
    if table::may_give(bits) {
        let estimate = table::survival(x);
        if estimate.relative_bits() > bits {
            return estimate.down(bits);
        }
    }
    survival_without_table_down(x, bits)
}

/// Upper bound of 1 − Φ(x), in `bits` bits, to about as many bits: from the table where that is enough.
pub(crate) fn survival_up(x: &Float, bits: u32) -> Float {
    if table::may_give(bits) {
        let estimate = table::survival(x);
        if estimate.relative_bits() > bits {
            return estimate.up(bits);
        }
    }
    survival_without_table_up(x, bits)
}

fn survival_without_table_down(x: &Float, bits: u32) -> Float {
    if let Some(fewer) = bits_of_other_tail(x, bits) {
        return left_down(x, fewer, bits);
    }
    tail::survival_down(x, bits).unwrap_or_else(|| {
        let quotient = over_sqrt_two_up(x, bits.saturating_add(guard_bits(x)));
        d::mul_down(&d::erfc_down(&quotient, bits), &half(bits), bits)
    })
}

fn survival_without_table_up(x: &Float, bits: u32) -> Float {
    if let Some(fewer) = bits_of_other_tail(x, bits) {
        return left_up(x, fewer, bits);
    }
    tail::survival_up(x, bits).unwrap_or_else(|| {
        let quotient = over_sqrt_two_down(x, bits.saturating_add(guard_bits(x)));
        d::mul_up(&d::erfc_up(&quotient, bits), &half(bits), bits)
    })
}

/// Lower bound of 1 − Φ(x) = 1 − (1 − Φ(−x)) from so many bits of 1 − Φ(−x).
///
/// Requires: x < 0.
fn left_down(x: &Float, other_bits: u32, bits: u32) -> Float {
    let other = survival_without_table_up(&other_side(x), other_bits);
    d::sub_down(&one(bits), &other, bits)
}

/// Upper bound of 1 − Φ(x) = 1 − (1 − Φ(−x)) from so many bits of 1 − Φ(−x).
///
/// Requires: x < 0.
fn left_up(x: &Float, other_bits: u32, bits: u32) -> Float {
    let other = survival_without_table_down(&other_side(x), other_bits);
    d::sub_up(&one(bits), &other, bits)
}

/// Bits of 1 − Φ(−x) that give 1 − Φ(x) to about `bits` bits, where x is far to the left: a guess, as 1 − Φ(−x) < e^{−x²/2} < 2^{−⌊x²⌋·0.72}.
fn bits_of_other_tail(x: &Float, bits: u32) -> Option<u32> {
    if *x > -4 {
        return None;
    }
    let square = Float::with_val(32, x.square_ref());
    let square = square.to_u32_saturating_round(Round::Down)?;
    let zeros = square.min(1 << 20).saturating_mul(72) / 100;
    Some(bits.saturating_add(8).saturating_sub(zeros).max(16))
}

/// −x, exactly.
fn other_side(x: &Float) -> Float {
    Float::with_val(x.prec(), -x)
}

/// 1, exactly.
fn one(bits: u32) -> Float {
    Float::with_val(bits, 1)
}

/// Lower bound of x/√2, in `bits` bits.
pub(super) fn over_sqrt_two_down(x: &Float, bits: u32) -> Float {
    let root = if *x < 0 {
        d::sqrt_two_down(bits)
    } else {
        d::sqrt_two_up(bits)
    };
    d::div_down(x, &root, bits)
}

/// Upper bound of x/√2, in `bits` bits.
pub(super) fn over_sqrt_two_up(x: &Float, bits: u32) -> Float {
    let root = if *x < 0 {
        d::sqrt_two_up(bits)
    } else {
        d::sqrt_two_down(bits)
    };
    d::div_up(x, &root, bits)
}

/// 1/2, exactly.
pub(super) fn half(bits: u32) -> Float {
    Float::with_val(bits, 1) >> 1u32
}

/// How many more bits than the result an argument x of e^{−x²/2} needs: a relative error η of x is a relative
/// error of about x²·η of the result. At most 72, because beyond |x| = 2^32 the result underflows anyway.
pub(super) fn guard_bits(x: &Float) -> u32 {
    let exponent = x.get_exp().unwrap_or(0).clamp(0, 32);
    exponent.unsigned_abs().saturating_mul(2).saturating_add(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(60)))]

        /// Far to the left, against MPFR's erfc in more bits: bounds on the right sides, and close.
        #[test]
        fn far_to_the_left(numerator in 1u32..60_000, bits in 4u32..600, few in 2u32..20) {
            let x = Float::with_val(bits, -i64::from(numerator)) / 1000u32;
            let root = Float::with_val(900, 2).sqrt();
            let truth: Float = (Float::with_val(900, &x) / root).erfc() >> 1u32;
            let (down, up) = (survival_without_table_down(&x, bits), survival_without_table_up(&x, bits));
            prop_assert!(down <= truth && up >= truth, "{x}: {down} {truth} {up}");
            let width = Float::with_val(64, &up - &down);
            prop_assert!(width <= Float::with_val(64, 1) >> (bits - 3), "{x} at {bits} bits: {width}");
            // However few bits of the other tail: wide, never false.
            let (down, up) = (left_down(&x, few, 900), left_up(&x, few, 900));
            prop_assert!(down <= truth && up >= truth, "{x} by {few} bits: {down} {truth} {up}");
        }
    }

    #[test]
    fn left_ends() {
        let far = [d::neg_infinity(200), Float::with_val(200, -1_000_000_000)];
        for x in far {
            let (down, up) = (
                survival_without_table_down(&x, 300),
                survival_without_table_up(&x, 300),
            );
            assert!(down > 0.999 && down <= 1 && up == 1, "{x}: {down} {up}");
        }
        assert!(bits_of_other_tail(&Float::with_val(53, rug::float::Special::Nan), 300).is_none());
    }
}
