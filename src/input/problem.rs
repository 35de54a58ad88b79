//! What is wrong with an input, while only the place inside the text is known.

use std::{fmt, ops::Range};

use super::error::InputError;

/// The kind of an input error, printed as `code` in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The input is larger than dpcmp reads, or its numbers take too much memory.
    TooLarge,
    /// The bytes are not UTF-8.
    Encoding,
    /// Not TOML, not JSON, or nested too deeply.
    Syntax,
    /// A key that does not exist here.
    UnknownKey,
    /// A key that must be there is not.
    MissingKey,
    /// The same key twice.
    DuplicateKey,
    /// Keys that exclude one another.
    Conflict,
    /// A table where a number should be, and the like.
    WrongType,
    /// Text that is not an exact number.
    Number,
    /// A number outside its range.
    Range,
    /// A mechanism, claim or query kind that does not exist.
    UnknownKind,
    /// A set of statements that no mechanism satisfies.
    Infeasible,
    /// Something that exists but that dpcmp cannot read.
    Unsupported,
    /// A file that is named and cannot be read.
    Unreadable,
}

impl ErrorCode {
    /// The code as printed.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::TooLarge => "too-large",
            ErrorCode::Encoding => "encoding",
            ErrorCode::Syntax => "syntax",
            ErrorCode::UnknownKey => "unknown-key",
            ErrorCode::MissingKey => "missing-key",
            ErrorCode::DuplicateKey => "duplicate-key",
            ErrorCode::Conflict => "conflict",
            ErrorCode::WrongType => "wrong-type",
            ErrorCode::Number => "number",
            ErrorCode::Range => "range",
            ErrorCode::UnknownKind => "unknown-kind",
            ErrorCode::Infeasible => "infeasible",
            ErrorCode::Unsupported => "unsupported",
            ErrorCode::Unreadable => "unreadable",
        }
    }

    /// What to do next where the error itself does not know it better.
    pub(crate) fn usual_step(self) -> &'static str {
        match self {
            ErrorCode::TooLarge => {
                "give less at once: several files, fewer entries, or numbers with fewer digits"
            }
            ErrorCode::Encoding => "save it as UTF-8",
            ErrorCode::Syntax => {
                "`dpcmp help claims` has an example of every kind, and `dpcmp init` writes a file"
            }
            ErrorCode::UnknownKey
            | ErrorCode::MissingKey
            | ErrorCode::Conflict
            | ErrorCode::WrongType
            | ErrorCode::UnknownKind => {
                "`dpcmp help claims` has every key with an example, `dpcmp help bound` the queries"
            }
            ErrorCode::DuplicateKey => "keep one of them",
            ErrorCode::Number => {
                "numbers are decimals, such as 0.1 or \"1e-5\", and fractions, such as \"1/3\""
            }
            ErrorCode::Range => {
                "write a value of that range; `dpcmp help claims` says what each key is, `dpcmp help bound` what queries take"
            }
            ErrorCode::Infeasible => "compare the numbers with those that were published",
            ErrorCode::Unsupported => "`dpcmp help claims` has what can be stated",
            ErrorCode::Unreadable => "names are looked up beside the file that has them",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// An error at a byte range of the text being read; [`super::source::Source::locate`] makes it an
/// [`super::InputError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub code: ErrorCode,
    pub message: String,
    /// Stands beside the underlined text.
    pub label: String,
    /// What to do next.
    pub help: Option<String>,
    pub span: Range<usize>,
    /// The error, if it is in a file that the text names at that place.
    pub elsewhere: Option<InputError>,
}

impl Problem {
    pub fn new(code: ErrorCode, span: &Range<usize>, message: impl Into<String>) -> Self {
        Problem {
            code,
            message: message.into(),
            label: String::new(),
            help: None,
            span: span.clone(),
            elsewhere: None,
        }
    }

    /// What is wrong with the file that is named at this place.
    pub fn in_another_file(error: InputError, span: &Range<usize>) -> Self {
        Problem {
            elsewhere: Some(error.clone()),
            ..Self::new(error.code(), span, error.message())
        }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
