//! Chains of two neighbours against Gaussians, finite pairs, and three datasets.

use super::*;
use crate::kernel::Between;
use crate::kernel::coarse::{Random, at_most_bits, few_bits, late};
use crate::mechanism::Step;
use crate::mechanism::closed::{Allocation, ClosedPair};
use crate::mechanism::conditions::Conditions;
use crate::mechanism::finite_pair;
use crate::mechanism::gaussian::Gaussian;

fn q(n: i64, d: u32) -> Rational {
    Rational::from((n, d))
}

/// There with μ and back with μ is as far as 2μ: above it and next to it, in both orders.
#[test]
fn gaussians_chain_to_twice_the_distance() {
    let of = |mu_squared: u32| {
        let mu_squared = Rational::from((mu_squared, 4));
        Steps::one(Step::Gaussian { mu_squared }, Conditions::NONE)
    };
    let above = Chained::new(of(1), of(4)).profile().unwrap();
    let truth = Gaussian::from_square(Rational::from(1));
    for u in [
        q(1, 9),
        q(2, 3),
        q(1, 1),
        q(6, 5),
        q(5, 2),
        q(30, 1),
        q(900, 1),
    ] {
        let point = Point::at_exp_epsilon(&u, 90);
        let (above, truth) = (above.at(&point).delta, truth.at(&point).delta);
        assert!(above.hi() >= truth.lo(), "{u}");
        assert!(above.hi().to_f64() <= truth.hi().to_f64() * 1.01, "{u}");
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
                let masses = all.into_iter();
                return masses.map(|mass| Rational::from((mass, sum))).collect();
            }
        }
    };
    (vector(), vector())
}

fn delta(u: &Rational, p: &[Rational], with: &[Rational]) -> Rational {
    let gains = p.iter().zip(with);
    let gains = gains.map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

fn chain((p, with): &Vectors) -> Chain {
    let law = finite_pair::law(p, with).unwrap();
    Chain::new(Arc::new(FiniteProfile::new(Arc::new(law))))
}

/// The least F exactly: it is linear between the ratios q/p and u·q/p, and 1 as s sinks to 0.
fn least(u: &Rational, (p, with): &Vectors) -> Rational {
    let ratios = p.iter().zip(with).filter(|(p, with)| **p > 0 && **with > 0);
    let ratios: Vec<Rational> = ratios.map(|(p, with)| Rational::from(with / p)).collect();
    let further = ratios.iter().map(|ratio| Rational::from(u * ratio));
    let f = |s: &Rational| {
        let back = delta(&Rational::from(u / s), with, p);
        delta(s, p, with) + Rational::from(s * &back)
    };
    let all = ratios.iter().cloned().chain(further);
    all.map(|s| f(&s)).fold(Rational::from(1), Rational::min)
}

/// Between finite pairs: no less than the least F, at few bits too, and at many bits hardly more.
#[test]
fn finite_pairs_exactly() {
    let mut random = Random(4);
    for round in 0..150 {
        let outcomes = 2 + random.below(3);
        let stated = pair(&mut random, outcomes, round % 2 == 1);
        let chain = chain(&stated);
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
            let found = chain.delta_up(&Point::at_exp_epsilon(&u, 100));
            assert!(found >= truth, "{stated:?} {u}: {found} {}", truth.to_f64());
            assert!(
                found.to_f64() <= truth.to_f64() + 0.002,
                "{stated:?} {u}: {found} {}",
                truth.to_f64()
            );
            let bits = few_bits(&mut random);
            let few = at_most_bits(bits, || chain.delta_up(&Point::at_exp_epsilon(&u, bits)));
            assert!(few >= truth, "{stated:?} {u} {bits}: {few}");
        }
    }
}

/// Of exact numbers of a few bits, where no end of theirs hides how their sum is rounded.
#[test]
fn bounds_are_rounded_up() {
    let mut random = Random(6);
    for _ in 0..10_000 {
        let bits = few_bits(&mut random);
        let mut number = || Rational::from((random.below(1 << bits), 1u64 << bits));
        let numbers = [number(), number() * 4u32, number()];
        let [there, s, back] = &numbers;
        let exact = Rational::from(s * back) + there;
        let [there, s, back] = numbers.each_ref().map(|x| Interval::from_rational(x, bits));
        let found = at_most_bits(bits, || bound_up(&there, &s, &back, bits));
        let unit = Rational::from((4, 1u64 << bits));
        let most = &exact * (Rational::from(1) + unit);
        assert!(found >= exact && found <= most, "{bits}: {found}");
    }
}

