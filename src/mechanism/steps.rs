//! The normal form of a mechanism: which steps it consists of, and how often each is taken.
//!
//! It is made once, when a mechanism is made, from the normal forms of its parts. Everything that computes is fed by it.

use std::collections::HashMap;
use std::sync::Arc;

use rug::{Integer, Rational};

pub use super::assumptions::Assumptions;
use super::domain::{OutOfRange, Why};
use super::group;
use super::shifted::{Noise, ShiftedNoise, Shifts};
pub use super::step::{FiniteLosses, FiniteStep, SampledStep, Step};

/// The steps of a mechanism: each different one once, with its count, in the order in which they first come.
///
/// Invariants: there is at least one step, no two are equal, every count is at least 1, and the counts add up to at most 2^64 − 1.
#[derive(Debug, Clone)]
pub struct Steps {
    list: Vec<(Step, u64)>,
    assumptions: Assumptions,
    /// The steps of mechanisms that are among those stated. Where there are any, the list is only a bound of all that are stated.
    members: Arc<[Steps]>,
}

/// Two normal forms are equal if their steps are; what they take for granted is beside the point.
impl PartialEq for Steps {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list && self.members == other.members
    }
}

impl Eq for Steps {}

impl std::hash::Hash for Steps {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.list.hash(state);
        self.members.hash(state);
    }
}

impl Steps {
    /// One step.
    pub(crate) fn one(step: Step, assumptions: Assumptions) -> Self {
        Self {
            list: vec![(step, 1)],
            assumptions,
            members: Arc::default(),
        }
    }

    /// Steps of which only bounds are known: the mechanisms stated reveal at most `most`, and some of them reveal what the `least` do.
    ///
    /// Where one of the `least` reveals as much as `most`, nothing else is needed.
    pub(crate) fn between(least: impl IntoIterator<Item = Self>, most: Self) -> Self {
        let mut members: Vec<Self> = Vec::new();
        for one in least {
            let of = if one.members.is_empty() {
                vec![one]
            } else {
                one.members.to_vec()
            };
            for one in of {
                if one == most {
                    return most;
                }
                if !members.contains(&one) {
                    members.push(one);
                }
            }
        }
        Self {
            members: members.into(),
            ..most
        }
    }

    /// The steps of mechanisms that are among those stated, where the list is only a bound of all of them; none where it is not.
    pub fn members(&self) -> &[Self] {
        &self.members
    }

    /// Is the list only a bound?
    pub fn is_bound(&self) -> bool {
        !self.members.is_empty()
    }

    /// The bound alone.
    pub(crate) fn most(&self) -> Self {
        Self {
            members: Arc::default(),
            ..self.clone()
        }
    }

    /// One of the members, in turn, or everything where the list is no bound.
    fn member(&self, place: usize) -> &Self {
        self.members.iter().cycle().nth(place).unwrap_or(self)
    }

