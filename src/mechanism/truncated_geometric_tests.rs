//! Truncated geometric noise against its definition.

use std::sync::Arc;

use super::*;
use crate::kernel::{Point, Profile};
use crate::mechanism::approx_dp;
use crate::mechanism::finite::FiniteProfile;

/// P(Z = k).
fn mass(noise: &TruncatedGeometric, k: i128) -> Interval {
    noise.between(k, k, 200)
}

fn noises() -> Vec<(Rational, u64)> {
    vec![
        (Rational::from((3, 2)), 1),
        (Rational::from((3, 2)), 4),
        (Rational::from(2), 9),
        (Rational::from((1, 3)), 2),
        (Rational::from(1_000_000), 3),
    ]
}

fn profile(scale: &Rational, last: u64, sensitivity: u64) -> FiniteProfile {
    FiniteProfile::new(Arc::new(law(scale, last, sensitivity).unwrap()))
}

fn is_at(found: &Interval, truth: &Interval) {
    assert!(found.intersect(truth).is_ok(), "{found:?} {truth:?}");
    assert!(found.width_up() < 1e-25, "{found:?}");
}

/// Sums of masses by their definition, and 1 in all.
#[test]
fn sums_are_those_of_the_masses() {
    for (scale, last) in noises() {
        let noise = TruncatedGeometric::new(&scale, last);
        let end = i128::from(last);
        let weight = |k: i128| {
            let power = Rational::from(-k.abs()) / &scale;
            Interval::from_rational(&power, 200).exp()
        };
        let sum = |from: i128, to: i128| {
            (from..=to).fold(Interval::zero(200), |sum, k| sum.add(&weight(k)))
        };
        let all = sum(-end, end);
        for from in -end - 2..=end + 2 {
            for to in from - 1..=end + 2 {
                let truth = sum(from.max(-end), to.min(end)).div(&all);
                is_at(&noise.between(from, to, 128), &truth);
            }
        }
        assert!(noise.between(-end, end, 128).contains(&Rational::from(1)));
    }
}

/// δ(u) of noise at 0 and at the sensitivity, by its definition, in both orders (which are one); also where the laws hardly meet, or do not.
#[test]
fn profiles_by_enumeration() {
    for (scale, last) in noises() {
        let noise = TruncatedGeometric::new(&scale, last);
        let end = i128::from(last);
        for sensitivity in 1..=2 * last + 2 {
            let distance = i128::from(sensitivity);
            let found = profile(&scale, last, sensitivity);
            for epsilon in [(-3, 2), (-1, 3), (0, 1), (1, 5), (2, 3), (3, 1)] {
                let point = Point::at_epsilon(&Rational::from(epsilon), 128);
                let truth = (-end..=end + distance).fold(Interval::zero(200), |sum, k| {
                    let gain = mass(&noise, k - distance)
                        .sub(&point.exp().mul(&mass(&noise, k)))
                        .at_least_zero();
                    sum.add(&gain)
                });
                is_at(&found.at(&point).delta, &truth);
            }
        }
    }
}

/// At sensitivity 1 it is the pair of (ε, δ)-DP, with ε = 1/scale and δ the mass of the last number.
#[test]
fn all_that_is_allowed_is_used() {
    let (scale, last) = (Rational::from((5, 2)), 7);
    let noise = TruncatedGeometric::new(&scale, last);
    let delta = mass(&noise, 7);
    let found = profile(&scale, last, 1);
    let exact = delta.lo().to_rational().unwrap();
    let stated = approx_dp::law(&scale.clone().recip().into(), &exact).unwrap();
    let stated = FiniteProfile::new(Arc::new(stated));
    for epsilon in [(0, 1), (1, 5), (2, 5), (1, 2), (4, 1)] {
        let point = Point::at_epsilon(&Rational::from(epsilon), 128);
        let (a, b) = (found.at(&point).delta, stated.at(&point).delta);
        let near = Interval::spanning(
            rug::Float::with_val(128, -1e-30),
            rug::Float::with_val(128, 1e-30),
        );
        assert!(a.intersect(&b.add(&near)).is_ok(), "{epsilon:?}");
    }
}

#[test]
fn farther_than_can_be_listed() {
    assert!(law(&Rational::from(1), 5, MOST_LOSSES).is_some());
    assert!(law(&Rational::from(1), 5, MOST_LOSSES + 1).is_none());
}
