//! k-ary randomised response, and the class of all ε-DP mechanisms, whose canonical pair is the case k = 2.

use rug::{Integer, Rational};

use super::epsilon::{Epsilon, StatedEpsilon};
use super::finite::{Atom, FiniteLaw, Loss, Mass};
use crate::kernel::Interval;

/// The truth with odds e^ε against each of the other k − 1 answers; P and Q have different truths.
/// Losses ε, −ε and, for k > 2, 0 (Kairouz, Oh and Viswanath 2015, Theorem 3.1 and Section 3: the case k = 2
/// dominates every ε-DP mechanism). Where e^ε is rational, so are all probabilities.
///
/// Requires: `epsilon ≥ 0`, `k ≥ 2`.
pub fn law(epsilon: &Epsilon, k: u64) -> Option<FiniteLaw> {
    if epsilon.is_zero() {
        let all = || Mass::Exact(Rational::from(1));
        let atom = Atom {
            loss: Loss::rational(Rational::new()),
            with: all(),
            without: all(),
        };
        return FiniteLaw::new(vec![atom], Mass::zero(), Mass::zero());
    }
    let others = Rational::from(k.checked_sub(1)?);
    let (truth, other) = match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => (
            probability(epsilon, &others, Rational::new()),
            probability(epsilon, &others, Rational::from(-epsilon)),
        ),
        // u/(u + k − 1) and 1/(u + k − 1).
        StatedEpsilon::Exp(u) => {
            let other = Rational::from(u + &others).recip();
            (Mass::Exact(Rational::from(u * &other)), Mass::Exact(other))
        }
    };
    let mut atoms = vec![
        Atom {
            loss: epsilon.loss(),
            with: truth.clone(),
            without: other.clone(),
        },
        Atom {
            loss: epsilon.opposite().loss(),
            with: other.clone(),
            without: truth,
        },
    ];
    if k > 2 {
        let rest = other.scaled(&Rational::from(k.checked_sub(2)?));
        atoms.push(Atom {
            loss: Loss::rational(Rational::new()),
            with: rest.clone(),
            without: rest,
        });
    }
    FiniteLaw::new(atoms, Mass::zero(), Mass::zero())
}

/// An answer that is uniform over all k, as that of a record that contributes nothing, against the answer to a truth: the record is there under Q, as
/// in every other mechanism that it may be composed with.
///
/// Losses ε − log((e^ε + k − 1)/k) at the truth, −log((e^ε + k − 1)/k) elsewhere.
///
/// Requires: `epsilon ≥ 0`, `k ≥ 2`.
pub fn against_uniform(epsilon: &Epsilon, k: u64) -> Option<FiniteLaw> {
    if epsilon.is_zero() {
        return law(epsilon, k);
    }
    let others = k.checked_sub(1)?;
    let share = Rational::from((1, k));
    let rest = Rational::from((others, k));
    let weight = Rational::from(others);
    let (losses, masses) = match epsilon.stated() {
        StatedEpsilon::Exp(u) => {
            let total = Rational::from(u + &weight);
            let ratio = Rational::from(&total * &share);
            let losses = [
                Loss::log_of(Rational::from(&ratio / u)),
                Loss::log_of(ratio),
            ];
            let masses = [Rational::from(u / &total), weight / &total];
            (losses, masses.map(Mass::Exact))
        }
        StatedEpsilon::Number(x) => {
            let loss = |a| Loss::log_of_sum(a, share.clone(), Integer::from(others), x.clone());
            let other = probability(x, &weight, Rational::from(-x)).scaled(&weight);
            let truth = probability(x, &weight, Rational::new());
            (
                [loss(Rational::from(-x)), loss(Rational::new())],
                [truth, other],
            )
        }
    };
    let atoms = losses.into_iter().zip([share, rest]).zip(masses);
    let atoms = atoms.map(|((loss, without), with)| Atom {
        loss: loss.negated(),
        with,
        without: Mass::Exact(without),
    });
    FiniteLaw::new(atoms.collect(), Mass::zero(), Mass::zero())
}

