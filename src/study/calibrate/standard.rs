//! Noise by way of (ε, δ) against noise for the attack risk itself.

use std::time::Instant;

use rug::{Float, Rational, float::Round};

use super::error::CalibrationError;
use super::key::Key;
use super::solver::{Solution, Solver};
use crate::analysis::{Goal, Refusal, Subject};
use crate::bounds::{Enclosure, Target};
use crate::kernel::{Failure, Interval, InvariantViolation};
use crate::mechanism::{Epsilon, Orders};
use crate::statement::{Query, Requirement, StatedClaim};
use crate::study::Limits;
use crate::verdict::{generic_cost, largest_standard_u};

/// False-positive rates at which the cost is shown, in thousandths.
const RATES: [u32; 4] = [1, 10, 50, 100];

/// The standard calibration beside the attack-aware one: first to the (ε, δ) that implies the target, then to that.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    /// The δ it is done at.
    pub delta: Rational,
    /// e^ε of the largest (ε, δ) that implies the targets.
    pub exp_epsilon: Rational,
    /// Its logarithm, enclosed.
    pub epsilon: Enclosure,
    /// The least private value that meets that (ε, δ), bracketed.
    pub solution: Solution,
    /// The standard value in units of the attack-aware one, or the other way round for parameters of which less is more private.
    pub factor: Option<Enclosure>,
    /// What the attack-aware value costs at low false-positive rates.
    pub costs: Vec<Cost>,
}

/// Least false-negative rates at one false-positive rate, enclosed.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The false-positive rate.
    pub alpha: Rational,
    /// f(α) at the standard value.
    pub standard: Enclosure,
    /// f(α) at the attack-aware value.
    pub aware: Enclosure,
    /// The difference of the two.
    pub cost: Enclosure,
    /// The difference for the mechanism that is no better than its (ε, δ): Kulynych et al. 2024, Proposition 3.6.
    pub generic: Option<Rational>,
}

/// Calibrates the standard way, to the (ε, δ) that implies the requirements, and compares.
///
/// # Errors
/// As [`Solver::solve`]; if the adjacency is one direction only, or there is no such (ε, δ).
pub fn compare_with_standard(
    limits: &Limits<'_>,
    solver: &Solver<'_>,
    requirements: &[Requirement],
    aware: &Solution,
    delta: &Rational,
) -> Result<Standard, CalibrationError> {
    let start = solver.start();
    if solver.example.adjacency.orders() != Orders::Both {
        return Err(CalibrationError::OneDirection);
    }
    let exp_epsilon = requirements
        .iter()
        .map(|requirement| largest_standard_u(requirement, delta))
        .collect::<Option<Vec<_>>>()
        .and_then(|all| all.into_iter().min())
        .ok_or_else(|| CalibrationError::NoStandard {
            delta: delta.clone(),
        })?;
    let standard = solver
        .within(limits.max_time / 3)
        .solve(&[profile_at(&exp_epsilon, delta)?])?;
    let curve = |value: &Rational, alpha: &Rational| fnr(limits, solver, value, alpha, start);
    let mut costs = Vec::new();
    for rate in RATES {
        let alpha = Rational::from((rate, 1000u32));
        let (high, low) = (
            curve(&standard.meets, &alpha)?,
            curve(&aware.meets, &alpha)?,
        );
        let cost = high.interval().sub(&low.interval());
        costs.push(Cost {
            generic: generic(requirements, delta, &alpha),
            cost: Enclosure::from_interval(&cost),
            standard: high,
            aware: low,
            alpha,
        });
    }
    let epsilon = Interval::from_rational(&exp_epsilon, 128).ln();
    Ok(Standard {
        delta: delta.clone(),
        exp_epsilon,
        epsilon: Enclosure::from_interval(&epsilon),
        factor: factor(&solver.key, &standard, aware)?,
        solution: standard,
        costs,
    })
}

/// How many times as much noise the standard way takes; for other parameters, how many times as much of them is lost.
///
/// The true values lie between the ends of their brackets; `None` if one of these is missing.
///
/// # Errors
/// If dpcmp contradicts itself.
pub fn factor(
    key: &Key,
    standard: &Solution,
    aware: &Solution,
) -> Result<Option<Enclosure>, InvariantViolation> {
    let (Some(standard_misses), Some(aware_misses)) = (standard.misses(), aware.misses()) else {
        return Ok(None);
    };
    let (lower, upper) = if key.grows_private() {
        (
            Rational::from(standard_misses / &aware.meets),
            Rational::from(&standard.meets / aware_misses),
        )
    } else {
        (
            Rational::from(&aware.meets / standard_misses),
            Rational::from(aware_misses / &standard.meets),
        )
    };
    let float = |x: &Rational, round| Float::with_val_round(128, x, round).0;
    Enclosure::new(float(&lower, Round::Down), float(&upper, Round::Up)).map(Some)
}

fn fnr(
    limits: &Limits<'_>,
    solver: &Solver<'_>,
    value: &Rational,
    alpha: &Rational,
    start: Instant,
) -> Result<Enclosure, CalibrationError> {
    let failed = |failure: Failure| match failure {
        Failure::Invariant(violation) => CalibrationError::Internal(violation),
        Failure::Interrupted => CalibrationError::OutOfTime,
    };
    let file = solver.mechanism(value)?;
    let query = Query::trade_off(alpha).map_err(InvariantViolation::from)?;
    let goal = Goal::Width(Target::Absolute(Rational::from((1, 20_000))));
    let answer = limits.with_rest(start, |resources| {
        let subject = Subject::new(&file.mechanism, file.adjacency, resources.budget)?;
        Ok(subject.answer(&query, &goal, resources)?)
    });
    Ok(answer
        .map_err(|refusal| match refusal {
            Refusal::Failure(failure) => failed(failure),
            Refusal::Unsupported(why) => CalibrationError::Unsupported(why.to_string()),
        })?
        .enclosure)
}

/// What Proposition 3.6 says, where the one target is an advantage.
fn generic(requirements: &[Requirement], delta: &Rational, alpha: &Rational) -> Option<Rational> {
    let [requirement] = requirements else {
        return None;
    };
    match requirement.claim()?.stated() {
        StatedClaim::Advantage { at_most } => generic_cost(at_most, delta, alpha),
        _ => None,
    }
}

/// (ε, δ)-DP at ε = log u.
///
/// # Errors
/// Never, for u > 0 and δ ≥ 0.
pub fn profile_at(u: &Rational, delta: &Rational) -> Result<Requirement, InvariantViolation> {
    Ok(Requirement::profile(Epsilon::log_of(u.clone())?, delta)?)
}
