//! Rényi divergences of enclosed probabilities: by fractions at whole orders, by their definition at others.

use rug::Float;

use super::*;
use crate::kernel::coarse::{FINE, Random, at_most_bits, surrounds};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// Probabilities with a small denominator, some of them 0.
fn law(random: &mut Random, outcomes: usize) -> Vec<Rational> {
    let mut parts: Vec<u64> = (0..outcomes).map(|_| random.below(4)).collect();
    parts[0] += 1;
    let total: u64 = parts.iter().sum();
    let part = |n: &u64| Rational::from((*n, total));
    parts.iter().map(part).collect()
}

/// Σ q^t·p^{1−t}, at a whole t ≥ 2; `None` where it is infinite.
fn moment(p: &[Rational], with: &[Rational], t: i32) -> Option<Rational> {
    let mut sum = Rational::new();
    for (p, q) in p.iter().zip(with).filter(|(_, q)| **q > 0) {
        if *p == 0 {
            return None;
        }
        let power = |x: &Rational, n: i32| -> Rational { (0..n).map(|_| x).product() };
        sum += power(q, t) / power(p, t - 1);
    }
    Some(sum)
}

/// The definition, to 400 bits.
fn by_definition(p: &[Rational], with: &[Rational], t: &Rational) -> Float {
    let float = |x: &Rational| Float::with_val(400, x);
    let mut sum = Float::new(400);
    for (p, q) in p.iter().zip(with).filter(|(_, q)| **q > 0) {
        if *p == 0 && *t >= 1 {
            return Float::with_val(400, rug::float::Special::Infinity);
        }
        if *p == 0 {
            continue;
        }
        let (log_p, log_q) = (float(p).ln(), float(q).ln());
        sum += if *t == 1 {
            float(q) * (log_q - log_p)
        } else {
            Float::exp(log_q * float(t) + log_p * float(&Rational::from(1 - t)))
        };
    }
    if *t == 1 {
        sum
    } else {
        sum.ln() / float(&Rational::from(t - 1u32))
    }
}

#[test]
fn divergences_at_few_bits_and_many() {
    let mut random = Random(8);
    let orders = [q(1, 3), q(1, 1), q(3, 2), q(2, 1), q(3, 1), q(7, 2)];
    let (mut finite, mut infinite) = (0, 0);
    for round in 0..400u32 {
        let outcomes = 2 + usize::try_from(random.below(4)).unwrap();
        let (p, with) = (law(&mut random, outcomes), law(&mut random, outcomes));
        let order = &orders[usize::try_from(random.below(6)).unwrap()];
        for direction in [Direction::Remove, Direction::Add] {
            let found = |bits: u32| {
                let real = |x: &Rational| Interval::from_rational(x, bits);
                let masses: Vec<_> = p
                    .iter()
                    .zip(&with)
                    .map(|(p, q)| (real(p), real(q)))
                    .collect();
                renyi_divergence(&masses, order, direction, bits)
            };
            let (p, with) = match direction {
                Direction::Remove => (&p, &with),
                Direction::Add => (&with, &p),
            };
            let (fine, what) = (found(FINE), format!("{p:?} {with:?} {order} {direction:?}"));
            let truth = by_definition(p, with, order);
            if truth.is_infinite() {
                infinite += 1;
                assert!(fine.lo().is_infinite() && fine.hi().is_infinite(), "{what}");
                continue;
            }
            finite += 1;
            let gap = Float::with_val(400, 1) >> 200u32;
            assert!(fine.width_up() < gap, "{what}: {fine:?}");
            assert!(
                Float::with_val(400, fine.lo() - &gap) <= truth,
                "{what}: {fine:?}"
            );
            assert!(
                Float::with_val(400, fine.hi() + &gap) >= truth,
                "{what}: {fine:?}"
            );
            if order.is_integer() && *order > 1 {
                let t = order.numer().to_i32().unwrap();
                let sum = Interval::from_rational(&moment(p, with, t).unwrap(), FINE);
                let exact = sum.ln().div(&Interval::from_i64(i64::from(t - 1), FINE));
                assert!(
                    exact.at_least_zero().intersect(&fine).is_ok(),
                    "{what}: {exact:?}"
                );
            }
            let bits = 5 + round % 12;
            for coarse in [found(bits), at_most_bits(bits, || found(FINE))] {
                assert!(
                    surrounds(&coarse, &fine),
                    "{what} at {bits} bits: {coarse:?}"
                );
            }
        }
    }
    assert!(finite > 200 && infinite > 50, "{finite} {infinite}");
}

