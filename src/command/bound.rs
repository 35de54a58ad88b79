//! `dpcmp bound MECH QUERY…`.

use std::path::Path;
use std::time::Instant;

use super::Session;
use super::arguments::{Engine, Format};
use super::estimate;
use super::exit_code::ExitCode;
use super::files::{InputFile, read};
use super::interrupt::internal_error;
use super::output::{Gone, complain, error_style, say};
use super::query::{NoAnswer, answer, quantity};
use crate::analysis::{Refusal, Unsupported};
use crate::input::{InputError, MechanismFile, Query, mechanism_from_bytes};
use crate::report::{BoundReport, Style, bound_human, bound_json, error_json};
use crate::verdict::Analyst;

/// Answers queries about one mechanism.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, mechanism: &str, queries: &[String]) -> Result<ExitCode, Gone> {
    let Some(mechanism) = read_mechanism(mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    // A misspelt query is reported before anything long is computed.
    let Some(parsed) = parse_queries(queries) else {
        return Ok(ExitCode::BadInput);
    };
    if session.options.engine == Engine::Float {
        return estimate::run(session, &mechanism, &parsed);
    }
    let subject = session.subject(&mechanism);
    let subject = subject.as_ref().map(|subject| -> &dyn Analyst { subject });
    let column = queries.iter().map(|text| text.chars().count()).max();
    let mut code = ExitCode::Done;
    for (text, query) in parsed {
        let one = one(session, subject, text, &query, column.unwrap_or(0))?;
        code = code.and(one);
    }
    Ok(code)
}

fn one(
    session: &Session,
    subject: Result<&dyn Analyst, &Refusal>,
    text: &str,
    query: &Query,
    column: usize,
) -> Result<ExitCode, Gone> {
    let is_json = session.options.format == Format::Json;
    let fail = |exit, code, message: &str| {
        if is_json {
            session.print(&format!(
                "{}\n",
                error_json(None, Some(text), code, message)
            ))?;
        }
        Ok(exit)
    };
    let refuse = |unsupported: Unsupported| {
        complain(&format!("{text}: {unsupported}"));
        let code = unsupported_code(&unsupported);
        fail(ExitCode::BadInput, code, &unsupported.to_string())
    };
    let quantity = quantity(query);
    session.progress.start(text);
    let start = Instant::now();
    let precision = session.options.precision.as_ref();
    let found = session.with_means(|means| answer(subject, &quantity, precision, means));
    match found {
        Ok(answer) => {
            let report = BoundReport {
                query: text,
                answer: &answer,
                time: start.elapsed(),
            };
            let line = if is_json {
                bound_json(&report, None)
            } else {
                bound_human(&report, column)
            };
            session.print(&format!("{line}\n"))?;
            Ok(ExitCode::Done)
        }
        Err(NoAnswer::Unsupported(unsupported)) => refuse(unsupported),
        Err(NoAnswer::Internal(violation)) => {
            internal_error(&format!("{text}: {violation}"));
            fail(ExitCode::Internal, "internal", &violation.to_string())
        }
    }
}

/// The stable word for what cannot be computed.
pub fn unsupported_code(unsupported: &Unsupported) -> &'static str {
    match unsupported {
        Unsupported::NotBuilt(_) => "unsupported",
        Unsupported::DoesNotFollow(_) => "does-not-follow",
    }
}

/// The queries with their texts; `None` once it has been said what is wrong with one of them.
pub fn parse_queries(texts: &[String]) -> Option<Vec<(&str, Query)>> {
    let mut parsed = Vec::with_capacity(texts.len());
    for text in texts {
        match Query::from_argument(text) {
            Ok(query) => parsed.push((text.as_str(), query)),
            Err(error) => {
                show(&error);
                return None;
            }
        }
    }
    Some(parsed)
}

/// The mechanism of a MECH argument; `None` once it has been said what is wrong with it.
pub fn read_mechanism(argument: &str) -> Option<MechanismFile> {
    let file = read_input(argument)?;
    match mechanism_from_bytes(&file.name, &file.bytes) {
        Ok(mechanism) => Some(mechanism),
        Err(error) => {
            show(&error);
            None
        }
    }
}

/// The bytes of a MECH argument; `None` once it has been said why they cannot be read.
pub fn read_input(argument: &str) -> Option<InputFile> {
    if is_inline(argument) {
        return Some(InputFile {
            name: "argument".to_owned(),
            bytes: argument.as_bytes().to_vec(),
        });
    }
    match read(Path::new(argument)) {
        Ok(file) => Some(file),
        Err(unreadable) => {
            let message = unreadable.message;
            complain(&format!(
                "cannot read `{argument}`: {message}\nMECH is a file, `-`, or a mechanism in one argument, such as '{{\"kind\":\"gaussian\",\"sigma\":2}}'"
            ));
            None
        }
    }
}

/// Is the argument a mechanism rather than the name of a file?
fn is_inline(argument: &str) -> bool {
    let looks_like_text = argument.trim_start().starts_with(['{', '[']) || argument.contains('=');
    looks_like_text && !Path::new(argument).exists()
}

pub fn show(error: &InputError) {
    say(&error.render(error_style() == Style::Coloured));
}
