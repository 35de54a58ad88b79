//! Gomez et al. 2025, Figure 1c.

use rug::Rational;

use super::laboratory::{Laboratory, Stop, percent};
use super::{Printed, Row};
use crate::analysis::Answer;
use crate::bounds::{Enclosure, GdpForm};
use crate::summary::{Kind, Stated, fine_orders};

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
        let regret = known(found.regret)?;
        rows.push(Row::new(
            format!("{name}, {label}"),
            Printed::Rounded(printed),
            percent(&regret),
        ));
    }
    for (name, mechanism, zcdp, rdp) in [
        ("Laplace b = 1", LAPLACE, "4.83", "3.38"),
        ("DP-SGD", CIFAR, "21.80", "20.80"),
    ] {
        rows.extend(renyi(laboratory, name, mechanism, [zcdp, rdp])?);
    }
    Ok(rows)
}

/// Rényi guarantees as the paper converts them, order by order, and as what they are.
fn renyi(
    laboratory: &Laboratory<'_>,
    name: &str,
    mechanism: &str,
    [zcdp, rdp]: [&'static str; 2],
) -> Result<Vec<Row>, Stop> {
    let subject = laboratory.subject(mechanism)?;
    let found = laboratory.represent(&subject, Kind::Zcdp, (3, 1_000_000))?;
    let Stated::Number(rho) = &found.stated else {
        return Err(Stop::Refused(format!("{name}: no ρ is known")));
    };
    let line: Vec<_> = fine_orders()
        .into_iter()
        .map(|t| (t.clone(), t * rho))
        .collect();
    let curve = laboratory.renyi_curve(&subject)?;
    let row = |label: &str, printed, regret: &Enclosure| {
        Row::new(format!("{name}, {label}"), printed, percent(regret))
    };
    let orders = format!("{} orders from 1.01 to 1024", curve.points.len());
    Ok(vec![
        row(
            "ρ-zCDP as converted",
            Printed::Rounded(zcdp),
            &laboratory.converted(&subject, &line)?,
        ),
        row("ρ-zCDP, exact", Printed::Nothing, &known(found.regret)?),
        row(
            "(t, ε(t))-RDP as converted",
            Printed::Rounded(rdp),
            &laboratory.converted(&subject, &curve.points)?,
        )
        .with_note(orders.clone()),
        row(
            "(t, ε(t))-RDP, exact",
            Printed::Nothing,
            &known(curve.regret)?,
        )
        .with_note(orders),
    ])
}

fn known(regret: Option<Answer>) -> Result<Enclosure, Stop> {
    let regret = regret.ok_or_else(|| Stop::Refused("a regret is not known".to_owned()))?;
    Ok(regret.enclosure)
}
