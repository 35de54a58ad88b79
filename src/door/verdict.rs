//! What became of a claim.

use super::Enclosure;
use crate::statement::{Claim, Query};
use crate::verdict::{self, Counterexample, Outcome, Reason};

/// Verified, refuted or undecided, with the number that decides it.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Claim, Mechanism};
///
/// let response = Analysis::of(Mechanism::randomized_response(1, 2)?).prepare()?;
/// let verdict = response.verify(&Claim::pure_dp("0.9")?)?;
/// assert!(verdict.is_refuted());
/// assert_eq!(verdict.nearest_true(), Some(Claim::pure_dp(1)?));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Verdict(pub(super) verdict::Verdict);

impl Verdict {
    /// Is the claim true?
    pub fn is_verified(&self) -> bool {
        matches!(self.0.outcome, Outcome::Verified { .. })
    }

    /// Is the claim false?
    pub fn is_refuted(&self) -> bool {
        matches!(self.0.outcome, Outcome::Refuted(_))
    }

    /// Was neither shown?
    pub fn is_undecided(&self) -> bool {
        matches!(self.0.outcome, Outcome::Undecided(_))
    }

    /// Is the claim true of every mechanism, so that it says nothing?
    pub fn is_vacuous(&self) -> bool {
        self.0.vacuous
    }

    /// The quantity that the claim bounds, enclosed.
    pub fn enclosure(&self) -> Enclosure {
        Enclosure::bare(&self.0.enclosure, "the same proof as the verdict")
    }

    /// The nearest true claim to a refuted one: of the same kind, its number rounded to the side where it stays true.
    pub fn nearest_true(&self) -> Option<Claim> {
        self.0.nearest_true().cloned()
    }

    /// For a refuted (ε, δ)-DP, the true claim with the same ε; [`Verdict::nearest_true`] has the same δ.
    pub fn other_nearest_true(&self) -> Option<Claim> {
        self.0.other_nearest_true().cloned()
    }

    /// Where a refuted claim fails, if that is known: a place at which an attack does better than the claim allows.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Analysis, Claim, Counterexample, Epsilon, Mechanism};
    ///
    /// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
    /// let verdict = laplace.verify(&Claim::advantage("0.3")?)?;
    /// let place = verdict.counterexample();
    /// assert_eq!(place, Some(&Counterexample::Epsilon(Epsilon::zero())));
    /// # Ok(())
    /// # }
    /// ```
    pub fn counterexample(&self) -> Option<&Counterexample> {
        self.0.counterexample()
    }

    /// The claim.
    pub fn claim(&self) -> &Claim {
        &self.0.claim
    }

    /// What the claim bounds.
    pub fn query(&self) -> &Query {
        &self.0.query
    }

    /// Why it is undecided: `budget`, `unsupported` or `does-not-follow`.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.0.outcome {
            Outcome::Undecided(reason) => Some(Reason::as_str(reason)),
            Outcome::Verified { .. } | Outcome::Refuted(_) => None,
        }
    }
}
