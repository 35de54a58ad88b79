//! A value that meets a target by the word of another accountant: for people, and as `dpcmp.calibration/1`.

use std::time::Duration;

use serde_json::json;

use super::Style;
use super::calibration::{doubt_words, exact};
use super::json::seconds;
use super::words::provided;
use crate::study::{BlackBox, NotImplied};

/// What follows from a table of privacy profiles.
pub struct BlackBoxReport<'a> {
    /// What was found.
    pub found: &'a BlackBox,
    /// The targets as they were given.
    pub targets: &'a [String],
    /// Time taken.
    pub time: Duration,
}

impl BlackBoxReport<'_> {
    fn conditions(&self) -> Vec<String> {
        let sound =
            "the profiles in the table are true upper bounds of δ, which dpcmp has not checked";
        let mut all = vec![sound.to_owned()];
        if let Some(gap) = &self.found.gap {
            all.push(format!(
                "the profile of the more private {} = {} does not imply the target: the accountant is not monotone",
                self.found.key,
                exact(gap)
            ));
        }
        all
    }
}

/// For people.
pub fn black_box_human(report: &BlackBoxReport<'_>, style: Style) -> String {
    let found = report.found;
    let mut lines = vec![style.bold(&format!(
        "{} = {}   meets {}, if the profile of the other accountant is right",
        found.key,
        exact(&found.meets),
        report.targets.join(" and ")
    ))];
    lines.push(match &found.not_implied {
        Some(NotImplied { value, doubt: None }) => format!(
            "  the profile of {}, next in the table, does not imply it; whether that value misses it is not known",
            exact(value)
        ),
        Some(NotImplied {
            value,
            doubt: Some(doubt),
        }) => format!(
            "  whether the profile of {}, next in the table, implies it is not known: {}",
            exact(value),
            doubt_words(doubt)
        ),
        None => format!("  no less private {} is in the table", found.key),
    });
    lines.push(style.dim(&provided(&report.conditions())));
    lines.join("\n") + "\n"
}

/// For machines, without a line break.
pub fn black_box_json(report: &BlackBoxReport<'_>) -> String {
    let found = report.found;
    let next = found.not_implied.as_ref();
    json!({
        "schema": "dpcmp.calibration/1",
        "version": env!("CARGO_PKG_VERSION"),
        "key": found.key,
        "targets": report.targets,
        "value": exact(&found.meets),
        "not-reachable-beyond": null,
        "not-implied-beyond": next.map(|next| exact(&next.value)),
        "black-box": true,
        "conditions": report.conditions(),
        "seconds": seconds(report.time),
    })
    .to_string()
}
