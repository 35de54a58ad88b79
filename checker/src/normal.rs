//! The normal form of a mechanism: which steps it consists of, what is among the mechanisms stated, and what is taken for granted.
//!
//! Rules M1–M6 of `proofs/FORMAT.md`.

use std::collections::BTreeSet;

use crate::mean::Exact;
use crate::*;

/// Steps of which everything stated reveals at most what they do together; where there are no members they are attained.
#[derive(Clone, Debug, PartialEq)]
pub struct Normal {
    pub steps: Parts,
    /// Compositions that are among what is stated.
    pub members: Vec<Parts>,
    /// What is stated, or a nearer bound of it, where random allocations are a part of it.
    pub exact: Option<Exact>,
    pub granted: Granted,
}

/// What is taken for granted beside the numbers.
pub type Granted = BTreeSet<Condition>;

/// Most different steps in a composition.
const MOST_STEPS: usize = 1024;
/// Most records of a group on Poisson samples, whose binomial weights are written out.
pub const MOST_RECORDS: u64 = 256;

/// The record changes nothing.
pub fn nothing() -> Step {
    Step::Response { epsilon: Epsilon::Plain(BigRational::zero()), k: BigInt::from(2) }
}

fn one_shift(shift: impl Into<BigInt>) -> Shifts {
    vec![(BigRational::one(), BigRational::from(shift.into()))]
}

/// Noise on whole numbers that a record moves by so much.
pub fn whole_noise(noise: Noise, distance: u64) -> Step {
    Step::Shifted { noise, without: one_shift(0), with: one_shift(distance) }
}

/// A shift of so much with this probability, in (0, 1).
fn at_rate(rate: &BigRational, shift: BigRational) -> Shifts {
    vec![(BigRational::one() - rate, BigRational::zero()), (rate.clone(), shift)]
}

impl Normal {
    pub fn one(step: Step) -> Self {
        Self { steps: vec![(step, 1)], members: Vec::new(), exact: None, granted: Granted::new() }
    }

    /// One step of noise that is real-valued.
    pub fn real_noise(step: Step) -> Self {
        Self::one(step).with(Condition::RealNoise)
    }

    /// One step of which a guarantee is all that is known.
    pub fn guarantee(step: Step) -> Self {
        Self::one(step).with(Condition::Guarantee)
    }

    /// At most `most`; the `members` are among what is stated. If one of them is `most`, it is attained.
    pub fn between(members: Vec<Parts>, most: Self) -> Self {
        let is_attained = members.contains(&most.steps);
        Self { members: if is_attained { Vec::new() } else { members }, ..most }
    }

    /// Under one more condition.
    pub fn with(mut self, condition: Condition) -> Self {
        self.granted.insert(condition);
        self
    }

    fn on_samples(self) -> Self {
        self.with(Condition::PoissonSampling)
    }

    /// One of the members in turn, or the steps where they are attained.
    fn member(&self, place: usize) -> &Parts {
        self.members.iter().cycle().nth(place).unwrap_or(&self.steps)
    }

    /// One after the other, so many times each (M2).
    pub fn composed(parts: &[(Self, u64)]) -> Result<Self> {
        let of = |chosen: &dyn Fn(&Self) -> Parts| {
            let mut all = Parts::new();
            for (part, times) in parts {
                for (step, count) in chosen(part) {
                    add(&mut all, step, count.checked_mul(*times).ok_or_else(too_often)?)?;
                }
            }
            Ok::<_, Rejected>(all)
        };
        let granted = parts.iter().flat_map(|(part, _)| part.granted.iter().copied()).collect();
        let most = Self { steps: of(&|part| part.steps.clone())?, members: Vec::new(), exact: exact(parts)?, granted };
        let count = parts.iter().map(|(part, _)| part.members.len()).max().unwrap_or(0);
        let members = (0..count).map(|place| of(&|part: &Self| part.member(place).clone()));
        Ok(Self::between(members.collect::<Result<_>>()?, most))
    }

    /// With these probabilities, and the output says which (M6).
    pub fn labelled(parts: &[(BigRational, Self)]) -> Self {
        if let [(_, only)] = parts {
            return only.clone();
        }
        let of = |chosen: &dyn Fn(&Self) -> Parts| {
            let of = parts.iter().map(|(weight, part)| (weight.clone(), with_one_gaussian(&chosen(part))));
            vec![(Step::Labelled { of: of.collect() }, 1)]
        };
        let granted = parts.iter().flat_map(|(_, part)| part.granted.iter().copied()).collect();
        let most = Self { steps: of(&|part| part.steps.clone()), members: Vec::new(), exact: None, granted };
        let count = parts.iter().map(|(_, part)| part.members.len()).max().unwrap_or(0);
        Self::between((0..count).map(|place| of(&|part: &Self| part.member(place).clone())).collect(), most)
    }

