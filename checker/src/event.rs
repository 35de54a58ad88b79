//! DpEvents of Google's `dp_accounting`, as objects and as the positional lists `[module, class, …]`: in the words of ordinary kinds.

use crate::mechanism::{nothing_run, part};
use crate::numbers::{probability, whole};
use crate::*;

/// Classes that are read, the kinds that they are, and their fields in order, each with its key there.
const CLASSES: [(&str, &str, &str); 13] = [
    ("GaussianDpEvent", "gaussian", "noise_multiplier=noise-multiplier"),
    ("LaplaceDpEvent", "laplace", "noise_multiplier=scale"),
    ("DiscreteLaplaceDpEvent", "discrete-laplace", "noise_parameter=scale sensitivity=record-bound"),
    ("DiscreteGaussianDpEvent", "discrete-gaussian", "sigma=sigma sensitivity=record-bound dimension=dimension"),
    ("EpsilonDeltaDpEvent", "approx-dp", "epsilon=epsilon delta=delta"),
    ("ZCDpEvent", "zcdp", "rho=rho xi=xi"),
    (MIXTURE, "gaussian-mixture", "standard_deviation=sigma sensitivities=shifts sampling_probs=weights"),
    (TREE, "tree-aggregation", "noise_multiplier=noise-multiplier step_counts=steps"),
    (RESPONSE, "randomized-response", "noise_parameter=noise num_buckets=k"),
    ("NoOpDpEvent", "nothing", ""),
    ("PoissonSampledDpEvent", "subsampled", "sampling_probability=rate event=of"),
    ("SelfComposedDpEvent", "repeated", "event=of count=times"),
    ("ComposedDpEvent", "compose", "events=of"),
];

const MIXTURE: &str = "MixtureOfGaussiansDpEvent";
const TREE: &str = "SingleEpochTreeAggregationDpEvent";
const RESPONSE: &str = "RandomizedResponseDpEvent";

/// What is in an event, also in a part of it that is never run.
#[derive(Default)]
struct Seen {
    response: bool,
    /// On a sample of some of the records. Nothing is said of one that is not in it.
    sampled_response: bool,
    mixture: bool,
    /// Anything else that is about records which are there or not, or replaced, as the relation says.
    other: bool,
}

/// Is it an event rather than a mechanism with a kind?
pub fn is_event(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    matches!(value, Value::List(_)) || has("class_name") || (has("event") && !has("kind"))
}

/// An event, with the neighbouring relation beside it; a bare one is about adding or removing a record.
pub fn read(value: &Value) -> Result<(Normal, Adjacency)> {
    let relations = ["neighboring-relation", "neighboring_relation"];
    let inner = value.get("event").filter(|_| value.get("class_name").is_none());
    let mut stated = None;
    if inner.is_some() {
        value.only("an event", &["event", relations[0], relations[1]])?;
        let is_stated_twice = relations.iter().all(|key| value.get(key).is_some());
        Reason::Malformed.when(is_stated_twice, "the neighbouring relation is stated twice")?;
        stated = relations.iter().find_map(|key| value.get(key));
    }
    let adjacency = match stated.map(|value| value.text("`neighboring-relation`")).transpose()? {
        None | Some("ADD_OR_REMOVE_ONE") => Adjacency::AddRemove,
        Some("REPLACE_ONE") => Adjacency::ReplaceOne,
        Some("REPLACE_SPECIAL") => Adjacency::ReplaceSpecial,
        Some(_) => return Err(Rejected::malformed("an unknown neighbouring relation")),
    };
    let (relation, mut seen) = (adjacency.relation(), Seen::default());
    let normal = match event(inner.unwrap_or(value), relation, &mut seen)? {
        Some(of) => part(&of, "kind", relation)?,
        None => nothing_run(),
    };
    // A response is about a record that is replaced, a mixture about one that is there or not.
    let is_elsewhere = match relation {
        Relation::ReplaceOne => seen.mixture,
        Relation::Presence => seen.sampled_response || seen.response && (seen.mixture || seen.other),
        Relation::ReplaceSpecial => seen.sampled_response,
    };
    Reason::Malformed.when(is_elsewhere, "a DpEvent is in part about another relation")?;
    Ok((normal, adjacency))
}

type Fields<'a> = Vec<(&'static str, Option<&'a Value>)>;

