//! Several runs of pairs with few outcomes against all sequences of them, in fractions.

use num_traits::ToPrimitive;

use super::*;
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units};
use crate::profile::Pair;
use crate::step::{Parts, Step};
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

#[test]
fn numbers_of_ways() {
    for (outcomes, times, ways) in [(2, 1, 2), (2, 100, 101), (3, 2, 6), (4, 3, 20), (5, 0, 1), (1, 9, 1)] {
        assert_eq!(multisets(outcomes, times), ways, "{outcomes} {times}");
    }
    assert!(multisets(3, u64::MAX) > 4096 && multisets(4000, 2) > 4096);
}
