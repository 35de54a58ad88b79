//! A range of priors, and an upper bound of the weighted difference of two Bayes errors over it.
//!
//! R_A is concave, so it lies below its supporting lines at both ends; R_B is concave, so it lies above its chord. Over the
//! range R_A − R_B is at most the smaller of two linear functions of π, hence at most any mixture of the two.

use rug::Float;

use super::prior::Density;
use crate::bounds::curve::{Curve, CurvePoint};
use crate::kernel::directed as d;
use crate::kernel::{Interval, Pick};

/// Both mechanisms at one prior.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// ε = log(π/(1 − π)), exactly; ±∞ at the ends.
    pub epsilon: Float,
    /// Encloses π.
    pub prior: Interval,
    /// Encloses 1 − π.
    pub rest: Interval,
    /// R_A(π) is at most this.
    error_first_up: Float,
    /// Slopes of supporting lines through the point (π, `error_first_up`) that R_A stays below.
    slope_first: Interval,
    /// R_B(π) is at least this.
    error_second_down: Float,
    /// R_A(π) − R_B(π) is at most this.
    pub gap_up: Float,
}

/// The priors between two nodes.
pub(super) struct Segment {
    pub left: Node,
    pub right: Node,
}

/// A linear function over a segment, by its values at both ends.
struct Line {
    left: Float,
    right: Float,
}

impl Node {
    /// A node from a point of the first mechanism's curve.
    ///
    /// The line δ(u) − s(v − u) below δ becomes R(π') ≤ R(π) + (π' − π)(s(1 + u) − 1 + δ) above R, because
    /// R(π) = (1 − π)(1 − δ(π/(1 − π))); for ε < 0 the knot is that of the swapped pair, whose R is R(1 − π).
    pub(super) fn new(first: &CurvePoint, error_second_down: Float, bits: u32) -> Self {
        let (small, large) = first.odds_shares();
        let delta = Interval::point(first.knot.delta.lo().clone());
        let one = Interval::one(bits);
        let turn = first.knot.null_tail.mul(&one.add(&first.odds));
        let slope = turn.sub(&delta.one_minus());
        let (prior, rest, slope) = if first.is_backward() {
            (small, large, slope.neg())
        } else {
            (large, small, slope)
        };
        let error_first_up = first.bayes_error().hi().clone();
        Self {
            epsilon: first.epsilon.clone(),
            gap_up: d::sub_up(&error_first_up, &error_second_down, bits),
            // R rises and falls by at most |π' − π|.
            slope_first: slope.min(&one).max(&one.neg()),
            prior,
            rest,
            error_first_up,
            error_second_down,
        }
    }

    /// π = 0: R = 0, and R ≤ π·(1 − P-mass where Q has none).
    pub(super) fn at_no_prior(first: &Curve, bits: u32) -> Self {
        let mass = first.backward.infinite_mass(bits).in_unit();
        Self {
            epsilon: d::neg_infinity(bits),
            prior: Interval::zero(bits),
            rest: Interval::one(bits),
            slope_first: mass.one_minus(),
            ..Self::empty(bits)
        }
    }

    /// π = 1: R = 0, and R ≤ (1 − π)·(1 − Q-mass where P has none).
    pub(super) fn at_full_prior(first: &Curve, bits: u32) -> Self {
        let mass = first.forward.infinite_mass(bits).in_unit();
        Self {
            epsilon: d::infinity(bits),
            prior: Interval::one(bits),
            rest: Interval::zero(bits),
            slope_first: mass.one_minus().neg(),
            ..Self::empty(bits)
        }
    }

    /// Upper bound of the weighted difference here.
    pub(super) fn weighted_up(&self, weight: &Interval) -> Float {
        weighted_up(weight, &self.gap_up)
    }

    fn empty(bits: u32) -> Self {
        let zero = Float::new(bits);
        Self {
            epsilon: zero.clone(),
            prior: Interval::zero(bits),
            rest: Interval::zero(bits),
            slope_first: Interval::zero(bits),
            error_first_up: zero.clone(),
            error_second_down: zero.clone(),
            gap_up: zero,
        }
    }
}

impl Segment {
    /// The largest of Ψ·(bound of the difference) at the ends: no bound of the segment can be less.
    pub(super) fn least_bound(&self, density: &Density) -> Float {
        let at = |node: &Node| {
            if node.epsilon.is_infinite() {
                return Float::new(node.gap_up.prec());
            }
            let weight = density.over(&node.prior, &node.rest);
            node.weighted_up(&weight)
        };
        at(&self.left).larger(&at(&self.right))
    }

