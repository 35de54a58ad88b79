//! Divergences between two mechanisms: exact where both are finite and rational, zero where a theorem orders them, and
//! enclosed otherwise, from laws that are refined where the uncertainty is.

use rug::{Float, Rational};

use super::contestant::Contestant;
use super::query::{self, Found, answered, decides};
use super::subject::{LADDER, power_of_ten};
use super::{Answer, Contrast, Ending, Goal, Method, Quantity, Resources, Subject, Witness};
use crate::bounds::divergence;
use crate::bounds::exact_divergence;
use crate::bounds::{Divergence, Effort, Enclosure, Peak, Prior, Target, TwoSided};
use crate::composition::strict_gdp::StrictMu;
use crate::kernel::directed as d;
use crate::kernel::{Failure, Interval, InvariantViolation, Pick};
use crate::mechanism::gaussian::Gaussian;

/// Bits of comparisons of laws, which resolve less.
const BITS: u32 = 160;

impl Subject {
    /// Encloses a divergence between this mechanism and another.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] if the budget ended before there was any enclosure; an invariant violation is an
    /// internal error.
    pub fn compare(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let found = self.compare_both_ways(other, contrast, goal, resources)?;
        Ok(found.larger)
    }

    /// [`Self::compare`], and what was found on the way of each direction.
    ///
    /// # Errors
    /// As [`Self::compare`].
    pub fn compare_both_ways(
        &self,
        other: &Self,
        contrast: &Contrast,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<BothWays, Failure> {
        let uniform = Prior::uniform();
        let (ways, weight): (Vec<Way>, &Prior) = match contrast {
            Contrast::To => (vec![Way::There], &uniform),
            Contrast::From => (vec![Way::Back], &uniform),
            Contrast::Symmetric => (vec![Way::There, Way::Back], &uniform),
            Contrast::Weighted(weight) => (vec![Way::There], weight),
        };
        if weight.is_uniform()
            && let Some(answer) = self.exactly_against(other, &ways)?
        {
            return Ok(answer.into());
        }
        let open: Vec<Way> = ways
            .into_iter()
            .filter(|way| {
                let (first, second) = way.order(self, other);
                first.certainly_dominates(second).is_none()
            })
            .collect();
        if open.is_empty() {
            let theorem = self
                .certainly_dominates(other)
                .or_else(|| other.certainly_dominates(self))
                .unwrap_or_default();
            return Ok(Answer {
                enclosure: Enclosure::exactly(Rational::new(), 192),
                method: Method::Theorem(theorem.to_owned()),
                ending: Ending::Reached,
                witness: None,
            }
            .into());
        }
        Contested {
            first: Contestant::new(self),
            second: Contestant::new(other),
            each: open.iter().map(|_| None).collect(),
            ways: open,
            weight,
            hints: None,
        }
        .answer(goal, resources)
    }

    /// Two finite rational pairs: a fraction.
    fn exactly_against(&self, other: &Self, ways: &[Way]) -> Result<Option<Answer>, Failure> {
        let (Some(own), Some(others)) = (self.exact_curve(), other.exact_curve()) else {
            return Ok(None);
        };
        let found = match ways {
            [Way::There] => exact_divergence::divergence(own, others)?,
            [Way::Back] => exact_divergence::divergence(others, own)?,
            _ => exact_divergence::symmetric(own, others)?,
        };
        let bits = 192;
        let prior = Interval::from_rational(&found.prior, bits);
        let epsilon = prior.div(&prior.one_minus()).ln().middle();
        let witness = (found.value > 0).then(|| Witness::Prior {
            prior: prior.middle(),
            epsilon,
        });
        Ok(Some(Answer {
            enclosure: Enclosure::exactly(found.value, bits),
            method: Method::ClosedForm,
            ending: Ending::Reached,
            witness,
        }))
    }

    /// Δ(M‖G_μ) at the strict μ* of M itself; R* of M where no finite μ exists.
    pub(super) fn regret_of_strict_mu(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        if self.mu_squared().is_some() {
            return self.compare(self, &Contrast::To, goal, resources);
        }
        if matches!(self.strict, StrictMu::NoFinite { .. }) {
            return self.enclose(&Quantity::MinimaxRisk, goal, resources);
        }
        let width = Target::Relative(power_of_ten(24));
        let form = crate::bounds::GdpForm::Strict;
        let mu = self.enclose(&Quantity::GdpMu(form), &Goal::Width(width), resources)?;
        let Some(sides) = gaussians_within(&mu.enclosure) else {
            // No bound of μ: the Gaussian may be as revealing as anything.
            return self
                .enclose(&Quantity::MinimaxRisk, goal, resources)
                .and_then(|risk| {
                    let zero = Float::new(64);
                    let enclosure = Enclosure::new(zero, risk.enclosure.upper().clone())?;
                    Ok(Answer { enclosure, ..risk })
                });
        };
        Contested {
            first: Contestant::new(self),
            second: Contestant::fixed(sides),
            ways: vec![Way::There],
            each: vec![None],
            weight: &Prior::uniform(),
            hints: None,
        }
        .answer(goal, resources)
        .map(|found| found.larger)
    }
}

/// What lies between the Gaussians at both ends of a μ; `None` where it has no bound.
fn gaussians_within(mu: &Enclosure) -> Option<TwoSided> {
    let gaussian = |mu: &Float| {
        let mu = mu.to_rational()?;
        let at_least_zero = mu.max(Rational::new());
        Some(std::sync::Arc::new(Gaussian::from_mu(&at_least_zero)))
    };
    Some(TwoSided::between(
        gaussian(mu.upper())?,
        gaussian(mu.lower())?,
        crate::bounds::LossRange::default(),
    ))
}

/// A divergence, and of a symmetric one what is known of both directions.
#[derive(Debug, Clone)]
pub struct BothWays {
    /// What was asked for.
    pub larger: Answer,
    /// From this mechanism to the other one and back, where both were looked at.
    pub ways: Option<[(Enclosure, Option<Witness>); 2]>,
}

impl From<Answer> for BothWays {
    fn from(larger: Answer) -> Self {
        Self { larger, ways: None }
    }
}

/// Which of the two mechanisms comes first.
#[derive(Clone, Copy)]
enum Way {
    There,
    Back,
}

impl Way {
    fn order<T>(self, own: T, other: T) -> (T, T) {
        match self {
            Self::There => (own, other),
            Self::Back => (other, own),
        }
    }
}

/// Two mechanisms, and the divergences between them whose maximum is wanted.
struct Contested<'a> {
    first: Contestant<'a>,
    second: Contestant<'a>,
    ways: Vec<Way>,
    /// What was found of each of them.
    each: Vec<Option<Found>>,
    weight: &'a Prior,
    /// Where floats see the differences peak.
    hints: Option<Vec<Float>>,
}

