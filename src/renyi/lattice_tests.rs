//! Theta sums from a few terms: all that is beyond them is within.

use super::*;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

#[test]
fn sums_of_few_terms_enclose_all() {
    let budget = Budget::unlimited();
    for (variance, centre) in [
        (q(7, 1), q(1, 3)),
        (q(3, 1), q(0, 1)),
        (q(1, 2), q(9, 10)),
        (q(20, 1), q(1, 2)),
    ] {
        let fine = theta(&variance, &centre, 200, 150, &budget).unwrap();
        let twice = Rational::from(&variance * 2u32).to_f64();
        let terms = (-200..=200i32).map(|k| {
            let off = f64::from(k) - centre.to_f64();
            (-off * off / twice).exp()
        });
        let truth: f64 = terms.sum();
        assert!((fine.middle().to_f64() - truth).abs() < 1e-12 * truth);
        for reach in [1, 2, 3, 5, 9] {
            let found = theta(&variance, &centre, reach, 100, &budget).unwrap();
            assert!(
                found.lo() <= fine.lo() && fine.hi() <= found.hi(),
                "{variance} {centre} {reach}: {found:?} {fine:?}"
            );
        }
    }
}

/// D_t at orders between those where it is that of Gaussian noise: by its definition, in floats, and at few bits.
#[test]
fn divergences_by_their_definition() {
    for (variance, shift) in [(q(1, 4), 1u64), (q(1, 2), 1), (q(4, 5), 3), (q(3, 1), 2)] {
        let (twice, d) = (2.0 * variance.to_f64(), shift as f64);
        let weight = |x: f64| (-x * x / twice).exp();
        let places = || (-60..=60i32).map(f64::from);
        let total: f64 = places().map(weight).sum();
        for order in [q(1, 3), q(5, 4), q(3, 2), q(27, 10), q(2, 1)] {
            let t = order.to_f64();
            let sum: f64 = places()
                .map(|k| ((k - d) * (k - d) * t + k * k * (1.0 - t)) / -twice)
                .map(f64::exp)
                .sum();
            let truth = (sum / total).ln() / (t - 1.0);
            for bits in [3, 6, 12, 100] {
                let found = divergence(&variance, shift, &order, bits, &Budget::unlimited());
                let found = found.unwrap();
                let slack = 1e-11 * (1.0 + truth);
                let is_within =
                    found.lo().to_f64() <= truth + slack && found.hi().to_f64() >= truth - slack;
                assert!(is_within, "{variance} {order} {bits}: {found:?} {truth}");
                assert!(bits < 100 || found.width_up() < 1e-20);
            }
        }
        // θ(c)/θ(0) is not below its bound, nor θ(0) above it.
        let budget = Budget::unlimited();
        let whole = theta(&variance, &q(0, 1), 60, 120, &budget).unwrap();
        for c in [q(1, 4), q(1, 2), q(9, 10)] {
            let at = theta(&variance, &c, 60, 120, &budget).unwrap();
            let log = at.div(&whole).ln();
            assert!(
                poisson_bound(&variance, 120).lo() <= log.hi(),
                "{variance} {c}"
            );
        }
        let density = (std::f64::consts::TAU * variance.to_f64()).sqrt();
        let mean = whole.middle().to_f64() / density;
        let close = total_of_close_nodes(&variance, 120);
        assert!(close.lo().to_f64() <= mean + 1e-12 && close.hi().to_f64() >= mean - 1e-12);
    }
}

/// Of noise so narrow that Poisson sums say nothing, and of noise so wide that nothing is summed.
#[test]
fn noise_of_any_width() {
    let budget = Budget::unlimited();
    for variance in [q(1, 100), q(1, 60), q(1, 30)] {
        for order in [q(1, 3), q(3, 2), q(27, 10)] {
            let found = divergence(&variance, 1, &order, 80, &budget).unwrap();
            // The nearest of all places is all that counts: t(t − 1)/(2σ²) less the square of the distance from it.
            let (t, twice) = (order.to_f64(), 2.0 * variance.to_f64());
            let sum = |c: f64| -> f64 {
                let off = (-3..=4i32).map(|k| f64::from(k) - c);
                off.map(|x| (-x * x / twice).exp()).sum()
            };
            let log = (sum(t - t.floor()) / sum(0.0)).ln();
            let truth = t / twice + log / (t - 1.0);
            let gap = (found.middle().to_f64() - truth).abs();
            assert!(
                gap < 1e-11 * (1.0 + truth),
                "{variance} {order}: {found:?} {truth}"
            );
        }
    }
    let wide = q(1_000_000_000_000, 1);
    let found = total(&wide, 80, &budget).unwrap();
    assert!(*found.lo() <= 1e6 && found.hi().is_infinite());
}
