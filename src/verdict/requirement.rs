//! What a calibration must meet, as one inequality about one quantity.
//!
//! The conversions of Kulynych et al. 2024, Table 1, derived afresh: two of its three rows are not right as printed, which
//! `tests` shows by exact mechanisms.

use rug::Rational;

use super::inequality::{Inequality, Relation};
use super::vacuous::is_vacuous;
use crate::number::{decimal_down, decimal_up};
use crate::statement::{Claim, Measure, Quantity, Requirement, StatedClaim, StatedRequirement};

/// What a requirement says.
pub fn requirement_inequality(requirement: &Requirement) -> Inequality {
    let (relation, bound) = match requirement.stated() {
        StatedRequirement::Claim(claim) => return Inequality::of(claim),
        StatedRequirement::AtFpr {
            measure,
            fpr,
            at_most,
        } => (Relation::AtLeast, least_fnr(*measure, fpr, at_most)),
        StatedRequirement::BayesError { at_least, .. } => (Relation::AtLeast, at_least.clone()),
        StatedRequirement::Profile { delta, .. } => (Relation::AtMost, delta.clone()),
    };
    Inequality {
        query: requirement.query(),
        relation,
        bound,
    }
}

/// The same requirement as a claim, where it is one; what asks for an error above 1 is none.
///
/// R(π) = (1 − π)(1 − δ(log(π/(1 − π)))), so a Bayes error is a point of the privacy profile, at an irrational ε: those are not claims.
pub fn as_claim(requirement: &Requirement) -> Option<Claim> {
    match requirement.stated() {
        StatedRequirement::Claim(claim) => Some(claim.clone()),
        StatedRequirement::AtFpr {
            measure,
            fpr,
            at_most,
        } => {
            let beta = least_fnr(*measure, fpr, at_most).max(Rational::new());
            Claim::trade_off(fpr, beta).ok()
        }
        StatedRequirement::BayesError { .. } | StatedRequirement::Profile { .. } => None,
    }
}

/// The β* for which "every attack with FPR α measures at most m" says f(α) ≥ β*.
///
/// Attacks with FPR α have every FNR β in [f(α), 1], and each measure falls with β; so the largest is that of f(α), and it is
/// at most m if and only if f(α) is at least the β at which the measure is m:
///
/// * TPR: 1 − β = m, so β* = 1 − m. As f does not increase, it holds for all FPR ≤ α too (Proposition 3.7 of the paper).
/// * Accuracy: ½(1 − α) + ½(1 − β) = m, so β* = 2(1 − m) − α; the paper prints 2(α − m), which is negative wherever α < m. It is about one α:
///   1 − α − f(α) is concave and grows up to the FPR of the largest advantage.
/// * Positive predictive value: (1 − β)/(1 − β + α) = m, so (1 − β)(1 − m) = αm and β* = 1 − αm/(1 − m); the paper's
///   expression cancels to α − 1 < 0. It is about one α: (1 − f(α))/α falls with α, so the target bounds the precision of every attack
///   with a larger FPR, and says nothing about smaller ones. m = 1 bounds nothing.
///
/// Ensures: exact; negative or 0 if nothing is required of f.
fn least_fnr(measure: Measure, alpha: &Rational, at_most: &Rational) -> Rational {
    let rest = Rational::from(1 - at_most);
    match measure {
        Measure::TruePositiveRate => rest,
        Measure::Accuracy => rest * 2u32 - alpha,
        Measure::PositivePredictiveValue if rest == 0 => Rational::new(),
        Measure::PositivePredictiveValue => 1 - Rational::from(alpha * at_most) / rest,
    }
}

/// Is it met by every mechanism? A `false` may also mean that it could not be told.
pub fn is_always_met(requirement: &Requirement) -> bool {
    match requirement.stated() {
        StatedRequirement::Claim(claim) => is_vacuous(claim),
        StatedRequirement::AtFpr { .. } | StatedRequirement::BayesError { .. } => {
            requirement_inequality(requirement).bound <= 0
        }
        StatedRequirement::Profile { delta, .. } => *delta >= 1,
    }
}

