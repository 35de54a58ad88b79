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

/// Of labelled parts: δ and Σ q^t·p^(1−t) over all outcomes of all of them, and of one that is a class no less than what any member of it has, and no more than the
/// bound of the class says.
#[test]
fn labelled_parts_by_enumeration() {
    let mut random = Random::new(2430);
    for _ in 0..60 {
        work::begin(None);
        let (one, other) = (drawn(&mut random), drawn(&mut random));
        let weight = q(1 + below(&mut random, 7), 8);
        let rest = BigRational::one() - &weight;
        let step = |law: &[(BigRational, BigRational)]| {
            let (p, q) = law.iter().cloned().unzip();
            (Step::Finite { p, q }, 1 + u64::from(law.len() < 3))
        };
        let (a, b) = (step(&one), step(&other));
        let runs = |law: &[(BigRational, BigRational)], times: u64| -> Vec<(BigRational, BigRational)> {
            let start = vec![(q(1, 1), q(1, 1))];
            let more = |all: Vec<(BigRational, BigRational)>, _| {
                all.iter().flat_map(|(p, r)| law.iter().map(move |(s, t)| (p * s, r * t))).collect()
            };
            (0..times).fold(start, more)
        };
        let share = |law: Vec<(BigRational, BigRational)>, weight: &BigRational| {
            law.into_iter().map(|(p, r)| (p * weight, r * weight)).collect::<Vec<_>>()
        };
        let all = [share(runs(&one, a.1), &weight), share(runs(&other, b.1), &rest)].concat();
        let labelled = Step::Labelled { of: vec![(weight.clone(), vec![a]), (rest.clone(), vec![b])] };
        for direction in Direction::ALL {
            let law = turned(&all, *direction);
            if law.iter().any(|(p, r)| p.is_zero() && !r.is_zero()) {
                continue;
            }
            for order in [q(3, 2), q(2, 1), q(7, 2)] {
                let t = float(&order);
                let term = |(p, r): &(BigRational, BigRational)| {
                    if r.is_zero() { 0.0 } else { float(r).powf(t) * float(p).powf(1.0 - t) }
                };
                let truth = law.iter().map(term).sum::<f64>().ln();
                for side in [Side::Upper, Side::Lower] {
                    let found = near(&closed(&labelled, &order, *direction, side).unwrap());
                    assert!((found - truth).abs() < 1e-9, "{found} {truth} {labelled}");
                }
            }
        }
        // Either order tells as much where both vectors are the same.
        let alike = [one.clone(), one.iter().map(|(p, _)| (p.clone(), p.clone())).collect()];
        for law in alike {
            assert_eq!(step(&law).0.is_symmetric(), law.iter().all(|(p, r)| p == r), "{law:?}");
        }
        // Of a class: on a label, and where another part is known.
        let class = |rho: &BigRational| vec![(Step::Zcdp { rho: rho.clone() }, 1)];
        let rho = q(1 + below(&mut random, 9), 10);
        let parts =
            vec![(Step::Labelled { of: vec![(weight.clone(), class(&rho)), (rest.clone(), vec![step(&other)])] }, 1)];
        let lines = [Line { order: q(3, 1), q: q(1, 2), p: q(1, 4), weight: q(1, 3) }];
        let u = q(1 + below(&mut random, 12), 5);
        let of = |parts: &Parts| near(&delta_at_most(parts, Direction::Remove, &Real::of(&u), &lines).unwrap());
        let known = {
            let law = runs(&other, step(&other).1);
            let gain = |(p, r): &(BigRational, BigRational)| (float(r) - float(&u) * float(p)).max(0.0);
            law.iter().map(gain).sum::<f64>()
        };
        let truth = float(&weight) * of(&class(&rho)) + float(&rest) * known;
        assert!((of(&parts) - truth).abs() < 1e-9, "{truth} {parts:?}");
        // A Gaussian of the class is below it.
        let member =
            at(&Step::Gaussian { square: &rho * BigInt::from(2) }, Direction::Remove, &Epsilon::LogOf(u.clone()));
        let member = float(&weight) * near(&member.unwrap().delta) + float(&rest) * known;
        assert!(of(&parts) > member - 1e-9, "{member} {parts:?}");
    }
}

