//! Pairs next to the boundary of a guarantee, at few bits: none is said to be within that is not.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

fn divergence(q: f64, p: f64, t: f64) -> f64 {
    let (up, down) = ((q / p).ln(), ((1.0 - q) / (1.0 - p)).ln());
    if t == 1.0 {
        q * up + (1.0 - q) * down
    } else {
        (p * (t * up).exp() + (1.0 - p) * (t * down).exp()).ln() / (t - 1.0)
    }
}

/// A random pair with p + q ≤ 1.
fn pair(random: &mut Random) -> (f64, f64) {
    let p = (1.0 + random.below(400) as f64) / 1_024.0;
    let most = 1.0 - 2.0 * p;
    let d = most * (1.0 + random.below(1_000) as f64) / 1_001.0;
    (p, (d * 1_048_576.0).floor() / 1_048_576.0)
}

fn near(random: &mut Random, x: f64) -> Rational {
    // From 30 % below to as much above, and now and then next to it.
    let part = match random.below(3) {
        0 => 1.0 + (random.below(601) as f64 - 300.0) / 1e7,
        1 => 1.0 + (random.below(601) as f64 - 300.0) / 1e4,
        _ => 1.0 + (random.below(601) as f64 - 300.0) / 1e3,
    };
    Rational::from_f64(x * part).unwrap()
}

#[test]
fn no_pair_is_taken_for_a_member() {
    let mut random = Random(41);
    let (mut taken, mut left) = (0, 0);
    for _ in 0..3_000 {
        let (p, d) = pair(&mut random);
        if d <= 0.0 {
            continue;
        }
        let q = p + d;
        let at = |x: f64| Float::with_val(53, x);
        // A table of one to three orders, some of which are met with room and some hardly.
        let mut stated: Vec<RenyiBound> = Vec::new();
        for order in [(1, 1), (3, 2), (2, 1), (9, 2), (20, 1)].map(Rational::from) {
            if random.below(2) == 0 {
                let truth = divergence(q, p, order.to_f64());
                if !truth.is_finite() {
                    continue;
                }
                let epsilon = near(&mut random, truth);
                stated.push(RenyiBound { order, epsilon });
            }
        }
        // The list of a guarantee rises in both.
        let mut most = Rational::new();
        stated.retain(|one| {
            let rises = one.epsilon > most;
            if rises {
                most = one.epsilon.clone();
            }
            rises && one.order > 1
        });
        if stated.is_empty() {
            continue;
        }
        let is_member = stated.iter().all(|one| {
            let (t, epsilon) = (one.order.to_f64(), one.epsilon.to_f64());
            divergence(q, p, t) <= epsilon * (1.0 + 1e-9)
        });
        for bits in [6, 9, 14, 53] {
            let found = at_most_bits(bits, || {
                Pair::new(&at(p), &at(d), 53).is_some_and(|pair| is_rdp(&pair, &stated))
            });
            assert!(!found || is_member, "{p} {d} {stated:?} {bits}");
            taken += u32::from(found);
            left += u32::from(bits == 53 && is_member && !found);
        }
    }
    assert!(taken > 500, "{taken}");
    // Of those within, hardly any is left with bits enough.
    assert!(left < 20, "{left}");
}

#[test]
fn no_pair_is_taken_for_a_zcdp_member() {
    let mut random = Random(43);
    let dense: Vec<f64> = (0..90).map(|k| 1.0 + 0.002 * 1.13f64.powi(k)).collect();
    let (mut taken, mut beyond) = (0, 0);
    for _ in 0..crate::test_scale::cases(1_000).max(3_500) {
        let (p, d) = pair(&mut random);
        if d <= 0.0 {
            continue;
        }
        let q = p + d;
        let at = |x: f64| Float::with_val(53, x);
        let mut places = dense.clone();
        places.push(1.0);
        let truth = places.iter().map(|t| divergence(q, p, *t) / t);
        let truth = truth.fold(0.0, f64::max);
        if !truth.is_finite() {
            continue;
        }
        let rho = near(&mut random, truth);
        let is_member = truth <= rho.to_f64() * (1.0 + 1e-9);
        for bits in [6, 9, 14, 53] {
            let (easy, hard) = at_most_bits(bits, || {
                let Some(pair) = Pair::new(&at(p), &at(d), 53) else {
                    return (false, false);
                };
                let spot = Spot::new(&at(p), &at(d));
                let loss = Float::with_val(53, 1e-6);
                let hard = is_zcdp_beyond(&pair, &spot, &rho, &rho, &loss);
                (is_zcdp(&pair, &rho), hard)
            });
            assert!(
                is_member || !(easy || hard),
                "{p} {d} {rho} {bits}: {easy} {hard}"
            );
            taken += u32::from(easy);
            beyond += u32::from(hard);
        }
    }
    let least = crate::test_scale::cases(100);
    assert!(taken > least && beyond > least, "{taken} {beyond}");
}
