//! The answers at one point of a sweep.

use std::sync::atomic::Ordering;

use rug::Rational;

use super::Refused;
use crate::analysis::{Means, Quantity, Subject};
use crate::command::Session;
use crate::command::arguments::Engine;
use crate::command::bound::unsupported_code;
use crate::command::estimate::{estimate, prepare};
use crate::command::files::InputFile;
use crate::command::interrupt::internal_error;
use crate::command::query::{NoAnswer, answer, quantity};
use crate::input::{ErrorCode, InputError, MechanismFile, Query, mechanism_with_values};
use crate::kernel::Budget;
use crate::number::parse_rational;
use crate::report::Found;
use crate::verdict::Analyst;

/// What is asked at every point.
pub struct Questions<'s> {
    session: &'s Session,
    input: &'s InputFile,
    questions: Vec<Question<'s>>,
}

/// A query, as it was given and as it is understood.
struct Question<'s> {
    text: &'s str,
    query: Query,
    /// Nothing for estimates.
    quantity: Option<Quantity>,
}

impl<'s> Questions<'s> {
    /// The queries, about the mechanism of `input` with keys replaced.
    ///
    /// # Errors
    /// If one of them is not built.
    pub fn new(
        session: &'s Session,
        input: &'s InputFile,
        queries: Vec<(&'s str, Query)>,
    ) -> Result<Self, Refused> {
        let mut questions = Vec::with_capacity(queries.len());
        for (text, query) in queries {
            let quantity = match session.options.engine {
                Engine::Float => None,
                Engine::Certified => Some(quantity(&query)),
            };
            questions.push(Question {
                text,
                query,
                quantity,
            });
        }
        Ok(Self {
            session,
            input,
            questions,
        })
    }

    /// Is there a mechanism in which these keys can be set?
    ///
    /// # Errors
    /// If what is wrong is not the value of a key: then it is wrong at every point.
    pub fn check(&self, parameters: &[(String, String)]) -> Result<(), Refused> {
        match self.mechanism(parameters) {
            Err(error) if !is_about_values(error.code()) => Err(Refused::Input(error)),
            _ => Ok(()),
        }
    }

    /// The answers at a point, found on this many threads; `None` if they were stopped.
    pub fn answers(
        &self,
        parameters: &[(String, String)],
        threads: usize,
    ) -> Option<Vec<(String, Found)>> {
        let results = match self.mechanism(parameters) {
            Err(error) => {
                let found = Found::error(error.code().as_str(), error.message());
                self.all(|_| found.clone())
            }
            Ok(mechanism) if self.session.options.engine == Engine::Float => {
                self.estimates(&mechanism)
            }
            Ok(mechanism) => self.enclosures(&mechanism, threads),
        };
        // Enclosures that the user may have cut short are not those that the time allowed gives.
        let is_stopped = self.session.stop.load(Ordering::Relaxed);
        (!is_stopped).then_some(results)
    }

    fn all(&self, found: impl Fn(&Question<'_>) -> Found) -> Vec<(String, Found)> {
        self.questions
            .iter()
            .map(|question| (question.text.to_owned(), found(question)))
            .collect()
    }

    fn mechanism(&self, parameters: &[(String, String)]) -> Result<MechanismFile, InputError> {
        // The texts are numbers, as the grid has checked.
        let values: Vec<(&str, Rational)> = parameters
            .iter()
            .filter_map(|(key, text)| Some((key.as_str(), parse_rational(text).ok()?)))
            .collect();
        let values: Vec<(&str, &Rational)> =
            values.iter().map(|(key, value)| (*key, value)).collect();
        mechanism_with_values(&self.input.name, &self.input.bytes, &values)
    }

    fn estimates(&self, mechanism: &MechanismFile) -> Vec<(String, Found)> {
        let curve = prepare(mechanism);
        self.all(|question| {
            let curve = curve.as_ref().map_err(Clone::clone);
            match curve.and_then(|curve| estimate(curve, &question.query)) {
                Ok(value) => Found::estimate(value),
                Err(unsupported) => {
                    Found::error(unsupported_code(&unsupported), &unsupported.to_string())
                }
            }
        })
    }

    fn enclosures(&self, file: &MechanismFile, threads: usize) -> Vec<(String, Found)> {
        let options = &self.session.options;
        let budget = || Budget::new(options.max_seconds, self.session.stop.clone());
        let subject = Subject::new(&file.mechanism, file.adjacency, &budget());
        let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
        self.all(|question| {
            let Some(quantity) = &question.quantity else {
                return Found::error("unsupported", "there is no such quantity");
            };
            let means = Means {
                budget: &budget(),
                jobs: threads,
                progress: &|_| (),
            };
            match answer(subject, quantity, options.precision.as_ref(), &means) {
                Ok(answer) => Found::enclosure(&answer),
                Err(NoAnswer::Unsupported(unsupported)) => {
                    Found::error(unsupported_code(&unsupported), &unsupported.to_string())
                }
                Err(NoAnswer::Internal(violation)) => {
                    let text = question.text;
                    let progress = &self.session.progress;
                    progress.aside(|| internal_error(&format!("{text}: {violation}")));
                    Found::error("internal", &violation.to_string())
                }
            }
        })
    }
}

/// Can another value of the key do away with an error of this kind?
fn is_about_values(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Range | ErrorCode::Number | ErrorCode::TooLarge | ErrorCode::Infeasible
    )
}
