//! Mechanisms, an entry for each kind.

mod combined;
mod known;
mod noise;
mod selection;
mod training;

use super::{Entry, Key, Shape, key, number};
use crate::mechanism::Domain;

const POSITIVE: Shape = Shape::Number(Domain::Positive);

const NON_NEGATIVE: Shape = Shape::Number(Domain::NonNegative);

const SIGMA: Key = key("sigma", POSITIVE, "standard deviation σ of the noise");

const NOISE_MULTIPLIER: Key = key(
    "noise-multiplier",
    POSITIVE,
    "σ over the record bound (clip norm)",
);

const OF: Key = key("of", Shape::Inside, "the mechanism");

const EPSILON_KEY: Key = key("epsilon", NON_NEGATIVE, "ε");

const EXP_EPSILON_KEY: Key = number(
    "exp-epsilon",
    Domain::AtLeastOne,
    "e^ε as an exact number, instead of ε",
);

/// Every kind of mechanism, in the order of the manual.
pub const MECHANISMS: &[Entry] = &[
    noise::GAUSSIAN,
    noise::LAPLACE,
    noise::DISCRETE_LAPLACE,
    noise::DISCRETE_GAUSSIAN,
    noise::SKELLAM,
    noise::NOISE_THRESHOLD,
    known::RANDOMIZED_RESPONSE,
    known::PURE_DP,
    known::APPROX_DP,
    known::GDP,
    known::ZCDP,
    known::RDP,
    known::FINITE,
    known::PROFILE,
    noise::GAUSSIAN_MIXTURE,
    noise::HISTOGRAM,
    combined::SUBSAMPLED,
    combined::COMPOSE,
    combined::MIXTURE,
    combined::GROUP,
    selection::EXPONENTIAL,
    selection::PERMUTE_AND_FLIP,
    selection::TOP_K,
    combined::PRIVATE_SELECTION,
    combined::SHUFFLED,
    combined::RANDOM_ALLOCATION,
    training::TREE_AGGREGATION,
    training::MATRIX_FACTORIZATION,
    training::DP_SGD,
    training::SHUFFLED_BATCHES,
];
