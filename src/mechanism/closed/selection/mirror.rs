//! Profiles of pairs that are their own mirror images.

use std::fmt;
use std::sync::Arc;

use rug::Rational;

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::evaluate::refined;

/// What is known of a pair with the same profile in both orders and no loss at ∞.
pub(in crate::mechanism::closed) trait Mirrored:
    fmt::Debug + Clone + Send + Sync + 'static
{
    /// Encloses the profile at a point.
    fn at(&self, point: &Point) -> ProfilePoint;

    /// The largest loss, which is minus the least one.
    fn largest_loss(&self, bits: u32) -> LossBound;

    /// e to the largest loss, where it is rational.
    fn largest_odds(&self) -> Option<Rational>;
}

/// The profile of such a pair: 0 from the largest loss on, 1 − u up to the least one.
#[derive(Debug, Clone)]
pub(in crate::mechanism::closed) struct OwnMirror<T>(pub(in crate::mechanism::closed) T);

impl<T: Mirrored> OwnMirror<T> {
    fn exact_largest(&self) -> Option<Rational> {
        /// Their values are not read where they are exact.
        const FEW_BITS: u32 = 64;
        match self.0.largest_loss(FEW_BITS) {
            LossBound::Finite { exact, .. } => exact,
            LossBound::Unbounded => None,
        }
    }
}

impl<T: Mirrored> Profile for OwnMirror<T> {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.0.at(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.0.largest_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.0.largest_loss(bits).negated()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        if let (Some(largest), Some(x)) = (self.exact_largest(), point.exact_log())
            && *x >= largest
        {
            return Some(Rational::new());
        }
        if let (Some(odds), Some(u)) = (self.0.largest_odds(), point.exact_exp()) {
            if *u >= odds {
                return Some(Rational::new());
            }
            if Rational::from(u * &odds) <= 1 {
                return Some(Rational::from(1 - u));
            }
        }
        None
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// 1 − u + u·δ, and 1 − δ − s/u, from δ and s at 1/u.
pub(in crate::mechanism::closed) fn mirrored(there: &ProfilePoint, u: &Interval) -> ProfilePoint {
    ProfilePoint {
        delta: u.one_minus().add(&u.mul(&there.delta)),
        null_tail: there.delta.one_minus().sub(&there.null_tail.div(u)),
    }
}