    /// On a Poisson sample of this rate, in (0, 1], where a record is there or not (M3).
    pub fn sampled(&self, rate: &BigRational) -> Self {
        if rate.is_one() {
            return self.clone().on_samples();
        }
        let of = |parts: &Parts| match parts.as_slice() {
            [(Step::Sampled { rate: inner, of }, 1)] => vec![(Step::Sampled { rate: rate * inner, of: of.clone() }, 1)],
            _ => vec![(Step::Sampled { rate: rate.clone(), of: with_one_gaussian(parts) }, 1)],
        };
        let most = Self { steps: of(&self.steps), members: Vec::new(), exact: None, granted: self.granted.clone() };
        Self::between(self.members.iter().map(of).collect(), most).on_samples()
    }

    /// The same where a record is replaced; `present` is what runs where one is there or not (M4).
    pub fn sampled_replaced(&self, rate: &BigRational, present: &Self) -> Self {
        if rate.is_one() {
            return self.clone().on_samples();
        }
        let both = |noise: &Noise, shifts: Shifts| {
            let step = Step::Shifted { noise: noise.clone(), without: shifts.clone(), with: shifts };
            Self { granted: self.granted.clone(), ..Self::one(step) }.on_samples()
        };
        if let Some(Step::Shifted { noise, without, with }) = self.alone()
            && is_replaced(&without, &with)
            && let Some((inner, shift)) = with.last()
        {
            return both(&noise, at_rate(&(rate * inner), shift.clone()));
        }
        if let Some((noise, shift)) = self.noise_on_sum(present) {
            return both(&noise, at_rate(rate, shift));
        }
        let rest = BigRational::one() - rate;
        let open = [(rate.clone(), self.most()), (rest, Self::one(nothing()))];
        Self::between(vec![present.sampled(rate).member(0).clone()], Self::labelled(&open)).on_samples()
    }

    /// On a Poisson sample, under this relation.
    pub fn drawn(&self, rate: &BigRational, present: &Self, relation: Relation) -> Self {
        if relation == Relation::ReplaceOne { self.sampled_replaced(rate, present) } else { self.sampled(rate) }
    }

    /// The only step, if it is attained.
    fn alone(&self) -> Option<Step> {
        match with_one_gaussian(&self.steps).as_slice() {
            [(step, 1)] if self.members.is_empty() => Some(step.clone()),
            [] | [_, ..] => None,
        }
    }

    /// Noise on a sum of records, and how far one moves it, where one is there or not; `self` is what a replaced one does, which is twice as far.
    pub fn noise_on_sum(&self, present: &Self) -> Option<(Noise, BigRational)> {
        let (apart, step) = (self.alone()?, present.alone()?);
        let ((far, twice), (noise, shift)) = (noise_of(&apart)?, noise_of(&step)?);
        is_twice_as_far((&far, &twice), (&noise, &shift)).then_some((noise, shift))
    }

    /// Refuses what is not covered on a sample (`is_group` is none), where a batch has a fixed size, or of a group: batches and reports, but for samples what depends
    /// on more than one step or run, and the worst of many datasets, but for choices on a sample or of a group.
    pub fn is_covered(&self, is_group: Option<bool>) -> Result<()> {
        use Condition::*;
        let known =
            [RealNoise, PoissonSampling, Guarantee, Together, SampledGroups, SampledResponses, SpecialResponses];
        let several = [LimitedParticipation, RandomAllocation, RandomRuns];
        let is_known = |one| known.contains(one) || is_group.is_none() && several.contains(one);
        let is_other = |step: &Step| match step {
            Step::Choice { .. } => is_group == Some(false),
            Step::Sampled { of, .. } if matches!(of.as_slice(), [(Step::Choice { .. }, _)]) => is_group.is_some(),
            step => step.is_worst_case(),
        };
        let is_uncovered = !self.granted.iter().all(is_known) || self.steps.iter().any(|(step, _)| is_other(step));
        Reason::NoCertificateYet.when(is_uncovered, "a sample of this mechanism, or a group of records in it")
    }

    fn most(&self) -> Self {
        Self { members: Vec::new(), exact: None, ..self.clone() }
    }

