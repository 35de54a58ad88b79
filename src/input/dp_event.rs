//! A DpEvent of Google's `dp_accounting`.
//!
//! Observed with dp_accounting 0.6.0. `event.to_named_tuple()` has the fields `module_name`, `class_name` and
//! then those of the event, in this order. `json.dumps` of it gives positional lists,
//! `["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.01, ["dp_accounting.dp_event", "GaussianDpEvent", 1.1]]`;
//! `json.dumps` of its `_asdict()` gives one object whose nested events are positional lists,
//! `{"module_name": "dp_accounting.dp_event", "class_name": "SelfComposedDpEvent", "event": […], "count": 1000}`,
//! and a recursive `_asdict()` gives objects throughout. All three are read, mixed in any way.
//!
//! | class | fields | read as |
//! |---|---|---|
//! | `NoOpDpEvent` | | 0-DP, nothing inside a composition |
//! | `GaussianDpEvent`, `LaplaceDpEvent` | `noise_multiplier` | `gaussian`, `laplace` of record bound 1 |
//! | `DiscreteLaplaceDpEvent` | `noise_parameter` a, `sensitivity` | `discrete-laplace` of scale 1/a and that record bound |
//! | `DiscreteGaussianDpEvent` | `sigma`, `sensitivity` = 1, `dimension` | `discrete-gaussian` of that record bound, if the dimension is 1 |
//! | `RandomizedResponseDpEvent` | `noise_parameter` p, `num_buckets` k | `randomized-response` with `noise` p: the truth with probability 1−p+p/k, each other answer with p/k |
//! | `EpsilonDeltaDpEvent` | `epsilon`, `delta` | `approx-dp` |
//! | `ZCDpEvent` | `rho`, `xi` = 0 | `zcdp` with `xi` |
//! | `MixtureOfGaussiansDpEvent` | `standard_deviation`, `sensitivities`, `sampling_probs` | `gaussian-mixture` |
//! | `SingleEpochTreeAggregationDpEvent` | `noise_multiplier`, `step_counts` | `tree-aggregation` of the largest tree |
//! | `PoissonSampledDpEvent` | `sampling_probability`, `event` | `subsampled` |
//! | `SelfComposedDpEvent` | `event`, `count` | `compose` |
//! | `ComposedDpEvent` | `events` | `compose` |
//!
//! A bare event is about adding or removing a record. `{"event": …, "neighboring-relation": "REPLACE_ONE"}` is about another relation. Responses are
//! about a record that is replaced, and mixtures of Gaussians about one that is there or not: with what is about another relation they are not read.

use std::ops::Range;

use rug::{Integer, Rational};

