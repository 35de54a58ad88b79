//! The largest of several privacy profiles: a mechanism whose worst dataset is not the same at every ε.

use std::sync::Arc;

use rug::Rational;

use super::{Closed, outcomes};
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint, is_late};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::steps::{Step, Steps};

/// The pair whose profile is the largest of those of several pairs, at every u.
///
/// It dominates each of them. Of one run, δ(ε) and ε(δ) are those of the worst of the pairs; the trade-off function is the largest
/// convex one below all of theirs. A composition is dominated by that of the envelopes, which no dataset need attain.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Envelope {
    of: Arc<[Steps]>,
    /// Is every dataset's pair one of them?
    is_list: bool,
}

/// Of the pairs so many are looked at in compositions.
const MOST_MEMBERS: usize = 8;

impl Envelope {
    /// Requires: at least one; each is one step with a profile.
    pub fn new(of: Vec<Steps>) -> Self {
        Self {
            of: of.into(),
            is_list: false,
        }
    }

    /// Requires: as of [`Self::new`]; and whatever the dataset is, its pair is one of these.
    pub fn of_list(of: Vec<Steps>) -> Self {
        Self {
            is_list: true,
            ..Self::new(of)
        }
    }

    /// The pairs.
    pub fn of(&self) -> &[Steps] {
        &self.of
    }
}

impl Closed for Envelope {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let one = |of: &Steps| of.single()?.profile();
        let of: Option<Vec<_>> = self.of.iter().map(one).collect();
        Some(Arc::new(Largest::new(of?)))
    }

    fn limits(&self) -> &'static str {
        "the largest of several profiles is built where each of them is"
    }

    /// The largest of a list, which is that of a dataset; a profile that is above others says nothing of their divergences.
    fn renyi_divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Option<Interval> {
        if !self.is_list {
            return None;
        }
        self.of.iter().try_fold(Interval::zero(bits), |most, one| {
            let step = one.single()?;
            let own = if let Some(pair) = step.profile()?.exact_pair() {
                let enclosed = |x: &Rational| Interval::from_rational(x, bits);
                let masses = pair.0.iter().zip(&pair.1);
                let masses: Vec<_> = masses.map(|(p, q)| (enclosed(p), enclosed(q))).collect();
                outcomes::renyi_divergence(&masses, order, direction, bits)
            } else if let Step::Closed(pair) = step {
                pair.renyi_divergence(order, direction, bits)?
            } else {
                return None;
            };
            Some(most.max(&own))
        })
    }

    fn is_of_no_dataset(&self) -> bool {
        self.of.len() > 1
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        let stride = self.of.len().div_ceil(MOST_MEMBERS).max(1);
        let some = self.of.iter().rev().step_by(stride);
        some.filter_map(|one| Steps::composed([(one, times)]).ok())
            .collect()
    }
}

/// δ(u) = max δᵢ(u).
pub struct Largest {
    of: Vec<Arc<dyn Profile>>,
}

/// Halvings after which the place where a profile falls to a level is known well enough.
const HALVINGS: u32 = 60;
/// A largest loss is looked for up to this.
const FARTHEST_LOSS: i64 = 1 << 20;

impl Largest {
    /// Requires: at least one; the masses at ∞ of any two are the same number or so far apart that their enclosures are.
    pub fn new(of: Vec<Arc<dyn Profile>>) -> Self {
        Self { of }
    }

    /// Where δ reaches its limit. A pair that falls below the limit of another one matters until there only.
    fn last_loss(&self, bits: u32) -> LossBound {
        let floor = self.infinite_mass(bits);
        let mut last: Option<(Interval, Option<Rational>)> = None;
        for part in &self.of {
            let is_lower = part.infinite_mass(bits).hi() < floor.lo();
            let (value, exact) = match part.max_loss(bits) {
                LossBound::Unbounded if is_lower => match crossing(&**part, &floor, bits) {
                    Some(place) => (place, None),
                    None => return LossBound::Unbounded,
                },
                LossBound::Unbounded => return LossBound::Unbounded,
                LossBound::Finite { value, .. } if is_lower => {
                    match crossing(&**part, &floor, bits) {
                        Some(place) => (place, None),
                        None => (Interval::zero(bits).hull(&value), None),
                    }
                }
                LossBound::Finite { value, exact } => (value, exact),
            };
            last = Some(match last {
                None => (value, exact),
                Some((known, also)) => (
                    known.max(&value),
                    also.zip(exact).map(|(a, b): (Rational, Rational)| a.max(b)),
                ),
            });
        }
        match last {
            Some((value, exact)) => LossBound::Finite { value, exact },
            None => LossBound::Unbounded,
        }
    }
}

/// Where a profile falls to a level above its limit: an enclosure of that ε ≥ 0, 0 if it is below from there on.
fn crossing(part: &dyn Profile, level: &Interval, bits: u32) -> Option<Interval> {
    let at = |epsilon: &Rational| part.at(&Point::at_epsilon(epsilon, bits)).delta;
    let (mut low, mut high) = (Rational::new(), Rational::from(1));
    while at(&high).hi() >= level.lo() {
        if high >= FARTHEST_LOSS || is_late() {
            return None;
        }
        high *= 2u32;
    }
    // δ falls, so that a certain answer on either side stays one.
    for _ in 0..HALVINGS {
        if is_late() {
            break;
        }
        let middle = Rational::from(&low + &high) / 2u32;
        let delta = at(&middle);
        if delta.hi() < level.lo() {
            high = middle;
        } else if delta.lo() > level.hi() {
            low = middle;
        } else {
            break;
        }
    }
    let end = |x: &Rational| Interval::from_rational(x, bits);
    Some(end(&low).hull(&end(&high)))
}

impl Profile for Largest {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let all: Vec<ProfilePoint> = self.of.iter().map(|part| part.at(point)).collect();
        let delta = all
            .iter()
            .fold(Interval::zero(bits), |most, one| most.max(&one.delta));
        // The slope is that of whichever may be the largest.
        let tail = all
            .iter()
            .filter(|one| one.delta.hi() >= delta.lo())
            .map(|one| one.null_tail.clone())
            .reduce(|a, b| a.hull(&b))
            .unwrap_or_else(|| Interval::zero(bits).hull(&Interval::one(bits)));
        ProfilePoint {
            delta: delta.in_unit(),
            null_tail: tail.in_unit(),
        }
    }

    /// 1 − u + u·δ(1/u) grows with δ.
    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self::new(
            self.of.iter().map(|part| part.swapped()).collect(),
        ))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.last_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        let of = self.of.iter().map(|part| part.swapped()).collect();
        Self::new(of).last_loss(bits).negated()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.of.iter().fold(Interval::zero(bits), |most, part| {
            most.max(&part.infinite_mass(bits))
        })
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let all = self.of.iter().map(|part| part.exact_delta(point));
        all.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let all = self.of.iter().map(|part| part.exact_infinite_mass());
        all.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    fn is_symmetric(&self) -> bool {
        self.of.iter().all(|part| part.is_symmetric())
    }
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
