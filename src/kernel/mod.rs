//! The trusted arithmetic: directed rounding, intervals, the normal law, and the privacy profile as
//! something that can be enclosed at any point.
//!
//! No float types, no `as` casts, no panics. Rounding directions are in the names.

pub(crate) mod about;
pub mod budget;
pub mod cells;
#[cfg(test)]
pub(crate) mod coarse;
#[cfg(test)]
mod coarse_tests;
pub mod directed;
#[cfg(test)]
mod fixed_coarse_tests;
mod fixed_exp;
pub(crate) mod fixed_ln;
pub mod interval;
pub(crate) mod magnitude;
#[cfg(test)]
mod narrow_tests;
pub mod normal;
pub(crate) mod normal_fixed;
mod normal_inverse;
mod normal_nodes;
pub(crate) mod normal_table;
mod normal_tail;
mod parallel;
pub mod profile;

pub use budget::{Budget, Failure, is_late};
pub use cells::{CELL_BITS, CellBounds, CellNumber, CellPlaces, Cells};
pub use directed::Pick;
pub use interval::Interval;
pub use parallel::{both, in_parallel, most_addresses, start_scoped, start_thread};
pub use profile::{Accuracy, Between, Fineness, LossBound, Point, Profile, ProfilePoint};

/// A check that can fail only if dpcmp itself is wrong: it ends the program with exit code 70,
/// never with a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {0}")]
pub struct InvariantViolation(pub String);
