//! One mechanism under one adjacency, and any of its quantities: refined until the enclosure is narrow enough,
//! decides a comparison, or the budget ends.

mod quantity;

pub use quantity::{Answer, Ending, Goal, Means, Method, Progress, Quantity, Unsupported, Witness};
