//! Rényi divergences of a mechanism and its zCDP parameter, enclosed.
//!
//! For a dominating pair (P, Q) and an order t the Rényi divergence is D_t(Q‖P) = log E_P[(dQ/dP)^t]/(t − 1), with the
//! Kullback–Leibler divergence at t = 1 (van Erven and Harremoës 2014). Divergences of the parts of a composition add up, so each
//! part is treated by itself: nothing is discretised. ρ* is the supremum over t > 1 of D_t/t.
//!
//! | file | job |
//! |---|---|
//! | `parts` | a mechanism as a list of parts, and the sum of their divergences |
//! | `finite` | finitely many losses |
//! | `laplace` | Laplace noise |
//! | `lattice` | discrete Gaussian noise |
//! | `sampled` | Poisson-subsampled Gaussian noise |
//! | `from_moments` | from moments to divergences, D_1 included |
//! | `sampled_moment` | its moments E_P[(dQ/dP)^a] |
//! | `softplus` | their integrand |
//! | `trapezoid` | the trapezoidal rule with an error relative to the integral |
//! | `sampled_noise` | Poisson-subsampled Laplace and discrete Gaussian noise |
//! | `skellam` | Skellam noise |
//! | `gaussian_sum` | sums of discrete Gaussians |
//! | `shifted`, `integers`, `pieces` | mixtures of shifted noise: Gaussian, on the integers, Laplace |
//! | `mixed` | the latter two, with what bounds them |
//! | `labelled` | mixtures whose output says which part it came from |
//! | `fixed_batch` | a step on a batch of fixed size, between bounds |
//! | `at_most` | what is only bounded by something that dominates it, and samples of it |
//! | `growth` | how fast a divergence can grow with its order |
//! | `rho` | the search for ρ* |
//! | `rho_ends` | what theorems tell of ρ* |
//! | `stated` | what `zcdp` and `rdp` state, as a part |
//! | `class` | what `zcdp` and `rdp` state |

mod at_most;
pub mod class;
mod finite;
mod fixed_batch;
mod from_moments;
mod gaussian_sum;
mod growth;
mod integers;
mod labelled;
mod laplace;
mod lattice;
mod mixed;
mod parts;
mod pieces;
mod rho;
mod rho_ends;
mod sampled;
mod sampled_moment;
mod sampled_noise;
mod shifted;
mod skellam;
mod softplus;
mod stated;
mod trapezoid;

pub use parts::Parts;
pub use rho::{Place, RhoSearch, exact_rho};
pub use rho_ends::concentrated_at_most;

#[cfg(test)]
mod coarse_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod zoo;
