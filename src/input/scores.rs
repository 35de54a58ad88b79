//! Kinds that select by score: `epsilon`, or `eta` and `sensitivity`.

use super::{correlated::flag, epsilon, fields::Fields, problem::Problem};
use crate::mechanism::kind::{Exponential, PermuteAndFlip, ScoreRange, TopK};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

/// The keys of a selection.
pub(crate) const KEYS: [&str; 5] = ["epsilon", "exp-epsilon", "eta", "sensitivity", "monotone"];

/// Those of the best k.
pub(crate) const TOP_KEYS: [&str; 6] = [
    "epsilon",
    "exp-epsilon",
    "eta",
    "sensitivity",
    "monotone",
    "k",
];

pub(crate) fn exponential(fields: &Fields<'_>) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    Ok(Exponential::new(range(fields)?).and_then(Mechanism::new))
}

pub(crate) fn permute_and_flip(
    fields: &Fields<'_>,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    Ok(PermuteAndFlip::new(range(fields)?).and_then(Mechanism::new))
}

pub(crate) fn top_k(fields: &Fields<'_>) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let k = fields.whole("k", 1, u64::MAX)?;
    Ok(TopK::new(range(fields)?, k).and_then(Mechanism::new))
}

fn range(fields: &Fields<'_>) -> Result<ScoreRange, Problem> {
    if fields.has("eta") {
        for other in epsilon::KEYS {
            if fields.has(other) {
                let help = "epsilon is 2*eta*sensitivity, or eta*sensitivity where the scores are monotone";
                return Err(fields.conflict("eta", other, help));
            }
        }
        return Ok(ScoreRange::Scores {
            eta: fields.number("eta", Domain::Positive)?,
            sensitivity: fields.number_or("sensitivity", Domain::Positive, 1)?,
            monotone: flag(fields, "monotone")?,
        });
    }
    for (key, present) in ["sensitivity", "monotone"].map(|key| (key, fields.has(key))) {
        if present {
            let stated = epsilon::KEYS.into_iter().find(|key| fields.has(key));
            if let Some(stated) = stated {
                let help = "`epsilon` says all; `sensitivity` and `monotone` stand beside `eta`";
                return Err(fields.conflict(key, stated, help));
            }
            return Err(fields.missing("`eta`"));
        }
    }
    Ok(ScoreRange::Epsilon(epsilon::epsilon(
        fields,
        Domain::NonNegative,
    )?))
}
