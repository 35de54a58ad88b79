//! Solving for one parameter of a mechanism.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::closed_form::closed_form;
use super::error::CalibrationError;
use super::key::{Key, Last};
use super::search::{Bracket, Broken, Certainty, Doubt, Estimate, relative, search};
use crate::analysis::{Ending, Goal, Refusal, Resources, Subject, prepare};
use crate::bounds::Target;
use crate::input::{ErrorCode, InputError, MechanismFile, Template};
use crate::kernel::{Budget, Failure, InvariantViolation};
use crate::number::exact;
use crate::plan::{excess, turning_value};
use crate::statement::{Claim, Requirement, StatedRequirement};
use crate::study::Limits;
use crate::verdict::{
    Decision, Reach, as_claim, is_always_met, requirement_inequality, why_unreachable,
};

/// A mechanism with one parameter left open.
pub struct Solver<'a> {
    clock: Clock<'a>,
    template: &'a Template<'a>,
    /// The parameter.
    pub key: Key,
    width: Target,
    /// The mechanism at the most private value.
    pub example: MechanismFile,
}

/// A value that meets all targets, and what is known of less private ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Certified to meet all targets.
    pub meets: Rational,
    /// What is known of less private values.
    pub beyond: Beyond,
}

/// What is known of values that are less private than one that meets all targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beyond {
    /// This one is certified to miss a target.
    Misses {
        /// That value.
        value: Rational,
        /// Why a value between the two is not decided, if one is not.
        doubt: Option<Doubt>,
    },
    /// There are none, so that every value meets all targets: more privacy helps, by a theorem.
    Nothing,
    /// None was looked at.
    NotLookedAt,
    /// None is certified either way; this is the first of those that were looked at.
    Unknown {
        /// That value.
        value: Rational,
        /// Why.
        doubt: Doubt,
    },
}

impl Solution {
    /// The value that is certified to miss a target, where one is.
    pub fn misses(&self) -> Option<&Rational> {
        match &self.beyond {
            Beyond::Misses { value, .. } => Some(value),
            Beyond::Nothing | Beyond::NotLookedAt | Beyond::Unknown { .. } => None,
        }
    }

    /// The distance of the two values, relative to the one that meets all targets.
    pub fn width(&self) -> Option<Rational> {
        let apart = Rational::from(&self.meets - self.misses()?).abs();
        Some(apart / self.meets.clone().abs())
    }

    /// Is the least private value that meets all targets found: is it between two that are as near as asked for, or
    /// neighbours among whole numbers, or is it the last of all?
    pub fn is_narrow(&self, asked: &Target, is_whole: bool) -> bool {
        let (misses, width) = match (&self.beyond, self.width()) {
            (Beyond::Misses { value, .. }, Some(width)) => (value, width),
            (Beyond::Nothing, _) => return true,
            _ => return false,
        };
        let apart = Rational::from(&self.meets - misses).abs();
        let is_narrow = match asked {
            Target::Relative(asked) => width <= *asked,
            Target::Absolute(asked) => apart <= *asked,
        };
        is_narrow || (is_whole && apart <= 1)
    }
}

impl<'a> Solver<'a> {
    /// Prepares a template for its parameter `key`.
    ///
    /// # Errors
    /// If there is no such parameter, or it is not known which way privacy goes with it.
    pub fn new(
        limits: &'a Limits<'a>,
        template: &'a Template<'a>,
        key: &str,
        width: Target,
    ) -> Result<Self, CalibrationError> {
        let is_whole = template.takes_whole_numbers(key)?;
        let name = || key.to_owned();
        if template.goes_either_way(key)? {
            return Err(CalibrationError::EitherWay { key: name() });
        }
        let mut key = Key::new(key, is_whole).ok_or_else(|| CalibrationError::UnknownKey {
            key: name(),
            known: Key::names(),
        })?;
        let example = template.with_value(&key.name, &key.private)?;
        if let Some(last) = last_of_all(template, &key) {
            key = key.ending_at(last);
        }
        Ok(Self {
            clock: Clock::new(limits, limits.max_time),
            template,
            key,
            width,
            example,
        })
    }

