//! Bounds on arcs against plain sums, at few bits too.

use proptest::prelude::*;
use rug::{Float, Integer, Rational};

use super::super::fixed::{FRACTION, Fixed, ONE};
use super::{Arcs, DIGITS, FARTHEST, anywhere_up, modulus_up, turns_up};
use crate::fourier::tilted::Tilted;
use crate::kernel::Interval;
use crate::kernel::coarse::{Random, at_most_bits, few_bits};

fn law(weights: Vec<(i64, Fixed)>) -> Tilted {
    Tilted {
        weights,
        log_total: Interval::zero(64),
    }
}

/// Shares of 1, rounded down, at these gaps from each other.
fn of_gaps(masses: &[(i64, u32)]) -> Tilted {
    let total: i128 = masses.iter().map(|(_, n)| i128::from(*n)).sum();
    let mut label = 0;
    let weights = masses.iter().map(|(gap, n)| {
        label += gap;
        (label, ONE / total * i128::from(*n))
    });
    law(weights.collect())
}

/// |χ| at a root by plain sums.
fn modulus(law: &Tilted, (k, period): (u64, u64), bits: u32) -> Float {
    let turn = Float::with_val(bits, rug::float::Constant::Pi) * 2u32;
    let (mut re, mut im) = (Float::new(bits), Float::new(bits));
    for (label, weight) in &law.weights {
        // Only the part of a turn counts.
        let place = Integer::from(*label) * k % period;
        let (sin, cos) = (Float::with_val(bits, &turn * place) / period).sin_cos(Float::new(bits));
        let mass = Float::with_val(bits, Integer::from(*weight)) / Integer::from(ONE);
        re += cos * &mass;
        im += sin * mass;
    }
    re.hypot(&im)
}

fn turn_up(period: u64) -> Float {
    let tau = Float::with_val(200, rug::float::Constant::Pi) * 2u32;
    Float::with_val_round(64, tau / period, rug::float::Round::Up).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(100)))]

    /// No root of an arc is above its bound, wherever its middle is said to be.
    #[test]
    fn no_root_of_an_arc_is_above_its_bound(
        masses in prop::collection::vec((prop_oneof![Just(1i64), 1i64..40, 1i64..5000], 1u32..1000), 1..60),
        half in 2u64..100_000,
        from in 0.0f64..1.0,
        stretch in 0u64..30,
        place in 0u64..30,
    ) {
        let period = 2 * half + 1;
        let from = 1 + (from * half as f64) as u64;
        let (from, to) = (from.min(half), (from + stretch).min(half));
        let middle = (from + place).min(to);
        let law = of_gaps(&masses);
        let arcs = Arcs::new(&law).unwrap();
        let turn = turn_up(period);
        let bound = arcs.at((from, middle, to), period, &turn).unwrap();
        for k in from..=to {
            prop_assert!(modulus(&law, (k, period), 80) <= Float::with_val(80, &bound.whole_up + 1e-17), "{k} of {period}");
        }
        let own = modulus(&law, (middle, period), 80);
        for bits in 2..=24 {
            // Another window may say less or more, but none too little.
            let [whole, one] = at_most_bits(bits, || [(from, middle, to), (middle, middle, middle)].map(|arc| arcs.at(arc, period, &turn).unwrap().whole_up));
            prop_assert!(one >= own, "{bits}");
            for k in from..=to {
                prop_assert!(modulus(&law, (k, period), 80) <= Float::with_val(80, &whole + 1e-17), "{k} of {period}, {bits}");
            }
        }
        // Of one root it is the value and its error.
        let one = arcs.at((middle, middle, middle), period, &turn).unwrap().whole_up;
        prop_assert!((one - own).abs() < 1e-15);
    }
}

/// Many masses that are not whole words, and many turns of a root: rounding is counted, and not much more.
#[test]
fn values_are_within_their_error() {
    let mut random = Random(11);
    for count in [1u64, 2, 30, 1000, 5000] {
        let mut label = 0;
        let mut left = ONE;
        let weights = (0..count).map(|i| {
            label += i64::try_from(1 + random.below(3)).unwrap();
            let rest = i128::from(count - i);
            let weight = left / rest - i128::from(random.below(1000));
            left -= weight;
            (label, weight)
        });
        let law = law(weights.collect());
        let arcs = Arcs::new(&law).unwrap();
        let error = Float::with_val(64, count) >> (DIGITS - 3);
        let period = 100_001;
        for k in [0, 1, 2, 77, 3_333, 50_000] {
            let found = arcs
                .at((k, k, k), period, &turn_up(period))
                .unwrap()
                .whole_up;
            let truth = modulus(&law, (k, period), 200);
            assert!(found >= truth, "{count} {k}");
            assert!(
                found - truth <= Float::with_val(64, &error * 2u32),
                "{count} {k}"
            );
        }
    }
}

