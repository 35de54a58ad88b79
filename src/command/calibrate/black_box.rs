//! `--profile-table FILE`: calibration from the privacy profile of another accountant.
//!
//! f(α) ≥ sup max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} over the points (ε, δ) of a profile (Kulynych et al. 2024, Eq. 20); dpcmp takes the
//! class of all mechanisms with these points, so that every target is decided by its tightest consequence.

use std::time::Instant;

use super::super::Session;
use super::key::Key;
use super::search::Certainty;
use super::solver::{Stop, certainty};
use crate::input::{ProfileTable, Requirement};
use crate::report::BlackBoxReport;

/// The least private value of the table whose profile implies the requirements.
pub fn from_table(
    session: &Session,
    table: &ProfileTable,
    solve: &str,
    requirements: &[Requirement],
    targets: &[String],
) -> Result<BlackBoxReport, Stop> {
    let start = Instant::now();
    if table.key != solve {
        return Err(Stop::Words(format!(
            "the table is about `{}`, not `{solve}`",
            table.key
        )));
    }
    let key = Key::new(solve, false).ok_or_else(|| {
        Stop::Words(format!(
            "it is not known which way privacy goes with `{solve}`; `--solve` takes {}",
            Key::names()
        ))
    })?;
    // From the most private value on.
    let mut profiles: Vec<_> = table.profiles.iter().collect();
    if key.grows_private() {
        profiles.reverse();
    }
    let (mut meets, mut beyond, mut gap) = (None, None, None);
    let longest = session.options.max_seconds.saturating_mul(2);
    for (value, profile) in profiles {
        if start.elapsed() > longest {
            let why = "the table takes more time than it was given; a larger --max-seconds helps";
            return Err(Stop::Words(why.to_owned()));
        }
        if certainty(session, profile, requirements, start)? == Certainty::Meets {
            // What a more private value is not known to do, a less private one is: the profiles are not of one accuracy.
            gap = gap.or_else(|| beyond.take());
            (meets, beyond) = (Some(value.clone()), None);
        } else if beyond.is_none() {
            beyond = Some(value.clone());
        }
    }
    let meets = meets.ok_or_else(|| {
        Stop::Words(format!(
            "the profile of no value of `{solve}` in the table implies the target"
        ))
    })?;
    Ok(BlackBoxReport {
        key: key.name,
        targets: targets.to_vec(),
        meets,
        not_implied: beyond,
        gap,
        time: start.elapsed(),
    })
}
