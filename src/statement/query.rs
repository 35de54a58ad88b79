//! What can be asked about a mechanism.

use rug::Rational;

use super::{Other, number};
use crate::mechanism::{
    Adjacency, Domain, Epsilon, ExactEpsilon, GdpForm, Mechanism, OutOfRange, Prior, RenyiOrder,
};
use crate::number::Exact;

/// A quantity of one mechanism, or of two. An invalid one cannot exist.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Mechanism, Precision, Query};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(1, 1)?).prepare()?;
/// let mu = gaussian.bound(&Query::gdp_mu(), Precision::usual())?;
/// assert_eq!(mu.exact().map(ToString::to_string).as_deref(), Some("1"));
/// assert_eq!(Query::delta("1/2")?, Query::from_text("delta:epsilon=0.5")?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query(Quantity);

/// What a [`Query`] asks for. Only a query is answered, so its numbers lie in their ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// The privacy profile at one point.
    Delta(Epsilon),
    /// inf { ε real : δ(ε) ≤ delta }.
    Epsilon {
        /// ≥ 0; from 1 on the answer is −∞.
        delta: Rational,
    },
    /// The trade-off function at a false-positive rate.
    TradeOff {
        /// In [0, 1].
        alpha: Rational,
    },
    /// δ(0), the total variation distance.
    Advantage,
    /// The least average error of attacks.
    BayesError {
        /// In [0, 1], the prior that the record is absent.
        prior: Rational,
    },
    /// max over priors of the Bayes error: the fixed point of the trade-off function.
    MinimaxRisk,
    /// The Gaussian-DP parameter.
    GdpMu(GdpForm),
    /// The least upper bound of the privacy loss: the smallest ε of pure ε-DP, or ∞.
    MaxLoss,
    /// Δ(M‖G_μ): the regret of reporting μ.
    Regret {
        /// μ ≥ 0.
        mu: Rational,
        /// G_μ.
        gaussian: Other,
    },
    /// Δ(M‖G_μ) at the strict μ* of M; R* of M where no finite μ exists.
    RegretOfStrictMu,
    /// A divergence between the mechanism and another one.
    Divergence {
        /// The other mechanism.
        other: Other,
        /// Which divergence.
        contrast: Contrast,
    },
    /// The Rényi divergence, in the direction of the adjacency or the larger of both.
    Renyi {
        /// Its order.
        order: RenyiOrder,
    },
    /// The least ρ of zCDP: sup of D_t/t over t > 1 and both orders of the pair.
    ZcdpRho,
}

/// Which divergence between a mechanism M and the other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contrast {
    /// Δ(M‖other): the regret of choosing the other one instead of M.
    To,
    /// Δ(other‖M).
    From,
    /// The larger of the two: the Lévy distance of the trade-off functions as distribution functions.
    Symmetric,
    /// max over π of Ψ(π)·(R_M(π) − R_other(π)).
    Weighted(Prior),
}

impl Query {
    /// δ(ε), for any real ε.
    ///
    /// # Errors
    /// If it is no number.
    pub fn delta(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Ok(Self(Quantity::Delta(epsilon.exact_epsilon()?)))
    }

    /// As [`Query::delta`], of an ε that is one.
    #[doc(hidden)]
    pub fn delta_at(epsilon: Epsilon) -> Self {
        Self(Quantity::Delta(epsilon))
    }

    /// The least ε with δ(ε) ≤ delta, which may be negative.
    ///
    /// # Errors
    /// If `delta < 0`.
    pub fn epsilon(delta: impl Exact) -> Result<Self, OutOfRange> {
        let delta = number("delta", delta, Domain::NonNegative)?;
        Ok(Self(Quantity::Epsilon { delta }))
    }

    /// f(α): the least false-negative rate of attacks with this false-positive rate.
    ///
    /// # Errors
    /// If α is out of [0, 1].
    pub fn trade_off(alpha: impl Exact) -> Result<Self, OutOfRange> {
        let alpha = number("alpha", alpha, Domain::Unit)?;
        Ok(Self(Quantity::TradeOff { alpha }))
    }

    /// δ(0): the largest advantage of a membership attack, the total variation distance.
    pub fn advantage() -> Self {
        Self(Quantity::Advantage)
    }

    /// R(π): the least average error of attacks, where the record is **absent** with this prior.
    ///
    /// # Errors
    /// If π is out of [0, 1].
    pub fn bayes_error(prior: impl Exact) -> Result<Self, OutOfRange> {
        let prior = number("prior", prior, Domain::Unit)?;
        Ok(Self(Quantity::BayesError { prior }))
    }

    /// The largest Bayes error over all priors.
    pub fn minimax_risk() -> Self {
        Self(Quantity::MinimaxRisk)
    }

    /// The least μ of strict Gaussian DP.
    pub fn gdp_mu() -> Self {
        Self(Quantity::GdpMu(GdpForm::Strict))
    }

    /// The least μ of Gaussian DP up to a tolerance in (0, 1/2) (Gomez et al. 2025, with the tolerance stated).
    ///
    /// # Errors
    /// If the tolerance is out of its range.
    pub fn gdp_mu_up_to(tolerance: impl Exact) -> Result<Self, OutOfRange> {
        let tolerance = number("tolerance", tolerance, Domain::Tolerance)?;
        Self::gdp_mu_as(GdpForm::Tolerance(tolerance))
    }

