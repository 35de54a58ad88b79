//! Why there is no nearest true claim.

use std::fmt;

use rug::Float;

use crate::number::{float_down, float_up};

/// Digits of the ends of an enclosure in a sentence.
const ENOUGH_DIGITS: usize = 6;

/// Why no true claim of the same kind is known.
#[derive(Debug, Clone, PartialEq)]
pub enum NoNearest {
    /// It is true for no finite value of this number.
    NoFinite(&'static str),
    /// It is true for no value of this number below 1, and 1 says nothing.
    NoneBelowOne(&'static str),
    /// It is true for no value of this number above 0, and 0 says nothing.
    NoneAboveZero(&'static str),
    /// (ε, δ)-DP is true for no δ below 1, whatever ε.
    NoDeltaAtAnyEpsilon,
    /// The time ended first.
    OutOfTime,
    /// No refinement built into dpcmp gives the end that matters.
    Exhausted,
    /// The least is below 1 by less than can be printed.
    NearerToOneThanPrinted,
    /// What is stated about the mechanism does not determine it.
    DoesNotFollow,
    /// The value lies between these, and one of them says nothing.
    Between(Float, Float),
}

impl fmt::Display for NoNearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFinite(key) => write!(f, "no finite {key} is true"),
            Self::NoneBelowOne(key) => write!(f, "no {key} below 1 is true"),
            Self::NoneAboveZero(key) => write!(f, "no {key} above 0 is true"),
            Self::NoDeltaAtAnyEpsilon => f.write_str("no delta below 1 is true at any epsilon"),
            Self::OutOfTime => f.write_str("not found within the budget"),
            Self::Exhausted => {
                f.write_str("no such number is certain, and dpcmp cannot narrow it further")
            }
            Self::NearerToOneThanPrinted => {
                f.write_str("it is nearer to 1 than 400 digits can say")
            }
            Self::DoesNotFollow => f.write_str("no such number follows from what is known"),
            Self::Between(lower, upper) => write!(
                f,
                "no such number is certain: the value lies between {} and {}",
                float_down(lower, ENOUGH_DIGITS),
                float_up(upper, ENOUGH_DIGITS)
            ),
        }
    }
}
