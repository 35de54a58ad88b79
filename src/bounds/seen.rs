//! Which of two trade-off curves is below the other at many false-positive rates: places that were looked at for one rate serve the next.

use std::cmp::Ordering;
use std::slice;

use rug::{Float, Rational};

use super::curve::{Curve, CurvePoint, unit_interval};
use super::sandwich::{Bracket, Cut};
use super::tradeoff::{RangeOdds, Vertical};
use super::two_sided::TwoSided;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Interval, InvariantViolation, Pick};

/// The trade-off curve of a mechanism between those of two profiles, at the places where it was looked at.
pub struct SeenCurves {
    /// The upper profile's, which lies below; then the lower one's, where that is another.
    curves: Vec<SeenCurve>,
    range: RangeOdds,
    bits: u32,
}

/// One curve.
struct SeenCurve {
    curve: Curve,
    /// With rising ε.
    points: Vec<CurvePoint>,
    bits: u32,
}

/// What was seen of the order at a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenOrder {
    /// The first curve is certainly below or above the second.
    Certain(Ordering),
    /// Both are known as well as was asked for, and that does not tell.
    Unknown,
    /// More must be looked at than is worth it.
    Left,
}

/// So many places are looked at for one rate at most.
const MOST_LOOKS: u32 = 80;

impl SeenCurves {
    /// The curves of a mechanism, of which nothing was looked at yet.
    pub fn new(sides: &TwoSided, bits: u32) -> Self {
        let upper = SeenCurve::new(Curve::new(sides.upper.clone()), bits);
        let lower = (!sides.is_closed_form())
            .then(|| SeenCurve::new(Curve::new(sides.lower.clone()), bits));
        Self {
            curves: [upper].into_iter().chain(lower).collect(),
            range: RangeOdds::of(&sides.known_range),
            bits,
        }
    }

    /// Encloses f(α) by what was looked at.
    ///
    /// Below by supporting lines of the upper profile's curve and those at the ends of the loss, above by a chord of the lower one's.
    ///
    /// # Errors
    /// If a supporting line lies above a chord: an internal error.
    fn at(&self, rate: &Rate) -> Result<Interval, InvariantViolation> {
        let bounds = |curve: Option<&SeenCurve>| curve.map(|curve| curve.bounds(rate));
        let first = bounds(self.curves.first());
        let last = bounds(self.curves.last());
        let whole = || (Float::new(self.bits), Float::with_val(self.bits, 1));
        let (mut least, _) = first.unwrap_or_else(whole);
        let (_, most) = last.unwrap_or_else(whole);
        for line in self.range.lines_down(&rate.alpha) {
            least = least.larger(&line);
        }
        Interval::new(least, most)
    }

    fn iter_mut(&mut self) -> slice::IterMut<'_, SeenCurve> {
        self.curves.iter_mut()
    }
}

impl SeenCurve {
    fn new(curve: Curve, bits: u32) -> Self {
        Self {
            curve,
            points: Vec::new(),
            bits,
        }
    }

    /// Where the first point stands that is certainly right of the line; any place is sound.
    fn place(&self, rate: &Rate) -> usize {
        let alpha = rate.alpha.lo();
        self.points
            .partition_point(|point| point.alpha.hi() > alpha)
    }

    /// The points next to the line, or the ends of the curve.
    fn bracket(&self, rate: &Rate) -> Bracket {
        let mut bracket = Bracket::whole(&self.curve, self.bits);
        let place = self.place(rate);
        let left = place.checked_sub(1).and_then(|left| self.points.get(left));
        if let Some(left) = left {
            bracket.move_left_end(left);
        }
        if let Some(right) = self.points.get(place) {
            bracket.move_right_end(right);
        }
        bracket
    }

    /// Bounds of this curve at the line: supporting lines of the points next to it, and the chord between the two nearest.
    fn bounds(&self, rate: &Rate) -> (Float, Float) {
        let place = self.place(rate);
        let near = self.points.iter().skip(place.saturating_sub(2)).take(4);
        let supports = near.map(|point| rate.line.by_support_down(point));
        let least = supports.fold(Float::new(self.bits), |a, b| a.larger(&b));
        let (left, right) = self.bracket(rate).ends();
        (least, rate.line.by_chord_up(&left, &right))
    }

    /// How far apart its bounds are.
    fn gap(&self, rate: &Rate) -> Float {
        let (least, most) = self.bounds(rate);
        d::sub_up(&most, &least, self.bits)
    }

    /// Looks at one place more; `false` where there is none.
    fn look(&mut self, rate: &Rate, by_chord: bool) -> bool {
        let Some(epsilon) = self.bracket(rate).next(by_chord, self.bits) else {
            return false;
        };
        let place = self.points.partition_point(|point| point.epsilon < epsilon);
        let is_known = self
            .points
            .get(place)
            .is_some_and(|point| point.epsilon == epsilon);
        if is_known {
            return false;
        }
        let point = self.curve.point(&epsilon, self.bits);
        self.points.insert(place, point);
        true
    }
}

/// A false-positive rate.
struct Rate {
    alpha: Interval,
    line: Vertical,
}

/// Which of two curves is below the other at α, looking until both are known up to a width.
///
/// Requires: 0 < α < 1.
/// Ensures: an order that is certain is that of f at α.
///
/// # Errors
/// If bounds of a curve contradict each other: an internal error.
pub fn seen_order(
    [first, second]: [&mut SeenCurves; 2],
    alpha: &Rational,
    width: &Rational,
    budget: &Budget,
) -> Result<SeenOrder, InvariantViolation> {
    let bits = first.bits;
    let rate = Rate {
        alpha: unit_interval(alpha, bits),
        line: Vertical::at(alpha, bits),
    };
    for look in 0..MOST_LOOKS {
        let (one, other) = (first.at(&rate)?, second.at(&rate)?);
        if one.certainly_lt(&other) {
            return Ok(SeenOrder::Certain(Ordering::Less));
        }
        if other.certainly_lt(&one) {
            return Ok(SeenOrder::Certain(Ordering::Greater));
        }
        if budget.check().is_err() {
            return Ok(SeenOrder::Unknown);
        }
        // The curve of which least is known.
        let all = first.iter_mut().chain(second.iter_mut());
        let gaps = all.map(|curve| (curve.gap(&rate), curve));
        let widest = gaps.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((gap, curve)) = widest else {
            return Ok(SeenOrder::Left);
        };
        if gap <= *width {
            return Ok(SeenOrder::Unknown);
        }
        if !curve.look(&rate, look % 2 == 0) {
            return Ok(SeenOrder::Left);
        }
    }
    Ok(SeenOrder::Left)
}

#[cfg(test)]
#[path = "seen_tests.rs"]
mod tests;
