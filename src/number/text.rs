//! Exact numbers as text: the shortest form that is still exact.

use rug::Rational;

use super::{decimal_down, decimal_up};

/// Digits of the longest decimal that is preferred to a fraction.
const MOST_DIGITS: usize = 40;

/// An exact number in the shortest form that is still exact: a decimal, else a fraction.
pub fn exact(value: &Rational) -> String {
    let decimal = decimal_down(value, MOST_DIGITS);
    if decimal == decimal_up(value, MOST_DIGITS) {
        decimal
    } else {
        value.to_string()
    }
}

/// A small decimal in scientific notation, the way people compare δ: `0.000012` is `1.2e-5`.
pub fn scientific(text: &str) -> String {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", text),
    };
    let Some(fraction) = magnitude.strip_prefix("0.000") else {
        return text.to_owned();
    };
    let digits = fraction.trim_start_matches('0');
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (Some((first, rest)), true) = (digits.split_at_checked(1), is_plain) else {
        return text.to_owned();
    };
    let exponent = fraction
        .len()
        .saturating_sub(digits.len())
        .saturating_add(4);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e-{exponent}")
}

/// An exact number for people.
pub fn short(value: &Rational) -> String {
    scientific(&exact(value))
}