/// e^shift/(1 + others·e^{−ε}).
fn probability(epsilon: &Rational, others: &Rational, shift: Rational) -> Mass {
    let (down, others) = (Rational::from(-epsilon), others.clone());
    Mass::real(move |bits| {
        let exponential = |x: &Rational| Interval::from_rational(x, bits).exp();
        let odds = Interval::from_rational(&others, bits).mul(&exponential(&down));
        exponential(&shift).div(&Interval::one(bits).add(&odds))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::finite::FiniteProfile;

    /// δ(ε') = (e^ε − e^ε')/(e^ε + k − 1) for 0 ≤ ε' ≤ ε, and exactly 0 from ε on.
    #[test]
    fn closed_form() {
        let epsilon = Rational::from((2, 1));
        let profile = FiniteProfile::new(Arc::new(law(&epsilon.clone().into(), 10).unwrap()));
        let at = |e: &Rational| profile.at(&Point::at_epsilon(e, 160)).delta;
        let x = |e: &Rational| Interval::from_rational(e, 300).exp();
        let asked = Rational::from((7, 5));
        let nine = Interval::from_i64(9, 300);
        let truth = x(&epsilon).sub(&x(&asked)).div(&x(&epsilon).add(&nine));
        assert!(at(&asked).intersect(&truth).is_ok());
        assert!(at(&asked).width_up() < 1e-45);
        assert!(at(&epsilon).is_zero());
        let exact = profile.exact_delta(&Point::at_epsilon(&epsilon, 64));
        assert_eq!(exact, Some(Rational::new()));
    }

    /// With odds of 3 all is rational: δ(log 2) = (3 − 2)/(3 + k − 1), and 0 from log 3 on.
    #[test]
    fn rational_odds() {
        let odds = Epsilon::log_of(Rational::from(3)).unwrap();
        for k in [2u32, 5] {
            let profile = FiniteProfile::new(Arc::new(law(&odds, k.into()).unwrap()));
            let delta =
                |u: (u32, u32)| profile.exact_delta(&Point::at_exp_epsilon(&Rational::from(u), 64));
            assert_eq!(delta((2, 1)), Some(Rational::from((1, k + 2))));
            assert_eq!(delta((3, 1)), Some(Rational::new()));
            assert!(delta((2999, 1000)).unwrap() > 0);
        }
    }

    /// The truth answered with odds u₀ against an answer that is uniform over all k: all is rational.
    #[test]
    fn against_uniform_is_the_sum_over_all_answers() {
        for (odds, k) in [((3, 1), 2u32), ((3, 1), 5), ((21, 5), 4), ((1001, 1000), 9)] {
            let odds = Rational::from(odds);
            let total = Rational::from(&odds + (k - 1));
            let truthful = |answer: u32| {
                let weight = if answer == 0 {
                    odds.clone()
                } else {
                    Rational::from(1)
                };
                weight / &total
            };
            let epsilon = Epsilon::log_of(odds.clone()).unwrap();
            let law = against_uniform(&epsilon, k.into()).unwrap();
            let stated = FiniteProfile::new(Arc::new(law));
            let uniform = Rational::from((1, k));
            for n in 1..50u32 {
                let u = Rational::from((n * n, 300));
                let point = Point::at_exp_epsilon(&u, 100);
                let gain =
                    |with: Rational, without: Rational| (with - without * &u).max(Rational::new());
                let remove: Rational = (0..k).map(|a| gain(truthful(a), uniform.clone())).sum();
                let add: Rational = (0..k).map(|a| gain(uniform.clone(), truthful(a))).sum();
                assert_eq!(
                    stated.exact_delta(&point),
                    Some(remove.clone()),
                    "{odds} {k} {u}"
                );
                assert!(stated.at(&point).delta.contains(&remove));
                assert_eq!(
                    stated.swapped().exact_delta(&point),
                    Some(add),
                    "{odds} {k} {u}"
                );
            }
        }
    }

    /// The same where ε is rational and the odds are not.
    #[test]
    fn against_uniform_at_a_rational_epsilon() {
        const BITS: u32 = 300;
        for (epsilon, k) in [((2, 1), 2u64), ((1, 7), 3), ((9, 2), 40)] {
            let epsilon = Rational::from(epsilon);
            let profile = FiniteProfile::new(Arc::new(
                against_uniform(&epsilon.clone().into(), k).unwrap(),
            ));
            let number = |x: &Rational| Interval::from_rational(x, BITS);
            let odds = number(&epsilon).exp();
            let others = number(&Rational::from(k - 1));
            let total = odds.add(&others);
            let share = number(&Rational::from((1, k)));
            for e in [-5, -1, 0, 1, 4] {
                let asked = Rational::from((e, 3));
                let u = number(&asked).exp();
                let gain =
                    |with: &Interval, without: &Interval| with.sub(&u.mul(without)).at_least_zero();
                let (truth, other) = (odds.div(&total), total.recip());
                let remove = gain(&truth, &share).add(&others.mul(&gain(&other, &share)));
                let add = gain(&share, &truth).add(&others.mul(&gain(&share, &other)));
                let point = Point::at_epsilon(&asked, 150);
                for (found, truth) in [
                    (profile.at(&point), remove),
                    (profile.swapped().at(&point), add),
                ] {
                    assert!(
                        found.delta.intersect(&truth).is_ok(),
                        "{epsilon} {k} {asked}"
                    );
                    assert!(found.delta.width_up() < 1e-40, "{epsilon} {k} {asked}");
                }
            }
        }
        let none = against_uniform(&Rational::new().into(), 4).unwrap();
        let none = FiniteProfile::new(Arc::new(none));
        let point = Point::at_exp_epsilon(&Rational::from((1, 2)), 64);
        assert_eq!(none.exact_delta(&point), Some(Rational::from((1, 2))));
    }
}
