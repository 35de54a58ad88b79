//! `matrix-factorization`: the release of Cx + Z, whose noise is correlated over the steps.

use rug::Rational;

use super::strategy::{Entries, Strategy};
use super::tree_aggregation::{gaussian, participation_words};
use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, at_least};
use crate::mechanism::sensitivity::{Participation, SquaredSensitivity};
use crate::mechanism::steps::Steps;
use crate::number::short;

/// DP-FTRL with a lower-triangular matrix C: step t gets x_t, a sum of what records contribute, and Cx + Z is released with
/// Z ~ N(0, σ²I).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixFactorization {
    noise_multiplier: Rational,
    strategy: Strategy,
    steps: u64,
    schedule: Schedule,
    normalised: bool,
    effect: Effect,
}

/// In which steps a record takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// In any, within limits.
    Spaced {
        /// At most so many, at least 1.
        participations: u64,
        /// The least difference of the numbers of two of them, at least 1.
        min_separation: u64,
    },
    /// Once in each epoch, always at the same place of it.
    Epochs {
        /// How many, at least 1; the number of steps is a multiple.
        epochs: u64,
    },
    /// The records are divided into b groups, and step t gets a Poisson sample of group t mod b (Choquette-Choo et al. 2023,
    /// arXiv 2306.08153, Algorithm 2 and Theorem 4).
    ///
    /// Where C has at most b bands, columns b apart have no row in common: rows fall into rounds with one column of a record's
    /// group each, and the release is the composition of one Poisson-sampled Gaussian of that column's norm for each round.
    CyclicPoisson {
        /// Probability that a record of the group takes part, in (0, 1].
        rate: Rational,
        /// b, the number of groups.
        min_separation: u64,
    },
}

/// What one record does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    /// One Gaussian of this s².
    Gaussian(SquaredSensitivity),
    /// Poisson-sampled Gaussians of these s², each so many times.
    Sampled {
        rate: Rational,
        rounds: Vec<(SquaredSensitivity, u64)>,
    },
}

impl MatrixFactorization {
    /// Noise of `noise_multiplier > 0` times the record bound. With `normalised`, it is proved that no column of C has a norm
    /// above 1.
    ///
    /// # Errors
    /// If a number is out of its range, the strategy is no matrix of so many steps, or what is claimed of it is not true.
    pub fn new(
        noise_multiplier: Rational,
        strategy: Strategy,
        steps: u64,
        schedule: Schedule,
        normalised: bool,
    ) -> Result<Self, OutOfRange> {
        Domain::Positive.hold("noise-multiplier", &noise_multiplier)?;
        at_least("steps", 1, steps)?;
        let entries = strategy.entries(steps)?;
        if normalised {
            entries.are_normalised()?;
        }
        let effect = schedule.effect(&entries, steps)?;
        Ok(Self {
            noise_multiplier,
            strategy,
            steps,
            schedule,
            normalised,
            effect,
        })
    }

    /// Standard deviation of the noise over the record bound.
    pub fn noise_multiplier(&self) -> &Rational {
        &self.noise_multiplier
    }

    /// C.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Number of rows of C.
    pub fn rows(&self) -> u64 {
        self.steps
    }

    /// In which steps a record takes part.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Was it stated that no column has a norm above 1? It is proved, then.
    pub fn is_normalised(&self) -> bool {
        self.normalised
    }

    /// The normal form with one end of every s².
    fn with(
        &self,
        end: fn(&SquaredSensitivity) -> &Rational,
        relation: Relation,
    ) -> Result<Steps, OutOfRange> {
        match &self.effect {
            Effect::Gaussian(s2) => Ok(gaussian(end(s2), &self.noise_multiplier, relation)),
            Effect::Sampled { rate, rounds } => {
                let gaussian = |s2, relation| gaussian(end(s2), &self.noise_multiplier, relation);
                let sampled = |s2| match relation {
                    Relation::Presence | Relation::ReplaceSpecial => {
                        Ok(gaussian(s2, relation).sampled(rate))
                    }
                    Relation::ReplaceOne => {
                        let present = gaussian(s2, Relation::Presence);
                        Ok(gaussian(s2, relation).sampled_replaced(rate, &present))
                    }
                };
                let steps = rounds
                    .iter()
                    .filter(|(s2, _)| !end(s2).is_zero())
                    .map(|(s2, times)| Ok((sampled(s2)?, *times)))
                    .collect::<Result<Vec<(Steps, u64)>, OutOfRange>>()?;
                Steps::composed(steps.iter().map(|(one, times)| (one, *times)))
            }
        }
    }
}

