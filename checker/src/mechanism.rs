//! The mechanism of a claim file: every kind that is read, as steps in normal form.

use crate::normal::{nothing, whole_noise};
use crate::numbers::{
    epsilon, in_range, is_law, numbers, of, of_kind, positive, probability, rate, some, squared, vector, whole,
};
use crate::shuffled::shuffled;
use crate::training::{dp_sgd, drawn, fixed_batches, none_of, opacus, poisson, truncated};
use crate::*;

/// What happens to a record.
#[derive(Clone, Copy, PartialEq)]
pub enum Relation {
    /// It is there or not.
    Presence,
    /// It is one or another.
    ReplaceOne,
    /// It is one, or a special one that contributes nothing.
    ReplaceSpecial,
}

impl Adjacency {
    pub(crate) fn relation(self) -> Relation {
        match self {
            Self::AddRemove | Self::Remove | Self::Add => Relation::Presence,
            Self::ReplaceOne => Relation::ReplaceOne,
            Self::ReplaceSpecial => Relation::ReplaceSpecial,
        }
    }
}

/// Kinds that are read, with their keys.
const KINDS: [(&str, &str); 30] = [
    ("gaussian", "sigma sensitivity record-bound noise-multiplier mu-squared"),
    ("laplace", "scale sensitivity record-bound"),
    ("discrete-gaussian", "sigma parties sensitivity record-bound"),
    ("discrete-laplace", "scale sensitivity record-bound"),
    ("skellam", "mean sensitivity record-bound l2-sensitivity l2-record-bound"),
    ("gaussian-mixture", "sigma shifts weights"),
    ("randomized-response", "epsilon exp-epsilon noise k"),
    ("finite", "p q"),
    ("pure-dp", "epsilon exp-epsilon"),
    ("approx-dp", "epsilon exp-epsilon delta"),
    ("profile", "points"),
    ("gdp", "mu"),
    ("zcdp", "rho xi"),
    ("rdp", "orders"),
    ("histogram", "of"),
    ("mixture", "of"),
    ("group", "records of"),
    ("subsampled", "rate of sampling dataset-size max-batch batch-size"),
    ("compose", "of sampling"),
    (
        "dp-sgd",
        "noise-multiplier sample-rate steps phases epochs batch-size \
         dataset-size gradient-accumulation max-batch sampling",
    ),
    ("opacus-state", ""),
    ("noise-threshold", "noise scale sigma threshold release-if keys record-bound"),
    ("exponential", "epsilon exp-epsilon eta sensitivity monotone"),
    ("permute-and-flip", "epsilon exp-epsilon eta sensitivity monotone"),
    ("top-k", "epsilon exp-epsilon eta sensitivity monotone k"),
    ("tree-aggregation", "noise-multiplier steps restarts participations min-separation"),
    (
        "matrix-factorization",
        "noise-multiplier steps participations min-separation epochs \
         rate toeplitz matrix blt normalised",
    ),
    ("random-allocation", "steps selected epochs of"),
    ("private-selection", "runs of best-first"),
    ("shuffled", "users of"),
];

/// The mechanism at the top of a claim file: a table with `kind`, an Opacus state, or a DpEvent.
pub fn read(value: &Value) -> Result<(Normal, Adjacency)> {
    if event::is_event(value) {
        return event::read(value);
    }
    if value.get("history").is_some() && value.get("kind").is_none() {
        return Ok((opacus(value)?, Adjacency::AddRemove));
    }
    let adjacency = match value.get("adjacency").map(|value| value.text("`adjacency`")).transpose()? {
        None => Adjacency::AddRemove,
        Some(word) => Adjacency::of_word(word).ok_or_else(|| Rejected::malformed("an unknown adjacency"))?,
    };
    Ok((part(value, "adjacency", adjacency.relation())?, adjacency))
}

