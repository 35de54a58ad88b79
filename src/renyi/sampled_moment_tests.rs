//! Moments of sampled Gaussian noise against plain sums, and what they are made of at a few bits.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

/// No wider than the proof allows, and no less growth than it has, at a few bits.
#[test]
fn strips_are_rounded_to_their_side() {
    let mut random = Random(1);
    for _ in 0..5_000 {
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let mean = Rational::from((1 + random.below(5000), 1 + random.below(500)));
        let mode = Rational::from((random.below(500), 1 + random.below(50)));
        let mode_float = Float::with_val(64, &mode);
        let mode = mode_float.to_rational().unwrap();
        let (concave, half_plane) = at_most_bits(bits, || {
            let mean = Interval::from_rational(&mean, 100);
            let mode = if random.once_in(2) {
                -mode_float
            } else {
                mode_float
            };
            (log_concave_strip(&mean, &mode), half_plane_strip(&mean))
        });
        let exact = |x: &Float| x.to_rational().unwrap();
        // The mean in more bits than a strip has.
        let long = Interval::from_rational(&mean, 300);
        let strips = [
            log_concave_strip(&long, &Float::new(64)),
            half_plane_strip(&long),
        ];
        let least = Rational::from((1, 2)) + Rational::from((7, 10)) * &mean;
        assert!(exact(&strips[0].growth) >= least, "{mean}");
        for strip in strips {
            let most = if strip.growth == 0.5 { 3 } else { 1 };
            assert!(exact(&strip.widest) * &mean <= most, "{mean}");
        }
        assert!(exact(&concave.widest) * &mean <= 1, "{mean} at {bits} bits");
        assert!(
            exact(&half_plane.widest) * &mean <= 3,
            "{mean} at {bits} bits"
        );
        let growth = Rational::from((1, 2)) + Rational::from((7, 10)) * &mean * (mode + 1u32);
        assert!(exact(&concave.growth) >= growth, "{mean} at {bits} bits");
        assert_eq!(half_plane.growth, 0.5);
    }
}

/// E_P[w^a] by a plain sum in many bits.
///
/// Continuous noise: nodes so close that the trapezoidal rule is right to forty digits. On the integers the sum is the moment.
fn plain(pair: &SampledGaussian, power: &Rational) -> Float {
    const BITS: u32 = 200;
    let exact = |x: &Rational| Float::with_val(BITS, x);
    let mean = exact(&pair.square).sqrt();
    let step = match &pair.spacing {
        Some(spacing) => exact(spacing).sqrt(),
        None => Float::with_val(BITS, 1) / (24u32 * mean.to_f64().max(1.0).ceil() as u32),
    };
    let rate = exact(&pair.rate);
    let reach = 20.0 + (power.to_f64().abs() + 1.0) * mean.to_f64();
    let last = (reach / step.to_f64()) as i64;
    let (mut sum, mut total) = (Float::new(BITS), Float::new(BITS));
    for j in -last..=last {
        let z = Float::with_val(BITS, &step * j);
        let weight = Float::with_val(BITS, -Float::with_val(BITS, z.square_ref()) / 2u32).exp();
        let loss = Float::with_val(BITS, &mean * &z) - exact(&pair.square) / 2u32;
        let ratio: Float = 1 - rate.clone() + loss.exp() * &rate;
        sum += (ratio.ln() * exact(power)).exp() * &weight;
        total += weight;
    }
    (sum / total).ln()
}

fn pairs() -> Vec<SampledGaussian> {
    let pair =
        |rate: (u32, u32), square: (u32, u32), spacing: Option<(u32, u32)>| SampledGaussian {
            rate: Rational::from(rate),
            square: Rational::from(square),
            spacing: spacing.map(Rational::from),
        };
    vec![
        pair((1, 10), (1, 1), None),
        pair((9, 10), (1, 4), None),
        pair((1, 2), (9, 1), None),
        // Nodes wider apart than the rule asks for, and closer.
        pair((1, 10), (4, 1), Some((4, 1))),
        pair((9, 10), (9, 1), Some((9, 4))),
        pair((1, 3), (1, 100), Some((1, 100))),
    ]
}

