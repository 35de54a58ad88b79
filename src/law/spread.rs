//! From a lattice to the one with twice the step: spreading for upper laws, merging for lower ones.

use super::mass::{Fraction, Mass};
use super::row::Row;
use crate::kernel::InvariantViolation;

/// Bits of constants like e^{−step}, before they are rounded to fractions of L limbs.
pub(super) fn ratio_bits<const L: usize>() -> u32 {
    u32::try_from(L)
        .unwrap_or(64)
        .saturating_add(1)
        .saturating_mul(64)
}

/// Splits each atom at an odd index onto its two neighbours.
///
/// Requires: `share` ≤ e^{−h}/(1 + e^{−h}) for the step h, the share of the lower neighbour that keeps Σ mass·e^{−y}.
/// Ensures: the total is the same; the profile is nowhere below (S3 for the exact shares, S1 for the rest of
/// the mass, which goes to the upper neighbour).
pub(super) fn onto_coarser<const L: usize>(
    row: &Row<L>,
    share: &Fraction<L>,
) -> Result<Row<L>, InvariantViolation> {
    if row.is_empty() {
        return Ok(Row::EMPTY);
    }
    // An odd atom below the first point would have an index below the first.
    let (first, last) = (row.first().div_euclid(2), row.end().div_euclid(2));
    let mut from_below = Mass::ZERO;
    let masses = (first..=last)
        .map(|j| {
            let even = j.saturating_mul(2);
            let odd = row.at(even.saturating_add(1));
            let down = odd.times_down(share);
            let mass = row.at(even).plus(&down)?.plus(&from_below)?;
            from_below = odd.minus(&down)?;
            Ok(mass)
        })
        .collect::<Result<Vec<_>, InvariantViolation>>()?;
    Ok(Row::new(first, masses).stripped())
}
