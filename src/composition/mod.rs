//! A mechanism as one closed form, a finite law, or a pair of laws.

pub mod finite;
pub mod mixed;
pub mod parts;
mod weights;