    /// The mechanism at a value.
    ///
    /// # Errors
    /// If the mechanism has no such value.
    pub fn mechanism(&self, value: &Rational) -> Result<MechanismFile, InputError> {
        self.template.with_value(&self.key.name, value)
    }

    /// When its time began.
    pub fn start(&self) -> Instant {
        self.clock.start
    }

    /// The same with this much time, from now on.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        Self {
            clock: Clock::new(self.clock.limits, time),
            template: self.template,
            key: self.key.clone(),
            width: self.width.clone(),
            example: self.example.clone(),
        }
    }

    /// The least private value that meets all requirements, bracketed.
    ///
    /// # Errors
    /// If no value is certain to meet them, or the question is not monotone.
    pub fn solve(&self, requirements: &[Requirement]) -> Result<Solution, CalibrationError> {
        let reach = requirements.iter().find_map(why_unreachable);
        if let Some((Reach::Never, why)) = reach {
            return Err(CalibrationError::Unreachable(why));
        }
        let estimate = self.estimate(requirements);
        let mut check = |value: &Rational| {
            let Some(time) = self.clock.next() else {
                return Ok(Certainty::NotAsked);
            };
            // Far from what is usual a mechanism may be beyond what is supported; that says nothing of other values.
            match self.mechanism(value) {
                Ok(file) => certainty(self.clock.limits, &file, requirements, time),
                Err(error) => Ok(Certainty::Unknown(Doubt::Unsupported(
                    error.message().to_owned(),
                ))),
            }
        };
        match search(&self.key, estimate.as_ref(), &self.width, &mut check) {
            Ok(bracket) => match bracket.meets.clone() {
                Some(meets) => Ok(Solution {
                    beyond: self.beyond(&meets, bracket),
                    meets,
                }),
                None => Err(match reach {
                    Some((_, why)) => CalibrationError::Unreachable(why),
                    None => self.nowhere(bracket),
                }),
            },
            Err(Broken::Check(violation)) => Err(CalibrationError::Internal(violation)),
            Err(Broken::NotMonotone(found)) => Err(CalibrationError::NotMonotone {
                key: self.key.name.clone(),
                meets: found.meets,
                misses: found.misses,
            }),
        }
    }

    /// What is known of less private values than `meets`.
    fn beyond(&self, meets: &Rational, bracket: Bracket) -> Beyond {
        let Bracket { misses, doubts, .. } = bracket;
        let is_beyond = |value: &Rational, of: &Rational| {
            if self.key.grows_private() {
                value < of
            } else {
                value > of
            }
        };
        let mut open: Vec<(Rational, Doubt)> = doubts
            .into_iter()
            .filter(|(value, _)| {
                is_beyond(value, meets)
                    && misses
                        .as_ref()
                        .is_none_or(|misses| is_beyond(misses, value))
            })
            .collect();
        open.sort_by_key(|(value, _)| Rational::from(value - meets).abs());
        // If more time would help, that is what there is to say.
        let first = open
            .iter()
            .find(|(_, doubt)| *doubt == Doubt::OutOfTime)
            .or(open.first());
        match (misses, first) {
            (Some(value), first) => Beyond::Misses {
                value,
                doubt: first.map(|(_, doubt)| doubt.clone()),
            },
            (None, Some((value, doubt))) => Beyond::Unknown {
                value: value.clone(),
                doubt: doubt.clone(),
            },
            (None, None) if self.key.last == Last::OfAll && *meets == self.key.leaky => {
                Beyond::Nothing
            }
            (None, None) => Beyond::NotLookedAt,
        }
    }

    /// Why no value meets the requirements.
    fn nowhere(&self, bracket: Bracket) -> CalibrationError {
        let Key {
            name,
            private,
            leaky,
            ..
        } = &self.key;
        let has = |doubt: &Doubt| bracket.doubts.iter().any(|(_, found)| found == doubt);
        // What the most private value misses, no other one meets.
        let is_missed = bracket.misses.as_ref() == Some(private);
        if !is_missed && has(&Doubt::OutOfTime) {
            return CalibrationError::OutOfTime;
        }
        // What is less private than a value that misses the target misses it, too.
        let misses = bracket.misses.as_ref();
        let is_open = |value: &Rational| {
            misses.is_none_or(|misses| (value > misses) == self.key.grows_private())
        };
        let unsupported = bracket
            .doubts
            .into_iter()
            .find_map(|(value, doubt)| match doubt {
                Doubt::Unsupported(why) if is_open(&value) => Some((value, why)),
                Doubt::Unsupported(_) | Doubt::OutOfTime | Doubt::Open => None,
            });
        match (unsupported, misses) {
            (Some((value, why)), Some(misses)) if !is_missed => {
                CalibrationError::Unsupported(format!(
                    "`{name}` = {} misses the target, and at {}: {why}",
                    exact(misses),
                    exact(&value)
                ))
            }
            (Some((_, why)), None) => CalibrationError::Unsupported(why),
            _ => CalibrationError::NoValue {
                key: name.clone(),
                least: private.clone().min(leaky.clone()),
                most: private.clone().max(leaky.clone()),
            },
        }
    }

    /// By a closed form, or by floats.
    fn estimate(&self, requirements: &[Requirement]) -> Option<Estimate> {
        let width = relative(&self.width, &self.key.start);
        self.by_closed_form(requirements, &width)
            .or_else(|| self.by_floats(requirements, &width))
    }

    fn by_closed_form(&self, requirements: &[Requirement], width: &Rational) -> Option<Estimate> {
        let bits = width.recip_ref();
        let bits = Rational::from(bits).ceil().numer().significant_bits();
        let example = self.mechanism(&self.key.start).ok()?.mechanism;
        let mut found: Option<Estimate> = None;
        for requirement in requirements {
            let claim = as_claim(requirement)?;
            let key = &self.key;
            let next = closed_form(&claim, &example, &key.name, &key.start, bits.min(4096))?;
            let is_more_private = found
                .as_ref()
                .is_none_or(|best| (next.value > best.value) == key.grows_private());
            if is_more_private {
                found = Some(next);
            }
        }
        found
    }

    fn by_floats(&self, requirements: &[Requirement], width: &Rational) -> Option<Estimate> {
        let claims: Vec<Claim> = requirements.iter().map(hint).collect::<Option<_>>()?;
        let most = |value: &Rational| {
            let value = if self.key.is_whole {
                value.clone().floor()
            } else {
                value.clone()
            };
            let MechanismFile {
                mechanism,
                adjacency,
                ..
            } = self.mechanism(&value).ok()?;
            self.clock.with_time_of_estimates(|budget| {
                claims.iter().try_fold(f64::NEG_INFINITY, |most, claim| {
                    Some(most.max(excess(claim, &mechanism, adjacency, budget)?))
                })
            })
        };
        let finest = Rational::from((1, 10_000_000_000_000u64));
        let width = width.clone().max(finest);
        let ends = (&self.key.private, &self.key.leaky);
        let (value, error) = turning_value(ends, &self.key.start, &width, &most)?;
        Some(Estimate {
            value,
            error: error.max(width / 3u32),
        })
    }
}

