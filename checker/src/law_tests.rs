//! What is read off a law, in large units, against its definition in fine ones.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Law, Plan, Side, bits, convolve, scaled, times};
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units};
use crate::real::Real;
use crate::reason::Reason;
use crate::step::{Epsilon, Step};
use crate::work;

/// Units so large that an error of a ratio in the last place is a unit of mass.
const MASSES: u32 = 20;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn law(random: &mut Random, side: Side) -> Law {
    let length = 1 + random.below(6);
    let mut mass = || if random.below(5) == 0 { 0 } else { u128::from(random.below(1 << MASSES)) };
    let mut masses = || (0..length).map(|_| mass()).collect::<Vec<_>>();
    let of_q = masses();
    let a = if side == Side::Lower { masses() } else { Vec::new() };
    Law {
        side,
        step: q(1, 2 + i64::try_from(random.below(9)).unwrap()),
        offset: q(i64::try_from(random.below(5)).unwrap() - 2, 7),
        first: i64::try_from(random.below(9)).unwrap() - 4,
        q: of_q,
        a,
        top: if side == Side::Upper { u128::from(random.below(1 << MASSES)) } else { 0 },
    }
}

/// (q, p) of each atom, in units, as well as it can be said.
fn atoms(law: &Law) -> Vec<(BigRational, BigRational)> {
    let part = |i: usize| {
        let q = law.q[i];
        let a = law.a.get(i).copied().unwrap_or(q);
        let (fall, _) = ends(&Real::of(&-law.place(i)).exp().unwrap());
        (BigRational::from(BigInt::from(q)), fall * BigRational::from(BigInt::from(a)))
    };
    (0..law.q.len()).map(part).collect()
}

/// Between the fractions of 288 digits and the truth.
fn slack() -> BigRational {
    BigRational::new(BigInt::one(), BigInt::one() << 200)
}

#[test]
fn deltas_of_laws() {
    let mut random = Random::new(51);
    let mut close = 0;
    for round in 0..5_200 {
        work::begin(None);
        let side = if round % 2 == 0 { Side::Upper } else { Side::Lower };
        let law = law(&mut random, side);
        // At an atom, next to one, or anywhere.
        let at = law.place(usize::try_from(random.below(8)).unwrap());
        let epsilon = match round % 4 {
            0 | 1 => at,
            2 => at + random.rational() / BigInt::from(1 << 18),
            _ => random.rational() / BigInt::from(4),
        };
        let u = ends(&Real::of(&epsilon).exp().unwrap()).0;
        let hinges = atoms(&law).into_iter().map(|(q, p)| (q - &u * p).max(BigRational::zero()));
        let truth = hinges.sum::<BigRational>() + BigRational::from(BigInt::from(law.top));
        let epsilon = match random.below(3) {
            0 => Epsilon::LogOf(u.clone()),
            _ => Epsilon::Plain(epsilon),
        };
        let reals = 20 + u32::try_from(random.below(3)).unwrap();
        let found = in_units(reals, MASSES, || law.delta(&epsilon).unwrap());
        let found = BigRational::from(found);
        let holds = if side == Side::Upper { found >= &truth - slack() } else { found <= &truth + slack() };
        assert!(holds, "{side:?} {epsilon:?} 2^-{reals}: {found} {truth}");
        let fine = BigRational::from(in_units(60, MASSES, || law.delta(&epsilon).unwrap()));
        assert!((&fine - &truth).abs() <= q(2, 1), "{side:?} {epsilon:?}: {fine} {truth}");
        close += i32::from((found - truth).abs() > q(1, 1));
    }
    assert!(close > 50, "{close}");
}

