//! Queries of `dpcmp bound`.

use rug::Rational;

use super::{
    argument::read_argument,
    claim::gdp_form,
    epsilon,
    error::InputError,
    fields::{self, Fields, kind, pairs},
    mechanism::{MechanismFile, read_mechanism},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
    source::Source,
    words::words,
};
use crate::mechanism::{Domain, Epsilon, GdpForm, Prior, RenyiOrder};

/// A quantity of one mechanism, or of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// The privacy profile at one point.
    Delta(Epsilon),
    /// inf over all real ε with δ(ε) ≤ delta.
    Epsilon {
        /// ≥ 0; from 1 on the answer is −∞.
        delta: Rational,
    },
    /// f(α).
    Tradeoff {
        /// α in [0, 1].
        alpha: Rational,
    },
    /// δ(0).
    Advantage,
    /// R(π).
    BayesError {
        /// π in [0, 1], the prior that the record is absent.
        prior: Rational,
    },
    /// max over π of R(π).
    MinimaxRisk,
    /// The least μ of the stated form.
    GdpMu(GdpForm),
    /// Δ(M ‖ G_μ).
    Regret(RegretMu),
    /// Δ(M ‖ other).
    DeltaDivergence {
        /// The second argument of Δ.
        other: Box<MechanismFile>,
    },
    /// The larger of Δ in both directions.
    DeltaSymmetric {
        /// The other mechanism.
        other: Box<MechanismFile>,
    },
    /// max over π of density(π) · (R(π) − R̃(π)).
    WeightedDelta {
        /// The second argument of Δ.
        other: Box<MechanismFile>,
        /// Density on [0, 1].
        prior: Prior,
    },
    /// The Rényi divergence.
    Renyi {
        /// Its order.
        order: RenyiOrder,
    },
    /// sup over t > 1 of (Rényi divergence of order t)/t.
    ZcdpRho,
}

/// Whose regret is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegretMu {
    /// A given μ ≥ 0.
    At(Rational),
    /// The strict μ* of the mechanism, whatever it is.
    MuStar,
}

impl Prior {
    /// A density from `kind` or `kind:key=value,…`, for instance `jeffreys` or `beta:a=2,b=1/2`.
    ///
    /// # Errors
    /// As for a prior in JSON; the source is called `argument`.
    pub fn from_argument(text: &str) -> Result<Prior, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| prior(&node))
            .map_err(|problem| source.locate(problem))
    }
}

impl Query {
    /// A query from `kind` or `kind:key=value,…`, for instance `delta:epsilon=1` or
    /// `delta-divergence:other={"kind":"gaussian","sigma":2}`.
    ///
    /// # Errors
    /// As for a query in JSON; the source is called `argument`.
    pub fn from_argument(text: &str) -> Result<Query, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| read_query(&node))
            .map_err(|problem| source.locate(problem))
    }

    /// The `kind` of the query.
    pub fn kind(&self) -> &'static str {
        match self {
            Query::Delta(_) => "delta",
            Query::Epsilon { .. } => "epsilon",
            Query::Tradeoff { .. } => "tradeoff",
            Query::Advantage => "advantage",
            Query::BayesError { .. } => "bayes-error",
            Query::MinimaxRisk => "minimax-risk",
            Query::GdpMu(_) => "gdp-mu",
            Query::Regret(_) => "regret",
            Query::DeltaDivergence { .. } => "delta-divergence",
            Query::DeltaSymmetric { .. } => "delta-symmetric",
            Query::WeightedDelta { .. } => "weighted-delta",
            Query::Renyi { .. } => "renyi",
            Query::ZcdpRho => "zcdp-rho",
        }
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

const PRIOR_KINDS: [&str; 5] = ["uniform", "jeffreys", "uquadratic", "beta", "table"];

/// Reads a table with `kind` and the keys of that kind.
pub(crate) fn read_query(node: &Node) -> Result<Query, Problem> {
    let table = fields::table(node, "a query")?;
    let (kind, word, kind_span) = QueryKind::of(table, "a query", &node.span)?;
    let mut known = vec!["kind"];
    known.extend_from_slice(query_keys(kind));
    let fields = Fields::new(table, format!("the query `{word}`"), &kind_span, &known)?;
    match kind {
        QueryKind::Delta => Ok(Query::Delta(epsilon::epsilon(&fields, Domain::Real)?)),
        QueryKind::Epsilon => Ok(Query::Epsilon {
            delta: fields.number("delta", Domain::NonNegative)?,
        }),
        QueryKind::TradeOff => Ok(Query::Tradeoff {
            alpha: fields.number("alpha", Domain::Unit)?,
        }),
        QueryKind::Advantage => Ok(Query::Advantage),
        QueryKind::BayesError => Ok(Query::BayesError {
            prior: fields.number("prior", Domain::Unit)?,
        }),
        QueryKind::MinimaxRisk => Ok(Query::MinimaxRisk),
        QueryKind::GdpMu => Ok(Query::GdpMu(gdp_form(&fields)?)),
        QueryKind::Regret => Ok(Query::Regret(regret_mu(&fields)?)),
        QueryKind::DeltaDivergence => Ok(Query::DeltaDivergence {
            other: other(&fields)?,
        }),
        QueryKind::DeltaSymmetric => Ok(Query::DeltaSymmetric {
            other: other(&fields)?,
        }),
        QueryKind::WeightedDelta => Ok(Query::WeightedDelta {
            other: other(&fields)?,
            prior: prior(fields.required("prior")?)?,
        }),
        QueryKind::Renyi => Ok(Query::Renyi {
            order: renyi_order(&fields)?,
        }),
        QueryKind::ZcdpRho => Ok(Query::ZcdpRho),
    }
}

fn query_keys(kind: QueryKind) -> &'static [&'static str] {
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

fn regret_mu(fields: &Fields<'_>) -> Result<RegretMu, Problem> {
    match fields.required("mu")?.as_string() {
        Some("mu_star" | "mu-star") => Ok(RegretMu::MuStar),
        _ => Ok(RegretMu::At(fields.number("mu", Domain::NonNegative)?)),
    }
}

fn renyi_order(fields: &Fields<'_>) -> Result<RenyiOrder, Problem> {
    match fields.required("order")?.as_string() {
        Some("inf") => Ok(RenyiOrder::Infinite),
        _ => Ok(RenyiOrder::Finite(
            fields.number("order", Domain::Positive)?,
        )),
    }
}

fn other(fields: &Fields<'_>) -> Result<Box<MechanismFile>, Problem> {
    Ok(Box::new(read_mechanism(fields.required("other")?)?))
}

/// A table with `kind`, or the kind alone as a string.
fn prior(node: &Node) -> Result<Prior, Problem> {
    if let Value::String(name) = &node.value {
        return match name.as_str() {
            "uniform" => Ok(Prior::Uniform),
            "jeffreys" => Ok(Prior::jeffreys()),
            "uquadratic" => Ok(Prior::UQuadratic),
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
        "uniform" => Ok(Prior::Uniform),
        "jeffreys" => Ok(Prior::jeffreys()),
        "uquadratic" => Ok(Prior::UQuadratic),
        "beta" => Ok(Prior::Beta {
            a: fields.number("a", Domain::Positive)?,
            b: fields.number("b", Domain::Positive)?,
        }),
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
    Ok(Prior::Table(points))
}