    /// A place inside, near the given share of the width; `None` if there is none between the ends.
    pub(super) fn cut(&self, share: Option<&Float>, bits: u32) -> Option<Float> {
        let mut share = share
            .cloned()
            .unwrap_or_else(|| Float::with_val(bits, 1) >> 1u32);
        let margin = Float::with_val(bits, 1) >> 6u32;
        let most = Float::with_val(bits, 1 - &margin);
        if !share.is_finite() {
            share = Float::with_val(bits, 1) >> 1u32;
        }
        share = share.larger(&margin).smaller(&most);
        // From the end that is nearer to 0 or 1, so that small priors keep their digits.
        let is_left = self.right.epsilon <= 0;
        let (from, to) = if is_left {
            (&self.left.prior, &self.right.prior)
        } else {
            (&self.left.rest, &self.right.rest)
        };
        let way = Float::with_val(bits, to.hi() - from.lo());
        let small = Float::with_val(bits, from.lo() + way * share);
        let other = Float::with_val(bits, -&small).ln_1p();
        let log = small.ln() - other;
        let place = if is_left { log } else { -log };
        let inside = place > self.left.epsilon && place < self.right.epsilon;
        (place.is_finite() && inside).then_some(place)
    }

    /// Two lines above R_A − R_B: of the supporting lines at both ends and the chord.
    fn lines(&self, width: &Interval, bits: u32) -> (Line, Line) {
        let Self { left, right } = self;
        let from_left = {
            let rise = width.mul(&Interval::point(left.slope_first.hi().clone()));
            let error = d::add_up(&left.error_first_up, rise.hi(), bits);
            Line {
                left: left.gap_up.clone(),
                right: d::sub_up(&error, &right.error_second_down, bits),
            }
        };
        let from_right = {
            let fall = width.mul(&Interval::point(right.slope_first.lo().clone()));
            let error = d::sub_up(&right.error_first_up, fall.lo(), bits);
            Line {
                left: d::sub_up(&error, &left.error_second_down, bits),
                right: right.gap_up.clone(),
            }
        };
        (from_left, from_right)
    }

    /// Is R_A − R_B certainly below 0 all over the segment, by lines above it?
    ///
    /// Requires: both ends are finite.
    pub(super) fn is_below_zero(&self, bits: u32) -> bool {
        let (from_left, from_right) = self.lines(&self.width(), bits);
        from_left.is_below_zero_with(&from_right, bits)
    }

    /// Encloses π_right − π_left.
    fn width(&self) -> Interval {
        let width = if self.right.epsilon <= 0 {
            self.right.prior.sub(&self.left.prior)
        } else {
            self.left.rest.sub(&self.right.rest)
        };
        width.at_least_zero()
    }

    /// Encloses all priors of the segment, and their complements.
    fn range(&self) -> (Interval, Interval) {
        (
            self.left.prior.hull(&self.right.prior).in_unit(),
            self.left.rest.hull(&self.right.rest).in_unit(),
        )
    }
}

/// An upper bound of Ψ·(R_A − R_B) over the segment, and the share of its width at which the two lines meet.
pub(super) fn chord_bound(
    segment: &Segment,
    density: &Density,
    bits: u32,
) -> (Float, Option<Float>) {
    let Segment { left, right } = segment;
    let width = segment.width();
    let (from_left, from_right) = segment.lines(&width, bits);
    let bound = match (left.epsilon.is_infinite(), right.epsilon.is_infinite()) {
        (true, _) => end_bound(
            &from_left.right,
            &width,
            |prior, rest| density.times_prior(prior, rest),
            segment,
        ),
        (_, true) => end_bound(
            &from_right.left,
            &width,
            |prior, rest| density.times_rest(prior, rest),
            segment,
        ),
        _ => {
            let mixed = from_left.mixed_up(&from_right, bits);
            mixed.weighted_up(segment, density, &width, bits)
        }
    };
    (bound, from_left.meets(&from_right, bits))
}

/// Over the first or last segment the difference is at most a line that is 0 at the end, k·π or k·(1 − π), so the
/// weighted one is at most k⁺·sup πΨ(π) or k⁺·sup (1 − π)Ψ(π).
fn end_bound(
    at_other_end: &Float,
    width: &Interval,
    weight: impl Fn(&Interval, &Interval) -> Interval,
    segment: &Segment,
) -> Float {
    if *at_other_end <= 0 {
        return Float::new(at_other_end.prec());
    }
    let (prior, rest) = segment.range();
    // R_A ≤ min(π, 1 − π), so no slope above 1 is needed, however little is known of the width.
    let slope = Interval::point(at_other_end.clone()).div(width);
    let slope = slope.min(&Interval::one(slope.bits()));
    slope.mul(&weight(&prior, &rest)).hi().clone()
}