/// The mechanism of a table; `extra` is a key that it may have at its place.
pub fn part(value: &Value, extra: &str, relation: Relation) -> Result<Normal> {
    spend(1000)?;
    let kind = of_kind(value)?;
    let Some((_, keys)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return Err(Rejected::uncovered(&format!("a mechanism `{}`", one_line(kind, 40))));
    };
    let keys: Vec<_> = keys.split_whitespace().chain(["kind", extra]).collect();
    value.only(&format!("`{kind}`"), &keys)?;
    let positive = |key: &str| positive(value.need(key)?, key);
    let at_least_zero = |key: &str| in_range(value.need(key)?, key, |x| !x.is_negative());
    let inner = || value.need("of");
    let fixed = |noise: Noise| Ok(Normal::one(whole_noise(noise, whole_distance(value, relation)?)));
    match kind {
        "gaussian" => Ok(Normal::real_noise(Step::Gaussian { square: gaussian(value, relation)? })),
        "laplace" => Ok(Normal::real_noise(Step::Laplace { epsilon: distance(value, relation)? / positive("scale")? })),
        "discrete-gaussian" => {
            let square = squared(positive("sigma")?);
            let parties = value.get("parties").map_or(Ok(1), |n| whole(n, "`parties`", 1, u64::MAX))?;
            fixed(Noise::DiscreteGaussian { square, parties })
        }
        "discrete-laplace" => fixed(Noise::DiscreteLaplace { scale: positive("scale")? }),
        "skellam" if is_vector(value) => kinds::skellam_vectors(value, &positive("mean")?, 1, relation),
        "skellam" => fixed(Noise::Skellam { mean: positive("mean")? }),
        "gaussian-mixture" => {
            let (shifts, weights) = (numbers(value.need("shifts")?)?, numbers(value.need("weights")?)?);
            Ok(Normal::real_noise(gaussian_mixture(&positive("sigma")?, &shifts, &weights)?))
        }
        "randomized-response" => {
            let k = value.get("k").map_or(Ok(2), |k| whole(k, "`k`", 2, u64::MAX))?;
            let epsilon = match value.get("noise") {
                None => epsilon(value, true)?,
                Some(_) if value.get("epsilon").or(value.get("exp-epsilon")).is_some() => {
                    return Err(Rejected::malformed("`noise` stands beside an epsilon"));
                }
                Some(noise) => odds(&rate(noise)?, k),
            };
            let k = BigInt::from(k);
            Ok(match relation {
                Relation::Presence | Relation::ReplaceOne => Normal::one(Step::Response { epsilon, k }),
                Relation::ReplaceSpecial => {
                    Normal::one(Step::ResponseOrUniform { epsilon, k }).with(Condition::SpecialResponses)
                }
            })
        }
        "finite" => {
            let (p, q) = (vector(value.need("p")?)?, vector(value.need("q")?)?);
            let is_wrong = p.len() != q.len() || p.len() > 4096;
            Reason::Malformed.when(is_wrong, "`p` and `q` have different lengths, or are too long")?;
            Ok(Normal::one(Step::Finite { p, q }))
        }
        "pure-dp" => Ok(pure_dp(epsilon(value, true)?)),
        "approx-dp" => {
            let points = vec![(epsilon(value, true)?, probability(value.need("delta")?)?)];
            Ok(Normal::guarantee(Step::Guarantee { points }))
        }
        "profile" => Ok(Normal::guarantee(Step::Guarantee { points: points(value.need("points")?)? })),
        "gdp" => Ok(Normal::guarantee(Step::Gaussian { square: squared(at_least_zero("mu")?) })),
        "zcdp" => {
            let rho = at_least_zero("rho")?;
            let xi = value.get("xi").map(|xi| in_range(xi, "`xi`", |x| !x.is_negative())).transpose()?;
            Ok(concentrated(rho, &xi.unwrap_or_default()))
        }
        "rdp" => {
            let orders = some(value.need("orders")?)?.iter().map(|item| match item.list("an entry of `orders`")? {
                [order, epsilon] => Ok((
                    in_range(order, "an order", |x| *x > BigRational::one())?,
                    in_range(epsilon, "an epsilon", |x| !x.is_negative())?,
                )),
                _ => Err(Rejected::malformed("an entry of `orders` is not [order, epsilon]")),
            });
            let orders = orders.collect::<Result<Vec<_>>>()?;
            // A divergence of 0 is one of equal laws.
            Ok(Normal::guarantee(match orders.iter().any(|(_, epsilon)| epsilon.is_zero()) {
                true => Step::Zcdp { rho: BigRational::zero() },
                false => Step::Rdp { orders },
            }))
        }
        "histogram" => {
            let noise = ["gaussian", "laplace", "discrete-gaussian", "discrete-laplace", "skellam"];
            let is_wrong = is_vector(inner()?) || !noise.contains(&of_kind(inner()?)?);
            Reason::Malformed.when(is_wrong, "`of` of a histogram is no noise")?;
            let one = part(inner()?, "kind", Relation::Presence)?;
            let is_replaced = relation == Relation::ReplaceOne;
            let all = Normal::composed(&[(one, if is_replaced { 2 } else { 1 })])?;
            Ok(if is_replaced { all.with(Condition::Counts) } else { all })
        }
        "mixture" => mixture(inner()?, &|of| part(of, "weight", relation)),
        "group" => {
            let records = whole(value.need("records")?, "`records`", 1, u64::MAX)?;
            let is_large = !has_records(inner()?, Some(records));
            Reason::NoCertificateYet.when(is_large, "a group of more records than there are")?;
            let of = of_group(inner()?, "kind", records, relation)?;
            let how = if relation == Relation::ReplaceOne { Condition::Exchanged } else { Condition::Together };
            Ok(if records == 1 { of } else { of.with(how) })
        }
        "subsampled" if drawn(value)? == "without-replacement" => {
            none_of(value, &["rate", "max-batch"])?;
            let size = whole(value.need("dataset-size")?, "`dataset-size`", 1, u64::MAX)?;
            let batch = whole(value.need("batch-size")?, "`batch-size`", 1, size)?;
            let (apart, present) = (part(inner()?, "kind", relation)?, part(inner()?, "kind", Relation::Presence)?);
            as_sample(fixed_batches(batch, size, &apart, &present, relation)?, value, relation)
        }
        "subsampled" if drawn(value)? == "truncated-poisson" => {
            none_of(value, &["batch-size"])?;
            let is_sum = ["gaussian", "laplace", "discrete-gaussian", "discrete-laplace"].contains(&of_kind(inner()?)?);
            Reason::NoCertificateYet.when(!is_sum, "batches of a largest size of anything but noise on a sum")?;
            let of = |relation| part(inner()?, "kind", relation);
            truncated(value, &of(relation)?, &of(Relation::Presence)?, &rate(value.need("rate")?)?, relation)
        }
        "subsampled" => {
            poisson(value, &["dataset-size", "max-batch", "batch-size"])?;
            as_sample(on_sample(inner()?, &rate(value.need("rate")?)?, relation)?, value, relation)
        }
        "compose" => {
            poisson(value, &[])?;
            compose(inner()?, &|of| part(of, "times", relation))
        }
        "noise-threshold" => kinds::threshold(value, relation),
        "exponential" | "permute-and-flip" | "top-k" => kinds::choices(value, relation, kind == "permute-and-flip"),
        "tree-aggregation" => kinds::trees(value, relation),
        "matrix-factorization" => kinds::matrix(value, relation),
        "shuffled" => shuffled(value, &part(inner()?, "kind", Relation::ReplaceOne)?, relation),
        "private-selection" => kinds::private_selection(value, &part(inner()?, "kind", relation)?),
        "random-allocation" => {
            let kinds =
                "gaussian laplace discrete-gaussian discrete-laplace gdp finite randomized-response pure-dp approx-dp";
            let is_wrong = !kinds.split(' ').any(|kind| inner().and_then(of_kind) == Ok(kind));
            Reason::NoCertificateYet.when(is_wrong, "random allocation of anything but noise, pairs and guarantees")?;
            let all = kinds::random_allocation(value, &part(inner()?, "kind", relation)?, relation)?;
            Ok(answered(all, value, relation))
        }
        "dp-sgd" => dp_sgd(value, relation),
        _ => Err(Rejected::malformed("an Opacus state has `history`")),
    }
}

