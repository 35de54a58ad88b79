//! `dp-sgd`: steps of Poisson-subsampled Gaussian noise, in three notations.

use rug::Rational;

use super::{
    fields::{self, Fields, MAX_TIMES},
    mechanism::too_many_runs,
    node::Node,
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const KEYS: [&str; 8] = [
    "noise-multiplier",
    "sample-rate",
    "steps",
    "phases",
    "epochs",
    "batch-size",
    "dataset-size",
    "sampling",
];

/// Those of [`KEYS`] whose values are whole numbers.
pub(crate) const WHOLE_KEYS: [&str; 4] = ["steps", "epochs", "batch-size", "dataset-size"];

const PHASE_KEYS: [&str; 3] = ["noise-multiplier", "sample-rate", "steps"];
const EPOCH_KEYS: [&str; 3] = ["epochs", "batch-size", "dataset-size"];

const NOTATIONS: &str = "give `noise-multiplier`, `sample-rate`, `steps`; or `noise-multiplier`, \
    `epochs`, `batch-size`, `dataset-size`; or `phases`";

/// Reads any of the three notations into a composition of phases.
pub(crate) fn read(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Mechanism, Problem> {
    let first_of = |keys: &[&'static str]| keys.iter().copied().find(|key| fields.has(key));
    let rate_key = first_of(&["sample-rate", "steps"]);
    let epoch_key = first_of(&EPOCH_KEYS);
    let other_than_phases = first_of(&PHASE_KEYS).or(epoch_key);
    match (fields.has("phases"), rate_key, epoch_key) {
        (true, _, _) => match other_than_phases {
            Some(other) => Err(fields.conflict(other, "phases", NOTATIONS)),
            None => phases(fields.required("phases")?),
        },
        (false, Some(rate_key), Some(epoch_key)) => {
            Err(fields.conflict(epoch_key, rate_key, NOTATIONS))
        }
        (false, None, Some(_)) => composition(vec![from_epochs(fields, notes)?], fields),
        (false, Some(_), None) => composition(vec![phase(fields)?], fields),
        (false, None, None) => {
            let what = if fields.has("noise-multiplier") {
                "`sample-rate` and `steps`"
            } else {
                "`noise-multiplier`, `sample-rate` and `steps`"
            };
            Err(fields.missing(what).help(NOTATIONS))
        }
    }
}

/// `steps` runs of Gaussian noise of the given multiplier on Poisson samples.
pub(crate) fn steps(
    noise_multiplier: Rational,
    rate: Rational,
    steps: u64,
) -> Result<(Mechanism, u64), OutOfRange> {
    let noise = Mechanism::gaussian_sum(noise_multiplier, 1)?;
    Ok((Mechanism::subsampled(rate, noise)?, steps))
}

fn phases(node: &Node) -> Result<Mechanism, Problem> {
    let items = fields::list(node, "`phases`")?;
    if items.is_empty() {
        return Err(Problem::new(
            ErrorCode::Range,
            &node.span,
            "`phases` must not be empty",
        ));
    }
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        let table = fields::table(item, "each entry of `phases`")?;
        parts.push(phase(&Fields::new(
            table,
            "a phase",
            &item.span,
            &PHASE_KEYS,
        )?)?);
    }
    total(parts).map_err(|_| too_many_runs(&node.span))
}

fn phase(fields: &Fields<'_>) -> Result<(Mechanism, u64), Problem> {
    let phase = steps(
        fields.number("noise-multiplier", Domain::Positive)?,
        fields.number("sample-rate", Domain::Rate)?,
        fields.whole("steps", 1, MAX_TIMES)?,
    );
    phase.map_err(|error| fields.out_of_range(&error))
}

/// steps = epochs · ⌈n/b⌉ and sample rate b/n, for batch size b and data set size n.
fn from_epochs(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<(Mechanism, u64), Problem> {
    let noise_multiplier = fields.number("noise-multiplier", Domain::Positive)?;
    let epochs = fields.whole("epochs", 1, MAX_TIMES)?;
    let records = fields.whole("dataset-size", 1, u64::MAX)?;
    let batch = fields.whole("batch-size", 1, records)?;
    let per_epoch = records.div_ceil(batch);
    let count = epochs
        .checked_mul(per_epoch)
        .filter(|count| *count <= MAX_TIMES)
        .ok_or_else(|| {
            let span = fields
                .optional("epochs")
                .map_or(0..0, |node| node.span.clone());
            let message = format!("epochs·⌈n/b⌉ is more than {MAX_TIMES} steps");
            Problem::new(ErrorCode::Range, &span, message)
        })?;
    notes.push(format!(
        "steps = epochs·⌈n/b⌉ = {epochs}·⌈{records}/{batch}⌉ = {count}; sample-rate = b/n = {batch}/{records}"
    ));
    let phase = steps(noise_multiplier, Rational::from((batch, records)), count);
    phase.map_err(|error| fields.out_of_range(&error))
}

fn composition(parts: Vec<(Mechanism, u64)>, fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    total(parts).map_err(|_| fields.missing("fewer steps"))
}

/// The composition of all phases.
///
/// # Errors
/// If there are 2^64 steps or more.
pub(crate) fn total(parts: Vec<(Mechanism, u64)>) -> Result<Mechanism, OutOfRange> {
    Mechanism::compose(parts)
}
