//! Keys that are released or not.

use std::sync::Arc;

use rug::Float;

use super::*;
use crate::kernel::coarse::{FINE, at_most_bits, surrounds};
use crate::kernel::{Point, Profile};
use crate::mechanism::finite::FiniteProfile;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn noises() -> Vec<CountNoise> {
    vec![
        CountNoise::Laplace { scale: q(3, 2) },
        CountNoise::Gaussian { sigma: q(4, 3) },
        CountNoise::DiscreteLaplace { scale: q(3, 2) },
        CountNoise::DiscreteGaussian { sigma: q(4, 3) },
    ]
}

fn release(noise: &CountNoise, count: i64, threshold: &Rational, at: bool) -> Release {
    Release::new(noise.clone(), &q(count, 1), threshold, at).unwrap()
}

/// Masses of noise on the integers from −reach to reach, by their definition.
fn masses(noise: &CountNoise, reach: i64) -> Vec<(i64, Float)> {
    let weight = |k: i64| {
        let exponent = match noise {
            CountNoise::DiscreteLaplace { scale } => Rational::from(-k.abs()) / scale,
            CountNoise::DiscreteGaussian { sigma } => {
                Rational::from(-k * k) / (sigma.clone().square() * 2u32)
            }
            _ => panic!("on the integers"),
        };
        Float::with_val(300, exponent).exp()
    };
    let all: Vec<(i64, Float)> = (-reach..=reach).map(|k| (k, weight(k))).collect();
    let total = all
        .iter()
        .fold(Float::new(300), |sum, (_, weight)| sum + weight);
    let share = |(k, weight): (i64, Float)| (k, weight / &total);
    all.into_iter().map(share).collect()
}

/// Every whole count, threshold and rule by counting: what > and ≥ mean at the threshold itself, and that the count is in.
#[test]
fn whole_counts_by_enumeration() {
    for noise in &noises()[2..] {
        let masses = masses(noise, 400);
        for count in [0i64, 1, 3] {
            for threshold in [q(-2, 1), q(0, 1), q(1, 1), q(7, 2), q(4, 1), q(9, 1)] {
                for at in [false, true] {
                    let passes = |k: i64| {
                        let noisy = q(count + k, 1);
                        noisy > threshold || (at && noisy == threshold)
                    };
                    let truth = masses
                        .iter()
                        .filter(|(k, _)| passes(*k))
                        .fold(Float::new(300), |sum, (_, mass)| sum + mass);
                    let found = release(noise, count, &threshold, at);
                    let wrong = |x: Interval, truth: &Float| {
                        Float::with_val(300, x.middle() - truth).abs() > 1e-40
                            || x.width_up() > 1e-45
                    };
                    assert!(
                        !wrong(found.probability(200), &truth),
                        "{noise:?} {count} {threshold} {at}: {:?}, not {truth}",
                        found.probability(200)
                    );
                    let rest = Float::with_val(300, 1 - &truth);
                    assert!(!wrong(found.rest(200), &rest));
                    assert!(!wrong(found.log_of_rest(200), &rest.ln()));
                }
            }
        }
    }
}

/// Real noise: closed forms, small probabilities to many digits, and no difference at the threshold.
#[test]
fn real_noise() {
    let laplace = &noises()[0];
    let far = release(laplace, 1, &q(61, 1), false);
    let truth = Float::with_val(200, -40).exp() / 2u32;
    let gap = Float::with_val(200, far.probability(160).middle() - &truth).abs();
    assert!(gap < 1e-60 && far.probability(160).width_up() < 1e-60);
    // log(1 − δ₀) keeps its digits where δ₀ is small.
    let log = far.log_of_rest(160);
    assert!(Float::with_val(200, log.middle() + &truth).abs() < 1e-15 * truth.clone());
    assert!(log.width_up() < Float::with_val(200, &truth >> 140u32));
    let near = release(laplace, 2, &q(1, 2), true);
    let truth = 1 - Float::with_val(200, -1).exp() / 2u32;
    assert!(Float::with_val(200, near.probability(160).middle() - &truth).abs() < 1e-45);
    let gaussian = release(&noises()[1], 1, &q(5, 1), true);
    let tail = Float::with_val(
        200,
        Float::with_val(200, 3) / Float::with_val(200, 2).sqrt(),
    )
    .erfc()
        / 2u32;
    assert!(Float::with_val(200, gaussian.probability(160).middle() - &tail).abs() < 1e-45);
    for noise in &noises()[..2] {
        let [a, b] = [true, false].map(|at| release(noise, 1, &q(3, 1), at));
        assert_eq!(a, b);
        let sum = a.probability(160).add(&a.rest(160));
        assert!(sum.contains(&q(1, 1)) && sum.width_up() < 1e-45);
    }
}

