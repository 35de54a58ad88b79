//! One mechanism under one adjacency, and any of its quantities: refined until the enclosure is narrow enough,
//! decides a comparison, or the budget ends.

mod components;
mod laws;
mod loss_range;
mod quantity;
mod query;
mod subject;

pub use quantity::{Answer, Ending, Goal, Means, Method, Progress, Quantity, Unsupported, Witness};
pub use subject::{Refusal, Subject};
