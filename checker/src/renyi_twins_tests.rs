//! Rényi guarantees in large units, against pairs of two outcomes whose divergences and profiles are known.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Line, below_parabola, bernoulli, closed, delta_at_most, is_member, is_zcdp, sampled_gaussian, slope};
use crate::answer::Adjacency;
use crate::claim::Direction;
use crate::coarse::{Random, ends, in_units, meets};
use crate::law::{Plan, Side};
use crate::real::Real;
use crate::step::{Epsilon, Mechanism, Noise, Step};
use crate::work;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn small(random: &mut Random, n: u64) -> i64 {
    i64::try_from(random.below(n)).unwrap()
}

fn two(p: &BigRational, r: &BigRational) -> Step {
    let one = BigRational::one();
    Step::Finite { p: vec![p.clone(), &one - p], q: vec![r.clone(), &one - r] }
}

/// (t − 1)·D_t of two outcomes.
fn psi(r: &BigRational, p: &BigRational, t: f64) -> f64 {
    let (r, p) = (r.to_f64().unwrap(), p.to_f64().unwrap());
    (r.powf(t) * p.powf(1.0 - t) + (1.0 - r).powf(t) * (1.0 - p).powf(1.0 - t)).ln()
}

/// F_t and its slopes: themselves in finer units, and differences of F_t.
#[test]
fn sums_of_two_outcomes() {
    let mut random = Random::new(91);
    for _ in 0..40 {
        work::begin(None);
        let [r, p] = [(); 2].map(|()| q(1 + small(&mut random, 15), 16));
        let order = q(5 + small(&mut random, 30), 4);
        let all = || bernoulli(&order, &r, &p).map(|(f, fq, fp)| [f, fq, fp].map(|x| ends(&x)));
        let fine = all().unwrap();
        let step = q(1, 1 << 40);
        let value = |r: &BigRational, p: &BigRational| ends(&bernoulli(&order, r, p).unwrap().0).0;
        let by_r = (value(&(&r + &step), &p) - value(&(&r - &step), &p)) / (&step * BigInt::from(2));
        let by_p = (value(&r, &(&p + &step)) - value(&r, &(&p - &step))) / (&step * BigInt::from(2));
        assert!((psi(&r, &p, order.to_f64().unwrap()).exp() / fine[0].0.to_f64().unwrap() - 1.0).abs() < 1e-9);
        for (found, slope) in fine[1..].iter().zip([by_r, by_p]) {
            let scale = slope.abs() + fine[0].0.clone() + BigRational::one();
            assert!((&found.0 - &slope).abs() < scale / BigInt::from(1 << 20), "{order} {r} {p}");
        }
        for reals in [20, 23, 27] {
            let Ok(found) = in_units(reals, 8, all) else { continue };
            for (coarse, fine) in found.iter().zip(&fine) {
                assert!(meets(coarse, fine), "{order} {r} {p} 2^-{reals}: {coarse:?} {fine:?}");
            }
        }
    }
    work::begin(None);
    for (r, p) in [(q(0, 1), q(1, 2)), (q(1, 1), q(1, 2)), (q(1, 2), q(0, 1)), (q(1, 2), q(1, 1))] {
        assert!(bernoulli(&q(2, 1), &r, &p).is_err());
    }
}

