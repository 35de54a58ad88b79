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
//! | `GaussianDpEvent`, `LaplaceDpEvent` | `noise_multiplier` | `gaussian`, `laplace` of sensitivity 1 |
//! | `DiscreteLaplaceDpEvent` | `noise_parameter` a, `sensitivity` | `discrete-laplace` of scale 1/a |
//! | `RandomizedResponseDpEvent` | `noise_parameter` p, `num_buckets` k | `finite`: the truth with probability 1−p+p/k, each other answer with p/k |
//! | `ZCDpEvent` | `rho`, `xi` = 0 | `zcdp`, if xi is 0 |
//! | `PoissonSampledDpEvent` | `sampling_probability`, `event` | `subsampled` |
//! | `SelfComposedDpEvent` | `event`, `count` | `compose` |
//! | `ComposedDpEvent` | `events` | `compose` |

use rug::Rational;

use super::{
    fields::{MAX_TIMES, list, number, quoted_list, string, valid, whole, wrong_type},
    json::shown,
    mechanism::{MechanismFile, add_runs, too_many_runs},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Adjacency, Domain, FiniteLosses, Mechanism, Step};

/// The classes that are read, with their fields in order.
const CLASSES: [(&str, &[&str]); 10] = [
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
        Value::Table(table) => table.has("class_name"),
        _ => false,
    }
}

/// Reads an event, under add-remove adjacency.
pub(crate) fn read_event(node: &Node) -> Result<MechanismFile, Problem> {
    let mechanism = match event(node)? {
        Some(mechanism) => mechanism,
        None => valid(node, Mechanism::pure_dp(0))?,
    };
    let mut notes = vec!["read from a dp_accounting DpEvent".to_owned()];
    // A randomised response is the only event that becomes a finite pair.
    if mechanism.steps().any(&|step| matches!(step, Step::Finite(one) if matches!(one.losses(), FiniteLosses::Pair { .. }))) {
        notes.push(
            "RandomizedResponseDpEvent: the pair compares two answers of one record, so the \
             statement is about replacing it"
                .to_owned(),
        );
    }
    let summary = "dp-event".to_owned();
    Ok(MechanismFile {
        mechanism,
        adjacency: Adjacency::AddRemove,
        summary,
        notes,
    })
}

/// An event taken apart.
struct Event<'n> {
    node: &'n Node,
    class: &'static str,
    /// Values in the order of the class's fields; `None` where one is left out.
    values: [Option<&'n Node>; 2],
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
fn event(node: &Node) -> Result<Option<Mechanism>, Problem> {
    let event = take_apart(node)?;
    let primitive = |mechanism| valid(node, mechanism).map(Some);
    match event.class {
        "NoOpDpEvent" => Ok(None),
        "GaussianDpEvent" => primitive(Mechanism::gaussian(event.number(0, Domain::Positive)?, 1)),
        "LaplaceDpEvent" => primitive(Mechanism::laplace(event.number(0, Domain::Positive)?, 1)),
        "DiscreteLaplaceDpEvent" => primitive(Mechanism::discrete_laplace(
            event.number(0, Domain::Positive)?.recip(),
            event.whole(1, 1, u64::MAX)?,
        )),
        "RandomizedResponseDpEvent" => randomized_response(&event).map(Some),
        "ZCDpEvent" => zcdp(&event).map(Some),
        "SingleEpochTreeAggregationDpEvent" => trees(&event).map(Some),
        "PoissonSampledDpEvent" => sampled(&event),
        "SelfComposedDpEvent" => self_composed(&event),
        _ => composed(&event),
    }
}

/// Truth with probability 1−p+p/k, each of the k−1 other answers with p/k. For the true answers i and j the
/// answers other than i and j are equally likely under both, so they count as one.
fn randomized_response(event: &Event<'_>) -> Result<Mechanism, Problem> {
    let noise = event.number(0, Domain::Unit)?;
    let buckets = event.whole(1, 2, u64::MAX)?;
    let lie = noise.clone() / buckets;
    let truth = (Rational::from(1) - noise) + &lie;
    let rest = Rational::from(1) - &truth - &lie;
    let p = vec![truth.clone(), lie.clone(), rest.clone()];
    valid(event.node, Mechanism::finite(p, vec![lie, truth, rest]))
}

fn zcdp(event: &Event<'_>) -> Result<Mechanism, Problem> {
    let rho = event.number(0, Domain::NonNegative)?;
    if let Some(node) = event.values.get(1).copied().flatten() {
        let xi = number(node, "`xi` of ZCDpEvent", Domain::NonNegative)?;
        if xi != 0 {
            let message = "ZCDpEvent with xi > 0 is not read";
            return Err(Problem::new(ErrorCode::Unsupported, &node.span, message)
                .help("state it as `rdp` at the orders you need: epsilon(t) = xi + rho·t"));
        }
    }
    valid(event.node, Mechanism::zcdp(rho))
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

fn sampled(event: &Event<'_>) -> Result<Option<Mechanism>, Problem> {
    let rate = event.number(0, Domain::Unit)?;
    let inner = self::event(event.value(1)?)?;
    let Some(of) = inner.filter(|_| rate != 0) else {
        return Ok(None);
    };
    valid(event.node, Mechanism::subsampled(rate, of)).map(Some)
}

fn self_composed(event: &Event<'_>) -> Result<Option<Mechanism>, Problem> {
    let part = self::event(event.value(0)?)?;
    let count = event.whole(1, 0, MAX_TIMES)?;
    let Some(part) = part.filter(|_| count > 0) else {
        return Ok(None);
    };
    add_runs(0, &part, count).ok_or_else(|| too_many_runs(&event.node.span))?;
    valid(event.node, Mechanism::compose(vec![(part, count)])).map(Some)
}

fn composed(event: &Event<'_>) -> Result<Option<Mechanism>, Problem> {
    let mut of = Vec::new();
    let mut runs: u64 = 0;
    for item in list(event.value(0)?, &event.name(0))? {
        if let Some(part) = self::event(item)? {
            runs = add_runs(runs, &part, 1).ok_or_else(|| too_many_runs(&item.span))?;
            of.push((part, 1));
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
                values: [field(0), field(1)],
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
        values: [values.first(), values.get(1)],
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
        "SampledWithoutReplacementDpEvent" | "SampledWithReplacementDpEvent" => {
            "only Poisson sampling is computed: other sampling has other guarantees".to_owned()
        }
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
