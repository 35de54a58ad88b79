//! Against sums of small steps, in floats.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits, few_bits, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// ∫ of a function of L, and what its atoms add, by Simpson's rule.
fn mean_of(noise: &Noise, rate: f64, side: Weighing, of: impl Fn(f64) -> f64) -> f64 {
    let (slope, offset) = match noise {
        Noise::Gaussian { square } => (square.to_f64().sqrt(), -square.to_f64() / 2.0),
        Noise::Laplace { epsilon } => (epsilon.to_f64(), 0.0),
    };
    let term = |z: f64, mass: f64| {
        let ratio = 1.0 - rate + rate * (slope * z + offset).exp();
        let weight = match side {
            Weighing::Null => mass,
            Weighing::Alternative => mass * ratio,
        };
        weight * of(ratio.ln())
    };
    let simpson = |low: f64, high: f64, density: &dyn Fn(f64) -> f64| {
        let steps = 40_000u32;
        let width = (high - low) / f64::from(steps);
        let at = |n: u32| {
            let z = low + width * f64::from(n);
            term(z, density(z))
        };
        let inner = (1..steps).map(|n| at(n) * if n % 2 == 1 { 4.0 } else { 2.0 });
        (at(0) + at(steps) + inner.sum::<f64>()) * width / 3.0
    };
    match noise {
        Noise::Gaussian { .. } => {
            let root = (2.0 * std::f64::consts::PI).sqrt();
            simpson(-20.0, 25.0, &|z| (-z * z / 2.0).exp() / root)
        }
        Noise::Laplace { .. } => {
            let density = |z: f64| slope * (-slope * (1.0 + z) / 2.0).exp() / 4.0;
            simpson(-1.0, 1.0, &density) + term(-1.0, 0.5) + term(1.0, (-slope).exp() / 2.0)
        }
    }
}

fn found(noise: &Noise, rate: &Rational, reach: u32, of: Weighing) -> LossMoments {
    let densities = Densities::new(noise, rate, reach, BITS);
    let partition = Partition::new(&densities, 0);
    let budget = Budget::unlimited();
    let rough = Densities::new(noise, rate, reach, ROUGH_BITS);
    let shares = shares(&rough, &partition, &budget).unwrap();
    let cells = partition.iter().zip(shares);
    let cells: Vec<_> = cells
        .map(|(cell, share)| Contribution::new(&densities, cell, share))
        .collect();
    side(&densities, &cells, of, &budget).unwrap()
}

/// Polynomials of any length enclose the same integrals; the longest know them best.
#[test]
fn polynomials_of_any_length() {
    let noise = Noise::Gaussian { square: q(25, 9) };
    let densities = Densities::new(&noise, &q(1, 100), 14, BITS);
    let mut lengths = std::collections::BTreeSet::new();
    for n in -28i64..32 {
        let half = Float::with_val(BITS, 1) >> 4u32;
        let middle = Float::with_val(BITS, 2 * n + 1) >> 2u32;
        let cell = Cell { middle, half };
        let of = |share: i32| {
            let local = AroundCell::new(&densities, &cell, share);
            (
                local.order,
                [Weighing::Null, Weighing::Alternative].map(|side| local.powers(side)),
            )
        };
        let (longest, best) = of(i32::MAX / 2);
        assert_eq!(longest, ORDER);
        for share in [-60, -36, -30, -20, -10, 0] {
            let (order, found) = of(share);
            assert!(order % 2 == 0 && (2..=ORDER).contains(&order));
            lengths.insert(order);
            for (found, best) in found.iter().zip(&best) {
                for (found, best) in [
                    (&found.mass, &best.mass),
                    (&found.first, &best.first),
                    (&found.second, &best.second),
                    (&found.third, &best.third),
                ] {
                    assert!(
                        found.intersect(best).is_ok(),
                        "{n} {share}: {found:?} {best:?}"
                    );
                }
            }
        }
    }
    assert!(lengths.len() >= 5, "{lengths:?}");
}

/// Short polynomials where little is, and long ones elsewhere, do in one round what the longest everywhere do.
#[test]
fn the_first_round_is_narrow() {
    let run = |over: (i64, i64), rate: (i64, i64)| {
        let noise = Noise::Gaussian {
            square: q(over.0, over.1),
        };
        let rate = q(rate.0, rate.1);
        [Weighing::Null, Weighing::Alternative].map(|of| found(&noise, &rate, FIRST_REACH, of))
    };
    for (square, rate) in [
        ((25, 9), (1, 100)),
        ((1, 8), (1, 10)),
        ((1, 4), (9, 10_000)),
        ((1, 900), (1, 3)),
    ] {
        let [null, alternative] = run(square, rate);
        let all = StepMoments {
            null,
            alternative,
            is_normal: false,
        };
        assert!(all.is_narrow(GOOD_BITS), "{square:?} {rate:?}");
    }
}