#[test]
fn moments_of_laws() {
    let mut random = Random::new(52);
    for round in 0..120 {
        work::begin(None);
        let side = if round % 2 == 0 { Side::Upper } else { Side::Lower };
        let mut law = law(&mut random, side);
        law.top = 0;
        let s = q(1 + i64::try_from(random.below(9)).unwrap(), 3);
        // Σ q·(q/p)^s, where an atom without P-mass has a unit of it.
        let mut truth = 0.0;
        for (i, q) in law.q.iter().enumerate() {
            let a = law.a.get(i).copied().unwrap_or(*q).max(1);
            let loss = (q.to_f64().unwrap() / a.to_f64().unwrap()).ln() + law.place(i).to_f64().unwrap();
            if *q > 0 {
                truth += q.to_f64().unwrap() / f64::from(1 << MASSES) * (s.to_f64().unwrap() * loss).exp();
            }
        }
        let fine = in_units(120, MASSES, || ends(&law.moment(&(&s + q(1, 1)), None).unwrap()));
        let middle = fine.0.to_f64().unwrap();
        assert!((middle - truth).abs() <= 1e-9 * truth.abs() + 1e-12, "{side:?} {s}: {middle} {truth}");
        for reals in [21, 23, 26] {
            let found = in_units(reals, MASSES, || law.moment(&(&s + q(1, 1)), None).map(|found| ends(&found)));
            let Ok((low, high)) = found else { continue };
            assert!(low <= fine.1 && fine.0 <= high, "{side:?} {s} 2^-{reals}: {low} {high} {middle}");
        }
        law.top = 1;
        assert_eq!(law.moment(&(s + q(1, 1)), None).is_err(), side == Side::Upper);
    }
}

/// Of N(0, 1) against N(μ, 1) the moment is e^(t(t − 1)μ²/2), wherever the last point is, and how much room a line of its divergences leaves.
#[test]
fn moments_of_what_has_no_largest_loss() {
    let (mut told, mut close, mut formula) = (0, 0, 0);
    for (square, last, order) in (0..120i64).map(|n| (q(1 + n % 4, 4), 4 + n % 23, q(7 + n % 11, 6))) {
        work::begin(None);
        let step = Step::Gaussian { square: square.clone() };
        let plan = Plan { level: 0, first: -last * 4, last: last * 4, coarsen: Vec::new() };
        let law = Law::of_step(&step, Direction::Remove, Side::Upper, &plan, &q(1, 8)).unwrap();
        let truth = (order.to_f64().unwrap() * (order.to_f64().unwrap() - 1.0) * square.to_f64().unwrap() / 2.0).exp();
        for (more, odds) in [(0, q(1, 1)), (1, q(1, 1)), (0, q(5, 2))] {
            let rho = &square * q(2 + more, 4);
            let Ok(found) = law.moment(&order, Some((rho, Real::of(&odds).ln().unwrap()))) else { continue };
            told += 1;
            assert!(ends(&found).1.to_f64().unwrap() >= truth * (1.0 - 1e-12), "{square} {last} {order}");
            close += usize::from(ends(&found).1.to_f64().unwrap() < truth * 1.01);
        }
        assert!(law.moment(&order, None).is_err() && law.moment(&order, Some((q(0, 1), Real::int(0)))).is_err());
        // What is beyond the last point y, by its formula: e^((t' − 1)(ρt' + ξ) − (t' − t)y) at the order t', the ends of cells within, and what lies at the last point.
        let line = (&square * q(1, 2), q(3, 4));
        let Ok(found) = law.moment(&order, Some((line.0.clone(), Real::of(&line.1)))) else { continue };
        let f = |x: &BigRational| x.to_f64().unwrap();
        let (end, t, units) = (law.place(law.q.len() - 1), f(&order), (bits() as f64).exp2());
        let other = f(&((&end / &line.0 + q(1, 1)) / q(2, 1)).ceil());
        let beyond = ((other - 1.0) * (f(&line.0) * other + f(&line.1)) - (other - t) * f(&end)).exp();
        let cells = |(i, q): (usize, &u128)| q.to_f64().unwrap() / units * ((t - 1.0) * f(&law.place(i))).exp();
        let within = law.q.iter().enumerate().map(cells).sum::<f64>();
        let last = law.top as f64 / units * t * ((t - 1.0) * f(&end)).exp();
        let sum = beyond + within + last;
        assert!((f(&ends(&found).1) - sum).abs() < 1e-9 * sum, "{square} {last} {order}");
        formula += 1;
    }
    assert!(told > 100 && close > 40 && formula > 40, "{told} {close} {formula}");
}

