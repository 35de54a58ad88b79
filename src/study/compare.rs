//! Two mechanisms side by side.

use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::{Limits, Moments, Taken};
use crate::analysis::{
    Answer, Crossings, Ending, Goal, Method, Refusal, Resources, Subject, Unsupported, Witness,
};
use crate::bounds::{Enclosure, Target};
use crate::emergence::{emergence, self_composition};
use crate::input::{MechanismFile, Prior};
use crate::kernel::{Failure, Interval, InvariantViolation, Pick};
use crate::statement::{Contrast, Query};
use crate::verdict::{Blackwell, Sign};

/// What to compare.
#[derive(Debug, Clone)]
pub struct Asked {
    /// A.
    pub first: MechanismFile,
    /// B.
    pub second: MechanismFile,
    /// Densities on the prior, with their names.
    pub priors: Vec<(String, Prior)>,
    /// The 𝔇 for which to find from how many steps on Δ(A‖B) ≤ 𝔇 is proved.
    pub tolerance: Option<Rational>,
}

/// What is known of two mechanisms, A and B.
#[derive(Debug, Clone)]
pub struct Comparison<'a> {
    /// A and B.
    pub mechanisms: [&'a MechanismFile; 2],
    /// Δ(A‖B).
    pub a_to_b: Regret,
    /// Δ(B‖A).
    pub b_to_a: Regret,
    /// The larger of the two.
    pub symmetric: Regret,
    /// Which is the more private.
    pub blackwell: Blackwell,
    /// Weighted divergences.
    pub weighted: Vec<Weighted>,
    /// ε at which the privacy profiles certainly cross.
    pub crossings: Crossings<Interval>,
    /// Ranges of α in which the trade-off curves certainly cross.
    pub curve_crossings: Crossings<(Rational, Rational)>,
    /// Per mechanism: divergence from perfect privacy, and to blatant non-privacy.
    pub extremes: [[Enclosure; 2]; 2],
    /// What the moments of the steps prove about Δ(A‖B), where both are compositions of equal steps.
    pub moments: Moments,
    /// The 𝔇 from which on it was asked to prove Δ(A‖B) ≤ 𝔇.
    pub tolerance: Option<Rational>,
    /// The conditions of the numbers.
    pub conditions: Vec<String>,
    /// Time taken.
    pub time: Duration,
    /// Was it the user who ended the work, and not the time?
    pub is_stopped: bool,
}

impl Comparison<'_> {
    /// Did the time end before it was known which one is the more private, or did the user end the work before all was known?
    pub fn is_cut_short(&self) -> bool {
        let is_late = |regret: &Regret| regret.answer.ending == Ending::OutOfTime;
        let all = [&self.a_to_b, &self.b_to_a, &self.symmetric];
        let is_open = self.is_stopped || self.blackwell == Blackwell::Undecided;
        let is_ended = self.is_stopped && matches!(self.moments, Moments::OutOfTime);
        is_ended || is_open && all.into_iter().any(is_late)
    }
}

/// An enclosed divergence and the prior where it is attained.
#[derive(Debug, Clone)]
pub struct Regret {
    /// What was found.
    pub answer: Answer,
    /// The theorem by which it is positive, where the enclosure need not show that.
    pub positive_by: Option<&'static str>,
}

/// A pair of weighted divergences.
#[derive(Debug, Clone)]
pub struct Weighted {
    /// The density, as it was given.
    pub name: String,
    /// Δ^Ψ(A‖B).
    pub a_to_b: Regret,
    /// Δ^Ψ(B‖A).
    pub b_to_a: Regret,
}

impl Regret {
    /// (π, ε) where the divergence is attained, π the prior that the record is absent.
    pub fn place(&self) -> Option<(&Float, &Float)> {
        match &self.answer.witness {
            Some(Witness::Prior { prior, epsilon }) => Some((prior, epsilon)),
            _ => None,
        }
    }

    /// Is it 0?
    pub fn sign(&self) -> Sign {
        match Sign::of(&self.answer.enclosure) {
            Sign::Unknown if self.positive_by.is_some() => Sign::Positive,
            known => known,
        }
    }

    /// Is it certainly 0?
    pub fn is_zero(&self) -> bool {
        self.sign() == Sign::Zero
    }
}

