//! Exact value to decimal text, rounded in a named direction.
//!
//! The text is plain (`1.5646042`, `0.00012`) while the leading digit stands for 10^−5 … 10^15 and
//! scientific (`1.2e-27`) beyond; trailing zeros are not printed, so a value with few digits is printed exactly.

use std::cmp::Ordering;

use rug::{Complete, Float, Integer, Rational, float::Round, ops::Pow};

/// Most significant digits that are printed, whatever is asked for.
const MAX_DIGITS: usize = 10_000;

/// Exponents of the leading digit that are printed without scientific notation.
const PLAIN_EXPONENTS: std::ops::RangeInclusive<i64> = -5..=15;

/// The largest decimal with at most `digits` significant digits that is ≤ `value`.
///
/// Ensures: the text denotes a number in (value − one unit of the last of `digits` digits, value].
/// `digits` is clamped to 1 … 10000.
pub fn decimal_down(value: &Rational, digits: usize) -> String {
    match value.cmp0() {
        Ordering::Less => magnitude(value, digits, Away::FromZero).text(true),
        Ordering::Equal => "0".to_owned(),
        Ordering::Greater => magnitude(value, digits, Away::TowardsZero).text(false),
    }
}

/// The smallest decimal with at most `digits` significant digits that is ≥ `value`.
///
/// Ensures: the text denotes a number in [value, value + one unit of the last of `digits` digits).
/// `digits` is clamped to 1 … 10000.
pub fn decimal_up(value: &Rational, digits: usize) -> String {
    match value.cmp0() {
        Ordering::Less => magnitude(value, digits, Away::TowardsZero).text(true),
        Ordering::Equal => "0".to_owned(),
        Ordering::Greater => magnitude(value, digits, Away::FromZero).text(false),
    }
}

/// [`decimal_down`] for a binary float: infinities are `inf` and `-inf`; not-a-number, which says
/// nothing, is the trivial lower bound `-inf`.
pub fn float_down(value: &Float, digits: usize) -> String {
    if value.is_nan() {
        "-inf".to_owned()
    } else {
        float_text(value, digits, Round::Down)
    }
}

/// [`decimal_up`] for a binary float: infinities are `inf` and `-inf`; not-a-number, which says
/// nothing, is the trivial upper bound `inf`.
pub fn float_up(value: &Float, digits: usize) -> String {
    if value.is_nan() {
        "inf".to_owned()
    } else {
        float_text(value, digits, Round::Up)
    }
}

/// The nearest decimal, for a number that is a place to look at and bounds nothing.
pub fn float_nearest(value: &Float, digits: usize) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else {
        float_text(value, digits, Round::Nearest)
    }
}

/// Which neighbouring decimal of a magnitude is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Away {
    FromZero,
    TowardsZero,
}

/// Significant digits `d₁d₂…` standing for d₁.d₂… · 10^exponent.
struct Digits {
    digits: String,
    exponent: i64,
}

impl Digits {
    fn text(&self, negative: bool) -> String {
        let digits = match self.digits.trim_end_matches('0') {
            "" => return "0".to_owned(),
            digits => digits,
        };
        let sign = if negative { "-" } else { "" };
        if !PLAIN_EXPONENTS.contains(&self.exponent) {
            return format!("{sign}{}e{}", with_point(digits, 1), self.exponent);
        }
        match usize::try_from(self.exponent) {
            Ok(exponent) => format!("{sign}{}", with_point(digits, exponent.saturating_add(1))),
            Err(_) => {
                let zeros = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(0);
                format!("{sign}0.{}{digits}", "0".repeat(zeros.saturating_sub(1)))
            }
        }
    }
}

/// `digits` with the decimal point after the first `whole` of them, filled up with zeros.
fn with_point(digits: &str, whole: usize) -> String {
    match digits.split_at_checked(whole) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits}{}", "0".repeat(whole.saturating_sub(digits.len()))),
    }
}

