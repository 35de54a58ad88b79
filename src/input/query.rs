//! Queries of `dpcmp bound`.

use super::{
    argument::read_argument,
    claim::gdp_form,
    epsilon,
    error::InputError,
    fields::{self, Fields, kind, pairs, valid},
    mechanism::read_mechanism,
    node::{Node, Value},
    problem::{ErrorCode, Problem},
    source::Source,
    words::words,
};
use crate::mechanism::{Domain, OutOfRange, Prior};
use crate::statement::{Contrast, Other, Query};

impl Prior {
    /// A density from `kind` or `kind:key=value,…`, for instance `jeffreys` or `beta:a=2,b=1/2`.
    ///
    /// # Errors
    /// As for a prior in JSON; the source is called `argument`.
    #[doc(hidden)]
    pub fn from_argument(text: &str) -> Result<Prior, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| read_prior(&node))
            .map_err(|problem| source.locate(problem))
    }
}

impl Query {
    /// A query from `kind` or `kind:key=value,…`, for instance `delta:epsilon=1` or
    /// `delta-divergence:other={"kind":"gaussian","sigma":2}`.
    ///
    /// # Errors
    /// As for a query in JSON; the source is called `argument`.
    #[doc(hidden)]
    pub fn from_argument(text: &str) -> Result<Query, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| read_query(&node))
            .map_err(|problem| source.locate(problem))
    }
}

words! {
    /// The kinds of queries.
    QueryKind {
        Delta = "delta",
        Epsilon = "epsilon",
        TradeOff = "tradeoff" | "trade-off",
        Advantage = "advantage",
        BayesError = "bayes-error",
        MinimaxRisk = "minimax-risk",
        GdpMu = "gdp-mu",
        Regret = "regret",
        DeltaDivergence = "delta-divergence",
        DeltaSymmetric = "delta-symmetric",
        WeightedDelta = "weighted-delta",
        Renyi = "renyi",
        ZcdpRho = "zcdp-rho",
    }
}

pub(super) const PRIOR_KINDS: [&str; 5] = ["uniform", "jeffreys", "uquadratic", "beta", "table"];

/// Reads a table with `kind` and the keys of that kind.
pub(crate) fn read_query(node: &Node) -> Result<Query, Problem> {
    let table = fields::table(node, "a query")?;
    let (kind, word, kind_span) = QueryKind::of(table, "a query", &node.span)?;
    let mut known = vec!["kind"];
    known.extend_from_slice(query_keys(kind));
    let fields = Fields::new(table, format!("the query `{word}`"), &kind_span, &known)?;
    let query = match kind {
        QueryKind::Delta => Query::delta(epsilon::epsilon(&fields, Domain::Real)?),
        QueryKind::Epsilon => Query::epsilon(fields.number("delta", Domain::NonNegative)?),
        QueryKind::TradeOff => Query::trade_off(fields.number("alpha", Domain::Unit)?),
        QueryKind::Advantage => Ok(Query::advantage()),
        QueryKind::BayesError => Query::bayes_error(fields.number("prior", Domain::Unit)?),
        QueryKind::MinimaxRisk => Ok(Query::minimax_risk()),
        QueryKind::GdpMu => Query::gdp_mu_as(gdp_form(&fields)?),
        QueryKind::Regret => regret(&fields)?,
        QueryKind::DeltaDivergence => Ok(Query::divergence(other(&fields)?, Contrast::To)),
        QueryKind::DeltaSymmetric => Ok(Query::divergence(other(&fields)?, Contrast::Symmetric)),
        QueryKind::WeightedDelta => {
            let other = other(&fields)?;
            let prior = read_prior(fields.required("prior")?)?;
            Ok(Query::divergence(other, Contrast::Weighted(prior)))
        }
        QueryKind::Renyi => renyi(&fields)?,
        QueryKind::ZcdpRho => Ok(Query::zcdp_rho()),
    };
    query.map_err(|error| fields.out_of_range(&error))
}

