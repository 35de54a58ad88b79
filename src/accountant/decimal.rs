//! Decimals of few digits: the parameters of cases, exact as text, and simpler ones beside them.

use std::fmt;

use rug::Rational;

use crate::number::parse_rational;

/// digits · 10^exponent, without trailing zeros in `digits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i64,
    exponent: i32,
}

impl Decimal {
    /// 0.
    pub const ZERO: Self = Self {
        digits: 0,
        exponent: 0,
    };
    /// 1.
    pub const ONE: Self = Self {
        digits: 1,
        exponent: 0,
    };

    /// digits · 10^exponent.
    pub fn new(digits: i64, exponent: i32) -> Self {
        if digits == 0 {
            return Self::ZERO;
        }
        let (mut digits, mut exponent) = (digits, exponent);
        while digits % 10 == 0 {
            digits /= 10;
            exponent = exponent.saturating_add(1);
        }
        Self { digits, exponent }
    }

    /// The decimal of `count` significant digits nearest to a finite number; 0 for one that is not.
    pub fn near(value: f64, count: usize) -> Self {
        let text = format!("{value:.*e}", count.clamp(1, 17).saturating_sub(1));
        Self::read(&text).unwrap_or(Self::ZERO)
    }

    /// A decimal with at most 18 digits.
    pub fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let shift = i32::try_from(fraction.len()).ok()?;
        Some(Self::new(digits, exponent.checked_sub(shift)?))
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent)
            .parse()
            .unwrap_or(0.0)
    }

    /// The number itself.
    pub fn exactly(self) -> Rational {
        parse_rational(&self.to_string()).unwrap_or_default()
    }

    /// 1 − self; `None` where that takes too many digits.
    pub fn complement(self) -> Option<Self> {
        let places = self.exponent.min(0).unsigned_abs();
        let one = 10i64.checked_pow(places)?;
        let up = 10i64.checked_pow(u32::try_from(self.exponent.max(0)).ok()?)?;
        let digits = one.checked_sub(self.digits.checked_mul(up)?)?;
        Some(Self::new(digits, self.exponent.min(0)))
    }

    /// How far it is from being a simple number: many digits and sizes far from 1 are not simple.
    pub fn cost(self) -> u32 {
        let length = self.length();
        let size = self.exponent.saturating_add(length).saturating_sub(1);
        let leading = u32::from(!matches!(self.digits, 0 | 1));
        let sign = u32::from(self.digits < 0);
        length
            .unsigned_abs()
            .saturating_mul(4)
            .saturating_add(size.unsigned_abs().min(400))
            .saturating_add(leading)
            .saturating_add(sign)
    }

    /// Simpler numbers, the simplest first: 1, powers of ten, fewer digits, sizes nearer to 1.
    pub fn simpler(self) -> Vec<Self> {
        let length = self.length();
        let size = self.exponent.saturating_add(length).saturating_sub(1);
        let mut found = vec![Self::ONE, Self::new(self.digits.signum(), 0), Self::ZERO];
        for exponent in [size / 2, size, size.saturating_add(1)] {
            found.push(Self::new(self.digits.signum(), exponent));
            found.push(Self::new(self.digits.signum().saturating_mul(5), exponent));
        }
        for kept in 1..length {
            let unit = 10i64.saturating_pow(length.saturating_sub(kept).unsigned_abs());
            let down = self.digits / unit;
            let exponent = self.exponent.saturating_add(length.saturating_sub(kept));
            found.push(Self::new(down, exponent));
            let up = down.saturating_add(self.digits.signum());
            found.push(Self::new(up, exponent));
        }
        if self.digits < 0 {
            found.push(Self::new(self.digits.saturating_neg(), self.exponent));
        }
        let cost = self.cost();
        found.retain(|simpler| simpler.cost() < cost);
        found.sort_by_key(|simpler| simpler.cost());
        found.dedup();
        found
    }

    fn length(self) -> i32 {
        let digits = self.digits.unsigned_abs().to_string().len();
        i32::try_from(digits).unwrap_or(i32::MAX)
    }
}

/// As a number of JSON and of TOML.
impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs().to_string();
        let length = self.length();
        let size = self.exponent.saturating_add(length).saturating_sub(1);
        if self.exponent >= 0 && size < 15 {
            let zeros = "0".repeat(usize::try_from(self.exponent).unwrap_or(0));
            return write!(out, "{sign}{digits}{zeros}");
        }
        if !(-5..15).contains(&size) {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
            let point = if rest.is_empty() { "" } else { "." };
            return write!(out, "{sign}{first}{point}{rest}e{size}");
        }
        if size < 0 {
            let zeros = size.unsigned_abs().saturating_sub(1);
            let zeros = "0".repeat(usize::try_from(zeros).unwrap_or(0));
            return write!(out, "{sign}0.{zeros}{digits}");
        }
        let whole = usize::try_from(size).unwrap_or(0).saturating_add(1);
        let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((&digits, "0"));
        write!(out, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for (digits, exponent, text) in [
            (15, -1, "1.5"),
            (-15, -3, "-0.015"),
            (1, -5, "0.00001"),
            (123, -8, "1.23e-6"),
            (1, -300, "1e-300"),
            (2500, 0, "2500"),
            (3, 12, "3000000000000"),
            (3, 20, "3e20"),
            (0, 7, "0"),
            (999_999, -6, "0.999999"),
        ] {
            let number = Decimal::new(digits, exponent);
            assert_eq!(number.to_string(), text);
            assert_eq!(Decimal::read(text), Some(number));
            let float: f64 = text.parse().unwrap();
            assert_eq!(number.to_f64(), float);
        }
        assert_eq!(Decimal::near(0.123_456, 3).to_string(), "0.123");
        assert_eq!(Decimal::near(f64::NAN, 3), Decimal::ZERO);
        assert_eq!(
            Decimal::new(25, -2).complement(),
            Some(Decimal::new(75, -2))
        );
        assert_eq!(Decimal::new(1, -30).complement(), None);
    }

    #[test]
    fn simpler_numbers_cost_less_and_end() {
        let mut number = Decimal::new(-123_457, -9);
        let mut steps = 0;
        while let Some(next) = number.simpler().last() {
            assert!(next.cost() < number.cost());
            number = *next;
            steps += 1;
            assert!(steps < 1000);
        }
        assert!(Decimal::ONE.simpler().iter().all(|n| *n == Decimal::ZERO));
    }
}