/// μ², as a query with Gaussian noise is stated.
fn gaussian(value: &Value, relation: Relation) -> Result<BigRational> {
    let stated = ["sigma", "noise-multiplier", "mu-squared"].into_iter().filter(|key| value.get(key).is_some());
    let [key] = stated.collect::<Vec<_>>()[..] else {
        return Err(Rejected::malformed("`gaussian` has one of `sigma`, `noise-multiplier` and `mu-squared`"));
    };
    let stated = positive(value.need(key)?, key)?;
    let has_distance = value.get("sensitivity").or(value.get("record-bound")).is_some();
    Reason::Malformed.when(key != "sigma" && has_distance, &format!("`{key}` does not stand alone"))?;
    let distance = match key {
        "sigma" => distance(value, relation)?,
        "noise-multiplier" => multiple(relation).into(),
        _ if relation == Relation::ReplaceOne => {
            return Err(Rejected::malformed("`mu-squared` does not say what a replaced record does"));
        }
        _ => return Ok(stated),
    };
    Ok(squared(distance / stated))
}

/// Is the noise on the coordinates of a vector?
fn is_vector(value: &Value) -> bool {
    value.get("l2-sensitivity").or(value.get("l2-record-bound")).is_some()
}

/// How many record bounds a sum moves by.
pub fn multiple(relation: Relation) -> BigInt {
    BigInt::from(if relation == Relation::ReplaceOne { 2 } else { 1 })
}

