//! What can be claimed about a mechanism.

use rug::Rational;

use super::mechanism::MechanismFile;
use crate::mechanism::{Epsilon, GdpForm};

/// A reported guarantee. Every inequality is non-strict, so a claim that holds with equality is true.
///
/// `M` is the mechanism of the claim file, under its adjacency; δ, f, Δ are as in `docs/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// δ(ε) = 0.
    PureDp {
        /// ε ≥ 0.
        epsilon: Epsilon,
    },
    /// δ(ε) ≤ δ.
    ApproxDp {
        /// Any real ε.
        epsilon: Epsilon,
        /// δ ≥ 0; from 1 on the claim says nothing.
        delta: Rational,
    },
    /// M is μ-GDP, in one of three readings.
    Gdp {
        /// μ ≥ 0.
        mu: Rational,
        /// Which reading.
        form: GdpForm,
    },
    /// Δ(M ‖ G_μ) ≤ at_most: the regret of reporting μ.
    Regret {
        /// μ ≥ 0.
        mu: Rational,
        /// ≥ 0.
        at_most: Rational,
    },
    /// M is ρ-zCDP: every Rényi divergence of order t > 1 is at most ρt.
    Zcdp {
        /// ρ ≥ 0.
        rho: Rational,
    },
    /// The Rényi divergence of this order is at most ε.
    Rdp {
        /// Order > 1.
        order: Rational,
        /// ε ≥ 0.
        epsilon: Rational,
    },
    /// The membership advantage δ(0) is at most this.
    Advantage {
        /// ≥ 0.
        at_most: Rational,
    },
    /// f(α) ≥ β.
    TradeOff {
        /// α in [0, 1].
        alpha: Rational,
        /// β in [0, 1].
        beta: Rational,
    },
    /// Δ(other ‖ M) ≤ at_most.
    DominatedBy {
        /// The other mechanism.
        mechanism: Box<MechanismFile>,
        /// ≥ 0.
        at_most: Rational,
    },
}

impl Claim {
    /// The `kind` of the claim, as written in a claim file.
    pub fn kind(&self) -> &'static str {
        match self {
            Claim::PureDp { .. } => "pure-dp",
            Claim::ApproxDp { .. } => "approx-dp",
            Claim::Gdp { .. } => "gdp",
            Claim::Regret { .. } => "regret",
            Claim::Zcdp { .. } => "zcdp",
            Claim::Rdp { .. } => "rdp",
            Claim::Advantage { .. } => "advantage",
            Claim::TradeOff { .. } => "trade-off",
            Claim::DominatedBy { .. } => "dominated-by",
        }
    }
}
