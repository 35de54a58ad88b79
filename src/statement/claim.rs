//! What can be claimed about a mechanism.

use rug::Rational;

use super::{Contrast, Other, Quantity, Query, number};
use crate::mechanism::{
    Adjacency, Domain, Epsilon, ExactEpsilon, GdpForm, Mechanism, OutOfRange, RenyiOrder,
    StatedEpsilon,
};
use crate::number::Exact;

/// A reported guarantee. Every inequality is non-strict: a claim that holds with equality is true. An invalid one cannot exist.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::Claim;
///
/// let claim = Claim::approx_dp(8, "1e-5")?;
/// assert_eq!(claim, Claim::from_text("approx-dp:epsilon=8,delta=1e-5")?);
/// assert!(Claim::approx_dp(8, -1).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim(StatedClaim);

/// What a [`Claim`] states about a mechanism M, under its adjacency; δ, f, Δ are as in `docs/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatedClaim {
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
        other: Other,
        /// ≥ 0.
        at_most: Rational,
    },
}

impl Claim {
    /// δ(ε) = 0: ε-DP, `epsilon ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range, as below.
    pub fn pure_dp(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        let epsilon = epsilon.exact_epsilon()?.non_negative()?;
        Ok(Self(StatedClaim::PureDp { epsilon }))
    }

