//! `finite` and `profile`: lists of exact numbers with a condition on the whole list.

use rug::Rational;

use super::{
    epsilon,
    fields::{Fields, number},
    problem::Problem,
};
use crate::mechanism::{Domain, Mechanism};

pub(crate) fn finite(fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    let p = probabilities(fields, "p")?;
    let q = probabilities(fields, "q")?;
    Mechanism::finite(p, q).map_err(|error| fields.out_of_range(&error))
}

pub(crate) fn profile(fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    let points = epsilon::points(fields.required("points")?)?;
    Mechanism::profile(points).map_err(|error| {
        let problem = fields.out_of_range(&error);
        match error.index() {
            Some(_) => problem.label("delta is below 1 - e^epsilon"),
            None => problem,
        }
    })
}

fn probabilities(fields: &Fields<'_>, key: &str) -> Result<Vec<Rational>, Problem> {
    numbers(fields, key, Domain::Unit)
}

/// A list of exact numbers in a range.
pub(crate) fn numbers(
    fields: &Fields<'_>,
    key: &str,
    domain: Domain,
) -> Result<Vec<Rational>, Problem> {
    let what = format!("each entry of `{key}`");
    fields
        .list(key)?
        .iter()
        .map(|item| number(item, &what, domain))
        .collect()
}
