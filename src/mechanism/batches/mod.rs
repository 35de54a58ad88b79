//! How the batches of a training run are drawn, where that is no plain Poisson sample.

mod binomial;
mod thresholds;
mod truncated;

pub(crate) use thresholds::largest_answer;
pub use truncated::TruncatedPoisson;
