//! Decimal text to exact rational.

use rug::{Integer, Rational, ops::Pow};

/// Longest decimal that is read, in characters (a fraction may have this many on each side).
pub const MAX_CHARACTERS: usize = 1_000;

/// Largest absolute value of a decimal exponent that is read.
pub const MAX_EXPONENT: u32 = 20_000;

/// Why a text is not an exact number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Nothing, or only blanks.
    #[error("there is no number here")]
    Empty,
    /// `nan`, `inf`, `-Infinity`, …
    #[error("nan and inf are not numbers that can be checked")]
    NotFinite,
    /// `0x10`, `0o7`, `0b1`.
    #[error("only decimal numbers are read, not hexadecimal, octal or binary ones")]
    NotDecimal,
    /// More than [`MAX_CHARACTERS`].
    #[error("the number is longer than {MAX_CHARACTERS} characters")]
    TooLong,
    /// An exponent beyond [`MAX_EXPONENT`].
    #[error("the exponent is beyond ±{MAX_EXPONENT}")]
    ExponentTooLarge,
    /// `1/0`.
    #[error("the denominator is zero")]
    ZeroDenominator,
    /// Anything else.
    #[error("this is not a number")]
    NotANumber,
}

/// The rational that `text` denotes, exactly.
///
/// Reads a decimal (`9.4`, `-.5`, `1_000`, `+3`), scientific notation (`1e-5`, `1E+3`) and a fraction of two
/// decimals (`16384/50000`, `0.1/3`); blanks around the text and around `/` do not matter.
///
/// # Errors
/// See [`NumberError`]. Length and exponent are checked before any big number is built.
///
/// ```
/// # use dpcmp::number::parse_rational;
/// assert_eq!(parse_rational("0.1").unwrap(), rug::Rational::from((1, 10)));
/// assert_eq!(parse_rational("16384/50000").unwrap(), rug::Rational::from((1024, 3125)));
/// ```
pub fn parse_rational(text: &str) -> Result<Rational, NumberError> {
    match text.split_once('/') {
        None => decimal(text)?.value(),
        Some((numerator, denominator)) => {
            let numerator = decimal(numerator)?;
            let denominator = decimal(denominator)?.value()?;
            if denominator.is_zero() {
                return Err(NumberError::ZeroDenominator);
            }
            Ok(numerator.value()? / denominator)
        }
    }
}

/// Half a unit of the last printed digit of a decimal: what rounding to nearest may have hidden.
///
/// `7.4` gives 0.05 and `1e-5` gives 0.5e-5; a fraction, and a text that is no number, give `None`.
pub fn half_last_digit(text: &str) -> Option<Rational> {
    let decimal = decimal(text).ok()?;
    let last_digit = power_of_ten(decimal.exponent_of_last_digit())?;
    Some(last_digit / 2u32)
}

/// About how many bits the exact value of `text` takes, found without building it; 0 if it is no number.
pub fn size_in_bits(text: &str) -> u64 {
    text.split('/').take(2).map(decimal_size_in_bits).sum()
}

/// The value as an unsigned machine integer, if it is one.
pub fn to_u64(value: &Rational) -> Option<u64> {
    if *value.denom() == 1u32 {
        value.numer().to_u64()
    } else {
        None
    }
}

fn decimal_size_in_bits(text: &str) -> u64 {
    match decimal(text) {
        Err(_) => 0,
        // A decimal digit is less than 4 bits.
        Ok(decimal) => {
            let digits = u64::try_from(decimal.digits.len()).unwrap_or(u64::MAX);
            let exponent = u64::from(decimal.exponent_of_last_digit().unsigned_abs());
            digits.saturating_add(exponent).saturating_mul(4)
        }
    }
}

/// A decimal taken apart: ±digits · 10^exponent, `fraction_digits` of them after the point.
struct Decimal {
    negative: bool,
    digits: String,
    fraction_digits: i32,
    exponent: i32,
}

impl Decimal {
    fn exponent_of_last_digit(&self) -> i32 {
        self.exponent.saturating_sub(self.fraction_digits)
    }

    fn value(&self) -> Result<Rational, NumberError> {
        let digits = Integer::parse(&self.digits).map_err(|_| NumberError::NotANumber)?;
        let magnitude = Integer::from(digits);
        if magnitude.is_zero() {
            return Ok(Rational::new());
        }
        let scale =
            power_of_ten(self.exponent_of_last_digit()).ok_or(NumberError::ExponentTooLarge)?;
        let signed = if self.negative { -magnitude } else { magnitude };
        Ok(scale * signed)
    }
}

/// Takes one decimal apart; every limit is checked here.
fn decimal(text: &str) -> Result<Decimal, NumberError> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return Err(NumberError::Empty);
    }
    if text.len() > MAX_CHARACTERS {
        return Err(NumberError::TooLong);
    }
    let (negative, unsigned) = sign(text);
    refuse_other_notations(unsigned)?;
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((mantissa, exponent)) => (mantissa, small_exponent(exponent)?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = digits_of(whole)?;
    let fraction = digits_of(fraction)?;
    if whole.is_empty() && fraction.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let fraction_digits = i32::try_from(fraction.len()).map_err(|_| NumberError::TooLong)?;
    Ok(Decimal {
        negative,
        digits: whole + &fraction,
        fraction_digits,
        exponent,
    })
}

fn refuse_other_notations(unsigned: &str) -> Result<(), NumberError> {
    let lower = unsigned.to_ascii_lowercase();
    if ["nan", "inf", "infinity"].contains(&lower.as_str()) {
        return Err(NumberError::NotFinite);
    }
    if ["0x", "0o", "0b"]
        .iter()
        .any(|prefix| lower.starts_with(prefix))
    {
        return Err(NumberError::NotDecimal);
    }
    Ok(())
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits of `text` without the underscores that may stand between two digits.
fn digits_of(text: &str) -> Result<String, NumberError> {
    let misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    let digits: String = text.chars().filter(|character| *character != '_').collect();
    if misplaced || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::NotANumber);
    }
    Ok(digits)
}

