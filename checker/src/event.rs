//! DpEvents of Google's `dp_accounting`, as objects and as the positional lists `[module, class, …]`.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::answer::Adjacency;
use crate::condition::Condition;
use crate::mechanism::{gaussian_mixture, nothing_run, odds};
use crate::normal::{Normal, whole_noise};
use crate::numbers::{in_range, numbers, positive, probability, whole};
use crate::reason::{Rejected, one_line};
use crate::step::{Epsilon, Noise, Step};
use crate::value::Value;
use crate::work::spend;

/// Classes that are read, with their fields in order; first those about records that are there or not, or replaced, as the relation says.
const CLASSES: [(&str, &[&str]); 12] = [
    ("GaussianDpEvent", &["noise_multiplier"]),
    ("LaplaceDpEvent", &["noise_multiplier"]),
    ("DiscreteLaplaceDpEvent", &["noise_parameter", "sensitivity"]),
    ("DiscreteGaussianDpEvent", &["sigma", "sensitivity", "dimension"]),
    ("EpsilonDeltaDpEvent", &["epsilon", "delta"]),
    ("ZCDpEvent", &["rho", "xi"]),
    ("MixtureOfGaussiansDpEvent", &["standard_deviation", "sensitivities", "sampling_probs"]),
    (RESPONSE, &["noise_parameter", "num_buckets"]),
    ("NoOpDpEvent", &[]),
    ("PoissonSampledDpEvent", &["sampling_probability", "event"]),
    ("SelfComposedDpEvent", &["event", "count"]),
    ("ComposedDpEvent", &["events"]),
];

const RESPONSE: &str = "RandomizedResponseDpEvent";

/// How many are about records.
const OF_RECORDS: usize = 7;

/// Is it an event rather than a mechanism with a kind?
pub fn is_event(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    matches!(value, Value::List(_)) || has("class_name") || (has("event") && !has("kind"))
}

/// An event, with the neighbouring relation beside it; a bare one is about adding or removing a record.
pub fn read(value: &Value) -> Result<(Normal, Adjacency), Rejected> {
    let relations = ["neighboring-relation", "neighboring_relation"];
    let inner = value.get("event").filter(|_| value.get("class_name").is_none());
    let mut stated = None;
    if inner.is_some() {
        value.only("an event", &["event", relations[0], relations[1]])?;
        if relations.iter().all(|key| value.get(key).is_some()) {
            return Err(Rejected::malformed("the neighbouring relation is stated twice"));
        }
        stated = relations.iter().find_map(|key| value.get(key));
    }
    let adjacency = match stated.map(|value| value.text("`neighboring-relation`")).transpose()? {
        None | Some("ADD_OR_REMOVE_ONE") => Adjacency::AddRemove,
        Some("REPLACE_ONE") => Adjacency::ReplaceOne,
        Some("REPLACE_SPECIAL") => Adjacency::ReplaceSpecial,
        Some(_) => return Err(Rejected::malformed("an unknown neighbouring relation")),
    };
    let of = inner.unwrap_or(value);
    let normal = event(of, adjacency)?.unwrap_or_else(nothing_run);
    if is_elsewhere(of, adjacency) {
        return Err(Rejected::malformed("a DpEvent is in part about another relation"));
    }
    Ok((normal, adjacency))
}

/// Is one of these classes in it?
fn has(value: &Value, classes: &[&str]) -> bool {
    match value {
        Value::Text(text) => classes.contains(&text.as_str()),
        Value::List(items) => items.iter().any(|item| has(item, classes)),
        Value::Table(entries, _) => entries.iter().any(|(_, item)| has(item, classes)),
        Value::Number(_) | Value::Word(_) => false,
    }
}

