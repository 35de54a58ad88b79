//! Calibration and sweeps.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::analysis::{precision, query};
use super::answer::Enclosure;
use super::failure::{exception, given, given_in};
use super::job::run;
use super::number::{Fraction, fraction};
use dpcmp::{Calibration, Exact, Sweep};

/// A value that meets all targets, and one that misses one.
#[derive(IntoPyObject)]
pub struct Solved {
    value: Fraction,
    misses: Option<Fraction>,
    narrow: bool,
    conditions: Vec<String>,
    notes: Vec<String>,
}

/// Solves for a key of a mechanism.
#[pyfunction]
pub fn calibrate(
    py: Python<'_>,
    template: String,
    key: String,
    targets: Vec<String>,
    width: Option<String>,
    seconds: f64,
    threads: Option<usize>,
) -> PyResult<Solved> {
    let mut calibration =
        Calibration::of(template, key).precision(precision(py, width.as_deref())?);
    if let Some(threads) = threads {
        calibration = calibration.threads(threads);
    }
    for (place, target) in targets.iter().enumerate() {
        calibration = given_in(py, calibration.meets_target(target), "target", place)?;
    }
    run(py, seconds, move |limit| {
        let calibration = calibration.time_limit(limit.time);
        let solved = calibration.stop_flag(limit.stop).run()?;
        Ok(Solved {
            value: fraction(solved.value()),
            misses: solved.misses().map(fraction),
            narrow: solved.is_as_narrow_as_asked(),
            conditions: solved.conditions().to_vec(),
            notes: solved.notes(),
        })
    })
}

/// An enclosure, or the exception that says why there is none.
#[derive(IntoPyObject)]
pub enum Answer {
    /// An enclosure.
    #[pyo3(transparent)]
    Found(Enclosure),
    /// Why there is none.
    #[pyo3(transparent)]
    Failed(Py<PyBaseException>),
}

/// The values and the answers of a point, and what these take for granted.
type Point = (Vec<Fraction>, Vec<Answer>, Vec<String>);

/// Asks the same queries at many values.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    template: String,
    axes: Vec<(String, Vec<String>)>,
    queries: Vec<String>,
    width: Option<String>,
    seconds: f64,
    threads: Option<usize>,
) -> PyResult<Vec<Point>> {
    let mut sweep = Sweep::of(template).precision(precision(py, width.as_deref())?);
    if let Some(threads) = threads {
        sweep = sweep.threads(threads);
    }
    for (key, values) in axes {
        let mut numbers = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            numbers.push(given_in(py, value.exact(), &key, place)?);
        }
        sweep = given(py, sweep.over(key.clone(), numbers), &key)?;
    }
    for (place, text) in queries.iter().enumerate() {
        sweep = sweep.ask(given_in(py, query(text), "ask", place)?);
    }
    let points = run(py, seconds, move |limit| {
        sweep.time_limit(limit.time).stop_flag(limit.stop).run()
    })?;
    let answer = |found: &Result<dpcmp::Enclosure, dpcmp::Error>| match found {
        Ok(found) => Answer::Found(found.into()),
        Err(error) => Answer::Failed(exception(py, error).into_value(py)),
    };
    let point = |point: &dpcmp::SweepPoint| {
        let values = point.parameters().iter();
        let answers = point.answers().iter();
        (
            values.map(|(_, value)| fraction(value)).collect(),
            answers.map(answer).collect(),
            point.conditions().to_vec(),
        )
    };
    Ok(points.iter().map(point).collect())
}
