//! Every quantity of a mechanism as an f64 estimate, in milliseconds; nothing here is certified.
//!
//! A step is known in closed form (Gaussian, Laplace, either one Poisson-subsampled) or as a list of losses with their
//! masses. Compositions of finite laws are multiplied out while they stay small. Compositions of Gaussians, sampled or
//! not, are smooth unless their steps are few and rare: their tail sums are integrals of the moment generating function
//! along vertical lines of the complex plane, good at every scale of the law. All others go through one FFT per
//! tilted copy of the law: each step is spread over the grid by cubic interpolation (which keeps its first three
//! moments, so the grid need resolve only the composition, not the step), and the copies, tilted by e^{tL}, are
//! accurate in different parts of the law, so that both tails keep their relative accuracy down to about 1e-30 (unless
//! they are heavy).
//!
//! # Accuracy, as tested against certified enclosures (`tests/suite/float_engine.rs`)
//!
//! | what | error |
//! |---|---|
//! | Gaussian, Laplace, one subsampled step, small finite laws | about 1e-12 relative |
//! | compositions: δ, f, R, advantage, Δ, regret | below 1e-6 absolute |
//! | the same for finite laws without a common lattice, too many steps to multiply out | below 1e-4 absolute |
//! | μ with tolerance or error floor of a composition | below 1e-4; 1e-3 without a common lattice |
//! | ε of a composition where δ ≥ 1e-8 | below 1e-4 of the range of the loss |
//! | compositions: δ ≥ 1e-12 | below 1e-3 relative |
//! | ε of sampled Gaussians, at δ and rates that are in use | below 2e-5 relative |
//!
//! # Where it fails
//!
//! * Probabilities beyond about e^{−90} of a composition are lost: there δ is too small, often 0, while the truth is
//!   positive. Numerical δ below 1e-35 says nothing; below 1e-13 if the tail is heavy (a rare step with a large loss, as
//!   after sampling at a small rate): rounding leaves no more on a line, and of a grid's copies those tilted into such a
//!   tail are left out.
//! * Atoms off any common lattice, in a composition of so few steps that they stay visible, are blurred over some
//!   twenty points of the grid: next to an atom of mass m, δ is wrong by up to m times that width.
//! * At 1e12 steps, rounding leaves about six digits.
//! * Strict μ* (`gdp_mu` without tolerance) is a limit α → 0 that no grid reaches. It comes from theorems where those
//!   apply; else it is a lower estimate, by tests with errors of at least 1e-7 where a grid was needed, and [`Curve::knows_strict_mu`] says no. So is μ with a tolerance
//!   or an error floor below 1e-10.
//! * 1 − δ is not available below 1e-16: ε(δ) for δ that close to 1 is −∞.
//!
//! No answer is NaN.

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "estimates only: no certified number passes through here"
)]

mod atoms;
mod compose;
mod contour;
mod curve;
mod density;
mod divergence;
pub(crate) mod elementary;
mod factor;
mod gdp;
mod grid;
mod integers;
mod law;
mod line;
mod mixtures;
mod pair;
mod profiled;
mod real;
mod resolve;
mod saddle;
mod search;
#[cfg(feature = "certificates")]
mod single;
mod spectrum;
mod tilt;
mod transform;

pub use curve::Curve;
pub use density::Density;
pub use divergence::{Peak, divergence, peaks, symmetric_divergence, weighted_divergence};
pub(crate) use factor::Cumulants;
pub(crate) use real::mills;
pub use real::{log_of, nearest, normal_quantile, normal_tail, survival_place};
pub(crate) use saddle::{Tilt, seam, tilts};
#[cfg(feature = "certificates")]
pub(crate) use single::StepCurve;

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// The mechanism has no single privacy profile.
    #[error("the float engine has no estimate for `{0}`")]
    Mechanism(&'static str),
    /// A size beyond what is worth trying in milliseconds.
    #[error("too large for the float engine: {0}")]
    TooLarge(&'static str),
}