/// Is a response on a sample of the records? Nothing is said of a record that is not in it.
fn samples_response(value: &Value) -> bool {
    let is_sample = |rate: &Value| probability(rate).is_ok_and(|rate| !rate.is_zero() && !rate.is_one());
    match (apart(value), value) {
        (Ok(("PoissonSampledDpEvent", [Some(rate), Some(of), _])), _) if is_sample(rate) && has(of, &[RESPONSE]) => {
            true
        }
        (_, Value::List(items)) => items.iter().any(samples_response),
        (_, Value::Table(entries, _)) => entries.iter().any(|(_, item)| samples_response(item)),
        _ => false,
    }
}

/// Is an event in part about another relation? A response is about a record that is replaced, a mixture about one that is there or not.
fn is_elsewhere(value: &Value, adjacency: Adjacency) -> bool {
    let of_records = || CLASSES.iter().take(OF_RECORDS).any(|(class, _)| has(value, &[class]));
    let is_mixed = || adjacency == Adjacency::AddRemove && has(value, &[RESPONSE]) && of_records();
    match adjacency == Adjacency::ReplaceOne {
        true => has(value, &["MixtureOfGaussiansDpEvent"]),
        false => is_mixed() || samples_response(value),
    }
}

/// The class of an event and its values, in the order of the fields.
fn apart(value: &Value) -> Result<(&'static str, [Option<&Value>; 3]), Rejected> {
    let class_of = |name: &Value| {
        let name = name.text("the class of a DpEvent")?;
        let class = CLASSES.into_iter().find(|(class, _)| *class == name);
        class.ok_or_else(|| Rejected::uncovered(&format!("a DpEvent `{}`", one_line(name, 40))))
    };
    if let Value::List(items) = value {
        let [module, class, values @ ..] = items.as_slice() else {
            return Err(Rejected::malformed("a DpEvent is a list [module, class, …]"));
        };
        module.text("the module of a DpEvent")?;
        let (class, fields) = class_of(class)?;
        if values.len() > fields.len() {
            return Err(Rejected::malformed("a DpEvent has too many values"));
        }
        return Ok((class, [values.first(), values.get(1), values.get(2)]));
    }
    let (class, fields) = class_of(value.need("class_name")?)?;
    value.only("a DpEvent", &[fields, &["module_name", "class_name"]].concat())?;
    let field = |place: usize| fields.get(place).and_then(|name| value.get(name));
    Ok((class, [field(0), field(1), field(2)]))
}

