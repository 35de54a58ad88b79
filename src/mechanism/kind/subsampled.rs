//! `subsampled`: a mechanism on a random batch of the records.

use rug::Rational;

use super::{Describe, Kind, Parameter, words_within};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::batches::{TruncatedPoisson, WithoutReplacement, no_presence};
use crate::mechanism::closed::Answers;
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::steps::{Conditions, Steps};
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
        let answers = answers(&self.of);
        batches.steps(relation, of.steps(), present.steps(), answers)
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
        let of = words_within(&self.of);
        let (groups, unit) = match self.of.has_groups() {
            true => (" groups", "groups"),
            false => ("", "records"),
        };
        let sample = format!(
            "{of},{groups} Poisson-sampled at q = {}",
            short(self.rate())
        );
        match &self.sampling {
            Sampling::Poisson(_) => sample,
            Sampling::TruncatedPoisson(truncated) => format!(
                "{sample} of {} {unit}, at most {} in a batch",
                truncated.dataset_size(),
                truncated.max_batch()
            ),
            Sampling::WithoutReplacement(batches) => format!(
                "{of}, on {} of {} {unit} drawn without replacement",
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
        let mut sample = self.sample(relation)?;
        if self.of.has_groups() {
            sample = sample.and_conditions(Conditions::SAMPLED_GROUPS);
        }
        // Where a record replaces another one nothing says what is answered outside the sample: what is bounded holds whatever it is, what is refuted
        // is so for the answers that reveal most.
        let is_open = |kind: &Kind| is_response(kind) || matches!(kind, Kind::Finite(_));
        let is_answered = match relation {
            Relation::ReplaceOne => self.of.has(&is_open),
            Relation::Presence | Relation::ReplaceSpecial => self.of.has(&is_response),
        };
        if is_answered {
            sample = sample.and_conditions(Conditions::SAMPLED_RESPONSES);
        }
        Ok(sample)
    }
}

