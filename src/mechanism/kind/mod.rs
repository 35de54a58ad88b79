//! The kinds of mechanisms: one file each, which says what a mechanism of that kind is, in which ranges its numbers lie,
//! how it is written, and its normal form.
//!
//! A new kind is one more file and one more line in the list below; the compiler asks for the rest.

use rug::Rational;

use super::adjacency::Relation;
use super::domain::OutOfRange;
use super::epsilon::Epsilon;
use super::model::Mechanism;
pub use super::release::CountNoise;
use super::steps::Steps;

mod approx_dp;
mod composition;
mod discrete_gaussian;
mod discrete_laplace;
mod exponential;
mod finite;
mod gaussian;
mod gaussian_mixture;
mod gdp;
mod group;
mod histogram;
mod laplace;
mod matrix_factorization;
mod mixture;
mod noise_threshold;
mod permute_and_flip;
mod private_selection;
mod profile;
mod pure_dp;
mod random_allocation;
mod randomized_response;
mod rdp;
mod selection;
mod sensitivity;
mod shuffled;
mod shuffled_batches;
mod skellam;
mod strategy;
mod subsampled;
mod top_k;
mod tree_aggregation;
mod zcdp;

pub use approx_dp::ApproxDp;
pub use composition::Composition;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use exponential::Exponential;
pub use finite::Finite;
pub use gaussian::{Gaussian, GaussianNoise};
pub use gaussian_mixture::GaussianMixture;
pub use gdp::Gdp;
pub use group::Group;
pub use histogram::Histogram;
pub use laplace::Laplace;
pub use matrix_factorization::{MatrixFactorization, Schedule};
pub use mixture::Mixture;
pub use noise_threshold::{NoiseThreshold, Releases};
pub use permute_and_flip::PermuteAndFlip;
pub use private_selection::PrivateSelection;
pub use profile::Profile;
pub use pure_dp::PureDp;
pub use random_allocation::RandomAllocation;
pub use randomized_response::RandomizedResponse;
pub use rdp::Rdp;
pub use selection::ScoreRange;
pub use sensitivity::Sensitivity;
pub use shuffled::Shuffled;
pub use shuffled_batches::ShuffledBatches;
pub use skellam::{Skellam, SkellamChange};
pub use strategy::Strategy;
pub use subsampled::{Sampling, Subsampled};
pub use top_k::TopK;
pub use tree_aggregation::TreeAggregation;
pub use zcdp::Zcdp;

/// What every kind says of its mechanisms.
pub(crate) trait Describe {
    /// The mechanism in a few words, for people.
    fn words(&self) -> String;

    /// The keys, beside `kind`, of a file that says the same.
    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)>;

    /// The normal form under a neighbouring relation.
    ///
    /// # Errors
    /// If the mechanism consists of more than 2^64 steps, or has no meaning under the relation as it is stated.
    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange>;
}

/// A mechanism in a few words within those of another: in parentheses where it is made of others itself, so that what follows is not read as being within.
fn words_within(of: &Mechanism) -> String {
    match of.parts().is_empty() {
        true => of.words(),
        false => format!("({})", of.words()),
    }
}

/// The key of an ε, with its value.
fn entry_of(epsilon: &Epsilon) -> (&'static str, Parameter<'_>) {
    let (key, number) = epsilon.entry();
    (key, Parameter::Number(number))
}

/// A value in a file.
#[cfg_attr(
    not(feature = "cli"),
    expect(dead_code, reason = "only what prints and asks needs it")
)]
pub(crate) enum Parameter<'a> {
    /// An exact number.
    Number(&'a Rational),
    /// A whole number.
    Whole(u64),
    /// A list of exact numbers.
    List(&'a [Rational]),
    /// Points (ε, δ) of a privacy profile.
    Points(&'a [(Epsilon, Rational)]),
    /// A list of pairs of exact numbers.
    Pairs(&'a [(Rational, Rational)]),
    /// Lists of exact numbers.
    Rows(&'a [Vec<Rational>]),
    /// A table of more keys.
    Table(Vec<(&'static str, Parameter<'a>)>),
    /// One of a few words.
    Word(&'static str),
    /// Yes or no.
    Flag(bool),
    /// Another mechanism.
    Mechanism(&'a Mechanism),
    /// Mechanisms, each so many times.
    Repeated(&'a [(Mechanism, u64)]),
    /// Mechanisms, each with a weight.
    Weighted(&'a [(Rational, Mechanism)]),
}

impl<'a> Parameter<'a> {
    /// The mechanisms in it.
    pub(super) fn parts(&self) -> Vec<&'a Mechanism> {
        match self {
            Self::Mechanism(of) => vec![of],
            Self::Repeated(all) => all.iter().map(|(of, _)| of).collect(),
            Self::Weighted(all) => all.iter().map(|(_, of)| of).collect(),
            Self::Table(all) => all.iter().flat_map(|(_, one)| one.parts()).collect(),
            Self::Number(_)
            | Self::Whole(_)
            | Self::List(_)
            | Self::Points(_)
            | Self::Pairs(_)
            | Self::Rows(_)
            | Self::Word(_)
            | Self::Flag(_) => Vec::new(),
        }
    }
}

macro_rules! kinds {
    ($($kind:ident = $word:literal,)*) => {
        /// A mechanism by its kind. There is no way to another one: every match over kinds has all of them.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("`", $word, "`")] $kind($kind),)*
        }

        /// The name of a kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum KindName {
            $(#[doc = concat!("`", $word, "`")] $kind,)*
        }

        impl Kind {
            /// Its name.
            pub fn name(&self) -> KindName {
                match self {
                    $(Self::$kind(_) => KindName::$kind,)*
                }
            }

            pub(crate) fn described(&self) -> &dyn Describe {
                match self {
                    $(Self::$kind(one) => one,)*
                }
            }
        }

        impl KindName {
            /// All kinds, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The word in files.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }
        }

        $(impl From<$kind> for Kind {
            fn from(one: $kind) -> Self {
                Self::$kind(one)
            }
        })*
    };
}

kinds! {
    Gaussian = "gaussian",
    Laplace = "laplace",
    DiscreteLaplace = "discrete-laplace",
    DiscreteGaussian = "discrete-gaussian",
    RandomizedResponse = "randomized-response",
    PureDp = "pure-dp",
    ApproxDp = "approx-dp",
    Gdp = "gdp",
    Zcdp = "zcdp",
    Rdp = "rdp",
    Finite = "finite",
    Profile = "profile",
    GaussianMixture = "gaussian-mixture",
    Histogram = "histogram",
    Mixture = "mixture",
    Group = "group",
    Subsampled = "subsampled",
    Composition = "compose",
    TreeAggregation = "tree-aggregation",
    MatrixFactorization = "matrix-factorization",
    NoiseThreshold = "noise-threshold",
    Skellam = "skellam",
    Shuffled = "shuffled",
    PrivateSelection = "private-selection",
    ShuffledBatches = "shuffled-batches",
    RandomAllocation = "random-allocation",
    Exponential = "exponential",
    PermuteAndFlip = "permute-and-flip",
    TopK = "top-k",
}

#[cfg(test)]
mod correlated_tests;
