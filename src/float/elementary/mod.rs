//! `exp`, `ln` and their kind on f64, by plain arithmetic: the same digits on every processor and with every C library.
//!
//! The methods of f64 ask the C library, which has other functions for other processors; so only tests may call them
//! (`clippy.toml`). Sums, products, quotients and square roots are the same everywhere, and Rust fuses none of them.
//! What is used most is written out here, within two units in the last place; the rest comes from the crate `libm`.

mod tables;

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use num_complex::Complex;

pub use libm::{
    asinh, atan2, cbrt, cosh, erf, erfc, hypot, log2, log10, pow, sincos as sin_cos, sinh,
};

#[cfg(any(test, feature = "certificates"))]
pub use libm::exp2;
use tables::{FIRST, LOGS, POWERS};

/// Added and taken off again, it rounds to a whole number, which is then in the last bits.
const TO_WHOLE: f64 = 6_755_399_441_055_744.0;
/// 128/log 2.
const STEPS: f64 = 184.6649652337873;
/// (log 2)/128 in two parts; whole numbers below 2^20 times the first are exact.
const STEP: (f64, f64) = (0.005415212348452769, -3.2819649005320973e-13);
/// log 2 in two parts; exponents times the first are exact.
const LOG_2: (f64, f64) = (0.6931471805601177, -1.7239444525614835e-13);
/// Below this, neither e^x nor e^{−x} is beyond the normal numbers.
const USUAL: f64 = 704.0;
/// The bits of √½, rounded down.
const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcc;
/// 2^54.
const LARGE: f64 = 18_014_398_509_481_984.0;

/// e^x = 2^exponent · power · (1 + more) · (1 + rest), the last two next to 1.
struct Parts {
    power: f64,
    more: f64,
    rest: f64,
    exponent: i32,
}

impl Parts {
    /// |x| is below 2^11.
    fn of(x: f64) -> Self {
        let shifted = x * STEPS + TO_WHOLE;
        let whole = shifted - TO_WHOLE;
        let index = shifted.to_bits() as u32 as i32;
        let r = (x - whole * STEP.0) - whole * STEP.1;
        let square = r * r;
        let rest =
            r + square * ((0.5 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0)));
        let (power, more) = POWERS
            .get((index & 127) as usize)
            .copied()
            .unwrap_or_default();
        Self {
            power,
            more,
            rest,
            exponent: index >> 7,
        }
    }

    /// 2^exponent · power, where that is a normal number.
    fn scaled(&self) -> f64 {
        let exponent = (i64::from(self.exponent) as u64) << 52;
        f64::from_bits(self.power.to_bits().wrapping_add(exponent))
    }
}

/// e^x.
pub fn exp(x: f64) -> f64 {
    if x.abs() < USUAL {
        let parts = Parts::of(x);
        let power = parts.scaled();
        return power + power * (parts.rest + parts.more);
    }
    far_exp(x)
}

/// e^x, where it is next to or beyond the range of f64.
#[cold]
fn far_exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    // Beyond ±800 all is ∞, or 0.
    let half = exp(x.clamp(-800.0, 800.0) / 2.0);
    half * half
}

/// e^x − 1.
pub fn exp_m1(x: f64) -> f64 {
    if x.abs() < USUAL {
        let parts = Parts::of(x);
        let power = parts.scaled();
        return (power - 1.0) + power * (parts.rest + parts.more);
    }
    far_exp(x) - 1.0
}

/// log x; NaN for x < 0.
pub fn ln(x: f64) -> f64 {
    if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&x) {
        return far_ln(x);
    }
    // x = 2^exponent · z with z between √½ and √2.
    let above = x.to_bits().wrapping_sub(ROOT_OF_HALF);
    let exponent = ((above as i64) >> 52) as f64;
    let z = f64::from_bits(x.to_bits().wrapping_sub(above & (0xfff << 52)));
    // z = (whole/128)·(1 + r).
    let scaled = z * 128.0;
    let shifted = scaled + TO_WHOLE;
    let whole = shifted - TO_WHOLE;
    let index = (shifted.to_bits() as u32 as usize).wrapping_sub(FIRST);
    let log = LOGS.get(index).copied().unwrap_or_default();
    let r = (scaled - whole) / whole;
    let square = r * r;
    let ends = (-0.25 + r * (1.0 / 5.0)) + square * (-1.0 / 6.0 + r * (1.0 / 7.0));
    let rest = square * ((-0.5 + r * (1.0 / 3.0)) + square * ends);
    let coarse = exponent * LOG_2.0 + log;
    let sum = coarse + r;
    sum + (((coarse - sum) + r) + (exponent * LOG_2.1 + rest))
}

/// log x, where x is no normal number above 0.
#[cold]
fn far_ln(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        x
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 {
        f64::NAN
    } else {
        ln(x * LARGE) - 54.0 * LOG_2.0 - 54.0 * LOG_2.1
    }
}

/// log(1 + x); NaN for x < −1.
pub fn ln_1p(x: f64) -> f64 {
    if x.abs() < 1.0 / LARGE {
        return x;
    }
    let sum = 1.0 + x;
    if sum <= 0.0 || x > LARGE {
        return ln(sum);
    }
    // What rounding took off the sum.
    ln(sum) + (x - (sum - 1.0)) / sum
}

/// x^n by squaring.
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    if n < 0 { 1.0 / power } else { power }
}

/// log B(a, b).
pub fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

/// |z|.
pub fn norm(z: Complex<f64>) -> f64 {
    hypot(z.re, z.im)
}

/// e^z.
pub fn exp_of(z: Complex<f64>) -> Complex<f64> {
    if z.re == f64::NEG_INFINITY {
        return Complex::default();
    }
    polar(exp(z.re), z.im)
}

/// size·e^{i·angle}.
pub fn polar(size: f64, angle: f64) -> Complex<f64> {
    let (sin, cos) = sin_cos(angle);
    Complex::new(size * cos, size * sin)
}

/// The x with Φ(−x) = p, for 0 < p ≤ ½.
pub(super) fn upper_quantile(p: f64) -> f64 {
    // Hastings' fraction, within 0.0005.
    let t = (-2.0 * ln(p)).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = t - above / below;
    // Newton's steps, on the logarithm of the tail unless it is next to ½.
    for _ in 0..3 {
        let density = exp(-x * x / 2.0) / TAU.sqrt();
        x += if p > 0.25 {
            ((0.5 - p) - erf(x * FRAC_1_SQRT_2) / 2.0) / density
        } else {
            let tail = erfc(x * FRAC_1_SQRT_2) / 2.0;
            ln(tail / p) * tail / density
        };
    }
    x
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
