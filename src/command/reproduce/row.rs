//! One number of a paper beside its enclosure.

use rug::Rational;

use crate::bounds::Enclosure;
use crate::number::{half_last_digit, parse_rational};

/// A number as a paper prints it.
#[derive(Debug, Clone, Copy)]
pub enum Printed {
    /// Rounded to the digits shown.
    Rounded(&'static str),
    /// The quantity is said to be at most this.
    AtMost(&'static str),
    /// Not printed: shown for its own sake.
    Nothing,
}

/// How a number fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Certainly what rounds to the number printed; or certainly at most it.
    Agrees,
    /// Certainly not.
    Refuted,
    /// The enclosure is too wide to tell.
    Undecided,
    /// Nothing to compare with.
    Shown,
}

/// One line of a reproduction.
pub struct Row {
    /// What it is about.
    pub what: String,
    /// The paper's number.
    pub printed: Printed,
    /// What is true.
    pub found: Enclosure,
    /// A remark.
    pub note: String,
    /// Where it is on a figure.
    pub spot: Option<Spot>,
}

/// A place on a figure of a paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Its axes.
    pub axes: (&'static str, &'static str),
    /// Which of its curves.
    pub curve: String,
    /// Where along the first axis, a decimal.
    pub x: &'static str,
}

impl Row {
    pub fn new(what: impl Into<String>, printed: Printed, found: Enclosure) -> Self {
        Self {
            what: what.into(),
            printed,
            found,
            note: String::new(),
            spot: None,
        }
    }

    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    pub fn at(
        mut self,
        axes: (&'static str, &'static str),
        curve: String,
        x: &'static str,
    ) -> Self {
        self.spot = Some(Spot { axes, curve, x });
        self
    }

    pub fn agreement(&self) -> Agreement {
        let (lower, upper) = (self.found.lower(), self.found.upper());
        let (low, high) = match self.printed {
            Printed::Nothing => return Agreement::Shown,
            Printed::AtMost(text) => match parse_rational(text) {
                Ok(most) => (None, most),
                Err(_) => return Agreement::Undecided,
            },
            Printed::Rounded(text) => match (parse_rational(text), half_last_digit(text)) {
                (Ok(value), Some(half)) => (Some(Rational::from(&value - &half)), value + half),
                _ => return Agreement::Undecided,
            },
        };
        let is_above = |bound: &Rational| *lower > *bound;
        let is_below = |bound: &Rational| *upper < *bound;
        if is_above(&high) || low.as_ref().is_some_and(is_below) {
            Agreement::Refuted
        } else if *upper <= high && low.is_none_or(|low| *lower >= low) {
            Agreement::Agrees
        } else {
            Agreement::Undecided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Float;

    fn fares(printed: Printed, low: f64, high: f64) -> Agreement {
        let float = |x| Float::with_val(64, x);
        Row::new(
            "",
            printed,
            Enclosure::new(float(low), float(high)).unwrap(),
        )
        .agreement()
    }

    #[test]
    fn numbers_fare_as_they_should() {
        let printed = Printed::Rounded("1.57");
        assert_eq!(fares(printed, 1.566, 1.567), Agreement::Agrees);
        assert_eq!(fares(printed, 1.57, 1.58), Agreement::Undecided);
        assert_eq!(fares(printed, 1.576, 1.58), Agreement::Refuted);
        assert_eq!(fares(printed, 1.5, 1.564), Agreement::Refuted);
        let most = Printed::AtMost("1e-3");
        assert_eq!(fares(most, 0.0, 1e-4), Agreement::Agrees);
        assert_eq!(fares(most, 0.0, 1e-2), Agreement::Undecided);
        assert_eq!(fares(most, 0.002, f64::INFINITY), Agreement::Refuted);
        assert_eq!(fares(Printed::Nothing, 0.0, 1.0), Agreement::Shown);
    }
}
