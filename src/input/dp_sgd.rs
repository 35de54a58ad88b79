//! `dp-sgd`: steps of Gaussian noise on batches, in three notations.

use rug::{Integer, Rational};

use super::{
    fields::{self, Fields, MAX_TIMES},
    mechanism::too_many_runs,
    node::Node,
    problem::{ErrorCode, Problem},
    sampling::{self, Sampling, sampling},
};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const KEYS: [&str; 10] = [
    "noise-multiplier",
    "sample-rate",
    "steps",
    "phases",
    "epochs",
    "batch-size",
    "dataset-size",
    "gradient-accumulation",
    "max-batch",
    "sampling",
];

/// Those of [`KEYS`] whose values are whole numbers.
pub(crate) const WHOLE_KEYS: [&str; 5] = [
    "steps",
    "batch-size",
    "dataset-size",
    "gradient-accumulation",
    "max-batch",
];

const PHASE_KEYS: [&str; 3] = ["noise-multiplier", "sample-rate", "steps"];
/// What a training log has.
const LOG_KEYS: [&str; 4] = [
    "epochs",
    "batch-size",
    "gradient-accumulation",
    "dataset-size",
];
const WITHOUT_RECORDS: [&str; 3] = ["epochs", "batch-size", "gradient-accumulation"];
const SIZES: [&str; 3] = ["batch-size", "gradient-accumulation", "dataset-size"];

const NOTATIONS: &str = "give `noise-multiplier`, `sample-rate`, `steps`; or `noise-multiplier`, \
    `epochs` or `steps`, `batch-size`, `dataset-size`; or `phases`";
const LENGTH: &str =
    "`steps` are those of the whole run, `epochs` how often the records are gone through";

