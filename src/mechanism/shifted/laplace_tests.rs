//! Pieces, and thresholds at a peak where the ratio is known by an interval that has u in it.

use super::*;

const BITS: u32 = 120;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn known(x: &Rational) -> Interval {
    Interval::from_rational(x, BITS)
}

/// Is this nearly that, which is known better?
fn close(found: &Interval, truth: &Interval) -> bool {
    found.intersect(truth).is_ok() && found.width_up() < 1e-30 && truth.width_up() < 1e-30
}

/// Replaced at a rate of 1/4: three peaks, at −1, 0 and 1.
fn replaced() -> LaplaceMixtures {
    let shifts = Shifts::sampled(&q(1, 4));
    LaplaceMixtures::new(q(1, 1), shifts.clone(), shifts)
}

/// What is left and right of a peak, by the definition; and further on.
#[test]
fn pieces_between_peaks() {
    let pieces = replaced().pieces(BITS);
    let e = |n: i64| known(&q(n, 1)).exp();
    let (quarter, three) = (known(&q(1, 4)), known(&q(3, 4)));
    // From −1 on: P has its peak of 1/4 here, its other of 3/4 at 0; Q has 3/4 at 0 and 1/4 at 1.
    let zero = Interval::zero(BITS);
    let near = three.mul(&e(-1));
    let far = near.add(&quarter.mul(&e(-2)));
    let first = pieces.first().unwrap();
    assert!(close(&first.with.0, &zero) && close(&first.with.1, &far));
    assert!(close(&first.without.0, &quarter) && close(&first.without.1, &near));
    assert!(close(&first.gap, &known(&q(1, 1))));
    let third = known(&q(1, 3));
    let moved = first.moved(&third);
    assert!(close(&moved.with.1, &far.mul(&third.exp())));
    assert!(close(&moved.without.0, &quarter.mul(&third.neg().exp())));
    assert!(close(&moved.without.1, &near.mul(&third.exp())));
    assert!(close(&moved.gap, &known(&q(2, 3))));
}

/// The bound holds whichever side of u the ratio is on, and is no wider than what may be missed there.
#[test]
fn gains_at_a_ratio_in_doubt() {
    let mixtures = replaced();
    let exact = mixtures.knots(BITS);
    let step = known(&q(1, 100));
    for index in 0..3 {
        let ratio = exact[index].ratio.clone();
        for u in [ratio.sub(&step), ratio.add(&step)] {
            let point = Point::at_exp_epsilon(&u.middle().to_rational().unwrap(), BITS);
            let truth = mixtures.at(&point).delta;
            let u = point.exp();
            let blurred = |k: usize, knot: &Knot| Knot {
                with: knot.with.clone(),
                without: knot.without.clone(),
                ratio: if k == index {
                    knot.ratio.hull(u)
                } else {
                    knot.ratio.clone()
                },
                gap: knot.gap.clone(),
            };
            let knots = exact.iter().enumerate().map(|(k, knot)| blurred(k, knot));
            let knots: Vec<Knot> = knots.collect();
            let found = gain_in_doubt(&knots, index, u);
            let slack = Interval::from_rational(&q(1, 1 << 50), BITS);
            assert!(found.lo() <= truth.add(&slack).hi(), "{index}");
            assert!(
                found.hi() >= truth.sub(&slack).lo(),
                "{index}: {found:?} {truth:?}"
            );
            // Above u only what lies before may be missed, below it only what lies beyond be wrong.
            let zero = Interval::zero(BITS);
            let after = knots[index].without.tail(&zero);
            let before = match index {
                0 => Interval::one(BITS),
                _ => knots[index - 1].without.tail(&zero),
            };
            let missed = if u.certainly_lt(&ratio) {
                before
            } else {
                after
            };
            let widest = ratio.sub(u).max(&u.sub(&ratio)).mul(&missed);
            let plain = knots[index].gain(&zero, u);
            assert!(
                close(&Interval::point(found.lo().clone()), &plain.hull(&plain)),
                "{index}"
            );
            assert!(
                close(&Interval::point(found.hi().clone()), &plain.add(&widest)),
                "{index}: {found:?}"
            );
        }
    }
}

