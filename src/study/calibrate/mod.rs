//! The least noise that provably meets a target, or the most of what costs privacy.
//!
//! | file | job |
//! |---|---|
//! | `key` | parameters that can be solved for, and which way privacy goes |
//! | `solver` | one parameter of one mechanism |
//! | `search` | from an estimate to a certified bracket |
//! | `closed_form` | the Gaussian mechanism, to any number of digits |
//! | `standard` | beside it, noise by way of (ε, δ) |
//! | `black_box` | from the privacy profile of another accountant |
//! | `error` | why there is no calibration |

mod black_box;
mod closed_form;
mod error;
mod key;
mod search;
mod solver;
mod standard;

use rug::{Integer, Rational};

pub use black_box::{BlackBox, NotImplied, calibrate_from_profiles};
pub use error::CalibrationError;
pub use search::Doubt;
pub use solver::{Beyond, Solution};
pub use standard::{Cost, Standard};

use super::Limits;
use super::verify::IN_DOMINATED_BY;
use crate::bounds::{Enclosure, Target};
use crate::input::{MechanismFile, Template};
use crate::mechanism::kind::{Sampling, Schedule, Strategy};
use crate::mechanism::{Adjacency, Kind, Mechanism, Step};
use crate::statement::{Query, Requirement, StatedClaim, StatedRequirement};
use crate::verdict::{conditions_beside, is_always_met, largest_standard_u, scope};
use solver::Solver;
use standard::{compare_with_standard, factor, profile_at};

/// The value of one parameter at which a mechanism meets its targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The parameter, as in a mechanism file.
    pub key: String,
    /// Are larger values of it more private?
    pub grows_private: bool,
    /// Are only whole numbers values?
    pub is_whole: bool,
    /// The width asked for, between the value that meets all targets and the one that misses one.
    pub width: Target,
    /// The value, and what is known of less private ones.
    pub solution: Solution,
    /// Why values that are less private than one that misses a target may meet them all again, and more private ones than one that meets them miss one, where no
    /// theorem says that they do not.
    pub either_way: Option<&'static str>,
    /// What all of this takes for granted, in words.
    pub conditions: Vec<String>,
    /// Where else the targets hold, and what they do not say.
    pub notes: Vec<String>,
    /// The standard calibration, if it was asked for.
    pub standard: Option<Standard>,
}

impl Calibration {
    /// Is the least private value that meets the targets found, as narrowly as asked for?
    pub fn is_narrow(&self) -> bool {
        self.solution.is_narrow(&self.width, self.is_whole)
    }

    /// Everything that the two values do not say, in words: where less private values may meet the targets, too, and [`Calibration::notes`].
    pub fn remarks(&self) -> Vec<String> {
        let beyond = self.either_way.map(|why| {
            let [less, more] = match self.grows_private {
                true => ["smaller", "larger"],
                false => ["larger", "smaller"],
            };
            match self.solution.misses() {
                Some(_) => {
                    format!("{less} values than both may meet it, and {more} ones miss it: {why}")
                }
                None => format!("{more} values may miss it: {why}"),
            }
        });
        beyond
            .into_iter()
            .chain(self.notes.iter().cloned())
            .collect()
    }

    /// The same of the standard calibration too, if there is one.
    pub fn is_complete(&self) -> bool {
        let standard = self.standard.as_ref();
        self.is_narrow()
            && standard.is_none_or(|one| one.solution.is_narrow(&self.width, self.is_whole))
    }
}

/// The least private value of the parameter `key` that meets all targets, bracketed by two values that are certified: the first to meet
/// all of them, the second to miss one.
///
/// The template leaves the parameter out, or its value does not matter. The bracket is as narrow as [`Limits::precision`] asks for, or
/// 1e-4 relatively; the whole takes about [`Limits::max_time`], which all questions of the search share. That all values on the private side of one that
/// meets the targets meet them too is a theorem, but where [`Calibration::either_way`] says why not: then nothing is said of other values than these two.
///
/// # Errors
/// [`CalibrationError`]: nothing can be solved for, nothing meets the targets, or the time ended before anything was certified.
pub fn calibrate(
    template: &Template<'_>,
    key: &str,
    targets: &[Requirement],
    limits: &Limits<'_>,
) -> Result<Calibration, CalibrationError> {
    solve(template, key, targets, None, limits)
}

