//! Against the sampled Gaussian, whose moments have their own formulas, and against a plain sum.

use super::super::sampled;
use super::super::sampled_moment::SampledGaussian;
use super::*;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::shifted::Shifts;

fn q(n: i32, d: u32) -> Rational {
    Rational::from((n, d))
}

fn pair(square: &Rational, without: Shifts, with: Shifts) -> ShiftedGaussian {
    let unit_squared = square.clone();
    let noise = Noise::Gaussian { unit_squared };
    ShiftedGaussian::of(&ShiftedNoise::new(noise, without, with)).unwrap()
}

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];

#[test]
fn a_record_that_is_there_or_not() {
    for (square, rate) in [
        (q(1, 1), q(1, 10)),
        (q(4, 9), q(1, 2)),
        (q(1, 16), q(1, 1000)),
    ] {
        let one = pair(&square, Shifts::none(), Shifts::sampled(&rate));
        let known = SampledGaussian {
            rate: rate.clone(),
            square: square.clone(),
            spacing: None,
        };
        for order in [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(15, 2)] {
            for direction in DIRECTIONS {
                let budget = Budget::unlimited();
                let found = one.divergence(&order, direction, 60, &budget).unwrap();
                let truth = sampled::divergence(&known, &order, direction, 60, &budget).unwrap();
                assert!(found.intersect(&truth).is_ok(), "{square} {rate} {order}");
                let width = found.width_up();
                assert!(
                    width <= Float::with_val(64, found.hi() >> 40u32),
                    "{square} {rate} {order}: {width}"
                );
            }
        }
    }
}

/// D_2 of a replaced record with σ = 1 at rate 1/10, by quadrature in another program; the same in both directions.
#[test]
fn a_record_that_is_replaced() {
    let shifts = Shifts::sampled(&q(1, 10));
    let one = pair(&q(1, 1), shifts.clone(), shifts);
    for direction in DIRECTIONS {
        let found = one
            .divergence(&q(2, 1), direction, 80, &Budget::unlimited())
            .unwrap();
        let truth = crate::number::parse_rational("4.08272790240895727443592609033e-2").unwrap();
        let near = Float::with_val(200, 1) >> 90u32;
        let truth = Interval::from_rational(&truth, 200);
        let around = truth.add(&Interval::spanning(Float::with_val(200, -&near), near));
        assert!(found.intersect(&around).is_ok(), "{found:?}");
        assert!(*found.hi() < 0.041 && found.width_up() < 1e-20);
    }
}

/// Without sampling it is one Gaussian; no shift tells nothing; what is out of reach is bounded.
#[test]
fn ends() {
    let budget = Budget::unlimited();
    let sure = Shifts::sampled(&q(1, 1));
    let two = pair(&q(1, 4), sure.clone(), sure);
    for order in [q(1, 3), q(5, 2)] {
        let found = two
            .divergence(&order, Direction::Remove, 60, &budget)
            .unwrap();
        assert!(found.contains(&(order / 2u32)));
        assert!(found.width_up() < 1e-15);
    }
    let nothing = pair(&q(1, 1), Shifts::none(), Shifts::none());
    assert!(
        nothing
            .divergence(&q(2, 1), Direction::Add, 60, &budget)
            .unwrap()
            .is_zero()
    );
    let shifts = Shifts::sampled(&q(1, 10));
    let far = pair(&q(100, 1), shifts.clone(), shifts);
    let found = far
        .divergence(&q(100_000, 1), Direction::Remove, 60, &budget)
        .unwrap();
    assert!(found.lo() >= &0 && *found.hi() > 1e6);
}