/// Whatever the lines, no δ of a pair that has the divergences is above them; the line that touches at the best test gives it.
#[test]
fn lines_around_a_pair() {
    let mut random = Random::new(92);
    let mut close = 0;
    for _ in 0..1_700 {
        work::begin(None);
        let [p, r] = [(); 2].map(|()| q(1 + small(&mut random, 15), 16));
        let parts = vec![(two(&p, &r), 1 + random.below(2))];
        let order = q(3 + small(&mut random, 6), 2);
        // One of the other order of the pair now and then.
        let order = if random.below(3) == 0 { BigRational::one() - order } else { order };
        // δ of one pair, or of two independent ones.
        let mut outcomes = vec![(BigRational::one(), BigRational::one())];
        for _ in 0..parts[0].1 {
            let one = [(&p, &r)].map(|(p, r)| (p.clone(), r.clone()));
            let rest = (BigRational::one() - &p, BigRational::one() - &r);
            let next =
                |(a, b): &(BigRational, BigRational)| [(a * &one[0].0, b * &one[0].1), (a * &rest.0, b * &rest.1)];
            outcomes = outcomes.iter().flat_map(next).collect();
        }
        let u = q(1 + small(&mut random, 40), 10);
        let hinges = outcomes.iter().map(|(p, r)| (r - &u * p).max(BigRational::zero()));
        let truth: BigRational = hinges.sum();
        let taken = outcomes.iter().filter(|(p, r)| *r > &u * p);
        let (at_p, at_r) = taken.fold((BigRational::zero(), BigRational::zero()), |(a, b), (p, r)| (a + p, b + r));
        let inside = |x: &BigRational| x.is_positive() && *x < BigRational::one();
        let (at_r, at_p) = if inside(&at_r) && inside(&at_p) { (at_r, at_p) } else { (r.clone(), p.clone()) };
        let scale = ends(&bernoulli(&order, &at_r, &at_p).unwrap().1).1.abs() + BigRational::one();
        let weight = q(small(&mut random, 9), 4) / scale.ceil();
        let mut lines = vec![Line { order: order.clone(), q: at_r, p: at_p, weight }];
        if random.below(2) == 0 {
            let [q, p] = [(); 2].map(|()| q(1 + small(&mut random, 15), 16));
            lines.push(Line { order: &order + order.signum(), q, p, weight: BigRational::new(1.into(), 64.into()) });
        }
        let bound = || ends(&delta_at_most(&parts, Direction::Remove, &Real::of(&u), &lines).unwrap());
        let fine = bound();
        assert!(fine.1 >= truth, "{p} {r} {u}: {fine:?} {truth}");
        close += i32::from(&fine.1 - &truth < q(1, 4));
        for reals in [20, 22, 26] {
            let found = in_units(reals, 8, bound);
            assert!(meets(&found, &fine), "{p} {r} {u} 2^-{reals}: {found:?} {fine:?}");
        }
    }
    assert!(close > 5, "{close}");
    work::begin(None);
    for (order, weight) in
        [(q(1, 1), q(1, 1)), (q(1, 2), q(1, 1)), (q(0, 1), q(1, 1)), (q(2, 1), q(-1, 1)), (q(-1, 1), q(-1, 1))]
    {
        let line = [Line { order, q: q(1, 2), p: q(1, 4), weight }];
        assert!(delta_at_most(&vec![(two(&q(1, 4), &q(1, 2)), 1)], Direction::Remove, &Real::int(1), &line).is_err());
    }
}

