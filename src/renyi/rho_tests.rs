//! Bounds of D_t/t between two orders, at a few bits, against pairs of two outcomes.

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

/// D_t of two outcomes.
fn divergence(q: f64, p: f64, t: f64) -> f64 {
    let sum = q.powf(t) * p.powf(1.0 - t) + (1.0 - q).powf(t) * (1.0 - p).powf(1.0 - t);
    sum.ln() / (t - 1.0)
}

fn number(random: &mut Random, below: u64) -> i64 {
    i64::try_from(random.below(below)).unwrap()
}

#[test]
fn between_two_orders() {
    let mut random = Random(71);
    let mut close = 0;
    for round in 0..2_600 {
        let [q, p] = [(); 2].map(|()| (1 + number(&mut random, 63)) as f64 / 64.0);
        if q == p {
            continue;
        }
        let from = Rational::from((8 + number(&mut random, 12), 8));
        let to = &from + Rational::from((1 + number(&mut random, 40), 8));
        let knot = |order: &Rational, by: f64| {
            let t = order.to_f64();
            // At order 1 it is the relative entropy.
            let exact = if t == 1.0 {
                divergence(q, p, 1.0 + 1e-7)
            } else {
                divergence(q, p, t)
            };
            let at = |x: f64| Float::with_val(100, x);
            ProfilePoint {
                order: order.clone(),
                divergence: Interval::spanning(at(exact - by), at(exact + by)),
            }
        };
        for (bits, by) in [(100, 1e-13), (10, 1e-13), (6, 1e-13), (60, 0.01)] {
            let (left, right) = (knot(&from, by), knot(&to, by));
            let most = at_most_bits(bits, || between(&left, &right, 100)).to_f64();
            for n in 1..=12 {
                let t = from.to_f64() + (to.to_f64() - from.to_f64()) * f64::from(n) / 12.0;
                let truth = divergence(q, p, t) / t;
                assert!(
                    most >= truth - 1e-9,
                    "{q} {p} {from} {to} at {bits} bits, {t}: {most} {truth}"
                );
            }
            let start = divergence(q, p, from.to_f64().max(1.0 + 1e-7)) / from.to_f64();
            close += i32::from(bits == 100 && from > 1 && most < 1.05 * start);
        }
        let middle = division(&from, Some(&to));
        assert!(from < middle && middle < to, "{from} {middle} {to}");
        assert!(division(&from, None) > from || from == 1, "{round}");
    }
    assert!(close > 60, "{close}");
}

/// Of a Gaussian D_t = t/2, and nothing is above 1/2.
#[test]
fn ends_of_cells() {
    let at = |n: i64, d: i64| Rational::from((n, d));
    let knot = |order: Rational| ProfilePoint {
        divergence: Interval::from_rational(&Rational::from(&order / 2u32), 90),
        order,
    };
    // From 1 on the right end alone counts: D_b over 1.
    assert!(between(&knot(at(1, 1)), &knot(at(2, 1)), 90) >= 1);
    for (a, b) in [
        (at(3, 2), at(2, 1)),
        (at(2, 1), at(5, 1)),
        (at(9, 8), at(10, 8)),
    ] {
        let most = between(&knot(a.clone()), &knot(b.clone()), 90);
        let simple = Rational::from(&b / 2u32) / &a;
        assert!(
            most >= 0.5 && most <= simple.to_f64() + 1e-12,
            "{a} {b}: {most}"
        );
        // By hand: the chord of ψ = t(t − 1)/2 from a to b is (t − 1)·(a + b − 1)/2 + …: A = ab/2, B = (a − 1)(b − 1)/2.
        let (x, y) = (a.to_f64(), b.to_f64());
        let root = (x * y / 2.0).sqrt() - ((x - 1.0) * (y - 1.0) / 2.0).sqrt();
        assert!(
            (most.to_f64() - root * root).abs() < 1e-12,
            "{a} {b}: {most} {root}"
        );
    }
    let infinite = ProfilePoint {
        order: at(3, 1),
        divergence: Interval::infinity(90),
    };
    assert!(between(&knot(at(2, 1)), &infinite, 90).is_infinite());
}

/// Where D_t/t rises or falls over a whole cell, one of its ends counts.
#[test]
fn summits_outside_of_cells() {
    let at = |order: i64, divergence: i64| ProfilePoint {
        order: Rational::from(order),
        divergence: Interval::from_i64(divergence, 90),
    };
    // The chord of ψ = (t − 1)·D_t is 11t − 21 from 2 to 3: D_t/t is largest beyond.
    assert!((between(&at(2, 1), &at(3, 6), 90).to_f64() - 2.0).abs() < 1e-20);
    // It is t + 9 from 2 to 3, with nothing taken off at 1 or 0: D_t/t is largest before.
    assert!((between(&at(2, 11), &at(3, 6), 90).to_f64() - 3.0).abs() < 1e-20);
}

