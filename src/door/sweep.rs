//! The same queries at many values of parameters.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::Rational;

use super::analysis::Settings;
use super::{Enclosure, Error, Precision};
use crate::input::Template;
use crate::number::{Exact, exact, parse_rational};
use crate::statement::Query;
use crate::study::{self, Engine, Finding, Grid, SweepError};

/// Asks the same queries at many values of parameters of a mechanism, all combinations of them.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Query, Sweep};
///
/// let points = Sweep::of("kind = 'laplace'")
///     .over("scale", [1, 2])?
///     .ask(Query::max_loss())
///     .run()?;
/// let second = &points[1];
/// assert_eq!(second.parameters()[0].1, 2);
/// let epsilon = second.answers()[0].as_ref().unwrap();
/// assert_eq!(epsilon.exact().map(ToString::to_string).as_deref(), Some("1/2"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Sweep {
    template: String,
    axes: Vec<(String, Vec<String>)>,
    queries: Vec<Query>,
    precision: Option<Precision>,
    settings: Settings,
}

/// The answers at one combination of values.
#[derive(Debug, Clone)]
pub struct SweepPoint {
    parameters: Vec<(String, Rational)>,
    answers: Vec<Result<Enclosure, Error>>,
    conditions: Vec<String>,
}

impl Sweep {
    /// Of the mechanism file `template`, TOML or JSON, which may leave out the keys that are swept.
    pub fn of(template: impl Into<String>) -> Self {
        Self {
            template: template.into(),
            axes: Vec::new(),
            queries: Vec::new(),
            precision: None,
            settings: Settings::default(),
        }
    }

    /// This top-level key takes these values. The first key varies slowest.
    ///
    /// # Errors
    /// If a value is no number.
    pub fn over(
        mut self,
        key: impl Into<String>,
        values: impl IntoIterator<Item = impl Exact>,
    ) -> Result<Self, Error> {
        let texts = values
            .into_iter()
            .map(|value| value.exact().map(|value| exact(&value)));
        self.axes
            .push((key.into(), texts.collect::<Result<_, _>>()?));
        Ok(self)
    }

    /// This is asked at every point.
    #[must_use]
    pub fn ask(mut self, query: Query) -> Self {
        self.queries.push(query);
        self
    }

    /// How narrow each answer is to be; [`Precision::usual`] unless said otherwise.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Time for each query at each point, 60 seconds unless said otherwise.
    #[must_use]
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.settings.time = time;
        self
    }

    /// Work ends soon after this is true, as if the time had ended.
    #[must_use]
    pub fn stop_flag(mut self, stop: Arc<AtomicBool>) -> Self {
        self.settings.stop = stop;
        self
    }

    /// Threads, all cores unless said otherwise (0 is as 1). No result depends on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.at_most(threads);
        self
    }

    /// Asks. The points come in the order of the combinations, on all cores.
    ///
    /// # Errors
    /// If a key comes twice, there are too many combinations, or the template has no mechanism in which the keys can be set.
    pub fn run(&self) -> Result<Vec<SweepPoint>, Error> {
        let template = Template::new("template", self.template.as_bytes())?;
        let sweep = study::Sweep::new(&template, &self.queries, Engine::Certified);
        let grid = Grid::new(self.axes.clone())?;
        sweep.check(&grid)?;
        let precision = self.precision.clone().unwrap_or_else(Precision::usual);
        let limits = self.settings.limits(precision);
        let places: Vec<usize> = (0..grid.len()).collect();
        let mut found = Vec::with_capacity(places.len());
        let done = sweep.run(&grid, &places, &limits, |place, answers| {
            found.push((place, answers));
            Ok::<_, Infallible>(())
        });
        match done {
            Ok(()) => {}
            Err(never) => match never {},
        }
        found.sort_unstable_by_key(|(place, _)| *place);
        let point = |(place, answers)| self.point(grid.point(place), answers);
        found.into_iter().map(point).collect()
    }

    fn point(
        &self,
        parameters: Vec<(String, String)>,
        answers: study::PointAnswers,
    ) -> Result<SweepPoint, Error> {
        let mut values = Vec::with_capacity(parameters.len());
        for (key, text) in parameters {
            values.push((key, parse_rational(&text)?));
        }
        let (answers, conditions) = match answers {
            Ok((answers, taken)) => {
                let answers = answers.into_iter().filter_map(|found| match found {
                    Ok(Finding::Enclosure { answer, .. }) => Some(Ok(Enclosure::of(&answer))),
                    // Only floats estimate.
                    Ok(Finding::Estimate(_)) => None,
                    Err(why) => Some(Err(why.into())),
                });
                (answers.collect(), taken.conditions)
            }
            Err(error) => {
                let error = Error::from(error);
                let answers = self.queries.iter().map(|_| Err(error.clone())).collect();
                (answers, Vec::new())
            }
        };
        Ok(SweepPoint {
            parameters: values,
            answers,
            conditions,
        })
    }
}

impl SweepPoint {
    /// The values, by key, in the order in which the keys were given.
    pub fn parameters(&self) -> &[(String, Rational)] {
        &self.parameters
    }

    /// The answers, in the order of the queries; an error where the values make no mechanism, or dpcmp has no answer.
    pub fn answers(&self) -> &[Result<Enclosure, Error>] {
        &self.answers
    }

    /// What the answers take for granted, in words.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }
}

impl From<SweepError> for Error {
    fn from(why: SweepError) -> Self {
        match why {
            SweepError::Input(error) => error.into(),
            SweepError::Values { .. } | SweepError::Twice(_) | SweepError::TooMany => {
                Self::bad_input(why)
            }
        }
    }
}
