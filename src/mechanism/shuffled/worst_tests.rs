//! The walk from dataset to dataset against exact laws, in exact numbers.

use super::*;

fn exactly(x: &Integer) -> Rational {
    Rational::from(x) >> FRACTION
}

/// ρ is rounded down, what it may be more is counted; 1/(1 − ρ) is rounded up.
#[test]
fn the_ratio_of_a_walk() {
    for (low, high, part) in [
        (3u32, 3u32, 1u32),
        (3, 4, 1),
        (21, 22, 20),
        (7, 9, 5),
        (201, 202, 200),
    ] {
        let end = |n: u32| Interval::from_rational(&Rational::from((n, part)), 512);
        let walk = Walk::start(4, &end(low).hull(&end(high))).unwrap();
        let least = Rational::from((part, high));
        let most = Rational::from((part, low));
        assert!(exactly(&walk.ratio) <= least, "{low} {high}");
        let known = Integer::from(&walk.ratio + &walk.unknown);
        assert!(exactly(&known) >= most, "{low} {high}");
        let rest: Rational = 1 - exactly(&walk.ratio);
        let gain = rest.recip();
        assert!(walk.gain >= gain, "{low} {high}");
    }
    // ρ from 0 on, and up to 1.
    let odds = |low: f64, high: f64| {
        let end = |x: f64| rug::Float::with_val(64, x);
        Interval::spanning(end(low), end(high))
    };
    assert!(Walk::start(4, &odds(3.0, f64::INFINITY)).is_none());
    assert!(Walk::start(4, &odds(1.0, 1.0)).is_none());
}

/// The masses of each dataset, for the ρ of the walk, are within the error that is counted.
#[test]
fn masses_within_their_error() {
    for (n, d) in [(3u32, 1u32), (21, 20), (9, 5)] {
        let odds = Interval::from_rational(&Rational::from((n, d)), 512);
        let others = 6usize;
        let mut walk = Walk::start(6, &odds).unwrap();
        let ratio = exactly(&walk.ratio);
        let own = Rational::from(&ratio + 1u32).recip();
        for dataset in 0..=3usize {
            if dataset > 0 {
                walk.step().unwrap();
            }
            let mut law = vec![Rational::from(1)];
            for user in 0..others {
                let rest = Rational::from(1 - &own);
                let chance = if user < dataset { &own } else { &rest };
                let mut next = vec![Rational::new(); law.len() + 1];
                for (place, mass) in law.iter().enumerate() {
                    next[place] += mass * Rational::from(1 - chance);
                    next[place + 1] += Rational::from(mass * chance);
                }
                law = next;
            }
            let first = usize::try_from(walk.first).unwrap();
            let squares: Rational = (law.iter().enumerate())
                .map(|(place, truth)| {
                    let mass = place.checked_sub(first).and_then(|at| walk.masses.get(at));
                    let off = mass.map(exactly).unwrap_or_default() - truth;
                    off.square()
                })
                .sum();
            assert!(
                squares <= exactly(&walk.error).square(),
                "{n}/{d} {dataset}"
            );
            // Tests of at least so many reports, in either order of the values.
            let (null_error, unit) = (walk.error_of_tests(7).unwrap(), Rational::from(1));
            for test in walk.tests(walk.masses.iter().rev()) {
                let near = |truth: &Rational, found: &Integer| {
                    (truth - exactly(found)).abs() <= exactly(&null_error)
                };
                let is_one = (0..=others + 1).any(|least| {
                    let tail: Rational = law.iter().skip(least).sum();
                    let before = match least.checked_sub(1) {
                        Some(before) => law[before].clone(),
                        None => Rational::new(),
                    };
                    let with = &tail + Rational::from(&own * &before);
                    let other = Rational::from(&unit - &own);
                    let null = tail + other * before;
                    near(&null, &test.null) && near(&with, &test.with)
                });
                assert!(is_one, "{n}/{d} {dataset}");
            }
        }
    }
}

