//! The class of all (ε, δ)-DP mechanisms, through its canonical pair.

use rug::Rational;

use super::epsilon::Epsilon;
use super::finite::{Atom, FiniteLaw, Mass};
use super::randomized_response;

/// With probability δ the outcome gives the input away, otherwise it is randomised response with ε: this pair
/// dominates every (ε, δ)-DP mechanism (Kairouz, Oh and Viswanath 2015, Theorem 3.1).
///
/// Requires: `epsilon ≥ 0`, `0 ≤ delta ≤ 1`.
pub fn law(epsilon: &Epsilon, delta: &Rational) -> Option<FiniteLaw> {
    let rest = Rational::from(1 - delta);
    let mut atoms = Vec::new();
    if rest != 0 {
        let inner = std::sync::Arc::new(randomized_response::law(epsilon, 2)?);
        atoms.extend(inner.atoms()?.into_iter().map(|atom| Atom {
            loss: atom.loss,
            with: atom.with.scaled(&rest),
            without: atom.without.scaled(&rest),
        }));
    }
    let infinite = || Mass::Exact(delta.clone());
    FiniteLaw::new(atoms, infinite(), infinite())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::finite::FiniteProfile;

    #[test]
    fn delta_is_echoed_exactly_and_no_finite_law_is_left_at_one() {
        let (epsilon, delta) = (Rational::from(1), Rational::from((1, 100_000)));
        let profile = FiniteProfile::new(Arc::new(law(&epsilon.clone().into(), &delta).unwrap()));
        let point = Point::at_epsilon(&epsilon, 128);
        assert_eq!(profile.exact_delta(&point), Some(delta.clone()));
        assert!(profile.at(&point).delta.contains(&delta));
        let below = Point::at_epsilon(&Rational::from((99, 100)), 128);
        assert_eq!(profile.exact_delta(&below), None);
        assert!(*profile.at(&below).delta.lo() > delta);

        let nothing = FiniteProfile::new(Arc::new(
            law(&epsilon.clone().into(), &Rational::from(1)).unwrap(),
        ));
        let knot = nothing.at(&point);
        assert!(knot.delta.contains(&Rational::from(1)) && *knot.delta.lo() == 1);
    }
}
