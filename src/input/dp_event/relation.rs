//! Events that are about another neighbouring relation than the one beside them.
//!
//! A randomised response compares two answers of a record, or one with that of a special record; where there is no record, or it is not in the
//! sample, nothing is said of an answer. A mixture of Gaussians compares a data set with the record and one without.

use std::mem;

use super::{ErrorCode, Node, Problem};
use crate::mechanism::Adjacency;

/// What is known of an event as a whole.
pub(super) struct Reading {
    pub(super) adjacency: Adjacency,
    /// Is a randomised response in what was read?
    pub(super) has_response: bool,
    /// Is one on a sample of the records?
    samples_response: bool,
    /// Is a mixture of Gaussians in it?
    has_mixture: bool,
    /// Is anything else in it to which the relation gives its meaning?
    has_other: bool,
}

impl Reading {
    pub(super) fn new(adjacency: Adjacency) -> Self {
        Self {
            adjacency,
            has_response: false,
            samples_response: false,
            has_mixture: false,
            has_other: false,
        }
    }

    /// An event of this class stands here.
    pub(super) fn see(&mut self, class: &str) {
        match class {
            "RandomizedResponseDpEvent" => self.has_response = true,
            "NoOpDpEvent" | "PoissonSampledDpEvent" | "SelfComposedDpEvent" | "ComposedDpEvent" => {
            }
            class => {
                self.has_mixture |= class == "MixtureOfGaussiansDpEvent";
                self.has_other = true;
            }
        }
    }

    /// Reads what is on a sample; `is_sample` is false where that are all records, or none.
    pub(super) fn sampled<T>(&mut self, is_sample: bool, read: impl FnOnce(&mut Self) -> T) -> T {
        let had_response = mem::take(&mut self.has_response);
        let found = read(self);
        self.samples_response |= self.has_response && is_sample;
        self.has_response |= had_response;
        found
    }

    /// Is all of the event about the relation beside it?
    ///
    /// # Errors
    /// At the event, if not.
    pub(super) fn is_of_one_relation(&self, node: &Node) -> Result<(), Problem> {
        let is_replaced = match self.adjacency {
            Adjacency::ReplaceOne => true,
            Adjacency::AddRemove
            | Adjacency::Remove
            | Adjacency::Add
            | Adjacency::ReplaceSpecial => false,
        };
        let (message, help) = if is_replaced && self.has_mixture {
            (
                "MixtureOfGaussiansDpEvent is about a record that is there or not, and the relation about one that is replaced",
                "alone, or beside `ADD_OR_REMOVE_ONE` or `REPLACE_SPECIAL`, it is read",
            )
        } else if !is_replaced && self.samples_response {
            (
                "RandomizedResponseDpEvent does not say what is answered for a record that is not in the sample",
                "beside `\"neighboring-relation\": \"REPLACE_ONE\"` it is read: bounds then hold whatever that is",
            )
        } else if self.adjacency == Adjacency::AddRemove && self.has_response && self.has_other {
            (
                "RandomizedResponseDpEvent is about a record that is replaced, and other events here are about one that is added or removed",
                "`{\"event\": …, \"neighboring-relation\": \"REPLACE_ONE\"}` is about a record that is replaced in all of them",
            )
        } else {
            return Ok(());
        };
        Err(Problem::new(ErrorCode::Unsupported, &node.span, message).help(help))
    }
}

#[cfg(test)]
mod tests {
    use crate::input::mechanism_from_bytes;

    const RESPONSE: &str = r#"["m","RandomizedResponseDpEvent",0.5,3]"#;
    const MIXTURE: &str = r#"["m","MixtureOfGaussiansDpEvent",1,[0,1],[0.5,0.5]]"#;
    const NOISE: &str = r#"["m","GaussianDpEvent",2]"#;

    /// What is wrong with it, if anything is.
    fn wrong(event: &str, relation: &str) -> Option<String> {
        let text = match relation {
            "" => event.to_owned(),
            _ => format!(r#"{{"event":{event},"neighboring-relation":"{relation}"}}"#),
        };
        let read = mechanism_from_bytes("t", text.as_bytes());
        read.err().map(|error| error.to_string())
    }

    fn all(events: &[&str]) -> String {
        format!(r#"["m","ComposedDpEvent",[{}]]"#, events.join(","))
    }

    fn sampled(rate: &str, event: &str) -> String {
        format!(r#"["m","PoissonSampledDpEvent",{rate},{event}]"#)
    }

    /// Noise under add-remove and a response of a record that is replaced would be the statement of neither.
    #[test]
    fn all_of_an_event_is_about_one_relation() {
        let mixed = all(&[RESPONSE, NOISE]);
        for relation in ["", "ADD_OR_REMOVE_ONE"] {
            let found = wrong(&mixed, relation).unwrap();
            assert!(found.contains("record that is replaced"), "{found}");
            let nested = all(&[NOISE, &all(&[RESPONSE])]);
            assert!(wrong(&nested, relation).is_some());
            let alone = all(&[RESPONSE, r#"["m","NoOpDpEvent"]"#, RESPONSE]);
            assert_eq!(wrong(&alone, relation), None);
        }
        for relation in ["REPLACE_ONE", "REPLACE_SPECIAL"] {
            assert_eq!(wrong(&mixed, relation), None);
        }
    }

    /// Of a record that is not in the sample no answer is known; a sample of all records, or of none, is none.
    #[test]
    fn responses_are_not_sampled() {
        for relation in ["", "ADD_OR_REMOVE_ONE", "REPLACE_SPECIAL"] {
            for event in [
                sampled("0.2", RESPONSE),
                sampled("1", &sampled("0.2", RESPONSE)),
            ] {
                let found = wrong(&event, relation).unwrap();
                assert!(found.contains("not in the sample"), "{found}");
            }
            for rate in ["0", "1"] {
                assert_eq!(wrong(&sampled(rate, RESPONSE), relation), None);
            }
        }
        let beside = all(&[RESPONSE, &sampled("0.2", NOISE)]);
        assert_eq!(wrong(&beside, "REPLACE_SPECIAL"), None);
        assert_eq!(wrong(&sampled("0.2", RESPONSE), "REPLACE_ONE"), None);
    }

    #[test]
    fn mixtures_are_not_about_a_record_that_is_replaced() {
        let found = wrong(MIXTURE, "REPLACE_ONE").unwrap();
        assert!(found.contains("there or not"), "{found}");
        for relation in ["", "ADD_OR_REMOVE_ONE", "REPLACE_SPECIAL"] {
            assert_eq!(wrong(&all(&[MIXTURE, NOISE]), relation), None);
        }
    }
}
