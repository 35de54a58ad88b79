//! `dpcmp calibrate MECH --solve KEY --target …`: the least noise that provably meets a target.

use std::path::Path;
use std::time::Instant;

use rug::Rational;

use super::arguments::Format;
use super::beside::{Folder, as_beside};
use super::exit_code::ExitCode;
use super::files::read;
use super::given::{read_input, show};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, style};
use super::plot;
use super::session::Session;
use crate::input::{ClaimEntry, ClaimFile, MechanismFile, ProfileTable, Template, suggestion};
use crate::number::scientific;
use crate::plot::Picture;
use crate::report::{
    BlackBoxReport, CalibrationReport, Fault, black_box_human, black_box_json, calibration_human,
    calibration_json,
};
use crate::statement::Requirement;
use crate::study::{
    CalibrationError, Engine, Limits, calibrate, calibrate_from_profiles, calibrate_with_standard,
    verify,
};
use crate::verdict::{Verdict, as_claim};

/// What was asked for.
pub struct Asked<'a> {
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

/// Why nothing was found.
enum Stop {
    /// It has been said what is wrong with the input.
    Said(Fault),
    /// A file cannot be read, in words.
    Unreadable(String),
    /// The study found nothing.
    Study(CalibrationError),
}

impl Stop {
    /// Says what is wrong with the options.
    fn usage(message: &str) -> Self {
        complain(message);
        Self::Said(Fault::new("usage", message))
    }
}

const SCHEMA: &str = "dpcmp.calibration/1";

/// Solves for one parameter.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, asked: &Asked<'_>) -> Result<ExitCode, StdoutClosed> {
    if session.options.engine == Engine::Float {
        complain("a calibration needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let found = match asked.what {
        What::Mechanism(argument) => from_mechanism(session, argument, asked),
        What::Profiles(path) => from_profiles(session, path, asked),
    };
    match found {
        Ok(found) => {
            let code = match found.picture {
                Some(picture) => session.show(&found.text, || picture)?,
                None => session.print(&found.text).map(|()| ExitCode::Done)?,
            };
            Ok(if found.is_complete {
                code
            } else {
                code.and(ExitCode::Undecided)
            })
        }
        Err(Stop::Said(fault)) => session.refuse(SCHEMA, &fault, ExitCode::BadInput),
        Err(Stop::Unreadable(message)) => {
            refused(session, &message, "unreachable", ExitCode::BadInput)
        }
        Err(Stop::Study(error)) => refuse(session, &error, asked),
    }
}

/// What there is to show.
struct Found {
    text: String,
    picture: Option<Picture>,
    /// Is it all that was asked for?
    is_complete: bool,
}

fn from_mechanism(session: &Session, argument: &str, asked: &Asked<'_>) -> Result<Found, Stop> {
    let input = read_input(argument).map_err(Stop::Said)?;
    let start = Instant::now();
    let targets = targets(asked)?;
    let draws = session.options.plot.is_some();
    if draws && targets.iter().all(|target| as_claim(target).is_none()) {
        return Err(Stop::usage(
            "a Bayes error is not drawn; leave out `--plot`, and draw the calibrated mechanism with `dpcmp curve MECH --kind bayes-error`",
        ));
    }
    let folder = Folder::of(&input);
    let template = Template::beside(&input.name, &input.bytes, as_beside(folder.as_ref()))
        .map_err(CalibrationError::from)?;
    let limits = session.limits();
    let calibration = match asked.standard {
        Some(delta) => calibrate_with_standard(&template, asked.solve, &targets, delta, &limits)?,
        None => calibrate(&template, asked.solve, &targets, &limits)?,
    };
    let report = CalibrationReport {
        calibration: &calibration,
        targets: asked.targets,
        time: start.elapsed(),
    };
    let text = match session.options.format {
        Format::Json => format!("{}\n", calibration_json(&report)),
        _ => calibration_human(&report, style()),
    };
    let picture = if draws {
        let value = &calibration.solution.meets;
        let mechanism = template.with_value(&calibration.key, value);
        let mechanism = mechanism.map_err(CalibrationError::from)?;
        picture(&mechanism, &targets, &limits)?
    } else {
        None
    };
    Ok(Found {
        text,
        picture,
        is_complete: calibration.is_complete(),
    })
}