/// Of the tests that the loss is at a point or further to the right, and the same read the other way round: what mixtures of two of them reach is found, and no more.
#[test]
fn powers_of_laws() {
    let (mut random, mut gained, mut close) = (Random::new(36), 0, 0);
    for round in 0..600 {
        work::begin(None);
        let law = law(&mut random, Side::Lower);
        let one = BigRational::from(BigInt::one() << MASSES);
        let (mut sizes, mut size, mut power) = (vec![(q(0, 1), q(0, 1)), (q(1, 1), q(1, 1))], q(0, 1), q(0, 1));
        for (q, p) in atoms(&law).into_iter().rev() {
            (size, power) = (size + p / &one, power + q / &one);
            sizes.push((size.clone().min(BigRational::one()), power.clone()));
        }
        // At the end of an atom, or anywhere.
        let end = sizes.get(2 + round % 3).map(|(size, _)| size.clone()).filter(|_| round % 2 == 0);
        let alpha = end.unwrap_or_else(|| q(i64::try_from(random.below(100)).unwrap(), 99));
        let turned = sizes.iter().map(|(size, power)| (BigRational::one() - power, BigRational::one() - size));
        let both: Vec<_> = sizes.iter().cloned().chain(turned).collect();
        let most = |all: &[(BigRational, BigRational)]| {
            let mut most = BigRational::zero();
            for (a, b) in all.iter().filter(|(a, _)| *a <= alpha) {
                most = most.max(b.clone());
                for (c, d) in all.iter().filter(|(c, _)| *c > alpha) {
                    most = most.max(b + (&alpha - a) / (c - a) * (d - b));
                }
            }
            most
        };
        let found = |reals, both| {
            let power = || crate::power::Tests::new(law.tests().unwrap(), true, both, true).power(&alpha).unwrap();
            crate::source::units(in_units(reals, MASSES, power), reals)
        };
        let reals = 20 + u32::try_from(random.below(3)).unwrap();
        for (is_both, all) in [(false, &sizes), (true, &both)] {
            let truth = most(all);
            assert!(found(reals, is_both) <= &truth + slack(), "{alpha} 2^-{reals}: {truth}");
            assert!(found(60, is_both) <= &truth + slack(), "{alpha}: {truth}");
            close += i32::from(&truth - found(60, is_both) <= q(1, 1 << 20));
        }
        gained += i32::from(found(40, true) > found(40, false));
    }
    assert!(gained > 40 && close > 900, "{gained} {close}");
}

/// What ends are trimmed of, to the unit.
#[test]
fn ends_that_are_trimmed() {
    let law = |side, q: &[u128]| Law {
        side,
        step: q_step(),
        offset: BigRational::zero(),
        first: 0,
        q: q.to_vec(),
        a: if side == Side::Lower { q.to_vec() } else { Vec::new() },
        top: 5,
    };
    fn q_step() -> BigRational {
        q(1, 4)
    }
    work::begin(None);
    let upper = law(Side::Upper, &[2, 1, 9, 1, 2]).trimmed(3).unwrap();
    assert_eq!((upper.q, upper.top, upper.first), (vec![12], 8, 2));
    let upper = law(Side::Upper, &[2, 1, 9, 2, 2]).trimmed(3).unwrap();
    assert_eq!((upper.q, upper.top, upper.first), (vec![12, 2], 7, 2));
    // Two ends that are all there is, of different masses.
    let upper = law(Side::Upper, &[3, 2]).trimmed(3).unwrap();
    assert_eq!((upper.q, upper.top), (Vec::new(), 10));
    let lower = law(Side::Lower, &[2, 2, 9, 1, 2]).trimmed(3).unwrap();
    assert_eq!((lower.q, lower.a, lower.top, lower.first), (vec![2, 9], vec![2, 9], 5, 1));
}

