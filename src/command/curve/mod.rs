//! `dpcmp curve MECH`: a privacy profile, a trade-off function or a Bayes error, enclosed at many points.
//!
//! | file | job |
//! |---|---|
//! | `places` | where a curve is looked at |
//! | `sample` | what it is there |

mod places;
mod sample;

pub use places::{Place, Points, extended, merged, place, usual_places};
pub use sample::{Source, sample, shown};

use std::time::Instant;

use clap::ValueEnum;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{read_mechanism, unsupported_code};
use super::estimate::prepare;
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{Gone, complain, style};
use crate::analysis::{Refusal, Unsupported};
use crate::kernel::Failure;
use crate::plot::{CurveData, CurveKind, Hue, Picture, Stroke, curve_picture};
use crate::report::{
    CurveReport, Found, curve_csv, curve_csv_header, curve_human, curve_json, error_json,
    mechanism_line,
};
use crate::verdict::conditions;

/// Which curve, as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// δ(ε), the least δ at every ε
    PrivacyProfile,
    /// f(α), the least false-negative rate of attacks at every false-positive rate
    TradeOff,
    /// R(π), the least average error of attacks at every prior that the record is absent
    BayesError,
}

impl Kind {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivacyProfile => "privacy-profile",
            Self::TradeOff => "trade-off",
            Self::BayesError => "bayes-error",
        }
    }

    /// What its places are called.
    pub fn key(self) -> &'static str {
        match self {
            Self::PrivacyProfile => "epsilon",
            Self::TradeOff => "alpha",
            Self::BayesError => "prior",
        }
    }

    /// The same, for pictures.
    pub fn drawn(self) -> CurveKind {
        match self {
            Self::PrivacyProfile => CurveKind::PrivacyProfile,
            Self::TradeOff => CurveKind::TradeOff,
            Self::BayesError => CurveKind::BayesError,
        }
    }

    fn symbols(self) -> (&'static str, &'static str) {
        match self {
            Self::PrivacyProfile => ("ε", "δ(ε)"),
            Self::TradeOff => ("α", "f(α)"),
            Self::BayesError => ("π", "R(π)"),
        }
    }
}

/// Encloses a curve at many points.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &str,
    kind: Kind,
    points: Option<&Points>,
) -> Result<ExitCode, Gone> {
    let asked = points.map_or(Ok(()), |points| points.check(kind));
    if let Err(words) = asked {
        complain(&words);
        return Ok(ExitCode::BadInput);
    }
    let Some(file) = read_mechanism(mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    let start = Instant::now();
    session.progress.start("curve");
    let hint = prepare(&file);
    let is_float = session.options.engine == Engine::Float;
    let subject;
    let source = match &hint {
        Ok(curve) if is_float => Source::Float(curve),
        Err(unsupported) if is_float => return refuse(session, unsupported),
        _ => {
            subject = session.subject(&file);
            match &subject {
                Ok(subject) => Source::Certified(subject),
                Err(Refusal::Unsupported(unsupported)) => return refuse(session, unsupported),
                Err(Refusal::Failure(Failure::Interrupted)) => {
                    complain(
                        "the time ended before the mechanism was prepared; a larger --max-seconds helps",
                    );
                    return Ok(ExitCode::Undecided);
                }
                Err(Refusal::Failure(Failure::Invariant(violation))) => {
                    internal_error(&violation.to_string());
                    return Ok(ExitCode::Internal);
                }
            }
        }
    };
    let places = match points {
        Some(points) => points.places(kind, &file, hint.as_ref().ok()),
        None => usual_places(kind, &file, hint.as_ref().ok()),
    };
    let time = session.shared(start, places.len());
    let found = match sample(session, &source, hint.as_ref().ok(), kind, &places, &time) {
        Ok(found) => found,
        Err(unsupported) => return refuse(session, &unsupported),
    };
    let is_broken = |(_, found): &(String, Found)| matches!(found, Found::Error { code, .. } if code == "internal");
    let code = if found.iter().any(is_broken) {
        ExitCode::Internal
    } else {
        ExitCode::Done
    };
    let conditions = conditions(&file.mechanism, file.adjacency);
    let (place, value) = kind.symbols();
    let report = CurveReport {
        title: mechanism_line(&file.mechanism),
        kind: kind.as_str(),
        key: kind.key(),
        symbols: (place, value),
        points: &found,
        is_estimate: is_float,
        conditions: &conditions,
    };
    let picture = || picture(&report, kind);
    let text = match session.options.format {
        Format::Json => curve_json(&report),
        Format::Csv => curve_csv_header(&report) + &curve_csv(&report),
        Format::Svg => crate::plot::svg(&picture()) + "\n",
        Format::Human => curve_human(&report, style()),
    };
    Ok(code.and(session.show(&text, picture)?))
}

fn refuse(session: &Session, unsupported: &Unsupported) -> Result<ExitCode, Gone> {
    let message = unsupported.to_string();
    complain(&message);
    if session.options.format == Format::Json {
        let line = error_json(None, None, unsupported_code(unsupported), &message);
        session.print(&format!("{line}\n"))?;
    }
    Ok(ExitCode::BadInput)
}

fn picture(report: &CurveReport<'_>, kind: Kind) -> Picture {
    let mut notes = vec![if report.is_estimate {
        "estimates of the float engine, without guarantee".to_owned()
    } else {
        format!(
            "certified at {} points; between them the band contains the curve by convexity",
            report.points.len()
        )
    }];
    notes.extend(
        report
            .conditions
            .iter()
            .map(|condition| format!("IF {condition}")),
    );
    let (_, value) = report.symbols;
    let curve = CurveData {
        knots: shown(report.points),
        label: value.to_owned(),
        hue: Hue::First,
        stroke: Stroke::Solid,
    };
    curve_picture(&report.title, kind.drawn(), curve, notes)
}
