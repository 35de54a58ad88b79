//! What is asked about a mechanism, checked.

use super::Error;
use super::claim::{file, number};
use crate::input::{self, GdpForm, RegretMu, RenyiOrder};
use crate::mechanism::{Adjacency, Domain, ExactEpsilon, Mechanism};
use crate::number::Exact;

/// A quantity of one mechanism, or of two.
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
pub struct Query(pub(super) input::Query);

impl Query {
    /// A query as the command line reads it, `kind` or `kind:key=value,…`.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(Self(input::Query::from_argument(text)?))
    }

    /// δ(ε), for any real ε.
    ///
    /// # Errors
    /// If it is no number.
    pub fn delta(epsilon: impl ExactEpsilon) -> Result<Self, Error> {
        Ok(Self(input::Query::Delta(epsilon.exact_epsilon()?)))
    }

    /// The least ε with δ(ε) ≤ delta, which may be negative.
    ///
    /// # Errors
    /// If `delta < 0`.
    pub fn epsilon(delta: impl Exact) -> Result<Self, Error> {
        let delta = number("delta", delta, Domain::NonNegative)?;
        Ok(Self(input::Query::Epsilon { delta }))
    }

    /// f(α): the least false-negative rate of attacks with this false-positive rate.
    ///
    /// # Errors
    /// If α is out of [0, 1].
    pub fn trade_off(alpha: impl Exact) -> Result<Self, Error> {
        let alpha = number("alpha", alpha, Domain::Unit)?;
        Ok(Self(input::Query::Tradeoff { alpha }))
    }

    /// δ(0): the largest advantage of a membership attack, the total variation distance.
    pub fn advantage() -> Self {
        Self(input::Query::Advantage)
    }

    /// R(π): the least average error of attacks, where the record is **absent** with this prior.
    ///
    /// # Errors
    /// If π is out of [0, 1].
    pub fn bayes_error(prior: impl Exact) -> Result<Self, Error> {
        let prior = number("prior", prior, Domain::Unit)?;
        Ok(Self(input::Query::BayesError { prior }))
    }

    /// The largest Bayes error over all priors.
    pub fn minimax_risk() -> Self {
        Self(input::Query::MinimaxRisk)
    }

    /// The least μ of strict Gaussian DP.
    pub fn gdp_mu() -> Self {
        Self(input::Query::GdpMu(GdpForm::Strict))
    }

    /// The least μ of Gaussian DP up to a tolerance in (0, 1/2) (Gomez et al. 2025, with the tolerance stated).
    ///
    /// # Errors
    /// If the tolerance is out of its range.
    pub fn gdp_mu_up_to(tolerance: impl Exact) -> Result<Self, Error> {
        let tolerance = number("tolerance", tolerance, Domain::Tolerance)?;
        if tolerance == 0 {
            return Ok(Self::gdp_mu());
        }
        Ok(Self(input::Query::GdpMu(GdpForm::Tolerance(tolerance))))
    }

    /// Δ(M‖G_μ): the regret of reporting μ instead of the mechanism.
    ///
    /// # Errors
    /// If `mu < 0`.
    pub fn regret(mu: impl Exact) -> Result<Self, Error> {
        let mu = number("mu", mu, Domain::NonNegative)?;
        Ok(Self(input::Query::Regret(RegretMu::At(mu))))
    }

    /// Δ(M‖other): the regret of choosing the other mechanism instead of M (Kaissis et al. 2024).
    pub fn delta_divergence(other: Mechanism, adjacency: Adjacency) -> Self {
        let other = Box::new(file(other, adjacency));
        Self(input::Query::DeltaDivergence { other })
    }

    /// The Rényi divergence of this order, above 0; 1 is the Kullback–Leibler divergence.
    ///
    /// # Errors
    /// If the order is not above 0.
    pub fn renyi(order: impl Exact) -> Result<Self, Error> {
        let order = RenyiOrder::Finite(number("order", order, Domain::Positive)?);
        Ok(Self(input::Query::Renyi { order }))
    }

    /// The least ρ of zero-concentrated DP.
    pub fn zcdp_rho() -> Self {
        Self(input::Query::ZcdpRho)
    }

    /// The kind, as in a file.
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }
}