/// What is beyond the last knot goes to +∞, rounded up, and above each knot is at least what the chord has there.
#[test]
fn upper_laws_of_a_step() {
    let step = crate::step::Step::Laplace { epsilon: q(3, 2) };
    for (last, masses) in [(8, 8), (6, 7), (3, 9), (11, 10)] {
        work::begin(None);
        let plan = super::Plan { level: 0, first: -16, last, coarsen: Vec::new() };
        let law = in_units(24, masses, || {
            Law::of_step(&step, crate::claim::Direction::Remove, Side::Upper, &plan, &q(1, 8)).unwrap()
        });
        let one = BigRational::from(BigInt::one() << masses);
        let delta = |n: i64| {
            let place = Epsilon::Plain(q(n, 8));
            ends(&crate::profile::at(&step, crate::claim::Direction::Remove, &place).unwrap().delta).0
        };
        assert!(BigRational::from(BigInt::from(law.top)) >= delta(last) * &one, "{last} {masses}");
        let mut above = law.top;
        for (index, q) in law.q.iter().enumerate().skip(1).rev() {
            above += q;
            let n = law.first + i64::try_from(index).unwrap();
            let fall = ends(&Real::of(&-self::q(1, 8)).exp().unwrap()).1;
            // δ₋ + (δ₋ − δ)/(e^h − 1)
            let chord = delta(n - 1) + (delta(n - 1) - delta(n)) * &fall / (BigRational::one() - &fall);
            let least = chord.min(BigRational::one()) * &one - slack();
            assert!(BigRational::from(BigInt::from(above)) >= least, "{n} {masses}");
        }
    }
}

/// Enclosures of δ of noise on the integers are wider than nothing; its laws know where the largest loss is.
#[test]
fn nothing_is_beyond_the_largest_loss() {
    let noise = crate::step::Noise::DiscreteLaplace { scale: q(15, 16) };
    let shift = |by: i64| vec![(BigRational::one(), q(by, 1))];
    let step = crate::step::Step::Shifted { noise, without: shift(0), with: shift(1) };
    for (last, is_beyond) in [(3, false), (4, true), (5, true), (9, true)] {
        work::begin(None);
        let plan = super::Plan { level: 0, first: -5, last, coarsen: Vec::new() };
        let law = Law::of_step(&step, crate::claim::Direction::Remove, Side::Upper, &plan, &q(4, 15)).unwrap();
        assert_eq!(law.top == 0, is_beyond, "{last}: {}", law.top);
    }
}

/// A P-mass of a unit that has all of Q: the power is in proportion to α, which is not rounded up.
#[test]
fn parts_of_a_light_atom() {
    for n in 1..30 {
        work::begin(None);
        let law =
            Law { side: Side::Lower, step: q(1, 1), offset: q(0, 1), first: 0, q: vec![1 << 11], a: vec![1], top: 0 };
        let alpha = q(n, 30 << 11);
        let power = || crate::power::Tests::new(law.tests().unwrap(), true, false, true).power(&alpha).unwrap();
        let found = crate::source::units(in_units(20, 11, power), 20);
        assert!(found <= alpha * BigInt::from(1 << 11), "{n}");
    }
}

/// Products of masses that fill all their bits: both halves, rounded to both sides, in short lists and in long ones.
#[test]
fn products_of_large_masses() {
    work::begin(None);
    let mut random = Random::new(77);
    let mut large = |bits: u32| {
        let digits = (0..4).fold(0u128, |x, _| (x << 32) | u128::from(random.below(1 << 32)));
        digits >> (128 - bits)
    };
    for _ in 0..50 {
        let (a, b) = (large(123), large(123));
        let exact: BigInt = BigInt::from(a) * b;
        assert_eq!(BigInt::from(times(a, b, false).unwrap()), &exact >> bits());
        let below: BigInt = -exact >> bits();
        assert_eq!(BigInt::from(times(a, b, true).unwrap()), -below);
    }
    let most = BigInt::from(1) << (127 + bits());
    assert!([false, true].into_iter().all(|up| scaled(most.clone(), up).is_err()));
    assert_eq!(scaled(most - 1, false).unwrap(), (1 << 127) - 1);
    for length in [1, 5, 40] {
        let all = bits() + 3;
        let mut masses = || (0..length).map(|_| large(all) / length).collect::<Vec<_>>();
        let (a, b) = (masses(), masses());
        let length = usize::try_from(length).unwrap();
        for up in [false, true] {
            let found = convolve(&a, &b, up).unwrap();
            for (k, mass) in found.iter().enumerate() {
                let of = |i: usize| Some(BigInt::from(*a.get(i)?) * b.get(k.checked_sub(i)?)?);
                let exact: BigInt = (0..length).filter_map(of).sum();
                let rounded = |x: BigInt| -> BigInt { x >> bits() };
                let expected = if up { -rounded(-exact) } else { rounded(exact) };
                assert_eq!(BigInt::from(*mass), expected, "{length} {k} {up}");
            }
            assert_eq!(found.len(), 2 * length - 1);
        }
    }
}

