//! The minimax risk where both orders of a pair count.

use super::query::decides;
use super::{Answer, Ending, Goal, Quantity, Resources, Subject};
use crate::bounds::Enclosure;
use crate::kernel::{Failure, Interval};
use crate::mechanism::Orders;

impl Subject {
    /// R* by the curve; of both orders also (1 − advantage)/2, as their curve is symmetric (T13 of `proofs/README.md`): −1 is a slope of it at its fixed
    /// point, so that this may lie on a straight part between the two orders, which no points of a profile tell.
    pub(super) fn minimax_risk(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let by_curve = self.on_curve(&Quantity::MinimaxRisk, goal, resources)?;
        if self.adjacency.orders() != Orders::Both || decides(&by_curve.enclosure, goal) {
            return Ok(by_curve);
        }
        let advantage = match self.enclose_alone(&Quantity::Advantage, goal, resources) {
            Ok(advantage) => advantage.enclosure,
            Err(Failure::Interrupted) => return Ok(by_curve),
            Err(failure) => return Err(failure),
        };
        let (lower, upper) = (advantage.lower().clone(), advantage.upper().clone());
        let twice = Interval::new(lower, upper)?.one_minus();
        let risk = twice.div(&Interval::from_i64(2, twice.lo().prec()));
        let enclosure = by_curve
            .enclosure
            .intersect(&Enclosure::from_interval(&risk))?;
        let ending = if decides(&enclosure, goal) {
            Ending::Reached
        } else {
            by_curve.ending
        };
        Ok(Answer {
            enclosure,
            ending,
            ..by_curve
        })
    }
}

#[cfg(test)]
mod tests {
    use rug::{Float, Rational};

    use super::*;
    use crate::bounds::Target;
    use crate::input::mechanism_from_bytes;
    use crate::kernel::Budget;
    use crate::kernel::coarse::at_most_bits;
    use crate::mechanism::Adjacency;
    use crate::statement::Query;

    /// Of one run or none, the better one released: the curves of both orders differ, and meet the diagonal beyond their common tangent.
    #[test]
    fn both_orders_have_half_of_what_the_advantage_leaves() {
        let text = r#"{"kind":"private-selection","runs":{"kind":"poisson","mean":3},"of":{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]},"best-first":[1,0]}"#;
        let mechanism = mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism;
        let ask = |adjacency, query: Query| {
            let subject = Subject::new(&mechanism, adjacency, &Budget::unlimited()).unwrap();
            let goal = Goal::Width(Target::Relative(Rational::from((1, 1_000_000_000))));
            let budget = Budget::unlimited();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| {},
            };
            let answer = subject.answer(&query, &goal, &resources).unwrap();
            assert_eq!(answer.ending, Ending::Reached);
            answer.enclosure.lower().to_f64()
        };
        let both = ask(Adjacency::AddRemove, Query::minimax_risk());
        let advantage = ask(Adjacency::AddRemove, Query::advantage());
        assert!((both - (1.0 - advantage) / 2.0).abs() < 1e-8);
        // With x = e^{−3}, e^{−2} or e^{−1}: P = (x₃, x₂ − x₃, 1 − x₂), Q = (x₃, x₁ − x₃, 1 − x₁), so that the advantage is e^{−1} − e^{−2}.
        let truth = Float::with_val(80, -1).exp() - Float::with_val(80, -2).exp();
        assert!((advantage - truth.to_f64()).abs() < 1e-8);
        for one in [Adjacency::Remove, Adjacency::Add] {
            assert!(ask(one, Query::minimax_risk()) > both + 0.03);
        }
    }

    /// At a few bits it is where many say.
    #[test]
    fn both_orders_at_a_few_bits() {
        let text = r#"{"kind":"private-selection","runs":{"kind":"poisson","mean":3},"of":{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]},"best-first":[1,0]}"#;
        let mechanism = mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism;
        let ask = |width: Rational| {
            let budget = Budget::unlimited();
            let subject = Subject::new(&mechanism, Adjacency::AddRemove, &budget).unwrap();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| {},
            };
            let goal = Goal::Width(Target::Relative(width));
            let found = subject.minimax_risk(&goal, &resources).unwrap();
            found.enclosure
        };
        let fine = ask(Rational::from((1, 1_000_000)));
        for bits in [4, 5, 6, 7, 9, 12] {
            let coarse = at_most_bits(bits, || ask(Rational::from((1, 1_000_000))));
            assert!(
                coarse.intersect(&fine).is_ok(),
                "{bits}: {coarse:?} {fine:?}"
            );
        }
    }
}