/// The divergence of a pair as it is built: one of two answers, shuffled, against the exact pair.
#[test]
fn a_shuffled_pair() {
    let epsilon = crate::mechanism::Epsilon::from(q(1, 1));
    for pair in ShuffledResponse::all(4, &epsilon, 2).unwrap() {
        let one = Outcomes::new(OutcomesOf::Shuffled(pair));
        for direction in [Direction::Remove, Direction::Add] {
            let masses = one.masses(FINE).unwrap();
            let found = one.renyi_divergence(&q(2, 1), direction, 64).unwrap();
            let sum = masses.iter().fold(Interval::zero(FINE), |sum, (p, q)| {
                let (p, q) = match direction {
                    Direction::Remove => (p, q),
                    Direction::Add => (q, p),
                };
                sum.add(&q.square().div(p))
            });
            assert!(surrounds(&found, &sum.ln()), "{found:?} {sum:?}");
            assert!(found.width_up() < 1e-18 && *found.lo() > 0);
        }
    }
}

/// The whole of a profile, outcome by outcome: masses of one side only, ends of the losses, and slopes that are not certain.
#[test]
fn profiles_of_outcomes() {
    use crate::mechanism::best_of_runs::{Runs, SelectedPair};
    let pairs = [
        (q(1, 8), q(1, 2)),
        (q(0, 1), q(1, 8)),
        (q(0, 1), q(1, 16)),
        (q(1, 2), q(1, 4)),
        (q(3, 8), q(1, 16)),
    ];
    // One run, so that the probabilities are those of the outcomes.
    let pair = SelectedPair::new(Runs::geometric(q(1, 1)).unwrap(), pairs.to_vec());
    let outcomes = Outcomes::new(OutcomesOf::Selected(pair));
    let profile = outcomes.profile().unwrap();
    let turned = |swap: bool| {
        pairs
            .each_ref()
            .map(|(p, with)| if swap { (with, p) } else { (p, with) })
    };
    for (swap, profile) in [(false, profile.clone()), (true, profile.swapped())] {
        for n in 1..40i64 {
            let u = q(n, 7);
            let over = turned(swap).map(|(p, with)| (p.clone(), with - Rational::from(&u * p)));
            let gain: Rational = over.iter().map(|(_, gain)| gain.clone().max(q(0, 1))).sum();
            let tail = over.iter().filter(|(_, gain)| *gain > 0);
            let tail: Rational = tail.map(|(p, _)| p).sum();
            let is_corner = over.iter().any(|(_, gain)| *gain == 0);
            for bits in [4, 8, 100] {
                let place = Point::at_exp_epsilon(&u, 100);
                let found = at_most_bits(bits, || profile.at(&place));
                assert!(found.delta.contains(&gain), "{u} {bits}");
                assert!(is_corner || found.null_tail.contains(&tail), "{u} {bits}");
            }
        }
    }
    assert!(profile.infinite_mass(60).contains(&q(3, 16)));
    assert!(profile.swapped().infinite_mass(60).contains(&q(0, 1)));
    for (found, ratio) in [
        (profile.max_loss(90), q(4, 1)),
        (profile.min_loss(90), q(1, 6)),
        (profile.swapped().max_loss(90), q(6, 1)),
        (profile.swapped().min_loss(90), q(1, 4)),
    ] {
        let LossBound::Finite { value, .. } = found else {
            panic!("bounded");
        };
        let truth = Interval::from_rational(&ratio, 200).ln();
        assert!(surrounds(&value, &truth), "{ratio}");
    }
}

/// Pairs are the same where their outcomes come from the same, and only there.
#[test]
fn pairs_of_other_outcomes_differ() {
    use crate::mechanism::best_of_runs::Runs;
    let of = |mean: u32| {
        let runs = Runs::geometric(Rational::from(mean)).unwrap();
        let half = Rational::from((1, 2));
        let best_first = vec![(half.clone(), half.clone()), (half.clone(), half)];
        Outcomes::new(OutcomesOf::Selected(SelectedPair::new(runs, best_first)))
    };
    assert!(of(2) == of(2) && of(2) != of(3));
}
