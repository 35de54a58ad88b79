//! Two mechanisms whose Bayes errors are compared, each known from both sides.

use rug::Float;

use crate::bounds::curve::{Curve, CurvePoint};
use crate::bounds::two_sided::TwoSided;
use crate::kernel::{Interval, InvariantViolation, LossBound, Pick};
use crate::mechanism::Prior;

/// Two mechanisms whose Bayes errors are compared, and the density on the prior.
pub(super) struct Contest<'a> {
    pub first: Sides,
    pub second: Sides,
    pub weight: &'a Prior,
    /// Places where the difference may be large.
    pub hints: &'a [Float],
}

/// The Bayes errors of one mechanism, from above and from below.
pub(super) struct Sides {
    /// The profile nowhere above: it leaves the attacker more error.
    pub lower: Curve,
    /// The profile nowhere below.
    pub upper: Curve,
    /// Are both the same profile?
    pub is_closed_form: bool,
    /// δ(ε) = 0 from here on.
    pub harmless_from: Option<Float>,
    /// δ(ε) = 1 − e^ε up to here.
    pub harmless_to: Option<Float>,
}

impl Sides {
    pub(super) fn of(sides: &TwoSided) -> Self {
        let bits = 256;
        let upper = Curve::new(sides.upper.clone());
        let lower = if sides.is_closed_form() {
            upper.clone()
        } else {
            Curve::new(sides.lower.clone())
        };
        let known = &sides.known_range;
        let harmless_from = known
            .max
            .as_ref()
            .map(|end| end.hi().clone())
            .or_else(|| upper.largest_loss(bits));
        let harmless_to = known
            .min
            .as_ref()
            .map(|end| end.lo().clone())
            .or_else(|| upper.mirrored().largest_loss(bits).map(|end| -end));
        Self {
            lower,
            upper,
            is_closed_form: sides.is_closed_form(),
            harmless_from,
            harmless_to,
        }
    }
}

impl<'a> Contest<'a> {
    pub(super) fn new(
        first: &TwoSided,
        second: &TwoSided,
        weight: &'a Prior,
        hints: &'a [Float],
    ) -> Self {
        Self {
            first: Sides::of(first),
            second: Sides::of(second),
            weight,
            hints,
        }
    }

    /// Is all that is known of both errors, and the weight, the same at π and 1 − π?
    pub(super) fn is_symmetric(&self) -> bool {
        self.weight.is_uniform() && self.first.is_symmetric() && self.second.is_symmetric()
    }

    /// Encloses R_A − R_B at ε.
    fn gap(&self, epsilon: &Float, bits: u32) -> Result<Interval, InvariantViolation> {
        let first = self.first.error(epsilon, bits)?;
        Ok(first.sub(&self.second.error(epsilon, bits)?))
    }
}

impl Sides {
    /// δ(ε) = 1 − e^ε + e^ε·δ(−ε) for both profiles, and the range of the loss is that of its negative: R(π) = R(1 − π).
    fn is_symmetric(&self) -> bool {
        let mirrored = self
            .harmless_to
            .as_ref()
            .map(|end| Float::with_val(end.prec(), -end));
        let curves = [&self.lower, &self.upper];
        mirrored == self.harmless_from && curves.iter().all(|curve| curve.forward.is_symmetric())
    }

    /// Encloses the Bayes error at the prior with odds e^ε.
    fn error(&self, epsilon: &Float, bits: u32) -> Result<Interval, InvariantViolation> {
        self.error_with(&self.lower.point(epsilon, bits), |upper| {
            upper.point(epsilon, bits)
        })
    }

    /// [`Self::error`], where the point of the lower profile's curve is known.
    pub(super) fn error_with(
        &self,
        lower: &CurvePoint,
        upper: impl Fn(&Curve) -> CurvePoint,
    ) -> Result<Interval, InvariantViolation> {
        let low = if self.is_closed_form {
            self.error_down(lower)
        } else {
            self.error_down(&upper(&self.upper))
        };
        between(low, lower.bayes_error().hi().clone())
    }

    /// [`Self::error`], where the point of the upper profile's curve is known.
    pub(super) fn error_from(
        &self,
        upper: &CurvePoint,
        lower: impl Fn(&Curve) -> CurvePoint,
    ) -> Result<Interval, InvariantViolation> {
        let high = if self.is_closed_form {
            upper.bayes_error()
        } else {
            lower(&self.lower).bayes_error()
        };
        between(self.error_down(upper), high.hi().clone())
    }

    /// Lower bound of the Bayes error at a point of the upper profile's curve.
    pub(super) fn error_down(&self, point: &CurvePoint) -> Float {
        let least = point.diagonal_down();
        let epsilon = &point.epsilon;
        let harmless = self
            .harmless_from
            .as_ref()
            .is_some_and(|end| epsilon >= end)
            || self.harmless_to.as_ref().is_some_and(|end| epsilon <= end);
        if !harmless {
            return least;
        }
        // No test beats guessing: R = min(π, 1 − π).
        let (small, _) = point.odds_shares();
        least.larger(small.lo())
    }
}

impl Contest<'_> {
    /// The certain sign of R_A − R_B, if there is one: true is positive.
    ///
    /// # Errors
    /// If the two profiles of a mechanism contradict each other.
    pub(super) fn sign(
        &self,
        epsilon: &Float,
        bits: u32,
    ) -> Result<Option<bool>, InvariantViolation> {
        let gap = self.gap(epsilon, bits)?;
        Ok(if *gap.lo() > 0 {
            Some(true)
        } else if *gap.hi() < 0 {
            Some(false)
        } else {
            None
        })
    }
}

/// Bounds of one Bayes error from two profiles; what is no number bounds nothing.
fn between(low: Float, high: Float) -> Result<Interval, InvariantViolation> {
    if low.is_nan() || high.is_nan() {
        return Ok(Interval::whole_line(low.prec().max(high.prec())));
    }
    Interval::new(low, high)
}

impl Curve {
    /// The loss beyond which δ is certainly 0, if there is one.
    pub(super) fn largest_loss(&self, bits: u32) -> Option<Float> {
        if *self.forward.infinite_mass(bits).hi() > 0 {
            return None;
        }
        match self.forward.max_loss(bits) {
            LossBound::Finite { value, .. } if value.hi().is_finite() => Some(value.hi().clone()),
            _ => None,
        }
    }
}