/// Errors of sums: √n times the root of the squares, what ρ may be more for each user, what is left out, roundings.
#[test]
fn errors_of_tests_are_counted() {
    let odds = Interval::from_rational(&Rational::from(3), 512);
    let mut walk = Walk::start(6, &odds).unwrap();
    let weak = Integer::from(1) << WEAK;
    for users in [2u64, 3, 7, 15, 1_000] {
        for (error, unknown) in [(1_000_000u64, 0u64), (0, 1_000_000), (123, 456), (0, 0)] {
            (walk.error, walk.unknown) = (error.into(), unknown.into());
            let found = walk.error_of_tests(users).unwrap();
            let of_squares = found - Integer::from(unknown) * users - &weak;
            // A rounding of each of the two numbers is left.
            assert!(of_squares >= 2, "{users} {error} {unknown}");
            let needed = Integer::from(error).square() * users;
            assert!((of_squares - 1u32).square() >= needed, "{users} {error}");
        }
    }
}

/// What is left out of the first law on either side counts, and the spans of its masses do.
#[test]
fn tails_of_the_first_law_count() {
    // Of odds near 1 either side may be the larger one.
    let mut larger = [false, false];
    for (n, d) in [(3u32, 1u32), (1_001, 1_000)] {
        let odds = Interval::from_rational(&Rational::from((n, d)), 512);
        for others in (400..900).step_by(7) {
            let walk = Walk::start(others, &odds).unwrap();
            let sum = (Integer::from(1) << FRACTION) + &walk.ratio;
            let rate = Rational::from((walk.ratio.clone(), sum));
            let law = Binomial::down_to(others, &rate, DEPTH).unwrap();
            let spans = law.masses.iter().map(|mass| mass.up() - mass.down());
            let spans: Rational = spans.sum();
            let tails = [law.below.up(), law.above.up()];
            larger[usize::from(tails[0] < tails[1])] = true;
            let needed = spans + tails.iter().sum::<Rational>();
            assert!(exactly(&walk.error) >= needed, "{n}/{d} {others}");
        }
    }
    assert!(larger[0] && larger[1], "{larger:?}");
}

/// A step rounds each mass, and one more.
#[test]
fn roundings_of_a_step_count() {
    let odds = Interval::from_rational(&Rational::from(3), 512);
    for count in [1usize, 2, 3, 4, 8, 15, 16, 24] {
        let mut walk = Walk::start(40, &odds).unwrap();
        walk.masses = std::iter::repeat_n(Integer::new(), count).collect();
        walk.error = Integer::new();
        walk.step().unwrap();
        let needed = Integer::from(walk.gain.square_ref()) * (count + 1);
        assert!(walk.error.square() >= needed, "{count}");
    }
}

/// What is known of the masses never becomes better on the way.
#[test]
fn errors_only_grow() {
    for (n, d) in [(3u32, 1u32), (21, 20), (9, 5), (50, 1)] {
        let odds = Interval::from_rational(&Rational::from((n, d)), 512);
        for others in [3u64, 40, 3_000] {
            let mut walk = Walk::start(others, &odds).unwrap();
            for _ in 0..others.min(30) {
                let before = walk.error.clone();
                walk.step().unwrap();
                let roots = Integer::from(walk.masses.len()).sqrt() * &walk.gain;
                assert!(walk.error >= before + roots, "{n}/{d} {others}");
            }
        }
    }
}

/// s(j − 1) + ρ·(s(j) − s'(j − 1)), rounded down, to the last digit, also where the law before has no mass that was kept.
#[test]
fn steps_by_their_formula() {
    let odds = Interval::from_rational(&Rational::from(3u32), 512);
    let mut walk = Walk::start(400, &odds).unwrap();
    let mut beyond = 0;
    for dataset in 1..=3 {
        let (first, before) = (walk.first, walk.masses.clone());
        walk.step().unwrap();
        let mut last = Integer::new();
        let left_out = usize::try_from(walk.first - first).unwrap();
        for place in 0..left_out + walk.masses.len() {
            let of = |place: Option<usize>| {
                let mass = place.and_then(|place| before.get(place));
                mass.cloned().unwrap_or_default()
            };
            let share = (of(Some(place)) - &last) * &walk.ratio;
            last = Integer::from(&share >> FRACTION) + of(place.checked_sub(1));
            let Some(found) = place.checked_sub(left_out).map(|at| &walk.masses[at]) else {
                continue;
            };
            assert_eq!(*found, last, "{dataset} {place}");
            beyond += usize::from(place > before.len());
        }
    }
    assert!(beyond > 2, "{beyond}");
}
