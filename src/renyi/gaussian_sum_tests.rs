//! Rényi divergences of sums of discrete Gaussians.

use std::sync::Arc;

use rug::Float;

use super::*;
use crate::kernel::coarse::{at_most_bits, surrounds};
use crate::mechanism::shifted::{IntegerNoise, Shifts};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn pair(sigma: &Rational, parties: u64, unit: u64) -> GaussianSum {
    let noise = Noise::GaussianSum {
        sigma: sigma.clone(),
        parties,
        unit,
    };
    let once = Shifts::sampled(&q(1, 1));
    GaussianSum::of(&Arc::new(ShiftedNoise::new(noise, Shifts::none(), once))).unwrap()
}

fn cases() -> Vec<(Rational, u64, u64)> {
    vec![
        (q(1, 2), 2, 1),
        (q(1, 2), 3, 2),
        (q(2, 3), 5, 1),
        (q(1, 1), 40, 3),
        (q(3, 1), 10, 2),
    ]
}

/// By its definition, from masses as floats of many bits.
#[test]
fn sums_by_definition() {
    for (sigma, parties, unit) in cases() {
        let pair = pair(&sigma, parties, unit);
        // Some forty standard deviations.
        let last = 20 + 40 * pair.noise.variance().to_f64().sqrt() as i64;
        let masses = pair.noise.masses(last + 8, 200).unwrap();
        let log = |k: i64| masses[usize::try_from(k.abs()).unwrap()].middle().ln();
        let shift = i64::try_from(unit).unwrap();
        for order in [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(5, 1)] {
            let t = Float::with_val(200, &order);
            let mut sum = Float::new(200);
            for k in -last..=last {
                let (with, without) = (log(k - shift), log(k));
                let loss = Float::with_val(200, &with - &without);
                if order == 1 {
                    sum += Float::with_val(200, with.exp_ref()) * loss;
                } else {
                    sum += (without + loss * &t).exp();
                }
            }
            let truth = if order == 1 {
                sum
            } else {
                sum.ln() / (t - 1u32)
            };
            let found = pair.divergence(&order, 64, &Budget::unlimited()).unwrap();
            let gap = Float::with_val(200, found.middle() - &truth).abs();
            assert!(
                gap < 1e-9,
                "{sigma} {parties} {unit} {order}: {found:?} {truth}"
            );
            assert!(
                found.width_up() < 1e-12,
                "{sigma} {parties} {unit} {order}: {found:?}"
            );
        }
    }
}

/// At integer orders it is next to that of Gaussian noise; and never above its line.
#[test]
fn no_divergence_is_above_its_line() {
    for (sigma, parties, unit) in cases() {
        let pair = pair(&sigma, parties, unit);
        let (slope, constant) = pair.line();
        for order in [q(1, 1), q(6, 5), q(2, 1), q(7, 1), q(40, 1)] {
            let found = pair.divergence(&order, 64, &Budget::unlimited()).unwrap();
            let most = Rational::from(&slope * &order) + &constant;
            assert!(
                found.hi().to_rational().unwrap() <= most,
                "{sigma} {parties} {order}"
            );
            if sigma >= 1 {
                let gauss = Interval::from_rational(&Rational::from(&slope * &order), 64);
                let ratio = found.div(&gauss).sub(&Interval::one(64));
                assert!(
                    *ratio.hi() < 1e-2 && *ratio.lo() > -1e-2,
                    "{sigma} {parties} {order}: {ratio:?}"
                );
            }
        }
    }
}

/// By the discrete Gaussian of the summed variance, and by the sum: both have the truth.
#[test]
fn two_ways_meet() {
    for (sigma, parties, unit) in [(q(3, 1), 10, 2), (q(2, 1), 30, 1), (q(5, 2), 7, 5)] {
        let pair = pair(&sigma, parties, unit);
        for order in [q(1, 2), q(1, 1), q(5, 4), q(3, 1)] {
            let unlimited = Budget::unlimited();
            let near = pair.near(&order, 64, &unlimited).unwrap().unwrap();
            let sum = pair.sum.as_ref().unwrap();
            let sum = sum
                .divergence(&order, Direction::Remove, 64, &unlimited)
                .unwrap()
                .unwrap();
            assert!(
                near.intersect(&sum).is_ok(),
                "{sigma} {parties} {order}: {near:?} {sum:?}"
            );
            assert!(sum.width_up() < 1e-9, "{sum:?}");
        }
    }
}

/// The moment from which the profile is made agrees with the divergence.
#[test]
fn tails_and_divergences_speak_of_one_law() {
    let pair = pair(&q(1, 1), 40, 3);
    let tail = pair.noise.upper_tail(1, 100);
    let zero = pair.noise.masses(1, 100).unwrap()[0].clone();
    let all = tail.add(&tail).add(&zero);
    assert!(all.lo() <= &1 && all.hi() >= &1 && all.width_up() < 1e-20);
}

/// At few bits each way has what it has at many.
#[test]
fn few_bits_enclose_many() {
    let unlimited = Budget::unlimited();
    for (sigma, parties) in [(q(2, 5), 2), (q(1, 2), 2), (q(1, 2), 3), (q(2, 3), 5)] {
        let pair = pair(&sigma, parties, 1);
        for order in [q(1, 2), q(1, 1), q(5, 4), q(3, 1)] {
            let near = |bits| pair.near(&order, bits, &unlimited).unwrap();
            let cheap = pair.cheap_bounds(&order, 64);
            for bits in 3..=12 {
                // At very few bits it may not be known that c is bounded.
                if let (Some(fine), Some(coarse)) = (near(64), at_most_bits(bits, || near(64))) {
                    assert!(
                        surrounds(&coarse, &fine),
                        "{sigma} {parties} {order} {bits}"
                    );
                }
                let slack = || pair.slack(&order, 64);
                if let (Some(fine), Some(coarse)) = (slack(), at_most_bits(bits, slack)) {
                    let nearly = Float::with_val(64, fine.hi() * (1.0 - 1e-15));
                    let holds = *coarse.hi() >= nearly && *coarse.lo() <= -nearly;
                    assert!(
                        holds,
                        "{sigma} {parties} {order} {bits}: {coarse:?}, {fine:?}"
                    );
                }
                let coarse = at_most_bits(bits, || pair.cheap_bounds(&order, 64));
                assert!(
                    surrounds(&coarse, &cheap),
                    "{sigma} {parties} {order} {bits}"
                );
            }
        }
    }
}