pub(super) fn query_keys(kind: QueryKind) -> &'static [&'static str] {
    match kind {
        QueryKind::Delta => &epsilon::KEYS,
        QueryKind::Epsilon => &["delta"],
        QueryKind::TradeOff => &["alpha"],
        QueryKind::BayesError => &["prior"],
        QueryKind::GdpMu => &["tolerance", "error-floor"],
        QueryKind::Regret => &["mu"],
        QueryKind::DeltaDivergence | QueryKind::DeltaSymmetric => &["other"],
        QueryKind::WeightedDelta => &["other", "prior"],
        QueryKind::Renyi => &["order"],
        QueryKind::Advantage | QueryKind::MinimaxRisk | QueryKind::ZcdpRho => &[],
    }
}

fn regret(fields: &Fields<'_>) -> Result<Result<Query, OutOfRange>, Problem> {
    match fields.required("mu")?.as_string() {
        Some("mu_star" | "mu-star") => Ok(Ok(Query::regret_of_strict_mu())),
        _ => Ok(Query::regret(fields.number("mu", Domain::NonNegative)?)),
    }
}

fn renyi(fields: &Fields<'_>) -> Result<Result<Query, OutOfRange>, Problem> {
    match fields.required("order")?.as_string() {
        Some("inf") => Ok(Ok(Query::max_divergence())),
        _ => Ok(Query::renyi(fields.number("order", Domain::Positive)?)),
    }
}

fn other(fields: &Fields<'_>) -> Result<Other, Problem> {
    let file = read_mechanism(fields.required("other")?)?;
    Ok(Other::new(file.mechanism, file.adjacency))
}

/// A table with `kind`, or the kind alone as a string.
pub(super) fn read_prior(node: &Node) -> Result<Prior, Problem> {
    if let Value::String(name) = &node.value {
        return match name.as_str() {
            "uniform" => Ok(Prior::uniform()),
            "jeffreys" => Ok(Prior::jeffreys()),
            "uquadratic" => Ok(Prior::u_quadratic()),
            _ => Err(fields::unknown_kind(
                name,
                &node.span,
                "a prior in one word",
                &PRIOR_KINDS[..3],
            )),
        };
    }
    let table = fields::table(node, "`prior`")?;
    let (kind, kind_span) = kind(table, "a prior", &node.span, &PRIOR_KINDS)?;
    let known: &[&str] = match kind {
        "beta" => &["kind", "a", "b"],
        "table" => &["kind", "points"],
        _ => &["kind"],
    };
    let fields = Fields::new(table, format!("the prior `{kind}`"), &kind_span, known)?;
    match kind {
        "uniform" => Ok(Prior::uniform()),
        "jeffreys" => Ok(Prior::jeffreys()),
        "uquadratic" => Ok(Prior::u_quadratic()),
        "beta" => {
            let a = fields.number("a", Domain::Positive)?;
            let b = fields.number("b", Domain::Positive)?;
            Prior::beta(a, b).map_err(|error| fields.out_of_range(&error))
        }
        _ => prior_table(fields.required("points")?),
    }
}

fn prior_table(node: &Node) -> Result<Prior, Problem> {
    let domains = (Domain::Unit, Domain::NonNegative);
    let points = pairs(node, "`points`", ("prior", "density"), domains)?;
    if points.len() < 2 {
        let message = "a prior table needs at least two points";
        return Err(Problem::new(ErrorCode::Range, &node.span, message));
    }
    let items = node.as_array().unwrap_or_default();
    let steps = points
        .iter()
        .zip(points.iter().skip(1))
        .zip(items.iter().skip(1));
    for ((left, right), place) in steps {
        if left.0 >= right.0 {
            let message = "the priors of a table must increase";
            return Err(Problem::new(ErrorCode::Range, &place.span, message)
                .label("this prior is not above the one before"));
        }
    }
    valid(node, Prior::table(points))
}
