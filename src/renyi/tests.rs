//! What only the code itself can name: moments against brute force, two ways to the same divergence.

use rug::{Float, Integer, Rational};

use super::sampled::divergence as sampled;
use super::sampled_moment::SampledGaussian;
use super::zoo::orders;
use super::*;
use crate::input::mechanism_from_bytes;
use crate::kernel::{Budget, Interval};
use crate::mechanism::Direction;

const BITS: u32 = 128;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

pub(super) fn parts(text: &str) -> Parts {
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    Parts::of(file.mechanism.steps()).unwrap()
}

fn meet(a: &Interval, b: &Interval, what: &str) {
    assert!(a.intersect(b).is_ok(), "{what}: {a:?} and {b:?}");
}

fn is_narrow(x: &Interval, digits: u32) -> bool {
    let allowed = Float::with_val(64, x.hi())
        / Float::with_val(64, Integer::from(Integer::u_pow_u(10, digits)));
    x.width_up() <= allowed
}

pub(super) const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

/// Riemann sums of ∫φ·w^a with the range of the integrand on every cell, and nothing in common with the code.
fn brute_force(rate: &Rational, mean: &Rational, power: &Rational) -> Interval {
    let bits = 64;
    let exact = |x: &Rational| Interval::from_rational(x, bits);
    let rest = exact(&Rational::from(1 - rate));
    let (rate, mean, power) = (exact(rate), exact(mean), exact(power));
    let half = exact(&q(1, 2));
    let shift = mean.square().mul(&half);
    let width = q(1, 512);
    let mut sum = Interval::zero(bits);
    for j in -512 * 12..512 * 20 {
        let low = Rational::from(&width * Integer::from(j));
        let high = Rational::from(&low + &width);
        let z = exact(&low).hull(&exact(&high));
        let ratio = rest.add(&rate.mul(&mean.mul(&z).sub(&shift).exp()));
        let value = power.mul(&ratio.ln()).sub(&z.square().mul(&half)).exp();
        sum = sum.add(&value.mul(&exact(&width)));
    }
    // What is outside is below 1e-15 for the cases asked for.
    let tails = Interval::zero(bits).hull(&exact(&q(1, 1_000_000_000_000)));
    sum.add(&tails).div(&super::trapezoid::root_two_pi(bits))
}

#[test]
fn subsampled_gaussians_agree_with_brute_force() {
    let all = [
        (q(3, 10), q(1, 1)),
        (q(1, 100), q(2, 1)),
        (q(9, 10), q(1, 2)),
    ];
    for (number, (rate, mean)) in all.into_iter().enumerate() {
        let pair = SampledGaussian {
            rate: rate.clone(),
            square: mean.clone().square(),
            spacing: None,
        };
        let powers = [q(-3, 1), q(-1, 2), q(1, 3), q(3, 2), q(3, 1), q(7, 2)];
        for (place, power) in powers.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 6) {
                continue;
            }
            let found = pair
                .log_moment(&power, BITS, &Budget::unlimited())
                .unwrap()
                .unwrap();
            let direct = brute_force(&rate, &mean, &power).ln();
            assert!(direct.width_up() < 0.1);
            meet(&found, &direct, &format!("{rate} {mean} {power}"));
        }
    }
}

/// The binomial sum and the integral of the same moment; just beside an integer only the integral is used.
#[test]
fn series_and_integral_agree() {
    let step = Rational::from((1, Integer::from(1) << 90u32));
    for (rate, square) in [
        (q(1, 100), q(1, 1)),
        (q(1, 2), q(4, 1)),
        (q(1, 1000), q(1, 9)),
    ] {
        for spacing in [None, Some(q(1, 4)), Some(q(9, 4))] {
            // A lattice with integer distances: μ = d/σ.
            let square = spacing.as_ref().map_or(square.clone(), |s| s.clone());
            let pair = SampledGaussian {
                rate: rate.clone(),
                square,
                spacing,
            };
            for n in [2, 5, 32] {
                let n = q(n, 1);
                let of = |order: &Rational| {
                    sampled(&pair, order, Direction::Remove, 200, &Budget::unlimited()).unwrap()
                };
                let (below, at, above) = (
                    of(&Rational::from(&n - &step)),
                    of(&n),
                    of(&Rational::from(&n + &step)),
                );
                assert!(is_narrow(&at, 30) && is_narrow(&below, 30) && is_narrow(&above, 30));
                assert!(
                    below.lo() <= at.hi() && at.lo() <= above.hi(),
                    "{pair:?} {n}"
                );
                let gap = Float::with_val(64, above.hi() - below.lo());
                assert!(
                    gap < Float::with_val(64, at.lo()) * 1e-20,
                    "{pair:?} {n}: {gap}"
                );
            }
        }
    }
}

