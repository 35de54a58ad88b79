//! The standard normal law, enclosed: φ, Φ, 1 − Φ and their inverses.
//!
//! Two ways to Φ: [`cdf`] and [`survival`] have small *relative* width however far out in their tail;
//! [`cdf_absolute`] and [`survival_absolute`] have small *absolute* width and always come from a table of Taylor
//! polynomials. The former use that table too where it is accurate enough, and otherwise Laplace's continued
//! fraction far out and MPFR's erfc near the middle.

use rug::Float;

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
    tail::survival_down(x, bits).unwrap_or_else(|| {
        let quotient = over_sqrt_two_up(x, bits.saturating_add(guard_bits(x)));
        d::mul_down(&d::erfc_down(&quotient, bits), &half(bits), bits)
    })
}

fn survival_without_table_up(x: &Float, bits: u32) -> Float {
    tail::survival_up(x, bits).unwrap_or_else(|| {
        let quotient = over_sqrt_two_down(x, bits.saturating_add(guard_bits(x)));
        d::mul_up(&d::erfc_up(&quotient, bits), &half(bits), bits)
    })
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
