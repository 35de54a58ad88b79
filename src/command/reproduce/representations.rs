//! Gomez et al. 2025, Figure 1c.

use rug::Rational;

use super::laboratory::{Laboratory, Stop, percent};
use super::{Printed, Row};
use crate::bounds::GdpForm;
use crate::summary::Kind;

const LAPLACE: &str = r#"{"kind": "laplace", "scale": 1}"#;
const CIFAR: &str =
    r#"{"kind": "dp-sgd", "noise-multiplier": "9.4", "sample-rate": "16384/50000", "steps": 2000}"#;

pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let delta = || Rational::from((1, 100_000));
    let floor = || GdpForm::ErrorFloor(Rational::from((1, 10_000_000_000u64)));
    let asked = [
        ("Laplace b = 1", LAPLACE, "ε-DP", Kind::PureDp, "3.43"),
        (
            "Laplace b = 1",
            LAPLACE,
            "(ε, δ)-DP",
            Kind::ApproxDp { delta: delta() },
            "3.42",
        ),
        (
            "Laplace b = 1",
            LAPLACE,
            "μ-GDP",
            Kind::Gdp(GdpForm::Strict),
            "3.70",
        ),
        (
            "DP-SGD",
            CIFAR,
            "(ε, δ)-DP",
            Kind::ApproxDp { delta: delta() },
            "21.70",
        ),
        ("DP-SGD", CIFAR, "μ-GDP", Kind::Gdp(floor()), "0.10"),
    ];
    let mut rows = Vec::new();
    for (name, mechanism, label, kind, printed) in asked {
        let subject = laboratory.subject(mechanism)?;
        let found = laboratory.represent(&subject, kind, (3, 1_000_000))?;
        let Some(regret) = found.regret else {
            return Err(Stop::Refused(format!("{name}: no {label} is known")));
        };
        rows.push(Row::new(
            format!("{name}, {label}"),
            Printed::Rounded(printed),
            percent(&regret.enclosure),
        ));
    }
    Ok(rows)
}
