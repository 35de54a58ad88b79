//! `noise-threshold`: a histogram of which only the keys are released whose noisy count passes a threshold.

use rug::Rational;

use super::{Describe, Kind, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::{ClosedPair, Envelope};
use crate::mechanism::domain::{Domain, OutOfRange, Why, at_least};
use crate::mechanism::release::{CountNoise, Release};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::short;

/// Noise on the counts of the keys that are in the dataset; a count is released, with its key, where it passes the threshold.
///
/// A record has at most `keys` keys, and adds between 0 and the record bound c to the count of each. Of a key that others have too the noise pair
/// is revealed at most, and as much for large counts: below the threshold nothing is released, and real or geometric noise far below it says nothing more.
/// A key that only this record has is released with probability δ₀ = P(c + Z > τ), and never without the record. The keys are independent, and for each the
/// dataset decides which it is: with j of ℓ keys new, the pair is j times the one and ℓ − j times the other (`proofs/README.md`, Z3 and Z4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseThreshold {
    noise: CountNoise,
    threshold: Rational,
    releases: Releases,
    keys: u64,
    record_bound: Option<Rational>,
    /// Of a key that only one record has.
    alone: Release,
}

/// Which noisy counts are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Releases {
    /// Those above the threshold.
    Above,
    /// Those above and at the threshold.
    AtLeast,
}

impl Releases {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// Whether released keys stand beside nothing that states how many records there are. What they reveal most of is a key that many others have, too
/// (`proofs/README.md`, Z3): with so many records there need be no such dataset.
///
/// # Errors
/// If they do.
pub(super) fn fit_together<'a>(
    parts: impl Iterator<Item = &'a Mechanism> + Clone,
) -> Result<(), OutOfRange> {
    let is_key = |kind: &Kind| matches!(kind, Kind::NoiseThreshold(_));
    let has_keys = parts.clone().any(|of| of.has(&is_key));
    if !(has_keys && parts.clone().any(|of| of.records().is_some())) {
        return Ok(());
    }
    let message = "released keys beside a mechanism of a stated number of records are not built: how many records may share a key is known then";
    Err(OutOfRange::sentence("of", message)
        .because(Why::Unsupported)
        .help("make claims about each of the two, in a file of its own"))
}

impl NoiseThreshold {
    /// A record has at most `keys ≥ 1` keys and adds at most `record_bound > 0`, 1 if it is not stated, to each count: a whole number where the
    /// noise is on the integers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        noise: CountNoise,
        threshold: Rational,
        releases: Releases,
        keys: u64,
        record_bound: Option<Rational>,
    ) -> Result<Self, OutOfRange> {
        let (key, scale) = scale(&noise);
        Domain::Positive.hold(key, scale)?;
        at_least("keys", 1, keys)?;
        let bound = record_bound.clone().unwrap_or_else(|| Rational::from(1));
        Domain::Positive.hold("record-bound", &bound)?;
        if noise.is_whole() && (!bound.is_integer() || bound.numer().to_u64().is_none()) {
            return Err(OutOfRange::new(
                "record-bound",
                "must be a whole number below 2^64 for noise on the integers",
            ));
        }
        if let CountNoise::TruncatedGeometric { last, .. } = &noise
            && threshold != *last
        {
            return Err(OutOfRange::new(
                "threshold",
                "must be where truncated geometric noise ends",
            ));
        }
        let at_threshold = releases == Releases::AtLeast;
        let alone = Release::new(noise.clone(), &bound, &threshold, at_threshold);
        let alone = alone.ok_or_else(|| {
            OutOfRange::new("sigma", "must be at most 20000 for discrete Gaussian noise")
                .because(Why::TooLarge)
        })?;
        Ok(Self {
            noise,
            threshold,
            releases,
            keys,
            record_bound,
            alone,
        })
    }

    /// The noise of a count.
    pub fn noise(&self) -> &CountNoise {
        &self.noise
    }

    /// The threshold.
    pub fn threshold(&self) -> &Rational {
        &self.threshold
    }

    /// Which noisy counts are released.
    pub fn releases(&self) -> Releases {
        self.releases
    }

    /// Most keys of a record.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// What a record adds at most to a count, where it is stated.
    pub fn record_bound(&self) -> Option<&Rational> {
        self.record_bound.as_ref()
    }

    fn conditions(&self) -> Conditions {
        Conditions {
            shared_keys: true,
            real_noise: !self.noise.is_whole(),
            ..Conditions::NONE
        }
    }

    /// A key that others have too: noise on a count that moves by the record bound.
    fn shared(&self) -> Step {
        let bound = self
            .record_bound
            .clone()
            .unwrap_or_else(|| Rational::from(1));
        // `new` has checked that it is one where the noise is on the integers.
        let sensitivity = bound.numer().to_u64().unwrap_or(u64::MAX);
        match &self.noise {
            CountNoise::Laplace { scale } => Step::Laplace {
                epsilon: bound / scale,
            },
            CountNoise::Gaussian { sigma } => Step::Gaussian {
                mu_squared: (bound / sigma).square(),
            },
            CountNoise::DiscreteLaplace { scale } => Step::finite(FiniteLosses::DiscreteLaplace {
                scale: scale.clone(),
                sensitivity,
            }),
            CountNoise::TruncatedGeometric { scale, last } => {
                Step::finite(FiniteLosses::TruncatedGeometric {
                    scale: scale.clone(),
                    last: *last,
                    sensitivity,
                })
            }
            CountNoise::DiscreteGaussian { sigma } => Step::DiscreteGaussian {
                sigma: sigma.clone(),
                sensitivity,
            },
        }
    }

    /// A key of a record, which is new or not. `with_record`: of the record that is there in the second law.
    ///
    /// Where noise ends at the threshold, and counts at it are not released, a key that nobody has is like one of the count 0 (Z6).
    fn one_key(&self, with_record: bool) -> Steps {
        if matches!(self.noise, CountNoise::TruncatedGeometric { .. })
            && self.releases == Releases::Above
        {
            return Steps::one(self.shared(), self.conditions());
        }
        let new = Step::finite(FiniteLosses::NewKey {
            release: self.alone.clone(),
            with_record,
        });
        let both = [self.shared(), new].map(|step| Steps::one(step, self.conditions()));
        let envelope = ClosedPair::from(Envelope::new(both.to_vec()));
        let most = Steps::one(Step::Closed(envelope), self.conditions());
        Steps::worst_of(both, most)
    }
}

