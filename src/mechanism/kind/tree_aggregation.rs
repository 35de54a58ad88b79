//! `tree-aggregation`: binary trees of prefix sums with Gaussian noise in every node.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::mechanism::sensitivity::{Participation, SquaredSensitivity, tree_sensitivity};
use crate::mechanism::steps::{Conditions, Step, Steps};
use crate::number::short;

/// DP-FTRL with trees (Kairouz et al. 2021, arXiv 2103.00039): every complete dyadic block of steps is a node, which is the sum of
/// its steps with Gaussian noise.
///
/// There are `restarts` trees, one after the other, of `steps` leaves each, and in each tree one record is in at most
/// `participations` leaves, the numbers of any two at least `min-separation` apart. So s² adds up over the trees, as in
/// `compute_rdp_tree_restart` of TensorFlow Privacy, whose `min_separation` is one less than this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAggregation {
    noise_multiplier: Rational,
    steps: u64,
    restarts: u64,
    participations: u64,
    min_separation: u64,
    of_one_tree: SquaredSensitivity,
}

impl TreeAggregation {
    /// Noise of `noise_multiplier > 0` times the record bound in each node; every other number at least 1.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        noise_multiplier: Rational,
        steps: u64,
        restarts: u64,
        participations: u64,
        min_separation: u64,
    ) -> Result<Self, OutOfRange> {
        Domain::Positive.hold("noise-multiplier", &noise_multiplier)?;
        at_least("steps", 1, steps)?;
        at_least("restarts", 1, restarts)?;
        at_least("participations", 1, participations)?;
        at_least("min-separation", 1, min_separation)?;
        let participation = Participation::new(participations, min_separation);
        Ok(Self {
            noise_multiplier,
            steps,
            restarts,
            participations,
            min_separation,
            of_one_tree: tree_sensitivity(steps, participation),
        })
    }

    /// Standard deviation of the noise over the record bound.
    pub fn noise_multiplier(&self) -> &Rational {
        &self.noise_multiplier
    }

    /// Leaves of a tree.
    pub fn leaves(&self) -> u64 {
        self.steps
    }

    /// How many trees.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Most leaves of a tree with one record.
    pub fn participations(&self) -> u64 {
        self.participations
    }

    /// The least difference of the numbers of two such leaves.
    pub fn min_separation(&self) -> u64 {
        self.min_separation
    }

    fn one_gaussian(&self, squared_sensitivity: &Rational, relation: Relation) -> Steps {
        let all = Rational::from(squared_sensitivity * self.restarts);
        gaussian(&all, &self.noise_multiplier, relation)
    }
}

/// The Gaussian of s², in units of the squared record bound, and a noise multiplier.
///
/// A record that is replaced moves every step by twice the bound.
pub(super) fn gaussian(
    squared_sensitivity: &Rational,
    noise_multiplier: &Rational,
    relation: Relation,
) -> Steps {
    let factor = match relation {
        Relation::Presence | Relation::ReplaceSpecial => 1u32,
        Relation::ReplaceOne => 4,
    };
    let mu_squared = Rational::from(squared_sensitivity * factor)
        / Rational::from(noise_multiplier.square_ref());
    Steps::one(
        Step::Gaussian { mu_squared },
        Conditions::LIMITED_PARTICIPATION,
    )
}

/// ", 4 participations at least 2 steps apart".
pub(super) fn participation_words(participations: u64, min_separation: u64) -> String {
    if participations == 1 {
        ", one participation".to_owned()
    } else {
        format!(", {participations} participations at least {min_separation} apart")
    }
}

impl Describe for TreeAggregation {
    fn words(&self) -> String {
        let trees = match self.restarts {
            1 => "tree".to_owned(),
            several => format!("{several} trees"),
        };
        let each = if self.restarts == 1 { "" } else { " in each" };
        format!(
            "{trees} of {} steps, noise multiplier {}{}{each}",
            self.steps,
            short(&self.noise_multiplier),
            participation_words(self.participations, self.min_separation)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            (
                "noise-multiplier",
                Parameter::Number(&self.noise_multiplier),
            ),
            ("steps", Parameter::Whole(self.steps)),
            ("restarts", Parameter::Whole(self.restarts)),
            ("participations", Parameter::Whole(self.participations)),
            ("min-separation", Parameter::Whole(self.min_separation)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let SquaredSensitivity { lower, upper } = &self.of_one_tree;
        Ok(Steps::between(
            [self.one_gaussian(lower, relation)],
            self.one_gaussian(upper, relation),
        ))
    }
}
