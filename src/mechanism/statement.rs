//! The readings of a statement about privacy: of μ-GDP, of the order of a Rényi divergence, of a density on priors.

use rug::Rational;

/// What "M is μ-GDP" is taken to state; the readings differ, and only the strict one is Gaussian differential privacy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GdpForm {
    /// G_μ ≤ f on all of [0, 1].
    Strict,
    /// Δ(G_μ ‖ M) ≤ τ, that is f(α) ≥ G_μ(α + τ) − τ for all α; τ in (0, 1/2).
    Tolerance(Rational),
    /// f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e; e in (0, 1/2).
    ErrorFloor(Rational),
}

/// The order of a Rényi divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenyiOrder {
    /// t > 0; 1 is the Kullback–Leibler divergence.
    Finite(Rational),
    /// The maximum divergence.
    Infinite,
}

/// A density Ψ on the prior π in [0, 1] that the record is **absent** (Kaissis et al. 2024, §4, "Bayesian mechanism
/// selection", where it is called a hyper-prior).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prior {
    /// 1 everywhere: the plain Δ-divergence.
    Uniform,
    /// π^{a−1}(1 − π)^{b−1}/B(a, b), with a, b > 0; Jeffreys' prior is a = b = ½.
    Beta {
        /// First shape.
        a: Rational,
        /// Second shape.
        b: Rational,
    },
    /// 12(π − ½)².
    UQuadratic,
    /// Linear between points (π, density ≥ 0) of strictly increasing π in [0, 1], at least two; 0 beyond the first and the last.
    Table(Vec<(Rational, Rational)>),
}

impl Prior {
    /// Jeffreys' prior Beta(½, ½), infinite at both ends.
    pub fn jeffreys() -> Self {
        let half = Rational::from((1, 2));
        Self::Beta {
            a: half.clone(),
            b: half,
        }
    }
}