fn scale(noise: &CountNoise) -> (&'static str, &Rational) {
    match noise {
        CountNoise::Laplace { scale }
        | CountNoise::DiscreteLaplace { scale }
        | CountNoise::TruncatedGeometric { scale, .. } => ("scale", scale),
        CountNoise::Gaussian { sigma } | CountNoise::DiscreteGaussian { sigma } => ("sigma", sigma),
    }
}

/// The kind of noise as a word in files.
fn word(noise: &CountNoise) -> &'static str {
    match noise {
        CountNoise::Laplace { .. } => "laplace",
        CountNoise::Gaussian { .. } => "gaussian",
        CountNoise::DiscreteLaplace { .. } => "discrete-laplace",
        CountNoise::TruncatedGeometric { .. } => "truncated-geometric",
        CountNoise::DiscreteGaussian { .. } => "discrete-gaussian",
    }
}

impl Describe for NoiseThreshold {
    fn words(&self) -> String {
        let (key, scale) = scale(&self.noise);
        let keys = match self.keys {
            1 => String::new(),
            several => format!(", {several} keys a record"),
        };
        let bound = match self.record_bound.as_ref().filter(|bound| **bound != 1) {
            None => String::new(),
            Some(bound) => format!(", record bound {}", short(bound)),
        };
        format!(
            "{} noise of {key} {}, released if {} {}{keys}{bound}",
            word(&self.noise),
            short(scale),
            self.releases.as_str(),
            short(&self.threshold)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let (key, scale) = scale(&self.noise);
        let mut all = vec![
            ("noise", Parameter::Word(word(&self.noise))),
            (key, Parameter::Number(scale)),
            ("threshold", Parameter::Number(&self.threshold)),
            ("release-if", Parameter::Word(self.releases.as_str())),
            ("keys", Parameter::Whole(self.keys)),
        ];
        if let Some(bound) = &self.record_bound {
            all.push(("record-bound", Parameter::Number(bound)));
        }
        all
    }

    /// Where a record is replaced, the keys of both count, and a key that both have moves by no more than one that one of them has.
    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let with = self.one_key(true);
        match relation {
            Relation::Presence | Relation::ReplaceSpecial => Steps::together([(&with, self.keys)]),
            Relation::ReplaceOne if self.record_bound.is_none() => Err(OutOfRange::sentence(
                "adjacency",
                "how far a count moves when a record is replaced does not follow without a `record-bound`",
            )
            .help("state `record-bound`, the most that one record adds to a count")),
            Relation::ReplaceOne => {
                let without = self.one_key(false);
                let both = Steps::together([(&with, self.keys), (&without, self.keys)])?;
                // What takes from a count moves it by twice as much where the other record adds to it.
                Ok(both.and_conditions(Conditions::COUNTS))
            }
        }
    }
}

#[cfg(test)]
#[path = "noise_threshold_tests.rs"]
mod tests;
