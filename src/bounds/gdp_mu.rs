//! μ*: the least μ for which the mechanism is μ-GDP, strictly, up to a tolerance or above an error floor.

use rug::{Float, Rational};

use super::curve::Curve;
use super::enclosure::{Effort, Enclosure};
use super::gdp_search::{Outcome, search};
use super::two_sided::{LossRange, TwoSided};
use crate::kernel::InvariantViolation;

/// Which statement about μ is meant; they differ, and only the strict one is Gaussian differential privacy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GdpForm {
    /// G_μ ≤ f on [0, 1].
    Strict,
    /// f(α) ≥ G_μ(α + τ) − τ for all α: Δ(G_μ‖M) ≤ τ.
    Tolerance(Rational),
    /// f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e.
    ErrorFloor(Rational),
}

/// An enclosure of μ*, and the point that shows its lower bound.
#[derive(Debug, Clone, PartialEq)]
pub struct GdpMu {
    /// μ* ≥ 0; the upper end may be +∞.
    pub mu: Enclosure,
    /// Every smaller μ fails at this point; absent where the lower bound is the trivial 0.
    pub witness: Option<GdpWitness>,
}

/// A point on or above the trade-off curve, f(alpha) ≤ beta, and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct GdpWitness {
    /// Type-I error.
    pub alpha: Float,
    /// Upper bound of f there.
    pub beta: Float,
    /// ε for which −e^ε is a slope of the curve there; ±∞ at the ends of the curve.
    pub epsilon: Float,
}

/// Encloses the least μ ≥ 0 for which the statement `form` holds.
///
/// The lower bound comes from points of the lower profile's curve; the upper bound from the upper profile,
/// by branch and bound over intervals of ε: on an interval δ lies below the chord of its ends, which is the
/// supporting line 1 − β − uα of a single point (α, β), and G_μ(α) ≤ β then means δ_{G_μ} ≥ chord ≥ δ on
/// the interval (conjugate duality; the "vertices" of [G25], section 5).
///
/// The strict μ* is +∞ unless the loss is bounded and free of infinite parts; a finite strict μ* of a
/// mechanism with unbounded loss is beyond this search, and the upper bound is then +∞. μ* is 0 for
/// τ ≥ 1/2 or e ≥ 1/2.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn gdp_mu(
    sides: &TwoSided,
    form: &GdpForm,
    effort: &Effort,
) -> Result<GdpMu, InvariantViolation> {
    let half = Rational::from((1, 2));
    match form {
        GdpForm::Tolerance(x) | GdpForm::ErrorFloor(x) if *x >= half => {
            return Ok(GdpMu {
                mu: Enclosure::exactly(Rational::new(), effort.bits),
                witness: None,
            });
        }
        _ => {}
    }
    let above = search(
        &Curve::new(sides.upper.clone()),
        &sides.known_range,
        form,
        effort,
    )?;
    let below = if sides.is_closed_form() {
        above.clone()
    } else {
        let curve = Curve::new(sides.lower.clone());
        search(&curve, &LossRange::default(), form, effort)?
    };
    combine(above, below)
}

fn combine(above: Outcome, below: Outcome) -> Result<GdpMu, InvariantViolation> {
    Ok(GdpMu {
        mu: Enclosure::new(below.lower, above.upper)?,
        witness: below.witness,
    })
}
