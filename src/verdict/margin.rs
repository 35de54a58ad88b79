//! How far an enclosure is from the bound of a claim.

use rug::{Float, Rational};

use crate::kernel::directed as d;
use crate::number::{decimal_down, decimal_up, float_down, float_up};

/// A distance ≥ 0 by which a claim holds, or, as a number ≤ 0, by which it fails: certified, so never farther from 0 than the
/// true one, and exact where the quantity is.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    certified: Float,
    exact: Option<Rational>,
}

impl Margin {
    /// The difference of exact numbers.
    pub(super) fn exactly(value: Rational, bits: u32) -> Self {
        let certified = if value >= 0 {
            d::rational_down(&value, bits)
        } else {
            d::rational_up(&value, bits)
        };
        Self {
            certified,
            exact: Some(value),
        }
    }

    /// A bound of the distance.
    ///
    /// Requires: it is not farther from 0 than the true one, on the same side.
    pub(super) fn bounded(certified: Float) -> Self {
        Self {
            certified,
            exact: None,
        }
    }

    /// The distance, rounded towards 0.
    pub fn certified(&self) -> &Float {
        &self.certified
    }

    /// The distance itself, where it is known.
    pub fn exact(&self) -> Option<&Rational> {
        self.exact.as_ref()
    }

    /// In at most so many digits, rounded towards 0.
    pub fn towards_zero(&self, digits: usize) -> String {
        match &self.exact {
            Some(exact) if *exact < 0 => decimal_up(exact, digits),
            Some(exact) => decimal_down(exact, digits),
            None if self.certified < 0 => float_up(&self.certified, digits),
            None => float_down(&self.certified, digits),
        }
    }

    /// Its size in at most so many digits, rounded down.
    pub fn size_down(&self, digits: usize) -> String {
        match &self.exact {
            Some(exact) => decimal_down(&exact.clone().abs(), digits),
            None => float_down(&self.certified.clone().abs(), digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1/5 is no binary number: printed from one below it, it would be 0.199.
    #[test]
    fn exact_margins_are_printed_as_they_are() {
        let miss = Margin::exactly(Rational::from((-1, 5)), 192);
        assert_eq!(miss.towards_zero(3), "-0.2");
        assert_eq!(miss.size_down(3), "0.2");
        assert!(*miss.certified() > Rational::from((-1, 5)));
        let spare = Margin::exactly(Rational::from((1, 5)), 192);
        assert_eq!(spare.towards_zero(3), "0.2");
        assert!(*spare.certified() < Rational::from((1, 5)));
    }

    #[test]
    fn what_does_not_fit_is_rounded_towards_zero() {
        let third = Margin::exactly(Rational::from((-2, 3)), 192);
        assert_eq!(third.towards_zero(3), "-0.666");
        assert_eq!(third.size_down(3), "0.666");
        let bound = Margin::bounded(Float::with_val(64, -2) / 3u32);
        assert_eq!(bound.towards_zero(3), "-0.666");
        assert_eq!(bound.size_down(3), "0.666");
    }
}