/// Why there is no comparison.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoComparison {
    /// One of the mechanisms, A or B, cannot be treated.
    #[error("mechanism {0}: {1}")]
    Unsupported(&'static str, Unsupported),
    /// The time ended too early.
    #[error("the time ended before both mechanisms were prepared")]
    OutOfTime,
    /// dpcmp contradicts itself.
    #[error("{0}")]
    Internal(InvariantViolation),
}

/// Compares two mechanisms, all within one time.
///
/// # Errors
/// If one of them cannot be treated, or there was no time to prepare both.
pub fn compare<'a>(limits: &Limits<'_>, asked: &'a Asked) -> Result<Comparison<'a>, NoComparison> {
    Duel::new(limits, asked)?.comparison()
}

/// Two mechanisms prepared for comparison, which can be asked for their curves afterwards.
pub struct Duel<'l, 'a> {
    limits: &'l Limits<'l>,
    asked: &'a Asked,
    start: Instant,
    a: Subject,
    b: Subject,
}

impl<'l, 'a> Duel<'l, 'a> {
    /// Prepares both.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn new(limits: &'l Limits<'l>, asked: &'a Asked) -> Result<Self, NoComparison> {
        let start = Instant::now();
        limits.listener.start("compare");
        let prepared = |name, file| {
            let subject = limits.subject(file);
            subject.map_err(|refusal| NoComparison::of(name, refusal))
        };
        Ok(Self {
            limits,
            asked,
            start,
            a: prepared("A", &asked.first)?,
            b: prepared("B", &asked.second)?,
        })
    }

    /// A and B.
    pub fn subjects(&self) -> [&Subject; 2] {
        [&self.a, &self.b]
    }

    /// When the comparison began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Compares them.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn comparison(&self) -> Result<Comparison<'a>, NoComparison> {
        let Asked {
            first,
            second,
            priors,
            tolerance,
        } = self.asked;
        let target = self.target();
        let (symmetric, [there, back]) = self.both_ways(&target)?;
        // Neither direction need be known better than the larger of the two.
        let each = if self.is_closed_form() {
            target.clone()
        } else {
            allowed(&target, &symmetric.answer.enclosure)
        };
        let is_enough = |known: &Regret| known.answer.enclosure.meets(&each);
        let a_to_b = match there.filter(is_enough) {
            Some(known) => known,
            None => self.regret(true, &Contrast::To, &each)?,
        };
        let b_to_a = match back.filter(is_enough) {
            Some(known) => known,
            None => self.regret(false, &Contrast::To, &each)?,
        };
        let symmetric = larger(symmetric, &a_to_b, &b_to_a, &target)?;
        let blackwell = Blackwell::of(a_to_b.sign(), b_to_a.sign());
        let mut weighted = Vec::with_capacity(priors.len());
        for (name, prior) in priors {
            let contrast = Contrast::Weighted(prior.clone());
            let width = self.weighted_target(&each);
            weighted.push(Weighted {
                name: name.clone(),
                a_to_b: self.regret(true, &contrast, &width)?,
                b_to_a: self.regret(false, &contrast, &width)?,
            });
        }
        let (crossings, curve_crossings) = match blackwell {
            Blackwell::Incomparable if !self.limits.is_late(self.start) => (
                self.with_resources(|resources| self.a.crossings(&self.b, resources))?,
                self.with_resources(|resources| self.a.curve_crossings(&self.b, resources))?,
            ),
            Blackwell::Equal | Blackwell::ADominates | Blackwell::BDominates => {
                (Crossings::none(true), Crossings::none(true))
            }
            Blackwell::Incomparable | Blackwell::Undecided => {
                (Crossings::none(false), Crossings::none(false))
            }
        };
        let moments = self.moments()?;
        Ok(Comparison {
            mechanisms: [first, second],
            a_to_b,
            b_to_a,
            symmetric,
            blackwell,
            weighted,
            crossings,
            curve_crossings,
            extremes: [self.extremes(&self.a)?, self.extremes(&self.b)?],
            moments,
            tolerance: tolerance.clone(),
            conditions: Taken::of_both([first, second]).conditions,
            time: self.start.elapsed(),
            is_stopped: self.limits.is_stopped(),
        })
    }

    /// What the moments of the steps prove, where both are compositions of several equal steps, or where it was asked for.
    fn moments(&self) -> Result<Moments, NoComparison> {
        let asked = self.asked;
        let found = self.in_time(|resources| {
            let steps = |file: &MechanismFile| -> Result<_, Failure> {
                self_composition(&file.mechanism, file.adjacency, resources.budget)
            };
            let (a, b) = match (steps(&asked.first)?, steps(&asked.second)?) {
                (Ok(a), Ok(b)) => (a, b),
                (Err(why), _) if asked.tolerance.is_some() => {
                    return Ok(Moments::Unknown(format!("A: {why}")));
                }
                (_, Err(why)) if asked.tolerance.is_some() => {
                    return Ok(Moments::Unknown(format!("B: {why}")));
                }
                _ => return Ok(Moments::NotAsked),
            };
            if asked.tolerance.is_none() && (a.times == 1 || b.times == 1) {
                return Ok(Moments::NotAsked);
            }
            let found = emergence(&a, &b, asked.tolerance.as_ref(), resources.budget)?;
            Ok(Moments::Known(Box::new(found)))
        });
        match found {
            Ok(found) => Ok(found),
            Err(Failure::Interrupted) => Ok(Moments::OutOfTime),
            Err(Failure::Invariant(violation)) => Err(NoComparison::Internal(violation)),
        }
    }

    /// As [`Self::with_resources`], unless it is late.
    fn in_time<T>(
        &self,
        job: impl FnOnce(&Resources<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self.limits.is_late(self.start) {
            true => Err(Failure::Interrupted),
            false => self.with_resources(job),
        }
    }

    fn with_resources<T>(&self, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        self.limits.with_rest(self.start, job)
    }

    fn is_closed_form(&self) -> bool {
        self.a.is_closed_form() && self.b.is_closed_form()
    }

    fn target(&self) -> Target {
        let usual = if self.is_closed_form() {
            Rational::from((1, 1_000_000_000_000_000u64))
        } else {
            Rational::from((1, 10_000))
        };
        let asked = self.limits.precision.clone();
        asked.unwrap_or(Target::Relative(usual))
    }

    /// Weighted divergences are shown beside the plain ones, with fewer digits.
    fn weighted_target(&self, each: &Target) -> Target {
        if self.limits.precision.is_none() && self.is_closed_form() {
            Target::Relative(Rational::from((1, 1_000_000)))
        } else {
            each.clone()
        }
    }

    /// The larger of both divergences, and what that says of each.
    fn both_ways(&self, target: &Target) -> Result<(Regret, [Option<Regret>; 2]), NoComparison> {
        let (goal, contrast) = (Goal::Width(target.clone()), Contrast::Symmetric);
        let (a, b) = (&self.a, &self.b);
        let found = self.in_time(|resources| a.compare_both_ways(b, &contrast, &goal, resources));
        let most = Float::with_val(64, 1) >> 1u32;
        let mut ways = [None, None];
        if let Ok(found) = &found
            && let Some([there, back]) = found.ways.clone()
        {
            let answer = |(enclosure, witness), theorem| -> Result<_, NoComparison> {
                let enclosure = within(enclosure, &most)?;
                let answer = Answer {
                    // Where the larger one is not narrow, the time ended for both.
                    ending: match enclosure.meets(target) {
                        true => Ending::Reached,
                        false => found.larger.ending,
                    },
                    enclosure,
                    method: found.larger.method.clone(),
                    witness,
                };
                Ok(Some(Regret {
                    answer,
                    positive_by: theorem,
                }))
            };
            ways = [
                answer(there, self.a.certainly_does_not_dominate(&self.b))?,
                answer(back, self.b.certainly_does_not_dominate(&self.a))?,
            ];
        }
        let larger = Regret {
            answer: or_trivial(found.map(|found| found.larger), most)?,
            positive_by: self.a.certainly_does_not_dominate(&self.b),
        };
        Ok((larger, ways))
    }

    fn regret(
        &self,
        from_a: bool,
        contrast: &Contrast,
        target: &Target,
    ) -> Result<Regret, NoComparison> {
        let (from, to) = if from_a {
            (&self.a, &self.b)
        } else {
            (&self.b, &self.a)
        };
        let goal = Goal::Width(target.clone());
        let found = self.in_time(|resources| from.compare(to, contrast, &goal, resources));
        let most = match contrast {
            Contrast::Weighted(_) => crate::kernel::directed::infinity(64),
            _ => Float::with_val(64, 1) >> 1u32,
        };
        Ok(Regret {
            answer: or_trivial(found, most)?,
            // A density may vanish where the theorem sees the difference.
            positive_by: match contrast {
                Contrast::Weighted(_) => None,
                _ => from.certainly_does_not_dominate(to),
            },
        })
    }

    /// Δ(perfect privacy‖M) = δ(0)/2 and Δ(M‖blatant non-privacy) = R* (Kaissis et al. 2024, Lemmas 3 and 4).
    /// They are of the size of 1, so the width of a divergence, which may be next to nothing, is no measure for them.
    fn extremes(&self, subject: &Subject) -> Result<[Enclosure; 2], NoComparison> {
        let goal = Goal::Width(if subject.is_closed_form() {
            Target::Relative(Rational::from((1, 1_000_000)))
        } else {
            self.target()
        });
        let ask = |query: &Query, most: Float| {
            let found = self.in_time(|resources| subject.answer(query, &goal, resources));
            or_trivial(found, most).map(|answer| answer.enclosure)
        };
        let advantage = ask(&Query::advantage(), Float::with_val(64, 1))?;
        let half = match advantage.exact() {
            Some(value) => Enclosure::exactly(Rational::from(value / 2u32), 192),
            None => {
                let bits = advantage.lower().prec();
                let half = Interval::from_rational(&Rational::from((1, 2)), bits);
                Enclosure::from_interval(&advantage.interval().mul(&half))
            }
        };
        let most = Float::with_val(64, 1) >> 1u32;
        Ok([half, ask(&Query::minimax_risk(), most)?])
    }
}

