//! Integer loss distributions that bound a privacy profile from above or from below.
//!
//! A law is a discrete PLD (privacy loss distribution): masses q_i = N_i/2^b on a lattice y_i = offset + i·step and a mass t at +∞.
//! Its privacy profile is δ'(u) = t + Σ_i q_i (1 − u·e^{−y_i})⁺. What makes composition sound (Doroshenko et al., "Connect the Dots", PoPETs 2022, and
//! `proofs/`, composition of discrete PLDs):
//!
//! * **S1** moving mass to a larger loss raises δ' at every u, moving it to a smaller one or dropping it lowers it;
//! * **S2** if δ₁' ≥ δ₁ and δ₂' ≥ δ₂ at every u > 0, the profile of the convolution of the two laws is ≥ the profile of the
//!   composition at every u; the same with ≤;
//! * **S3** splitting an atom into two with the same total mass and the same total of mass·e^{−y} raises δ' at every
//!   u (x ↦ (1 − u·x)⁺ is convex), merging two so lowers it.
//!
//! [`UpperLaw`] and [`LowerLaw`] are two types: each has only the operations that keep it on its side. An upper law has
//! its atoms on the lattice; a lower law has one atom in each cell of it, at the barycentre of what it merges.
//!
//! All lattices of one computation are aligned: shell s has the step h·2^s and shares the point of index 0. A
//! law is fine around its median and coarser farther away, so that the same engine serves steps that are smooth and
//! steps whose bulk is millions of times narrower than their range.

mod cells;
mod discretise;
mod knots;
mod lattice;
mod lines;
mod logarithms;
mod lower;
mod mass;
mod piecewise;
mod power;
#[cfg(test)]
mod product;
mod row;
mod shells;
mod spread;
pub mod transform;
mod trim;
mod upper;

pub use cells::{Cell, CellTable, EXTRA_BITS, Line};
pub use discretise::{
    Atoms, LowerAtom, discretise_lower, discretise_upper, lattice_lower, lattice_upper,
    lower_atoms, upper_atoms,
};
pub use knots::{Knots, SampledKnot, Sampling, sample_knots};
pub use lattice::{Lattice, Offset, Positions, ceil_scaled, floor_scaled};
pub use lower::{LowerLaw, LowerShell};
pub use mass::{Fraction, Mass, Product};
pub use piecewise::{LowerProfile, UpperProfile};
pub use power::{Composable, Schedule, arranged, brought_to, power_lower, power_upper, product};
pub use row::{ProductRow, Row};
pub use trim::{LeftEnd, TailBudget};
pub use upper::UpperLaw;

#[cfg(test)]
mod base_tests;
#[cfg(test)]
mod coarse_base_tests;
#[cfg(test)]
mod coarse_profile_tests;
#[cfg(test)]
mod coarse_tests;
#[cfg(test)]
mod rounding_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unit_tests;
