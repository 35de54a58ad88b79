//! `dpcmp bound MECH QUERY…`.

use super::arguments::Format;
use super::estimate;
use super::exit_code::ExitCode;
use super::given::{parse_queries, read_mechanism};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, style};
use super::session::Session;
use crate::analysis::{Ending, Refusal, Unsupported};
use crate::report::{BoundReport, bound_human, bound_json, error_json, taken_human};
use crate::statement::Query;
use crate::study::{Bounded, Engine, NoAnswer, Taken, bound, expect, says_nothing};
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
    // A misspelt query is reported before anything long is computed.
    let read = read_mechanism(mechanism).and_then(|read| Ok((read, parse_queries(queries)?)));
    let (mechanism, parsed) = match read {
        Ok(read) => read,
        Err(fault) => return session.refuse("dpcmp.bound/1", &fault, ExitCode::BadInput),
    };
    let taken = Taken::of(&mechanism, parsed.iter().map(|(_, query)| query));
    if session.options.engine == Engine::Float {
        return estimate::run(session, &mechanism, &parsed, &taken);
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
    let total = parsed.len();
    let (mut done, mut is_silent) = (0usize, true);
    for (text, query) in parsed {
        if session.is_stopped() {
            break;
        }
        let (one, said) = one(
            session,
            subject,
            (text, &query),
            &taken,
            column.unwrap_or(0),
        )?;
        code = code.and(one);
        is_silent &= said == Said::Nothing;
        done = done.saturating_add(usize::from(said == Said::All));
    }
    if !is_silent {
        say_taken(session, &taken)?;
    }
    if done < total {
        code = code.and(session.stopped(done, total, "queries"));
    }
    Ok(code)
}

/// What was said of a query.
#[derive(PartialEq, Eq)]
enum Said {
    /// What there is to say.
    All,
    /// What was known when the user stopped the work.
    Some,
    /// Nothing, as that was nothing.
    Nothing,
}

/// For people, below all answers; each object for machines has it.
fn say_taken(session: &Session, taken: &Taken) -> Result<(), StdoutClosed> {
    match session.options.format {
        Format::Human => session.print(&taken_human(taken, style())),
        _ => Ok(()),
    }
}

fn one(
    session: &Session,
    subject: Result<&dyn Analyst, &Refusal>,
    (text, query): (&str, &Query),
    taken: &Taken,
    column: usize,
) -> Result<(ExitCode, Said), StdoutClosed> {
    let is_json = session.options.format == Format::Json;
    let fail = |exit, code, message: &str| {
        if is_json {
            session.print(&format!(
                "{}\n",
                error_json(None, Some(text), code, message)
            ))?;
        }
        Ok((exit, Said::All))
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
            let is_stopped = session.is_stopped() && answer.ending == Ending::OutOfTime;
            if is_stopped && says_nothing(&answer, query) {
                return Ok((ExitCode::Done, Said::Nothing));
            }
            let report = BoundReport {
                query: text,
                answer: &answer,
                asked: precision.as_ref(),
                attained,
                is_stopped,
                time,
            };
            let line = if is_json {
                bound_json(&report, Some(taken), None)
            } else {
                bound_human(&report, column)
            };
            session.print(&format!("{line}\n"))?;
            let said = if is_stopped { Said::Some } else { Said::All };
            Ok((ExitCode::Done, said))
        }
        Err(NoAnswer::Unsupported(unsupported)) => refuse(unsupported),
        Err(NoAnswer::Internal(violation)) => {
            internal_error(&format!("{text}: {violation}"));
            fail(ExitCode::Internal, "internal", &violation.to_string())
        }
    }
}
