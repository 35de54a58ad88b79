//! The cells of a Gaussian pair and of its Poisson subsamplings, in fixed point.
//!
//! # Cuts instead of places
//!
//! Let yᵢ be the places and h = yᵢ₊₁ − yᵢ ≥ 2^-60. The loss L is monotone in the Gaussian's own coordinate x, so L >
//! yᵢ is a half-line with end xᵢ. `gaussian_cuts` finds a cut cᵢ near xᵢ and *both* tails, Qᵢ and Pᵢ, of the
//! half-line from cᵢ (the same for both). All that has to be known of cᵢ is that the part of Q between cᵢ and xᵢ, the
//! *sliver*, has at most the mass sᵢ and that losses there differ from yᵢ by at most η ≤ 2^-64. Writing C for the
//! part between two cuts and T for the true cell, T is C plus and minus parts of the two slivers, and with u = e^{yᵢ}
//! and dP = e^{−L}dQ:
//!
//! * Q(T) ≥ Q(C) − sᵢ − sᵢ₊₁ and Q(L > yᵢ₊₁) ≤ Qᵢ₊₁ + sᵢ₊₁;
//! * u·P(sliver) ≤ e^η·s at both ends (L ≥ yᵢ − η there), so u·P(T) ≤ u·P(C) + 2(sᵢ + sᵢ₊₁);
//! * f = 1 − e^{−(L − yᵢ)} is at most 2η in absolute value on sliver i and at most 1 − e^{−h} + η on sliver i + 1, and
//!   2η/(1 − e^{−h}) < 1/3: so E_Q[f; T]/(1 − e^{−h}) ≤ (Q(C) − u·P(C))/(1 − e^{−h}) + 2(sᵢ + sᵢ₊₁).
//!
//! None of it needs cᵢ ≤ xᵢ or cᵢ ≥ xᵢ.
//!
//! # Errors, in ulps of 2^-190
//!
//! * Qᵢ, Pᵢ: within [`TAIL_ERROR`]` = 2^12 + 64` of the tails from the cut (`gaussian_cuts`); their differences
//!   within twice that.
//! * u: below by a relative 2^-178 at most (`gaussian_cuts`), so a product u·p < 2 is below by at most 2^13 + 1; the
//!   scaling takes at most 14 more. [`PRODUCT_ERROR`]` = 2^13 + 16`.
//! * 1/(1 − e^{−h}): below by a relative 2^-190: at most 3 for a product below 2; and 14.
//!
//! So with s the larger sliver, mass_down and tail_up are within 2^14 + 2s of the truth (times two for the
//! sides that s may lie on), scaled_p_up within (1 + u)·2^14 + 8s and rise_up within ((2 + u)·2^14)/(1 − e^{−h}) + 8s.
//! With s ≤ 2^-g for the g asked for (`gaussian_cuts`; much less away from the edge of the support) that is 2^(4 − g) +
//! u·2^-175. Cells in which the latter exceeds 2^-g, or 2^-145, are not offered unless all of their mass is smaller. rise_up is never
//! larger than an upper bound of Q(cell); it says how much mass moves from one end of its cell to the other, so that
//! its error counts only 1 − e^{−h} times.

use rug::Rational;

use super::gaussian_cuts::{Cuts, Gap, Place, TAIL_ERROR};
use crate::kernel::normal_fixed::{FRACTION_BITS, Wide};
use crate::kernel::{Budget, CELL_BITS, CellBounds, CellNumber, CellPlaces, Cells, Failure};