    /// The normal form of an adaptive composition: counts multiply, equal steps are counted together.
    ///
    /// # Errors
    /// If there are 2^64 steps or more.
    pub(crate) fn composed<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)> + Clone,
    ) -> Result<Self, OutOfRange> {
        let most = Self::composed_alone(parts.clone())?;
        let several = |(part, _): (&Self, u64)| part.members.len();
        let members = parts.clone().into_iter().map(several).max().unwrap_or(0);
        if members == 0 {
            return Ok(most);
        }
        let least = (0..members).map(|place| {
            let parts = parts.clone().into_iter();
            Self::composed_alone(parts.map(move |(part, times)| (part.member(place), times)))
        });
        Ok(Self::between(
            least.collect::<Result<Vec<_>, OutOfRange>>()?,
            most,
        ))
    }

    fn composed_alone<'a>(
        parts: impl IntoIterator<Item = (&'a Self, u64)>,
    ) -> Result<Self, OutOfRange> {
        let mut list: Vec<(Step, u64)> = Vec::new();
        #[allow(
            clippy::mutable_key_type,
            reason = "what a step keeps once computed is in neither its hash nor its equality"
        )]
        let mut places: HashMap<Step, usize> = HashMap::new();
        let mut assumptions = Assumptions::NONE;
        let mut runs: u64 = 0;
        for (part, times) in parts {
            assumptions = assumptions.and(part.assumptions);
            for (step, count) in &part.list {
                let count = count.checked_mul(times).ok_or_else(too_many)?;
                runs = runs.checked_add(count).ok_or_else(too_many)?;
                let place = places.entry(step.clone()).or_insert(list.len());
                match list.get_mut(*place) {
                    Some((_, known)) => *known = known.checked_add(count).ok_or_else(too_many)?,
                    None => list.push((step.clone(), count)),
                }
            }
        }
        Ok(Self {
            list,
            assumptions,
            members: Arc::default(),
        })
    }

    /// The normal form of the mechanism on a Poisson sample, `rate` in (0, 1].
    ///
    /// Ensures: a rate of 1 changes no step; nested samples multiply their rates, because the same record takes part in all
    /// stages or not; what is composed inside the sample is one step, with one Gaussian for all Gaussian noise in it.
    pub(crate) fn sampled(&self, rate: &Rational) -> Self {
        let most = self.most().sampled_alone(rate);
        if !self.is_bound() {
            return most;
        }
        let least = self.members.iter().map(|one| one.sampled_alone(rate));
        Self::between(least, most)
    }

    fn sampled_alone(&self, rate: &Rational) -> Self {
        let assumptions = Assumptions {
            poisson_sampling: true,
            ..self.assumptions
        };
        if *rate == 1 {
            return Self {
                list: self.list.clone(),
                assumptions,
                members: Arc::default(),
            };
        }
        let (rate, of) = match self.single() {
            Some(Step::Sampled(inner)) => {
                (Rational::from(rate * inner.rate()), Arc::clone(inner.of()))
            }
            _ => (rate.clone(), Arc::new(self.with_one_gaussian())),
        };
        Self::one(
            Step::Sampled(Arc::new(SampledStep::new(rate, of))),
            assumptions,
        )
    }

    /// The normal form, under replacement of a record, of the mechanism on a Poisson sample, `rate` in (0, 1].
    ///
    /// Requires: these are its steps under replacement, `present` those under presence, without the sample.
    /// Ensures: the record moves a sum of noise law N by +1 or −1 with probability `rate`, or by nothing: (1 − q)N(0) + qN(−1) against
    /// (1 − q)N(0) + qN(+1), attained at every step by the same two records x and −x (`proofs/README.md`, N1).
    ///
    /// # Errors
    /// If it is anything but noise on a sum.
    pub(crate) fn sampled_replaced(
        &self,
        rate: &Rational,
        present: &Self,
    ) -> Result<Self, OutOfRange> {
        let assumptions = Assumptions {
            poisson_sampling: true,
            ..self.assumptions
        };
        if *rate == 1 {
            return Ok(Self {
                assumptions,
                ..self.clone()
            });
        }
        let (apart, one) = (self.with_one_gaussian(), present.with_one_gaussian());
        let (noise, shifts) = match (apart.single(), one.single()) {
            (Some(Step::Shifted(inner)), _) if inner.rate_of_replaced().is_some() => {
                (inner.noise().clone(), inner.with().thinned(rate))
            }
            (Some(apart), Some(one)) => {
                let noise = noise_of(one).filter(|noise| is_twice_as_far(apart, noise));
                (noise.ok_or_else(no_sum)?, Shifts::sampled(rate))
            }
            (None, _) | (_, None) => return Err(no_sum()),
        };
        let pair = ShiftedNoise::new(noise, shifts.clone(), shifts);
        Ok(Self::one(Step::Shifted(Arc::new(pair)), assumptions))
    }

    /// The normal form of a mixture whose output says which part it came from.
    ///
    /// Requires: weights > 0 that add up to 1.
    pub(crate) fn labelled(parts: Vec<(Rational, Self)>) -> Self {
        let start = Assumptions::NONE;
        let assumptions = parts
            .iter()
            .fold(start, |all, (_, part)| all.and(part.assumptions));
        if let [(_, only)] = parts.as_slice() {
            return only.clone();
        }
        let one = |parts| Self::one(Step::Labelled(Arc::new(parts)), assumptions);
        let of = |part: &dyn Fn(&Self) -> Self| {
            let parts = parts.iter().map(|(weight, of)| (weight.clone(), part(of)));
            one(parts.collect())
        };
        let most = of(&Self::most);
        let members = parts.iter().map(|(_, of)| of.members.len()).max();
        match members.unwrap_or(0) {
            0 => most,
            members => Self::between(
                (0..members).map(|place| of(&|part: &Self| part.member(place).clone())),
                most,
            ),
        }
    }

    /// The normal form where `records` records change together instead of one.
    ///
    /// Each step of a composition is that of the group. A sum of noise moves `records` times as far, and its noise law dominates every smaller or
    /// other way to move it; under Poisson sampling each record takes part by itself, so that the distances are binomial (`proofs/README.md`, N1).
    /// Every μ-GDP mechanism is kμ-GDP for k records, and the Gaussian one attains it (Dong, Roth and Su 2022, Theorem 2.14).
    ///
    /// # Errors
    /// Where it is not known what a group reveals.
    pub(crate) fn of_group(&self, records: u64) -> Result<Self, OutOfRange> {
        if records == 1 {
            return Ok(self.clone());
        }
        // Records of different groups of cyclic sampling are in rows that overlap.
        let is_sampled =
            |(step, _): &(Step, u64)| matches!(step, Step::Sampled(_) | Step::Shifted(_));
        if self.assumptions.limited_participation && self.list.iter().any(is_sampled) {
            let message =
                "what a group of records reveals is not known under cyclic Poisson sampling";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        if self.is_bound() {
            return Err(group::unknown());
        }
        let list = self.list.iter().map(|(step, times)| {
            let one = group::of_step(step, records)?;
            Ok((Self::one(one, self.assumptions), *times))
        });
        let list = list.collect::<Result<Vec<_>, OutOfRange>>()?;
        Self::composed(list.iter().map(|(part, times)| (part, *times)))
    }

    /// The same steps with other assumptions.
    pub(in crate::mechanism) fn with_assumptions(self, assumptions: Assumptions) -> Self {
        Self {
            assumptions,
            ..self
        }
    }

    /// The steps with their counts.
    pub fn list(&self) -> &[(Step, u64)] {
        &self.list
    }

    /// Steps in all.
    pub fn runs(&self) -> u64 {
        self.list
            .iter()
            .fold(0, |sum, (_, times)| sum.saturating_add(*times))
    }

    /// What is taken for granted about them.
    pub fn assumptions(&self) -> Assumptions {
        self.assumptions
    }

    /// The only step, if there is one that is taken once. `None` of a bound.
    pub fn single(&self) -> Option<&Step> {
        match self.list.as_slice() {
            [(step, 1)] if !self.is_bound() => Some(step),
            _ => None,
        }
    }

    /// The only step with its count, if all are equal. `None` of a bound.
    pub fn repeated(&self) -> Option<(&Step, u64)> {
        match self.list.as_slice() {
            [(step, times)] if !self.is_bound() => Some((step, *times)),
            _ => None,
        }
    }

    /// Σ μ² of the Gaussian noise that is not sampled: it is that of one Gaussian.
    pub fn mu_squared(&self) -> Rational {
        let mut sum = Rational::new();
        for (step, times) in &self.list {
            if let Step::Gaussian { mu_squared } = step {
                sum += Rational::from(mu_squared * Integer::from(*times));
            }
        }
        sum
    }

    /// Does the condition hold for a step, or for one inside a sample?
    pub fn any(&self, condition: &impl Fn(&Step) -> bool) -> bool {
        self.list.iter().any(|(step, _)| match step {
            Step::Sampled(sampled) => sampled.of().any(condition),
            Step::Gaussian { .. }
            | Step::Laplace { .. }
            | Step::DiscreteGaussian { .. }
            | Step::Finite(_)
            | Step::Zcdp { .. }
            | Step::Rdp { .. }
            | Step::Shifted(_)
            | Step::Closed(_) => condition(step),
            Step::Labelled(parts) => parts.iter().any(|(_, part)| part.any(condition)),
        })
    }

    pub(super) fn with_one_gaussian(&self) -> Self {
        let is_gaussian = |step: &Step| matches!(step, Step::Gaussian { .. });
        let Some(first) = self.list.iter().position(|(step, _)| is_gaussian(step)) else {
            return self.clone();
        };
        let mu_squared = self.mu_squared();
        let mut list = Vec::with_capacity(self.list.len());
        for (place, (step, times)) in self.list.iter().enumerate() {
            if place == first {
                let mu_squared = mu_squared.clone();
                list.push((Step::Gaussian { mu_squared }, 1));
            } else if !is_gaussian(step) {
                list.push((step.clone(), *times));
            }
        }
        Self {
            list,
            assumptions: self.assumptions,
            members: Arc::clone(&self.members),
        }
    }
}

