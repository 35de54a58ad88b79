//! Bounds of shuffled responses against the blocks they are made of, by their definition.

use super::*;
use crate::kernel::coarse::late;
use crate::mechanism::conditions::Conditions;
use crate::mechanism::step::FiniteLosses;
use crate::mechanism::{Step, Steps};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// The law of the number of heads among so many coins.
fn heads(coins: u64, chance: &Rational) -> Vec<Rational> {
    let rest = Rational::from(1 - chance);
    (0..coins).fold(vec![q(1, 1)], |law, _| {
        let mut next = vec![Rational::new(); law.len() + 1];
        for (place, mass) in law.iter().enumerate() {
            next[place] += Rational::from(mass * &rest);
            next[place + 1] += Rational::from(mass * chance);
        }
        next
    })
}

/// Told whether the user reports one of the two values, and how many others do: as much as that, and no less.
#[test]
fn a_report_among_coins_that_are_told() {
    for (users, odds, answers) in [(2u64, q(3, 1), 3u64), (4, q(5, 2), 4), (5, q(9, 1), 3)] {
        let reports = Reports::of(users, &odds, answers).unwrap();
        let (p, with) = above(&reports, &odds, |_| None).unwrap();
        let numbers = heads(reports.others, &reports.rate);
        for n in 0..12i64 {
            let u = Rational::from(&odds - 1u32) * q(n, 12) + 1u32;
            let mut truth = Rational::new();
            for (coins, weight) in numbers.iter().enumerate() {
                let law = heads(u64::try_from(coins).unwrap(), &q(1, 2));
                let at = |k: usize| law.get(k).cloned().unwrap_or_default();
                for k in 0..=coins + 1 {
                    let before = k.checked_sub(1).map(at).unwrap_or_default();
                    let null = &reports.own * before.clone() + &reports.other * at(k);
                    let power = &reports.other * before + &reports.own * at(k);
                    truth += weight * (power - u.clone() * null).max(Rational::new());
                }
            }
            let gains = p.iter().zip(&with);
            let gains = gains.map(|(p, with)| with - Rational::from(&u * p));
            let found: Rational = gains.filter(|gain| *gain > 0).sum();
            assert!(found >= truth, "{users} {odds} {answers} {u}");
        }
    }
}

/// The first test of a number of equal reports asks for the last known number of others and one more: all that is beyond is in it.
#[test]
fn what_is_beyond_the_last_number_counts() {
    let (own, mut seen) = (q(501, 1_000), false);
    for others in (1_000..1_100).step_by(10) {
        let reports = Reports {
            others,
            rate: q(1, 2),
            other: Rational::from(1 - &own),
            own: own.clone(),
            third: q(0, 1),
        };
        let law = Binomial::new(reports.others, &reports.own).unwrap();
        assert!(law.above.up() > 0 && law.below.up() > 0);
        seen |= law.above.up() > law.below.up();
        let (p, _) = same_value(&reports).unwrap();
        let last = law.masses.last().unwrap().down();
        let needed = &reports.own * law.above.up() + &reports.other * last;
        let first = p.iter().find(|p| **p > 0).unwrap();
        assert!(*first >= needed, "{others}");
    }
    assert!(seen);
}

/// An answer is the true one, that of another user's value, or a third one; a clone is one of the first two with twice the probability of the second.
#[test]
fn probabilities_of_reports() {
    for (odds, answers) in [(3u32, 2u64), (5, 3), (2, 7)] {
        let reports = Reports::of(10, &Rational::from(odds), answers).unwrap();
        let total = Rational::from(u64::from(odds) + answers - 1);
        assert_eq!(reports.others, 9);
        assert_eq!(reports.own, Rational::from(odds) / &total);
        assert_eq!(reports.other, total.clone().recip());
        assert_eq!(reports.rate, Rational::from(2) / &total);
        assert_eq!(
            Rational::from(&reports.own + &reports.other) + &reports.third,
            1
        );
    }
}

/// A pair that there is no time for is none, and is made when it is asked for again; the same on a sample.
#[test]
fn a_pair_is_not_given_up_for_good() {
    let step = |users: u64| {
        let odds = q(3, 1);
        let bound = ShuffledBound::Clones { users, odds };
        Step::finite(FiniteLosses::Shuffled(bound.into()))
    };
    let Step::Finite(one) = step(70) else {
        panic!("finite")
    };
    let is_there = || one.law().is_some();
    assert!(!late(is_there));
    assert!(is_there() && late(is_there));
    let sampled = Steps::one(step(71), Conditions::NONE).sampled(&q(1, 2));
    let Some(Step::Sampled(sampled)) = sampled.single() else {
        panic!("sampled")
    };
    let is_there = || sampled.law().is_some();
    assert!(!late(is_there));
    assert!(is_there() && late(is_there));
}
