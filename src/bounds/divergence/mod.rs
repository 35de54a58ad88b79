//! The Δ-divergence of two mechanisms, plain or weighted by a density on the prior.
//!
//! | file | job |
//! |---|---|
//! | `contest` | both mechanisms at one prior |
//! | `segment` | an upper bound over a range of priors |
//! | `search` | branch and bound over the prior |
//! | `crossings` | where the difference changes its sign |
//! | `prior` | densities on the prior |

mod contest;
mod crossings;
mod prior;
mod search;
mod segment;

pub use crossings::crossings;
pub use search::Peak;

use rug::{Float, Rational};

use contest::Contest;
use search::{Outcome, at_hints, search};

use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::InvariantViolation;
use crate::mechanism::Prior;

/// An enclosure of a divergence, and where it is (nearly) attained.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// The divergence, ≥ 0.
    pub value: Enclosure,
    /// The place that shows the lower bound; absent where that is the trivial 0.
    pub peak: Option<Peak>,
}

/// Encloses max over π of Ψ(π)·(R_A(π) − R_B(π)); with the uniform density it is
/// Δ(A‖B) = inf{κ ≥ 0 : f_A(α + κ) − κ ≤ f_B(α) for all α} (Kaissis et al. 2024, Definition 1, Corollary 1 and §4).
///
/// The difference is bounded above by the Bayes error of tests for A (supporting lines of a concave function) minus
/// chords of R_B, by branch and bound over π; below by its value at the best prior found. `hints` are places ε at which
/// the difference may be large: they save time where they are good, and cost some where they are not.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn divergence(
    first: &TwoSided,
    second: &TwoSided,
    weight: &Prior,
    hints: &[Float],
    effort: &Effort,
) -> Result<Divergence, InvariantViolation> {
    let contest = Contest::new(first, second, weight, hints);
    let mut peak = None;
    let mut attempt = |bits: u32| {
        let Outcome {
            lower,
            upper,
            peak: found,
        } = search(&contest, effort, bits)?;
        // Later attempts are finer.
        if found.is_some() {
            peak = found;
        }
        Enclosure::new(lower, upper)
    };
    let value = if first.is_closed_form() && second.is_closed_form() {
        effort.raising_bits(attempt)?
    } else {
        attempt(effort.bits.max(64))?
    };
    Ok(Divergence { value, peak })
}

/// A lower bound of the divergence from the hints alone, with the place that shows it; `None` where they show none.
///
/// # Errors
/// If the two profiles of a mechanism contradict each other.
pub fn divergence_at_least(
    first: &TwoSided,
    second: &TwoSided,
    weight: &Prior,
    hints: &[Float],
    effort: &Effort,
) -> Result<Option<(Float, Peak)>, InvariantViolation> {
    let contest = Contest::new(first, second, weight, hints);
    let Outcome { lower, peak, .. } = at_hints(&contest, effort, effort.bits.max(64))?;
    Ok(peak.map(|peak| (lower, peak)))
}

/// The places of a coarse look at the whole loss axis, in rising order.
pub fn overview(bits: u32) -> Vec<Float> {
    let step = |i: i64| {
        // ε = ±(i/8)·2^{|i|/24}: dense near 0, and out to some hundreds.
        let fine = Float::with_val(bits, Rational::from((i, 8)));
        let growth = Float::with_val(bits, i.unsigned_abs()) / 24u32;
        fine * growth.exp2()
    };
    (-160i64..=160).map(step).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod exact_tests;
