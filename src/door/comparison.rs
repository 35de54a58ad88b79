//! Two mechanisms side by side.

use super::Enclosure;
use crate::study;
use crate::verdict::Blackwell;

/// The Δ-divergences of two mechanisms A and B, and which is the more private (Kaissis et al. 2024).
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Blackwell, Mechanism};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(1, 1)?).prepare()?;
/// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
/// let comparison = gaussian.compare(&laplace)?;
/// assert_eq!(comparison.blackwell(), Blackwell::Incomparable);
/// assert!(*comparison.delta_a_b().lower() > 0.005);
/// assert!(*comparison.delta_b_a().lower() > 0.034);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Comparison {
    delta_a_b: Enclosure,
    delta_b_a: Enclosure,
    symmetric: Enclosure,
    blackwell: Blackwell,
    conditions: Vec<String>,
}

impl Comparison {
    pub(super) fn of(found: &study::Comparison<'_>) -> Self {
        Self {
            delta_a_b: Enclosure::of(&found.a_to_b.answer),
            delta_b_a: Enclosure::of(&found.b_to_a.answer),
            symmetric: Enclosure::of(&found.symmetric.answer),
            blackwell: found.blackwell,
            conditions: found.conditions.clone(),
        }
    }

    /// Δ(A‖B): the regret of choosing B instead of A, by how much the error of a membership attack can fall.
    pub fn delta_a_b(&self) -> &Enclosure {
        &self.delta_a_b
    }

    /// Δ(B‖A).
    pub fn delta_b_a(&self) -> &Enclosure {
        &self.delta_b_a
    }

    /// The larger of the two: the Lévy distance of the trade-off functions.
    pub fn symmetric(&self) -> &Enclosure {
        &self.symmetric
    }

    /// Which of them is the more private everywhere, if either. That one dominates says that it is the **less** private.
    pub fn blackwell(&self) -> Blackwell {
        self.blackwell
    }

    /// What all of this takes for granted, in words.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }
}
