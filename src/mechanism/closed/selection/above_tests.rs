//! Upper bounds to the last unit, in exact numbers.

use rug::Rational;

use super::super::fixed::value;
use super::super::lattice::Side;
use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::epsilon::Epsilon;

fn exact(x: u128) -> Rational {
    value(x)
}

/// Steps of this ratio over about e^ε.
fn lattice(odds: (u32, u32), ratio: (u32, u32)) -> Lattice {
    let epsilon = Epsilon::log_of(Rational::from(odds)).unwrap();
    Lattice::around(&epsilon, Rational::from(ratio), Side::Above).unwrap()
}

/// Falling values of a few units, or of many.
fn falling(random: &mut Random, count: u64) -> Vec<u128> {
    let unit = if random.once_in(2) { 1 } else { ONE >> 20 };
    let mut values: Vec<u128> = (0..count)
        .map(|_| u128::from(random.below(1 << 14)) * unit)
        .collect();
    values.sort_unstable();
    values.reverse();
    values
}

/// One step of a factor of 2 over a range of 2: all weights are halves and quarters, and nothing but the last unit is rounded.
#[test]
fn the_last_unit_is_on_the_safe_side() {
    let mut random = Random(5);
    let of = lattice((19, 10), (2, 1));
    assert_eq!(of.steps, 1);
    for _ in 0..9_800 {
        let count = 1 + random.below(5);
        let mut forward = falling(&mut random, count);
        // Of two that are equal the mean is exact.
        if random.once_in(2)
            && let Some((_, rest)) = forward.split_first_mut()
        {
            let last = rest.last().copied().unwrap_or(0);
            rest.fill(last);
        }
        let level = Level::new(&forward, forward.len(), &of);
        // 1 − 1/2 + V(2)/2.
        let next = forward.get(1).copied().unwrap_or(0);
        let mirrored = (exact(next) + 1u32) / 2u32;
        assert!(exact(level.at(0)) >= mirrored);
        for j in 0..forward.len() {
            let v = |place: usize| exact(level.at(place));
            let (near, near_right, far, far_right) = (v(j), v(j + 1), v(j + 1), v(j + 2));
            let found = exact(of_block(&level, &of, j, 0, 0));
            // With all on the first outcome, and all on the second.
            let ends = near_right.clone().max(far.clone());
            let fall = Rational::from(&near - &near_right) - Rational::from(&far - &far_right);
            let fall = fall.max(Rational::new());
            let top = Rational::from(&near - &far) / 4u32 + fall / 4u32;
            assert!(found >= Rational::from(&ends + &top), "{j}");
            // And the chords themselves, at e^t = z.
            for n in 0..=16u32 {
                let z = Rational::from((16 + n, 16u32));
                let share = Rational::from(2u32 - &z);
                // How far 1/z is from 1/2 to 1.
                let part = z.clone().recip() * 2u32 - 1u32;
                let mean = |a: &Rational, b: &Rational| {
                    a * Rational::from(1 - &part) + Rational::from(b * &part)
                };
                let value =
                    &share * mean(&near, &near_right) + (1 - share) * mean(&far, &far_right);
                assert!(found >= value, "{j} {n}");
            }
        }
    }
}

/// Blocks of one step and of several, with values between which nothing is known but that they fall: the chords are below the bound everywhere.
#[test]
fn chords_of_blocks_are_below_the_bound() {
    let mut random = Random(11);
    for (odds, ratio) in [((3, 1), (5, 4)), ((5, 1), (9, 7)), ((2, 1), (11, 10))] {
        let of = lattice(odds, ratio);
        let power = |n: usize| (0..n).fold(Rational::from(1), |all, _| all * &of.ratio);
        let whole = power(of.steps);
        for _ in 0..40 {
            let forward = falling(&mut random, 24);
            let level = Level::new(&forward, forward.len(), &of);
            let v = |place: usize| exact(level.at(place));
            for (start, exponent) in
                of.blocks
                    .iter()
                    .copied()
                    .chain([(0, 0), (1, 0), (of.steps - 1, 0)])
            {
                let j = usize::try_from(random.below(12)).unwrap();
                let end = start + (1 << exponent);
                let (left, right) = (j + level.back - end, j + level.back - start);
                let found = exact(of_block(&level, &of, j, start, exponent));
                let (first, last) = (power(start), power(end));
                for n in 0..=6u32 {
                    let z = Rational::from(&last - &first) * Rational::from((n, 6u32)) + &first;
                    let share = Rational::from(&whole - &z) / Rational::from(&whole - 1u32);
                    // How far 1/z is on its way from the end to the start.
                    let part = (z.clone().recip() - last.clone().recip())
                        / (first.clone().recip() - last.clone().recip());
                    let chord = |low: usize, high: usize| {
                        v(low) * Rational::from(1 - &part) + v(high) * &part
                    };
                    let value = &share * chord(left, right)
                        + (1 - share.clone()) * chord(left + of.steps, right + of.steps);
                    assert!(found >= value, "{odds:?} {start} {exponent} {n}");
                }
            }
        }
    }
}

/// Every t of a lattice is below the bound over all of them, wherever the search begins.
#[test]
fn no_step_is_left_out() {
    for (odds, ratio) in [((3, 1), (5, 4)), ((5, 1), (9, 7)), ((2, 1), (11, 10))] {
        let of = lattice(odds, ratio);
        let mut forward = Vec::new();
        for run in 0..3usize {
            let level = Level::new(&forward, run * of.steps, &of);
            let last = (run + 1) * of.steps;
            let range = of.powers.len() - 1;
            let power = |n: usize| (0..n).fold(Rational::from(1), |all, _| all * &of.ratio);
            let whole = power(range);
            for j in 0..last {
                let values = (0..=of.steps).map(|i| {
                    let q = (&whole - power(i)) / Rational::from(&whole - 1u32);
                    let place = j + level.back - i;
                    let (first, second) = (level.at(place), level.at(place + of.steps));
                    &q * exact(first) + (1 - q) * exact(second)
                });
                let most = values.max().unwrap();
                for hint in [0, of.steps / 2, of.steps - 1] {
                    let (found, _) = largest(&level, &of, j, hint);
                    assert!(exact(found) >= most, "{odds:?} {run} {j} {hint}");
                }
            }
            forward = one_more(&[(&level, &of)], last);
        }
    }
}
