//! Calibration and sweeps.

use pyo3::prelude::*;

use super::analysis::{precision, query};
use super::answer::Enclosure;
use super::job::run;
use super::number::{Fraction, fraction};
use dpcmp::{Calibration, Sweep};

/// A value that meets all targets, and one that misses one.
#[derive(IntoPyObject)]
pub struct Solved {
    value: Fraction,
    misses: Option<Fraction>,
    narrow: bool,
    conditions: Vec<String>,
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
    run(py, seconds, move |limit| {
        let mut calibration = Calibration::of(template, key)
            .precision(precision(width.as_deref())?)
            .time_limit(limit.time)
            .stop_flag(limit.stop);
        if let Some(threads) = threads {
            calibration = calibration.threads(threads);
        }
        for target in &targets {
            calibration = calibration.meets_target(target)?;
        }
        let solved = calibration.run()?;
        Ok(Solved {
            value: fraction(solved.value()),
            misses: solved.misses().map(fraction),
            narrow: solved.is_as_narrow_as_asked(),
            conditions: solved.conditions().to_vec(),
        })
    })
}

/// An enclosure, or the code and the words of an error.
#[derive(IntoPyObject)]
pub enum Answer {
    /// An enclosure.
    #[pyo3(transparent)]
    Found(Enclosure),
    /// Why there is none.
    #[pyo3(transparent)]
    Failed((&'static str, String)),
}

/// The values and the answers of a point.
type Point = (Vec<Fraction>, Vec<Answer>);

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
    run(py, seconds, move |limit| {
        let mut sweep = Sweep::of(template)
            .precision(precision(width.as_deref())?)
            .time_limit(limit.time)
            .stop_flag(limit.stop);
        if let Some(threads) = threads {
            sweep = sweep.threads(threads);
        }
        for (key, values) in &axes {
            sweep = sweep.over(key.clone(), values)?;
        }
        for text in &queries {
            sweep = sweep.ask(query(text)?);
        }
        let answer = |found: &Result<dpcmp::Enclosure, dpcmp::Error>| match found {
            Ok(found) => Answer::Found(found.into()),
            Err(error) => Answer::Failed((code(error), error.what().to_owned())),
        };
        let points = sweep.run()?;
        let point = |point: &dpcmp::SweepPoint| {
            let values = point.parameters().iter();
            let answers = point.answers().iter();
            (
                values.map(|(_, value)| fraction(value)).collect(),
                answers.map(answer).collect(),
            )
        };
        Ok(points.iter().map(point).collect())
    })
}

fn code(error: &dpcmp::Error) -> &'static str {
    if error.is_unsupported() {
        "unsupported"
    } else if error.is_out_of_time() {
        "out-of-time"
    } else if error.is_bug() {
        "internal"
    } else {
        error.code().unwrap_or("input")
    }
}
