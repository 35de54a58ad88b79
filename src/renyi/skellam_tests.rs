//! Rényi divergences of Skellam noise.

use std::sync::Arc;

use super::*;
use crate::mechanism::shifted::Shifts;
use crate::number::parse_rational;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn pair(mean: &Rational, unit: u64) -> Skellam {
    let noise = Noise::Skellam {
        mean: mean.clone(),
        unit,
    };
    let once = Shifts::sampled(&q(1, 1));
    Skellam::of(&Arc::new(ShiftedNoise::new(noise, Shifts::none(), once))).unwrap()
}

/// log N(k) for |k| ≤ 400.
fn logs(pair: &Skellam, bits: u32) -> impl Fn(i64) -> Interval {
    let masses = pair.noise.masses(400, bits);
    let logs: Vec<Interval> = masses.iter().map(Interval::ln).collect();
    move |k| logs[usize::try_from(k.abs()).unwrap()].clone()
}

/// Sums over all integers from -200 to 400 by mpmath, with its Bessel functions.
#[test]
fn sums_by_mpmath() {
    let cases = [
        ((1, 3), 1, (1, 2), "0.418423271775724913874466046614202519"),
        ((4, 1), 1, (1, 1), "0.0625712514334015831433659450767679325"),
        ((1, 3), 1, (1, 1), "0.790610129308073907441887520235578679"),
        ((4, 1), 3, (3, 2), "0.82080758977163991264865044822261939"),
        ((20, 1), 2, (5, 1), "0.247114678081021057526334204332994136"),
        ((4, 1), 2, (12, 1), "1.84217199136896672181789272998683672"),
    ];
    for ((n, d), unit, (a, b), truth) in cases {
        let truth = parse_rational(truth).unwrap();
        let pair = pair(&q(n, d), unit);
        let found = pair
            .divergence(&q(a, b), 160, &Budget::unlimited())
            .unwrap();
        let gap = found.sub(&Interval::from_rational(&truth, 160));
        assert!(
            *gap.lo() < 1e-33 && *gap.hi() > -1e-33,
            "{n}/{d} {unit}: {found:?}"
        );
        assert!(found.width_up() < 1e-40, "{n}/{d} {unit}: {found:?}");
    }
}

/// Next to order 1 it is the divergence there, which every order above is above.
#[test]
fn it_grows_through_order_one() {
    let pair = pair(&q(5, 2), 2);
    let at = |order: Rational| pair.divergence(&order, 120, &Budget::unlimited()).unwrap();
    let one = at(q(1, 1));
    let (below, above) = (
        at(q(999_999_999, 1_000_000_000)),
        at(q(1_000_000_001, 1_000_000_000)),
    );
    assert!(below.certainly_lt(&one) && one.certainly_lt(&above));
    assert!(above.sub(&below).hi() < &1e-8);
    assert!(at(q(9, 1)).certainly_lt(&at(q(10, 1))));
}

#[test]
fn sums_that_are_too_long_say_nothing() {
    let pair = pair(&q(100_000_000, 1), 1);
    let found = pair
        .divergence(&q(2, 1), 120, &Budget::unlimited())
        .unwrap();
    assert!(*found.lo() == 0 && found.hi().is_infinite());
}

/// Sums that end too early are wide, and still have the truth: what is left out on either side is counted.
#[test]
fn sums_that_end_early_have_the_truth() {
    let budget = Budget::unlimited();
    let bits = 200;
    for (n, d) in [(1, 3), (4, 1), (20, 1)] {
        for unit in [1, 3] {
            let pair = pair(&q(n, d), unit);
            let log = &logs(&pair, bits);
            let sum = |left, right| Sum {
                pair: &pair,
                left,
                right,
                bits,
                budget: &budget,
            };
            for order in [q(1, 2), q(3, 2), q(5, 1)] {
                let excess = Rational::from(&order - 1);
                let truth = sum(150, 300).at(&order, &excess, log).unwrap();
                for (left, right) in [(0, 3), (2, 9), (1, 30), (30, 4), (9, 60)] {
                    let found = sum(left, right).at(&order, &excess, log).unwrap();
                    let what = format!("{n}/{d} {unit} {order} {left} {right}: {found:?}");
                    assert!(found.intersect(&truth).is_ok(), "{what}");
                }
            }
            let truth = sum(150, 300).at_one(log).unwrap();
            for (left, right) in [(0, 3), (2, 9), (1, 30), (30, 4), (9, 60)] {
                let found = sum(left, right).at_one(log).unwrap();
                let what = format!("{n}/{d} {unit} {left} {right}: {found:?}");
                assert!(found.intersect(&truth).is_ok(), "{what}");
            }
        }
    }
}

