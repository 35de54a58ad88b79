//! How numbers are computed, and what was found by either way.

use crate::analysis::Answer;

/// How numbers are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Two-sided bounds with every error counted.
    Certified,
    /// f64 estimates in milliseconds, without guarantees.
    Float,
}

/// A number, as its engine gives it.
#[derive(Debug, Clone)]
pub enum Finding {
    /// A certified enclosure.
    Enclosure {
        /// What was found.
        answer: Box<Answer>,
        /// Do both ends belong to one mechanism?
        attained: bool,
    },
    /// An estimate, without guarantee.
    Estimate(f64),
}
