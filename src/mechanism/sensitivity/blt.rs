//! Buffered linear Toeplitz matrices: a few numbers for a long column.

use rug::{Integer, Rational};

use super::toeplitz::{Column, Enclosed, MAX_DENOMINATOR_BITS, ROUNDED_BITS};

/// The first column c_0 = 1, c_j = Σ ω_i λ_i^{j−1} with weights ω_i and decays λ_i, of so many steps (McMahan, Xu and Zhang
/// 2024, arXiv 2408.08868; `output_scale` and `buf_decay` of jax_privacy).
///
/// Requires: every decay is in [0, 1]. Ensures: exact while the common denominator is short; then every power is rounded
/// down and up to 256 bits after the point at each step, which an entry's ends are at most a few thousand units apart from.
pub(crate) fn blt_column(buffers: &[(Rational, Rational)], steps: usize) -> Column {
    if has_short_denominator(buffers, steps) {
        Column::of(&exact_entries(buffers, steps))
    } else {
        rounded_column(buffers, steps)
    }
}

fn has_short_denominator(buffers: &[(Rational, Rational)], steps: usize) -> bool {
    let powers = u32::try_from(steps).unwrap_or(u32::MAX);
    let bits = buffers.iter().fold(0u32, |bits, (weight, decay)| {
        // A denominator of 1 has one bit, but its powers do not grow.
        let growth = if *decay.denom() == 1 {
            0
        } else {
            decay.denom().significant_bits().saturating_mul(powers)
        };
        bits.saturating_add(weight.denom().significant_bits())
            .saturating_add(growth)
    });
    bits <= MAX_DENOMINATOR_BITS
}

pub(super) fn exact_entries(buffers: &[(Rational, Rational)], steps: usize) -> Vec<Rational> {
    let mut held: Vec<Rational> = buffers.iter().map(|(weight, _)| weight.clone()).collect();
    let mut entries = vec![Rational::from(1)];
    while entries.len() < steps {
        entries.push(held.iter().sum());
        for (value, (_, decay)) in held.iter_mut().zip(buffers) {
            *value *= decay;
        }
    }
    entries
}

pub(super) fn rounded_column(buffers: &[(Rational, Rational)], steps: usize) -> Column {
    let one = Integer::from(1) << ROUNDED_BITS;
    let mut held: Vec<Enclosed> = buffers
        .iter()
        .map(|(weight, _)| enclosed_times(&one, &one, weight))
        .collect();
    let mut entries = vec![Enclosed {
        lower: one.clone(),
        upper: one.clone(),
    }];
    while entries.len() < steps {
        entries.push(Enclosed {
            lower: held.iter().map(|value| &value.lower).sum(),
            upper: held.iter().map(|value| &value.upper).sum(),
        });
        for (value, (_, decay)) in held.iter_mut().zip(buffers) {
            // A decay is not negative, so that each end stays the end that it is.
            *value = enclosed_times(&value.lower, &value.upper, decay);
        }
    }
    Column::between(one, entries)
}

/// Requires: the factor or both ends are not negative.
fn enclosed_times(lower: &Integer, upper: &Integer, factor: &Rational) -> Enclosed {
    let (lower, _) = Integer::from(lower * factor.numer()).div_rem_floor(factor.denom().clone());
    let (upper, _) = Integer::from(upper * factor.numer()).div_rem_ceil(factor.denom().clone());
    Enclosed { lower, upper }
}
