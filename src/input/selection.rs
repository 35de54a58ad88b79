//! `private-selection`: how many runs there are, and which outcome is the best one.

use super::{
    fields::{self, Fields, string, valid},
    json::shown,
    problem::{ErrorCode, Problem},
};
use crate::mechanism::best_of_runs::{RUNS_KINDS, Runs};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const KEYS: [&str; 3] = ["runs", "of", "best-first"];

/// Most outcomes in an order of them.
const MOST_OUTCOMES: u64 = 1_000_000;

pub(crate) fn read(
    fields: &Fields<'_>,
    of: Mechanism,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let runs = runs(fields)?;
    let best_first = match fields.optional("best-first") {
        None => Vec::new(),
        Some(node) => {
            let items = fields::list(node, "`best-first`")?.iter();
            let place = |item| fields::whole(item, "each entry of `best-first`", 0, MOST_OUTCOMES);
            items.map(place).collect::<Result<Vec<u64>, Problem>>()?
        }
    };
    Ok(Mechanism::private_selection(runs, of, &best_first))
}

fn runs(fields: &Fields<'_>) -> Result<Runs, Problem> {
    let node = fields.required("runs")?;
    let table = fields::table(node, "`runs`")?;
    let has_shape = table.get("kind").and_then(|kind| kind.node.as_string()) == Some(SHAPED);
    let known: &[&str] = if has_shape {
        &["kind", "mean", "shape"]
    } else {
        &["kind", "mean"]
    };
    let inner = Fields::new(table, "`runs`", &node.span, known)?;
    let kind = inner.required("kind")?;
    let word = string(kind, "`kind` of `runs`")?;
    let mean = inner.number(
        "mean",
        match word {
            "geometric" => Domain::AtLeastOne,
            "logarithmic" | SHAPED => Domain::AboveOne,
            _ => Domain::Positive,
        },
    )?;
    let of = match word {
        "geometric" => Runs::geometric(mean),
        "logarithmic" => Runs::logarithmic(mean),
        "poisson" => Runs::poisson(mean),
        SHAPED => Runs::negative_binomial(mean, inner.number("shape", Domain::Real)?),
        other => {
            let message = format!("`kind` of `runs` cannot be `{}`", shown(other));
            let help = fields::suggestion(other, &RUNS_KINDS, "it is one of");
            return Err(Problem::new(ErrorCode::UnknownKind, &kind.span, message).help(help));
        }
    };
    valid(node, of)
}

const SHAPED: &str = "negative-binomial";
