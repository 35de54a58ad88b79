//! Solving for one parameter of a mechanism.

use std::time::Instant;

use rug::{Float, Rational};

use super::super::Session;
use super::closed_form::closed_form;
use super::key::Key;
use super::search::{Bracket, Broken, Certainty, Estimate, relative, search};
use crate::analysis::{Goal, Refusal};
use crate::bounds::Target;
use crate::input::{
    Claim, InputError, MechanismFile, Requirement, mechanism_with_value, takes_whole_numbers,
};
use crate::kernel::{Failure, InvariantViolation};
use crate::plan::{seems_true, turning_value};
use crate::verdict::{
    Decision, Reach, as_claim, is_always_met, requirement_inequality, why_unreachable,
};

/// Why there is no calibration.
pub enum Stop {
    /// The mechanism or a target cannot be read.
    Input(Box<InputError>),
    /// There is none, and why.
    Words(String),
    /// dpcmp contradicts itself.
    Internal(InvariantViolation),
}

/// A mechanism with one parameter left open.
pub struct Solver<'a> {
    session: &'a Session,
    name: &'a str,
    bytes: &'a [u8],
    /// The parameter.
    pub key: Key,
    width: Target,
    /// The mechanism at the most private value.
    pub example: MechanismFile,
}

/// A bracket with a value that meets the target.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Certified to meet the target.
    pub meets: Rational,
    /// Certified to miss it; without one, every value in the range meets it.
    pub misses: Option<Rational>,
}

impl<'a> Solver<'a> {
    /// Prepares a mechanism file for its parameter `key`.
    ///
    /// # Errors
    /// If there is no such parameter, or it is not known which way privacy goes with it.
    pub fn new(
        session: &'a Session,
        name: &'a str,
        bytes: &'a [u8],
        key: &str,
        width: Target,
    ) -> Result<Self, Stop> {
        let is_whole = takes_whole_numbers(name, bytes, key)?;
        let key = Key::new(key, is_whole).ok_or_else(|| {
            Stop::Words(format!(
                "cannot solve for `{key}`; `--solve` takes {}",
                Key::names()
            ))
        })?;
        let example = mechanism_with_value(name, bytes, &key.name, &key.private)?;
        Ok(Self {
            session,
            name,
            bytes,
            key,
            width,
            example,
        })
    }

    /// The mechanism at a value.
    ///
    /// # Errors
    /// If the mechanism has no such value.
    pub fn mechanism(&self, value: &Rational) -> Result<MechanismFile, Stop> {
        Ok(mechanism_with_value(
            self.name,
            self.bytes,
            &self.key.name,
            value,
        )?)
    }