/// δ(u) = max(δ₀, 1 − u) of a key that the record brings, max(0, 1 − u·(1 − δ₀)) of one that it takes away; the other order is the other pair.
#[test]
fn profiles_of_new_keys() {
    for noise in noises() {
        for threshold in [q(1, 1), q(-1, 1), q(6, 1)] {
            let release = release(&noise, 1, &threshold, false);
            let zero = release.probability(200);
            let profile = |with| FiniteProfile::new(release.law(with).unwrap().into());
            for (n, d) in [(1, 9), (1, 2), (99, 100), (1, 1), (101, 100), (5, 1)] {
                let u = q(n, d);
                let point = Point::at_exp_epsilon(&u, 160);
                let linear = Interval::from_rational(&Rational::from(1 - &u), 200);
                let with = zero.max(&linear);
                let taken = release
                    .rest(200)
                    .mul(&Interval::from_rational(&u, 200))
                    .one_minus()
                    .at_least_zero();
                for (profile, truth) in [(profile(true), &with), (profile(false), &taken)] {
                    let found = profile.at(&point).delta;
                    assert!(found.intersect(truth).is_ok(), "{noise:?} {threshold} {u}");
                    assert!(found.width_up() < 1e-35, "{noise:?} {threshold} {u}");
                }
                let swapped = profile(true).swapped().at(&point).delta;
                assert!(swapped.intersect(&taken).is_ok());
            }
        }
    }
}

#[test]
fn at_the_count_of_real_noise_it_is_a_half() {
    let release = release(&noises()[0], 4, &q(4, 1), false);
    for with in [true, false] {
        let law = release.law(with).unwrap();
        let masses = law.exact_masses().unwrap();
        let (half, one) = (vec![q(1, 2)], vec![q(1, 1)]);
        let expected = if with { (one, half) } else { (half, one) };
        assert_eq!(*masses, expected);
    }
}

#[test]
fn coarse_numbers_enclose_finer_ones() {
    for noise in noises() {
        for threshold in [q(1, 1), q(5, 1), q(-3, 1)] {
            let release = release(&noise, 1, &threshold, true);
            let truths = [
                release.probability(FINE),
                release.rest(FINE),
                release.log_of_rest(FINE),
            ];
            for bits in [8, 12, 20] {
                let found = at_most_bits(bits, || {
                    [
                        release.probability(64),
                        release.rest(64),
                        release.log_of_rest(64),
                    ]
                });
                for (found, truth) in found.iter().zip(&truths) {
                    assert!(surrounds(found, truth), "{noise:?} {threshold} {bits}");
                }
            }
        }
    }
}

/// Beyond 10,000 scales it is only known to be smaller than there.
#[test]
fn far_thresholds_are_below_nearer_ones() {
    for noise in noises() {
        let at = |threshold: i64| release(&noise, 1, &q(threshold, 1), false).probability(100);
        let (near, far, farther) = (at(60), at(10_000), at(1_000_000_000));
        assert!(near.is_positive() && farther.hi() <= near.lo());
        let nothing = Float::with_val(64, 1) >> 10_000u32;
        assert!(*farther.lo() == 0 && farther.hi() <= far.hi() && *farther.hi() < nothing);
        let (low, lowest) = (at(-60), at(-1_000_000_000));
        assert!(low.hi() <= lowest.hi() && *lowest.lo() > 0.999);
    }
    let wide = CountNoise::DiscreteGaussian {
        sigma: q(20_001, 1),
    };
    assert!(Release::new(wide, &q(1, 1), &q(1, 1), false).is_none());
}

