//! A mechanism table to a [`Mechanism`], every range checked.

use std::ops::Range;

use rug::Rational;

use super::{
    domain::Domain,
    dp_event, dp_sgd, exact_vectors,
    fields::{self, Fields, MAX_TIMES, kind, pairs, string, wrong_type},
    json::shown,
    node::{Node, Table},
    opacus,
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Adjacency, Mechanism};

/// A mechanism as a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MechanismFile {
    /// What was run.
    pub mechanism: Mechanism,
    /// The neighbouring relation that statements are about.
    pub adjacency: Adjacency,
    /// What it was read from: the `kind`, or the name of the foreign format.
    pub summary: String,
    /// What dpcmp worked out while reading and the user should see, such as the number of steps from epochs.
    pub notes: Vec<String>,
}

/// The kinds of mechanisms, in the order of the manual.
pub(crate) const MECHANISM_KINDS: [&str; 15] = [
    "gaussian",
    "laplace",
    "discrete-laplace",
    "discrete-gaussian",
    "randomized-response",
    "pure-dp",
    "approx-dp",
    "gdp",
    "zcdp",
    "rdp",
    "finite",
    "profile",
    "subsampled",
    "compose",
    "dp-sgd",
];

/// A mechanism being read, with the number of primitive mechanisms in it.
pub(crate) struct Part {
    pub mechanism: Mechanism,
    /// Runs of primitive mechanisms, counted with multiplicity; no overflow anywhere below.
    pub runs: u64,
}

impl Part {
    pub fn primitive(mechanism: Mechanism) -> Self {
        Part { mechanism, runs: 1 }
    }
}

/// The mechanism at the top of a file, of a claim file or of a query: a table with `kind`, an Opacus
/// accountant state, or a DpEvent.
pub(crate) fn read_mechanism(node: &Node) -> Result<MechanismFile, Problem> {
    if dp_event::looks_like_event(node) {
        return dp_event::read_event(node);
    }
    let table = fields::table(node, "a mechanism").map_err(|problem| {
        problem.help("write it in place, for instance {\"kind\": \"gaussian\", \"sigma\": 2}")
    })?;
    if opacus::looks_like_state(table) {
        return opacus::read_state(node, table);
    }
    let mut notes = Vec::new();
    let part = part(node, table, Position::Top, &mut notes)?;
    let summary = table
        .get("kind")
        .and_then(|entry| entry.node.as_string())
        .unwrap_or_default();
    Ok(MechanismFile {
        mechanism: part.mechanism,
        adjacency: adjacency(table)?,
        summary: summary.to_owned(),
        notes,
    })
}

/// Where a mechanism table stands, which decides the keys it may have besides those of its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Top,
    /// In `of` of a `compose`, where `times` is allowed.
    Composed,
    /// In `of` of a `subsampled`.
    Sampled,
}

fn part(
    node: &Node,
    table: &Table,
    position: Position,
    notes: &mut Vec<String>,
) -> Result<Part, Problem> {
    let (kind, kind_span) = kind(table, "a mechanism", &node.span, &MECHANISM_KINDS)?;
    let mut known = vec!["kind"];
    known.extend_from_slice(keys(kind));
    match position {
        Position::Top => known.push("adjacency"),
        Position::Composed => known.push("times"),
        Position::Sampled => {}
    }
    let fields = Fields::new(table, format!("`{kind}`"), &kind_span, &known)?;
    check_sampling(&fields)?;
    match kind {
        "subsampled" => subsampled(&fields, notes),
        "compose" => compose(&fields, notes),
        "dp-sgd" => dp_sgd::read(&fields, notes),
        _ => primitive(kind, &fields).map(Part::primitive),
    }
}

/// The keys of each kind, besides `kind`, `adjacency` and `times`.
fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "gaussian" => &["sigma", "sensitivity", "noise-multiplier"],
        "laplace" | "discrete-laplace" => &["scale", "sensitivity"],
        "discrete-gaussian" => &["sigma", "sensitivity"],
        "randomized-response" => &["epsilon", "k"],
        "pure-dp" => &["epsilon"],
        "approx-dp" => &["epsilon", "delta"],
        "gdp" => &["mu"],
        "zcdp" => &["rho"],
        "rdp" => &["orders"],
        "finite" => &["p", "q"],
        "profile" => &["points"],
        "subsampled" => &["rate", "of", "sampling"],
        "compose" => &["of", "sampling"],
        "dp-sgd" => &dp_sgd::KEYS,
        _ => &[],
    }
}

/// Those of [`keys`] whose values are whole numbers.
pub(crate) fn whole_keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "discrete-laplace" | "discrete-gaussian" => &["sensitivity"],
        "randomized-response" => &["k"],
        "dp-sgd" => &dp_sgd::WHOLE_KEYS,
        _ => &[],
    }
}

