//! Training runs and how batches are drawn: `dp-sgd` in its notations, Opacus states, samples and batches of fixed size.

use crate::mechanism::multiple;
use crate::numbers::{positive, rate, some, whole};
use crate::shuffled::Binomial;
use crate::*;

/// Gaussian noise of this multiplier of one record bound, on sums that a record moves by the root of `square` record bounds.
pub fn noise_of(square: &BigRational, noise: &BigRational, relation: Relation) -> Normal {
    let mu = BigRational::from(multiple(relation)) / noise;
    Normal::real_noise(Step::Gaussian { square: square * &mu * &mu })
}

/// The same on a Poisson sample.
pub fn noisy_sample(square: &BigRational, noise: &BigRational, rate: &BigRational, relation: Relation) -> Normal {
    let of = |relation| noise_of(square, noise, relation);
    of(relation).drawn(rate, &of(Relation::Presence), relation)
}

/// Noise on a sum over a Poisson sample, of which at most so many records stay (M17); `apart` is what a record does under the relation, `present` where it is there or not.
pub fn truncated(
    value: &Value, apart: &Normal, present: &Normal, rate: &BigRational, relation: Relation,
) -> Result<Normal> {
    let size = whole(value.need("dataset-size")?, "`dataset-size`", 1, u64::MAX)?;
    let most = whole(value.need("max-batch")?, "`max-batch`", 1, u64::MAX)?;
    let sampled = |rate: &BigRational| apart.drawn(rate, present, relation);
    if most >= size {
        return Ok(sampled(rate));
    }
    let one = BigRational::one();
    let twice = present.of_group(2, Relation::Presence, "")?;
    Reason::NoCertificateYet.when(rate.is_one(), "batches of a largest size at the rate 1")?;
    let odds = Real::of(&(rate / (&one - rate)));
    let [full, stay] = Binomial::new(size - 1, &odds)?.full(most)?.map(|x| x.ends());
    // At least the chance of a full batch, and at most that of being in it; or, where these say nothing, more.
    let (chance, displacing) = match &stay.1 * rate {
        displacing if displacing < full.0 => (full.0.clone(), displacing / &full.0),
        _ => (full.1.clone().min(one.clone()), rate.clone()),
    };
    let mut displaced = twice.sampled(&displacing);
    if relation != Relation::Presence {
        displaced.steps = either_way(&displaced);
    }
    let mut parts = vec![(&one - &chance, sampled(rate)), (chance, displaced)];
    parts.retain(|(chance, _)| chance.is_positive());
    let least = sampled(&(rate * (one - full.1 + stay.0)));
    Ok(Normal::between(vec![least.steps], Normal::labelled(&parts)).with(Condition::TruncatedBatches))
}

/// So many of all records, `apart` the noise between two that replace each other (M12).
pub fn fixed_batches(batch: u64, size: u64, apart: &Normal, present: &Normal, relation: Relation) -> Result<Normal> {
    apart.is_covered(Some(false))?;
    let (is_special, is_there) = (relation == Relation::ReplaceSpecial, relation == Relation::Presence);
    Reason::Malformed.when(is_there, "a batch of a fixed size, where a record is added or removed")?;
    Reason::NoCertificateYet.when(is_special, "a special record in batches of a fixed size")?;
    let normal = match apart.steps.as_slice() {
        _ if batch >= size => apart.clone(),
        [(_, 1)] if apart.noise_on_sum(present).is_some() => {
            let sampled = apart.sampled(&BigRational::new(batch.into(), size.into()));
            Normal { steps: either_way(&sampled), ..apart.clone() }
        }
        _ => return Err(Rejected::malformed("a batch of a fixed size is built for noise on a sum of records only")),
    };
    Ok(normal.with(Condition::FixedBatches))
}

/// At each u the worse of each pair and of that turned around.
fn either_way(of: &Normal) -> Parts {
    let worse = |step: &Step| Step::Worst { of: vec![(false, step.clone()), (true, step.clone())] };
    of.steps.iter().map(|(step, times)| (worse(step), *times)).collect()
}

