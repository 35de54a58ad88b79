//! A value that meets a target, beside one that does not: for people, and as `dpcmp.calibration/1`.

use std::time::Duration;

use rug::Rational;
use serde_json::{Map, Value, json};

use super::Style;
use super::digits::scientific;
use super::json::seconds;
use super::standard::{StandardReport, standard_json, standard_lines};
use crate::bounds::Target;
use crate::number::{decimal_down, decimal_up};

/// What was solved for.
pub struct CalibrationReport {
    /// The parameter.
    pub key: String,
    /// The targets as they were given.
    pub targets: Vec<String>,
    /// Are larger values more private?
    pub grows_private: bool,
    /// Are only whole numbers values?
    pub is_whole: bool,
    /// The width asked for.
    pub width: Target,
    /// Certified to meet all targets.
    pub meets: Rational,
    /// Certified to miss one, where such a value is known.
    pub misses: Option<Rational>,
    /// What the numbers take for granted.
    pub conditions: Vec<String>,
    /// Where else the targets hold, and what they do not say.
    pub notes: Vec<String>,
    /// The standard calibration, if it was asked for.
    pub standard: Option<StandardReport>,
    /// Time taken.
    pub time: Duration,
}

impl CalibrationReport {
    /// The distance of the two values, relative to the first.
    fn width_reached(&self) -> Option<Rational> {
        let apart = Rational::from(&self.meets - self.misses.as_ref()?).abs();
        Some(apart / self.meets.clone().abs())
    }

    /// Is the bracket as narrow as asked for, or are its ends neighbours? Without a value that misses, all values meet.
    pub fn is_narrow(&self) -> bool {
        let are_neighbours = |misses: &Rational| Rational::from(&self.meets - misses).abs() <= 1;
        match (&self.misses, self.width_reached()) {
            (Some(misses), Some(width)) => {
                let is_narrow = match &self.width {
                    Target::Relative(asked) => width <= *asked,
                    Target::Absolute(asked) => Rational::from(&self.meets - misses).abs() <= *asked,
                };
                is_narrow || (self.is_whole && are_neighbours(misses))
            }
            _ => true,
        }
    }
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
pub fn calibration_human(report: &CalibrationReport, style: Style) -> String {
    let side = if report.grows_private {
        "least"
    } else {
        "largest"
    };
    let mut lines = vec![style.bold(&format!(
        "{} = {}   certified to meet {}",
        report.key,
        exact(&report.meets),
        report.targets.join(" and ")
    ))];
    lines.push(match (&report.misses, report.width_reached()) {
        (Some(misses), Some(width)) => format!(
            "  {} is certified to miss it: the {side} value that meets it is between the two, {} apart relatively",
            exact(misses),
            scientific(&decimal_up(&width, 2))
        ),
        _ => format!("  every {} meets it", report.key),
    });
    if !report.is_narrow() {
        lines.push(
            style.yellow("  wider than asked for: out of time, a larger --max-seconds narrows it"),
        );
    }
    if let Some(standard) = &report.standard {
        lines.extend(standard_lines(standard, &report.key, report.grows_private));
    }
    for note in &report.notes {
        lines.push(format!("  {note}"));
    }
    for condition in &report.conditions {
        lines.push(style.dim(&format!("IF {condition}")));
    }
    lines.join("\n") + "\n"
}

/// For machines, without a line break.
pub fn calibration_json(report: &CalibrationReport) -> String {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema", json!("dpcmp.calibration/1"));
    put("version", json!(env!("CARGO_PKG_VERSION")));
    put("key", json!(report.key));
    put("targets", json!(report.targets));
    put("value", json!(exact(&report.meets)));
    let misses = report.misses.as_ref().map(exact);
    put("not-reachable-beyond", json!(misses));
    put("narrow", json!(report.is_narrow()));
    put("conditions", json!(report.conditions));
    put("notes", json!(report.notes));
    if let Some(standard) = &report.standard {
        put("standard", standard_json(standard));
    }
    put("seconds", seconds(report.time));
    Value::Object(object).to_string()
}
