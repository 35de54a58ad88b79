//! Bounds of characteristic functions step by step.

use rug::{Float, Integer, Rational};

use super::{ARC_DIGITS, Arc, Decay, Row, rows};
use crate::fourier::fixed::{FRACTION, ONE};
use crate::fourier::tilted::weight_error_up;
use crate::kernel::coarse::{Random, at_most_bits};

/// What a row adds is no less than its bound in exact numbers, of masses, variations, gaps and angles of any size, and not much more.
#[test]
fn variations_are_rounded_up() {
    let mut random = Random(21);
    let any = |random: &mut Random, most: u32| {
        let digits = u32::try_from(random.below(u64::from(most))).unwrap();
        1 + (random.below(u64::MAX) >> (63 - digits))
    };
    let real = |units: u64| Rational::from((units, 1u64 << ARC_DIGITS));
    let mut by_variation = 0;
    for round in 0..20_000 {
        let row = Row {
            gap: if random.once_in(3) {
                1
            } else {
                any(&mut random, 12)
            },
            mass_up: any(&mut random, 61),
            variation_up: any(&mut random, 62),
        };
        let from_down = any(&mut random, if round % 3 == 0 { 30 } else { 61 });
        let to_up = from_down.saturating_add(random.below(1 + from_down / 4));
        let arc = Arc { from_down, to_up };
        let half = real(from_down) * row.gap / 2u32;
        let cube = Rational::from(&half * &half) * &half;
        let sine = &half - cube / 6u32;
        let grows = row.gap == 1 || real(to_up) * row.gap <= 3;
        let (mass, variation) = (real(row.mass_up), real(row.variation_up));
        let truth = if grows && sine > 0 {
            mass.clone().min(variation / (2u32 * sine.clone()))
        } else {
            mass.clone()
        };
        let found = real(row.bound_up(arc));
        assert!(found >= truth && found <= mass, "{round}: {found} {truth}");
        if truth < mass {
            by_variation += 1;
            // Four units of the sine, which is known no better.
            let sharp = truth.clone() * (1u32 + real(8) / sine) + real(2);
            assert!(found <= sharp || half > 2, "{round}: {found} {truth}");
        }
    }
    assert!(by_variation > 2_000, "{by_variation}");
}

/// Rows add up, and 1 says nothing.
#[test]
fn rows_add_up() {
    let decay = |masses: &[u64]| Decay {
        labels: Vec::new(),
        moments: vec![[0; 3]],
        rows: masses
            .iter()
            .map(|mass| Row {
                gap: u64::MAX,
                mass_up: *mass,
                variation_up: u64::MAX,
            })
            .collect(),
    };
    let arc = Arc {
        from_down: 1 << 59,
        to_up: 1 << 60,
    };
    let one = 1u64 << ARC_DIGITS;
    for (masses, truth) in [
        (vec![one / 4, one / 8], 0.375f64.ln()),
        (vec![one / 2, one / 2 - 1], 0.0),
        (vec![one / 2, one / 2], 0.0),
        (vec![one - 1, u64::MAX, u64::MAX], 0.0),
    ] {
        let found = decay(&masses).by_variation_up(arc);
        let sum = masses.iter().fold(Rational::new(), |sum, mass| sum + mass);
        let log = Float::with_val(200, sum >> ARC_DIGITS).ln();
        assert!(
            found <= 0 && (found >= log || log > 0),
            "{masses:?} {found}"
        );
        assert!((found.to_f64() - truth).abs() < 1e-12, "{masses:?} {found}");
    }
}

/// Masses that need no rounding but in the last step: the sums of a row are at least what they are.
#[test]
fn sums_of_rows_are_rounded_up() {
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
        let all = rows(&weights);
        let [one] = all.as_slice() else {
            panic!("one row")
        };
        let units = |units: u64| Rational::from((units, 1u64 << ARC_DIGITS));
        let (found, other) = (units(one.mass_up), units(one.variation_up));
        assert!(found >= Rational::from(&mass + &error), "{found} {mass}");
        assert!(
            other >= Rational::from(&variation + &error),
            "{other} {variation}"
        );
        let near = units(2) + error;
        assert!(found <= mass + &near && other <= variation + near);
    }
}

/// By moments no fall is larger than in exact numbers, at a few bits too: of numbers with one digit and with many each rounding stands alone at times.
#[test]
fn falls_are_rounded_down() {
    let mut random = Random(83);
    let any = |random: &mut Random, digits: u64| match random.once_in(2) {
        true => 1u64 << random.below(digits),
        false => 1 + random.below(1 << digits),
    };
    let mut falls = 0;
    for _ in 0..40_000 {
        let (m0, m2) = (any(&mut random, 16), any(&mut random, 40));
        let m1 = match random.once_in(3) {
            true => any(&mut random, 14).cast_signed(),
            false => 0,
        };
        let (from, over, under) = (
            any(&mut random, 12),
            any(&mut random, 8),
            any(&mut random, 8),
        );
        let constant = [over, under].map(|n| u32::try_from(n).unwrap());
        let decay = Decay {
            labels: vec![0],
            moments: vec![[0; 3], [m0.into(), m1.into(), m2.into()]],
            rows: Vec::new(),
        };
        let spread = Integer::from(m0) * m2 - Integer::from(m1).square();
        let spread = Rational::from((spread, Integer::from(1) << 120u32));
        let truth = -(Rational::from((over, under)) * from * from * spread);
        let [from, length] = [from, 1].map(|x| Float::with_val(64, x));
        for bits in [2, 5, 9, 64] {
            let find = || decay.by_moments_up(&from, &length, constant.into());
            let found = at_most_bits(bits, find);
            assert!(
                found <= 0 && (found >= truth || truth > 0),
                "{bits}: {found} {truth}"
            );
            falls += u32::from(found < 0);
        }
    }
    assert!(falls > 80_000, "{falls}");
}
