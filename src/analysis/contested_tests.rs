//! The larger of two, and laws that are as fine as a peak asks for before a search.

use super::*;
use crate::analysis::test_tools::{resources, width};
use crate::analysis::{Contrast, Subject};
use crate::kernel::{Budget, Interval};
use crate::mechanism::{Adjacency, Mechanism};

fn between(low: f64, high: f64, at: f64) -> Divergence {
    let number = |x: f64| Float::with_val(64, x);
    let peak = Peak {
        epsilon: number(at),
        prior: Interval::point(number(0.5)),
        spread_first: number(0.0),
        spread_second: number(0.0),
    };
    Divergence {
        value: Enclosure::new(number(low), number(high)).unwrap(),
        peak: Some(peak),
    }
}

#[test]
fn the_larger_of_two() {
    for (a, b, ends, at) in [
        ((0.0, 2.0), (1.0, 3.0), (1.0, 3.0), 2.0),
        ((1.0, 3.0), (0.0, 2.0), (1.0, 3.0), 1.0),
        ((0.0, 4.0), (1.0, 2.0), (1.0, 4.0), 2.0),
        ((1.0, 2.0), (0.0, 4.0), (1.0, 4.0), 1.0),
        ((1.0, 2.0), (1.0, 2.0), (1.0, 2.0), 1.0),
    ] {
        let found = larger(between(a.0, a.1, 1.0), between(b.0, b.1, 2.0)).unwrap();
        let (low, high) = (found.value.lower().to_f64(), found.value.upper().to_f64());
        assert_eq!((low, high), ends);
        assert_eq!(found.peak.unwrap().epsilon.to_f64(), at);
    }
}

fn run(noise: &str, rate: &str, steps: u64) -> Subject {
    let run = Mechanism::dp_sgd(noise, rate, steps).unwrap();
    Subject::new(&run, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
}

fn contested<'a>(one: &'a Subject, other: &'a Subject, weight: &'a Prior) -> Contested<'a> {
    Contested {
        first: Contestant::new(one),
        second: Contestant::new(other),
        ways: vec![Way::There, Way::Back],
        each: vec![None, None],
        at_hints: vec![None, None],
        weight,
        hints: None,
    }
}

/// Before any search both laws are as fine as the larger difference asks for at its peak, and its lower bound there is one of the answer.
#[test]
fn laws_are_refined_before_the_search() {
    let (a, b) = (run("2.846", "0.1", 300), run("0.6", "0.01", 309));
    let uniform = Prior::uniform();
    let goal = width(1, 1000);
    let Goal::Width(target) = &goal else {
        panic!("a width")
    };
    resources(|resources| {
        let mut contested = contested(&a, &b, &uniform);
        contested
            .refine_for_hints(&goal, target, resources)
            .unwrap();
        assert!(
            contested
                .excess_at_hints(target, resources)
                .unwrap()
                .is_none()
        );
        let seen = contested.at_hints.clone();
        let found = contested.answer(&goal, resources).unwrap();
        let [there, back] = found.ways.clone().unwrap();
        for (way, seen) in [there, back].iter().zip(seen) {
            assert!(*way.0.upper() >= seen.unwrap_or_else(|| Float::new(64)));
        }
        assert!(found.larger.enclosure.meets(target), "{found:?}");
        // One round of searches.
        let Method::Laws { rounds, .. } = found.larger.method else {
            panic!("laws")
        };
        assert!(rounds <= 8, "{rounds}");
    });
}

/// The same where each way is asked for alone, and from laws of another question.
#[test]
fn answers_agree_however_laws_came_about() {
    let (a, b) = (run("2", "0.05", 200), run("1.1", "0.02", 300));
    let fresh = [run("2", "0.05", 200), run("1.1", "0.02", 300)];
    resources(|resources| {
        let both = a.compare_both_ways(&b, &Contrast::Symmetric, &width(1, 1000), resources);
        let [there, back] = both.unwrap().ways.unwrap();
        for digits in [100, 10_000] {
            let [one, other] = &fresh;
            for (contrast, way) in [(Contrast::To, &there), (Contrast::From, &back)] {
                let alone = one
                    .compare(other, &contrast, &width(1, digits), resources)
                    .unwrap();
                assert!(
                    alone.enclosure.intersect(&way.0).is_ok(),
                    "{alone:?} {way:?}"
                );
                let again = a
                    .compare(&b, &contrast, &width(1, digits), resources)
                    .unwrap();
                assert!(
                    again.enclosure.intersect(&way.0).is_ok(),
                    "{again:?} {way:?}"
                );
            }
        }
    });
}
