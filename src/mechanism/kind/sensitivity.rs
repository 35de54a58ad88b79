//! How far a query moves when a record changes: stated for the query, or by the most that one record contributes.

use rug::Rational;

use super::Parameter;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::number::short;

/// The sensitivity of a query, or the record bound (clip norm) that it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sensitivity<T = Rational> {
    /// How far the query moves when a record is added or removed.
    OfQuery(T),
    /// The most that one record contributes to a sum: c where it is added, removed or zeroed, 2c where it is replaced by another.
    RecordBound(T),
}

impl<T> Sensitivity<T> {
    /// Its key in a file.
    pub fn key(&self) -> &'static str {
        match self {
            Self::OfQuery(_) => "sensitivity",
            Self::RecordBound(_) => "record-bound",
        }
    }

    /// The number stated.
    pub fn stated(&self) -> &T {
        match self {
            Self::OfQuery(number) | Self::RecordBound(number) => number,
        }
    }

    /// How many times the number stated the query moves.
    ///
    /// # Errors
    /// If only the sensitivity of a query to presence is known, and records are replaced.
    pub(super) fn multiple(&self, relation: Relation) -> Result<u32, OutOfRange> {
        match (self, relation) {
            (_, Relation::Presence | Relation::ReplaceSpecial) => Ok(1),
            (Self::RecordBound(_), Relation::ReplaceOne) => Ok(2),
            (Self::OfQuery(_), Relation::ReplaceOne) => Err(OutOfRange::sentence(
                "adjacency",
                "how far the query moves when a record is replaced does not follow from its `sensitivity`",
            )
            .help("state `record-bound`, the most that one record contributes (the clip norm), instead of `sensitivity`")),
        }
    }
}

impl Sensitivity {
    /// Above 0.
    ///
    /// # Errors
    /// If the number is out of its range.
    pub(super) fn checked(self) -> Result<Self, OutOfRange> {
        Domain::Positive.hold(self.key(), self.stated())?;
        Ok(self)
    }

    /// How far the query moves.
    ///
    /// # Errors
    /// If it does not follow from what is stated.
    pub fn under(&self, relation: Relation) -> Result<Rational, OutOfRange> {
        Ok(Rational::from(self.stated() * self.multiple(relation)?))
    }

    pub(super) fn entry(&self) -> (&'static str, Parameter<'_>) {
        (self.key(), Parameter::Number(self.stated()))
    }

    /// ", sensitivity 2"; nothing for 1.
    pub(super) fn words(&self) -> String {
        match self {
            Self::OfQuery(number) | Self::RecordBound(number) if *number == 1 => String::new(),
            Self::OfQuery(number) => format!(", sensitivity {}", short(number)),
            Self::RecordBound(number) => format!(", record bound {}", short(number)),
        }
    }
}

impl Sensitivity<u64> {
    /// At least 1.
    ///
    /// # Errors
    /// If the number is out of its range.
    pub(super) fn checked(self) -> Result<Self, OutOfRange> {
        at_least(self.key(), 1, *self.stated())?;
        Ok(self)
    }

    /// How far the query moves.
    ///
    /// # Errors
    /// If it does not follow from what is stated, or passes 2^64.
    pub fn under(&self, relation: Relation) -> Result<u64, OutOfRange> {
        let multiple = u64::from(self.multiple(relation)?);
        self.stated().checked_mul(multiple).ok_or_else(|| {
            OutOfRange::new(self.key(), "is too large: twice as much must be below 2^64")
        })
    }

    pub(super) fn entry(&self) -> (&'static str, Parameter<'_>) {
        (self.key(), Parameter::Whole(*self.stated()))
    }

    /// As for real noise.
    pub(super) fn words(&self) -> String {
        match self {
            Self::OfQuery(number) => Sensitivity::OfQuery(Rational::from(*number)),
            Self::RecordBound(number) => Sensitivity::RecordBound(Rational::from(*number)),
        }
        .words()
    }
}

/// A number without further words is the sensitivity of a query.
impl<T> From<T> for Sensitivity<T> {
    fn from(sensitivity: T) -> Self {
        Self::OfQuery(sensitivity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_record_moves_a_sum_twice_as_far() {
        let bound = Sensitivity::RecordBound(Rational::from((3, 2)));
        let half = Rational::from((3, 2));
        assert_eq!(bound.under(Relation::Presence).unwrap(), half);
        assert_eq!(bound.under(Relation::ReplaceSpecial).unwrap(), half);
        assert_eq!(bound.under(Relation::ReplaceOne).unwrap(), 3);
        let query = Sensitivity::OfQuery(7u64);
        assert_eq!(query.under(Relation::ReplaceSpecial).unwrap(), 7);
        assert!(query.under(Relation::ReplaceOne).is_err());
        assert!(
            Sensitivity::RecordBound(u64::MAX)
                .under(Relation::ReplaceOne)
                .is_err()
        );
    }
}
