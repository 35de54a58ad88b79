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

/// The answer to a truth against one that is uniform over all k answers, as that of a record that contributes nothing.
///
/// Losses log((e^ε + k − 1)/k) − ε at the truth, log((e^ε + k − 1)/k) elsewhere.
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
    let atoms = atoms.map(|((loss, with), without)| Atom {
        loss,
        with: Mass::Exact(with),
        without,
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
}
