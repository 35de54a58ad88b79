//! The normal form of a mechanism: which steps it consists of, and how often each is taken.
//!
//! It is made once, when a mechanism is made, from the normal forms of its parts. Everything that computes is fed by it.

use std::sync::Arc;

use rug::{Integer, Rational};

pub use super::conditions::Conditions;
use super::domain::{OutOfRange, Why};
use super::group;
use super::members;
use super::shifted::{ShiftedNoise, Shifts};
pub use super::step::{FiniteLosses, FiniteStep, SampledStep, Step};

mod choices;
mod composed;
mod listed;
mod noise;

pub(crate) use choices::LargestLoss;
pub(super) use noise::is_twice_as_far;
pub(super) use noise::noise_of;

/// The steps of a mechanism: each different one once, with its count, in the order in which they first come.
///
/// Invariants: there is at least one step, no two are equal, every count is at least 1, and the counts add up to at most 2^64 − 1.
#[derive(Debug, Clone)]
pub struct Steps {
    list: Vec<(Step, u64)>,
    conditions: Conditions,
    /// The steps of mechanisms that are among those stated. Where there are any, the list is only a bound of all that are stated.
    members: Arc<[Steps]>,
    /// Is everything stated among the members, so that the worst of them is known?
    is_listed: bool,
    /// Further bounds of all that are stated, each by itself. Which is the narrowest depends on what is asked.
    other_bounds: Arc<[Steps]>,
}

/// Two normal forms are equal if their steps are; what they take for granted is beside the point.
impl PartialEq for Steps {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
            && self.members == other.members
            && self.is_listed == other.is_listed
            && self.other_bounds == other.other_bounds
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
    pub(crate) fn one(step: Step, conditions: Conditions) -> Self {
        Self {
            list: vec![(step, 1)],
            conditions,
            members: Arc::default(),
            is_listed: false,
            other_bounds: Arc::default(),
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
            is_listed: false,
            ..most
        }
    }

    /// The same steps, which these bound as well: everything stated reveals at most each of them.
    ///
    /// Requires: there are members.
    pub(crate) fn bounded_by(self, other_bounds: impl IntoIterator<Item = Self>) -> Self {
        let others = other_bounds.into_iter().map(|one| one.most());
        Self {
            other_bounds: others.collect(),
            ..self
        }
    }

    /// Further bounds of everything stated, each by itself.
    pub(crate) fn other_bounds(&self) -> &[Self] {
        &self.other_bounds
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
            is_listed: false,
            other_bounds: Arc::default(),
            ..self.clone()
        }
    }

    /// One of the members, in turn, or everything where the list is no bound.
    fn member(&self, place: usize) -> &Self {
        self.members.iter().cycle().nth(place).unwrap_or(self)
    }

    /// The same steps, with more that is taken for granted.
    #[must_use]
    pub(crate) fn and_conditions(&self, conditions: Conditions) -> Self {
        Self {
            conditions: self.conditions.and(conditions),
            ..self.clone()
        }
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
        let conditions = Conditions {
            poisson_sampling: true,
            ..self.conditions
        };
        if *rate == 1 {
            return Self {
                list: self.list.clone(),
                conditions,
                members: Arc::default(),
                is_listed: false,
                other_bounds: Arc::default(),
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
            conditions,
        )
    }

    /// The normal form, under replacement of a record, of the mechanism on a Poisson sample, `rate` in (0, 1].
    ///
    /// Requires: these are its steps under replacement, `present` those under presence, without the sample.
    /// Ensures: the record moves a sum of noise law N by +1 or −1 with probability `rate`, or by nothing: (1 − q)N(0) + qN(−1) against
    /// (1 − q)N(0) + qN(+1), attained at every step by the same two records x and −x (`proofs/README.md`, N1). Of anything else a bound
    /// and a member.
    pub(crate) fn sampled_replaced(&self, rate: &Rational, present: &Self) -> Self {
        if *rate == 1 {
            return self.clone().on_samples();
        }
        let (apart, one) = (self.with_one_gaussian(), present.with_one_gaussian());
        let (noise, shifts) = match (apart.single(), one.single()) {
            (Some(Step::Shifted(inner)), _) if inner.rate_of_replaced().is_some() => {
                (inner.noise().clone(), inner.with().thinned(rate))
            }
            (Some(apart), Some(one)) => {
                match noise_of(one).filter(|noise| is_twice_as_far(apart, noise)) {
                    Some(noise) => (noise, Shifts::sampled(rate)),
                    None => return self.sampled_in_the_open(rate, present),
                }
            }
            (None, _) | (_, None) => return self.sampled_in_the_open(rate, present),
        };
        let pair = ShiftedNoise::new(noise, shifts.clone(), shifts);
        Self::one(Step::Shifted(Arc::new(pair)), self.conditions).on_samples()
    }

    /// The same, where it is taken for granted that batches are Poisson samples.
    pub(super) fn on_samples(self) -> Self {
        Self {
            conditions: Conditions {
                poisson_sampling: true,
                ..self.conditions
            },
            ..self
        }
    }

    /// The normal form of a mixture whose output says which part it came from.
    ///
    /// Requires: weights > 0 that add up to 1.
    pub(crate) fn labelled(parts: Vec<(Rational, Self)>) -> Self {
        let start = Conditions::NONE;
        let conditions = parts
            .iter()
            .fold(start, |all, (_, part)| all.and(part.conditions));
        if let [(_, only)] = parts.as_slice() {
            return only.clone();
        }
        let one = |parts| Self::one(Step::Labelled(Arc::new(parts)), conditions);
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
        if self.conditions.limited_participation && self.list.iter().any(is_sampled) {
            let message =
                "what a group of records reveals is not known under cyclic Poisson sampling";
            return Err(OutOfRange::sentence("of", message).because(Why::Unsupported));
        }
        if self.is_bound() && !members::is_selections_only(self) {
            return Err(group::unknown());
        }
        let list = self.list.iter().map(|(step, times)| {
            let one = group::of_step(step, records)?;
            Ok((Self::one(one, self.conditions), *times))
        });
        let list = list.collect::<Result<Vec<_>, OutOfRange>>()?;
        Self::composed(list.iter().map(|(part, times)| (part, *times)))
    }

    /// The same steps with other conditions.
    pub(in crate::mechanism) fn with_conditions(self, conditions: Conditions) -> Self {
        Self { conditions, ..self }
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
    pub fn conditions(&self) -> Conditions {
        self.conditions
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
            conditions: self.conditions,
            members: Arc::clone(&self.members),
            is_listed: self.is_listed,
            other_bounds: Arc::default(),
        }
    }
}

fn too_many() -> OutOfRange {
    OutOfRange::sentence("times", "the composition runs more than 2^64 mechanisms")
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
