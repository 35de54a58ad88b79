//! Gomez et al. 2025, Figure 4 and the rule of thumb: σ ≥ 2 and T ≥ 400 give a regret below 0.01.

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::bounds::{GdpForm, Target};
use crate::summary::{Kind, Widths};
use rug::Rational;

/// Sampling rates, from one record in ten thousand to all.
const RATES: [&str; 13] = [
    "1e-4", "1e-3", "3e-3", "0.01", "0.03", "0.05", "0.07", "0.1", "0.2", "0.3", "0.5", "0.8", "1",
];

/// The corner of the rule, (2, 400), and points inside it.
const SETTINGS: [(&str, &str); 4] = [("2", "400"), ("2", "1000"), ("2", "2000"), ("4", "400")];

/// The regret of the μ above an error floor of 1e-10, which is the μ of the paper.
pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    // Narrow enough beside 0.01.
    let widths = Widths {
        parameter: Target::Absolute(Rational::from((1, 10_000))),
        regret: Target::Absolute(Rational::from((1, 200_000))),
    };
    let mut rows = Vec::new();
    for (sigma, steps) in SETTINGS {
        for rate in RATES {
            let subject = laboratory.subject(&format!(
                r#"{{"kind": "dp-sgd", "noise-multiplier": "{sigma}", "sample-rate": "{rate}", "steps": {steps}}}"#
            ))?;
            let floor = GdpForm::ErrorFloor(Rational::from((1, 10_000_000_000u64)));
            let found = laboratory.represent_to(&subject, Kind::Gdp(floor), &widths)?;
            let Some(regret) = found.regret else {
                return Err(Stop::Refused(format!("no μ is known at q = {rate}")));
            };
            let row = Row::new(
                format!("σ = {sigma}, T = {steps}, q = {rate}"),
                Printed::AtMost("0.01"),
                regret.enclosure,
            );
            let axes = ("sampling rate q", "regret of μ-GDP");
            rows.push(row.at(axes, format!("σ = {sigma}, T = {steps}"), rate));
        }
    }
    Ok(rows)
}
