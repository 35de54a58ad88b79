//! The privacy profile of a finite law, in either order of the pair.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Rational;

use super::law::FiniteLaw;
use super::mass::Mass;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::Direction;
use crate::mechanism::evaluate::sharpened;

/// δ(u) = Q(L = ∞) + Σ_{y_i > ε} q_i·(1 − u·e^{−y_i}), exact where all that enters is rational.
#[derive(Debug, Clone)]
pub struct FiniteProfile {
    law: Arc<FiniteLaw>,
    direction: Direction,
}

/// An exact pair longer than this is not handed out.
const LONGEST_EXACT_PAIR: usize = 5_000;

impl FiniteProfile {
    /// The profile of the law's pair (P, Q).
    pub fn new(law: Arc<FiniteLaw>) -> Self {
        Self {
            law,
            direction: Direction::Remove,
        }
    }

    /// The law, and the order of its pair that this profile is about.
    pub fn law(&self) -> (&Arc<FiniteLaw>, Direction) {
        (&self.law, self.direction)
    }

    /// The same profile for the swapped pair.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            law: Arc::clone(&self.law),
            direction: self.direction.reversed(),
        }
    }

    /// The profile of one direction of the law's pair.
    #[must_use]
    pub fn toward(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// All finite losses in this order of the pair, rising, each enclosed.
    pub fn losses(&self, bits: u32) -> Vec<Interval> {
        self.law.hinges(bits, self.direction).positions.clone()
    }

    /// The vertices (α, β) = (P(L ≥ y), Q(L < y)) of the trade-off curve at all finite losses y in this order of the pair and at y = ∞, by
    /// rising loss, each enclosed; without (1, 0), which is one where no loss is −∞.
    pub fn vertices(&self, bits: u32) -> Vec<(Interval, Interval)> {
        let tails = self.law.hinges(bits, self.direction);
        let certain = usize::from(self.mirrored().is_finite());
        let vertices = tails.tails().enumerate().skip(certain);
        let misses = |index: usize, upper: &Interval| match index {
            // Of Q no loss is −∞.
            0 => Interval::zero(bits),
            _ => upper.one_minus().in_unit(),
        };
        let finite = vertices.map(|(index, (null, upper))| (null.in_unit(), misses(index, upper)));
        let last = match self.is_finite() {
            true => Interval::one(bits),
            false => self.infinite().enclose(bits).one_minus().in_unit(),
        };
        finite.chain([(Interval::zero(bits), last)]).collect()
    }

    /// Is no loss +∞ in this order of the pair?
    pub fn is_finite(&self) -> bool {
        match self.direction {
            Direction::Remove => self.law.infinite().is_zero(),
            Direction::Add => self.law.null_only().is_zero(),
        }
    }

    /// The loss of an atom, counted from the least in this order of the pair, where it is rational.
    pub fn rational_loss(&self, index: usize) -> Option<Rational> {
        let loss = self.law.rational_loss(self.index(index))?;
        Some(match self.direction {
            Direction::Remove => loss,
            Direction::Add => -loss,
        })
    }

    /// The first atom not known to have loss ≤ ε, and the first known to have loss > ε.
    fn thresholds(&self, point: &Point, positions: &[Interval]) -> (usize, usize) {
        let order = |index: usize| self.order_at(index, point, positions);
        let open = partition(positions.len(), |index| {
            matches!(order(index), Some(Ordering::Less | Ordering::Equal))
        });
        let above = partition(positions.len(), |index| {
            order(index) != Some(Ordering::Greater)
        });
        (open, above)
    }

    /// How the loss of an atom compares with ε.
    fn order_at(&self, index: usize, point: &Point, positions: &[Interval]) -> Option<Ordering> {
        let position = positions.get(index)?;
        let log = point.log();
        if position.certainly_lt(log) {
            return Some(Ordering::Less);
        }
        if log.certainly_lt(position) {
            return Some(Ordering::Greater);
        }
        if let (Some(loss), Some(epsilon)) = (self.rational_loss(index), point.exact_log()) {
            return Some(loss.cmp(epsilon));
        }
        if let (Some(ratio), Some(u)) = (self.ratio(index), point.exact_exp()) {
            return Some(ratio.cmp(u));
        }
        (position.hi() <= log.lo()).then_some(Ordering::Equal)
    }

    /// 1 − e^{ε − y} for the loss y of an atom.
    fn rise(&self, index: usize, point: &Point, positions: &[Interval]) -> Interval {
        let bits = point.bits();
        if let (Some(u), Some(ratio)) = (point.exact_exp(), self.ratio(index)) {
            return Interval::from_rational(&(1 - (u / ratio)), bits);
        }
        if let (Some(epsilon), Some(loss)) = (point.exact_log(), self.rational_loss(index)) {
            let gap = epsilon - loss;
            return Interval::from_rational(&gap, bits).exp_m1().neg();
        }
        match positions.get(index) {
            Some(position) => point.log().sub(position).exp_m1().neg(),
            None => Interval::one(bits),
        }
    }

    /// Index in the law of an index in this order.
    fn index(&self, index: usize) -> usize {
        match self.direction {
            Direction::Remove => index,
            Direction::Add => self.law.len().saturating_sub(index.saturating_add(1)),
        }
    }

    /// e^loss of an atom, counted likewise, where it is rational.
    pub fn ratio(&self, index: usize) -> Option<Rational> {
        let ratio = self.law.loss_ratio(self.index(index))?;
        Some(match self.direction {
            Direction::Remove => ratio,
            Direction::Add => ratio.recip(),
        })
    }

    fn infinite(&self) -> &Mass {
        match self.direction {
            Direction::Remove => self.law.infinite(),
            Direction::Add => self.law.null_only(),
        }
    }

    fn null_only(&self) -> &Mass {
        match self.direction {
            Direction::Remove => self.law.null_only(),
            Direction::Add => self.law.infinite(),
        }
    }

    fn bound(&self, index: Option<usize>, bits: u32) -> LossBound {
        let known = index.and_then(|index| {
            let loss = self.law.loss(self.index(index), working_bits(bits))?;
            let value = match self.direction {
                Direction::Remove => loss,
                Direction::Add => loss.neg(),
            };
            Some((value.at_bits(bits), self.rational_loss(index)))
        });
        // Without a finite loss every statement about the finite losses is empty: 0 is as good a bound as any.
        let (value, exact) = known.unwrap_or_else(|| (Interval::zero(bits), Some(Rational::new())));
        LossBound::Finite { value, exact }
    }
}