use self::relation::Reading;
use super::{
    fields::{
        MAX_TIMES, counted, list, number, out_of_range, quoted_list, string, suggestion, valid,
        whole, wrong_type,
    },
    json::shown,
    mechanism::{MechanismFile, add_runs, too_many_runs},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::kind::{self, Sensitivity};
use crate::mechanism::{Adjacency, Conditions, Domain, Epsilon, Mechanism};

mod relation;

/// The classes that are read, with their fields in order.
const CLASSES: [(&str, &[&str]); 13] = [
    ("NoOpDpEvent", &[]),
    ("GaussianDpEvent", &["noise_multiplier"]),
    ("LaplaceDpEvent", &["noise_multiplier"]),
    (
        "DiscreteLaplaceDpEvent",
        &["noise_parameter", "sensitivity"],
    ),
    (
        "RandomizedResponseDpEvent",
        &["noise_parameter", "num_buckets"],
    ),
    (
        "DiscreteGaussianDpEvent",
        &["sigma", "sensitivity", "dimension"],
    ),
    ("EpsilonDeltaDpEvent", &["epsilon", "delta"]),
    (
        "MixtureOfGaussiansDpEvent",
        &["standard_deviation", "sensitivities", "sampling_probs"],
    ),
    ("ZCDpEvent", &["rho", "xi"]),
    (
        "SingleEpochTreeAggregationDpEvent",
        &["noise_multiplier", "step_counts"],
    ),
    ("PoissonSampledDpEvent", &["sampling_probability", "event"]),
    ("SelfComposedDpEvent", &["event", "count"]),
    ("ComposedDpEvent", &["events"]),
];

/// Whether a value is an event rather than a mechanism of dpcmp.
pub(crate) fn looks_like_event(node: &Node) -> bool {
    match &node.value {
        Value::Array(_) => true,
        Value::Table(table) => {
            table.has("class_name") || (table.has("event") && !table.has("kind"))
        }
        _ => false,
    }
}

/// Reads an event, with the neighbouring relation that stands beside it.
pub(crate) fn read_event(node: &Node) -> Result<MechanismFile, Problem> {
    let (node, adjacency, place) = with_relation(node)?;
    let mut reading = Reading::new(adjacency);
    let found = event(node, &mut reading)?;
    reading.is_of_one_relation(node)?;
    let mechanism = match found {
        Some(mechanism) => mechanism,
        None => valid(node, Mechanism::pure_dp(0))?,
    };
    let mechanism = mechanism
        .under(adjacency.relation())
        .map_err(|error| out_of_range(place, &error))?;
    let mut notes = vec!["read from a dp_accounting DpEvent".to_owned()];
    if reading.has_response && adjacency == Adjacency::AddRemove {
        notes.push(
            "RandomizedResponseDpEvent: the pair compares two answers of one record, so the \
             statement is about replacing it"
                .to_owned(),
        );
    }
    let summary = "dp-event".to_owned();
    Ok(MechanismFile {
        mechanism,
        adjacency,
        summary,
        notes,
    })
}

/// The keys beside an event.
const RELATION_KEYS: [&str; 2] = ["neighboring-relation", "neighboring_relation"];

/// The event itself, its relation and where that is said.
fn with_relation(node: &Node) -> Result<(&Node, Adjacency, &Range<usize>), Problem> {
    let bare = (node, Adjacency::AddRemove, &node.span);
    let Value::Table(table) = &node.value else {
        return Ok(bare);
    };
    if table.has("class_name") {
        return Ok(bare);
    }
    let is_known = |key: &str| key == "event" || RELATION_KEYS.contains(&key);
    if let Some(entry) = table.entries.iter().find(|entry| !is_known(&entry.key)) {
        let message = format!("`{}` does not belong beside an event", shown(&entry.key));
        return Err(
            Problem::new(ErrorCode::UnknownKey, &entry.key_span, message)
                .help("an event stands alone or with `neighboring-relation`"),
        );
    }
    let event = table.get("event").map_or(node, |entry| &entry.node);
    let mut stated = RELATION_KEYS.iter().filter_map(|key| table.get(key));
    let Some(entry) = stated.next() else {
        return Ok((event, Adjacency::AddRemove, &event.span));
    };
    if let Some(other) = stated.next() {
        let message = "the relation is stated twice, in both spellings of the key";
        return Err(
            Problem::new(ErrorCode::Conflict, &other.key_span, message).help("keep one of them")
        );
    }
    let found = string(&entry.node, "`neighboring-relation`")?;
    let adjacency =
        match found {
            "ADD_OR_REMOVE_ONE" => Adjacency::AddRemove,
            "REPLACE_ONE" => Adjacency::ReplaceOne,
            "REPLACE_SPECIAL" => Adjacency::ReplaceSpecial,
            _ => {
                let message = format!("`neighboring-relation` cannot be `{}`", shown(found));
                let values = ["ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"];
                return Err(
                    Problem::new(ErrorCode::Unsupported, &entry.node.span, message)
                        .help(suggestion(found, &values, "it is one of")),
                );
            }
        };
    Ok((event, adjacency, &entry.node.span))
}

/// An event taken apart.
struct Event<'n> {
    node: &'n Node,
    class: &'static str,
    /// Values in the order of the class's fields; `None` where one is left out.
    values: [Option<&'n Node>; 3],
}

impl<'n> Event<'n> {
    fn value(&self, position: usize) -> Result<&'n Node, Problem> {
        self.values.get(position).copied().flatten().ok_or_else(|| {
            let names = fields_of(self.class).unwrap_or_default();
            let name = names.get(position).copied().unwrap_or("value");
            let message = format!("{} needs `{name}`", self.class);
            Problem::new(ErrorCode::MissingKey, &self.node.span, message)
        })
    }

    fn number(&self, position: usize, domain: Domain) -> Result<Rational, Problem> {
        number(self.value(position)?, &self.name(position), domain)
    }

    fn whole(&self, position: usize, least: u64, most: u64) -> Result<u64, Problem> {
        whole(self.value(position)?, &self.name(position), least, most)
    }

    fn name(&self, position: usize) -> String {
        let names = fields_of(self.class).unwrap_or_default();
        format!(
            "`{}` of {}",
            names.get(position).copied().unwrap_or("value"),
            self.class
        )
    }
}

