//! Queries answered by floats, without guarantee.

use std::time::{Duration, Instant};

use rug::Rational;

use super::bound::{NoAnswer, answer};
use super::limits::Limits;
use crate::analysis::Unsupported;
use crate::bounds::Target;
use crate::float::{
    Curve, Density, divergence, log_of, nearest, symmetric_divergence, weighted_divergence,
};
use crate::input::MechanismFile;
use crate::mechanism::{Adjacency, GdpForm, Mechanism, StatedEpsilon};
use crate::statement::{Contrast, Other, Quantity, Query};
use crate::verdict::Analyst;

/// The curve of a mechanism.
///
/// # Errors
/// If there are no estimates of it, or they take longer than the time of one question; and where only bounds of it are known, which are no estimates.
pub fn prepare(file: &MechanismFile, limits: &Limits<'_>) -> Result<Curve, Unsupported> {
    if file.mechanism.bracket().is_some() {
        let what = "float estimates of a mechanism of which only bounds are known";
        return Err(Unsupported::NotBuilt(what.to_owned()));
    }
    curve_of(&file.mechanism, file.adjacency, limits)
}

/// The curve of a mechanism for some hundreds of looks at it; `None` too where one takes so long that these would take most of the time.
pub fn quick_hint(file: &MechanismFile, limits: &Limits<'_>) -> Option<Curve> {
    let curve = curve_of(&file.mechanism, file.adjacency, limits).ok()?;
    let start = Instant::now();
    let is_finite = curve.tradeoff(A_RATE).is_finite();
    let taken = start.elapsed().saturating_mul(LOOKS);
    (is_finite && taken <= limits.max_time.max(LEAST_TIME)).then_some(curve)
}

/// So often a hint is looked at.
const LOOKS: u32 = 1_000;
/// The size of a test like any other.
const A_RATE: f64 = 0.3;
/// Estimates that take no longer than they should have any time.
const LEAST_TIME: Duration = Duration::from_millis(500);

fn curve_of(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    limits: &Limits<'_>,
) -> Result<Curve, Unsupported> {
    let curve = limits.with_resources(|resources| {
        let budget = resources.budget.with_at_least(LEAST_TIME);
        Curve::within(mechanism, adjacency, &budget)
    });
    curve.map_err(|error| Unsupported::NotBuilt(error.to_string()))
}

/// The answer to one query.
///
/// # Errors
/// If there is no estimate of that quantity, or it takes longer than the time of one question.
pub fn estimate(curve: &Curve, query: &Query, limits: &Limits<'_>) -> Result<f64, Unsupported> {
    limits.with_resources(|_| estimated(curve, query, limits))
}

fn estimated(curve: &Curve, query: &Query, limits: &Limits<'_>) -> Result<f64, Unsupported> {
    let curve_of = |other: &Other| curve_of(other.mechanism(), other.adjacency(), limits);
    Ok(match query.quantity() {
        Quantity::Delta(epsilon) => curve.delta(match epsilon.stated() {
            StatedEpsilon::Number(epsilon) => nearest(epsilon),
            StatedEpsilon::Exp(u) => log_of(u),
        }),
        Quantity::Epsilon { delta } => curve.epsilon(nearest(delta)),
        Quantity::TradeOff { alpha } => curve.tradeoff(nearest(alpha)),
        Quantity::Advantage => curve.advantage(),
        Quantity::BayesError { prior } => curve.bayes_error(nearest(prior)),
        Quantity::MinimaxRisk => curve.minimax_risk(),
        Quantity::GdpMu(GdpForm::Strict) => curve.strict_mu(),
        Quantity::GdpMu(GdpForm::Tolerance(tau)) => curve.mu_with_tolerance(nearest(tau)),
        Quantity::GdpMu(GdpForm::ErrorFloor(floor)) => curve.mu_above_floor(nearest(floor)),
        Quantity::Regret { mu, .. } => curve.regret(nearest(mu)),
        Quantity::RegretOfStrictMu => curve.regret_of_strict_mu(),
        Quantity::Divergence { other, contrast } => {
            let other = curve_of(other)?;
            match contrast {
                Contrast::To => divergence(curve, &other).value,
                Contrast::From => divergence(&other, curve).value,
                Contrast::Symmetric => symmetric_divergence(curve, &other).value,
                Contrast::Weighted(prior) => {
                    weighted_divergence(curve, &other, &Density::of(prior)).value
                }
            }
        }
        Quantity::Renyi { .. } | Quantity::ZcdpRho | Quantity::MaxLoss => {
            let kind = query.kind();
            return Err(Unsupported::NotBuilt(format!(
                "float estimates of queries of kind `{kind}`"
            )));
        }
    })
}

/// Is there no faster way than the certified one? Where only bounds of a mechanism are known, one of them is no estimate of it.
pub fn is_exact_anyway(query: &Query, mechanism: &Mechanism) -> bool {
    mechanism.bracket().is_some()
        || matches!(
            query.quantity(),
            Quantity::Renyi { .. } | Quantity::ZcdpRho | Quantity::MaxLoss
        )
}

/// The middle of the certified enclosure; its upper end if that is infinite.
///
/// # Errors
/// As `bound` of this module.
pub fn middle(
    limits: &Limits<'_>,
    mechanism: &MechanismFile,
    query: &Query,
) -> Result<f64, NoAnswer> {
    let subject = limits.subject(mechanism);
    let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let width = match mechanism.mechanism.bracket() {
        // Each bound; how far apart they are is another matter.
        Some(_) => Rational::from((1, 1_000)),
        None => Rational::from((1, 1_000_000_000)),
    };
    let target = Target::Relative(width);
    let answer =
        limits.with_resources(|resources| answer(subject, query, Some(&target), resources))?;
    Ok(if answer.enclosure.upper().is_infinite() {
        f64::INFINITY
    } else {
        answer.enclosure.interval().middle().to_f64()
    })
}
