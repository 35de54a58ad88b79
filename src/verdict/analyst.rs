//! Who answers questions about a mechanism.

use crate::analysis::{Answer, Goal, Quantity, Resources, Subject};
use crate::kernel::Failure;

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
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure>;
}

impl Analyst for Subject {
    fn answer(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        Subject::answer(self, quantity, goal, resources)
    }
}