/// The largest whole number that the mechanism takes, where the number at the less private end of the key's range is out of its own.
///
/// Ensures: the mechanism takes it, and says that the next one is out of range.
fn last_of_all(template: &Template<'_>, key: &Key) -> Option<Rational> {
    if key.grows_private() || !key.is_whole {
        return None;
    }
    let is_beyond = |value: &Rational| {
        let read = template.with_value(&key.name, value);
        read.is_err_and(|error| error.code() == ErrorCode::Range)
    };
    if !is_beyond(&key.leaky) {
        return None;
    }
    let (mut taken, mut beyond) = (key.private.clone(), key.leaky.clone());
    loop {
        let middle = (Rational::from(&taken + &beyond) / 2u32).floor();
        if middle == taken {
            return template
                .with_value(&key.name, &taken)
                .is_ok()
                .then_some(taken);
        }
        if is_beyond(&middle) {
            beyond = middle;
        } else {
            taken = middle;
        }
    }
}

/// One time for all the questions of a search.
pub struct Clock<'a> {
    limits: &'a Limits<'a>,
    start: Instant,
    time: Duration,
}

impl<'a> Clock<'a> {
    /// A clock that starts now.
    pub fn new(limits: &'a Limits<'a>, time: Duration) -> Self {
        let start = Instant::now();
        Self {
            limits,
            start,
            time,
        }
    }