fn primitive(kind: &str, fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    match kind {
        "gaussian" => gaussian(fields),
        "laplace" => Ok(Mechanism::Laplace {
            scale: fields.number("scale", Domain::Positive)?,
            sensitivity: fields.number_or("sensitivity", Domain::Positive, 1)?,
        }),
        "discrete-laplace" => Ok(Mechanism::DiscreteLaplace {
            scale: fields.number("scale", Domain::Positive)?,
            sensitivity: fields.whole_or("sensitivity", 1, u64::MAX, 1)?,
        }),
        "discrete-gaussian" => Ok(Mechanism::DiscreteGaussian {
            sigma: fields.number("sigma", Domain::Positive)?,
            sensitivity: fields.whole_or("sensitivity", 1, u64::MAX, 1)?,
        }),
        "randomized-response" => Ok(Mechanism::RandomizedResponse {
            epsilon: fields.number("epsilon", Domain::NonNegative)?,
            k: fields.whole_or("k", 2, u64::MAX, 2)?,
        }),
        "pure-dp" => Ok(Mechanism::PureDp {
            epsilon: fields.number("epsilon", Domain::NonNegative)?,
        }),
        "approx-dp" => Ok(Mechanism::ApproxDp {
            epsilon: fields.number("epsilon", Domain::NonNegative)?,
            delta: fields.number("delta", Domain::Unit)?,
        }),
        "gdp" => Ok(Mechanism::Gdp {
            mu: fields.number("mu", Domain::NonNegative)?,
        }),
        "zcdp" => Ok(Mechanism::Zcdp {
            rho: fields.number("rho", Domain::NonNegative)?,
        }),
        "rdp" => Ok(Mechanism::Rdp {
            orders: rdp_orders(fields)?,
        }),
        "finite" => exact_vectors::finite(fields),
        "profile" => exact_vectors::profile(fields),
        other => Err(fields.missing(&format!("a reader for `{other}`"))),
    }
}

fn gaussian(fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    if !fields.has("noise-multiplier") {
        if !fields.has("sigma") {
            return Err(fields.missing("`sigma` or `noise-multiplier`"));
        }
        return Ok(Mechanism::Gaussian {
            sigma: fields.number("sigma", Domain::Positive)?,
            sensitivity: fields.number_or("sensitivity", Domain::Positive, 1)?,
        });
    }
    for other in ["sigma", "sensitivity"] {
        if fields.has(other) {
            let help = "`noise-multiplier` is sigma/sensitivity and stands alone";
            return Err(fields.conflict("noise-multiplier", other, help));
        }
    }
    Ok(Mechanism::Gaussian {
        sigma: fields.number("noise-multiplier", Domain::Positive)?,
        sensitivity: Rational::from(1),
    })
}

fn rdp_orders(fields: &Fields<'_>) -> Result<Vec<(Rational, Rational)>, Problem> {
    let domains = (Domain::AboveOne, Domain::NonNegative);
    pairs(
        fields.required("orders")?,
        "`orders`",
        ("order", "epsilon"),
        domains,
    )
}

fn subsampled(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Part, Problem> {
    let rate = fields.number("rate", Domain::Rate)?;
    let node = fields.required("of")?;
    let of = part(node, fields::table(node, "`of`")?, Position::Sampled, notes)?;
    let mechanism = Mechanism::Subsampled {
        rate,
        of: Box::new(of.mechanism),
    };
    Ok(Part {
        mechanism,
        runs: of.runs,
    })
}

fn compose(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Part, Problem> {
    let node = fields.required("of")?;
    let items = fields.list("of")?;
    if items.is_empty() {
        let problem = Problem::new(ErrorCode::Range, &node.span, "`of` must not be empty");
        return Err(problem.help("list at least one mechanism"));
    }
    let mut parts = Vec::with_capacity(items.len());
    let mut runs: u64 = 0;
    for item in items {
        let table = fields::table(item, "each entry of `of`")?;
        let entry = part(item, table, Position::Composed, notes)?;
        let times = match table.get("times") {
            None => 1,
            Some(times) => fields::whole(&times.node, "`times`", 1, MAX_TIMES)?,
        };
        runs = add_runs(runs, &entry, times).ok_or_else(|| too_many_runs(&item.span))?;
        parts.push((entry.mechanism, times));
    }
    Ok(Part {
        mechanism: Mechanism::Compose { of: parts },
        runs,
    })
}

pub(crate) fn add_runs(runs: u64, entry: &Part, times: u64) -> Option<u64> {
    runs.checked_add(entry.runs.checked_mul(times)?)
}

pub(crate) fn too_many_runs(span: &Range<usize>) -> Problem {
    let message = "the composition runs more than 2^64 mechanisms";
    Problem::new(ErrorCode::Range, span, message).label("the count passes 2^64 here")
}

fn adjacency(table: &Table) -> Result<Adjacency, Problem> {
    let Some(entry) = table.get("adjacency") else {
        return Ok(Adjacency::default());
    };
    match string(&entry.node, "`adjacency`")? {
        "add-remove" => Ok(Adjacency::AddRemove),
        "remove" => Ok(Adjacency::Remove),
        "add" => Ok(Adjacency::Add),
        found => {
            let values = ["add-remove", "remove", "add"];
            let message = format!("`adjacency` cannot be `{}`", shown(found));
            Err(
                Problem::new(ErrorCode::Unsupported, &entry.node.span, message)
                    .help(fields::suggestion(found, &values, "it is one of")),
            )
        }
    }
}

fn check_sampling(fields: &Fields<'_>) -> Result<(), Problem> {
    let Some(node) = fields.optional("sampling") else {
        return Ok(());
    };
    match node.as_string() {
        Some("poisson") => Ok(()),
        Some(_) => {
            let message = "`sampling` must be \"poisson\"";
            Err(Problem::new(ErrorCode::Unsupported, &node.span, message).help(
                "shuffled or fixed-size batches have other guarantees, which are not computed yet",
            ))
        }
        None => Err(wrong_type(node, "`sampling`", "the string \"poisson\"")),
    }
}