/// A label so far away that it is in no window counts with its whole mass.
#[test]
fn far_labels_count_in_full() {
    let far = FARTHEST + 100;
    let law = law(vec![(0, ONE / 2), (1, ONE / 4), (2 * far, ONE / 4)]);
    let arcs = Arcs::new(&law).unwrap();
    let period = (1 << 40) + 1;
    let mut random = Random(5);
    for _ in 0..200 {
        let from = 1 + random.below(period / 2 - 100);
        let (middle, to) = (from + random.below(3), from + 3);
        let found = arcs
            .at((from, middle, to), period, &turn_up(period))
            .unwrap();
        for k in from..=to {
            assert!(found.whole_up >= modulus(&law, (k, period), 160), "{k}");
        }
    }
}

/// Of a window no farther than labels are looked at: beyond it they would turn by more than is counted.
#[test]
fn windows_end_where_labels_do() {
    // Half a turn takes 20 roots, in the middle of which there is nothing.
    let far = 8 * FARTHEST;
    let law = law(vec![(0, ONE / 2), (far, ONE / 2)]);
    let arcs = Arcs::new(&law).unwrap();
    let period = 40 * u64::try_from(far).unwrap() + 1;
    for stretch in 0..4 {
        let arc = (20 - stretch, 20, 20 + stretch);
        let found = arcs.at(arc, period, &turn_up(period)).unwrap();
        for k in arc.0..=arc.2 {
            assert!(found.whole_up >= modulus(&law, (k, period), 160), "{k}");
        }
    }
}

/// Of exact numbers of a few bits: whatever is rounded is rounded up, and not by much.
#[test]
fn bounds_are_rounded_up() {
    let mut random = Random(77);
    let exactly = |x: &Float| x.to_rational().unwrap();
    for _ in 0..20_000 {
        let bits = few_bits(&mut random);
        let mut few = || random.below(1 << bits);
        let (turn, count) = (Float::with_val(64, few()) >> 20u32, few());
        let truth = exactly(&turn) * count;
        let found = exactly(&at_most_bits(bits, || turns_up(&turn, count)));
        let unit = Rational::from((4, 1u64 << bits)) + 1u32;
        assert!(found >= truth && found <= truth * &unit, "{bits}: {count}");

        let [value, away] = [few(), few()].map(|n| Float::with_val(64, n) >> bits);
        // Some of them are 0, so that nothing hides how the others are rounded.
        let mut most = || match random.once_in(2) {
            true => 0,
            false => u128::from(random.below(1 << 50)),
        };
        let [spread, beside] = [most(), most()];
        let value = if random.once_in(2) {
            Float::new(64)
        } else {
            value
        };
        let scale = Rational::from(Integer::from(1) << DIGITS);
        let truth = exactly(&value)
            + (exactly(&away) * Integer::from(spread) + Integer::from(beside)) / &scale;
        let found = at_most_bits(bits, || anywhere_up(&value, &away, spread, beside));
        let found = exactly(&found);
        let loose = unit.clone() * &unit * &unit;
        assert!(found >= truth && found <= truth * &loose, "{bits}");
    }
    for _ in 0..20_000 {
        let bits = few_bits(&mut random);
        let mut part = || match random.below(3) {
            0 => 0,
            1 => i128::from(random.below(1 << 20)) << (FRACTION - 20),
            _ => -(i128::from(random.below(1 << 60)) << 50),
        };
        let parts = [part(), part()];
        let count =
            usize::try_from([0, random.below(1 << 40)][usize::from(random.once_in(2))]).unwrap();
        let found = exactly(&at_most_bits(bits, || modulus_up(parts, count)));
        let error = Rational::from((8 * Integer::from(count), Integer::from(1) << DIGITS));
        let rest = Rational::from(&found - &error);
        let square: Integer = parts.iter().map(|x| Integer::from(*x).square()).sum();
        let square = Rational::from((square, Integer::from(1) << (2 * FRACTION)));
        assert!(
            rest >= 0 && rest.square() >= square,
            "{bits}: {parts:?} {count}"
        );
        let unit = Rational::from((16, 1u64 << bits)) + 1u32;
        let within = Rational::from(&found / &unit) - &error;
        assert!(
            within <= 0 || within.square() <= square,
            "{bits}: {parts:?} {count}"
        );
    }
}

/// Over such a gap a root has no power that is as good as a word.
#[test]
fn wide_gaps_are_not_looked_at() {
    let of = |gap: i64| Arcs::new(&law(vec![(0, ONE / 2), (gap, ONE / 2)]));
    assert!(of(1 << 40).is_some() && of(1 << 50).is_none());
    assert!(Arcs::new(&law(vec![(0, ONE)])).is_some());
}
