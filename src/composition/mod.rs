//! A mechanism as one closed form, a finite law, or a pair of laws.

mod laws;

pub use laws::{Component, Composed, LatticeLoss, LatticeMasses, compose};