impl Contested<'_> {
    fn answer(mut self, goal: &Goal, resources: &Resources<'_>) -> Result<BothWays, Failure> {
        let is_closed = self.first.is_fixed() && self.second.is_fixed();
        let targets: Vec<Target> = match goal {
            Goal::Compare { .. } if is_closed => LADDER
                .iter()
                .take(self.first.rungs().min(self.second.rungs()))
                .map(|digits| Target::Relative(power_of_ten(*digits)))
                .collect(),
            _ => vec![super::laws::target_of(goal)],
        };
        let mut best: Option<Found> = None;
        for (round, target) in targets.iter().cycle().enumerate() {
            if is_closed
                && (round >= targets.len() || (round > 0 && resources.budget.check().is_err()))
            {
                break;
            }
            let tail = tail_wanted(goal, best.as_ref().map(|found| &found.enclosure));
            let (found, peak) = match self.round(round, target, &tail, resources) {
                Ok(Some(found)) => found,
                Ok(None) | Err(Failure::Interrupted) => break,
                Err(failure) => return Err(failure),
            };
            let joined = query::join(best.take(), found)?;
            let done = decides(&joined.enclosure, goal);
            best = Some(joined);
            if done {
                break;
            }
            let excess = best
                .as_ref()
                .and_then(|found| super::laws::excess(goal, &found.enclosure));
            if !is_closed
                && !self.refine(peak.as_ref(), round, (&tail, excess.as_ref()), resources)?
            {
                break;
            }
        }
        let method = match (self.first.method(), self.second.method()) {
            (Some(one), Some(other)) => one.and(other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Method::ClosedForm,
        };
        let answer = answered(best, goal, method, resources)?;
        if self.first.is_class() || self.second.is_class() {
            return Ok(answer.of_class().into());
        }
        let known = |found: Option<Found>| found.map(|found| (found.enclosure, found.witness));
        let mut each = self.each.into_iter().map(known);
        let ways = match (each.next(), each.next()) {
            (Some(Some(there)), Some(Some(back))) => Some([there, back]),
            _ => None,
        };
        Ok(BothWays {
            larger: answer,
            ways,
        })
    }

    /// What the profiles known by now say; `None` if one of them is not known at all.
    fn round(
        &mut self,
        round: usize,
        target: &Target,
        tail: &Rational,
        resources: &Resources<'_>,
    ) -> Result<Option<(Found, Option<Peak>)>, Failure> {
        if round == 0 {
            for side in [&mut self.first, &mut self.second] {
                if side.sides.is_none() {
                    side.advance(tail, None, resources)?;
                }
            }
        }
        let bits = if self.first.is_fixed() && self.second.is_fixed() {
            query::bits_for(target)
        } else {
            query::bits_for(target).min(BITS)
        };
        let hints = match (self.first.subject, self.second.subject) {
            (Some(one), Some(other)) if !(self.first.is_fixed() && self.second.is_fixed()) => {
                let hints = self
                    .hints
                    .get_or_insert_with(|| one.peaks_against(other, resources.budget));
                hints.clone()
            }
            _ => Vec::new(),
        };
        let (Some(first), Some(second)) = (&self.first.sides, &self.second.sides) else {
            return Ok(None);
        };
        let mut target = target.clone();
        let mut largest: Option<Divergence> = None;
        for (way, known) in self.ways.iter().zip(&mut self.each) {
            let (one, other) = way.order(first, second);
            let effort = Effort {
                bits,
                target: &target,
                goal: None,
                budget: resources.budget,
            };
            let mut found = divergence(one, other, self.weight, &hints, &effort)?;
            let here = Found {
                enclosure: found.value.clone(),
                witness: found.peak.as_ref().map(witness_of),
            };
            *known = Some(query::join(known.take(), here)?);
            if let (Way::Back, Some(peak)) = (way, &mut found.peak) {
                // From now on "first" is the mechanism that was asked.
                std::mem::swap(&mut peak.spread_first, &mut peak.spread_second);
            }
            // The smaller of the two need not be known any better than the larger.
            let (low, high) = (found.value.lower(), found.value.upper());
            let allowed = target.allowed_width(low, high, bits);
            if let Some(allowed) = allowed.to_rational().filter(|width| *width > 0) {
                target = Target::Absolute(allowed);
            }
            largest = Some(match largest {
                None => found,
                Some(before) => larger(before, found)?,
            });
        }
        Ok(largest.map(|found| {
            let witness = found.peak.as_ref().map(witness_of);
            let enclosure = found.value;
            (Found { enclosure, witness }, found.peak)
        }))
    }

    /// Refines the mechanism of which less is known at the peak; `false` if neither can be refined.
    fn refine(
        &mut self,
        peak: Option<&Peak>,
        round: usize,
        (tail, excess): (&Rational, Option<&Float>),
        resources: &Resources<'_>,
    ) -> Result<bool, Failure> {
        let first_is_wider = match peak {
            Some(peak) => peak.spread_first >= peak.spread_second,
            None => round.is_multiple_of(2),
        };
        let (wide, narrow) = if first_is_wider {
            (&mut self.first, &mut self.second)
        } else {
            (&mut self.second, &mut self.first)
        };
        let refined = match wide.advance(tail, excess, resources) {
            Ok(true) => Ok(true),
            Ok(false) => narrow.advance(tail, excess, resources),
            Err(failure) => Err(failure),
        };
        match refined {
            Err(Failure::Interrupted) => Ok(false),
            other => other,
        }
    }
}

