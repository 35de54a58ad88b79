//! What every privacy profile obeys, checked on every kind.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Rational};

use super::Mechanism;
use super::adjacency::Relation;
use super::gaussian::Gaussian;
use super::kind::{DiscreteGaussian, DiscreteLaplace, Kind, Sensitivity};
use super::symmetrised::Symmetrised;
use crate::kernel::coarse::{self, Place};
use crate::kernel::{Accuracy, Interval, LossBound, Point, Profile, normal};
use crate::test_scale::is_thorough;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn sampled(rate: (i64, i64), of: Mechanism) -> Mechanism {
    Mechanism::subsampled(Rational::from(rate), of).unwrap()
}

fn mechanisms() -> Vec<Mechanism> {
    let gaussian = |sigma| Mechanism::gaussian(sigma, q(1, 1)).unwrap();
    let laplace = |scale| Mechanism::laplace(scale, q(1, 1)).unwrap();
    let response = |epsilon, k| Mechanism::randomized_response(epsilon, k).unwrap();
    let discrete = |kind: Kind| Mechanism::new(kind).unwrap();
    let discrete_gaussian = Mechanism::discrete_gaussian(q(3, 2), 2).unwrap();
    let pair = Mechanism::finite(
        vec![q(1, 5), q(3, 10), q(1, 2), q(0, 1)],
        vec![q(0, 1), q(2, 5), q(1, 4), q(7, 20)],
    )
    .unwrap();
    vec![
        gaussian(q(1, 1)),
        gaussian(q(1, 5)),
        gaussian(q(50, 1)),
        Mechanism::gdp(q(0, 1)).unwrap(),
        laplace(q(2, 3)),
        discrete_gaussian.clone(),
        response(q(1, 1), 2),
        response(q(3, 2), 4),
        response(q(0, 1), 3),
        Mechanism::approx_dp(q(1, 1), q(1, 10)).unwrap(),
        Mechanism::exponential(q(3, 2)).unwrap(),
        Mechanism::permute_and_flip(q(3, 2)).unwrap(),
        sampled((1, 4), Mechanism::exponential(q(1, 2)).unwrap()),
        Mechanism::discrete_laplace(q(3, 2), 3).unwrap(),
        pair.clone(),
        Mechanism::profile(vec![(q(1, 2), q(1, 4)), (q(2, 1), q(1, 20))]).unwrap(),
        sampled((1, 10), gaussian(q(1, 2))),
        sampled((9, 10), gaussian(q(2, 1))),
        sampled((1, 4), laplace(q(1, 1))),
        sampled((1, 3), discrete_gaussian),
        sampled((1, 3), pair.clone()),
        sampled((1, 2), sampled((1, 2), response(q(3, 1), 2))),
        sampled((1, 1), pair.clone()),
        Mechanism::gaussian_mixture(
            q(2, 3),
            vec![q(0, 1), q(1, 2), q(2, 1)],
            vec![q(1, 2), q(1, 3), q(1, 6)],
        )
        .unwrap(),
        Mechanism::group(3, sampled((1, 4), laplace(q(3, 2)))).unwrap(),
        Mechanism::mixture(vec![(q(1, 3), pair), (q(2, 3), gaussian(q(1, 1)))]).unwrap(),
        replaced(sampled(
            (1, 5),
            Mechanism::gaussian_sum(q(1, 1), q(1, 1)).unwrap(),
        )),
        replaced(sampled(
            (1, 5),
            Mechanism::laplace_sum(q(1, 1), q(1, 1)).unwrap(),
        )),
        replaced(sampled(
            (2, 5),
            discrete(DiscreteGaussian::new(q(1, 1), bound()).unwrap().into()),
        )),
        replaced(sampled(
            (2, 5),
            discrete(DiscreteLaplace::new(q(2, 1), bound()).unwrap().into()),
        )),
        Mechanism::randomized_response(q(3, 2), 4)
            .unwrap()
            .under(Relation::ReplaceSpecial)
            .unwrap(),
    ]
}

fn replaced(of: Mechanism) -> Mechanism {
    of.under(Relation::ReplaceOne).unwrap()
}

fn bound() -> Sensitivity<u64> {
    Sensitivity::RecordBound(2)
}

/// All profiles, both orders and symmetrised.
fn profiles() -> Vec<(String, Arc<dyn Profile>)> {
    let mut profiles = Vec::new();
    for mechanism in mechanisms() {
        let stated = mechanism.profile_of_step().unwrap();
        let both = Symmetrised::new(Arc::clone(&stated));
        profiles.push((format!("swapped {mechanism:?}"), stated.swapped()));
        profiles.push((format!("both {mechanism:?}"), Arc::new(both)));
        profiles.push((format!("{mechanism:?}"), stated));
    }
    profiles
}

