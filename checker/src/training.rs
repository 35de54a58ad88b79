//! Training runs and how batches are drawn: `dp-sgd` in its notations, Opacus states, samples and batches of fixed size.

use crate::mechanism::multiple;
use crate::numbers::{positive, rate, some, whole};
use crate::*;

/// Gaussian noise of this multiplier of one record bound, on sums that a record moves by the root of `square` record bounds.
pub fn noise_of(square: &BigRational, noise: &BigRational, relation: Relation) -> Normal {
    let mu = BigRational::from(multiple(relation)) / noise;
    Normal::real_noise(Step::Gaussian { square: square * &mu * &mu })
}

/// The same on a Poisson sample.
pub fn noisy_sample(square: &BigRational, noise: &BigRational, rate: &BigRational, relation: Relation) -> Normal {
    let of = |relation| noise_of(square, noise, relation);
    match relation {
        Relation::ReplaceOne => of(relation).sampled_replaced(rate, &of(Relation::Presence)),
        Relation::Presence | Relation::ReplaceSpecial => of(relation).sampled(rate),
    }
}

/// So many of all records, `apart` the noise between two that replace each other (M12).
pub fn fixed_batches(batch: u64, size: u64, apart: &Normal, present: &Normal, relation: Relation) -> Result<Normal> {
    apart.is_covered(Some(false))?;
    let (is_special, is_there) = (relation == Relation::ReplaceSpecial, relation == Relation::Presence);
    Reason::Malformed.when(is_there, "a batch of a fixed size, where a record is added or removed")?;
    Reason::NoCertificateYet.when(is_special, "a special record in batches of a fixed size")?;
    let normal = match apart.steps.as_slice() {
        _ if batch >= size => apart.clone(),
        [(step, 1)] if apart.noise_on_sum(present).is_some() => {
            let rate = BigRational::new(batch.into(), size.into());
            let sampled = Step::Sampled { rate, of: vec![(step.clone(), 1)] };
            let of = vec![(false, sampled.clone()), (true, sampled)];
            Normal { steps: vec![(Step::Worst { of }, 1)], ..apart.clone() }
        }
        _ => return Err(Rejected::malformed("a batch of a fixed size is built for noise on a sum of records only")),
    };
    Ok(normal.with(Condition::FixedBatches))
}

pub fn dp_sgd(value: &Value, relation: Relation) -> Result<Normal> {
    let drawn = drawn(value)?;
    if drawn == "poisson" {
        none_of(value, &["max-batch"])?;
    }
    let only = |keys: &[&str]| {
        value.only("this `dp-sgd`", &[keys, &["kind", "sampling", "adjacency", "times", "weight"]].concat())
    };
    let phase = |of: &Value| {
        let noise = positive(of.need("noise-multiplier")?, "`noise-multiplier`")?;
        let one = noisy_sample(&BigRational::one(), &noise, &rate(of.need("sample-rate")?)?, relation);
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
    if value.get("sample-rate").is_some() && drawn == "poisson" {
        only(&keys)?;
        return Normal::composed(&[phase(value)?]);
    }
    only(&["noise-multiplier", "epochs", "steps", "batch-size", "gradient-accumulation", "dataset-size"])?;
    let (batch, size) = batches(value)?;
    let steps = match (value.get("steps"), value.get("epochs")) {
        (Some(steps), None) => whole(steps, "`steps`", 1, MOST_TIMES)?,
        (None, Some(epochs)) => {
            let steps = (positive(epochs, "`epochs`")? * BigInt::from(size.div_ceil(batch))).ceil().to_integer();
            let steps = u64::try_from(steps).ok().filter(|n| *n <= MOST_TIMES);
            steps.ok_or_else(|| Rejected::malformed("more than 10^12 steps"))?
        }
        _ => return Err(Rejected::malformed("`dp-sgd` has either `steps` or `epochs`")),
    };
    let noise = positive(value.need("noise-multiplier")?, "`noise-multiplier`")?;
    let one = match drawn {
        "without-replacement" => {
            let of = |relation| noise_of(&BigRational::one(), &noise, relation);
            fixed_batches(batch, size, &of(relation), &of(Relation::Presence), relation)?
        }
        _ => noisy_sample(&BigRational::one(), &noise, &BigRational::new(batch.into(), size.into()), relation),
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
        "poisson" | "without-replacement" | "shuffled" => Ok(word),
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