#[test]
fn what_is_known_without_integration_contains_the_integrals() {
    for (rate, square) in [
        (q(1, 100), q(1, 1)),
        (q(1, 2), q(25, 1)),
        (q(99, 100), q(1, 100)),
    ] {
        let pair = SampledGaussian {
            rate,
            square,
            spacing: None,
        };
        for order in orders() {
            for direction in BOTH {
                let outside = super::sampled::coarse(&pair, &order, direction).unwrap();
                let power = match direction {
                    Direction::Remove => order.clone(),
                    Direction::Add => Rational::from(1 - &order),
                };
                if order == 1 {
                    continue;
                }
                let moment = pair
                    .log_moment(&power, BITS, &Budget::unlimited())
                    .unwrap()
                    .unwrap();
                let inside =
                    moment.div(&Interval::from_rational(&Rational::from(&order - 1), BITS));
                assert!(
                    outside.lo() <= inside.hi() && inside.lo() <= outside.hi(),
                    "{pair:?} {order}"
                );
            }
        }
    }
}

/// R12, and where it says nothing: below t = 1, and of pairs that are not symmetric.
#[test]
fn a_sample_reveals_more_on_removal() {
    let sampled = |of: &str| format!(r#"{{"kind":"subsampled","rate":"0.3","of":{of}}}"#);
    let composed = r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":3},{"kind":"subsampled","rate":"0.1","of":{"kind":"gaussian","sigma":1}}]}"#;
    let known = [
        sampled(r#"{"kind":"gaussian","sigma":1}"#),
        sampled(r#"{"kind":"gaussian","sigma":5}"#),
        sampled(r#"{"kind":"laplace","scale":"0.5"}"#),
        sampled(r#"{"kind":"discrete-gaussian","sigma":"0.6"}"#),
        composed.to_owned(),
    ];
    let mut strictly = 0;
    for (number, text) in known.iter().enumerate() {
        let parts = parts(text);
        for (place, order) in orders().into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 6) {
                continue;
            }
            let of = |direction| {
                let found = parts.divergence(&order, direction, BITS, &Budget::unlimited());
                found.unwrap()
            };
            let [remove, add] = BOTH.map(of);
            assert_eq!(parts.is_largest_on_removal(&order), order >= 1, "{text}");
            if order >= 1 {
                assert!(add.lo() <= remove.hi(), "{text} {order}");
                strictly += u32::from(add.hi() < remove.lo());
            } else if order < q(1, 2) {
                assert!(remove.hi() < add.lo(), "{text} {order}");
            }
        }
    }
    let least = if crate::test_scale::is_asked(1, 6) {
        30
    } else {
        5
    };
    assert!(strictly >= least, "{strictly}");
    let two = q(2, 1);
    let finite = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/3","2/3"]}"#;
    let unknown = [
        sampled(finite),
        sampled(r#"{"kind":"gaussian-mixture","sigma":1,"shifts":[1,2],"weights":["1/2","1/2"]}"#),
        r#"{"kind":"finite","p":["1/3","1/6","1/2"],"q":["1/4","1/4","1/2"]}"#.to_owned(),
    ];
    for text in &unknown {
        assert!(!parts(text).is_largest_on_removal(&two), "{text}");
    }
}

/// One part of which the directions are not ordered is enough to leave that open.
#[test]
fn removal_is_worst_only_if_it_is_of_all_parts() {
    let sampled = r#"{"kind":"subsampled","rate":"1/10","of":{"kind":"gaussian","sigma":1}}"#;
    let skewed = r#"{"kind":"finite","p":["1/2","1/3","1/6"],"q":["1/4","1/4","1/2"]}"#;
    let gaussian = r#"{"kind":"gaussian","sigma":2}"#;
    for (other, is) in [(skewed, false), (gaussian, true), (sampled, true)] {
        for both in [[sampled, other], [other, sampled]] {
            let [a, b] = both;
            let parts = parts(&format!(r#"{{"kind":"compose","of":[{a},{b}]}}"#));
            assert_eq!(parts.is_largest_on_removal(&q(2, 1)), is, "{other}");
            assert!(!parts.is_largest_on_removal(&q(1, 2)), "{other}");
        }
    }
}
