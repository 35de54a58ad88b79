//! Places that are known by intervals: what is said there holds at every place between.

use super::*;
use crate::kernel::coarse::{at_most_bits, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn classes() -> [RenyiClass; 3] {
    [
        RenyiClass::zcdp(&q(1, 4)),
        RenyiClass::zcdp(&q(2, 1)),
        RenyiClass::rdp(&[(q(2, 1), q(1, 2)), (q(5, 1), q(2, 1))]).unwrap(),
    ]
}

/// On one side of 0 the line through the lower end, with the slope of its member, is below δ everywhere; over 0 both sides are within.
#[test]
fn spans_on_either_side_and_over_zero() {
    let places = [
        (-3, 1),
        (-2, 1),
        (-5, 16),
        (-1, 4),
        (-1, 100),
        (0, 1),
        (1, 4),
        (2, 1),
        (12, 5),
        (3, 1),
    ];
    let places = places.map(|(n, d)| q(n, d));
    let mut lines = 0;
    for class in classes().iter().step_by(2) {
        let fine = places.each_ref().map(|x| {
            let knot = class.knot(&Point::at_epsilon(x, 64));
            (x, x.to_f64().exp(), knot)
        });
        for (from, to) in [
            (0, 3),
            (3, 3),
            (3, 4),
            (4, 4),
            (0, 7),
            (3, 6),
            (4, 6),
            (5, 9),
            (6, 9),
            (6, 7),
        ] {
            let (from, to) = (&places[from], &places[to]);
            let span = Interval::from_rational(from, 64).hull(&Interval::from_rational(to, 64));
            let wide = class.knot(&Point::at_log(span));
            let is_over = *from < 0 && *to > 0;
            let (low, end) = (wide.delta.lo().to_f64(), to.to_f64().exp());
            for (x, u, knot) in &fine {
                let is_inside = from <= *x && *x <= to;
                assert!(
                    !is_inside || surrounds(&wide.delta, &knot.delta),
                    "{from} {to} {x}: {wide:?}"
                );
                if is_over {
                    let is_slope = is_inside && **x != 0;
                    assert!(!is_slope || surrounds(&wide.null_tail, &knot.null_tail));
                    continue;
                }
                let line = low - wide.null_tail.lo().to_f64() * (u - end);
                assert!(
                    line <= knot.delta.hi().to_f64() + 1e-9,
                    "{from} {to} {x}: {line} {knot:?}"
                );
                lines += 1;
            }
        }
    }
    assert!(lines > 60, "{lines}");
}

/// The total variation is rounded up, however few bits there are.
#[test]
fn distances_are_rounded_up() {
    for least in [q(1, 3), q(2, 7), q(1, 1_000)] {
        let class = RenyiClass::rdp(&[(q(2, 1), least.clone())]).unwrap();
        for bits in [3, 5, 8, 30] {
            for found in [
                class.distance_up(bits),
                at_most_bits(bits, || class.distance_up(64)),
            ] {
                let found = found.to_rational().unwrap();
                assert!(found.square() * 2u32 >= least, "{least} {bits}");
            }
        }
    }
}

/// Losses of either sign are as large as one likes, but for the class of equal P and Q.
#[test]
fn losses_have_no_end() {
    for class in classes() {
        assert!(matches!(class.max_loss(64), LossBound::Unbounded));
        assert!(matches!(class.min_loss(64), LossBound::Unbounded));
    }
    let none = RenyiClass::zcdp(&q(0, 1));
    for loss in [none.max_loss(64), none.min_loss(64)] {
        let LossBound::Finite { exact, .. } = loss else {
            panic!("{loss:?}");
        };
        assert_eq!(exact, Some(q(0, 1)));
    }
}

#[test]
fn random_distances_are_rounded_up() {
    let mut random = crate::kernel::coarse::Random(12);
    for _ in 0..5_100 {
        let mut number = || Rational::from((1 + random.below(300), 1 + random.below(300)));
        let (order, least) = (number() + 1u32, number());
        let class = RenyiClass::rdp(&[(order, least.clone())]).unwrap();
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        for found in [
            class.distance_up(bits),
            at_most_bits(bits, || class.distance_up(64)),
        ] {
            let found = found.to_rational().unwrap();
            let holds = found == 1 || Rational::from(found.square_ref()) * 2u32 >= least;
            assert!(holds, "{least} {bits}");
        }
    }
}
