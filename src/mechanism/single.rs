//! Mechanisms of one release: noise, selection by score, finite pairs, guarantees.

use rug::Rational;

use super::adjacency::Relation;
use super::domain::{OutOfRange, exact};
use super::epsilon::ExactEpsilon;
use super::kind::{
    ApproxDp, DiscreteGaussian, DiscreteLaplace, Exponential, Finite, Gaussian, GaussianMixture,
    Gdp, Laplace, PermuteAndFlip, Profile, PureDp, RandomizedResponse, Rdp, ScoreRange,
    Sensitivity, Skellam, TopK, Zcdp,
};
use super::model::Mechanism;
use crate::number::Exact;

impl Mechanism {
    /// Gaussian noise of standard deviation `sigma > 0` on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range, as for all kinds below.
    pub fn gaussian(sigma: impl Exact, sensitivity: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gaussian::new(
            exact("sigma", sigma)?,
            exact("sensitivity", sensitivity)?,
        )?)
    }

    /// Gaussian noise of standard deviation `sigma > 0` on a sum of records of norm at most `record_bound > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gaussian_sum(sigma: impl Exact, record_bound: impl Exact) -> Result<Self, OutOfRange> {
        let bound = exact("record-bound", record_bound)?;
        Self::new(Gaussian::new(
            exact("sigma", sigma)?,
            Sensitivity::RecordBound(bound),
        )?)
    }

    /// Gaussian noise given by μ² = (sensitivity/σ)² > 0, which is rational also where σ is not.
    ///
    /// # Errors
    /// If the number is out of its range.
    pub fn gaussian_with_mu_squared(mu_squared: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gaussian::with_mu_squared(exact("mu-squared", mu_squared)?)?)
    }

    /// Laplace noise of `scale > 0` on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn laplace(scale: impl Exact, sensitivity: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Laplace::new(
            exact("scale", scale)?,
            exact("sensitivity", sensitivity)?,
        )?)
    }

    /// Laplace noise of `scale > 0` on a sum of records of L1 norm at most `record_bound > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn laplace_sum(scale: impl Exact, record_bound: impl Exact) -> Result<Self, OutOfRange> {
        let bound = exact("record-bound", record_bound)?;
        Self::new(Laplace::new(
            exact("scale", scale)?,
            Sensitivity::RecordBound(bound),
        )?)
    }

    /// Laplace noise on the integers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn discrete_laplace(scale: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(DiscreteLaplace::new(exact("scale", scale)?, sensitivity)?)
    }

    /// Gaussian noise on the integers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn discrete_gaussian(sigma: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(DiscreteGaussian::new(exact("sigma", sigma)?, sensitivity)?)
    }

    /// The difference of two Poisson variables of this `mean > 0` each, on a whole number.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn skellam(mean: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(Skellam::new(exact("mean", mean)?, sensitivity)?)
    }

    /// The same on every coordinate of a vector of whole numbers, which one record changes by at most `l2_sensitivity ≥ 1`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn skellam_of_vectors(
        mean: impl Exact,
        l2_sensitivity: impl Exact,
    ) -> Result<Self, OutOfRange> {
        let length = exact("l2-sensitivity", l2_sensitivity)?;
        Self::new(Skellam::of_vectors(exact("mean", mean)?, length)?)
    }

    /// Randomised response among `k ≥ 2` answers, with odds e^ε for the truth.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn randomized_response(epsilon: impl ExactEpsilon, k: u64) -> Result<Self, OutOfRange> {
        Self::new(RandomizedResponse::new(epsilon.exact_epsilon()?, k)?)
    }

    /// Every ε-DP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn pure_dp(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(PureDp::new(epsilon.exact_epsilon()?)?)
    }

    /// Every (ε, δ)-DP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn approx_dp(epsilon: impl ExactEpsilon, delta: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(ApproxDp::new(
            epsilon.exact_epsilon()?,
            exact("delta", delta)?,
        )?)
    }

    /// Every μ-GDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp(mu: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gdp::new(exact("mu", mu)?)?)
    }

    /// Every |μ|-GDP mechanism, whose dominating pair has the trade-off function G_μ: for a μ that is known to be at least 0.
    pub(crate) fn gaussian_curve(mu: &Rational) -> Self {
        let gdp = Gdp::of_magnitude(mu);
        let steps = gdp.one_step();
        Self::described(gdp.into(), Relation::Presence, steps)
    }

    /// Every ρ-zCDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn zcdp(rho: impl Exact) -> Result<Self, OutOfRange> {
        Self::zcdp_with(rho, 0)
    }

    /// Every (ξ, ρ)-zCDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub(crate) fn zcdp_with(rho: impl Exact, xi: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Zcdp::new(exact("rho", rho)?, exact("xi", xi)?)?)
    }

    /// Every mechanism with these Rényi guarantees (order > 1, ε ≥ 0).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn rdp(orders: Vec<(Rational, Rational)>) -> Result<Self, OutOfRange> {
        Self::new(Rdp::new(orders)?)
    }

    /// Two probability vectors: without the record, and with it.
    ///
    /// # Errors
    /// If they are none.
    pub fn finite(p: Vec<Rational>, q: Vec<Rational>) -> Result<Self, OutOfRange> {
        Self::new(Finite::new(p, q)?)
    }

    /// Every mechanism whose profile is at most these points (ε, δ).
    ///
    /// # Errors
    /// If a number is out of its range, or there is no such mechanism.
    pub fn profile<E: ExactEpsilon>(points: Vec<(E, Rational)>) -> Result<Self, OutOfRange> {
        let points = points
            .into_iter()
            .map(|(epsilon, delta)| Ok((epsilon.exact_epsilon()?, delta)))
            .collect::<Result<_, OutOfRange>>()?;
        Self::new(Profile::new(points)?)
    }

    /// Gaussian noise on a query that moves by one of several distances ≥ 0, with these probabilities.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gaussian_mixture(
        sigma: impl Exact,
        shifts: Vec<Rational>,
        weights: Vec<Rational>,
    ) -> Result<Self, OutOfRange> {
        Self::new(GaussianMixture::new(
            exact("sigma", sigma)?,
            shifts,
            weights,
        )?)
    }

    /// The exponential mechanism, where a record changes the log-odds of two candidates by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn exponential(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(Exponential::new(ScoreRange::Epsilon(
            epsilon.exact_epsilon()?,
        ))?)
    }

    /// Permute-and-flip, where a record changes the log-odds of two acceptances by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn permute_and_flip(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(PermuteAndFlip::new(ScoreRange::Epsilon(
            epsilon.exact_epsilon()?,
        ))?)
    }

    /// The best `k ≥ 1` candidates with Gumbel noise, where a record changes the log-odds of two candidates by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn top_k(epsilon: impl ExactEpsilon, k: u64) -> Result<Self, OutOfRange> {
        Self::new(TopK::new(ScoreRange::Epsilon(epsilon.exact_epsilon()?), k)?)
    }
}
