//! Chains of two neighbours against Gaussians, finite pairs, and three datasets.

use std::sync::Arc;

use rug::Rational;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits, few_bits};
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::finite_pair;
use crate::mechanism::gaussian::Gaussian;

fn q(n: i64, d: u32) -> Rational {
    Rational::from((n, d))
}

/// There with μ and back with μ is as far as 2μ, and no farther.
#[test]
fn gaussians_chain_to_twice_the_distance() {
    for mu_squared in [q(1, 1), q(1, 9), q(4, 1)] {
        let chained = Chained::new(Arc::new(Gaussian::from_square(mu_squared.clone())));
        let truth = Gaussian::from_square(mu_squared * 4u32);
        for u in [q(1, 1000), q(1, 3), q(1, 1), q(7, 5), q(30, 1), q(5000, 1)] {
            let point = Point::at_exp_epsilon(&u, 120);
            let (found, truth) = (chained.at(&point), truth.at(&point));
            for (found, truth, width) in [
                (&found.delta, &truth.delta, 1e-12),
                (&found.null_tail, &truth.null_tail, 1e-5),
            ] {
                assert!(
                    found.lo() <= truth.hi() && truth.lo() <= found.hi(),
                    "{u}: {found:?} {truth:?}"
                );
                let narrow = found.width_up().to_f64();
                assert!(narrow <= width * truth.hi().to_f64(), "{u}: {found:?}");
            }
        }
    }
}

type Vectors = (Vec<Rational>, Vec<Rational>);

fn pair(random: &mut Random, outcomes: u64, has_zeros: bool) -> Vectors {
    let least = u64::from(!has_zeros);
    let mut vector = || -> Vec<Rational> {
        loop {
            let all: Vec<u64> = (0..outcomes).map(|_| least + random.below(5)).collect();
            let sum: u64 = all.iter().sum();
            if sum > 0 {
                return all
                    .into_iter()
                    .map(|mass| Rational::from((mass, sum)))
                    .collect();
            }
        }
    };
    (vector(), vector())
}

