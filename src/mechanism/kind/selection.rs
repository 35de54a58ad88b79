//! How much a record can move the scores that a selection is made by.

use rug::Rational;

use super::{Parameter, entry_of};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::domain::{Domain, OutOfRange};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// ε of a selection, or the scores that it follows from.
///
/// It is the largest change of the log-odds between two candidates: η·(max d − min d) where a record moves the scores by dᵢ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScoreRange {
    /// ε itself, under whichever neighbouring relation is asked about.
    Epsilon(Epsilon),
    /// Weights e^{η·score}: ε = 2·η·sensitivity, or η·sensitivity where a record raises all scores or lowers none.
    Scores {
        /// η > 0.
        eta: Rational,
        /// How far a record that is added or removed moves a score, above 0.
        sensitivity: Rational,
        /// Does a record that is added move all scores in one direction?
        monotone: bool,
    },
}

impl ScoreRange {
    /// # Errors
    /// If a number is out of its range.
    pub(super) fn checked(self) -> Result<Self, OutOfRange> {
        Ok(match self {
            Self::Epsilon(epsilon) => Self::Epsilon(epsilon.non_negative()?),
            Self::Scores {
                eta,
                sensitivity,
                monotone,
            } => Self::Scores {
                eta: Domain::Positive.check("eta", eta)?,
                sensitivity: Domain::Positive.check("sensitivity", sensitivity)?,
                monotone,
            },
        })
    }

    /// ε under a relation.
    ///
    /// # Errors
    /// If only what an added or removed record does is known, and records are replaced.
    pub(super) fn under(&self, relation: Relation) -> Result<Epsilon, OutOfRange> {
        match (self, relation) {
            (Self::Epsilon(epsilon), _) => Ok(epsilon.clone()),
            (
                Self::Scores {
                    eta,
                    sensitivity,
                    monotone,
                },
                Relation::Presence | Relation::ReplaceSpecial,
            ) => {
                let one = Rational::from(eta * sensitivity);
                Ok(Epsilon::from(if *monotone { one } else { one * 2u32 }))
            }
            (Self::Scores { .. }, Relation::ReplaceOne) => Err(OutOfRange::sentence(
                "adjacency",
                "how far the scores move when a record is replaced does not follow from their `sensitivity`",
            )
            .help("state `epsilon`, the most by which the log-odds of two candidates change")),
        }
    }

    pub(super) fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        match self {
            Self::Epsilon(epsilon) => vec![entry_of(epsilon)],
            Self::Scores {
                eta,
                sensitivity,
                monotone,
            } => vec![
                ("eta", Parameter::Number(eta)),
                ("sensitivity", Parameter::Number(sensitivity)),
                ("monotone", Parameter::Flag(*monotone)),
            ],
        }
    }

    /// The normal form: one run of the selection with this ε.
    ///
    /// # Errors
    /// As [`ScoreRange::under`].
    pub(super) fn steps(
        &self,
        relation: Relation,
        run: impl FnOnce(Epsilon) -> ClosedPair,
    ) -> Result<Steps, OutOfRange> {
        let epsilon = self.under(relation)?;
        if epsilon.is_zero() {
            return Ok(Steps::nothing());
        }
        Ok(Steps::one(Step::Closed(run(epsilon)), Conditions::NONE))
    }

    /// "ε = 1", or "η = 1/2, sensitivity 1".
    pub(super) fn words(&self) -> String {
        match self {
            Self::Epsilon(epsilon) => format!("ε = {}", epsilon.words()),
            Self::Scores {
                eta,
                sensitivity,
                monotone,
            } => {
                let monotone = if *monotone { ", monotone" } else { "" };
                let (eta, sensitivity) = (short(eta), short(sensitivity));
                format!("η = {eta}, sensitivity {sensitivity}{monotone}")
            }
        }
    }
}

/// A kind that chooses one of several candidates by their scores, and has no other parameters: its name, what it is called, and one run of it.
macro_rules! choice_by_score {
    ($(#[$what:meta])* $kind:ident, $words:literal, $run:ident) => {
        $(#[$what])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $kind {
            range: ScoreRange,
        }

        impl $kind {
            /// `epsilon ≥ 0`, or `eta > 0` and `sensitivity > 0`.
            ///
            /// # Errors
            /// If a number is out of its range.
            pub fn new(range: ScoreRange) -> Result<Self, OutOfRange> {
                Ok(Self {
                    range: range.checked()?,
                })
            }

            /// How much a record can move the scores.
            pub fn range(&self) -> &ScoreRange {
                &self.range
            }
        }

        impl Describe for $kind {
            fn words(&self) -> String {
                format!(concat!($words, " {}"), self.range.words())
            }

            fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
                self.range.parameters()
            }

            fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
                self.range.steps(relation, |epsilon| $run::new(epsilon).into())
            }
        }
    };
}

pub(super) use choice_by_score;