/// Several shifts on both sides against a sum of 2000 nodes in wider intervals, which has the rule's own error of next to nothing.
#[test]
fn several_shifts() {
    let without = Shifts::new(vec![(q(0, 1), q(1, 3)), (q(1, 2), q(2, 3))]).unwrap();
    let with = Shifts::new(vec![
        (q(1, 1), q(1, 4)),
        (q(2, 1), q(1, 2)),
        (q(0, 1), q(1, 4)),
    ])
    .unwrap();
    let one = pair(&q(1, 1), without.clone(), with.clone());
    let bits = 200;
    let density = |list: &[(Rational, Rational)], sign: i32, x: &Rational| {
        let term = |(shift, weight): &(Rational, Rational)| {
            let apart = x - Rational::from(shift * sign);
            let power = -apart.square() / 2u32;
            Interval::from_rational(weight, bits).mul(&Interval::from_rational(&power, bits).exp())
        };
        list.iter()
            .map(term)
            .fold(Interval::zero(bits), |a, b| a.add(&b))
    };
    for (order, direction) in [
        (q(3, 1), Direction::Remove),
        (q(5, 2), Direction::Add),
        (q(1, 2), Direction::Add),
    ] {
        let mut sum = Interval::zero(bits);
        for j in -1000..=1000 {
            let x = q(j, 50);
            let (p, a) = (density(without.list(), -1, &x), density(with.list(), 1, &x));
            let (a, b) = match direction {
                Direction::Remove => (a, p),
                Direction::Add => (p, a),
            };
            let t = Interval::from_rational(&order, bits);
            sum = sum.add(&t.mul(&a.ln()).add(&t.one_minus().mul(&b.ln())).exp());
        }
        let moment = sum
            .mul(&Interval::from_rational(&q(1, 50), bits))
            .div(&root_two_pi(bits));
        let truth = moment.ln().div(&Interval::from_rational(
            &Rational::from(&order - 1u32),
            bits,
        ));
        let found = one
            .divergence(&order, direction, 60, &Budget::unlimited())
            .unwrap();
        let gap = found.sub(&truth);
        assert!(gap.lo() > &-1e-15 && gap.hi() < &1e-15, "{order} {gap:?}");
    }
}

/// Both lines are above D_t, and the slope of the tail is what D_t/t tends to.
#[test]
fn lines_bound_the_divergence() {
    let budget = Budget::unlimited();
    let few = Shifts::sampled(&q(1, 10));
    let several = Shifts::new(vec![(q(1, 2), q(1, 4)), (q(2, 1), q(3, 4))]).unwrap();
    for (without, with) in [
        (few.clone(), few.clone()),
        (several.clone(), few.clone()),
        (few, several),
    ] {
        let one = pair(&q(1, 1), without, with);
        for direction in DIRECTIONS {
            for order in [q(1, 2), q(1, 1), q(11, 10), q(3, 1), q(12, 1), q(40, 1)] {
                let found = one.divergence(&order, direction, 60, &budget).unwrap();
                let most = one.coarse(&order, direction, 128);
                assert!(
                    found.lo() <= most.hi() && found.hi() <= most.hi(),
                    "{order} {direction:?}"
                );
                assert!(found.width_up() < 1e-9, "{order} {direction:?}");
            }
            let (slope, _) = one.tail_line(direction, 128).unwrap();
            let far = one.divergence(&q(40, 1), direction, 60, &budget).unwrap();
            let at_order = Rational::from(&slope * 40u32);
            let gap = far.sub(&Interval::from_rational(&at_order, 128));
            assert!(gap.lo() > &-4 && gap.hi() < &4, "{direction:?} {gap:?}");
        }
    }
}

/// The same in both directions where one law is the mirror image of the other, shift by shift.
#[test]
fn mirror_images() {
    let of = |without, with| pair(&q(1, 1), without, with).is_symmetric();
    let half = || Shifts::sampled(&q(1, 2));
    assert!(of(half(), half()) && of(Shifts::none(), Shifts::none()));
    assert!(!of(half(), Shifts::sampled(&q(1, 3))));
    assert!(!of(Shifts::none(), half()) && !of(half(), Shifts::none()));
    let two = Shifts::new(vec![(q(0, 1), q(1, 2)), (q(2, 1), q(1, 2))]).unwrap();
    assert!(!of(half(), two));
}

