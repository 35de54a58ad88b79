//! A mechanism as one closed form, a finite law, or a pair of laws.

mod bases;
mod classes;
pub mod concentrated;
mod convolution;
pub mod finite;
mod fixed_batches;
mod halved;
mod labelled_gaussians;
pub mod lattice;
mod laws;
pub mod mixed;
pub mod mu;
pub mod order;
pub mod parts;
pub mod strict_gdp;
mod sums;
mod two_orders;
mod two_steps;
mod vertex_mu;
mod weights;

pub use laws::{Component, Composed, LatticeLoss, LatticeMasses, compose, compose_upper};
pub use sums::{Summed, compose_sum};
pub use two_orders::TwoOrders;
pub use two_steps::{Between, two_steps};

#[cfg(test)]
mod coarse_tests;
