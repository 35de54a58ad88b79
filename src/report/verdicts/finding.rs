//! What became of one claim, or of an input that gave none, in few words.

use std::time::Duration;

use super::Unread;
use crate::input::ClaimEntry;
use crate::report::FileReport;
use crate::report::human::{details, finding};
use crate::report::printable::printable;
use crate::report::words;
use crate::verdict::{Outcome, Verdict};

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Shown to be true.
    Verified,
    /// Shown to be false.
    Refuted,
    /// Neither.
    Undecided,
    /// There was no claim to be read.
    Unread,
}

impl Found {
    pub fn of(verdict: &Verdict) -> Self {
        match verdict.outcome {
            Outcome::Verified { .. } => Self::Verified,
            Outcome::Refuted(_) => Self::Refuted,
            Outcome::Undecided(_) => Self::Undecided,
        }
    }

    /// In one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
            Self::Unread => "error",
        }
    }
}

/// One claim, or one input that gave none. All text is printable and on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// File name as given; the text of the operating system, not made printable.
    pub file: String,
    /// Where the claim or the error stands in it, from 1.
    pub place: Option<(usize, usize)>,
    /// The number of the claim in its file, from 1.
    pub number: Option<usize>,
    /// The verdict.
    pub found: Found,
    /// Is it true of every mechanism?
    pub vacuous: bool,
    /// The claim in the notation of papers, or the code of the error.
    pub what: String,
    /// What is known.
    pub text: String,
    /// Time taken.
    pub time: Duration,
}

impl Finding {
    /// Those of a claim file.
    pub fn all(report: &FileReport<'_>) -> Vec<Self> {
        let claims = report.claims.claims.iter().zip(report.verdicts);
        let times = report
            .times
            .iter()
            .copied()
            .chain(std::iter::repeat(Duration::ZERO));
        (1..)
            .zip(claims)
            .zip(times)
            .map(|((number, (entry, verdict)), time)| Self {
                file: report.file.to_owned(),
                place: Some((entry.line, entry.column)),
                number: Some(number),
                found: Found::of(verdict),
                vacuous: verdict.vacuous,
                what: printable(&words::claim(entry)),
                text: text(entry, verdict),
                time,
            })
            .collect()
    }

    /// Of an input that gave no verdicts.
    pub fn unread(unread: &Unread<'_>) -> Self {
        Self {
            file: unread.file.to_owned(),
            place: unread.place.or(unread.line.map(|line| (line, 1))),
            number: None,
            found: Found::Unread,
            vacuous: false,
            what: unread.code.to_owned(),
            text: printable(unread.advice),
            time: Duration::ZERO,
        }
    }
}

/// The finding and what stands below it, on one line.
pub(super) fn text(entry: &ClaimEntry, verdict: &Verdict) -> String {
    let mut parts = vec![finding(&words::quantity(entry, &verdict.query), verdict)];
    parts.extend(details(entry, verdict));
    printable(&parts.join("; "))
}
