//! Add-remove adjacency: the pointwise larger of the profiles of (P, Q) and (Q, P).

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Float, Rational};

use crate::kernel::{Interval, LossBound, Pick, Point, Profile, ProfilePoint};

/// δ = max(δ_(P,Q), δ_(Q,P)): the profile of the symmetrised trade-off curve, the largest convex function below
/// f and f⁻¹ (δ = 1 + f*(−u), and the conjugate of the convex hull of a minimum is the maximum of the conjugates).
pub struct Symmetrised {
    stated: Arc<dyn Profile>,
    swapped: Arc<dyn Profile>,
    /// May it be below the larger one?
    is_below: bool,
}

impl Symmetrised {
    /// The symmetrised profile of a pair: its own where it is symmetric already.
    pub fn of(stated: Arc<dyn Profile>) -> Arc<dyn Profile> {
        if stated.is_symmetric() {
            stated
        } else {
            Arc::new(Self::new(stated))
        }
    }

    /// The symmetrised profile of a pair.
    pub fn new(stated: Arc<dyn Profile>) -> Self {
        Self {
            swapped: stated.swapped(),
            stated,
            is_below: false,
        }
    }

    /// The same from a lower bound of a pair's profile: where one order trails it may be left out, as the other alone is a lower bound, too.
    pub fn below(stated: Arc<dyn Profile>) -> Arc<dyn Profile> {
        if stated.is_symmetric() {
            return stated;
        }
        Arc::new(Self {
            is_below: true,
            ..Self::new(stated)
        })
    }

    /// What one order says, where that is known to be all.
    fn by_leader(&self, point: &Point) -> Option<ProfilePoint> {
        let (a, b) = (&self.stated, &self.swapped);
        if self.is_below {
            return if b.trails(point) {
                Some(a.at(point))
            } else {
                a.trails(point).then(|| b.at(point))
            };
        }
        let (leader, least_up) = match b.delta_up(point) {
            Some(up) => (a, up),
            None => (b, a.delta_up(point)?),
        };
        Some(leader.at(point)).filter(|found| least_up < *found.delta.lo())
    }
}

impl Profile for Symmetrised {
    fn at(&self, point: &Point) -> ProfilePoint {
        if let Some(found) = self.by_leader(point) {
            return found;
        }
        let (a, b) = (self.stated.at(point), self.swapped.at(point));
        let delta = a.delta.max(&b.delta);
        // A subgradient of the larger function is one of the maximum. Where the enclosures do not tell which is larger,
        // the one with the larger lower end is taken: its line through that end stays below it, so below the maximum.
        let null_tail = if b.delta.certainly_lt(&a.delta) {
            a.null_tail
        } else if a.delta.certainly_lt(&b.delta) {
            b.null_tail
        } else if a.delta.lo() >= b.delta.lo() {
            a.null_tail
        } else {
            b.null_tail
        };
        ProfilePoint { delta, null_tail }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Self {
            stated: Arc::clone(&self.swapped),
            swapped: Arc::clone(&self.stated),
            is_below: self.is_below,
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        farther(
            self.stated.max_loss(bits),
            self.swapped.max_loss(bits),
            Ordering::Greater,
        )
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        farther(
            self.stated.min_loss(bits),
            self.swapped.min_loss(bits),
            Ordering::Less,
        )
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let (a, b) = (&self.stated, &self.swapped);
        a.infinite_mass(bits).max(&b.infinite_mass(bits))
    }

    fn about(&self, level: &Float) -> Option<Float> {
        let (a, b) = (self.stated.about(level)?, self.swapped.about(level)?);
        Some(a.larger(&b))
    }

    fn about_tail(&self, level: &Float) -> Option<Float> {
        let (a, b) = (
            self.stated.about_tail(level)?,
            self.swapped.about_tail(level)?,
        );
        Some(a.larger(&b))
    }

    fn either(&self) -> Option<[Arc<dyn Profile>; 2]> {
        Some([Arc::clone(&self.stated), Arc::clone(&self.swapped)])
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let (a, b) = (
            self.stated.exact_delta(point),
            self.swapped.exact_delta(point),
        );
        match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (Some(a), None) => at_least_all_of(a, &self.swapped.at(point).delta),
            (None, Some(b)) => at_least_all_of(b, &self.stated.at(point).delta),
            (None, None) => None,
        }
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let (a, b) = (
            self.stated.exact_infinite_mass()?,
            self.swapped.exact_infinite_mass()?,
        );
        Some(a.max(b))
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

fn at_least_all_of(exact: Rational, other: &Interval) -> Option<Rational> {
    (*other.hi() <= exact).then_some(exact)
}

/// The bound that lies farther out in the given direction.
fn farther(a: LossBound, b: LossBound, direction: Ordering) -> LossBound {
    let (LossBound::Finite { value: v, exact: e }, LossBound::Finite { value: w, exact: f }) =
        (a, b)
    else {
        return LossBound::Unbounded;
    };
    let value = if direction == Ordering::Greater {
        v.max(&w)
    } else {
        v.min(&w)
    };
    let exact = match (e, f) {
        (Some(e), Some(f)) if e.cmp(&f) == direction => Some(e),
        (Some(_), Some(f)) => Some(f),
        _ => None,
    };
    LossBound::Finite { value, exact }
}

#[cfg(test)]
#[path = "symmetrised_tests.rs"]
mod tests;
