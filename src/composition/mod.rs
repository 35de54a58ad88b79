//! A mechanism as one closed form, a finite law, or a pair of laws.

pub mod finite;
mod laws;
pub mod mixed;
pub mod parts;
mod weights;

pub use laws::{Component, Composed, LatticeLoss, LatticeMasses, compose};
