//! Two halves of one profile.

use super::*;
use crate::kernel::coarse::{self, Place};
use crate::mechanism::Mechanism;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn pair() -> Arc<dyn Profile> {
    let of = Mechanism::gaussian(2, 1).unwrap().steps().clone();
    let rates = vec![(q(3, 4), q(1, 10)), (q(1, 4), q(1, 2))];
    RatesByLabel::new(of, rates).unwrap().profile().unwrap()
}

fn at(profile: &dyn Profile, u: &Rational) -> Interval {
    profile.at(&Point::at_exp_epsilon(u, 160)).delta
}

/// Convex around u = 1, equal there, and the other order mirrors it.
#[test]
fn one_convex_profile() {
    let profile = pair();
    let swapped = profile.swapped();
    let of = |rate: Rational| {
        let sampled = Mechanism::subsampled(rate, Mechanism::gaussian(2, 1).unwrap());
        sampled.unwrap().profile_of_step().unwrap()
    };
    let (low, high, mean) = (of(q(1, 10)), of(q(1, 2)), of(q(1, 5)));
    let number = |x: &Rational| Interval::from_rational(x, 160);
    for n in 1..40 {
        let u = q(n, 20);
        let found = at(&*profile, &u);
        let truth = match n >= 20 {
            true => number(&q(3, 4))
                .mul(&at(&*low, &u))
                .add(&number(&q(1, 4)).mul(&at(&*high, &u))),
            false => at(&*mean, &u),
        };
        assert!(found.intersect(&truth).is_ok(), "{u}");
        let mirrored = at(&*swapped, &u.clone().recip()).mul(&number(&u));
        let mirrored = mirrored.add(&number(&u).one_minus());
        assert!(found.intersect(&mirrored).is_ok(), "{u}");
        let step = q(1, 20);
        let sides = at(&*profile, &Rational::from(&u + &step));
        let before = at(&*profile, &Rational::from(&u - &step).max(q(1, 1000)));
        if n > 1 {
            assert!(sides.add(&before).hi() >= found.add(&found).lo(), "{u}");
        }
    }
}

#[test]
fn few_bits_hold() {
    for bits in [8, 12, 16] {
        for place in [
            Place::Epsilon(q(1, 7)),
            Place::ExpEpsilon(q(9, 4)),
            Place::NearEpsilon(q(-1, 3)),
            Place::NearEpsilon(q(0, 1)),
        ] {
            let profile = pair();
            assert_eq!(coarse::profile_holds(&*profile, &place, bits, true), Ok(()));
            assert_eq!(
                coarse::profile_holds(&*profile.swapped(), &place, bits, true),
                Ok(())
            );
        }
    }
}

#[test]
fn no_rate_beyond_one() {
    let of = || Mechanism::gaussian(2, 1).unwrap().steps().clone();
    for rates in [
        vec![(q(1, 2), q(1, 2)), (q(1, 2), q(3, 2))],
        vec![(q(1, 2), q(1, 2)), (q(1, 3), q(1, 2))],
        vec![(q(1, 2), q(1, 2)), (q(1, 2), q(0, 1))],
        vec![(q(3, 2), q(1, 2)), (q(-1, 2), q(1, 3))],
    ] {
        assert_eq!(RatesByLabel::new(of(), rates), None);
    }
}

/// Places known by intervals that reach over 1, and the ends of the losses: those of the largest rate above, of the mean below.
#[test]
fn both_halves_at_once() {
    let places = [-3, -1, 0, 1, 2, 6].map(|n| q(n, 4));
    let profile = pair();
    assert_eq!(coarse::spans_hold(&*profile, &places, 60), Ok(()));
    assert_eq!(coarse::spans_hold(&*profile.swapped(), &places, 60), Ok(()));
    let of = Mechanism::laplace(1, 1).unwrap().steps().clone();
    let rates = vec![(q(3, 4), q(1, 10)), (q(1, 4), q(1, 2))];
    let profile = RatesByLabel::new(of, rates).unwrap().profile().unwrap();
    let end = |rate: &Rational| {
        let sampled = Mechanism::subsampled(rate.clone(), Mechanism::laplace(1, 1).unwrap());
        sampled.unwrap().profile_of_step().unwrap()
    };
    for (found, truth) in [
        (profile.max_loss(90), end(&q(1, 2)).max_loss(90)),
        (profile.min_loss(90), end(&q(1, 5)).min_loss(90)),
    ] {
        let (LossBound::Finite { value, .. }, LossBound::Finite { value: truth, .. }) =
            (found, truth)
        else {
            panic!("bounded");
        };
        assert!(coarse::surrounds(&value, &truth), "{value:?} {truth:?}");
    }
}

/// A span over 1 that begins where one half has all of P beyond it, and the other one not yet.
#[test]
fn slopes_of_both_halves_count() {
    let of = Mechanism::laplace(1, 1).unwrap().steps().clone();
    let rates = vec![(q(3, 4), q(1, 10)), (q(1, 4), q(1, 2))];
    let profile = RatesByLabel::new(of, rates).unwrap().profile().unwrap();
    let places = [-5, -4, -2, 2, 4, 5].map(|n| q(n, 20));
    for profile in [profile.clone(), profile.swapped()] {
        assert_eq!(coarse::spans_hold(&*profile, &places, 60), Ok(()));
    }
}

#[test]
fn random_places_at_few_bits() {
    let of = Mechanism::randomized_response(1, 3)
        .unwrap()
        .steps()
        .clone();
    let rates = vec![(q(3, 4), q(1, 10)), (q(1, 4), q(1, 2))];
    let profile = RatesByLabel::new(of, rates).unwrap().profile().unwrap();
    assert_eq!(coarse::places_hold(&*profile, 1, 2_600, true), Ok(()));
    assert_eq!(
        coarse::places_hold(&*profile.swapped(), 2, 2_600, true),
        Ok(())
    );
}
