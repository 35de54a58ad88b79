//! `dpcmp calibrate MECH --solve KEY --target …`: the least noise that provably meets a target.
//!
//! | file | job |
//! |---|---|
//! | `key` | parameters that can be solved for, and which way privacy goes |
//! | `solver` | one parameter of one mechanism |
//! | `search` | from an estimate to a certified bracket |
//! | `closed_form` | the Gaussian mechanism, to any number of digits |
//! | `standard` | beside it, noise by way of (ε, δ) |
//! | `black_box` | from the privacy profile of another accountant |

mod black_box;
mod closed_form;
mod key;
mod search;
mod solver;
mod standard;

use std::path::Path;
use std::time::Instant;

use rug::{Integer, Rational};

pub use solver::{Solution, Solver, Stop};
use standard::compare_with_standard;
pub use standard::factor;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{read_input, show};
use super::exit_code::ExitCode;
use super::files::{InputFile, read};
use super::interrupt::internal_error;
use super::output::{Gone, complain};
use crate::bounds::Target;
use crate::input::{Claim, ProfileTable, Requirement};
use crate::mechanism::Mechanism;
use crate::report::{
    BlackBoxReport, CalibrationReport, black_box_human, black_box_json, calibration_human,
    calibration_json, error_json,
};
use crate::verdict::{conditions, is_always_met, scope};

/// What was asked for.
pub struct Calibration<'a> {
    /// The mechanism, or where its profiles stand.
    pub what: What<'a>,
    /// The parameter.
    pub solve: &'a str,
    /// All of them must hold.
    pub targets: &'a [String],
    /// The δ of the standard calibration to compare with, if any.
    pub standard: Option<&'a Rational>,
}

/// How the mechanism is known.
pub enum What<'a> {
    /// As a MECH argument.
    Mechanism(&'a str),
    /// By the profiles of another accountant, in this file.
    Profiles(&'a Path),
}

/// Solves for one parameter.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, asked: &Calibration<'_>) -> Result<ExitCode, Gone> {
    if session.options.engine == Engine::Float {
        complain("a calibration needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let is_json = session.options.format == Format::Json;
    let found = match asked.what {
        What::Mechanism(argument) => {
            let Some(input) = read_input(argument) else {
                return Ok(ExitCode::BadInput);
            };
            calibrate(session, &input, asked).map(|report| {
                let text = if is_json {
                    format!("{}\n", calibration_json(&report))
                } else {
                    calibration_human(&report, super::output::style())
                };
                (text, report.is_narrow())
            })
        }
        What::Profiles(path) => from_profiles(session, path, asked).map(|report| {
            let text = if is_json {
                format!("{}\n", black_box_json(&report))
            } else {
                black_box_human(&report, super::output::style())
            };
            (text, true)
        }),
    };
    match found {
        Ok((text, is_narrow)) => {
            session.print(&text)?;
            Ok(if is_narrow {
                ExitCode::Done
            } else {
                ExitCode::Undecided
            })
        }
        Err(Stop::Input(error)) => {
            show(&error);
            Ok(ExitCode::BadInput)
        }
        Err(Stop::Words(message)) => {
            complain(&message);
            if is_json {
                session.print(&format!(
                    "{}\n",
                    error_json(None, None, "unreachable", &message)
                ))?;
            }
            Ok(ExitCode::BadInput)
        }
        Err(Stop::Internal(violation)) => {
            internal_error(&violation.to_string());
            Ok(ExitCode::Internal)
        }
    }
}

fn calibrate(
    session: &Session,
    input: &InputFile,
    asked: &Calibration<'_>,
) -> Result<CalibrationReport, Stop> {
    let start = Instant::now();
    let requirements = requirements(asked.targets)?;
    let width = width(session)?;
    let solver = Solver::new(
        session,
        &input.name,
        &input.bytes,
        asked.solve,
        width.clone(),
    )?;
    session.progress.start(asked.solve);
    let found = solver.solve(&requirements)?;
    let standard = match asked.standard {
        Some(delta) => Some(compare_with_standard(
            session,
            &solver,
            &requirements,
            &found,
            delta,
        )?),
        None => None,
    };
    let example = &solver.example;
    Ok(CalibrationReport {
        standard,
        key: solver.key.name.clone(),
        targets: asked.targets.to_vec(),
        grows_private: solver.key.grows_private(),
        is_whole: solver.key.is_whole,
        width,
        meets: found.meets,
        misses: found.misses,
        conditions: conditions(&example.mechanism, example.adjacency)
            .into_iter()
            .chain(monotonicity(&example.mechanism))
            .collect(),
        notes: requirements.iter().filter_map(scope).collect(),
        time: start.elapsed(),
    })
}

fn from_profiles(
    session: &Session,
    path: &Path,
    asked: &Calibration<'_>,
) -> Result<BlackBoxReport, Stop> {
    let requirements = requirements(asked.targets)?;
    let input = read(path).map_err(|unreadable| {
        Stop::Words(format!(
            "cannot read `{}`: {}",
            unreadable.name, unreadable.message
        ))
    })?;
    let table = ProfileTable::from_bytes(&input.name, &input.bytes)?;
    session.progress.start(asked.solve);
    black_box::from_table(session, &table, asked.solve, &requirements, asked.targets)
}

/// The targets, at least one of which asks for something.
fn requirements(targets: &[String]) -> Result<Vec<Requirement>, Stop> {
    let requirements = targets
        .iter()
        .map(|text| Requirement::from_argument(text).map_err(Stop::from))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(why) = requirements.iter().find_map(impossible) {
        return Err(Stop::Words(why));
    }
    if requirements.iter().all(is_always_met) {
        let what = "is true of every mechanism, so there is nothing to solve for";
        return Err(Stop::Words(format!("{} {what}", targets.join(" and "))));
    }
    Ok(requirements)
}

/// How far apart the two values may be.
fn width(session: &Session) -> Result<Target, Stop> {
    let usual = || Target::Relative(Rational::from((1, 10_000)));
    let width = session.options.precision.clone().unwrap_or_else(usual);
    let finest = Rational::from((1, Integer::from(Integer::u_pow_u(10, FINEST))));
    match &width {
        Target::Relative(asked) if *asked < finest => Err(Stop::Words(format!(
            "a calibration goes no further than --precision 1e-{FINEST}"
        ))),
        _ => Ok(width),
    }
}

/// Digits to which a value is found at most.
const FINEST: u32 = 890;

/// A target that more privacy does not help to meet, in words.
fn impossible(requirement: &Requirement) -> Option<String> {
    match requirement {
        // More noise makes a mechanism more private, and what is stated of it all the looser.
        Requirement::Claim(Claim::Regret { .. }) => Some(
            "the regret of a μ grows with privacy, so no least noise meets such a target; give gdp:mu=…,tolerance=1e-10, or dominated-by:mechanism={…},at-most=… for the regret against a reference".to_owned(),
        ),
        _ => None,
    }
}

/// What the bracket takes for granted beside what its ends do.
fn monotonicity(mechanism: &Mechanism) -> Option<String> {
    let is_discrete = match mechanism {
        Mechanism::DiscreteGaussian { .. } => true,
        Mechanism::Subsampled { of, .. } => return monotonicity(of),
        Mechanism::Compose { of } => return of.iter().find_map(|(part, _)| monotonicity(part)),
        _ => false,
    };
    is_discrete.then(|| "more discrete Gaussian noise is more private (both values are certified, what lies beyond them is not)".to_owned())
}
