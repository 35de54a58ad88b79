//! Samples against enumerations: of outcomes, of noise on the integers, and of what has Rényi guarantees.

use super::*;
use crate::coarse::{Random, ends};
use crate::profile::{Place, at};
use crate::step::Epsilon;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn below(random: &mut Random, count: u64) -> i64 {
    i64::try_from(random.below(count)).unwrap()
}

fn float(x: &BigRational) -> f64 {
    ToPrimitive::to_f64(x).unwrap()
}

fn near(x: &Real) -> f64 {
    let (low, high) = ends(x);
    (float(&low) + float(&high)) / 2.0
}

/// (p, q) of few outcomes, with zeros.
fn drawn(random: &mut Random) -> Vec<(BigRational, BigRational)> {
    let count = 2 + below(random, 3);
    let mut law = || -> Vec<i64> { (0..count).map(|_| below(random, 5)).collect() };
    let (mut p, mut r) = (law(), law());
    (p[0], r[1]) = (p[0] + 1, r[1] + 1);
    let share = |list: &[i64], x: i64| q(x, list.iter().sum());
    p.iter().zip(&r).map(|(a, b)| (share(&p, *a), share(&r, *b))).collect()
}

fn turned(law: &[(BigRational, BigRational)], direction: Direction) -> Vec<(BigRational, BigRational)> {
    let pair = |(p, r): &(BigRational, BigRational)| match direction {
        Direction::Remove => (p.clone(), r.clone()),
        Direction::Add => (r.clone(), p.clone()),
    };
    law.iter().map(pair).collect()
}