    /// The time of the next question: half of what is left, so that those that follow have some too, but enough to see anything.
    /// `None` when nothing is left.
    pub fn next(&self) -> Option<Duration> {
        let rest = self.time.checked_sub(self.start.elapsed())?;
        let is_stopped = self.limits.stop.load(Ordering::Relaxed);
        (!rest.is_zero() && !is_stopped).then(|| (rest / 2).max(self.time / 20))
    }

    /// Estimates are cheap, or not worth more than half of the time: `None` when it is over.
    fn with_time_of_estimates<T>(&self, run: impl FnOnce(&Budget) -> Option<T>) -> Option<T> {
        let rest = (self.time / 2).checked_sub(self.start.elapsed())?;
        let is_over = self.limits.stop.load(Ordering::Relaxed) || rest.is_zero();
        match is_over {
            true => None,
            false => self
                .limits
                .with_time(rest, |resources| run(resources.budget)),
        }
    }
}

/// Does the mechanism meet all requirements?
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn certainty(
    limits: &Limits<'_>,
    file: &MechanismFile,
    requirements: &[Requirement],
    time: Duration,
) -> Result<Certainty, InvariantViolation> {
    limits.with_time(time, |resources| {
        match Subject::new(&file.mechanism, file.adjacency, resources.budget) {
            Ok(subject) => certainty_of(&subject, requirements, resources),
            Err(refusal) => unknown(refusal),
        }
    })
}

fn certainty_of(
    subject: &Subject,
    requirements: &[Requirement],
    resources: &Resources<'_>,
) -> Result<Certainty, InvariantViolation> {
    let mut all = Certainty::Meets;
    for requirement in requirements.iter().filter(|one| !is_always_met(one)) {
        let inequality = requirement_inequality(requirement);
        let goal = Goal::Compare {
            with: inequality.bound.clone(),
        };
        let found = prepare(&inequality.query, resources.budget)
            .and_then(|()| Ok(subject.answer(&inequality.query, &goal, resources)?));
        let certainty = match found {
            Ok(answer) => match (inequality.decide(&answer.enclosure), answer.ending) {
                (Decision::Holds(_), _) => Certainty::Meets,
                (Decision::Fails(_), _) => Certainty::Misses,
                (Decision::Open, Ending::OutOfTime) => Certainty::Unknown(Doubt::OutOfTime),
                (Decision::Open, Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow) => {
                    Certainty::Unknown(Doubt::Open)
                }
            },
            Err(refusal) => unknown(refusal)?,
        };
        match certainty {
            Certainty::Meets => {}
            Certainty::Misses => return Ok(Certainty::Misses),
            Certainty::Unknown(_) | Certainty::NotAsked => all = certainty,
        }
    }
    Ok(all)
}

/// Neither time that ended nor what is not supported decides anything.
fn unknown(refusal: Refusal) -> Result<Certainty, InvariantViolation> {
    match refusal {
        Refusal::Unsupported(why) => Ok(Certainty::Unknown(Doubt::Unsupported(why.to_string()))),
        Refusal::Failure(Failure::Interrupted) => Ok(Certainty::Unknown(Doubt::OutOfTime)),
        Refusal::Failure(Failure::Invariant(violation)) => Err(violation),
    }
}

/// A claim that is about as hard to meet, for floats.
fn hint(requirement: &Requirement) -> Option<Claim> {
    match requirement.stated() {
        StatedRequirement::Claim(_) | StatedRequirement::AtFpr { .. } => as_claim(requirement),
        StatedRequirement::Profile { epsilon, delta } => Claim::approx_dp(epsilon, delta).ok(),
        // R(π) = (1 − π)(1 − δ(log(π/(1 − π)))).
        StatedRequirement::BayesError { prior, at_least } => {
            let absent = Rational::from(1 - prior);
            if *prior == 0 || absent == 0 {
                return None;
            }
            let delta = 1 - Rational::from(at_least / &absent);
            let u = Rational::from(prior / &absent);
            let epsilon = Float::with_val(64, &u).ln().to_rational()?;
            Claim::approx_dp(epsilon, delta).ok()
        }
    }
}