/// ψ at some orders, by an interval: what is accepted has its chords, from the upper ends, below the parabola everywhere, and nothing else is refused.
#[test]
fn chords_below_a_parabola() {
    let mut random = Random::new(93);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..5_000 {
        work::begin(None);
        let rho = q(1 + small(&mut random, 8), 4);
        let mut orders = vec![q(1, 1) + q(1 + small(&mut random, 4), 4)];
        for _ in 0..random.below(3) {
            let next = orders.last().unwrap() + q(1 + small(&mut random, 4), 4);
            orders.push(next);
        }
        // Above the parabola, about on it, or below; the lower end is far below.
        let share = q(1 + small(&mut random, 5), 4);
        let value = |t: &BigRational| {
            (&rho * t * (t - BigRational::one()) * &share * BigInt::from(16)).floor() / BigInt::from(16)
        };
        let bounded_at = &rho * orders.last().unwrap();
        let accepted = in_units(20, 8, || {
            let at = |t: &BigRational| Ok(Real::of(&(value(t) - q(1, 2))).hull(&Real::of(&value(t))));
            below_parabola(&rho, &orders, at, |end| Ok(&rho * end >= bounded_at)).is_ok()
        });
        let (mut left, mut low, mut holds) = (BigRational::one(), BigRational::zero(), true);
        for order in &orders {
            let high = value(order);
            // The least of the difference is at an end, or where its slope is 0.
            let slope = (&high - &low) / (order - &left);
            let vertex = (&rho + &slope) / (&rho * BigInt::from(2));
            for t in [left.clone(), order.clone(), vertex] {
                if t >= left && t <= *order {
                    let chord = &low + &slope * (&t - &left);
                    holds &= chord <= &rho * &t * (&t - BigRational::one());
                }
            }
            (left, low) = (order.clone(), high);
        }
        assert_eq!(accepted, holds, "{rho} {orders:?} {share}");
        (yes, no) = (yes + i32::from(accepted), no + i32::from(!accepted));
        let beyond = below_parabola(&rho, &orders, |t| Ok(Real::of(&value(t))), |_| Ok(false));
        assert!(beyond.is_err());
    }
    assert!(yes > 50 && no > 50, "{yes} {no}");
    let nothing = |_: &BigRational| Ok(Real::int(0));
    assert!(below_parabola(&q(1, 1), &[q(1, 1)], nothing, |_| Ok(true)).is_err());
    assert!(below_parabola(&q(1, 1), &[q(2, 1), q(2, 1)], nothing, |_| Ok(true)).is_err());
}

/// A pair is a member only if all of what is known holds of it, in both orders.
#[test]
fn members_of_classes() {
    let mut random = Random::new(94);
    let (mut yes, mut no) = (0, 0);
    let alone = |step: Step| Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: Adjacency::AddRemove };
    for round in 0..650 {
        work::begin(None);
        let [r, p] = [(); 2].map(|()| q(1 + small(&mut random, 31), 32));
        let t = q(3 + small(&mut random, 6), 2);
        let less = &t - BigRational::one();
        if r == p {
            continue;
        }
        let own = [(&r, &p), (&p, &r)].map(|(r, p)| ends(&bernoulli(&t, r, p).unwrap().0.ln().unwrap()).0 / &less);
        let most = own[0].clone().max(own[1].clone());
        let unit = q(1, 1 << 20);
        for off in [-6, -2, -1, 0, 1, 2, 6, 1 << 12] {
            let epsilon = &most + &unit * BigInt::from(off);
            if epsilon.is_negative() {
                continue;
            }
            let mechanism = alone(Step::Rdp { orders: vec![(t.clone(), epsilon.clone())] });
            let found = in_units(20, 8, || is_member(&mechanism.steps, &r, &p, &[])).is_ok();
            assert!(!found || epsilon > most, "{t} {r} {p} {off}");
            let fine = is_member(&mechanism.steps, &r, &p, &[]).is_ok();
            assert!(fine == (off > 0), "{t} {r} {p} {off}");
            (yes, no) = (yes + i32::from(found), no + i32::from(!found));
        }
        if round % 8 != 0 {
            continue;
        }
        // zCDP: ψ on a grid of orders.
        let rho = q(1 + small(&mut random, 40), 20);
        let orders: Vec<BigRational> = (1..40).map(|n| q(8 + n, 8) + q(n * n, 16)).collect();
        let found = is_member(&alone(Step::Zcdp { rho: rho.clone() }).steps, &r, &p, &orders).is_ok();
        let limit = rho.to_f64().unwrap();
        let is_true =
            (1..150).map(|n| 1.0 + f64::from(n * n) / 400.0).all(|t| psi(&r, &p, t) <= limit * t * (t - 1.0) + 1e-12);
        assert!(!found || (is_true && r >= p && &p + &r <= BigRational::one()), "{rho} {r} {p}");
        yes += i32::from(found);
    }
    assert!(yes > 50 && no > 50, "{yes} {no}");
    work::begin(None);
    let zcdp = alone(Step::Zcdp { rho: q(1, 1) });
    let orders: Vec<BigRational> = (1..40).map(|n| q(8 + n, 8)).collect();
    assert!(is_member(&zcdp.steps, &q(1, 2), &q(1, 2), &orders).is_ok());
    assert!(is_member(&zcdp.steps, &q(5, 8), &q(3, 8), &orders).is_ok());
    assert!(
        is_member(&zcdp.steps, &q(5, 8), &q(7, 16), &orders).is_err()
            && is_member(&zcdp.steps, &q(3, 8), &q(1, 2), &orders).is_err()
    );
    // Beyond the last order the divergences are at most log 5/3, which is above 3/2·1/5.
    let fifth = alone(Step::Zcdp { rho: q(1, 5) });
    let orders: Vec<BigRational> = (9..=24).map(|n| q(n, 8)).collect();
    assert!(is_member(&fifth.steps, &q(5, 8), &q(3, 8), &orders[..4]).is_err());
    assert!(is_member(&fifth.steps, &q(5, 8), &q(3, 8), &orders).is_ok());
}

