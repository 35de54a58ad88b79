//! Two exact probability vectors.

use rug::Rational;

use super::finite::{Atom, FiniteLaw, Loss, Mass};
use crate::kernel::Interval;

/// The law of log(q/p) for two vectors of equal length.
///
/// Requires: both sum to 1, no entry is negative.
pub fn law(p: &[Rational], q: &[Rational]) -> Option<FiniteLaw> {
    let (mut infinite, mut null_only) = (Rational::new(), Rational::new());
    let mut atoms = Vec::new();
    for (p, q) in p.iter().zip(q) {
        if *p == 0 {
            infinite += q;
        } else if *q == 0 {
            null_only += p;
        } else {
            atoms.push(Atom {
                loss: Loss::log_of(Rational::from(q / p)),
                with: Mass::Exact(q.clone()),
                without: Mass::Exact(p.clone()),
            });
        }
    }
    FiniteLaw::new(atoms, Mass::Exact(infinite), Mass::Exact(null_only))
}

/// The law of two outcomes, with masses that are only enclosed: their powers are long where a composition is.
///
/// Requires: both probabilities of the first outcome are in (0, 1).
pub fn two_outcomes(p: &Rational, q: &Rational) -> Option<FiniteLaw> {
    let enclosed = |x: Rational| Mass::real(move |bits| Interval::from_rational(&x, bits));
    let atom = |p: Rational, q: Rational| Atom {
        loss: Loss::log_of(Rational::from(&q / &p)),
        with: enclosed(q),
        without: enclosed(p),
    };
    let rest = |x: &Rational| Rational::from(1 - x);
    let atoms = vec![atom(p.clone(), q.clone()), atom(rest(p), rest(q))];
    FiniteLaw::new(atoms, Mass::zero(), Mass::zero())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::finite::FiniteProfile;

    fn vector() -> impl Strategy<Value = Vec<Rational>> {
        prop::collection::vec(0u32..9, 5).prop_filter_map("all zero", |weights| {
            let total: u32 = weights.iter().sum();
            (total > 0).then(|| {
                weights
                    .iter()
                    .map(|w| Rational::from((*w, total)))
                    .collect()
            })
        })
    }

    fn direct(p: &[Rational], q: &[Rational], u: &Rational) -> Rational {
        p.iter()
            .zip(q)
            .map(|(p, q)| (q - Rational::from(u * p)).max(Rational::new()))
            .fold(Rational::new(), |sum, term| sum + term)
    }

    proptest! {
        /// δ(u) = Σ (q − u·p)⁺ by exact enumeration, both orders, at points that often hit an atom.
        #[test]
        fn equals_enumeration(p in vector(), q in vector(), n in 1u32..30, d in 1u32..30) {
            let u = Rational::from((n, d));
            let profile = FiniteProfile::new(Arc::new(law(&p, &q).unwrap()));
            let point = Point::at_exp_epsilon(&u, 100);
            let truth = direct(&p, &q, &u);
            let knot = profile.at(&point);
            prop_assert!(knot.delta.contains(&truth));
            prop_assert!(knot.delta.width_up() < 1e-28);
            prop_assert_eq!(profile.exact_delta(&point), Some(truth.clone()));
            let swapped = profile.swapped();
            prop_assert_eq!(swapped.exact_delta(&point), Some(direct(&q, &p, &u)));

            // −s is a subgradient: δ(u') ≥ δ(u) − s·(u' − u).
            for v in [Rational::from(&u / 2), Rational::from(&u * 3)] {
                for s in [knot.null_tail.lo(), knot.null_tail.hi()] {
                    let s = s.to_rational().unwrap();
                    let line = &truth - s * Rational::from(&v - &u);
                    prop_assert!(direct(&p, &q, &v) >= line - Rational::from((1, 1u64 << 60)));
                }
            }
        }
    }

    /// Both outcomes have what the other one leaves.
    #[test]
    fn two_outcomes_are_all() {
        let law = two_outcomes(&Rational::from((1, 5)), &Rational::from((2, 3))).unwrap();
        let numbers = law.numbers(80);
        let sum = |masses: &[Interval]| masses.iter().fold(Interval::zero(80), |sum, x| sum.add(x));
        for masses in [&numbers.with, &numbers.without] {
            assert_eq!(masses.len(), 2);
            assert!(sum(masses).contains(&Rational::from(1)));
        }
    }
}