/// The way of each sign of the power, asked for directly: around the truth, no wider than was asked, and around it at a few bits too.
#[test]
fn moments_are_those_of_plain_sums() {
    let budget = Budget::unlimited();
    for pair in pairs() {
        for power in [
            (1i32, 3),
            (1, 1),
            (3, 2),
            (5, 2),
            (4, 1),
            (-1, 2),
            (-2, 1),
            (-6, 1),
        ] {
            let power = Rational::from(power);
            let truth = plain(&pair, &power);
            let moment = |bits| match power > 0 {
                true => pair.positive_power(&power, bits, &budget),
                false => pair.negative_power(&power, bits, &budget),
            };
            for bits in [1, 6, 40] {
                let found = moment(bits).unwrap().unwrap();
                let near = Float::with_val(200, 1) >> 110u32;
                assert!(
                    *found.lo() <= Float::with_val(200, &truth + &near)
                        && *found.hi() >= Float::with_val(200, &truth - &near),
                    "{pair:?} {power} at {bits} bits: {found:?} {truth}"
                );
                let wide = Float::with_val(64, 4) >> bits;
                assert!(
                    found.width_up() <= wide,
                    "{pair:?} {power} at {bits} bits: {found:?}"
                );
            }
            let held = at_most_bits(20, || moment(6)).unwrap().unwrap();
            assert!(
                *held.lo() <= truth && *held.hi() >= truth,
                "{pair:?} {power}: {held:?} {truth}"
            );
        }
    }
}

/// Whole powers by their sum of binomial terms.
#[test]
fn whole_powers_by_terms() {
    for pair in pairs() {
        for n in [1u32, 2, 5] {
            let term = |k: u32| {
                let tilt = Rational::from(&pair.square * (k * k.saturating_sub(1))) / 2u32;
                let rest = Float::with_val(200, Rational::from(1 - &pair.rate));
                let weight = Float::with_val(200, Integer::from(Integer::binomial_u(n, k)))
                    * Float::with_val(200, rug::ops::Pow::pow(&rest, n - k))
                    * Float::with_val(
                        200,
                        rug::ops::Pow::pow(&Float::with_val(200, &pair.rate), k),
                    );
                weight * Float::with_val(200, tilt).exp()
            };
            let truth = (0..=n).fold(Float::new(200), |sum, k| sum + term(k)).ln();
            let power = Rational::from(n);
            let found = pair.log_moment(&power, 60, &Budget::unlimited());
            let found = found.unwrap().unwrap();
            let near = Float::with_val(200, 1) >> 150u32;
            assert!(
                *found.lo() <= Float::with_val(200, &truth + &near)
                    && *found.hi() >= Float::with_val(200, &truth - &near)
                    && found.width_up() < Float::with_val(64, 1) >> 40u32,
                "{pair:?} {n}: {found:?} {truth}"
            );
        }
    }
}

/// On the integers the moments of a loss are those of Gaussian noise at whole orders only.
#[test]
fn orders_of_simple_moments() {
    let pairs = pairs();
    let (gaussian, integers) = (&pairs[0], &pairs[3]);
    let order = Rational::from((5, 2));
    assert_eq!(gaussian.simple_order(&order), order);
    assert_eq!(integers.simple_order(&order), 2);
}

/// A place below the mode of φ·v^{−s}: z + sμ·v' is not above 0 there, whose root is the mode.
#[test]
fn places_below_the_mode() {
    for pair in pairs() {
        for power in [(-1i32, 2), (-2, 1), (-6, 1), (-40, 1)] {
            let power = Rational::from(power);
            let place = pair.below_mode(&power, &Budget::unlimited());
            let z = place.unwrap().unwrap().to_f64();
            let (mean, rate) = (pair.square.to_f64().sqrt(), pair.rate.to_f64());
            let excess = |z: f64| {
                let raised = rate * (mean * z - mean * mean / 2.0).exp();
                z - power.to_f64() * mean * raised / (1.0 - rate + raised)
            };
            assert!(excess(z) <= 1e-12, "{pair:?} {power}: {z}");
            // And not far below it, if that is not next to 0.
            assert!(z >= -1.0 || excess(z * 0.9) > 0.0, "{pair:?} {power}: {z}");
        }
    }
}