/// The mechanism of an event; `None` for one that does nothing.
fn event(node: &Node, reading: &mut Reading) -> Result<Option<Mechanism>, Problem> {
    let event = take_apart(node)?;
    let primitive = |mechanism| valid(node, mechanism).map(Some);
    reading.see(event.class);
    match event.class {
        "NoOpDpEvent" => Ok(None),
        "GaussianDpEvent" => primitive(Mechanism::gaussian_sum(
            event.number(0, Domain::Positive)?,
            1,
        )),
        "LaplaceDpEvent" => primitive(Mechanism::laplace_sum(
            event.number(0, Domain::Positive)?,
            1,
        )),
        "DiscreteLaplaceDpEvent" => {
            let scale = event.number(0, Domain::Positive)?.recip();
            let bound = Sensitivity::RecordBound(event.whole(1, 1, u64::MAX)?);
            primitive(kind::DiscreteLaplace::new(scale, bound).and_then(Mechanism::new))
        }
        "DiscreteGaussianDpEvent" => discrete_gaussian(&event).map(Some),
        "EpsilonDeltaDpEvent" => primitive(Mechanism::approx_dp(
            event.number(0, Domain::NonNegative)?,
            event.number(1, Domain::Unit)?,
        )),
        "MixtureOfGaussiansDpEvent" => {
            let numbers = |position: usize, domain: Domain| {
                let items = list(event.value(position)?, &event.name(position))?;
                let entry = |item| number(item, &event.name(position), domain);
                items.iter().map(entry).collect::<Result<Vec<_>, Problem>>()
            };
            primitive(Mechanism::gaussian_mixture(
                event.number(0, Domain::Positive)?,
                numbers(1, Domain::NonNegative)?,
                numbers(2, Domain::Unit)?,
            ))
        }
        "RandomizedResponseDpEvent" => randomized_response(&event, reading.adjacency).map(Some),
        "ZCDpEvent" => zcdp(&event).map(Some),
        "SingleEpochTreeAggregationDpEvent" => trees(&event).map(Some),
        "PoissonSampledDpEvent" => sampled(&event, reading),
        "SelfComposedDpEvent" => self_composed(&event, reading),
        _ => composed(&event, reading),
    }
}

/// Truth with probability 1−p+p/k, each of the k−1 other answers with p/k: the odds are 1 + k(1 − p)/p. Without noise it is the truth,
/// against another one, or against any answer for a special record, which has none.
fn randomized_response(event: &Event<'_>, adjacency: Adjacency) -> Result<Mechanism, Problem> {
    let noise = event.number(0, Domain::Unit)?;
    let buckets = event.whole(1, 2, u64::MAX)?;
    if noise == 0 {
        let (by_chance, granted) = match adjacency {
            Adjacency::ReplaceSpecial => {
                (Rational::from((1, buckets)), Conditions::SPECIAL_RESPONSES)
            }
            Adjacency::ReplaceOne | Adjacency::AddRemove | Adjacency::Remove | Adjacency::Add => {
                (Rational::new(), Conditions::NONE)
            }
        };
        let rest = Rational::from(1 - &by_chance);
        let truth = vec![Rational::from(1), Rational::new()];
        let answer = valid(event.node, Mechanism::finite(vec![by_chance, rest], truth))?;
        return Ok(answer.granting(granted));
    }
    let odds = 1 + Rational::from(1 - &noise) * Integer::from(buckets) / noise;
    let response =
        Epsilon::log_of(odds).and_then(|epsilon| Mechanism::randomized_response(epsilon, buckets));
    valid(event.node, response)
}