impl Line {
    /// w·self + (1 − w)·other, with the weight 0 ≤ w ≤ 1 that makes it as flat as possible: any weight is sound.
    fn mixed_up(&self, other: &Self, bits: u32) -> Self {
        let rise = Float::with_val(bits, &self.right - &self.left);
        let fall = Float::with_val(bits, &other.left - &other.right);
        let sum = Float::with_val(bits, &rise + &fall);
        let (zero, one) = (Float::new(bits), Float::with_val(bits, 1));
        let mut share = if rise <= 0 {
            one.clone()
        } else if fall <= 0 {
            zero.clone()
        } else {
            fall / sum
        };
        if !share.is_finite() {
            share = one.clone();
        }
        let share = Interval::point(share.larger(&zero).smaller(&one));
        let mix = |a: &Float, b: &Float| {
            let a = share.mul(&Interval::point(a.clone()));
            let b = share.one_minus().mul(&Interval::point(b.clone()));
            a.add(&b).hi().clone()
        };
        Self {
            left: mix(&self.left, &other.left),
            right: mix(&self.right, &other.right),
        }
    }

    /// Is the smaller of the two lines certainly below 0 everywhere?
    fn is_below_zero_with(&self, other: &Self, bits: u32) -> bool {
        let mixed = self.mixed_up(other, bits);
        mixed.left < 0 && mixed.right < 0
    }

    /// Where the two lines meet, as a share of the width, for cutting.
    fn meets(&self, other: &Self, bits: u32) -> Option<Float> {
        let ahead = Float::with_val(bits, &other.left - &self.left);
        let rise = Float::with_val(bits, &self.right - &self.left);
        let fall = Float::with_val(bits, &other.left - &other.right);
        let share = ahead / Float::with_val(bits, &rise + &fall);
        share.is_finite().then_some(share)
    }

    /// Upper bound of Ψ·line over the segment.
    ///
    /// A twice differentiable g lies below its chord plus (width²/8)·sup(−g'')⁺, and
    /// −(Ψℓ)'' = −Ψ''ℓ − 2Ψ'ℓ'; also g ≤ sup Ψ · max ℓ⁺.
    fn weighted_up(
        &self,
        segment: &Segment,
        density: &Density,
        width: &Interval,
        bits: u32,
    ) -> Float {
        let zero = Float::new(bits);
        let highest = self.left.clone().larger(&self.right);
        if highest <= 0 {
            return zero;
        }
        let (prior, rest) = segment.range();
        let crude = weighted_up(&density.over(&prior, &rest), &highest);
        let Some(smooth) = density.smooth(&prior, &rest) else {
            return crude;
        };
        let at =
            |node: &Node, value: &Float| weighted_up(&density.over(&node.prior, &node.rest), value);
        let ends = at(&segment.left, &self.left).larger(&at(&segment.right, &self.right));
        let line = Interval::spanning(self.left.clone(), self.right.clone());
        let rise = Interval::point(self.right.clone()).sub(&Interval::point(self.left.clone()));
        let bend = smooth.curvature.mul(&line).mul(&width.square()).add(
            &smooth
                .slope
                .mul(&rise)
                .mul(width)
                .mul(&Interval::from_i64(2, bits)),
        );
        // A shift is exact.
        let excess = bend.neg().at_least_zero().hi().clone() >> 3u32;
        let fine = d::add_up(&ends, &excess, bits);
        if fine.is_nan() {
            crude
        } else {
            crude.smaller(&fine)
        }
    }
}

/// Upper bound of weight·value for a weight ≥ 0; 0 if the value is not positive.
fn weighted_up(weight: &Interval, value: &Float) -> Float {
    if *value <= 0 {
        return Float::new(value.prec());
    }
    weight.mul(&Interval::point(value.clone())).hi().clone()
}

impl CurvePoint {
    /// Encloses the Bayes error at the prior with odds e^ε: (1 − δ(u))/(1 + u), seen from the side of the knot.
    pub(super) fn bayes_error(&self) -> Interval {
        let one = Interval::one(self.odds.bits());
        let height = self.knot.delta.one_minus().at_least_zero();
        height.div(&one.add(&self.odds))
    }

    /// Encloses 1/(1 + e^|ε|) and e^|ε|/(1 + e^|ε|): the smaller and the larger of π and 1 − π.
    pub(super) fn odds_shares(&self) -> (Interval, Interval) {
        let one = Interval::one(self.odds.bits());
        let small = one.add(&self.odds).recip();
        let large = small.one_minus();
        (small, large)
    }
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
