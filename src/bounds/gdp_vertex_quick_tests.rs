//! What is shown to be enough for a point, next to the least μ that is.

use rug::{Float, Rational};

use super::{Allowance, Corner};
use crate::kernel::coarse::{FINE, Random, at_most_bits};
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
