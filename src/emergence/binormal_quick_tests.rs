//! Each part of the search by its definition, in plain numbers.

use super::tests::{approximation, at};
use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

fn phi(x: f64) -> f64 {
    normal::cdf_absolute(&Interval::point(Float::with_val(BITS, x)))
        .lo()
        .to_f64()
}

/// Errors, ratio and distance in plain numbers.
struct Plain {
    null: f64,
    other: f64,
    ratio: f64,
    distance: f64,
}

fn pair(random: &mut Random) -> (NearlyBinormal, Plain) {
    let mut number = |below: u64| i64::try_from(random.below(below)).unwrap();
    let (null, other) = (number(64), number(64));
    let (ratio, distance) = (40 + number(60), number(40));
    let found = approximation(
        [at(null, 256), at(other, 256)],
        at(ratio, 64),
        at(distance, 16),
    );
    let plain = Plain {
        null: null as f64 / 256.0,
        other: other as f64 / 256.0,
        ratio: ratio as f64 / 64.0,
        distance: distance as f64 / 16.0,
    };
    (found, plain)
}

fn search<'a>(a: &'a NearlyBinormal, b: &'a NearlyBinormal) -> Search<'a> {
    Search {
        a,
        b,
        null_error: a.null_error.add(&b.null_error),
        alternative_error: a.alternative_error.add(&b.alternative_error),
    }
}

/// The two tests that ignore the data, against one threshold of b.
fn ignoring(b: &Plain, threshold: f64) -> f64 {
    let place = phi(b.ratio * threshold - b.distance);
    let always = (b.null + phi(threshold)).max(b.other - place);
    let never = (b.null - phi(-threshold)).max(b.other + 1.0 - place);
    always.min(never)
}

/// X and Y for a threshold of each.
fn differences(a: &Plain, b: &Plain, threshold: f64, mine: f64) -> (f64, f64) {
    let x = a.null + b.null + phi(threshold) - phi(mine);
    let y = phi(a.ratio * mine - a.distance) - phi(b.ratio * threshold - b.distance);
    (x, a.other + b.other + y)
}

/// The least of the larger one over a, or a test that ignores the data: X falls in a, and Y grows.
fn value(a: &Plain, b: &Plain, threshold: f64) -> f64 {
    let (mut low, mut high) = (-12.0, 30.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let (x, y) = differences(a, b, threshold, middle);
        if x > y { low = middle } else { high = middle }
    }
    let (x, y) = differences(a, b, threshold, low);
    x.max(y).min(ignoring(b, threshold))
}

#[test]
fn parts_of_the_search() {
    let mut random = Random(31);
    for _ in 0..10 {
        let ((a, plain), (b, other)) = (pair(&mut random), pair(&mut random));
        let search = search(&a, &b);
        let places = [random.below(48), random.below(48)].map(|n| n as f64 / 8.0 - 3.0);
        let [x, y] = places.map(|x| Float::with_val(BITS, x));
        let close = |found: &Interval, truth: f64| {
            (found.lo().to_f64() - truth).abs() < 1e-9 && (found.hi().to_f64() - truth).abs() < 1e-9
        };
        let [at_x, at_y] = [&x, &y].map(|x| Interval::point(x.clone()));
        let (first, second) = search.differences(&at_x, &at_y);
        let (of_x, of_y) = differences(&plain, &other, places[0], places[1]);
        assert!(
            close(&first, of_x) && close(&second, of_y),
            "{first:?} {second:?} {of_x} {of_y}"
        );
        assert!(close(
            &search.ignoring(&at_x, &at_x),
            ignoring(&other, places[0])
        ));
        // Thresholds to the left of the first, and to the right of the last.
        let last = phi(other.ratio * places[1] - other.distance);
        let left = (other.null + phi(places[0])).max(other.other);
        let right = (other.other + 1.0 - last).max(other.null);
        // Both, and each where the other is as small as it can be.
        let far = Float::with_val(BITS, 40);
        let near = Float::with_val(BITS, -40);
        let (no_left, no_right) = (other.null.max(other.other), other.other.max(other.null));
        for (from, to, truth) in [
            (&x, &y, left.max(right)),
            (&x, &far, left.max(no_right)),
            (&near, &y, right.max(no_left)),
        ] {
            let outside = search.outside(from, to).to_f64();
            assert!((outside - truth).abs() < 1e-9, "{outside} {left} {right}");
        }
        let sum = a.largest_errors(&b);
        assert!(close(
            &sum,
            (plain.null + other.null).max(plain.other + other.other)
        ));
        // A cell: no value in it is above, and that of its middle is not below.
        let (low, high) = (places[0].min(places[1]), places[0].max(places[1]) + 0.125);
        for bits in [7, 12, BITS] {
            let cell = Cell {
                from: Float::with_val(BITS, low),
                to: Float::with_val(BITS, high),
                threshold: None,
            };
            let (_, found) = at_most_bits(bits, || search.cell(cell));
            let middle = (low + high) / 2.0;
            assert!(
                found.lo().to_f64() <= value(&plain, &other, middle) + 1e-9,
                "{bits}: {found:?}"
            );
            for n in 0..=8 {
                let inside = value(&plain, &other, low + (high - low) * f64::from(n) / 8.0);
                assert!(
                    found.hi().to_f64() >= inside - 1e-9,
                    "{bits} {n}: {found:?} {inside}"
                );
            }
            let wide = at_x.hull(&at_y);
            let (from, to) = (
                Interval::point(wide.lo().clone()),
                Interval::point(wide.hi().clone()),
            );
            let over = at_most_bits(bits, || search.ignoring(&from, &to))
                .hi()
                .to_f64();
            assert!(over >= ignoring(&other, places[0]).max(ignoring(&other, places[1])) - 1e-9);
        }
        // The largest Bayes error, at any threshold or the best one.
        let best = largest_bayes_error(&a);
        let least = |x: f64| {
            (plain.null + phi(-x)).max(plain.other + phi(plain.ratio * x - plain.distance))
        };
        let middle = plain.distance / (plain.ratio + 1.0);
        assert!(
            close(&best, least(middle).min(0.5)),
            "{best:?} {}",
            least(middle)
        );
    }
}

