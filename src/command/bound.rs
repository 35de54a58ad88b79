//! `dpcmp bound MECH QUERY…`.

use super::arguments::Format;
use super::estimate;
use super::exit_code::ExitCode;
use super::given::{parse_queries, read_mechanism};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain};
use super::session::Session;
use crate::analysis::{Refusal, Unsupported};
use crate::report::{BoundReport, bound_human, bound_json, error_json};
use crate::statement::Query;
use crate::study::{Bounded, Engine, NoAnswer, bound, expect};
use crate::verdict::Analyst;

/// Answers queries about one mechanism.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &str,
    queries: &[String],
) -> Result<ExitCode, StdoutClosed> {
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
    if let Ok(subject) = subject {
        let precision = session.limits().precision;
        expect(
            subject,
            parsed.iter().map(|(_, query)| query),
            precision.as_ref(),
        );
    }
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
) -> Result<ExitCode, StdoutClosed> {
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
        fail(
            ExitCode::BadInput,
            unsupported.code(),
            &unsupported.to_string(),
        )
    };
    session.progress.start(text);
    match bound(&session.limits(), subject, query) {
        Ok(Bounded {
            answer,
            attained,
            time,
        }) => {
            let precision = session.limits().precision;
            let report = BoundReport {
                query: text,
                answer: &answer,
                asked: precision.as_ref(),
                attained,
                time,
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
