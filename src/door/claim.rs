//! What is claimed about a mechanism, checked.

use rug::Rational;

use super::Error;
use crate::input::{self, ClaimEntry, GdpForm, MechanismFile};
use crate::mechanism::{Adjacency, Domain, ExactEpsilon, Mechanism};
use crate::number::{Exact, exact};

/// A reported guarantee. Every inequality is non-strict: a claim that holds with equality is true.
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
pub struct Claim(pub(super) input::Claim);

impl Claim {
    /// A claim as the command line reads it, `kind:key=value,…`, with the kinds and keys of a claim file.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(Self(input::Claim::from_argument(text)?))
    }

    /// δ(ε) = 0: ε-DP, `epsilon ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range, as below.
    pub fn pure_dp(epsilon: impl ExactEpsilon) -> Result<Self, Error> {
        let epsilon = epsilon.exact_epsilon()?.non_negative()?;
        Ok(Self(input::Claim::PureDp { epsilon }))
    }

    /// δ(ε) ≤ δ: (ε, δ)-DP, `delta ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn approx_dp(epsilon: impl ExactEpsilon, delta: impl Exact) -> Result<Self, Error> {
        Ok(Self(input::Claim::ApproxDp {
            epsilon: epsilon.exact_epsilon()?,
            delta: number("delta", delta, Domain::NonNegative)?,
        }))
    }

    /// G_μ ≤ f everywhere: strict μ-GDP, `mu ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp(mu: impl Exact) -> Result<Self, Error> {
        gdp(mu, GdpForm::Strict)
    }

    /// Δ(G_μ‖M) ≤ τ: μ-GDP up to a tolerance in (0, 1/2).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp_up_to(mu: impl Exact, tolerance: impl Exact) -> Result<Self, Error> {
        let tolerance = number("tolerance", tolerance, Domain::Tolerance)?;
        if tolerance == 0 {
            return gdp(mu, GdpForm::Strict);
        }
        gdp(mu, GdpForm::Tolerance(tolerance))
    }

    /// f(α) ≥ G_μ(α) wherever both errors are at least `floor`, in (0, 1/2).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp_above(mu: impl Exact, floor: impl Exact) -> Result<Self, Error> {
        let floor = number("error-floor", floor, Domain::ErrorFloor)?;
        gdp(mu, GdpForm::ErrorFloor(floor))
    }

    /// ρ-zCDP, `rho ≥ 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn zcdp(rho: impl Exact) -> Result<Self, Error> {
        let rho = number("rho", rho, Domain::NonNegative)?;
        Ok(Self(input::Claim::Zcdp { rho }))
    }

    /// The Rényi divergence of this order, above 1, is at most ε ≥ 0.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn rdp(order: impl Exact, epsilon: impl Exact) -> Result<Self, Error> {
        Ok(Self(input::Claim::Rdp {
            order: number("order", order, Domain::AboveOne)?,
            epsilon: number("epsilon", epsilon, Domain::NonNegative)?,
        }))
    }

    /// The membership advantage δ(0) is at most this.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn advantage(at_most: impl Exact) -> Result<Self, Error> {
        let at_most = number("at-most", at_most, Domain::NonNegative)?;
        Ok(Self(input::Claim::Advantage { at_most }))
    }

    /// f(α) ≥ β.
    ///
    /// # Errors
    /// If a number is out of [0, 1].
    pub fn trade_off(alpha: impl Exact, beta: impl Exact) -> Result<Self, Error> {
        Ok(Self(input::Claim::TradeOff {
            alpha: number("alpha", alpha, Domain::Unit)?,
            beta: number("beta", beta, Domain::Unit)?,
        }))
    }

    /// Δ(M‖G_μ) ≤ at_most: the regret of reporting μ.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn regret(mu: impl Exact, at_most: impl Exact) -> Result<Self, Error> {
        Ok(Self(input::Claim::Regret {
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
    ) -> Result<Self, Error> {
        Ok(Self(input::Claim::DominatedBy {
            mechanism: Box::new(file(other, adjacency)),
            at_most: number("at-most", at_most, Domain::NonNegative)?,
        }))
    }

    /// The kind, as in a claim file.
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Its numbers by their keys in a claim file, exactly.
    pub fn numbers(&self) -> Vec<(&'static str, &Rational)> {
        match &self.0 {
            input::Claim::PureDp { epsilon } => vec![epsilon.entry()],
            input::Claim::ApproxDp { epsilon, delta } => {
                vec![epsilon.entry(), ("delta", delta)]
            }
            input::Claim::Gdp { mu, form } => match form {
                GdpForm::Strict => vec![("mu", mu)],
                GdpForm::Tolerance(tau) => vec![("mu", mu), ("tolerance", tau)],
                GdpForm::ErrorFloor(floor) => vec![("mu", mu), ("error-floor", floor)],
            },
            input::Claim::Regret { mu, at_most } => vec![("mu", mu), ("at-most", at_most)],
            input::Claim::Zcdp { rho } => vec![("rho", rho)],
            input::Claim::Rdp { order, epsilon } => vec![("order", order), ("epsilon", epsilon)],
            input::Claim::Advantage { at_most } | input::Claim::DominatedBy { at_most, .. } => {
                vec![("at-most", at_most)]
            }
            input::Claim::TradeOff { alpha, beta } => vec![("alpha", alpha), ("beta", beta)],
        }
    }

    /// The claim as if it stood in a file.
    pub(super) fn entry(&self) -> ClaimEntry {
        let numbers = self.numbers().into_iter();
        ClaimEntry {
            claim: self.0.clone(),
            line: 1,
            column: 1,
            numbers: numbers
                .map(|(key, value)| (key.to_owned(), exact(value)))
                .collect(),
        }
    }
}

fn gdp(mu: impl Exact, form: GdpForm) -> Result<Claim, Error> {
    let mu = number("mu", mu, Domain::NonNegative)?;
    Ok(Claim(input::Claim::Gdp { mu, form }))
}

pub(super) fn number(
    key: &'static str,
    value: impl Exact,
    domain: Domain,
) -> Result<Rational, Error> {
    Ok(domain.check(key, value.exact()?)?)
}

/// A mechanism as if it stood in a file.
pub(super) fn file(mechanism: Mechanism, adjacency: Adjacency) -> MechanismFile {
    MechanismFile {
        summary: mechanism.kind().name().as_str().to_owned(),
        mechanism,
        adjacency,
        notes: Vec::new(),
    }
}
