//! `group`: several records change together.

use super::{Describe, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{OutOfRange, at_least};
use crate::mechanism::steps::Steps;

/// A mechanism where so many records change together, as those of one user do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    records: u64,
    of: Mechanism,
}

impl Group {
    /// `records ≥ 1` of them.
    ///
    /// # Errors
    /// If a number is out of its range, or what a group reveals is not known for `of`.
    pub fn new(records: u64, of: Mechanism) -> Result<Self, OutOfRange> {
        let records = at_least("records", 1, records)?;
        Ok(Self { records, of })
    }

    /// How many records change.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The mechanism.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }
}

impl Describe for Group {
    fn words(&self) -> String {
        format!("{} records together in {}", self.records, self.of.words())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("records", Parameter::Whole(self.records)),
            ("of", Parameter::Mechanism(&self.of)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        self.of.under(relation)?.steps().of_group(self.records)
    }
}