    /// δ(ε) ≤ δ: (ε, δ)-DP, `delta ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn approx_dp(epsilon: impl ExactEpsilon, delta: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedClaim::ApproxDp {
            epsilon: epsilon.exact_epsilon()?,
            delta: number("delta", delta, Domain::NonNegative)?,
        }))
    }

    /// G_μ ≤ f everywhere: strict μ-GDP, `mu ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp(mu: impl Exact) -> Result<Self, OutOfRange> {
        Self::gdp_as(mu, GdpForm::Strict)
    }

    /// Δ(G_μ‖M) ≤ τ: μ-GDP up to a tolerance in (0, 1/2).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp_up_to(mu: impl Exact, tolerance: impl Exact) -> Result<Self, OutOfRange> {
        let tolerance = number("tolerance", tolerance, Domain::Tolerance)?;
        Self::gdp_as(mu, GdpForm::Tolerance(tolerance))
    }

    /// f(α) ≥ G_μ(α) wherever both errors are at least `floor`, in (0, 1/2).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp_above(mu: impl Exact, floor: impl Exact) -> Result<Self, OutOfRange> {
        let floor = number("error-floor", floor, Domain::ErrorFloor)?;
        Self::gdp_as(mu, GdpForm::ErrorFloor(floor))
    }

    /// μ-GDP in this reading.
    ///
    /// # Errors
    /// If a number is out of its range.
    #[doc(hidden)]
    pub fn gdp_as(mu: impl Exact, form: GdpForm) -> Result<Self, OutOfRange> {
        Ok(Self(StatedClaim::Gdp {
            mu: number("mu", mu, Domain::NonNegative)?,
            form: form.checked()?,
        }))
    }

    /// ρ-zCDP, `rho ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn zcdp(rho: impl Exact) -> Result<Self, OutOfRange> {
        let rho = number("rho", rho, Domain::NonNegative)?;
        Ok(Self(StatedClaim::Zcdp { rho }))
    }

    /// The Rényi divergence of this order, above 1, is at most ε ≥ 0.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn rdp(order: impl Exact, epsilon: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedClaim::Rdp {
            order: number("order", order, Domain::AboveOne)?,
            epsilon: number("epsilon", epsilon, Domain::NonNegative)?,
        }))
    }

    /// The membership advantage δ(0) is at most this.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn advantage(at_most: impl Exact) -> Result<Self, OutOfRange> {
        let at_most = number("at-most", at_most, Domain::NonNegative)?;
        Ok(Self(StatedClaim::Advantage { at_most }))
    }

    /// f(α) ≥ β.
    ///
    /// # Errors
    /// If a number is out of [0, 1].
    pub fn trade_off(alpha: impl Exact, beta: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedClaim::TradeOff {
            alpha: number("alpha", alpha, Domain::Unit)?,
            beta: number("beta", beta, Domain::Unit)?,
        }))
    }

    /// Δ(M‖G_μ) ≤ at_most: the regret of reporting μ.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn regret(mu: impl Exact, at_most: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedClaim::Regret {
            mu: number("mu", mu, Domain::NonNegative)?,
            at_most: number("at-most", at_most, Domain::NonNegative)?,
        }))
    }

    /// Δ(other‖M) ≤ at_most.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn dominated_by(
        other: Mechanism,
        adjacency: Adjacency,
        at_most: impl Exact,
    ) -> Result<Self, OutOfRange> {
        Self::dominated_by_other(Other::new(other, adjacency), at_most)
    }

    /// As [`Claim::dominated_by`], of a mechanism that may be prepared.
    ///
    /// # Errors
    /// If a number is out of its range.
    #[doc(hidden)]
    pub fn dominated_by_other(other: Other, at_most: impl Exact) -> Result<Self, OutOfRange> {
        let at_most = number("at-most", at_most, Domain::NonNegative)?;
        Ok(Self(StatedClaim::DominatedBy { other, at_most }))
    }

    /// What it states.
    #[doc(hidden)]
    pub fn stated(&self) -> &StatedClaim {
        &self.0
    }

    /// The kind, as in a claim file.
    pub fn kind(&self) -> &'static str {
        match &self.0 {
            StatedClaim::PureDp { .. } => "pure-dp",
            StatedClaim::ApproxDp { .. } => "approx-dp",
            StatedClaim::Gdp { .. } => "gdp",
            StatedClaim::Regret { .. } => "regret",
            StatedClaim::Zcdp { .. } => "zcdp",
            StatedClaim::Rdp { .. } => "rdp",
            StatedClaim::Advantage { .. } => "advantage",
            StatedClaim::TradeOff { .. } => "trade-off",
            StatedClaim::DominatedBy { .. } => "dominated-by",
        }
    }

    /// Its numbers by their keys in a claim file, exactly.
    pub fn numbers(&self) -> Vec<(&'static str, &Rational)> {
        match &self.0 {
            StatedClaim::PureDp { epsilon } => vec![epsilon.entry()],
            StatedClaim::ApproxDp { epsilon, delta } => vec![epsilon.entry(), ("delta", delta)],
            StatedClaim::Gdp { mu, form } => match form {
                GdpForm::Strict => vec![("mu", mu)],
                GdpForm::Tolerance(tau) => vec![("mu", mu), ("tolerance", tau)],
                GdpForm::ErrorFloor(floor) => vec![("mu", mu), ("error-floor", floor)],
            },
            StatedClaim::Regret { mu, at_most } => vec![("mu", mu), ("at-most", at_most)],
            StatedClaim::Zcdp { rho } => vec![("rho", rho)],
            StatedClaim::Rdp { order, epsilon } => vec![("order", order), ("epsilon", epsilon)],
            StatedClaim::Advantage { at_most } | StatedClaim::DominatedBy { at_most, .. } => {
                vec![("at-most", at_most)]
            }
            StatedClaim::TradeOff { alpha, beta } => vec![("alpha", alpha), ("beta", beta)],
        }
    }

    /// What it bounds.
    ///
    /// δ(ε) = 0 says that the loss is never above ε; where e^ε is stated, it stays a point of the profile.
    #[doc(hidden)]
    pub fn query(&self) -> Query {
        Query::of(match &self.0 {
            StatedClaim::PureDp { epsilon } => match epsilon.stated() {
                StatedEpsilon::Number(_) => Quantity::MaxLoss,
                StatedEpsilon::Exp(_) => Quantity::Delta(epsilon.clone()),
            },
            StatedClaim::ApproxDp { epsilon, .. } => Quantity::Delta(epsilon.clone()),
            StatedClaim::Gdp { form, .. } => Quantity::GdpMu(form.clone()),
            StatedClaim::Regret { mu, .. } => Quantity::Regret {
                mu: mu.clone(),
                gaussian: Other::gaussian(mu),
            },
            StatedClaim::Zcdp { .. } => Quantity::ZcdpRho,
            StatedClaim::Rdp { order, .. } => Quantity::Renyi {
                order: RenyiOrder::Finite(order.clone()),
            },
            StatedClaim::Advantage { .. } => Quantity::Advantage,
            StatedClaim::TradeOff { alpha, .. } => Quantity::TradeOff {
                alpha: alpha.clone(),
            },
            // Every question starts afresh, so that its answer does not depend on earlier ones.
            StatedClaim::DominatedBy { other, .. } => Quantity::Divergence {
                other: Other::new(other.mechanism().clone(), other.adjacency()),
                contrast: Contrast::From,
            },
        })
    }
}
