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
    /// Numbers should be good to about 2^-(this many), those of large losses to 2^-145 at least; where they cannot be,
    /// no cells are offered. At least 113.
    pub good_bits: u32,
}

/// A number in [`CellBounds`] or [`Cells`]: units of 2^-190, least limb first.
pub type CellNumber = [u64; 3];

/// Fractional bits of a [`CellNumber`].
pub const CELL_BITS: u32 = 190;

/// Bounds for the part of the pair (P, Q) with loss L in (yᵢ, yᵢ₊₁], in units of 2^-190.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellBounds {
    /// ≤ Q(cell).
    pub mass_down: CellNumber,
    /// ≥ e^{yᵢ}·P(cell) = E_Q[e^{−(L − yᵢ)}; cell].
    pub scaled_p_up: CellNumber,
    /// ≥ Q(L > yᵢ₊₁), which includes mass at +∞.
    pub tail_up: CellNumber,
    /// ≥ E_Q[1 − e^{−(L − yᵢ)}; cell]/(1 − e^{−(yᵢ₊₁ − yᵢ)}): what a balanced spread of the cell onto its two ends
    /// puts at yᵢ₊₁ (connect the dots).
    pub rise_up: CellNumber,
}

/// All cells between the places, and what lies beyond the last place, in units of 2^-190.
///
/// Every number bounds its own cell whatever the others say; y is the last place in what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// One for each two neighbouring places, in increasing order.
    pub cells: Vec<CellBounds>,
    /// ≥ Q(L > first place).
    pub first_tail_up: CellNumber,
    /// ≤ Q(y < L < ∞).
    pub right_mass_down: CellNumber,
    /// ≥ e^y·P(L > y).
    pub right_scaled_p_up: CellNumber,
    /// ≥ δ(e^y) = E_Q[1 − e^{−(L − y)}; L > y]: what a spread of the part beyond y onto y and +∞ puts at +∞.
    pub right_delta_up: CellNumber,
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
