//! Bounds and tests of a source in large units: rounded to the side of what they prove.

use super::*;
use crate::answer::Adjacency;
use crate::coarse::{Random, in_units};
use crate::power::Tests;
use crate::step::Step;
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

/// In ninety-sevenths: nothing is a whole number of units.
fn masses(random: &mut Random) -> Vec<BigRational> {
    let mut cuts = [0, 0].map(|_| i64::try_from(1 + random.below(96)).unwrap());
    cuts.sort_unstable();
    let [a, b] = cuts;
    [a, b - a, 97 - b].into_iter().map(|n| q(n, 97)).collect()
}

/// What is a unit below δ is no upper bound, what is a unit above is no lower one; the nearest units are.
#[test]
fn bounds_next_to_delta() {
    let mut random = Random::new(92);
    for _ in 0..200 {
        work::begin(None);
        let (p, r) = (masses(&mut random), masses(&mut random));
        let mechanism = Mechanism {
            steps: vec![(Step::Finite { p: p.clone(), q: r.clone() }, 1)],
            members: Vec::new(),
            adjacency: Adjacency::Remove,
        };
        let u = q(1 + i64::try_from(random.below(20)).unwrap(), 7);
        let delta: BigRational = p.iter().zip(&r).map(|(p, r)| (r - &u * p).max(BigRational::zero())).sum();
        let below = (&delta * BigInt::from(1024)).floor().to_integer();
        if BigRational::from(below.clone()) == &delta * BigInt::from(1024) {
            continue;
        }
        in_units(60, 10, || {
            let holds = |bound: &BigInt, side| {
                let text = format!(r#"{{"direction":"remove","epsilons":["log {u}"],"bounds":["{bound}"]}}"#);
                let of = Source::read(&json(&text).unwrap()).unwrap();
                of.bounds_hold(&mechanism, side).is_ok()
            };
            let above = &below + 1;
            assert!(holds(&above, Side::Upper) && !holds(&below, Side::Upper), "{p:?} {r:?} {u}");
            assert!(holds(&below, Side::Lower) && !holds(&above, Side::Lower), "{p:?} {r:?} {u}");
        });
    }
}

/// Where no outcome has less than u with the record, δ is 1 − u to the last unit, and no less.
#[test]
fn bounds_below_all_losses() {
    work::begin(None);
    let steps = vec![(Step::Finite { p: vec![q(5, 12), q(7, 12)], q: vec![q(1, 4), q(3, 4)] }, 1)];
    let of = |u: &str, bound: BigInt| {
        let mechanism = Mechanism { steps: steps.clone(), members: Vec::new(), adjacency: Adjacency::Remove };
        let bound = BigRational::new(bound, BigInt::from(1) << (w() - law::bits()));
        let text = format!(r#"{{"direction":"remove","epsilons":["log {u}"],"bounds":["{bound}"]}}"#);
        Source::read(&json(&text).unwrap()).unwrap().bounds_hold(&mechanism, Side::Upper).is_ok()
    };
    // The least ratio is 3/5.
    let half = BigInt::from(1) << (w() - 1);
    assert!(of("1/2", half.clone()) && !of("1/2", &half - 1));
    let more: BigInt = (BigInt::from(3) << w()) / 8;
    assert!(!of("5/8", more), "above the least ratio it is more than 3/8");
}

/// The power of a test that is mixed with one that always or never says yes is never more than it is.
#[test]
fn powers_of_mixed_tests() {
    let mut random = Random::new(93);
    let one = BigRational::from(BigInt::from(1));
    let mut least = one.clone();
    for _ in 0..400 {
        work::begin(None);
        let (p, r) = (masses(&mut random), masses(&mut random));
        let u = q(1 + i64::try_from(random.below(20)).unwrap(), 7);
        let chosen = || p.iter().zip(&r).filter(|(p, r)| **r > &u * *p);
        let size: BigRational = chosen().map(|(p, _)| p.clone()).sum();
        let power: BigRational = chosen().map(|(_, r)| r.clone()).sum();
        let alpha = q(1 + i64::try_from(random.below(88)).unwrap(), 89);
        let truth = if size > alpha {
            &power * &alpha / &size
        } else {
            &power + (&alpha - &size) * (&one - &power) / (&one - &size)
        };
        let mechanism = Mechanism {
            steps: vec![(Step::Finite { p: p.clone(), q: r.clone() }, 1)],
            members: Vec::new(),
            adjacency: Adjacency::Remove,
        };
        let text = format!(r#"{{"direction":"remove","epsilons":["log {u}"],"bounds":["0"]}}"#);
        let of = Source::read(&json(&text).unwrap()).unwrap();
        let found = in_units(20, 12, || Tests::of(&of, &mechanism, true).unwrap().power(&alpha).unwrap());
        let found = units(found, 20);
        assert!(found <= truth, "{p:?} {r:?} {u} {alpha}: {found} {truth}");
        assert!(&truth - &found < q(1, 1024), "{p:?} {r:?} {u} {alpha}: {found} {truth}");
        least = least.min(&truth - &found);
    }
    assert!(least < q(1, 1 << 20));
}

/// A pair on a sample: the test is one of the sampled pair, in the order of the source.
#[test]
fn pairs_on_samples() {
    work::begin(None);
    let step = Step::Sampled { rate: q(1, 4), of: vec![(Step::Zcdp { rho: q(1, 1) }, 1)] };
    let mechanism = Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: Adjacency::AddRemove };
    let orders = (9..48).map(|n| format!("\"{n}/8\"")).collect::<Vec<_>>().join(",");
    let holds = |direction: &str, u: &str, bound: BigRational| {
        let bound = (bound * BigRational::from(BigInt::one() << w())).floor().to_integer() >> (w() - 120);
        let text = format!(
            r#"{{"direction":"{direction}","epsilons":["log {u}"],"bounds":["{bound}"],"pair":["5/8","3/8"],"orders":[{orders}]}}"#
        );
        let of = Source::read(&json(&text).unwrap()).unwrap();
        of.bounds_hold(&mechanism, Side::Lower).is_ok()
    };
    // P = 3/8 against Q' = 3/4·3/8 + 1/4·5/8 = 7/16; turned, 5/8 against 3/4·5/8 + 1/4·3/8 = 9/16.
    let little = q(1, 1 << 40);
    for (direction, power, size) in [("remove", q(7, 16), q(3, 8)), ("add", q(5, 8), q(9, 16))] {
        let delta = power - size * q(101, 100);
        assert!(holds(direction, "101/100", &delta - &little), "{direction}");
        assert!(!holds(direction, "101/100", delta + &little), "{direction}");
    }
}

/// What is proved and what was stated, in this order.
#[test]
fn bounds_that_are_not_proved_in_words() {
    work::begin(None);
    let steps = vec![(Step::Finite { p: vec![q(1, 2), q(1, 2)], q: vec![q(3, 4), q(1, 4)] }, 1)];
    let mechanism = Mechanism { steps, members: Vec::new(), adjacency: Adjacency::Remove };
    let text = format!(r#"{{"direction":"remove","epsilons":["0"],"bounds":["{}"]}}"#, BigInt::one() << 117);
    let of = Source::read(&json(&text).unwrap()).unwrap();
    let rejected = of.bounds_hold(&mechanism, Side::Upper).unwrap_err();
    assert!(rejected.detail.contains("(2.50…e-1) is proved, not <= 1.25…e-1"), "{rejected}");
}
