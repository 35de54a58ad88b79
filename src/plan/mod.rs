//! Untrusted floats that choose lattice, knots, range and bits for a composition.
//!
//! Everything here is a hint: a bad one costs width or time, never truth. Beside the float
//! engine this is the only module below the command line where floats are allowed.

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "hints only: no certified number passes through here"
)]

mod demand;
mod dominant;
mod fitted;
mod fixed_batches;
mod float_law;
mod grid;
mod level;
mod lines;
mod members;
mod pair;
mod peaks;
mod resolution;
mod sampled_gaussian;
mod shape;
mod sum;
mod target;

pub use demand::{Demand, Units};
pub use dominant::DominantDirection;
pub use fixed_batches::lattice_of_ratios;
pub use grid::{
    Directions, FINEST_FAST_BITS, Masses, Plan, SECOND_ORDER_TIME, Summand, SummandPlan,
    is_better_apart, plan,
};
pub use lines::lines;
pub use members::{Ranking, Seen};
pub use pair::PairPlan;
pub use peaks::Glance;
pub use resolution::{Resolution, SPARE, Wanted, shapes};
pub use shape::Shape;
pub use sum::{Orders, SumPart, SumPlan, has_rare_losses, may_have_rare_losses, plan_sum};
pub use target::{excess, turning_value};