/// MPFR rounds to the given number of decimal digits correctly, in the direction asked for, without
/// building the power of ten.
fn float_text(value: &Float, digits: usize, round: Round) -> String {
    let digits = digits.clamp(1, MAX_DIGITS);
    let (negative, text, exponent) = value.to_sign_string_exp_round(10, Some(digits), round);
    match exponent {
        // MPFR's value is 0.d₁d₂… · 10^exponent.
        Some(exponent) => Digits {
            digits: text,
            exponent: i64::from(exponent).saturating_sub(1),
        }
        .text(negative),
        // Zero and the infinities have no exponent.
        None if value.is_zero() => "0".to_owned(),
        None if negative => "-inf".to_owned(),
        None => "inf".to_owned(),
    }
}

/// The neighbour of |value| ≠ 0 with `digits` significant digits.
fn magnitude(value: &Rational, digits: usize, away: Away) -> Digits {
    let digits = digits.clamp(1, MAX_DIGITS);
    let digits_signed = i64::try_from(digits).unwrap_or(1);
    let numerator = value.numer().as_abs();
    let mut exponent = exponent_estimate(value);
    loop {
        // |value| · 10^shift should have `digits` digits before the point.
        let shift = digits_signed.saturating_sub(1).saturating_sub(exponent);
        let power = power_of_ten(shift.unsigned_abs());
        let (quotient, remainder) = if shift >= 0 {
            Integer::from(&*numerator * &power).div_rem_floor(value.denom().clone())
        } else {
            let divisor = Integer::from(value.denom() * &power);
            numerator.div_rem_floor_ref(&divisor).complete()
        };
        let length = i64::try_from(quotient.to_string().len()).unwrap_or(i64::MAX);
        let too_long = length.saturating_sub(digits_signed);
        if too_long != 0 || quotient.is_zero() {
            // The estimate was off by a digit.
            exponent = exponent.saturating_add(if quotient.is_zero() { -1 } else { too_long });
            continue;
        }
        let rounded = match away {
            Away::FromZero if !remainder.is_zero() => quotient + 1u32,
            _ => quotient,
        };
        let text = rounded.to_string();
        // 99…9 rounded away from zero is one digit longer.
        if text.len() > digits {
            exponent = exponent.saturating_add(1);
        }
        return Digits {
            digits: text,
            exponent,
        };
    }
}

/// The exponent of the leading decimal digit, within one: 30103/100000 is log₁₀2 up to 5e-9, which over
/// the 2³² bits an `Integer` can have is less than 20, and the caller corrects any miss.
fn exponent_estimate(value: &Rational) -> i64 {
    let bits = i64::from(value.numer().significant_bits())
        .saturating_sub(i64::from(value.denom().significant_bits()));
    bits.saturating_mul(30_103).div_euclid(100_000)
}

