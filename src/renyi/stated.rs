//! A class of Rényi guarantees as a part, between what a Gaussian member has and what is stated of all.

use rug::Rational;

use super::class;
use crate::kernel::Interval;
use crate::mechanism::{Conditions, Step, Steps};

/// `zcdp` or `rdp`. Members of different parts are chosen by themselves, so that bounds of each are bounds of the whole (`proofs/README.md`, R13 and Rényi classes).
#[derive(Debug)]
pub(super) struct Stated(Steps);

impl Stated {
    /// Requires: the step is one of the two.
    pub(super) fn of(step: &Step) -> Self {
        Self(Steps::one(step.clone(), Conditions::NONE))
    }

    /// From that of the Gaussian member to what is true of every member.
    pub(super) fn divergence(&self, order: &Rational, bits: u32) -> Interval {
        let none = || Interval::zero(bits).hull(&Interval::infinity(bits));
        let Some(range) = class::divergence(&self.0, order) else {
            return none();
        };
        let least = Interval::from_rational(&range.at_least, bits);
        match &range.at_most {
            Some(most) => least.hull(&Interval::from_rational(most, bits)),
            None => least.hull(&Interval::infinity(bits)),
        }
    }

    /// The same number from below and from above.
    pub(super) fn exact_divergence(&self, order: &Rational) -> Option<Rational> {
        let range = class::divergence(&self.0, order)?;
        range.at_most.filter(|most| *most == range.at_least)
    }

    /// ρ with D_t ≤ ρt for every member and all t ≥ 1, which the Gaussian member attains; `None` for a table of orders that says something.
    pub(super) fn rho(&self) -> Option<Rational> {
        let range = class::rho(&self.0)?;
        range.at_most.filter(|most| *most == range.at_least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Budget;
    use crate::mechanism::{Direction, Mechanism};
    use crate::renyi::{Parts, exact_rho};

    fn q(n: u32, d: u32) -> Rational {
        Rational::from((n, d))
    }

    fn mixture(parts: Vec<(Rational, Mechanism)>) -> Parts {
        Parts::of(Mechanism::mixture(parts).unwrap().steps()).unwrap()
    }

    fn zcdp(n: u32, d: u32) -> Mechanism {
        Mechanism::zcdp(q(n, d)).unwrap()
    }

    /// D_2 = log((e + e^{1/4})/2), that of the Gaussian members, at most which is true of all; ρ = ½.
    #[test]
    fn mixtures_of_classes_have_the_divergence_of_their_gaussians() {
        let parts = mixture(vec![(q(1, 2), zcdp(1, 2)), (q(1, 2), zcdp(1, 8))]);
        let truth = ((1f64.exp() + 0.25f64.exp()) / 2.0).ln();
        for direction in [Direction::Remove, Direction::Add] {
            let found = parts
                .divergence(&q(2, 1), direction, 128, &Budget::unlimited())
                .unwrap();
            assert!((found.middle().to_f64() - truth).abs() < 1e-15);
            assert!(found.width_up() < 1e-30);
        }
        assert_eq!(exact_rho(&parts), Some(q(1, 2)));
        assert!(parts.is_complete() && !parts.is_of_unknown_dataset());
        // A table is one of many.
        let table = Mechanism::rdp(vec![(q(2, 1), q(1, 1)), (q(4, 1), q(3, 2))]).unwrap();
        let parts = mixture(vec![(q(1, 2), table), (q(1, 2), zcdp(1, 8))]);
        assert!(!parts.is_complete() && parts.is_of_unknown_dataset());
    }

    /// At an order below 1 the guarantee is that of order 1; a table says nothing beyond its last order, and is more than its Gaussian member before.
    #[test]
    fn what_lies_between_the_member_and_the_guarantee() {
        let of = |parts: &Parts, order: Rational| {
            let found = parts.divergence(&order, Direction::Remove, 64, &Budget::unlimited());
            let found = found.unwrap();
            (found.lo().to_f64(), found.hi().to_f64())
        };
        let parts = Parts::of(zcdp(1, 2).steps()).unwrap();
        assert_eq!(of(&parts, q(1, 2)), (0.25, 0.5));
        let exactly = |parts: &Parts, order| parts.exact_divergence(&order);
        assert_eq!(exactly(&parts, q(2, 1)), Some(q(1, 1)));
        assert_eq!(exactly(&parts, q(1, 2)), None);
        let orders = vec![(q(2, 1), q(1, 1)), (q(4, 1), q(3, 2))];
        let table = Mechanism::rdp(orders).unwrap();
        let parts = Parts::of(table.steps()).unwrap();
        assert_eq!(of(&parts, q(2, 1)), (0.75, 1.0));
        assert_eq!(exactly(&parts, q(2, 1)), None);
        assert_eq!(of(&parts, q(5, 1)), (1.875, f64::INFINITY));
        assert_eq!(exact_rho(&parts), None);
        assert!(!parts.is_complete() && parts.is_of_unknown_dataset());
        let both = Mechanism::compose(vec![(table, 1), (zcdp(1, 2), 2)]).unwrap();
        let parts = Parts::of(both.steps()).unwrap();
        assert_eq!(of(&parts, q(2, 1)), (2.75, 3.0));
        // One part is enough.
        assert!(!parts.is_complete() && parts.is_of_unknown_dataset() && !parts.is_labelled());
        let labelled = vec![(q(1, 2), zcdp(1, 2)), (q(1, 2), zcdp(1, 8))];
        let labelled = Mechanism::mixture(labelled).unwrap();
        let both = Mechanism::compose(vec![(labelled, 1), (zcdp(1, 2), 2)]).unwrap();
        let parts = Parts::of(both.steps()).unwrap();
        assert!(parts.is_labelled() && !parts.is_of_unknown_dataset());
    }
}
