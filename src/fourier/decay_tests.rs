//! Bounds of characteristic functions at a few bits, step by step.

use rug::{Float, Integer, Rational};

use super::{Decay, Row, rows};
use crate::fourier::fixed::{ERROR_BITS, FRACTION, ONE};
use crate::fourier::tilted::weight_error_up;
use crate::kernel::coarse::{Random, at_most_bits};

/// One row or two of few bits: what each of them may add is in the first digits.
#[test]
fn variations_at_few_bits() {
    let mut random = Random(21);
    let few = |random: &mut Random, below: u64, shift: u32| {
        Float::with_val(ERROR_BITS, 1 + random.below(below)) >> shift
    };
    for _ in 0..6000 {
        let mut row = |gap: i64| Row {
            gap,
            mass_up: few(&mut random, 64, 6),
            variation_up: few(&mut random, 64, 7),
        };
        let (first, second) = (row(1), row(3));
        let rows = if random.once_in(2) {
            vec![first]
        } else {
            vec![first, second]
        };
        let decay = Decay {
            labels: Vec::new(),
            moments: vec![[0; 3]],
            rows,
        };
        // Half an angle of more than 1, whose cube matters.
        let from = few(&mut random, 100, 5);
        let to = Float::with_val(ERROR_BITS, &from * (8 + random.below(4))) / 8u32;
        let fine = decay.by_variation_up(&from, &to);
        for bits in 2..8 {
            let coarse = at_most_bits(bits, || decay.by_variation_up(&from, &to));
            assert!(
                coarse >= fine,
                "{from} {to} at {bits} bits: {coarse} {fine}"
            );
        }
        // By their definition.
        let at = |row: &Row| {
            let angle = from.to_f64() * row.gap as f64 / 2.0;
            let sine = angle - angle.powi(3) / 6.0;
            let grows = row.gap == 1 || to.to_f64() * row.gap as f64 <= 3.0;
            let mass = row.mass_up.to_f64();
            match grows && sine > 0.0 {
                true => mass.min(row.variation_up.to_f64() / (2.0 * sine)),
                false => mass,
            }
        };
        let sum: f64 = decay.rows.iter().map(at).sum();
        assert!(
            (fine.to_f64() - sum.ln().min(0.0)).abs() < 1e-12,
            "{from} {to}: {fine} {sum}"
        );
    }
}

/// Masses that need no rounding but in the last step: the sums of a row are at least what they are.
#[test]
fn sums_of_rows_at_few_bits() {
    let mut random = Random(22);
    for _ in 0..300 {
        // Nothing but errors, or a unit less than what a few bits hold.
        let (most, less) = (
            if random.once_in(4) { 1 } else { 64 },
            i128::from(random.below(2)),
        );
        let weights: Vec<(i64, i128)> = (0..2 + random.below(5))
            .map(|i| {
                (
                    i64::try_from(i).unwrap(),
                    (ONE / 64 * i128::from(random.below(most)) - less).max(0),
                )
            })
            .collect();
        let error = weight_error_up().to_rational().unwrap() * (2 * weights.len());
        let real = |n: Integer| Rational::from((n, Integer::from(1) << FRACTION));
        let mass = real(weights.iter().map(|(_, w)| Integer::from(*w)).sum());
        let steps = weights
            .windows(2)
            .map(|pair| Integer::from((pair[1].1 - pair[0].1).abs()));
        let ends = Integer::from(weights[0].1) + weights[weights.len() - 1].1;
        let variation = real(steps.sum::<Integer>() + ends);
        for bits in [2, 3, 4, 5, 64] {
            let all = at_most_bits(bits, || rows(&weights));
            let [one] = all.as_slice() else {
                panic!("one row")
            };
            let (found, other) = (&one.mass_up, &one.variation_up);
            assert!(*found >= Rational::from(&mass + &error), "{found} {mass}");
            assert!(
                *other >= Rational::from(&variation + &error),
                "{other} {variation}"
            );
        }
    }
}