/// All moments under both laws; also where much of the law is beyond the partition, whose part is known by a bound only.
#[test]
fn moments_by_small_steps() {
    let gaussian = |square| Noise::Gaussian { square };
    let laplace = |epsilon| Noise::Laplace { epsilon };
    let all = [
        (gaussian(q(1, 1)), q(1, 3), 14),
        (gaussian(q(1, 2)), q(9, 10), 3),
        (gaussian(q(9, 4)), q(1, 5), 4),
        (laplace(q(1, 1)), q(1, 1), 14),
        (laplace(q(5, 2)), q(1, 3), 14),
    ];
    for (number, (noise, rate, reach)) in all.into_iter().enumerate() {
        for (place, of) in [Weighing::Null, Weighing::Alternative]
            .into_iter()
            .enumerate()
        {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            let found = found(&noise, &rate, reach, of);
            let truth = |g: &dyn Fn(f64) -> f64| mean_of(&noise, rate.to_f64(), of, g);
            let mean = truth(&|l| l);
            let all = [
                (&found.mean, mean),
                (&found.second, truth(&|l| l * l)),
                (&found.variance, truth(&|l| (l - mean).powi(2))),
                (&found.third_central, truth(&|l| (l - mean).abs().powi(3))),
                (&found.third_absolute, truth(&|l| l.abs().powi(3))),
            ];
            for (place, (interval, truth)) in all.into_iter().enumerate() {
                let (low, high) = (interval.lo().to_f64(), interval.hi().to_f64());
                assert!(
                    low <= truth + 1e-10 && truth - 1e-10 <= high,
                    "{noise:?} {rate} {of:?} {place}: {low} {high} {truth}"
                );
                assert!(reach < 14 || high - low < 1e-8, "{noise:?} {of:?} {place}");
            }
        }
    }
}

/// The partition reaches far enough to the right: all of the mass is there, or within the bound of the rest.
#[test]
fn all_of_the_mass_is_there() {
    let square = q(49, 50);
    let noise = Noise::Gaussian { square };
    let moments = found(&noise, &q(9, 10), 8, Weighing::Alternative);
    assert!(moments.mean.is_positive());
}

/// 2∫_Z^∞ z³ φ(z) dz is 2(Z² + 2)·φ(Z), and the bound is no less.
#[test]
fn the_third_moment_of_a_tail() {
    for reach in [1u32, 2, 5] {
        let z = f64::from(reach);
        let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let truth = 2.0 * (z * z + 2.0) * density;
        let found = normal_tail_up(reach, 64);
        assert!((found.hi().to_f64() / truth - 1.0).abs() < 1e-12, "{reach}");
    }
}

/// All cells count: the whole of a law, by few of them.
#[test]
fn the_whole_of_a_law() {
    let noise = Noise::Laplace { epsilon: q(1, 1) };
    let rate = q(1, 3);
    let found = moments(&noise, &rate, &Budget::unlimited()).unwrap();
    assert!(found.is_narrow(30));
    for (side, of) in [
        (&found.null, Weighing::Null),
        (&found.alternative, Weighing::Alternative),
    ] {
        let mean = mean_of(&noise, rate.to_f64(), of, |l| l);
        assert!((side.mean.middle().to_f64() - mean).abs() < 1e-9);
    }
}

/// Any number of cells covers the range, and the loss changes by at most 1/4 in each; the slope is known by few bits.
#[test]
fn partitions_at_few_bits() {
    let mut random = Random(82);
    for _ in 0..10_000 {
        let size = Rational::from((1 + random.below(999), 1 + random.below(99)));
        let noise = match random.below(2) {
            0 => Noise::Gaussian { square: size },
            _ => Noise::Laplace { epsilon: size },
        };
        let (bits, reach) = (
            few_bits(&mut random),
            1 + u32::try_from(random.below(9)).unwrap(),
        );
        let round = u32::try_from(random.below(4)).unwrap();
        let densities = at_most_bits(bits, || Densities::new(&noise, &q(1, 3), reach, BITS));
        let partition = Partition::new(&densities, round);
        let (from, to) = densities.range();
        assert_eq!(partition.from, from);
        assert_eq!(partition.cells, (to - from) << partition.refinement);
        let change = densities.slope().hi().clone() << round >> partition.refinement;
        assert!(change <= 0.25, "{noise:?} {round}");
        assert!(round + partition.refinement < 20);
    }
}

/// Moments at few bits surround those at all, whichever law and noise; so do the cubes of each cell.
#[test]
fn moments_at_few_bits() {
    let mut random = Random(83);
    for round in 0..crate::test_scale::cases(6) {
        let mut share = |most: u64| Rational::from((1 + random.below(most - 1), most));
        let rate = share(64);
        let noise = match round % 4 {
            0 => Noise::Gaussian {
                square: share(32) * 2u32,
            },
            _ => Noise::Laplace {
                epsilon: share(32) * 2u32,
            },
        };
        let of = [Weighing::Null, Weighing::Alternative][usize::from(random.once_in(2))];
        let reach = 1 + u32::try_from(random.below(3)).unwrap();
        let fine = found(&noise, &rate, reach, of);
        for _ in 0..2 {
            let bits = 8 + u32::try_from(random.below(12)).unwrap();
            let coarse = at_most_bits(bits, || found(&noise, &rate, reach, of));
            for (place, (coarse, fine)) in [
                (&coarse.mean, &fine.mean),
                (&coarse.second, &fine.second),
                (&coarse.variance, &fine.variance),
                (&coarse.third_central, &fine.third_central),
                (&coarse.third_absolute, &fine.third_absolute),
            ]
            .into_iter()
            .enumerate()
            {
                assert!(
                    surrounds(coarse, fine),
                    "{noise:?} {rate} {of:?} {bits} {place}: {coarse:?} {fine:?}"
                );
            }
        }
    }
}

/// The formula for a tail has at few bits the value that it has at many.
#[test]
fn tails_at_few_bits() {
    let mut random = Random(84);
    for _ in 0..10_000 {
        let reach = 1 + u32::try_from(random.below(20)).unwrap();
        let bits = 6 + u32::try_from(random.below(12)).unwrap();
        let fine = normal_tail_up(reach, 4 * bits);
        let coarse = at_most_bits(bits, || normal_tail_up(reach, bits));
        assert!(
            coarse.hi() >= fine.lo() && coarse.lo() <= fine.hi(),
            "{reach} {bits}"
        );
    }
}
