//! A number between two bounds.

use std::fmt;

use rug::{Float, Rational};

use super::Error;
use crate::analysis::{Answer, Ending, Method};
use crate::bounds::{self, Target};
use crate::number::{Exact, float_down, float_up};

/// Bounds that provably contain a number, and how they were found.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Mechanism};
///
/// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
/// let advantage = laplace.advantage()?;
/// // 1 − e^{−1/2} = 0.393469340287366576396…
/// assert!(advantage.lower() < advantage.upper() && advantage.is_as_narrow_as_asked());
/// assert_eq!(advantage.to_string(), "[0.39346934028736657, 0.39346934028736658]");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Enclosure {
    enclosure: bounds::Enclosure,
    certified_by: String,
    is_attained: bool,
    is_as_asked: bool,
}

/// Digits of the bounds when an enclosure is printed.
const DIGITS: usize = 17;

impl Enclosure {
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            enclosure: answer.enclosure.clone(),
            certified_by: match &answer.method {
                Method::ClosedForm => "a closed form".to_owned(),
                Method::Theorem(words) => words.clone(),
                Method::Laws { cells, .. } => {
                    format!("discretised privacy loss distributions of at most {cells} cells")
                }
            },
            is_attained: answer.ending != Ending::DoesNotFollow,
            is_as_asked: answer.ending == Ending::Reached,
        }
    }

    pub(super) fn bare(enclosure: &bounds::Enclosure, certified_by: &str) -> Self {
        Self {
            enclosure: enclosure.clone(),
            certified_by: certified_by.to_owned(),
            is_attained: true,
            is_as_asked: true,
        }
    }

    /// What is known where a question stayed open; `is_attained` as [`Self::is_determined`] says.
    pub(super) fn open(enclosure: &bounds::Enclosure, is_attained: bool) -> Self {
        Self {
            is_attained,
            is_as_asked: false,
            ..Self::bare(enclosure, "what was known when the verdict was given")
        }
    }

    /// The number is at least this; −∞ where nothing better is known.
    pub fn lower(&self) -> &Float {
        self.enclosure.lower()
    }

    /// The number is at most this; +∞ where nothing better is known, or where that is the number.
    pub fn upper(&self) -> &Float {
        self.enclosure.upper()
    }

    /// The number itself, where it is known exactly.
    pub fn exact(&self) -> Option<&Rational> {
        self.enclosure.exact()
    }

    /// What proves the bounds, in words.
    pub fn certified_by(&self) -> &str {
        &self.certified_by
    }

    /// Is the enclosure as narrow as was asked for? Otherwise the time ended, or nothing narrows it further.
    pub fn is_as_narrow_as_asked(&self) -> bool {
        self.is_as_asked
    }

    /// Does what is stated about the mechanism determine the number? Where not, more time narrows nothing.
    pub fn is_determined(&self) -> bool {
        self.is_attained
    }
}

/// The bounds as decimals, rounded outwards.
impl fmt::Display for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let low = float_down(self.lower(), DIGITS);
        let high = float_up(self.upper(), DIGITS);
        write!(f, "[{low}, {high}]")
    }
}

/// How narrow an enclosure is to be.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Mechanism, Precision, Query};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(2, 1)?).prepare()?;
/// let delta = gaussian.bound(&Query::delta(1)?, Precision::relative("1e-30")?)?;
/// assert!(delta.upper().to_f64() - delta.lower().to_f64() <= 1e-31);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precision(pub(super) Option<Target>);

impl Precision {
    /// 1e-4 relatively, and far narrower where there is a closed form.
    pub fn usual() -> Self {
        Self(None)
    }

    /// This fraction of max(|number|, 1e-12), above 0.
    ///
    /// # Errors
    /// If it is no number above 0.
    pub fn relative(width: impl Exact) -> Result<Self, Error> {
        Ok(Self(Some(Target::Relative(positive(width)?))))
    }

    /// This width, above 0.
    ///
    /// # Errors
    /// If it is no number above 0.
    pub fn absolute(width: impl Exact) -> Result<Self, Error> {
        Ok(Self(Some(Target::Absolute(positive(width)?))))
    }
}

fn positive(width: impl Exact) -> Result<Rational, Error> {
    let width = width.exact()?;
    if width > 0 {
        Ok(width)
    } else {
        Err(Error::bad_input("a width must be greater than 0"))
    }
}