/// Reads any of the three notations into a composition of phases, or into shuffled batches.
pub(crate) fn read(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Mechanism, Problem> {
    let built = [
        Sampling::Poisson,
        Sampling::TruncatedPoisson,
        Sampling::WithoutReplacement,
        Sampling::Shuffled,
    ];
    let sampling = sampling(fields, &built)?;
    match sampling {
        Sampling::Shuffled => return shuffled(fields, notes),
        Sampling::TruncatedPoisson => sampling::refuse(fields, sampling, &["phases"])?,
        Sampling::Poisson => sampling::refuse(fields, sampling, &["max-batch"])?,
        Sampling::WithoutReplacement => {
            sampling::refuse(fields, sampling, &["sample-rate", "phases", "max-batch"])?;
        }
    }
    let first_of = |keys: &[&'static str]| keys.iter().copied().find(|key| fields.has(key));
    let rate_key = first_of(&["sample-rate"]);
    let log_key = match (sampling, rate_key) {
        // There the number of records is known beside a rate.
        (Sampling::TruncatedPoisson, Some(_)) => first_of(&WITHOUT_RECORDS),
        _ => first_of(&LOG_KEYS),
    };
    let other_than_phases = first_of(&PHASE_KEYS).or(log_key);
    match (fields.has("phases"), rate_key, log_key) {
        (true, _, _) => match other_than_phases {
            Some(other) => Err(fields.conflict(other, "phases", NOTATIONS)),
            None => phases(fields.required("phases")?),
        },
        (false, Some(rate_key), Some(log_key)) => {
            Err(fields.conflict(log_key, rate_key, NOTATIONS))
        }
        (false, None, Some(_)) => {
            let noise = fields.number("noise-multiplier", Domain::Positive)?;
            let log = Log::read(fields)?;
            let count = log.steps(fields, notes)?;
            let step = if sampling == Sampling::WithoutReplacement {
                on_batches(&log, noise).map_err(|error| fields.out_of_range(&error))?
            } else {
                one_step(fields, sampling, noise, log.rate())?
            };
            Ok(composition(vec![(step, count)], fields)?.of_records(log.records))
        }
        (false, Some(_), None) => composition(vec![phase(fields, sampling)?], fields),
        (false, None, None) if sampling == Sampling::WithoutReplacement => {
            Err(fields.missing("`batch-size` and `dataset-size`"))
        }
        (false, None, None) if fields.has("steps") => {
            composition(vec![phase(fields, sampling)?], fields)
        }
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

/// One step on a batch drawn without replacement.
fn on_batches(log: &Log, noise_multiplier: Rational) -> Result<Mechanism, OutOfRange> {
    let noise = Mechanism::gaussian_sum(noise_multiplier, 1)?;
    Mechanism::without_replacement(log.records, log.of_step(), noise)
}

/// One step at a rate.
fn one_step(
    fields: &Fields<'_>,
    sampling: Sampling,
    noise_multiplier: Rational,
    rate: Rational,
) -> Result<Mechanism, Problem> {
    let noise = Mechanism::gaussian_sum(noise_multiplier, 1);
    let noise = noise.map_err(|error| fields.out_of_range(&error))?;
    let step = match sampling {
        Sampling::Poisson | Sampling::Shuffled | Sampling::WithoutReplacement => {
            Mechanism::subsampled(rate, noise)
        }
        Sampling::TruncatedPoisson => {
            let records = fields.whole("dataset-size", 1, u64::MAX)?;
            let most = fields.whole("max-batch", 1, u64::MAX)?;
            Mechanism::truncated_poisson(rate, records, most, noise)
        }
    };
    step.map_err(|error| fields.out_of_range(&error))
}

/// Epochs of shuffled batches: `steps` in each, or as many as the batches of a log.
fn shuffled(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Mechanism, Problem> {
    let others = ["sample-rate", "phases", "max-batch"];
    sampling::refuse(fields, Sampling::Shuffled, &others)?;
    let noise = fields.number("noise-multiplier", Domain::Positive)?;
    let epochs = fields.number_or("epochs", Domain::Positive, 1)?;
    let log_key = SIZES.iter().find(|key| fields.has(key));
    let (per_epoch, records) = match (fields.has("steps"), log_key) {
        (true, Some(key)) => {
            let help = "with shuffled batches `steps` are those of one epoch, as many as there are batches";
            return Err(fields.conflict(key, "steps", help));
        }
        (true, None) => (fields.whole("steps", 1, MAX_TIMES)?, None),
        (false, Some(_)) => {
            let log = Log::read(fields)?;
            let per_epoch = log.per_epoch();
            notes.push(format!(
                "steps of an epoch = ⌈n/b⌉ = ⌈{}/{}⌉ = {per_epoch}",
                log.records,
                log.batch_words()
            ));
            (per_epoch, Some(log.records))
        }
        (false, None) => {
            let what = "`steps` (of one epoch), or `batch-size` and `dataset-size`";
            return Err(fields.missing(what));
        }
    };
    let found = Mechanism::shuffled_batches(noise, per_epoch, epochs);
    let found = found.map_err(|error| fields.out_of_range(&error))?;
    Ok(match records {
        Some(records) => found.of_records(records),
        None => found,
    })
}

/// The sizes in a training log.
struct Log {
    records: u64,
    batch: u64,
    accumulated: u64,
}

impl Log {
    fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        let records = fields.whole("dataset-size", 1, u64::MAX)?;
        let batch = fields.whole("batch-size", 1, records)?;
        let accumulated = fields.whole_or("gradient-accumulation", 1, records / batch, 1)?;
        Ok(Self {
            records,
            batch,
            accumulated,
        })
    }

    /// Records of one step.
    fn of_step(&self) -> u64 {
        self.batch.saturating_mul(self.accumulated)
    }

    fn batch_words(&self) -> String {
        match self.accumulated {
            1 => self.batch.to_string(),
            several => format!("({}·{several})", self.batch),
        }
    }

    fn rate(&self) -> Rational {
        Rational::from((self.of_step(), self.records))
    }

    fn per_epoch(&self) -> u64 {
        self.records.div_ceil(self.of_step())
    }

    /// `steps`, or ⌈epochs·⌈n/b⌉⌉; the sample rate is b/n.
    fn steps(&self, fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<u64, Problem> {
        let rate = format!(
            "sample-rate = b/n = {}/{}",
            self.batch_words(),
            self.records
        );
        if fields.has("steps") {
            if fields.has("epochs") {
                return Err(fields.conflict("epochs", "steps", LENGTH));
            }
            notes.push(rate);
            return fields.whole("steps", 1, MAX_TIMES);
        }
        if !fields.has("epochs") {
            return Err(fields.missing("`epochs` or `steps`"));
        }
        let epochs = fields.number("epochs", Domain::Positive)?;
        let per_epoch = self.per_epoch();
        let count = Integer::from((Rational::from(&epochs * per_epoch)).ceil_ref());
        let count = count
            .to_u64()
            .filter(|count| *count <= MAX_TIMES)
            .ok_or_else(|| {
                let span = fields
                    .optional("epochs")
                    .map_or(0..0, |node| node.span.clone());
                let message = format!("epochs·⌈n/b⌉ is more than {MAX_TIMES} steps");
                Problem::new(ErrorCode::Range, &span, message)
            })?;
        let product = format!("{}·⌈{}/{}⌉", epochs, self.records, self.batch_words());
        notes.push(if epochs.is_integer() {
            format!("steps = epochs·⌈n/b⌉ = {product} = {count}; {rate}")
        } else {
            format!("steps = epochs·⌈n/b⌉, rounded up = {product} = {count}; {rate}")
        });
        Ok(count)
    }
}

fn phases(node: &Node) -> Result<Mechanism, Problem> {
    let items = fields::counted(node, "`phases`")?;
    if items.is_empty() {
        return Err(Problem::new(
            ErrorCode::Range,
            &node.span,
            "`phases` must not be empty",
        ));
    }
    let mut parts = Vec::with_capacity(items.len());
    for (item, times) in items {
        let table = fields::table(item, "each entry of `phases`")?;
        let fields = Fields::new(table, "a phase", &item.span, &PHASE_KEYS)?;
        let (step, count) = phase(&fields, Sampling::Poisson)?;
        let count = count.checked_mul(times);
        parts.push((step, count.ok_or_else(|| too_many_runs(&item.span))?));
    }
    total(parts).map_err(|_| too_many_runs(&node.span))
}

fn phase(fields: &Fields<'_>, sampling: Sampling) -> Result<(Mechanism, u64), Problem> {
    let noise = fields.number("noise-multiplier", Domain::Positive)?;
    let rate = fields.number("sample-rate", Domain::Rate)?;
    let count = fields.whole("steps", 1, MAX_TIMES)?;
    Ok((one_step(fields, sampling, noise, rate)?, count))
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

#[cfg(test)]
#[path = "dp_sgd_tests.rs"]
mod tests;
