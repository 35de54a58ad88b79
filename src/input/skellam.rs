//! `skellam`: noise on a count, or on a vector of which the Euclidean length is stated.

use super::{fields::Fields, mechanism::whole_sensitivity, problem::Problem};
use crate::mechanism::kind::{Sensitivity, Skellam};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const KEYS: [&str; 5] = [
    "mean",
    "sensitivity",
    "record-bound",
    "l2-sensitivity",
    "l2-record-bound",
];

/// The keys of a vector, and those of a count.
const OF_VECTORS: [&str; 2] = ["l2-sensitivity", "l2-record-bound"];
const OF_COUNTS: [&str; 2] = ["sensitivity", "record-bound"];

pub(super) fn skellam(fields: &Fields<'_>) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let mean = fields.number("mean", Domain::Positive)?;
    let stated = |keys: [&'static str; 2]| keys.into_iter().filter(|key| fields.has(key));
    let Some(key) = stated(OF_VECTORS).next() else {
        let noise = Skellam::new(mean, whole_sensitivity(fields)?);
        return Ok(noise.and_then(Mechanism::new));
    };
    let other = stated(OF_VECTORS).chain(stated(OF_COUNTS)).nth(1);
    if let Some(other) = other {
        let help = "how far the sum moves is stated once: an `l2-` key for vectors, another one for a count";
        return Err(fields.conflict(other, key, help));
    }
    let length = fields.number(key, Domain::AtLeastOne)?;
    let length = match key {
        "l2-record-bound" => Sensitivity::RecordBound(length),
        _ => Sensitivity::OfQuery(length),
    };
    Ok(Skellam::of_vectors(mean, length).and_then(Mechanism::new))
}