/// The numbers with D_t ≤ ρ·t that single steps have, and what is taken from them.
#[test]
fn slopes_of_steps() {
    work::begin(None);
    let list = |shifts: &[i64]| {
        shifts.iter().map(|s| (q(1, i64::try_from(shifts.len()).unwrap()), q(*s, 1))).collect::<Vec<_>>()
    };
    let shifted =
        |noise: Noise, without: &[i64], with: &[i64]| Step::Shifted { noise, without: list(without), with: list(with) };
    let square = q(9, 2);
    // 5 apart at most: 25·μ²/2, or 25/(2σ²).
    let normal = shifted(Noise::Gaussian { square: square.clone() }, &[0, 2], &[1, 3]);
    let whole = shifted(Noise::DiscreteGaussian { square, parties: 1 }, &[0, 3], &[1, 2]);
    assert_eq!(slope(&normal), Some(q(225, 4)));
    assert_eq!(slope(&whole), Some(q(25, 9)));
    let sampled = Step::Sampled {
        rate: q(1, 3),
        of: vec![(Step::Gaussian { square: q(1, 1) }, 2), (Step::Zcdp { rho: q(1, 7) }, 3)],
    };
    assert_eq!(slope(&sampled), Some(q(10, 7)));
    let choice = Step::Choice { epsilon: Epsilon::Plain(q(2, 1)), is_flip: false };
    assert_eq!(slope(&choice), None);
    let nothing = Step::Response { epsilon: Epsilon::LogOf(q(1, 1)), k: 2.into() };
    assert_eq!(slope(&nothing), Some(q(0, 1)));
    assert_eq!(slope(&Step::Worst { of: vec![(false, nothing), (true, Step::Zcdp { rho: q(2, 3) })] }), Some(q(2, 3)));
    assert_eq!(slope(&Step::Worst { of: vec![(false, choice), (true, Step::Zcdp { rho: q(2, 3) })] }), None);
    // Of labelled parts the largest; Laplace noise has none.
    let labelled =
        |other| Step::Labelled { of: vec![(q(1, 4), vec![(normal.clone(), 2)]), (q(3, 4), vec![(other, 1)])] };
    assert_eq!(slope(&labelled(whole)), Some(q(225, 2)));
    assert_eq!(slope(&labelled(Step::Zcdp { rho: q(200, 1) })), Some(q(200, 1)));
    assert_eq!(slope(&labelled(Step::Laplace { epsilon: q(1, 1) })), None);
    // (t − 1)·D_t from the least chord between two orders.
    let orders = vec![(q(2, 1), q(1, 1)), (q(3, 1), q(3, 1)), (q(5, 1), q(2, 1))];
    let at = |t: &BigRational, side| closed(&Step::Rdp { orders: orders.clone() }, t, Direction::Remove, side);
    for (t, value) in
        [(q(3, 2), q(1, 2)), (q(2, 1), q(1, 1)), (q(5, 2), q(13, 6)), (q(3, 1), q(10, 3)), (q(5, 1), q(8, 1))]
    {
        let (low, high) = ends(&at(&t, Side::Upper).unwrap());
        assert!(low <= value && value <= high && high - low < q(1, 1 << 60), "{t}");
    }
    assert!(at(&q(11, 2), Side::Upper).is_err());
    // From below that of the Gaussian with 2/5, the least of all numbers over their orders, also beyond them.
    for (t, value) in [(q(5, 2), q(3, 2)), (q(5, 1), q(8, 1)), (q(6, 1), q(12, 1))] {
        assert_eq!(ends(&at(&t, Side::Lower).unwrap()), (value.clone(), value), "{t}");
    }
    // What the steps have by themselves is taken from ρ; nothing is left over for others where it is all of it.
    let zcdp = |rho: BigRational, others: bool| {
        let mut steps = vec![(Step::Gaussian { square: q(1, 1) }, 3)];
        if others {
            steps.push((Step::Laplace { epsilon: q(1, 100) }, 1));
        }
        let mechanism = Mechanism { steps, members: Vec::new(), adjacency: Adjacency::AddRemove };
        let plan = Plan { level: 0, first: -4, last: 4, coarsen: Vec::new() };
        let plans = vec![plan; mechanism.steps.len()];
        is_zcdp(&mechanism, Direction::Remove, &rho, &[q(3, 2), q(2, 1)], &plans, &q(1, 100)).is_ok()
    };
    assert!(zcdp(q(3, 2), false) && !zcdp(q(149, 100), false));
    assert!(!zcdp(q(3, 2), true) && zcdp(q(8, 5), true));
}

