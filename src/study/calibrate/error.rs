//! Why there is no calibration.

use rug::Rational;

use crate::input::InputError;
use crate::kernel::InvariantViolation;

/// Why there is no calibration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// The mechanism cannot be read.
    #[error("{0}")]
    Input(Box<InputError>),
    /// It is not known which way privacy goes with this parameter.
    #[error("cannot solve for `{key}`; parameters that can be solved for are {known}")]
    UnknownKey {
        /// The parameter.
        key: String,
        /// Those that can be solved for.
        known: String,
    },
    /// Privacy is known not to go one way with this parameter, or it is not known that it does.
    #[error(
        "cannot solve for `{key}`: it is not known that privacy goes one way with it in this mechanism"
    )]
    EitherWay {
        /// The parameter.
        key: String,
    },
    /// The targets are true of every mechanism.
    #[error("the target is true of every mechanism, so there is nothing to solve for")]
    NothingToSolve,
    /// The relative width asked for is below 10^−`finest`.
    #[error("a calibration goes no further than a relative width of 1e-{finest}")]
    TooFine {
        /// Digits to which a value is found at most.
        finest: u32,
    },
    /// No mechanism meets the targets, and why; or none with noise.
    #[error("{0}")]
    Unreachable(String),
    /// No value in the range is certified to meet the targets, and more time does not help.
    #[error(
        "no value of `{key}` between {least} and {most} is certain to meet the target: try a weaker one, or solve for another key"
    )]
    NoValue {
        /// The parameter.
        key: String,
        /// The least value that was looked at.
        least: Rational,
        /// The largest.
        most: Rational,
    },
    /// A value meets the targets, and a more private one misses them.
    #[error(
        "`{key}` is not monotone: {meets} meets the target, and {misses}, on the private side of it, misses it"
    )]
    NotMonotone {
        /// The parameter.
        key: String,
        /// Certified to meet the targets.
        meets: Rational,
        /// Certified to miss one.
        misses: Rational,
    },
    /// No value is certified to meet the targets, as the mechanism cannot be treated, for this reason.
    #[error("{0}")]
    Unsupported(String),
    /// The time ended before a value was certified to meet the targets.
    #[error("the time ended before any value was certified to meet the target")]
    OutOfTime,
    /// (ε, δ) in one direction says nothing about attacks.
    #[error(
        "what (ε, δ) implies about attacks needs it in both directions, so that of the adjacency add-remove"
    )]
    OneDirection,
    /// Attack risks are of tests that a record was used, and the mechanism is stated for the other order.
    #[error(
        "tpr, accuracy, ppv and bayes-error are about tests that a record was used, and the adjacency add is the pair in the other order: `remove` is about the same neighbours"
    )]
    OtherOrder,
    /// There is no (ε, δ) at this δ that is what implies the targets.
    #[error(
        "no ε ≥ 0 at δ = {delta} is what implies the target; that takes targets that are attack risks: advantage, trade-off, tpr, accuracy, ppv, bayes-error"
    )]
    NoStandard {
        /// The δ.
        delta: Rational,
    },
    /// A table of profiles is about another parameter.
    #[error("the table is about `{table}`, not `{key}`")]
    OtherKey {
        /// The parameter of the table.
        table: String,
        /// The parameter asked for.
        key: String,
    },
    /// No profile of a table implies the targets.
    #[error("the profile of no value of `{key}` in the table implies the target")]
    NoProfile {
        /// The parameter.
        key: String,
    },
    /// dpcmp contradicts itself.
    #[error("{0}")]
    Internal(InvariantViolation),
}

impl CalibrationError {
    /// Would more time help?
    pub fn is_out_of_time(&self) -> bool {
        matches!(self, Self::OutOfTime)
    }
}

impl From<InputError> for CalibrationError {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}

impl From<InvariantViolation> for CalibrationError {
    fn from(violation: InvariantViolation) -> Self {
        Self::Internal(violation)
    }
}
