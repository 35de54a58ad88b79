//! Hints of laws against sums of all their atoms.

use super::*;
use crate::kernel::coarse::Random;

/// Gaps alike and others, tilted to either end.
#[test]
fn cumulants_are_those_of_all_atoms() {
    let mut random = Random(8);
    for _ in 0..300 {
        let mut loss = -5.0;
        let mut gap = 0.1;
        let atoms: Vec<(f64, f64)> = (0..1 + random.below(60))
            .map(|_| {
                if random.once_in(6) {
                    gap = (1 + random.below(20)) as f64 / 50.0;
                }
                loss += gap;
                (loss, (1 + random.below(1000)) as f64 / 1000.0)
            })
            .collect();
        let law = FloatLaw { atoms, times: 7.0 };
        let c = random.below(4000) as f64 / 50.0 - 40.0;
        let found = law.cumulants(c);
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            let atoms = law.atoms.iter();
            atoms.map(|(y, mass)| mass * exp(c * y) * of(*y)).sum()
        };
        let total = sum(&|_| 1.0);
        let mean = sum(&|y| y) / total;
        let variance = sum(&|y| powi(y - mean, 2)) / total;
        assert!((found.log_total - 7.0 * ln(total)).abs() < 1e-7);
        assert!((found.mean - 7.0 * mean).abs() < 1e-7 * (1.0 + mean.abs()));
        assert!((found.variance - 7.0 * variance).abs() < 1e-6);
    }
}

/// A rare large loss, 400 times: both orders against binomial sums.
#[test]
fn the_order_that_trails() {
    let (rate, times) = (0.03f64, 400u32);
    let small = ln((1.0 - rate * exp(-0.6)) / (1.0 - rate));
    let laws = Laws::of(vec![FloatLaw {
        atoms: vec![(-small, 1.0 - rate), (0.6, rate)],
        times: f64::from(times),
    }]);
    let delta = |epsilon: f64, is_swapped: bool| {
        let mut log = f64::from(times) * ln(1.0 - rate);
        let mut total = 0.0;
        for k in 0..=times {
            let loss = 0.6 * f64::from(k) - small * f64::from(times - k);
            total += match is_swapped {
                false => exp(log) * (1.0 - exp(epsilon - loss)).max(0.0),
                true => exp(log - loss) * (1.0 - exp(epsilon + loss)).max(0.0),
            };
            log += ln(f64::from(times - k) / f64::from(k + 1) * rate / (1.0 - rate));
        }
        total
    };
    let mut bounds = 0;
    for epsilon in [0.3, 1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0] {
        let [stated, swapped] = [false, true].map(|order| ln(delta(epsilon, order)));
        let at = Float::with_val(53, epsilon);
        if let Some(seen) = laws.outlook(&at, true) {
            assert!(seen.from <= epsilon && seen.to >= epsilon);
            assert!(!seen.trails || swapped < stated);
            assert!(seen.trails || swapped + 1.0 > stated, "{epsilon}");
            if let Some(tilt) = seen.tilt {
                let t = tilt.to_f64();
                let constant = t * ln(t) - (1.0 + t) * ln(1.0 + t);
                let bound = constant - t * epsilon + laws.cumulants(-1.0 - t).log_total;
                assert!(swapped < bound && bound < stated, "{epsilon}");
                bounds += 1;
            }
        }
        let seen = laws.outlook(&at, false);
        assert!(seen.is_none_or(|seen| !seen.trails && seen.tilt.is_none()));
    }
    assert!(bounds >= 2);
}
