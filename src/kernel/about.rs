//! Elementary functions to about as many digits as a number has, for searches whose finds are proved or not used: no direction of rounding.
//!
//! In fixed point up to [`SHORT_BITS`], by far sooner than by MPFR.

use rug::Float;

use super::fixed_exp;
use super::fixed_ln;

/// What is known to a relative 2^-121 has as many digits, and some more.
pub const SHORT_BITS: u32 = 112;
/// An exponential farther from 1 than about 2^−this loses no more digits by 1 being taken from it.
const NEAREST: i32 = 8;
/// Logarithms are known to so many bits after the point, and some more.
const LOG_BITS: u32 = 172;

/// About e^x.
pub fn exp(x: Float) -> Float {
    match short_exp(&x) {
        Some(found) => Float::with_val(x.prec(), found),
        None => x.exp(),
    }
}

/// About e^x − 1.
pub fn exp_m1(x: Float) -> Float {
    let is_far = x.get_exp().is_some_and(|exponent| exponent > -NEAREST);
    match short_exp(&x).filter(|_| is_far) {
        Some(found) => Float::with_val(x.prec(), found - 1u32),
        None => x.exp_m1(),
    }
}

/// About log x.
pub fn ln(x: Float) -> Float {
    let bits = x.prec();
    let short = (bits < LOG_BITS).then(|| fixed_ln::ln_about(&x, bits));
    match short.flatten().filter(has_all_digits) {
        Some(found) => found,
        None => x.ln(),
    }
}

/// About log(1 + x).
pub fn ln_1p(x: Float) -> Float {
    let bits = x.prec();
    // 1 + x is exact.
    let fits = bits <= SHORT_BITS && has_all_digits(&x);
    let short = fits.then(|| fixed_ln::ln_about(&Float::with_val(192, &x + 1u32), bits));
    match short.flatten() {
        Some(found) => found,
        None => x.ln_1p(),
    }
}

/// Is a number so large that digits up to so many after the point are all that it has?
fn has_all_digits(x: &Float) -> bool {
    let before = LOG_BITS.checked_sub(x.prec());
    let exponent = x.get_exp();
    before
        .zip(exponent)
        .is_some_and(|(before, exponent)| exponent > -before.cast_signed())
}

fn short_exp(x: &Float) -> Option<Float> {
    let found = (x.prec() <= SHORT_BITS).then(|| fixed_exp::exp(x));
    let found = found.flatten()?;
    Some(Float::with_val(128, found.least) << found.exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::Random;

    /// To all digits but the last few, at any size, and as MPFR has it where there is no number.
    #[test]
    fn as_many_digits_as_the_number_has() {
        let mut random = Random(29);
        for round in 0..4_000u32 {
            let bits = 30 + u32::try_from(random.below(150)).unwrap();
            let size = i32::try_from(random.below(90)).unwrap() - 75;
            let digits = Float::with_val(64, 1 + random.below(u64::MAX - 1)) >> 64u32;
            let x = Float::with_val(bits, digits) << size;
            let near_one = Float::with_val(bits, 1 + Float::with_val(bits, &x >> 16u32));
            let x = if round % 3 == 0 { -x } else { x };
            let wide = |x: &Float| Float::with_val(400, x);
            let all = [
                (exp(x.clone()), wide(&x).exp()),
                (exp_m1(x.clone()), wide(&x).exp_m1()),
                (ln(x.clone()), wide(&x).ln()),
                (ln(near_one.clone()), wide(&near_one).ln()),
                (ln_1p(x.clone()), wide(&x).ln_1p()),
            ];
            for (found, truth) in all {
                if truth.is_nan() {
                    assert!(found.is_nan(), "{x}");
                    continue;
                }
                let apart = Float::with_val(64, &found - &truth);
                let allowed = Float::with_val(64, truth.abs_ref()) >> (bits - 5);
                assert!(
                    found == truth || apart.abs() <= allowed,
                    "{x}: {found} {truth}"
                );
            }
        }
        assert!(ln(Float::new(60)).is_infinite() && exp(Float::new(60)) == 1);
        assert!(ln_1p(Float::with_val(60, -1)).is_infinite());
    }
}
