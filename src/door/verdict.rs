//! What became of a claim.

use rug::Rational;

use super::Enclosure;
use crate::number::{float_down, float_up};
use crate::statement::{Claim, Query};
use crate::verdict::{self, Counterexample, Nearest, Outcome, Reason, Relation};

/// Digits of margins and widths.
const FEW_DIGITS: usize = 6;

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
        let known = &self.0.enclosure;
        match &self.0.outcome {
            Outcome::Undecided(reason) => {
                Enclosure::open(known, !matches!(reason, Reason::DoesNotFollow(_)))
            }
            Outcome::Verified { .. } | Outcome::Refuted(_) => {
                Enclosure::bare(known, "the same proof as the verdict")
            }
        }
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

    /// The number by which the claim bounds the quantity.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Analysis, Claim, Mechanism};
    ///
    /// let response = Analysis::of(Mechanism::randomized_response(1, 2)?).prepare()?;
    /// let verdict = response.verify(&Claim::pure_dp("0.9")?)?;
    /// assert!(*verdict.bound() == dpcmp::rug::Rational::from((9, 10)) && verdict.is_bounded_from_above());
    /// assert_eq!(verdict.margin().as_deref(), Some("-0.1"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn bound(&self) -> &Rational {
        &self.0.bound
    }

    /// Does the claim say that the quantity is at most the bound, not at least?
    pub fn is_bounded_from_above(&self) -> bool {
        self.0.relation == Relation::AtMost
    }

    /// The certified distance from the bound as a decimal, rounded towards 0: not negative where the claim is true, not positive where it is false.
    pub fn margin(&self) -> Option<String> {
        Some(self.0.margin()?.towards_zero(FEW_DIGITS))
    }

    /// Which reading of the claim was decided: `strict`, `tolerance`, `error-floor`, or `exact`.
    pub fn statement(&self) -> &'static str {
        self.0.statement.as_str()
    }

    /// Is the miss of a refuted claim within half a unit of the last digit that it prints?
    pub fn is_within_printed_rounding(&self) -> bool {
        matches!(&self.0.outcome, Outcome::Refuted(found) if found.rounding_of_printed_digits)
    }

    /// Why it is undecided, or why a refuted claim has no nearest true one, in words.
    pub fn explanation(&self) -> Option<String> {
        match &self.0.outcome {
            Outcome::Undecided(Reason::Budget { width, needed, .. }) => Some(format!(
                "the enclosure has a width of {}; {} would be needed",
                float_up(width, FEW_DIGITS),
                float_down(needed, FEW_DIGITS)
            )),
            Outcome::Undecided(Reason::Unsupported(why) | Reason::DoesNotFollow(why)) => {
                Some(why.clone())
            }
            Outcome::Refuted(found) => match &found.nearest {
                Nearest::Nothing(why) => Some(why.to_string()),
                Nearest::Claim { .. } => None,
            },
            Outcome::Verified { .. } => None,
        }
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
