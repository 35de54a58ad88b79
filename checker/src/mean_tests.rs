//! Epochs by sums, against all their outcomes.

use super::*;
use crate::coarse::Random;
use crate::outcomes::allocated;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn profile(step: &Step, u: &BigRational, direction: Direction) -> BigRational {
    let Step::Finite { p, q } = step else { panic!("{step:?}") };
    let (p, q) = if direction == Direction::Remove { (p, q) } else { (q, p) };
    p.iter().zip(q).map(|(p, q)| (q - u * p).max(BigRational::zero())).sum()
}

fn law(random: &mut Random, length: usize) -> Vec<BigRational> {
    let parts: Vec<u64> = (0..length).map(|_| random.below(7)).collect();
    let total = parts.iter().sum::<u64>() + 1;
    let mass = |(place, part): (usize, &u64)| BigRational::new((part + u64::from(place == 0)).into(), total.into());
    parts.iter().enumerate().map(mass).collect()
}

/// Pairs with outcomes that only one of both has among them, on lattices of any width, coarsened or not: above and below all outcomes of all steps, in both orders.
#[test]
fn epochs_against_all_outcomes() {
    let mut random = Random::new(18);
    let mut closest = [false; 2];
    for round in 0..160 {
        crate::work::begin(None);
        let length = 2 + usize::try_from(random.below(3)).unwrap();
        let step = Step::Finite { p: law(&mut random, length), q: law(&mut random, length) };
        let steps = 2 + random.below(5);
        let exact = allocated(&step, steps, 1).unwrap().unwrap();
        let coarsen: Vec<i64> = (0..steps.ilog2()).map(|_| i64::try_from(random.below(2)).unwrap()).collect();
        let unit = q(1, [2, 5, 16, 100][round % 4]);
        let all = 1i64 << coarsen.iter().sum::<i64>();
        let reach =
            q(i64::try_from(1 + random.below(4 * steps)).unwrap(), 1) / (&unit * int(u64::try_from(all).unwrap()));
        let end = reach.ceil().max(BigRational::one());
        let knots = [4, 8, 1000][usize::try_from(random.below(3)).unwrap()];
        let mut numbers = vec![unit.clone(), q(knots, 1), end.clone()];
        numbers.extend(coarsen.iter().map(|n| q(*n, 1)));
        let [above, below] = [Side::Upper, Side::Lower].map(|side| epoch(&step, steps, &numbers, side).unwrap());
        for pair in [&above, &below] {
            let Step::Finite { p, q } = pair else { panic!() };
            assert!(p.iter().sum::<BigRational>().is_one() && q.iter().sum::<BigRational>().is_one());
            assert!(p.iter().chain(q).all(|mass| !mass.is_negative()));
        }
        for _ in 0..12 {
            let u = q(i64::try_from(1 + random.below(60)).unwrap(), 1 + i64::try_from(random.below(20)).unwrap());
            for direction in [Direction::Remove, Direction::Add] {
                let [high, truth, low] = [&above, &exact, &below].map(|pair| profile(pair, &u, direction));
                assert!(
                    low <= truth && truth <= high,
                    "{step:?} {steps} {numbers:?} {u} {direction}: {low} {truth} {high}"
                );
                closest[0] |= high > truth && &high - &truth < q(1, 1000);
                closest[1] |= low < truth && &truth - &low < q(1, 1000);
            }
        }
    }
    assert_eq!(closest, [true; 2]);
}

