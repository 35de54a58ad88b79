//! Kulynych et al. 2024, Figures 3 to 6: noise for an attack risk against noise by way of (ε, δ), at δ = 1e-5.
//!
//! DP-SGD has p = 0.001 and T = 10,000, with the smallest noise that meets the target, to four digits.

use crate::mechanism::Epsilon;
use rug::Rational;

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::analysis::Subject;
use crate::bounds::{Enclosure, Target};
use crate::kernel::Interval;
use crate::number::parse_rational;
use crate::report::mechanism_json;
use crate::statement::{Query, Requirement};
use crate::verdict::{generic_cost, largest_standard_u};

const DP_SGD: &str = r#"{"kind": "dp-sgd", "sample-rate": "0.001", "steps": 10000}"#;
const NOISE: &str = "noise-multiplier";

pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = advantages(laboratory)?;
    rows.push(generic()?);
    rows.extend(error_rates(laboratory)?);
    rows.extend(one_target(laboratory)?);
    rows.extend(gaussian(laboratory)?);
    Ok(rows)
}

fn delta() -> Rational {
    Rational::from((1, 100_000))
}

fn number(text: &str) -> Result<Rational, Stop> {
    parse_rational(text).map_err(|error| Stop::Refused(error.to_string()))
}

fn requirement(text: &str) -> Result<Requirement, Stop> {
    Requirement::from_argument(text).map_err(|error| Stop::Refused(error.render(false)))
}

/// Figure 3a: the standard noise is up to twice the attack-aware one.
fn advantages(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = Vec::new();
    for eta in ["0.01", "0.05", "0.1", "0.15", "0.2", "0.25"] {
        let target = requirement(&format!("advantage:at-most={eta}"))?;
        let factor = laboratory.factor(DP_SGD, NOISE, &target, &delta())?;
        rows.push(
            Row::new(
                format!("Fig. 3a, η ≤ {eta}: standard noise over attack-aware noise"),
                Printed::AtMost("2"),
                factor,
            )
            .with_note("the paper: noise is reduced by up to 2 times")
            .at(
                ("advantage η", "standard noise over attack-aware noise"),
                "Fig. 3a".to_owned(),
                eta,
            ),
        );
    }
    Ok(rows)
}

/// Figure 3b: about 30 points for a mechanism no better than its (ε, δ).
fn generic() -> Result<Row, Stop> {
    let cost = generic_cost(&Rational::from((1, 2)), &delta(), &Rational::from((1, 10)))
        .ok_or_else(|| Stop::Refused("Proposition 3.6 does not apply".to_owned()))?;
    Ok(Row::new(
        "Fig. 3b, η ≤ 0.5, FPR 0.1: FNR lost, mechanism no better than (ε, δ)",
        Printed::Rounded("0.30"),
        Enclosure::exactly(cost, 128),
    )
    .with_note("(η − δ)(1 − 2α/(1 − η))"))
}

/// Figure 4.
fn error_rates(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let mut rows = Vec::new();
    for (fpr, tprs) in [
        ("0.01", ["0.1", "0.3", "0.5"].as_slice()),
        ("0.05", &["0.1", "0.3", "0.5"]),
        // A TPR of 0.1 is chance.
        ("0.1", &["0.2", "0.3", "0.5"]),
    ] {
        for tpr in tprs {
            let target = requirement(&format!("tpr:fpr={fpr},at-most={tpr}"))?;
            let row = Row::new(
                format!("Fig. 4, TPR ≤ {tpr} at FPR {fpr}: standard noise over attack-aware noise"),
                Printed::Nothing,
                laboratory.factor(DP_SGD, NOISE, &target, &delta())?,
            );
            let axes = (
                "true-positive rate allowed",
                "standard noise over attack-aware noise",
            );
            rows.push(row.at(axes, format!("at FPR {fpr}"), tpr));
        }
    }
    Ok(rows)
}

/// Figure 5: TPR ≤ 0.5 at FPR 0.1.
fn one_target(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let target = requirement("tpr:fpr=0.1,at-most=0.5")?;
    let u = largest_standard_u(&target, &delta())
        .ok_or_else(|| Stop::Refused("no ε implies the target".to_owned()))?;
    let standard = Interval::from_rational(&u, 128).ln();
    let width = Target::Relative(Rational::from((1, 10_000)));
    let noise = laboratory.calibrated(DP_SGD, NOISE, &[target], &width)?;
    let found = laboratory.with_value(DP_SGD, NOISE, &noise.meets)?;
    let json = mechanism_json(&found.mechanism, found.adjacency).to_string();
    let subject = laboratory.subject(&json)?;
    let mut rows = vec![
        Row::new(
            "Fig. 5: ε at δ = 1e-5 that implies TPR ≤ 0.5 at FPR 0.1",
            Printed::Rounded("1.61"),
            Enclosure::from_interval(&standard),
        )
        .with_note("log 4.9999"),
        Row::new(
            "Fig. 5: least noise σ' for that target",
            Printed::Nothing,
            Laboratory::between(&noise)?,
        ),
        Row::new(
            "Fig. 5: ε of that noise at δ = 1e-5",
            Printed::Rounded("9.6"),
            laboratory.ask(&subject, &Query::epsilon(delta())?, (1, 100_000))?,
        ),
        Row::new(
            "Fig. 5: δ of that noise at ε' = 0.86",
            Printed::Rounded("0.263"),
            at(laboratory, &subject, "0.86")?,
        ),
    ];
    // The (ε', δ') that the figure prints, as a guarantee to calibrate to.
    let pair = requirement("approx-dp:epsilon=0.86,delta=0.263")?;
    let printed = laboratory.calibrated(DP_SGD, NOISE, &[pair], &width)?;
    rows.push(
        Row::new(
            "Fig. 5: least noise for (0.86, 0.263)",
            Printed::Nothing,
            Laboratory::between(&printed)?,
        )
        .with_note("it implies the target too, and is more noise than σ'"),
    );
    rows.extend(tangents(laboratory, &subject)?);
    Ok(rows)
}

