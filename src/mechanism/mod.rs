//! What a mechanism is: the description as the user gave it, every number exact.
//!
//! One file per kind holds its privacy profile.

pub mod approx_dp;
mod build;
pub mod discrete_gaussian;
pub mod discrete_laplace;
pub(crate) mod evaluate;
mod exponential_sum;
pub mod finite;
pub mod finite_pair;
pub mod gaussian;
mod gaussian_cells;
mod gaussian_cuts;
pub mod laplace;
pub mod points;
pub mod randomized_response;
pub mod renyi_class;
pub mod subsampled;
pub mod symmetrised;
mod theta;

pub(crate) use build::innermost;
pub use build::{finite_law, profile};

use rug::Rational;

/// A mechanism, or a class of mechanisms known only by a guarantee.
///
/// The constructor functions in `input` have checked every range stated here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mechanism {
    /// Additive Gaussian noise. `sigma > 0`, `sensitivity > 0`; only μ = sensitivity/sigma matters.
    Gaussian {
        /// Standard deviation of the noise.
        sigma: Rational,
        /// Sensitivity of the query.
        sensitivity: Rational,
    },
    /// Additive Laplace noise. `scale > 0`, `sensitivity > 0`.
    Laplace {
        /// Scale b of the noise density exp(−|x|/b)/(2b).
        scale: Rational,
        /// Sensitivity of the query.
        sensitivity: Rational,
    },
    /// Noise on the integers with mass ∝ exp(−|k|/scale). `scale > 0`, `sensitivity ≥ 1`.
    DiscreteLaplace {
        /// Scale of the noise.
        scale: Rational,
        /// Integer sensitivity of the query.
        sensitivity: u64,
    },
    /// Noise on the integers with mass ∝ exp(−k²/(2 sigma²)). `sigma > 0`, `sensitivity ≥ 1`.
    DiscreteGaussian {
        /// The parameter σ (close to, not equal to, the standard deviation).
        sigma: Rational,
        /// Integer sensitivity of the query.
        sensitivity: u64,
    },
    /// k-ary randomised response: the truth with odds e^ε against each other answer. `epsilon ≥ 0`, `k ≥ 2`.
    RandomizedResponse {
        /// ε ≥ 0.
        epsilon: Rational,
        /// Number of answers, at least 2.
        k: u64,
    },
    /// Every mechanism that is ε-DP. `epsilon ≥ 0`.
    PureDp {
        /// ε ≥ 0.
        epsilon: Rational,
    },
    /// Every mechanism that is (ε, δ)-DP. `epsilon ≥ 0`, `0 ≤ delta ≤ 1`.
    ApproxDp {
        /// ε ≥ 0.
        epsilon: Rational,
        /// δ in [0, 1].
        delta: Rational,
    },
    /// Every mechanism that is μ-GDP. `mu ≥ 0`.
    Gdp {
        /// μ ≥ 0.
        mu: Rational,
    },
    /// Every mechanism that is ρ-zCDP. `rho ≥ 0`.
    Zcdp {
        /// ρ ≥ 0.
        rho: Rational,
    },
    /// Every mechanism with these Rényi guarantees: (order > 1, ε ≥ 0).
    Rdp {
        /// Pairs (order, ε).
        orders: Vec<(Rational, Rational)>,
    },
    /// A pair of exact probability vectors of equal length, each summing to exactly 1.
    Finite {
        /// Probabilities without the record.
        p: Vec<Rational>,
        /// Probabilities with the record.
        q: Vec<Rational>,
    },
    /// Every mechanism whose profile, in both orders, is at most these points (ε, δ); feasible.
    Points {
        /// Pairs (ε, δ).
        points: Vec<(Rational, Rational)>,
    },
    /// Poisson subsampling. `0 < rate ≤ 1`.
    Subsampled {
        /// Probability that a record takes part.
        rate: Rational,
        /// The mechanism run on the sample.
        of: Box<Mechanism>,
    },
    /// Adaptive composition: each part `times ≥ 1` times.
    Compose {
        /// Parts with their multiplicities.
        of: Vec<(Mechanism, u64)>,
    },
}

/// Which neighbouring relation a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Adjacency {
    /// Both directions: δ is the larger of the two, the trade-off curve the convex hull below both.
    #[default]
    AddRemove,
    /// The pair (P, Q) as written.
    Remove,
    /// The swapped pair (Q, P).
    Add,
}

#[cfg(test)]
mod tests;
