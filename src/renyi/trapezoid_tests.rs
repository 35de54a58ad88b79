//! The rule, its nodes and its sums, by formulas and at a few bits.

use rug::Rational;

use super::*;
use crate::kernel::Pick;
use crate::kernel::coarse::{Random, at_most_bits, surrounds};

fn number(random: &mut Random) -> Float {
    Float::with_val(64, 1 + random.below(1 << 12)) >> 8u32
}

/// The error of a rule at a few bits: never less than what it is.
#[test]
fn errors_at_few_bits() {
    let mut random = Random(1);
    for _ in 0..2000 {
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let strip = Strip {
            widest: number(&mut random),
            growth: number(&mut random),
        };
        let (half_width, step) = (number(&mut random), number(&mut random));
        let fine = strip.error(&half_width, &step);
        let coarse = at_most_bits(bits, || strip.error(&half_width, &step));
        assert!(
            surrounds(&coarse, &fine),
            "{bits} bits: {coarse:?} {fine:?}"
        );
        // By the formula.
        let exact = |x: &Float| Float::with_val(200, x);
        let growth = (exact(&strip.growth) * exact(&half_width).square()).exp();
        let pi = Float::with_val(200, rug::float::Constant::Pi);
        let periods = pi * 2u32 * exact(&half_width) / exact(&step);
        let truth = growth * 2u32 / periods.exp_m1();
        assert!(
            fine.lo().clone() <= truth && *fine.hi() >= truth,
            "{fine:?} {truth}"
        );
    }
}

/// A rule never goes beyond the widest strip, and its error is that of some strip within.
#[test]
fn rules_stay_within_the_strip() {
    let mut random = Random(2);
    for _ in 0..5_000 {
        let strip = Strip {
            widest: number(&mut random),
            growth: number(&mut random),
        };
        let bits = 10 + u32::try_from(random.below(200)).unwrap();
        let rule = strip.rule(bits);
        let wanted = Float::with_val(64, 1) >> bits;
        assert!(*rule.error.hi() <= wanted, "{bits} bits: {:?}", rule.error);
        let at_widest = strip.error(&strip.widest, &rule.step);
        let narrow = Strip {
            widest: number(&mut random).smaller(&strip.widest),
            growth: strip.growth,
        };
        assert!(narrow.rule(bits).step <= rule.step.clone() * 1.01f64);
        assert!(at_widest.hi() >= rule.error.lo() || *at_widest.hi() >= wanted);
    }
}

/// From h·Σf to ∫f and to other sums: all numbers that the error allows, at a few bits.
#[test]
fn integrals_and_sums_of_each_other() {
    let mut random = Random(3);
    for _ in 0..4_000 {
        let bits = 3 + u32::try_from(random.below(12)).unwrap();
        let error = Rational::from((random.below(90), 100u32));
        let value = Rational::from((1 + random.below(1000), 1 + random.below(100)));
        let rule = |bits| Rule {
            step: Float::with_val(64, 1),
            error: Interval::from_rational(&error, bits),
        };
        // |h·Σf − ∫f| ≤ error·∫f, at both ends.
        for share in [Rational::from(1 + &error), Rational::from(1 - &error)] {
            let sum = Rational::from(&value * &share);
            let (integral, spread) = at_most_bits(bits, || {
                let rule = rule(100);
                let integral = rule.integral(&Interval::from_rational(&sum, 100));
                (integral, rule.spread(&Interval::from_rational(&value, 100)))
            });
            assert!(integral.contains(&value), "{value} {error}: {integral:?}");
            assert!(spread.contains(&sum), "{value} {error}: {spread:?}");
        }
        let sharp = rule(100).integral(&Interval::from_rational(&value, 100));
        let width = value.clone() / Rational::from(1 - &error) - value / Rational::from(1 + &error);
        assert!(sharp.width_up() <= width + Rational::from((1, 1_000_000)));
    }
    let none = Rule {
        step: Float::with_val(64, 1),
        error: Interval::one(64),
    };
    assert!(*none.integral(&Interval::one(64)).lo() == 0);
    assert!(none.integral(&Interval::one(64)).hi().is_infinite());
}

