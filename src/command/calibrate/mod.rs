//! `dpcmp calibrate MECH --solve KEY --target …`: the least noise that provably meets a target.
//!
//! | file | job |
//! |---|---|
//! | `key` | parameters that can be solved for, and which way privacy goes |
//! | `search` | from an estimate to a certified bracket |

mod key;
mod search;

use std::time::Instant;

use rug::Rational;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{read_input, show};
use super::exit_code::ExitCode;
use super::files::InputFile;
use super::interrupt::internal_error;
use super::output::{Gone, complain};
use crate::analysis::{Goal, Refusal};
use crate::bounds::Target;
use crate::input::{Claim, InputError, MechanismFile, mechanism_with_value, takes_whole_numbers};
use crate::kernel::{Failure, InvariantViolation};
use crate::mechanism::Mechanism;
use crate::plan::{seems_true, turning_value};
use crate::report::{CalibrationReport, calibration_human, calibration_json, error_json};
use crate::verdict::{Decision, Inequality, conditions, is_vacuous};
use key::Key;
use search::{Bracket, Certainty, search};

/// Why there is no calibration.
enum Stop {
    Input(Box<InputError>),
    Words(String),
    Internal(InvariantViolation),
}

/// Solves for one parameter.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &str,
    solve: &str,
    targets: &[String],
) -> Result<ExitCode, Gone> {
    if session.options.engine == Engine::Float {
        complain("a calibration needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let Some(input) = read_input(mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    let is_json = session.options.format == Format::Json;
    match calibrate(session, &input, solve, targets) {
        Ok(report) => {
            let text = if is_json {
                format!("{}\n", calibration_json(&report))
            } else {
                calibration_human(&report, super::output::style())
            };
            session.print(&text)?;
            Ok(if report.is_narrow() {
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
    solve: &str,
    targets: &[String],
) -> Result<CalibrationReport, Stop> {
    let start = Instant::now();
    let claims = targets
        .iter()
        .map(|text| Claim::from_argument(text).map_err(Stop::from))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(why) = claims.iter().find_map(impossible) {
        return Err(Stop::Words(why));
    }
    if claims.iter().all(is_vacuous) {
        let what = "is true of every mechanism, so there is nothing to solve for";
        return Err(Stop::Words(format!("{} {what}", targets.join(" and "))));
    }
    let is_whole = takes_whole_numbers(&input.name, &input.bytes, solve)?;
    let key = Key::new(solve, is_whole).ok_or_else(|| {
        Stop::Words(format!(
            "cannot solve for `{solve}`; `--solve` takes {}",
            Key::names()
        ))
    })?;
    let mechanism =
        |value: &Rational| mechanism_with_value(&input.name, &input.bytes, solve, value);
    // A key that the mechanism does not have is an error before anything long is computed.
    let example = mechanism(&key.private)?;
    let width = match &session.options.precision {
        Some(Target::Relative(width) | Target::Absolute(width)) => width.clone(),
        None => Rational::from((1, 10_000)),
    };
    session.progress.start(solve);
    let seems = |value: &Rational| {
        let value = if is_whole {
            Rational::from(rug::Integer::from(value.floor_ref()))
        } else {
            value.clone()
        };
        let MechanismFile {
            mechanism,
            adjacency,
            ..
        } = mechanism(&value).ok()?;
        claims.iter().try_fold(true, |all, claim| {
            Some(all && seems_true(claim, &mechanism, adjacency)?)
        })
    };
    let estimate = turning_value((&key.private, &key.leaky), &key.start, &width, &seems);
    // Far from what is usual a mechanism may be beyond what is supported; that says nothing of other values.
    let mut unsupported = None;
    let bracket = search(
        &key,
        estimate.as_ref(),
        &width,
        &mut |value| match certainty(session, &mechanism(value)?, &claims) {
            Err(Stop::Words(why)) => {
                unsupported.get_or_insert(why);
                Ok(Certainty::Unknown)
            }
            found => found,
        },
    )?;
    let Bracket {
        meets: Some(meets),
        misses,
    } = bracket
    else {
        return Err(Stop::Words(
            unsupported.unwrap_or_else(|| unreachable(&key)),
        ));
    };
    Ok(CalibrationReport {
        key: key.name.clone(),
        targets: targets.to_vec(),
        grows_private: key.grows_private(),
        is_whole,
        width,
        meets,
        misses,
        conditions: conditions(&example.mechanism, example.adjacency)
            .into_iter()
            .chain(monotonicity(&example.mechanism))
            .collect(),
        time: start.elapsed(),
    })
}

/// Does the mechanism meet all targets?
fn certainty(session: &Session, file: &MechanismFile, claims: &[Claim]) -> Result<Certainty, Stop> {
    let subject = match session.subject(file) {
        Ok(subject) => subject,
        Err(Refusal::Unsupported(why)) => return Err(Stop::Words(why.to_string())),
        Err(Refusal::Failure(Failure::Interrupted)) => return Ok(Certainty::Unknown),
        Err(Refusal::Failure(Failure::Invariant(violation))) => {
            return Err(Stop::Internal(violation));
        }
    };
    let mut all = Certainty::Meets;
    for claim in claims.iter().filter(|claim| !is_vacuous(claim)) {
        let inequality = Inequality::of(claim);
        let goal = Goal::Compare {
            with: inequality.bound.clone(),
        };
        let found = session.with_means(|means| {
            inequality
                .quantity
                .prepare(means.budget)
                .map(|()| subject.answer(&inequality.quantity, &goal, means))
        });
        let decision = match found {
            Ok(Ok(answer)) => inequality.decide(&answer.enclosure),
            Ok(Err(Failure::Interrupted)) | Err(Refusal::Failure(Failure::Interrupted)) => {
                Decision::Open
            }
            Ok(Err(Failure::Invariant(violation)))
            | Err(Refusal::Failure(Failure::Invariant(violation))) => {
                return Err(Stop::Internal(violation));
            }
            Err(Refusal::Unsupported(why)) => return Err(Stop::Words(why.to_string())),
        };
        match decision {
            Decision::Holds(_) => {}
            Decision::Fails(_) => return Ok(Certainty::Misses),
            Decision::Open => all = Certainty::Unknown,
        }
    }
    Ok(all)
}

/// A target that no mechanism meets, in words.
fn impossible(claim: &Claim) -> Option<String> {
    match claim {
        Claim::TradeOff { alpha, beta } if Rational::from(alpha + beta) > 1 => Some(format!(
            "no mechanism has f({alpha}) ≥ {beta}: an attack that guesses has a true-positive rate of {alpha} at a false-positive rate of {alpha}, so f({alpha}) ≤ {}",
            Rational::from(1 - alpha)
        )),
        // More noise makes a mechanism more private, and what is stated of it all the looser.
        Claim::Regret { .. } => Some(
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

fn unreachable(key: &Key) -> String {
    format!(
        "no value of `{}` between {} and {} is certain to meet the target",
        key.name,
        key.private.clone().min(key.leaky.clone()),
        key.private.clone().max(key.leaky.clone())
    )
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}
