//! The trade-off function f(α): the least type-II error at type-I error α.

use rug::{Float, Rational};

use super::curve::{Curve, CurvePoint, mix_up, unit_interval};
use super::enclosure::{Effort, Enclosure};
use super::sandwich::{Crossing, Cut, Side, Vertex, cross};
use super::two_sided::TwoSided;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation};

/// Encloses f(α), the least false negative rate of a test with false positive rate at most α.
///
/// Below by the supporting lines f(α) ≥ 1 − δ(u) − uα of the upper profile, any u > 0; above by chords of
/// the curve of the lower profile (f is convex and non-increasing). α ≤ 0 and α ≥ 1 mean the ends of the
/// curve.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn tradeoff(
    sides: &TwoSided,
    alpha: &Rational,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    if *alpha >= 1 {
        return Ok(Enclosure::exactly(Rational::new(), effort.bits));
    }
    let found = if *alpha <= 0 {
        sides.falling(|curve| effort.raising_bits(|bits| at_zero(curve, bits)))?
    } else {
        sides.falling(|curve| {
            effort.raising_bits(|bits| Ok(crossing(curve, alpha, effort, bits)?.enclosure))
        })?
    };
    by_known_range(sides, alpha, found, effort.bits)
}

/// The place where the trade-off curve of one profile meets the vertical line at α, 0 < α < 1.
pub(super) fn crossing(
    curve: &Curve,
    alpha: &Rational,
    effort: &Effort,
    bits: u32,
) -> Result<Crossing, InvariantViolation> {
    let cut = Vertical {
        alpha: unit_interval(alpha, bits),
    };
    cross(curve, &cut, effort, bits)
}

/// f(0) = 1 − Q(∞).
fn at_zero(curve: &Curve, bits: u32) -> Result<Enclosure, InvariantViolation> {
    Ok(match curve.forward.exact_infinite_mass() {
        Some(mass) => Enclosure::exactly(1 - mass, bits),
        None => {
            let mass = curve.forward.infinite_mass(bits).in_unit();
            Enclosure::from_interval(&mass.one_minus())
        }
    })
}

/// The supporting lines at the ends of the loss: δ(e^max) = 0 gives f ≥ 1 − e^max·α, and
/// δ_(Q,P)(e^−min) = 0 gives f ≥ e^min·(1 − α).
fn by_known_range(
    sides: &TwoSided,
    alpha: &Rational,
    mut found: Enclosure,
    bits: u32,
) -> Result<Enclosure, InvariantViolation> {
    let alpha = unit_interval(alpha, bits);
    if let Some(max) = &sides.known_range.max {
        let line = max.exp().mul(&alpha).one_minus();
        found = found.at_least(line.lo())?;
    }
    if let Some(min) = &sides.known_range.min {
        let line = min.exp().mul(&alpha.one_minus());
        found = found.at_least(line.lo())?;
    }
    Ok(found)
}

/// The vertical line at a given type-I error.
struct Vertical {
    alpha: Interval,
}

impl Cut for Vertical {
    /// Right only where the whole enclosure is at or below α (compared with its lower end).
    fn side(&self, point: &CurvePoint) -> Side {
        let alpha = Interval::point(self.alpha.lo().clone());
        Side::of_distance(&point.alpha.sub(&alpha))
    }

    fn by_support_down(&self, point: &CurvePoint) -> Float {
        point.support_down(&self.alpha)
    }

    /// The share t of the left point is rounded down, so the mixture has a type-I error of at most α, and
    /// f(α) is at most f there (f is non-increasing).
    fn by_chord_up(&self, left: &Vertex, right: &Vertex) -> Float {
        let alpha = self.alpha.lo();
        let bits = self.alpha.bits();
        if left.alpha_up <= *alpha {
            return left.beta_up.clone();
        }
        if right.alpha_up > *alpha {
            return Float::with_val(bits, 1);
        }
        let run = d::sub_up(&left.alpha_up, &right.alpha_up, bits);
        let share = d::sub_down(alpha, &right.alpha_up, bits);
        let t = d::div_down(&share, &run, bits);
        mix_up(&t, &left.beta_up, &right.beta_up, bits)
    }
}