/// How far a query moves: its sensitivity, or what follows from the most that a record contributes.
fn distance(value: &Value, relation: Relation) -> Result<BigRational> {
    match (value.get("sensitivity"), value.get("record-bound")) {
        (Some(_), Some(_)) => Err(Rejected::malformed("`sensitivity` and `record-bound` stand together")),
        (None, Some(bound)) => Ok(positive(bound, "`record-bound`")? * multiple(relation)),
        (_, None) if relation == Relation::ReplaceOne => {
            Err(Rejected::malformed("`record-bound` is missing: sensitivity does not say what a replaced record does"))
        }
        (Some(sensitivity), None) => positive(sensitivity, "`sensitivity`"),
        (None, None) => Ok(BigRational::one()),
    }
}

fn whole_distance(value: &Value, relation: Relation) -> Result<u64> {
    let (alone, distance) = (distance(value, Relation::Presence)?, distance(value, relation)?);
    let n = u64::try_from(distance.numer()).ok().filter(|_| alone.is_integer());
    n.ok_or_else(|| Rejected::malformed("a distance that is no whole number"))
}

/// The answer is uniform over all k with probability `noise`, so that e^ε = 1 + k·(1 − noise)/noise.
fn odds(noise: &BigRational, k: u64) -> Epsilon {
    let one = BigRational::one();
    Epsilon::LogOf(&one + (&one - noise) * BigInt::from(k) / noise)
}

pub fn pure_dp(epsilon: Epsilon) -> Normal {
    Normal::guarantee(Step::Response { epsilon, k: BigInt::from(2) })
}

/// (ξ, ρ)-zCDP: Rényi guarantees ξ + ρt at some orders t; what is ρ-zCDP is a member. With ρ = 0 it is ξ-DP.
fn concentrated(rho: BigRational, xi: &BigRational) -> Normal {
    let least = Step::Zcdp { rho: rho.clone() };
    if xi.is_zero() {
        return Normal::guarantee(least);
    }
    if rho.is_zero() {
        return pure_dp(Epsilon::Plain(xi.clone()));
    }
    let near = (11..20).map(|n| BigRational::new(n.into(), 10.into()));
    let middle = (4..=40).map(|n| BigRational::new(n.into(), 2.into()));
    let far = [24, 32, 48, 64, 96, 128, 256, 512].map(int);
    let orders = near.chain(middle).chain(far).map(|order| (order.clone(), &rho * order + xi));
    Normal::between(vec![vec![(least, 1)]], Normal::guarantee(Step::Rdp { orders: orders.collect() }))
}

