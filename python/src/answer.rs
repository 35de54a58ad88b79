//! Enclosures, claims and verdicts as dictionaries.

use pyo3::prelude::*;

use super::number::{End, Fraction, end, fraction};
use dpcmp::number::exact;
use dpcmp::{Coordinate, Counterexample};

/// An enclosure.
#[derive(IntoPyObject)]
pub struct Enclosure {
    lower: End,
    upper: End,
    exact: Option<Fraction>,
    certified_by: String,
    narrow: bool,
    determined: bool,
}

impl From<&dpcmp::Enclosure> for Enclosure {
    fn from(of: &dpcmp::Enclosure) -> Self {
        Self {
            lower: end(of.lower()),
            upper: end(of.upper()),
            exact: of.exact().map(fraction),
            certified_by: of.certified_by().to_owned(),
            narrow: of.is_as_narrow_as_asked(),
            determined: of.is_determined(),
        }
    }
}

/// The kind of a claim and its numbers by key.
pub type Claim = (&'static str, Vec<(&'static str, String)>);

/// A claim.
pub fn claim(of: &dpcmp::Claim) -> Claim {
    let numbers = of.numbers().into_iter();
    let numbers = numbers.map(|(key, value)| (key, exact(value)));
    (of.kind(), numbers.collect())
}

/// A verdict.
#[derive(IntoPyObject)]
pub struct Verdict {
    outcome: &'static str,
    claim: Claim,
    query: &'static str,
    statement: &'static str,
    enclosure: Enclosure,
    bound: Fraction,
    from_above: bool,
    margin: Option<String>,
    vacuous: bool,
    within_rounding: bool,
    nearest: Option<Claim>,
    other_nearest: Option<Claim>,
    witness: Vec<(&'static str, String)>,
    reason: Option<&'static str>,
    explanation: Option<String>,
}

impl From<&dpcmp::Verdict> for Verdict {
    fn from(of: &dpcmp::Verdict) -> Self {
        Self {
            outcome: if of.is_verified() {
                "verified"
            } else if of.is_refuted() {
                "refuted"
            } else {
                "undecided"
            },
            claim: claim(of.claim()),
            query: of.query().kind(),
            statement: of.statement(),
            enclosure: (&of.enclosure()).into(),
            bound: fraction(of.bound()),
            from_above: of.is_bounded_from_above(),
            margin: of.margin(),
            vacuous: of.is_vacuous(),
            within_rounding: of.is_within_printed_rounding(),
            nearest: of.nearest_true().as_ref().map(claim),
            other_nearest: of.other_nearest_true().as_ref().map(claim),
            witness: of.counterexample().map(witness).unwrap_or_default(),
            reason: of.reason(),
            explanation: of.explanation(),
        }
    }
}

fn witness(of: &Counterexample) -> Vec<(&'static str, String)> {
    let coordinate = |name, log, value: &Coordinate| match value {
        Coordinate::Number(number) => (name, exact(number)),
        Coordinate::Log10(number) => (log, exact(number)),
    };
    match of {
        Counterexample::Epsilon(epsilon) => {
            let (key, value) = epsilon.entry();
            vec![(key, exact(value))]
        }
        Counterexample::Order(order) => vec![("order", exact(order))],
        Counterexample::Theorem(words) => vec![("theorem", words.clone())],
        Counterexample::Prior { prior, epsilon } => vec![
            ("prior", prior.to_string_radix(10, Some(17))),
            ("epsilon", epsilon.to_string_radix(10, Some(17))),
        ],
        Counterexample::Point { alpha, beta } => vec![
            coordinate("alpha", "log10-alpha", alpha),
            coordinate("beta", "log10-one-minus-beta", beta),
        ],
    }
}
