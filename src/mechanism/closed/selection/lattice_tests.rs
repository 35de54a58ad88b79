//! Tables on lattices of a few places.

use rug::Rational;

use super::super::{Selection, above, below, fixed};
use super::{Lattice, Side};
use crate::kernel::{Point, Profile};
use crate::mechanism::closed::Closed;
use crate::mechanism::epsilon::Epsilon;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn log(n: u32) -> Epsilon {
    Epsilon::log_of(Rational::from(n)).unwrap()
}

fn delta(profile: &dyn Profile, u: &Rational) -> crate::kernel::Interval {
    profile.at(&Point::at_exp_epsilon(u, 120)).delta
}

/// On lattices of a few places no bound is saved by being near: one run and two against their closed forms, at every place.
#[test]
fn coarse_lattices_stay_on_their_side() {
    for odds in [3u32, 20] {
        let epsilon = log(odds);
        let run = Selection::new(epsilon.clone());
        for (runs, profile) in [
            (1, run.profile().unwrap()),
            (2, run.twice().profile().unwrap()),
        ] {
            for steps in [2usize, 4, 8, 16] {
                let lattice = |side| Lattice::new(&epsilon, steps, side);
                // A step of more than a factor of 2 is refused.
                let (Some(above), Some(below)) = (lattice(Side::Above), lattice(Side::Below))
                else {
                    assert!(odds > 3 && steps < 8);
                    continue;
                };
                let mut place = [Rational::from(1), Rational::from(1)];
                let highs = above::table(&above, runs).unwrap();
                let lows = below::table(&[(&below, runs)]);
                for (j, (high, low)) in highs.iter().zip(&lows).enumerate() {
                    let truth = delta(&*profile, &place[0]);
                    assert!(
                        fixed::value(*high) >= *truth.lo(),
                        "above {odds} {runs} {steps} {j}"
                    );
                    let truth = delta(&*profile, &place[1]);
                    assert!(
                        fixed::value(low.delta.0) <= *truth.hi(),
                        "below {odds} {runs} {steps} {j}"
                    );
                    // The line of the adversary there is below everywhere.
                    let (d, y) = (fixed::value(low.delta.0), fixed::value(low.slope.0));
                    for n in 1..40i64 {
                        let u = q(n * n, 40);
                        let line = Rational::from(&d + &y) - Rational::from(&y * &u) / &place[1];
                        let truth = delta(&*profile, &u);
                        let slack = q(1, 1 << 50);
                        assert!(
                            line - slack <= *truth.hi(),
                            "line {odds} {runs} {steps} {j} {u}"
                        );
                    }
                    place[0] *= &above.ratio;
                    place[1] *= &below.ratio;
                }
            }
        }
    }
}

/// rⁿ is on its side of e^ε, however little the ratio is rounded.
#[test]
fn ranges_are_rounded_to_their_side() {
    for epsilon in [log(3), q(1, 2).into(), q(7, 3).into()] {
        for steps in [4usize, 64, 1024] {
            let logarithm = |side| {
                let lattice = Lattice::new(&epsilon, steps, side).unwrap();
                let one = crate::kernel::Interval::from_rational(&lattice.ratio, 400).ln();
                let count = i64::try_from(lattice.steps).unwrap();
                one.mul(&crate::kernel::Interval::from_i64(count, 400))
            };
            let exact = epsilon.enclose(400);
            assert!(
                exact.certainly_lt(&logarithm(Side::Above)),
                "{epsilon} {steps}"
            );
            assert!(
                logarithm(Side::Below).certainly_lt(&exact),
                "{epsilon} {steps}"
            );
        }
    }
}

/// The pair in the other order, between bounds that are far apart: all that the numbers may be is inside.
#[test]
fn mirrored_touches_enclose() {
    let part = |n: u128| fixed::ONE / 8 * n;
    let whole = |n: u64| fixed::WHOLE / 8 * n;
    let touch = below::Touch {
        delta: (part(2), part(3)),
        slope: (part(1), part(2)),
    };
    let found = touch.mirrored((whole(4), whole(5)));
    for delta in [2, 3] {
        for slope in [1, 2] {
            for power in [4, 5] {
                let (d, y, w) = (q(delta, 8), q(slope, 8), q(power, 8));
                let mirrored = 1 - (&w * Rational::from(1 - &d));
                let turned = &w * (Rational::from(1 - &d) - &y);
                for (bounds, truth) in [(found.delta, mirrored), (found.slope, turned)] {
                    assert!(fixed::value(bounds.0) <= truth && truth <= fixed::value(bounds.1));
                }
            }
        }
    }
}

