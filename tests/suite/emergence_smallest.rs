//! The number of steps found is the least that the bound allows.

use dpcmp::emergence::{Proof, SelfComposition, SmallestMultiple, emergence, self_composition};
use dpcmp::kernel::{Budget, Interval};
use dpcmp::mechanism::{Adjacency, Mechanism};
use rug::{Integer, Rational};

const BITS: u32 = 128;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn composition(mechanism: &Mechanism, times: u64) -> SelfComposition {
    let of = vec![(mechanism.clone(), times)];
    self_composition(
        &Mechanism::compose(of).unwrap(),
        Adjacency::Remove,
        &Budget::unlimited(),
    )
    .unwrap()
    .unwrap()
}

fn laplace(scale: Rational) -> Mechanism {
    Mechanism::laplace(scale, q(1, 1)).unwrap()
}

fn least(a: &Mechanism, b: &Mechanism, units: (u64, u64), tolerance: &Rational) -> (u64, Proof) {
    let (a, b) = (composition(a, units.0), composition(b, units.1));
    let answer = emergence(&a, &b, Some(tolerance), &Budget::unlimited()).unwrap();
    match answer.smallest.unwrap() {
        SmallestMultiple::Proven { multiple, by, .. } => (multiple.to_u64().unwrap(), by),
        SmallestMultiple::NotFound(why) => panic!("{why}"),
    }
}

fn bound(a: &Mechanism, b: &Mechanism, times: (u64, u64)) -> Interval {
    let (a, b) = (composition(a, times.0), composition(b, times.1));
    emergence(&a, &b, None, &Budget::unlimited())
        .unwrap()
        .two_sided_bound
}

/// The bound holds at the multiple found and at larger ones, and fails just below.
#[test]
fn the_multiple_found_is_the_least() {
    let (a, b) = (laplace(q(20, 1)), laplace(q(22, 1)));
    for (forward, tolerance) in [(true, q(3, 100)), (false, q(6, 100))] {
        let (x, y) = if forward { (&a, &b) } else { (&b, &a) };
        let (found, by) = least(x, y, (1, 1), &tolerance);
        assert_eq!(by, Proof::TwoSided);
        let target = Interval::from_rational(&tolerance, BITS);
        for factor in [1, 2, 3, 10] {
            let times = found * factor;
            assert!(bound(x, y, (times, times)).certainly_le(&target), "{times}");
        }
        let below = bound(x, y, (found - 1, found - 1));
        assert!(
            !below.certainly_le(&target),
            "{found} is not the least: {below:?}"
        );
    }
}

/// The ratio of the numbers of steps is kept.
#[test]
fn multiples_keep_the_ratio() {
    let (a, b) = (laplace(q(5, 1)), laplace(q(7, 1)));
    let (a, b) = (composition(&a, 140), composition(&b, 340));
    let tolerance = q(1, 20);
    let answer = emergence(&a, &b, Some(&tolerance), &Budget::unlimited()).unwrap();
    let Some(SmallestMultiple::Proven {
        multiple,
        times,
        other_times,
        ..
    }) = answer.smallest
    else {
        panic!("not found");
    };
    assert_eq!(times, Integer::from(&multiple * 7));
    assert_eq!(other_times, Integer::from(&multiple * 17));
}

#[test]
fn no_tolerance_no_number() {
    let a = composition(&laplace(q(1, 1)), 10);
    let answer = emergence(&a, &a, Some(&Rational::new()), &Budget::unlimited()).unwrap();
    assert!(matches!(
        answer.smallest,
        Some(SmallestMultiple::NotFound(_))
    ));
}

/// Without Berry–Esseen errors the bound is small for few steps, rises, and falls: the few steps do not count.
#[test]
fn a_bound_that_rises_again_is_not_taken() {
    let gaussian = |sigma: i64| Mechanism::gaussian(q(sigma, 1), q(1, 1)).unwrap();
    let (a, b) = (gaussian(100), gaussian(80));
    let tolerance = q(1, 50);
    let target = Interval::from_rational(&tolerance, BITS);
    assert!(bound(&a, &b, (1, 1)).certainly_le(&target));
    let (found, _) = least(&a, &b, (1, 1), &tolerance);
    assert!(found > 40_000, "{found}");
    assert!(bound(&a, &b, (found, found)).certainly_le(&target));
    let below = found - found / 1000;
    assert!(!bound(&a, &b, (below, below)).certainly_le(&target));
}
