//! The supremum behind the two-sided bound against closed forms and grids.

use rug::Rational;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

pub(super) fn at(n: i64, d: i64) -> Interval {
    Interval::from_rational(&Rational::from((n, d)), BITS)
}

pub(super) fn approximation(
    errors: [Interval; 2],
    ratio: Interval,
    distance: Interval,
) -> NearlyBinormal {
    let [null_error, alternative_error] = errors;
    NearlyBinormal {
        null_error,
        alternative_error,
        ratio,
        distance,
    }
}

fn gap(a: &NearlyBinormal, b: &NearlyBinormal) -> Interval {
    bayes_error_gap(a, b, false, Goal::Narrow, &Budget::unlimited()).unwrap()
}

fn none() -> [Interval; 2] {
    [at(0, 1), at(0, 1)]
}

/// Two Gaussians: Δ(G_d‖G_d̃) = Φ(−d/2) − Φ(−d̃/2) for d < d̃, at π = 1/2, and 0 for d ≥ d̃.
#[test]
fn gaussians_have_a_closed_form() {
    for ((n, d), (k, e)) in [
        ((1, 1), (2, 1)),
        ((1, 2), (51, 100)),
        ((3, 1), (40, 1)),
        ((1, 9), (8, 1)),
    ] {
        let (small, large) = (at(n, d), at(k, e));
        let half = at(1, 2);
        let a = approximation(none(), at(1, 1), small.clone());
        let b = approximation(none(), at(1, 1), large.clone());
        let truth = normal::survival(&small.mul(&half)).sub(&normal::survival(&large.mul(&half)));
        let found = gap(&a, &b);
        assert!(
            found.intersect(&truth).is_ok(),
            "{found:?} against {truth:?}"
        );
        assert!(found.width_up() <= Float::with_val(BITS, found.hi() >> (GOOD_BITS - 1)));
        let reverse = gap(&b, &a);
        assert!(*reverse.lo() == 0 && *reverse.hi() < 1e-11, "{reverse:?}");
    }
}

/// Equal errors add to the gap.
#[test]
fn errors_add() {
    let a = approximation([at(1, 100), at(1, 100)], at(1, 1), at(1, 1));
    let b = approximation([at(1, 50), at(1, 50)], at(1, 1), at(2, 1));
    let plain = gap(
        &approximation(none(), at(1, 1), at(1, 1)),
        &approximation(none(), at(1, 1), at(2, 1)),
    );
    let expected = plain.add(&at(3, 100));
    let found = gap(&a, &b);
    assert!(found.sub(&expected).width_up() < 1e-5);
    assert!(
        found
            .intersect(&expected.add(&at(-1, 1_000_000).hull(&at(1, 1_000_000))))
            .is_ok()
    );
    // Without any gap, the larger of the two sums is left.
    let uneven = approximation([at(1, 100), at(1, 20)], at(1, 1), at(2, 1));
    let least = gap(&uneven, &b);
    assert!(*least.hi() < 0.07 + 1e-6 && *least.lo() > 0.03, "{least:?}");
}

/// Unequal ratios, against a maximum over priors of the difference of minima over a grid of thresholds.
#[test]
fn unequal_ratios_against_a_grid() {
    for (r, d, s, e) in [
        (0.8, 1.0, 1.2, 1.5),
        (1.1, 2.0, 0.9, 2.0),
        (0.95, 0.5, 1.0, 0.4),
    ] {
        let exact = |x: f64| Interval::point(Float::with_val(BITS, x));
        let a = approximation(none(), exact(r), exact(d));
        let b = approximation(none(), exact(s), exact(e));
        let found = gap(&a, &b);
        let phi = |x: f64| normal::cdf_absolute(&exact(x)).lo().to_f64();
        let errors = |r: f64, d: f64| -> Vec<(f64, f64)> {
            let grid = (-900..=900).map(|i| f64::from(i) / 100.0);
            grid.map(|x| (phi(-x), phi(r * x - d))).collect()
        };
        let (mine, theirs) = (errors(r, d), errors(s, e));
        let bayes = |points: &[(f64, f64)], prior: f64| {
            points
                .iter()
                .map(|(x, y)| prior * x + (1.0 - prior) * y)
                .fold(prior.min(1.0 - prior), f64::min)
        };
        let truth = (1..400)
            .map(|i| f64::from(i) / 400.0)
            .map(|prior| bayes(&mine, prior) - bayes(&theirs, prior))
            .fold(0.0, f64::max);
        assert!(*found.hi() >= truth - 1e-5, "{found:?} below {truth}");
        assert!(*found.hi() <= truth + 2e-2, "{found:?} above {truth}");
    }
}