/// Far out a probability is not known but to its order: next to 0, or to 1.
#[test]
fn thresholds_far_out() {
    let scale = q(3, 2);
    for (places, noise) in [
        (
            FARTHEST * 2,
            CountNoise::Laplace {
                scale: scale.clone(),
            },
        ),
        (
            FARTHEST * 2,
            CountNoise::DiscreteLaplace {
                scale: scale.clone(),
            },
        ),
    ] {
        let far = Rational::from(&scale * places).ceil();
        let beyond = release(&noise, 0, &far, true);
        // At most half of e^{−far/scale}, and more than 0.
        let truth = Interval::from_rational(&-Rational::from(&far / &scale), 64).exp();
        let quarter = Interval::from_rational(&q(1, 8), 64);
        let (found, rest) = (beyond.probability(64), beyond.rest(64));
        assert!(
            *found.lo() == 0 && found.hi() >= truth.mul(&quarter).lo(),
            "{found:?}"
        );
        assert!(rest.contains(&q(1, 1)) && *rest.lo() < 1, "{rest:?}");
        let before = release(&noise, 0, &Rational::from(-&far), true);
        assert!(before.probability(64).contains(&q(1, 1)));
        assert!(*before.rest(64).hi() > 0);
    }
    // A place that is no number of 64 bits.
    let scale = Rational::from(rug::Integer::u_pow_u(10, 19));
    let noise = CountNoise::DiscreteLaplace { scale };
    let place = Rational::from(rug::Integer::u_pow_u(10, 20));
    let found = release(&noise, 0, &place, true).probability(64);
    assert!(found.contains(&q(0, 1)) && found.contains(&q(1, 1)));
}

/// Without the sums of its noise nothing is known of a release.
#[test]
fn nothing_is_known_without_sums() {
    let release = Release {
        noise: CountNoise::DiscreteGaussian { sigma: q(4, 3) },
        place: q(1, 1),
        sums: Sums(None),
    };
    let tail = release.tail(&q(1, 1), 64);
    assert!(tail.contains(&q(0, 1)) && tail.contains(&q(1, 1)));
}

/// Noise that ends releases some counts for certain, and others never: what is seen then tells the datasets apart, or nothing.
#[test]
fn certain_releases() {
    let noise = |last| CountNoise::TruncatedGeometric {
        scale: q(2, 1),
        last,
    };
    for with_record in [true, false] {
        // 2 + Z ≥ 1 for Z ≥ −1; 2 + Z ≥ 2 but for Z = −1; 0 + Z ≥ 2 never.
        let always = release(&noise(1), 2, &q(1, 1), true);
        let law = always.law(with_record).unwrap();
        assert!(law.is_empty());
        for mass in [law.infinite(), law.null_only()] {
            assert_eq!(mass.enclose(64).compare(&q(1, 1)), Some(Ordering::Equal));
        }
        let sometimes = release(&noise(1), 2, &q(2, 1), true);
        assert_eq!(sometimes.law(with_record).unwrap().len(), 1);
        // 0 + Z ≥ 1 for Z = 1 alone, which occurs.
        let last = release(&noise(1), 0, &q(1, 1), true);
        let law = last.law(with_record).unwrap();
        assert!(law.len() == 1 && law.infinite().is_zero() != law.null_only().is_zero());
        let never = release(&noise(1), 0, &q(2, 1), true);
        let law = never.law(with_record).unwrap();
        assert!(law.len() == 1 && law.infinite().is_zero() && law.null_only().is_zero());
        let profile = FiniteProfile::new(Arc::new(law));
        for u in [q(1, 2), q(1, 1), q(3, 2), q(2, 1)] {
            let expected = Rational::from(1 - &u).max(q(0, 1));
            let point = Point::at_exp_epsilon(&u, 64);
            assert_eq!(profile.exact_delta(&point), Some(expected));
        }
    }
}

/// What is only bounded is bounded at few bits, however many are asked for: at thousands a tail so far out takes as long as a hundred searches need.
#[test]
fn what_is_beyond_all_tails_takes_few_bits() {
    for (noise, threshold) in [
        (CountNoise::Gaussian { sigma: q(1, 1_000) }, q(1_000_000, 1)),
        (CountNoise::Laplace { scale: q(1, 1_000) }, q(1_000_000, 1)),
    ] {
        let release = release(&noise, 1, &threshold, false);
        let at_few = Release::new(noise.clone(), &q(1, 1), &q(11, 1), false).unwrap();
        let found = release.probability(8_192);
        assert!(found.lo().is_zero() && *found.hi() > 0);
        let short = Float::with_val(BITS_FAR_OUT, found.hi());
        assert_eq!(short, *found.hi());
        assert!(*found.hi() >= *at_few.probability(64).lo());
        // 1 − δ₀ has all the bits that are asked for.
        for bits in [300, 8_192] {
            let below = release.rest(bits);
            let missing = Float::with_val(64, 1 - below.lo());
            assert!(*below.hi() == 1 && missing > 0);
            assert!(missing <= Float::with_val(64, 1) >> (bits - 1), "{missing}");
        }
    }
}
