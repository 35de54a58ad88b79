//! Divergences between two mechanisms known by laws, which are refined where the uncertainty is.

use rug::{Float, Rational};

use super::comparison::{BITS, BothWays, tail_wanted};
use super::contestant::Contestant;
use super::query::{self, Found, answered, decides};
use super::subject::{LADDER, power_of_ten};
use super::{Goal, Method, Resources, Witness};
use crate::bounds::{Divergence, Effort, Enclosure, Peak, Prior, Target};
use crate::bounds::{divergence, divergence_at_least};
use crate::kernel::{Failure, InvariantViolation, Pick};

/// Laws are refined for hints so often at most.
const MOST_GLANCES: usize = 6;

/// Which of the two mechanisms comes first.
#[derive(Clone, Copy)]
pub(super) enum Way {
    There,
    Back,
}

impl Way {
    pub(super) fn order<T>(self, own: T, other: T) -> (T, T) {
        match self {
            Self::There => (own, other),
            Self::Back => (other, own),
        }
    }
}

/// What is known too badly at a hint.
struct Wide {
    peak: Peak,
    /// How many times too wide.
    excess: Float,
    /// The difference there.
    so_far: Enclosure,
}

/// Two mechanisms, and the divergences between them whose maximum is wanted.
pub(super) struct Contested<'a> {
    pub(super) first: Contestant<'a>,
    pub(super) second: Contestant<'a>,
    pub(super) ways: Vec<Way>,
    /// What was found of each of them.
    pub(super) each: Vec<Option<Found>>,
    pub(super) weight: &'a Prior,
    /// Where floats see the differences peak.
    pub(super) hints: Option<Vec<Float>>,
    /// Lower bounds seen there.
    pub(super) at_hints: Vec<Option<Float>>,
}