#[test]
fn a_decision_agrees_with_the_value() {
    let a = approximation(none(), at(9, 10), at(1, 1));
    let b = approximation(none(), at(1, 1), at(3, 2));
    let value = gap(&a, &b);
    for (n, is_below) in [(1, false), (50, false), (100, true), (400, true)] {
        let target = at(n, 1000);
        let goal = Goal::Decide(&target);
        let found = bayes_error_gap(&a, &b, false, goal, &Budget::unlimited()).unwrap();
        assert_eq!(found.certainly_le(&target), value.certainly_le(&target));
        assert_eq!(found.certainly_le(&target), is_below, "{n}: {value:?}");
    }
}

#[test]
fn largest_bayes_error_of_a_gaussian() {
    let a = approximation(none(), at(1, 1), at(3, 1));
    let truth = normal::survival(&at(3, 2));
    assert!(largest_bayes_error(&a).intersect(&truth).is_ok());
}

/// Both forms of the derivative enclose it at every point of the cell.
#[test]
fn slopes_over_a_cell_enclose_those_inside() {
    let (middle, half) = (at(3, 4), at(1, 100));
    let offset = half.neg().hull(&half);
    let curve = |scale: (i64, i64), shift: (i64, i64), place: &Interval| Curve {
        place: at(scale.0, scale.1).mul(place).sub(&at(shift.0, shift.1)),
        scale: at(scale.0, scale.1),
    };
    let first = |place: &Interval| curve((11, 10), (1, 1), place);
    let second = |place: &Interval| curve((1, 1), (9, 10), place);
    let whole = middle.add(&offset);
    let pick = |wide: bool| if wide { whole.clone() } else { middle.clone() };
    let found = slope_of_difference(
        &offset,
        |wide| first(&pick(wide)),
        |wide| second(&pick(wide)),
    );
    let mut reached = Interval::zero(BITS).hull(&Interval::zero(BITS));
    for step in -10..=10 {
        let place = middle.add(&at(step, 1000));
        let truth = first(&place).first().sub(&second(&place).first());
        assert!(
            found.lo() <= truth.lo() && truth.hi() <= found.hi(),
            "{step}"
        );
        reached = if step == -10 {
            truth
        } else {
            reached.hull(&truth)
        };
    }
    // Not much wider than it must be.
    assert!(found.width_up() <= reached.width_up() * 4u32);
}

fn few(random: &mut Random) -> NearlyBinormal {
    let error = |random: &mut Random| at(i64::try_from(random.below(40)).unwrap(), 1000);
    let errors = [error(random), error(random)];
    let ratio = at(50 + i64::try_from(random.below(100)).unwrap(), 100);
    approximation(
        errors,
        ratio,
        at(i64::try_from(random.below(40)).unwrap(), 10),
    )
}