/// At order 2 the moment of Gaussian noise on a sample is 1 + r²·(e^(μ²) − 1), from both sides.
#[test]
fn sampled_gaussians_of_order_two() {
    for (square, rate) in [(q(1, 1), q(1, 4)), (q(1, 9), q(2, 3)), (q(4, 1), q(1, 20))] {
        work::begin(None);
        let step = Step::sampled_gaussian(square.clone(), rate.clone());
        let rise = Real::of(&square).exp().unwrap().minus(&Real::int(1)).times(&Real::of(&(&rate * &rate)));
        let truth = ends(&rise.plus(&Real::int(1)).ln().unwrap());
        for side in [Side::Upper, Side::Lower] {
            let found = ends(&closed(&step, &q(2, 1), Direction::Remove, side).unwrap());
            assert!(
                meets(&found, &truth) && &found.1 - &found.0 < q(1, 1 << 60),
                "{square} {rate}: {found:?} {truth:?}"
            );
        }
    }
}

/// An order above a whole one by less than a unit is not taken for it.
#[test]
fn orders_next_to_whole_ones() {
    for (whole, square) in [(2, 64), (3, 400), (7, 100)] {
        work::begin(None);
        let square = q(square, 1);
        for reals in [20, 22] {
            let order = q(whole, 1) + q(1, 3) / BigRational::from(BigInt::one() << reals);
            let least = ends(&sampled_gaussian(&square, &q(1, 2), &order, Side::Lower).unwrap()).0;
            let found = in_units(reals, 8, || ends(&sampled_gaussian(&square, &q(1, 2), &order, Side::Upper).unwrap()));
            assert!(found.1 >= least, "{order} {square}: {found:?} {least}");
        }
    }
}