/// As [`calibrate`], and beside it the standard calibration: to the (ε, δ), at this δ, that implies the targets (Kulynych et al. 2024).
///
/// # Errors
/// As [`calibrate`]; targets that are no attack risks, and adjacencies of one direction, have no standard calibration.
pub fn calibrate_with_standard(
    template: &Template<'_>,
    key: &str,
    targets: &[Requirement],
    delta: &Rational,
    limits: &Limits<'_>,
) -> Result<Calibration, CalibrationError> {
    solve(template, key, targets, Some(delta), limits)
}

/// How many times as much noise it takes to meet a target by way of the (ε, δ) that implies it, enclosed; for parameters of which less
/// is more private, how many times as much of them is lost. `None` if a bracket has one end only.
///
/// # Errors
/// As [`calibrate_with_standard`].
pub fn standard_factor(
    template: &Template<'_>,
    key: &str,
    target: &Requirement,
    delta: &Rational,
    limits: &Limits<'_>,
) -> Result<Option<Enclosure>, CalibrationError> {
    let solver = Solver::new(limits, template, key, width(limits)?)?;
    let exp_epsilon =
        largest_standard_u(target, delta).ok_or_else(|| CalibrationError::NoStandard {
            delta: delta.clone(),
        })?;
    let half = limits.max_time / 2;
    let standard = solver
        .within(half)
        .solve(&[profile_at(&exp_epsilon, delta)?])?;
    let aware = solver.within(half).solve(std::slice::from_ref(target))?;
    Ok(factor(&solver.key, &standard, &aware)?)
}

fn solve(
    template: &Template<'_>,
    key: &str,
    targets: &[Requirement],
    standard: Option<&Rational>,
    limits: &Limits<'_>,
) -> Result<Calibration, CalibrationError> {
    check(targets)?;
    let width = width(limits)?;
    let solver = Solver::new(limits, template, key, width.clone())?;
    if solver.example.adjacency == Adjacency::Add && targets.iter().any(is_of_membership) {
        return Err(CalibrationError::OtherOrder);
    }
    limits.listener.start(key);
    let solution = match standard {
        Some(_) => solver.within(limits.max_time / 2).solve(targets)?,
        None => solver.solve(targets)?,
    };
    let standard = match standard {
        Some(delta) => Some(compare_with_standard(
            limits, &solver, targets, &solution, delta,
        )?),
        None => None,
    };
    let example = &solver.example;
    let name = &solver.key.name;
    let found = solver.mechanism(&solution.meets)?;
    let asked: Vec<Query> = targets.iter().map(Requirement::query).collect();
    let taken_for = |file: &MechanismFile| {
        conditions_beside(&file.mechanism, file.adjacency, &asked, IN_DOMINATED_BY)
    };
    let mut taken = taken_for(&found);
    if let Some(value) = solution.misses() {
        let missing = solver.mechanism(value)?;
        let mut others = taken_for(&missing);
        others.retain(|one| !taken.contains(one));
        taken.append(&mut others);
    }
    let computed = found.notes.iter().map(|note| format!("computed: {note}"));
    Ok(Calibration {
        key: name.clone(),
        grows_private: solver.key.grows_private(),
        is_whole: solver.key.is_whole,
        width,
        solution,
        either_way: either_way(&example.mechanism, name),
        conditions: taken,
        notes: targets.iter().filter_map(scope).chain(computed).collect(),
        standard,
    })
}

/// At least one of the targets asks for something, and more privacy helps with each.
fn check(targets: &[Requirement]) -> Result<(), CalibrationError> {
    if let Some(why) = targets.iter().find_map(impossible) {
        return Err(CalibrationError::Unreachable(why));
    }
    if targets.iter().all(is_always_met) {
        return Err(CalibrationError::NothingToSolve);
    }
    Ok(())
}

