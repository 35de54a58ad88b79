//! Batches of a largest size: by all datasets of few records, and their chances by definition.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::truncated;
use crate::claim::Direction;
use crate::mechanism::{Relation, part};
use crate::normal::Normal;
use crate::profile::{Pair, Place};
use crate::real::Real;
use crate::reason::Reason;
use crate::step::{Parts, Step};
use crate::value::json;
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn of(noise: &str, sizes: [u64; 2], rate: &BigRational, relation: Relation) -> Normal {
    work::begin(None);
    let value = json(&format!(r#"{{"dataset-size":{},"max-batch":{}}}"#, sizes[0], sizes[1])).unwrap();
    let of = |relation| part(&json(noise).unwrap(), "kind", relation).unwrap();
    truncated(&value, &of(relation), &of(Relation::Presence), rate, relation).unwrap()
}

/// P(K = k), K binomial of n.
fn binomial(n: u64, rate: f64, k: u64) -> f64 {
    let choices = (0..k).fold(1.0, |all, i| all * (n - i) as f64 / (i + 1) as f64);
    choices * rate.powi(k as i32) * (1.0 - rate).powi((n - k) as i32)
}

/// Discrete Laplace noise on the sum of what stays, on the whole numbers up to 60.
fn law(records: &[i64], most: usize, rate: f64, scale: f64) -> Vec<f64> {
    let mut all = vec![0.0; 121];
    for batch in 0..1u32 << records.len() {
        let drawn = |set: u32| (0..records.len()).filter(move |i| set >> i & 1 == 1);
        let size = drawn(batch).count();
        let chance = rate.powi(size as i32) * (1.0 - rate).powi((records.len() - size) as i32);
        let parts = (0..1u32 << records.len()).filter(|set| set & !batch == 0 && drawn(*set).count() == size.min(most));
        let sums: Vec<i64> = parts.map(|set| drawn(set).map(|i| records[i]).sum()).collect();
        let fall = (-1.0 / scale).exp();
        for sum in &sums {
            for (k, mass) in (-60..=60).zip(&mut all) {
                let noise = (1.0 - fall) / (1.0 + fall) * fall.powi((k - sum).abs() as i32);
                *mass += chance / sums.len() as f64 * noise;
            }
        }
    }
    all
}

fn delta((p, q): (&[f64], &[f64]), u: f64) -> f64 {
    p.iter().zip(q).map(|(p, q)| (q - u * p).max(0.0)).sum()
}

fn ends_of(parts: &Parts, direction: Direction, u: &BigRational) -> [f64; 2] {
    let place = Place::of_odds(Real::of(u)).unwrap();
    let (low, high) = Pair::of_parts(parts, direction).unwrap().at(&place).unwrap().delta.ends();
    [low.to_f64().unwrap(), high.to_f64().unwrap()]
}

/// No neighbours tell more than what is above, and others that contribute nothing tell what is below.
#[test]
fn all_neighbours_of_few_records() {
    let noise = r#"{"kind":"discrete-laplace","scale":"3/2","record-bound":1}"#;
    let relations = [Relation::Presence, Relation::ReplaceOne, Relation::ReplaceSpecial];
    for (size, most, rate) in [(2, 1, q(1, 3)), (3, 1, q(1, 2)), (3, 2, q(2, 3)), (4, 2, q(9, 10))] {
        for relation in relations {
            let found = of(noise, [size, most], &rate, relation);
            let mut nearest = f64::INFINITY;
            for others in 0..3i64.pow(size as u32 - 1) {
                let mut others: Vec<i64> = (1..size).map(|i| others / 3i64.pow(i as u32 - 1) % 3 - 1).collect();
                let is_nothing = others.iter().all(|x| *x == 0);
                others.push(1);
                let mut without = others.clone();
                match relation {
                    Relation::Presence => drop(without.pop()),
                    Relation::ReplaceOne => *without.last_mut().unwrap() = -1,
                    Relation::ReplaceSpecial => *without.last_mut().unwrap() = 0,
                }
                let law = |of: &[i64]| law(of, most as usize, rate.to_f64().unwrap(), 1.5);
                let (p, with) = (law(&without), law(&others));
                for (direction, pair) in [(Direction::Remove, (&p, &with)), (Direction::Add, (&with, &p))] {
                    for u in [q(1, 8), q(2, 3), q(1, 1), q(5, 4), q(2, 1), q(3, 1)] {
                        let truth = delta((pair.0, pair.1), u.to_f64().unwrap());
                        let room = ends_of(&found.steps, direction, &u)[0] - truth;
                        assert!(room > -1e-14, "{size} {most} {rate} {u}: {room}");
                        nearest = nearest.min(room);
                        if is_nothing {
                            let [low, high] = ends_of(&found.members[0], direction, &u);
                            assert!(high < truth + 1e-14 && low > truth - 1e-14, "{size} {most} {rate} {u}");
                        }
                    }
                }
            }
            assert!(nearest < 0.01, "{nearest}");
        }
    }
}

/// The chance of a full batch from below, that of being in it from above, that of taking part from below; where nothing is known of them, all of it.
#[test]
fn chances_by_definition() {
    let noise = r#"{"kind":"gaussian","sigma":1}"#;
    for (size, most, rate) in [(30, 10, q(1, 4)), (30, 29, q(1, 2)), (200, 60, q(1, 10)), (5, 1, q(9, 10))] {
        let found = of(noise, [size, most], &rate, Relation::Presence);
        let q = rate.to_f64().unwrap();
        let chances = (most..size).map(|k| (k, binomial(size - 1, q, k)));
        let full: f64 = chances.clone().map(|(_, chance)| chance).sum();
        let stay: f64 = chances.map(|(k, chance)| q * chance * most as f64 / (k + 1) as f64).sum();
        let [(Step::Labelled { of }, 1)] = found.steps.as_slice() else { panic!() };
        let [(_, near), (weight, far)] = of.as_slice() else { panic!() };
        let ([(Step::Sampled { rate: one, .. }, 1)], [(Step::Sampled { rate: other, of }, 1)]) = (&near[..], &far[..])
        else {
            panic!()
        };
        assert_eq!((one, of), (&rate, &vec![(Step::Gaussian { square: BigRational::from(BigInt::from(4)) }, 1)]));
        let (weight, displacing) = (weight.to_f64().unwrap(), (weight * other).to_f64().unwrap());
        assert!((weight / full - 1.0).abs() < 1e-12 && (displacing / stay - 1.0).abs() < 1e-12, "{size} {most}");
        let [(Step::Sampled { rate: least, .. }, 1)] = found.members[0].as_slice() else { panic!() };
        assert!((least.to_f64().unwrap() / ((1.0 - full) * q + stay) - 1.0).abs() < 1e-12);
    }
    // A cap far out: not above 2^-160 or so, and the rate is that of the sample.
    let found = of(noise, [10_000, 9_000], &q(1, 10), Relation::Presence);
    let [(Step::Labelled { of: parts }, 1)] = found.steps.as_slice() else { panic!() };
    assert!(parts[1].0 > q(0, 1) && parts[1].0.to_f64().unwrap() < 1e-45);
    assert!(matches!(&parts[1].1[..], [(Step::Sampled { rate, .. }, 1)] if *rate == q(1, 10)));
    // Where all fit, it is a Poisson sample.
    let all = of(noise, [9, 9], &q(1, 10), Relation::Presence);
    assert_eq!(all.steps, [(Step::sampled_gaussian(BigRational::one(), q(1, 10)), 1)]);
    assert!(all.members.is_empty() && !all.granted.contains(&crate::Condition::TruncatedBatches));
}

/// A run is so many steps of the noise that it states, each on its own sample; other ways to draw batches have no largest size, and only noise on a sum has one.
#[test]
fn runs_in_batches_of_a_largest_size() {
    let read = |text: String| {
        work::begin(None);
        part(&json(&text).unwrap(), "adjacency", Relation::Presence).map_err(|no| no.reason)
    };
    let noise = r#"{"kind":"gaussian","sigma":3}"#;
    let one = of(noise, [20, 4], &q(1, 10), Relation::Presence);
    let sizes = r#""max-batch":4,"dataset-size":20"#;
    let sample = |drawn: &str, of: &str| {
        read(format!(r#"{{"kind":"subsampled","sampling":"{drawn}","rate":"1/10","of":{of},{sizes}}}"#))
    };
    assert_eq!(sample("truncated-poisson", noise).unwrap().steps, one.steps);
    let response = r#"{"kind":"randomized-response","epsilon":1}"#;
    assert_eq!(sample("truncated-poisson", response).unwrap_err(), Reason::NoCertificateYet);
    let run = |drawn: &str, rest: &str| {
        read(format!(r#"{{"kind":"dp-sgd","sampling":"{drawn}","noise-multiplier":3,{rest}}}"#))
    };
    let found = run("truncated-poisson", &format!(r#""sample-rate":"1/10","steps":7,{sizes}"#)).unwrap();
    let [(step, 1)] = one.steps.as_slice() else { panic!() };
    assert_eq!(found.steps, [(step.clone(), 7)]);
    let found = run("truncated-poisson", &format!(r#""batch-size":2,"steps":7,{sizes}"#)).unwrap();
    assert_eq!(found.steps, [(step.clone(), 7)]);
    for rest in [sizes, r#""max-batch":4"#, r#""dataset-size":20"#] {
        let refused = run("poisson", &format!(r#""sample-rate":"1/10","steps":7,{rest}"#));
        assert_eq!(refused.unwrap_err(), Reason::Malformed, "{rest}");
    }
    // The noise of fixed batches is that of the run, too.
    work::begin(None);
    let rest = r#"{"kind":"dp-sgd","sampling":"without-replacement","noise-multiplier":3,"batch-size":2,"steps":7,"dataset-size":20}"#;
    let found = part(&json(rest).unwrap(), "adjacency", Relation::ReplaceOne).unwrap();
    let noise = super::noise_of(&BigRational::one(), &q(3, 1), Relation::ReplaceOne).steps;
    let sample = Step::Sampled { rate: q(1, 10), of: noise };
    assert_eq!(found.steps, [(Step::Worst { of: vec![(false, sample.clone()), (true, sample)] }, 7)]);
}
