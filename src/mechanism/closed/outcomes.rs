//! A pair with finitely many outcomes whose probabilities are known by enclosures only.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rug::Rational;

use super::Closed;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::best_of_runs::SelectedPair;
use crate::mechanism::evaluate::Cache;
use crate::mechanism::shuffled::ShuffledResponse;

/// Probabilities (p, q) of outcomes, enclosed.
pub type Masses = Vec<(Interval, Interval)>;

/// Where the probabilities come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OutcomesOf {
    /// Shuffled answers of randomised response.
    Shuffled(ShuffledResponse),
    /// The best of a random number of runs.
    Selected(SelectedPair),
}

/// A pair whose outcomes have real probabilities.
#[derive(Clone)]
pub struct Outcomes(Arc<Kept>);

struct Kept {
    of: OutcomesOf,
    masses: Cache<u32, Option<Arc<Masses>>>,
}

impl OutcomesOf {
    /// Encloses p and q of every outcome. A probability that is exactly 0 is exactly that, and no other one is.
    fn masses(&self, bits: u32) -> Option<Masses> {
        match self {
            Self::Shuffled(pair) => pair.masses(bits),
            Self::Selected(pair) => pair.masses(bits),
        }
    }
}

impl Outcomes {
    /// The pair.
    pub fn new(of: OutcomesOf) -> Self {
        let masses = Cache::default();
        Self(Arc::new(Kept { of, masses }))
    }

    fn masses(&self, bits: u32) -> Option<Arc<Masses>> {
        let bits = bits.div_ceil(GUARD).saturating_add(1).saturating_mul(GUARD);
        let make = || self.0.of.masses(bits).map(Arc::new);
        Option::clone(&self.0.masses.get_or(&bits, make))
    }
}

/// Bits beyond those asked for.
const GUARD: u32 = 64;

impl PartialEq for Outcomes {
    fn eq(&self, other: &Self) -> bool {
        self.0.of == other.0.of
    }
}

impl Eq for Outcomes {}

impl Hash for Outcomes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.of.hash(state);
    }
}

impl fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.of.fmt(f)
    }
}

impl Closed for Outcomes {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        self.masses(GUARD)?;
        Some(Arc::new(OutcomesProfile {
            of: self.clone(),
            direction: Direction::Remove,
        }))
    }

    fn limits(&self) -> &'static str {
        "outcomes whose probabilities are no rational numbers are listed up to some thousands"
    }

    fn renyi_divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Option<Interval> {
        let masses = self.masses(bits)?;
        Some(renyi_divergence(&masses, order, direction, bits))
    }
}

/// D_t = log(Σ q^t·p^{1−t})/(t − 1) of Q from P, or of P from Q; D_1 = Σ q·log(q/p).
///
/// Requires: `order > 0`; a probability that is exactly 0 is given as that.
/// Ensures: encloses D_t, which is at least 0.
pub(super) fn renyi_divergence(
    masses: &[(Interval, Interval)],
    order: &Rational,
    direction: Direction,
    bits: u32,
) -> Interval {
    let zero = Interval::zero(bits);
    let rest = Rational::from(1 - order);
    let (mut sum, mut is_infinite) = (zero.clone(), false);
    for (p, q) in masses {
        let (p, q) = match direction {
            Direction::Remove => (p, q),
            Direction::Add => (q, p),
        };
        if q.is_zero() {
            continue;
        }
        if p.is_zero() {
            is_infinite |= *order >= 1;
            continue;
        }
        let (log_p, log_q) = (p.ln(), q.ln());
        let term = if rest == 0 {
            q.mul(&log_q.sub(&log_p))
        } else {
            let of = |x: &Interval, by: &Rational| x.mul(&Interval::from_rational(by, bits));
            of(&log_q, order).add(&of(&log_p, &rest)).exp()
        };
        sum = sum.add(&term);
    }
    if is_infinite {
        return Interval::infinity(bits);
    }
    let divergence = if rest == 0 {
        sum
    } else {
        let less = Interval::from_rational(&Rational::from(order - 1u32), bits);
        sum.at_least_zero().ln().div(&less)
    };
    divergence.at_least_zero().at_bits(bits)
}

/// δ(u) = Σ (q − u·p)⁺, in one direction of the pair.
struct OutcomesProfile {
    of: Outcomes,
    direction: Direction,
}

impl OutcomesProfile {
    /// (p, q) of every outcome, in this direction; none where they cannot be told.
    fn pairs(&self, bits: u32) -> Masses {
        let Some(masses) = self.of.masses(bits) else {
            return vec![(Interval::whole_line(bits), Interval::whole_line(bits))];
        };
        let turned = |(p, q): &(Interval, Interval)| match self.direction {
            Direction::Remove => (p.clone(), q.clone()),
            Direction::Add => (q.clone(), p.clone()),
        };
        masses.iter().map(turned).collect()
    }

    /// The largest loss, or the least, of the outcomes that have any.
    fn bound(&self, bits: u32, farther: impl Fn(&Interval, &Interval) -> Interval) -> LossBound {
        let both = |(p, q): &(Interval, Interval)| !p.is_zero() && !q.is_zero();
        let losses = self.pairs(bits).into_iter().filter(both);
        let far = losses
            .map(|(p, q)| q.div(&p).ln())
            .reduce(|a, b| farther(&a, &b));
        // Without a finite loss every statement about the finite losses is empty.
        LossBound::Finite {
            value: far.unwrap_or_else(|| Interval::zero(bits)),
            exact: None,
        }
    }

    fn never_infinite(&self) -> bool {
        let one = |(p, q): &(Interval, Interval)| p.is_zero() && !q.is_zero();
        !self.pairs(GUARD).iter().any(one)
    }
}

impl Profile for OutcomesProfile {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let zero = Interval::zero(bits);
        let (mut delta, mut certain, mut possible) = (zero.clone(), zero.clone(), zero.clone());
        for (p, q) in self.pairs(bits) {
            if p.is_zero() {
                delta = delta.add(&q);
                continue;
            }
            let gain = q.sub(&point.exp().mul(&p));
            if gain.is_not_positive() {
                continue;
            }
            delta = delta.add(&gain.at_least_zero());
            possible = possible.add(&p);
            if gain.is_positive() {
                certain = certain.add(&p);
            }
        }
        ProfilePoint {
            delta: delta.in_unit().at_bits(bits),
            null_tail: certain.hull(&possible).in_unit().at_bits(bits),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            of: self.of.clone(),
            direction: self.direction.reversed(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.bound(bits, Interval::max)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.bound(bits, Interval::min)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let alone = |(p, _): &(Interval, Interval)| p.is_zero();
        let outcomes = self.pairs(bits).into_iter().filter(alone);
        let masses = outcomes.map(|(_, q)| q);
        masses
            .fold(Interval::zero(bits), |sum, q| sum.add(&q))
            .in_unit()
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        self.never_infinite().then(Rational::new)
    }
}

#[cfg(test)]
#[path = "outcomes_tests.rs"]
mod tests;
