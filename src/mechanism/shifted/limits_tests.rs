//! A few bits, ends, places that may be anywhere, and the whole positive part by quadrature.

use rug::{Float, Rational};

use super::tests::*;
use super::*;
use crate::kernel::coarse::{self, Place, Random};
use crate::kernel::{LossBound, Point};
use crate::test_scale::cases;

/// Wide points, and points in few bits, contain what exact ones give.
#[test]
fn a_few_bits_surround_the_truth() {
    let mut random = Random(4);
    for _ in 0..cases(10) {
        let pair = pair(&mut random);
        for profile in [profile(&pair), profile(&pair).swapped()] {
            let bits = 8 + u32::try_from(random.below(9)).unwrap();
            let (n, d) = (random.below(400) + 1, random.below(60) + 1);
            let epsilon = Rational::from((i64::try_from(n).unwrap() - 200, 10 * d));
            for place in [
                Place::ExpEpsilon(Rational::from((n, d))),
                Place::ExpEpsilon(q(1, 1)),
                Place::Epsilon(epsilon.clone()),
                Place::NearEpsilon(epsilon),
            ] {
                let holds = coarse::profile_holds(&*profile, &place, bits, true);
                assert_eq!(holds, Ok(()), "{pair:?}");
            }
            assert_eq!(coarse::ends_hold(&*profile, bits), Ok(()), "{pair:?}");
        }
    }
}

/// Places known by intervals, within the losses and over their ends.
#[test]
fn places_by_intervals() {
    let mut random = Random(9);
    let places = [-18, -9, -3, -1, 0, 1, 4, 9, 20].map(|n| q(n, 8));
    for _ in 0..cases(12) {
        let pair = pair(&mut random);
        for profile in [profile(&pair), profile(&pair).swapped()] {
            for bits in [7, 50] {
                let holds = coarse::spans_hold(&*profile, &places, bits);
                assert_eq!(holds, Ok(()), "{pair:?}");
            }
        }
    }
}

#[test]
fn nothing_is_known_of_a_point_that_may_be_anywhere() {
    let mut random = Random(5);
    for _ in 0..cases(10).max(560) {
        let pair = pair(&mut random);
        let profile = profile(&pair);
        let anywhere = Point::at_log(Interval::whole_line(64));
        for point in [
            anywhere.clone(),
            anywhere.with_accuracy(crate::kernel::Accuracy::Absolute),
        ] {
            let knot = profile.at(&point);
            for x in [&knot.delta, &knot.null_tail] {
                assert!(x.contains(&q(0, 1)) && x.contains(&q(1, 1)), "{pair:?}");
            }
        }
        // No one-sided mass.
        let far = Interval::point(Float::with_val(64, rug::float::Special::Infinity));
        if !matches!(pair.noise(), Noise::Gaussian { .. }) {
            let end = profile.at(&Point::at_log(far.clone()));
            assert!(*end.delta.hi() < 1e-300, "{pair:?}");
        }
        assert_eq!(
            *profile.at(&Point::at_log(far.neg())).delta.lo(),
            1,
            "{pair:?}"
        );
    }
}

/// Bounded losses: δ is exactly 0 and 1 − u beyond the ends.
#[test]
fn exact_beyond_the_ends() {
    let rate = q(1, 4);
    for noise in [
        Noise::Laplace { unit: q(1, 2) },
        Noise::DiscreteLaplace {
            scale: q(2, 1),
            unit: 1,
        },
    ] {
        let replaced = Shifts::sampled(&rate);
        let profile = profile(&ShiftedNoise::new(noise, replaced.clone(), replaced));
        let LossBound::Finite { value, .. } = profile.max_loss(200) else {
            panic!("bounded");
        };
        // log((1 − q + q·e^{1/2})/(1 − q + q·e^{−1/2})).
        let power = |x: i32| Interval::from_rational(&q(x.into(), 2), 200).exp();
        let side = |x| {
            Interval::from_rational(&q(1, 4), 200).mul(&Interval::from_i64(3, 200).add(&power(x)))
        };
        let truth = side(1).div(&side(-1)).ln();
        assert!(value.intersect(&truth).is_ok() && value.width_up() < 1e-55);
        let ratio = value.exp();
        let beyond = ratio.hi().to_rational().unwrap() + q(1, 1 << 40);
        let inside = ratio.lo().to_rational().unwrap() - q(1, 1 << 40);
        let exact = |u: &Rational| profile.exact_delta(&Point::at_exp_epsilon(u, 120));
        assert_eq!(exact(&beyond), Some(q(0, 1)));
        assert_eq!(exact(&inside), None);
        let (beyond, inside) = (beyond.recip(), inside.recip());
        assert_eq!(exact(&beyond), Some(Rational::from(1 - &beyond)));
        assert_eq!(exact(&inside), None);
    }
}

