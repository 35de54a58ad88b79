//! `subsampled`: a mechanism on a random batch of the records.

use rug::Rational;

use super::{Describe, Kind, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::batches::{TruncatedPoisson, WithoutReplacement, no_presence};
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::steps::Steps;
use crate::number::short;

/// A mechanism on a random batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsampled {
    sampling: Sampling,
    of: Mechanism,
}

/// How a batch is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sampling {
    /// Each record takes part with this probability, independently.
    Poisson(Rational),
    /// The same, and no batch is larger than a largest size.
    TruncatedPoisson(TruncatedPoisson),
    /// So many records, all choices with the same probability.
    WithoutReplacement(WithoutReplacement),
}

impl Subsampled {
    /// `of` on a Poisson sample of `rate` in (0, 1].
    ///
    /// # Errors
    /// If the rate is out of its range.
    pub fn new(rate: Rational, of: Mechanism) -> Result<Self, OutOfRange> {
        let sampling = Sampling::Poisson(Domain::Rate.check("rate", rate)?);
        Ok(Self { sampling, of })
    }

    /// `of` on a Poisson sample of `rate` in (0, 1] among `dataset_size` records (of the larger dataset), cut down to a uniform choice of `max_batch` records.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn truncated(
        rate: Rational,
        dataset_size: u64,
        max_batch: u64,
        of: Mechanism,
    ) -> Result<Self, OutOfRange> {
        let truncated = TruncatedPoisson::new(rate, dataset_size, max_batch)?;
        let sampling = Sampling::TruncatedPoisson(truncated);
        Ok(Self { sampling, of })
    }

    /// `of` on `batch_size` of `dataset_size` records, drawn without replacement.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn without_replacement(
        dataset_size: u64,
        batch_size: u64,
        of: Mechanism,
    ) -> Result<Self, OutOfRange> {
        let batches = WithoutReplacement::new(dataset_size, batch_size)?;
        let sampling = Sampling::WithoutReplacement(batches);
        Ok(Self { sampling, of })
    }

    /// How the batch is drawn.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Probability that a record is drawn.
    pub fn rate(&self) -> &Rational {
        match &self.sampling {
            Sampling::Poisson(rate) => rate,
            Sampling::TruncatedPoisson(truncated) => truncated.rate(),
            Sampling::WithoutReplacement(batches) => batches.rate(),
        }
    }

    /// The mechanism that runs on the sample.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }
}

impl Subsampled {
    fn of_fixed_batches(
        &self,
        batches: &WithoutReplacement,
        relation: Relation,
    ) -> Result<Steps, OutOfRange> {
        let of = self.of.under(relation)?;
        let present = self.of.under(Relation::Presence)?;
        batches.steps(relation, of.steps(), present.steps())
    }

    /// `of` is what runs on a Poisson sample, under replacement.
    fn replaced(&self, rate: &Rational, of: &Mechanism) -> Result<Steps, OutOfRange> {
        match self.of.kind() {
            // A record takes part in all stages or not.
            Kind::Subsampled(inner) => {
                let rate = Rational::from(rate * inner.rate());
                Self::new(rate, inner.of.clone())?.steps(Relation::ReplaceOne)
            }
            // Which part runs does not depend on the sample.
            Kind::Mixture(mixture) => {
                let parts = mixture.of().iter().map(|(weight, part)| {
                    let sampled = Self::new(rate.clone(), part.clone())?;
                    Ok((weight.clone(), sampled.steps(Relation::ReplaceOne)?))
                });
                Ok(Steps::labelled(parts.collect::<Result<_, OutOfRange>>()?))
            }
            kind => {
                let present = self.of.under(Relation::Presence)?;
                let present = present.steps();
                Ok(match kind {
                    Kind::Histogram(_) if *rate != 1 => {
                        of.steps().histogram_sampled_replaced(rate, present)
                    }
                    _ => of.steps().sampled_replaced(rate, present),
                })
            }
        }
    }
}

impl Describe for Subsampled {
    fn words(&self) -> String {
        let sample = format!(
            "{}, Poisson-sampled at q = {}",
            self.of.words(),
            short(self.rate())
        );
        match &self.sampling {
            Sampling::Poisson(_) => sample,
            Sampling::TruncatedPoisson(truncated) => format!(
                "{sample} of {} records, at most {} in a batch",
                truncated.dataset_size(),
                truncated.max_batch()
            ),
            Sampling::WithoutReplacement(batches) => format!(
                "{}, on {} of {} records drawn without replacement",
                self.of.words(),
                batches.batch_size(),
                batches.dataset_size()
            ),
        }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut all = match &self.sampling {
            Sampling::WithoutReplacement(_) => Vec::new(),
            Sampling::Poisson(_) | Sampling::TruncatedPoisson(_) => {
                vec![("rate", Parameter::Number(self.rate()))]
            }
        };
        match &self.sampling {
            Sampling::Poisson(_) => {}
            Sampling::WithoutReplacement(batches) => all.extend([
                ("sampling", Parameter::Word("without-replacement")),
                ("dataset-size", Parameter::Whole(batches.dataset_size())),
                ("batch-size", Parameter::Whole(batches.batch_size())),
            ]),
            Sampling::TruncatedPoisson(truncated) => all.extend([
                ("sampling", Parameter::Word("truncated-poisson")),
                ("dataset-size", Parameter::Whole(truncated.dataset_size())),
                ("max-batch", Parameter::Whole(truncated.max_batch())),
            ]),
        }
        all.push(("of", Parameter::Mechanism(&self.of)));
        all
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        if let (Sampling::WithoutReplacement(batches), Relation::Presence) =
            (&self.sampling, relation)
        {
            // What is wrong with the mechanism itself comes first.
            self.of_fixed_batches(batches, Relation::ReplaceOne)
                .or_else(|error| {
                    self.of_fixed_batches(batches, Relation::ReplaceSpecial)
                        .map_err(|_| error)
                })?;
            return Err(no_presence());
        }
        let of = self.of.under(relation)?;
        if of.steps().has_new_keys() {
            let message = "what a Poisson sample of released keys reveals is not known exactly, as the other records are sampled too";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        if of.steps().conditions().shuffled_reports && *self.rate() != 1 {
            let message = "what a sample of users who report through a shuffler reveals is not built: everybody can count the reports, and so how many users were drawn";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        if of.steps().conditions().truncated_batches || of.steps().conditions().fixed_batches {
            let message = "a sample of batches of a fixed or largest size is not built: how many records there are is then random";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        match (&self.sampling, relation) {
            (Sampling::Poisson(rate), Relation::Presence | Relation::ReplaceSpecial) => {
                Ok(of.steps().sampled(rate))
            }
            (Sampling::Poisson(rate), Relation::ReplaceOne) => self.replaced(rate, &of),
            (Sampling::TruncatedPoisson(truncated), _) => {
                let present = self.of.under(Relation::Presence)?;
                // One answer, whose sum is all that depends on the records: no composition of several on the same batch.
                let sum = if let (Relation::Presence, Kind::Gaussian(gaussian)) =
                    (relation, self.of.kind())
                {
                    gaussian.of_sum()
                } else {
                    None
                };
                truncated.steps(relation, of.steps(), present.steps(), sum.as_ref())
            }
            (Sampling::WithoutReplacement(batches), _) => self.of_fixed_batches(batches, relation),
        }
    }
}
