//! Calibration from the privacy profile of another accountant.
//!
//! f(α) ≥ sup max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} over the points (ε, δ) of a profile (Kulynych et al. 2024, Eq. 20); dpcmp takes the
//! class of all mechanisms with these points, so that every target is decided by its tightest consequence.

use rug::Rational;

use super::check;
use super::error::CalibrationError;
use super::key::Key;
use super::search::{Certainty, Doubt};
use super::solver::{Clock, certainty};
use crate::input::ProfileTable;
use crate::statement::Requirement;
use crate::study::Limits;

/// What follows from a table of privacy profiles, if these are true upper bounds of δ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlackBox {
    /// The parameter.
    pub key: String,
    /// The least private value of the table whose profile is certified to imply the targets.
    pub meets: Rational,
    /// The next value of the table: its profile is not certified to imply them.
    pub not_implied: Option<NotImplied>,
    /// A more private value whose profile is certified not to imply them.
    pub gap: Option<Rational>,
}

/// A value of a table whose profile is not certified to imply the targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotImplied {
    /// That value.
    pub value: Rational,
    /// Why it is not known whether its profile implies them; `None` if that is certified not to.
    pub doubt: Option<Doubt>,
}

impl BlackBox {
    /// Did the time end before the profile of the next value was decided?
    pub fn is_out_of_time(&self) -> bool {
        let next = self.not_implied.as_ref();
        next.is_some_and(|next| next.doubt == Some(Doubt::OutOfTime))
    }
}

/// The least private value of the table whose profile implies the targets.
///
/// # Errors
/// [`CalibrationError`]: the table is about another parameter, none of its profiles implies the targets, or the time ended first.
pub fn calibrate_from_profiles(
    table: &ProfileTable,
    key: &str,
    targets: &[Requirement],
    limits: &Limits<'_>,
) -> Result<BlackBox, CalibrationError> {
    let clock = Clock::new(limits, limits.max_time);
    check(targets)?;
    limits.listener.start(key);
    if table.key != key {
        return Err(CalibrationError::OtherKey {
            table: table.key.clone(),
            key: key.to_owned(),
        });
    }
    let key = Key::new(key, false).ok_or_else(|| CalibrationError::UnknownKey {
        key: key.to_owned(),
        known: Key::names(),
    })?;
    // From the most private value on.
    let mut profiles: Vec<_> = table.profiles.iter().collect();
    if key.grows_private() {
        profiles.reverse();
    }
    let (mut meets, mut beyond, mut gap) = (None, None::<NotImplied>, None);
    for (value, profile) in profiles {
        let Some(time) = clock.next() else {
            if meets.is_none() {
                return Err(CalibrationError::OutOfTime);
            }
            beyond = beyond.or_else(|| {
                Some(NotImplied {
                    value: value.clone(),
                    doubt: Some(Doubt::OutOfTime),
                })
            });
            break;
        };
        let doubt = match certainty(limits, profile, targets, time)? {
            Certainty::Meets => {
                // What a more private value is not known to do, a less private one is: the profiles are not of one accuracy.
                gap = gap.or_else(|| {
                    let known = beyond.take().filter(|next| next.doubt.is_none());
                    known.map(|next| next.value)
                });
                (meets, beyond) = (Some(value.clone()), None);
                continue;
            }
            Certainty::Misses => None,
            Certainty::Unknown(doubt) => Some(doubt),
            Certainty::NotAsked => Some(Doubt::OutOfTime),
        };
        beyond = beyond.or_else(|| {
            Some(NotImplied {
                value: value.clone(),
                doubt,
            })
        });
    }
    match (meets, beyond) {
        (Some(meets), not_implied) => Ok(BlackBox {
            key: key.name,
            meets,
            not_implied,
            gap,
        }),
        (None, Some(next)) if next.doubt == Some(Doubt::OutOfTime) => {
            Err(CalibrationError::OutOfTime)
        }
        (None, _) => Err(CalibrationError::NoProfile { key: key.name }),
    }
}
