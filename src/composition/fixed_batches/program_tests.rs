//! One step backwards, on tables that can be looked through.

use rug::Integer;

use super::*;
use crate::kernel::coarse::Random;

const N: u32 = 10;

/// A table of a convex function that falls, with what mirrors it: (1 − u + g·u)⁺ cut off, in units.
fn table(reach: usize) -> Vec<u128> {
    // δ of randomised response and a leak: chords of something convex.
    let mut values = Vec::new();
    let mut x = 1.0f64;
    for _ in 0..=reach {
        let delta = 0.01 + (1.9 - x).max(0.0).powi(2) / 4.0;
        values.push((delta * 2f64.powi(60)) as u128 * (1 << 24));
        x *= 1.0 + 1.0 / f64::from(N);
    }
    values
}

/// The sum of hinges is the table where it is convex, and above it where it is not.
#[test]
fn hinges_add_up_to_at_least_the_table() {
    for bump in [0, 1u128 << 60, 1 << 80] {
        let mut values = table(12);
        values[4] += bump;
        let (weights, base) = hinges(&values, N).unwrap();
        let x = |j: usize| 1.1f64.powi(i32::try_from(j).unwrap());
        let last = *values.last().unwrap() as f64;
        for j in 0..values.len() {
            let sum: f64 = weights
                .iter()
                .enumerate()
                .map(|(i, w)| *w as f64 * (1.0 - x(j) / x(i)).max(0.0))
                .sum();
            let (sum, stated) = (sum + last, base[j] as f64);
            assert!(base[j] >= values[j], "{bump} {j}");
            assert!(
                (sum - stated).abs() < 2f64.powi(84) * 1e-9,
                "{bump} {j}: {sum} {stated}"
            );
        }
        if bump == 1 << 80 {
            assert!(base[3] > values[3]);
        }
    }
}

#[test]
fn the_made_convex_table_is_above_and_convex() {
    for (index, bump) in [(0, 1u128 << 70), (3, 1 << 75), (7, 12345), (12, 1 << 50)] {
        let mut values = table(12);
        values[index] += bump;
        let made = convex(values.clone(), N).unwrap();
        assert!(made.iter().zip(&values).all(|(made, value)| made >= value));
        assert!(weights(&made, N).unwrap().iter().all(|w| *w >= 0));
    }
    assert_eq!(convex(vec![ONE + 1; 3], N), None);
}

/// With one kernel, that of a pair with two outcomes, a step is the composition with that pair.
#[test]
fn a_step_with_one_pair_is_its_composition() {
    // Randomised response with odds ρ^4: H_r = (t − (1 − t)r)⁺ between ρ^−4 and ρ^4, with t = ρ^4/(1 + ρ^4).
    let reach = 16usize;
    let x = |k: i32| 1.1f64.powi(k);
    let t = x(4) / (1.0 + x(4));
    let profile = |r: f64| (t - (1.0 - t) * r).max(1.0 - r).max(0.0);
    let row: Vec<u128> = (-16..=32)
        .map(|k| {
            ((profile(x(k)) - (1.0 - x(k)).max(0.0)).max(0.0) * 2f64.powi(50)) as u128 * (1 << 34)
                + (1 << 34)
        })
        .collect();
    for times in [1i32, 2, 4] {
        let row = Row {
            place: (0, 0),
            gains: row.clone(),
        };
        let stops = [u64::try_from(times).unwrap()];
        let found = run(vec![row], N, reach, &stops, &Budget::unlimited());
        let (table, steps) = found.unwrap().unwrap();
        assert_eq!(steps, stops[0]);
        for (j, value) in table.values.iter().enumerate() {
            let u = x(i32::try_from(j).unwrap());
            let mut truth = 0.0f64;
            let mut choose = 1.0;
            for k in 0..=times {
                let q = choose * t.powi(k) * (1.0 - t).powi(times - k);
                let p = choose * t.powi(times - k) * (1.0 - t).powi(k);
                truth += (q - u * p).max(0.0);
                choose *= f64::from(times - k) / f64::from(k + 1);
            }
            let found = *value as f64 / 2f64.powi(84);
            assert!(
                found >= truth - 1e-14 && found <= truth + 1e-9,
                "{times} {j}: {found} {truth}"
            );
        }
    }
}

#[test]
fn products_of_units_are_rounded_up() {
    for (w, t) in [
        (0u128, 0u128),
        (1, 1),
        (ONE, ONE),
        (ONE - 1, ONE / 3),
        // All digits count, in both halves.
        (ONE - 1, ONE - 1),
        ((1 << 42) - 1, ONE - 1),
        (ONE - 1, (1 << 42) - 1),
        (2 * ONE - 1, ONE - 1),
        (ONE * 3, ONE - 7),
        (12345, 678),
        // What the lowest halves carry makes a unit.
        ((1 << 43) + (1 << 43) - 1, (1 << 43) + (1 << 43) - 1),
    ] {
        let exact = rug::Integer::from(w) * rug::Integer::from(t);
        let found = rug::Integer::from(times_up(w, t));
        assert!(rug::Integer::from(&found << 84) >= exact);
        assert!((found - 3) << 84u32 <= exact);
    }
}

/// To the last unit a step is at least what any row gains at all ratios, however far away.
#[test]
fn a_step_gains_at_every_ratio() {
    let reach = 60usize;
    let gain = |k: i64| ((1u128 << 58) >> (6 * k.unsigned_abs()).min(60)) * (1 << 22) + (1 << 22);
    let row = Row {
        place: (0, 0),
        gains: (-60..=120).map(gain).collect(),
    };
    let mut program = Program::new(vec![row], N, reach).unwrap().unwrap();
    let values = table(reach);
    let (weights, base) = hinges(&values, N).unwrap();
    let next = program.step(&values, 0).unwrap();
    for (place, next) in next.iter().enumerate() {
        let mut own = rug::Rational::new();
        for (at, weight) in weights.iter().enumerate() {
            let (place, at) = (place as i64, at as i64);
            let shrunk = rug::Rational::from((i64::from(N), i64::from(N) + 1));
            let power = rug::ops::Pow::pow(&shrunk, i32::try_from(at).unwrap());
            own += rug::Rational::from(*weight) * gain(place - at);
            if at > 0 {
                own += rug::Rational::from(power) * *weight * gain(place + at);
            }
        }
        let least = own / rug::Rational::from(ONE) + base[place];
        assert!(
            *next >= least.clone().min(rug::Rational::from(ONE)),
            "{place}: {next} {least}"
        );
    }
}

/// A product of two numbers in units is rounded up, by no more than a unit and what half the digits hide.
#[test]
fn products_are_rounded_up() {
    let mut random = Random(71);
    for _ in 0..10_000 {
        let mut number = || {
            let wide = u128::from(random.word()) << 64 | u128::from(random.word());
            match random.below(8) {
                0 => 0,
                1 => ONE,
                2 => (1 << 86) - 1,
                _ => wide >> (42 + random.below(80)),
            }
        };
        let (w, t) = (number(), number());
        let exact = Integer::from(w) * Integer::from(t);
        let found = Integer::from(times_up(w, t)) << UNIT_BITS;
        assert!(exact <= found, "{w} {t}");
        let slack = (Integer::from(1) << UNIT_BITS) + (Integer::from(1) << 44u32);
        assert!(found - exact <= slack, "{w} {t}");
    }
}