fn witness_of(peak: &Peak) -> Witness {
    Witness::Prior {
        prior: peak.prior.middle(),
        epsilon: peak.epsilon.clone(),
    }
}

/// The larger of two divergences.
fn larger(a: Divergence, b: Divergence) -> Result<Divergence, InvariantViolation> {
    let upper = a.value.upper().clone().larger(b.value.upper());
    let lower = a.value.lower().clone().larger(b.value.lower());
    let peak = if a.value.lower() >= b.value.lower() {
        a.peak
    } else {
        b.peak
    };
    Ok(Divergence {
        value: Enclosure::new(lower, upper)?,
        peak,
    })
}

/// How much mass the tails may lose: far less than the width wanted.
pub(super) fn tail_wanted(goal: &Goal, so_far: Option<&Enclosure>) -> Rational {
    let target = super::laws::target_of(goal);
    let (low, high) = match (so_far, goal) {
        (Some(found), _) => (found.lower().clone(), found.upper().clone()),
        (None, Goal::Compare { with }) => {
            let with = d::rational_down(with, BITS);
            (with.clone(), with)
        }
        (None, Goal::Width(_)) => {
            let one = Float::with_val(BITS, 1);
            (one.clone(), one)
        }
    };
    let width = target.allowed_width(&low, &high, BITS);
    width.to_rational().unwrap_or_default() / 100u32
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
