//! `random-allocation`: every record takes part in some of the steps, drawn at random.

use rug::Rational;

use super::subsampled::is_response;
use super::{Describe, Kind, Parameter, words_within};
use crate::kernel::Interval;
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::allocation;
use crate::mechanism::allocation::scores::{Compared, Scores};
use crate::mechanism::closed::{Allocation, Chained, ClosedPair};
use crate::mechanism::conditions::Conditions;
use crate::mechanism::domain::{OutOfRange, Why, at_least};
use crate::mechanism::step::{FiniteLosses, Step};
use crate::mechanism::steps::{Steps, is_twice_as_far, noise_of};

/// Random allocation, also called balls in bins: in each of `epochs`, every record takes part in `selected` of the `steps`, drawn for each record
/// by itself (Chua et al. 2024, arXiv 2412.16802; Feldman and Shenfeld 2025, arXiv 2502.08202).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomAllocation {
    steps: u64,
    selected: u64,
    epochs: u64,
    of: Mechanism,
}

impl RandomAllocation {
    /// `selected` of `steps` runs of `of`, `epochs` times; all at least 1.
    ///
    /// # Errors
    /// If a number is out of its range, or `of` is no kind that one step of it is built for.
    pub fn new(steps: u64, selected: u64, epochs: u64, of: Mechanism) -> Result<Self, OutOfRange> {
        at_least("steps", 1, steps)?;
        at_least("selected", 1, selected)?;
        at_least("epochs", 1, epochs)?;
        if selected > steps {
            return Err(OutOfRange::new("selected", "must be at most `steps`"));
        }
        match of.kind() {
            Kind::Gaussian(_)
            | Kind::Laplace(_)
            | Kind::DiscreteGaussian(_)
            | Kind::DiscreteLaplace(_)
            | Kind::RandomizedResponse(_)
            | Kind::PureDp(_)
            | Kind::ApproxDp(_)
            | Kind::Gdp(_)
            | Kind::Finite(_) => Ok(Self {
                steps,
                selected,
                epochs,
                of,
            }),
            Kind::Zcdp(_)
            | Kind::Rdp(_)
            | Kind::Profile(_)
            | Kind::GaussianMixture(_)
            | Kind::Histogram(_)
            | Kind::Mixture(_)
            | Kind::Group(_)
            | Kind::Subsampled(_)
            | Kind::Composition(_)
            | Kind::TreeAggregation(_)
            | Kind::MatrixFactorization(_)
            | Kind::NoiseThreshold(_)
            | Kind::Skellam(_)
            | Kind::Shuffled(_)
            | Kind::PrivateSelection(_)
            | Kind::ShuffledBatches(_)
            | Kind::Exponential(_)
            | Kind::PermuteAndFlip(_)
            | Kind::TopK(_)
            | Kind::RandomAllocation(_) => Err(OutOfRange::sentence(
                "of",
                format!("random allocation of `{}` is not implemented", of.kind().name().as_str()),
            )
            .because(Why::Unsupported)
            .help("`of` is one of gaussian, laplace, discrete-gaussian, discrete-laplace, randomized-response, pure-dp, approx-dp, gdp, finite")),
        }
    }

    /// Steps of an epoch.
    pub fn steps_of_an_epoch(&self) -> u64 {
        self.steps
    }

    /// In how many of them a record takes part.
    pub fn selected(&self) -> u64 {
        self.selected
    }

    /// How often steps are drawn anew.
    pub fn epochs(&self) -> u64 {
        self.epochs
    }

    /// What runs in a step.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }

    fn one_epoch(&self, base: &Steps) -> Result<Steps, OutOfRange> {
        let conditions = Conditions {
            random_allocation: true,
            ..base.conditions()
        };
        let one = |step: Step| Steps::one(step, conditions);
        if self.selected == self.steps {
            return Steps::composed([(base, self.steps)]);
        }
        let single = base.single().ok_or_else(no_single_step)?;
        if let Some((p, q)) = self.exact(single) {
            return Ok(one(Step::finite(FiniteLosses::Pair {
                p: p.into(),
                q: q.into(),
            })));
        }
        if let Step::Gaussian { mu_squared } = single
            && !Allocation::is_built_for(mu_squared)
        {
            let most = Steps::composed([(base, self.selected)])?;
            let share = Rational::from((self.selected, self.steps));
            let least = [base.sampled(&share), self.largest_answer(mu_squared)];
            return Ok(Steps::between(least, most).with_conditions(conditions));
        }
        let allocated = |steps| {
            let pair = Allocation::new(base.clone(), steps);
            one(Step::Closed(ClosedPair::from(pair)))
        };
        if self.selected == 1 {
            return Ok(allocated(self.steps));
        }
        let most = match self.block() {
            1 => base.clone(),
            block => allocated(block),
        };
        let most = Steps::composed([(&most, self.selected)])?;
        Ok(Steps::between(self.members(single, base), most).with_conditions(conditions))
    }

    /// Split the steps at random into blocks of this size, one for each time that the record takes part, and draw one of each block: that draws
    /// `selected` of them. Whoever is told the blocks learns more, and sees a composition (`proofs/README.md`, A4).
    fn block(&self) -> u64 {
        self.steps.checked_div(self.selected).unwrap_or(1)
    }

    /// What the sums of the scores of all answers reveal, with coarser scores and with finer ones: noise with this μ², and a record that is there or not, or
    /// replaced by its negative.
    fn scores(&self, mu_squared: &Rational, compared: Compared) -> [Steps; 2] {
        let all = Scores::of(mu_squared, self.steps, self.selected, compared);
        all.map(|one| Steps::one(Step::finite(FiniteLosses::Scores(one)), Conditions::NONE))
    }