/// The law of pure noise on a sum, where a shift of 1 is how far the step moves it; `None` for everything else.
pub(super) fn noise_of(step: &Step) -> Option<Noise> {
    match step {
        Step::Gaussian { mu_squared } => Some(Noise::Gaussian {
            unit_squared: mu_squared.clone(),
        }),
        Step::Laplace { epsilon } => Some(Noise::Laplace {
            unit: epsilon.clone(),
        }),
        Step::DiscreteGaussian { sigma, sensitivity } => Some(Noise::DiscreteGaussian {
            sigma: sigma.clone(),
            unit: *sensitivity,
        }),
        Step::Finite(one) => match one.losses() {
            FiniteLosses::DiscreteLaplace { scale, sensitivity } => Some(Noise::DiscreteLaplace {
                scale: scale.clone(),
                unit: *sensitivity,
            }),
            FiniteLosses::RandomizedResponse { .. }
            | FiniteLosses::ResponseOrUniform { .. }
            | FiniteLosses::ApproxDp { .. }
            | FiniteLosses::Pair { .. }
            | FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Points { .. } => None,
        },
        Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Sampled(_)
        | Step::Shifted(_)
        | Step::Labelled(_)
        | Step::Closed(_) => None,
    }
}

/// Is the step this noise, and moved by twice as much? A guarantee is the same under every relation, a histogram moves two cells once each.
fn is_twice_as_far(step: &Step, noise: &Noise) -> bool {
    let twice = |shift: u64| shift.checked_mul(2);
    match (noise_of(step), noise) {
        (Some(Noise::Gaussian { unit_squared: two }), Noise::Gaussian { unit_squared: one }) => {
            two == Rational::from(one * 4u32)
        }
        (Some(Noise::Laplace { unit: two }), Noise::Laplace { unit: one }) => {
            two == Rational::from(one * 2u32)
        }
        (
            Some(Noise::DiscreteGaussian { sigma, unit: two }),
            Noise::DiscreteGaussian {
                sigma: same,
                unit: one,
            },
        ) => sigma == *same && Some(two) == twice(*one),
        (
            Some(Noise::DiscreteLaplace { scale, unit: two }),
            Noise::DiscreteLaplace {
                scale: same,
                unit: one,
            },
        ) => scale == *same && Some(two) == twice(*one),
        (
            None
            | Some(
                Noise::Gaussian { .. }
                | Noise::Laplace { .. }
                | Noise::DiscreteGaussian { .. }
                | Noise::DiscreteLaplace { .. },
            ),
            Noise::Gaussian { .. }
            | Noise::Laplace { .. }
            | Noise::DiscreteGaussian { .. }
            | Noise::DiscreteLaplace { .. },
        ) => false,
    }
}

fn no_sum() -> OutOfRange {
    OutOfRange::sentence(
        "adjacency",
        "under `replace-one` only noise on a sum is built on a Poisson sample",
    )
    .because(Why::Infeasible)
    .help("put one noise kind with a `record-bound` in `of`")
}

fn too_many() -> OutOfRange {
    OutOfRange::sentence("times", "the composition runs more than 2^64 mechanisms")
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
