//! A value that meets a target, beside one that does not: for people, and as `dpcmp.calibration/1`.

use std::time::Duration;

use rug::Rational;
use serde_json::{Map, Value, json};

use super::Style;
use super::digits::scientific;
use super::json::seconds;
use super::standard::{standard_json, standard_lines};
use super::words::provided;
use crate::number::{decimal_down, decimal_up};
use crate::study::{Beyond, Calibration, Doubt, Solution};

/// What was solved for.
pub struct CalibrationReport<'a> {
    /// What was found.
    pub calibration: &'a Calibration,
    /// The targets as they were given.
    pub targets: &'a [String],
    /// Time taken.
    pub time: Duration,
}

/// A value as it was tried: a decimal of any length, else a fraction.
pub fn exact(value: &Rational) -> String {
    const MOST_DIGITS: usize = 1_000;
    let decimal = decimal_down(value, MOST_DIGITS);
    if decimal == decimal_up(value, MOST_DIGITS) {
        decimal
    } else {
        value.to_string()
    }
}

/// For people.
pub fn calibration_human(report: &CalibrationReport<'_>, style: Style) -> String {
    let Calibration { key, solution, .. } = report.calibration;
    let mut lines = vec![style.bold(&format!(
        "{key} = {}   certified to meet {}",
        exact(&solution.meets),
        report.targets.join(" and ")
    ))];
    lines.push(format!("  {}", beyond_words(report.calibration)));
    if let Some(words) = wide_words(solution, report.calibration) {
        lines.push(style.yellow(&format!("  {words}")));
    }
    if let Some(standard) = &report.calibration.standard {
        lines.extend(standard_lines(standard, report.calibration));
    }
    for note in report.calibration.remarks() {
        lines.push(format!("  {note}"));
    }
    lines.push(style.dim(&provided(&report.calibration.conditions)));
    lines.join("\n") + "\n"
}

/// What is known of less private values than the one that meets the targets.
fn beyond_words(calibration: &Calibration) -> String {
    let Calibration {
        key,
        solution,
        grows_private,
        is_whole,
        either_way,
        ..
    } = calibration;
    let end = if *grows_private { "least" } else { "largest" };
    match (&solution.beyond, solution.width()) {
        (Beyond::Misses { value, .. }, width) if either_way.is_some() => format!(
            "{} is certified to miss it, {} apart relatively",
            exact(value),
            scientific(&decimal_up(&width.unwrap_or_default(), 2))
        ),
        (Beyond::Nothing, _) if either_way.is_some() => {
            format!(
                "{} is the {end} value that there may be",
                exact(&solution.meets)
            )
        }
        (Beyond::Misses { value, .. }, _) if *is_whole && are_next(value, &solution.meets) => {
            format!(
                "{} is certified to miss it, so that {} is the {end} that meets it",
                exact(value),
                exact(&solution.meets)
            )
        }
        // On the integers a key is released alike at all thresholds between two of them, and at the one below not.
        (Beyond::Misses { value, .. }, width) if key.rsplit('.').next() == Some("threshold") => {
            format!(
                "{} is certified to miss it: all larger values from some point between the two on meet it, {} apart relatively",
                exact(value),
                scientific(&decimal_up(&width.unwrap_or_default(), 2))
            )
        }
        (Beyond::Misses { value, .. }, width) => format!(
            "{} is certified to miss it: the {end} value that meets it is between the two, {} apart relatively",
            exact(value),
            scientific(&decimal_up(&width.unwrap_or_default(), 2))
        ),
        (Beyond::Nothing, _) if *is_whole => format!(
            "every value of {key} up to {}, the most that there may be, meets it",
            exact(&solution.meets)
        ),
        (Beyond::Nothing, _) => format!("every value of {key} meets it"),
        (beyond, _) => open_words(beyond, key, *grows_private),
    }
}

