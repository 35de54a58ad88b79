//! Cheap questions about pairs of two or three outcomes, ten thousand of each, when no rounding has more than a few bits: what comes out holds the
//! exact value, whether a pair is known exactly, from two sides or by wide enclosures.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::float::Round;
use rug::{Float, Rational};

use super::exact::ExactCurve;
use super::testing::{Blurred, Finite, contains, leak_a_bit};
use super::*;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::kernel::{Budget, Interval, InvariantViolation, normal};
use crate::mechanism::{Adjacency, Epsilon};

const COUNT: u64 = 10_200;

fn pair(random: &mut Random) -> Finite {
    loop {
        let weights: Vec<[u64; 2]> = (0..2 + random.below(2))
            .map(|_| [random.below(9), random.below(9)])
            .collect();
        let total = |k: usize| weights.iter().map(|w| w[k]).sum::<u64>();
        let share = |k: usize| {
            let one = |w: &[u64; 2]| Rational::from((w[k], total(k)));
            weights.iter().map(one).collect()
        };
        if total(0) > 0 && total(1) > 0 {
            return Finite {
                p: share(0),
                q: share(1),
            };
        }
    }
}

/// What is known of the losses beside the profiles: an interval around the largest and the least.
fn range(pair: &Finite) -> LossRange {
    let outcomes = pair.p.iter().zip(&pair.q);
    let ratios = outcomes.filter(|(p, q)| **p > 0 || **q > 0);
    let ratios: Vec<_> = ratios
        .map(|(p, q)| (*p > 0).then(|| Rational::from(q / p)))
        .collect();
    let log = |ratio: Rational| Interval::from_rational(&ratio, 64).ln();
    let known = ratios.iter().cloned().collect::<Option<Vec<_>>>();
    let least = ratios.into_iter().flatten().min();
    LossRange {
        max: known.and_then(|all| all.into_iter().max()).map(log),
        min: least.filter(|ratio| *ratio > 0).map(log),
    }
}

fn sides(random: &mut Random, pair: &Finite) -> TwoSided {
    match random.below(4) {
        0 => pair.sides(),
        1 => {
            let share = Rational::from((random.below(9), 40u32));
            let upper = leak_a_bit(pair, &share).sides().upper;
            TwoSided::between(upper, pair.sides().lower, range(pair))
        }
        2 => TwoSided::between(pair.sides().upper, pair.sides().lower, range(pair)),
        _ => {
            let by = |random: &mut Random| Rational::from((random.below(9), 60u32));
            TwoSided::closed_form(Arc::new(Blurred {
                pair: pair.clone(),
                delta: by(random),
                null_tail: by(random),
            }))
        }
    }
}

/// In [0, 1], the ends among them.
fn share(random: &mut Random) -> Rational {
    Rational::from((random.below(61), 60u32))
}

/// Asks about so many pairs, one after the other, at a few bits.
fn ask<T>(
    (seed, count): (u64, u64),
    query: impl Fn(&TwoSided, &Rational, &Effort) -> Result<T, InvariantViolation>,
    holds: impl Fn(&ExactCurve, &Rational, &T) -> bool,
) where
    T: std::fmt::Debug,
{
    let mut random = Random(seed);
    let target = Target::Absolute(Rational::from((1, 3)));
    for _ in 0..count {
        let budget = Budget::new(Duration::from_millis(2), Arc::new(AtomicBool::new(false)));
        let effort = Effort {
            bits: 24,
            target: &target,
            goal: None,
            budget: &budget,
        };
        let pair = pair(&mut random);
        let (sides, x) = (sides(&mut random, &pair), share(&mut random));
        let bits = 3 + u32::try_from(random.below(14)).unwrap();
        let found = at_most_bits(bits, || query(&sides, &x, &effort));
        let found = found.unwrap_or_else(|e| panic!("{pair:?} {sides:?} {x} at {bits} bits: {e}"));
        let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        assert!(
            holds(&curve, &x, &found),
            "{pair:?} {sides:?} {x} at {bits} bits: {found:?}"
        );
    }
}

fn odds(x: &Rational) -> Rational {
    Rational::from(x * 3u32) + Rational::from((1, 50))
}

#[test]
fn deltas() {
    let query = |sides: &TwoSided, x: &Rational, e: &Effort| {
        delta(sides, &Epsilon::log_of(odds(x)).unwrap(), e)
    };
    ask((1, COUNT), query, |curve, x, found| {
        contains(found, &curve.delta(&odds(x)))
    });
}