/// When a bound is good enough, to the last number.
#[test]
fn goals() {
    let target = at(1, 8).hull(&at(1, 4));
    let goal = Goal::Decide(&target);
    let of = |n: i64, d: i64| at(n, d).lo().clone();
    let tiny = || Float::with_val(BITS, 1) >> NEGLIGIBLE_BITS;
    // At most the target, with equality; above it, without.
    assert!(goal.is_met(&of(0, 1), &of(1, 8)) && goal.is_settled(&of(0, 1), &of(1, 8)));
    assert!(!goal.is_met(&of(0, 1), &of(3, 16)) && !goal.is_settled(&of(0, 1), &of(3, 16)));
    assert!(!goal.is_met(&of(1, 4), &of(3, 8)) && !goal.is_settled(&of(1, 4), &of(3, 8)));
    assert!(goal.is_met(&of(5, 16), &of(7, 16)) && !goal.is_settled(&of(5, 16), &of(7, 16)));
    assert!(!goal.is_met(&of(3, 16), &of(7, 16)));
    for goal in [Goal::Narrow, goal] {
        // No gap is above 1/2.
        assert!(goal.is_met(&of(1, 2), &of(3, 4)));
        // As narrow as is asked for, and a little less.
        let base = of(15, 64);
        let allowed = Float::with_val(BITS, &base >> GOOD_BITS);
        let end = Float::with_val(BITS, &base + &allowed);
        assert!(goal.is_met(&base, &end) && goal.is_settled(&base, &end));
        assert!(!goal.is_met(&base, &Float::with_val(BITS, &end + tiny())));
    }
    assert!(!Goal::Narrow.is_met(&of(7, 16), &of(3, 4)));
    assert!(Goal::Narrow.is_met(&of(0, 1), &tiny()));
    assert!(!Goal::Narrow.is_met(&of(0, 1), &Float::with_val(BITS, tiny() * 1.01f64)));
}

/// What is known by intervals counts with its worse end, and what is not known is not bounded.
#[test]
fn inputs_that_are_intervals() {
    let wide = |n: i64, m: i64, d: i64| at(n, d).hull(&at(m, d));
    let budget = Budget::unlimited();
    let target = at(1, 4096);
    let a = approximation([wide(1, 3, 64), wide(1, 2, 64)], at(1, 1), at(2, 1));
    let b = approximation([wide(2, 5, 64), wide(1, 2, 64)], at(1, 1), at(1, 1));
    let found = bayes_error_gap(&a, &b, false, Goal::Decide(&target), &budget).unwrap();
    // In order: at most the larger sum of errors, 8/64.
    assert!(*found.hi() >= 0.125 && *found.lo() <= 0.125, "{found:?}");
    let found = bayes_error_gap(&a, &b, true, Goal::Decide(&target), &budget).unwrap();
    assert!(*found.hi() >= 0.125, "{found:?}");
    let unknown = approximation([at(0, 1), at(0, 1)], wide(-1, 1, 1), at(1, 1));
    for (a, b) in [(&a, &unknown), (&unknown, &b)] {
        let found = bayes_error_gap(a, b, true, Goal::Narrow, &budget).unwrap();
        assert!(*found.lo() == 0 && found.hi().is_infinite(), "{found:?}");
    }
    // Ratios that may differ are in no order.
    let ordered = |r: Interval, s: Interval, d: Interval, e: Interval| {
        let (a, b) = (
            approximation([at(0, 1), at(0, 1)], r, d),
            approximation([at(0, 1), at(0, 1)], s, e),
        );
        search(&a, &b).is_certainly_ordered()
    };
    let one = || at(1, 1);
    assert!(ordered(one(), one(), at(2, 1), at(2, 1)) && ordered(one(), one(), at(2, 1), at(1, 1)));
    assert!(!ordered(one(), one(), at(1, 1), at(2, 1)));
    assert!(!ordered(wide(1, 2, 1), wide(1, 2, 1), at(2, 1), at(1, 1)));
    assert!(!ordered(one(), wide(1, 2, 1), at(2, 1), at(1, 1)));
    assert!(!ordered(one(), one(), wide(1, 3, 1), at(2, 1)));
}

