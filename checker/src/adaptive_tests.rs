//! Bounds of several choices by score, against adversaries in fractions, and the closed form of two.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::several;
use crate::claim::Direction;
use crate::coarse::Random;
use crate::profile::{Pair, Place, Point};
use crate::real::{Real, w};
use crate::source::units;
use crate::step::{Epsilon, Parts, Step};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn choice(odds: &BigRational, is_flip: bool) -> Step {
    Step::Choice { epsilon: Epsilon::LogOf(odds.clone()), is_flip }
}

fn of(parts: &Parts) -> Pair {
    work::begin(None);
    Pair::of_parts(parts, Direction::Remove).unwrap()
}

fn at(pair: &Pair, u: &BigRational) -> Point {
    pair.at(&Place::of(&Epsilon::LogOf(u.clone())).unwrap()).unwrap()
}

fn bound(pair: &Pair, u: &BigRational) -> BigRational {
    units(at(pair, u).delta.hi, w())
}

/// A number with a square next to x.
fn root(x: &BigRational) -> BigRational {
    let root = Real::of(x).sqrt().unwrap();
    units(root.floor_units(20), 20)
}

/// δ(u) of an adversary: who makes one of the choices that are left, with some odds, and goes on by what came out. `dice` says how.
fn adversary(left: &[BigRational], u: &BigRational, dice: &mut Random) -> BigRational {
    let one = BigRational::one();
    if left.is_empty() {
        return (one - u).max(BigRational::zero());
    }
    let place = usize::try_from(dice.below(left.len().try_into().unwrap())).unwrap();
    let mut rest = left.to_vec();
    let odds = rest.remove(place);
    // Of the last one the best, of the others what is best where all are alike, or any.
    let best = match (rest.is_empty(), dice.below(3)) {
        (true, _) => root(&(&odds * u)),
        (_, 0) => root(&odds),
        (_, 1) => root(&root(&(&odds * u))) * root(&root(&odds)),
        _ => q(1 + i64::try_from(dice.below(1000)).unwrap(), 1000) * &odds,
    };
    let z = best.max(one.clone()).min(odds.clone());
    let first = (&odds - &z) / (&odds - &one);
    let (near, far) = (u / &z, u * &odds / &z);
    &first * adversary(&rest, &near, dice) + (one - first) * adversary(&rest, &far, dice)
}

#[test]
fn no_adversary_is_above() {
    let mut random = Random::new(24);
    let mut near = 0;
    for round in 0..8 {
        let count = 2 + round / 4;
        let mut odds: Vec<BigRational> =
            (0..count).map(|_| q(11 + i64::try_from(random.below(60)).unwrap(), 10)).collect();
        if round % 2 == 0 {
            odds = vec![odds[0].clone(); odds.len()];
        }
        let mut parts: Parts = Vec::new();
        for one in &odds {
            match parts.iter_mut().find(|(step, _)| *step == choice(one, false)) {
                Some((_, times)) => *times += 1,
                None => parts.push((choice(one, false), 1)),
            }
        }
        let all: BigRational = odds.iter().product();
        let pair = of(&parts);
        for u in [q(1, 2), q(9, 10), q(1, 1), q(6, 5), root(&all), &all * q(9, 10), &all * q(99, 100)] {
            let bound = bound(&pair, &u);
            let mut most = BigRational::zero();
            for _ in 0..60 {
                let found = adversary(&odds, &u, &mut random);
                assert!(found <= bound, "{odds:?} {u}: {found} > {bound}");
                most = most.max(found);
            }
            near += i32::from(most.is_positive() && most > &bound * q(99, 100));
        }
        // Left and right of all losses, and next to them.
        for (u, is_zero) in [(&all * q(1001, 1000), true), ((&all * q(1001, 1000)).recip(), false)] {
            let bound = bound(&pair, &u);
            let exact = if is_zero { BigRational::zero() } else { BigRational::one() - &u };
            assert!(bound >= exact && bound < exact + q(1, 1_000), "{odds:?} {u}: {bound}");
        }
    }
    assert!(near > 20, "{near} of 56");
}

/// Of two the largest δ is known: at log u ≤ ε/2 the first one has the loss ε/2, and (R − 1)²·δ is (R − 1)(R + u) − 4A(A − 1)√(uA), A = √R.
#[test]
fn two_have_a_closed_form() {
    for a in [q(11, 10), q(3, 2), q(2, 1), q(5, 1)] {
        let odds = &a * &a;
        let pair = of(&vec![(choice(&odds, false), 2)]);
        for s in [q(1, 1), q(101, 100), root(&root(&a)), root(&a) * q(99, 100)] {
            let u = &s * &s;
            let less = &odds - BigRational::one();
            let z = root(&a);
            let both = &less * (&odds + &u) - q(2, 1) * &a * (&a - BigRational::one()) * &s * (&z + &a / &z);
            let exact = both / (&less * &less);
            let bound = bound(&pair, &u);
            assert!(bound >= &exact - q(1, 1 << 30), "{a} {u}");
            assert!(bound <= &exact * q(10_001, 10_000), "{a} {u}: {} of {}", bound, exact);
        }
    }
}

#[test]
fn only_choices_with_logistic_noise_are_together() {
    work::begin(None);
    let (one, other) = (choice(&q(2, 1), false), choice(&q(3, 1), false));
    let flip = choice(&q(2, 1), true);
    let gaussian = Step::Gaussian { square: q(1, 1) };
    let wide = Step::Choice { epsilon: Epsilon::Plain(q(351, 1)), is_flip: false };
    for (parts, is_known) in [
        (vec![(one.clone(), 2)], true),
        (vec![(one.clone(), 12)], true),
        (vec![(one.clone(), 11), (other.clone(), 1)], true),
        ((2..6).map(|n| (choice(&q(n, 1), false), 1)).collect(), true),
        ((2..8).map(|n| (choice(&q(n, 1), false), 1)).collect(), false),
        (vec![(one.clone(), 1)], false),
        (vec![(one.clone(), 13)], false),
        (vec![(one.clone(), 12), (other, 1)], false),
        (vec![(one.clone(), u64::MAX), (one.clone(), u64::MAX)], false),
        (vec![(one.clone(), 1), (flip, 1)], false),
        (vec![(one, 2), (gaussian, 1)], false),
        (vec![(wide, 2)], false),
        (Vec::new(), false),
    ] {
        assert_eq!(several(&parts).unwrap().is_some(), is_known, "{parts:?}");
    }
}

/// It is a bound of δ, and of no test: nothing is refuted by it.
#[test]
fn nothing_is_known_from_below() {
    for u in [q(1, 3), q(1, 1), q(2, 1), q(9, 1)] {
        let point = at(&of(&vec![(choice(&q(3, 1), false), 2)]), &u);
        assert!(point.delta.lo.is_zero() && !point.power().lo.is_positive());
        assert!(point.null.lo.is_zero() && point.null.hi == BigInt::one() << w());
    }
}