/// Is no whole number between the two?
fn are_next(one: &Rational, other: &Rational) -> bool {
    Rational::from(one - other).abs() == 1
}

/// Why no value is certified to miss the target; empty where one is, or where there are none to look at.
pub(super) fn open_words(beyond: &Beyond, key: &str, grows_private: bool) -> String {
    let side = if grows_private { "smaller" } else { "larger" };
    match beyond {
        Beyond::Misses { .. } | Beyond::Nothing => String::new(),
        Beyond::NotLookedAt => format!(
            "no {side} value of {key} was looked at; whether the {} that meets it is {side} is not known",
            if grows_private { "least" } else { "largest" }
        ),
        Beyond::Unknown { value, doubt } => format!(
            "whether a {side} value of {key} meets it is not known, nor that one misses it: at {}, {}",
            exact(value),
            doubt_words(doubt)
        ),
    }
}

/// Why the bracket is wider than asked for, if it is.
pub(super) fn wide_words(solution: &Solution, of: &Calibration) -> Option<String> {
    let Beyond::Misses { doubt, .. } = &solution.beyond else {
        return None;
    };
    let why = match doubt {
        Some(doubt) => format!(": {}", doubt_words(doubt)),
        None => String::new(),
    };
    (!solution.is_narrow(&of.width, of.is_whole)).then(|| format!("wider than asked for{why}"))
}

pub(super) fn doubt_words(doubt: &Doubt) -> String {
    match doubt {
        Doubt::OutOfTime => "out of time, a larger --max-seconds may narrow it".to_owned(),
        Doubt::Unsupported(why) => why.clone(),
        Doubt::Open => "the bounds do not decide it".to_owned(),
    }
}

/// What is known of less private values, under the keys of `dpcmp.calibration/1`.
pub(super) fn put_beyond(object: &mut Map<String, Value>, solution: &Solution, of: &Calibration) {
    let (word, doubt) = match &solution.beyond {
        Beyond::Misses { doubt, .. } => ("misses", doubt.as_ref()),
        Beyond::Nothing if of.either_way.is_some() => ("not-looked-at", None),
        Beyond::Nothing => ("every-value-meets", None),
        Beyond::NotLookedAt => ("not-looked-at", None),
        Beyond::Unknown { doubt, .. } => ("unknown", Some(doubt)),
    };
    let reason = doubt.map(|doubt| match doubt {
        Doubt::OutOfTime => "out-of-time",
        Doubt::Unsupported(_) => "unsupported",
        Doubt::Open => "undecided",
    });
    object.insert(
        "not-reachable-beyond".to_owned(),
        json!(solution.misses().map(exact)),
    );
    object.insert("beyond".to_owned(), json!(word));
    object.insert("reason".to_owned(), json!(reason));
}

/// For machines, without a line break.
pub fn calibration_json(report: &CalibrationReport<'_>) -> String {
    let calibration = report.calibration;
    let mut object = Map::new();
    let put = |object: &mut Map<String, Value>, key: &str, value: Value| {
        object.insert(key.to_owned(), value);
    };
    put(&mut object, "schema", json!("dpcmp.calibration/1"));
    put(&mut object, "version", json!(env!("CARGO_PKG_VERSION")));
    put(&mut object, "key", json!(calibration.key));
    put(&mut object, "targets", json!(report.targets));
    put(
        &mut object,
        "value",
        json!(exact(&calibration.solution.meets)),
    );
    put_beyond(&mut object, &calibration.solution, calibration);
    put(&mut object, "narrow", json!(calibration.is_narrow()));
    put(&mut object, "conditions", json!(calibration.conditions));
    put(&mut object, "notes", json!(calibration.remarks()));
    if let Some(standard) = &calibration.standard {
        put(
            &mut object,
            "standard",
            standard_json(standard, calibration),
        );
    }
    put(&mut object, "seconds", seconds(report.time));
    Value::Object(object).to_string()
}
