//! The ranges of parameters, each with its wording.

use rug::{Integer, Rational};

/// The set a number must lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Every real number.
    Real,
    /// ≥ 0.
    NonNegative,
    /// > 0.
    Positive,
    /// > 1.
    AboveOne,
    /// [0, 1].
    Unit,
    /// (0, 1].
    Rate,
    /// [0, 1/2).
    Tolerance,
    /// (0, 1/2).
    ErrorFloor,
}

impl Domain {
    pub fn contains(self, value: &Rational) -> bool {
        // value < 1/2 without building a fraction.
        let below_half = || Integer::from(value.numer() * 2u32) < *value.denom();
        match self {
            Domain::Real => true,
            Domain::NonNegative => *value >= 0,
            Domain::Positive => *value > 0,
            Domain::AboveOne => *value > 1,
            Domain::Unit => *value >= 0 && *value <= 1,
            Domain::Rate => *value > 0 && *value <= 1,
            Domain::Tolerance => *value >= 0 && below_half(),
            Domain::ErrorFloor => *value > 0 && below_half(),
        }
    }

    /// "must be …".
    pub fn wording(self) -> &'static str {
        match self {
            Domain::Real => "a real number",
            Domain::NonNegative => "at least 0",
            Domain::Positive => "greater than 0",
            Domain::AboveOne => "greater than 1",
            Domain::Unit => "in [0, 1]",
            Domain::Rate => "in (0, 1]",
            Domain::Tolerance => "in [0, 1/2)",
            Domain::ErrorFloor => "in (0, 1/2)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    #[test]
    fn boundaries() {
        let cases = [
            (Domain::Real, "-1e9", true),
            (Domain::NonNegative, "0", true),
            (Domain::NonNegative, "-1e-9", false),
            (Domain::Positive, "0", false),
            (Domain::Positive, "1e-9", true),
            (Domain::AboveOne, "1", false),
            (Domain::AboveOne, "1.001", true),
            (Domain::Unit, "0", true),
            (Domain::Unit, "1", true),
            (Domain::Unit, "1.001", false),
            (Domain::Unit, "-0.001", false),
            (Domain::Rate, "0", false),
            (Domain::Rate, "1", true),
            (Domain::Rate, "1.001", false),
            (Domain::Tolerance, "0", true),
            (Domain::Tolerance, "0.499", true),
            (Domain::Tolerance, "0.5", false),
            (Domain::ErrorFloor, "0", false),
            (Domain::ErrorFloor, "1e-300", true),
            (Domain::ErrorFloor, "1/2", false),
        ];
        for (domain, text, expected) in cases {
            assert_eq!(
                domain.contains(&parse_rational(text).unwrap()),
                expected,
                "{domain:?} {text}"
            );
        }
    }
}
