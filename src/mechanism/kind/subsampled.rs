//! `subsampled`: a mechanism on a Poisson sample.

use rug::Rational;

use super::{Describe, Kind, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::steps::Steps;
use crate::number::short;

/// A mechanism on a Poisson sample: each record takes part with probability `rate`, independently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsampled {
    rate: Rational,
    of: Mechanism,
}

impl Subsampled {
    /// `of` on a sample of `rate` in (0, 1].
    ///
    /// # Errors
    /// If the rate is out of its range.
    pub fn new(rate: Rational, of: Mechanism) -> Result<Self, OutOfRange> {
        Ok(Self {
            rate: Domain::Rate.check("rate", rate)?,
            of,
        })
    }

    /// Probability that a record takes part.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// The mechanism that runs on the sample.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }
}

impl Subsampled {
    /// `of` is what runs on the sample, under replacement.
    fn replaced(&self, of: &Mechanism) -> Result<Steps, OutOfRange> {
        let rate = &self.rate;
        match self.of.kind() {
            // A record takes part in all stages or not.
            Kind::Subsampled(inner) => {
                let rate = Rational::from(rate * &inner.rate);
                let of = inner.of.clone();
                Self { rate, of }.steps(Relation::ReplaceOne)
            }
            // Which part runs does not depend on the sample.
            Kind::Mixture(mixture) => {
                let parts = mixture.of().iter().map(|(weight, part)| {
                    let sampled = Self {
                        rate: rate.clone(),
                        of: part.clone(),
                    };
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
        format!(
            "{}, Poisson-sampled at q = {}",
            self.of.words(),
            short(&self.rate)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("rate", Parameter::Number(&self.rate)),
            ("of", Parameter::Mechanism(&self.of)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let of = self.of.under(relation)?;
        if of.steps().has_new_keys() {
            let message = "what a Poisson sample of released keys reveals is not known exactly, as the other records are sampled too";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        match relation {
            Relation::Presence | Relation::ReplaceSpecial => Ok(of.steps().sampled(&self.rate)),
            Relation::ReplaceOne => self.replaced(&of),
        }
    }
}
