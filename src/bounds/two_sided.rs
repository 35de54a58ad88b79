//! The pair of profiles that is known of a mechanism, and how answers for them combine.

use std::fmt;
use std::sync::Arc;

use super::curve::Curve;
use super::enclosure::Enclosure;
use crate::kernel::{Interval, InvariantViolation, Profile};

/// One privacy profile known from both sides: upper.δ ≥ δ ≥ lower.δ at every ε.
///
/// For a closed form both are the same `Arc`.
#[derive(Clone)]
pub struct TwoSided {
    /// A profile nowhere below the true one.
    pub upper: Arc<dyn Profile>,
    /// A profile nowhere above the true one.
    pub lower: Arc<dyn Profile>,
    /// What is known of the true loss beside the profiles: an upper law may have put a little mass beyond it.
    pub known_range: LossRange,
}

/// Bounds of the privacy loss of the true pair, where they are known.
#[derive(Debug, Clone, Default)]
pub struct LossRange {
    /// The loss is never above this, so Q has no mass where P has none: δ(ε) = 0 from here on.
    pub max: Option<Interval>,
    /// The loss is never below this, so P has no mass where Q has none: δ(ε) = 1 − e^ε up to here.
    pub min: Option<Interval>,
}

impl fmt::Debug for TwoSided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwoSided")
            .field("closed_form", &self.is_closed_form())
            .field("known_range", &self.known_range)
            .finish_non_exhaustive()
    }
}

impl TwoSided {
    /// A profile known exactly (a closed form).
    pub fn closed_form(profile: Arc<dyn Profile>) -> Self {
        Self {
            upper: profile.clone(),
            lower: profile,
            known_range: LossRange::default(),
        }
    }

    /// A profile between two others.
    ///
    /// Requires: `upper.δ ≥ lower.δ` everywhere, with the truth between them.
    pub fn between(
        upper: Arc<dyn Profile>,
        lower: Arc<dyn Profile>,
        known_range: LossRange,
    ) -> Self {
        Self {
            upper,
            lower,
            known_range,
        }
    }

    /// Are both sides the same profile?
    pub fn is_closed_form(&self) -> bool {
        Arc::ptr_eq(&self.upper, &self.lower)
    }

    /// Encloses a quantity that is monotone in the profile and grows with δ.
    pub(super) fn growing(
        &self,
        query: impl Fn(&Curve) -> Result<Enclosure, InvariantViolation>,
    ) -> Result<Enclosure, InvariantViolation> {
        let (upper, lower) = self.answers(query)?;
        Enclosure::between(&lower, &upper)
    }

    /// Encloses a quantity that is monotone in the profile and falls when δ grows.
    pub(super) fn falling(
        &self,
        query: impl Fn(&Curve) -> Result<Enclosure, InvariantViolation>,
    ) -> Result<Enclosure, InvariantViolation> {
        let (upper, lower) = self.answers(query)?;
        Enclosure::between(&upper, &lower)
    }

    fn answers(
        &self,
        query: impl Fn(&Curve) -> Result<Enclosure, InvariantViolation>,
    ) -> Result<(Enclosure, Enclosure), InvariantViolation> {
        let upper = query(&Curve::new(self.upper.clone()))?;
        let lower = if self.is_closed_form() {
            upper.clone()
        } else {
            query(&Curve::new(self.lower.clone()))?
        };
        Ok((upper, lower))
    }
}