/// A sum of places beyond their type would come back from the other end, where losses are small.
#[test]
fn places_do_not_wrap_around() {
    work::begin(None);
    for first in [1 << 40, -(1 << 40)] {
        for side in [Side::Upper, Side::Lower] {
            let a = if side == Side::Lower { vec![1 << bits()] } else { Vec::new() };
            let law = Law { side, step: q(1, 1), offset: q(0, 1), first, q: vec![1 << bits()], a, top: 0 };
            let plan = |squarings: usize| Plan { level: 0, first, last: first, coarsen: vec![0; squarings] };
            assert_eq!(law.power(1 << 21, &plan(21), 0).unwrap().first, first << 21);
            assert_eq!(law.power(1 << 22, &plan(22), 0).err().unwrap().reason, Reason::Limit);
        }
    }
    let plan = Plan { level: 0, first: i64::MIN, last: i64::MIN, coarsen: Vec::new() };
    let step = Step::Laplace { epsilon: q(1, 1) };
    let far = Law::of_step(&step, Direction::Remove, Side::Upper, &plan, &q(1, 1)).err().unwrap();
    assert_eq!(far.reason, Reason::Limit);
}

/// A law of one step in large units is on its side of the same law in small ones, atom by atom.
#[test]
fn steps_in_large_units() {
    let plan = Plan { level: 0, first: -6, last: 9, coarsen: Vec::new() };
    for step in [
        Step::Finite { p: vec![q(3, 7), q(3, 7), q(1, 7)], q: vec![q(1, 11), q(4, 11), q(6, 11)] },
        Step::Gaussian { square: q(2, 3) },
        Step::Laplace { epsilon: q(5, 3) },
    ] {
        let of = |side, masses| {
            work::begin(None);
            let law = in_units(100, masses, || Law::of_step(&step, Direction::Remove, side, &plan, &q(1, 4))).unwrap();
            let real = |x: &u128| BigRational::new(BigInt::from(*x), BigInt::one() << masses);
            let all = |masses: &[u128]| masses.iter().map(real).collect::<Vec<_>>();
            (all(&law.q), all(&law.a), real(&law.top))
        };
        let ((coarse, coarse_a, _), (fine, fine_a, _)) = (of(Side::Lower, 9), of(Side::Lower, 60));
        let room = q(1, 1 << 40);
        let mut is_less = false;
        for (((q_, a), fine_q), fine_a) in coarse.iter().zip(&coarse_a).zip(&fine).zip(&fine_a) {
            assert!(*q_ <= fine_q + &room && *a >= fine_a - &room, "{step}: {q_} {fine_q} {a} {fine_a}");
            assert!(fine_q - q_ < q(1, 512) && a - fine_a < q(1, 512), "{step}");
            is_less |= a > fine_a;
        }
        assert!(is_less);
        // Above each atom an upper law has no less, and by hardly more than a unit.
        let ((coarse, _, top), (fine, _, fine_top)) = (of(Side::Upper, 9), of(Side::Upper, 60));
        let (mut tail, mut fine_tail) = (top.clone(), fine_top.clone());
        assert!(top >= fine_top && &top - &fine_top < q(1, 512), "{step}");
        for (x, y) in coarse.iter().zip(&fine).rev() {
            (tail, fine_tail) = (tail + x, fine_tail + y);
            assert!(tail >= &fine_tail - &room && &tail - &fine_tail < q(1, 256), "{step}");
        }
    }
}

/// Parts on lattices of different steps are joined on the coarser one, whichever comes first.
#[test]
fn the_finer_of_two_is_coarsened() {
    let plan = |level: u32| Plan { level, first: -4 >> level, last: 8 >> level, coarsen: Vec::new() };
    for side in [Side::Upper, Side::Lower] {
        for (one, other) in [(0, 1), (1, 0), (0, 2), (1, 1)] {
            work::begin(None);
            let of = |epsilon: BigRational, level| {
                let step = Step::Laplace { epsilon };
                Law::of_step(&step, Direction::Remove, side, &plan(level), &q(1, 4)).unwrap()
            };
            let joined = of(q(1, 1), one).joined(of(q(1, 2), other), 0).unwrap();
            assert_eq!(joined.step, q(1, 4) * q(1 << one.max(other), 1));
        }
    }
}