impl Schedule {
    fn effect(&self, entries: &Entries, steps: u64) -> Result<Effect, OutOfRange> {
        match self {
            Self::Spaced {
                participations,
                min_separation,
            } => {
                at_least("participations", 1, *participations)?;
                at_least("min-separation", 1, *min_separation)?;
                let participation = Participation::new(*participations, *min_separation);
                entries
                    .squared_sensitivity(participation)
                    .map(Effect::Gaussian)
            }
            Self::Epochs { epochs } => {
                at_least("epochs", 1, *epochs)?;
                if steps.checked_rem(*epochs) != Some(0) {
                    return Err(OutOfRange::new("epochs", "must divide `steps`"));
                }
                let participation = Participation::of_epochs(*epochs, steps / epochs);
                entries
                    .squared_sensitivity(participation)
                    .map(Effect::Gaussian)
            }
            Self::CyclicPoisson {
                rate,
                min_separation,
            } => {
                Domain::Rate.hold("rate", rate)?;
                at_least("min-separation", 1, *min_separation)?;
                Ok(Effect::Sampled {
                    rate: rate.clone(),
                    rounds: entries.squared_norms_of_rounds(*min_separation)?,
                })
            }
        }
    }
}

impl Describe for MatrixFactorization {
    fn words(&self) -> String {
        let schedule = match &self.schedule {
            Schedule::Spaced {
                participations,
                min_separation,
            } => participation_words(*participations, *min_separation),
            Schedule::Epochs { epochs } => format!(", {epochs} epochs in the same order"),
            Schedule::CyclicPoisson {
                rate,
                min_separation,
            } => format!(
                ", Poisson-sampled at q = {} from {min_separation} groups in turn",
                short(rate)
            ),
        };
        format!(
            "{}, noise multiplier {}{schedule}",
            self.strategy.words(self.steps),
            short(&self.noise_multiplier),
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut parameters = vec![
            (
                "noise-multiplier",
                Parameter::Number(&self.noise_multiplier),
            ),
            ("steps", Parameter::Whole(self.steps)),
        ];
        match &self.schedule {
            Schedule::Spaced {
                participations,
                min_separation,
            } => parameters.extend([
                ("participations", Parameter::Whole(*participations)),
                ("min-separation", Parameter::Whole(*min_separation)),
            ]),
            Schedule::Epochs { epochs } => parameters.push(("epochs", Parameter::Whole(*epochs))),
            Schedule::CyclicPoisson {
                rate,
                min_separation,
            } => parameters.extend([
                ("rate", Parameter::Number(rate)),
                ("min-separation", Parameter::Whole(*min_separation)),
            ]),
        }
        parameters.push(self.strategy.entry());
        if self.normalised {
            parameters.push(("normalised", Parameter::Flag(true)));
        }
        parameters
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let least = self.with(|s2| &s2.lower, relation)?;
        let most = self.with(|s2| &s2.upper, relation)?;
        Ok(Steps::between([least], most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::sensitivity::Column;

    /// Prefix sums of six steps in two epochs of three: of the steps 0 and 3 there are 1, 1, 1, 2, 2 and 2 in the rows.
    #[test]
    fn epochs_are_as_long_as_the_steps_allow() {
        let ones = vec![Rational::from(1); 6];
        let entries = Entries::Toeplitz {
            column: Column::of(&ones),
            steps: 6,
        };
        let found = Schedule::Epochs { epochs: 2 }.effect(&entries, 6);
        let Ok(Effect::Gaussian(square)) = found else {
            panic!("one Gaussian");
        };
        assert_eq!(square.attained(), Some(&Rational::from(15)));
    }
}
