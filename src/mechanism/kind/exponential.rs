//! `exponential`: one of several candidates, chosen by its score.

use super::selection::{ScoreRange, choice_by_score};
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::Selection;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::steps::Steps;

choice_by_score! {
    /// The exponential mechanism: candidate i is chosen with probability proportional to e^{η·scoreᵢ}.
    Exponential,
    "exponential mechanism",
    Selection
}
