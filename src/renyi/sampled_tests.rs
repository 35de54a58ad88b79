//! Sampled Gaussian noise against sums in floats.

use super::*;
use crate::kernel::coarse::at_most_bits;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn pairs() -> Vec<SampledGaussian> {
    let all = [
        ((1, 100), (1, 4)),
        ((3, 10), (1, 1)),
        ((3, 10), (4, 1)),
        ((9, 10), (9, 4)),
        ((1, 2), (1, 100)),
    ];
    let one = |(rate, square): ((i64, i64), (i64, i64))| SampledGaussian {
        rate: rate.into(),
        square: square.into(),
        spacing: None,
    };
    all.map(one).to_vec()
}

/// E_P of something of w.
fn mean(pair: &SampledGaussian, of: impl Fn(f64) -> f64) -> f64 {
    let (rate, mu) = (pair.rate.to_f64(), pair.square.to_f64().sqrt());
    let step = 1.0 / 32.0;
    let terms = (-480..1_152).map(|n| {
        let z = f64::from(n) * step;
        let w = 1.0 - rate + rate * (mu * z - mu * mu / 2.0).exp();
        of(w) * (-z * z / 2.0).exp()
    });
    terms.sum::<f64>() * step / std::f64::consts::TAU.sqrt()
}

fn truth(pair: &SampledGaussian, order: f64, direction: Direction) -> f64 {
    match direction {
        Direction::Remove if order == 1.0 => mean(pair, |w| w * w.ln()),
        Direction::Add if order == 1.0 => -mean(pair, f64::ln),
        Direction::Remove => mean(pair, |w| w.powf(order)).ln() / (order - 1.0),
        Direction::Add => mean(pair, |w| w.powf(1.0 - order)).ln() / (order - 1.0),
    }
}

fn surrounds(found: &Interval, truth: f64) -> bool {
    let slack = 1e-11 + truth.abs() * 1e-9;
    found.lo().to_f64() <= truth + slack && found.hi().to_f64() >= truth - slack
}

/// What is known without integration, and what is integrated.
#[test]
fn divergences_in_floats() {
    for (number, pair) in pairs().iter().enumerate() {
        for order in [
            q(1, 4),
            q(3, 4),
            q(1, 1),
            q(3, 2),
            q(2, 1),
            q(5, 1),
            q(19, 2),
        ] {
            for direction in [Direction::Remove, Direction::Add] {
                let truth = truth(pair, order.to_f64(), direction);
                let outside = coarse(pair, &order, direction).unwrap();
                assert!(
                    surrounds(&outside, truth),
                    "{pair:?} {order}: {outside:?} {truth}"
                );
                for bits in [4, 8] {
                    let found = at_most_bits(bits, || coarse(pair, &order, direction));
                    assert!(found.is_ok_and(|found| surrounds(&found, truth)), "{bits}");
                }
                if number < 3 {
                    let budget = Budget::unlimited();
                    let found = divergence(pair, &order, direction, 24, &budget).unwrap();
                    assert!(
                        surrounds(&found, truth),
                        "{pair:?} {order}: {found:?} {truth}"
                    );
                }
            }
        }
    }
}

/// Moments of powers of every kind, asked for in few bits.
#[test]
fn moments_in_floats() {
    for pair in pairs() {
        for power in [q(-5, 2), q(-1, 3), q(1, 3), q(3, 2), q(3, 1), q(17, 4)] {
            let truth = mean(&pair, |w| w.powf(power.to_f64())).ln();
            for bits in [3, 10, 40] {
                let found = pair.log_moment(&power, bits, &Budget::unlimited());
                let found = found.unwrap().unwrap();
                assert!(
                    surrounds(&found, truth),
                    "{pair:?} {power} {bits}: {found:?} {truth}"
                );
            }
        }
    }
}

/// Where both parts are far apart D_1 is next to rμ²/2 less the entropy of the label.
#[test]
fn the_mean_of_parts_far_apart() {
    for (rate, square) in [((1, 2), (100, 1)), ((9, 10), (64, 1)), ((1, 5), (81, 1))] {
        let pair = SampledGaussian {
            rate: rate.into(),
            square: square.into(),
            spacing: None,
        };
        let truth = truth(&pair, 1.0, Direction::Remove);
        let outside = coarse(&pair, &q(1, 1), Direction::Remove).unwrap();
        assert!(surrounds(&outside, truth), "{pair:?}: {outside:?} {truth}");
        assert!(outside.lo().to_f64() > truth - 1e-3, "{pair:?}");
    }
}

/// A width of 2^−bits of the lower end, or none, by fractions.
#[test]
fn narrow_by_fractions() {
    let mut random = crate::kernel::coarse::Random(70);
    for _ in 0..5_000 {
        let digits = u32::try_from(random.below(6)).unwrap();
        let (low, width) = (random.below(200), random.below(12));
        let at = |n: u64| Float::with_val(64, n) >> 6u32;
        let x = Interval::spanning(at(low), at(low + width));
        let truth = width << digits <= low;
        assert_eq!(
            is_narrow(&x, digits),
            truth || width == 0,
            "{low} {width} {digits}"
        );
        let coarse = at_most_bits(2, || is_narrow(&x, digits));
        assert!(truth || width == 0 || !coarse, "{low} {width} {digits}");
    }
}