pub fn dp_sgd(value: &Value, relation: Relation) -> Result<Normal> {
    let drawn = drawn(value)?;
    let sizes: &[&str] = if drawn == "truncated-poisson" { &["max-batch", "dataset-size"] } else { &[] };
    let only = |keys: &[&str]| {
        let keys = [keys, sizes, &["kind", "sampling", "adjacency", "times", "weight"]].concat();
        value.only("this `dp-sgd`", &keys)
    };
    let sum = |noise: &BigRational, relation| noise_of(&BigRational::one(), noise, relation);
    let batch = |noise: &BigRational, rate: &BigRational| match drawn {
        "truncated-poisson" => truncated(value, &sum(noise, relation), &sum(noise, Relation::Presence), rate, relation),
        _ => Ok(noisy_sample(&BigRational::one(), noise, rate, relation)),
    };
    let phase = |of: &Value| {
        let noise = positive(of.need("noise-multiplier")?, "`noise-multiplier`")?;
        let one = batch(&noise, &rate(of.need("sample-rate")?)?)?;
        Ok::<_, Rejected>((one, whole(of.need("steps")?, "`steps`", 1, MOST_TIMES)?))
    };
    if drawn == "shuffled" {
        only(&["noise-multiplier", "steps", "epochs", "batch-size", "dataset-size", "gradient-accumulation"])?;
        let noise = positive(value.need("noise-multiplier")?, "`noise-multiplier`")?;
        let epochs = value.get("epochs").map_or(Ok(BigRational::one()), |n| positive(n, "`epochs`"))?;
        let steps = match value.get("steps") {
            Some(steps) => {
                none_of(value, &["batch-size", "dataset-size", "gradient-accumulation"])?;
                whole(steps, "`steps`", 1, MOST_TIMES)?
            }
            None => batches(value).map(|(batch, size)| size.div_ceil(batch))?,
        };
        return kinds::shuffled_batches(&noise, steps, &epochs, relation);
    }
    let keys = ["noise-multiplier", "sample-rate", "steps"];
    if let Some(phases) = value.get("phases").filter(|_| drawn == "poisson") {
        only(&["phases"])?;
        let phases = some(phases)?.iter().map(|of| of.only("a phase", &keys).and_then(|()| phase(of)));
        return Normal::composed(&phases.collect::<Result<Vec<_>>>()?);
    }
    if value.get("sample-rate").is_some() && drawn != "without-replacement" {
        only(&keys)?;
        return Normal::composed(&[phase(value)?]);
    }
    only(&["noise-multiplier", "epochs", "steps", "batch-size", "gradient-accumulation", "dataset-size"])?;
    let (records, size) = batches(value)?;
    let steps = match (value.get("steps"), value.get("epochs")) {
        (Some(steps), None) => whole(steps, "`steps`", 1, MOST_TIMES)?,
        (None, Some(epochs)) => {
            let steps = (positive(epochs, "`epochs`")? * BigInt::from(size.div_ceil(records))).ceil().to_integer();
            let steps = u64::try_from(steps).ok().filter(|n| *n <= MOST_TIMES);
            steps.ok_or_else(|| Rejected::malformed("more than 10^12 steps"))?
        }
        _ => return Err(Rejected::malformed("`dp-sgd` has either `steps` or `epochs`")),
    };
    let noise = positive(value.need("noise-multiplier")?, "`noise-multiplier`")?;
    let one = match drawn {
        "without-replacement" => {
            fixed_batches(records, size, &sum(&noise, relation), &sum(&noise, Relation::Presence), relation)?
        }
        _ => batch(&noise, &BigRational::new(records.into(), size.into()))?,
    };
    Normal::composed(&[(one, steps)])
}

/// Records in a batch, and in all.
fn batches(value: &Value) -> Result<(u64, u64)> {
    let size = whole(value.need("dataset-size")?, "`dataset-size`", 1, u64::MAX)?;
    let batch = whole(value.need("batch-size")?, "`batch-size`", 1, size)?;
    let most = size.checked_div(batch).unwrap_or(1);
    let accumulated = value.get("gradient-accumulation");
    let accumulated = accumulated.map_or(Ok(1), |n| whole(n, "`gradient-accumulation`", 1, most))?;
    Ok((batch.saturating_mul(accumulated), size))
}

/// The state of an Opacus accountant, [noise multiplier, sample rate, steps] of each phase and the accountant's name: the phases of a `dp-sgd`.
pub fn opacus(value: &Value) -> Result<Normal> {
    value.only("an Opacus state", &["history", "mechanism"])?;
    value.get("mechanism").map(|name| name.text("`mechanism`")).transpose()?;
    let phase = |phase: &Value| match phase.list("a phase of `history`")? {
        [noise, rate, steps] => {
            let stated = [("noise-multiplier", noise), ("sample-rate", rate), ("steps", steps)];
            Ok(Value::of_entries(stated.map(|(key, value)| (key, value.clone()))))
        }
        _ => Err(Rejected::malformed("a phase of `history` is not [noise multiplier, sample rate, steps]")),
    };
    let phases = some(value.need("history")?)?.iter().map(phase).collect::<Result<_>>()?;
    dp_sgd(&Value::of_entries([("phases", Value::List(phases))]), Relation::Presence)
}

/// How batches are drawn.
pub fn drawn(value: &Value) -> Result<&str> {
    let word = value.get("sampling").map(|value| value.text("`sampling`")).transpose()?.unwrap_or("poisson");
    match word {
        "poisson" | "truncated-poisson" | "without-replacement" | "shuffled" => Ok(word),
        _ => Err(Rejected::uncovered("this way to draw batches")),
    }
}

pub fn none_of(value: &Value, others: &[&str]) -> Result<()> {
    let found = others.iter().find(|key| value.get(key).is_some());
    found.map_or(Ok(()), |key| Err(Rejected::malformed(format!("`{key}` says nothing of such batches"))))
}

/// Refuses other ways to draw batches, and their keys.
pub fn poisson(value: &Value, others: &[&str]) -> Result<()> {
    Reason::Malformed.when(drawn(value)? != "poisson", "batches are not drawn like that here")?;
    none_of(value, others)
}

#[cfg(test)]
#[path = "training_tests.rs"]
mod tests;