/// The class of an event, its kind, and what it states, by the keys there.
fn apart(value: &Value) -> Result<(&'static str, &'static str, Fields<'_>)> {
    let is_list = matches!(value, Value::List(_));
    let (name, values) = match value {
        Value::List(items) => match items.as_slice() {
            [Value::Text(_), class, values @ ..] => (class, values),
            _ => return Err(Rejected::malformed("a DpEvent is a list [module, class, …]")),
        },
        _ => (value.need("class_name")?, &[][..]),
    };
    let name = name.text("the class of a DpEvent")?;
    let unknown = || Rejected::uncovered(&format!("a DpEvent `{}`", one_line(name, 40)));
    let (class, kind, fields) = CLASSES.into_iter().find(|(class, ..)| *class == name).ok_or_else(unknown)?;
    let fields: Vec<_> = fields.split_whitespace().filter_map(|field| field.split_once('=')).collect();
    Reason::Malformed.when(values.len() > fields.len(), "a DpEvent has too many values")?;
    if !is_list {
        let names = fields.iter().map(|(name, _)| *name).chain(["module_name", "class_name"]);
        value.only("a DpEvent", &names.collect::<Vec<_>>())?;
    }
    let given = |(place, (name, key))| (key, if is_list { values.get(place) } else { value.get(name) });
    Ok((class, kind, fields.into_iter().enumerate().map(given).collect()))
}

fn text(x: impl ToString) -> Value {
    Value::Text(x.to_string())
}

/// The mechanism that an event is, in the words of ordinary kinds; `None` if it does nothing.
fn event(value: &Value, relation: Relation, seen: &mut Seen) -> Result<Option<Value>> {
    spend(1000)?;
    let (class, kind, fields) = apart(value)?;
    let given = |key: &str| fields.iter().find(|(name, _)| *name == key).and_then(|(_, value)| *value);
    let need = |key: &str| given(key).ok_or_else(|| Rejected::malformed("a value of a DpEvent is missing"));
    // It is read all the same.
    let never_run = |of: Option<Value>| of.map_or(Ok(None), |of| part(&of, "kind", relation).map(|_| None));
    let compose = |of: Vec<Value>| Value::of_entries([("kind", text("compose")), ("of", Value::List(of))]);
    match class {
        "NoOpDpEvent" => return Ok(None),
        "PoissonSampledDpEvent" => {
            let (stated, before) = (need("rate")?, std::mem::take(&mut seen.response));
            let (rate, of) = (probability(stated)?, event(need("of")?, relation, seen)?);
            seen.sampled_response |= seen.response && !rate.is_zero() && !rate.is_one();
            seen.response |= before;
            if rate.is_zero() {
                return never_run(of);
            }
            return Ok(of.map(|of| Value::of_entries([("kind", text(kind)), ("rate", stated.clone()), ("of", of)])));
        }
        "SelfComposedDpEvent" => {
            let (stated, of) = (need("times")?, event(need("of")?, relation, seen)?);
            if whole(stated, "`count`", 0, MOST_TIMES)? == 0 {
                return never_run(of);
            }
            let Some(Value::Table(mut of, form)) = of else { return Ok(None) };
            of.push(("times".to_owned(), stated.clone()));
            return Ok(Some(compose(vec![Value::Table(of, form)])));
        }
        "ComposedDpEvent" => {
            let parts = need("of")?.list("`events`")?.iter().map(|of| event(of, relation, seen));
            let parts: Vec<_> = parts.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
            return Ok(Some(parts).filter(|parts| !parts.is_empty()).map(compose));
        }
        RESPONSE => seen.response = true,
        MIXTURE => seen.mixture = true,
        _ => seen.other = true,
    }
    if class == RESPONSE && probability(need("noise")?)?.is_zero() {
        whole(need("k")?, "`num_buckets`", 2, u64::MAX)?;
        let is_special = relation == Relation::ReplaceSpecial;
        Reason::NoCertificateYet.when(is_special, "a truthful answer where a record is special")?;
        // The truth, against another one.
        let law = |law: [u8; 2]| Value::List(law.map(text).into());
        return Ok(Some(Value::of_entries([("kind", text("finite")), ("p", law([0, 1])), ("q", law([1, 0]))])));
    }
    let mut entries = vec![("kind", text(kind))];
    for (key, value) in &fields {
        let stated = match (*key, kind, value) {
            ("xi", _, None) => continue,
            ("record-bound", "discrete-gaussian", None) => text(1),
            ("dimension", _, Some(n)) if whole(n, "`dimension`", 1, u64::MAX)? == 1 => continue,
            ("dimension", ..) => return Err(Rejected::malformed("discrete Gaussian noise has dimension 1")),
            // The other way up.
            ("scale", "discrete-laplace", Some(x)) => {
                let x = x.number("a noise parameter")?;
                text(x.split_once('/').map_or_else(|| format!("1/{x}"), |(above, below)| format!("{below}/{above}")))
            }
            ("steps", _, Some(counts)) => {
                let counts = if let Value::List(all) = counts { all } else { std::slice::from_ref(*counts) };
                let counts = counts.iter().map(|n| whole(n, "`step_counts`", 1, MOST_TIMES));
                let most = counts.collect::<Result<Vec<_>>>()?.into_iter().max();
                text(most.ok_or_else(|| Rejected::malformed("a tree is missing"))?)
            }
            _ => need(key)?.clone(),
        };
        entries.push((key, stated));
    }
    if kind == "laplace" {
        entries.push(("record-bound", text(1)));
    }
    Ok(Some(Value::of_entries(entries)))
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
