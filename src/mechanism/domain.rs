//! The ranges of parameters, each with its wording.

use std::fmt;

use rug::{Integer, Rational};

use crate::kernel::{Failure, InvariantViolation};
use crate::number::Exact;

/// The set a number must lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Every real number.
    Real,
    /// ≥ 0.
    NonNegative,
    /// > 0.
    Positive,
    /// ≥ 1.
    AtLeastOne,
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

/// A parameter that no mechanism, claim or query can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfRange {
    parameter: &'static str,
    why: Why,
    message: String,
    help: Option<&'static str>,
    index: Option<usize>,
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is out of its range.
    Range,
    /// No mechanism can be so.
    Infeasible,
    /// It would take too much time or memory.
    TooLarge,
    /// What follows from it is not computed yet, or not known.
    Unsupported,
}

impl OutOfRange {
    pub(crate) fn new(parameter: &'static str, must: &str) -> Self {
        Self::sentence(parameter, format!("`{parameter}` {must}"))
    }

    pub(crate) fn sentence(parameter: &'static str, message: impl Into<String>) -> Self {
        Self {
            parameter,
            why: Why::Range,
            message: message.into(),
            help: None,
            index: None,
        }
    }

    pub(crate) fn because(self, why: Why) -> Self {
        Self { why, ..self }
    }

    pub(crate) fn help(self, help: &'static str) -> Self {
        Self {
            help: Some(help),
            ..self
        }
    }

    pub(crate) fn at(self, index: usize) -> Self {
        Self {
            index: Some(index),
            ..self
        }
    }

    /// The parameter, by its key in a file.
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// What is wrong with it.
    pub fn why(&self) -> Why {
        self.why
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&'static str> {
        self.help
    }

    /// Which entry of a list it is, from 0.
    pub fn index(&self) -> Option<usize> {
        self.index
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OutOfRange {}

/// Numbers that dpcmp itself chose are in range.
impl From<OutOfRange> for InvariantViolation {
    fn from(error: OutOfRange) -> Self {
        Self(error.message)
    }
}

/// The number that a parameter stands for.
///
/// # Errors
/// If it stands for none.
pub(crate) fn exact(parameter: &'static str, value: impl Exact) -> Result<Rational, OutOfRange> {
    value
        .exact()
        .map_err(|error| OutOfRange::sentence(parameter, format!("`{parameter}`: {error}")))
}

impl From<OutOfRange> for Failure {
    fn from(error: OutOfRange) -> Self {
        Self::Invariant(error.into())
    }
}

/// A whole number from `least` on.
pub(crate) fn at_least(parameter: &'static str, least: u64, value: u64) -> Result<u64, OutOfRange> {
    if value >= least {
        Ok(value)
    } else {
        Err(OutOfRange::new(
            parameter,
            &format!("must be at least {least}"),
        ))
    }
}

impl Domain {
    /// The value, if it lies in the range.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(self, parameter: &'static str, value: Rational) -> Result<Rational, OutOfRange> {
        self.hold(parameter, &value)?;
        Ok(value)
    }

    /// Checks that the value lies in the range.
    ///
    /// # Errors
    /// If it does not.
    pub fn hold(self, parameter: &'static str, value: &Rational) -> Result<(), OutOfRange> {
        if self.contains(value) {
            Ok(())
        } else {
            let must = format!("must be {}", self.wording());
            Err(OutOfRange::new(parameter, &must))
        }
    }

    /// Does it contain the value?
    pub fn contains(self, value: &Rational) -> bool {
        // value < 1/2 without building a fraction.
        let below_half = || Integer::from(value.numer() * 2u32) < *value.denom();
        match self {
            Domain::Real => true,
            Domain::NonNegative => *value >= 0,
            Domain::Positive => *value > 0,
            Domain::AtLeastOne => *value >= 1,
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
            Domain::AtLeastOne => "at least 1",
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
            (Domain::AtLeastOne, "1", true),
            (Domain::AtLeastOne, "0.999", false),
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