    /// What the largest answer of an epoch reveals, where one step at least is moved by this μ, in units of the noise: more noise reveals less.
    ///
    /// With more steps that are moved it is larger. Where without the record a step is moved the other way, it passes a threshold less often.
    fn largest_answer(&self, mu_squared: &Rational) -> Steps {
        let mu = Interval::from_rational(mu_squared, 64).sqrt();
        let two = Interval::from_rational(&Rational::from(2), 64);
        match two.div(&mu).hi().to_rational() {
            Some(sigma) if sigma > 0 => Steps::one(
                Step::finite(FiniteLosses::LargestAnswer {
                    sigma,
                    answers: self.steps,
                    without: 0,
                }),
                Conditions::NONE,
            ),
            _ => Steps::nothing(),
        }
    }

    /// One epoch where a record is replaced, for Gaussian noise: whoever is told the steps sees a replaced record in each of them; whoever looks at
    /// one step, or at the largest answer, learns less.
    fn one_epoch_replaced(&self, of: &Steps, present: &Steps) -> Result<Steps, OutOfRange> {
        let conditions = Conditions {
            random_allocation: true,
            ..of.conditions()
        };
        if self.selected == self.steps {
            return Steps::composed([(of, self.steps)]);
        }
        let (apart, one) = (of.with_one_gaussian(), present.with_one_gaussian());
        let (Some(of_one @ Step::Gaussian { .. }), Some(Step::Gaussian { mu_squared })) =
            (apart.single(), one.single())
        else {
            return Err(no_three());
        };
        let told = Steps::composed([(of, self.selected)])?;
        let share = Rational::from((self.selected, self.steps));
        let mut least = vec![
            of.sampled_replaced(&share, present),
            self.largest_answer(mu_squared),
        ];
        let is_built = Allocation::is_built_for(mu_squared);
        let noise = one.single().and_then(noise_of);
        let is_noise = noise.is_some_and(|noise| is_twice_as_far(of_one, &noise));
        if is_built {
            let compared = match is_noise {
                true => Compared::Opposite,
                false => Compared::Absent,
            };
            least.extend(self.scores(mu_squared, compared));
        }
        let between = Steps::between(least, told).with_conditions(conditions);
        if !is_built || !is_noise || self.block() == 1 {
            return Ok(between);
        }
        // Without the record there is a third dataset; a guarantee for records that are replaced does not speak of it.
        let pair = Allocation::new(one, self.block());
        let presence = Steps::one(Step::Closed(ClosedPair::from(pair)), conditions);
        let chained = ClosedPair::from(Chained::new(presence, apart));
        let chained = Steps::one(Step::Closed(chained), conditions);
        let chained = Steps::composed([(&chained, self.selected)])?;
        Ok(between.bounded_by([chained]))
    }

    /// What is seen by whoever looks at one step only, or at the sum of all noise of one Gaussian kind.
    fn members(&self, step: &Step, base: &Steps) -> Vec<Steps> {
        let share = Rational::from((self.selected, self.steps));
        let mut all = vec![base.sampled(&share)];
        if let Step::Gaussian { mu_squared } = step {
            let sum = Rational::from(mu_squared * self.selected) * share;
            let sum = Step::Gaussian { mu_squared: sum };
            all.push(Steps::one(sum, base.conditions()));
            all.extend(self.scores(mu_squared, Compared::Absent));
        }
        all
    }

    /// The pair of an epoch with its exact probabilities, where those of a step are known and it has few outcomes.
    fn exact(&self, step: &Step) -> Option<(Vec<Rational>, Vec<Rational>)> {
        let pair = match step {
            Step::Finite(one) => one.law().and_then(|_| step.profile()?.exact_pair())?,
            _ => return None,
        };
        allocation::finite::pair(&pair.0, &pair.1, self.steps, self.selected)
    }
}

impl Describe for RandomAllocation {
    fn words(&self) -> String {
        let epochs = match self.epochs {
            1 => String::new(),
            epochs => format!(", {epochs} epochs"),
        };
        format!(
            "{} in {} of {} steps, drawn at random{epochs}",
            words_within(&self.of),
            self.selected,
            self.steps
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("steps", Parameter::Whole(self.steps)),
            ("selected", Parameter::Whole(self.selected)),
            ("epochs", Parameter::Whole(self.epochs)),
            ("of", Parameter::Mechanism(&self.of)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        match relation {
            Relation::Presence | Relation::ReplaceSpecial => {
                let of = self.of.under(relation)?;
                let all = Steps::composed([(&self.one_epoch(of.steps())?, self.epochs)])?;
                Ok(match self.of.has(&is_response) {
                    true => all.and_conditions(Conditions::SAMPLED_RESPONSES),
                    false => all,
                })
            }
            Relation::ReplaceOne => {
                let (of, present) = (self.of.under(relation)?, self.of.under(Relation::Presence)?);
                let epoch = self.one_epoch_replaced(of.steps(), present.steps())?;
                Steps::composed([(&epoch, self.epochs)])
            }
        }
    }
}

fn no_three() -> OutOfRange {
    OutOfRange::sentence(
        "adjacency",
        "random allocation under `replace-one` is built for Gaussian noise only: a step has no record, the old one or the new one, and no pair stands for the three",
    )
    .because(Why::Unsupported)
}

fn no_single_step() -> OutOfRange {
    OutOfRange::sentence(
        "of",
        "random allocation needs one step with one pair in `of`",
    )
    .because(Why::Unsupported)
}

#[cfg(test)]
#[path = "random_allocation_tests.rs"]
mod tests;
