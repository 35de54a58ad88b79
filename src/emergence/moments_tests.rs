//! Moments by their definitions: Gaussian noise, finite pairs, and what is checked of them.

use std::sync::Arc;

use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::finite_pair::law;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn between(low: f64, high: f64) -> Interval {
    let [low, high] = [low, high].map(|x| Float::with_val(64, x));
    Interval::new(low, high).unwrap()
}

fn all_of(side: &LossMoments) -> [&Interval; 5] {
    [
        &side.mean,
        &side.second,
        &side.variance,
        &side.third_central,
        &side.third_absolute,
    ]
}

/// E of a function of a loss that is normal, by small steps.
fn normal_mean(mean: f64, deviation: f64, of: impl Fn(f64) -> f64) -> f64 {
    let width = 1.0 / 512.0;
    let term = |n: i32| {
        let z = f64::from(n) * width;
        (-z * z / 2.0).exp() * of(mean + deviation * z)
    };
    let sum: f64 = (-6000..=6000).map(term).sum();
    sum * width / (2.0 * std::f64::consts::PI).sqrt()
}

/// Also at a few bits, where each rounding counts.
#[test]
fn gaussian_noise() {
    for (square, digits) in [(q(9, 4), 1e-7), (q(1, 3), 1e-7), (q(25, 1), 1e-5)] {
        let fine = gaussian(&square);
        let variance = square.to_f64();
        for (side, mean) in [
            (&fine.null, -variance / 2.0),
            (&fine.alternative, variance / 2.0),
        ] {
            let truth = |of: &dyn Fn(f64) -> f64| normal_mean(mean, variance.sqrt(), of);
            let truths = [
                mean,
                truth(&|l| l * l),
                variance,
                truth(&|l| (l - mean).abs().powi(3)),
                truth(&|l| l.abs().powi(3)),
            ];
            for (place, (found, truth)) in all_of(side).into_iter().zip(truths).enumerate() {
                let gap = (found.middle().to_f64() / truth - 1.0).abs();
                assert!(gap < digits, "{square} {place}: {found:?} {truth}");
                assert!(found.width_up() < 1e-60, "{square} {place}: {found:?}");
            }
        }
        for bits in 4..20 {
            let coarse = at_most_bits(bits, || gaussian(&square));
            for (side, truth) in [
                (&coarse.null, &fine.null),
                (&coarse.alternative, &fine.alternative),
            ] {
                for (coarse, fine) in all_of(side).into_iter().zip(all_of(truth)) {
                    assert!(
                        coarse.lo() <= fine.hi() && coarse.hi() >= fine.lo(),
                        "{bits}"
                    );
                    assert!(coarse.hi().is_finite());
                }
            }
        }
    }
}

/// Three losses whose means are not in the middle.
#[test]
fn finite_pairs() {
    let (p, with) = ([0.5f64, 0.3, 0.2], [0.1f64, 0.3, 0.6]);
    let masses = [[(1, 2), (3, 10), (1, 5)], [(1, 10), (3, 10), (3, 5)]];
    let [null, alternative] = masses.map(|all| all.map(|(n, d)| q(n, d)).to_vec());
    let law = law(&null, &alternative).unwrap();
    let found = finite(&Arc::new(law)).unwrap();
    let losses: Vec<f64> = p.iter().zip(with).map(|(p, q)| (q / p).ln()).collect();
    for (side, masses) in [(&found.null, p), (&found.alternative, with)] {
        let mean_of = |of: &dyn Fn(f64) -> f64| -> f64 {
            masses.iter().zip(&losses).map(|(m, l)| m * of(*l)).sum()
        };
        let mean = mean_of(&|l| l);
        let truths = [
            mean,
            mean_of(&|l| l * l),
            mean_of(&|l| (l - mean).powi(2)),
            mean_of(&|l| (l - mean).abs().powi(3)),
            mean_of(&|l| l.abs().powi(3)),
        ];
        for (place, (found, truth)) in all_of(side).into_iter().zip(truths).enumerate() {
            let gap = (found.middle().to_f64() - truth).abs();
            assert!(gap < 1e-12, "{place}: {found:?} {truth}");
            assert!(found.width_up() < 1e-60);
        }
    }
}

#[test]
fn cubes_of_either_sign() {
    for (low, high, least, most) in [
        (2.0, 3.0, 8.0, 27.0),
        (-3.0, -2.0, 8.0, 27.0),
        (-1.0, 2.0, 0.0, 8.0),
        (-2.0, 1.0, 0.0, 8.0),
    ] {
        let cube = absolute_cube(&between(low, high));
        assert!(*cube.lo() == least && *cube.hi() == most, "{cube:?}");
    }
}

fn moments(mean: [Interval; 2], variance: Interval, third: Interval) -> StepMoments {
    let side = |mean: Interval| LossMoments {
        second: variance.clone(),
        mean,
        variance: variance.clone(),
        third_central: third.clone(),
        third_absolute: third.clone(),
    };
    let [null, alternative] = mean;
    StepMoments {
        null: side(null),
        alternative: side(alternative),
        is_normal: false,
    }
}

