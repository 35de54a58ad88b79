//! Against sums of small steps, in floats.

use super::*;

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
    let cells = partition.iter();
    let cells: Vec<_> = cells.map(|c| Contribution::new(&densities, c)).collect();
    side(&densities, &cells, of, &Budget::unlimited()).unwrap()
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