/// What a search says at any time, at a few bits as well: above D_t/t at every order, and not below it by more than the least upper bound.
#[test]
fn searches_enclose_what_they_seek() {
    use crate::renyi::tests::{BOTH, parts};
    let budget = Budget::unlimited();
    let texts = [
        r#"{"kind":"gaussian","sigma":3}"#,
        r#"{"kind":"pure-dp","epsilon":"0.7"}"#,
        r#"{"kind":"finite","p":["1/2","1/4","1/8","1/8"],"q":["1/3","1/12","1/4","1/3"]}"#,
    ];
    for (number, text) in texts.into_iter().enumerate() {
        for direction in BOTH.into_iter().skip(number % 2).take(1 + number / 2) {
            // Anew for every search, for what was computed at a few bits is kept.
            let fresh = || parts(text);
            let parts = fresh();
            let mut fine = RhoSearch::new(&parts, &[direction], 20, &budget).unwrap();
            for _ in 0..16 {
                fine.refine(&budget).unwrap();
            }
            let rho = fine.enclosure().unwrap();
            assert!(rho.width_up() <= 0.05, "{text} {direction:?}: {rho:?}");
            for (n, d) in [(5, 4), (2, 1), (7, 2), (10, 1)] {
                let order = Rational::from((n, d));
                let truth = parts.divergence(&order, direction, 90, &budget).unwrap();
                let share = truth.div(&Interval::from_rational(&order, 90));
                assert!(rho.hi() >= share.lo(), "{text} {direction:?} {order}");
            }
            for bits in [4, 6, 9] {
                let mut search =
                    at_most_bits(bits, || RhoSearch::new(&parts, &[direction], 20, &budget))
                        .unwrap();
                for _ in 0..3 {
                    let found = at_most_bits(bits, || search.enclosure()).unwrap();
                    assert!(
                        found.lo() <= rho.hi() && found.hi() >= rho.lo(),
                        "{text} {direction:?} at {bits} bits: {found:?} {rho:?}"
                    );
                    at_most_bits(bits, || search.refine(&budget)).unwrap();
                }
            }
        }
    }
}

/// Beyond an order nothing is above the line, which is next to D_t/t where nearly all of the largest loss is there; at a few bits too.
#[test]
fn beyond_the_last_order() {
    use crate::renyi::tests::{BOTH, parts};
    let budget = Budget::unlimited();
    let parts = parts(r#"{"kind":"pure-dp","epsilon":5}"#);
    let order = Rational::from(40);
    for direction in BOTH {
        let divergence = parts.divergence(&order, direction, 90, &budget).unwrap();
        let share = divergence.div(&Interval::from_rational(&order, 90));
        for bits in [3, 4, 5, 6, 9, 90] {
            let from = ProfilePoint {
                order: order.clone(),
                divergence: divergence.clone(),
            };
            let most = at_most_bits(bits, || {
                let search = RhoSearch {
                    parts: &parts,
                    bits: 90,
                    cells: Vec::new(),
                    least: Float::new(90),
                    place: Place::Infinity,
                };
                search.beyond(direction, &from)
            });
            assert!(
                most >= *share.lo(),
                "{direction:?} at {bits} bits: {most} {share:?}"
            );
            assert!(bits < 90 || most <= 0.12501f64, "{direction:?}: {most}");
        }
    }
}

/// Random orders of two outcomes, at few bits: what is known of D_t/t from below is no more than the largest of those seen.
#[test]
fn random_orders_of_two_outcomes() {
    use crate::renyi::tests::{BOTH, parts};
    let budget = Budget::unlimited();
    let parts = parts(r#"{"kind":"finite","p":["1/3","2/3"],"q":["3/4","1/4"]}"#);
    let mut random = Random(54);
    for round in 0..400 {
        let bits = 3 + u32::try_from(random.below(16)).unwrap();
        let mut search = RhoSearch {
            parts: &parts,
            bits: 64,
            cells: Vec::new(),
            least: Float::new(64),
            place: Place::Infinity,
        };
        let direction = BOTH[round % 2];
        let (q, p) = [(0.75, 1.0 / 3.0), (1.0 / 3.0, 0.75)][round % 2];
        let mut most = 0f64;
        for _ in 0..25 {
            let order = Rational::from((9 + number(&mut random, 90), 8));
            let truth = divergence(q, p, order.to_f64());
            most = most.max(truth / order.to_f64());
            let knot = at_most_bits(bits, || search.knot(order.clone(), direction, &budget));
            let found = knot.unwrap().divergence;
            let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
            assert!(
                low <= truth + 1e-9 && truth - 1e-9 <= high,
                "{order} {bits}"
            );
            assert!(search.least.to_f64() <= most + 1e-9, "{order} {bits}");
        }
    }
}

/// What is beyond random orders, at few bits: no less than D_t/t there, which falls, of two outcomes with losses up to log 9/4.
#[test]
fn beyond_random_orders() {
    use crate::renyi::tests::parts;
    let parts = parts(r#"{"kind":"finite","p":["1/3","2/3"],"q":["3/4","1/4"]}"#);
    let mut random = Random(55);
    for _ in 0..10_000 {
        let order = Rational::from((9 + number(&mut random, 400), 8));
        let bits = 2 + u32::try_from(random.below(16)).unwrap();
        let search = RhoSearch {
            parts: &parts,
            bits: 64,
            cells: Vec::new(),
            least: Float::new(64),
            place: Place::Infinity,
        };
        let from = ProfilePoint {
            order: order.clone(),
            divergence: Interval::zero(64),
        };
        let most = at_most_bits(bits, || search.beyond(Direction::Remove, &from)).to_f64();
        let t = order.to_f64();
        for t in [t, t + 1.0, 2.0 * t] {
            let truth = divergence(0.75, 1.0 / 3.0, t) / t;
            assert!(
                most >= truth - 1e-12,
                "{order} {t} at {bits} bits: {most} {truth}"
            );
        }
    }
}