/// Shifts in ascending order, by 1/4, with weights that add up to 1.
fn shifts(random: &mut Random) -> Vec<(Rational, Rational)> {
    let mut shift = i32::try_from(random.below(4)).unwrap();
    let count = 1 + random.below(3);
    let mut list = Vec::new();
    let mut rest = q(1, 1);
    for n in 0..count {
        let weight = match n + 1 == count {
            true => rest.clone(),
            false => rest.clone() * Rational::from((1 + random.below(14), 16u32)),
        };
        rest -= &weight;
        list.push((q(shift, 4), weight));
        shift += 1 + i32::try_from(random.below(4)).unwrap();
    }
    list
}

/// Strips at few bits are no wider than allowed, their growth is no less, and what is beyond the ends is at least what the tails of both laws say, at any
/// number of nodes.
#[test]
fn strips_and_ends_at_few_bits() {
    let mut random = Random(78);
    let mut ends = 0;
    for _ in 0..10_000 {
        let with = shifts(&mut random);
        let without: Vec<_> = shifts(&mut random)
            .into_iter()
            .map(|(s, w)| (-s, w))
            .collect();
        let square = q(1 + i32::try_from(random.below(64)).unwrap(), 16);
        let power = q(i32::try_from(random.below(48)).unwrap() - 16, 8);
        let bits = 6 + u32::try_from(random.below(11)).unwrap();
        let step = Float::with_val(64, 1) >> (1 + u32::try_from(random.below(5)).unwrap());
        let powers = [power.clone(), Rational::from(1 - &power)];
        let (strip, found) = at_most_bits(bits, || {
            let mu = Interval::from_rational(&square, 64).sqrt();
            let laws = [
                Law::new(&with, &powers[0], &mu),
                Law::new(&without, &powers[1], &mu),
            ];
            let farthest = q(9, 1) * &square;
            let end = |side| End::new(&laws, side, &farthest, 20, &step);
            (strip(&laws), [end(1), end(-1)])
        });
        let mu = square.to_f64().sqrt();
        let (mut range, mut growth) = (0.0, 0.5);
        for (list, power) in [&with, &without].into_iter().zip(&powers) {
            let shift = |of: &(Rational, Rational)| of.0.to_f64() * mu;
            let wide = (shift(&list[0]) - shift(list.last().unwrap())).abs();
            range = f64::max(range, wide);
            growth += 0.55 * (-power.to_f64()).max(0.0) * (wide / 2.0).powi(2);
        }
        let least = 1.0 - 1e-9;
        assert!(strip.widest.to_f64() * range * least <= 1.0 && strip.widest <= 8);
        assert!(strip.growth.to_f64() >= growth * least);
        for (side, found) in [1.0, -1.0].into_iter().zip(found) {
            let Some(end) = found else { continue };
            ends += 1;
            let (mut kappa, mut log) = (0.0, 0.0);
            for (list, power) in [&with, &without].into_iter().zip(&powers) {
                let outward = |of: &&(Rational, Rational)| of.0.to_f64() * side;
                let far = list.iter().max_by(|a, b| outward(a).total_cmp(&outward(b)));
                let (shift, power) = (outward(&far.unwrap()) * mu, power.to_f64());
                kappa += power * shift;
                if power < 0.0 {
                    log += power * (far.unwrap().1.to_f64().ln() - shift * shift / 2.0);
                }
            }
            let last = (end.nodes as f64 - 1.0) * step.to_f64();
            assert!(last >= kappa.max(0.0) * least);
            let tail = normal::survival(&Interval::point(Float::with_val(64, last - kappa)));
            let truth = (log + kappa * kappa / 2.0).exp() * tail.lo().to_f64();
            assert!(
                end.beyond.hi().to_f64() >= truth * (1.0 - 1e-6),
                "{with:?} {without:?} {power} {bits}: {truth} {:?}",
                end.beyond
            );
        }
    }
    assert!(ends > 10_000);
}