    /// The least μ of Gaussian DP wherever both errors are at least `floor`, in (0, 1/2).
    ///
    /// # Errors
    /// If the floor is out of its range.
    pub fn gdp_mu_above(floor: impl Exact) -> Result<Self, OutOfRange> {
        let floor = number("error-floor", floor, Domain::ErrorFloor)?;
        Self::gdp_mu_as(GdpForm::ErrorFloor(floor))
    }

    /// The least μ of Gaussian DP in this reading.
    ///
    /// # Errors
    /// If the number of the reading is out of its range.
    #[doc(hidden)]
    pub fn gdp_mu_as(form: GdpForm) -> Result<Self, OutOfRange> {
        Ok(Self(Quantity::GdpMu(form.checked()?)))
    }

    /// The largest privacy loss: the least ε of pure ε-DP, or ∞.
    pub fn max_loss() -> Self {
        Self(Quantity::MaxLoss)
    }

    /// Δ(M‖G_μ): the regret of reporting μ instead of the mechanism.
    ///
    /// # Errors
    /// If `mu < 0`.
    pub fn regret(mu: impl Exact) -> Result<Self, OutOfRange> {
        let mu = number("mu", mu, Domain::NonNegative)?;
        let gaussian = Other::gaussian(&mu);
        Ok(Self(Quantity::Regret { mu, gaussian }))
    }

    /// Δ(M‖G_μ) at the least μ of strict Gaussian DP, whatever it is; R* where there is none.
    pub fn regret_of_strict_mu() -> Self {
        Self(Quantity::RegretOfStrictMu)
    }

    /// Δ(M‖other): the regret of choosing the other mechanism instead of M (Kaissis et al. 2024).
    pub fn delta_divergence(other: Mechanism, adjacency: Adjacency) -> Self {
        Self::divergence(Other::new(other, adjacency), Contrast::To)
    }

    /// The larger of Δ(M‖other) and Δ(other‖M).
    pub fn delta_symmetric(other: Mechanism, adjacency: Adjacency) -> Self {
        Self::divergence(Other::new(other, adjacency), Contrast::Symmetric)
    }

    /// max over π of Ψ(π)·(R(π) − R_other(π)): the regret of choosing the other mechanism, weighted by how likely each prior of an attacker is.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// use dpcmp::{Adjacency, Analysis, Mechanism, Precision, Prior, Query};
    ///
    /// let laplace = Mechanism::laplace(1, 1)?;
    /// let query = Query::weighted_delta(laplace, Adjacency::AddRemove, Prior::beta(2, 2)?);
    /// let gaussian = Analysis::of(Mechanism::gaussian(2, 1)?).prepare()?;
    /// let regret = gaussian.bound(&query, Precision::usual())?;
    /// assert!(*regret.lower() > 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn weighted_delta(other: Mechanism, adjacency: Adjacency, prior: Prior) -> Self {
        Self::divergence(Other::new(other, adjacency), Contrast::Weighted(prior))
    }

    /// A divergence from another mechanism.
    #[doc(hidden)]
    pub fn divergence(other: Other, contrast: Contrast) -> Self {
        Self(Quantity::Divergence { other, contrast })
    }

    /// The Rényi divergence of this order, above 0; 1 is the Kullback–Leibler divergence.
    ///
    /// # Errors
    /// If the order is not above 0.
    pub fn renyi(order: impl Exact) -> Result<Self, OutOfRange> {
        let order = RenyiOrder::Finite(number("order", order, Domain::Positive)?);
        Ok(Self(Quantity::Renyi { order }))
    }

    /// The maximum divergence, the Rényi divergence of order ∞.
    pub fn max_divergence() -> Self {
        let order = RenyiOrder::Infinite;
        Self(Quantity::Renyi { order })
    }

    /// The least ρ of zero-concentrated DP.
    pub fn zcdp_rho() -> Self {
        Self(Quantity::ZcdpRho)
    }

    /// What is asked for.
    #[doc(hidden)]
    pub fn quantity(&self) -> &Quantity {
        &self.0
    }

    /// The kind, as in a file.
    pub fn kind(&self) -> &'static str {
        match &self.0 {
            Quantity::Delta(_) => "delta",
            Quantity::Epsilon { .. } => "epsilon",
            Quantity::TradeOff { .. } => "tradeoff",
            Quantity::Advantage => "advantage",
            Quantity::BayesError { .. } => "bayes-error",
            Quantity::MinimaxRisk => "minimax-risk",
            Quantity::GdpMu(_) => "gdp-mu",
            Quantity::MaxLoss => "max-loss",
            Quantity::Regret { .. } | Quantity::RegretOfStrictMu => "regret",
            Quantity::Divergence { contrast, .. } => match contrast {
                Contrast::To | Contrast::From => "delta-divergence",
                Contrast::Symmetric => "delta-symmetric",
                Contrast::Weighted(_) => "weighted-delta",
            },
            Quantity::Renyi { .. } => "renyi",
            Quantity::ZcdpRho => "zcdp-rho",
        }
    }

    /// What a claim or a requirement bounds, whose numbers are checked already.
    pub(super) fn of(quantity: Quantity) -> Self {
        Self(quantity)
    }
}
