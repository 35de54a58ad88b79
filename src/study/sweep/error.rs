//! Why there are no values to sweep over.

use super::grid::MAX_POINTS;
use crate::input::InputError;
use crate::number::NumberError;

/// What is wrong with the values of one parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxisError {
    /// It is not `KEY=VALUES`.
    #[error("a sweep looks like KEY=VALUES, for instance steps=100,1000")]
    NoValues,
    /// It begins with `=`.
    #[error("there is no KEY before `=`")]
    NoKey,
    /// A list has a gap.
    #[error("an item of the list is empty")]
    EmptyItem,
    /// A value is no number.
    #[error("`{text}`: {error}")]
    Number {
        /// As it is written.
        text: String,
        /// Why not.
        error: NumberError,
    },
    /// A range is none.
    #[error("a range looks like A..B or A..B:N, with logarithmic steps, or A..B:N:linear")]
    NoRange,
    /// A logarithmic range has an end that is not above 0.
    #[error(
        "a logarithmic range lies above 0; for even steps write {first}..{last}:{count}:linear"
    )]
    NotAboveZero {
        /// One end, as it is written.
        first: String,
        /// The other.
        last: String,
        /// Number of points.
        count: usize,
    },
    /// The number of points of a range is none.
    #[error("the number of points must be from 2 to {most}, not `{text}`")]
    Count {
        /// The most there may be.
        most: usize,
        /// As it is written.
        text: String,
    },
    /// Whole numbers that are too large.
    #[error("a range of whole numbers lies within 64 bits")]
    TooLarge,
}

/// Why a sweep cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// The mechanism has no such parameters.
    #[error("{0}")]
    Input(InputError),
    /// The values of a parameter are none.
    #[error("{key}: {why}")]
    Values {
        /// The parameter.
        key: String,
        /// What is wrong.
        why: AxisError,
    },
    /// A parameter comes twice.
    #[error("`{0}` is swept twice")]
    Twice(String),
    /// There are too many combinations.
    #[error("a sweep has at most {MAX_POINTS} points")]
    TooMany,
}