    /// The least private value that meets all requirements, bracketed.
    ///
    /// # Errors
    /// If no value is certain to meet them, or the question is not monotone.
    pub fn solve(&self, requirements: &[Requirement]) -> Result<Solution, Stop> {
        let start = Instant::now();
        let reach = requirements.iter().find_map(why_unreachable);
        if let Some((Reach::Never, why)) = reach {
            return Err(Stop::Words(why));
        }
        let estimate = self.estimate(requirements);
        // Far from what is usual a mechanism may be beyond what is supported; that says nothing of other values.
        let mut unsupported = None;
        // Every check may take as long as it needs to see anything; many of them must not.
        let longest = self.session.options.max_seconds.saturating_mul(2);
        let mut check = |value: &Rational| {
            if start.elapsed() > longest {
                return Ok(Certainty::Unknown);
            }
            match certainty(self.session, &self.mechanism(value)?, requirements, start) {
                Err(Stop::Words(why)) => {
                    unsupported.get_or_insert(why);
                    Ok(Certainty::Unknown)
                }
                found => found,
            }
        };
        let bracket = search(&self.key, estimate.as_ref(), &self.width, &mut check);
        let Bracket { meets, misses } = match bracket {
            Ok(bracket) => bracket,
            Err(Broken::Check(stop)) => return Err(stop),
            Err(Broken::NotMonotone(found)) => {
                let (key, meets, misses) = (&self.key.name, found.meets, found.misses);
                return Err(Stop::Words(format!(
                    "`{key}` is not monotone: {meets} meets the target, and {misses}, on the private side of it, misses it"
                )));
            }
        };
        match (meets, reach) {
            (Some(meets), _) => Ok(Solution { meets, misses }),
            (None, Some((_, why))) => Err(Stop::Words(why)),
            (None, None) => Err(Stop::Words(unsupported.unwrap_or_else(|| self.nowhere()))),
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
        let seems = |value: &Rational| {
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
            claims.iter().try_fold(true, |all, claim| {
                Some(all && seems_true(claim, &mechanism, adjacency)?)
            })
        };
        let finest = Rational::from((1, 10_000_000_000_000u64));
        let width = width.clone().max(finest);
        let ends = (&self.key.private, &self.key.leaky);
        Some(Estimate {
            value: turning_value(ends, &self.key.start, &width, &seems)?,
            error: width / 3u32,
        })
    }

    fn nowhere(&self) -> String {
        let Key {
            name,
            private,
            leaky,
            ..
        } = &self.key;
        format!(
            "no value of `{name}` between {} and {} is certain to meet the target",
            private.clone().min(leaky.clone()),
            private.clone().max(leaky.clone())
        )
    }
}

/// Does the mechanism meet all requirements? The time of a whole calibration began at `start`.
pub fn certainty(
    session: &Session,
    file: &MechanismFile,
    requirements: &[Requirement],
    start: Instant,
) -> Result<Certainty, Stop> {
    let subject = match session.subject(file) {
        Ok(subject) => subject,
        Err(refusal) => return unknown(refusal),
    };
    let mut all = Certainty::Meets;
    for requirement in requirements.iter().filter(|one| !is_always_met(one)) {
        let inequality = requirement_inequality(requirement);
        let goal = Goal::Compare {
            with: inequality.bound.clone(),
        };
        let found = session.with_rest(start, |means| {
            inequality.quantity.prepare(means.budget)?;
            Ok(subject.answer(&inequality.quantity, &goal, means)?)
        });
        let certainty = match found {
            Ok(answer) => match inequality.decide(&answer.enclosure) {
                Decision::Holds(_) => Certainty::Meets,
                Decision::Fails(_) => Certainty::Misses,
                Decision::Open => Certainty::Unknown,
            },
            Err(refusal) => unknown(refusal)?,
        };
        match certainty {
            Certainty::Meets => {}
            Certainty::Misses => return Ok(Certainty::Misses),
            Certainty::Unknown => all = Certainty::Unknown,
        }
    }
    Ok(all)
}

/// Time that ended decides nothing; what is not supported is a reason.
fn unknown(refusal: Refusal) -> Result<Certainty, Stop> {
    match refusal {
        Refusal::Unsupported(why) => Err(Stop::Words(why.to_string())),
        Refusal::Failure(Failure::Interrupted) => Ok(Certainty::Unknown),
        Refusal::Failure(Failure::Invariant(violation)) => Err(Stop::Internal(violation)),
    }
}

/// A claim that is about as hard to meet, for floats.
fn hint(requirement: &Requirement) -> Option<Claim> {
    let point = |u: &Rational, delta: Rational| {
        let epsilon = Float::with_val(64, u).ln().to_rational()?;
        Some(Claim::ApproxDp { epsilon, delta })
    };
    match requirement {
        Requirement::Claim(_) | Requirement::AtFpr { .. } => as_claim(requirement),
        Requirement::Profile { exp_epsilon, delta } => point(exp_epsilon, delta.clone()),
        // R(π) = (1 − π)(1 − δ(log(π/(1 − π)))).
        Requirement::BayesError { prior, at_least } => {
            let absent = Rational::from(1 - prior);
            if *prior == 0 || absent == 0 {
                return None;
            }
            let delta = 1 - Rational::from(at_least / &absent);
            point(&Rational::from(prior / &absent), delta)
        }
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}