#[test]
fn trade_offs() {
    ask((2, COUNT), tradeoff, |curve, x, found| {
        contains(found, &curve.tradeoff(x))
    });
}

#[test]
fn bayes_errors() {
    ask((3, COUNT), bayes_error, |curve, x, found| {
        contains(found, &curve.bayes_error(x))
    });
}

#[test]
fn minimax_risks() {
    let query = |sides: &TwoSided, _: &Rational, e: &Effort| minimax_risk(sides, e);
    ask((4, COUNT), query, |curve, _, found| {
        contains(found, &curve.minimax_risk())
    });
}

/// δ at the upper end is not above what is asked for, and at the lower end not below.
#[test]
fn epsilons() {
    let exp = |x: &Float, round| {
        let power = Float::with_val(300, x);
        let power = Float::with_val_round(300, power.exp_ref(), round).0;
        power.to_rational()
    };
    ask((5, COUNT), epsilon, |curve, x, found| {
        let above = exp(found.upper(), Round::Up).is_none_or(|u| curve.delta(&u) <= *x);
        let below = exp(found.lower(), Round::Down).is_none_or(|u| curve.delta(&u) >= *x);
        above && below
    });
}

/// Φ⁻¹(1 − x).
fn quantile(x: &Rational) -> Interval {
    normal::survival_inverse(&Interval::from_rational(x, 80))
}

/// The largest Φ⁻¹(1 − α) + Φ⁻¹(1 − β) of some points; at least 0.
fn mu_of(points: impl Iterator<Item = (Rational, Rational)>) -> Interval {
    points
        .map(|(alpha, beta)| quantile(&alpha).add(&quantile(&beta)))
        .fold(Interval::zero(80), |a, b| a.max(&b))
}

/// μ (a millisecond each) against the vertices of the curve, where a tolerance moves them all and a floor cuts the curve off.
#[test]
fn parameters_of_gaussians() {
    let tolerance = |x: &Rational| (x + Rational::from((1, 9))) / 8u32;
    let query = |sides: &TwoSided, x: &Rational, e: &Effort| {
        gdp_mu(sides, &GdpForm::Tolerance(tolerance(x)), e).map(|found| found.mu)
    };
    ask((6, 1_000), query, |curve, x, found| {
        let moved = |of: &Rational| of + tolerance(x);
        let points = curve.vertices().iter();
        let points = points.map(|v| (moved(&v.alpha), moved(&v.beta)));
        let truth = mu_of(points.filter(|(alpha, beta)| *alpha < 1 && *beta < 1));
        found.lower() <= truth.hi() && found.upper() >= truth.lo()
    });
    let floor = |x: &Rational| (x + Rational::from((1, 9))) / 3u32;
    let query = |sides: &TwoSided, x: &Rational, e: &Effort| {
        gdp_mu(sides, &GdpForm::ErrorFloor(floor(x)), e).map(|found| found.mu)
    };
    ask((7, 1_000), query, |curve, x, found| {
        let floor = floor(x);
        let turned = curve.vertices().iter().rev();
        let turned = turned.map(|v| (v.beta.clone(), v.alpha.clone()));
        let inverse = value_at(&turned.collect::<Vec<_>>(), &floor);
        let ends = [
            (floor.clone(), curve.tradeoff(&floor).max(floor.clone())),
            (inverse.max(floor.clone()), floor.clone()),
        ];
        let points = curve.vertices().iter();
        let points = points
            .map(|v| (v.alpha.clone(), v.beta.clone()))
            .chain(ends);
        let truth = mu_of(points.filter(|(alpha, beta)| *alpha >= floor && *beta >= floor));
        found.lower() <= truth.hi() && found.upper() >= truth.lo()
    });
}

/// The value at x of a polygon with these vertices.
fn value_at(vertices: &[(Rational, Rational)], x: &Rational) -> Rational {
    let edges = vertices.iter().zip(vertices.iter().skip(1));
    let mut over = edges.filter(|(left, right)| left.0 <= *x && *x <= right.0 && left.0 < right.0);
    over.next().map_or_else(Rational::new, |(left, right)| {
        let share = Rational::from(x - &left.0) / Rational::from(&right.0 - &left.0);
        &left.1 + Rational::from(&right.1 - &left.1) * share
    })
}