/// The curves of what was found, with the targets on them.
fn picture(
    mechanism: &MechanismFile,
    targets: &[Requirement],
    limits: &Limits<'_>,
) -> Result<Option<Picture>, CalibrationError> {
    let claims = targets.iter().filter_map(as_claim).map(|claim| {
        let mut entry = ClaimEntry::of(claim);
        for (_, number) in &mut entry.numbers {
            *number = scientific(number);
        }
        entry
    });
    let file = ClaimFile {
        title: None,
        source: None,
        mechanism: mechanism.clone(),
        claims: claims.collect(),
        notes: Vec::new(),
    };
    let found = verify(limits, &file, "picture").map_err(CalibrationError::Internal)?;
    let verdicts: Vec<Verdict> = found.judged.into_iter().map(|one| one.verdict).collect();
    let Ok(subject) = &found.subject else {
        complain("there was no time for a picture; a larger --max-seconds may help");
        return Ok(None);
    };
    Ok(Some(plot::claims(
        limits,
        subject,
        &file,
        &verdicts,
        &found.conditions,
    )))
}

/// The same from the profiles of another accountant.
fn from_profiles(session: &Session, path: &Path, asked: &Asked<'_>) -> Result<Found, Stop> {
    if session.options.plot.is_some() {
        let message = "profiles of another accountant are not drawn; leave out `--plot`";
        return Err(Stop::usage(message));
    }
    let start = Instant::now();
    let targets = targets(asked)?;
    let input = read(path).map_err(|unreadable| {
        Stop::Unreadable(format!(
            "cannot read `{}`: {}",
            unreadable.name, unreadable.message
        ))
    })?;
    let table =
        ProfileTable::from_bytes(&input.name, &input.bytes).map_err(CalibrationError::from)?;
    let found = calibrate_from_profiles(&table, asked.solve, &targets, &session.limits())?;
    let report = BlackBoxReport {
        found: &found,
        targets: asked.targets,
        time: start.elapsed(),
    };
    let text = match session.options.format {
        Format::Json => format!("{}\n", black_box_json(&report)),
        _ => black_box_human(&report, style()),
    };
    Ok(Found {
        text,
        picture: None,
        is_complete: !found.is_out_of_time(),
    })
}

fn targets(asked: &Asked<'_>) -> Result<Vec<Requirement>, Stop> {
    let targets = asked.targets.iter();
    let read = targets.map(|text| Requirement::from_argument(text).map_err(CalibrationError::from));
    Ok(read.collect::<Result<Vec<_>, _>>()?)
}

/// Says why there is no calibration.
fn refuse(
    session: &Session,
    error: &CalibrationError,
    asked: &Asked<'_>,
) -> Result<ExitCode, StdoutClosed> {
    match error {
        CalibrationError::Input(error) => session.refuse(SCHEMA, &show(error), ExitCode::BadInput),
        CalibrationError::Internal(violation) => {
            let message = violation.to_string();
            internal_error(&message);
            session.refuse(
                SCHEMA,
                &Fault::new("internal", &message),
                ExitCode::Internal,
            )
        }
        CalibrationError::OutOfTime => {
            let message = session.cut_short(&error.to_string());
            refused(session, &message, "out-of-time", ExitCode::Undecided)
        }
        error => {
            let message = words(error, asked);
            refused(session, &message, "unreachable", ExitCode::BadInput)
        }
    }
}

fn refused(
    session: &Session,
    message: &str,
    word: &str,
    code: ExitCode,
) -> Result<ExitCode, StdoutClosed> {
    complain(message);
    session.refuse(SCHEMA, &Fault::new(word, message), code)
}

/// The reason, with the options of the command line that have to do with it.
fn words(error: &CalibrationError, asked: &Asked<'_>) -> String {
    match error {
        CalibrationError::UnknownKey { key, known } => {
            let names: Vec<&str> = known.split(", ").collect();
            let next = suggestion(key, &names, "`--solve` takes");
            format!("cannot solve for `{key}`; {next}")
        }
        CalibrationError::NothingToSolve => format!(
            "{} is true of every mechanism, so there is nothing to solve for",
            asked.targets.join(" and ")
        ),
        CalibrationError::TooFine { finest } => {
            format!("a calibration goes no further than --precision 1e-{finest}")
        }
        CalibrationError::OneDirection => "what (ε, δ) implies about attacks needs it in both directions: --compare-with-standard takes the adjacency add-remove".to_owned(),
        CalibrationError::NoStandard { delta } => format!(
            "no ε ≥ 0 at δ = {delta} is what implies the target; --compare-with-standard takes targets that are attack risks: advantage, trade-off, tpr, accuracy, ppv, bayes-error"
        ),
        CalibrationError::EitherWay { key } => format!(
            "{error}; `dpcmp bound MECH QUERY --sweep {key}=…` answers at any values of it"
        ),
        error => error.to_string(),
    }
}

impl From<CalibrationError> for Stop {
    fn from(error: CalibrationError) -> Self {
        Self::Study(error)
    }
}
