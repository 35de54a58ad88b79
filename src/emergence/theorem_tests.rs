//! Shares of a composition from given moments: by the formulas, and at a few bits.

use rug::Float;

use super::*;
use crate::emergence::self_composition;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::{Adjacency, Mechanism};

/// Mean, variance, third central moment.
type Given = (f64, f64, f64);

fn moments(given: Given) -> LossMoments {
    let at = |x: f64| Interval::point(Float::with_val(100, x));
    let (mean, variance, third) = given;
    LossMoments {
        mean: at(mean),
        second: at(variance + mean * mean),
        variance: at(variance),
        third_central: at(third),
        third_absolute: at(third),
    }
}

#[test]
fn shares_by_the_formulas() {
    let mut random = Random(81);
    for round in 0..200 {
        let mut number = || (1 + random.below(255)) as f64 / 64.0;
        let null = (-number(), number(), number() * 8.0);
        let alternative = (number(), number(), number() * 8.0);
        let (times, is_symmetric, is_normal) =
            (1 + random.below(500), round % 3 == 0, round % 5 == 0);
        let n = times as f64;
        let skew = |of: Given| (of.2 / of.1.powf(1.5)).max(1.0);
        let error = |of: Given| {
            if is_normal {
                0.0
            } else {
                0.4748 * skew(of) / n.sqrt()
            }
        };
        let (ratio, distance) = match is_symmetric {
            true => (1.0, 2.0 * n.sqrt() * -null.0 / null.1.sqrt()),
            false => (
                (null.1 / alternative.1).sqrt(),
                n.sqrt() * (alternative.0 - null.0) / alternative.1.sqrt(),
            ),
        };
        for bits in [5, 9, 100] {
            let found = at_most_bits(bits, || {
                let step = StepMoments {
                    null: moments(null),
                    alternative: moments(alternative),
                    is_normal,
                };
                ComposedMoments::new(step, is_symmetric, times)
            });
            for (name, found, truth) in [
                ("gamma", &found.paper_gamma, 0.56 * skew(null) / n.sqrt()),
                ("null", &found.null_error, error(null)),
                ("alternative", &found.alternative_error, error(alternative)),
                ("ratio", &found.ratio, ratio),
                ("distance", &found.distance, distance),
            ] {
                let (lo, hi) = (found.lo().to_f64(), found.hi().to_f64());
                let slack = 1e-12 * (1.0 + truth.abs());
                assert!(
                    lo <= truth + slack && hi >= truth - slack,
                    "{name} at {bits} bits: {found:?} {truth}"
                );
                assert!(bits < 100 || hi - lo < slack, "{name}: {found:?}");
            }
        }
        // Turned around, the laws are exchanged and the loss has the other sign.
        let step = StepMoments {
            null: moments(null),
            alternative: moments(alternative),
            is_normal,
        };
        let turned = step.swapped();
        assert!(
            turned.null.mean.lo().to_f64() == -alternative.0
                && turned.alternative.mean.hi().to_f64() == -null.0
        );
        assert!(
            turned.null.variance == step.alternative.variance
                && turned.alternative.third_central == step.null.third_central
        );
    }
    let nothing = nothing(NoMoments::NoInformation, None);
    assert!(*nothing.two_sided_bound.lo() == 0 && *nothing.two_sided_bound.hi() == 0.5);
}

fn uneven() -> Mechanism {
    let masses = |all: [(i64, i64); 2]| all.map(|(n, d)| Rational::from((n, d))).to_vec();
    Mechanism::finite(masses([(1, 3), (2, 3)]), masses([(1, 2), (1, 2)])).unwrap()
}

fn many(of: Mechanism, adjacency: Adjacency) -> SelfComposition {
    let composed = Mechanism::compose(vec![(of, 50)]).unwrap();
    let found = self_composition(&composed, adjacency, &Budget::unlimited());
    found.unwrap().unwrap()
}

fn asked(a: &SelfComposition, b: &SelfComposition) -> Emergence {
    emergence(a, b, None, &Budget::unlimited()).unwrap()
}

/// A mechanism in one direction is not held against one that is not symmetric in both.
#[test]
fn one_way_against_both() {
    let response = || Mechanism::randomized_response(Rational::from(1), 2).unwrap();
    for (first, second, of, is_told) in [
        (Adjacency::Remove, Adjacency::AddRemove, uneven(), false),
        (Adjacency::Add, Adjacency::AddRemove, uneven(), false),
        (Adjacency::AddRemove, Adjacency::AddRemove, uneven(), true),
        (Adjacency::Remove, Adjacency::Remove, uneven(), true),
        (Adjacency::Remove, Adjacency::AddRemove, response(), true),
    ] {
        let found = asked(&many(uneven(), first), &many(of, second));
        assert_eq!(found.moments.is_ok(), is_told, "{first:?} {second:?}");
        if !is_told {
            assert_eq!(found.moments.err(), Some(NoMoments::OneWay));
            assert!(*found.two_sided_bound.hi() == 0.5);
        }
    }
}

/// Which step is symmetric is told of each.
#[test]
fn shares_of_symmetric_steps() {
    let response = || Mechanism::randomized_response(Rational::from(1), 2).unwrap();
    for (first, second) in [(uneven(), response()), (response(), uneven())] {
        let (a, b) = (
            many(first, Adjacency::Remove),
            many(second, Adjacency::Remove),
        );
        let (mine, theirs) = *asked(&a, &b).moments.unwrap();
        for (share, of) in [(mine, a), (theirs, b)] {
            let is_symmetric = *of.step.symmetry() == Symmetry::Symmetric;
            let one = share.ratio.lo() == share.ratio.hi() && *share.ratio.lo() == 1;
            assert_eq!(one, is_symmetric, "{:?}", share.ratio);
        }
    }
}

/// Of two bounds the one whose upper end is smaller, at few bits and with equal ends.
#[test]
fn the_better_of_two_bounds() {
    let mut random = Random(85);
    let mut found = nothing(NoMoments::NoInformation, None);
    for _ in 0..10_000 {
        let bits = crate::kernel::coarse::few_bits(&mut random);
        let mut interval = || {
            let (a, b) = (random.float(bits), random.float(bits));
            Interval::point(a).hull(&Interval::point(b))
        };
        let (two_sided, paper) = (interval(), interval());
        found.two_sided_bound = two_sided.clone();
        found.paper_bound = None;
        assert_eq!(*found.best_bound(), two_sided);
        found.paper_bound = Some(paper.clone());
        let best = found.best_bound();
        assert!(
            best.hi() <= two_sided.hi() && best.hi() <= paper.hi(),
            "{two_sided:?} {paper:?}"
        );
        assert!(*best == two_sided || *best == paper);
    }
}