    /// Where so many records change together (M5), of a mechanism of this kind, on samples or not.
    pub fn of_group(&self, records: u64, relation: Relation, kind: &str) -> Result<Self> {
        if records == 1 {
            return Ok(self.clone());
        }
        // Of the best of one run several are chosen at once.
        let is_top = |(step, times): &(Step, u64)| matches!(step, Step::Choice { .. }) && *times > 1;
        let is_uncovered = !self.members.is_empty() || self.steps.iter().any(is_top);
        Reason::NoCertificateYet.when(is_uncovered, "a group of records in this mechanism")?;
        let steps = self.steps.iter().map(|(step, times)| {
            let mut of = of_group(step, records, relation, kind)?;
            of.granted.extend(&self.granted);
            Ok((of, *times))
        });
        Self::composed(&steps.collect::<Result<Vec<_>>>()?)
    }
}

/// One after the other, so many times each, where all are attained but for random allocations.
fn exact(parts: &[(Normal, u64)]) -> Result<Option<Exact>> {
    let (mut others, mut epochs, mut is_attained) = (Parts::new(), Vec::new(), true);
    for (part, times) in parts {
        let steps = match &part.exact {
            Some(exact) => {
                is_attained &= exact.is_attained;
                for (of, steps, count) in &exact.epochs {
                    epochs.push((of.clone(), *steps, count.checked_mul(*times).ok_or_else(too_often)?));
                }
                &exact.others
            }
            None if part.members.is_empty() => &part.steps,
            None => return Ok(None),
        };
        for (step, count) in steps {
            add(&mut others, step.clone(), count.checked_mul(*times).ok_or_else(too_often)?)?;
        }
    }
    Ok((!epochs.is_empty()).then_some(Exact { others, epochs, is_attained }))
}

/// The noise of a step that only adds noise to a sum, and how far a record moves it in its units.
fn noise_of(step: &Step) -> Option<(Noise, BigRational)> {
    match step {
        Step::Gaussian { square } => Some((Noise::Gaussian { square: square.clone() }, BigRational::one())),
        Step::Laplace { epsilon } => Some((Noise::Laplace { unit: epsilon.clone() }, BigRational::one())),
        Step::Shifted { noise, without, with } => match with.as_slice() {
            [(_, shift)] if *without == one_shift(0) => Some((noise.clone(), shift.clone())),
            [] | [_, ..] => None,
        },
        Step::Response { .. } | Step::ResponseOrUniform { .. } | Step::Finite { .. } | Step::Guarantee { .. } => None,
        Step::Zcdp { .. } | Step::Rdp { .. } | Step::Sampled { .. } | Step::Labelled { .. } => None,
        Step::Choice { .. } | Step::Released { .. } | Step::Largest { .. } | Step::Worst { .. } => None,
        Step::Shuffled { .. } | Step::Selected { .. } => None,
    }
}

/// Is the first noise the second one, moved by twice as much?
fn is_twice_as_far(far: (&Noise, &BigRational), one: (&Noise, &BigRational)) -> bool {
    let (two, four) = (BigInt::from(2), BigInt::from(4));
    match (far.0, one.0) {
        (Noise::Gaussian { square: far }, Noise::Gaussian { square }) => *far == square * four,
        (Noise::Laplace { unit: far }, Noise::Laplace { unit }) => *far == unit * two,
        (noise, same) => noise == same && *far.1 == one.1 * two,
    }
}

/// Is it the pair of a record that is replaced on a sample: the same two shifts both ways, one of them 0?
fn is_replaced(without: &Shifts, with: &Shifts) -> bool {
    without == with && matches!(with.as_slice(), [(_, zero), _] if zero.is_zero())
}

