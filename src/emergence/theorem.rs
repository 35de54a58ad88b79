//! What Berry–Esseen proves about Δ of two self-compositions: Kaissis et al. 2024 Theorem 3 where its hypotheses hold, and a bound that
//! needs no symmetry (`proofs/README.md`, B2).

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::binormal::{Goal, NearlyBinormal, bayes_error_gap, largest_bayes_error};
use super::moments::{LossMoments, NoMoments, StepMoments, step_moments};
use super::smallest::{SmallestMultiple, smallest_multiple};
use super::step::{SelfComposition, Symmetry};
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Orders;

/// Precision of the bounds.
pub(super) const BITS: u32 = 128;

/// The Berry–Esseen constant of Kaissis et al. 2024 and of Dong et al. 2022, Theorem 5 (Shevtsova 2010, summands that need not be alike).
pub fn paper_constant() -> Rational {
    Rational::from((56, 100))
}

/// The Berry–Esseen constant for summands that are alike (Shevtsova 2011, arXiv 1111.6554), of the two-sided bound.
pub fn identical_constant() -> Rational {
    Rational::from((4748, 10_000))
}

/// Do the hypotheses of Kaissis et al. 2024 Theorem 3 hold?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hypothesis {
    /// All of them.
    Met,
    /// Not all are known to hold; each entry names one in words.
    FailsBecause(Vec<String>),
}

/// The hypothesis N/Ñ ≥ η̃²/η² of Theorem 3 (main text; the appendix has it upside down).
#[derive(Debug, Clone)]
pub struct EtaCondition {
    /// N/Ñ.
    pub ratio: Rational,
    /// η̃²/η².
    pub needed: Interval,
    /// Does it hold? `None` if the enclosure does not tell.
    pub is_met: Option<bool>,
}

/// One composition's share in the bounds.
#[derive(Debug, Clone)]
pub struct ComposedMoments {
    /// Moments of one step.
    pub step: StepMoments,
    /// Number of steps, N.
    pub times: u64,
    /// γ = 0.56·v₃/(√N·(v₂ − v₁²)^{3/2}) (Kaissis et al. 2024 equation 85).
    pub paper_gamma: Interval,
    /// Bound of |P(S ≤ t) − normal law| for the sum S of the N losses, constant 0.4748; 0 if the loss is normal.
    pub null_error: Interval,
    /// The same under Q.
    pub alternative_error: Interval,
    /// r = √(Var_P L/Var_Q L).
    pub ratio: Interval,
    /// d = √N·(E_Q L − E_P L)/√(Var_Q L); for a symmetric step it is 2√N·η, the μ of the limit.
    pub distance: Interval,
}

/// What is proven about Δ(M^⊗N ‖ M̃^⊗Ñ) from the moments of the steps.
#[derive(Debug, Clone)]
pub struct Emergence {
    /// Shares of M and of M̃; why there are none.
    pub moments: Result<Box<(ComposedMoments, ComposedMoments)>, NoMoments>,
    /// N/Ñ ≥ η̃²/η²; `None` without moments.
    pub eta_condition: Option<EtaCondition>,
    /// All hypotheses of Theorem 3 together.
    pub hypothesis: Hypothesis,
    /// γ + γ̃, whether or not it bounds anything; `None` without moments.
    pub gamma_sum: Option<Interval>,
    /// γ + γ̃ if the hypotheses hold: then Δ is at most its upper end.
    pub paper_bound: Option<Interval>,
    /// Δ is at most the upper end, for any steps with moments; [0, 1/2] if nothing is proven.
    pub two_sided_bound: Interval,
    /// From which multiple of (N, Ñ) on Δ is proven to be at most the tolerance; `None` if none was asked for.
    pub smallest: Option<SmallestMultiple>,
}

impl Emergence {
    /// The best proven upper bound of Δ.
    pub fn best_bound(&self) -> &Interval {
        match &self.paper_bound {
            Some(paper) if paper.hi() < self.two_sided_bound.hi() => paper,
            _ => &self.two_sided_bound,
        }
    }
}

impl ComposedMoments {
    /// The share of `times ≥ 1` steps.
    ///
    /// Requires: `is_symmetric` only if f = f⁻¹ for the step; then Var_P L = Var_Q L and E_Q L = −E_P L.
    pub fn new(step: StepMoments, is_symmetric: bool, times: u64) -> Self {
        let root = Interval::from_integer(&Integer::from(times), BITS).sqrt();
        let paper = Interval::from_rational(&paper_constant(), BITS);
        let paper_gamma = paper
            .mul(&step.null.skewness_ratio())
            .div(&root)
            .at_bits(BITS);
        let identical = Interval::from_rational(&identical_constant(), BITS);
        let error = |side: &LossMoments| {
            if step.is_normal {
                Interval::zero(BITS)
            } else {
                identical
                    .mul(&side.skewness_ratio())
                    .div(&root)
                    .at_bits(BITS)
            }
        };
        let (null_error, alternative_error) = (error(&step.null), error(&step.alternative));
        let (ratio, distance) = if is_symmetric {
            let two = Interval::from_i64(2, BITS);
            (Interval::one(BITS), root.mul(&two).mul(&step.eta()))
        } else {
            let deviation = step.alternative.variance.sqrt();
            let gap = step.alternative.mean.sub(&step.null.mean);
            (
                step.null.variance.sqrt().div(&deviation),
                root.mul(&gap).div(&deviation),
            )
        };
        Self {
            paper_gamma,
            null_error,
            alternative_error,
            ratio: ratio.at_bits(BITS),
            distance: distance.at_bits(BITS),
            step,
            times,
        }
    }

