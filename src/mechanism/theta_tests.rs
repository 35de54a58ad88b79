//! Sums of weights term by term, in the middle, far above and below all that is kept.

use rug::Float;

use super::*;
use crate::kernel::coarse::at_most_bits;

#[test]
fn sums_term_by_term() {
    for (variance, shift) in [((1, 4), 1i64), ((49, 9), 2), ((3, 1), 7)] {
        let variance = Rational::from(variance);
        let table = ThetaTable::new(&variance, shift, 60);
        let coarse = at_most_bits(12, || ThetaTable::new(&variance, shift, 60));
        let float = |x: Rational| Float::with_val(300, x);
        let twice = Rational::from(&variance * 2u32);
        let weight =
            |j: i64| float(-Rational::from(Integer::from(j - shift).square()) / &twice).exp();
        let top = -table.lowest;
        for k in [
            -top - 40,
            -top - 1,
            -top,
            -top + 1,
            -3,
            0,
            shift,
            5,
            3 * top,
        ] {
            let (mut upper, mut hinge) = (Float::new(300), Float::new(300));
            for j in k..=k.max(0) + 2 * top {
                let fall = float(Rational::from((k - j) * shift) / &variance).exp();
                upper += weight(j);
                hinge += weight(j) * (1u32 - fall);
            }
            let growth = weight(k - 1) / weight(k);
            for table in [&table, &coarse] {
                let found = table.at(k);
                for (what, found, truth) in [
                    ("weight", &found.weight, &weight(k)),
                    ("upper", &found.upper, &upper),
                    ("hinge", &found.hinge, &hinge),
                    ("growth", &found.growth, &growth),
                ] {
                    assert!(
                        found.lo() <= truth && truth <= found.hi(),
                        "{what} at {k}: {found:?} {truth}"
                    );
                }
            }
        }
    }
}

/// Noise of σ = 20,000 has a million terms: when the time is over they are not added up, nothing of that is kept, and what is said is true.
#[test]
fn sums_that_are_not_added_up_are_bounded() {
    let variance = Rational::from(20_000u32) * 20_000u32;
    let work = || {
        let table = ThetaTable::new(&variance, 3, 3_000);
        let far = table.at(40_000_000);
        (far, table)
    };
    let (far, table) = crate::kernel::coarse::late(work);
    assert!(table.checkpoints.len() <= 1, "{}", table.checkpoints.len());
    assert!(table.far.known(&40_000_000).is_none());
    // A few thousand terms are an instant.
    let small = Rational::from((49, 9));
    let few = crate::kernel::coarse::late(|| ThetaTable::new(&small, 2, 60).at(3).upper);
    assert!(few.width_up() < 1e-12);
    let wide = Rational::from(90_000_000);
    let late = crate::kernel::coarse::late(|| ThetaTable::new(&wide, 2, 60));
    let truth = ThetaTable::new(&wide, 2, 60);
    let holds = |wide: &Interval, narrow: &Interval| {
        assert!(wide.lo() <= narrow.lo() && narrow.hi() <= wide.hi());
    };
    holds(late.total(), truth.total());
    for k in [-90, -7, 0, 2, 3, 40, 20_000, 120_000] {
        let found = crate::kernel::coarse::late(|| late.at(k));
        let narrow = truth.at(k);
        holds(&found.weight, &narrow.weight);
        holds(&found.upper, &narrow.upper);
        holds(&found.hinge, &narrow.hinge);
    }
    let one = Interval::one(60);
    assert!(far.upper.lo() >= &0 && far.upper.hi() > one.hi());
}

/// Whatever the index, no sum is larger than that over everything, of wide noise and of narrow.
#[test]
fn sums_of_any_index() {
    for variance in [(1, 100), (1, 4), (49, 1), (90_000, 1)] {
        let table = ThetaTable::new(&Rational::from(variance), 2, 60);
        for k in [-5, 0, 2, 9] {
            let (found, at) = (table.of_any(k), table.first(k.max(3)));
            let all = [&found.weight, &found.upper, &found.hinge];
            assert!(all.iter().all(|x| x.lo().is_zero()));
            assert!(all.iter().all(|x| x.hi() >= table.total().hi()));
            if k >= 3 {
                assert_eq!(found.growth, at.growth);
            }
        }
    }
}

/// What is beyond the first place of a sum counts, next to the middle too, where it is not little.
#[test]
fn sums_begin_with_all_that_is_beyond() {
    for (variance, shift) in [((1, 4), 1i64), ((49, 9), 2), ((3, 1), 7)] {
        let variance = Rational::from(variance);
        let table = ThetaTable::new(&variance, shift, 60);
        let float = |x: Rational| Float::with_val(300, x);
        let twice = Rational::from(&variance * 2u32);
        let weight =
            |j: i64| float(-Rational::from(Integer::from(j - shift).square()) / &twice).exp();
        for k in shift..shift + 9 {
            let (mut upper, mut hinge) = (Float::new(300), Float::new(300));
            for j in k..k + 120 {
                let fall = float(Rational::from((k - j) * shift) / &variance).exp();
                upper += weight(j);
                hinge += weight(j) * (1u32 - fall);
            }
            let found = table.first(k);
            for (what, found, truth) in [
                ("upper", &found.upper, upper),
                ("hinge", &found.hinge, hinge),
            ] {
                assert!(
                    *found.lo() <= truth && truth <= *found.hi(),
                    "{what} at {k}"
                );
            }
        }
    }
}

/// Far above all that is kept: few bits surround many.
#[test]
fn sums_far_above_at_few_bits() {
    use crate::kernel::coarse::{Random, surrounds};
    let mut random = Random(77);
    for _ in 0..60 {
        let variance = Rational::from((1 + random.below(40), 8));
        let shift = 1 + i64::try_from(random.below(6)).unwrap();
        let bits = 4 + u32::try_from(random.below(40)).unwrap();
        let fine = ThetaTable::new(&variance, shift, 60);
        let coarse = at_most_bits(bits, || ThetaTable::new(&variance, shift, 60));
        for _ in 0..80 {
            let far = i64::try_from(random.below(60)).unwrap();
            let k = shift + 1 - 2 * fine.lowest + far;
            let (fine, coarse) = (
                fine.started_above(k),
                at_most_bits(bits, || coarse.started_above(k)),
            );
            for (what, coarse, fine) in [
                ("weight", &coarse.weight, &fine.weight),
                ("upper", &coarse.upper, &fine.upper),
                ("hinge", &coarse.hinge, &fine.hinge),
                ("growth", &coarse.growth, &fine.growth),
            ] {
                assert!(
                    surrounds(coarse, fine),
                    "{what} of {variance} {shift} at {k}, {bits} bits: {coarse:?} {fine:?}"
                );
            }
        }
    }
}
