//! `dpcmp report MECH`.

use rug::Rational;

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::given::read_mechanism;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain};
use super::plot::fit;
use super::session::Session;
use crate::report::{Fault, report_human, report_json};
use crate::study::{Engine, NoReport, Page};

const SCHEMA: &str = "dpcmp.report/1";

/// Reports on one mechanism; (ε, δ)-DP at each of these δ.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &str,
    deltas: &[Rational],
) -> Result<ExitCode, StdoutClosed> {
    let mechanism = match read_mechanism(mechanism) {
        Ok(mechanism) => mechanism,
        Err(fault) => return session.refuse(SCHEMA, &fault, ExitCode::BadInput),
    };
    if session.options.engine == Engine::Float {
        complain("a report needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let is_json = session.options.format == Format::Json;
    let refuse =
        |exit, code, message: &str| session.refuse(SCHEMA, &Fault::new(code, message), exit);
    let limits = session.limits();
    let found = Page::new(&limits, &mechanism).and_then(|page| {
        let report = page.report(deltas)?;
        Ok((page, report))
    });
    let error = match found {
        Ok((page, report)) => {
            let text = if is_json {
                format!("{}\n", report_json(&report))
            } else {
                report_human(&report, super::output::style())
            };
            return session.show(&text, || {
                fit(&session.limits(), page.subject(), &report, page.start())
            });
        }
        Err(error) => error,
    };
    let message = error.to_string();
    match error {
        NoReport::Unsupported(unsupported) => {
            complain(&message);
            refuse(ExitCode::BadInput, unsupported.code(), &message)
        }
        NoReport::OutOfTime => {
            let message = session.cut_short(&message);
            complain(&message);
            refuse(ExitCode::Undecided, "budget", &message)
        }
        NoReport::Internal(_) => {
            internal_error(&message);
            refuse(ExitCode::Internal, "internal", &message)
        }
    }
}
