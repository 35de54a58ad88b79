//! Kaissis et al. 2024, Figures 5 to 7: mechanisms that share one (ε, δ) and differ elsewhere.
//!
//! The noise 0.54 that Figure 6 prints has ε = 8.07, and the steps of Figures 5 and 7 are not printed: what is not given is calibrated, to four
//! digits of noise or to the largest number of steps.

use std::collections::BTreeMap;

use rug::Rational;

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::analysis::Subject;
use crate::bounds::{Enclosure, Target};
use crate::input::MechanismFile;
use crate::kernel::Interval;
use crate::number::decimal_up;
use crate::report::mechanism_json;
use crate::statement::{Query, Requirement};

const NOISE: &str = "noise-multiplier";
const RATES: [&str; 6] = ["0.04", "0.1", "0.2", "0.4", "0.6", "0.9"];
const STEPS: [&str; 4] = ["534", "800", "1100", "1500"];

pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = noise_multipliers(laboratory)?;
    rows.extend(grid(laboratory)?);
    rows.extend(reconstruction(laboratory)?);
    Ok(rows)
}

/// A point of a figure: what it is called, and Δ from the base to it.
type Place = (String, Enclosure);

/// A mechanism of a figure.
struct Setting {
    file: MechanismFile,
    subject: Subject,
    value: Rational,
}

fn calibrated(
    laboratory: &Laboratory<'_>,
    json: &str,
    key: &str,
    target: &str,
) -> Result<Setting, Stop> {
    let target =
        Requirement::from_argument(target).map_err(|error| Stop::Refused(error.render(false)))?;
    let width = Target::Relative(Rational::from((1, 10_000)));
    let value = laboratory.calibrated(json, key, &[target], &width)?.meets;
    let file = laboratory.with_value(json, key, &value)?;
    let subject =
        laboratory.subject(&mechanism_json(&file.mechanism, file.adjacency).to_string())?;
    Ok(Setting {
        file,
        subject,
        value,
    })
}

/// Δ(base‖other), to 1e-5.
fn divergence(
    laboratory: &Laboratory<'_>,
    base: &Setting,
    other: &Setting,
) -> Result<Enclosure, Stop> {
    let MechanismFile {
        mechanism,
        adjacency,
        ..
    } = &other.file;
    let query = Query::delta_divergence(mechanism.clone(), *adjacency);
    laboratory.ask_absolutely(&base.subject, &query, (1, 100_000))
}

/// Figure 5: q = 4096/50000 and σ from 2 to 8, each with the most steps that keep (8, 1e-5).
fn noise_multipliers(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let setting = |sigma: &str| {
        let json = format!(
            r#"{{"kind": "dp-sgd", "sample-rate": "4096/50000", "noise-multiplier": "{sigma}"}}"#
        );
        calibrated(laboratory, &json, "steps", "approx-dp:epsilon=8,delta=1e-5")
    };
    let base = setting("2")?;
    let mut rows = Vec::new();
    let mut found = Vec::<Place>::new();
    for sigma in ["3", "4", "5", "6", "7", "8"] {
        let other = setting(sigma)?;
        let divergence = divergence(laboratory, &base, &other)?;
        rows.push(
            Row::new(
                format!("Fig. 5: Δ(σ = 2 ‖ σ = {sigma})"),
                Printed::Nothing,
                divergence.clone(),
            )
            .with_note(format!("{} and {} steps", base.value, other.value)),
        );
        found.push((format!("σ = {sigma}"), divergence));
    }
    let pairs = found.iter().zip(found.iter().skip(1));
    rows.push(falls("Fig. 5: neighbours in σ where Δ falls", pairs));
    Ok(rows)
}

