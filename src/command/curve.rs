//! `dpcmp curve MECH…`: privacy profiles, trade-off functions or Bayes errors, enclosed at many points and drawn over one another.

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::given::read_mechanism;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, style};
use super::session::Session;
use crate::plot::{CurveData, Hue, Picture, Stroke, curve_knots, curve_picture};
use crate::report::{
    CurveReport, Fault, Found, curve_csv, curve_csv_header, curve_found, curve_human, curve_json,
    mechanism_line, printable, provided,
};
use crate::study::{CurveKind, CurvePoint, Engine, NoCurve, Points, curve};
use crate::verdict::conditions;

/// What is drawn.
pub struct Curves<'a> {
    /// The mechanisms, one or several.
    pub mechanisms: &'a [String],
    /// What they are called, in their order; the others by what they are.
    pub names: &'a [String],
    /// What the picture is called.
    pub title: Option<&'a str>,
    /// Which curve.
    pub kind: CurveKind,
    /// Where it is enclosed.
    pub points: Option<&'a Points>,
}

/// One of the curves, enclosed.
struct Enclosed<'a> {
    title: String,
    name: Option<String>,
    points: Vec<CurvePoint>,
    found: Vec<(String, Found)>,
    conditions: Vec<String>,
    notes: &'a [String],
}

/// Encloses curves at many points.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, asked: &Curves<'_>) -> Result<ExitCode, StdoutClosed> {
    let kind = asked.kind;
    let fits = asked.points.map_or(Ok(()), |points| points.check(kind));
    if let Err(error) = fits {
        complain(&error.to_string());
        return Ok(ExitCode::BadInput);
    }
    if asked.names.len() > asked.mechanisms.len() {
        complain("there are more names than mechanisms");
        return Ok(ExitCode::BadInput);
    }
    let mut files = Vec::new();
    for mechanism in asked.mechanisms {
        match read_mechanism(mechanism) {
            Ok(file) => files.push(file),
            Err(fault) => return session.refuse(SCHEMA, &fault, ExitCode::BadInput),
        }
    }
    let engine = session.options.engine;
    let mut all = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let points = match curve(file, kind, asked.points, engine, &session.limits()) {
            Ok(points) => points,
            Err(reason) => return refuse(session, &reason),
        };
        let title = mechanism_line(&file.mechanism);
        let given = asked.names.get(number).cloned();
        all.push(Enclosed {
            name: given.or_else(|| (files.len() > 1).then(|| title.clone())),
            title,
            found: curve_found(&points),
            points,
            conditions: conditions(&file.mechanism, file.adjacency),
            notes: &file.notes,
        });
    }
    // Where dpcmp contradicts itself, that has been said.
    let mut points = all.iter().flat_map(|one| &one.points);
    let code = if points.any(|point| point.found.is_err()) {
        ExitCode::Internal
    } else {
        ExitCode::Done
    };
    let reports: Vec<CurveReport<'_>> = all
        .iter()
        .map(|one| CurveReport {
            name: one.name.clone(),
            title: one.title.clone(),
            kind: kind.as_str(),
            key: kind.key(),
            symbols: kind.symbols(),
            points: &one.found,
            is_estimate: engine == Engine::Float,
            conditions: &one.conditions,
            notes: one.notes,
        })
        .collect();
    let picture = || picture(asked, &all, &reports);
    let text = match session.options.format {
        Format::Json => reports.iter().map(curve_json).collect(),
        Format::Csv => {
            let header = reports.first().map(curve_csv_header).unwrap_or_default();
            header + &reports.iter().map(curve_csv).collect::<String>()
        }
        Format::Svg => crate::plot::svg(&picture()) + "\n",
        _ => {
            let texts: Vec<String> = reports
                .iter()
                .map(|report| curve_human(report, style()))
                .collect();
            texts.join("\n")
        }
    };
    Ok(code.and(session.show(&text, picture)?))
}

const SCHEMA: &str = "dpcmp.curve/1";

fn refuse(session: &Session, reason: &NoCurve) -> Result<ExitCode, StdoutClosed> {
    let refused = |code, message: &str, exit| {
        complain(message);
        session.refuse(SCHEMA, &Fault::new(code, message), exit)
    };
    match reason {
        NoCurve::Place(error) => refused("out-of-range", &error.to_string(), ExitCode::BadInput),
        NoCurve::OutOfTime => {
            let message = session.cut_short(&reason.to_string());
            refused("budget", &message, ExitCode::Undecided)
        }
        NoCurve::Internal(violation) => {
            internal_error(&violation.to_string());
            let fault = Fault::new("internal", &violation.to_string());
            session.refuse(SCHEMA, &fault, ExitCode::Internal)
        }
        NoCurve::Unsupported(unsupported) => refused(
            unsupported.code(),
            &unsupported.to_string(),
            ExitCode::BadInput,
        ),
    }
}

fn picture(asked: &Curves<'_>, all: &[Enclosed<'_>], reports: &[CurveReport<'_>]) -> Picture {
    let is_estimate = reports.iter().any(|report| report.is_estimate);
    let counts: Vec<usize> = reports.iter().map(|report| report.points.len()).collect();
    let (fewest, most) = (counts.iter().min(), counts.iter().max());
    let mut notes = vec![match (is_estimate, fewest, most) {
        (false, Some(fewest), Some(most)) => {
            let count = if fewest == most {
                fewest.to_string()
            } else {
                format!("{fewest} to {most}")
            };
            let bands = if all.len() > 1 {
                "each band contains its curve"
            } else {
                "the band contains the curve"
            };
            format!("certified at {count} points; between them {bands} by convexity")
        }
        _ => "estimates of the float engine, without guarantee".to_owned(),
    }];
    let mut conditions: Vec<&[String]> = Vec::new();
    for report in reports {
        if !conditions.contains(&report.conditions) {
            conditions.push(report.conditions);
        }
    }
    match conditions.as_slice() {
        [same] => notes.push(provided(same)),
        _ => {
            for report in reports {
                let name = report.name.as_ref().unwrap_or(&report.title);
                notes.push(format!(
                    "{}: {}",
                    printable(name),
                    provided(report.conditions)
                ));
            }
        }
    }
    let (_, value) = asked.kind.symbols();
    let curves = all
        .iter()
        .enumerate()
        .map(|(number, one)| CurveData {
            knots: curve_knots(&one.points),
            label: one
                .name
                .as_deref()
                .map_or_else(|| value.to_owned(), printable),
            hue: Hue::nth(number),
            stroke: if number < 5 {
                Stroke::Solid
            } else {
                Stroke::Dashed
            },
        })
        .collect();
    let title = match (asked.title, reports) {
        (Some(title), _) => printable(title),
        (None, [one]) => one.title.clone(),
        (None, many) => format!("{} mechanisms", many.len()),
    };
    curve_picture(&title, asked.kind, curves, notes)
}
