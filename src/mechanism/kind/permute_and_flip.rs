//! `permute-and-flip`: one of several candidates, chosen by its score.

use super::selection::{ScoreRange, choice_by_score};
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::NoisyMax;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::steps::Steps;

choice_by_score! {
    /// Permute-and-flip, which is report-noisy-max with exponential noise: candidates in random order, each accepted with probability e^{η·(score − best)}.
    PermuteAndFlip,
    "permute-and-flip",
    NoisyMax
}
