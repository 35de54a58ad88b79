//! `noise-threshold`: keys are released where their noisy count passes a threshold.

use super::{
    fields::{self, Fields, string},
    json::shown,
    problem::{ErrorCode, Problem},
};
use crate::mechanism::kind::{CountNoise, NoiseThreshold, Releases};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const KEYS: [&str; 7] = [
    "noise",
    "scale",
    "sigma",
    "threshold",
    "release-if",
    "keys",
    "record-bound",
];

/// Those of [`KEYS`] whose values are whole numbers.
pub(crate) const WHOLE_KEYS: [&str; 1] = ["keys"];

/// The noise that ends at the threshold.
pub(crate) const TRUNCATED: &str = "truncated-geometric";

const NOISES: [&str; 5] = [
    "laplace",
    "gaussian",
    "discrete-laplace",
    TRUNCATED,
    "discrete-gaussian",
];

/// Largest values of truncated noise.
const MOST_LAST: u64 = 1_000_000_000_000;

/// Most keys of a record.
const MOST_KEYS: u64 = 1_000_000;

pub(crate) fn noise_threshold(
    fields: &Fields<'_>,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let noise = noise(fields)?;
    let threshold = fields.number("threshold", Domain::Real)?;
    let releases = releases(fields, &noise)?;
    let keys = fields.whole_or("keys", 1, MOST_KEYS, 1)?;
    let record_bound = match fields.has("record-bound") {
        true => Some(fields.number("record-bound", Domain::Positive)?),
        false => None,
    };
    let kind = NoiseThreshold::new(noise, threshold, releases, keys, record_bound);
    Ok(kind.and_then(Mechanism::new))
}

fn noise(fields: &Fields<'_>) -> Result<CountNoise, Problem> {
    let node = fields.required("noise")?;
    let word = string(node, "`noise`")?;
    let has_scale = match word {
        "laplace" | "discrete-laplace" | TRUNCATED => true,
        "gaussian" | "discrete-gaussian" => false,
        _ => {
            let message = format!("`noise` cannot be `{}`", shown(word));
            let help = fields::suggestion(word, &NOISES, "it is one of");
            return Err(Problem::new(ErrorCode::Unsupported, &node.span, message).help(help));
        }
    };
    let (key, other) = match has_scale {
        true => ("scale", "sigma"),
        false => ("sigma", "scale"),
    };
    if fields.has(other) {
        let help = "Laplace and geometric noise have a `scale`, Gaussian noise a `sigma`";
        return Err(fields.conflict(other, key, help));
    }
    let number = fields.number(key, Domain::Positive)?;
    Ok(match word {
        "laplace" => CountNoise::Laplace { scale: number },
        "gaussian" => CountNoise::Gaussian { sigma: number },
        "discrete-laplace" => CountNoise::DiscreteLaplace { scale: number },
        TRUNCATED => CountNoise::TruncatedGeometric {
            scale: number,
            last: last(fields)?,
        },
        _ => CountNoise::DiscreteGaussian { sigma: number },
    })
}

/// Truncated geometric noise ends at the threshold.
fn last(fields: &Fields<'_>) -> Result<u64, Problem> {
    fields.whole("threshold", 1, MOST_LAST)
}

/// For real noise both mean the same; on the integers it has to be said.
fn releases(fields: &Fields<'_>, noise: &CountNoise) -> Result<Releases, Problem> {
    let Some(node) = fields.optional("release-if") else {
        return match noise.is_whole() {
            true => Err(fields.missing("`release-if`")),
            false => Ok(Releases::Above),
        };
    };
    match string(node, "`release-if`")? {
        ">" => Ok(Releases::Above),
        ">=" => Ok(Releases::AtLeast),
        other => {
            let message = format!("`release-if` cannot be `{}`", shown(other));
            let help = "it is \">\" where counts above the threshold are released, \">=\" where those at it are, too";
            Err(Problem::new(ErrorCode::Unsupported, &node.span, message).help(help))
        }
    }
}