/// 10^exponent. An exponent beyond 32 bits cannot come from numbers that fit in memory.
fn power_of_ten(exponent: u64) -> Integer {
    Integer::from(10).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn check(value: &str, digits: usize, down: &str, up: &str) {
        let value = parse_rational(value).unwrap();
        assert_eq!(decimal_down(&value, digits), down);
        assert_eq!(decimal_up(&value, digits), up);
    }

    #[test]
    fn prints_the_neighbours() {
        check("1.5646042", 8, "1.5646042", "1.5646042");
        check("1.5646042", 4, "1.564", "1.565");
        check("-1.5646042", 4, "-1.565", "-1.564");
        check("1/3", 5, "0.33333", "0.33334");
        check("2/3", 1, "0.6", "0.7");
        check("999.9", 3, "999", "1000");
        check("0.9999", 2, "0.99", "1");
        check("0", 5, "0", "0");
        check("1000", 10, "1000", "1000");
        check("123456", 2, "120000", "130000");
        check("0.00001", 3, "0.00001", "0.00001");
        check("1e-6", 3, "1e-6", "1e-6");
        check("1.25e-7", 2, "1.2e-7", "1.3e-7");
        check("1e15", 3, "1000000000000000", "1000000000000000");
        check("1e16", 3, "1e16", "1e16");
        check("12345678901234567", 3, "1.23e16", "1.24e16");
        check("-9.99e-20000", 2, "-1e-19999", "-9.9e-20000");
    }

    #[test]
    fn floats_and_their_extremes() {
        let third = Float::with_val(200, 1) / 3;
        assert_eq!(float_down(&third, 5), "0.33333");
        assert_eq!(float_up(&third, 5), "0.33334");
        assert_eq!(float_down(&Float::with_val(53, 0.1), 5), "0.1");
        assert_eq!(float_up(&Float::with_val(53, 0.1), 5), "0.10001");
        assert_eq!(float_down(&-Float::with_val(53, 2.5), 5), "-2.5");
        assert_eq!(float_down(&Float::with_val(53, 0), 5), "0");
        assert_eq!(float_up(&Float::with_val(53, f64::INFINITY), 5), "inf");
        assert_eq!(
            float_down(&Float::with_val(53, f64::NEG_INFINITY), 5),
            "-inf"
        );
        assert_eq!(float_down(&Float::with_val(53, f64::NAN), 5), "-inf");
        assert_eq!(float_up(&Float::with_val(53, f64::NAN), 5), "inf");
        // 2^-1000000000 = 10^-301029995.66…, without a gigantic power.
        let tiny = Float::with_val(53, 1) >> 1_000_000_000u32;
        assert_eq!(float_down(&tiny, 3), "2.16e-301029996");
        assert_eq!(float_up(&tiny, 3), "2.17e-301029996");
    }

    #[test]
    fn a_very_small_rational_is_printed_quickly() {
        let tiny = Rational::from((Integer::from(7), Integer::from(10).pow(400_000u32)));
        assert_eq!(decimal_down(&tiny, 10), "7e-400000");
        let below = Rational::from((
            Integer::from(1),
            Integer::from(3) * Integer::from(10).pow(400_000u32),
        ));
        assert_eq!(decimal_up(&below, 4), "3.334e-400001");
    }

    /// The unit of the last of `digits` significant digits of a number at most |value| times ten.
    fn last_unit(value: &Rational, digits: u32) -> Rational {
        let mut unit = Rational::from(1);
        let magnitude = value.clone().abs();
        while unit <= magnitude {
            unit *= 10;
        }
        while unit > magnitude {
            unit /= 10;
        }
        unit / Rational::from(Integer::from(10).pow(digits - 1))
    }

    quickcheck::quickcheck! {
        fn the_neighbours_enclose_tightly(numerator: i64, denominator: u32, shift: i8, digits: u8) -> bool {
            let digits = u32::from(digits % 20) + 1;
            let shift = Rational::from(Integer::from(10).pow(u32::from(shift.unsigned_abs())));
            let value = Rational::from((numerator, i64::from(denominator) + 1)) / shift;
            let width = usize::try_from(digits).unwrap();
            let down = parse_rational(&decimal_down(&value, width)).unwrap();
            let up = parse_rational(&decimal_up(&value, width)).unwrap();
            let exact = value == down && value == up;
            down <= value && value <= up
                && (exact || (down < up && Rational::from(&up - &down) <= last_unit(&value, digits)))
        }

        fn floats_print_like_the_rationals_they_are(value: f64, digits: u8) -> bool {
            let float = Float::with_val(53, value);
            let Some(rational) = float.to_rational() else { return true };
            let digits = usize::from(digits % 30) + 1;
            float_down(&float, digits) == decimal_down(&rational, digits)
                && float_up(&float, digits) == decimal_up(&rational, digits)
        }

        fn few_digits_are_exact(value: i32, exponent: i8) -> bool {
            let value = parse_rational(&format!("{value}e{exponent}")).unwrap();
            parse_rational(&decimal_down(&value, 10)) == Ok(value.clone())
                && parse_rational(&decimal_up(&value, 10)) == Ok(value)
        }
    }
}
