//! Queries answered by floats, without guarantee.

use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::bound::{NoAnswer, answer};
use super::limits::Limits;
use crate::analysis::{Ending, Unsupported};
use crate::bounds::{Enclosure, Target};
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

/// The estimate of what is asked: by floats, or, where these have no way of their own, the middle of the certified enclosure. Only the former needs the curve.
///
/// # Errors
/// If there is no estimate of that quantity, or it takes longer than the time of one question; where only bounds are known, which lie far apart; and as [`answer`].
pub fn estimate<'c>(
    file: &MechanismFile,
    query: &Query,
    limits: &Limits<'_>,
    curve: impl FnOnce() -> Result<&'c Curve, Unsupported>,
) -> Result<f64, NoAnswer> {
    let usual = || Rational::from((1, 1_000));
    let narrow = || Rational::from((1, 1_000_000_000));
    if is_exact_anyway(query, &file.mechanism) {
        // Of bounds each; how far apart they are is another matter.
        let width = match file.mechanism.bracket() {
            Some(_) => usual(),
            None => narrow(),
        };
        return middle(limits, file, query, width);
    }
    let curve = curve().map_err(NoAnswer::Unsupported)?;
    let is_of_strict_mu = matches!(
        query.quantity(),
        Quantity::GdpMu(GdpForm::Strict) | Quantity::RegretOfStrictMu
    );
    if is_of_strict_mu && !curve.knows_strict_mu() {
        return middle(limits, file, query, usual());
    }
    let found = limits.with_resources(|_| estimated(curve, query, limits));
    found.map_err(NoAnswer::Unsupported)
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
fn is_exact_anyway(query: &Query, mechanism: &Mechanism) -> bool {
    mechanism.bracket().is_some()
        || matches!(
            query.quantity(),
            Quantity::Renyi { .. } | Quantity::ZcdpRho | Quantity::MaxLoss
        )
}

/// The middle of the certified enclosure.
///
/// # Errors
/// As [`answer`]; and if its ends lie too far apart for anything between them to be an estimate.
fn middle(
    limits: &Limits<'_>,
    mechanism: &MechanismFile,
    query: &Query,
    width: Rational,
) -> Result<f64, NoAnswer> {
    let subject = limits.subject(mechanism);
    let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let target = Target::Relative(width);
    let answer =
        limits.with_resources(|resources| answer(subject, query, Some(&target), resources))?;
    if let Some(value) = about(&answer.enclosure) {
        return Ok(value);
    }
    let kind = query.kind();
    Err(NoAnswer::Unsupported(match answer.ending {
        Ending::OutOfTime => Unsupported::NotBuilt(format!(
            "an estimate of `{kind}` in this time; its bounds are still far apart, and without `--engine float` they are printed"
        )),
        Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow => {
            Unsupported::DoesNotFollow(format!(
                "an estimate of `{kind}`, of which only bounds are known that lie far apart; without `--engine float` they are printed"
            ))
        }
    }))
}

/// The middle, in few digits, if the larger end is at most twice the smaller one, or next to nothing lies between them; an infinite number if both ends are.
fn about(enclosure: &Enclosure) -> Option<f64> {
    let (lower, upper) = (enclosure.lower().to_f64(), enclosure.upper().to_f64());
    if lower.is_infinite() || upper.is_infinite() {
        return (lower == upper).then_some(upper);
    }
    let is_near = enclosure.meets(&Target::Relative(Rational::from(1)));
    is_near.then(|| in_few_digits(enclosure))
}

/// The middle in as many digits as say where it is between the ends: the last one is a tenth of their distance or less.
fn in_few_digits(enclosure: &Enclosure) -> f64 {
    let middle = enclosure.interval().middle().to_f64();
    let width = enclosure.width_up();
    let number = |x: f64| Float::with_val(64, x);
    let is_close = |short: &f64| (number(*short) - number(middle)).abs() * 20u32 <= width;
    // An f64 has no more than 17.
    let rounded = (0..17).map(|digits| format!("{middle:.digits$e}").parse().unwrap_or(middle));
    rounded.into_iter().find(is_close).unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice as much at most; nothing between 0 and something, or between a number and infinity.
    #[test]
    fn middles_that_say_something() {
        let of = |lower: f64, upper: f64| {
            let [lower, upper] = [lower, upper].map(|x| Float::with_val(64, x));
            about(&Enclosure::new(lower, upper).unwrap())
        };
        let infinite = f64::INFINITY;
        assert_eq!(of(1.0, 2.0), Some(1.5));
        assert_eq!(of(-2.0, -1.0), Some(-1.5));
        assert_eq!(of(0.001_25, 0.001_951), Some(0.001_6));
        assert_eq!(of(0.123_39, 0.123_48), Some(0.123_435));
        assert_eq!(of(7.0, 7.0), Some(7.0));
        assert_eq!(of(0.0, 0.0), Some(0.0));
        assert_eq!(of(0.0, 1e-13), Some(5e-14));
        assert_eq!(of(infinite, infinite), Some(infinite));
        assert_eq!(of(-infinite, -infinite), Some(-infinite));
        let all = [
            (0.0, 1.0),
            (1.0, 2.1),
            (-1.0, 1.0),
            (0.0, 0.002_712),
            (1.4, infinite),
            (-infinite, 0.0),
        ];
        for (lower, upper) in all {
            assert_eq!(of(lower, upper), None, "{lower} {upper}");
        }
    }
}