/// Δ↔ is the larger of Δ(A‖B) and Δ(B‖A), so that what is known of both is known of it.
fn larger(
    known: Regret,
    a_to_b: &Regret,
    b_to_a: &Regret,
    target: &Target,
) -> Result<Regret, NoComparison> {
    let [a, b] = [a_to_b, b_to_a].map(|one| &one.answer.enclosure);
    let lower = a.lower().clone().larger(b.lower());
    let both = Enclosure::new(lower, a.upper().clone().larger(b.upper()));
    let enclosure = both.and_then(|both| known.answer.enclosure.intersect(&both));
    let enclosure = enclosure.map_err(NoComparison::Internal)?;
    let ending = match enclosure.meets(target) {
        true => Ending::Reached,
        false => known.answer.ending,
    };
    let answer = Answer {
        enclosure,
        ending,
        ..known.answer
    };
    Ok(Regret { answer, ..known })
}

/// The width allowed for a value that is known so far, as an absolute one; not less than what was reached in time.
fn allowed(target: &Target, found: &Enclosure) -> Target {
    let width = target.allowed_width(found.lower(), found.upper(), 128);
    let width = width.larger(&found.width_up());
    match width.to_rational().filter(|width| *width > 0) {
        Some(width) => Target::Absolute(width),
        None => target.clone(),
    }
}

