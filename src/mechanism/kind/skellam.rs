//! `skellam`: the difference of two Poisson variables as noise on the integers.

use rug::Rational;

use super::sensitivity::Sensitivity;
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::skellam_vectors;
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// The difference of two Poisson variables with the same mean (Agarwal, Kairouz and Liu 2021, arXiv 2110.04995), on a whole number or on every
/// coordinate of a vector of whole numbers.
///
/// Under secure aggregation the sum of such noise of several parties is such noise again, and the means add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skellam {
    mean: Rational,
    change: SkellamChange,
}

/// What the noise is added to, and how far it moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkellamChange {
    /// One whole number.
    Count(Sensitivity<u64>),
    /// A vector, by its Euclidean length.
    Vector(Sensitivity),
}

impl SkellamChange {
    /// The key in a file.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Count(sensitivity) => sensitivity.key(),
            Self::Vector(length) => key_of(length),
        }
    }
}

impl Skellam {
    /// Noise on a whole number: `mean > 0` of each of the two, whole `sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        mean: Rational,
        sensitivity: impl Into<Sensitivity<u64>>,
    ) -> Result<Self, OutOfRange> {
        Ok(Self {
            mean: Domain::Positive.check("mean", mean)?,
            change: SkellamChange::Count(sensitivity.into().checked()?),
        })
    }

    /// Noise on every coordinate of a vector of whole numbers, which changes by at most this Euclidean length, 1 or more.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn of_vectors(mean: Rational, length: impl Into<Sensitivity>) -> Result<Self, OutOfRange> {
        let length = length.into();
        Domain::AtLeastOne.hold(key_of(&length), length.stated())?;
        Ok(Self {
            mean: Domain::Positive.check("mean", mean)?,
            change: SkellamChange::Vector(length),
        })
    }

    /// Mean of each of the two: half the variance of the noise.
    pub fn mean(&self) -> &Rational {
        &self.mean
    }

    /// What the noise is added to, and how far it moves.
    pub fn change(&self) -> &SkellamChange {
        &self.change
    }

    /// The steps where so many records change together.
    pub(super) fn of_records(&self, records: u64, relation: Relation) -> Result<Steps, OutOfRange> {
        match &self.change {
            SkellamChange::Count(sensitivity) => {
                let distance = sensitivity.under(relation)?;
                let one = Step::skellam(&self.mean, distance);
                Steps::one(one, Conditions::NONE).of_group(records)
            }
            SkellamChange::Vector(length) => {
                let vectors = vectors(length, relation)?.checked_mul(records);
                let vectors = vectors.ok_or_else(|| OutOfRange::new("records", "are too many"))?;
                skellam_vectors::steps(key_of(length), &self.mean, length.stated(), vectors)
            }
        }
    }
}

/// How many vectors of that length make up what one record changes.
fn vectors(length: &Sensitivity, relation: Relation) -> Result<u64, OutOfRange> {
    match (length, relation) {
        (Sensitivity::OfQuery(_), Relation::ReplaceOne) => Err(OutOfRange::sentence(
            "adjacency",
            "how far the vector moves when a record is replaced does not follow from its `l2-sensitivity`",
        )
        .help("state `l2-record-bound`, the length of the longest vector of a record, instead of `l2-sensitivity`")),
        _ => length.multiple(relation).map(u64::from),
    }
}

/// The key of a length in a file.
fn key_of(length: &Sensitivity) -> &'static str {
    match length {
        Sensitivity::OfQuery(_) => "l2-sensitivity",
        Sensitivity::RecordBound(_) => "l2-record-bound",
    }
}

impl Describe for Skellam {
    fn words(&self) -> String {
        let change = match &self.change {
            SkellamChange::Count(sensitivity) => sensitivity.words(),
            SkellamChange::Vector(Sensitivity::OfQuery(length)) => {
                format!(", on vectors, L2 sensitivity {}", short(length))
            }
            SkellamChange::Vector(Sensitivity::RecordBound(length)) => {
                format!(", on vectors, L2 record bound {}", short(length))
            }
        };
        format!("Skellam noise, Poisson mean {}{change}", short(&self.mean))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let change = match &self.change {
            SkellamChange::Count(sensitivity) => sensitivity.entry(),
            SkellamChange::Vector(length) => (key_of(length), Parameter::Number(length.stated())),
        };
        vec![("mean", Parameter::Number(&self.mean)), change]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        self.of_records(1, relation)
    }
}
