//! A claim against its enclosure: verified, refuted or undecided.
//!
//! All claims are non-strict inequalities, so a claim that holds with equality is verified where the exact value is
//! known. Nothing is decided here by a number that is not certified: a claim is verified when the bad end
//! of its enclosure satisfies it, refuted when the good end violates it, and undecided otherwise.
//!
//! | file | job |
//! |---|---|
//! | `analyst` | who answers questions about a mechanism |
//! | `blackwell` | which of two mechanisms is the more private, if either |
//! | `inequality` | what a claim says, and whether an enclosure decides it |
//! | `requirement` | what a calibration must meet, with the conversions between attack risks |
//! | `standard` | what (ε, δ) alone implies about attacks, solved for ε |
//! | `judge` | the verdict on one claim |
//! | `vacuous` | claims that are true of every mechanism |
//! | `nearest` | the nearest true claim to a refuted one |
//! | `no_nearest` | why there is none |
//! | `printed` | misses within the rounding of printed numbers |
//! | `evidence` | where a refuted claim fails |
//! | `rounded` | ends of enclosures as exact decimals, rounded to the safe side |
//! | `conditions` | the conditions of a verdict |

mod analyst;
mod blackwell;
#[cfg(test)]
mod coarse_tests;
mod conditions;
mod evidence;
mod inequality;
mod judge;
mod margin;
mod nearest;
mod no_nearest;
mod printed;
#[cfg(test)]
mod printed_coarse_tests;
mod requirement;
mod rounded;
mod standard;
#[cfg(test)]
mod testing;
mod vacuous;

pub use analyst::Analyst;
pub use blackwell::{Blackwell, Sign};
pub use conditions::{conditions, conditions_beside};
pub use evidence::{Coordinate, Counterexample};
pub use inequality::{Decision, Inequality, Relation, known_of_every_mechanism};
pub use judge::judge;
pub use margin::Margin;
pub use no_nearest::NoNearest;
pub use requirement::{
    Reach, as_claim, is_always_met, requirement_inequality, scope, why_unreachable,
};
pub use standard::{generic_cost, largest_standard_u};
pub use vacuous::is_vacuous;

use rug::{Float, Rational};

use crate::bounds::Enclosure;
use crate::statement::{Claim, Query};

/// What is known about one claim.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The claim.
    pub claim: Claim,
    /// What the claim was taken to state.
    pub statement: Statement,
    /// The quantity that it bounds.
    pub query: Query,
    /// The side from which it bounds it.
    pub relation: Relation,
    /// The number by which it bounds it.
    pub bound: Rational,
    /// The quantity, enclosed.
    pub enclosure: Enclosure,
    /// Is the claim true of every mechanism?
    pub vacuous: bool,
    /// The decision.
    pub outcome: Outcome,
}

/// Which reading of a claim was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    /// The claim as it stands.
    Strict,
    /// A GDP claim up to a tolerance.
    Tolerance,
    /// A GDP claim above an error floor.
    ErrorFloor,
    /// The claim as it stands, decided by the exact value of the quantity, a fraction.
    Exact,
}

/// Verified, refuted or undecided.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The claim is true.
    Verified {
        /// Certified distance (≥ 0) between the bound and the enclosure; `None` where no enclosure was needed.
        margin: Option<Margin>,
    },
    /// The claim is false.
    Refuted(Refutation),
    /// Neither was shown.
    Undecided(Reason),
}

/// How a claim fails, and what would be true.
#[derive(Debug, Clone)]
pub struct Refutation {
    /// Certified distance between the bound and the enclosure, as a number ≤ 0.
    pub margin: Margin,
    /// Where it fails, if that is known.
    pub witness: Option<Counterexample>,
    /// The nearest true claim.
    pub nearest: Nearest,
    /// Is the miss within half a unit of the last printed digit of the claim?
    pub rounding_of_printed_digits: bool,
}

/// The nearest true claim, rounded to the safe side.
#[derive(Debug, Clone, PartialEq)]
pub enum Nearest {
    /// A claim of the same kind.
    Claim {
        /// It; of two, the one that keeps δ and gives way in ε.
        nearest: Box<Claim>,
        /// The one that keeps ε and gives way in δ, where both are known.
        other: Option<Box<Claim>>,
    },
    /// Why there is none.
    Nothing(NoNearest),
}

/// Why a claim is undecided.
#[derive(Debug, Clone)]
pub enum Reason {
    /// The enclosure is too wide.
    Budget {
        /// Its width, rounded up.
        width: Float,
        /// The width at which it could leave the bound out, rounded up.
        needed: Float,
        /// Would a larger budget narrow it?
        more_time_helps: bool,
    },
    /// Not built yet: what.
    Unsupported(String),
    /// It does not follow from what is stated about the mechanism: what.
    DoesNotFollow(String),
}

impl Nearest {
    /// A claim without an alternative.
    pub(crate) fn just(claim: Claim) -> Self {
        Self::Claim {
            nearest: Box::new(claim),
            other: None,
        }
    }
}

impl Verdict {
    /// The nearest true claim to a refuted one: of the same kind, its number rounded to the side where it stays true.
    pub fn nearest_true(&self) -> Option<&Claim> {
        match self.nearest()? {
            Nearest::Claim { nearest, .. } => Some(nearest),
            Nearest::Nothing(_) => None,
        }
    }

    /// For a refuted (ε, δ)-DP of which both can give way, the true claim with the same ε; [`Verdict::nearest_true`] has the same δ.
    pub fn other_nearest_true(&self) -> Option<&Claim> {
        match self.nearest()? {
            Nearest::Claim { other, .. } => other.as_deref(),
            Nearest::Nothing(_) => None,
        }
    }

    /// Where a refuted claim fails, if that is known.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match &self.outcome {
            Outcome::Refuted(refutation) => refutation.witness.as_ref(),
            Outcome::Verified { .. } | Outcome::Undecided(_) => None,
        }
    }

    fn nearest(&self) -> Option<&Nearest> {
        match &self.outcome {
            Outcome::Refuted(refutation) => Some(&refutation.nearest),
            Outcome::Verified { .. } | Outcome::Undecided(_) => None,
        }
    }

    /// Distance between the bound and the certified side: ≥ 0 for a verified claim, ≤ 0 for a refuted one.
    pub fn margin(&self) -> Option<&Margin> {
        match &self.outcome {
            Outcome::Verified { margin } => margin.as_ref(),
            Outcome::Refuted(refutation) => Some(&refutation.margin),
            Outcome::Undecided(_) => None,
        }
    }
}

impl Statement {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Tolerance => "tolerance",
            Self::ErrorFloor => "error-floor",
            Self::Exact => "exact",
        }
    }
}

impl Outcome {
    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::Refuted(_) => "refuted",
            Self::Undecided(_) => "undecided",
        }
    }
}

impl Reason {
    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Budget { .. } => "budget",
            Self::Unsupported(_) => "unsupported",
            Self::DoesNotFollow(_) => "does-not-follow",
        }
    }
}