/// Only what is certainly wrong is a contradiction.
#[test]
fn contradictions() {
    let point = |x: f64| between(x, x);
    let mean = || [point(-1.0), point(1.0)];
    let is_fine = |mean, variance, third| check(&moments(mean, variance, third)).is_ok();
    assert!(is_fine(mean(), point(1.0), point(1.0)));
    assert!(is_fine(mean(), point(1.0), point(2.0)));
    assert!(!is_fine(mean(), point(1.0), point(0.5)));
    assert!(!is_fine(mean(), between(1.0, 2.0), between(0.25, 0.5)));
    // They meet.
    assert!(is_fine(mean(), between(0.5, 2.0), point(1.0)));
    assert!(is_fine(mean(), point(1.0), between(0.5, 2.0)));
    let unit = || point(1.0);
    for (null, alternative, fine) in [
        ((0.0, 0.0), (0.0, 0.0), true),
        ((-1.0, 1.0), (-1.0, 1.0), true),
        ((0.5, 1.0), (1.0, 1.0), false),
        ((-1.0, -1.0), (-1.0, -0.5), false),
    ] {
        let [null, alternative] = [null, alternative].map(|(low, high)| between(low, high));
        assert_eq!(is_fine([null, alternative], unit(), unit()), fine);
    }
}

/// The width allowed is a part of the smaller end, and may be reached.
#[test]
fn how_narrow_moments_must_be() {
    let is_narrow = |mean: Interval| {
        let third = between(1.0, 1.0);
        let one = || between(1.0, 1.0);
        moments([mean, one()], one(), third).is_narrow(2)
    };
    assert!(is_narrow(between(4.0, 5.0)) && is_narrow(between(-4.0, -3.25)));
    assert!(!is_narrow(between(4.0, 5.125)) && !is_narrow(between(4.0, 5.0625)));
}

/// An outcome that only one of both laws has, whichever it is.
#[test]
fn outcomes_of_one_law_alone() {
    let (both, one) = ([q(1, 2), q(1, 2)], [q(1, 1), q(0, 1)]);
    for (null, alternative) in [(&both, &one), (&one, &both)] {
        let law = law(null, alternative).unwrap();
        assert_eq!(finite(&Arc::new(law)).err(), Some(NoMoments::InfiniteLoss));
    }
}

/// One of both laws is enough to contradict.
#[test]
fn contradictions_of_one_law() {
    let point = |x: f64| between(x, x);
    let whole = || moments([point(-1.0), point(1.0)], point(1.0), point(2.0));
    let (mut first, mut second) = (whole(), whole());
    first.null.third_central = point(0.5);
    second.alternative.third_central = point(0.5);
    assert!(check(&whole()).is_ok() && check(&first).is_err() && check(&second).is_err());
}

/// What is certainly wrong, by fractions: (Var)³ above the square of the third moment, or means on the wrong side of 0.
#[test]
fn contradictions_by_fractions() {
    let mut random = crate::kernel::coarse::Random(51);
    let (mut wrong, mut fine) = (0, 0);
    for _ in 0..5_100 {
        let mut eighths = |below: u64| random.below(below) as f64 / 8.0;
        let (v, t) = (eighths(40), eighths(90));
        let (v, t) = ((v, v + eighths(9)), (t, t + eighths(9)));
        let (a, b) = (eighths(12) - 1.25, eighths(12));
        let (null, alternative) = ((a, a + eighths(4)), (b - eighths(9), b - 0.125));
        let is_wrong = v.0 * v.0 * v.0 > t.1 * t.1 || null.0 > 0.0 || alternative.1 < 0.0;
        let of = |(low, high)| between(low, high);
        let mean = [
            of(null),
            of((alternative.0.min(alternative.1), alternative.1)),
        ];
        let all = moments(mean, of(v), of(t));
        assert_eq!(
            check(&all).is_err(),
            is_wrong,
            "{v:?} {t:?} {null:?} {alternative:?}"
        );
        let bits = 2 + u32::try_from(random.below(12)).unwrap();
        let is_refused = at_most_bits(bits, || check(&all)).is_err();
        assert!(is_wrong || !is_refused, "{v:?} {t:?} {bits} bits");
        (wrong, fine) = (wrong + u32::from(is_wrong), fine + u32::from(!is_wrong));
    }
    assert!(wrong > 1_000 && fine > 1_000, "{wrong} {fine}");
}

/// A width of 2^−bits of the least size, by fractions, also of the last moment alone.
#[test]
fn narrow_by_fractions() {
    let mut random = crate::kernel::coarse::Random(52);
    for round in 0..5_100 {
        let low = random.below(64) as f64 - 32.0;
        let width = random.below(64) as f64 / 16.0;
        let digits = u32::try_from(random.below(5)).unwrap();
        let one = || between(1.0, 1.0);
        let mut all = moments([one(), one()], one(), one());
        let x = between(low, low + width);
        match round % 6 {
            0 => all.null.mean = x,
            1 => all.null.third_absolute = x,
            2 => all.alternative.second = x,
            3 => all.alternative.variance = x,
            4 => all.alternative.third_central = x,
            _ => all.alternative.third_absolute = x,
        }
        let truth = width <= low.abs() / f64::from(1u32 << digits);
        assert_eq!(all.is_narrow(digits), truth, "{low} {width} {digits}");
        let coarse = at_most_bits(3, || all.is_narrow(digits));
        assert!(truth || !coarse, "{low} {width} {digits}");
    }
}
