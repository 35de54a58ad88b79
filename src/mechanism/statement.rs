//! The readings of a statement about privacy: of μ-GDP, of the order of a Rényi divergence, of a density on priors.

use rug::Rational;

use super::domain::{Domain, OutOfRange, exact};
use crate::number::Exact;

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

impl GdpForm {
    /// The same, if its number is in its range; a tolerance of 0 is the strict statement.
    ///
    /// # Errors
    /// If it is not.
    pub fn checked(self) -> Result<Self, OutOfRange> {
        match &self {
            Self::Strict => {}
            Self::Tolerance(tolerance) if *tolerance == 0 => return Ok(Self::Strict),
            Self::Tolerance(tolerance) => Domain::Tolerance.hold("tolerance", tolerance)?,
            Self::ErrorFloor(floor) => Domain::ErrorFloor.hold("error-floor", floor)?,
        }
        Ok(self)
    }
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
/// selection", where it is called a hyper-prior). An invalid one cannot exist.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::Prior;
///
/// assert_eq!(Prior::jeffreys(), Prior::beta("1/2", "1/2")?);
/// assert!(Prior::beta(0, 1).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior(PriorShape);

/// What a [`Prior`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriorShape {
    /// 1 everywhere: the plain Δ-divergence.
    Uniform,
    /// π^{a−1}(1 − π)^{b−1}/B(a, b), with a, b > 0.
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
    /// 1 everywhere: the plain Δ-divergence.
    pub fn uniform() -> Self {
        Self(PriorShape::Uniform)
    }

    /// Jeffreys' prior Beta(½, ½), infinite at both ends.
    pub fn jeffreys() -> Self {
        let half = Rational::from((1, 2));
        Self(PriorShape::Beta {
            a: half.clone(),
            b: half,
        })
    }

    /// 12(π − ½)².
    pub fn u_quadratic() -> Self {
        Self(PriorShape::UQuadratic)
    }

    /// π^{a−1}(1 − π)^{b−1}/B(a, b).
    ///
    /// # Errors
    /// If a number is not above 0.
    pub fn beta(a: impl Exact, b: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(PriorShape::Beta {
            a: Domain::Positive.check("a", exact("a", a)?)?,
            b: Domain::Positive.check("b", exact("b", b)?)?,
        }))
    }

    /// Linear between these points (π, density); 0 beyond the first and the last.
    ///
    /// # Errors
    /// If there are fewer than two, π is out of [0, 1] or does not increase, or a density is below 0.
    pub fn table(points: Vec<(Rational, Rational)>) -> Result<Self, OutOfRange> {
        for (index, (prior, density)) in points.iter().enumerate() {
            let at = |error: OutOfRange| error.at(index);
            Domain::Unit.hold("points", prior).map_err(at)?;
            Domain::NonNegative.hold("points", density).map_err(at)?;
        }
        if points.len() < 2 {
            let message = "a prior table needs at least two points";
            return Err(OutOfRange::sentence("points", message));
        }
        let pairs = points.iter().zip(points.iter().skip(1));
        for (index, (left, right)) in (1..).zip(pairs) {
            if left.0 >= right.0 {
                let message = "the priors of a table must increase";
                return Err(OutOfRange::sentence("points", message).at(index));
            }
        }
        Ok(Self(PriorShape::Table(points)))
    }

    /// What it is.
    #[doc(hidden)]
    pub fn shape(&self) -> &PriorShape {
        &self.0
    }
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