fn overlap(a: &Interval, b: &Interval) -> bool {
    a.intersect(b).is_ok()
}

fn epsilon() -> impl Strategy<Value = Rational> {
    prop_oneof![
        (-60i64..60, 1i64..20).prop_map(|(n, d)| q(n, d)),
        (-3i64..=3).prop_map(|n| q(n, 2)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(1)))]

    /// A place known by an interval: what holds at each place in it, the ends of the losses among them.
    #[test]
    fn intervals_of_places_contain_all_of_them(a in epsilon(), b in epsilon()) {
        for (name, profile) in profiles() {
            let mut places = vec![a.clone(), b.clone()];
            for bound in [profile.max_loss(64), profile.min_loss(64)] {
                if let LossBound::Finite { exact: Some(end), .. } = bound {
                    places.push(&end - q(1, 1000));
                    places.push(end);
                }
            }
            for (from, to) in places.iter().zip(places.iter().skip(1)) {
                let (from, to) = (from.min(to), from.max(to));
                let ends = Interval::from_rational(from, 64).hull(&Interval::from_rational(to, 64));
                let at = |accuracy| profile.at(&Point::at_log(ends.clone()).with_accuracy(accuracy));
                let wide = [at(Accuracy::Absolute), at(Accuracy::Relative)];
                for place in [from.clone(), to.clone(), Rational::from(from + to) / 2u32] {
                    let fine = |place: &Rational| profile.at(&Point::at_epsilon(place, 120));
                    // On an atom either one-sided tail will do.
                    let beside = [-1, 1].map(|sign| fine(&(&place + q(sign, 1_000_000_000))).null_tail);
                    let fine = fine(&place);
                    let tail = fine.null_tail.hull(&beside[0]).hull(&beside[1]);
                    for wide in &wide {
                        prop_assert!(overlap(&wide.delta, &fine.delta), "{name}: {from} {to} {place}");
                        let is_within = overlap(&wide.null_tail, &tail);
                        prop_assert!(is_within || name.starts_with("both"), "{name}: {from} {to} {place} {wide:?}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(2)))]

    #[test]
    fn swapping_is_the_mirrored_profile(e in epsilon()) {
        let point = Point::at_epsilon(&e, 150);
        for (name, profile) in profiles() {
            let mirrored = profile.at(&point.mirrored()).delta;
            let u = point.exp();
            let expected = u.one_minus().add(&u.mul(&mirrored));
            let found = profile.swapped().at(&point).delta;
            prop_assert!(overlap(&found, &expected), "{name} at {e}");
        }
    }

    /// −s is a slope: δ(u') ≥ δ(u) − s·(u' − u), which makes δ convex; and δ ≥ (1 − u)⁺.
    #[test]
    fn null_tail_is_a_subgradient(a in epsilon(), b in epsilon()) {
        let (x, y) = (Point::at_epsilon(&a, 150), Point::at_epsilon(&b, 150));
        for (name, profile) in profiles() {
            let (knot, other) = (profile.at(&x), profile.at(&y));
            let line = knot.delta.sub(&knot.null_tail.mul(&y.exp().sub(x.exp())));
            // The numbers that are subtracted: u, u' and δ, which is near 1 where they are small.
            let scale = Float::with_val(150, y.exp().hi() + x.exp().hi()) + 1u32;
            let gap = other.delta.sub(&line);
            let rounding = Float::with_val(150, &scale >> 130u32);
            prop_assert!(Float::with_val(150, gap.lo() + rounding) >= 0, "{name}: {a} {b}");
            prop_assert!(*other.delta.hi() >= *y.exp().one_minus().lo());
        }
    }

    /// A point known by enclosure gives an enclosure of what the exact point gives.
    #[test]
    fn coarse_points_contain_fine_ones(e in epsilon(), bits in 20u32..60) {
        let exact = Point::at_epsilon(&e, 200);
        let coarse = Point::at_log(Interval::from_rational(&e, bits));
        let far = Point::at_log(Interval::whole_line(64));
        for (name, profile) in profiles() {
            let fine = profile.at(&exact);
            for point in [&coarse, &coarse.clone().with_accuracy(Accuracy::Absolute), &far] {
                let wide = profile.at(point);
                prop_assert!(wide.delta.lo() <= fine.delta.hi(), "{name} {e}");
                prop_assert!(wide.delta.hi() >= fine.delta.lo(), "{name} {e}");
            }
            // An inexact ε leaves the slope undecided only across an atom, and then contains all of its slopes.
            let wide = profile.at(&coarse).null_tail;
            if !name.starts_with("both") {
                prop_assert!(overlap(&wide, &fine.null_tail), "{name} {e}");
            }
        }
    }

    /// At a few bits a wrong direction is an error in the first digits.
    #[test]
    fn a_few_bits_surround_the_truth(e in epsilon(), u in (1u32..400, 1u32..60), bits in 4u32..=16, turn in 0usize..3) {
        let (near, u) = (Place::NearEpsilon(e.clone()), Rational::from(u));
        // Each profile at one of the places, and another profile at the next.
        for (number, place) in [Place::Epsilon(e), Place::ExpEpsilon(u), near].into_iter().enumerate() {
            let of_all = profiles().into_iter().skip((number + turn) % 3).step_by(if is_thorough() { 1 } else { 3 });
            for (name, profile) in of_all {
                let holds = coarse::profile_holds(&*profile, &place, bits, !name.starts_with("both"));
                prop_assert!(holds.is_ok(), "{name}: {holds:?}");
            }
        }
    }

    #[test]
    fn exact_values_are_enclosed(n in 1u32..40, d in 1u32..40) {
        let u = Rational::from((n, d));
        let point = Point::at_exp_epsilon(&u, 120);
        for (name, profile) in profiles() {
            if let Some(exact) = profile.exact_delta(&point) {
                let delta = profile.at(&point).delta;
                prop_assert!(delta.contains(&exact), "{name} at {u}");
                prop_assert!(delta.width_up() < 1e-30, "{name} at {u}");
            }
        }
    }

    /// Against sums over cells of the loss L ~ N(μ²/2, μ²): the hinge 1 − e^{ε−L} is increasing on each cell.
    #[test]
    fn gaussian_is_the_mean_of_its_hinge(m in 1i64..60, e in -40i64..40) {
        let (mu, epsilon) = (q(m, 10), q(e, 10));
        let bits = 100;
        let one = Interval::one(bits);
        let (cells, reach) = (400i64, 12i64);
        let cut = |i: i64| q(2 * reach * i, cells) - q(reach, 1);
        let loss = |z: &Rational| Rational::from(&mu * z) + mu.clone().square() / 2u32;
        let hinge = |z: &Rational| {
            let fall = &epsilon - loss(z);
            Interval::from_rational(&fall, bits).exp_m1().neg().at_least_zero()
        };
        let survival = |z: &Rational| normal::survival(&Interval::from_rational(z, bits));
        let mut low = Interval::zero(bits);
        let mut high = survival(&cut(cells)).mul(&one);
        for i in 0..cells {
            let (a, b) = (cut(i), cut(i + 1));
            let mass = survival(&a).sub(&survival(&b));
            low = low.add(&mass.mul(&hinge(&a)));
            high = high.add(&mass.mul(&hinge(&b)));
        }
        // Below the lowest cell the hinge is at most its value there.
        high = high.add(&survival(&cut(cells)).mul(&hinge(&cut(0))));
        let delta = Gaussian::from_mu(&mu).at(&Point::at_epsilon(&epsilon, bits)).delta;
        prop_assert!(*low.lo() <= *delta.hi() && *delta.lo() <= *high.hi());
        let slack = Float::with_val(bits, high.hi() - low.lo());
        prop_assert!(slack < 0.2);
    }
}

#[test]
fn ends_at_a_few_bits_surround_the_truth() {
    for (name, profile) in profiles() {
        for bits in 2..=24 {
            assert_eq!(coarse::ends_hold(&*profile, bits), Ok(()), "{name}");
        }
    }
}

#[test]
fn gaussian_relative_accuracy_far_out() {
    // (μ², ε): deep tails, tiny and huge μ.
    let cases = [
        (q(1, 1), q(37, 1)),
        (q(3, 1), q(171, 10)),
        (q(100_000, 1), q(50_300, 1)),
        (q(400, 1), q(100_000, 1)),
        (q(1, 1_000_000_000_000), q(1, 1_000_000)),
        (q(1, 1_000_000_000_000), q(0, 1)),
        (q(400, 1), q(-700, 1)),
    ];
    for (square, epsilon) in cases {
        let delta = Gaussian::from_square(square.clone())
            .at(&Point::at_epsilon(&epsilon, 160))
            .delta;
        let allowed = Float::with_val(64, delta.lo() >> 130u32);
        assert!(
            delta.is_positive() && delta.width_up() < allowed,
            "{square} {epsilon}"
        );
    }
    // Below the range of MPFR, about 10^-323000000, only an upper bound is left.
    let beyond = Gaussian::from_square(q(400, 1)).at(&Point::at_epsilon(&q(1_000_000, 1), 64));
    assert!(*beyond.delta.lo() == 0 && *beyond.delta.hi() < 1e-300);
}

#[test]
fn bounded_losses_are_exact_at_their_ends() {
    let laplace = Mechanism::laplace(q(1, 3), q(1, 1))
        .unwrap()
        .profile_of_step()
        .unwrap();
    for (e, truth) in [(q(3, 1), q(0, 1)), (q(7, 2), q(0, 1))] {
        let point = Point::at_epsilon(&e, 100);
        assert_eq!(laplace.exact_delta(&point), Some(truth));
        assert!(laplace.at(&point).delta.is_zero());
    }
    // Half of Q sits on the largest loss, and e^{−3}/2 of P.
    let below = Point::at_epsilon(&q(299_999_999, 100_000_000), 100);
    let knot = laplace.at(&below);
    let upper = knot.delta.add(&below.exp().mul(&knot.null_tail));
    assert!((Float::with_val(100, upper.middle() - 0.5f64)).abs() < 1e-7);

    // log(1 + r(e^ε − 1)) and −log(1 − r(1 − e^ε)) bound the subsampled losses.
    let sampled = sampled((1, 4), Mechanism::pure_dp(q(2, 1)).unwrap())
        .profile_of_step()
        .unwrap();
    let LossBound::Finite { value, .. } = sampled.max_loss(100) else {
        panic!("bounded");
    };
    let beyond = Point::at_log(value.add(&Interval::from_rational(&q(1, 1 << 40), 100)));
    assert!(sampled.at(&beyond).delta.is_zero());
    assert_eq!(sampled.exact_delta(&beyond), Some(q(0, 1)));
}

/// Subsampling a finite law atom by atom agrees with the formula for profiles.
#[test]
fn subsampling_two_ways() {
    let inner = Mechanism::profile(vec![(q(1, 2), q(1, 4)), (q(2, 1), q(1, 20))]).unwrap();
    let rate = q(1, 7);
    let by_formula = super::subsampled::subsampled(&rate, inner.profile_of_step().unwrap());
    let law = inner
        .finite_law()
        .unwrap()
        .clone()
        .subsampled(&rate)
        .unwrap();
    let by_atoms = super::finite::FiniteProfile::new(Arc::new(law));
    for e in [q(-3, 1), q(-1, 10), q(0, 1), q(1, 20), q(1, 2), q(3, 1)] {
        let point = Point::at_epsilon(&e, 150);
        for (a, b) in [
            (by_formula.at(&point), by_atoms.at(&point)),
            (
                by_formula.swapped().at(&point),
                by_atoms.swapped().at(&point),
            ),
        ] {
            assert!(
                overlap(&a.delta, &b.delta) && overlap(&a.null_tail, &b.null_tail),
                "{e}"
            );
            assert!(
                a.delta.width_up() < 1e-38 && b.delta.width_up() < 1e-38,
                "{e}"
            );
        }
    }
    let infinite = by_formula.exact_infinite_mass();
    assert_eq!(infinite, by_atoms.exact_infinite_mass());
    assert_eq!(infinite, Some(q(1, 140)));
}

#[test]
fn tiny_rates_keep_their_digits() {
    let gaussian = || Mechanism::gdp(q(1, 1)).unwrap().profile_of_step().unwrap();
    let rate = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, 300))));
    let sampled = super::subsampled::subsampled(&rate, gaussian());
    let at_zero = sampled.at(&Point::at_epsilon(&q(0, 1), 120)).delta;
    let expected = gaussian().at(&Point::at_epsilon(&q(0, 1), 120)).delta;
    let expected = expected.mul(&Interval::from_rational(&rate, 120));
    assert!(overlap(&at_zero, &expected));
    for order in [Arc::clone(&sampled), sampled.swapped()] {
        let tiny = Point::at_epsilon(&(&rate * q(1, 2)), 120);
        for point in [tiny.mirrored(), tiny] {
            let delta = order.at(&point).delta;
            let allowed = Float::with_val(64, delta.lo() >> 90u32);
            assert!(delta.is_positive() && delta.width_up() < allowed);
        }
    }
}