fn at(laboratory: &Laboratory<'_>, subject: &Subject, epsilon: &str) -> Result<Enclosure, Stop> {
    laboratory.ask(subject, &Query::delta(epsilon)?, (1, 1_000_000))
}

/// Places of ε' that are tried.
const PLACES: [&str; 6] = ["0.5", "0.6", "0.62", "0.65", "0.7", "0.86"];

/// Where the line 1 − δ(ε') − e^ε'·α touches f at α = 0.1, and what follows from ε' = 0.86.
///
/// The line's value at α is concave in e^ε', so where one place is certainly better than both of its neighbours the best lies between these.
fn tangents(laboratory: &Laboratory<'_>, subject: &Subject) -> Result<Vec<Row>, Stop> {
    let tenth = Interval::from_rational(&Rational::from((1, 10)), 128);
    let mut found = Vec::new();
    for epsilon in PLACES {
        let place = Interval::from_rational(&number(epsilon)?, 128);
        let delta = at(laboratory, subject, epsilon)?.interval();
        let fnr = delta.one_minus().sub(&place.exp().mul(&tenth));
        found.push((place, delta, fnr));
    }
    let mut rows = Vec::new();
    for window in found.windows(3) {
        let [before, here, after] = window else {
            continue;
        };
        if before.2.certainly_lt(&here.2) && after.2.certainly_lt(&here.2) {
            rows.push(Row::new(
                "Fig. 5: best ε' for that target",
                Printed::Rounded("0.86"),
                Enclosure::from_interval(&before.0.hull(&after.0)),
            ));
            rows.push(Row::new(
                "Fig. 5: δ' there",
                Printed::Rounded("0.263"),
                Enclosure::from_interval(&before.1.hull(&after.1)),
            ));
        }
    }
    rows.extend(found.last().map(|(_, _, fnr)| {
        Row::new(
            "Fig. 5: FNR at FPR 0.1 that follows from ε' = 0.86 and its δ",
            Printed::Nothing,
            Enclosure::from_interval(fnr),
        )
        .with_note("below 0.5: not the tangent at FPR 0.1")
    }));
    Ok(rows)
}

/// Figure 6: for Gaussian noise the cost is less than for a mechanism no better than its (ε, δ).
///
/// So it is from what (ε, δ) guarantees about the standard noise; from what that noise does, the cost can be larger.
fn gaussian(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let json = r#"{"kind": "gaussian"}"#;
    let target = requirement("advantage:at-most=0.5")?;
    let width = Target::Relative(Rational::from((1, 1_000_000)));
    let u = largest_standard_u(&target, &delta())
        .ok_or_else(|| Stop::Refused("no ε implies the target".to_owned()))?;
    let profile = Requirement::profile(Epsilon::log_of(u.clone())?, delta())?;
    let subject = |requirement: Requirement| {
        let noise = laboratory.calibrated(json, "sigma", &[requirement], &width)?;
        let file = laboratory.with_value(json, "sigma", &noise.meets)?;
        laboratory.subject(&mechanism_json(&file.mechanism, file.adjacency).to_string())
    };
    let (aware, standard) = (subject(target)?, subject(profile)?);
    let mut rows = Vec::new();
    // (η − δ)(1 − 2α/(1 − η)), rounded down.
    for (alpha, generic) in [
        ("0.01", "0.47999"),
        ("0.05", "0.39999"),
        ("0.1", "0.29999"),
        ("0.2", "0.09999"),
    ] {
        let rate = number(alpha)?;
        let fnr = |of| laboratory.ask(of, &Query::trade_off(&rate)?, (1, 1_000_000));
        let aware = fnr(&aware)?;
        let guaranteed = Interval::from_rational(&(1 - delta() - Rational::from(&u * &rate)), 128);
        for (what, from) in [
            ("as (ε, δ) guarantees it", &guaranteed),
            ("of the standard noise itself", &fnr(&standard)?.interval()),
        ] {
            let cost = Enclosure::from_interval(&from.sub(&aware.interval()));
            rows.push(
                Row::new(
                    format!("Fig. 6, η ≤ 0.5, FPR {alpha}: FNR lost, {what}"),
                    Printed::AtMost(generic),
                    cost,
                )
                .with_note("Gaussian noise, against a mechanism no better than (ε, δ)"),
            );
        }
    }
    Ok(rows)
}
