//! Powers from record to record, against all tests and against mechanisms that are written out.

use super::*;
use crate::kernel::coarse::Random;
use crate::mechanism::group::chances;
use crate::test_scale::cases;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

type Law = Vec<Rational>;

/// The best power at a level among all tests that reject a set of outcomes, and one more by chance.
fn by_all_tests(p: &Law, with: &Law, level: &Rational) -> Rational {
    let all = 0..(1u32 << p.len());
    let sets = all.clone().map(|set| {
        let inside = |law: &Law| -> Rational {
            let places = law.iter().enumerate();
            let inside = places.filter(|(place, _)| set >> place & 1 == 1);
            inside.map(|(_, mass)| mass).sum()
        };
        (inside(p), inside(with))
    });
    let sets: Vec<(Rational, Rational)> = sets.collect();
    let mut best = Rational::new();
    for (a, x) in &sets {
        for (b, y) in &sets {
            if a <= level && level <= b {
                let share = if a == b {
                    Rational::from(1)
                } else {
                    Rational::from(level - a) / Rational::from(b - a)
                };
                best = best.max(x + share * Rational::from(y - x));
            }
        }
    }
    best
}

fn law(random: &mut Random, outcomes: usize) -> Law {
    let mut weights: Vec<u64> = (0..outcomes).map(|_| random.below(7)).collect();
    weights[0] += u64::from(weights.iter().all(|weight| *weight == 0));
    let total: u64 = weights.iter().sum();
    let share = |weight| Rational::from((weight, total));
    weights.into_iter().map(share).collect()
}

fn level(random: &mut Random) -> Rational {
    Rational::from((random.below(61), 60))
}

#[test]
fn a_power_is_that_of_the_best_test() {
    let mut random = Random(1);
    for _ in 0..cases(300) {
        let outcomes = 1 + usize::try_from(random.below(4)).unwrap();
        let (p, with) = (law(&mut random, outcomes), law(&mut random, outcomes));
        let power = Power::of_pair(&p, &with);
        let (back_p, back_with) = power.pair();
        assert_eq!(back_p.iter().sum::<Rational>(), 1);
        assert_eq!(back_with.iter().sum::<Rational>(), 1);
        assert_eq!(Power::of_pair(&back_p, &back_with), power);
        let turned = power.turned();
        let either = power.of_either_order();
        for _ in 0..10 {
            let level = level(&mut random);
            let (there, back) = (
                by_all_tests(&p, &with, &level),
                by_all_tests(&with, &p, &level),
            );
            assert_eq!(power.at(&level), there, "{p:?} {with:?} {level}");
            assert_eq!(turned.at(&level), back, "{p:?} {with:?} {level}");
            assert!(either.at(&level) >= there && either.at(&level) >= back);
        }
        // No smaller concave one: each corner is one of the two.
        for (level, reached) in &either.corners {
            assert!(*reached == power.at(level) || *reached == turned.at(level));
        }
        assert_eq!(either.turned(), either);
    }
}

#[test]
fn of_a_guarantee_it_is_the_smallest_of_three_lines() {
    let mut random = Random(2);
    for _ in 0..cases(300) {
        let u = Rational::from((4 + random.below(20), 4));
        let delta = [q(0, 1), q(1, 3), q(1, 1), level(&mut random)]
            [usize::try_from(random.below(4)).unwrap()]
        .clone();
        let power = Power::of_guarantee(&u, &delta);
        let level = level(&mut random);
        let lines = [
            Rational::from(&u * &level) + &delta,
            1 - (Rational::from(1 - &delta) - &level) / &u,
            q(1, 1),
        ];
        assert_eq!(
            power.at(&level),
            lines.into_iter().min().unwrap(),
            "{u} {delta} {level}"
        );
    }
}

#[test]
fn one_after_the_other() {
    let mut random = Random(3);
    for _ in 0..cases(300) {
        let power = Power::of_pair(&law(&mut random, 3), &law(&mut random, 3));
        let next = Power::of_pair(&law(&mut random, 4), &law(&mut random, 4));
        let both = power.then(&next);
        let levels = both.corners.iter().map(|(level, _)| level.clone());
        let more: Vec<Rational> = (0..10).map(|_| level(&mut random)).collect();
        for level in levels.chain(more) {
            assert_eq!(both.at(&level), next.at(&power.at(&level)));
        }
        assert!(
            power
                .corners
                .iter()
                .all(|(level, _)| both.corners.iter().any(|(at, _)| at == level))
        );
        assert!(
            both.corners
                .is_sorted_by(|(one, _), (other, _)| one < other)
        );
    }
}

