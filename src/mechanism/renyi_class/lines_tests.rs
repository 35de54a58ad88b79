//! Lines and members of few bits, against pairs on the boundary of a guarantee.

use super::super::order::Spot;
use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::renyi_class::Guarantee;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// D_t of a Bernoulli pair, in floats.
fn divergence(q: f64, p: f64, t: f64) -> f64 {
    let (up, down) = ((q / p).ln(), ((1.0 - q) / (1.0 - p)).ln());
    if t == 1.0 {
        q * up + (1.0 - q) * down
    } else {
        (p * (t * up).exp() + (1.0 - p) * (t * down).exp()).ln() / (t - 1.0)
    }
}

/// The largest q with p + q ≤ 1 and D_t ≤ ε.
fn largest(p: f64, t: f64, epsilon: f64) -> f64 {
    let (mut low, mut high) = (p, 1.0 - p);
    if high <= low || divergence(high, p, t) <= epsilon {
        return high.max(low);
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if divergence(middle, p, t) <= epsilon {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn support(order: &RenyiBound, p: f64, off: f64) -> Support {
    let (t, epsilon) = (order.order.to_f64(), order.epsilon.to_f64());
    let d = (largest(p, t, epsilon) - p) * off;
    let at = |x: f64| Float::with_val(53, x);
    Support {
        spot: Spot::new(&at(p), &at(d)),
        order: Some(order.clone()),
    }
}

fn orders() -> Vec<RenyiBound> {
    let order = |order, epsilon| RenyiBound { order, epsilon };
    vec![
        order(q(1, 1), q(1, 4)),
        order(q(3, 2), q(4, 5)),
        order(q(2, 1), q(1, 1)),
        order(q(8, 1), q(1, 1)),
    ]
}

/// However few bits there are, no pair is above a line; with many the line touches where it was drawn.
#[test]
fn no_pair_is_above_a_line() {
    let mut seen = 0;
    for order in orders() {
        let (t, epsilon) = (order.order.to_f64(), order.epsilon.to_f64());
        let pairs: Vec<(f64, f64)> = (1..60)
            .map(|n| f64::from(n) / 128.0)
            .map(|p| (p, largest(p, t, epsilon)))
            .collect();
        for p in [0.015625, 0.0625, 0.25, 0.375] {
            for off in [1.0, 0.9, 1.02] {
                let support = support(&order, p, off);
                for bits in [6, 8, 10, 14, 53] {
                    let Some(line) = at_most_bits(bits, || line(&support, 53)) else {
                        continue;
                    };
                    let (height, slope) = (line.height.hi().to_f64(), line.slope.hi().to_f64());
                    for (p, q) in &pairs {
                        let over = height + slope * p - q;
                        assert!(over >= -1e-9, "{order:?} {off} {bits}: {p} {q} {over}");
                    }
                    let touched = p + support.spot.d.to_f64();
                    if bits == 53 && off == 1.0 && touched + p < 0.999 {
                        assert!((height + slope * p - touched).abs() < 1e-7, "{order:?} {p}");
                    }
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 150, "{seen}");
}

/// The bound made of three lines is above q − u·p of every pair, at few bits and many.
#[test]
fn no_pair_is_above_the_bound() {
    for order in orders() {
        let (t, epsilon) = (order.order.to_f64(), order.epsilon.to_f64());
        let of = |u: f64| {
            let pairs = (1..4_096).map(|n| f64::from(n) / 8_192.0);
            let pairs = pairs.map(|p| (p, largest(p, t, epsilon) - u * p));
            pairs.fold(
                (0.0, 0.0),
                |best, one| if one.1 > best.1 { one } else { best },
            )
        };
        for u in [1.0f64, 1.125, 1.5] {
            let (place, truth) = of(u);
            if place <= 0.01 {
                continue;
            }
            // The third line steeper than u, hardly less steep, and farther out.
            let lines = [0.0, 0.25, 1.0]
                .into_iter()
                .flat_map(|share| [0.3, 1.02, 1.1, 1.3, 2.0].map(|far| (share, far)));
            for (share, far) in lines {
                let supports = Supports {
                    left: support(&order, place * 0.95, 1.0),
                    right: support(&order, (place * 1.05).min(0.49), 1.0),
                    far: support(&order, (place * far).min(0.48), 1.0),
                    share: Float::with_val(53, share),
                };
                for bits in [7, 10, 53] {
                    let at = Interval::point(Float::with_val(53, u));
                    let Some(bound) = at_most_bits(bits, || delta_up(&supports, &at, 53)) else {
                        continue;
                    };
                    assert!(
                        bound.to_f64() >= truth - 1e-9,
                        "{order:?} {u} {share} {far} {bits}"
                    );
                }
            }
        }
    }
}

/// A pair is one of probabilities with p + q ≤ 1, or none.
#[test]
fn pairs_that_are_none() {
    let of = |p: f64, d: f64, bits: u32| {
        Pair::new(&Float::with_val(53, p), &Float::with_val(53, d), bits).is_some()
    };
    assert!(of(0.25, 0.5, 53) && !of(0.25, 0.500_001, 53));
    assert!(!of(0.0, 0.5, 53) && !of(0.25, 0.0, 53) && !of(0.25, -0.125, 53));
    // 2p + d is above 1 by less than a few bits tell.
    let tight = at_most_bits(4, || of(0.25, 0.500_001, 53));
    assert!(!tight);
}

/// Without a guarantee there is the line q ≤ 1 − p.
#[test]
fn the_line_of_no_guarantee() {
    let spot = Spot::new(&Float::with_val(60, 0.25), &Float::with_val(60, 0.25));
    let line = line(&Support { spot, order: None }, 60).unwrap();
    assert!(line.height.contains(&Rational::from(1)) && line.slope.contains(&Rational::from(-1)));
    assert!(line.height.width_up() == 0 && line.slope.width_up() == 0);
}

/// A guarantee that is too weak to be searched is no line: all of them must be within the limits for that.
#[test]
fn one_guarantee_beyond_the_limits() {
    let guarantee = |epsilon: Rational| {
        Guarantee::rdp(&[
            (Rational::from(2), Rational::from(1)),
            (Rational::from(3), epsilon),
        ])
        .unwrap()
    };
    assert!(guarantee(Rational::from(2)).has_all_it_needs());
    assert!(!guarantee(Rational::from(1u64 << 40u32)).has_all_it_needs());
}
