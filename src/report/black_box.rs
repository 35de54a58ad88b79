//! A value that meets a target by the word of another accountant: for people, and as `dpcmp.calibration/1`.

use std::time::Duration;

use rug::Rational;
use serde_json::json;

use super::Style;
use super::calibration::exact;
use super::json::seconds;

/// What follows from a table of privacy profiles.
pub struct BlackBoxReport {
    /// The parameter.
    pub key: String,
    /// The targets as they were given.
    pub targets: Vec<String>,
    /// The least private value whose profile implies them.
    pub meets: Rational,
    /// The next value of the table: its profile does not imply them.
    pub not_implied: Option<Rational>,
    /// A more private value whose profile does not either.
    pub gap: Option<Rational>,
    /// Time taken.
    pub time: Duration,
}

impl BlackBoxReport {
    fn conditions(&self) -> Vec<String> {
        let sound =
            "the profiles in the table are true upper bounds of δ, which dpcmp has not checked";
        let mut all = vec![sound.to_owned()];
        if let Some(gap) = &self.gap {
            all.push(format!(
                "the profile of the more private {} = {} does not imply the target: the accountant is not monotone",
                self.key,
                exact(gap)
            ));
        }
        all
    }
}

/// For people.
pub fn black_box_human(report: &BlackBoxReport, style: Style) -> String {
    let mut lines = vec![style.bold(&format!(
        "{} = {}   meets {}, if the profile of the other accountant is right",
        report.key,
        exact(&report.meets),
        report.targets.join(" and ")
    ))];
    lines.push(match &report.not_implied {
        Some(value) => format!(
            "  the profile of {}, next in the table, does not imply it; whether that value misses it is not known",
            exact(value)
        ),
        None => format!("  no less private {} is in the table", report.key),
    });
    for condition in report.conditions() {
        lines.push(style.dim(&format!("IF {condition}")));
    }
    lines.join("\n") + "\n"
}

/// For machines, without a line break.
pub fn black_box_json(report: &BlackBoxReport) -> String {
    json!({
        "schema": "dpcmp.calibration/1",
        "version": env!("CARGO_PKG_VERSION"),
        "key": report.key,
        "targets": report.targets,
        "value": exact(&report.meets),
        "not-reachable-beyond": null,
        "not-implied-beyond": report.not_implied.as_ref().map(exact),
        "black-box": true,
        "conditions": report.conditions(),
        "seconds": seconds(report.time),
    })
    .to_string()
}