/// N(0, σ²) against Σ wᵢ·N(sᵢ, σ²).
fn gaussian_mixture(sigma: &BigRational, shifts: &[BigRational], weights: &[BigRational]) -> Result<Step> {
    is_law(weights)?;
    let is_wrong = shifts.len() != weights.len() || shifts.len() > 4096 || shifts.iter().any(Signed::is_negative);
    Reason::Malformed.when(is_wrong, "`shifts` and `weights` do not fit, or a shift is negative")?;
    let mut law: Shifts = Vec::new();
    let mut pairs: Vec<_> = shifts.iter().zip(weights).filter(|(_, weight)| weight.is_positive()).collect();
    for (shift, _) in &pairs {
        // They are sorted.
        (0..16).try_for_each(|_| spend_on(&[shift]))?;
    }
    pairs.sort_unstable();
    for (shift, weight) in pairs {
        match law.last_mut().filter(|(_, last)| last == shift) {
            Some((total, _)) => *total += weight,
            None => law.push((weight.clone(), shift.clone())),
        }
    }
    let none = vec![(BigRational::one(), BigRational::zero())];
    let noise = Noise::Gaussian { square: (sigma * sigma).recip() };
    Ok(Step::Shifted { noise, without: none, with: law })
}

/// Points of a profile: pairs `[epsilon, delta]`, or tables with one of two keys for ε; no point below 1 − e^ε.
fn points(value: &Value) -> Result<Vec<(Epsilon, BigRational)>> {
    let points = some(value)?.iter().map(|item| match item {
        Value::List(pair) => match pair.as_slice() {
            [epsilon, delta] => Ok((Epsilon::Plain(of(epsilon, "an epsilon")?), probability(delta)?)),
            _ => Err(Rejected::malformed("an entry of `points` is not [epsilon, delta]")),
        },
        _ => {
            item.only("an entry of `points`", &["epsilon", "exp-epsilon", "delta"])?;
            Ok((epsilon(item, false)?, probability(item.need("delta")?)?))
        }
    });
    let points = points.collect::<Result<Vec<_>>>()?;
    for (epsilon, delta) in points.iter().filter(|(epsilon, _)| epsilon.is_negative()) {
        let is_known = match epsilon {
            Epsilon::LogOf(odds) => delta + odds >= BigRational::one(),
            Epsilon::Plain(_) => Real::of(delta).lo >= Real::int(1).minus(&epsilon.exp()?).hi,
        };
        Reason::Malformed.when(!is_known, "a delta is below 1 - e^epsilon")?;
    }
    Ok(points)
}

/// Keys reveal most where many share them (Z3), so that they stand beside nothing that states how many records there are.
fn fit_together(parts: &Value) -> Result<()> {
    let has = |is_like: &dyn Fn(&Value) -> bool| some(parts).is_ok_and(|all| all.iter().any(|one| has(one, is_like)));
    let is_sized = |one: &Value| ["dataset-size", "users"].iter().any(|key| one.get(key).is_some());
    let is_wrong = has(&is_keys) && has(&is_sized);
    Reason::NoCertificateYet.when(is_wrong, "released keys beside a stated number of records")
}

fn is_keys(value: &Value) -> bool {
    of_kind(value).is_ok_and(|kind| kind == "noise-threshold")
}

fn compose(value: &Value, read: &dyn Fn(&Value) -> Result<Normal>) -> Result<Normal> {
    fit_together(value)?;
    let parts = some(value)?.iter().map(|of| {
        let times = of.get("times").map_or(Ok(1), |n| whole(n, "`times`", 1, MOST_TIMES))?;
        Ok((read(of)?, times))
    });
    Normal::composed(&parts.collect::<Result<Vec<_>>>()?)
}

fn mixture(value: &Value, read: &dyn Fn(&Value) -> Result<Normal>) -> Result<Normal> {
    fit_together(value)?;
    let parts = some(value)?.iter().map(|of| Ok((rate(of.need("weight")?)?, read(of)?)));
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let weights: Vec<_> = parts.iter().map(|(weight, _)| weight.clone()).collect();
    is_law(&weights)?;
    Ok(Normal::labelled(&parts))
}

