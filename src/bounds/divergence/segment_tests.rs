//! Supporting lines and bounds over single segments, from loose evaluations.

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::testing::{Blurred, blur, finite_pair};
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::{Adjacency, Prior};

const BITS: u32 = 128;

/// At ε = 0 and anywhere else, also far out.
fn epsilon() -> impl Strategy<Value = Float> {
    prop_oneof![-40i32..=40, -3i32..=3, -4_000i32..=4_000]
        .prop_map(|eighths| Float::with_val(BITS, eighths) >> 3u32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The two lines through a node bound R_A on their own side, however loosely the node is known.
    #[test]
    fn lines_stay_above(
        pair in finite_pair(),
        blurs in (blur(), blur()),
        epsilon in epsilon(),
        place in 0u32..=100,
    ) {
        let curve = Curve::new(Arc::new(Blurred {
            pair: pair.clone(),
            delta: blurs.0,
            null_tail: blurs.1,
        }));
        let exact = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        let nodes = [
            Node::new(&curve.point(&epsilon, BITS), Float::new(BITS), BITS),
            Node::at_no_prior(&curve, BITS),
            Node::at_full_prior(&curve, BITS),
        ];
        let at = Rational::from((place, 100));
        let truth = exact.bayes_error(&at);
        for node in nodes {
            let away = Interval::from_rational(&at, BITS).sub(&node.prior);
            let slope = if *away.lo() > 0 {
                node.slope_first.hi()
            } else if *away.hi() < 0 {
                node.slope_first.lo()
            } else {
                continue;
            };
            let rise = Interval::point(slope.clone()).mul(&away);
            let line = d::add_up(&node.error_first_up, rise.hi(), BITS);
            prop_assert!(line >= truth, "{node:?} at {at}: {truth}");
        }
    }
}

/// A node at an exact prior. Where ε is not asked for its size only its sign counts.
fn node(
    epsilon: f64,
    prior: &Rational,
    first: &Rational,
    slope: [&Rational; 2],
    second: &Rational,
) -> Node {
    let exactly = |x: &Rational| Float::with_val(64, x);
    let point = |x: &Rational| Interval::point(exactly(x));
    Node {
        epsilon: Float::with_val(64, epsilon),
        prior: point(prior),
        rest: point(&Rational::from(1 - prior)),
        error_first_up: exactly(first),
        slope_first: Interval::spanning(exactly(slope[0]), exactly(slope[1])),
        error_second_down: exactly(second),
        gap_up: exactly(&Rational::from(first - second)),
    }
}

/// The largest value of the smaller of two lines, each given by its values at both ends, and the share of the way at which they meet.
fn peak(one: [&Rational; 2], other: [&Rational; 2]) -> (Rational, Option<Rational>) {
    let smaller = |i: usize| one[i].clone().min(other[i].clone());
    let mut most = smaller(0).max(smaller(1));
    let ahead = Rational::from(other[0] - one[0]);
    let slopes = Rational::from(one[1] - one[0]) + Rational::from(other[0] - other[1]);
    let meeting = (slopes != 0).then(|| Rational::from(&ahead / &slopes));
    if let Some(share) = meeting.as_ref().filter(|t| **t > 0 && **t < 1) {
        most = most.max(one[0] + share * Rational::from(one[1] - one[0]));
    }
    (most, meeting)
}

/// Both lines over a segment, exactly: at few bits the bound is nowhere below the smaller of them, and at many it is their meeting.
#[test]
fn bounds_by_two_lines() {
    let mut random = Random(71);
    let (mut tight, mut ends) = (0, 0);
    let density = Prior::uniform();
    for _ in 0..6000 {
        let mut number = |most: u64| Rational::from((random.below(most + 1), 64));
        let (a, b) = (number(63), number(63));
        let (a, b) = (a.clone().min(b.clone()), a.max(b) + Rational::from((1, 64)));
        let [first, second] = [[number(40), number(40)], [number(24), number(24)]];
        let slope = |x: Rational| Rational::from(&x * 3) - 1;
        let slopes = [slope(number(42)), slope(number(42))];
        let wider = number(10);
        let lowest = slopes.clone().map(|s| Rational::from(&s - &wider));
        let no_prior = a == 0;
        let full_prior = b == 1;
        let zero = Rational::new();
        let at = |is_end: bool, x: &Rational| if is_end { zero.clone() } else { x.clone() };
        let [e_left, e_right] = [at(no_prior, &first[0]), at(full_prior, &first[1])];
        let [r_left, r_right] = [at(no_prior, &second[0]), at(full_prior, &second[1])];
        let left = node(
            if no_prior { f64::NEG_INFINITY } else { -1.0 },
            &a,
            &e_left,
            [&lowest[0], &slopes[0]],
            &r_left,
        );
        let right_epsilon = [-0.5, 0.0, 1.0][usize::try_from(random.below(3)).unwrap()];
        let right = node(
            if full_prior {
                f64::INFINITY
            } else {
                right_epsilon
            },
            &b,
            &e_right,
            [&lowest[1], &slopes[1]],
            &r_right,
        );
        let width = Rational::from(&b - &a);
        let one = [
            Rational::from(&e_left - &r_left),
            Rational::from(&e_left - &r_right) + Rational::from(&width * &slopes[0]),
        ];
        let other = [
            Rational::from(&e_right - &r_left) - Rational::from(&width * &lowest[1]),
            Rational::from(&e_right - &r_right),
        ];
        let (most, meeting) = peak([&one[0], &one[1]], [&other[0], &other[1]]);
        // Over the first and last segment a line through 0 with a slope of at most 1 bounds the difference.
        let truth = match (no_prior, full_prior) {
            (true, _) => one[1].clone().min(width.clone()) * Rational::from(&b / &width),
            (_, true) => {
                other[0].clone().min(width.clone()) * (Rational::from(1 - &a) / width.clone())
            }
            _ => most,
        }
        .max(Rational::new());
        let segment = Segment { left, right };
        for bits in [2, 3, 4, 6, 64] {
            let (bound, share) =
                at_most_bits(bits, || chord_bound(&segment, &density.at_bits(64), 64));
            assert!(
                bound >= truth,
                "{bits} bits: {bound} < {truth} over {a} to {b}"
            );
            let is_end = no_prior || full_prior;
            let is_consistent = one[0] <= other[0] && other[1] <= one[1];
            if bits == 64 && (is_end || is_consistent) {
                let slack = Float::with_val(64, 1) >> 40u32;
                assert!(
                    Float::with_val(64, &bound - &slack) <= truth,
                    "{bound} {truth}"
                );
                (tight, ends) = (
                    tight + u32::from(!is_end && truth > 0),
                    ends + u32::from(is_end),
                );
                let found = share.map(|s| s.to_rational().unwrap());
                match (&meeting, found) {
                    (Some(exact), Some(found)) => {
                        let off = Rational::from(exact - &found).abs();
                        assert!(off < Rational::from((1u32, 1u64 << 30)), "{exact} {found}");
                    }
                    (exact, found) => assert_eq!(exact.is_some(), found.is_some()),
                }
            }
        }
    }
    assert!(tight > 300 && ends > 100, "{tight} {ends}");
}

/// The bound of a line under 12(π − ½)² as it is stated, in exact fractions.
#[test]
fn bounds_under_a_density() {
    let mut random = Random(72);
    let quadratic = Prior::u_quadratic();
    let (mut by_bend, mut crude_ones) = (0, 0);
    for _ in 0..4000 {
        let mut number = |most: u64| Rational::from((random.below(most + 1), 64));
        let (a, b) = (number(63), number(8));
        let b = (&a + b + Rational::from((1, 64))).min(Rational::from(1));
        let (l, r) = (
            number(48) - Rational::from((8, 64)),
            number(48) - Rational::from((8, 64)),
        );
        let width = Rational::from(&b - &a);
        let turn = |x: &Rational| -> Rational { Rational::from(x * 2) - 1u32 };
        let psi = |x: &Rational| -> Rational { turn(x).square() * 3 };
        let highest = l.clone().max(r.clone());
        let positive = |x: Rational| x.max(Rational::new());
        let crude = psi(&a).max(psi(&b)) * &highest;
        let ends = positive(psi(&a) * &l).max(positive(psi(&b) * &r));
        let rise = Rational::from(&r - &l);
        let slopes: [Rational; 2] =
            [turn(&a), turn(&b)].map(|x| x * -24 * Rational::from(&rise * &width));
        let [x, y] = slopes;
        let bend = l.clone().min(r.clone()) * -24 * width.clone().square() + x.max(y);
        let excess = positive(bend) / 8;
        by_bend += u32::from(excess > 0);
        let fine = ends + excess;
        crude_ones += u32::from(crude < fine);
        let truth = if highest <= 0 {
            Rational::new()
        } else {
            crude.min(fine)
        };
        let zero = Rational::new();
        let at = |x: &Rational| node(0.0, x, &zero, [&zero, &zero], &zero);
        let segment = Segment {
            left: at(&a),
            right: at(&b),
        };
        let line = Line {
            left: Float::with_val(64, &l),
            right: Float::with_val(64, &r),
        };
        for bits in [2, 3, 4, 6, 64] {
            let found = at_most_bits(bits, || {
                let width = Interval::from_rational(&width, 64);
                line.weighted_up(&segment, &quadratic.at_bits(64), &width, 64)
            });
            assert!(found >= truth, "{bits} bits: {found} < {truth}");
            assert!(bits < 64 || found <= truth, "{found} > {truth}");
        }
    }
    assert!(by_bend > 500 && crude_ones > 100, "{by_bend} {crude_ones}");
}

/// What a node says of the difference there, the priors of a segment, and what no cut can remove.
#[test]
fn what_the_ends_say() {
    let mut random = Random(73);
    let quadratic = Prior::u_quadratic();
    for _ in 0..400 {
        let mut number = |most: u64| Rational::from((random.below(most) + 1, 64));
        let (a, b) = (number(63), number(63));
        let gaps = [
            number(40) - Rational::from((1, 4)),
            number(40) - Rational::from((1, 4)),
        ];
        let zero = Rational::new();
        let at = |epsilon: f64, x: &Rational, gap: &Rational| {
            node(epsilon, x, gap, [&zero, &zero], &zero)
        };
        let weighted = |x: &Rational, gap: &Rational| {
            let turn: Rational = Rational::from(x * 2) - 1u32;
            let weighted: Rational = turn.square() * 3 * gap;
            weighted.max(Rational::new())
        };
        let [one, other] = [weighted(&a, &gaps[0]), weighted(&b, &gaps[1])];
        let infinity = f64::INFINITY;
        for (ends, expected) in [
            ([-1.0, 1.0], one.clone().max(other.clone())),
            ([-infinity, 1.0], other),
            ([-1.0, infinity], one),
        ] {
            let segment = Segment {
                left: at(ends[0], &a, &gaps[0]),
                right: at(ends[1], &b, &gaps[1]),
            };
            assert_eq!(segment.least_bound(&quadratic.at_bits(64)), expected);
            let hull = |x: Float, y: Float| Interval::spanning(x, y);
            let float = |x: &Rational| Float::with_val(64, x);
            let complement = |x: &Rational| Float::with_val(64, 1 - float(x));
            assert_eq!(
                segment.range(),
                (
                    hull(float(&a), float(&b)),
                    hull(complement(&a), complement(&b))
                )
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The bound of the difference at a node, rounded up from those of both errors.
    #[test]
    fn differences_at_few_bits(
        pair in finite_pair(),
        epsilon in -40i32..=40,
        second in 0u32..=64,
        bits in 2u32..12,
    ) {
        let curve = Curve::new(Arc::new(pair));
        let epsilon = Float::with_val(BITS, epsilon) >> 3u32;
        let second = Float::with_val(BITS, second) >> 7u32;
        let node = at_most_bits(bits, || Node::new(&curve.point(&epsilon, BITS), second.clone(), BITS));
        let exact = node.error_first_up.to_rational().unwrap() - second.to_rational().unwrap();
        prop_assert!(node.gap_up >= exact, "{node:?}");
    }
}

/// Cuts are strictly inside, near the share asked for, and as near to the ends as a share of 1/64.
#[test]
fn cuts_are_inside() {
    let quarter = |n: i64| Rational::from((n, 4));
    let zero = Rational::new();
    let at = |epsilon: f64, prior: &Rational| node(epsilon, prior, &zero, [&zero, &zero], &zero);
    let three = 3f64.ln();
    // From either side: priors from 1/4 to 1/2, and from 1/2 to 3/4.
    for (segment, sign) in [
        (
            Segment {
                left: at(-three, &quarter(1)),
                right: at(0.0, &quarter(2)),
            },
            1.0,
        ),
        (
            Segment {
                left: at(0.0, &quarter(2)),
                right: at(three, &quarter(3)),
            },
            -1.0,
        ),
    ] {
        let odds = |share: f64| {
            let prior = 0.25 + 0.25 * share;
            sign * (prior / (1.0 - prior)).ln()
        };
        let flipped = |share: f64| if sign > 0.0 { share } else { 1.0 - share };
        let infinite = d::infinity(64);
        let nothing = Float::with_val(64, rug::float::Special::Nan);
        for (share, expected) in [
            (None, 0.5),
            (Some(Float::with_val(64, 0.25)), 0.25),
            (Some(Float::new(64)), 1.0 / 64.0),
            (Some(Float::with_val(64, 1)), 63.0 / 64.0),
            (Some(infinite), 0.5),
            (Some(nothing), 0.5),
        ] {
            let found = segment.cut(share.as_ref(), 64).unwrap().to_f64();
            // A share counts from the end that is not 1/2 on the left, and from 1/2 on the right.
            let truth = odds(if sign > 0.0 {
                expected
            } else {
                flipped(expected)
            });
            assert!((found - truth).abs() < 1e-12, "{share:?}: {found} {truth}");
        }
    }
    // Nothing is between an end and itself.
    let half = quarter(2);
    let ends = [(-1.0, 0.0), (0.0, 1.0)];
    for (left, right) in ends {
        let segment = Segment {
            left: at(left, &half),
            right: at(right, &half),
        };
        assert_eq!(segment.cut(None, 64), None);
    }
}

/// Of a difference that is nowhere positive nothing is left, however little is known of the width, and however heavy the density.
#[test]
fn nothing_weighs_nothing() {
    let zero = Rational::new();
    let at = |x: i64| node(0.0, &Rational::from((x, 4)), &zero, [&zero, &zero], &zero);
    let segment = Segment {
        left: at(1),
        right: at(2),
    };
    let unknown = Interval::zero(64).hull(&Interval::one(64));
    let one = |_: &Interval, _: &Interval| Interval::one(64);
    for value in [-1, 0] {
        assert_eq!(
            end_bound(&Float::with_val(64, value), &unknown, one, &segment),
            0
        );
        let heavy = Interval::zero(64).hull(&Interval::infinity(64));
        assert_eq!(weighted_up(&heavy, &Float::with_val(64, value)), 0);
    }
    let some = Float::with_val(64, 1) >> 2u32;
    assert_eq!(end_bound(&some, &unknown, one, &segment), 1);
}

/// A cut is strictly between both ends, wherever they are and whatever share is asked for.
#[test]
fn random_cuts_are_inside() {
    let mut random = Random(57);
    let zero = Rational::new();
    let mut found = 0;
    for _ in 0..9_800 {
        let far = u32::try_from(random.below(8)).unwrap();
        let mut place = || (random.below(1 << 12) as f64 - 2048.0) / f64::from(64u32 << far);
        let (a, b) = (place(), place());
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        // A segment lies on one side of 0.
        let (low, high) = if low < 0.0 {
            (low, high.min(0.0))
        } else {
            (low, high)
        };
        let odds = |epsilon: f64| {
            let u = Rational::from_f64((-epsilon).exp()).unwrap();
            Rational::from(1) / (u + 1u32)
        };
        let at = |epsilon: f64| node(epsilon, &odds(epsilon), &zero, [&zero, &zero], &zero);
        let segment = Segment {
            left: at(low),
            right: at(high),
        };
        let share = Float::with_val(64, random.below(1 << 10)) >> 10u32;
        let share = (!random.once_in(4)).then_some(share);
        let bits = 8 + u32::try_from(random.below(60)).unwrap();
        if let Some(cut) = segment.cut(share.as_ref(), bits) {
            assert!(
                cut > low && cut < high,
                "{low} {high} {share:?} {bits}: {cut}"
            );
            found += 1;
        } else {
            assert!(
                bits < 40 || high - low < 1e-6,
                "{low} {high} {share:?} {bits}"
            );
        }
    }
    assert!(found > 4_000, "{found}");
}

/// Two lines say that all is below 0 only if the smaller of them is, also where they meet.
#[test]
fn lines_below_zero() {
    let mut random = Random(29);
    let mut seen = [0u32; 2];
    for _ in 0..40_000 {
        let mut line = || {
            let mut end = || i64::try_from(random.below(33)).unwrap() - 16;
            [end(), end()]
        };
        let (a, b) = (line(), line());
        let bits = 2 + u32::try_from(random.below(7)).unwrap();
        let of = |[left, right]: [i64; 2]| Line {
            left: Float::with_val(64, left),
            right: Float::with_val(64, right),
        };
        let found = at_most_bits(bits, || of(a).is_below_zero_with(&of(b), bits));
        // Of the smaller of two lines the ends are largest, or where they meet: at x = ahead/(ahead + behind).
        let (ahead, behind) = (b[0] - a[0], a[1] - b[1]);
        let crosses = ahead.signum() * behind.signum() > 0;
        let met = Rational::from(a[0])
            + Rational::from((
                ahead * (a[1] - a[0]),
                if crosses { ahead + behind } else { 1 },
            ));
        let ends = a[0].min(b[0]).max(a[1].min(b[1]));
        let is_below = ends < 0 && (!crosses || met < 0);
        assert!(!found || is_below, "{a:?} {b:?} at {bits} bits");
        seen[usize::from(found)] += 1;
    }
    assert!(seen.iter().all(|times| *times > 1_000), "{seen:?}");
}
