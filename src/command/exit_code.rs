//! What the exit code says.

/// Exit codes of every command. When several apply, the highest of 70 > 2 > 1 > 3 > 0 is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// 0: all claims verified; done.
    Done,
    /// 1: a claim was refuted, a certificate rejected, or an unsound accountant found.
    Refuted,
    /// 2: something could not be read or written, the command line is wrong, or no value reaches a target.
    BadInput,
    /// 3: a claim is undecided.
    Undecided,
    /// 70: dpcmp contradicts itself.
    Internal,
}

/// The section of `--help`; the README has the same lines.
pub const HELP: &str = "\
Exit codes (the highest of 70 > 2 > 1 > 3 > 0 that applies):
   0  all verified / done
   1  something was refuted, a certificate rejected, or an unsound accountant found
   2  bad input or usage, a target out of reach, or output that cannot be written
   3  something is undecided within the budget
  70  internal error: please report it";

impl ExitCode {
    /// Every code, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::Refuted,
        Self::BadInput,
        Self::Undecided,
        Self::Internal,
    ];

    /// The number given to the operating system.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refuted => 1,
            Self::BadInput => 2,
            Self::Undecided => 3,
            Self::Internal => 70,
        }
    }

    /// The code of two jobs done together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.severity() >= other.severity() {
            self
        } else {
            other
        }
    }

    fn severity(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Undecided => 1,
            Self::Refuted => 2,
            Self::BadInput => 3,
            Self::Internal => 4,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_that_applies() {
        let order = [
            ExitCode::Internal,
            ExitCode::BadInput,
            ExitCode::Refuted,
            ExitCode::Undecided,
            ExitCode::Done,
        ];
        for (rank, high) in order.iter().enumerate() {
            for low in order.iter().skip(rank) {
                assert_eq!(high.and(*low), *high);
                assert_eq!(low.and(*high), *high);
            }
        }
    }

    #[test]
    fn help_lists_exactly_the_codes() {
        let listed: Vec<u8> = HELP
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next()?.parse().ok())
            .collect();
        assert_eq!(listed, ExitCode::ALL.map(ExitCode::number));
    }
}
