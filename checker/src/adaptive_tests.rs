//! Bounds of several choices by score, against adversaries in fractions, and the closed form of two.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Choice, several, share};
use crate::claim::Direction;
use crate::coarse::Random;
use crate::law::bits;
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
        let low = [&all.recip() * q(11, 10), root(&all).recip(), root(&root(&all)) / &all];
        let high = [root(&all), &all * q(9, 10), &all * q(99, 100), &all * q(9995, 10_000)];
        for u in low.into_iter().chain([q(1, 2), q(9, 10), q(1, 1), q(6, 5)]).chain(high) {
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
    assert!(near > 20, "{near} of 88");
}

/// x·y/2^64 from below by less than one, at any lengths.
#[test]
fn shares_are_products() {
    let mut random = Random::new(7);
    for _ in 0..2_000 {
        let x = (u128::from(random.below(u64::MAX)) << random.below(56)).min(1 << 120);
        let y = u128::from(random.below(u64::MAX) >> random.below(64));
        let exact: BigInt = (BigInt::from(x) * BigInt::from(y)) >> 64;
        assert_eq!(BigInt::from(share(x, y)), exact, "{x} {y}");
    }
}

/// Both terms at the ends of all pieces, and above the line between them, in fractions: at least that, and at most four units more.
#[test]
fn one_choice_by_its_formula() {
    let mut random = Random::new(8);
    for round in 0..40 {
        let n = 1 + usize::try_from(random.below(4)).unwrap();
        let mut part = || u128::from(random.below(u64::MAX)) + 1;
        let mut shares: Vec<u128> = (0..=n).map(|_| part()).collect();
        shares.sort_unstable_by(|a, b| b.cmp(a));
        let (inverse, bend) = (part(), part());
        let mut rest: Vec<u128> = (0..4 * n).map(|_| part() << (if round % 2 == 0 { 50 } else { 0 })).collect();
        rest.sort_unstable_by(|a, b| b.cmp(a));
        let mut level = vec![0; rest.len()];
        let choice = Choice { times: 1, shares: shares.clone(), inverse, bend };
        work::begin(None);
        choice.before(&rest, n, &mut level).unwrap();
        let at = |place: usize| BigRational::from(BigInt::from(rest.get(place).copied().unwrap_or(0)));
        let part = |x: u128| BigRational::new(x.into(), BigInt::one() << 64);
        for (place, found) in level.iter().enumerate().skip(n) {
            let (near, far) = (|i: usize| at(place - i), |i: usize| at(place - i + n));
            let mean = |i: usize| far(i) + (near(i) - far(i)) * part(shares[i]);
            let piece = |i: usize| {
                let turn = near(i) - near(i - 1) - (far(i) - far(i - 1)) * part(inverse);
                mean(i).max(mean(i - 1)) + turn.max(BigRational::zero()) * part(bend)
            };
            let exact = (1..=n).map(piece).max().unwrap();
            let found = BigRational::from(BigInt::from(*found));
            assert!(found >= exact && found < exact + q(4, 1), "{round} {place}");
        }
    }
}

/// A place is e^ε at ε; the last one is where no loss is larger, the first one farther left than all by one choice; and it does not matter how choices are listed.
#[test]
fn places_are_where_losses_end() {
    let (one, other) = (choice(&q(2, 1), false), choice(&q(5, 1), false));
    for (parts, odds) in [(vec![(one.clone(), 2)], 4), (vec![(one.clone(), 2), (other.clone(), 1)], 20)] {
        work::begin(None);
        let places = several(&parts).unwrap().unwrap();
        for (place, _) in &places {
            let log = place.exp.ln().unwrap().minus(&place.log);
            assert!(log.lo.bits() < u64::from(w()) - 200 && log.hi.bits() < u64::from(w()) - 200);
        }
        let end = Real::of(&q(odds, 1)).ln().unwrap();
        let ((first, of_all), (last, nothing)) = (places.first().unwrap(), places.last().unwrap());
        assert!(last.log.hi >= end.lo && (nothing >> (w() - bits())) < BigInt::from(9));
        assert!(first.log.hi < end.neg().lo && *of_all > BigInt::zero());
    }
    let of_two = several(&vec![(one.clone(), 2)]).unwrap().unwrap();
    let end = Real::of(&q(2, 1)).ln().unwrap().hi * BigInt::from(2);
    assert!(of_two.last().unwrap().0.log.lo >= end);
    work::begin(None);
    let of = |parts: Parts| several(&parts).unwrap().unwrap();
    let (a, b) = (of(vec![(one.clone(), 2), (other.clone(), 1)]), of(vec![(other, 1), (one, 2)]));
    assert_eq!(a.len(), b.len());
    for ((_, x), (_, y)) in a.iter().zip(&b) {
        assert!((x - y).bits() < u64::from(w()) - 100, "{x} {y}");
    }
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
