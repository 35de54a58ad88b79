//! Batches of a fixed size, drawn without replacement.

use rug::Rational;

use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::{Answers, ClosedPair, FixedBatches, Replaced};
use crate::mechanism::domain::{OutOfRange, Why, at_least};
use crate::mechanism::shifted::Noise;
use crate::mechanism::step::Step;
use crate::mechanism::steps::{Conditions, Steps, is_twice_as_far, noise_of};

/// In each step `batch-size` of the `dataset-size` records, all choices with the same probability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutReplacement {
    dataset_size: u64,
    batch_size: u64,
    rate: Rational,
}

impl WithoutReplacement {
    /// Requires 1 ≤ `batch_size` ≤ `dataset_size`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(dataset_size: u64, batch_size: u64) -> Result<Self, OutOfRange> {
        at_least("batch-size", 1, batch_size)?;
        if batch_size > dataset_size {
            let message = "`batch-size` must be at most `dataset-size`";
            return Err(OutOfRange::sentence("batch-size", message));
        }
        Ok(Self {
            dataset_size,
            batch_size,
            rate: Rational::from((batch_size, dataset_size)),
        })
    }

    /// Records in all.
    pub fn dataset_size(&self) -> u64 {
        self.dataset_size
    }

    /// Records of a batch.
    pub fn batch_size(&self) -> u64 {
        self.batch_size
    }

    /// Probability that a record is in a batch.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// The normal form, where one record is replaced.
    ///
    /// Requires: `of` are the steps on a batch under the relation, `present` those under presence; `answers` are one where they are one query.
    ///
    /// # Errors
    /// If it is anything but noise on a sum, or no record is replaced.
    pub(crate) fn steps(
        &self,
        relation: Relation,
        of: &Steps,
        present: &Steps,
        answers: Answers,
    ) -> Result<Steps, OutOfRange> {
        let conditions = Conditions {
            fixed_batches: true,
            ..of.conditions()
        };
        if self.rate == 1 {
            return Ok(of.clone().with_conditions(conditions));
        }
        let (apart, one) = (of.with_one_gaussian(), present.with_one_gaussian());
        let (Some(step), Some(noise)) = (apart.single(), one.single().and_then(noise_of)) else {
            return Err(no_sum());
        };
        let replaced = match relation {
            Relation::Presence => return Err(no_presence()),
            Relation::ReplaceOne if is_twice_as_far(step, &noise) => Replaced::ByAny,
            Relation::ReplaceOne => return Err(no_sum()),
            Relation::ReplaceSpecial if matches!(noise, Noise::Gaussian { .. }) => {
                Replaced::BySpecial
            }
            Relation::ReplaceSpecial => return Err(no_special()),
        };
        let pair = FixedBatches::new(self.rate.clone(), noise, apart.clone(), replaced, answers);
        Ok(Steps::one(Step::Closed(ClosedPair::from(pair)), conditions))
    }
}

fn no_sum() -> OutOfRange {
    let message = "what a batch drawn without replacement reveals is built for noise on a sum of records only";
    OutOfRange::sentence("of", message)
        .because(Why::Unsupported)
        .help("state the noise with `record-bound`")
}

/// Where a record is added or removed the number of records changes, and with it how the batch is drawn.
pub(crate) fn no_presence() -> OutOfRange {
    let message = "batches of a fixed size drawn without replacement have no guarantee here where a record is added or removed: the number of records would change";
    OutOfRange::sentence("sampling", message)
        .because(Why::Unsupported)
        .help("add `adjacency = \"replace-one\"`, or \"replace-special\" where a record leaves its place empty")
}

fn no_special() -> OutOfRange {
    let message = "a batch drawn without replacement, where one record may contribute nothing, is built for Gaussian noise only";
    OutOfRange::sentence("of", message)
        .because(Why::Unsupported)
        .help("with `adjacency = \"replace-one\"` other noise is built, too")
}