/// How far apart the two values may be.
fn width(limits: &Limits<'_>) -> Result<Target, CalibrationError> {
    let usual = || Target::Relative(Rational::from((1, 10_000)));
    let width = limits.precision.clone().unwrap_or_else(usual);
    let finest = Rational::from((1, Integer::from(Integer::u_pow_u(10, FINEST))));
    match &width {
        Target::Relative(asked) if *asked < finest => {
            Err(CalibrationError::TooFine { finest: FINEST })
        }
        _ => Ok(width),
    }
}

/// Is it about tests that a record was used, whose false positives are of those without it?
fn is_of_membership(target: &Requirement) -> bool {
    match target.stated() {
        StatedRequirement::AtFpr { .. } | StatedRequirement::BayesError { .. } => true,
        StatedRequirement::Claim(_) | StatedRequirement::Profile { .. } => false,
    }
}

/// Digits to which a value is found at most.
const FINEST: u32 = 890;

/// A target that more privacy does not help to meet, in words.
fn impossible(requirement: &Requirement) -> Option<String> {
    match requirement.claim()?.stated() {
        // More noise makes a mechanism more private, and what is stated of it all the looser.
        StatedClaim::Regret { .. } => Some(
            "the regret of a μ grows with privacy, so no least noise meets such a target; give gdp:mu=…,tolerance=1e-10, or dominated-by:mechanism={…},at-most=… for the regret against a reference".to_owned(),
        ),
        _ => None,
    }
}

/// Why privacy need not go one way with a parameter that is solved for, where it is not proved to.
///
/// Between σ = 0.5 and σ = 0.6 the δ(2) of discrete Gaussian noise moved by 1 grows, from 0.105 to 0.149: at 0.5 the loss 2 is that of an atom. Of two records at most one
/// in a batch, told apart by the output: where one is added δ(log 1.8) is .28 − 1.8·.28² = 0.139 at the rate 0.72 (of empty batches), and 1 − 1.8/2 = 0.1 at the rate 1.
fn either_way(mechanism: &Mechanism, key: &str) -> Option<&'static str> {
    let is_discrete = || mechanism.has(&|kind| matches!(kind, Kind::DiscreteGaussian(_)));
    match key::last(key) {
        "sigma" | "noise-multiplier" if is_discrete() => {
            Some("less discrete Gaussian noise can be the more private")
        }
        "rate" | "sample-rate" | "batch-size" if is_truncated(mechanism) => {
            Some("where batches are cut down a smaller rate can be the less private")
        }
        // Of Poisson samples it is the rate; where batches are shuffled it is the number of steps.
        "batch-size" if !is_of_samples(mechanism) => {
            Some("that a smaller `batch-size` is more private is not proved")
        }
        // Each separation divides the columns into other groups.
        "min-separation" if key.contains('.') || is_of_unlike_groups(mechanism) => {
            Some("that a larger `min-separation` is more private is not proved")
        }
        _ => None,
    }
}

/// Is a batch that is too large cut down anywhere?
fn is_truncated(mechanism: &Mechanism) -> bool {
    mechanism.has(&|kind| {
        matches!(kind, Kind::Subsampled(sample) if matches!(sample.sampling(), Sampling::TruncatedPoisson(_)))
    })
}

/// Are all steps Poisson samples?
fn is_of_samples(mechanism: &Mechanism) -> bool {
    let mut steps = mechanism.steps().list().iter();
    steps.all(|(step, _)| matches!(step, Step::Sampled(_)))
}

/// Are records in groups whose columns have any norms? In a Toeplitz matrix the norms fall from column to column, and the first group has the longest.
fn is_of_unlike_groups(mechanism: &Mechanism) -> bool {
    match mechanism.kind() {
        Kind::MatrixFactorization(matrix) => {
            matches!(matrix.schedule(), Schedule::CyclicPoisson { .. })
                && matches!(matrix.strategy(), Strategy::Matrix(_))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
