//! δ at a point of the privacy profile, and the advantage δ(0).

use rug::Rational;

use super::curve::Curve;
use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::{Interval, InvariantViolation, Point};

/// A place on the loss axis, exact in one of its two names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LossAxis {
    /// Any real ε.
    Epsilon(Rational),
    /// u = e^ε.
    ExpEpsilon(Rational),
}

/// Encloses δ = sup over events E of Q(E) − u·P(E), within [max(0, 1 − u), 1].
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn delta(
    sides: &TwoSided,
    at: &LossAxis,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    if let LossAxis::ExpEpsilon(u) = at
        && *u <= 0
    {
        // The best event has all of Q and, for u < 0, all of P.
        return Ok(Enclosure::exactly(Rational::from(1 - u), effort.bits));
    }
    let found = sides.growing(|curve| effort.raising_bits(|bits| of_curve(curve, at, bits)))?;
    let place = at.place(effort.bits);
    let range = &sides.known_range;
    if range.max.as_ref().is_some_and(|max| place.log().lo() >= max.hi()) {
        return found.at_most(&rug::Float::new(effort.bits));
    }
    if range.min.as_ref().is_some_and(|min| place.log().hi() <= min.lo()) {
        return found.at_most(place.exp().one_minus().hi());
    }
    Ok(found)
}

/// Encloses the attacker's advantage δ(0) = max over α of 1 − α − f(α): the total variation distance.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn advantage(sides: &TwoSided, effort: &Effort) -> Result<Enclosure, InvariantViolation> {
    delta(sides, &LossAxis::Epsilon(Rational::new()), effort)
}

impl LossAxis {
    /// Requires: a positive u.
    fn place(&self, bits: u32) -> Point {
        match self {
            Self::Epsilon(epsilon) => Point::at_epsilon(epsilon, bits),
            Self::ExpEpsilon(u) => Point::at_exp_epsilon(u, bits),
        }
    }
}

fn of_curve(curve: &Curve, at: &LossAxis, bits: u32) -> Result<Enclosure, InvariantViolation> {
    let place = at.place(bits);
    if let Some(exact) = curve.forward.exact_delta(&place) {
        return Ok(Enclosure::exactly(exact, bits));
    }
    let one = Interval::one(bits);
    let least = place.exp().one_minus().at_least_zero();
    let known = curve.forward.at(&place).delta;
    let bounded = known.max(&least).min(&one);
    Ok(Enclosure::from_interval(&bounded))
}
