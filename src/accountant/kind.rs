//! What can be wrong with an answer.

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A guarantee that the mechanism does not have, confirmed by an independent computation.
    Unsound,
    /// The same, where only dpcmp's own enclosures say so.
    Unconfirmed,
    /// The optimistic end of an interval does not bound the truth.
    FalseEnd,
    /// NaN, a number that cannot be what was asked for, an interval upside down, a line that is no answer.
    Nonsense,
    /// Two of its intervals do not go together: one of them is false.
    Contradiction,
    /// An error, or the end of the process.
    Crash,
    /// No answer in time.
    Timeout,
    /// Two of its guarantees do not go together: one of them is false or worse than it need be.
    Uneven,
    /// True, and worse than the truth by more than a stated factor.
    Loose,
}

impl Kind {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Unsound,
        Self::Unconfirmed,
        Self::FalseEnd,
        Self::Nonsense,
        Self::Contradiction,
        Self::Crash,
        Self::Timeout,
        Self::Uneven,
        Self::Loose,
    ];

    /// The word in files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsound => "unsound",
            Self::Unconfirmed => "unconfirmed",
            Self::FalseEnd => "false-end",
            Self::Nonsense => "nonsense",
            Self::Contradiction => "contradiction",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Uneven => "uneven",
            Self::Loose => "loose",
        }
    }
}
