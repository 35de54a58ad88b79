//! `shuffled-batches`: DP-SGD with a fresh permutation in every epoch.

use rug::{Integer, Rational};

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::allocation::scores::{Compared, Scores};
use crate::mechanism::domain::{Domain, OutOfRange, Why, at_least};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::short;

/// In every epoch the records are permuted afresh and cut into batches of the same places, one for each of `steps` steps; every step
/// releases the sum of its batch, or anything made of it, with Gaussian noise of `noise-multiplier` times the record bound.
///
/// A run may stop within its last epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShuffledBatches {
    noise_multiplier: Rational,
    steps: u64,
    epochs: Rational,
}

/// Epochs at most.
const MOST_EPOCHS: u64 = 1_000_000_000_000;

impl ShuffledBatches {
    /// Noise of `noise_multiplier > 0` times the record bound, `steps ≥ 1` in an epoch, `epochs > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn new(
        noise_multiplier: Rational,
        steps: u64,
        epochs: Rational,
    ) -> Result<Self, OutOfRange> {
        Domain::Positive.hold("noise-multiplier", &noise_multiplier)?;
        at_least("steps", 1, steps)?;
        Domain::Positive.hold("epochs", &epochs)?;
        if epochs > MOST_EPOCHS {
            let message = format!("`epochs` must be at most {MOST_EPOCHS}");
            return Err(OutOfRange::sentence("epochs", message).because(Why::TooLarge));
        }
        Ok(Self {
            noise_multiplier,
            steps,
            epochs,
        })
    }

    /// Standard deviation of the noise over the record bound.
    pub fn noise_multiplier(&self) -> &Rational {
        &self.noise_multiplier
    }

    /// Steps of an epoch.
    pub fn steps_per_epoch(&self) -> u64 {
        self.steps
    }

    /// How often the records are gone through.
    pub fn epochs(&self) -> &Rational {
        &self.epochs
    }

    /// One Gaussian for so many epochs, in each of which the record moves one sum.
    ///
    /// Above, whatever the other records are (`proofs/README.md`, Y2): the permutations are told, and do not depend on the record; its batch of an epoch is one step, which a record
    /// that is there or not, or zeroed, moves by 1 record bound, and one that is replaced by 2.
    fn without_amplification(&self, epochs: &Integer, relation: Relation) -> Steps {
        let squared_distance = match relation {
            Relation::Presence | Relation::ReplaceSpecial => 1u32,
            Relation::ReplaceOne => 4,
        };
        let mu_squared = Rational::from(epochs * squared_distance)
            / Rational::from(self.noise_multiplier.square_ref());
        Steps::one(Step::Gaussian { mu_squared }, CONDITIONS)
    }

    /// What the largest answer of one epoch reveals of a record x among others that are all −x.
    ///
    /// Without noise the answer of a step with b records is −b·x. Where the record is in the batch it is higher by 2x, by x if the record is absent, by 0 if it is −x as
    /// well. So the answers along x are those of T steps of which one, uniformly chosen, is shifted by 2, against one shifted by 1, or none (`proofs/README.md`, Y2).
    fn largest_answer(&self, relation: Relation) -> Steps {
        let without = match relation {
            Relation::Presence | Relation::ReplaceSpecial => 1,
            Relation::ReplaceOne => 0,
        };
        let pair = FiniteLosses::LargestAnswer {
            sigma: self.noise_multiplier.clone(),
            answers: self.steps,
            without,
        };
        Steps::one(Step::finite(pair), CONDITIONS)
    }

    /// What the sums of the scores of the same answers reveal.
    fn scores(&self, relation: Relation) -> [Steps; 2] {
        let one = self.noise_multiplier.clone().square().recip();
        let (mu_squared, compared) = match relation {
            Relation::Presence | Relation::ReplaceSpecial => (one, Compared::Doubled),
            Relation::ReplaceOne => (one * 4u32, Compared::Absent),
        };
        let all = Scores::of(&mu_squared, self.steps, 1, compared);
        all.map(|one| Steps::one(Step::finite(FiniteLosses::Scores(one)), CONDITIONS))
    }

    /// What one step, the same in every epoch, reveals of a record among others that contribute nothing, or of x instead of −x among others that are −x: the
    /// record is in the largest of T batches with probability 1/T or more, so that this is Poisson sampling. It decides strict μ and ρ, which are those without
    /// amplification.
    fn one_step(&self, relation: Relation) -> Steps {
        let rate = Rational::from((1, self.steps));
        let noise = self.without_amplification(&Integer::from(1), relation);
        noise.sampled(&rate).with_conditions(CONDITIONS)
    }
}

const CONDITIONS: Conditions = Conditions {
    shuffled_batches: true,
    ..Conditions::REAL_NOISE
};

impl Describe for ShuffledBatches {
    fn words(&self) -> String {
        let epochs = match self.epochs == 1 {
            true => "1 epoch".to_owned(),
            false => format!("{} epochs", short(&self.epochs)),
        };
        format!(
            "Gaussian σ = {}, shuffled batches, {} steps an epoch, {epochs}",
            short(&self.noise_multiplier),
            self.steps
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            (
                "noise-multiplier",
                Parameter::Number(&self.noise_multiplier),
            ),
            ("steps", Parameter::Whole(self.steps)),
            ("epochs", Parameter::Number(&self.epochs)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let begun = self.epochs.ceil_ref().into();
        let most = self.without_amplification(&begun, relation);
        // Whoever sees the answers of a last epoch that is not whole can leave them out.
        let whole = Integer::from(self.epochs.floor_ref());
        let Some(times) = whole.to_u64().filter(|times| *times > 0) else {
            let nothing = self.without_amplification(&Integer::new(), relation);
            return Ok(Steps::between([nothing], most));
        };
        if self.steps == 1 {
            let least = self.without_amplification(&whole, relation);
            return Ok(Steps::between([least], most));
        }
        let mut least = vec![self.one_step(relation), self.largest_answer(relation)];
        least.extend(self.scores(relation));
        let least = least.iter().map(|one| Steps::composed([(one, times)]));
        let least: Vec<Steps> = least.collect::<Result<_, _>>()?;
        Ok(Steps::between(least, most))
    }
}

#[cfg(test)]
#[path = "shuffled_batches_tests.rs"]
mod tests;
