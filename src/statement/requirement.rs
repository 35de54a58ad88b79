//! What a calibration must meet: a claim, or an attack risk in the words of those who measure attacks.

use rug::Rational;

use super::{Claim, Quantity, Query, number};
use crate::mechanism::{Domain, Epsilon, ExactEpsilon, OutOfRange};
use crate::number::Exact;

/// What a mechanism must satisfy. Every inequality is non-strict. An invalid one cannot exist.
///
/// An attack on membership has a false-positive rate (FPR) and a true-positive rate (TPR = 1 − FNR).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement(StatedRequirement);

/// What a [`Requirement`] states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatedRequirement {
    /// A claim is true.
    Claim(Claim),
    /// No attack with this FPR has a higher TPR, accuracy or positive predictive value, also none that draws by chance which neighbours it tells apart.
    AtFpr {
        /// What is measured.
        measure: Measure,
        /// In [0, 1].
        fpr: Rational,
        /// In [0, 1].
        at_most: Rational,
    },
    /// R(π) ≥ at_least: no attack errs less on average.
    BayesError {
        /// Prior that the record is **absent**, in [0, 1].
        prior: Rational,
        /// In [0, 1].
        at_least: Rational,
    },
    /// δ(log u) ≤ δ: a point of the privacy profile at which e^ε is given exactly.
    Profile {
        /// log u.
        epsilon: Epsilon,
        /// ≥ 0.
        delta: Rational,
    },
}

/// How the success of an attack at a false-positive rate is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// 1 − β.
    TruePositiveRate,
    /// ½(1 − α) + ½(1 − β): as many members as non-members.
    Accuracy,
    /// (1 − β)/(1 − β + α), the precision: as many members as non-members.
    PositivePredictiveValue,
}

impl Measure {
    /// The false-positive rates at which it bounds attacks.
    pub fn rates(self) -> Domain {
        match self {
            Self::TruePositiveRate | Self::Accuracy => Domain::Unit,
            Self::PositivePredictiveValue => Domain::Rate,
        }
    }
}

impl Requirement {
    /// No attack with this FPR does better, also none that draws by chance which neighbours it tells apart (f is convex).
    ///
    /// # Errors
    /// If a number is out of [0, 1], or `fpr` is 0 for a precision: there it has no value, or is 1, whatever it is at the rates next to 0. A bound
    /// of the precision at every rate is a largest loss: `pure-dp` with e^ε = m/(1 − m).
    pub fn at_fpr(
        measure: Measure,
        fpr: impl Exact,
        at_most: impl Exact,
    ) -> Result<Self, OutOfRange> {
        Ok(Self(StatedRequirement::AtFpr {
            measure,
            fpr: number("fpr", fpr, measure.rates())?,
            at_most: number("at-most", at_most, Domain::Unit)?,
        }))
    }

    /// No attack errs less on average.
    ///
    /// # Errors
    /// If a number is out of [0, 1].
    pub fn bayes_error(prior: impl Exact, at_least: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedRequirement::BayesError {
            prior: number("prior", prior, Domain::Unit)?,
            at_least: number("at-least", at_least, Domain::Unit)?,
        }))
    }

    /// A point of the privacy profile.
    ///
    /// # Errors
    /// If δ is below 0.
    pub fn profile(epsilon: impl ExactEpsilon, delta: impl Exact) -> Result<Self, OutOfRange> {
        Ok(Self(StatedRequirement::Profile {
            epsilon: epsilon.exact_epsilon()?,
            delta: number("delta", delta, Domain::NonNegative)?,
        }))
    }

    /// What it states.
    pub fn stated(&self) -> &StatedRequirement {
        &self.0
    }

    /// The claim that must be true, if it is stated as one.
    pub fn claim(&self) -> Option<&Claim> {
        match &self.0 {
            StatedRequirement::Claim(claim) => Some(claim),
            StatedRequirement::AtFpr { .. }
            | StatedRequirement::BayesError { .. }
            | StatedRequirement::Profile { .. } => None,
        }
    }

    /// What it bounds.
    pub fn query(&self) -> Query {
        match &self.0 {
            StatedRequirement::Claim(claim) => claim.query(),
            StatedRequirement::AtFpr { fpr, .. } => {
                Query::of(Quantity::TradeOff { alpha: fpr.clone() })
            }
            StatedRequirement::BayesError { prior, .. } => Query::of(Quantity::BayesError {
                prior: prior.clone(),
            }),
            StatedRequirement::Profile { epsilon, .. } => {
                Query::of(Quantity::Delta(epsilon.clone()))
            }
        }
    }
}

impl From<Claim> for Requirement {
    fn from(claim: Claim) -> Self {
        Self(StatedRequirement::Claim(claim))
    }
}