/// Is every test of the one law, of the second, at most what `power` allows?
fn is_within(p: &Law, with: &Law, power: &Power) -> bool {
    let found = Power::of_pair(p, with);
    let corners = found.corners.iter().chain(&power.corners);
    corners
        .map(|(level, _)| level)
        .all(|level| found.at(level) <= power.at(level))
}

/// Mechanisms that give each set of the group's records, beside each of two sets of others, a law of its own: on a sample, and without one,
/// they are never beyond the bound.
#[test]
fn no_mechanism_of_sets_is_beyond() {
    let mut random = Random(4);
    let (mut apart, mut tried) = (0, 0);
    let bits = [0b01usize, 0b10];
    for _ in 0..cases(200) {
        let (p, with) = (law(&mut random, 3), law(&mut random, 3));
        let one = Power::of_pair(&p, &with);
        let rate = [q(1, 2), q(1, 5), q(9, 10)][usize::try_from(random.below(3)).unwrap()].clone();
        let bound = one.of_sample(&chances(2, &rate).unwrap());
        let plain = one.of_records(2);
        let weights = |set: usize| -> Rational {
            let each = bits.iter().map(|bit| {
                if set & bit != 0 {
                    rate.clone()
                } else {
                    Rational::from(1 - &rate)
                }
            });
            each.fold(q(1, 1), |all, one| all * one)
        };
        // By trial: laws of the four sets where each record more is allowed.
        let mut mechanism = || -> Option<Vec<Law>> {
            let mut laws = vec![law(&mut random, 2); 4];
            for set in 1..4 {
                let fits = |law: &Law, laws: &[Law]| {
                    bits.iter()
                        .all(|bit| set & bit == 0 || is_within(&laws[set ^ bit], law, &one))
                };
                laws[set] = (0..60)
                    .map(|_| law(&mut random, 2))
                    .find(|law| fits(law, &laws))?;
            }
            Some(laws)
        };
        let (Some(first), Some(second)) = (mechanism(), mechanism()) else {
            continue;
        };
        tried += 1;
        apart += u32::from(first[0] != first[3]);
        assert!(is_within(&first[0], &first[3], &plain));
        let mix = |law: &dyn Fn(&[Law], usize) -> Rational| -> Law {
            (0..2)
                .map(|place| (law(&first, place) + law(&second, place)) / 2u32)
                .collect()
        };
        let without = mix(&|laws, place| laws[0][place].clone());
        let sampled = mix(&|laws, place| (0..4).map(|set| weights(set) * &laws[set][place]).sum());
        assert!(
            is_within(&without, &sampled, &bound),
            "{p:?} {with:?} {rate} {first:?} {second:?}"
        );
    }
    assert!(tried >= 100 && apart >= 50, "{tried} {apart}");
}

/// Laws with distribution functions F^∘j: each record more is allowed, and the group reaches the bound.
#[test]
fn the_bound_is_reached() {
    let mut random = Random(5);
    for _ in 0..cases(60) {
        let one = Power::of_pair(&law(&mut random, 3), &law(&mut random, 3));
        let records = 1 + random.below(4);
        let chances = chances(records, &q(1, 3)).unwrap();
        let levels: Vec<Rational> = one
            .of_records(records)
            .corners
            .into_iter()
            .map(|(level, _)| level)
            .collect();
        let law = |of: u64| -> Law {
            let power = one.of_records(of);
            let reached: Vec<Rational> = levels.iter().map(|level| power.at(level)).collect();
            let steps = reached
                .windows(2)
                .map(|pair| Rational::from(&pair[1] - &pair[0]));
            std::iter::once(reached[0].clone()).chain(steps).collect()
        };
        let laws: Vec<Law> = (0..=records).map(law).collect();
        for pair in laws.windows(2) {
            assert!(is_within(&pair[0], &pair[1], &one));
            assert!(is_within(&pair[1], &pair[0], &one.turned()));
        }
        let last = &laws[laws.len() - 1];
        assert_eq!(
            Power::of_pair(&laws[0], last),
            Power::around(one.of_records(records).corners)
        );
        let mixed: Law = (0..laws[0].len())
            .map(|place| {
                laws.iter()
                    .zip(&chances)
                    .map(|(law, chance)| Rational::from(&law[place] * chance))
                    .sum()
            })
            .collect();
        assert_eq!(Power::of_pair(&laws[0], &mixed), one.of_sample(&chances));
    }
}
