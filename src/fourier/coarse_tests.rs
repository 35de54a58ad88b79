//! Sums when no rounding has more than a few bits, against exact ones (see `kernel::coarse`).

use rug::Rational;

use super::Sum;
use super::tests::{contains, hint, meet, profile, step};
use super::tilted::Tilted;
use crate::kernel::coarse::at_most_bits;
use crate::test_scale::{is_asked, is_thorough};

const TILTS: [(i32, i32); 6] = [(3, 2), (1, 5), (-1, 2), (-7, 8), (-5, 2), (-6, 5)];

/// When no rounding has more than a few bits, all that is rounded is wide, and true. What is in fixed point was there before: its
/// errors are those of so many bits.
#[test]
fn few_bits_are_sound() {
    let shape = [3, 0, 9, 1, 0, 7, 2, 30, 5];
    let law = step(&shape, (1, 10), Rational::from((1, 8)), true);
    let short = step(&shape, (-3, 10), Rational::from((1, 4)), false);
    let compositions = [vec![(law.clone(), 40)], vec![(law, 12), (short, 9)]];
    for (number, parts) in compositions.into_iter().enumerate() {
        for (place, tilt) in TILTS.into_iter().enumerate() {
            if !is_asked(number + place, 6) {
                continue;
            }
            let Some(profile) = profile(&parts, &[hint(Rational::from(tilt), 1501)]) else {
                continue;
            };
            contains(&parts, &profile).unwrap();
            let all: &[u32] = match is_thorough() {
                true => &[6, 8, 10, 12, 14, 17, 20, 26, 36],
                false if place % 2 == 0 => &[8],
                false => &[20],
            };
            for &bits in all {
                let found = at_most_bits(bits, || contains(&parts, &profile));
                assert!(found.is_ok(), "{tilt:?}, {bits} bits: {found:?}");
            }
        }
    }
}

/// log g of tilted laws at a few bits.
#[test]
fn tilted_totals_at_few_bits() {
    let law = step(
        &[3, 0, 9, 1, 0, 7, 2, 30, 5],
        (1, 10),
        Rational::from((1, 8)),
        true,
    );
    for tilt in -50i32..50 {
        let total = |times| Tilted::log_total(&law, &Rational::from((tilt, 7)), times).unwrap();
        let fine = total(u64::MAX);
        // So many steps leave about as many digits of the whole.
        for times in [1, 1000, 1 << 40] {
            let found = total(times);
            let width = found.width_up() * times;
            assert!(
                meet(&found, &fine) && width < 1e-4,
                "{tilt}/7, {times}: {found:?}"
            );
        }
        let total = || total(1);
        for bits in 3..30 {
            let coarse = at_most_bits(bits, total);
            assert!(
                meet(&coarse, &fine),
                "{tilt}/7 at {bits} bits: {coarse:?} {fine:?}"
            );
        }
    }
}

/// The totals of a sum at a few bits.
#[test]
fn totals_at_few_bits() {
    let shape = [3, 0, 9, 1, 0, 7, 2, 30, 5];
    let whole = step(&shape, (1, 10), Rational::from((1, 8)), true);
    let short = step(&shape, (-3, 10), Rational::from((1, 4)), false);
    for parts in [vec![(whole.clone(), 40)], vec![(whole, 12), (short, 9)]] {
        let fine = Sum::new(parts.clone()).unwrap().unwrap();
        for bits in 3..40 {
            let coarse = at_most_bits(bits, || Sum::new(parts.clone()))
                .unwrap()
                .unwrap();
            for (what, coarse, fine) in [
                ("origin", &coarse.origin, &fine.origin),
                ("last", &coarse.last, &fine.last),
                ("finite", &coarse.finite, &fine.finite),
                ("infinite", &coarse.infinite, &fine.infinite),
                ("missing", &coarse.missing, &fine.missing),
                ("null", &coarse.null, &fine.null),
                ("null short", &coarse.null_short, &fine.null_short),
            ] {
                assert!(
                    meet(coarse, fine),
                    "{what} at {bits} bits: {coarse:?} {fine:?}"
                );
            }
        }
    }
}

/// The ends of a sum of laws, exactly.
#[test]
fn ends_of_a_sum() {
    let shape = [3, 0, 9, 1, 0, 7, 2, 30, 5];
    let whole = step(&shape, (1, 10), Rational::from((1, 8)), true);
    let short = step(&shape, (-3, 10), Rational::from((1, 4)), false);
    for parts in [vec![(whole.clone(), 40)], vec![(whole, 12), (short, 9)]] {
        let sum = Sum::new(parts.clone()).unwrap().unwrap();
        let (mut origin, mut last) = (Rational::new(), Rational::new());
        for (law, times) in &parts {
            let place = |label: i64| law.lattice().exact_position(label).unwrap();
            let (low, high) = (law.atoms()[0].0, law.atoms()[law.atoms().len() - 1].0);
            origin += place(low) * *times;
            last += (place(high) - place(low)) / sum.step() * *times;
        }
        assert!(sum.origin.contains(&origin) && sum.origin.width_up() < 1e-30);
        assert!(sum.last.contains(&last) && sum.last.width_up() < 1e-30);
    }
}
