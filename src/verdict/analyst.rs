//! Who answers questions about a mechanism.

use crate::analysis::{Answer, Goal, Resources, Subject};
use crate::bounds::Target;
use crate::kernel::Failure;
use crate::statement::Query;

/// One mechanism under one adjacency, of which quantities can be asked.
///
/// Ensures, for every implementation: the truth lies in the enclosure of every answer.
pub trait Analyst {
    /// The quantity, enclosed until the goal is reached or the means are spent.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when not even a first enclosure was found in time; an invariant violation
    /// when dpcmp contradicts itself.
    fn answer(
        &self,
        query: &Query,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure>;

    /// Says what will be asked next, and how narrowly: what is made for the first question then serves for the others. No answer is another one for it.
    fn expect(&self, _queries: &[&Query], _target: &Target) {}

    /// Do both ends of an enclosure belong to one mechanism? Otherwise one is a bound of all that are stated, the other one of them.
    fn is_attained(&self, _query: &Query) -> bool {
        true
    }
}

impl Analyst for Subject {
    fn answer(
        &self,
        query: &Query,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        Subject::answer(self, query, goal, resources)
    }

    fn expect(&self, queries: &[&Query], target: &Target) {
        let goal = Goal::Width(target.clone());
        for query in queries {
            Subject::expect(self, query.quantity(), &goal);
        }
    }

    fn is_attained(&self, query: &Query) -> bool {
        Subject::is_attained(self, query)
    }
}