impl Subsampled {
    fn sample(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let is_poisson = matches!(self.sampling, Sampling::Poisson(_));
        if !is_poisson && self.of.has(&|kind| matches!(kind, Kind::Histogram(_))) {
            let message = "batches of a fixed or largest size of a histogram are not built: another record is never the opposite of one, as it may be where noise is added to a sum";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
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
        if self.of.has(&|kind| matches!(kind, Kind::NoiseThreshold(_))) {
            let message = "what a Poisson sample of released keys reveals is not known exactly, as the other records are sampled too";
            return Err(OutOfRange::sentence("of", message)
                .because(Why::Unsupported)
                .help(
                    "leave the sample out: on a sample the keys reveal no more than without it",
                ));
        }
        if of.steps().conditions().shuffled_reports && *self.rate() != 1 {
            let message = "what a sample of users who report through a shuffler reveals is not built: everybody can count the reports, and so how many users were drawn";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        let taken = of.steps().conditions();
        if taken.truncated_batches || taken.fixed_batches || taken.shuffled_batches {
            let message = "a sample of batches of a fixed or largest size, or of shuffled ones, is not built: how many records there are is then random";
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

/// Is a batch asked once, for a sum over its records or groups?
fn answers(of: &Mechanism) -> Answers {
    if let Kind::Group(group) = of.kind() {
        return answers(group.of());
    }
    if let Kind::Composition(all) = of.kind()
        && let [(only, 1)] = all.of()
    {
        return answers(only);
    }
    match matches!(of.kind(), Kind::Gaussian(_)) {
        true => Answers::One,
        false => Answers::Several,
    }
}

/// Does every record answer, also where it does not take part?
pub(super) fn is_response(kind: &Kind) -> bool {
    matches!(kind, Kind::RandomizedResponse(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between two answers on one batch the others may change: a composition, a tree or a matrix is several queries, also where all of it is one Gaussian.
    #[test]
    fn batches_that_are_asked_once() {
        let noise = r#"{"kind":"gaussian","sigma":2,"record-bound":1}"#;
        let group = format!(r#"{{"kind":"group","records":2,"of":{noise}}}"#);
        let alone = format!(r#"{{"kind":"compose","of":[{noise}]}}"#);
        let two = format!(r#"{{"kind":"compose","of":[{noise},{noise}]}}"#);
        let twice = two.replace(
            &format!("{noise},{noise}"),
            &noise.replace('}', r#","times":2}"#),
        );
        let tree = r#"{"kind":"tree-aggregation","noise-multiplier":2,"steps":4}"#;
        let matrix = r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":2,"participations":2,"min-separation":1,"matrix":[[1],["1/2",1]]}"#;
        for (text, expected) in [
            (noise, Answers::One),
            (&group, Answers::One),
            (&alone, Answers::One),
            (&two, Answers::Several),
            (&twice, Answers::Several),
            (tree, Answers::Several),
            (matrix, Answers::Several),
        ] {
            let read = crate::input::mechanism_from_bytes("test", text.as_bytes());
            assert_eq!(answers(&read.unwrap().mechanism), expected, "{text}");
        }
    }

    /// Two records that are drawn together, by one coin, are another mechanism than two that are drawn each by its own.
    #[test]
    fn samples_of_groups_are_told_from_groups_in_samples() {
        let gaussian = || {
            let text = br#"{"kind":"gaussian","sigma":2,"record-bound":1}"#;
            let read = crate::input::mechanism_from_bytes("test", text);
            read.unwrap().mechanism
        };
        let rate = || Rational::from((1, 10));
        let group = |of| Mechanism::group(2, of).unwrap();
        let sample = |of| Mechanism::subsampled(rate(), of).unwrap();
        let (of_groups, in_sample) = (sample(group(gaussian())), group(sample(gaussian())));
        assert_ne!(of_groups.words(), in_sample.words());
        let deep = Mechanism::compose(vec![(group(gaussian()), 1), (gaussian(), 1)]).unwrap();
        for relation in [
            Relation::Presence,
            Relation::ReplaceOne,
            Relation::ReplaceSpecial,
        ] {
            let is_said = |of: &Mechanism| {
                let found = of.under(relation).unwrap();
                found.steps().conditions().sampled_groups
            };
            assert!(is_said(&of_groups) && is_said(&sample(deep.clone())));
            assert!(!is_said(&in_sample) && !is_said(&sample(gaussian())));
        }
    }

    /// What others contribute is drawn, too: a key that only they hold up, or a batch that only they fill, is not there for certain.
    #[test]
    fn what_depends_on_who_else_is_drawn_is_no_sample() {
        let key =
            |rest: &str| format!(r#"{{"kind":"noise-threshold","scale":1,"threshold":3,{rest}}}"#);
        let keys = [
            key(r#""noise":"truncated-geometric","release-if":">""#),
            key(r#""noise":"truncated-geometric","release-if":">=""#),
            key(r#""noise":"truncated-geometric","release-if":">","keys":2"#),
            key(r#""noise":"laplace""#),
        ];
        let composed = keys.clone().map(|of| {
            format!(r#"{{"kind":"compose","of":[{of},{{"kind":"gaussian","sigma":1}}]}}"#)
        });
        let mixed = format!(
            r#"{{"kind":"mixture","of":[{{"kind":"gaussian","sigma":1,"weight":"1/2"}},{}]}}"#,
            key(r#""noise":"laplace","weight":"1/2""#)
        );
        let shuffled = r#"{"kind":"dp-sgd","sampling":"shuffled","noise-multiplier":1,"steps":4}"#;
        for of in keys
            .iter()
            .chain(&composed)
            .map(String::as_str)
            .chain([shuffled, mixed.as_str()])
        {
            let read = |text: &str| crate::input::mechanism_from_bytes("test", text.as_bytes());
            assert!(read(of).is_ok(), "{of}");
            let sample = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of}}}"#);
            let deep = format!(r#"{{"kind":"group","records":2,"of":{sample}}}"#);
            for refused in [sample, deep] {
                let error = read(&refused).unwrap_err();
                assert_eq!(
                    error.code(),
                    crate::input::ErrorCode::Unsupported,
                    "{refused}"
                );
                let why = ["sample of released keys", "or of shuffled ones"];
                assert!(
                    why.iter().any(|why| error.message().contains(why)),
                    "{error:?}"
                );
            }
        }
    }

    /// Everybody can count the reports.
    #[test]
    fn what_a_sample_of_users_reveals_is_not_built() {
        let of = r#"{"kind":"shuffled","users":9,"of":{"kind":"pure-dp","epsilon":1}}"#;
        let text =
            format!(r#"{{"kind":"subsampled","rate":"1/2","of":{of},"adjacency":"replace-one"}}"#);
        let error = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), crate::input::ErrorCode::Unsupported);
        assert!(
            error.message().contains("report through a shuffler"),
            "{error:?}"
        );
    }

    /// A sum may be of opposite records, and batches of a fixed size are worst with these; no record undoes another's count.
    #[test]
    fn no_record_of_a_histogram_is_the_opposite_of_another() {
        let gaussian = r#"{"kind":"gaussian","sigma":2,"record-bound":1}"#;
        let histogram = format!(r#"{{"kind":"histogram","of":{gaussian}}}"#);
        let two = |of: &str| format!(r#"{{"kind":"compose","of":[{gaussian},{of}]}}"#);
        for batches in [
            r#""sampling":"without-replacement","dataset-size":10,"batch-size":5,"adjacency":"replace-special""#,
            r#""sampling":"without-replacement","dataset-size":10,"batch-size":5,"adjacency":"replace-one""#,
            r#""sampling":"truncated-poisson","rate":"1/2","dataset-size":10,"max-batch":5"#,
        ] {
            let read = |of: &str| {
                let text = format!(r#"{{"kind":"subsampled",{batches},"of":{of}}}"#);
                crate::input::mechanism_from_bytes("test", text.as_bytes())
            };
            assert!(read(gaussian).is_ok(), "{batches}");
            for of in [histogram.clone(), two(&histogram)] {
                let error = read(&of).unwrap_err();
                assert_eq!(
                    error.code(),
                    crate::input::ErrorCode::Unsupported,
                    "{batches}"
                );
                assert!(error.message().contains("histogram"), "{error:?}");
            }
        }
    }
}
