//! Measures, sides and profiles at few bits and at places known by intervals.

use super::*;

/// One step at a few bits: both measures stay on their sides of the profile, whatever was rounded.
#[test]
fn measures_at_few_bits() {
    let pairs = [
        (vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]),
        (
            vec![q(1, 2), q(1, 2), q(0, 1)],
            vec![q(1, 4), q(5, 12), q(1, 3)],
        ),
        (
            vec![q(1, 7), q(2, 7), q(4, 7)],
            vec![q(4, 9), q(3, 9), q(2, 9)],
        ),
    ];
    let coarse = Fineness {
        cells: 8,
        depth: 20,
    };
    let mut seen = 0;
    for (p, with) in &pairs {
        let base = Mechanism::finite(p.clone(), with.clone()).unwrap();
        let profile = base.profile_of_step().unwrap();
        for bits in [4, 6, 8, 11, 15, 200] {
            let budget = Budget::unlimited();
            let one = coarse::at_most_bits(bits, || base::base(&*profile, 1, coarse, &budget));
            let Some(one) = one.unwrap() else { continue };
            let scale = one.scale + i32::try_from(base::UNIT_BITS).unwrap();
            let unit = match scale >= 0 {
                true => Rational::from(base::UNIT) >> scale.unsigned_abs(),
                false => Rational::from(base::UNIT) << scale.unsigned_abs(),
            };
            let (upper, lower) = (points_above(&one.above), points_below(&one.below));
            let weight = |x: &Integer, bits: u32| Rational::from(x) >> bits;
            let upper_infinite = weight(one.above.infinite(), one.above.bits());
            let lower_infinite = weight(one.below.infinite(), one.below.bits());
            let halves = (1..70i64).map(|n| q(n, 8));
            let others = (1..30i64).map(|n| q(n * n, 97));
            for u in halves.chain(others) {
                let point = Point::at_exp_epsilon(&u, 100);
                let truth = profile.exact_delta(&point).unwrap() / &unit;
                let at = Rational::from(&u / &unit);
                let mirrored = &truth - Rational::from(1 - &u) / &unit;
                assert!(call(&upper, &at) + &upper_infinite >= truth, "{u} {bits}");
                assert!(put(&upper, &at) >= mirrored, "{u} {bits}");
                assert!(call(&lower, &at) + &lower_infinite <= truth, "{u} {bits}");
                seen += 1;
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// The masses of one hypothesis only, at few bits: of a power both ends count.
#[test]
fn masses_at_few_bits() {
    let base = Mechanism::finite(
        vec![q(1, 3), q(2, 3), q(0, 1)],
        vec![q(0, 1), q(1, 2), q(1, 2)],
    );
    let profile = base.unwrap().profile_of_step().unwrap();
    for steps in [1u32, 2, 3, 7] {
        let all = Allocated::new(Arc::clone(&profile), steps.into());
        let truth = (0..steps).fold(q(1, 1), |power, _| power / 3u32);
        for bits in [3, 4, 6, 9] {
            let found = coarse::at_most_bits(bits, || all.swapped().infinite_mass(bits));
            assert!(found.contains(&truth), "{steps} {bits}: {found:?}");
        }
    }
}

/// A profile with rational lines on both sides: its value, and every slope that a profile between may have.
#[test]
fn what_both_sides_say_of_a_point() {
    let profile = |of: Mechanism| of.profile_of_step().unwrap();
    let pairs = [
        (
            profile(Mechanism::laplace(1, 1).unwrap()),
            profile(Mechanism::laplace(2, 1).unwrap()),
        ),
        (
            profile(Mechanism::randomized_response(2, 2).unwrap()),
            profile(Mechanism::randomized_response(1, 2).unwrap()),
        ),
        (
            profile(Mechanism::laplace(1, 1).unwrap()),
            profile(Mechanism::laplace(1, 1).unwrap()),
        ),
    ];
    for (upper, lower) in &pairs {
        for (low, high) in [
            (-1.5, -1.25),
            (-0.25, 0.125),
            (0.375, 0.375),
            (0.25, 0.75),
            (1.25, 2.5),
        ] {
            for bits in [6, 9, 60] {
                let at = |x: f64| Float::with_val(bits, x);
                let span = crate::kernel::Interval::spanning(at(low), at(high));
                let point = Point::at_log(span);
                let found =
                    coarse::at_most_bits(bits, || profile::joined(&**upper, &**lower, &point));
                for part in 0..=4 {
                    let place = low + (high - low) * f64::from(part) / 4.0;
                    let place = Point::at_epsilon(&Rational::from_f64(place).unwrap(), 120);
                    for of in [upper, lower] {
                        let truth = of.at(&place);
                        assert!(
                            coarse::surrounds(&found.delta, &truth.delta)
                                && coarse::surrounds(&found.null_tail, &truth.null_tail),
                            "{low} {high} {bits}: {found:?} {truth:?}"
                        );
                    }
                }
            }
        }
    }
    // Not wider than it has to be where both are one.
    let (upper, lower) = &pairs[2];
    let found = profile::joined(&**upper, &**lower, &Point::at_epsilon(&q(1, 4), 90));
    assert!(found.null_tail.width_up() < 0.01 && found.delta.width_up() < 1e-20);
    // Nothing is known of a place that is anywhere.
    let anywhere = Point::at_log(crate::kernel::Interval::whole_line(64));
    let found = profile::joined(&**upper, &**lower, &anywhere);
    assert!(found.null_tail.contains(&q(0, 1)) && found.null_tail.contains(&q(1, 1)));
}

/// Where a ratio is too large to be followed nothing is said.
#[test]
fn ratios_out_of_range() {
    let base = Mechanism::laplace(q(1, 2_000), 1).unwrap();
    let all = Allocated::new(base.profile_of_step().unwrap(), 2);
    for (u, least) in [(q(1, 4), q(3, 4)), (q(3, 1), q(0, 1))] {
        let found = all.at(&Point::at_exp_epsilon(&u, 64));
        assert!(
            found.delta.contains(&least) && found.delta.contains(&q(1, 1)),
            "{u}"
        );
        assert!(found.null_tail.contains(&q(0, 1)) && found.null_tail.contains(&q(1, 1)));
    }
}

/// The profiles of both measures enclose themselves, at few bits and at places known by intervals.
#[test]
fn sides_at_few_bits() {
    let base = Mechanism::finite(
        vec![q(1, 2), q(1, 3), q(1, 6)],
        vec![q(1, 3), q(1, 2), q(1, 6)],
    );
    let coarse_cells = Fineness {
        cells: 8,
        depth: 30,
    };
    let Between { upper, lower } = sides(&base.unwrap(), 3, coarse_cells);
    let places = [
        q(-3, 2),
        q(-1, 4),
        q(-1, 20),
        q(0, 1),
        q(1, 10),
        q(1, 3),
        q(3, 2),
    ];
    for side in [
        upper.clone(),
        lower.clone(),
        upper.swapped(),
        lower.swapped(),
    ] {
        assert_eq!(coarse::spans_hold(&*side, &places, 60), Ok(()));
        for bits in [4, 7, 12] {
            for place in &places {
                let place = Place::Epsilon(place.clone());
                assert_eq!(coarse::profile_holds(&*side, &place, bits, false), Ok(()));
            }
        }
        let anywhere = side.at(&Point::at_log(crate::kernel::Interval::whole_line(64)));
        assert!(anywhere.delta.contains(&q(0, 1)) && anywhere.delta.contains(&q(1, 1)));
    }
    let x = Float::with_val(200, 1) / 3u32;
    let by = Integer::from(7) << 90u32;
    let exactly = x.to_rational().unwrap() * Rational::from(&by);
    assert_eq!(
        sides::exact_product(&x, &by).to_rational().unwrap(),
        exactly
    );
}

/// The largest loss of the measure below, whose place is known up to its last digit.
#[test]
fn the_last_place_of_a_measure_below() {
    let cell = |start: u32, mass: u32, rest: u32| {
        let point = Cell {
            mass: mass.into(),
            rest: rest.into(),
        };
        (Integer::from(start), 2u32, point)
    };
    let below = Below::new(vec![cell(4, 7, 3), cell(12, 3, 1)], Integer::new(), 10).unwrap();
    let side = sides::Side::below(&below, 2, 5);
    let LossBound::Finite { value, .. } = side.max_loss(250) else {
        panic!("bounded");
    };
    // (12 + 4/3) units of 2^−2 each, but for UNIT, over five steps.
    let unit = Rational::from(base::UNIT) >> (base::UNIT_BITS + 2);
    let ratio = q(40, 3) * unit / 5u32;
    let truth = crate::kernel::Interval::from_rational(&ratio, 250).ln();
    assert!(coarse::surrounds(&value, &truth), "{value:?} {truth:?}");
}

/// The same sides at random places.
#[test]
fn sides_at_random_places() {
    let base = Mechanism::finite(
        vec![q(1, 2), q(1, 3), q(1, 6)],
        vec![q(1, 3), q(1, 2), q(1, 6)],
    );
    let coarse_cells = Fineness {
        cells: 8,
        depth: 30,
    };
    let Between { upper, lower } = sides(&base.unwrap(), 3, coarse_cells);
    let mut random = coarse::Random(74);
    for side in [
        upper.clone(),
        lower.clone(),
        upper.swapped(),
        lower.swapped(),
    ] {
        for _ in 0..400 {
            let n = i64::try_from(random.below(161)).unwrap() - 80;
            let place = Place::Epsilon(q(n, 48));
            let bits = 3 + u32::try_from(random.below(20)).unwrap();
            assert_eq!(coarse::profile_holds(&*side, &place, bits, false), Ok(()));
        }
    }
}

/// δ(u) = start − slope·u, as exactly as is asked for.
#[derive(Debug, Clone)]
struct Falling {
    start: Rational,
    slope: Rational,
}

impl Profile for Falling {
    fn at(&self, point: &Point) -> crate::kernel::ProfilePoint {
        const BITS: u32 = 240;
        let number = |x: &Rational| crate::kernel::Interval::from_rational(x, BITS);
        let delta = match point.exact_exp() {
            Some(u) => number(&(&self.start - Rational::from(&self.slope * u))),
            None => number(&self.start).sub(&number(&self.slope).mul(point.exp())),
        };
        crate::kernel::ProfilePoint {
            delta,
            null_tail: number(&self.slope),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> crate::kernel::Interval {
        crate::kernel::Interval::zero(bits)
    }
}

/// On a line all chords have its slope: whatever is rounded, it is between what they say.
#[test]
fn slopes_of_a_line() {
    for (start, slope) in [
        (q(1, 1), q(1, 3)),
        (q(5, 6), q(2, 7)),
        (q(1, 1), q(5, 11)),
        (q(3, 4), q(1, 13)),
    ] {
        let line = Falling { start, slope };
        for bits in [3, 4, 5, 7, 9] {
            for (low, high) in [
                (q(1, 1), q(1, 1)),
                (q(2, 3), q(2, 3)),
                (q(1, 2), q(3, 2)),
                (q(1, 8), q(3, 2)),
            ] {
                let at = |x: &Rational| crate::kernel::Interval::from_rational(x, bits).ln();
                let points = match low == high {
                    true => Point::at_exp_epsilon(&low, bits),
                    false => Point::at_log(at(&low).hull(&at(&high))),
                };
                let found = profile::joined(&line, &line, &points);
                assert!(
                    found.null_tail.contains(&line.slope),
                    "{line:?} {bits} {low}: {found:?}"
                );
            }
        }
    }
}

/// δ of an allocation at single points is what both sides leave, in both orders: also between two ratios in one cell, of which the measure below makes one
/// and that above two others.
#[test]
fn points_between_both_sides() {
    let p = vec![q(1, 8), q(1, 8), q(3, 4)];
    let with = vec![q(3, 8), q(301, 800), q(199, 800)];
    let base = Mechanism::finite(p.clone(), with.clone()).unwrap();
    for (steps, places) in [
        (1, [q(601, 200), q(1, 1), q(200, 601)]),
        (2, [q(6, 5), q(1, 1), q(1, 2)]),
    ] {
        let all = Allocated::new(base.profile_of_step().unwrap(), steps);
        let truth = exact_pair(&p, &with, steps);
        for (all, truth) in [
            (
                Arc::new(all.clone()) as Arc<dyn Profile>,
                Arc::clone(&truth),
            ),
            (all.swapped(), truth.swapped()),
        ] {
            for u in &places {
                let point = Point::at_exp_epsilon(u, 60);
                let exact = truth.exact_delta(&point).unwrap();
                let found = all.at(&point).delta;
                assert!(
                    found.contains(&exact) && found.width_up() < 0.1,
                    "{steps} {u}"
                );
            }
        }
    }
}

/// Random lines, at places that are known exactly or by intervals.
#[test]
fn slopes_of_random_lines() {
    let mut random = coarse::Random(42);
    let mut small = |below: u64| 1 + i64::try_from(random.below(below)).unwrap();
    for round in 0..9_900 {
        let line = Falling {
            start: q(small(40), 32),
            slope: q(small(31), 32),
        };
        let bits = u32::try_from(2 + small(10)).unwrap();
        let at = |n: i64| crate::kernel::Interval::from_rational(&q(n, 16), bits).ln();
        let (low, high) = (small(60), small(60));
        let point = match round % 2 {
            0 => Point::at_exp_epsilon(&q(low, 16), bits),
            _ => Point::at_log(at(low).hull(&at(high))),
        };
        let found = coarse::at_most_bits(bits, || profile::joined(&line, &line, &point));
        let (tail, slope) = (&found.null_tail, &line.slope);
        assert!(
            tail.contains(slope),
            "{line:?} {bits} {low} {high}: {tail:?}"
        );
        let value = &line.start - slope * q(low, 16);
        let value = value.max(q(0, 1)).min(q(1, 1));
        assert!(found.delta.contains(&value), "{line:?} {bits} {low} {high}");
    }
}

/// The masses of one hypothesis only, of random pairs and numbers of steps.
#[test]
fn random_masses_at_few_bits() {
    let mut random = coarse::Random(43);
    for _ in 0..50 {
        let n = 1 + i64::try_from(random.below(62)).unwrap();
        let base = Mechanism::finite(
            vec![q(n, 64), q(64 - n, 64), q(0, 1)],
            vec![q(0, 1), q(1, 2), q(1, 2)],
        );
        let profile = base.unwrap().profile_of_step().unwrap();
        for steps in 1..=10u32 {
            let all = Allocated::new(Arc::clone(&profile), steps.into()).swapped();
            let truth = (0..steps).fold(q(1, 1), |power, _| power * q(n, 64));
            for _ in 0..20 {
                let bits = 2 + u32::try_from(random.below(12)).unwrap();
                let found = coarse::at_most_bits(bits, || all.infinite_mass(bits));
                assert!(found.contains(&truth), "{n} {steps} {bits}: {found:?}");
            }
        }
    }
}
