//! Divergences of noisy selections by their formulas, and pieces of the profile at places known by intervals.

use super::*;
use crate::kernel::coarse::{at_most_bits, spans_hold, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn epsilon(n: i64, d: i64) -> Epsilon {
    Epsilon::from(q(n, d))
}

fn is_near(found: &Interval, truth: f64) -> bool {
    (found.middle().to_f64() - truth).abs() < 1e-10 * (1.0 + truth.abs())
}

/// In floats, by the formulas in the comments.
#[test]
fn divergences_by_their_formulas() {
    for (e, of) in [(0.5f64, epsilon(1, 2)), (2.0, epsilon(2, 1))] {
        for order in [
            q(1, 4),
            q(1, 2),
            q(3, 4),
            q(1, 1),
            q(3, 2),
            q(2, 1),
            q(9, 1),
        ] {
            let a = order.to_f64();
            let most = if order == 1 || order == q(1, 2) {
                e + (-e).exp() - 1.0
            } else {
                let sum = a * ((a - 1.0) * e).exp() + (a - 1.0) * (-a * e).exp();
                (sum / (2.0 * a - 1.0)).ln() / (a - 1.0)
            };
            let found = laplace(&of, &order, 120);
            // Below 1 the bound may be cut off at the one of the order 1.
            let cut = if order < 1 {
                most.min(e + (-e).exp() - 1.0)
            } else {
                most
            };
            assert!(is_near(&found, cut), "{e} {order}: {found:?} {cut}");
            let mut best = 0.0f64;
            for distance in DISTANCES.iter().map(|d| -Rational::from(*d)) {
                let d = distance.to_f64();
                let p = (d * e).exp() / 2.0;
                let moved = (d + 1.0) * e;
                let with = if d < -1.0 {
                    moved.exp() / 2.0
                } else {
                    1.0 - (-moved).exp() / 2.0
                };
                let truth = if order == 1 {
                    with * (with / p).ln() + (1.0 - with) * ((1.0 - with) / (1.0 - p)).ln()
                } else {
                    let sum = with.powf(a) * p.powf(1.0 - a)
                        + (1.0 - with).powf(a) * (1.0 - p).powf(1.0 - a);
                    sum.ln() / (a - 1.0)
                };
                let found = two_candidates(&of, &distance, &order, 120);
                assert!(is_near(&found, truth), "{e} {order} {d}: {found:?} {truth}");
                best = best.max(truth);
            }
            // Both are bounds, whatever the precision.
            for bits in [6, 10, 60] {
                let found = at_most_bits(bits, || renyi(&of, &order, bits));
                assert!(
                    found.lo().to_f64() <= best + 1e-9,
                    "{e} {order} {bits}: {found:?}"
                );
                assert!(
                    found.hi().to_f64() >= cut - 1e-9,
                    "{e} {order} {bits}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn strict_gaussian_dp() {
    for of in [epsilon(1, 2), epsilon(1, 1), epsilon(3, 1)] {
        let mu = NoisyMax::new(of.clone()).strict_mu(120).unwrap();
        let half = Interval::from_rational(&q(1, 2), 120);
        let level = of.enclose(120).mul(&half).neg().exp().mul(&half);
        assert!(
            surrounds(&normal::survival(&mu.mul(&half)), &level),
            "{mu:?}"
        );
    }
}

/// At places within the bounds of n·ε/2 for each n, and over parts of them, against the same at many bits.
pub(in super::super) fn ends_hold_within(
    of: &impl Mirrored,
    epsilon: &Epsilon,
    halves: &[i32],
) -> Result<(), String> {
    for bits in [3, 4, 6, 9] {
        let known = at_most_bits(bits, || epsilon.enclose(64));
        let (low, width) = (known.lo().to_rational(), known.width_up().to_rational());
        let (low, width) = (low.unwrap(), width.unwrap());
        for n in halves {
            let places = (-2..=10i64).map(|part| {
                let place = Rational::from(&width * &q(part, 8)) + &low;
                place * Rational::from((*n, 2))
            });
            let mut places: Vec<Rational> = places.collect();
            places.sort();
            let fine: Vec<ProfilePoint> = places
                .iter()
                .map(|x| of.at(&Point::at_epsilon(x, 300)))
                .collect();
            for from in 0..places.len() {
                for to in from..places.len().min(from + 3) {
                    let end = |place: usize| Interval::from_rational(&places[place], 64);
                    let point = Point::at_log(end(from).hull(&end(to)));
                    let found = at_most_bits(bits, || of.at(&point));
                    for fine in &fine[from..=to] {
                        let holds = surrounds(&found.delta, &fine.delta)
                            && surrounds(&found.null_tail, &fine.null_tail);
                        if !holds {
                            return Err(format!("{bits} {n} {point:?}: {found:?} misses {fine:?}"));
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn places_that_reach_over_the_ends() {
    let shift = LaplaceShift {
        epsilon: epsilon(1, 1),
    };
    let places = [-6, -5, -4, -3, 0, 2, 4, 5, 7].map(|n| q(n, 4));
    let profile = super::super::mirror::OwnMirror(shift);
    for bits in [3, 6, 60] {
        assert_eq!(spans_hold(&profile, &places, bits), Ok(()));
    }
}

/// Where ε is known to a few bits only, a place may be on either side of an end: both pieces are within.
#[test]
fn ends_that_are_hardly_known() {
    for epsilon in [Epsilon::log_of(q(3, 1)).unwrap(), epsilon(7, 5)] {
        let shift = LaplaceShift {
            epsilon: epsilon.clone(),
        };
        assert_eq!(ends_hold_within(&shift, &epsilon, &[2, -2]), Ok(()));
    }
}
