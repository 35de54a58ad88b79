//! Laws of the others' reports against exact ones, to the last digit.

use super::super::Reports;
use super::super::binomial::Binomial;
use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn units(x: &Integer) -> Rational {
    Rational::from(x) >> FRACTION
}

/// The law of a sum of heads, by the definition.
fn law_of(chances: &[Rational]) -> Vec<Rational> {
    chances.iter().fold(vec![q(1, 1)], |law, chance| {
        let rest = Rational::from(1 - chance);
        let mut next = vec![Rational::new(); law.len() + 1];
        for (place, mass) in law.iter().enumerate() {
            next[place] += Rational::from(mass * &rest);
            next[place + 1] += Rational::from(mass * chance);
        }
        next
    })
}

fn chances(reports: &Reports, holding: usize) -> Vec<Rational> {
    let others = usize::try_from(reports.others).unwrap();
    (0..others)
        .map(|user| {
            if user < holding {
                &reports.own
            } else {
                &reports.other
            }
            .clone()
        })
        .collect()
}

/// Each mass of a sum of two binomial numbers is between what is said of it, and nothing is beyond.
#[test]
fn sums_of_two_binomial_numbers() {
    for odds in [q(2, 1), q(9, 5), q(31, 7)] {
        let reports = Reports::of(8, &odds, 2).unwrap();
        for holding in 0..=7usize {
            let others = 7 - u64::try_from(holding).unwrap();
            let found = law(&reports, holding.try_into().unwrap(), others).unwrap();
            let truth = law_of(&chances(&reports, holding));
            assert_eq!(found.masses.len(), truth.len());
            for (mass, truth) in found.masses.iter().zip(&truth) {
                let low = units(&Integer::from(mass - &found.less));
                assert!(low <= *truth && units(mass) >= *truth, "{odds} {holding}");
                assert!(units(mass) - low < Rational::from(1) >> 150u32);
            }
            assert_eq!(found.rest, 0);
        }
    }
}

/// δ of all datasets at places u ≥ 1: no less than the truth, and hardly more where each dataset is looked at alone.
#[test]
fn deltas_of_all_datasets() {
    for (users, odds) in [(2u64, q(2, 1)), (6, q(9, 5)), (7, q(31, 7))] {
        let reports = Reports::of(users, &odds, 2).unwrap();
        let places: Vec<Rational> = (0..=8)
            .map(|n| Rational::from(&odds - 1u32) * q(n, 8) + 1u32)
            .collect();
        let found = deltas(&reports, &places).unwrap();
        for (u, found) in places.iter().zip(&found) {
            let of = |holding: usize| {
                let mut others = chances(&reports, holding);
                others.push(reports.other.clone());
                let null = law_of(&others);
                others.pop();
                others.push(reports.own.clone());
                let with = law_of(&others);
                let gains = null.iter().zip(&with);
                gains
                    .map(|(p, with)| (with - Rational::from(u * p)).max(Rational::new()))
                    .sum::<Rational>()
            };
            let truth = (0..usize::try_from(users).unwrap()).map(of).max().unwrap();
            assert!(*found >= truth, "{users} {odds} {u}");
            let over = Rational::from(found - &truth);
            assert!(over < Rational::from(1) >> 140u32, "{users} {odds} {u}");
        }
    }
}

/// What is left out of either of two long laws, on either side, is in the rest.
#[test]
fn rests_of_sums() {
    let reports = Reports::of(4_001, &q(9, 5), 2).unwrap();
    // The other way round what is left out on the left is more than on the right.
    let turned = Reports {
        own: reports.other.clone(),
        other: reports.own.clone(),
        ..Reports::of(4_001, &q(9, 5), 2).unwrap()
    };
    let all = [&reports, &turned].into_iter();
    for (reports, holding) in all.flat_map(|of| [1_000, 2_900].map(|holding| (of, holding))) {
        let others = reports.others - holding;
        let found = law(reports, holding, others).unwrap();
        let a = Binomial::new(holding, &reports.own).unwrap();
        let b = Binomial::new(others, &reports.other).unwrap();
        let ends = [&a.below, &a.above, &b.below, &b.above].map(Fixed::up);
        for (place, end) in ends.iter().enumerate() {
            assert!(
                *end > 0 && !ends[..place].contains(end),
                "{holding}: {ends:?}"
            );
        }
        assert!(
            units(&found.rest) >= ends.iter().sum::<Rational>(),
            "{holding}"
        );
    }
}

