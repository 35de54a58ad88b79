//! `--compare-with-standard`: noise by way of (ε, δ) against noise for the attack risk itself.

use std::time::Instant;

use rug::{Float, Rational, float::Round};

use super::super::Session;
use super::key::Key;
use super::solver::{Solution, Solver, Stop};
use crate::analysis::{Goal, Quantity, Refusal};
use crate::bounds::{Enclosure, Target};
use crate::input::{Claim, Requirement};
use crate::kernel::{Failure, Interval};
use crate::mechanism::Adjacency;
use crate::report::{CostRow, StandardReport};
use crate::verdict::{generic_cost, largest_standard_u};

/// False-positive rates at which the cost is shown, in thousandths.
const RATES: [u32; 4] = [1, 10, 50, 100];

/// Calibrates the standard way, to the (ε, δ) that implies the requirements, and compares.
pub fn compare_with_standard(
    session: &Session,
    solver: &Solver<'_>,
    requirements: &[Requirement],
    aware: &Solution,
    delta: &Rational,
) -> Result<StandardReport, Stop> {
    let start = Instant::now();
    if solver.example.adjacency != Adjacency::AddRemove {
        let why = "what (ε, δ) implies about attacks needs it in both directions: --compare-with-standard takes the adjacency add-remove";
        return Err(Stop::Words(why.to_owned()));
    }
    let exp_epsilon = requirements
        .iter()
        .map(|requirement| largest_standard_u(requirement, delta))
        .collect::<Option<Vec<_>>>()
        .and_then(|all| all.into_iter().min())
        .ok_or_else(|| {
            Stop::Words(format!(
                "no ε ≥ 0 at δ = {delta} is what implies the target; --compare-with-standard takes targets that are attack risks: advantage, trade-off, tpr, accuracy, ppv, bayes-error"
            ))
        })?;
    let standard = solver.solve(&[Requirement::Profile {
        exp_epsilon: exp_epsilon.clone(),
        delta: delta.clone(),
    }])?;
    let curve = |value: &Rational, alpha: &Rational| fnr(session, solver, value, alpha, start);
    let mut costs = Vec::new();
    for rate in RATES {
        let alpha = Rational::from((rate, 1000u32));
        let (high, low) = (
            curve(&standard.meets, &alpha)?,
            curve(&aware.meets, &alpha)?,
        );
        let cost = high.interval().sub(&low.interval());
        costs.push(CostRow {
            generic: generic(requirements, delta, &alpha),
            cost: Enclosure::from_interval(&cost),
            standard: high,
            aware: low,
            alpha,
        });
    }
    let epsilon = Interval::from_rational(&exp_epsilon, 128).ln();
    Ok(StandardReport {
        delta: delta.clone(),
        exp_epsilon,
        epsilon: Enclosure::from_interval(&epsilon),
        factor: factor(&solver.key, &standard, aware)?,
        meets: standard.meets,
        misses: standard.misses,
        costs,
    })
}

/// How many times as much noise the standard way takes; for other parameters, how many times as much of them is lost.
///
/// The true values lie between the ends of their brackets.
pub fn factor(key: &Key, standard: &Solution, aware: &Solution) -> Result<Option<Enclosure>, Stop> {
    let (Some(standard_misses), Some(aware_misses)) = (&standard.misses, &aware.misses) else {
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
    Enclosure::new(float(&lower, Round::Down), float(&upper, Round::Up))
        .map(Some)
        .map_err(Stop::Internal)
}

fn fnr(
    session: &Session,
    solver: &Solver<'_>,
    value: &Rational,
    alpha: &Rational,
    start: Instant,
) -> Result<Enclosure, Stop> {
    let words = |why: &dyn std::fmt::Display| Stop::Words(why.to_string());
    let subject = session
        .subject(&solver.mechanism(value)?)
        .map_err(|refusal| match refusal {
            Refusal::Failure(Failure::Invariant(violation)) => Stop::Internal(violation),
            other => words(&other),
        })?;
    let quantity = Quantity::TradeOff {
        alpha: alpha.clone(),
    };
    let goal = Goal::Width(Target::Absolute(Rational::from((1, 20_000))));
    match session.with_rest(start, |means| subject.answer(&quantity, &goal, means)) {
        Ok(answer) => Ok(answer.enclosure),
        Err(Failure::Invariant(violation)) => Err(Stop::Internal(violation)),
        Err(failure @ Failure::Interrupted) => Err(words(&failure)),
    }
}

/// What Proposition 3.6 says, where the one target is an advantage.
fn generic(requirements: &[Requirement], delta: &Rational, alpha: &Rational) -> Option<Rational> {
    match requirements {
        [Requirement::Claim(Claim::Advantage { at_most })] => generic_cost(at_most, delta, alpha),
        _ => None,
    }
}