/// Which side of the pair N(0, 1), N(μ, 1) is replaced by the mixture (1 − r)·N(0, 1) + r·N(μ, 1).
pub(super) enum Mixing<'a> {
    /// Neither: the pair itself.
    None,
    /// (N(0, 1), mixture) at this rate r.
    Alternative(&'a Rational),
    /// (mixture, N(0, 1)) at this rate r.
    Null(&'a Rational),
    /// Both, at this rate r, the first one mirrored: (1 − r)·N(0, 1) + r·N(−μ, 1) against (1 − r)·N(0, 1) + r·N(μ, 1).
    Both(&'a Rational),
}

/// Bounds for the cells between the places; none if something is out of range.
///
/// Requires: `square` = μ² ≥ 0, rates in (0, 1).
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends.
pub(super) fn cells(
    square: &Rational,
    mixing: &Mixing<'_>,
    places: &CellPlaces<'_>,
    budget: &Budget,
) -> Result<Option<Cells>, Failure> {
    let Some(mut cuts) = Cuts::new(square, mixing, places) else {
        return Ok(None);
    };
    let mut indices = places.indices.iter();
    let Some(first) = indices.next().and_then(|_| cuts.first()) else {
        return Ok(None);
    };
    let mut cells = Vec::with_capacity(places.indices.len());
    let mut last = first;
    for (round, &index) in indices.enumerate() {
        if round % 256 == 0 {
            budget.check()?;
        }
        let Some((place, gap)) = cuts.next(index) else {
            return Ok(None);
        };
        let Some(cell) = between(&last, &place, &gap, places.good_bits) else {
            return Ok(None);
        };
        cells.push(cell);
        last = place;
    }
    Ok(beyond(&last).map(|end| Cells {
        cells,
        first_tail_up: tail_up(&first),
        ..end
    }))
}

/// See "Errors".
const PRODUCT_ERROR: Wide = Wide([(1 << 13) + 16, 0, 0]);

/// What e^y·2^-175 is compared with, at most: it is large only where losses are, and stands for 2^-175 of P-mass.
const TILTED_GOOD_BITS: u32 = 145;

const _: () = assert!(CELL_BITS == FRACTION_BITS);

/// The cell between two neighbouring places.
fn between(low: &Place, high: &Place, gap: &Gap, good_bits: u32) -> Option<CellBounds> {
    let error = TAIL_ERROR.wrapping_add(TAIL_ERROR);
    let slivers = low.sliver.wrapping_add(high.sliver);
    let mass = low.mass.wrapping_sub(high.mass);
    let null_mass = low.null_mass.wrapping_sub(high.null_mass);
    let null_up = null_mass.wrapping_add(error).at_least_zero();
    let null_down = null_mass.wrapping_sub(error).at_least_zero();
    let mass_up = mass
        .wrapping_add(error)
        .wrapping_add(slivers)
        .at_least_zero();
    let mass_down = mass
        .wrapping_sub(error)
        .wrapping_sub(slivers)
        .at_least_zero();
    let slack = slivers.shifted_left(1);
    let scaled_p_up = low
        .exp
        .scale(null_up)?
        .wrapping_add(PRODUCT_ERROR)
        .wrapping_add(slack);
    // Q(C) − u·P(C), from above.
    let difference = mass
        .wrapping_add(error)
        .wrapping_sub(low.exp.scale(null_down)?)
        .at_least_zero();
    let spread = gap
        .inverse
        .scale(difference)
        .map(|rise| rise.wrapping_add(Wide([17, 0, 0])).wrapping_add(slack));
    let rise_up = match spread {
        Some(rise) if !rise.is_negative() => rise.min(mass_up),
        _ => mass_up,
    };
    let good_bits = good_bits.min(TILTED_GOOD_BITS);
    let most_error = i32::try_from(FRACTION_BITS.saturating_sub(good_bits)).ok()?;
    let error = low.exp.exponent().max(0).wrapping_add(15);
    if error > most_error && i32::try_from(mass_up.significant_bits()).ok()? > most_error {
        return None;
    }
    Some(CellBounds {
        mass_down: mass_down.0,
        scaled_p_up: scaled_p_up.0,
        tail_up: tail_up(high),
        rise_up: rise_up.0,
    })
}

/// What lies beyond the last place, with no cells.
fn beyond(last: &Place) -> Option<Cells> {
    let null_up = last.null_mass.wrapping_add(TAIL_ERROR).at_least_zero();
    let null_down = last.null_mass.wrapping_sub(TAIL_ERROR).at_least_zero();
    let slack = last.sliver.shifted_left(1);
    let mass_down = last
        .mass
        .wrapping_sub(TAIL_ERROR)
        .wrapping_sub(last.sliver)
        .at_least_zero();
    let scaled_p_up = last
        .exp
        .scale(null_up)?
        .wrapping_add(PRODUCT_ERROR)
        .wrapping_add(slack);
    let delta_up = last
        .mass
        .wrapping_add(TAIL_ERROR)
        .wrapping_sub(last.exp.scale(null_down)?)
        .at_least_zero()
        .wrapping_add(slack);
    Some(Cells {
        cells: Vec::new(),
        first_tail_up: ONE.0,
        right_mass_down: mass_down.0,
        right_scaled_p_up: scaled_p_up.0,
        right_delta_up: delta_up.min(ONE).0,
    })
}

/// Q(L > y), from above.
fn tail_up(place: &Place) -> CellNumber {
    let tail = place
        .mass
        .wrapping_add(TAIL_ERROR)
        .wrapping_add(place.sliver);
    tail.at_least_zero().min(ONE).0
}

/// 1 in ulps.
const ONE: Wide = Wide([0, 0, 1 << (FRACTION_BITS - 128)]);

#[cfg(test)]
#[path = "gaussian_cells_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "gaussian_cells_replaced_tests.rs"]
mod replaced_tests;

#[cfg(test)]
#[path = "gaussian_cells_between_tests.rs"]
mod between_tests;