/// Steps and places on their sides: at few bits the number of steps is that of the stated side, and places are exact powers rounded to it.
#[test]
fn steps_and_places_on_their_sides() {
    use crate::kernel::coarse::at_most_bits;
    let power = |ratio: &Rational, n: usize| (0..n).fold(q(1, 1), |all, _| all * ratio);
    // One that is a whole number of steps but for less than a few bits tell.
    let near = power(&q(9, 8), 13) * q(1_000_001, 1_000_000);
    let near = (Epsilon::log_of(near).unwrap(), q(9, 8));
    let all = [q(9, 8), q(17, 16), q(33, 32)].map(|ratio| (Epsilon::from(q(3, 2)), ratio));
    for (epsilon, ratio) in all.into_iter().chain([near]) {
        let most = epsilon.enclose(300).exp();
        for bits in [8, 12, 16, 300] {
            for side in [Side::Below, Side::Above] {
                let found = at_most_bits(bits, || Lattice::around(&epsilon, ratio.clone(), side));
                let Some(found) = found else { continue };
                let range = power(&ratio, found.steps);
                match side {
                    Side::Below => assert!(*most.hi() >= range, "{ratio} {bits}"),
                    Side::Above => assert!(*most.lo() <= range, "{ratio} {bits}"),
                }
                let places = at_most_bits(bits, || found.places(9, side));
                for (n, place) in places.iter().enumerate() {
                    let (place, truth) = (place.to_rational().unwrap(), power(&ratio, n));
                    match side {
                        Side::Below => assert!(place <= truth, "{ratio} {bits} {n}"),
                        Side::Above => assert!(place >= truth, "{ratio} {bits} {n}"),
                    }
                }
            }
        }
    }
}

/// Random ratios and ranges of a few steps, at few bits.
#[test]
fn random_steps_on_their_sides() {
    use super::ratio;
    use crate::kernel::Interval;
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(68);
    let power = |ratio: &Rational, n: usize| (0..n).fold(q(1, 1), |all, _| all * ratio);
    for _ in 0..5_400 {
        let width = q(1 + i64::try_from(random.below(80)).unwrap(), 128);
        let bits = 4 + u32::try_from(random.below(60)).unwrap();
        let exact = Interval::from_rational(&width, 300).exp();
        // Up to three steps and some of the next one.
        let epsilon = &width * q(8 + i64::try_from(random.below(24)).unwrap(), 10);
        let most = Interval::from_rational(&epsilon, 300).exp();
        for side in [Side::Below, Side::Above] {
            let is_on_its_side = |found: &Rational, truth: &Interval| match side {
                Side::Below => *truth.hi() >= *found,
                Side::Above => *truth.lo() <= *found,
            };
            let near = || Interval::from_rational(&width, 256);
            let Some(step) = at_most_bits(bits, || ratio(&near(), side)) else {
                continue;
            };
            assert!(is_on_its_side(&step, &exact), "{width} {bits} {side:?}");
            let epsilon = Epsilon::from(epsilon.clone());
            let found = at_most_bits(bits, || Lattice::around(&epsilon, step.clone(), side));
            let Some(found) = found else { continue };
            let range = power(&step, found.steps);
            assert!(
                is_on_its_side(&range, &most),
                "{epsilon:?} {step} {bits} {side:?}"
            );
            for (n, place) in at_most_bits(bits, || found.places(4, side))
                .iter()
                .enumerate()
            {
                let truth = Interval::from_rational(&power(&step, n), 300);
                let place = place.to_rational().unwrap();
                assert!(is_on_its_side(&place, &truth), "{step} {bits} {n}");
            }
        }
    }
}