/// Why no mechanism meets it, or how little is left of one that does; `None` if neither is known.
///
/// An attack may guess without looking: f(α) ≤ 1 − α and R(π) ≤ min(π, 1 − π). With equality at one 0 < α < 1 the convex
/// f is 1 − α everywhere, so the output says nothing at all of the record.
pub fn why_unreachable(requirement: &Requirement) -> Option<(Reach, String)> {
    let found = requirement_inequality(requirement);
    let (most, at_chance) = match found.query.quantity() {
        Quantity::TradeOff { alpha } => (Rational::from(1 - alpha), *alpha > 0 && *alpha < 1),
        Quantity::BayesError { prior } => {
            let other = Rational::from(1 - prior);
            (prior.clone().min(other.clone()), *prior == other)
        }
        Quantity::Advantage if found.bound == 0 => {
            let words = "an advantage of 0 is perfect privacy: it takes outputs that say nothing of the record";
            return Some((Reach::OnlyPerfect, words.to_owned()));
        }
        _ => return None,
    };
    let reach = if found.bound > most {
        Reach::Never
    } else if found.bound == most && at_chance {
        Reach::OnlyPerfect
    } else {
        return None;
    };
    let place = if reach == Reach::Never {
        "below chance"
    } else {
        "chance, which takes outputs that say nothing of the record"
    };
    let words = match requirement.stated() {
        StatedRequirement::AtFpr {
            measure,
            fpr,
            at_most,
        } => {
            let least = match measure {
                Measure::TruePositiveRate => fpr.clone(),
                Measure::Accuracy | Measure::PositivePredictiveValue => Rational::from((1, 2)),
            };
            format!(
                "{} ≤ {} at FPR {} is {place}: an attack that guesses reaches {}",
                name(*measure),
                shown(at_most),
                shown(fpr),
                shown(&least)
            )
        }
        StatedRequirement::BayesError { prior, at_least } => {
            let place = match reach {
                Reach::Never => "more than chance",
                Reach::OnlyPerfect => place,
            };
            format!(
                "a Bayes error of {} at prior {} is {place}: an attack that does not look at the output errs with probability {}",
                shown(at_least),
                shown(prior),
                shown(&most)
            )
        }
        StatedRequirement::Claim(claim) => {
            let StatedClaim::TradeOff { alpha, beta } = claim.stated() else {
                return None;
            };
            let (alpha, beta) = (shown(alpha), shown(beta));
            format!(
                "f({alpha}) ≥ {beta} is {place}: an attack that guesses has a true-positive rate of {alpha} at a false-positive rate of {alpha}, so f({alpha}) ≤ {}",
                shown(&most)
            )
        }
        StatedRequirement::Profile { .. } => return None,
    };
    Some((reach, words))
}

/// How far a requirement is out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// No mechanism meets it.
    Never,
    /// Only a mechanism of which the output says nothing of the record.
    OnlyPerfect,
}

/// Where else a requirement holds, and what it does not say.
pub fn scope(requirement: &Requirement) -> Option<String> {
    match requirement.stated() {
        StatedRequirement::AtFpr { measure, fpr, .. } => match measure {
            Measure::TruePositiveRate => Some(format!(
                "the true-positive rate is that of attacks with a FPR of {} or less",
                shown(fpr)
            )),
            Measure::Accuracy => Some(format!(
                "accuracy is that of attacks with a FPR of exactly {}, with as many members as non-members",
                shown(fpr)
            )),
            Measure::PositivePredictiveValue => Some(format!(
                "the precision is that of attacks with a FPR of {} or more, with as many members as non-members: below it, it can be higher",
                shown(fpr)
            )),
        },
        StatedRequirement::BayesError { .. } => {
            Some("the prior is the attacker's, that the record is absent".to_owned())
        }
        StatedRequirement::Claim(_) | StatedRequirement::Profile { .. } => None,
    }
}

/// As people write it: a short decimal, else a fraction.
fn shown(value: &Rational) -> String {
    const DIGITS: usize = 20;
    let decimal = decimal_down(value, DIGITS);
    if decimal == decimal_up(value, DIGITS) {
        decimal
    } else {
        value.to_string()
    }
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::TruePositiveRate => "TPR",
        Measure::Accuracy => "accuracy",
        Measure::PositivePredictiveValue => "positive predictive value",
    }
}

#[cfg(test)]
#[path = "requirement_tests.rs"]
mod tests;
