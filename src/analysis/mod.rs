//! One mechanism under one adjacency, and any of its quantities or divergences from another: refined until the enclosure is narrow enough,
//! decides a comparison, or the budget ends.

mod answer;
mod between;
mod bracket;
#[cfg(test)]
mod coarse_tests;
mod comparison;
mod components;
mod contestant;
mod contested;
mod crossings;
#[cfg(test)]
mod decision_tests;
mod descent;
mod dominance;
mod expected;
mod facts;
mod hints;
mod kinks;
mod known;
mod laws;
mod listed;
mod loss_range;
mod minimax;
mod orders;
mod other;
mod query;
mod renyi;
#[cfg(test)]
mod rounds_tests;
mod sides;
mod strict;
mod subject;
#[cfg(test)]
mod test_tools;
mod total_variation;
mod vertices;

use crate::statement::{Contrast, Other, Quantity};
pub use comparison::BothWays;
pub use crossings::Crossings;

pub use answer::{Answer, Ending, Goal, Method, Progress, Resources, Unsupported, Witness};
pub use other::prepare;
pub use subject::{Refusal, Subject};
