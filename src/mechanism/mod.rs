//! What a mechanism is, every number exact and in its range, and the privacy profiles of pairs.
//!
//! * [`Mechanism`] is made of a [`Kind`] (one file each in `kind`), and has a normal form, [`Steps`];
//! * a [`Step`] has a dominating pair, whose profile is in the file of its name: [`gaussian`], [`laplace`], [`finite`], …

mod adjacency;
pub mod allocation;
pub mod approx_dp;
pub(crate) mod batches;
pub mod best_of_runs;
pub mod closed;
mod conditions;
pub mod discrete_gaussian;
pub mod discrete_gaussians;
pub mod discrete_laplace;
pub(crate) mod domain;
mod epsilon;
pub(crate) mod evaluate;
mod exponential_sum;
pub mod finite;
pub mod finite_pair;
pub mod gaussian;
mod gaussian_cells;
mod gaussian_cuts;
mod group;
pub mod kind;
pub(crate) mod labelled;
pub mod laplace;
mod largest_loss;
mod members;
mod model;
pub mod points;
pub mod polygon;
mod powers;
pub mod randomized_response;
pub(crate) mod release;
pub mod renyi_class;
mod replaced_on_sample;
mod sensitivity;
mod several;
pub mod shifted;
pub mod shuffled;
mod single;
pub(crate) mod skellam_vectors;
mod statement;
mod step;
pub(crate) mod steps;
pub mod subsampled;
pub mod symmetrised;
mod theta;
mod truncated_geometric;

pub use adjacency::{Adjacency, Direction, Orders, Relation};
pub(crate) use domain::exact;
pub use domain::{Domain, OutOfRange, Why};
pub use epsilon::{Epsilon, ExactEpsilon, StatedEpsilon};
#[cfg(feature = "cli")]
pub(crate) use kind::Parameter;
pub use kind::{Kind, KindName};
pub use model::Mechanism;
pub use statement::{GdpForm, Prior, PriorShape, RenyiOrder};
pub use steps::{Conditions, FiniteLosses, FiniteStep, SampledStep, Step, Steps};

#[cfg(test)]
mod relation_tests;
#[cfg(test)]
mod replaced_tests;
#[cfg(test)]
mod tests;
