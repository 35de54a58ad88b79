//! How the batches of a training run are drawn, where that is no plain Poisson sample.

mod adaptive;
mod binomial;
mod blurred;
mod chances;
mod opposite;
pub(super) mod thresholds;
mod told;
mod truncated;
mod without_replacement;

pub use adaptive::PickedOthers;
pub use opposite::OppositeOthers;
pub(crate) use thresholds::largest_answer;
pub use truncated::TruncatedPoisson;
pub use without_replacement::WithoutReplacement;
pub(crate) use without_replacement::no_presence;
