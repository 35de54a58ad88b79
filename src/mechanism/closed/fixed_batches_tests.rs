//! One step on a batch of fixed size, against all datasets of few records.

use rug::Rational;

use super::*;
use crate::kernel::Point;
use crate::kernel::coarse::{self, Place};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::{Mechanism, Step};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn step(mechanism: &Mechanism, relation: Relation) -> Steps {
    mechanism.under(relation).unwrap().steps().clone()
}

fn profile(mechanism: &Mechanism, relation: Relation) -> Arc<dyn Profile> {
    let steps = step(mechanism, relation);
    let Some(Step::Closed(pair)) = steps.single() else {
        panic!("{steps:?}");
    };
    assert!(matches!(pair, ClosedPair::FixedBatches(_)));
    pair.profile().unwrap()
}

const OUTCOMES: i32 = 60;

/// The law of the noisy sum of a batch of `size` of these records, with noise ∝ t^|k|.
fn law(records: &[i32], size: usize, t: f64) -> Vec<f64> {
    let mut law = vec![0.0; usize::try_from(2 * OUTCOMES + 1).unwrap()];
    let batches: Vec<u32> = (0u32..1 << records.len())
        .filter(|set| set.count_ones() == u32::try_from(size).unwrap())
        .collect();
    for set in &batches {
        let sum: i32 = (0..records.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| records[i])
            .sum();
        for (k, mass) in (-OUTCOMES..=OUTCOMES).zip(&mut law) {
            *mass += (1.0 - t) / (1.0 + t) * t.powi((k - sum).abs()) / batches.len() as f64;
        }
    }
    law
}

fn hockey_stick(with: &[f64], without: &[f64], u: f64) -> f64 {
    with.iter()
        .zip(without)
        .map(|(q, p)| (q - u * p).max(0.0))
        .sum()
}

fn datasets(records: usize) -> Vec<Vec<i32>> {
    (0..3usize.pow(u32::try_from(records).unwrap()))
        .map(|code| {
            (0..records)
                .map(|i| {
                    i32::try_from(code / 3usize.pow(u32::try_from(i).unwrap()) % 3).unwrap() - 1
                })
                .collect()
        })
        .collect()
}

/// Of all datasets of three or four records −1, 0, 1 and all neighbours none has a larger δ, at any u, and some have that one.
#[test]
fn no_dataset_has_a_larger_profile_and_some_attain_it() {
    for (records, size, scale) in [(3usize, 1usize, 2u32), (3, 2, 1), (4, 2, 3)] {
        let noise = Mechanism::new(
            crate::mechanism::kind::DiscreteLaplace::new(
                Rational::from(scale),
                crate::mechanism::kind::Sensitivity::RecordBound(1),
            )
            .unwrap(),
        );
        let [n, m] = [records, size].map(|x| u64::try_from(x).unwrap());
        let batches = Mechanism::without_replacement(n, m, noise.unwrap()).unwrap();
        let profile = profile(&batches, Relation::ReplaceOne);
        let t = (-1.0 / f64::from(scale)).exp();
        for u in [q(1, 5), q(9, 10), q(1, 1), q(11, 10), q(3, 2), q(3, 1)] {
            let stated = profile.at(&Point::at_exp_epsilon(&u, 120)).delta;
            let stated = stated.middle().to_f64();
            let mut most = 0.0f64;
            for others in datasets(records - 1) {
                let of = |one: i32| {
                    let mut all = others.clone();
                    all.push(one);
                    law(&all, size, t)
                };
                let laws = [-1, 0, 1].map(of);
                for with in &laws {
                    for without in &laws {
                        most = most.max(hockey_stick(with, without, u.to_f64()));
                    }
                }
            }
            assert!(
                most <= stated + 1e-8,
                "{records} {size} {u}: {most} {stated}"
            );
            assert!(
                most >= stated - 1e-8,
                "{records} {size} {u}: {most} {stated}"
            );
        }
    }
}

