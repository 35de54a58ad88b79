//! The search for the number of steps against its definition, on shares made by hand.

use rug::Float;

use super::*;
use crate::emergence::moments::{LossMoments, StepMoments};
use crate::kernel::coarse::at_most_bits;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn at(n: i64, d: i64) -> Interval {
    Interval::from_rational(&q(n, d), BITS)
}

/// The share of one step: errors, distance; E|L − E L|³/(Var L)^{3/2} is `skewness`.
fn share(errors: [(i64, i64); 2], distance: (i64, i64), skewness: i64) -> ComposedMoments {
    let side = LossMoments {
        mean: at(0, 1),
        second: at(1, 1),
        variance: at(1, 1),
        third_central: at(skewness, 1),
        third_absolute: at(skewness, 1),
    };
    let [null_error, alternative_error] = errors.map(|(n, d)| at(n, d));
    ComposedMoments {
        step: StepMoments {
            null: side.clone(),
            alternative: side,
            is_normal: false,
        },
        times: 1,
        paper_gamma: at(0, 1),
        null_error,
        alternative_error,
        ratio: at(1, 1),
        distance: at(distance.0, distance.1),
    }
}

struct Case {
    a: ComposedMoments,
    b: ComposedMoments,
    units: (u32, u32),
    target: Rational,
}

