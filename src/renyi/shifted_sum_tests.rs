//! What the sum is made of: its ends, what lies beyond them, and its strip.

use super::*;
use crate::mechanism::shifted::Shifts;

fn q(n: i32, d: u32) -> Rational {
    Rational::from((n, d))
}

/// What the tests of single laws take: with shifts of one to three sizes, at rest or not.
fn lists() -> Vec<Vec<(Rational, Rational)>> {
    vec![
        vec![(q(0, 1), q(1, 1))],
        vec![(q(3, 2), q(1, 1))],
        vec![(q(0, 1), q(9, 10)), (q(1, 1), q(1, 10))],
        vec![(q(1, 3), q(1, 2)), (q(1, 1), q(2, 5)), (q(7, 3), q(1, 10))],
    ]
}

/// Both laws at a precision, where the shifts of the second are downwards; and what bounds how far they are apart.
fn laws(with: usize, without: usize, power: &Rational, bits: u32) -> ([Law; 2], Rational) {
    let (with, without) = (&lists()[with], &lists()[without]);
    let down: Vec<_> = without
        .iter()
        .map(|(s, w)| (-s.clone(), w.clone()))
        .collect();
    let rest = Rational::from(1 - power);
    let mu = Interval::one(bits);
    let all = [Law::new(with, power, &mu), Law::new(&down, &rest, &mu)];
    let far = with.last().unwrap().0.clone() + &without.last().unwrap().0;
    (all, far.square())
}

/// h·Σf over the nodes from one to another, by the definition.
fn plain_sum(laws: &[Law; 2], step: &Float, from: i64, to: i64) -> Float {
    const BITS: u32 = 160;
    let number = |x: &Interval| Float::with_val(BITS, x.middle());
    let mut sum = Float::new(BITS);
    for j in from..=to {
        let x = Float::with_val(BITS, step * j);
        let mut log = Float::with_val(BITS, x.square_ref()) / -2i32;
        for law in laws {
            let term = |term: &Term| (number(&term.shift) * &x + number(&term.log)).exp();
            let density = law
                .terms
                .iter()
                .map(term)
                .fold(Float::new(BITS), |a, b| a + b);
            log += density.ln() * number(&law.power);
        }
        sum += log.exp();
    }
    let whole = Float::with_val(BITS, rug::float::Constant::Pi) * 2u32;
    sum * step / whole.sqrt()
}

const POWERS: [(i32, u32); 5] = [(-5, 2), (-1, 2), (1, 2), (3, 2), (4, 1)];

/// What lies beyond an end is no more than it says, on both sides, for powers of either sign.
#[test]
fn what_lies_beyond_an_end() {
    for with in 0..lists().len() {
        for (number, power) in POWERS.into_iter().enumerate() {
            let power = Rational::from(power);
            let without = (with + number) % lists().len();
            let (laws, far) = laws(with, without, &power, 160);
            for step in [0.125, 0.75] {
                let step = Float::with_val(10, step);
                for side in [1i32, -1] {
                    let end = End::new(&laws, side, &far, 0, &step).unwrap();
                    let (first, last) = (end.nodes + 1, end.nodes + 200);
                    let truth = match side {
                        1 => plain_sum(&laws, &step, first, last),
                        _ => plain_sum(&laws, &step, -last, -first),
                    };
                    let what = format!("{with} {without} {power} {step} {side}");
                    assert!(
                        *end.beyond.hi() >= truth,
                        "{what}: {truth} {:?}",
                        end.beyond
                    );
                    assert!(truth > 0, "{what}");
                }
            }
        }
    }
}

/// Over all nodes: whatever is summed one by one, the rest is what lies beyond on either side.
#[test]
fn sums_with_ends_nearby() {
    let step = Float::with_val(10, 0.5);
    let wide = Interval::point(step.clone()).at_bits(160);
    for power in POWERS {
        let (laws, _) = laws(2, 3, &Rational::from(power), 160);
        let truth = plain_sum(&laws, &step, -80, 80);
        for [right, left] in [[2i64, 9], [9, 2], [0, 40], [40, 0], [3, 3]] {
            let end = |nodes, beyond| End {
                nodes,
                beyond: Interval::point(beyond),
            };
            let ends = [
                end(right, plain_sum(&laws, &step, right + 1, 80)),
                end(left, plain_sum(&laws, &step, -80, -left - 1)),
            ];
            let found = sum_of_all(&laws, &wide, &ends, &Budget::unlimited()).unwrap();
            let near = Float::with_val(160, &truth >> 100u32);
            assert!(
                *found.lo() <= truth && *found.hi() >= Float::with_val(160, &truth - &near),
                "{power:?} {right} {left}: {truth} {found:?}"
            );
            let beyond = Float::with_val(160, ends[0].beyond.hi() + ends[1].beyond.hi());
            assert!(
                found.width_up() <= beyond + near,
                "{power:?} {right} {left}"
            );
        }
    }
}

/// No wider than the proof allows, and no less growth than it has, by a unit.
#[test]
fn strips_are_rounded_to_their_side() {
    for with in 0..lists().len() {
        for without in 0..lists().len() {
            for power in POWERS {
                let power = Rational::from(power);
                let found = strip(&laws(with, without, &power, 200).0);
                let range = |list: &[(Rational, Rational)]| {
                    Rational::from(&list.last().unwrap().0 - &list.first().unwrap().0)
                };
                let ranges = [range(&lists()[with]), range(&lists()[without])];
                let widest = found.widest.to_rational().unwrap();
                let mut growth = q(1, 2);
                for (range, power) in ranges.iter().zip([power.clone(), 1 - power.clone()]) {
                    assert!(Rational::from(&widest * range) <= 1, "{with} {without}");
                    let size = (-power).max(q(0, 1));
                    growth += q(55, 400) * size * range.clone().square();
                }
                let sharp: Rational = &growth + q(1, 1 << 30);
                let found = found.growth.to_rational().unwrap();
                assert!(
                    found >= growth && found <= sharp,
                    "{with} {without} {power}"
                );
            }
        }
    }
}

/// From the farthest shift of the first law to the nearest of the second.
#[test]
fn slopes_of_the_tails() {
    let several = Shifts::new(vec![(q(1, 2), q(1, 4)), (q(2, 1), q(3, 4))]).unwrap();
    let noise = Noise::Gaussian {
        unit_squared: q(4, 1),
    };
    let pair = ShiftedNoise::new(noise, several, Shifts::sampled(&q(1, 10)));
    let one = ShiftedGaussian::of(&pair).unwrap();
    for (direction, apart, weight) in [
        (Direction::Remove, q(3, 2), 0.25f64),
        (Direction::Add, q(2, 1), 0.9),
    ] {
        let (slope, constant) = one.tail_line(direction, 90).unwrap();
        assert_eq!(slope, apart.square() * 2u32);
        assert!((constant.middle().to_f64() + weight.ln()).abs() < 1e-15);
    }
}