/// δ of (1 − q)·N(y) + q·N(null) against (1 − q)·N(y) + q·N(with) by sums over a fine grid.
fn by_sums(rate: f64, mu: f64, [y, null, with]: [f64; 3], u: f64) -> f64 {
    let normal =
        |x: f64, at: f64| (-(x - at) * (x - at) / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let width = 1.0 / 512.0;
    (-8_000..8_000)
        .map(|i| f64::from(i) * width)
        .map(|x| {
            let rest = (1.0 - rate) * normal(x, y * mu);
            let q = rest + rate * normal(x, with * mu);
            let p = rest + rate * normal(x, null * mu);
            (q - u * p).max(0.0) * width
        })
        .sum()
}

/// With a special record: no others and no record reveal more, in either order; all others opposite, or the record again, as much.
#[test]
fn a_special_record_and_the_worst_others() {
    let all = [
        (q(1, 10), q(1, 1), 1.0),
        (q(1, 2), q(1, 2), 2.0),
        (q(9, 10), q(2, 1), 0.5),
    ];
    for (number, (rate, sigma, over)) in all.into_iter().enumerate() {
        let noise = Mechanism::gaussian_sum(sigma, 1).unwrap();
        let [m, n] = [rate.numer(), rate.denom()].map(|x| x.to_u64().unwrap());
        let batches = Mechanism::without_replacement(n, m, noise).unwrap();
        let stated = profile(&batches, Relation::ReplaceSpecial);
        let swapped = stated.swapped();
        let rate = rate.to_f64();
        let places = [q(1, 4), q(9, 10), q(1, 1), q(6, 5), q(2, 1), q(8, 1)];
        for (place, u) in places.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 6) {
                continue;
            }
            let at = |profile: &Arc<dyn Profile>| {
                let delta = profile.at(&Point::at_exp_epsilon(&u, 120)).delta;
                delta.middle().to_f64()
            };
            let (there, back) = (at(&stated), at(&swapped));
            let (mut most_there, mut most_back) = (0.0f64, 0.0f64);
            for (i, j) in (-4..=4).flat_map(|i| (-4..=4).map(move |j| (i, j))) {
                let (y, x) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
                let u = u.to_f64();
                most_there = most_there.max(by_sums(rate, over, [y, 0.0, x], u));
                most_back = most_back.max(by_sums(rate, over, [y, x, 0.0], u));
            }
            assert!(
                (there - most_there).abs() < 1e-6,
                "{rate} {u}: {there} {most_there}"
            );
            assert!(
                (back - most_back).abs() < 1e-6,
                "{rate} {u}: {back} {most_back}"
            );
        }
    }
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    let noise = || Mechanism::gaussian_sum(q(3, 2), 1).unwrap();
    let batches = Mechanism::without_replacement(10, 3, noise()).unwrap();
    for relation in [Relation::ReplaceOne, Relation::ReplaceSpecial] {
        let one = profile(&batches, relation);
        for profile in [&one, &one.swapped()] {
            for bits in [8, 12, 16] {
                for place in [
                    Place::Epsilon(q(1, 7)),
                    Place::Epsilon(q(-2, 3)),
                    Place::ExpEpsilon(q(9, 4)),
                    Place::NearEpsilon(q(-1, 3)),
                ] {
                    let slopes = relation == Relation::ReplaceSpecial;
                    assert_eq!(
                        coarse::profile_holds(&**profile, &place, bits, slopes),
                        Ok(())
                    );
                }
                assert_eq!(coarse::ends_hold(&**profile, bits), Ok(()));
            }
        }
    }
}

/// One run is exact; several are a bound with the sampled pair as a member; a batch of all records is no sample.
#[test]
fn several_runs_are_a_bound() {
    let noise = || Mechanism::gaussian_sum(2, 1).unwrap();
    let batches = Mechanism::without_replacement(100, 10, noise()).unwrap();
    for (relation, distance) in [(Relation::ReplaceOne, 2u32), (Relation::ReplaceSpecial, 1)] {
        assert!(!step(&batches, relation).is_bound());
        let run = Mechanism::compose(vec![(batches.clone(), 7)]).unwrap();
        let run = step(&run, relation);
        assert!(run.is_bound() && run.runs() == 7 && run.conditions().fixed_batches);
        let alone = Mechanism::gaussian(2, distance).unwrap();
        let sampled = Mechanism::subsampled("1/10", alone).unwrap();
        let member = Mechanism::compose(vec![(sampled, 7)]).unwrap();
        assert_eq!(run.members().first(), Some(member.steps()));
        // Others that are picked after each answer are built where any record replaces the other.
        let picked = run.members().iter().skip(1);
        let picked = picked.filter(|of| matches!(of.single(), Some(Step::Finite(_))));
        assert_eq!(
            picked.count(),
            usize::from(relation == Relation::ReplaceOne)
        );
        let twice = Mechanism::compose(vec![(batches.clone(), 1), (noise(), 1)]).unwrap();
        assert!(step(&twice, relation).is_bound());
    }
    let whole = Mechanism::without_replacement(10, 10, noise()).unwrap();
    assert_eq!(
        step(&whole, Relation::ReplaceOne),
        step(&noise(), Relation::ReplaceOne)
    );
}

#[test]
fn what_has_no_meaning_is_refused() {
    let noise = || Mechanism::gaussian_sum(2, 1).unwrap();
    let batches = Mechanism::without_replacement(100, 10, noise()).unwrap();
    assert!(batches.under(Relation::Presence).is_err());
    assert!(Mechanism::without_replacement(100, 0, noise()).is_err());
    assert!(Mechanism::without_replacement(100, 101, noise()).is_err());
    let pure = Mechanism::pure_dp(1).unwrap();
    assert!(Mechanism::without_replacement(100, 10, pure).is_err());
    assert!(
        Mechanism::subsampled("1/2", batches.clone())
            .and_then(|of| of.under(Relation::ReplaceOne))
            .is_err()
    );
    assert!(
        Mechanism::group(2, batches)
            .and_then(|of| of.under(Relation::ReplaceOne))
            .is_err()
    );
    let laplace = Mechanism::laplace_sum(1, 1).unwrap();
    let laplace = Mechanism::without_replacement(100, 10, laplace).unwrap();
    assert!(laplace.under(Relation::ReplaceOne).is_ok());
    assert!(laplace.under(Relation::ReplaceSpecial).is_err());
}

/// Others that are picked after each answer are at the rate of the batches, with their noise.
#[test]
fn picked_others_are_those_of_the_batches() {
    let (rate, square) = (q(1, 5), q(1, 4));
    let noise = Noise::Gaussian {
        unit_squared: square.clone(),
    };
    let batches = FixedBatches {
        rate: rate.clone(),
        noise,
        replaced: Replaced::ByAny,
        answers: Answers::Several,
        apart: Mechanism::gaussian(1, 1).unwrap().steps().clone(),
    };
    let others = PickedOthers::new(&rate, &square, 3).unwrap();
    let step = Step::finite(FiniteLosses::PickedOthers(others));
    let members = batches.members(3);
    assert!(members.iter().any(|one| one.single() == Some(&step)));
}
