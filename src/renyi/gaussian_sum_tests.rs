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

/// The line and what a factor c may add, by their formulas.
#[test]
fn bounds_without_a_sum_by_their_formulas() {
    let line = pair(&q(1, 2), 3, 2).line();
    // s²/(2V) and (N − 1)·s/(2V) for V = 3/4.
    assert_eq!(line, (q(8, 3), q(8, 3)));
    for (sigma, parties, shift) in [(q(4, 5), 2, 1u64), (q(1, 1), 3, 2)] {
        let pair = pair(&sigma, parties, shift);
        let range = pair.noise.log_range().unwrap().hi().to_f64();
        let (slope, constant) = pair.line();
        let (slope, constant) = (slope.to_f64(), constant.to_f64());
        for order in [q(1, 2), q(3, 4), q(1, 1), q(5, 4), q(2, 1), q(9, 1)] {
            let t = order.to_f64();
            let near = |found: f64, truth: f64| (found / truth - 1.0).abs() < 1e-9;
            let factor = match t == 1.0 {
                true => 1.0,
                false => t.max(1.0) / (t - 1.0).abs(),
            };
            let slack = pair.slack(&order, 64).unwrap();
            assert!(near(slack.hi().to_f64(), range * factor), "{sigma} {order}");
            assert!(
                near(slack.lo().to_f64(), -range * factor),
                "{sigma} {order}"
            );
            let above = match t > 1.0 {
                true => t / (t - 1.0),
                false => 1.0,
            };
            let main = slope * t.max(1.0);
            let most = (main + constant).min(main + range * above);
            let cheap = pair.cheap_bounds(&order, 64);
            assert!(
                near(cheap.hi().to_f64(), most),
                "{sigma} {order}: {cheap:?}"
            );
            assert_eq!(*cheap.lo(), 0);
        }
    }
}

/// As many digits as are asked for, and sixteen less: in proportion to the number at least.
#[test]
fn numbers_that_are_narrow_enough() {
    let between = |low: f64, high: f64| {
        let end = |x: f64| Float::with_val(64, x);
        Interval::spanning(end(low), end(high))
    };
    assert!(is_narrow(&between(1024.0, 1024.0 + 0.5), 27));
    assert!(!is_narrow(&between(1024.0, 1024.0 + 0.5), 28));
    assert!(is_narrow(&between(0.25, 0.25 + 1.0 / 4096.0), 26));
    assert!(!is_narrow(&between(0.25, 0.25 + 1.0 / 4096.0), 27));
    assert!(!is_narrow(&between(0.0, 1.0), 16));
    assert!(!is_narrow(&between(0.0, 0.5), 15) && !is_narrow(&between(-0.5, 1.0), 8));
    // Of a wide one the smaller end counts.
    assert!(is_narrow(&between(1.0, 2.0), 16) && !is_narrow(&between(1.0, 2.5), 16));
}

/// What the factor may be off by, at random orders and few bits: no less than at many.
#[test]
fn slack_at_random_orders() {
    let mut random = crate::kernel::coarse::Random(59);
    let mut seen = 0;
    for (sigma, parties) in [(q(2, 5), 2), (q(1, 2), 2), (q(1, 2), 3), (q(2, 3), 5)] {
        let pair = pair(&sigma, parties, 1);
        for _ in 0..1_700 {
            let order = q(1 + i64::try_from(random.below(80)).unwrap(), 16);
            let bits = 3 + u32::try_from(random.below(30)).unwrap();
            let coarse = at_most_bits(bits, || pair.slack(&order, 64));
            let Some((coarse, fine)) = coarse.zip(pair.slack(&order, 64)) else {
                continue;
            };
            seen += 1;
            let nearly = Float::with_val(64, fine.hi() * (1.0 - 1e-15));
            let holds = *coarse.hi() >= nearly && *coarse.lo() <= -nearly;
            assert!(
                holds,
                "{sigma} {parties} {order} {bits}: {coarse:?}, {fine:?}"
            );
        }
    }
    assert!(seen > 3_000, "{seen}");
}

/// So many bits less 16, by fractions.
#[test]
fn narrow_by_fractions() {
    let mut random = crate::kernel::coarse::Random(60);
    for _ in 0..5_000 {
        let bits = 17 + u32::try_from(random.below(6)).unwrap();
        let low = 1 + random.below(200);
        let width = random.below(30);
        let at = |n: u64| Float::with_val(64, n) >> 6u32;
        let x = Interval::spanning(at(low), at(low + width));
        let truth = width << (bits - 16) <= low;
        assert_eq!(is_narrow(&x, bits), truth, "{low} {width} {bits}");
        let coarse = at_most_bits(2, || is_narrow(&x, bits));
        assert!(truth || !coarse, "{low} {width} {bits}");
    }
    assert!(!is_narrow(&Interval::zero(64), 20));
}