/// Of normal noise that the record moves with a probability below 1, δ and its slope are numbers beyond the ends, also of both orders at once.
#[test]
fn normal_noise_beyond_its_ends() {
    let weights = vec![(q(0, 1), q(1, 2)), (q(1, 1), q(1, 4)), (q(2, 1), q(1, 4))];
    let noise = Noise::Gaussian {
        unit_squared: q(1, 4),
    };
    let removed = profile(&ShiftedNoise::new(
        noise,
        Shifts::none(),
        Shifts::new(weights).unwrap(),
    ));
    let added = removed.swapped();
    let at = |profile: &dyn Profile, u: &Rational| profile.at(&Point::at_exp_epsilon(u, 120));
    let is = |x: &Interval, truth: &Rational| x.contains(truth) && x.width_up() < 1e-30;
    // Q ≥ P/2 everywhere, and nothing bounds it above.
    for u in [q(1, 2), q(1, 3)] {
        let knot = at(&*removed, &u);
        assert!(is(&knot.delta, &Rational::from(1 - &u)) && is(&knot.null_tail, &q(1, 1)));
    }
    for u in [q(2, 1), q(3, 1)] {
        let knot = at(&*added, &u);
        assert!(*knot.delta.hi() == 0 && *knot.null_tail.hi() == 0);
        assert!(*at(&*removed, &u).delta.lo() > 0);
    }
    let inside = q(15, 8);
    assert!(*at(&*added, &inside).null_tail.lo() > 0);
    assert!(*at(&*removed, &inside.recip()).null_tail.hi() < 1);
}

/// Sizes that are not built, as for single shifts; shifts that are not whole.
#[test]
fn limits_of_noise_on_the_integers() {
    let replaced = Shifts::sampled(&q(1, 2));
    let built = |noise, shifts: &Shifts| {
        ShiftedNoise::new(noise, shifts.clone(), shifts.clone())
            .profile()
            .is_some()
    };
    let gaussian = |sigma, unit| Noise::DiscreteGaussian { sigma, unit };
    let laplace = |unit| Noise::DiscreteLaplace {
        scale: q(1, 1),
        unit,
    };
    assert!(built(gaussian(q(20_000, 1), 200_000), &replaced));
    assert!(!built(gaussian(q(20_001, 1), 1), &replaced));
    assert!(!built(gaussian(q(1, 1), 200_001), &replaced));
    assert!(built(laplace(10_000), &replaced));
    assert!(!built(laplace(10_001), &replaced));
    assert!(!built(laplace(u64::MAX), &replaced));
    let half = Shifts::new(vec![(q(1, 2), q(1, 1))]).unwrap();
    assert!(!built(laplace(1), &half) && built(laplace(2), &half));
}

/// Gaussian and Laplace pairs against sums over many small cells, by the definition of δ alone.
#[test]
fn quadrature_of_the_positive_part() {
    let mut random = Random(6);
    let mut left = cases(6);
    while left > 0 {
        let pair = pair(&mut random);
        let direct = Direct::new(&pair);
        if direct.is_discrete() {
            continue;
        }
        left -= 1;
        let profile = profile(&pair);
        let places = |parts: &[(Float, Float)]| -> Vec<(f64, f64)> {
            parts
                .iter()
                .map(|(x, w)| (x.to_f64(), w.to_f64()))
                .collect()
        };
        let (with, without) = (places(&direct.with), places(&direct.without));
        let is_gaussian = matches!(pair.noise(), Noise::Gaussian { .. });
        let density = |parts: &[(f64, f64)], x: f64| -> f64 {
            let one = |place: f64| {
                if is_gaussian {
                    (-(x - place) * (x - place) / 2.0).exp() / std::f64::consts::TAU.sqrt()
                } else {
                    (-(x - place).abs()).exp() / 2.0
                }
            };
            parts
                .iter()
                .map(|(place, weight)| weight * one(*place))
                .sum()
        };
        for u in [q(1, 3), q(1, 1), q(6, 5), q(4, 1)] {
            let (low, high, cells) = (-40.0, 40.0, 80_000);
            let width = (high - low) / f64::from(cells);
            let sum: f64 = (0..cells)
                .map(|i| {
                    let x = low + width * (f64::from(i) + 0.5);
                    (density(&with, x) - u.to_f64() * density(&without, x)).max(0.0) * width
                })
                .sum();
            let delta = profile.at(&Point::at_exp_epsilon(&u, 80)).delta;
            assert!((delta.middle().to_f64() - sum).abs() < 1e-6, "{pair:?} {u}");
        }
    }
}

