//! Splitting cells downwards and upwards so that the result is a contraction.
//!
//! Cell k holds an atom of mass m_k between the lattice points k (below) and k + 1 (above). A lower law may not
//! move mass up, except as half of a balanced pair: at point k, the mass U_{k−1} arriving from below and the mass
//! D_k arriving from above may be merged there if their e^{−y}-barycentre is not below it, i.e. if D_k ≥ g_k·U_{k−1},
//! where g_k = (e^a − 1)/(1 − e^{−b}) for arrivals from the distances a below and b above (S3, then S1).

use rug::Integer;

use crate::kernel::InvariantViolation;

/// Fractional bits of the ratios g_k.
pub(super) const RATIO_BITS: u32 = 64;

/// Chooses how much of each cell goes up; the rest, m_k − U_k, goes down.
///
/// `ratio(k)` for k ≥ 1 is ⌈g_k · 2^64⌉, or `None` if nothing may come up to point k.
///
/// Ensures (checked before returning): 0 ≤ U_k ≤ m_k, the last U is 0, and
/// m_k − U_k ≥ g_k · U_{k−1} for every k ≥ 1. How large the U_k are is a matter of quality only: the recursion
/// runs upwards to the largest cell and downwards to it, each in the direction in which it is stable.
///
/// # Errors
/// If the constraints do not hold: an internal error.
pub fn amounts_up<'a>(
    masses: &[Integer],
    ratio: impl Fn(usize) -> Option<&'a Integer>,
) -> Result<Vec<Integer>, InvariantViolation> {
    let largest = (0..masses.len())
        .max_by_key(|&k| masses.get(k))
        .unwrap_or(0);
    let mut up = vec![Integer::new(); masses.len()];
    let needed_at_largest = sweep_upwards(masses, &ratio, largest, &mut up);
    sweep_downwards(masses, &ratio, largest, &needed_at_largest, &mut up);
    check(masses, &ratio, &up)?;
    Ok(up)
}

/// Fills `up[..largest]`; returns what the largest cell must send down.
fn sweep_upwards<'a>(
    masses: &[Integer],
    ratio: &impl Fn(usize) -> Option<&'a Integer>,
    largest: usize,
    up: &mut [Integer],
) -> Integer {
    let mut needed = Integer::new();
    let cells = masses.iter().zip(masses.iter().skip(1)).take(largest);
    for (k, ((mass, above), slot)) in cells.zip(up.iter_mut()).enumerate() {
        let mut amount = Integer::from(mass - &needed);
        let affordable = affordable_below(above, ratio(k + 1));
        if affordable < amount {
            amount = affordable;
        }
        needed = needed_above(&amount, ratio(k + 1));
        *slot = amount;
    }
    needed
}

/// Fills `up[largest..]`, whose last element stays 0.
fn sweep_downwards<'a>(
    masses: &[Integer],
    ratio: &impl Fn(usize) -> Option<&'a Integer>,
    largest: usize,
    needed_at_largest: &Integer,
    up: &mut [Integer],
) {
    let mut amount_above = Integer::new();
    for k in (largest + 1..masses.len()).rev() {
        let (Some(mass), Some(below)) = (masses.get(k), masses.get(k - 1)) else {
            return;
        };
        let mut amount = affordable_below(&Integer::from(mass - &amount_above), ratio(k));
        let limit = if k - 1 == largest {
            Integer::from(below - needed_at_largest)
        } else {
            below.clone()
        };
        if limit < amount {
            amount = limit;
        }
        if let Some(slot) = up.get_mut(k - 1) {
            slot.clone_from(&amount);
        }
        amount_above = amount;
    }
}

/// ⌈g·U⌉: what must come down to balance U.
fn needed_above(amount: &Integer, ratio: Option<&Integer>) -> Integer {
    match ratio {
        Some(g) => {
            (Integer::from(amount * g) + ((Integer::from(1) << RATIO_BITS) - 1u32)) >> RATIO_BITS
        }
        None => Integer::new(),
    }
}

/// The largest U with ⌈g·U⌉ ≤ D.
fn affordable_below(available: &Integer, ratio: Option<&Integer>) -> Integer {
    match ratio {
        Some(g) if *g > 0 && *available > 0 => (Integer::from(available) << RATIO_BITS) / g,
        _ => Integer::new(),
    }
}

fn check<'a>(
    masses: &[Integer],
    ratio: &impl Fn(usize) -> Option<&'a Integer>,
    up: &[Integer],
) -> Result<(), InvariantViolation> {
    let mut below = Integer::new();
    for (k, (mass, amount)) in masses.iter().zip(up).enumerate() {
        let in_range = *amount >= 0 && amount <= mass;
        let balanced = match (below == 0, ratio(k)) {
            (true, _) => true,
            (false, Some(g)) => {
                Integer::from(mass - amount) << RATIO_BITS >= Integer::from(&below * g)
            }
            (false, None) => false,
        };
        if !in_range || !balanced {
            return Err(InvariantViolation(format!(
                "cell {k} of a lower law is not balanced"
            )));
        }
        below.clone_from(amount);
    }
    if below == 0 {
        Ok(())
    } else {
        Err(InvariantViolation("mass left above a lower law".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn constant(g: u64) -> Integer {
        // g in thousandths
        (Integer::from(g) << RATIO_BITS) / 1000u32 + 1u32
    }

    proptest! {
        /// The constraint of the contraction, whatever the masses: `amounts_up` checks it itself, here it is stated again.
        #[test]
        fn always_balanced(masses in proptest::collection::vec(0u64..1_000_000, 1..40), g in 1u64..5000) {
            let masses: Vec<Integer> = masses.into_iter().map(Integer::from).collect();
            let g = constant(g);
            let up = amounts_up(&masses, |_| Some(&g)).unwrap();
            prop_assert_eq!(up.last().unwrap(), &Integer::new());
            for k in 1..masses.len() {
                let down = Integer::from(&masses[k] - &up[k]);
                prop_assert!(down << RATIO_BITS >= Integer::from(&up[k - 1] * &g));
            }
        }
    }

    /// Smooth masses must leave almost nothing unbalanced: about half of every cell goes up.
    #[test]
    fn smooth_masses_split_in_halves() {
        let masses: Vec<Integer> = (0..200i64)
            .map(|k| {
                Integer::from((1e12 * (-((k - 100) as f64 / 20.0).powi(2) / 2.0).exp()) as i64)
            })
            .collect();
        let g = constant(1001);
        let up = amounts_up(&masses, |_| Some(&g)).unwrap();
        for k in 60..140 {
            let share = up[k].to_f64() / masses[k].to_f64();
            assert!((0.4..0.6).contains(&share), "cell {k} sends {share} up");
        }
    }

    #[test]
    fn a_violated_constraint_is_an_internal_error() {
        let masses = [Integer::from(5), Integer::from(1)];
        let g = constant(2000);
        assert!(check(&masses, &|_| Some(&g), &[Integer::from(3), Integer::new()]).is_err());
        assert!(check(&masses, &|_| None, &[Integer::from(1), Integer::new()]).is_err());
        assert!(check(&masses, &|_| Some(&g), &[Integer::new(), Integer::from(1)]).is_err());
    }
}
