//! `epsilon`, or `exp-epsilon` in its place.

use rug::Rational;

use super::{
    fields::{Fields, list, pair, table, valid, wrong_type},
    node::{Node, Table},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Domain, Epsilon};

/// The keys, one of which stands where an ε is needed.
pub(crate) const KEYS: [&str; 2] = ["epsilon", "exp-epsilon"];

/// An ε in `domain`, all real numbers or those from 0 on, by the one or the other key.
pub(crate) fn epsilon(fields: &Fields<'_>, domain: Domain) -> Result<Epsilon, Problem> {
    match (fields.has("epsilon"), fields.has("exp-epsilon")) {
        (true, true) => {
            let help = "`exp-epsilon` is e^epsilon, given exactly";
            Err(fields.conflict("exp-epsilon", "epsilon", help))
        }
        (true, false) => Ok(Epsilon::from(fields.number("epsilon", domain)?)),
        (false, true) => {
            let exp_domain = if domain == Domain::NonNegative {
                Domain::AtLeastOne
            } else {
                Domain::Positive
            };
            let u = fields.number("exp-epsilon", exp_domain)?;
            valid(fields.required("exp-epsilon")?, Epsilon::log_of(u))
        }
        (false, false) => Err(fields.missing("`epsilon` or `exp-epsilon`")),
    }
}

/// The problem of `exp-epsilon` where ε bounds a Rényi divergence, if that key is there.
///
/// A Rényi divergence is compared with ε itself, exactly: log u is no rational number unless u = 1, so `exp-epsilon` would decide nothing
/// that a near `epsilon` does not.
pub(crate) fn not_of_renyi(table: &Table) -> Result<(), Problem> {
    let Some(entry) = table.get("exp-epsilon") else {
        return Ok(());
    };
    let message = "`exp-epsilon` cannot stand for the `epsilon` of `rdp`";
    let help = "a Rényi divergence is compared with epsilon itself, an exact number: give `epsilon`, rounded to the side you need";
    Err(Problem::new(ErrorCode::Unsupported, &entry.key_span, message).help(help))
}

/// Points of a privacy profile: pairs `[epsilon, delta]`, or tables with `delta` and one of the two keys.
pub(crate) fn points(node: &Node) -> Result<Vec<(Epsilon, Rational)>, Problem> {
    let what = "`points`";
    let items = list(node, what)?;
    if items.is_empty() {
        let message = format!("{what} must not be empty");
        return Err(Problem::new(ErrorCode::Range, &node.span, message));
    }
    items.iter().map(|item| point(item, what)).collect()
}

fn point(item: &Node, what: &str) -> Result<(Epsilon, Rational), Problem> {
    if item.as_table().is_some() {
        let owner = format!("an entry of {what}");
        let known = ["epsilon", "exp-epsilon", "delta"];
        let fields = Fields::new(table(item, &owner)?, owner, &item.span, &known)?;
        return Ok((
            epsilon(&fields, Domain::Real)?,
            fields.number("delta", Domain::Unit)?,
        ));
    }
    if item.as_array().is_none() {
        let shapes = "a pair [epsilon, delta], or a table of both";
        return Err(wrong_type(item, &format!("each entry of {what}"), shapes));
    }
    let domains = (Domain::Real, Domain::Unit);
    let (epsilon, delta) = pair(item, what, ("epsilon", "delta"), domains)?;
    Ok((epsilon.into(), delta))
}