/// A test that has exactly the divergence of two runs is not excluded by the line that touches at it.
#[test]
fn lines_of_two_guarantees() {
    work::begin(None);
    for (r, p) in [(q(5, 8), q(3, 8)), (q(1, 2), q(1, 16)), (q(3, 4), q(1, 3))] {
        let (f, of_r, of_p) = bernoulli(&q(2, 1), &r, &p).unwrap();
        // Twice as much as each of them has.
        let each = ends(&f.ln().unwrap()).1 / BigInt::from(2);
        let parts = vec![(Step::Rdp { orders: vec![(q(2, 1), each)] }, 2)];
        let (weight, odds) = (ends(&of_r).0.recip(), -ends(&of_p).0 / ends(&of_r).0);
        let line = [Line { order: q(2, 1), q: r.clone(), p: p.clone(), weight }];
        let found = ends(&delta_at_most(&parts, Direction::Remove, &Real::of(&odds), &line).unwrap());
        let truth = &r - &odds * &p;
        assert!(found.1 >= truth && &found.1 - &truth < q(1, 1 << 40), "{r} {p}: {found:?} {truth}");
    }
}

/// D_t ≥ the divergence at 1, here e^(−1): no ρ below it is shown by a law that is far too coarse.
#[test]
fn coarse_laws_of_one_step() {
    work::begin(None);
    let mechanism = |epsilon| Mechanism {
        steps: vec![(Step::Laplace { epsilon }, 1)],
        members: Vec::new(),
        adjacency: Adjacency::AddRemove,
    };
    let plan = |reach: i64| [Plan { level: 0, first: -reach, last: reach, coarsen: Vec::new() }];
    let near = (1..16).map(|n| q(256 + n, 256));
    let orders: Vec<BigRational> = near.chain((17..=64).map(|n| q(n, 16))).chain((33..=64).map(|n| q(n, 8))).collect();
    let shown = |rho: BigRational, reach: i64, step: BigRational| {
        is_zcdp(&mechanism(q(1, 1)), Direction::Remove, &rho, &orders, &plan(reach), &step).is_ok()
    };
    for n in 350..=367 {
        assert!(!shown(q(n, 1000), 2, q(1, 1)), "{n}");
    }
    assert!(shown(q(1, 2), 32, q(1, 16)));
}

/// A test of a member has a size above 0 and a power below 1: whatever else the numbers are, they are those of no pair.
#[test]
fn pairs_that_are_none() {
    let steps = |step| Mechanism { steps: vec![(step, 1)], members: Vec::new(), adjacency: Adjacency::AddRemove };
    let zcdp = steps(Step::Zcdp { rho: q(1, 1000) });
    let rdp = steps(Step::Rdp { orders: vec![(q(2, 1), q(1, 1000))] });
    for (power, size) in
        [(q(-1, 1), q(-2, 1)), (q(0, 1), q(0, 1)), (q(1, 2), q(0, 1)), (q(1, 1), q(0, 1)), (q(3, 2), q(-1, 1))]
    {
        for mechanism in [&zcdp, &rdp] {
            for orders in [vec![], vec![q(2, 1)]] {
                work::begin(None);
                assert!(is_member(&mechanism.steps, &power, &size, &orders).is_err(), "{power} {size}");
            }
        }
    }
    work::begin(None);
    assert!(is_member(&zcdp.steps, &q(1, 2), &q(1, 2), &[]).is_ok());
}

/// (t − 1)·D_t = t(t − 1)μ²/2 of Gaussian noise, at both sides; of one that stands beside others in a mixture nothing else asks.
#[test]
fn gaussian_noise_in_closed_form() {
    work::begin(None);
    for (square, order, expected) in
        [(q(1, 1), q(2, 1), q(1, 1)), (q(3, 2), q(5, 2), q(45, 16)), (q(4, 1), q(3, 1), q(12, 1))]
    {
        let step = Step::Gaussian { square };
        for side in [Side::Upper, Side::Lower] {
            let (low, high) = ends(&closed(&step, &order, Direction::Add, side).unwrap());
            assert!(low <= expected && expected <= high && &high - &low < q(1, 1 << 40), "{low} {high}");
        }
    }
}