impl Profile for FiniteProfile {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = working_bits(point.bits());
        let hinges = self.law.hinges(bits, self.direction);
        let sharp = sharpened(point, bits);
        let (open, above) = self.thresholds(&sharp, &hinges.positions);
        let knot = hinges.knot(open, above, |index| {
            self.rise(index, &sharp, &hinges.positions)
        });
        ProfilePoint {
            delta: knot.delta.at_bits(point.bits()),
            null_tail: knot.null_tail.at_bits(point.bits()),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.mirrored())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.bound(self.law.len().checked_sub(1), bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.bound(Some(0), bits)
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.infinite().enclose(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let mut known = self.law.known().iter();
        if let Some((_, delta)) = known.find(|(epsilon, _)| epsilon.is_at(point)) {
            return Some(delta.clone());
        }
        let bits = working_bits(point.bits());
        let hinges = self.law.hinges(bits, self.direction);
        let sharp = sharpened(point, bits);
        let (open, above) = self.thresholds(&sharp, &hinges.positions);
        if open != above {
            return None;
        }
        if above == self.law.len() {
            return self.infinite().exact().cloned();
        }
        let u = point.exact_exp()?;
        if above == 0 {
            let null = Rational::from(1 - self.null_only().exact()?);
            return Some(1 - null * u);
        }
        let infinite = self.infinite().exact()?;
        let masses = self.law.exact_masses()?;
        let (without, with) = match self.direction {
            Direction::Remove => (&masses.0, &masses.1),
            Direction::Add => (&masses.1, &masses.0),
        };
        let indices = above..self.law.len();
        let terms = indices.filter_map(|index| {
            let index = self.index(index);
            let null = Rational::from(without.get(index)? * u);
            Some(with.get(index)? - null)
        });
        Some(terms.fold(infinite.clone(), |sum, term| sum + term))
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        self.infinite().exact().cloned()
    }

    fn exact_pair(&self) -> Option<Arc<(Vec<Rational>, Vec<Rational>)>> {
        if self.law.len() > LONGEST_EXACT_PAIR {
            return None;
        }
        let masses = self.law.exact_masses()?;
        let (infinite, null_only) = (self.law.infinite().exact()?, self.law.null_only().exact()?);
        let (mut p, mut q) = (masses.0.clone(), masses.1.clone());
        p.extend([Rational::new(), null_only.clone()]);
        q.extend([infinite.clone(), Rational::new()]);
        Some(Arc::new(match self.direction {
            Direction::Remove => (p, q),
            Direction::Add => (q, p),
        }))
    }
}

/// Guard bits for sums of positive terms, rounded up so that few tables are built.
pub(crate) fn working_bits(bits: u32) -> u32 {
    const STEP: u32 = 64;
    (bits / STEP).saturating_add(2).saturating_mul(STEP)
}

/// The least index at which the predicate was seen to fail with all lower ones known to pass by monotonicity.
fn partition(len: usize, passes: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        if passes(middle) {
            low = middle.saturating_add(1);
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
