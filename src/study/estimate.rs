//! Queries answered by floats, without guarantee.

use rug::Rational;

use super::bound::{NoAnswer, answer, quantity};
use super::limits::Limits;
use crate::analysis::Unsupported;
use crate::bounds::Target;
use crate::float::{
    Curve, Density, divergence, log_of, nearest, symmetric_divergence, weighted_divergence,
};
use crate::input::{GdpForm, MechanismFile, Query, RegretMu};
use crate::verdict::Analyst;

/// The curve of a mechanism.
///
/// # Errors
/// If there are no estimates of it.
pub fn prepare(file: &MechanismFile) -> Result<Curve, Unsupported> {
    Curve::new(&file.mechanism, file.adjacency)
        .map_err(|error| Unsupported::NotBuilt(error.to_string()))
}

/// The answer to one query.
///
/// # Errors
/// If there is no estimate of that quantity.
pub fn estimate(curve: &Curve, query: &Query) -> Result<f64, Unsupported> {
    Ok(match query {
        Query::Delta(epsilon) => curve.delta(match epsilon.stated() {
            crate::mechanism::StatedEpsilon::Number(epsilon) => nearest(epsilon),
            crate::mechanism::StatedEpsilon::Exp(u) => log_of(u),
        }),
        Query::Epsilon { delta } => curve.epsilon(nearest(delta)),
        Query::Tradeoff { alpha } => curve.tradeoff(nearest(alpha)),
        Query::Advantage => curve.advantage(),
        Query::BayesError { prior } => curve.bayes_error(nearest(prior)),
        Query::MinimaxRisk => curve.minimax_risk(),
        Query::GdpMu(GdpForm::Strict) => curve.strict_mu(),
        Query::GdpMu(GdpForm::Tolerance(tau)) => curve.mu_with_tolerance(nearest(tau)),
        Query::GdpMu(GdpForm::ErrorFloor(floor)) => curve.mu_above_floor(nearest(floor)),
        Query::Regret(RegretMu::At(mu)) => curve.regret(nearest(mu)),
        Query::Regret(RegretMu::MuStar) => curve.regret_of_strict_mu(),
        Query::DeltaDivergence { other } => divergence(curve, &prepare(other)?).value,
        Query::DeltaSymmetric { other } => symmetric_divergence(curve, &prepare(other)?).value,
        Query::WeightedDelta { other, prior } => {
            weighted_divergence(curve, &prepare(other)?, &Density::of(prior)).value
        }
        Query::Renyi { .. } | Query::ZcdpRho => {
            let kind = query.kind();
            return Err(Unsupported::NotBuilt(format!(
                "float estimates of queries of kind `{kind}`"
            )));
        }
    })
}

/// Is there no faster way than the certified one?
pub fn is_exact_anyway(query: &Query) -> bool {
    matches!(query, Query::Renyi { .. } | Query::ZcdpRho)
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
    let target = Target::Relative(Rational::from((1, 1_000_000_000)));
    let answer = limits
        .with_resources(|resources| answer(subject, &quantity(query), Some(&target), resources))?;
    Ok(if answer.enclosure.upper().is_infinite() {
        f64::INFINITY
    } else {
        answer.enclosure.interval().middle().to_f64()
    })
}