/// What is there of a group of records (M5): of a guarantee by its kind, of noise by its step.
fn of_group(value: &Value, extra: &str, records: u64, relation: Relation) -> Result<Normal> {
    let alone = part(value, extra, relation)?;
    if records == 1 {
        return Ok(alone);
    }
    alone.is_covered(Some(true))?;
    match (of_kind(value)?, alone.steps.as_slice()) {
        ("zcdp", [(Step::Zcdp { rho }, 1)]) => {
            let rho = rho * BigInt::from(records) * BigInt::from(records);
            let member = vec![(Step::Gaussian { square: &rho * BigInt::from(2) }, 1)];
            Ok(Normal::between(vec![member], Normal::guarantee(Step::Zcdp { rho })))
        }
        ("skellam", _) if is_vector(value) => {
            kinds::skellam_vectors(value, &positive(value.need("mean")?, "`mean`")?, records, relation)
        }
        ("compose", _) => compose(value.need("of")?, &|of| of_group(of, "times", records, relation)),
        ("mixture", _) => mixture(value.need("of")?, &|of| of_group(of, "weight", records, relation)),
        _ => {
            let mut inmost = value;
            while of_kind(inmost)? == "subsampled" {
                inmost = inmost.need("of")?;
            }
            alone.of_group(records, relation, of_kind(inmost)?)
        }
    }
}

/// What runs on a Poisson sample.
fn on_sample(value: &Value, rate_of: &BigRational, relation: Relation) -> Result<Normal> {
    let of = part(value, "kind", relation)?;
    of.is_covered(None)?;
    match of_kind(value)? {
        _ if relation != Relation::ReplaceOne => Ok(of.sampled(rate_of)),
        // A record takes part in all stages or not.
        "subsampled" => on_sample(value.need("of")?, &(rate_of * rate(value.need("rate")?)?), relation),
        // Which part runs does not depend on the sample.
        "mixture" => mixture(value.need("of")?, &|of| {
            // The entry has been read with its weight above.
            let Value::Table(entries, form) = of else { return Err(Rejected::malformed("a mechanism is no table")) };
            let entries = entries.iter().filter(|(key, _)| key != "weight").cloned().collect();
            on_sample(&Value::Table(entries, *form), rate_of, relation)
        }),
        "histogram" if !rate_of.is_one() => Err(Rejected::uncovered("a replaced record in a histogram of a sample")),
        _ => Ok(of.sampled_replaced(rate_of, &part(value, "kind", Relation::Presence)?)),
    }
}

/// A sample, of groups of records where it is one of a mechanism on them. Which keys are released depends on the other records, and these are drawn, too.
fn as_sample(sample: Normal, value: &Value, relation: Relation) -> Result<Normal> {
    Reason::NoCertificateYet.when(has(value, &is_keys), "a sample of released keys")?;
    let is_group = |part: &Value| part.get("records").is_some_and(|n| whole(n, "`records`", 2, u64::MAX).is_ok());
    let sample = if has(value, &is_group) { sample.with(Condition::SampledGroups) } else { sample };
    Ok(answered(sample, value, relation))
}

/// What records do not take part in is answered all the same; where they are replaced, nothing says how pairs answer.
fn answered(all: Normal, value: &Value, relation: Relation) -> Normal {
    let is_open = |kind: &str| kind == "randomized-response" || kind == "finite" && relation == Relation::ReplaceOne;
    let is_there = has(value, &|part: &Value| of_kind(part).is_ok_and(is_open));
    if is_there { all.with(Condition::SampledResponses) } else { all }
}

/// Is the mechanism, or a part of it, like this?
fn has(value: &Value, is_like: &dyn Fn(&Value) -> bool) -> bool {
    is_like(value)
        || match value.get("of") {
            Some(Value::List(parts)) => parts.iter().any(|part| has(part, is_like)),
            of => of.is_some_and(|part| has(part, is_like)),
        }
}

/// Are there so many of them, records or groups of records, wherever a number is stated? `None` is more than any number.
fn has_records(value: &Value, records: Option<u64>) -> bool {
    let is_enough = |n: &Value| records.is_some_and(|least| whole(n, "a number of records", least, u64::MAX).is_ok());
    let together = value.get("records").map_or(Ok(1), |n| whole(n, "`records`", 1, u64::MAX));
    let Ok(together) = together else { return false };
    let within = records.and_then(|records| records.checked_mul(together));
    ["dataset-size", "users"].iter().all(|key| value.get(key).is_none_or(is_enough))
        && match value.get("of") {
            Some(Value::List(parts)) => parts.iter().all(|part| has_records(part, within)),
            of => of.is_none_or(|part| has_records(part, within)),
        }
}

/// Nothing at all was run: 0-DP.
pub fn nothing_run() -> Normal {
    Normal::guarantee(nothing())
}