fn zcdp(event: &Event<'_>) -> Result<Mechanism, Problem> {
    let rho = event.number(0, Domain::NonNegative)?;
    let xi = match event.values.get(1).copied().flatten() {
        Some(node) => number(node, "`xi` of ZCDpEvent", Domain::NonNegative)?,
        None => Rational::new(),
    };
    valid(event.node, Mechanism::zcdp_with(rho, xi))
}

/// Of one dimension: in several the profile is not known.
fn discrete_gaussian(event: &Event<'_>) -> Result<Mechanism, Problem> {
    let sigma = event.number(0, Domain::Positive)?;
    let value = |position: usize| event.values.get(position).copied().flatten();
    let bound = match value(1) {
        Some(_) => event.whole(1, 1, u64::MAX)?,
        None => 1,
    };
    let is_one = match value(2) {
        Some(node) => whole(node, &event.name(2), 1, u64::MAX).is_ok_and(|found| found == 1),
        None => false,
    };
    if !is_one {
        let place = value(2).map_or(&event.node.span, |node| &node.span);
        let message = "only a DiscreteGaussianDpEvent with `dimension` 1 is read";
        return Err(Problem::new(ErrorCode::Unsupported, place, message).help(
            "in several dimensions the profile of discrete Gaussian noise is not known; it is rho-zCDP with rho = (sensitivity/sigma)^2/2",
        ));
    }
    let bound = Sensitivity::RecordBound(bound);
    let noise = kind::DiscreteGaussian::new(sigma, bound).and_then(Mechanism::new);
    valid(event.node, noise)
}

/// A record is in one leaf of one of the trees, so that the largest tree decides.
fn trees(event: &Event<'_>) -> Result<Mechanism, Problem> {
    let noise = event.number(0, Domain::Positive)?;
    let node = event.value(1)?;
    let counts = node.as_array().unwrap_or(std::slice::from_ref(node));
    let counts = counts
        .iter()
        .map(|count| whole(count, &event.name(1), 1, MAX_TIMES));
    let counts = counts.collect::<Result<Vec<u64>, Problem>>()?;
    let most = counts.into_iter().max().ok_or_else(|| {
        let message = format!("{} must not be empty", event.name(1));
        Problem::new(ErrorCode::Range, &node.span, message)
    })?;
    valid(
        event.node,
        Mechanism::tree_aggregation(noise, most, 1, 1, 1),
    )
}

fn sampled(event: &Event<'_>, reading: &mut Reading) -> Result<Option<Mechanism>, Problem> {
    let rate = event.number(0, Domain::Unit)?;
    let is_sample = rate != 0 && rate != 1;
    let of = event.value(1)?;
    let inner = reading.sampled(is_sample, |reading| self::event(of, reading))?;
    let Some(of) = inner.filter(|_| rate != 0) else {
        return Ok(None);
    };
    valid(event.node, Mechanism::subsampled(rate, of)).map(Some)
}

fn self_composed(event: &Event<'_>, reading: &mut Reading) -> Result<Option<Mechanism>, Problem> {
    let part = self::event(event.value(0)?, reading)?;
    let count = event.whole(1, 0, MAX_TIMES)?;
    let Some(part) = part.filter(|_| count > 0) else {
        return Ok(None);
    };
    add_runs(0, &part, count).ok_or_else(|| too_many_runs(&event.node.span))?;
    valid(event.node, Mechanism::compose(vec![(part, count)])).map(Some)
}

fn composed(event: &Event<'_>, reading: &mut Reading) -> Result<Option<Mechanism>, Problem> {
    let mut of = Vec::new();
    let mut runs: u64 = 0;
    for (item, times) in counted(event.value(0)?, &event.name(0))? {
        if let Some(part) = self::event(item, reading)? {
            runs = add_runs(runs, &part, times).ok_or_else(|| too_many_runs(&item.span))?;
            of.push((part, times));
        }
    }
    if of.is_empty() {
        return Ok(None);
    }
    valid(event.node, Mechanism::compose(of)).map(Some)
}

