//! Against a look at every place.

use super::*;
use crate::bounds::divergence::overview;
use crate::bounds::testing::finite_pair;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::laplace::Laplace;
use proptest::prelude::*;
use rug::Rational;
use std::sync::Arc;

/// What a look at every place sees.
fn one_by_one(
    first: &TwoSided,
    second: &TwoSided,
    places: &[Float],
    bits: u32,
) -> Vec<(Float, Float)> {
    let uniform = Prior::uniform();
    let contest = Contest::new(first, second, &uniform, &[]);
    let mut found = Vec::new();
    let mut last: Option<(Float, bool)> = None;
    for place in places {
        let Some(sign) = contest.sign(place, bits).unwrap() else {
            continue;
        };
        if let Some((from, before)) = &last
            && *before != sign
        {
            found.push((from.clone(), place.clone()));
        }
        last = Some((place.clone(), sign));
    }
    found
}

proptest! {
    /// No crossing that every place shows is missed, and there is no other.
    #[test]
    fn nothing_is_missed(one in finite_pair(), other in finite_pair(), bits in 24u32..160) {
        let (first, second) = (one.sides(), other.sides());
        let places = overview(bits);
        let found = crossings(&first, &second, &places, bits, &Budget::unlimited()).unwrap();
        let all = one_by_one(&first, &second, &places, bits);
        prop_assert_eq!(found.len(), all.len());
        for (found, (from, to)) in found.iter().zip(&all) {
            prop_assert!(found.lo() >= from && found.hi() <= to, "{found:?} {from} {to}");
        }
    }

    /// What bounds over a stretch say of its sign is true of all places in it, at any precision.
    #[test]
    fn stretches_of_one_sign(one in finite_pair(), other in finite_pair(), seed in 0u64..1 << 40, bits in 3u32..40) {
        let (first, second) = (one.sides(), other.sides());
        let uniform = Prior::uniform();
        let contest = Contest::new(&first, &second, &uniform, &[]);
        let budget = Budget::unlimited();
        let look = Look { contest: &contest, bits, budget: &budget, signs: Vec::new() };
        let mut random = Random(seed);
        for _ in 0..10 {
            let mut place = || Float::with_val(64, i64::try_from(random.below(400)).unwrap() - 200) / 64u32;
            let (a, b) = (place(), place());
            if a == b {
                continue;
            }
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            let (is_one, sign) = at_most_bits(bits, || {
                let [left, right] = [&a, &b].map(|place| look.seen(place).unwrap());
                (look.is_one_sign(&left, &right), left.sign)
            });
            for n in 0..if is_one { 33u32 } else { 0 } {
                let inside = Float::with_val(200, &b - &a) * n / 32u32 + &a;
                let truth = contest.sign(&inside, 200).unwrap();
                prop_assert!(truth.is_none() || truth == sign, "{inside} in {a} {b}");
            }
        }
    }
}

/// Curves that are the same at ε and −ε cross at both; few places are looked at.
#[test]
fn both_halves_of_a_symmetric_pair() {
    let one = Rational::from(1);
    let laplace = TwoSided::closed_form(Arc::new(Laplace::from_noise(&one, &one)));
    let mu = Rational::from((20, 23));
    let gaussian = TwoSided::closed_form(Arc::new(Gaussian::from_mu(&mu)));
    let places = overview(128);
    let found = crossings(&laplace, &gaussian, &places, 128, &Budget::unlimited()).unwrap();
    let all = one_by_one(&laplace, &gaussian, &places, 128);
    assert!(!all.is_empty());
    assert_eq!(found.len(), all.len());
    for (found, (from, to)) in found.iter().zip(&all) {
        assert!(
            found.lo() >= from && found.hi() <= to,
            "{found:?} {from} {to}"
        );
    }
    let uniform = Prior::uniform();
    let contest = Contest::new(&laplace, &gaussian, &uniform, &[]);
    let budget = Budget::unlimited();
    let mut look = Look {
        contest: &contest,
        bits: 128,
        budget: &budget,
        signs: Vec::new(),
    };
    let near: Vec<Float> = places
        .iter()
        .filter(|e| Float::with_val(128, e.abs_ref()) < 3)
        .cloned()
        .collect();
    look.over(&near).unwrap();
    assert!(
        look.signs.len() < near.len() / 2,
        "{} of {}",
        look.signs.len(),
        near.len()
    );
}

/// The first place and the last are as good as any: of a crossing next to either nothing is said but where it is.
#[test]
fn crossings_next_to_the_first_place_and_the_last() {
    let one = Rational::from(1);
    let laplace = TwoSided::closed_form(Arc::new(Laplace::from_noise(&one, &one)));
    let gaussian = TwoSided::closed_form(Arc::new(Gaussian::from_mu(&Rational::from((20, 23)))));
    let all: Vec<Float> = overview(128).into_iter().filter(|e| *e > 0).collect();
    let seen = one_by_one(&laplace, &gaussian, &all, 128);
    assert!(!seen.is_empty());
    for (from, to) in seen {
        let at = |end: &Float| all.iter().position(|place| place == end).unwrap();
        let (from, to) = (at(&from), at(&to));
        for places in [&all[from..], &all[..=to], &all[from..=to]] {
            let found = crossings(&laplace, &gaussian, places, 128, &Budget::unlimited());
            let found = found.unwrap();
            let truth = one_by_one(&laplace, &gaussian, places, 128);
            let above: Vec<&Interval> = found.iter().filter(|one| *one.lo() > 0).collect();
            assert_eq!((found.len(), above.len()), (2 * truth.len(), truth.len()));
            for (found, (from, to)) in above.iter().zip(&truth) {
                assert!(
                    found.lo() >= from && found.hi() <= to,
                    "{found:?} {from} {to}"
                );
            }
        }
    }
}