/// Few knots on a fine lattice: what lies in a cell is thousands of places right of where the cell begins.
#[test]
fn cells_of_thousands_of_places() {
    let step = Step::Finite { p: vec![q(1, 2), q(1, 2)], q: vec![q(1, 100), q(99, 100)] };
    for steps in [2, 3] {
        let exact = allocated(&step, steps, 1).unwrap().unwrap();
        for (unit, end) in [(q(1, 16_000), q(65_536, 1)), (q(1, 4_000), q(30_000, 1)), (q(1, 500), q(3_000, 1))] {
            let numbers = [unit, q(4, 1), end, q(0, 1)];
            let ends = [Side::Lower, Side::Upper].map(|side| {
                crate::work::begin(None);
                epoch(&step, steps, &numbers, side).unwrap()
            });
            for u in [q(1, 2), q(1, 1), q(6, 5), q(9, 5)] {
                for direction in [Direction::Remove, Direction::Add] {
                    let truth = profile(&exact, &u, direction);
                    let [low, high] = [&ends[0], &ends[1]].map(|pair| profile(pair, &u, direction));
                    assert!(low <= truth && truth <= high, "{steps} {numbers:?} {u}: {low} {truth} {high}");
                }
            }
        }
    }
}

/// Gaussian noise, which has all likelihood ratios, against what `dpcmp bound` encloses: one of 20 steps with μ = ½ has δ(1/5) in [0.0025942, 0.00259504].
#[test]
fn epochs_of_gaussian_noise() {
    let step = Step::Gaussian { square: q(1, 4) };
    let mut apart = Vec::new();
    for (unit, coarsen) in [(q(1, 8), [0, 0, 0, 0]), (q(1, 32), [0, 1, 0, 1]), (q(1, 64), [0, 0, 1, 0])] {
        crate::work::begin(None);
        let width = &unit * BigInt::from(1i64 << coarsen.iter().sum::<i64>());
        let mut numbers = vec![unit, q(64, 1), (q(25, 1) / width).ceil()];
        numbers.extend(coarsen.map(|n| q(n, 1)));
        let u = Real::of(&q(1, 5)).exp().unwrap().ends().0;
        let ends = [Side::Lower, Side::Upper]
            .map(|side| profile(&epoch(&step, 20, &numbers, side).unwrap(), &u, Direction::Remove));
        let [low, high] = ends.map(|delta| delta.to_f64().unwrap());
        assert!(low < 0.00259504 && high > 0.0025942 && low < high, "{numbers:?} {low} {high}");
        apart.push(high - low);
    }
    assert!(apart[1] < apart[0] && apart[2] < apart[1] && apart[2] < 2e-5, "{apart:?}");
}

/// Plans that are not whole, are too long, or are those of other steps.
#[test]
fn plans_that_are_none() {
    let step = Step::Gaussian { square: q(1, 4) };
    let word = |numbers: &[BigRational]| {
        crate::work::begin(None);
        epoch(&step, 4, numbers, Side::Upper).map_err(|no| no.reason)
    };
    let [zero, one, two] = [0, 1, 2].map(|n| q(n, 1));
    let end = q(40, 1);
    assert!(word(&[q(1, 8), q(64, 1), end.clone(), zero.clone(), one.clone()]).is_ok());
    for (numbers, reason) in [
        (vec![q(1, 8), q(64, 1), end.clone(), zero.clone()], Reason::SkippedStep),
        (vec![q(1, 8), q(64, 1)], Reason::Malformed),
        (vec![q(1, 8), q(64, 1), q(1, 2), zero.clone(), zero.clone()], Reason::Malformed),
        (vec![zero.clone(), q(64, 1), end.clone(), zero.clone(), zero.clone()], Reason::Limit),
        (vec![q(1, 8), two.clone(), end.clone(), zero.clone(), zero.clone()], Reason::Limit),
        (vec![q(1, 8), q(64, 1), zero.clone(), zero.clone(), zero.clone()], Reason::Limit),
        (vec![q(1, 8), q(64, 1), q(1 << 15, 1), one.clone(), one.clone()], Reason::Limit),
        (vec![q(1, 8), q(1 << 16, 1), q(1 << 14, 1), zero.clone(), zero.clone()], Reason::Limit),
        (vec![q(1, 8), q(64, 1), end, q(17, 1), zero.clone()], Reason::Limit),
    ] {
        assert_eq!(word(&numbers), Err(reason), "{numbers:?}");
    }
}
