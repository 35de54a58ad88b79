//! The order of a pair that trails: a bound of its δ by one tilt, where floats say that no more is needed.
//!
//! For t > 0, (1 − e^{−x})⁺ ≤ c(t)·e^{tx} with c(t) = t^t/(1 + t)^{1+t}, the largest (1 − e^{−x})·e^{−tx} (at e^{−x} = t/(1 + t)). With G(θ) = Σ q·e^{θL} over the finite
//! losses,
//!
//! * Σ q·(1 − e^{ε−L})⁺ ≤ c(t)·e^{−tε}·G(t), for the order stated;
//! * Σ p·(1 − e^{ε+L})⁺ ≤ c(t)·e^{−tε}·G(−1 − t), for the other one, as p = q·e^{−L}.

use std::sync::{Mutex, PoisonError};

use rug::{Float, Rational};

use super::Sum;
use super::aliases;
use super::fixed::ERROR_BITS;
use crate::kernel::{Interval, Pick, Point};

/// What floats say of the losses between two: hints.
#[derive(Debug, Clone)]
pub struct Outlook {
    /// It holds from here
    pub from: Float,
    /// to there.
    pub to: Float,
    /// Does the order asked for have a δ well below that of the other?
    pub trails: bool,
    /// The t of a bound that is below the δ of the other order, if there is one.
    pub tilt: Option<Rational>,
}

/// What is known so far of one order.
#[derive(Default)]
pub(super) struct Trailing(Mutex<Vec<Known>>);

/// An outlook and its bound.
struct Known {
    outlook: Outlook,
    bound: Option<Bound>,
}

/// log(c(t)·G), and t.
#[derive(Clone)]
struct Bound {
    tilt: Interval,
    log: Interval,
}

impl Trailing {
    /// Does this order trail at the loss, as far as is seen?
    pub(super) fn trails(
        &self,
        loss: &Float,
        look: impl FnOnce(&Float) -> Option<Outlook>,
        bound: impl FnOnce(&Rational) -> Option<(Interval, Interval)>,
    ) -> bool {
        self.with(loss, look, bound, |known| known.outlook.trails)
            .unwrap_or(false)
    }

    /// At least the sum over the losses beyond, if that is likely to be of use.
    pub(super) fn sum_up(
        &self,
        point: &Point,
        look: impl FnOnce(&Float) -> Option<Outlook>,
        bound: impl FnOnce(&Rational) -> Option<(Interval, Interval)>,
    ) -> Option<Float> {
        let loss = point.log().lo();
        let bound = self.with(loss, look, bound, |known| known.bound.clone())??;
        let log = bound.log.sub(
            &bound
                .tilt
                .mul(&Interval::point(loss.clone()).at_bits(ERROR_BITS)),
        );
        Some(log.exp().hi().clone())
    }

    fn with<T>(
        &self,
        loss: &Float,
        look: impl FnOnce(&Float) -> Option<Outlook>,
        bound: impl FnOnce(&Rational) -> Option<(Interval, Interval)>,
        of: impl FnOnce(&Known) -> T,
    ) -> Option<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let serves = |one: &Known| one.outlook.from <= *loss && *loss <= one.outlook.to;
        if let Some(found) = known.iter().find(|one| serves(one)) {
            return Some(of(found));
        }
        let outlook = look(loss)?;
        let bound = outlook.tilt.as_ref().and_then(bound);
        let bound = bound.and_then(|(tilt, log_total)| {
            Some(Bound {
                log: log_constant(&tilt)?.add(&log_total),
                tilt,
            })
        });
        let found = Known { outlook, bound };
        let answer = of(&found);
        known.push(found);
        Some(answer)
    }
}

/// t, and log G of the order stated or of the other one; `None` for a t that is not positive, or beyond what is computed with.
pub(super) fn log_total(
    sum: &Sum,
    tilt: &Rational,
    is_swapped: bool,
) -> Option<(Interval, Interval)> {
    if *tilt <= 0 {
        return None;
    }
    let rate = if is_swapped {
        Rational::from(-1 - tilt)
    } else {
        tilt.clone()
    };
    let (rate, log) = aliases::tail(sum, &rate)?;
    // Relative to the least loss.
    let log = log.add(&rate.mul(&sum.origin));
    Some((
        Interval::from_rational(tilt, ERROR_BITS),
        log.at_bits(ERROR_BITS),
    ))
}

/// log c(t).
///
/// Requires: t > 0.
fn log_constant(tilt: &Interval) -> Option<Interval> {
    let more = tilt.add(&Interval::one(ERROR_BITS));
    tilt.is_positive()
        .then(|| tilt.mul(&tilt.ln()).sub(&more.mul(&more.ln())))
}

/// At least the larger of 0 and a bound.
pub(super) fn at_least_zero(bound: Float) -> Float {
    let zero = Float::new(bound.prec());
    bound.larger(&zero)
}

#[cfg(test)]
#[path = "trailing_tests.rs"]
mod tests;