#[test]
fn shifts_are_sorted_and_taken_together() {
    let one = Shifts::new(vec![
        (q(2, 1), q(1, 4)),
        (q(0, 1), q(1, 2)),
        (q(2, 1), q(1, 4)),
        (q(5, 1), q(0, 1)),
    ]);
    let list = [(q(0, 1), q(1, 2)), (q(2, 1), q(1, 2))];
    assert_eq!(one.unwrap().list(), list);
    assert!(Shifts::new(vec![(q(1, 1), q(1, 2))]).is_err());
    assert!(Shifts::new(vec![(q(-1, 1), q(1, 1))]).is_err());
    assert!(Shifts::new(vec![(q(0, 1), q(3, 2)), (q(1, 1), q(-1, 2))]).is_err());
    assert_eq!(Shifts::sampled(&q(1, 1)).list(), [(q(1, 1), q(1, 1))]);
    assert_eq!(Shifts::sampled(&q(0, 1)), Shifts::none());
}

/// A record that counts for more, and one that takes part more often, reveal no less.
#[test]
fn every_shift_adds_to_delta() {
    let mut random = Random(3);
    for _ in 0..cases(6) {
        let pair = pair(&mut random);
        let small = profile(&pair);
        for which in 0..pair.with().list().len() + pair.without().list().len() {
            let mut lists = [pair.with().list().to_vec(), pair.without().list().to_vec()];
            let part = lists.iter_mut().flatten().nth(which).unwrap();
            part.0 += 1;
            let [with, without] = lists.map(|list| Shifts::new(list).unwrap());
            let farther = ShiftedNoise::new(pair.noise().clone(), without, with);
            let large = profile(&farther);
            for (point, _) in points(&mut random, &*small) {
                let (a, b) = (small.at(&point).delta, large.at(&point).delta);
                assert!(a.lo() <= b.hi(), "{pair:?} {farther:?} {:?}", point.log());
            }
        }
    }
}

/// Both ends of both laws of shifts count, in either order.
#[test]
fn how_far_apart_the_shifts_are() {
    let two = |a, b| Shifts::new(vec![(q(a, 1), q(1, 2)), (q(b, 1), q(1, 2))]).unwrap();
    let noise = Noise::Laplace { unit: q(1, 1) };
    for (without, with) in [(two(1, 2), two(3, 7)), (two(3, 7), two(1, 2))] {
        let pair = ShiftedNoise::new(noise.clone(), without, with);
        assert_eq!(pair.farthest(), 9);
        assert_eq!(pair.tails_apart(), 8);
    }
}

/// No weight of 0 is kept, neither of those that are never taken nor of those that always are.
#[test]
fn thinned_to_nothing_and_not_at_all() {
    let some = Shifts::new(vec![(q(1, 1), q(1, 2)), (q(3, 1), q(1, 2))]).unwrap();
    assert_eq!(some.thinned(&q(0, 1)), Shifts::none());
    assert_eq!(some.thinned(&q(1, 1)), some);
    let half = [(q(0, 1), q(1, 2)), (q(1, 1), q(1, 4)), (q(3, 1), q(1, 4))];
    assert_eq!(some.thinned(&q(1, 2)).list(), half);
}

/// Pure noise that a record moves by one unit is that, and nothing else is.
#[test]
fn noise_that_moves_by_one_unit() {
    let noise = Noise::Laplace {
        unit: Rational::from((1, 2)),
    };
    let one_sided =
        |shift: i64| Shifts::new(vec![(Rational::from(shift), Rational::from(1))]).unwrap();
    let is_single = |without: Shifts, with: Shifts| {
        ShiftedNoise::new(noise.clone(), without, with)
            .single()
            .is_some()
    };
    assert!(is_single(Shifts::none(), one_sided(1)));
    assert!(!is_single(Shifts::none(), one_sided(2)));
    assert!(!is_single(one_sided(1), one_sided(1)));
    let half = Rational::from((1, 2));
    assert!(!is_single(Shifts::none(), one_sided(1).thinned(&half)));
}

/// A pair of each law, at many places.
#[test]
fn random_places_of_each_law_at_few_bits() {
    let unit = q(1, 2);
    for (seed, noise) in [
        Noise::Gaussian {
            unit_squared: q(1, 4),
        },
        Noise::Laplace { unit },
    ]
    .into_iter()
    .enumerate()
    {
        let seed = u64::try_from(seed).unwrap();
        let weights = vec![(q(0, 1), q(1, 2)), (q(1, 1), q(1, 2))];
        let shifts = || Shifts::new(weights.clone()).unwrap();
        for (without, with) in [(Shifts::none(), shifts()), (shifts(), shifts())] {
            let pair = profile(&ShiftedNoise::new(noise.clone(), without, with));
            let held = coarse::places_hold(&*pair, seed, 1_300, true);
            assert_eq!(held, Ok(()), "{noise:?}");
            let held = coarse::places_hold(&*pair.swapped(), seed, 1_300, true);
            assert_eq!(held, Ok(()), "{noise:?}");
        }
    }
}
