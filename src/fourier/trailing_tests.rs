//! Bounds of an order by one tilt, against the composition itself.

use std::sync::Arc;

use rug::{Float, Rational};

use super::super::tests::{exact, step};
use super::super::{LatticeLaw, LineHints, Places, Roots, SumProfile};
use super::*;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::kernel::{Budget, Profile};

/// Says that any order trails everywhere, with the same tilt.
#[derive(Debug)]
struct Said {
    tilt: Option<Rational>,
    trails: bool,
}

impl Places for Said {
    fn of_delta(&self, _: &Float, _: bool) -> Option<Float> {
        None
    }

    fn of_tail(&self, _: &Float, _: bool) -> Option<Float> {
        None
    }

    fn outlook(&self, _: &Float, _: bool) -> Option<Outlook> {
        Some(Outlook {
            from: Float::with_val(53, -1e9),
            to: Float::with_val(53, 1e9),
            trails: self.trails,
            tilt: self.tilt.clone(),
        })
    }
}

fn profile(parts: &[(LatticeLaw, u64)], said: Said) -> SumProfile {
    let hints = LineHints {
        lines: Vec::new(),
        probes: Vec::new(),
        roots: Roots::Usual,
        where_missed: Roots::Usual,
        negligible: Float::new(53),
        jobs: 1,
        places: Some(Arc::new(said)),
    };
    let sum = Sum::new(parts.to_vec()).unwrap().unwrap();
    SumProfile::new(sum, hints, &Budget::unlimited())
        .unwrap()
        .unwrap()
}

/// Whatever the tilt, in both orders, and of laws of which mass is missing.
#[test]
fn bounds_are_above_the_sum() {
    let mut random = Random(12);
    let mut near = 0;
    for round in 0..crate::test_scale::cases(300) {
        let roughness: Vec<u32> = (0..2 + random.below(7))
            .map(|_| u32::try_from(random.below(90)).unwrap())
            .collect();
        let offset = (i32::try_from(random.below(9)).unwrap() - 4, 10);
        let width = Rational::from((1 + random.below(6), 10));
        let law = step(&roughness, offset, width, round % 3 != 0);
        let parts = [(law, 1 + random.below(6))];
        let truth = exact(&parts);
        let tilt = Rational::from((1 + random.below(60), 10));
        let profile = profile(
            &parts,
            Said {
                tilt: Some(tilt.clone()),
                trails: true,
            },
        );
        let swapped = profile.swapped();
        for n in 0..12 {
            let epsilon = Rational::from((n, 4));
            let point = Point::at_epsilon(&epsilon, 160);
            for bits in [5, 64] {
                let (stated, other) = at_most_bits(bits, || {
                    (profile.delta_up(&point), swapped.delta_up(&point))
                });
                let (stated, other) = (stated.unwrap(), other.unwrap());
                let (delta, _) = truth.at(&epsilon, 300);
                let swapped_delta = truth.swapped_at(&epsilon, 300);
                assert!(stated >= *delta.lo(), "{round} {epsilon} {tilt} {stated}");
                assert!(other >= *swapped_delta.lo(), "{round} {epsilon} {tilt}");
                near += u32::from(n > 3 && stated < Float::with_val(64, delta.hi() * 8u32));
            }
        }
        // Below 0 the line 1 − u may be above it.
        let below = Point::at_epsilon(&Rational::from((-1, 9)), 160);
        assert!(profile.delta_up(&below).is_none() && !profile.trails(&below));
        let around = below.log().hull(below.mirrored().log());
        assert!(profile.delta_up(&Point::at_log(around)).is_none());
    }
    assert!(near > 100, "{near}");
}

/// Far out what is at +∞ is all there is: it is rounded up, in both orders.
#[test]
fn masses_at_infinity_are_rounded_up() {
    let mut random = Random(13);
    for round in 0..60 {
        let roughness: Vec<u32> = (0..2 + random.below(7))
            .map(|_| u32::try_from(random.below(90)).unwrap())
            .collect();
        let law = step(&roughness, (1, 10), Rational::from((1, 4)), round % 2 == 0);
        let parts = [(law, 1 + random.below(6))];
        let epsilon = Rational::from(60);
        let found = at_most_bits(6, || {
            let tilt = Some(Rational::from(3));
            let profile = profile(&parts, Said { tilt, trails: true });
            let point = Point::at_epsilon(&epsilon, 160);
            [profile.delta_up(&point), profile.swapped().delta_up(&point)]
        });
        let truth = exact(&parts);
        let truth = [truth.at(&epsilon, 300).0, truth.swapped_at(&epsilon, 300)];
        for (found, truth) in found.into_iter().zip(truth) {
            let found = found.unwrap();
            assert!(found >= *truth.lo(), "{round}: {found} {truth:?}");
        }
    }
}

/// One loss of ε + x at the x where the bound is attained: next to nothing is left.
#[test]
fn the_bound_is_attained() {
    for t in [1u32, 2, 5] {
        let tilt = Interval::from_i64(t.into(), ERROR_BITS);
        let found = log_constant(&tilt).unwrap();
        let x = Float::with_val(300, Rational::from((t + 1, t))).ln();
        let truth = Float::with_val(300, -&x).exp_m1().abs().ln() - x * t;
        assert!(*found.lo() <= truth && truth <= *found.hi(), "{t}");
        assert!(found.width_up() < 1e-15);
    }
    assert!(log_constant(&Interval::zero(ERROR_BITS)).is_none());
}

/// A bound is kept for the losses that it serves, and nothing is said without one.
#[test]
fn no_tilt_and_a_bad_one() {
    let law = step(&[0; 5], (1, 10), Rational::from((1, 4)), true);
    let parts = [(law, 3)];
    let point = Point::at_epsilon(&Rational::from((1, 2)), 160);
    for tilt in [None, Some(Rational::new()), Some(Rational::from(-1))] {
        for trails in [false, true] {
            let tilt = tilt.clone();
            let profile = profile(&parts, Said { tilt, trails });
            assert!(profile.delta_up(&point).is_none());
            assert_eq!(profile.trails(&point), trails);
        }
    }
    let most = Float::with_val(64, -3);
    assert!(at_least_zero(most) == 0 && at_least_zero(Float::with_val(64, 3)) == 3);
}