/// The line from each order on is above all later divergences, and so low at large ones that D_t/t falls below any bound.
#[test]
fn no_divergence_is_above_its_line() {
    let orders: Vec<Rational> = [(1, 1), (6, 5), (2, 1), (7, 2), (9, 1), (40, 1), (160, 1)]
        .map(|(n, d)| q(n, d))
        .to_vec();
    for (mean, unit) in [(q(1, 3), 1), (q(4, 1), 1), (q(4, 1), 5), (q(50, 1), 2)] {
        let pair = pair(&mean, unit);
        for from in &orders {
            let (slope, constant) = pair.line(from, 100);
            for order in orders.iter().filter(|order| *order >= from) {
                let most = Rational::from(&slope * order);
                let most = Interval::from_rational(&most, 100).add(&constant);
                let found = pair.divergence(order, 100, &Budget::unlimited()).unwrap();
                assert!(found.certainly_le(&most), "{mean} {unit} {from} {order}");
            }
        }
        let far = q(1_000_000, 1);
        let (slope, constant) = pair.line(&far, 100);
        let relative = slope.to_f64() + constant.hi().to_f64() / far.to_f64();
        assert!(relative < 1e-3 * (unit as f64), "{mean} {unit}: {relative}");
    }
}

/// Where losses are far above the ratios of masses: what is left out on the right is more than the masses alone.
#[test]
fn the_mean_beyond_a_sum_that_ends_at_the_shift() {
    let budget = Budget::unlimited();
    let (bits, unit) = (200, 40);
    let pair = pair(&q(4, 1), unit);
    let log = &logs(&pair, bits);
    let sum = |left, right| Sum {
        pair: &pair,
        left,
        right,
        bits,
        budget: &budget,
    };
    let truth = sum(200, 300).at_one(log).unwrap();
    for right in [40, 41, 44] {
        let found = sum(200, right).at_one(log).unwrap();
        assert!(
            found.intersect(&truth).is_ok(),
            "{right}: {found:?} {truth:?}"
        );
        assert!(found.lo() < truth.lo(), "{right}: {found:?} {truth:?}");
    }
}

/// By the formula that is proved.
#[test]
fn lines_by_their_formula() {
    for (mean, unit) in [(q(1, 3), 1u64), (q(4, 1), 5), (q(50, 1), 2)] {
        let pair = pair(&mean, unit);
        for from in [q(1, 1), q(3, 2), q(7, 2), q(90, 1)] {
            let (slope, constant) = pair.line(&from, 100);
            let (m, s) = (mean.to_f64(), unit as f64);
            let excess = from.to_f64().max(2.0) - 1.0;
            assert!((slope.to_f64() - s / excess).abs() < 1e-12);
            let truth = s * (s * excess / m).ln() + (2.09 * m + s + 0.7) / excess - 2.0 * s;
            let found = constant.middle().to_f64();
            assert!(
                (found - truth).abs() < 1e-9,
                "{mean} {unit} {from}: {found} {truth}"
            );
        }
    }
}

/// What is left out on the right is the shift times P(≥ from) and, s/m times, P(≥ from + 1), from which s/m grows where the mean is small.
#[test]
fn what_is_left_out_of_the_mean() {
    let budget = Budget::unlimited();
    let (bits, shift) = (160, 2);
    let pair = pair(&q(1, 5), 2);
    let log = &logs(&pair, bits);
    for right in [3, 4, 6] {
        let sum = Sum {
            pair: &pair,
            left: 60,
            right,
            bits,
            budget: &budget,
        };
        let term = |k: i64| log(k - shift).exp().mul(&log(k - shift).sub(&log(k)));
        let listed = sum.over(term).unwrap();
        let tail = |k: i64| pair.noise.upper_tail(k, bits);
        let growth = Interval::from_rational(&q(10, 1), bits);
        let more = tail(right - shift).add(&tail(right - shift + 1).mul(&growth));
        let most = listed.add(&more.mul(&Interval::from_i64(shift, bits)));
        let found = sum.at_one(log).unwrap();
        let apart = found.hi().to_f64() - most.hi().to_f64();
        assert!(apart.abs() < 1e-15, "{right}: {apart}");
    }
}
