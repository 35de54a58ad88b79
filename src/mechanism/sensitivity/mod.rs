//! Squared sensitivities: how far one record moves Cx, where each step t gets x_t, a sum of vectors of norm at most 1.
//!
//! Cx + Z with Z ~ N(0, σ²) is one Gaussian mechanism, also when x_t depends on what was released before (Denisov et al. 2022,
//! arXiv 2202.08312, Theorem 2.1). With s² the largest ‖Σ_{t∈π} C_t ⊗ g_t‖² over the patterns π of steps in which one record
//! takes part and vectors g_t of norm at most 1, C_t the columns, μ² = s²/σ². With G = CᵀC:
//!
//! * ‖Σ C_t ⊗ g_t‖² = Σ G_ij ⟨g_i, g_j⟩ ≤ Σ |G_ij|, with equality for equal g_t where G ≥ 0;
//! * signs for g_t give a lower bound, and the mean over all signs is Σ G_ii, so some signs give at least that.
//!
//! The unit is the square of the bound on a record: σ over that bound is the noise multiplier.

mod blt;
mod matrix;
mod selection;
mod toeplitz;
mod tree;
mod tree_search;

pub(crate) use blt::blt_column;
pub(crate) use matrix::LowerTriangular;
pub(crate) use toeplitz::Column;
pub(crate) use tree::tree_sensitivity;

use rug::{Integer, Rational};

/// Most steps of a matrix whose columns are written out.
pub(crate) const MAX_STEPS: u64 = 1 << 19;

/// In which steps one record may take part: at most so many, any two of them at least `separation` apart; or exactly `separation`.
///
/// The separation is the difference of the numbers of the steps, as in arXiv 2306.08153 and in jax_privacy: 1 allows every
/// step. The `min_separation` of TensorFlow Privacy counts the steps between, which is one less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Participation {
    most: u64,
    separation: u64,
    evenly: bool,
}

impl Participation {
    /// Both numbers are at least 1; a 0 counts as 1.
    pub fn new(most: u64, separation: u64) -> Self {
        Self {
            most: most.max(1),
            separation: separation.max(1),
            evenly: false,
        }
    }

    /// Once in each epoch of so many steps, always at the same place of it.
    pub fn of_epochs(epochs: u64, steps_per_epoch: u64) -> Self {
        Self {
            evenly: true,
            ..Self::new(epochs, steps_per_epoch)
        }
    }

    pub fn separation(self) -> u64 {
        self.separation
    }

    /// The most participations that fit into so many steps.
    pub fn most_in(self, steps: u64) -> u64 {
        self.most.min(steps.div_ceil(self.separation))
    }

    fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }
}

/// An enclosure of s². Where both ends are equal, some records and some pattern attain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SquaredSensitivity {
    pub lower: Rational,
    pub upper: Rational,
}

impl SquaredSensitivity {
    pub fn exactly(value: Rational) -> Self {
        Self {
            lower: value.clone(),
            upper: value,
        }
    }

    /// Of two enclosures of the same number.
    fn and(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The number, if it is known exactly.
    pub fn attained(&self) -> Option<&Rational> {
        (self.lower == self.upper).then_some(&self.upper)
    }
}

/// An integer number of squared units 1/denominator².
fn squared_units(number: Integer, denominator: &Integer) -> Rational {
    Rational::from((number, denominator.clone().square()))
}

#[cfg(test)]
mod bounds_tests;
#[cfg(test)]
mod tests;
