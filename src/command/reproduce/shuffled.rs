//! Chua et al. 2024: shuffled batches beside what accounting for Poisson sampling says.

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::statement::Query;
use rug::Rational;

/// Noise multipliers.
const NOISE: [&str; 11] = [
    "0.4", "0.45", "0.5", "0.55", "0.6", "0.65", "0.7", "0.8", "0.9", "1", "1.2",
];

/// One epoch of this many steps.
const STEPS: u32 = 1_000;

/// ε at δ = 1e-6 over the noise, of one epoch.
pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let delta = Rational::from((1, 1_000_000));
    let runs = [
        (
            "shuffled batches",
            "\"sampling\": \"shuffled\", \"epochs\": 1",
        ),
        ("accounted as Poisson", "\"sample-rate\": \"1/1000\""),
    ];
    let mut rows = Vec::new();
    for (name, keys) in runs {
        for sigma in NOISE {
            let subject = laboratory.subject(&format!(
                r#"{{"kind": "dp-sgd", "noise-multiplier": "{sigma}", "steps": {STEPS}, {keys}, "adjacency": "replace-special"}}"#
            ))?;
            let epsilon = laboratory.ask(&subject, &Query::epsilon(&delta)?, (1, 1_000))?;
            let what = format!("σ = {sigma}, {name}: ε at δ = 1e-6");
            let axes = ("noise multiplier σ", "ε at δ = 1e-6");
            rows.push(Row::new(what, Printed::Nothing, epsilon).at(axes, name.to_owned(), sigma));
        }
    }
    Ok(rows)
}
