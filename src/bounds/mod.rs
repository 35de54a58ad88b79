//! Enclosures of every quantity of one mechanism: δ, ε, the trade-off function, advantage, Bayes error,
//! minimax risk and the Gaussian-DP μ; and the Δ-divergence of two.
//!
//! A mechanism comes as a [`TwoSided`]: a profile above its δ and one below it. Every query is answered for
//! one profile at a time, as an enclosure of that profile's own value; what grows with δ then has its upper
//! bound from the upper profile and its lower bound from the lower one, and what falls with δ the other way
//! round. Searches are sloppy; what is returned rests on the directed evaluations at the points they found,
//! so a search that goes astray or is stopped costs width, never truth.
//!
//! | file | job |
//! |---|---|
//! | `enclosure` | what a query returns, and how narrow it was asked to be |
//! | `two_sided` | the pair of profiles, and how their answers combine |
//! | `curve` | one profile with its mirror image; points of its trade-off curve |
//! | `sandwich` | where a line meets a trade-off curve, between supporting lines and chords |
//! | `seen` | which of two trade-off curves is the lower one at many rates |
//! | `delta`, `epsilon`, `tradeoff`, `bayes_error`, `minimax_risk`, `gdp_mu` | one query each |
//! | `divergence` | Δ of two mechanisms, plain or weighted by a density on the prior, and where their curves cross |
//! | `conversions` | published conversions of Rényi guarantees, which lose something |
//! | `gdp_search`, `gdp_segment`, `gdp_vertex`, `gdp_floor`, `gdp_below` | branch and bound behind `gdp_mu` |
//! | `exact` | the same as fractions, for a finite pair of rational vectors |
//! | `polygon` | a trade-off curve between two of these, from vertices that are enclosed |
//! | `exact_divergence` | Δ-divergence, Lévy distance, Blackwell order and crossings of two such curves |

mod bayes_error;
#[cfg(test)]
mod coarse_tests;
pub mod conversions;
mod curve;
mod delta;
mod divergence;
mod enclosure;
mod epsilon;
pub mod exact;
pub mod exact_divergence;
mod gdp_below;
mod gdp_floor;
mod gdp_mu;
mod gdp_search;
mod gdp_segment;
mod gdp_vertex;
mod minimax_risk;
mod polygon;
mod sandwich;
mod seen;
#[cfg(test)]
mod small_coarse_tests;
#[cfg(test)]
pub(crate) mod testing;
mod tradeoff;
mod two_sided;
#[cfg(test)]
mod two_sided_tests;

pub use crate::mechanism::{GdpForm, Prior};
pub use bayes_error::bayes_error;
pub use delta::{advantage, delta};
pub use divergence::{Divergence, Peak, crossings, divergence, divergence_at_least, overview};
pub use enclosure::{Effort, Enclosure, Target};
pub use epsilon::epsilon;
pub use gdp_mu::{GdpMu, GdpWitness, gdp_mu};
pub use minimax_risk::minimax_risk;
pub use polygon::Polygon;
pub use seen::{SeenCurves, SeenOrder, seen_order};
pub use tradeoff::tradeoff;
pub use two_sided::{LossRange, TwoSided};
