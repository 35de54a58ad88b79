//! Gomez et al. 2025, Table 3, with both roundings.

use rug::{Float, Rational, float::Round};

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::bounds::Enclosure;
use crate::number::{decimal_down, decimal_up, parse_rational};
use crate::summary::{GaussianMu, gaussian_mu};

const EPSILONS: [&str; 8] = ["0.1", "0.5", "1", "2", "4", "6", "8", "10"];
/// δ and the μ that the table prints for each ε.
const COLUMNS: [(&str, [&str; 8]); 3] = [
    (
        "1e-5",
        [
            "0.03", "0.14", "0.27", "0.50", "0.92", "1.31", "1.67", "2.00",
        ],
    ),
    (
        "1e-6",
        [
            "0.03", "0.12", "0.24", "0.45", "0.84", "1.20", "1.53", "1.85",
        ],
    ),
    (
        "1e-9",
        [
            "0.02", "0.09", "0.18", "0.35", "0.67", "0.97", "1.26", "1.54",
        ],
    ),
];

/// Rounding down makes noise that meets the (ε, δ); rounding up describes the risk of a Gaussian mechanism that does.
pub fn rows(_: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = Vec::new();
    for (delta, printed) in COLUMNS {
        for (epsilon, printed) in EPSILONS.into_iter().zip(printed) {
            let number =
                |text| parse_rational(text).map_err(|error| Stop::Refused(error.to_string()));
            let (Some(mu), down, up) = both(&number(epsilon)?, &number(delta)?)? else {
                return Err(Stop::Refused(format!("no μ for ({epsilon}, {delta})")));
            };
            rows.push(
                Row::new(
                    format!("({epsilon}, {delta})-DP"),
                    Printed::Rounded(printed),
                    mu,
                )
                .with_note(format!("noise for it: μ = {down}; risk of it: μ = {up}")),
            );
        }
    }
    Ok(rows)
}

type Both = (Option<Enclosure>, String, String);

fn both(epsilon: &Rational, delta: &Rational) -> Result<Both, Stop> {
    let Some(GaussianMu { lower, upper }) = gaussian_mu(&epsilon.clone().into(), delta)? else {
        return Ok((None, String::new(), String::new()));
    };
    let float = |x: &Rational, round| Float::with_val_round(96, x, round).0;
    let found = Enclosure::new(float(&lower, Round::Down), float(&upper, Round::Up))?;
    Ok((Some(found), decimal_down(&lower, 3), decimal_up(&upper, 3)))
}