impl Contested<'_> {
    /// The largest of all ways, as narrow as is wanted.
    pub(super) fn answer(
        mut self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<BothWays, Failure> {
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
            if let (0, false, Goal::Width(width)) = (round, is_closed, goal) {
                self.refine_for_hints(goal, width, resources)?;
            }
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

    /// The finest laws that are known, or else the first ones.
    fn begin(&mut self, tail: &Rational, resources: &Resources<'_>) -> Result<(), Failure> {
        for side in [&mut self.first, &mut self.second] {
            if side.sides.is_none() {
                side.finest_known(tail, resources)?;
            }
        }
        Ok(())
    }

    /// Places where the difference may be large, unless both mechanisms are known as they are.
    fn hints(&mut self, resources: &Resources<'_>) -> Vec<Float> {
        match (self.first.subject, self.second.subject) {
            (Some(one), Some(other)) if !(self.first.is_fixed() && self.second.is_fixed()) => {
                let hints = self
                    .hints
                    .get_or_insert_with(|| one.peaks_against(other, resources.budget));
                hints.clone()
            }
            _ => Vec::new(),
        }
    }

    /// Refines laws that are too coarse where floats see the difference peak, without a search by those: most often they would not reach the width.
    /// With most of the time gone, or nothing seen, they are left as they are.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    fn refine_for_hints(
        &mut self,
        goal: &Goal,
        width: &Target,
        resources: &Resources<'_>,
    ) -> Result<(), Failure> {
        let before = resources.budget.remaining();
        match self.begin(&tail_wanted(goal, None), resources) {
            Ok(()) => {}
            Err(Failure::Interrupted) => return Ok(()),
            Err(failure) => return Err(failure),
        }
        for round in 0..MOST_GLANCES {
            let now = resources.budget.remaining();
            let is_late = before
                .zip(now)
                .is_some_and(|(all, left)| left < all / 8 * 7);
            let excess = match is_late {
                true => None,
                false => self.excess_at_hints(width, resources)?,
            };
            let Some(Wide {
                peak,
                excess,
                so_far,
            }) = excess
            else {
                return Ok(());
            };
            let tail = tail_wanted(goal, Some(&so_far));
            if !self.refine(Some(&peak), round, (&tail, Some(&excess)), resources)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// How many times too wide the errors of both mechanisms are at the hints, and where; `None` if they are narrow enough, or nothing is seen.
    fn excess_at_hints(
        &mut self,
        width: &Target,
        resources: &Resources<'_>,
    ) -> Result<Option<Wide>, Failure> {
        let hints = self.hints(resources);
        let (Some(first), Some(second)) = (&self.first.sides, &self.second.sides) else {
            return Ok(None);
        };
        let zero = Float::new(BITS);
        let mut largest: Option<(Float, Peak)> = None;
        for (way, known) in self.ways.iter().zip(&mut self.at_hints) {
            let (one, other) = way.order(first, second);
            let at_bits = |bits: u32| {
                let effort = Effort {
                    bits,
                    target: width,
                    goal: None,
                    budget: resources.budget,
                };
                divergence_at_least(one, other, self.weight, &hints, &effort)
            };
            let usual = query::bits_for(width).min(BITS);
            let begins_with_few = few_are_enough(width, None);
            let mut found = at_bits(if begins_with_few { FEWEST_BITS } else { usual })?;
            // A small difference is told from none by more bits.
            let least = found.as_ref().map(|(least, _)| least.clone());
            if begins_with_few && !few_are_enough(width, least.as_ref().or(Some(&zero))) {
                found = at_bits(usual)?;
            }
            let Some((least, mut peak)) = found else {
                continue;
            };
            if let Way::Back = way {
                std::mem::swap(&mut peak.spread_first, &mut peak.spread_second);
            }
            *known = Some(least.clone());
            if largest.as_ref().is_none_or(|(largest, _)| least > *largest) {
                largest = Some((least, peak));
            }
        }
        let Some((least, peak)) = largest else {
            return Ok(None);
        };
        let spread = Float::with_val(BITS, &peak.spread_first + &peak.spread_second);
        let most = Float::with_val(BITS, &least + &spread);
        // What a search leaves open is an eighth.
        let excess = spread / width.allowed_width(&least, &most, BITS);
        let is_wide = excess > Rational::from((3, 4));
        Ok(is_wide.then_some(Wide {
            peak,
            excess,
            so_far: Enclosure::new(least, most)?,
        }))
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
            self.begin(tail, resources)?;
        }
        let is_closed = self.first.is_fixed() && self.second.is_fixed();
        let bits = match is_closed {
            true => query::bits_for(target),
            false => query::bits_for(target).min(BITS),
        };
        let hints = self.hints(resources);
        let (Some(first), Some(second)) = (&self.first.sides, &self.second.sides) else {
            return Ok(None);
        };
        let asked = target;
        let mut target = asked.clone();
        let mut largest: Option<Divergence> = None;
        let each = self.each.iter_mut().zip(&self.at_hints);
        for (way, (known, at_hints)) in self.ways.iter().zip(each) {
            // Where the first of them is next to nothing, a larger one need not be known as well.
            if let (Some(least), Some(_), Target::Absolute(usual)) = (at_hints, &largest, &target) {
                let own = asked.allowed_width(least, least, bits);
                let own = own.to_rational().filter(|own| *own > *usual);
                target = own.map_or(target, Target::Absolute);
            }
            let (one, other) = way.order(first, second);
            let at_bits = |bits: u32| {
                let effort = Effort {
                    bits,
                    target: &target,
                    goal: None,
                    budget: resources.budget,
                };
                divergence(one, other, self.weight, &hints, &effort)
            };
            // What was found before, or else what is seen at the hints.
            let before = known.as_ref().map(|found| found.enclosure.upper());
            let size = before.or(at_hints.as_ref());
            let begins_with_few = !is_closed && few_are_enough(&target, size);
            let mut found = at_bits(if begins_with_few { FEWEST_BITS } else { bits })?;
            // A small difference is known by more bits.
            let least = Some(found.value.lower());
            if begins_with_few && !found.value.meets(&target) && !few_are_enough(&target, least) {
                found = at_bits(bits)?;
            }
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
                // Not all of it, where that leaves one of next to nothing open.
                target = Target::Absolute(if is_closed { allowed } else { allowed / 2u32 });
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

/// Bits of a difference that is not small.
const FEWEST_BITS: u32 = 64;
/// Bits beyond the digits of a width.
const SPARE_BITS: u32 = 30;

/// Are few bits enough for a width of a difference of errors of about this size, where it counts? Of an unknown one, perhaps.
fn few_are_enough(target: &Target, size: Option<&Float>) -> bool {
    let zeros = match (target, size) {
        (Target::Absolute(_), _) | (_, None) => Some(0),
        (Target::Relative(_), Some(size)) => size
            .get_exp()
            .map(|exponent| exponent.min(0).unsigned_abs()),
    };
    let digits = zeros.map(|zeros| query::digits_of(target).saturating_add(zeros));
    digits.is_some_and(|digits| digits.saturating_add(SPARE_BITS) <= FEWEST_BITS)
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

#[cfg(test)]
#[path = "contested_tests.rs"]
mod tests;
