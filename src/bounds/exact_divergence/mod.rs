//! The Δ-divergence, the Lévy distance and the Blackwell order of two exact curves, as fractions.
//!
//! f is the curve of A, f̃ the curve of B, extended by 1 left of 0 and by 0 right of 1; R and R̃ are their Bayes
//! errors, π the prior that the record is **absent**. Δ(A‖B) is computed along routes that share no code:
//!
//! | file | Δ(A‖B) or Δ↔ from | extremal points looked at |
//! |---|---|---|
//! | `bayes` | max over π of R(π) − R̃(π) (Kaissis et al. 2024, Corollary 1) | kinks of R: the edges of A |
//! | `shift` | inf{κ ≥ 0 : ∀α f(α + κ) − κ ≤ f̃(α)} (Kaissis et al. 2024, Definition 1) | vertices of B |
//! | `levy` | Lévy distance of the CDFs x ↦ f(1 − x), f̃(1 − x) (Kaissis et al. 2024, Appendix B.2) | all vertices and jumps |
//! | `order` | (the Blackwell order, and where the curves cross) | all vertices |
//! | `profiles` | (where the privacy profiles cross) | all edges |
//!
//! # Why the routes agree, also where f(0) < 1
//!
//! The curve of a pair of laws is convex, hence continuous inside [0, 1], and it is closed there: f(0) = 1 − Q(P = 0)
//! is the limit from the right, and f(1) = 0. So f, extended by 0 to the right, is convex and continuous on [0, ∞),
//! and the jump from f(0) < 1 to 1 lies to the left of 0. Definition 1 never looks at f there: for α < 0 the right side
//! is f̃(α) = 1 and the condition holds for every κ ≥ 0; for α ≥ 0 also α + κ ≥ 0. Hence the admissible κ are closed,
//! the infimum is attained, and Δ↔ = 0 only for f = f̃, for **every** pair of laws, mass at infinite loss included.
//! (Both fail for a function with f(0) = 1 and a limit below 1 at 0: f = 0 on (0, 1] against f̃ = 0. No test
//! between two laws has that curve, and an [`ExactCurve`] cannot hold it.)
//!
//! *`bayes` = `shift`.* With κ = Δ, Definition 1 says that f̃ lies on or above x ↦ f(x + κ) − κ. Conjugates reverse the
//! order: δ̃(u) ≤ δ(u) + κ(1 + u) for every u > 0, which times 1 − π = 1/(1 + u) is R(π) − R̃(π) ≤ κ. Conversely, if
//! that holds for every π, the biconjugates (closed convex functions, by the paragraph above) are in order.
//!
//! *`levy` = max of both.* x = 1 − α turns f(α + κ) − κ ≤ f̃(α) into F(x − κ) − κ ≤ G(x), and the same condition with the
//! two mechanisms exchanged into G(x) ≤ F(x + κ) + κ. If f(0) < 1, x ↦ f(1 − x) jumps to 1 to the right of x = 1 and
//! is not right-continuous there as it stands. The distance does not see the difference: each condition, stated for
//! one version, follows at the jump from the limit of the same condition beside it.

mod bayes;
mod levy;
mod order;
mod profiles;
mod shift;
#[cfg(test)]
mod tests;

use rug::Rational;

use super::exact::ExactCurve;
use crate::kernel::InvariantViolation;

pub use order::{BlackwellOrder, Crossing, Gap, crossings, order};
pub use profiles::{ProfileCrossing, profile_crossings};

/// A divergence between two mechanisms and a prior at which it is attained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactDivergence {
    /// Δ, in [0, ½].
    pub value: Rational,
    /// A prior that the record is **absent** at which the Bayes errors differ by `value`; 0 if `value` is 0.
    pub prior: Rational,
}

/// Δ(A‖B) = max over π of R_A(π) − R_B(π): the regret of choosing B instead of A (Kaissis et al. 2024, Definition 1 and
/// Corollary 1). 0 if and only if A dominates B (f_A ≤ f_B everywhere).
///
/// # Errors
/// If Bayes errors and Definition 1 give different values: an internal error.
pub fn divergence(a: &ExactCurve, b: &ExactCurve) -> Result<ExactDivergence, InvariantViolation> {
    let found = bayes::largest_gap(a, b).ok_or_else(unfinished)?;
    let by_definition = shift::least_shift(a, b).ok_or_else(unfinished)?;
    if found.value == by_definition {
        Ok(found)
    } else {
        Err(InvariantViolation(format!(
            "the Bayes errors give a divergence of {}, its definition gives {by_definition}",
            found.value
        )))
    }
}

/// Δ↔ = max{Δ(A‖B), Δ(B‖A)}, the largest difference of the Bayes errors (Kaissis et al. 2024, Definition 3 and equation 6): a
/// metric on curves.
///
/// # Errors
/// If the routes to either divergence or the Lévy distance give different values: an internal error.
pub fn symmetric(a: &ExactCurve, b: &ExactCurve) -> Result<ExactDivergence, InvariantViolation> {
    let (forth, back) = (divergence(a, b)?, divergence(b, a)?);
    let found = if back.value > forth.value {
        back
    } else {
        forth
    };
    let distance = levy::distance(a, b).ok_or_else(unfinished)?;
    if found.value == distance {
        Ok(found)
    } else {
        Err(InvariantViolation(format!(
            "the larger divergence is {}, the Lévy distance is {distance}",
            found.value
        )))
    }
}

fn unfinished() -> InvariantViolation {
    InvariantViolation("an exact trade-off curve does not end in (1, 0)".to_owned())
}