/// Samples of several vectors, one after the other: δ and Σ q^t·p^(1−t) over all outcomes of all of them.
#[test]
fn outcomes_on_samples() {
    let mut random = Random::new(2411);
    for _ in 0..120 {
        work::begin(None);
        let mut parts = Parts::new();
        let mut all = vec![(q(1, 1), q(1, 1))];
        for _ in 0..1 + below(&mut random, 2) {
            let (inner, rate) = (drawn(&mut random), q(1 + below(&mut random, 7), 8));
            let times = 1 + below(&mut random, 2);
            let (p, r) = inner.iter().cloned().unzip();
            parts.push((
                Step::Sampled { rate: rate.clone(), of: vec![(Step::Finite { p, q: r }, 1)] },
                u64::try_from(times).unwrap(),
            ));
            let rest = BigRational::one() - &rate;
            for _ in 0..times {
                let both = |(a, b): &(BigRational, BigRational)| {
                    inner.iter().map(|(p, r)| (a * p, b * (&rest * p + &rate * r))).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(both).collect();
            }
        }
        for direction in [Direction::Remove, Direction::Add] {
            let law = turned(&all, direction);
            let pair = Pair::of_parts(&parts, direction).unwrap();
            for u in [q(1, 3), q(7, 8), q(1, 1), q(9, 8), q(5, 2)] {
                let truth: BigRational = law.iter().map(|(p, r)| r - &u * p).filter(Signed::is_positive).sum();
                let (low, high) = ends(&pair.at(&Place::of(&Epsilon::LogOf(u.clone())).unwrap()).unwrap().delta);
                assert!(low <= truth && truth <= high && &high - &low < q(1, 1 << 40), "{parts:?} {direction} {u}");
            }
            let is_open = law.iter().any(|(p, r)| p.is_zero() && r.is_positive());
            for order in [q(3, 2), q(2, 1), q(5, 1)] {
                let found = parts.iter().map(|(step, times)| {
                    Some(
                        near(&closed(step, &order, direction, Side::Lower).ok()?)
                            * f64::from(u32::try_from(*times).unwrap()),
                    )
                });
                let t = float(&order);
                let one = |(p, r): &(BigRational, BigRational)| {
                    if r.is_zero() { 0.0 } else { float(r).powf(t) * float(p).powf(1.0 - t) }
                };
                match found.sum::<Option<f64>>() {
                    None => assert!(is_open, "{parts:?}"),
                    Some(found) => {
                        let truth = law.iter().map(one).sum::<f64>().ln();
                        assert!((found - truth).abs() < 1e-9, "{parts:?} {direction} {order} {found} {truth}");
                    }
                }
            }
        }
    }
}

/// However rare a sample is, it reveals something: below a unit nothing is known but that it is less than that.
#[test]
fn samples_that_are_rarer_than_a_unit() {
    for exponent in [80, 86, 87, 90, 400] {
        let ten = BigRational::from(BigInt::from(10)).pow(-exponent);
        for rate in [ten.clone(), &ten * q(2, 1), BigRational::one() - ten] {
            let pairs = [
                Step::Gaussian { square: q(1000, 1) },
                Step::Finite { p: vec![q(1, 1), q(0, 1)], q: vec![q(0, 1), q(1, 1)] },
            ];
            for of in pairs {
                let step = Step::Sampled { rate: rate.clone(), of: vec![(of, 1)] };
                for log in [q(-1, 1), q(0, 1), q(1, 10), q(1, 1)] {
                    work::begin(None);
                    let epsilon = Epsilon::Plain(log.clone());
                    let (low, high) = ends(&at(&step, Direction::Remove, &epsilon).unwrap().delta);
                    // Without the record hardly anything is above a high threshold, with it nearly all is.
                    let least = if log.is_negative() { q(1, 2) } else { &rate * q(1, 100) };
                    assert!(high >= least, "{step} {log}: {high} {least}");
                    let most = &rate + if log.is_negative() { q(7, 10) } else { q(0, 1) };
                    assert!(low <= most && low <= high, "{step} {log}: {low}");
                }
            }
        }
    }
}

/// Noise on the integers that is moved on a sample only, term by term.
#[test]
fn noise_on_samples() {
    work::begin(None);
    let poisson = |mean: f64, k: i64| {
        (1..=k)
            .fold(if k < 0 { 0.0 } else { (-mean).exp() }, |mass, i| mass * mean / f64::from(i32::try_from(i).unwrap()))
    };
    let skellam = move |k: i64| (0..60).map(|i| poisson(2.0, i) * poisson(2.0, i + k)).sum::<f64>();
    let laplace = |k: i64| (-(k.abs() as f64) / 2.0).exp();
    let gaussian = |k: i64| (-((k * k) as f64) / 8.0).exp();
    let noises: [(Noise, &dyn Fn(i64) -> f64); 3] = [
        (Noise::Skellam { mean: q(2, 1) }, &skellam),
        (Noise::DiscreteLaplace { scale: q(2, 1) }, &laplace),
        (Noise::DiscreteGaussian { square: q(4, 1), parties: 1 }, &gaussian),
    ];
    for (noise, mass) in noises {
        let total: f64 = (-200..=200).map(mass).sum();
        for (rate, shift, order) in [(q(1, 4), 1, q(2, 1)), (q(1, 100), 3, q(5, 2)), (q(3, 4), 2, q(9, 1))] {
            let shifted = Step::Shifted {
                noise: noise.clone(),
                without: vec![(q(1, 1), q(0, 1))],
                with: vec![(q(1, 1), q(shift, 1))],
            };
            let step = Step::Sampled { rate: rate.clone(), of: vec![(shifted, 1)] };
            let (r, t) = (float(&rate), float(&order));
            let pair = |k: i64| (mass(k) / total, ((1.0 - r) * mass(k) + r * mass(k - shift)) / total);
            for direction in [Direction::Remove, Direction::Add] {
                let term = |k: i64| {
                    let (p, with) = pair(k);
                    let (p, with) = if direction == Direction::Remove { (p, with) } else { (with, p) };
                    if with > 1e-250 && p > 1e-250 { (t * with.ln() + (1.0 - t) * p.ln()).exp() } else { 0.0 }
                };
                let truth = (-60..=60).map(term).sum::<f64>().ln();
                for side in [Side::Lower, Side::Upper] {
                    let found = closed(&step, &order, direction, side).unwrap();
                    let (low, high) = ends(&found);
                    let holds =
                        if side == Side::Lower { float(&low) <= truth + 1e-9 } else { float(&high) >= truth - 1e-9 };
                    assert!(holds, "{step} {direction} {order} {side:?} {} {truth}", near(&found));
                    let is_near = !matches!(noise, Noise::DiscreteGaussian { .. });
                    assert!(
                        !is_near || (near(&found) - truth).abs() < 1e-7,
                        "{step} {direction} {} {truth}",
                        near(&found)
                    );
                }
            }
        }
    }
}

/// Whatever the lines, no test of a member of a class does better on a sample; and a member that is named has just what it has.
#[test]
fn classes_on_samples() {
    let mut random = Random::new(2412);
    let (rho, rate) = (q(1, 3), q(1, 5));
    let class = vec![(Step::Zcdp { rho: rho.clone() }, 1)];
    let on_sample = vec![(Step::Sampled { rate: rate.clone(), of: class }, 1)];
    // Tests (q, p) with D_t ≤ t/3 at many orders, in both orders of the pair.
    let orders: Vec<f64> = (-40..48).map(|k| 1.0 + 2f64.powf(f64::from(k) / 8.0)).collect();
    let divergence = |t: f64, b: f64, a: f64| {
        (b.powf(t) * a.powf(1.0 - t) + (1.0 - b).powf(t) * (1.0 - a).powf(1.0 - t)).ln() / (t - 1.0)
    };
    let is_one = |b: f64, a: f64| orders.iter().all(|t| divergence(*t, b, a).max(divergence(*t, a, b)) <= t / 3.0);
    let grid = || (1..40).flat_map(|i| (1..40).map(move |j| (f64::from(i) / 40.0, f64::from(j) / 40.0)));
    let members: Vec<_> = grid().filter(|(b, a)| is_one(*b, *a)).collect();
    assert!(members.len() > 300, "{}", members.len());
    let mut tight = 0;
    for _ in 0..400 {
        work::begin(None);
        let u = q(1 + below(&mut random, 24), 8);
        let line = |random: &mut Random| Line {
            order: q(9 + below(random, 40), 8),
            q: q(1 + below(random, 39), 40),
            p: q(1 + below(random, 39), 40),
            weight: q(below(random, 40), 16),
        };
        let lines: Vec<_> = (0..1 + below(&mut random, 2)).map(|_| line(&mut random)).collect();
        for direction in [Direction::Remove, Direction::Add] {
            let found = delta_at_most(&on_sample, direction, &Real::of(&u), &lines).unwrap();
            let most = float(&ends(&found).1);
            let (r, u) = (float(&rate), float(&u));
            let best = members.iter().map(|(b, a)| match direction {
                Direction::Remove => (1.0 - r) * a + r * b - u * a,
                Direction::Add => b - u * ((1.0 - r) * b + r * a),
            });
            let best = best.fold(0.0, f64::max);
            assert!(most >= best - 1e-12, "{direction} {u} {most} {best}");
            tight += u32::from(best > 0.0 && most < 2.0 * best);
        }
    }
    assert!(tight > 20, "{tight}");
}
