//! Single nodes and first segments: which side of a mechanism bounds the difference, and how its value is rounded.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::bounds::testing::{Finite, leak_a_bit};
use crate::bounds::{LossRange, Target, TwoSided};
use crate::kernel::coarse::{Random, at_most_bits};
use crate::kernel::{Budget, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::Prior;
use crate::mechanism::symmetrised::Symmetrised;

/// The same δ everywhere, known exactly however few bits the rest has.
struct Level(Float);

impl Profile for Level {
    fn at(&self, point: &Point) -> ProfilePoint {
        ProfilePoint {
            delta: Interval::point(self.0.clone()),
            null_tail: Interval::zero(point.bits()),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self(self.0.clone()))
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }
}

/// What the first segments alone say; none but the whole range if the time is over.
fn first_look(
    sides: (&TwoSided, &TwoSided),
    weight: &Prior,
    hints: &[f64],
    is_over: bool,
    bits: u32,
) -> Outcome {
    let budget = Budget::new(Duration::from_secs(9), Arc::new(AtomicBool::new(is_over)));
    let target = Target::Absolute(Rational::from(10));
    let effort = Effort {
        bits: 64,
        target: &target,
        goal: None,
        budget: &budget,
    };
    let hints: Vec<Float> = hints.iter().map(|e| Float::with_val(64, *e)).collect();
    let contest = Contest::new(sides.0, sides.1, weight, &hints);
    at_most_bits(bits, || search(&contest, &effort, 64)).unwrap()
}

fn nothing() -> Finite {
    Finite::new(&[(1, 1)], &[(1, 1)])
}

/// At even odds, where one mechanism reveals nothing: Ψ(½)·(½ − R_B), in exact fractions.
#[test]
fn a_difference_at_even_odds() {
    let mut random = Random(81);
    let idle = nothing().sides();
    for round in 0..5_200 {
        let bits = 2 + u32::try_from(random.below(8)).unwrap();
        let digits = 1 + u32::try_from(random.below(20)).unwrap();
        let share = Float::with_val(64, 1 + random.below((1 << digits) - 1)) >> digits;
        let error = share.to_rational().unwrap() / 2u32;
        let delta = Float::with_val(64, 1 - share);
        let other = TwoSided::closed_form(Arc::new(Level(delta)));
        let height = match round % 3 {
            0 => Rational::from(1),
            1 => Rational::from((1 + random.below(40), 3)),
            _ => Rational::from((1 + random.below(99), 32)),
        };
        let ends = [0, 1].map(|end| (Rational::from(end), height.clone()));
        let weight = match round % 3 {
            0 => Prior::uniform(),
            _ => Prior::table(ends.to_vec()).unwrap(),
        };
        let truth = (Rational::from((1, 2)) - error) * &height;
        let found = first_look((&idle, &other), &weight, &[], false, bits);
        assert!(
            found.lower <= truth,
            "{bits} bits: {} > {truth}",
            found.lower
        );
        assert!(
            found.upper >= truth,
            "{bits} bits: {} < {truth}",
            found.upper
        );
        // With all bits it is found.
        let fine = first_look((&idle, &other), &weight, &[], false, 64);
        let slack = Float::with_val(64, &truth) >> 40u32;
        assert!(
            Float::with_val(64, &fine.lower + &slack) >= truth,
            "{}",
            fine.lower
        );
        assert_eq!(fine.peak.is_some(), fine.lower > 0);
    }
}

/// The first mechanism may reveal as little as its lower profile, and the second as much as its upper one.
#[test]
fn each_mechanism_at_its_worst() {
    let (idle, strong) = (
        nothing().sides(),
        Finite::new(&[(19, 20), (1, 20)], &[(1, 20), (19, 20)]).sides(),
    );
    let leaky = leak_a_bit(&nothing(), &Rational::from((9, 10))).sides();
    let anything = |most: &TwoSided| {
        TwoSided::between(most.upper.clone(), idle.upper.clone(), LossRange::default())
    };
    let uniform = Prior::uniform();
    let least = 0.45 - 1e-9;
    let most = |first: &TwoSided, second: &TwoSided, hints: &[f64], is_over: bool| {
        first_look((first, second), &uniform, hints, is_over, 64).upper
    };
    // ½ − 1/20, for the least that is known of the first and the most that is known of the second.
    for second in [&strong, &leaky] {
        for first in [anything(&strong), anything(&leaky)] {
            let second_known = anything(second);
            for hints in [&[][..], &[-1.0, 1.0]] {
                assert!(most(&first, &second_known, hints, false) >= least);
                assert!(most(&first, second, hints, true) >= least);
            }
        }
    }
    // Where π and 1 − π are alike, one half of the priors has to show it.
    let both = |sides: &TwoSided| {
        let turn =
            |p: &Arc<dyn Profile>| -> Arc<dyn Profile> { Arc::new(Symmetrised::new(p.clone())) };
        match sides.is_closed_form() {
            true => TwoSided::closed_form(turn(&sides.upper)),
            false => {
                TwoSided::between(turn(&sides.upper), turn(&sides.lower), LossRange::default())
            }
        }
    };
    let (first, second) = (both(&anything(&leaky)), both(&leaky));
    assert!(Contest::new(&first, &second, &uniform, &[]).is_symmetric());
    for is_over in [true, false] {
        assert!(most(&first, &second, &[], is_over) >= least);
    }
}

/// A prior at which the density may be 0 shows nothing.
#[test]
fn a_weight_that_may_be_nothing_shows_nothing() {
    let (idle, other) = (
        nothing().sides(),
        TwoSided::closed_form(Arc::new(Level(Float::with_val(64, 0.5)))),
    );
    let ends = [((1, 3), 1), ((1, 1), 1)];
    let weight = Prior::table(
        ends.map(|(x, y)| (Rational::from(x), Rational::from(y)))
            .to_vec(),
    );
    let weight = weight.unwrap();
    let contest = Contest::new(&idle, &other, &weight, &[]);
    let (target, budget) = (Target::Absolute(Rational::from(10)), Budget::unlimited());
    let effort = Effort {
        bits: 64,
        target: &target,
        goal: None,
        budget: &budget,
    };
    let mut search = Search {
        contest: &contest,
        effort: &effort,
        bits: 64,
        density: weight.at_bits(64),
        queue: BinaryHeap::new(),
        settled: Float::new(64),
        lower: Float::new(64),
        peak: None,
        contradiction: None,
        nodes: 0,
    };
    // The density jumps at 1/3.
    let node = search.node(&-Float::with_val(64, 2).ln());
    assert!(node.gap_up > 0 && search.lower == 0 && search.peak.is_none());
    search.node(&Float::new(64));
    assert!(search.lower > 0 && search.peak.is_some());
}

/// Hints that are nowhere, or farther out than a prior can be told from 0 and 1, change nothing.
#[test]
fn hints_of_no_use() {
    let strong = Finite::new(&[(19, 20), (1, 20)], &[(1, 20), (19, 20)]).sides();
    let weak = Finite::new(&[(3, 5), (2, 5)], &[(2, 5), (3, 5)]).sides();
    let uniform = Prior::uniform();
    for sides in [(&strong, &weak), (&weak, &strong)] {
        let plain = first_look(sides, &uniform, &[], false, 64);
        let far = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -1e6, 1e6];
        let found = first_look(sides, &uniform, &far, false, 64);
        assert_eq!((found.lower, found.upper), (plain.lower, plain.upper));
    }
}
