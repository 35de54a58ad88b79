//! What upper and lower laws need to know about the cells between lattice points, in fixed point.

use rug::Rational;

use super::Interval;

/// Where cells begin and end: the losses yᵢ = offset + indexᵢ·step.
#[derive(Debug, Clone, Copy)]
pub struct CellPlaces<'a> {
    /// Enclosure of the loss of index 0; of at least 256 bits and narrow, or no cells are offered.
    pub offset: &'a Interval,
    /// The distance between neighbouring lattice points, > 0.
    pub step: &'a Rational,
    /// The ends of the cells, strictly increasing.
    pub indices: &'a [i64],
}

/// Fractional bits of the numbers in [`CellBounds`] and [`Cells`].
pub const CELL_BITS: u32 = 126;

/// Bounds for the part of the pair (P, Q) with loss L in (yᵢ, yᵢ₊₁], in units of 2^-126.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellBounds {
    /// ≤ Q(cell).
    pub mass_down: u128,
    /// ≥ e^{yᵢ}·P(cell) = E_Q[e^{−(L − yᵢ)}; cell].
    pub tilted_up: u128,
    /// ≥ Q(L > yᵢ₊₁), which includes mass at +∞.
    pub tail_up: u128,
    /// ≥ E_Q[1 − e^{−(L − yᵢ)}; cell]/(1 − e^{−(yᵢ₊₁ − yᵢ)}): what a balanced spread of the cell onto its two ends
    /// puts at yᵢ₊₁ (connect the dots).
    pub rise_up: u128,
}

/// All cells between the places, and what lies beyond the last place, in units of 2^-126.
///
/// Every number bounds its own cell whatever the others say; y is the last place in what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// One for each two neighbouring places, in increasing order.
    pub cells: Vec<CellBounds>,
    /// ≥ Q(L > first place).
    pub first_tail_up: u128,
    /// ≤ Q(y < L < ∞).
    pub right_mass_down: u128,
    /// ≥ e^y·P(L > y).
    pub right_tilted_up: u128,
    /// ≥ δ(e^y) = E_Q[1 − e^{−(L − y)}; L > y]: what a spread of the part beyond y onto y and +∞ puts at +∞.
    pub right_delta_up: u128,
}

impl Cells {
    /// These cells and those that begin where they end.
    ///
    /// Requires: the last place of these is the first of `next`.
    #[must_use]
    pub fn followed_by(mut self, next: Self) -> Self {
        self.cells.extend(next.cells);
        Self {
            cells: self.cells,
            first_tail_up: self.first_tail_up,
            ..next
        }
    }
}