fn take_apart(node: &Node) -> Result<Event<'_>, Problem> {
    match &node.value {
        Value::Array(items) => positional(node, items),
        Value::Table(table) => {
            let Some(class) = table.get("class_name") else {
                let message = "a DpEvent needs `class_name`";
                return Err(Problem::new(ErrorCode::MissingKey, &node.span, message));
            };
            let class = class_name(&class.node)?;
            let names = fields_of(class).unwrap_or_default();
            let stranger = table.entries.iter().find(|entry| {
                let key = entry.key.as_str();
                !["module_name", "class_name"].contains(&key) && !names.contains(&key)
            });
            if let Some(entry) = stranger {
                let message = format!("{class} has no field `{}`", shown(&entry.key));
                return Err(
                    Problem::new(ErrorCode::UnknownKey, &entry.key_span, message)
                        .help(format!("its fields are {}", quoted_list(names))),
                );
            }
            let field = |position: usize| {
                names
                    .get(position)
                    .and_then(|name| table.get(name))
                    .map(|entry| &entry.node)
            };
            Ok(Event {
                node,
                class,
                values: [field(0), field(1), field(2)],
            })
        }
        _ => Err(wrong_type(
            node,
            "a DpEvent",
            "a list [module, class, …] or an object",
        )),
    }
}

fn positional<'n>(node: &'n Node, items: &'n [Node]) -> Result<Event<'n>, Problem> {
    let [module, class, values @ ..] = items else {
        return Err(wrong_type(node, "a DpEvent", "a list [module, class, …]")
            .label("this list has fewer than two entries"));
    };
    string(module, "the module of a DpEvent")?;
    let class = class_name(class)?;
    let names = fields_of(class).unwrap_or_default();
    if values.len() > names.len() {
        let message = format!(
            "{} values stand here, but {class} has only {}",
            values.len(),
            names.len()
        );
        return Err(Problem::new(ErrorCode::UnknownKey, &node.span, message)
            .help(format!("its fields are {}", quoted_list(names))));
    }
    Ok(Event {
        node,
        class,
        values: [values.first(), values.get(1), values.get(2)],
    })
}

fn class_name(node: &Node) -> Result<&'static str, Problem> {
    let found = string(node, "the class of a DpEvent")?;
    if let Some((name, _)) = CLASSES.iter().find(|(name, _)| *name == found) {
        return Ok(name);
    }
    let message = format!("the DpEvent class `{}` is not read", shown(found));
    let names: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
    let help = match found {
        "NonPrivateDpEvent" => {
            "it promises no privacy at all, so there is nothing to check".to_owned()
        }
        "UnsupportedDpEvent" => "it says nothing of what was run".to_owned(),
        "SampledWithReplacementDpEvent" => "sampling with replacement is not computed".to_owned(),
        "SampledWithoutReplacementDpEvent" => {
            "state it as `subsampled` or `dp-sgd` with `sampling = \"without-replacement\"`"
                .to_owned()
        }
        "TruncatedSubsampledGaussianDpEvent" => {
            "state it as `subsampled` or `dp-sgd` with `sampling = \"truncated-poisson\"`"
                .to_owned()
        }
        "RepeatAndSelectDpEvent" => "state it as `private-selection`".to_owned(),
        "ExponentialMechanismDpEvent" => "state it as `exponential`".to_owned(),
        "PermuteAndFlipDpEvent" => "state it as `permute-and-flip`".to_owned(),
        _ => format!("classes that are read: {}", quoted_list(&names)),
    };
    Err(Problem::new(ErrorCode::Unsupported, &node.span, message).help(help))
}

fn fields_of(class: &str) -> Option<&'static [&'static str]> {
    CLASSES
        .iter()
        .find(|(name, _)| *name == class)
        .map(|(_, fields)| *fields)
}
