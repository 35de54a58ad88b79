//! A privacy profile, a trade-off function or a Bayes error, at many points.
//!
//! | file | job |
//! |---|---|
//! | `places` | where a curve is looked at |
//! | `sample` | what it is there |

mod places;
mod sample;

pub use places::{Place, Points, PointsError, extended, merged, place, usual_places};
pub use sample::{CurvePoint, Source, sample};

use std::time::Instant;

use super::{Engine, Limits, prepare, quick_hint};
use crate::analysis::{Refusal, Unsupported};
use crate::input::MechanismFile;
use crate::kernel::{Failure, InvariantViolation};

/// Which curve of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveKind {
    /// δ(ε), the least δ at every ε.
    PrivacyProfile,
    /// f(α), the least false-negative rate of attacks at every false-positive rate.
    TradeOff,
    /// R(π), the least average error of attacks at every prior that the record is absent.
    BayesError,
}

impl CurveKind {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivacyProfile => "privacy-profile",
            Self::TradeOff => "trade-off",
            Self::BayesError => "bayes-error",
        }
    }

    /// What its places are called.
    pub fn key(self) -> &'static str {
        match self {
            Self::PrivacyProfile => "epsilon",
            Self::TradeOff => "alpha",
            Self::BayesError => "prior",
        }
    }

    /// A place and the value there, in the notation of papers.
    pub fn symbols(self) -> (&'static str, &'static str) {
        match self {
            Self::PrivacyProfile => ("ε", "δ(ε)"),
            Self::TradeOff => ("α", "f(α)"),
            Self::BayesError => ("π", "R(π)"),
        }
    }
}

/// Why there is no curve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCurve {
    /// A place that was asked for is none of this curve.
    #[error("{0}")]
    Place(PointsError),
    /// The mechanism cannot be treated.
    #[error("{0}")]
    Unsupported(Unsupported),
    /// The time ended before the mechanism was prepared.
    #[error("the time ended before the mechanism was prepared")]
    OutOfTime,
    /// dpcmp contradicts itself.
    #[error("{0}")]
    Internal(InvariantViolation),
}

/// The curve of a mechanism at these points, or where it bends, by rising place.
///
/// All points share [`Limits::max_time`], and half as much again where the laws are there; a point for which no time is left has the
/// enclosure that is true of every mechanism.
///
/// # Errors
/// [`NoCurve`].
pub fn curve(
    file: &MechanismFile,
    kind: CurveKind,
    points: Option<&Points>,
    engine: Engine,
    limits: &Limits<'_>,
) -> Result<Vec<CurvePoint>, NoCurve> {
    if let Some(points) = points {
        points.check(kind).map_err(NoCurve::Place)?;
    }
    let start = Instant::now();
    limits.listener.start("curve");
    let (hint, curve, subject);
    let source = match engine {
        Engine::Float => {
            curve = prepare(file, limits).map_err(NoCurve::Unsupported)?;
            hint = Some(curve.clone());
            Source::Float(&curve)
        }
        Engine::Certified => {
            hint = quick_hint(file, limits);
            subject = limits.subject(file)?;
            Source::Certified(&subject)
        }
    };
    let hint = hint.as_ref();
    let places = match points {
        Some(points) => points.places(kind, file, hint),
        None => usual_places(kind, file, hint),
    };
    let time = limits.shared(start, places.len());
    sample(limits, &source, hint, kind, &places, &time).map_err(NoCurve::Unsupported)
}

impl From<Refusal> for NoCurve {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(unsupported) => Self::Unsupported(unsupported),
            Refusal::Failure(Failure::Interrupted) => Self::OutOfTime,
            Refusal::Failure(Failure::Invariant(violation)) => Self::Internal(violation),
        }
    }
}
