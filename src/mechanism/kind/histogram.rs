//! `histogram`: one noisy count a cell, all of them released.

use super::{Describe, Parameter};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::OutOfRange;
use crate::mechanism::kind::{Kind, SkellamChange};
use crate::mechanism::steps::{Conditions, Steps};

/// Noise on the counts of a histogram; a record lies in one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    of: Mechanism,
}

impl Histogram {
    /// `of` is the noise of one cell.
    ///
    /// # Errors
    /// If `of` is no noise kind.
    pub fn new(of: Mechanism) -> Result<Self, OutOfRange> {
        match of.kind() {
            Kind::Skellam(noise) if matches!(noise.change(), SkellamChange::Vector(_)) => {
                Err(OutOfRange::sentence(
                    "of",
                    "`of` of a histogram is the noise of one cell, and this is noise on vectors",
                )
                .help("write `sensitivity` instead of `l2-sensitivity`, or leave `histogram` out"))
            }
            Kind::Gaussian(_)
            | Kind::Laplace(_)
            | Kind::DiscreteGaussian(_)
            | Kind::DiscreteLaplace(_)
            | Kind::Skellam(_) => Ok(Self { of }),
            Kind::RandomizedResponse(_)
            | Kind::PureDp(_)
            | Kind::ApproxDp(_)
            | Kind::Gdp(_)
            | Kind::Zcdp(_)
            | Kind::Rdp(_)
            | Kind::Finite(_)
            | Kind::Profile(_)
            | Kind::GaussianMixture(_)
            | Kind::Histogram(_)
            | Kind::Mixture(_)
            | Kind::Group(_)
            | Kind::Subsampled(_)
            | Kind::ShuffledBatches(_)
            | Kind::Composition(_)
            | Kind::TreeAggregation(_)
            | Kind::MatrixFactorization(_)
            | Kind::NoiseThreshold(_)
            | Kind::Shuffled(_)
            | Kind::PrivateSelection(_)
            | Kind::RandomAllocation(_)
            | Kind::Exponential(_)
            | Kind::PermuteAndFlip(_)
            | Kind::TopK(_) => Err(OutOfRange::sentence(
                "of",
                "`of` of a histogram must be a noise kind",
            )
            .help("it is one of gaussian, laplace, discrete-gaussian, discrete-laplace, skellam")),
        }
    }

    /// The noise of one cell.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }
}

impl Describe for Histogram {
    fn words(&self) -> String {
        format!("histogram with {} a cell", self.of.words())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("of", Parameter::Mechanism(&self.of))]
    }

    /// A record that is added, removed or zeroed moves one cell; one that is replaced moves two, each by what presence moves one, or one by no more than that
    /// where records add to cells: taken away from the same cell it would move that by twice as much.
    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let one = self.of.under(Relation::Presence)?;
        let (cells, conditions) = match relation {
            Relation::Presence | Relation::ReplaceSpecial => (1, Conditions::NONE),
            Relation::ReplaceOne => (2, Conditions::COUNTS),
        };
        Ok(Steps::composed([(one.steps(), cells)])?.and_conditions(conditions))
    }
}
