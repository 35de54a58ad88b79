//! Distinguishing events: what happens with one dataset and never with its neighbour (T6 of `proofs/FORMAT.md`).

use crate::theorem::largest_loss;
use crate::*;

/// In one of these orders of the pair an outcome under Q is impossible under P, or there are members of which no divergence (of this order t, if there is
/// one) is the largest: no finite Rényi divergence, zCDP or strict Gaussian DP is true. Each step's dataset is chosen by itself.
pub fn distinguishing_event(
    mechanism: &Mechanism, directions: &[Direction], order: Option<&BigRational>,
) -> Result<String> {
    for direction in directions {
        if let Largest::Infinite { from: Some(from) } = largest_loss(&mechanism.steps, *direction)?
            && order.is_none_or(|order| *order > from)
        {
            return Ok(format!(
                "Something happens that the other dataset rules out, or nearly so, order {direction}: no such number is large enough."
            ));
        }
    }
    Reason::WrongKind.no("no outcome that only one dataset allows refutes the claim")
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{One, Signed, Zero};

    use super::*;
    use crate::answer::Claim;
    use crate::coarse::Random;
    use crate::step::{Epsilon, Noise, Parts, Step};

    type Law = Vec<(BigRational, BigRational)>;

    fn is_refuted(mechanism: &Mechanism, claim: &Claim) -> bool {
        crate::work::begin(None);
        let proof = crate::value::json(r#"{"kind":"distinguishing-event"}"#).unwrap();
        crate::proof::prove_of(mechanism, claim, false, &proof).is_ok()
    }

    fn is_one_of(parts: &Parts, direction: Direction) -> bool {
        crate::work::begin(None);
        let adjacency = crate::answer::Adjacency::AddRemove;
        distinguishing_event(&Mechanism { steps: parts.clone(), members: Vec::new(), adjacency }, &[direction], None)
            .is_ok()
    }

    fn q(n: u64, d: u64) -> BigRational {
        BigRational::new(BigInt::from(n), BigInt::from(d))
    }

    /// A composition, and the laws (P, Q) of all its outcomes for each choice of datasets.
    fn drawn(random: &mut Random, depth: u32) -> (Parts, Vec<Law>) {
        let mut parts = Parts::new();
        let mut laws = vec![vec![(q(1, 1), q(1, 1))]];
        for _ in 0..1 + random.below(2) {
            let (step, of) = drawn_step(random, depth);
            let both = |law: &Law, other: &Law| -> Law {
                law.iter().flat_map(|(a, b)| other.iter().map(move |(p, r)| (a * p, b * r))).collect()
            };
            laws = laws.iter().flat_map(|law| of.iter().map(|other| both(law, other)).collect::<Vec<_>>()).collect();
            parts.push((step, 1));
        }
        (parts, laws)
    }

    fn drawn_step(random: &mut Random, depth: u32) -> (Step, Vec<Law>) {
        match if depth == 0 { 0 } else { random.below(4) } {
            0 => {
                let mut vector = |zero: usize| -> Vec<BigRational> {
                    let all: Vec<u64> = (0..3).map(|i| if i == zero { 0 } else { 1 + random.below(3) }).collect();
                    all.iter().map(|x| q(*x, all.iter().sum())).collect()
                };
                // Often the same outcome is the impossible one, or none is.
                let (p, r) = match vector(9).first().is_some_and(|x| x > &q(1, 3)) {
                    true => (vector(2), vector(2)),
                    false => (vector(9), vector(1)),
                };
                let law = p.iter().cloned().zip(r.iter().cloned()).collect();
                (Step::Finite { p, q: r }, vec![law])
            }
            1 => {
                let (of, laws) = drawn(random, depth - 1);
                let mixed = |law: Law| law.into_iter().map(|(p, r)| (p.clone(), q(2, 3) * p + q(1, 3) * r)).collect();
                (Step::Sampled { rate: q(1, 3), of }, laws.into_iter().map(mixed).collect())
            }
            2 => {
                let (one, other) = (drawn(random, depth - 1), drawn(random, depth - 1));
                let share = |law: &Law, weight: &BigRational| -> Law {
                    law.iter().map(|(p, r)| (p * weight, r * weight)).collect()
                };
                let both = |a: &Law, b: &Law| [share(a, &q(1, 4)), share(b, &q(3, 4))].concat();
                let laws = one.1.iter().flat_map(|a| other.1.iter().map(|b| both(a, b)).collect::<Vec<_>>()).collect();
                (Step::Labelled { of: vec![(q(1, 4), one.0), (q(3, 4), other.0)] }, laws)
            }
            _ => {
                let (one, other) = (drawn_step(random, 0), drawn_step(random, 0));
                let turned = other.1.into_iter().map(|law| law.into_iter().map(|(p, r)| (r, p)).collect());
                let laws = one.1.into_iter().chain(turned).collect();
                (Step::Worst { of: vec![(false, one.0), (true, other.0)] }, laws)
            }
        }
    }

    /// In the order of all outcomes: something has P-mass 0 and Q-mass for some choice of datasets.
    #[test]
    fn by_enumeration() {
        let mut random = Random::new(24);
        let mut seen = [[0; 2]; 2];
        for _ in 0..4_000 {
            let (parts, laws) = drawn(&mut random, 2);
            for (i, direction) in Direction::ALL.iter().copied().enumerate() {
                let is_one = |(p, r): &(BigRational, BigRational)| match direction {
                    Direction::Remove => p.is_zero() && r.is_positive(),
                    Direction::Add => r.is_zero() && p.is_positive(),
                };
                let truth = laws.iter().any(|law| law.iter().any(is_one));
                assert_eq!(is_one_of(&parts, direction), truth, "{direction} {parts:?}");
                seen[i][usize::from(truth)] += 1;
            }
        }
        assert!(seen.iter().flatten().all(|count| *count > 200), "{seen:?}");
    }

    /// δ(log 1/2) ≤ 1/2 is log 2-DP, in the other order of the pair; with any more δ it is no pure guarantee.
    #[test]
    fn guarantees_end_losses_in_either_order() {
        let guarantee = |points: &[(Epsilon, BigRational)]| Step::Guarantee { points: points.to_vec() };
        let low = Epsilon::LogOf(q(1, 2));
        for (points, truth) in [
            (vec![(low.clone(), q(1, 2))], false),
            (vec![(low.clone(), q(51, 100))], true),
            (vec![(Epsilon::Plain(q(1, 1)), BigRational::zero())], false),
            (vec![(Epsilon::Plain(q(1, 1)), q(1, 10))], true),
            (vec![(Epsilon::Plain(q(1, 1)), q(1, 10)), (low, q(1, 2))], false),
            (vec![(Epsilon::LogOf(BigRational::one()), q(1, 3))], true),
        ] {
            for direction in Direction::ALL.iter().copied() {
                assert_eq!(is_one_of(&vec![(guarantee(&points), 3)], direction), truth, "{points:?}");
            }
        }
    }

    /// Noise that ends gives the record away where it is moved beyond the end, and other noise never.
    #[test]
    fn noise_that_ends() {
        let shifts = |places: &[u64]| -> Vec<(BigRational, BigRational)> {
            places.iter().map(|place| (q(1, u64::try_from(places.len()).unwrap_or(1)), q(*place, 1))).collect()
        };
        let ends = Noise::Truncated { scale: q(1, 1), last: 3 };
        for (noise, is_ending) in [(ends, true), (Noise::DiscreteLaplace { scale: q(1, 1) }, false)] {
            for (without, with) in
                [(shifts(&[0]), shifts(&[1])), (shifts(&[0, 2]), shifts(&[0, 2])), (shifts(&[1]), shifts(&[0]))]
            {
                let step = Step::Shifted { noise: noise.clone(), without, with };
                assert!(
                    Direction::ALL.iter().all(|d| is_one_of(&vec![(step.clone(), 1)], *d) == is_ending),
                    "{step:?}"
                );
            }
            let step = Step::Shifted { noise: noise.clone(), without: shifts(&[0]), with: shifts(&[0, 1]) };
            assert!(is_one_of(&vec![(step.clone(), 1)], Direction::Remove) == is_ending, "{step:?}");
            let still = Step::Shifted { noise, without: shifts(&[0]), with: shifts(&[0]) };
            assert!(!is_one_of(&vec![(still, 1)], Direction::Remove));
        }
    }

    #[test]
    fn claims_that_it_refutes() {
        let mechanism = |adjacency| Mechanism {
            steps: vec![(
                Step::Sampled {
                    rate: q(1, 2),
                    of: vec![(Step::Finite { p: vec![q(1, 1), q(0, 1)], q: vec![q(1, 2), q(1, 2)] }, 1)],
                },
                2,
            )],
            members: Vec::new(),
            adjacency,
        };
        let (remove, add) = (mechanism(crate::answer::Adjacency::Remove), mechanism(crate::answer::Adjacency::Add));
        let gdp = |tolerance, floor| Claim::Gdp { mu: q(9, 1), tolerance, floor };
        let rdp = Claim::Rdp { order: q(2, 1), epsilon: q(99, 1) };
        for refuted in [gdp(q(0, 1), q(0, 1)), Claim::Zcdp { rho: q(99, 1) }] {
            assert!(is_refuted(&remove, &refuted) && is_refuted(&add, &refuted));
        }
        assert!(is_refuted(&remove, &rdp) && !is_refuted(&add, &rdp));
        for open in [gdp(q(1, 9), q(0, 1)), gdp(q(0, 1), q(1, 9)), Claim::Advantage { at_most: q(1, 9) }] {
            assert!(!is_refuted(&remove, &open));
        }
    }

    /// With Rényi guarantees up to some order c·p^(1 − 1/T) against p is one of the class for every small p: no larger order has a largest divergence.
    #[test]
    fn guarantees_of_some_orders() {
        use crate::renyi::bernoulli;
        let class = |epsilon| Step::Rdp { orders: vec![(q(3, 1), epsilon), (q(2, 1), q(1, 8))] };
        let mechanism = |step| Mechanism {
            steps: vec![(Step::Gaussian { square: q(1, 9) }, 1), (step, 2)],
            members: Vec::new(),
            adjacency: crate::answer::Adjacency::AddRemove,
        };
        let gdp = Claim::Gdp { mu: q(99, 1), tolerance: q(0, 1), floor: q(0, 1) };
        let rdp = |order| Claim::Rdp { order, epsilon: q(99, 1) };
        let class_of = mechanism(class(q(1, 4)));
        for refuted in [&gdp, &Claim::Zcdp { rho: q(99, 1) }, &rdp(q(31, 10))] {
            assert!(is_refuted(&class_of, refuted), "{refuted:?}");
            assert!(!is_refuted(&mechanism(class(q(0, 1))), refuted));
        }
        assert!(!is_refuted(&class_of, &rdp(q(3, 1))));
        // Cubes, so that p^(2/3) is a fraction.
        let mut last = 0.0;
        for k in [8, 16, 32, 64] {
            let n = 1u64 << k.min(21);
            let root = q(1, n) * if k > 21 { q(1, 1 << (k - 21).min(20)) } else { q(1, 1) };
            let (size, power) = (&root * &root * &root, &root * &root / BigInt::from(2));
            crate::work::begin(None);
            let psi = |order: &BigRational, a: &BigRational, b: &BigRational| {
                let (low, high) = crate::coarse::ends(&bernoulli(order, a, b).unwrap().0);
                num_traits::ToPrimitive::to_f64(&((low + high) / BigInt::from(2))).unwrap().ln()
            };
            for (order, epsilon) in [(q(3, 1), 0.25), (q(2, 1), 0.125)] {
                let less = num_traits::ToPrimitive::to_f64(&order).unwrap() - 1.0;
                for (a, b) in [(&power, &size), (&size, &power)] {
                    assert!(psi(&order, a, b) / less <= epsilon, "{k}");
                }
            }
            let now = psi(&q(4, 1), &power, &size);
            assert!(now > last + 0.5, "{k} {now}");
            last = now;
        }
    }
}