/// Of one step, on a sample or (as one of rate 1) not.
fn of_group(step: &Step, records: u64, relation: Relation, kind: &str) -> Result<Normal> {
    let refused = || Rejected::uncovered("a group of records in this mechanism");
    let (all, times) = (BigRational::one(), BigInt::from(records));
    let (rate, of) = match step {
        Step::Sampled { rate, of } => match of.as_slice() {
            [(of, 1)] => (rate, of),
            [] | [_, ..] => return Err(refused()),
        },
        of => (&all, of),
    };
    let is_whole = rate.is_one();
    let moved = |noise: Noise, shift: BigRational| {
        let with = if is_whole { vec![(all.clone(), shift * &times)] } else { binomial(records, rate, &shift)? };
        Ok::<_, Rejected>(Step::Shifted { noise, without: one_shift(0), with })
    };
    Ok(Normal::one(match of {
        Step::Gaussian { square } if is_whole => Step::Gaussian { square: square * &times * &times },
        Step::Laplace { epsilon } if is_whole => Step::Laplace { epsilon: epsilon * times },
        Step::Choice { epsilon, is_flip } if is_whole => {
            Step::Choice { epsilon: epsilon.times(records)?, is_flip: *is_flip }
        }
        Step::Shifted { noise, without, with } if is_whole && is_replaced(without, with) => {
            let (rate, shift) = with.last().cloned().unwrap_or_default();
            let shifts = binomial(records, &rate, &shift)?;
            Step::Shifted { noise: noise.clone(), without: shifts.clone(), with: shifts }
        }
        // Mixtures of Gaussian noise are refused.
        Step::Shifted { noise: Noise::Gaussian { .. }, .. } if is_whole => return Err(refused()),
        Step::Finite { p, q } if kind == "finite" => return group::of_pair(p, q, records, rate, relation),
        Step::Guarantee { points } if kind == "approx-dp" => match points.as_slice() {
            [(epsilon, delta)] if is_whole => return group::under_guarantee(epsilon, delta, records),
            [(epsilon, delta)] => return group::sampled_guarantee(epsilon, delta, records, rate),
            _ => return Err(refused()),
        },
        Step::Response { epsilon, .. } if kind == "pure-dp" || kind == "zcdp" && is_whole => match epsilon {
            epsilon if epsilon.is_zero() => nothing(),
            // The noise on whole numbers whose unit is worth epsilon.
            Epsilon::Plain(epsilon) => moved(Noise::DiscreteLaplace { scale: epsilon.recip() }, all.clone())?,
            epsilon => return group::sampled_guarantee(epsilon, &BigRational::zero(), records, rate),
        },
        Step::Gaussian { .. } | Step::Laplace { .. } | Step::Shifted { .. } => match noise_of(of) {
            // Where noise ends at a threshold, it is not all that a group changes.
            Some((Noise::Truncated { .. }, _)) | None => return Err(refused()),
            Some((noise, shift)) => moved(noise, shift)?,
        },
        Step::Response { .. } | Step::ResponseOrUniform { .. } | Step::Finite { .. } => return Err(refused()),
        Step::Guarantee { .. } | Step::Zcdp { .. } | Step::Rdp { .. } | Step::Labelled { .. } => return Err(refused()),
        Step::Released { .. } | Step::Largest { .. } | Step::Worst { .. } => return Err(refused()),
        Step::Shuffled { .. } | Step::Selected { .. } => return Err(refused()),
        Step::Sampled { .. } | Step::Choice { .. } => return Err(refused()),
    }))
}

/// How far the records move a sum that take part, each by itself.
pub fn binomial(records: u64, rate: &BigRational, shift: &BigRational) -> Result<Shifts> {
    Reason::Limit.when(records > MOST_RECORDS, "a group of more than 256 records on Poisson samples")?;
    let rest = BigRational::one() - rate;
    let mut weights = vec![BigRational::one()];
    for _ in 0..records {
        let mut next = vec![BigRational::zero()];
        for weight in &weights {
            spend_on(&[weight, rate, weight, &rest])?;
            if let Some(last) = next.last_mut() {
                *last += weight * &rest;
            }
            next.push(weight * rate);
        }
        weights = next;
    }
    Ok(weights.into_iter().zip(0u64..).map(|(weight, n)| (weight, shift * BigInt::from(n))).collect())
}

/// The same with one Gaussian, where the first one stands, for all Gaussian noise (M1).
fn with_one_gaussian(parts: &Parts) -> Parts {
    let mut total = BigRational::zero();
    let mut first = None;
    let mut others = Parts::new();
    for (step, times) in parts {
        match step {
            Step::Gaussian { square } => {
                first = first.or(Some(others.len()));
                total += square * BigInt::from(*times);
            }
            other => others.push((other.clone(), *times)),
        }
    }
    if let Some(place) = first.filter(|_| !total.is_zero() || others.is_empty()) {
        let step = if total.is_zero() { nothing() } else { Step::Gaussian { square: total } };
        others.insert(place, (step, 1));
    }
    others
}

/// At the top Gaussian noise comes first.
pub fn gaussian_first(parts: &Parts) -> Parts {
    let mut parts = with_one_gaussian(parts);
    if let Some(place) = parts.iter().position(|(step, _)| matches!(step, Step::Gaussian { .. })) {
        let gaussian = parts.remove(place);
        parts.insert(0, gaussian);
    }
    parts
}

/// Equal steps are counted together, where the first one stands.
pub fn add(steps: &mut Parts, step: Step, times: u64) -> Result<()> {
    // It is compared with all others.
    step.spend(steps.len())?;
    if let Some((_, count)) = steps.iter_mut().find(|(other, _)| *other == step) {
        *count = count.checked_add(times).ok_or_else(too_often)?;
        return Ok(());
    }
    steps.push((step, times));
    Reason::Limit.when(steps.len() > MOST_STEPS, "a composition of more than 1024 different steps")?;
    Ok(())
}

pub fn too_often() -> Rejected {
    Rejected::limit("more than 2^64 steps")
}