/// Where several datasets are looked at together, what is said is above each of them: whoever is told less tells less apart.
#[test]
fn ranges_of_datasets_are_above_each() {
    let reports = Reports::of(100, &q(9, 5), 2).unwrap();
    let places = [q(1, 1), q(11, 10), q(3, 2)];
    let found = deltas(&reports, &places).unwrap();
    let alone = |holding: u64| {
        let law = law(&reports, holding, reports.others - holding).unwrap();
        let mut hull = Hull::new();
        hull.add(law.tests(&reports));
        hull.join();
        largest_gains(&hull.corners, &places).unwrap()
    };
    for holding in 0..=reports.others {
        for (found, alone) in found.iter().zip(alone(holding)) {
            assert!(*found > alone, "{holding}");
        }
    }
}

/// Ranges meet, cover all numbers of others that hold the value, are not too many, and none is much wider than twice an equal share.
#[test]
fn ranges_cover_all_datasets() {
    for (users, odds, most) in [
        (2u64, q(2, 1), 6u64),
        (7, q(31, 7), 96),
        (1_000, q(9, 5), 6),
        (1_000_000, q(2981, 1), 192),
        (1_000_000_000, q(2981, 1), 70),
    ] {
        let reports = Reports::of(users, &odds, 2).unwrap();
        let all = ranges(&reports, most).unwrap();
        let mut next = users;
        for (first, last) in &all {
            assert!(*last == next - 1 && first <= last, "{users}");
            assert!(last - first < (users * 2).div_ceil(most) + 1, "{users}");
            next = *first;
        }
        assert_eq!(next, 0, "{users}");
        assert!(u64::try_from(all.len()).unwrap() <= most, "{users}");
    }
    // The nearer to the worst dataset the narrower, as the laws are skew.
    let reports = Reports::of(1_000_000, &q(2981, 1), 2).unwrap();
    let all = ranges(&reports, 192).unwrap();
    let width = |at: usize| all[at].1 - all[at].0 + 1;
    assert!(
        width(0) < 10 && width(all.len() / 2) > 5_000,
        "{} {}",
        width(0),
        width(all.len() / 2)
    );
}

/// Both numbers of a test are on their side to the last unit, and no test is made where the masses no longer rise.
#[test]
fn tests_are_on_their_side() {
    let reports = Reports::of(8, &q(9, 5), 2).unwrap();
    let sum = Sum {
        masses: [3, 7, 11, 5].map(Integer::from).into(),
        less: Integer::from(2),
        rest: Integer::from(4),
    };
    let tests = sum.tests(&reports);
    // From the largest number down: what is beyond, 5 (or 3) at the last number, 11 (or 9) at the one before; 7 is less than 9.
    let truth = [
        (q(0, 1), q(4, 1)),
        (q(5, 14) * 3, q(9, 14) * 5 + 4u32),
        (q(5, 14) * 9 + 3u32, q(9, 14) * 11 + 9u32),
    ];
    assert_eq!(tests.len(), truth.len());
    for (test, (null, with)) in tests.iter().zip(&truth) {
        assert!(
            test.null <= *null && test.null >= Rational::from(null - 1u32),
            "{test:?}"
        );
        assert!(
            test.with >= *with && test.with <= Rational::from(with + 2u32),
            "{test:?}"
        );
    }
}
