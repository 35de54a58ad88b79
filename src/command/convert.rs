//! `dpcmp convert STATEMENT`.

use rug::Rational;

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::given::show;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain};
use super::session::Session;
use crate::input::MechanismFile;
use crate::mechanism::Adjacency;
use crate::report::{ConversionReport, Fault, conversion_human, conversion_json};
use crate::statement::Claim;
use crate::study::{Engine, NoReport, report};
use crate::summary::{class_of, gaussian_of};

const SCHEMA: &str = "dpcmp.conversion/1";

/// Converts one statement to others.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    statement: &str,
    deltas: &[Rational],
) -> Result<ExitCode, StdoutClosed> {
    if session.options.engine == Engine::Float {
        complain("a conversion needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let refuse =
        |exit, code, message: &str| session.refuse(SCHEMA, &Fault::new(code, message), exit);
    let claim = match Claim::from_argument(statement) {
        Ok(claim) => claim,
        Err(error) => {
            return session.refuse(SCHEMA, &show(&error), ExitCode::BadInput);
        }
    };
    let gaussian = match gaussian_of(&claim) {
        Ok(found) => found,
        Err(violation) => {
            internal_error(&violation.to_string());
            return Ok(ExitCode::Internal);
        }
    };
    let class = class_of(&claim).map(|mechanism| MechanismFile {
        mechanism,
        adjacency: Adjacency::AddRemove,
        summary: claim.kind().to_owned(),
        notes: Vec::new(),
    });
    if class.is_none() && gaussian.is_none() {
        let message = format!(
            "dpcmp knows of no other statement that follows from `{statement}` alone; `convert` knows what follows from pure-dp, approx-dp, strict gdp, zcdp, rdp, advantage, and trade-off that says something"
        );
        complain(&message);
        return refuse(ExitCode::BadInput, "unsupported", &message);
    }
    let page = match class
        .as_ref()
        .map(|class| report(&session.limits(), class, deltas))
        .transpose()
    {
        Ok(page) => page,
        Err(NoReport::Unsupported(why)) => {
            let message = why.to_string();
            complain(&message);
            return refuse(ExitCode::BadInput, why.code(), &message);
        }
        Err(NoReport::OutOfTime) => {
            let message = session.cut_short("the time ended before everything was converted");
            complain(&message);
            return refuse(ExitCode::Undecided, "budget", &message);
        }
        Err(NoReport::Internal(violation)) => {
            let message = violation.to_string();
            internal_error(&message);
            return refuse(ExitCode::Internal, "internal", &message);
        }
    };
    let conversion = ConversionReport {
        statement,
        gaussian,
        page,
    };
    let text = match session.options.format {
        Format::Json => format!("{}\n", conversion_json(&conversion)),
        _ => conversion_human(&conversion, super::output::style()),
    };
    session.print(&text)?;
    Ok(ExitCode::Done)
}