/// The mechanism of an event; `None` if it does nothing.
fn event(value: &Value, adjacency: Adjacency) -> Result<Option<Normal>, Rejected> {
    spend(1000)?;
    let (class, values) = apart(value)?;
    let need = |place: usize| {
        values.get(place).copied().flatten().ok_or_else(|| Rejected::malformed("a value of a DpEvent is missing"))
    };
    let first = |what: &str| positive(need(0)?, what);
    let bound = |place: usize| match values.get(place).copied().flatten() {
        None if class == "DiscreteGaussianDpEvent" => Ok(1),
        _ => whole(need(place)?, "a sensitivity", 1, u64::MAX),
    };
    let times = if adjacency == Adjacency::ReplaceOne { 2 } else { 1 };
    let distance = |place: usize| {
        bound(place)?.checked_mul(times).ok_or_else(|| Rejected::malformed("a sensitivity is too large"))
    };
    Ok(Some(match class {
        "NoOpDpEvent" => return Ok(None),
        "GaussianDpEvent" => {
            let mu = first("a noise multiplier")?.recip() * BigInt::from(times);
            Normal::real_noise(Step::Gaussian { square: &mu * &mu })
        }
        "LaplaceDpEvent" => {
            let epsilon = first("a noise multiplier")?.recip() * BigInt::from(times);
            Normal::real_noise(Step::Laplace { epsilon })
        }
        "DiscreteLaplaceDpEvent" => {
            let noise = Noise::DiscreteLaplace { scale: first("a noise parameter")?.recip() };
            Normal::one(whole_noise(noise, distance(1)?))
        }
        "DiscreteGaussianDpEvent" => {
            if whole(need(2)?, "`dimension`", 1, u64::MAX)? != 1 {
                return Err(Rejected::malformed("discrete Gaussian noise has dimension 1"));
            }
            let sigma = first("`sigma`")?;
            Normal::one(whole_noise(Noise::DiscreteGaussian { square: &sigma * &sigma }, distance(1)?))
        }
        RESPONSE => {
            let (noise, k) = (probability(need(0)?)?, whole(need(1)?, "`num_buckets`", 2, u64::MAX)?);
            let (zero, one, k_) = (BigRational::zero(), BigRational::one(), BigInt::from(k));
            Normal::one(match adjacency {
                // The truth, against any answer, or against another one.
                _ if noise.is_zero() => {
                    let share = if adjacency == Adjacency::ReplaceSpecial { one.clone() / k_ } else { zero.clone() };
                    Step::Finite { p: vec![share.clone(), &one - share], q: vec![one, zero] }
                }
                Adjacency::ReplaceSpecial => {
                    let of = Step::ResponseOrUniform { epsilon: odds(&noise, k), k: k_ };
                    return Ok(Some(Normal::one(of).with(Condition::SpecialResponses)));
                }
                _ => Step::Response { epsilon: odds(&noise, k), k: k_ },
            })
        }
        "EpsilonDeltaDpEvent" => {
            let epsilon = in_range(need(0)?, "`epsilon`", |x| *x >= BigRational::zero())?;
            let points = vec![(Epsilon::Plain(epsilon), probability(need(1)?)?)];
            Normal::guarantee(Step::Guarantee { points })
        }
        "ZCDpEvent" => {
            let at_least_zero = |value: &Value| in_range(value, "a number", |x| *x >= BigRational::zero());
            if values.get(1).copied().flatten().map(at_least_zero).transpose()?.is_some_and(|xi| !xi.is_zero()) {
                return Err(Rejected::uncovered("a ZCDpEvent with `xi`"));
            }
            Normal::guarantee(Step::Zcdp { rho: at_least_zero(need(0)?)? })
        }
        "MixtureOfGaussiansDpEvent" => {
            let (shifts, weights) = (numbers(need(1)?)?, numbers(need(2)?)?);
            Normal::real_noise(gaussian_mixture(&first("`standard_deviation`")?, &shifts, &weights)?)
        }
        "PoissonSampledDpEvent" => return sampled(probability(need(0)?)?, need(1)?, adjacency),
        "SelfComposedDpEvent" => {
            let count = whole(need(1)?, "`count`", 0, 1_000_000_000_000)?;
            match event(need(0)?, adjacency)?.filter(|_| count > 0) {
                Some(of) => Normal::composed(&[(of, count)])?,
                None => return Ok(None),
            }
        }
        _ => {
            let parts = need(0)?.list("`events`")?.iter().map(|of| event(of, adjacency));
            let parts = parts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().map(|of| (of, 1));
            match parts.collect::<Vec<_>>() {
                none if none.is_empty() => return Ok(None),
                parts => Normal::composed(&parts)?,
            }
        }
    }))
}

/// An event on a Poisson sample; of a sample of a sample the rates multiply.
fn sampled(rate: BigRational, of: &Value, adjacency: Adjacency) -> Result<Option<Normal>, Rejected> {
    let Some(normal) = event(of, adjacency)?.filter(|_| !rate.is_zero()) else { return Ok(None) };
    if adjacency != Adjacency::ReplaceOne {
        // At any other rate it is about a record that is replaced.
        let is_answered = has(of, &[RESPONSE]);
        let sample = normal.sampled(&rate);
        return Ok(Some(if is_answered { sample.with(Condition::SampledResponses) } else { sample }));
    }
    match apart(of)? {
        ("PoissonSampledDpEvent", [Some(inner), Some(of), _]) => sampled(rate * probability(inner)?, of, adjacency),
        _ => Ok(event(of, Adjacency::AddRemove)?.map(|present| normal.sampled_replaced(&rate, &present))),
    }
}