/// What is known of a number that is never above `most`.
fn within(known: Enclosure, most: &Float) -> Result<Enclosure, NoComparison> {
    if known.upper() <= most {
        return Ok(known);
    }
    Enclosure::new(known.lower().clone(), most.clone()).map_err(NoComparison::Internal)
}

/// What was found or, where there was no time, what is true of any two mechanisms: whoever guesses errs at most one time in two.
fn or_trivial(found: Result<Answer, Failure>, most: Float) -> Result<Answer, NoComparison> {
    match found {
        Ok(answer) => Ok(Answer {
            enclosure: within(answer.enclosure, &most)?,
            ..answer
        }),
        Err(Failure::Interrupted) => Ok(Answer {
            enclosure: Enclosure::new(Float::new(64), most).map_err(NoComparison::Internal)?,
            method: Method::Theorem("true of any two mechanisms".to_owned()),
            ending: Ending::OutOfTime,
            witness: None,
        }),
        Err(Failure::Invariant(violation)) => Err(NoComparison::Internal(violation)),
    }
}

impl NoComparison {
    /// Why one of the mechanisms, `name`, was not prepared.
    fn of(name: &'static str, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(why) => Self::Unsupported(name, why),
            Refusal::Failure(failure) => failure.into(),
        }
    }
}

impl From<Failure> for NoComparison {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Self::OutOfTime,
            Failure::Invariant(violation) => Self::Internal(violation),
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