impl Case {
    fn search<T>(&self, work: impl FnOnce(&Search<'_>) -> T) -> T {
        let budget = Budget::unlimited();
        work(&Search {
            a: &self.a,
            b: &self.b,
            units: (Integer::from(self.units.0), Integer::from(self.units.1)),
            is_ordered: false,
            target: Interval::from_rational(&self.target, BITS),
            budget: &budget,
        })
    }

    fn holds(&self, first: u32, last: u32) -> bool {
        self.search(|search| {
            let (first, last) = (Integer::from(first), Integer::from(last));
            search.holds_between(&first, &last).unwrap()
        })
    }
}

/// The same of random shares: (0.56·(s/√n + s̃/√ñ)/𝔇)², of roots that are rational.
#[test]
fn random_shares_by_the_theorem() {
    let mut random = crate::kernel::coarse::Random(44);
    let none = [(0, 1), (0, 1)];
    for _ in 0..400 {
        let mut small = |below: u64| 1 + i64::try_from(random.below(below)).unwrap();
        let (s, t, target) = (small(9), small(9), q(small(40), 20));
        let (n, m) = (small(5), small(5));
        let case = Case {
            a: share(none, (1, 1), s),
            b: share(none, (1, 1), t),
            units: (u32::try_from(n * n).unwrap(), u32::try_from(m * m).unwrap()),
            target: target.clone(),
        };
        let root = q(14, 25) * (q(s, n) + q(t, m)) / target;
        let truth = Integer::from(root.square().ceil().numer()).max(Integer::from(1));
        case.search(|search| {
            assert!(search.by_theorem().unwrap() - &truth <= 1);
            for _ in 0..24 {
                let bits = 3 + u32::try_from(random.below(20)).unwrap();
                let coarse = at_most_bits(bits, || search.by_theorem());
                assert!(
                    coarse.is_none_or(|coarse| coarse >= truth),
                    "{s} {t} {n} {m} {bits}"
                );
            }
        });
    }
}

/// ((0.56·2/√1 + 0.56·3/√4)/𝔇)² is 384.16 for 𝔇 = 1/10, and 3.84… for 𝔇 = 1.
#[test]
fn by_the_theorem() {
    let none = [(0, 1), (0, 1)];
    for (target, truth) in [(q(1, 10), 385), (q(1, 1), 4), (q(9, 1), 1)] {
        let case = Case {
            a: share(none, (1, 1), 2),
            b: share(none, (1, 1), 3),
            units: (1, 4),
            target,
        };
        let found = case.search(|search| search.by_theorem()).unwrap();
        assert_eq!(found, truth);
        for bits in 4..14 {
            let coarse = case.search(|search| at_most_bits(bits, || search.by_theorem()));
            assert!(coarse.is_none_or(|coarse| coarse >= truth), "{bits}");
        }
    }
}

/// Of a range the errors are those of its first multiple, and the second mechanism is as revealing as at the last one.
#[test]
fn ranges_by_their_definition() {
    for (units, first, last) in [
        ((1, 1), 1, 1),
        ((1, 1), 2, 3),
        ((4, 1), 1, 2),
        ((2, 3), 3, 3),
    ] {
        let of = |errors: [(i64, i64); 2], (n, d): (i64, i64), unit: u32, last: u32| {
            let root = |multiple: u32| Interval::from_i64(i64::from(unit * multiple), BITS).sqrt();
            let [null_error, alternative_error] = errors.map(|(n, d)| at(n, d).div(&root(first)));
            NearlyBinormal {
                null_error,
                alternative_error,
                ratio: at(1, 1),
                distance: at(n, d).mul(&root(last)),
            }
        };
        let (mine, theirs) = ([(1, 5), (1, 6)], [(1, 8), (1, 10)]);
        let (a, b) = (
            of(mine, (1, 1), units.0, first),
            of(theirs, (6, 5), units.1, last),
        );
        let gap = bayes_error_gap(&a, &b, false, Goal::Narrow, &Budget::unlimited()).unwrap();
        let truth = gap.min(&largest_bayes_error(&a)).hi().to_f64();
        for (part, holds) in [(0.99, false), (1.01, true)] {
            let case = Case {
                a: share(mine, (1, 1), 1),
                b: share(theirs, (6, 5), 1),
                units,
                target: Rational::from_f64(truth * part).unwrap(),
            };
            assert_eq!(case.holds(first, last), holds, "{units:?} {first} {last}");
        }
    }
}

/// Nothing of a stretch is stepped over, and the one below is not proven by one bound.
#[test]
fn each_multiple_from_the_one_found_on() {
    let none = [(0, 1), (0, 1)];
    let few = [(1, 20), (1, 30)];
    for (errors, target) in [(none, q(535, 10_000)), (few, q(1, 15)), (few, q(1, 2))] {
        let case = Case {
            a: share(errors, (1, 2), 1),
            b: share(errors, (5, 8), 1),
            units: (1, 1),
            target,
        };
        let target_is_large = case.target == q(1, 2);
        let found = case.search(|search| search.by_two_sided_bound().unwrap());
        let found = found.unwrap().to_u32().unwrap();
        assert!(found == 1 || !case.holds(found - 1, found - 1), "{found}");
        assert_eq!(found == 1, target_is_large, "{found}");
        for share in 0..6u32 {
            let multiple = found + found * share / 6;
            assert!(case.holds(multiple, multiple), "{found} {multiple}");
        }
    }
}

/// Ordered compositions have only their errors left; no tolerance is no question.
#[test]
fn what_is_asked_for() {
    let a = share([(1, 10), (1, 10)], (2, 1), 1);
    let b = share([(1, 5), (1, 5)], (1, 1), 3);
    let budget = Budget::unlimited();
    let ask = |tolerance: Rational| {
        let (a, b) = (
            ComposedMoments {
                times: 4,
                ..a.clone()
            },
            ComposedMoments {
                times: 6,
                ..b.clone()
            },
        );
        smallest_multiple(&a, &b, true, &tolerance, &budget).unwrap()
    };
    for tolerance in [q(0, 1), q(-1, 10)] {
        let SmallestMultiple::NotFound(why) = ask(tolerance) else {
            panic!("no tolerance");
        };
        assert!(why.contains("above 0"), "{why}");
    }
    let SmallestMultiple::Proven {
        multiple,
        times,
        other_times,
        ..
    } = ask(q(1, 100))
    else {
        panic!("something is proven");
    };
    assert_eq!(times, Integer::from(&multiple * 2u32));
    assert_eq!(other_times, Integer::from(&multiple * 3u32));
    assert!(Float::with_val(64, &multiple) > 1);
}
