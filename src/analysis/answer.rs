//! When a question is answered well enough, and what comes back.

use rug::{Float, Rational};

use crate::bounds::{Enclosure, Target};
use crate::kernel::Budget;

/// When an answer is good enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// When its enclosure is this narrow.
    Width(Target),
    /// When it is certain whether the quantity is ≤ `with` or > `with`.
    Compare {
        /// The number to compare with.
        with: Rational,
    },
}

/// What a computation may use.
pub struct Resources<'a> {
    /// Time and stop flag.
    pub budget: &'a Budget,
    /// Threads; no result depends on it.
    pub jobs: usize,
    /// Called before each refinement.
    pub progress: &'a dyn Fn(Progress),
}

/// Where a long computation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Refinements done so far.
    pub round: u32,
    /// Cells per law in the round about to start.
    pub cells: u64,
}

/// An enclosure with its provenance.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The certified bounds.
    pub enclosure: Enclosure,
    /// How they were found.
    pub method: Method,
    /// Whether the goal was reached.
    pub ending: Ending,
    /// A point that attains the certified side, where there is one.
    pub witness: Option<Witness>,
}

impl Answer {
    /// The answer about a class of which only one member and a bound of all are known.
    pub(super) fn of_class(mut self) -> Self {
        if self.ending == Ending::Exhausted {
            self.ending = Ending::DoesNotFollow;
        }
        self
    }
}

/// How an answer was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// A closed form or an exact finite law.
    ClosedForm,
    /// A theorem about the mechanism, in words.
    Theorem(String),
    /// Integer loss distributions on a lattice.
    Laws {
        /// Cells of the finest law used.
        cells: u64,
        /// Refinements done.
        rounds: u32,
    },
}

impl Method {
    /// How an answer was found that needs both.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Laws { cells, rounds },
                Self::Laws {
                    cells: more,
                    rounds: others,
                },
            ) => Self::Laws {
                cells: cells.max(more),
                rounds: rounds.max(others),
            },
            (laws @ Self::Laws { .. }, _) | (_, laws) => laws,
        }
    }
}

/// Why a computation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The goal was reached.
    Reached,
    /// The budget ended first: a larger one narrows the enclosure.
    OutOfTime,
    /// No refinement built into dpcmp narrows it further.
    Exhausted,
    /// What is stated about the mechanism does not determine the quantity any better.
    DoesNotFollow,
}

/// A place where a bound can be seen.
#[derive(Debug, Clone)]
pub enum Witness {
    /// δ at this ε.
    Epsilon(Float),
    /// This point of the trade-off curve: f(alpha) ≤ beta.
    Point {
        /// False-positive rate.
        alpha: Float,
        /// An upper bound of the trade-off function there.
        beta: Float,
    },
    /// The prior at which two Bayes errors differ most.
    Prior {
        /// Prior that the record is **absent**, rounded to nearest.
        prior: Float,
        /// ε = log(π/(1 − π)).
        epsilon: Float,
    },
    /// The order of a Rényi divergence; 1 is the limit t → 1.
    Order(Rational),
    /// A theorem, where the place is beyond any float.
    Theorem(String),
}

/// A mechanism or quantity that dpcmp cannot treat yet, or about which nothing follows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// Not built yet.
    #[error("not supported yet: {0}")]
    NotBuilt(String),
    /// The statement does not follow from what is stated about the mechanism.
    #[error("does not follow from what is known: {0}")]
    DoesNotFollow(String),
}

impl Unsupported {
    /// The word in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotBuilt(_) => "unsupported",
            Self::DoesNotFollow(_) => "does-not-follow",
        }
    }
}
