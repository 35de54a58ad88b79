//! A mechanism table to a [`Mechanism`], every range checked.

use std::ops::Range;

use rug::{Integer, Rational};

use super::{
    correlated, dp_event, dp_sgd, epsilon, exact_vectors,
    fields::{self, Fields, MAX_TIMES, pairs, string},
    json::shown,
    node::{Node, Table},
    noise_threshold, opacus,
    problem::{ErrorCode, Problem},
    sampling, scores, selection, skellam,
};
use crate::mechanism::kind::{self, Sensitivity};
use crate::mechanism::{Adjacency, Domain, Epsilon, KindName, Mechanism, OutOfRange, Relation};

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

impl MechanismFile {
    /// A mechanism as if it stood in a file.
    pub fn of(mechanism: Mechanism, adjacency: Adjacency) -> Self {
        Self {
            summary: mechanism.kind().name().as_str().to_owned(),
            mechanism,
            adjacency,
            notes: Vec::new(),
        }
    }
}

/// A word that `kind` may be: a kind, or a shorthand for a composition.
#[derive(Clone, Copy)]
pub(crate) enum Notation {
    Kind(KindName),
    DpSgd,
}

const DP_SGD: &str = "dp-sgd";

impl Notation {
    /// All words, in the order of the manual.
    pub fn words() -> Vec<&'static str> {
        let kinds = KindName::ALL.iter().map(|kind| kind.as_str());
        kinds.chain([DP_SGD]).collect()
    }

    /// All of them, with their words.
    #[cfg(test)]
    pub fn all() -> Vec<(&'static str, Self)> {
        let kinds = KindName::ALL
            .iter()
            .map(|kind| (kind.as_str(), Self::Kind(*kind)));
        kinds.chain([(DP_SGD, Self::DpSgd)]).collect()
    }

    /// What the `kind` of a table says, and where.
    pub fn of(table: &Table, span: &Range<usize>) -> Result<(Self, Range<usize>), Problem> {
        let (word, place) = fields::kind(table, "a mechanism", span, &Self::words())?;
        let kind = KindName::ALL.iter().find(|kind| kind.as_str() == word);
        Ok((kind.map_or(Self::DpSgd, |kind| Self::Kind(*kind)), place))
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.as_str(),
            Self::DpSgd => DP_SGD,
        }
    }

    /// The keys besides `kind`, `adjacency` and `times`.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::DpSgd => &dp_sgd::KEYS,
            Self::Kind(kind) => match kind {
                KindName::Gaussian => &[
                    "sigma",
                    "sensitivity",
                    "record-bound",
                    "noise-multiplier",
                    "mu-squared",
                ],
                KindName::Laplace | KindName::DiscreteLaplace => {
                    &["scale", "sensitivity", "record-bound"]
                }
                KindName::DiscreteGaussian => &["sigma", "parties", "sensitivity", "record-bound"],
                KindName::NoiseThreshold => &noise_threshold::KEYS,
                KindName::Skellam => &skellam::KEYS,
                KindName::RandomizedResponse => &["epsilon", "exp-epsilon", "noise", "k"],
                KindName::PureDp => &epsilon::KEYS,
                KindName::ApproxDp => &["epsilon", "exp-epsilon", "delta"],
                KindName::Gdp => &["mu"],
                KindName::Zcdp => &["rho", "xi"],
                KindName::Rdp => &["orders"],
                KindName::Finite => &["p", "q"],
                KindName::Profile => &["points"],
                KindName::GaussianMixture => &["sigma", "shifts", "weights"],
                KindName::Histogram | KindName::Mixture => &["of"],
                KindName::Group => &["records", "of"],
                KindName::Subsampled => &[
                    "rate",
                    "of",
                    "sampling",
                    "dataset-size",
                    "max-batch",
                    "batch-size",
                ],
                KindName::ShuffledBatches => &["noise-multiplier", "steps", "epochs"],
                KindName::Composition => &["of", "sampling"],
                KindName::TreeAggregation => &correlated::TREE_KEYS,
                KindName::MatrixFactorization => &correlated::MATRIX_KEYS,
                KindName::Shuffled => &["users", "of"],
                KindName::PrivateSelection => &selection::KEYS,
                KindName::RandomAllocation => &["steps", "selected", "epochs", "of"],
                KindName::Exponential | KindName::PermuteAndFlip => &scores::KEYS,
                KindName::TopK => &scores::TOP_KEYS,
            },
        }
    }

    /// Those of [`Notation::keys`] whose values are whole numbers.
    pub fn whole_keys(self) -> &'static [&'static str] {
        match self {
            Self::DpSgd => &dp_sgd::WHOLE_KEYS,
            Self::Kind(kind) => match kind {
                KindName::DiscreteGaussian => &["parties", "sensitivity", "record-bound"],
                KindName::DiscreteLaplace | KindName::Skellam => &["sensitivity", "record-bound"],
                KindName::NoiseThreshold => &noise_threshold::WHOLE_KEYS,
                KindName::RandomizedResponse | KindName::TopK => &["k"],
                KindName::TreeAggregation => &correlated::TREE_WHOLE_KEYS,
                KindName::MatrixFactorization => &correlated::MATRIX_WHOLE_KEYS,
                KindName::Group => &["records"],
                KindName::Shuffled => &["users"],
                KindName::Subsampled => &["dataset-size", "max-batch", "batch-size"],
                KindName::ShuffledBatches => &["steps"],
                KindName::RandomAllocation => &["steps", "selected", "epochs"],
                KindName::Gaussian
                | KindName::GaussianMixture
                | KindName::Histogram
                | KindName::Mixture
                | KindName::Laplace
                | KindName::PureDp
                | KindName::ApproxDp
                | KindName::Gdp
                | KindName::Zcdp
                | KindName::Rdp
                | KindName::Finite
                | KindName::Profile
                | KindName::PrivateSelection
                | KindName::Exponential
                | KindName::PermuteAndFlip
                | KindName::Composition => &[],
            },
        }
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
    let mechanism = part(node, table, Position::Top, &mut notes)?;
    let summary = table
        .get("kind")
        .and_then(|entry| entry.node.as_string())
        .unwrap_or_default();
    let (adjacency, place) = adjacency(table, &node.span)?;
    if adjacency.relation() == Relation::Presence && mechanism.steps().conditions().shuffled_reports
    {
        let message = "with one user more or less everybody can count the shuffled reports";
        return Err(Problem::new(ErrorCode::Unsupported, &place, message)
            .help("add `adjacency = \"replace-one\"`: a user holds one value or another"));
    }
    let mechanism = mechanism.under(adjacency.relation());
    Ok(MechanismFile {
        mechanism: mechanism.map_err(|error| fields::out_of_range(&place, &error))?,
        adjacency,
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
    /// In `of` of a `mixture`, which needs `weight`.
    Weighted,
    /// The only one in an `of`.
    Inside,
}

fn part(
    node: &Node,
    table: &Table,
    position: Position,
    notes: &mut Vec<String>,
) -> Result<Mechanism, Problem> {
    let (notation, kind_span) = Notation::of(table, &node.span)?;
    let mut known = vec!["kind"];
    known.extend_from_slice(notation.keys());
    match position {
        Position::Top => known.push("adjacency"),
        Position::Composed => known.push("times"),
        Position::Weighted => known.push("weight"),
        Position::Inside => {}
    }
    let owner = format!("`{}`", notation.as_str());
    let fields = Fields::new(table, owner, &kind_span, &known)?;
    let kind = match notation {
        Notation::DpSgd => return dp_sgd::read(&fields, notes),
        Notation::Kind(kind) => kind,
    };
    let mechanism = match kind {
        KindName::Gaussian => gaussian(&fields)?,
        KindName::Laplace => kind::Laplace::new(
            fields.number("scale", Domain::Positive)?,
            sensitivity(&fields)?,
        )
        .and_then(Mechanism::new),
        KindName::DiscreteLaplace => kind::DiscreteLaplace::new(
            fields.number("scale", Domain::Positive)?,
            whole_sensitivity(&fields)?,
        )
        .and_then(Mechanism::new),
        KindName::DiscreteGaussian => {
            let parties = fields.whole_or("parties", 1, u64::MAX, 1)?;
            kind::DiscreteGaussian::new(
                fields.number("sigma", Domain::Positive)?,
                whole_sensitivity(&fields)?,
            )
            .and_then(|one| one.of_parties(parties))
            .and_then(Mechanism::new)
        }
        KindName::NoiseThreshold => noise_threshold::noise_threshold(&fields)?,
        KindName::Skellam => skellam::skellam(&fields)?,
        KindName::RandomizedResponse => randomized_response(&fields)?,
        KindName::PureDp => Mechanism::pure_dp(epsilon::epsilon(&fields, Domain::NonNegative)?),
        KindName::ApproxDp => Mechanism::approx_dp(
            epsilon::epsilon(&fields, Domain::NonNegative)?,
            fields.number("delta", Domain::Unit)?,
        ),
        KindName::Gdp => Mechanism::gdp(fields.number("mu", Domain::NonNegative)?),
        KindName::Zcdp => Mechanism::zcdp_with(
            fields.number("rho", Domain::NonNegative)?,
            fields.number_or("xi", Domain::NonNegative, 0)?,
        ),
        KindName::Rdp => Mechanism::rdp(rdp_orders(&fields)?),
        KindName::Finite => return exact_vectors::finite(&fields),
        KindName::Profile => return exact_vectors::profile(&fields),
        KindName::GaussianMixture => Mechanism::gaussian_mixture(
            fields.number("sigma", Domain::Positive)?,
            exact_vectors::numbers(&fields, "shifts", Domain::NonNegative)?,
            exact_vectors::numbers(&fields, "weights", Domain::Unit)?,
        ),
        KindName::Histogram => Mechanism::histogram(inner(&fields, notes)?),
        KindName::Mixture => mixture(&fields, notes)?,
        KindName::Group => {
            let records = fields.whole("records", 1, u64::MAX)?;
            Mechanism::group(records, inner(&fields, notes)?)
        }
        KindName::Subsampled => sampling::subsampled(&fields, inner(&fields, notes)?)?,
        KindName::ShuffledBatches => Mechanism::shuffled_batches(
            fields.number("noise-multiplier", Domain::Positive)?,
            fields.whole("steps", 1, MAX_TIMES)?,
            fields.number_or("epochs", Domain::Positive, 1)?,
        ),
        KindName::Composition => {
            sampling::sampling(&fields, &[sampling::Sampling::Poisson])?;
            return compose(&fields, notes);
        }
        KindName::TreeAggregation => correlated::tree_aggregation(&fields)?,
        KindName::MatrixFactorization => correlated::matrix_factorization(&fields)?,
        KindName::Shuffled => {
            let users = fields.whole("users", 1, u64::MAX)?;
            Mechanism::shuffled(users, inner(&fields, notes)?)
        }
        KindName::PrivateSelection => selection::read(&fields, inner(&fields, notes)?)?,
        KindName::RandomAllocation => Mechanism::random_allocation(
            fields.whole("steps", 1, u64::MAX)?,
            fields.whole_or("selected", 1, u64::MAX, 1)?,
            fields.whole_or("epochs", 1, u64::MAX, 1)?,
            inner(&fields, notes)?,
        ),
        KindName::Exponential => scores::exponential(&fields)?,
        KindName::PermuteAndFlip => scores::permute_and_flip(&fields)?,
        KindName::TopK => scores::top_k(&fields)?,
    };
    mechanism.map_err(|error| fields.out_of_range(&error))
}

fn gaussian(fields: &Fields<'_>) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let alone = |key: &str, others: &[&str], help: &str| {
        let other = others.iter().find(|other| fields.has(other));
        other.map_or(Ok(()), |other| Err(fields.conflict(key, other, help)))
    };
    if fields.has("mu-squared") {
        let help = "`mu-squared` is (sensitivity/sigma)^2 and stands alone";
        let others = ["sigma", "sensitivity", "record-bound", "noise-multiplier"];
        alone("mu-squared", &others, help)?;
        let mu_squared = fields.number("mu-squared", Domain::Positive)?;
        return Ok(Mechanism::gaussian_with_mu_squared(mu_squared));
    }
    if !fields.has("noise-multiplier") {
        if !fields.has("sigma") {
            return Err(fields.missing("`sigma`, `noise-multiplier` or `mu-squared`"));
        }
        let sigma = fields.number("sigma", Domain::Positive)?;
        return Ok(kind::Gaussian::new(sigma, sensitivity(fields)?).and_then(Mechanism::new));
    }
    let help = "`noise-multiplier` is sigma over the record bound and stands alone";
    let others = ["sigma", "sensitivity", "record-bound"];
    alone("noise-multiplier", &others, help)?;
    let sigma = fields.number("noise-multiplier", Domain::Positive)?;
    Ok(Mechanism::gaussian_sum(sigma, 1))
}

/// `sensitivity` or `record-bound`; a sensitivity of 1 if neither is there.
fn sensitivity(fields: &Fields<'_>) -> Result<Sensitivity, Problem> {
    let number = |key| fields.number_or(key, Domain::Positive, 1);
    Ok(match is_record_bound(fields)? {
        true => Sensitivity::RecordBound(number("record-bound")?),
        false => Sensitivity::OfQuery(number("sensitivity")?),
    })
}

/// The same as a whole number.
pub(super) fn whole_sensitivity(fields: &Fields<'_>) -> Result<Sensitivity<u64>, Problem> {
    let whole = |key| fields.whole_or(key, 1, u64::MAX, 1);
    Ok(match is_record_bound(fields)? {
        true => Sensitivity::RecordBound(whole("record-bound")?),
        false => Sensitivity::OfQuery(whole("sensitivity")?),
    })
}

fn is_record_bound(fields: &Fields<'_>) -> Result<bool, Problem> {
    if fields.has("record-bound") && fields.has("sensitivity") {
        let help = "`sensitivity` is that of the query, `record-bound` the most that one record contributes";
        return Err(fields.conflict("record-bound", "sensitivity", help));
    }
    Ok(fields.has("record-bound"))
}

/// With `epsilon`, `exp-epsilon`, or `noise`: the probability that the answer is uniform over all k, so that e^ε = 1 + k(1 − noise)/noise.
fn randomized_response(fields: &Fields<'_>) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let k = fields.whole_or("k", 2, u64::MAX, 2)?;
    if !fields.has("noise") {
        let epsilon = epsilon::epsilon(fields, Domain::NonNegative)?;
        return Ok(Mechanism::randomized_response(epsilon, k));
    }
    for other in epsilon::KEYS {
        if fields.has(other) {
            let help = "`noise` is the probability that the answer is uniform, and says the same as an epsilon";
            return Err(fields.conflict("noise", other, help));
        }
    }
    let noise = fields.number("noise", Domain::Rate)?;
    let odds = 1 + Rational::from(1 - &noise) * Integer::from(k) / noise;
    Ok(Epsilon::log_of(odds).and_then(|epsilon| Mechanism::randomized_response(epsilon, k)))
}

fn rdp_orders(fields: &Fields<'_>) -> Result<Vec<(Rational, Rational)>, Problem> {
    let domains = (Domain::AboveOne, Domain::NonNegative);
    let orders = fields.required("orders")?;
    for table in orders
        .as_array()
        .iter()
        .copied()
        .flatten()
        .filter_map(Node::as_table)
    {
        epsilon::not_of_renyi(table)?;
    }
    pairs(orders, "`orders`", ("order", "epsilon"), domains)
}

/// The one mechanism in `of`.
fn inner(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Mechanism, Problem> {
    let node = fields.required("of")?;
    part(node, fields::table(node, "`of`")?, Position::Inside, notes)
}

fn mixture(
    fields: &Fields<'_>,
    notes: &mut Vec<String>,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let items = fields.counted("of")?;
    let mut parts = Vec::with_capacity(items.len());
    for (item, times) in items {
        let table = fields::table(item, "each entry of `of`")?;
        let entry = part(item, table, Position::Weighted, notes)?;
        let weight = table.get("weight").ok_or_else(|| {
            let message = "each entry of `of` needs `weight`";
            Problem::new(ErrorCode::MissingKey, &item.span, message)
                .help("add its probability, for instance `weight = \"1/3\"`")
        })?;
        // Which of equal ones it was tells nothing.
        let weight = fields::number(&weight.node, "`weight`", Domain::Rate)? * Integer::from(times);
        parts.push((weight, entry));
    }
    Ok(Mechanism::mixture(parts))
}

fn compose(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Mechanism, Problem> {
    let items = fields.counted("of")?;
    let mut parts = Vec::with_capacity(items.len());
    let mut runs: u64 = 0;
    for (item, repeated) in items {
        let table = fields::table(item, "each entry of `of`")?;
        let entry = part(item, table, Position::Composed, notes)?;
        let times = match table.get("times") {
            None => 1,
            Some(times) => fields::whole(&times.node, "`times`", 1, MAX_TIMES)?,
        };
        let times = repeated.checked_mul(times);
        let times = times.ok_or_else(|| too_many_runs(&item.span))?;
        runs = add_runs(runs, &entry, times).ok_or_else(|| too_many_runs(&item.span))?;
        parts.push((entry, times));
    }
    Mechanism::compose(parts).map_err(|error| fields.out_of_range(&error))
}

pub(crate) fn add_runs(runs: u64, part: &Mechanism, times: u64) -> Option<u64> {
    runs.checked_add(part.steps().runs().checked_mul(times)?)
}

pub(crate) fn too_many_runs(span: &Range<usize>) -> Problem {
    let message = "the composition runs more than 2^64 mechanisms";
    Problem::new(ErrorCode::Range, span, message).label("the count passes 2^64 here")
}

/// The adjacency, and where it stands.
fn adjacency(table: &Table, span: &Range<usize>) -> Result<(Adjacency, Range<usize>), Problem> {
    let Some(entry) = table.get("adjacency") else {
        return Ok((Adjacency::default(), span.clone()));
    };
    let found = string(&entry.node, "`adjacency`")?;
    let stated = Adjacency::ALL.into_iter().find(|one| one.as_str() == found);
    let place = entry.node.span.clone();
    stated.map(|adjacency| (adjacency, place)).ok_or_else(|| {
        let values = Adjacency::ALL.map(Adjacency::as_str);
        let message = format!("`adjacency` cannot be `{}`", shown(found));
        Problem::new(ErrorCode::Unsupported, &entry.node.span, message).help(fields::suggestion(
            found,
            &values,
            "it is one of",
        ))
    })
}