/// Candidates that are named for choices on a sample: their pair on it, where the odds change by no more than ε, and below the bound of all such choices at every u.
#[test]
fn candidates_on_samples() {
    use crate::dataset::of_dataset;
    let sample = |step: Step, times: u64| Step::Sampled { rate: q(1, 3), of: vec![(step, times)] };
    let choice = |times| sample(Step::Choice { epsilon: Epsilon::LogOf(q(2, 1)), is_flip: false }, times);
    for times in [1, 2] {
        for (p, r) in [(q(1, 2), q(2, 3)), (q(1, 5), q(1, 3)), (q(1, 2), q(3, 5))] {
            work::begin(None);
            let found = of_dataset(&choice(times), &[r.clone(), p.clone()]).unwrap();
            let rest = |x: &BigRational| BigRational::one() - x;
            let pair = Step::Finite { p: vec![p.clone(), rest(&p)], q: vec![r.clone(), rest(&r)] };
            assert_eq!(found, sample(pair, times));
            for direction in Direction::ALL {
                for u in [q(9, 10), q(11, 10), q(4, 3)] {
                    let at = |step: &Step| ends(&at(step, *direction, &Epsilon::LogOf(u.clone())).unwrap().delta);
                    let (one, all) = (at(&found), at(&choice(times)));
                    assert!(one.0 <= all.1, "{times} {p} {r} {u} {direction}: {one:?} {all:?}");
                }
            }
            // A little more is another choice.
            assert!(of_dataset(&choice(times), &[&r + q(1, 50) * rest(&r), p.clone()]).is_err() || r == q(3, 5));
            assert!(of_dataset(&choice(times), &[p, r]).is_err());
        }
    }
    // It is named for the one step that runs on the sample.
    let several = vec![
        (Step::Choice { epsilon: Epsilon::LogOf(q(2, 1)), is_flip: false }, 1),
        (Step::Laplace { epsilon: q(1, 1) }, 1),
    ];
    assert!(of_dataset(&Step::Sampled { rate: q(1, 3), of: several }, &[q(2, 3), q(1, 2)]).is_err());
}

/// A pair of a class beside outcomes: what lines say of δ, whatever they are, is no less than δ of both together; and ε²/2 is no less than D_t/t (R2, R5).
#[test]
fn classes_beside_other_steps() {
    let mut random = Random::new(2024);
    let (mut near_it, mut trivial) = (0, 0);
    for round in 0..400 {
        work::begin(None);
        let law = drawn(&mut random);
        let (p, r) = (q(1 + below(&mut random, 8), 10), q(1 + below(&mut random, 9), 10));
        let (one, t) = (BigRational::one(), [q(3, 2), q(2, 1), q(3, 1), q(6, 1)][round % 4].clone());
        // The least class of one order that has the pair.
        let psi = |(q, p): (&BigRational, &BigRational)| bernoulli(&t, q, p).unwrap().0.ln().unwrap();
        let most = psi((&r, &p)).larger(&psi((&p, &r))).ends().1;
        let epsilon = most.max(BigRational::zero()) / (&t - &one);
        let (without, with) = law.iter().cloned().unzip();
        let vectors = Step::Finite { p: without, q: with };
        // The other one is known by its largest loss, unless by more.
        let rho = slope_by_losses(&vectors);
        let is_open = law.iter().any(|(p, r)| p.is_zero() != r.is_zero());
        assert_eq!(rho.is_none(), is_open);
        let parts = vec![(Step::Rdp { orders: vec![(t.clone(), epsilon)] }, 1), (vectors.clone(), 1)];
        for direction in [Direction::Remove, Direction::Add] {
            let moment = closed(&vectors, &t, direction, Side::Upper).ok();
            if let (Some(moment), Some(rho)) = (&moment, &rho) {
                assert!(near(moment) <= float(&(rho * &t * (&t - &one))) + 1e-12);
            }
            let pair = [(p.clone(), r.clone()), (&one - &p, &one - &r)];
            let both = law.iter().flat_map(|(a, b)| pair.iter().map(move |(p, r)| (a * p, b * r)));
            let both = turned(&both.collect::<Vec<_>>(), direction);
            let u = q(1 + below(&mut random, 30), 10);
            let delta: BigRational = both.iter().map(|(p, q)| (q - &u * p).max(BigRational::zero())).sum();
            // Near the test that is best of both together, and anywhere.
            let best = both
                .iter()
                .filter(|(p, q)| *q > &u * p)
                .fold((q(0, 1), q(0, 1)), |sum, x| (sum.0 + &x.0, sum.1 + &x.1));
            let (size, power) = match round % 3 {
                0 => (q(1 + below(&mut random, 9), 10), q(1 + below(&mut random, 9), 10)),
                _ => (best.0.max(q(1, 100)).min(q(99, 100)), best.1.max(q(1, 100)).min(q(99, 100))),
            };
            let (_, of_q, of_p) = bernoulli(&t, &power, &size).unwrap();
            let weights = [of_q.ends().1.recip(), -(&u / of_p.ends().0)];
            let weight = weights.into_iter().filter(Signed::is_positive).min().unwrap_or_else(|| q(1, 3));
            let lines = [Line { order: t.clone(), q: power, p: size, weight }];
            match delta_at_most(&parts, direction, &Real::of(&u), &lines) {
                Ok(found) => {
                    let found = ends(&found).1;
                    assert!(found >= delta, "{p} {r} {t} {u} {law:?}: {found} {delta}");
                    near_it += i32::from(float(&(found - &delta)) < 0.1);
                }
                // No divergence is known of what may be impossible.
                Err(_) => trivial += i32::from(is_open),
            }
        }
    }
    assert!(near_it > 50 && trivial > 20, "{near_it} {trivial}");
}

