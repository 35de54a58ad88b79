//! What is proven of two compositions, put together from its parts.

use rug::Float;

use super::*;
use crate::emergence::self_composition;
use crate::mechanism::{Adjacency, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn composition(of: Mechanism, times: u64, adjacency: Adjacency) -> SelfComposition {
    let composed = Mechanism::compose(vec![(of, times)]).unwrap();
    let found = self_composition(&composed, adjacency, &Budget::unlimited());
    found.unwrap().unwrap()
}

fn finite(p: [(i64, i64); 2], with: [(i64, i64); 2]) -> Mechanism {
    let [p, with] = [p, with].map(|all| all.map(|(n, d)| q(n, d)).to_vec());
    Mechanism::finite(p, with).unwrap()
}

fn ask(a: &SelfComposition, b: &SelfComposition, tolerance: Option<Rational>) -> Emergence {
    emergence(a, b, tolerance.as_ref(), &Budget::unlimited()).unwrap()
}

/// The smallest of what bounds Δ: the gap, the Bayes error of the first alone, and 1/2; which one it is differs.
#[test]
fn the_bound_is_the_smallest_of_three() {
    let uneven = || finite([(1, 3), (2, 3)], [(1, 2), (1, 2)]);
    let other = || finite([(1, 5), (4, 5)], [(1, 4), (3, 4)]);
    let rare = || finite([(1, 500), (499, 500)], [(1, 400), (399, 400)]);
    let at = |of, times| composition(of, times, Adjacency::Remove);
    let mut smallest = [0, 0, 0];
    let all = [
        (at(uneven(), 100), at(other(), 400)),
        (at(uneven(), 900), at(rare(), 40_000)),
        (at(rare(), 300), at(rare(), 10)),
        (at(other(), 5000), at(uneven(), 5000)),
    ];
    let stride = crate::test_scale::every(4);
    for (a, b) in all.into_iter().step_by(stride) {
        let found = ask(&a, &b, None);
        let (mine, theirs) = *found.moments.unwrap();
        let gap = bayes_error_gap(
            &mine.nearly_binormal(),
            &theirs.nearly_binormal(),
            false,
            Goal::Narrow,
            &Budget::unlimited(),
        );
        let bounds = [
            gap.unwrap().hi().to_f64(),
            largest_bayes_error(&mine.nearly_binormal()).hi().to_f64(),
            0.5,
        ];
        let least = bounds.iter().copied().fold(1.0, f64::min);
        let bound = found.two_sided_bound.hi().to_f64();
        assert!((bound - least).abs() < 1e-9, "{bounds:?} {bound}");
        for (count, bound) in smallest.iter_mut().zip(bounds) {
            *count += usize::from(bound <= least);
        }
        let sum = mine.paper_gamma.add(&theirs.paper_gamma);
        let gamma = found.gamma_sum.unwrap();
        assert!(gamma.sub(&sum).width_up() < 1e-20 && gamma.hi() >= mine.paper_gamma.hi());
        assert!(gamma.certainly_lt(&sum.mul(&Interval::from_i64(2, BITS))));
        let more = Interval::point(Float::with_val(BITS, 1e-20));
        assert!(gamma.intersect(&sum.add(&more.neg().hull(&more))).is_ok());
        assert!(found.paper_bound.is_none());
    }
    let is_each = smallest.iter().all(|count| *count > 0);
    assert!(stride > 1 || is_each, "{smallest:?}");
}

/// Each reason names the mechanism it is about.
#[test]
fn reasons_are_those_of_their_mechanism() {
    let uneven = composition(
        finite([(1, 3), (2, 3)], [(1, 2), (1, 2)]),
        9,
        Adjacency::Remove,
    );
    let even = composition(
        finite([(1, 3), (2, 3)], [(2, 3), (1, 3)]),
        900,
        Adjacency::Remove,
    );
    for (a, b, name, other) in [
        (&uneven, &even, "first", "second"),
        (&even, &uneven, "second", "first"),
    ] {
        let Hypothesis::FailsBecause(reasons) = ask(a, b, None).hypothesis else {
            panic!("not symmetric");
        };
        let words = reasons.join(" ");
        assert!(words.contains(name) && !words.contains(other), "{words}");
    }
}

/// N/Ñ against η̃²/η²: from equality on, exactly for Gaussian noise.
#[test]
fn ratios_of_numbers_of_steps() {
    let gaussian = |mu: i64, times| {
        let one = Mechanism::gaussian(q(1, mu), 1).unwrap();
        composition(one, times, Adjacency::AddRemove)
    };
    for (times, is_met) in [(3, false), (4, true), (5, true)] {
        let found = ask(&gaussian(1, times), &gaussian(2, 1), None);
        let condition = found.eta_condition.unwrap();
        assert_eq!(condition.is_met, Some(is_met), "{times}");
        assert!(condition.ratio == times && condition.needed.contains(&q(4, 1)));
        assert!(condition.needed.width_up() < 1e-30);
        assert_eq!(found.paper_bound.is_some(), is_met);
    }
    let response = |epsilon: Rational, times| {
        let one = Mechanism::randomized_response(epsilon, 2).unwrap();
        composition(one, times, Adjacency::AddRemove)
    };
    // η² is ε²(p − 1/2)²/(ε²·p(1 − p)) for p = e^ε/(1 + e^ε).
    let eta = |epsilon: f64| {
        let p = epsilon.exp() / (1.0 + epsilon.exp());
        (2.0 * p - 1.0).powi(2) / (4.0 * p * (1.0 - p))
    };
    let needed = eta(1.0) / eta(0.5);
    for (times, is_met) in [(4000, false), (6000, true)] {
        let found = ask(&response(q(1, 2), times), &response(q(1, 1), 1000), None);
        let condition = found.eta_condition.unwrap();
        let middle = condition.needed.middle().to_f64();
        assert!((middle - needed).abs() < 1e-9, "{middle} {needed}");
        assert_eq!(condition.is_met, Some(is_met));
        let paper = found.paper_bound;
        assert!(
            paper.as_ref().is_none_or(|paper| *paper.hi() < 0.1),
            "{paper:?}"
        );
        assert_eq!(paper.is_some(), is_met);
    }
    // No bound is above 1/2.
    let bound = ask(&response(q(1, 2), 6), &response(q(1, 1), 1), None).paper_bound;
    assert!(*bound.unwrap().hi() == 0.5);
}

/// The number of steps is asked for of the first mechanism against the second.
#[test]
fn numbers_of_steps_are_those_of_each() {
    let response = |epsilon: Rational, times| {
        let one = Mechanism::randomized_response(epsilon, 2).unwrap();
        composition(one, times, Adjacency::AddRemove)
    };
    let (a, b) = (response(q(1, 2), 60), response(q(1, 1), 10));
    let Some(SmallestMultiple::Proven {
        multiple,
        times,
        other_times,
        ..
    }) = ask(&a, &b, Some(q(1, 10))).smallest
    else {
        panic!("something is proven");
    };
    assert_eq!(times, Integer::from(&multiple * 6u32));
    assert_eq!(other_times, multiple);
}