/// The tests that ignore the data, for sets of thresholds and over a range of them, at random.
#[test]
fn thresholds_that_are_left_out() {
    let mut random = Random(32);
    for _ in 0..9_600 {
        let ((a, _), (b, other)) = (pair(&mut random), pair(&mut random));
        let search = search(&a, &b);
        let mut place = || random.below(48) as f64 / 8.0 - 3.0;
        let (from, to) = (place(), place());
        let (from, to) = (from.min(to), from.max(to));
        let [x, y] = [from, to].map(|x| Float::with_val(BITS, x));
        let left = (other.null + phi(from)).max(other.other);
        let right = (other.other + phi(other.distance - other.ratio * to)).max(other.null);
        let outside = search.outside(&x, &y).to_f64();
        assert!(
            (outside - left.max(right)).abs() < 1e-9,
            "{outside} {left} {right}"
        );
        let alternative = phi(other.ratio * from - other.distance);
        let always = (other.null + phi(to)).max(other.other - alternative);
        let never = (other.null - phi(-to)).max(other.other + 1.0 - alternative);
        let over = search.ignoring(&Interval::point(x), &Interval::point(y));
        assert!(over.width_up() < 1e-20);
        assert!(
            (over.hi().to_f64() - always.min(never)).abs() < 1e-9,
            "{over:?} {always} {never}"
        );
    }
    // Where an error is known by an interval its upper end counts.
    let wide = approximation([at(1, 8).hull(&at(1, 4)), at(0, 1)], at(1, 1), at(1, 1));
    let [x, y] = [-2, 3].map(|x| Float::with_val(BITS, x));
    let outside = search(&wide, &wide).outside(&x, &y).to_f64();
    assert!((outside - 0.25 - phi(-2.0)).abs() < 1e-9, "{outside}");
}

/// Along a line of thresholds through any place of a cell: both differences lie within, and not far within where the cell is narrow.
#[test]
fn differences_along_a_line() {
    let mut random = Random(33);
    for round in 0..40 {
        let ((a, plain), (b, other)) = (pair(&mut random), pair(&mut random));
        let search = search(&a, &b);
        let mut eighths = |below: u64| random.below(below) as f64 / 8.0;
        let (from, mine, slope) = (eighths(48) - 3.0, eighths(48) - 3.0, eighths(24));
        let width = [0.03125, 0.25, 1.0][round % 3];
        // Not in the middle of the cell.
        let through = from + width * 0.25;
        let float = |x: f64| Float::with_val(BITS, x);
        let cell = Cell {
            from: float(from),
            to: float(from + width),
            threshold: None,
        };
        let found = search.along(&cell, &float(through), &float(mine), &float(slope));
        let values = (0..=16).map(|n| {
            let threshold = from + width * f64::from(n) / 16.0;
            let (x, y) = differences(
                &plain,
                &other,
                threshold,
                mine + slope * (threshold - through),
            );
            x.max(y)
        });
        let values: Vec<f64> = values.collect();
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        assert!(found.hi().to_f64() >= most - 1e-9, "{found:?} {values:?}");
        if width < 0.1 {
            assert!(found.hi().to_f64() <= most + 0.01, "{found:?} {values:?}");
        }
    }
}

/// Random bounds and targets, often equal, by fractions.
#[test]
fn goals_by_fractions() {
    let mut random = Random(45);
    let exact = |x: &Float| x.to_rational().unwrap();
    let power = |bits: i32| exact(&(Float::with_val(BITS, 1) >> bits));
    let (good, negligible) = (
        power(i32::try_from(GOOD_BITS).unwrap()),
        power(i32::try_from(NEGLIGIBLE_BITS).unwrap()),
    );
    for _ in 0..10_000 {
        let digits = 2 + u32::try_from(random.below(4)).unwrap();
        let mut number = || Float::with_val(BITS, random.below(1 << digits)) >> digits;
        let (lower, rest) = (number(), number());
        let target = Interval::point(number()).hull(&Interval::point(number()));
        // As wide as is allowed, a little less or more, or anything.
        let allowed = (exact(&lower) * &good).max(negligible.clone());
        let width = match random.below(4) {
            0 => allowed.clone(),
            1 => allowed.clone() * 7u32 / 8u32,
            2 => allowed.clone() * 9u32 / 8u32,
            _ => exact(&rest),
        };
        let upper = Float::with_val(BITS, exact(&lower) + &width);
        let is_narrow = width <= allowed || lower >= 0.5;
        let is_below = upper <= *target.lo();
        let goal = Goal::Decide(&target);
        assert_eq!(
            Goal::Narrow.is_met(&lower, &upper),
            is_narrow,
            "{lower} {upper}"
        );
        assert_eq!(Goal::Narrow.is_settled(&lower, &upper), is_narrow);
        assert_eq!(goal.is_settled(&lower, &upper), is_below || is_narrow);
        let is_decided = is_below || lower > *target.hi();
        assert_eq!(goal.is_met(&lower, &upper), is_decided || is_narrow);
    }
}