/// Figure 6: from p = 0.01, N = 500 to a grid of rates and steps, all with the least noise for (8, 1e-5).
fn grid(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let setting = |rate: &str, steps: &str| {
        let json = format!(r#"{{"kind": "dp-sgd", "sample-rate": "{rate}", "steps": "{steps}"}}"#);
        calibrated(laboratory, &json, NOISE, "approx-dp:epsilon=8,delta=1e-5")
    };
    let base = setting("0.01", "500")?;
    let noise = |setting: &Setting| decimal_up(&setting.value, 5);
    let mut rows = Vec::new();
    let mut found: Vec<Vec<Place>> = Vec::new();
    let mut by_noise = BTreeMap::new();
    for rate in RATES {
        let mut line = Vec::new();
        for steps in STEPS {
            let other = setting(rate, steps)?;
            let divergence = divergence(laboratory, &base, &other)?;
            rows.push(
                Row::new(
                    format!("Fig. 6: Δ(p = 0.01, N = 500 ‖ p = {rate}, N = {steps})"),
                    Printed::Nothing,
                    divergence.clone(),
                )
                .with_note(format!("σ = {} and {}", noise(&base), noise(&other))),
            );
            let place = (format!("p = {rate}, N = {steps}"), divergence);
            by_noise.insert(other.value, place.clone());
            line.push(place);
        }
        found.push(line);
    }
    let largest = found
        .iter()
        .flatten()
        .map(|(_, divergence)| divergence.interval())
        .reduce(|a, b| a.max(&b));
    rows.extend(largest.map(|largest| {
        Row::new(
            "Fig. 6: largest Δ of the grid",
            Printed::Rounded("0.12"),
            Enclosure::from_interval(&largest),
        )
        .with_note("the paper: around 0.12")
    }));
    let along_steps = found
        .iter()
        .flat_map(|line| line.iter().zip(line.iter().skip(1)));
    rows.push(falls("Fig. 6: neighbours in N where Δ falls", along_steps));
    let along_rates = found
        .iter()
        .zip(found.iter().skip(1))
        .flat_map(|(low, high)| low.iter().zip(high));
    rows.push(falls("Fig. 6: neighbours in p where Δ falls", along_rates));
    let along_noise = by_noise.values().zip(by_noise.values().skip(1));
    rows.push(falls("Fig. 6: neighbours in σ where Δ falls", along_noise));
    Ok(rows)
}

/// How many of these pairs certainly fall, and how many may: the figures are said to show none.
fn falls<'p>(what: &str, pairs: impl Iterator<Item = (&'p Place, &'p Place)>) -> Row {
    let (mut certain, mut possible, mut all) = (0u32, 0u32, 0u32);
    let mut note = "the paper: Δ increases".to_owned();
    for ((from, before), (to, after)) in pairs {
        all = all.saturating_add(1);
        possible = possible.saturating_add(u32::from(after.lower() < before.upper()));
        if after.upper() < before.lower() {
            certain = certain.saturating_add(1);
            note = format!("from {from} to {to}, for instance; the paper: Δ increases");
        }
    }
    let count = |n: u32| Interval::from_i64(i64::from(n), 64);
    let found = count(certain).hull(&count(possible));
    Row::new(what, Printed::AtMost("0"), Enclosure::from_interval(&found))
        .with_note(format!("of {all}; {note}"))
}

/// Figure 7: p from 0.01 on, 100 steps, each with the least noise for (4, 1e-5), and the largest probability that an attack reconstructs
/// a record it could guess with probability κ = 0.1: 1 − f(κ) (Hayes et al. 2023).
fn reconstruction(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let setting = |rate: &str| {
        let json = format!(r#"{{"kind": "dp-sgd", "sample-rate": "{rate}", "steps": 100}}"#);
        calibrated(laboratory, &json, NOISE, "approx-dp:epsilon=4,delta=1e-5")
    };
    let success = |of: &Setting| -> Result<Interval, Stop> {
        let query = Query::trade_off("0.1")?;
        let fnr = laboratory.ask_absolutely(&of.subject, &query, (1, 100_000))?;
        Ok(fnr.interval().one_minus())
    };
    let base = setting("0.01")?;
    let least = success(&base)?;
    let mut rows = vec![
        Row::new(
            "Fig. 7: reconstruction at p = 0.01, T = 100, κ = 0.1",
            Printed::Nothing,
            Enclosure::from_interval(&least),
        )
        .with_note(format!("σ = {}", decimal_up(&base.value, 5))),
    ];
    for rate in ["0.05", "0.1", "0.3", "0.6", "0.99"] {
        let other = setting(rate)?;
        let divergence = divergence(laboratory, &base, &other)?;
        let more = success(&other)?.sub(&least);
        let per = more.div(&divergence.interval());
        let name = format!("Fig. 7, p = {rate}");
        let row = |what: &str, found: Enclosure| {
            Row::new(format!("{name}: {what}"), Printed::Nothing, found)
        };
        rows.push(
            row("Δ from p = 0.01", divergence)
                .with_note(format!("σ = {}", decimal_up(&other.value, 5))),
        );
        rows.push(row(
            "increase of reconstruction",
            Enclosure::from_interval(&more),
        ));
        rows.push(
            row("increase per Δ", Enclosure::from_interval(&per))
                .with_note("the paper: almost linear, 0.15 at Δ = 0.12, that is 1.25"),
        );
    }
    Ok(rows)
}
