//! Ends of enclosures as exact decimals of a few digits, rounded to the safe side.

use rug::{Float, Rational};

use crate::bounds::Enclosure;
use crate::number::{decimal_down, decimal_up, float_down, float_up, parse_rational};

/// Numbers with larger exponents, of 2, are not built.
const MOST_BITS: u32 = 1 << 22;

/// A decimal of so many digits that is at least the number, or the number itself where its exponent is beyond what is read.
///
/// Ensures: ≥ `x`; `None` if it is infinite or too large to be built.
pub(super) fn rounded_up(x: &Float, digits: usize) -> Option<Rational> {
    let least = || Rational::from(1) >> MOST_BITS;
    match parse_rational(&float_up(x, digits)) {
        Ok(number) => Some(number),
        Err(_) if is_within_reach(x) => x.to_rational(),
        Err(_) if !is_tiny(x) => None,
        Err(_) if x.is_sign_negative() => Some(Rational::new()),
        Err(_) => Some(least()),
    }
}

/// As [`rounded_up`], at most the number.
///
/// Ensures: ≤ `x`; `None` if it is infinite or too large to be built.
pub(super) fn rounded_down(x: &Float, digits: usize) -> Option<Rational> {
    match parse_rational(&float_down(x, digits)) {
        Ok(number) => Some(number),
        Err(_) => rounded_up(&-x.clone(), digits).map(|number| -number),
    }
}

/// The upper end of an enclosure, rounded up.
///
/// Ensures: ≥ every number of the enclosure.
pub(super) fn upper_end(enclosure: &Enclosure, digits: usize) -> Option<Rational> {
    match enclosure.most() {
        Some(most) => Some(short_or_itself(&decimal_up(most, digits), most)),
        None => rounded_up(enclosure.upper(), digits),
    }
}

/// The lower end of an enclosure, rounded down.
///
/// Ensures: ≤ every number of the enclosure.
pub(super) fn lower_end(enclosure: &Enclosure, digits: usize) -> Option<Rational> {
    match enclosure.exact() {
        Some(value) => Some(short_or_itself(&decimal_down(value, digits), value)),
        None => rounded_down(enclosure.lower(), digits),
    }
}

fn short_or_itself(text: &str, value: &Rational) -> Rational {
    parse_rational(text).unwrap_or_else(|_| value.clone())
}

fn is_within_reach(x: &Float) -> bool {
    x.get_exp()
        .is_some_and(|exponent| exponent.unsigned_abs() <= MOST_BITS)
}

fn is_tiny(x: &Float) -> bool {
    x.get_exp().is_some_and(|exponent| exponent < 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::directed as d;

    #[test]
    fn rounding_is_to_the_named_side_however_small_the_number() {
        for shift in [0u32, 70_000, 5_000_000] {
            let x = (Float::with_val(64, 1) / 3u32) >> shift;
            for x in [x.clone(), -x] {
                let (low, high) = (rounded_down(&x, 5).unwrap(), rounded_up(&x, 5).unwrap());
                assert!(low <= high && x >= low && x <= high, "{shift}");
            }
        }
        let third = Float::with_val(64, 1) / 3u32;
        assert_eq!(rounded_up(&third, 3), Some(Rational::from((334, 1000))));
        assert_eq!(rounded_up(&d::infinity(64), 3), None);
        assert_eq!(
            rounded_up(&(Float::with_val(64, 1) << 5_000_000u32), 3),
            None
        );
    }
}
