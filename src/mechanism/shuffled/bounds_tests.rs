//! Against enumeration: all reports of a few users, by their definition, in exact numbers.

use std::collections::BTreeMap;

use rug::ops::Pow;

use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::Epsilon;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

type Law = BTreeMap<Vec<u64>, Rational>;

/// The law of the counts of reports, one after the other.
fn counts(reports: &[Vec<Rational>]) -> Law {
    let mut law = Law::from([(vec![0; reports[0].len()], q(1, 1))]);
    for report in reports {
        let mut next = Law::new();
        for (counts, mass) in &law {
            for (value, chance) in report.iter().enumerate() {
                let mut counts = counts.clone();
                counts[value] += 1;
                *next.entry(counts).or_default() += Rational::from(mass * chance);
            }
        }
        law = next;
    }
    law
}

fn delta_of(p: &Law, with: &Law, u: &Rational) -> Rational {
    let zero = q(0, 1);
    let gains = with
        .iter()
        .map(|(counts, mass)| mass - Rational::from(u * p.get(counts).unwrap_or(&zero)));
    gains.filter(|gain| *gain > 0).sum()
}

fn delta((p, with): &Vectors, u: &Rational) -> Rational {
    let gains = p
        .iter()
        .zip(with)
        .map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

/// e/(e + k − 1) for the truth, 1/(e + k − 1) for every other answer.
fn response(odds: &Rational, answers: usize, held: usize) -> Vec<Rational> {
    let total = Rational::from(odds + u64::try_from(answers - 1).unwrap());
    (0..answers)
        .map(|value| {
            if value == held {
                Rational::from(odds / &total)
            } else {
                Rational::from(total.recip_ref())
            }
        })
        .collect()
}

fn is_probability(vector: &[Rational]) -> bool {
    vector.iter().all(|x| *x >= 0) && vector.iter().sum::<Rational>() == 1
}

fn places() -> Vec<Rational> {
    (1..60)
        .map(|n| Rational::from((n * n, 64)))
        .filter(|u| *u != 0)
        .collect()
}

/// The pair of the clones from its definition: for every number of clones and every count.
fn clones(users: u64, odds: &Rational, rate: &Rational) -> (Law, Law) {
    let (mut p, mut with) = (Law::new(), Law::new());
    let truth = odds / Rational::from(odds + 1u32);
    let others = u32::try_from(users - 1).unwrap();
    for c in 0..=others {
        let chosen = Rational::from(rug::Integer::from(others).binomial(c));
        let power = |x: &Rational, k: u32| Rational::from(x.pow(i32::try_from(k).unwrap()));
        let weight = chosen * power(rate, c) * power(&Rational::from(1 - rate), others - c);
        for heads in 0..=c {
            let mass = (Rational::from(rug::Integer::from(c).binomial(heads)) * &weight) >> c;
            let (a, b) = (u64::from(heads), u64::from(c - heads));
            let lie = Rational::from(1 - &truth);
            for (first, second, to_p, to_q) in [(a + 1, b, &truth, &lie), (a, b + 1, &lie, &truth)]
            {
                let key = vec![first, second];
                *p.entry(key.clone()).or_default() += Rational::from(&mass * to_p);
                *with.entry(key).or_default() += Rational::from(&mass * to_q);
            }
        }
    }
    (p, with)
}

/// Few users: the bound is the pair of the clones, but for less than 2^−280; with the rate of the withdrawn theorem it would be another.
#[test]
fn clones_are_those_of_the_definition() {
    for (users, odds) in [(2, q(3, 1)), (5, q(3, 1)), (9, q(7, 2)), (17, q(40, 1))] {
        let bound = ShuffledBound::Clones {
            users,
            odds: odds.clone(),
        };
        let found = bound.pair().unwrap();
        assert!(is_probability(&found.0) && is_probability(&found.1));
        let (p, with) = clones(users, &odds, &Rational::from(odds.recip_ref()));
        for u in places() {
            let truth = delta_of(&p, &with, &u);
            let delta = delta(&found, &u);
            assert!(delta >= truth, "{users} {u}");
            assert!(delta - truth < Rational::from(1) >> 130u32, "{users} {u}");
        }
    }
    // Row n-078 of the known truths: 0.20833… at u = 2.
    let bound = ShuffledBound::Clones {
        users: 2,
        odds: q(3, 1),
    };
    let found = delta(&bound.pair().unwrap(), &q(2, 1));
    assert!((found - q(5, 24)).abs() < Rational::from(1) >> 130u32);
}

/// All datasets of shuffled randomised response, and those of all randomisers of a grid that are ε₀-DP.
#[test]
fn no_randomiser_of_a_grid_is_above_the_clones() {
    let odds = q(3, 1);
    let mut random = Random(11);
    for users in [2usize, 3, 4] {
        let bound = ShuffledBound::Clones {
            users: u64::try_from(users).unwrap(),
            odds: odds.clone(),
        };
        let bound = bound.pair().unwrap();
        let mut tried = 0u32;
        while tried < crate::test_scale::cases(20) {
            // A randomiser of three inputs and three outputs.
            let row = |random: &mut Random| -> Vec<Rational> {
                let weights: Vec<u64> = (0..3).map(|_| 1 + random.below(9)).collect();
                let total: u64 = weights.iter().sum();
                weights
                    .iter()
                    .map(|w| Rational::from((*w, total)))
                    .collect()
            };
            let rows: Vec<Vec<Rational>> = (0..3).map(|_| row(&mut random)).collect();
            let is_private = rows.iter().all(|a| {
                rows.iter().all(|b| {
                    a.iter()
                        .zip(b)
                        .all(|(a, b)| *a <= Rational::from(b * &odds))
                })
            });
            if !is_private {
                continue;
            }
            tried += 1;
            for code in 0..3usize.pow(u32::try_from(users - 1).unwrap()) {
                let mut others = Vec::new();
                let mut rest = code;
                for _ in 1..users {
                    others.push(rows[rest % 3].clone());
                    rest /= 3;
                }
                let with = |held: usize| {
                    let mut all = others.clone();
                    all.push(rows[held].clone());
                    counts(&all)
                };
                for (zero, one) in [(0, 1), (1, 2), (2, 0), (1, 0)] {
                    let (p, with) = (with(zero), with(one));
                    for u in [q(1, 2), q(1, 1), q(6, 5), q(2, 1), q(5, 2)] {
                        assert!(delta_of(&p, &with, &u) <= delta(&bound, &u));
                    }
                }
            }
        }
    }
}

/// Randomised response, all datasets: below the blanket; and one of the datasets is the bound from below.
#[test]
fn all_datasets_of_randomised_response() {
    for (users, answers, odds) in [
        (3usize, 2usize, q(3, 1)),
        (6, 2, q(9, 1)),
        (4, 3, q(4, 1)),
        (3, 4, q(20, 1)),
    ] {
        let count = u64::try_from(users).unwrap();
        let k = u64::try_from(answers).unwrap();
        let blanket = ShuffledBound::Blanket {
            users: count,
            odds: odds.clone(),
            answers: k,
        };
        let blanket = blanket.pair().unwrap();
        let member = if answers == 2 {
            ShuffledBound::SameValue {
                users: count,
                odds: odds.clone(),
            }
        } else {
            ShuffledBound::ThirdValue {
                users: count,
                odds: odds.clone(),
                answers: k,
            }
        };
        let member = member.pair().unwrap();
        for vectors in [&blanket, &member] {
            assert!(is_probability(&vectors.0) && is_probability(&vectors.1));
        }
        let with = |others: &[usize], held: usize| {
            let mut all: Vec<_> = others
                .iter()
                .map(|held| response(&odds, answers, *held))
                .collect();
            all.push(response(&odds, answers, held));
            counts(&all)
        };
        let of_member = vec![if answers == 2 { 1 } else { 2 }; users - 1];
        let (p, q_of_member) = (with(&of_member, 0), with(&of_member, 1));
        let epsilon = Epsilon::log_of(odds.clone()).unwrap();
        let listed = ShuffledResponse::all(count, &epsilon, k).unwrap();
        let listed: Vec<Vectors> = listed.iter().map(|one| one.exact().unwrap()).collect();
        for u in places() {
            let mut most = q(0, 1);
            for code in 0..answers.pow(u32::try_from(users - 1).unwrap()) {
                let mut rest = code;
                let others: Vec<usize> = (1..users)
                    .map(|_| {
                        let held = rest % answers;
                        rest /= answers;
                        held
                    })
                    .collect();
                most = most.max(delta_of(&with(&others, 0), &with(&others, 1), &u));
            }
            assert!(most <= delta(&blanket, &u), "{users} {answers} {u}");
            let of_listed = listed.iter().map(|one| delta(one, &u)).max().unwrap();
            assert_eq!(of_listed, most, "{users} {answers} {u}");
            let below = delta(&member, &u);
            let truth = delta_of(&p, &q_of_member, &u);
            assert!(below <= truth, "{users} {answers} {u}");
            // With a third value the places are near the corners only.
            let slack = match answers {
                2 => Rational::from(1) >> 130u32,
                _ => Rational::from(&truth / 4u32) + Rational::from((1, 1_000)),
            };
            assert!(
                answers > 3 || truth - below <= slack,
                "{users} {answers} {u}"
            );
        }
    }
}

/// Many users of two values: every dataset is below the bound, which is not far above the worst of them.
#[test]
fn ranges_of_datasets_keep_their_side() {
    let odds = q(9, 1);
    for users in [70u64, 110] {
        let blanket = ShuffledBound::Blanket {
            users,
            odds: odds.clone(),
            answers: 2,
        };
        let blanket = blanket.pair().unwrap();
        assert!(is_probability(&blanket.0) && is_probability(&blanket.1));
        let places = [q(1, 1), q(11, 10), q(3, 2), q(2, 1), q(3, 1), q(6, 1)];
        let mut worst = vec![q(0, 1); places.len()];
        let mut law = vec![q(1, 1)];
        // The number of reports of the value among others of whom the first hold it.
        let multiplied = |law: &[Rational], chance: &Rational| -> Vec<Rational> {
            let mut next = vec![q(0, 1); law.len() + 1];
            for (place, mass) in law.iter().enumerate() {
                next[place] += mass * Rational::from(1 - chance);
                next[place + 1] += Rational::from(mass * chance);
            }
            next
        };
        let (truth, lie) = (q(9, 10), q(1, 10));
        let others = usize::try_from(users - 1).unwrap();
        for holding in (0..=others).rev().step_by(7) {
            law.truncate(1);
            law[0] = q(1, 1);
            for place in 0..others {
                law = multiplied(&law, if place < holding { &truth } else { &lie });
            }
            let (p, with) = (multiplied(&law, &lie), multiplied(&law, &truth));
            for (u, worst) in places.iter().zip(&mut worst) {
                let of = delta(&(p.clone(), with.clone()), u);
                assert!(of <= delta(&blanket, u), "{users} {holding} {u}");
                *worst = of.max(worst.clone());
            }
        }
        for (u, worst) in places.iter().zip(&worst).take(4) {
            assert!(
                delta(&blanket, u) < Rational::from(worst * 3u32),
                "{users} {u}"
            );
        }
    }
}

/// Blocks and cut tails keep their side: many users, against the clones of the definition.
#[test]
fn grids_and_blocks_keep_their_side() {
    let odds = q(3, 1);
    let users = 80;
    let bound = |users| ShuffledBound::Clones {
        users,
        odds: odds.clone(),
    };
    let found = bound(users).pair().unwrap();
    let (p, with) = clones(users, &odds, &q(1, 3));
    let places = [q(1, 1), q(21, 20), q(11, 10), q(5, 4), q(3, 2), q(2, 1)];
    for u in places.into_iter().step_by(crate::test_scale::every(6)) {
        let truth = delta_of(&p, &with, &u);
        let delta = delta(&found, &u);
        assert!(delta >= truth, "{u}");
        assert!(delta <= truth * q(1_001, 1_000), "{u}");
    }
    // More users hide more, on both sides, whatever the blocks.
    let below = |users| ShuffledBound::ThirdValue {
        users,
        odds: q(3000, 1),
        answers: 3,
    };
    let above = |users| ShuffledBound::Blanket {
        users,
        odds: q(3000, 1),
        answers: 3,
    };
    let u = q(11, 10);
    let mut last = q(1, 1);
    for users in [1_000u64, 1_000_000] {
        let (low, high) = (below(users).pair().unwrap(), above(users).pair().unwrap());
        let (low, high) = (delta(&low, &u), delta(&high, &u));
        assert!(low < high && high < last, "{users}");
        assert!(
            Rational::from(&high - &low) < Rational::from(&high / 5),
            "{users}"
        );
        last = low;
    }
}

/// As many users as it takes to leave out numbers on both sides: the test of the last known number has all P-mass beyond it.
#[test]
fn beyond_the_last_known_number() {
    let own = q(51, 100);
    let mut tried = 0;
    for others in 1500u32..1540 {
        let law = Binomial::new(u64::from(others), &own).unwrap();
        assert!(law.above.up() > 0 && law.below.up() > 0);
        if law.below.up() >= law.above.down() * q(9, 10) {
            continue;
        }
        let reports = Reports {
            others: u64::from(others),
            rate: q(1, 2),
            own: own.clone(),
            other: Rational::from(1 - &own),
            third: q(0, 1),
        };
        let pair = same_value(&reports).unwrap();
        let last = u32::try_from(law.first).unwrap() + u32::try_from(law.masses.len()).unwrap() - 1;
        let ways = |count: u32| {
            let power = |n: u32, k: u32| rug::Integer::from(n).pow(k);
            rug::Integer::from(others).binomial(count)
                * power(51, count)
                * power(49, others - count)
        };
        let beyond: rug::Integer = (last + 1..=others).map(ways).sum();
        let mass = |ways: rug::Integer| Rational::from((ways, rug::Integer::from(100).pow(others)));
        // At least so many reports: of those beyond the last known number the P-mass alone.
        let (mut null, mut with) = (Rational::from(&own * &mass(beyond)), q(0, 1));
        let mut tests = Vec::new();
        for less in (last - 40..=last).rev() {
            let less_mass = mass(ways(less));
            null += Rational::from(&reports.other * &less_mass);
            with += Rational::from(&own * &less_mass);
            tests.push((null.clone(), with.clone()));
            null += Rational::from(&own * &less_mass);
            with += Rational::from(&reports.other * &less_mass);
        }
        // Next to the largest of their ratios only one of them gains anything.
        let ratios = tests.iter().map(|(null, with)| Rational::from(with / null));
        let u = ratios.max().unwrap() * q(999_999, 1_000_000);
        let gains = tests
            .iter()
            .map(|(null, with)| with - Rational::from(&u * null));
        let (most, found) = (gains.max().unwrap(), delta(&pair, &u));
        assert!(found > 0 && found <= most, "{others}");
        tried += 1;
    }
    assert!(tried > 0);
}
