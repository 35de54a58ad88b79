//! `mixture`: a public label says which of several mechanisms runs.

use rug::Rational;

use super::noise_threshold::fit_together;
use super::{Describe, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::steps::Steps;
use crate::number::short;

/// Parts of a mixture that are listed in one line.
const PARTS_SHOWN: usize = 3;

/// One of several mechanisms, drawn with these probabilities; the output says which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mixture {
    of: Vec<(Rational, Mechanism)>,
}

impl Mixture {
    /// Weights > 0 that add up to exactly 1.
    ///
    /// # Errors
    /// If they do not.
    pub fn new(of: Vec<(Rational, Mechanism)>) -> Result<Self, OutOfRange> {
        for (weight, _) in &of {
            Domain::Rate.hold("weight", weight)?;
        }
        let total: Rational = of.iter().map(|(weight, _)| weight).sum();
        if total != 1 {
            let message = format!(
                "the weights of a mixture must add up to 1, but add up to {}",
                short(&total)
            );
            return Err(OutOfRange::sentence("of", message)
                .help("write them as fractions, for instance \"1/3\""));
        }
        Ok(Self { of })
    }

    /// The mechanisms with their probabilities.
    pub fn of(&self) -> &[(Rational, Mechanism)] {
        &self.of
    }
}

impl Describe for Mixture {
    fn words(&self) -> String {
        let part =
            |(weight, of): &(Rational, Mechanism)| format!("{}: {}", short(weight), of.words());
        let shown: Vec<String> = self.of.iter().take(PARTS_SHOWN).map(part).collect();
        let more = self.of.len().saturating_sub(PARTS_SHOWN);
        let rest = if more > 0 {
            format!("; {more} more")
        } else {
            String::new()
        };
        format!("one of [{}{rest}]", shown.join("; "))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("of", Parameter::Weighted(&self.of))]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        fit_together(self.of.iter().map(|(_, part)| part))?;
        let parts = self.of.iter().map(|(weight, of)| {
            let of = of.under(relation)?;
            Ok((weight.clone(), of.steps().clone()))
        });
        Ok(Steps::labelled(parts.collect::<Result<_, OutOfRange>>()?))
    }
}