    pub(super) fn nearly_binormal(&self) -> NearlyBinormal {
        NearlyBinormal {
            null_error: self.null_error.clone(),
            alternative_error: self.alternative_error.clone(),
            ratio: self.ratio.clone(),
            distance: self.distance.clone(),
        }
    }
}

/// What is proven about Δ(A‖B), for self-compositions A and B, and, with a `tolerance` 𝔇 > 0, from which multiple of the
/// numbers of steps on Δ ≤ 𝔇 is proven.
///
/// Requires for more than the trivial bound: B counts in one order of its pair, or its step is symmetric, or A counts in
/// both orders too (`proofs/README.md`, B3).
///
/// # Errors
/// If the budget ends, or an internal check fails.
pub fn emergence(
    a: &SelfComposition,
    b: &SelfComposition,
    tolerance: Option<&Rational>,
    budget: &Budget,
) -> Result<Emergence, Failure> {
    let is_one_way = a.adjacency.orders() != Orders::Both;
    let is_other_both_ways =
        b.adjacency.orders() == Orders::Both && *b.step.symmetry() != Symmetry::Symmetric;
    if is_one_way && is_other_both_ways {
        return Ok(nothing(NoMoments::OneWay, tolerance));
    }
    let steps = (
        step_moments(&a.step, budget)?,
        step_moments(&b.step, budget)?,
    );
    let (first, second) = match steps {
        (Ok(first), Ok(second)) => (first, second),
        (Err(reason), _) | (_, Err(reason)) => return Ok(nothing(reason, tolerance)),
    };
    let is_symmetric = |x: &SelfComposition| *x.step.symmetry() == Symmetry::Symmetric;
    let mine = ComposedMoments::new(first, is_symmetric(a), a.times);
    let theirs = ComposedMoments::new(second, is_symmetric(b), b.times);
    let condition = eta_condition((a, &mine), (b, &theirs));
    let hypothesis = hypothesis(a, b, &condition);
    // Symmetric steps have r = 1 and d = 2√N·η, so the hypotheses of Theorem 3 order the two.
    let is_met = hypothesis == Hypothesis::Met;
    let gamma_sum = mine.paper_gamma.add(&theirs.paper_gamma);
    let half = Interval::from_rational(&Rational::from((1, 2)), BITS);
    let gap = bayes_error_gap(
        &mine.nearly_binormal(),
        &theirs.nearly_binormal(),
        is_met,
        Goal::Narrow,
        budget,
    )?;
    let two_sided_bound = gap
        .min(&largest_bayes_error(&mine.nearly_binormal()))
        .min(&half);
    let smallest = match tolerance {
        Some(tolerance) => Some(smallest_multiple(
            &mine, &theirs, is_met, tolerance, budget,
        )?),
        None => None,
    };
    Ok(Emergence {
        moments: Ok(Box::new((mine, theirs))),
        eta_condition: Some(condition),
        paper_bound: is_met.then(|| gamma_sum.min(&half)),
        hypothesis,
        gamma_sum: Some(gamma_sum),
        two_sided_bound,
        smallest,
    })
}

fn nothing(reason: NoMoments, tolerance: Option<&Rational>) -> Emergence {
    let half = Interval::from_rational(&Rational::from((1, 2)), BITS);
    Emergence {
        hypothesis: Hypothesis::FailsBecause(vec![reason.to_string()]),
        eta_condition: None,
        gamma_sum: None,
        paper_bound: None,
        two_sided_bound: Interval::zero(BITS).hull(&half),
        smallest: tolerance.map(|_| SmallestMultiple::NotFound(reason.to_string())),
        moments: Err(reason),
    }
}

fn eta_condition(
    (a, mine): (&SelfComposition, &ComposedMoments),
    (b, theirs): (&SelfComposition, &ComposedMoments),
) -> EtaCondition {
    let ratio = Rational::from((Integer::from(a.times), Integer::from(b.times)));
    let squared = |x: &ComposedMoments| x.step.null.mean.square().div(&x.step.null.variance);
    let needed = squared(theirs).div(&squared(mine));
    // Gaussians have η = μ/2, so equality can be told.
    let is_met = match (a.step.mu_squared(), b.step.mu_squared()) {
        (Some(one), Some(other)) => Some(ratio >= Rational::from(other / one)),
        _ => needed
            .compare(&ratio)
            .map(|order| order != Ordering::Greater),
    };
    EtaCondition {
        ratio,
        needed,
        is_met,
    }
}

fn hypothesis(a: &SelfComposition, b: &SelfComposition, condition: &EtaCondition) -> Hypothesis {
    let mut reasons = Vec::new();
    for (name, composition) in [("first", a), ("second", b)] {
        match composition.step.symmetry() {
            Symmetry::Symmetric => {}
            Symmetry::Asymmetric(why) => reasons.push(format!(
                "the step of the {name} mechanism has no symmetric trade-off curve, which the Berry–Esseen theorem of \
                 Dong et al. 2022 asks for: {why}"
            )),
            Symmetry::Unknown => reasons.push(format!(
                "the step of the {name} mechanism is not known to have a symmetric trade-off curve"
            )),
        }
    }
    match condition.is_met {
        Some(true) => {}
        Some(false) => reasons.push("N/Ñ is below η̃²/η²".to_owned()),
        None => reasons.push("whether N/Ñ is at least η̃²/η² could not be decided".to_owned()),
    }
    if reasons.is_empty() {
        Hypothesis::Met
    } else {
        Hypothesis::FailsBecause(reasons)
    }
}

#[cfg(test)]
#[path = "theorem_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "emergence_tests.rs"]
mod whole;