fn small_exponent(text: &str) -> Result<i32, NumberError> {
    let (negative, unsigned) = sign(text);
    let digits = digits_of(unsigned)?;
    if digits.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let significant = digits.trim_start_matches('0');
    let magnitude = match significant {
        "" => 0,
        _ => significant
            .parse::<u32>()
            .map_err(|_| NumberError::ExponentTooLarge)?,
    };
    if magnitude > MAX_EXPONENT {
        return Err(NumberError::ExponentTooLarge);
    }
    let magnitude = i32::try_from(magnitude).map_err(|_| NumberError::ExponentTooLarge)?;
    Ok(if negative { -magnitude } else { magnitude })
}

/// 10^exponent; `None` far beyond what [`decimal`] lets through.
fn power_of_ten(exponent: i32) -> Option<Rational> {
    let magnitude = exponent.unsigned_abs();
    let limit = MAX_EXPONENT.checked_add(u32::try_from(MAX_CHARACTERS).ok()?)?;
    if magnitude > limit {
        return None;
    }
    let power = Rational::from(Integer::from(10).pow(magnitude));
    Some(if exponent < 0 { power.recip() } else { power })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(numerator: i64, denominator: i64) -> Rational {
        Rational::from((numerator, denominator))
    }

    #[test]
    fn reads_every_documented_form() {
        let cases = [
            ("9.4", rational(47, 5)),
            ("-.5", rational(-1, 2)),
            ("5.", rational(5, 1)),
            ("+3", rational(3, 1)),
            ("1_000", rational(1000, 1)),
            ("1_0.2_5", rational(41, 4)),
            ("1e-5", rational(1, 100_000)),
            ("1E+3", rational(1000, 1)),
            ("1.5e1", rational(15, 1)),
            ("1e00000003", rational(1000, 1)),
            ("16384/50000", rational(1024, 3125)),
            (" 0.1 / 3 ", rational(1, 30)),
            ("1/-4", rational(-1, 4)),
            ("0", rational(0, 1)),
            ("-0e20000", rational(0, 1)),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_rational(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else_with_its_reason() {
        use NumberError::*;
        let cases = [
            ("", Empty),
            ("  ", Empty),
            ("/2", Empty),
            ("1/", Empty),
            ("nan", NotFinite),
            ("+inf", NotFinite),
            ("-Infinity", NotFinite),
            ("0x10", NotDecimal),
            ("0b1", NotDecimal),
            ("1/0", ZeroDenominator),
            ("1/0e5", ZeroDenominator),
            ("1e20001", ExponentTooLarge),
            ("1e-99999999999999999999", ExponentTooLarge),
            (".", NotANumber),
            ("-", NotANumber),
            ("1e", NotANumber),
            ("1e1.5", NotANumber),
            ("1__0", NotANumber),
            ("_1", NotANumber),
            ("1_", NotANumber),
            ("--1", NotANumber),
            ("1/2/3", NotANumber),
            ("1,5", NotANumber),
            ("١", NotANumber),
            ("\u{2212}1", NotANumber),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_rational(text), Err(expected), "{text}");
        }
        assert_eq!(parse_rational(&"1".repeat(1_001)), Err(TooLong));
        assert!(parse_rational(&"1".repeat(1_000)).is_ok());
        assert!(parse_rational("1e20000/1e-20000").is_ok());
    }

    #[test]
    fn half_of_the_last_digit() {
        let cases = [
            ("7.4", Some(rational(1, 20))),
            ("7.40", Some(rational(1, 200))),
            ("1e-5", Some(rational(1, 200_000))),
            ("8", Some(rational(1, 2))),
            ("1.5e3", Some(rational(50, 1))),
            ("1/3", None),
            ("x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(half_last_digit(text), expected, "{text}");
        }
    }

    #[test]
    fn size_is_an_upper_bound_on_the_bits() {
        for text in ["123456789", "1e-300", "1e20000", "0.001/7", "1e5/1e-5"] {
            let value = parse_rational(text).unwrap();
            let bits = u64::from(value.numer().significant_bits())
                + u64::from(value.denom().significant_bits());
            // One extra bit per side for the digit 1 that every power has.
            assert!(bits <= size_in_bits(text) + 2, "{text}");
        }
        assert_eq!(size_in_bits("words"), 0);
    }

    #[test]
    fn machine_integers() {
        assert_eq!(to_u64(&rational(7, 1)), Some(7));
        assert_eq!(to_u64(&rational(7, 2)), None);
        assert_eq!(to_u64(&rational(-7, 1)), None);
        assert_eq!(to_u64(&parse_rational("1e30").unwrap()), None);
    }

    quickcheck::quickcheck! {
        fn fractions_round_trip(numerator: i64, denominator: u32) -> bool {
            let denominator = i64::from(denominator) + 1;
            parse_rational(&format!("{numerator}/{denominator}")) == Ok(rational(numerator, denominator))
        }

        fn decimals_round_trip(digits: i64, exponent: i8) -> bool {
            let expected = Rational::from(digits) * power_of_ten(i32::from(exponent)).unwrap();
            parse_rational(&format!("{digits}e{exponent}")) == Ok(expected)
        }

        fn arbitrary_text_never_panics(text: String) -> bool {
            let _ = (parse_rational(&text), half_last_digit(&text), size_in_bits(&text));
            true
        }
    }
}
