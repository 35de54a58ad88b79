//! The Δ-divergence of two mechanisms, plain or weighted by a density on the prior.

use rug::{Float, Rational};

use super::curve::Curve;
use super::divergence_search::{Contest, Outcome, search};
use super::enclosure::{Effort, Enclosure};
use super::hyper_prior::HyperPrior;
use super::two_sided::TwoSided;
use crate::kernel::{Budget, Interval, InvariantViolation};

/// An enclosure of a divergence, and where it is (nearly) attained.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// The divergence, ≥ 0.
    pub value: Enclosure,
    /// The place that shows the lower bound; absent where that is the trivial 0.
    pub peak: Option<Peak>,
}

/// A prior at which one mechanism leaves the attacker more error than the other.
#[derive(Debug, Clone)]
pub struct Peak {
    /// ε = log(π/(1 − π)).
    pub epsilon: Float,
    /// Encloses π, the prior that the record is **absent**.
    pub prior: Interval,
    /// How far apart the two bounds of the first mechanism's Bayes error are here, at most.
    pub spread_first: Float,
    /// The same of the second mechanism.
    pub spread_second: Float,
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
    weight: &HyperPrior,
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
        } = search(&contest, effort, bits);
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
pub fn crossings(
    first: &TwoSided,
    second: &TwoSided,
    places: &[Float],
    bits: u32,
    budget: &Budget,
) -> Vec<Interval> {
    let uniform = HyperPrior::Uniform;
    let contest = Contest::new(first, second, &uniform, &[]);
    let mut found = Vec::new();
    let mut last: Option<(Float, bool)> = None;
    for place in places {
        if budget.check().is_err() {
            break;
        }
        let Some(sign) = contest.sign(place, bits) else {
            continue;
        };
        if let Some((from, before)) = &last
            && *before != sign
        {
            found.push(narrowed(&contest, from, place, *before, bits));
        }
        last = Some((place.clone(), sign));
    }
    found
}

/// Halves an interval over which the sign changes, as long as the sign in the middle is certain.
fn narrowed(contest: &Contest, from: &Float, to: &Float, before: bool, bits: u32) -> Interval {
    let (mut low, mut high) = (from.clone(), to.clone());
    for _ in 0..60 {
        let middle = Interval::spanning(low.clone(), high.clone()).middle();
        match contest.sign(&middle, bits) {
            Some(sign) if sign == before => low = middle,
            Some(_) => high = middle,
            None => break,
        }
    }
    Interval::spanning(low, high)
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

impl Contest<'_> {
    /// The certain sign of R_A − R_B, if there is one: true is positive.
    fn sign(&self, epsilon: &Float, bits: u32) -> Option<bool> {
        let gap = self.gap(epsilon, bits);
        if *gap.lo() > 0 {
            Some(true)
        } else if *gap.hi() < 0 {
            Some(false)
        } else {
            None
        }
    }
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

#[cfg(test)]
#[path = "divergence_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "divergence_exact_tests.rs"]
mod exact_tests;
