//! `dpcmp convert STATEMENT`.

use rug::Rational;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::show;
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{Gone, complain};
use super::report::{Stop, page};
use crate::input::{Claim, MechanismFile};
use crate::mechanism::Adjacency;
use crate::report::{ConversionReport, conversion_human, conversion_json};
use crate::summary::{class_of, gaussian_of};

/// Converts one statement to others.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, statement: &str, deltas: &[Rational]) -> Result<ExitCode, Gone> {
    if session.options.engine == Engine::Float {
        complain("a conversion needs certified numbers; leave out `--engine float`");
        return Ok(ExitCode::BadInput);
    }
    let claim = match Claim::from_argument(statement) {
        Ok(claim) => claim,
        Err(error) => {
            show(&error);
            return Ok(ExitCode::BadInput);
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
        complain(&format!(
            "nothing is known to follow from `{statement}` alone; `convert` takes pure-dp, approx-dp, gdp, zcdp, rdp, advantage and trade-off"
        ));
        return Ok(ExitCode::BadInput);
    }
    let page = match class
        .as_ref()
        .map(|class| page(session, class, deltas))
        .transpose()
    {
        Ok(page) => page,
        Err(Stop::Unsupported(why)) => {
            complain(&why.to_string());
            return Ok(ExitCode::BadInput);
        }
        Err(Stop::OutOfTime) => {
            complain(
                "the time ended before everything was converted; a larger --max-seconds helps",
            );
            return Ok(ExitCode::Undecided);
        }
        Err(Stop::Internal(violation)) => {
            internal_error(&violation.to_string());
            return Ok(ExitCode::Internal);
        }
    };
    let report = ConversionReport {
        statement,
        gaussian,
        page,
    };
    let text = match session.options.format {
        Format::Json => format!("{}\n", conversion_json(&report)),
        _ => conversion_human(&report, super::output::style()),
    };
    session.print(&text)?;
    Ok(ExitCode::Done)
}
