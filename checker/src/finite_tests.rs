//! Several runs of pairs with few outcomes against all sequences of them, in fractions.

use num_traits::ToPrimitive;

use super::*;
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units, meets};
use crate::exact::of_step;
use crate::noise::Mixtures;
use crate::profile::{Pair, polygon};
use crate::step::{Noise, Parts, Step};
use crate::work;

fn q(n: u64, d: u64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn masses(random: &mut Random, outcomes: u64) -> Vec<BigRational> {
    let parts: Vec<u64> = (0..outcomes).map(|_| 1 + random.below(9)).collect();
    parts.iter().map(|n| q(*n, parts.iter().sum())).collect()
}

/// All sequences, one by one.
fn sequences(parts: &[([Vec<BigRational>; 2], u64)]) -> Vec<(BigRational, BigRational)> {
    let mut all = vec![(q(1, 1), q(1, 1))];
    for ([p, r], times) in parts {
        for _ in 0..*times {
            all = all.iter().flat_map(|(a, b)| p.iter().zip(r).map(move |(p, r)| (a * p, b * r))).collect();
        }
    }
    all
}

#[test]
fn runs_are_all_sequences() {
    let mut random = Random::new(5);
    for _ in 0..40 {
        let parts: Vec<_> = (0..=random.below(2))
            .map(|_| {
                let outcomes = 2 + random.below(2);
                ([(); 2].map(|()| masses(&mut random, outcomes)), 1 + random.below(3))
            })
            .collect();
        let steps: Parts =
            parts.iter().map(|([p, r], times)| (Step::Finite { p: p.clone(), q: r.clone() }, *times)).collect();
        let u = q(1 + random.below(40), 16);
        let exact: BigRational = sequences(&parts).iter().map(|(p, r)| (r - &u * p).max(BigRational::zero())).sum();
        for reals in [20, 40, 200] {
            work::begin(None);
            let delta = in_units(reals, 8, || {
                let pair = Pair::of_parts(&steps, Direction::Remove).unwrap();
                ends(&pair.at(&Place::of(&Epsilon::LogOf(u.clone())).unwrap()).unwrap().delta)
            });
            assert!(delta.0 <= exact && exact <= delta.1, "{steps:?} {u} {delta:?} {exact}");
            assert!((&delta.1 - &delta.0).to_f64().unwrap() < 1e6 / f64::from(reals - 19).exp2(), "{delta:?}");
        }
    }
}

/// A hundred answers to one yes-or-no question are 101 outcomes, as many as a law of binomial masses has; what is longer is refused.
#[test]
fn long_runs_of_two_outcomes() {
    work::begin(None);
    let response = |k: i64| Step::Response { epsilon: Epsilon::LogOf(q(3, 2)), k: k.into() };
    let pair = Pair::of_parts(&vec![(response(2), 100)], Direction::Remove).unwrap();
    let Pair::Outcomes(outcomes) = &pair else { panic!("no outcomes") };
    assert_eq!(outcomes.len(), 101);
    // δ(0) = Σ over n > 50 of C(100, n)·(3^n·2^(100 − n) − 3^(100 − n)·2^n)/5^100.
    let (mut binomial, mut exact) = (BigInt::one(), BigInt::zero());
    let power = |base: i64, n: u32| BigInt::from(base).pow(n);
    for n in 0..=100u32 {
        if n > 50 {
            exact += &binomial * (power(3, n) * power(2, 100 - n) - power(3, 100 - n) * power(2, n));
        }
        binomial = binomial * (100 - n) / (n + 1);
    }
    let exact = BigRational::new(exact, power(5, 100));
    let delta = ends(&pair.at(&Place::of(&Epsilon::LogOf(q(1, 1))).unwrap()).unwrap().delta);
    assert!(delta.0 <= exact && exact <= delta.1 && (&delta.1 - &delta.0).to_f64().unwrap() < 1e-80);
    for (k, times) in [(2, 4096), (3, 90), (2, u64::MAX)] {
        assert!(Pair::of_parts(&vec![(response(k), times)], Direction::Remove).is_err(), "{k} {times}");
    }
    work::begin(None);
    assert!(Pair::of_parts(&vec![(response(2), 300)], Direction::Remove).is_ok());
}

/// Σ (q − u·p)⁺ over all places of so many runs, one by one, and what all places further out can add.
fn place_by_place(scale: &BigRational, distance: i64, runs: usize, u: &BigRational) -> (BigRational, BigRational) {
    const FAR: i64 = 60;
    let x = Real::of(&-scale.recip()).exp().unwrap();
    let (mut powers, mut reach) = (vec![Real::int(1)], Real::int(1));
    for _ in 0..2 * FAR {
        reach = reach.times(&x);
        powers.push(reach.clone());
    }
    let norm = Real::int(1).minus(&x).over(&Real::int(1).plus(&x)).unwrap();
    let mass = |k: i64| powers[usize::try_from(k.abs()).unwrap()].times(&norm);
    let one: Vec<_> = (-FAR..=FAR + distance).map(|k| (mass(k), mass(k - distance))).collect();
    let mut all = vec![(Real::int(1), Real::int(1))];
    for _ in 0..runs {
        all = all.iter().flat_map(|(a, b)| one.iter().map(move |(p, q)| (a.times(p), b.times(q)))).collect();
    }
    let u = Real::of(u);
    let sum = all.iter().fold(Real::int(0), |sum, (p, q)| sum.plus(&q.minus(&u.times(p)).at_least_zero()));
    // x^60 on either side of each run.
    (ends(&sum).0, ends(&sum).1 + q(4, 1) * ends(&mass(FAR)).1 * q(9, 1))
}

/// Discrete Laplace noise has as many outcomes as places between the two, and two more.
#[test]
fn discrete_laplace_noise_place_by_place() {
    let mut random = Random::new(9);
    for round in 0..24 {
        work::begin(None);
        let (scale, distance) = (q(1 + random.below(4), 3), 1 + random.below(5));
        let runs = if round % 8 == 0 { 2 } else { 1 };
        let shift = |n: u64| vec![(q(1, 1), q(n, 1))];
        let down = random.below(distance + 1);
        let noise = Noise::DiscreteLaplace { scale: scale.clone() };
        let step = Step::Shifted { noise: noise.clone(), without: shift(down), with: shift(distance - down) };
        let u = q(1 + random.below(60), 16);
        let place = Place::of(&Epsilon::LogOf(u.clone())).unwrap();
        let direction = if round % 2 == 0 { Direction::Remove } else { Direction::Add };
        let pair = Pair::of_parts(&vec![(step, runs)], direction).unwrap();
        assert!(
            matches!(&pair, Pair::Outcomes(all) if runs == 2 || all.len() == usize::try_from(distance).unwrap() + 1)
        );
        let point = pair.at(&place).unwrap();
        let (delta, truth) =
            (ends(&point.delta), place_by_place(&scale, distance.try_into().unwrap(), runs.try_into().unwrap(), &u));
        assert!(delta.0 <= truth.1 && truth.0 <= delta.1, "{scale} {distance} {runs} {u}");
        assert!((&delta.1 - &delta.0).to_f64().unwrap() < 1e-70 && (&truth.1 - &truth.0).to_f64().unwrap() < 1e-15);
        if runs == 1 {
            let cut = Pair::Mixtures(Mixtures::new(&noise, &shift(0), &shift(distance)).unwrap()).at(&place).unwrap();
            assert!(meets(&delta, &ends(&cut.delta)), "{scale} {distance} {u}");
        }
    }
}

/// (ε, δ)-DP is an answer of two, or it is said which: the profile through its points, and its composition with what is in fractions.
#[test]
fn guarantees_are_outcomes() {
    let mut random = Random::new(10);
    for _ in 0..60 {
        work::begin(None);
        let (odds, delta) = (q(3 + random.below(9), 3), q(random.below(8), 8));
        let step = |epsilon: Epsilon| Step::Guarantee { points: vec![(epsilon, delta.clone())] };
        let guarantee = step(Epsilon::LogOf(odds.clone()));
        let u = q(1 + random.below(60), 16);
        let place = Place::of(&Epsilon::LogOf(u.clone())).unwrap();
        let at = |pair: Pair| ends(&pair.at(&place).unwrap().delta);
        let alone = at(Pair::of(&guarantee, Direction::Remove).unwrap());
        let hull = at(polygon(&[(Epsilon::LogOf(odds.clone()), delta.clone())]).unwrap());
        assert!(meets(&alone, &hull), "{odds} {delta} {u} {alone:?} {hull:?}");
        let pair: Vec<(BigRational, BigRational)> = of_step(&guarantee).unwrap();
        let (p, r) = pair.into_iter().unzip();
        let runs = 1 + random.below(3);
        let exact: BigRational =
            sequences(&[([p, r], runs)]).iter().map(|(p, r)| (r - &u * p).max(BigRational::zero())).sum();
        let several = at(Pair::of_parts(&vec![(guarantee, runs)], Direction::Add).unwrap());
        assert!(several.0 <= exact && exact <= several.1, "{odds} {delta} {runs} {u}");
        assert!((&several.1 - &several.0).to_f64().unwrap() < 1e-75);
    }
}

#[test]
fn numbers_of_ways() {
    for (outcomes, times, ways) in [(2, 1, 2), (2, 100, 101), (3, 2, 6), (4, 3, 20), (5, 0, 1), (1, 9, 1)] {
        assert_eq!(multisets(outcomes, times), ways, "{outcomes} {times}");
    }
    assert!(multisets(3, u64::MAX) > 4096 && multisets(4000, 2) > 4096);
}

/// Truncated geometric noise: each loss is the logarithm of the ratio of its masses, and these add up.
#[test]
fn losses_of_truncated_noise() {
    for (scale, distance) in [(q(2, 1), 5u64), (q(1, 3), 1), (q(7, 2), 12)] {
        work::begin(None);
        let outcomes = geometric(&scale, &q(distance, 1)).unwrap();
        assert_eq!(outcomes.len(), usize::try_from(distance).unwrap() + 1);
        for Outcome { q, p, loss } in &outcomes {
            let ratio = q.over(p).unwrap().minus(&loss.as_ref().unwrap().exp().unwrap());
            let (low, high) = ends(&ratio);
            assert!(!low.is_positive() && !high.is_negative(), "{scale} {distance}: {low} {high}");
        }
        for of in [|one: &Outcome| one.q.clone(), |one: &Outcome| one.p.clone()] {
            let (low, high) = ends(&outcomes.iter().map(of).sum::<Real>());
            assert!(low <= q(1, 1) && q(1, 1) <= high && (high - low).to_f64().unwrap() < 1e-60);
        }
    }
}
