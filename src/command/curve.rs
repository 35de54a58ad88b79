//! `dpcmp curve MECH`: a privacy profile, a trade-off function or a Bayes error, enclosed at many points.

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::given::read_mechanism;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, style};
use super::session::Session;
use crate::plot::{CurveData, Hue, Picture, Stroke, curve_knots, curve_picture};
use crate::report::{
    CurveReport, curve_csv, curve_csv_header, curve_found, curve_human, curve_json, error_json,
    mechanism_line, provided,
};
use crate::study::{CurveKind, CurvePoint, Engine, NoCurve, Points, curve};
use crate::verdict::conditions;

/// Encloses a curve at many points.
///
/// # Errors
/// When standard output is gone.
pub fn run(
    session: &Session,
    mechanism: &str,
    kind: CurveKind,
    points: Option<&Points>,
) -> Result<ExitCode, StdoutClosed> {
    let asked = points.map_or(Ok(()), |points| points.check(kind));
    if let Err(error) = asked {
        complain(&error.to_string());
        return Ok(ExitCode::BadInput);
    }
    let Some(file) = read_mechanism(mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    let engine = session.options.engine;
    let points = match curve(&file, kind, points, engine, &session.limits()) {
        Ok(points) => points,
        Err(reason) => return refuse(session, &reason),
    };
    // Where dpcmp contradicts itself, that has been said.
    let code = if points.iter().any(|point| point.found.is_err()) {
        ExitCode::Internal
    } else {
        ExitCode::Done
    };
    let conditions = conditions(&file.mechanism, file.adjacency);
    let report = CurveReport {
        title: mechanism_line(&file.mechanism),
        kind: kind.as_str(),
        key: kind.key(),
        symbols: kind.symbols(),
        points: &curve_found(&points),
        is_estimate: engine == Engine::Float,
        conditions: &conditions,
    };
    let picture = || picture(&report, kind, &points);
    let text = match session.options.format {
        Format::Json => curve_json(&report),
        Format::Csv => curve_csv_header(&report) + &curve_csv(&report),
        Format::Svg => crate::plot::svg(&picture()) + "\n",
        _ => curve_human(&report, style()),
    };
    Ok(code.and(session.show(&text, picture)?))
}

fn refuse(session: &Session, reason: &NoCurve) -> Result<ExitCode, StdoutClosed> {
    match reason {
        NoCurve::Place(error) => {
            complain(&error.to_string());
            Ok(ExitCode::BadInput)
        }
        NoCurve::OutOfTime => {
            complain(&format!("{reason}; a larger --max-seconds helps"));
            Ok(ExitCode::Undecided)
        }
        NoCurve::Internal(violation) => {
            internal_error(&violation.to_string());
            Ok(ExitCode::Internal)
        }
        NoCurve::Unsupported(unsupported) => {
            let message = unsupported.to_string();
            complain(&message);
            if session.options.format == Format::Json {
                let line = error_json(None, None, unsupported.code(), &message);
                session.print(&format!("{line}\n"))?;
            }
            Ok(ExitCode::BadInput)
        }
    }
}

fn picture(report: &CurveReport<'_>, kind: CurveKind, points: &[CurvePoint]) -> Picture {
    let mut notes = vec![if report.is_estimate {
        "estimates of the float engine, without guarantee".to_owned()
    } else {
        format!(
            "certified at {} points; between them the band contains the curve by convexity",
            report.points.len()
        )
    }];
    notes.push(provided(report.conditions));
    let (_, value) = report.symbols;
    let curve = CurveData {
        knots: curve_knots(points),
        label: value.to_owned(),
        hue: Hue::First,
        stroke: Stroke::Solid,
    };
    curve_picture(&report.title, kind, curve, notes)
}
