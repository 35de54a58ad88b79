//! `dpcmp compare A B`.

use rug::Rational;

use super::arguments::Format;
use super::estimate;
use super::exit_code::ExitCode;
use super::given::{read_mechanism, show};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain};
use super::plot::{Divergence, Opponents, duel};
use super::session::Session;
use crate::analysis::Witness;
use crate::input::Prior;
use crate::plot::Picture;
use crate::report::{Fault, comparison_human, comparison_json, enclosed, provided};
use crate::study::{
    Asked, Comparison, Duel, Engine, Limits, NoComparison, Regret, Source, quick_hint,
};

/// What is printed for machines.
const SCHEMA: &str = "dpcmp.comparison/2";

/// Compares two mechanisms.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    first: &str,
    second: &str,
    priors: &[String],
    tolerance: Option<&Rational>,
) -> Result<ExitCode, StdoutClosed> {
    let asked = match read(first, second, priors, tolerance) {
        Ok(asked) => asked,
        Err(fault) => return session.refuse(SCHEMA, &fault, ExitCode::BadInput),
    };
    if session.options.engine == Engine::Float {
        return estimate::compare(session, [&asked.first, &asked.second], &asked.priors);
    }
    let is_json = session.options.format == Format::Json;
    let refuse =
        |exit, code, message: &str| session.refuse(SCHEMA, &Fault::new(code, message), exit);
    let limits = session.limits();
    match compared(session, &limits, &asked) {
        Ok((report, picture)) => {
            let text = if is_json {
                format!("{}\n", comparison_json(&report))
            } else {
                comparison_human(&report, super::output::style())
            };
            let shown = match picture {
                Some(picture) => session.show(&text, || picture)?,
                None => session.print(&text).map(|()| ExitCode::Done)?,
            };
            Ok(match report.is_cut_short() {
                true => shown.and(ExitCode::Undecided),
                false => shown,
            })
        }
        Err(error) => {
            let message = error.to_string();
            match error {
                NoComparison::Unsupported(_, unsupported) => {
                    complain(&message);
                    refuse(ExitCode::BadInput, unsupported.code(), &message)
                }
                NoComparison::OutOfTime => {
                    let message = session.cut_short(&message);
                    complain(&message);
                    refuse(ExitCode::Undecided, "budget", &message)
                }
                NoComparison::Internal(_) => {
                    internal_error(&message);
                    refuse(ExitCode::Internal, "internal", &message)
                }
            }
        }
    }
}

/// Both mechanisms and the densities.
///
/// # Errors
/// What is wrong with them, which has been said.
fn read(
    first: &str,
    second: &str,
    priors: &[String],
    tolerance: Option<&Rational>,
) -> Result<Asked, Fault> {
    if first == "-" && second == "-" {
        let message = "only one of the two mechanisms can come from standard input";
        complain(message);
        return Err(Fault::new("usage", message));
    }
    let first = read_mechanism(first)?;
    let second = read_mechanism(second)?;
    let usual = ["jeffreys".to_owned(), "uquadratic".to_owned()];
    let texts = if priors.is_empty() { &usual } else { priors };
    let priors = texts.iter().map(|text| {
        let prior = Prior::from_argument(text).map_err(|error| show(&error))?;
        Ok((text.clone(), prior))
    });
    Ok(Asked {
        first,
        second,
        priors: priors.collect::<Result<_, Fault>>()?,
        tolerance: tolerance.cloned(),
    })
}

/// The comparison, and its picture if one is asked for.
fn compared<'a>(
    session: &Session,
    limits: &Limits<'_>,
    asked: &'a Asked,
) -> Result<(Comparison<'a>, Option<Picture>), NoComparison> {
    let duel = Duel::new(limits, asked)?;
    let report = duel.comparison()?;
    let wanted = session.options.plot.is_some();
    let picture = wanted.then(|| picture(session, &duel, asked, &report));
    Ok((report, picture))
}

fn picture(
    session: &Session,
    of: &Duel<'_, '_>,
    asked: &Asked,
    report: &Comparison<'_>,
) -> Picture {
    let files = [&asked.first, &asked.second];
    let hints = files.map(|file| quick_hint(file, &session.limits()));
    let [hint_a, hint_b] = &hints;
    let divergence = |name, regret: &Regret| Divergence {
        words: enclosed(name, &regret.answer.enclosure),
        at_most: regret.answer.enclosure.upper().to_f64(),
        prior: match &regret.answer.witness {
            Some(Witness::Prior { prior, .. }) => Some(prior.to_f64()),
            _ => None,
        },
    };
    let [[a_to_pp, a_to_bnp], [b_to_pp, b_to_bnp]] = &report.extremes;
    let words = vec![
        format!(
            "from perfect privacy: {}, {}",
            enclosed("A", a_to_pp),
            enclosed("B", b_to_pp)
        ),
        format!(
            "to none at all: {}, {}",
            enclosed("A", a_to_bnp),
            enclosed("B", b_to_bnp)
        ),
    ];
    let certified = "certified: each band contains its curve; Δ(A‖B) is by how much an attacker's error can fall when B takes the place of A".to_owned();
    let opponents = Opponents {
        files,
        sources: of.subjects().map(Source::Certified),
        hints: [hint_a.as_ref(), hint_b.as_ref()],
        divergences: [
            divergence("Δ(A‖B)", &report.a_to_b),
            divergence("Δ(B‖A)", &report.b_to_a),
        ],
        words,
        notes: vec![certified, provided(&report.conditions)],
    };
    duel(&session.limits(), &opponents, of.start())
}
