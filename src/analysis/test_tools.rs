//! What tests of the analysis ask with.

use rug::Rational;

use super::{Goal, Resources, Subject};
use crate::bounds::Target;
use crate::input::mechanism_from_bytes;
use crate::kernel::Budget;

/// The mechanism and relation of a text.
pub(super) fn subject(text: &str) -> Subject {
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited()).unwrap()
}

/// One thread, and as much time as it takes.
pub(super) fn resources<T>(with: impl FnOnce(&Resources<'_>) -> T) -> T {
    let budget = Budget::unlimited();
    with(&Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    })
}

/// A relative width.
pub(super) fn width(n: u32, d: u32) -> Goal {
    Goal::Width(Target::Relative(Rational::from((n, d))))
}