/// Whatever stretch is looked at node by node, the sum over all nodes is in it: what is left out on either side counts.
#[test]
fn sums_with_ends_nearby() {
    let bits = 160;
    let number = |x: (i32, i32)| Interval::from_rational(&Rational::from(x), bits);
    let step = Float::with_val(10, 0.125);
    for (rate, square, power) in [
        ((1, 20), (1, 4), (1, 2)),
        ((1, 20), (1, 1), (3, 2)),
        ((19, 20), (1, 4), (1, 2)),
        ((19, 20), (4, 1), (2, 1)),
        ((1, 2), (9, 4), (5, 2)),
    ] {
        let pair = SampledGaussian {
            rate: Rational::from(rate),
            square: Rational::from(square),
            spacing: None,
        };
        let (local, power) = (Local::new(&pair, bits), Rational::from(power));
        // In units of the node.
        let (rate, mean) = (pair.rate.to_f64(), pair.square.to_f64().sqrt());
        let term = |j: i32| {
            let z = f64::from(j) / 8.0;
            let ratio = 1.0 - rate + rate * (mean * z - mean * mean / 2.0).exp();
            ratio.powf(power.to_f64()) * (-z * z / 2.0).exp()
        };
        let truth = (-200..=400).map(term).sum::<f64>() / 8.0 / std::f64::consts::TAU.sqrt();
        let least = mean * power.to_f64().max(0.5);
        for scale in [(0, 1), (1, 3), (-1, 3)] {
            let scale = number(scale);
            let truth = truth * (-scale.middle().to_f64()).exp();
            for (left, right) in [(0, 0), (0, 9), (9, 0), (40, 40)] {
                let right = Float::with_val(bits, least) + right;
                let stretch = Stretch {
                    left: number((left, 1)),
                    right: Interval::point(right),
                    threshold: number((-60, 1)),
                };
                let nodes = Nodes {
                    step: Interval::point(step.clone()).at_bits(bits),
                };
                let found = stretch.sum(&local, &power, &scale, &nodes, &Budget::unlimited());
                let found = found.unwrap().unwrap();
                let what = format!("{pair:?} {power} {left}: {found:?} {truth}");
                assert!(found.lo().to_f64() <= truth * (1.0 + 1e-12), "{what}");
                assert!(found.hi().to_f64() >= truth * (1.0 - 1e-12), "{what}");
                assert!(left < 40 || found.width_up() < 1e-15, "{what}");
            }
        }
    }
}

/// Where nodes are close the mean is what their sum is, divided by what all weights add up to: a little more than 1.
#[test]
fn means_over_close_nodes() {
    let pair = SampledGaussian {
        rate: Rational::from((1, 2)),
        square: Rational::from(1),
        spacing: Some(Rational::from(1)),
    };
    let strip = Strip {
        widest: Float::with_val(64, 100),
        growth: Float::with_val(64, 1) >> 20u32,
    };
    let sum = |_: &Nodes| Ok(Some(Interval::one(120)));
    let found = pair.mean_over(&strip, sum, (60, 120), &Budget::unlimited());
    let found = found.unwrap().unwrap();
    // θ = 1 + 2·(e^{−2π²} + …), and e^{−2π²} is 2.675…e-9.
    let truth = 1.0 / (1.0 + 2.0 * 2.675_287_991e-9);
    assert!(found.lo().to_f64() <= truth && truth <= found.hi().to_f64());
    assert!(found.lo().to_f64() > 1.0 - 1e-8 && found.hi().to_f64() < 1.0 + 1e-12);
}
