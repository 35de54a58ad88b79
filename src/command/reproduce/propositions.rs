//! Gomez et al. 2025, Propositions 4.1, 6.1 and 6.2.

use super::laboratory::{Laboratory, Stop, infinite};
use super::{Printed, Row};
use crate::bounds::Enclosure;
use crate::kernel::Interval;
use crate::statement::Query;

/// Mechanisms that are held against each other.
const CASES: [&str; 5] = [
    r#"{"kind": "laplace", "scale": 1}"#,
    r#"{"kind": "gaussian", "sigma": 1}"#,
    r#"{"kind": "randomized-response", "epsilon": 2}"#,
    r#"{"kind": "approx-dp", "epsilon": "1/2", "delta": "1/10"}"#,
    r#"{"kind": "finite", "p": ["1/2", "1/4", "1/4"], "q": ["1/8", "1/4", "5/8"]}"#,
];

pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    Ok(vec![
        advantages(laboratory)?,
        response(laboratory)?,
        regret(laboratory)?,
        leaky(laboratory)?,
    ])
}

/// Proposition 4.1: |η(f) − η(f̃)| − 2·Δ↔(f, f̃), the largest of all pairs of cases.
fn advantages(laboratory: &Laboratory<'_>) -> Result<Row, Stop> {
    let mut largest: Option<Interval> = None;
    for (i, a) in CASES.iter().enumerate() {
        for b in CASES.iter().skip(i.saturating_add(1)) {
            let (first, second) = (laboratory.subject(a)?, laboratory.subject(b)?);
            let advantage = |of| laboratory.ask(of, &Query::advantage(), (1, 1_000_000));
            let other = laboratory.mechanism(b)?;
            let distance = laboratory.ask(
                &first,
                &Query::delta_symmetric(other.mechanism, other.adjacency),
                (1, 1_000_000),
            )?;
            let apart = advantage(&first)?
                .interval()
                .sub(&advantage(&second)?.interval());
            let apart = apart.max(&apart.neg());
            let excess = apart.sub(&distance.interval().add(&distance.interval()));
            largest = Some(match largest {
                Some(before) => before.max(&excess),
                None => excess,
            });
        }
    }
    let found = largest.map_or_else(infinite, |excess| Enclosure::from_interval(&excess));
    Ok(Row::new(
        format!(
            "Proposition 4.1: largest |η − η'| − 2Δ↔ of {} pairs",
            CASES.len() * (CASES.len() - 1) / 2
        ),
        Printed::AtMost("0.000001"),
        found,
    )
    .with_note("0 where one mechanism is perfectly private, up to the width of the enclosures"))
}

/// Proposition 6.1: every ε-DP mechanism is μ-GDP for μ = −2Φ⁻¹(1/(e^ε + 1)).
fn response(laboratory: &Laboratory<'_>) -> Result<Row, Stop> {
    let subject = laboratory.subject(r#"{"kind": "pure-dp", "epsilon": 1}"#)?;
    let strict = Query::gdp_mu();
    let mu = laboratory.ask(&subject, &strict, (1, 1_000_000))?;
    Ok(Row::new(
        "Proposition 6.1: strict μ of 1-DP",
        Printed::AtMost("1.232036"),
        mu,
    )
    .with_note("−2Φ⁻¹(1/(e + 1)) = 1.232035…"))
}

fn regret(laboratory: &Laboratory<'_>) -> Result<Row, Stop> {
    let subject = laboratory.subject(r#"{"kind": "randomized-response", "epsilon": 1}"#)?;
    let found = laboratory.ask(&subject, &Query::regret_of_strict_mu(), (1, 1_000_000))?;
    Ok(Row::new(
        "Section 6: regret of that μ for randomised response",
        Printed::Rounded("0.058"),
        found,
    ))
}

/// Proposition 6.2: (ε, δ)-DP with δ > 0 alone gives no μ at all.
fn leaky(laboratory: &Laboratory<'_>) -> Result<Row, Stop> {
    let class = r#"{"kind": "approx-dp", "epsilon": 1, "delta": "1e-5"}"#;
    let subject = laboratory.subject(class)?;
    let strict = Query::gdp_mu();
    let mu = laboratory.ask(&subject, &strict, (1, 1_000_000))?;
    Ok(Row::new(
        "Proposition 6.2: strict μ of (1, 1e-5)-DP",
        Printed::Nothing,
        mu,
    )
    .with_note("no finite μ will do"))
}
