//! Gomez et al. 2025: the μ of Table 2 against the hyper-parameters of Tables 4 and 5, which are those of De et al. 2022.

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};

/// Table, noise multiplier, number of updates, and the μ that Table 2 prints for it.
const MODELS: [(&str, &str, &str, &str); 8] = [
    ("Table 4", "40", "906", "0.21"),
    ("Table 4", "24", "1156", "0.39"),
    ("Table 4", "16", "1765", "0.72"),
    ("Table 4", "9.4", "2000", "1.3"),
    ("Table 5", "21.1", "250", "0.21"),
    ("Table 5", "15.8", "500", "0.39"),
    ("Table 5", "12", "1000", "0.72"),
    ("Table 5", "9.4", "2000", "1.3"),
];

/// The least μ that is true up to 1e-10, and above an error floor of 1e-10: a smaller μ is no guarantee of this run.
pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = Vec::new();
    for (table, sigma, steps, printed) in MODELS {
        let subject = laboratory.subject(&format!(
            r#"{{"kind": "dp-sgd", "noise-multiplier": "{sigma}", "sample-rate": "16384/50000", "steps": {steps}}}"#
        ))?;
        for (form, has_floor) in [("up to 1e-10", false), ("above error floor 1e-10", true)] {
            rows.push(Row::new(
                format!("{table}, σ = {sigma}, T = {steps}: μ {form}"),
                Printed::AtMost(printed),
                laboratory.mu(&subject, has_floor)?,
            ));
        }
    }
    Ok(rows)
}
