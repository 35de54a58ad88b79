//! What is shown to be enough for a point, next to the least μ that is.

use rug::{Float, Rational};

use super::{Allowance, Asked, Corner};
use crate::kernel::coarse::{FINE, Random, at_most_bits};
use crate::kernel::directed as d;
use crate::kernel::{Interval, normal};
use crate::mechanism::GdpForm;

#[test]
fn nothing_less_is_shown_to_be_enough() {
    let mut random = Random(61);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..150 {
        let mut number = || Rational::from((1 + random.below(63), 64));
        let (alpha, rest) = (number(), number());
        let z = |x: &Rational| normal::survival_inverse(&Interval::from_rational(x, FINE));
        let least = z(&alpha).add(&z(&Rational::from(1 - &rest)));
        let [a, r] = [&alpha, &rest].map(|x| Float::with_val(64, x));
        let allowance = Allowance::new(&GdpForm::Strict, 64, 64);
        for bits in [6, 10, 64] {
            for off in [-8i32, -2, -1, 0, 1, 2, 8, 1 << 12] {
                let limit =
                    Float::with_val(64, least.lo()) + (Float::with_val(64, off) >> (bits + 2));
                let is = at_most_bits(bits, || allowance.is_within(&a, &r, &limit));
                assert!(
                    !is || limit >= *least.lo(),
                    "{alpha} {rest} {off} at {bits} bits"
                );
                (yes, no) = (yes + u32::from(is), no + u32::from(!is));
            }
        }
        // With room to spare it is.
        let limit = Float::with_val(64, least.lo()) + 0.0625f64;
        assert!(allowance.is_within(&a, &r, &limit), "{alpha} {rest}");
        let corner = Corner {
            alpha: Interval::point(a),
            rest: Interval::point(r),
        };
        assert_eq!(allowance.mu_up_within(&corner, &limit), limit);
        let less = Float::with_val(64, least.lo()) - 0.0625f64;
        assert!(allowance.mu_up_within(&corner, &less) >= *least.lo());
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
    let half = Float::with_val(64, 0.5);
    let allowance = Allowance::new(&GdpForm::Strict, 64, 64);
    assert!(!allowance.is_within(&half, &half, &Float::new(64)));
    assert!(!allowance.is_within(&half, &half, &crate::kernel::directed::infinity(64)));
}

/// A tolerance and a floor are known by intervals: a point asks for no less than they leave of it, whichever end counts.
#[test]
fn what_is_overlooked_is_rounded_to_its_side() {
    let z = |x: &Rational| normal::survival_inverse(&Interval::from_rational(x, FINE));
    for bits in [4, 5, 6, 8] {
        for (n, d) in [(1, 3), (1, 7), (2, 11)] {
            let share = Rational::from((n, d));
            for (a, r) in [(8, 8), (12, 3), (20, 24), (9, 30)] {
                let (alpha, rest) = (Rational::from((a, 32)), Rational::from((r, 32)));
                let beta = Rational::from(1 - &rest);
                let point = |x: &Rational| Float::with_val(64, x);
                let corner = Corner {
                    alpha: Interval::point(point(&alpha)),
                    rest: Interval::point(point(&rest)),
                };
                let both = [
                    (
                        GdpForm::Tolerance(share.clone()),
                        Rational::from(&alpha + &share),
                        Rational::from(&beta + &share),
                    ),
                    (
                        GdpForm::ErrorFloor(share.clone()),
                        alpha.clone().max(share.clone()),
                        beta.clone().max(share.clone()),
                    ),
                ];
                for (form, x, y) in both {
                    let allowance = Allowance::new(&form, 64, bits);
                    let (up, down) = (
                        allowance.mu_up(&corner),
                        allowance.mu_down(corner.alpha.hi(), corner.rest.lo()),
                    );
                    if x >= 1 || y >= 1 {
                        continue;
                    }
                    let exact = z(&x).add(&z(&y));
                    let is_asked = alpha >= share && beta >= share;
                    let is_floor = matches!(form, GdpForm::ErrorFloor(_));
                    assert!(
                        up >= *exact.lo() || (is_floor && !is_asked),
                        "{form:?} {alpha} {rest} at {bits} bits: {up} {exact:?}"
                    );
                    assert!(
                        down <= *exact.hi(),
                        "{form:?} {alpha} {rest} at {bits} bits: {down} {exact:?}"
                    );
                }
            }
        }
    }
}

/// What is left of a point after a tolerance or a floor, exactly, at a few bits: no more of it where the most counts, and no less where the
/// least does.
#[test]
fn what_is_left_is_rounded_to_its_side() {
    let mut random = Random(62);
    let (mut asked, mut silent) = (0, 0);
    for round in 0..3000 {
        let bits = 2 + u32::try_from(random.below(8)).unwrap();
        let mut number = || Rational::from((random.below(65), 64));
        let (alpha, rest) = (number(), number());
        let share = Rational::from((1 + random.below(40), [100u32, 128][round % 2]));
        let (more, less) = match round % 4 {
            0 | 1 => (
                Rational::from(&alpha + &share),
                Rational::from(&rest - &share),
            ),
            _ => (
                alpha.clone().max(share.clone()),
                rest.clone().min(Rational::from(1 - &share)),
            ),
        };
        let form = match round % 4 {
            0 | 1 => GdpForm::Tolerance(share.clone()),
            _ => GdpForm::ErrorFloor(share.clone()),
        };
        let [a, r] = [&alpha, &rest].map(|x| Float::with_val(64, x));
        let corner = Corner {
            alpha: Interval::point(a.clone()),
            rest: Interval::point(r.clone()),
        };
        let (up, down) = at_most_bits(bits, || {
            let allowance = Allowance::new(&form, 64, 64);
            (allowance.asked_up(&corner), allowance.asked_down(&a, &r))
        });
        let is_overlooked = form == GdpForm::ErrorFloor(share.clone())
            && (alpha < share || Rational::from(1 - &rest) < share);
        let asks_nothing = more >= 1 || less <= 0;
        match up {
            Asked::At { alpha, rest } => {
                assert!(
                    alpha <= more && rest >= less,
                    "{form:?} {corner:?}: {alpha} {rest}"
                );
                asked += 1;
            }
            Asked::Everything => assert!(!asks_nothing || bits < 8, "{form:?} {corner:?}"),
            Asked::Nothing => assert!(is_overlooked || asks_nothing, "{form:?} {corner:?}"),
        }
        match down {
            Some((alpha, rest)) => {
                assert!(
                    alpha >= more && rest <= less,
                    "{form:?} {corner:?}: {alpha} {rest}"
                );
            }
            None => silent += 1,
        }
    }
    assert!(asked > 1000 && silent > 300, "{asked} {silent}");
}

/// The ends of a curve ask for nothing under any of the forms, and a point at the floor itself does.
#[test]
fn ends_and_floors() {
    let at = |n: i64| Interval::from_rational(&Rational::from((n, 4)), 64);
    let corner = |alpha: i64, rest: i64| Corner {
        alpha: at(alpha),
        rest: at(rest),
    };
    for form in [
        GdpForm::Strict,
        GdpForm::Tolerance(Rational::from((1, 4))),
        GdpForm::ErrorFloor(Rational::from((1, 4))),
    ] {
        let allowance = Allowance::new(&form, 64, 64);
        for end in [corner(4, 4), corner(0, 0)] {
            assert!(allowance.mu_up(&end).is_infinite() && allowance.mu_up(&end) < 0);
        }
    }
    let allowance = Allowance::new(&GdpForm::ErrorFloor(Rational::from((1, 4))), 64, 64);
    let z = |n: i64| normal::survival_inverse(&at(n)).middle().to_f64();
    for (alpha, rest) in [(1, 3), (1, 2), (2, 3)] {
        let found = allowance.mu_up(&corner(alpha, rest)).to_f64();
        assert!(
            (found - z(alpha) - z(4 - rest)).abs() < 1e-12,
            "{alpha} {rest}: {found}"
        );
    }
}

/// A rest next to 1 or next to 0 keeps its digits.
#[test]
fn points_next_to_the_ends_are_sharp() {
    let allowance = Allowance::new(&GdpForm::Strict, 64, 200);
    let tiny = Rational::from(1) >> 90u32;
    for rest in [Rational::from(1 - &tiny), tiny] {
        let beta = Rational::from(1 - &rest);
        let z = |x: &Rational| normal::survival_inverse(&Interval::from_rational(x, FINE));
        let half = Rational::from((1, 2));
        let truth = z(&half).add(&z(&beta)).middle().to_f64();
        let corner = Corner {
            alpha: Interval::from_rational(&half, 200),
            rest: Interval::from_rational(&rest, 200),
        };
        let found = allowance.mu_up(&corner).to_f64();
        assert!((found - truth).abs() < 1e-9, "{rest}: {found} {truth}");
        let rough = allowance.mu_rough(&corner).to_f64();
        assert!((rough - truth).abs() < 1e-6, "{rest}: {rough} {truth}");
    }
}

/// At α ≥ 1 a β ≥ 0 is what all curves have there; below 0 none is.
#[test]
fn points_beyond_the_square() {
    let at = |alpha: (i64, i64), beta: (i64, i64)| Corner {
        alpha: Interval::from_rational(&Rational::from(alpha), 64),
        rest: Interval::from_rational(&Rational::from(beta), 64).one_minus(),
    };
    let infinite = d::infinity(64);
    for form in [GdpForm::Strict, GdpForm::Tolerance(Rational::from((1, 16)))] {
        let allowance = Allowance::new(&form, 64, 64);
        for (alpha, beta, is_all) in [
            ((1, 1), (0, 1), false),
            ((5, 4), (0, 1), false),
            ((5, 4), (-1, 8), true),
            ((1, 1), (-1, 8), true),
            ((3, 4), (-1, 8), true),
            ((-1, 8), (1, 2), true),
            ((-1, 8), (9, 8), false),
        ] {
            let found = allowance.mu_up(&at(alpha, beta));
            let expected = if is_all {
                infinite.clone()
            } else {
                -infinite.clone()
            };
            assert_eq!(found, expected, "{form:?} {alpha:?} {beta:?}");
        }
    }
}