fn delta(u: &Rational, p: &[Rational], with: &[Rational]) -> Rational {
    let gains = p
        .iter()
        .zip(with)
        .map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

fn chained(pair: &Vectors) -> Chained {
    let law = finite_pair::law(&pair.0, &pair.1).unwrap();
    Chained::new(Arc::new(FiniteProfile::new(Arc::new(law))))
}

/// The least F exactly: it is linear between the ratios q/p and u·q/p.
fn least(u: &Rational, (p, with): &Vectors) -> Rational {
    let ratios = p.iter().zip(with).filter(|(p, with)| **p > 0 && **with > 0);
    let ratios: Vec<Rational> = ratios.map(|(p, with)| Rational::from(with / p)).collect();
    let mut places: Vec<Rational> = ratios.clone();
    places.extend(ratios.iter().map(|ratio| Rational::from(u * ratio)));
    let f = |s: &Rational| {
        let back = delta(&Rational::from(u / s), with, p);
        delta(s, p, with) + Rational::from(s * &back)
    };
    // As s sinks to 0 F does to 1.
    places.iter().map(f).fold(Rational::from(1), Rational::min)
}

/// All of it between finite pairs: F, what is infinite, the ends, and what there is at few bits.
#[test]
fn finite_pairs_exactly() {
    let mut random = Random(4);
    for round in 0..400 {
        let outcomes = 2 + random.below(3);
        let stated = pair(&mut random, outcomes, round % 2 == 1);
        let chained = chained(&stated);
        for u in [
            q(1, 7),
            q(2, 3),
            q(1, 1),
            q(6, 5),
            q(5, 2),
            q(9, 1),
            q(1_000_000, 1),
        ] {
            let truth = least(&u, &stated);
            let bits = few_bits(&mut random);
            let point = Point::at_exp_epsilon(&u, 100);
            let found = chained.at(&point);
            assert!(
                found.delta.contains(&truth),
                "{stated:?} {u}: {found:?} {}",
                truth.to_f64()
            );
            assert!(found.delta.width_up() < 1e-6, "{stated:?} {u}: {found:?}");
            let few = at_most_bits(bits, || chained.at(&Point::at_exp_epsilon(&u, bits)));
            assert!(few.delta.contains(&truth), "{stated:?} {u} {bits}: {few:?}");
            // Slopes: no chord is outside.
            for (low, high) in [
                (&u, Rational::from(&u * 2u32)),
                (&u, Rational::from(&u * 3u32) / 2u32),
            ] {
                let fall = (&truth - least(&high, &stated)) / Rational::from(&high - low);
                assert!(*found.null_tail.hi() >= fall, "{stated:?} {u}: {found:?}");
                let before = Rational::from(low / 2u32);
                let fall = (least(&before, &stated) - &truth) / Rational::from(low - &before);
                assert!(*found.null_tail.lo() <= fall, "{stated:?} {u}: {found:?}");
            }
        }
        // The limit of the least F as u grows, and its last kink.
        let far = q(1_000_000_000, 1);
        let limit = least(&far, &stated);
        assert!(
            chained.infinite_mass(60).contains(&limit),
            "{stated:?}: {} {:?}",
            limit.to_f64(),
            chained.infinite_mass(60)
        );
        let LossBound::Finite { value, .. } = chained.max_loss(60) else {
            panic!("finite");
        };
        if limit < 1 {
            let beyond = value.exp().hi().to_rational().unwrap() * 2u32;
            assert_eq!(least(&beyond, &stated), limit, "{stated:?}");
        }
        let (low, high) = (chained.min_loss(60), value.neg());
        let LossBound::Finite { value, .. } = low else {
            panic!("finite");
        };
        assert_eq!(value, high);
    }
}

/// Three datasets: without the record, with one, with another one that is seen elsewhere.
#[test]
fn no_two_records_differ_by_more() {
    let mut random = Random(9);
    for round in 0..200 {
        let (p, with) = pair(&mut random, 3, round % 3 == 0);
        let chained = chained(&(p.clone(), with.clone()));
        let product = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
            a.iter()
                .flat_map(|x| b.iter().map(move |y| Rational::from(x * y)))
                .collect()
        };
        let (one, other) = (product(&with, &p), product(&p, &with));
        for u in [q(1, 5), q(1, 1), q(4, 3), q(3, 1), q(11, 1)] {
            let point = Point::at_exp_epsilon(&u, 80);
            for order in [delta(&u, &one, &other), delta(&u, &other, &one)] {
                assert!(
                    order <= *chained.at(&point).delta.hi(),
                    "{p:?} {with:?} {u}"
                );
            }
        }
    }
}

/// The lower end is no higher where nothing is certain but the slopes.
#[test]
fn least_values_at_few_bits() {
    let mut random = Random(12);
    for _ in 0..10_000 {
        let bits = few_bits(&mut random);
        let number = |random: &mut Random| Rational::from((random.below(1 << 12), 1u32 << 10));
        // A parabola c + (s − m)²·k with its least at m.
        let (c, m, k) = (
            number(&mut random),
            number(&mut random) + 1u32,
            number(&mut random),
        );
        let place = |s: Rational| {
            let away = Rational::from(&s - &m);
            let value = Rational::from(&away * &away) * &k + &c;
            Place {
                slope: Interval::from_rational(&(Rational::from(&away * 2u32) * &k), bits),
                value: Interval::from_rational(&value, bits),
                null_tail: Interval::one(bits),
                s: Interval::from_rational(&s, bits),
            }
        };
        let (left, right) = (
            Rational::from(random.below(1 << 10)) / 1024u32,
            number(&mut random),
        );
        let falling = place(Rational::from(&m - &left));
        let rising = place(Rational::from(&m + &right));
        let level = (random.below(2) == 0).then(|| place(m.clone()));
        let least = Least {
            falling,
            rising,
            level,
        };
        let found = at_most_bits(bits, || least.value(bits));
        assert!(found.contains(&c), "{c} {m} {k}: {found:?}");
    }
}
