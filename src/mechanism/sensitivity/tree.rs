//! Trees of prefix sums: a node for every complete dyadic block of steps.

use rug::{Integer, Rational};

use super::tree_search::largest_by_search;
use super::{Participation, SquaredSensitivity};

/// s² of the sums over all complete dyadic blocks [j·2^l, (j+1)·2^l) of `steps` steps: the largest sum, over the patterns, of
/// the squares of the numbers of the pattern's steps in them.
///
/// Ensures: one participation gives the bit length of `steps`. Otherwise the pattern 0, b, 2b, … from below and
/// [`counts_at_most`] from above often meet; where they do not, a search decides, unless it would take too long.
pub(crate) fn tree_sensitivity(steps: u64, participation: Participation) -> SquaredSensitivity {
    let bounds = closed_bounds(steps, participation);
    if bounds.attained().is_none()
        && let Some(largest) = largest_by_search(steps, participation)
    {
        return SquaredSensitivity::exactly(Rational::from(largest));
    }
    bounds
}

/// The sum of the pattern 0, b, 2b, …, and a bound for all patterns.
pub(super) fn closed_bounds(steps: u64, participation: Participation) -> SquaredSensitivity {
    let lower = sum_over_levels(steps, |level| of_leftmost(steps, level, participation));
    let upper = sum_over_levels(steps, |level| counts_at_most(steps, level, participation));
    SquaredSensitivity {
        lower: Rational::from(lower),
        upper: Rational::from(upper),
    }
}

fn sum_over_levels(steps: u64, of_level: impl Fn(u32) -> Integer) -> Integer {
    // The largest block has 2^l ≤ steps.
    let levels = u64::BITS.saturating_sub(steps.leading_zeros());
    let mut sum = Integer::new();
    for level in 0..levels {
        sum += of_level(level);
    }
    sum
}

/// Σ count² over the blocks of a level for the pattern 0, b, 2b, ….
fn of_leftmost(steps: u64, level: u32, participation: Participation) -> Integer {
    let separation = participation.separation();
    let most = participation.most_in(steps);
    let size = 1u64 << level;
    // ⌈w·size/b⌉ steps of the pattern come before block w. So two blocks that are full of the pattern differ by at most one.
    let before = |blocks: u64| blocks.saturating_mul(size).div_ceil(separation);
    let last = most.saturating_sub(1).saturating_mul(separation);
    let full = last >> level;
    let few = size / separation;
    let with_one_more = before(full).saturating_sub(full.saturating_mul(few));
    let rest = if full < steps >> level {
        most.saturating_sub(before(full))
    } else {
        0
    };
    // (few + 1)² = few² + 2·few + 1.
    Integer::from(few).square() * full
        + Integer::from(with_one_more) * (Integer::from(few) * 2u32 + 1u32)
        + Integer::from(rest).square()
}

/// The most that Σ count² over the blocks of a level can be when no block has more than ⌈size/b⌉ steps of the pattern: as
/// many blocks as there are with that many, because the square is convex.
fn counts_at_most(steps: u64, level: u32, participation: Participation) -> Integer {
    let most = participation.most_in(steps);
    let blocks = steps >> level;
    let cap = (1u64 << level).div_ceil(participation.separation());
    let full = blocks.min(most / cap);
    let rest = if full < blocks { most % cap } else { 0 };
    Integer::from(cap).square() * full + Integer::from(rest).square()
}
