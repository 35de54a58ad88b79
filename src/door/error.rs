//! Why there is no answer.

use std::fmt;

use crate::analysis::{Refusal, Unsupported};
use crate::input::{ErrorCode, InputError};
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::OutOfRange;
use crate::number::NumberError;
use crate::study::{CalibrationError, NoAnswer, NoComparison, NoCurve, NoReport};

/// Why there is no answer, with questions to tell the reasons apart.
///
/// ```
/// use dpcmp::{Claim, Mechanism};
///
/// let error = dpcmp::Error::from(Mechanism::gaussian(-1, 1).unwrap_err());
/// assert!(error.is_bad_input());
/// assert_eq!(error.to_string(), "`sigma` must be greater than 0");
///
/// let error = Mechanism::from_text("kind = 'gaussian'\nsigm = 2").unwrap_err();
/// assert_eq!(error.place(), Some((2, 1)));
/// assert_eq!(error.hint(), Some("did you mean `sigma`?"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    reason: Reason,
    message: String,
    details: Option<Box<Details>>,
}

/// What is known of a wrong input beside the message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    code: &'static str,
    /// The message without its place.
    message: String,
    place: Option<(usize, usize)>,
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    BadInput,
    Unsupported,
    OutOfTime,
    Bug,
}

impl Error {
    fn new(reason: Reason, message: impl fmt::Display) -> Self {
        Self {
            reason,
            message: message.to_string(),
            details: None,
        }
    }

    fn with_details(self, details: Details) -> Self {
        Self {
            details: Some(Box::new(details)),
            ..self
        }
    }

    pub(super) fn bad_input(message: impl fmt::Display) -> Self {
        Self::new(Reason::BadInput, message)
    }

    #[cfg(feature = "certificates")]
    pub(super) fn unsupported(message: impl fmt::Display) -> Self {
        Self::new(Reason::Unsupported, message)
    }

    /// Is a number or a text given to dpcmp wrong?
    pub fn is_bad_input(&self) -> bool {
        self.reason == Reason::BadInput
    }

    /// Is the question one that dpcmp has no answer to, however long it takes?
    pub fn is_unsupported(&self) -> bool {
        self.reason == Reason::Unsupported
    }

    /// Did the time end, or was the work stopped, before there was any answer? More time helps.
    pub fn is_out_of_time(&self) -> bool {
        self.reason == Reason::OutOfTime
    }

    /// Line and column of what is wrong in a text, both from 1, the column in characters.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.details.as_ref()?.place
    }

    /// What is wrong, without its place.
    pub fn what(&self) -> &str {
        let details = self.details.as_ref();
        details.map_or(&self.message, |details| &details.message)
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.details.as_ref()?.hint.as_deref()
    }

    /// The kind of a wrong input, a word that is stable for programs, such as `unknown-key`.
    pub fn code(&self) -> Option<&'static str> {
        Some(self.details.as_ref()?.code)
    }

    /// Does dpcmp contradict itself? Then please report it; no result of it is given.
    pub fn is_bug(&self) -> bool {
        self.reason == Reason::Bug
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<OutOfRange> for Error {
    fn from(error: OutOfRange) -> Self {
        let details = Details {
            code: ErrorCode::Range.as_str(),
            message: error.to_string(),
            place: None,
            hint: error.advice().map(str::to_owned),
        };
        Self::bad_input(error).with_details(details)
    }
}

impl From<NumberError> for Error {
    fn from(error: NumberError) -> Self {
        let code = ErrorCode::Number;
        let details = Details {
            code: code.as_str(),
            message: error.to_string(),
            place: None,
            hint: Some(code.usual_step().to_owned()),
        };
        Self::bad_input(error).with_details(details)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        let details = Details {
            code: error.code().as_str(),
            message: error.message().to_owned(),
            place: Some((error.line(), error.column())),
            hint: error.help().map(str::to_owned),
        };
        Self::bad_input(error).with_details(details)
    }
}

impl From<Unsupported> for Error {
    fn from(why: Unsupported) -> Self {
        Self::new(Reason::Unsupported, why)
    }
}

impl From<InvariantViolation> for Error {
    fn from(violation: InvariantViolation) -> Self {
        Self::new(Reason::Bug, violation)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Self::out_of_time(&failure),
            Failure::Invariant(violation) => violation.into(),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => why.into(),
            Refusal::Failure(failure) => failure.into(),
        }
    }
}

impl From<NoAnswer> for Error {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Unsupported(why) => why.into(),
            NoAnswer::Internal(violation) => violation.into(),
        }
    }
}

impl From<NoComparison> for Error {
    fn from(why: NoComparison) -> Self {
        match &why {
            NoComparison::Unsupported(..) => Self::new(Reason::Unsupported, why),
            NoComparison::OutOfTime => Self::out_of_time(&why),
            NoComparison::Internal(_) => Self::new(Reason::Bug, why),
        }
    }
}

impl From<NoReport> for Error {
    fn from(why: NoReport) -> Self {
        match &why {
            NoReport::Unsupported(_) => Self::new(Reason::Unsupported, why),
            NoReport::OutOfTime => Self::out_of_time(&why),
            NoReport::Internal(_) => Self::new(Reason::Bug, why),
        }
    }
}

impl From<NoCurve> for Error {
    fn from(why: NoCurve) -> Self {
        match &why {
            NoCurve::Place(_) => Self::bad_input(why),
            NoCurve::Unsupported(_) => Self::new(Reason::Unsupported, why),
            NoCurve::OutOfTime => Self::out_of_time(&why),
            NoCurve::Internal(_) => Self::new(Reason::Bug, why),
        }
    }
}

impl From<CalibrationError> for Error {
    fn from(why: CalibrationError) -> Self {
        match &why {
            CalibrationError::OutOfTime => Self::out_of_time(&why),
            CalibrationError::Unsupported(_) => Self::new(Reason::Unsupported, why),
            CalibrationError::Internal(_) => Self::new(Reason::Bug, why),
            CalibrationError::Input(error) => (**error).clone().into(),
            CalibrationError::UnknownKey { .. }
            | CalibrationError::EitherWay { .. }
            | CalibrationError::NothingToSolve
            | CalibrationError::TooFine { .. }
            | CalibrationError::Unreachable(_)
            | CalibrationError::NoValue { .. }
            | CalibrationError::NotMonotone { .. }
            | CalibrationError::OneDirection
            | CalibrationError::OtherOrder
            | CalibrationError::NoStandard { .. }
            | CalibrationError::OtherKey { .. }
            | CalibrationError::NoProfile { .. } => Self::bad_input(why),
        }
    }
}

impl Error {
    fn out_of_time(why: &impl fmt::Display) -> Self {
        Self::new(Reason::OutOfTime, why)
    }
}
