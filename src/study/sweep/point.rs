//! The answers at one point of a sweep.

use std::cell::OnceCell;
use std::sync::atomic::Ordering;

use rug::Rational;

use super::SweepError;
use super::grid::Grid;
use crate::input::{ErrorCode, InputError, MechanismFile, Template};
use crate::number::parse_rational;
use crate::statement::Query;
use crate::study::{
    Engine, Finding, Limits, NoAnswer, Silent, Taken, answer, estimate, expect, is_attained,
    prepare,
};
use crate::verdict::Analyst;

/// What is asked at every point: queries about the mechanism of a template.
pub struct Sweep<'a> {
    template: &'a Template<'a>,
    engine: Engine,
    queries: &'a [Query],
}

/// What was found at a point, query by query, and what that takes for granted; or why there is no mechanism there.
pub type PointAnswers = Result<(Vec<Result<Finding, NoAnswer>>, Taken), InputError>;

impl<'a> Sweep<'a> {
    /// These queries, about the mechanism of the template with keys replaced.
    pub fn new(template: &'a Template<'a>, queries: &'a [Query], engine: Engine) -> Self {
        Self {
            template,
            engine,
            queries,
        }
    }

    /// Is there a mechanism in which the keys of this grid can be set?
    ///
    /// # Errors
    /// If what is wrong is not the value of a key: then it is wrong at every point.
    pub fn check(&self, grid: &Grid) -> Result<(), SweepError> {
        if grid.is_empty() {
            return Ok(());
        }
        match self.mechanism(&grid.point(0)) {
            Err(error) if !is_about_values(error.code()) => Err(SweepError::Input(error)),
            _ => Ok(()),
        }
    }

    /// The answers at a point, found on this many threads; `None` if they were stopped.
    pub(super) fn answers(
        &self,
        parameters: &[(String, String)],
        threads: usize,
        limits: &Limits<'_>,
    ) -> Option<PointAnswers> {
        let answers = self.mechanism(parameters).map(|mechanism| {
            let found = match self.engine {
                Engine::Float => self.estimates(&mechanism, limits),
                Engine::Certified => {
                    // Of many points at once, nobody hears how each goes.
                    let limits = Limits {
                        threads,
                        listener: &Silent,
                        ..limits.clone()
                    };
                    self.enclosures(&mechanism, &limits)
                }
            };
            (found, Taken::of(&mechanism, self.queries))
        });
        // Enclosures that the user may have cut short are not those that the time allowed gives.
        let is_stopped = limits.stop.load(Ordering::Relaxed);
        (!is_stopped).then_some(answers)
    }

    fn mechanism(&self, parameters: &[(String, String)]) -> Result<MechanismFile, InputError> {
        // The texts are numbers, as the grid has checked.
        let values: Vec<(&str, Rational)> = parameters
            .iter()
            .filter_map(|(key, text)| Some((key.as_str(), parse_rational(text).ok()?)))
            .collect();
        let values: Vec<(&str, &Rational)> =
            values.iter().map(|(key, value)| (*key, value)).collect();
        self.template.with_values(&values)
    }

    fn estimates(
        &self,
        mechanism: &MechanismFile,
        limits: &Limits<'_>,
    ) -> Vec<Result<Finding, NoAnswer>> {
        let curve = OnceCell::new();
        let of = |query: &Query| {
            let prepared = || {
                let curve = curve.get_or_init(|| prepare(mechanism, limits)).as_ref();
                curve.map_err(Clone::clone)
            };
            estimate(mechanism, query, limits, prepared)
        };
        let queries = self.queries.iter();
        queries
            .map(|query| of(query).map(Finding::Estimate))
            .collect()
    }

    fn enclosures(
        &self,
        file: &MechanismFile,
        limits: &Limits<'_>,
    ) -> Vec<Result<Finding, NoAnswer>> {
        let subject = limits.subject(file);
        let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
        let precision = limits.precision.as_ref();
        if let Ok(subject) = subject {
            expect(subject, self.queries.iter(), precision);
        }
        self.queries
            .iter()
            .map(|query| {
                let answer = limits
                    .with_resources(|resources| answer(subject, query, precision, resources))?;
                let attained = is_attained(subject, query, &answer);
                Ok(Finding::Enclosure {
                    answer: Box::new(answer),
                    attained,
                })
            })
            .collect()
    }
}

/// Can another value of the key do away with an error of this kind?
fn is_about_values(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Range | ErrorCode::Number | ErrorCode::TooLarge | ErrorCode::Infeasible
    )
}