/// Sums of e^{−z²/2 + a·g}, g = |z|/2 and the like, at a few bits against many.
#[test]
fn sums_at_few_bits() {
    let mut random = Random(4);
    let budget = Budget::unlimited();
    for _ in 0..crate::test_scale::cases(10) {
        let bits = 12 + u32::try_from(random.below(20)).unwrap();
        let step = Rational::from((1 + random.below(9), 8));
        let slope = Rational::from((random.below(9), 8));
        let centre = i64::try_from(random.below(5)).unwrap() - 2;
        let concave = |working| {
            let nodes = Nodes {
                step: Interval::from_rational(&step, working),
            };
            let slope = Interval::from_rational(&slope, working);
            let log = |z: &Interval| slope.mul(z).sub(&half(&z.square()));
            nodes.log_concave_sum(centre, log, 6, &budget).unwrap()
        };
        let windows = |working| {
            let nodes = Nodes {
                step: Interval::from_rational(&step, working),
            };
            let slope = Interval::from_rational(&slope, working);
            let convex = |z: &Interval| slope.mul(z);
            let all = Windows {
                nodes: &nodes,
                power: &Interval::one(working),
                convex: &convex,
                scale: &Interval::zero(working),
                threshold: Interval::from_i64(-12, working),
                bits: working,
            };
            all.sum(-200, 200, &budget).unwrap()
        };
        for (what, sum) in [
            ("concave", &concave as &dyn Fn(u32) -> Option<Interval>),
            ("windows", &windows),
        ] {
            let Some(fine) = sum(120) else {
                panic!("{what} {step} {slope}")
            };
            assert!(
                fine.width_up() < fine.hi().to_f64() / 20.0,
                "{what} {step} {slope} {fine:?}"
            );
            let Some(coarse) = at_most_bits(bits, || sum(120)) else {
                continue;
            };
            assert!(
                surrounds(&coarse, &fine),
                "{what} {step} {slope}: {coarse:?} {fine:?}"
            );
            // Term by term.
            let truth = (-3000i64..3000).fold(Float::with_val(200, 0), |sum, j| {
                let z = Float::with_val(200, &Rational::from(&step * j));
                let log =
                    Float::with_val(200, &slope) * &z - Float::with_val(200, z.square_ref()) / 2u32;
                sum + log.exp()
            });
            assert!(
                *fine.lo() <= truth && *fine.hi() >= truth,
                "{what} {step} {slope}: {fine:?} {truth}"
            );
        }
    }
}

/// Nodes from a place on, none between it and them but one at most; and halves.
#[test]
fn nodes_above_a_place() {
    let mut random = Random(5);
    for _ in 0..5_000 {
        let bits = 3 + u32::try_from(random.below(20)).unwrap();
        let step = Rational::from((1 + random.below(9), 7));
        let place = Rational::from((random.below(4000), 1 + random.below(90)));
        let place = if random.once_in(2) { place } else { -place };
        let nodes = |working| Nodes {
            step: Interval::from_rational(&step, working),
        };
        let fine = nodes(90).index_above(&Interval::from_rational(&place, 90));
        let found = Rational::from(&step * fine.unwrap());
        assert!(found >= place && found <= Rational::from(&step * 2u32) + &place);
        let coarse = at_most_bits(bits, || {
            nodes(90).index_above(&Interval::from_rational(&place, 90))
        });
        assert!(
            Rational::from(&step * coarse.unwrap()) >= place,
            "{bits} bits"
        );
        let wide = Interval::from_rational(&place, 9).hull(&Interval::one(9));
        let halved = half(&wide);
        assert_eq!(halved.add(&halved), wide);
    }
}

/// The bound of a stretch is the largest value of the parabola over it: by hand, for summits on both sides of the stretch and in it.
#[test]
fn parabolas_over_stretches() {
    // g = z²/8 between nodes half apart, a = 3, and a scale of 1/2.
    let nodes = Nodes {
        step: Interval::from_rational(&Rational::from((1, 2)), 64),
    };
    let convex = |z: &Interval| half(&half(&half(&z.square())));
    let windows = Windows {
        nodes: &nodes,
        power: &Interval::from_i64(3, 64),
        convex: &convex,
        scale: &Interval::from_rational(&Rational::from((1, 2)), 64),
        threshold: Interval::zero(64),
        bits: 64,
    };
    for (low, high) in [
        (-8i64, -3i64),
        (2, 9),
        (-5, 7),
        (-2, 11),
        (-9, 4),
        (1, 2),
        (8, 10),
        (-10, -8),
    ] {
        let (x, y) = (low as f64 / 2.0, high as f64 / 2.0);
        let slope = 3.0 * (x + y) / 8.0;
        let line = |z: f64| 3.0 * x * x / 8.0 + slope * (z - x);
        let summit = slope.clamp(x, y);
        let truth = line(summit) - summit * summit / 2.0 - 0.5;
        let found = windows.chord_bound(low, high);
        assert!(found.width_up() < 1e-12, "{low} {high}: {found:?}");
        let found = found.middle().to_f64();
        assert!(
            (found - truth).abs() < 1e-12,
            "{low} {high}: {found} {truth}"
        );
    }
}

/// √(2π) is between its ends, whatever is asked for and kept.
#[test]
fn a_root_at_any_number_of_bits() {
    let whole = Float::with_val(900, rug::float::Constant::Pi) * 2u32;
    for bits in 2..=402 {
        for most in (2..52).step_by(2) {
            let root = at_most_bits(most, || root_two_pi(bits));
            let square = |end: &Float| Float::with_val(900, end).square();
            let holds = square(root.lo()) < whole && square(root.hi()) > whole;
            assert!(holds, "{bits} {most}");
        }
    }
}

/// √(2π) is between its ends.
#[test]
fn a_root_between_its_ends() {
    let whole = Float::with_val(400, rug::float::Constant::Pi) * 2u32;
    for bits in [5, 20, 64, 90] {
        let root = root_two_pi(bits);
        let square = |end: &Float| Float::with_val(400, end).square();
        assert!(
            square(root.lo()) < whole && square(root.hi()) > whole,
            "{bits}"
        );
    }
}
