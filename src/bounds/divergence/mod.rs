//! The Δ-divergence of two mechanisms, plain or weighted by a density on the prior.
//!
//! | file | job |
//! |---|---|
//! | `contest` | both mechanisms at one prior |
//! | `segment` | an upper bound over a range of priors |
//! | `search` | branch and bound over the prior |
//! | `prior` | densities on the prior |

mod contest;
mod prior;
mod search;
mod segment;

pub use search::Peak;

use rug::{Float, Rational};

use contest::Contest;
use search::{Outcome, search};

use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::{Budget, Interval, InvariantViolation};
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

/// ε at which R_A − R_B changes its sign: the priors where neither mechanism protects better. Each is enclosed between
/// two places at which the difference is certainly positive and certainly negative.
///
/// Looks between the places given, as long as the budget lasts; a pair of crossings between two neighbours is not seen.
///
/// # Errors
/// If the two profiles of a mechanism contradict each other.
pub fn crossings(
    first: &TwoSided,
    second: &TwoSided,
    places: &[Float],
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Interval>, InvariantViolation> {
    let uniform = Prior::uniform();
    let contest = Contest::new(first, second, &uniform, &[]);
    let mut found = Vec::new();
    let mut last: Option<(Float, bool)> = None;
    for place in places {
        if budget.check().is_err() {
            break;
        }
        let Some(sign) = contest.sign(place, bits)? else {
            continue;
        };
        if let Some((from, before)) = &last
            && *before != sign
        {
            found.push(narrowed(&contest, from, place, *before, bits)?);
        }
        last = Some((place.clone(), sign));
    }
    Ok(found)
}

/// Halves an interval over which the sign changes, as long as the sign in the middle is certain.
fn narrowed(
    contest: &Contest,
    from: &Float,
    to: &Float,
    before: bool,
    bits: u32,
) -> Result<Interval, InvariantViolation> {
    let (mut low, mut high) = (from.clone(), to.clone());
    for _ in 0..60 {
        let middle = Interval::spanning(low.clone(), high.clone()).middle();
        match contest.sign(&middle, bits)? {
            Some(sign) if sign == before => low = middle,
            Some(_) => high = middle,
            None => break,
        }
    }
    Ok(Interval::spanning(low, high))
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
