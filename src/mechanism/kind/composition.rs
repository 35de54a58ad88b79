//! `compose`: several mechanisms, all of whose results are released.

use super::noise_threshold::fit_together;
use super::{Describe, Parameter, words_within};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{OutOfRange, at_least};
use crate::mechanism::steps::Steps;

/// Parts of a composition that are listed in one line.
const PARTS_SHOWN: usize = 3;

/// Adaptive composition: each part so many times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    of: Vec<(Mechanism, u64)>,
}

impl Composition {
    /// At least one part, each at least once.
    ///
    /// # Errors
    /// If there is no part, or one runs 0 times.
    pub fn new(of: Vec<(Mechanism, u64)>) -> Result<Self, OutOfRange> {
        if of.is_empty() {
            return Err(
                OutOfRange::new("of", "must not be empty").help("list at least one mechanism")
            );
        }
        for (_, times) in &of {
            at_least("times", 1, *times)?;
        }
        Ok(Self { of })
    }

    /// The parts with their multiplicities.
    pub fn of(&self) -> &[(Mechanism, u64)] {
        &self.of
    }
}

impl Describe for Composition {
    fn words(&self) -> String {
        if let [(only, times)] = self.of.as_slice() {
            return repeated(only, *times);
        }
        let shown: Vec<String> = self
            .of
            .iter()
            .take(PARTS_SHOWN)
            .map(|(part, times)| match times {
                1 => words_within(part),
                _ => repeated(part, *times),
            })
            .collect();
        let more = self.of.len().saturating_sub(PARTS_SHOWN);
        let rest = if more > 0 {
            format!(" + {more} more")
        } else {
            String::new()
        };
        format!("{}{rest}", shown.join(" + "))
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("of", Parameter::Repeated(&self.of))]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        fit_together(self.of.iter().map(|(part, _)| part))?;
        let parts = self
            .of
            .iter()
            .map(|(part, times)| Ok((part.under(relation)?, *times)));
        let parts = parts.collect::<Result<Vec<_>, OutOfRange>>()?;
        Steps::composed(parts.iter().map(|(part, times)| (part.steps(), *times)))
    }
}

fn repeated(part: &Mechanism, times: u64) -> String {
    let words = part.words();
    if times == 1 {
        words
    } else {
        format!("{times} × ({words})")
    }
}