/// Three datasets: without the record, with one, with another one that is seen elsewhere.
#[test]
fn no_two_records_differ_by_more() {
    let mut random = Random(9);
    for round in 0..200 {
        let (p, with) = pair(&mut random, 3, round % 3 == 0);
        let chain = chain(&(p.clone(), with.clone()));
        let product = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
            let all = a
                .iter()
                .flat_map(|x| b.iter().map(move |y| Rational::from(x * y)));
            all.collect()
        };
        let (one, other) = (product(&with, &p), product(&p, &with));
        for u in [q(1, 5), q(1, 1), q(4, 3), q(3, 1), q(11, 1)] {
            let most = chain.delta_up(&Point::at_exp_epsilon(&u, 80));
            for order in [delta(&u, &one, &other), delta(&u, &other, &one)] {
                assert!(most >= order, "{p:?} {with:?} {u}");
            }
        }
    }
}

/// Every point is on or above the profile, and the last one is next to nothing.
#[test]
fn points_are_above_the_profile() {
    let mu_squared = q(1, 4);
    let chain = Chain::new(Arc::new(Gaussian::from_square(mu_squared.clone())));
    let truth = Gaussian::from_square(mu_squared * 4u32);
    for bits in [12, BITS] {
        let points = at_most_bits(bits, || chain.points(bits));
        assert!(points.len() > 500);
        for (epsilon, delta) in points.iter().step_by(20) {
            assert!(
                *delta >= *truth.at(&epsilon.place(120)).delta.lo(),
                "{bits}"
            );
        }
        if bits == BITS {
            assert!(points.last().is_some_and(|(_, delta)| *delta < 1e-29));
        }
    }
}

/// Of a profile that is known between others only, the one above counts.
#[test]
fn profiles_between_others_are_taken_from_above() {
    let of = Steps::one(
        Step::Gaussian {
            mu_squared: q(1, 2),
        },
        Conditions::NONE,
    );
    let pair = ClosedPair::from(Allocation::new(of.clone(), 3));
    let presence = Steps::one(Step::Closed(pair), Conditions::NONE);
    let profile = presence.single().unwrap().profile().unwrap();
    let between = profile.between(FINENESS, &Budget::unlimited());
    let Between { upper, lower } = between.unwrap().unwrap();
    let [upper, lower] = [upper, lower].map(Chain::new);
    let chained = Chained::new(presence, of.clone());
    let found = chained.profile().unwrap();
    // At a point of the law, where nothing hides which of the two it is from.
    let point = Point::at_exp_epsilon(&q(1, 1), BITS);
    let [most, least] = [&upper, &lower].map(|chain| chain.delta_up(&point));
    let found = found.at(&point).delta.hi().to_f64();
    let (most, least) = (most.to_f64(), least.to_f64());
    assert!(most > least * (1.0 + 1e-7), "{most} {least}");
    assert!(
        found > least + (most - least) * 0.9,
        "{found} {most} {least}"
    );
    // Both parts count where two are compared.
    let [one, other] = [of.clone(), chained.dominated_by().unwrap()];
    let same = Chained::new(one.clone(), other);
    assert!(same == Chained::new(one.clone(), of.clone()));
    let further = Steps::one(
        Step::Gaussian {
            mu_squared: q(2, 1),
        },
        Conditions::NONE,
    );
    assert!(same != Chained::new(one, further.clone()) && same != Chained::new(further, of));
}

/// What is made when there is no time is not kept.
#[test]
fn a_chain_is_not_given_up_for_good() {
    let of = |mu_squared: u32| {
        let mu_squared = Rational::from((mu_squared, 4));
        Steps::one(Step::Gaussian { mu_squared }, Conditions::NONE)
    };
    let chained = Chained::new(of(1), of(4));
    let _ = late(|| chained.profile());
    assert!(chained.of.profile.get().is_none());
    assert!(chained.profile().is_some() && chained.of.profile.get().is_some());
}