/// A test of a member of one class may stand for a composition, in which it is one of many.
#[test]
fn members_of_one_class_of_several() {
    work::begin(None);
    let orders: Vec<BigRational> = (9..=24).map(|n| q(n, 8)).collect();
    let laplace = || (Step::Laplace { epsilon: q(3, 1) }, 1);
    let zcdp = |rho| (Step::Zcdp { rho }, 3);
    let shown = |parts: Parts| is_member(&parts, &q(5, 8), &q(3, 8), &orders).is_ok();
    assert!(shown(vec![zcdp(q(1, 5))]) && shown(vec![laplace(), zcdp(q(1, 5)), laplace()]));
    assert!(shown(vec![zcdp(q(1, 10)), laplace(), zcdp(q(1, 5)), zcdp(q(1, 10))]));
    // Not of several together, and not of what is no class.
    assert!(!shown(vec![zcdp(q(1, 10)), zcdp(q(1, 9)), laplace()]));
    assert!(!shown(vec![laplace(), laplace()]) && !shown(Vec::new()));
}

/// ε²/2 of largest losses, of the larger one of both orders.
#[test]
fn slopes_by_losses() {
    work::begin(None);
    let of = |step: &Step| slope_by_losses(step).map(|rho| float(&rho));
    let laplace = Step::Laplace { epsilon: q(1, 2) };
    assert_eq!(slope_by_losses(&laplace), Some(q(1, 8)));
    let vectors = Step::Finite { p: vec![q(1, 4), q(3, 4)], q: vec![q(1, 2), q(1, 2)] };
    assert!((of(&vectors).unwrap() - 2f64.ln().powi(2) / 2.0).abs() < 1e-15);
    let sampled = Step::Sampled { rate: q(1, 2), of: vec![(laplace.clone(), 2)] };
    let loss = (0.5 + 0.5 * 1f64.exp()).ln();
    assert!((of(&sampled).unwrap() - loss * loss / 2.0).abs() < 1e-15);
    let guarantee = |delta| Step::Guarantee { points: vec![(Epsilon::Plain(q(1, 1)), delta)] };
    assert_eq!(of(&guarantee(q(0, 1))), Some(0.5));
    assert_eq!(of(&guarantee(q(1, 1000))), None);
    assert_eq!(of(&Step::Gaussian { square: q(1, 1) }), None);
    assert_eq!(of(&Step::Rdp { orders: vec![(q(2, 1), q(1, 1))] }), None);
    // Of a composition either is added, but not to what is proved of ρ itself.
    let parts = vec![(Step::Gaussian { square: q(1, 1) }, 2), (laplace.clone(), 4)];
    assert_eq!((slopes(&parts), slope(&laplace)), (Some(q(3, 2)), None));
}