/// Where both bounds are equal the larger one is least: no threshold gives less than this.
fn least_bayes_bound(a: &NearlyBinormal) -> Float {
    let errors = |threshold: &Float| {
        let threshold = Interval::point(threshold.clone());
        let place = a.ratio.mul(&threshold).sub(&a.distance);
        let null = a.null_error.add(&normal::survival(&threshold));
        (null, a.alternative_error.add(&normal::cdf(&place)))
    };
    let (mut low, mut high) = (Float::with_val(BITS, -20), Float::with_val(BITS, 20));
    for _ in 0..90 {
        let middle = Float::with_val(BITS, &low + &high) / 2u32;
        let (null, alternative) = errors(&middle);
        if null.lo() > alternative.lo() {
            low = middle;
        } else {
            high = middle;
        }
    }
    let least = errors(&low).1.lo().clone().larger(errors(&high).0.lo());
    least.smaller(&Float::with_val(BITS, 0.5))
}

/// Bounds of the largest Bayes error and of single cells when no rounding has more than a few bits.
#[test]
fn few_bits_stay_on_their_side() {
    let mut random = Random(1);
    for _ in 0..150 {
        let bits = 6 + u32::try_from(random.below(24)).unwrap();
        let (a, b) = (few(&mut random), few(&mut random));
        let coarse = at_most_bits(bits, || largest_bayes_error(&a));
        let least = least_bayes_bound(&a);
        assert!(
            *coarse.hi() >= least,
            "{a:?} {bits} bits: {coarse:?} {least}"
        );
        let search = Search {
            a: &a,
            b: &b,
            null_error: a.null_error.add(&b.null_error),
            alternative_error: a.alternative_error.add(&b.alternative_error),
        };
        let from = Float::with_val(BITS, random.below(64)) / 8u32 - 3u32;
        let width = Float::with_val(BITS, 1 + random.below(16)) / 8u32;
        let to = Float::with_val(BITS, &from + width);
        let cell = |from: &Float, to: &Float| Cell {
            from: from.clone(),
            to: to.clone(),
            threshold: None,
        };
        let coarse = at_most_bits(bits, || search.cell(cell(&from, &to)).1);
        let whole = search.cell(cell(&from, &to)).1;
        assert!(
            coarse.lo() <= whole.hi(),
            "{a:?} {b:?} {from} {to} {bits} bits: {coarse:?} {whole:?}"
        );
        for share in [0u32, 1, 5, 8] {
            let place = Float::with_val(BITS, &to - &from) * share / 8u32 + &from;
            let inside = search.cell(cell(&place, &place)).1;
            for upper in [&coarse, &whole] {
                assert!(
                    upper.hi() >= inside.lo(),
                    "{a:?} {b:?} {place} {bits} bits: {upper:?} {inside:?}"
                );
            }
        }
        let coarse = at_most_bits(bits, || search.outside(&from, &to));
        assert!(coarse >= Float::with_val(BITS, search.outside(&from, &to) - 1e-30f64));
    }
}

/// The derivative of a difference at every place of a cell, also where only one of both curves bends.
#[test]
fn slopes_of_differences() {
    let half = at(1, 8);
    let offset = half.neg().hull(&half);
    let straight = ((1, 1000), (0, 1));
    for (first, second, middle) in [
        (straight, ((1, 1), (0, 1)), at(1, 1)),
        (((1, 1), (0, 1)), straight, at(1, 1)),
        (((3, 2), (1, 2)), ((1, 1), (-1, 4)), at(-1, 2)),
    ] {
        let curve = |of: ((i64, i64), (i64, i64)), place: &Interval| {
            let (scale, shift) = (at(of.0.0, of.0.1), at(of.1.0, of.1.1));
            let place = scale.mul(place).sub(&shift);
            Curve { place, scale }
        };
        let whole = middle.add(&offset);
        let pick = |wide: bool| if wide { &whole } else { &middle };
        let found = slope_of_difference(
            &offset,
            |wide| curve(first, pick(wide)),
            |wide| curve(second, pick(wide)),
        );
        for n in -8..=8 {
            let place = middle.add(&at(n, 64));
            let truth = curve(first, &place)
                .first()
                .sub(&curve(second, &place).first());
            assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{n}");
        }
    }
}