/// Exactly 1 − u up to the lower end of what is known of the least ratio, and nothing from there on.
#[test]
fn exact_up_to_the_least_ratio() {
    let mixtures = replaced();
    let (least, _) = mixtures.ends(BITS).unwrap();
    let exact = |u: &Rational| mixtures.exact_delta(&Point::at_exp_epsilon(u, BITS));
    let (low, high) = (
        least.lo().to_rational().unwrap(),
        least.hi().to_rational().unwrap(),
    );
    assert!(low < high);
    assert_eq!(exact(&low), Some(Rational::from(1 - &low)));
    assert_eq!(exact(&high), None);
}

/// Knots over spans that reach over peaks: every place between is within.
#[test]
fn knots_over_spans() {
    let shifts = |list: &[(i64, i64)]| {
        let list = list
            .iter()
            .map(|(shift, weight)| (q(*shift, 1), q(*weight, 4)));
        Shifts::new(list.collect()).unwrap()
    };
    let uneven = LaplaceMixtures::new(
        q(1, 2),
        shifts(&[(0, 3), (1, 1)]),
        shifts(&[(1, 2), (4, 2)]),
    );
    let places = [-30, -7, -2, 0, 1, 3, 9, 30].map(|n| q(n, 20));
    for mixture in [replaced(), uneven] {
        let fine = places
            .each_ref()
            .map(|x| mixture.at(&Point::at_epsilon(x, 120)));
        for from in 0..places.len() {
            for to in from..places.len() {
                let end = |place: usize| Interval::from_rational(&places[place], 60);
                let found = mixture.knot(&Point::at_log(end(from).hull(&end(to))));
                for fine in &fine[from..=to] {
                    let holds = |a: &Interval, b: &Interval| a.lo() <= b.hi() && a.hi() >= b.lo();
                    assert!(holds(&found.delta, &fine.delta), "{from} {to}");
                    assert!(holds(&found.null_tail, &fine.null_tail), "{from} {to}");
                }
            }
        }
    }
}

/// Beyond both ends of the ratio, (1 − r + r·e^{1/b})/(1 − r + r·e^{−1/b}) and its reciprocal, and not before, at random places and few bits.
#[test]
fn exact_values_at_random_places() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(65);
    for _ in 0..5_000 {
        let mut part = |below: u64| q(1 + i64::try_from(random.below(below)).unwrap(), 16);
        let (rate, unit) = (part(15), part(40));
        let shifts = Shifts::sampled(&rate);
        let noise = LaplaceMixtures::new(unit.clone(), shifts.clone(), shifts);
        let side = |sign: i32| {
            let power = known(&Rational::from(&unit * sign)).exp();
            known(&Rational::from(1 - &rate)).add(&known(&rate).mul(&power))
        };
        let most = side(1).div(&side(-1));
        let u = q(
            1 + i64::try_from(random.below(160)).unwrap(),
            1 + i64::try_from(random.below(60)).unwrap(),
        );
        let bits = 3 + u32::try_from(random.below(60)).unwrap();
        let point = Point::at_exp_epsilon(&u, 64);
        let found = at_most_bits(bits, || noise.exact_delta(&point));
        let case = format!("{rate} {unit} {u} {bits}: {found:?} {most:?}");
        match found {
            Some(zero) if zero == 0 => assert!(*most.lo() <= u, "{case}"),
            Some(x) => {
                assert!(*most.lo() <= u.clone().recip(), "{case}");
                assert_eq!(x, Rational::from(1 - &u));
            }
            None => assert!(bits < 40 || *most.hi() > u, "{case}"),
        }
    }
}
