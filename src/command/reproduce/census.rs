//! Gomez et al. 2025, Section 5: TopDown, the disclosure avoidance of the 2020 census of the United States.
//!
//! Eight levels of geography with ten discrete Gaussians each, of σ² = 10/(2·share·ρ) with ρ = 3.65.

use super::laboratory::{Laboratory, Stop};
use super::{Printed, Row};
use crate::statement::Query;

/// σ = √(10/(2·share·3.65)) for the shares 2, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8 and 0.3 %, rounded down.
const NOISE: [&str; 8] = [
    "8.276058886023",
    "2.235956182485",
    "4.014478229518",
    "3.233723793124",
    "3.233723793124",
    "2.399109615735",
    "3.407199523166",
    "21.36869215853",
];

pub fn rows(laboratory: &Laboratory<'_>) -> Result<Vec<Row>, Stop> {
    let levels = |kind: &str| {
        let parts =
            NOISE.map(|sigma| format!(r#"{{"kind": "{kind}", "sigma": "{sigma}", "times": 10}}"#));
        format!(r#"{{"kind": "compose", "of": [{}]}}"#, parts.join(", "))
    };
    let discrete = laboratory.subject(&levels("discrete-gaussian"))?;
    let continuous = laboratory.subject(&levels("gaussian"))?;
    let strict = Query::gdp_mu();
    let width = (1, 100_000);
    Ok(vec![
        Row::new(
            "μ up to 1e-10",
            Printed::Rounded("2.702"),
            laboratory.mu(&discrete, false)?,
        ),
        Row::new(
            "μ above error floor 1e-10",
            Printed::Rounded("2.702"),
            laboratory.mu(&discrete, true)?,
        ),
        Row::new(
            "strict μ",
            Printed::Nothing,
            laboratory.ask(&discrete, &strict, width)?,
        )
        .with_note("no upper bound is known for discrete Gaussians"),
        Row::new(
            "strict μ with continuous Gaussians",
            Printed::Rounded("2.702"),
            laboratory.ask(&continuous, &strict, width)?,
        )
        .with_note("√(2ρ) = √7.3, up to the rounding of σ"),
    ])
}
