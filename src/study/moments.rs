//! What the moments of the steps of two compositions prove, or why they prove nothing.

use crate::emergence::Emergence;

/// What the moments of the steps prove.
#[derive(Debug, Clone)]
pub enum Moments {
    /// The mechanisms are no compositions of several equal steps, and nobody asked.
    NotAsked,
    /// This.
    Known(Box<Emergence>),
    /// Nothing is known, and why.
    Unknown(String),
    /// The time ended.
    OutOfTime,
}
