//! `dpcmp curve MECH…`: privacy profiles, trade-off functions or Bayes errors, enclosed at many points and drawn over one another.

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::given::read_mechanism;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say, style};
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
    let mut finished = Finished::default();
    for (number, file) in files.iter().enumerate() {
        if session.is_stopped() && !all.is_empty() {
            break;
        }
        let mut points = match curve(file, kind, asked.points, engine, &session.limits()) {
            Ok(points) => points,
            // What was enclosed before is kept.
            Err(NoCurve::OutOfTime) if session.is_stopped() && !all.is_empty() => break,
            Err(reason) => return refuse(session, &reason),
        };
        let total = points.len();
        let mut found = curve_found(&points);
        if session.is_stopped() {
            points.retain(|point| !point.says_nothing(kind));
            let stopped = curve_found(&points).into_iter();
            found = stopped.map(|(at, one)| (at, one.stopped())).collect();
        }
        finished.add(&found, total);
        if points.is_empty() {
            break;
        }
        let title = mechanism_line(&file.mechanism);
        let given = asked.names.get(number).cloned();
        all.push(Enclosed {
            name: given.or_else(|| (files.len() > 1).then(|| title.clone())),
            title,
            found,
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
    let stopped = finished.stopped(session, files.len());
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
            // Its columns have no place for it.
            for words in all_provided(&reports) {
                session.progress.aside(|| say(&words));
            }
            let header = reports.first().map(curve_csv_header).unwrap_or_default();
            header + &reports.iter().map(curve_csv).collect::<String>()
        }
        Format::Svg if stopped.is_some() => String::new(),
        Format::Svg => crate::plot::svg(&picture()) + "\n",
        _ => {
            let texts: Vec<String> = reports
                .iter()
                .map(|report| curve_human(report, style()))
                .collect();
            texts.join("\n")
        }
    };
    if let Some(stopped) = stopped {
        if session.options.plot.is_some() || session.options.format == Format::Svg {
            say("no picture is drawn: the work was stopped");
        }
        return session.print(&text).map(|()| code.and(stopped));
    }
    Ok(code.and(session.show(&text, picture)?))
}

/// How much is enclosed as narrowly as was asked for, or as time allowed.
#[derive(Default)]
struct Finished {
    points: usize,
    of_points: usize,
    curves: usize,
}

impl Finished {
    fn add(&mut self, found: &[(String, Found)], total: usize) {
        let done = found.iter().filter(|(_, one)| !one.is_stopped()).count();
        self.points = self.points.saturating_add(done);
        self.of_points = self.of_points.saturating_add(total);
        self.curves = self.curves.saturating_add(usize::from(done == total));
    }

    /// Says it where something is missing, as the user stopped the work.
    fn stopped(&self, session: &Session, curves: usize) -> Option<ExitCode> {
        if self.curves == curves {
            None
        } else if curves == 1 {
            Some(session.stopped(self.points, self.of_points, "points"))
        } else {
            Some(session.stopped(self.curves, curves, "curves"))
        }
    }
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

/// What the curves take for granted: once, or of each where that is not the same.
fn all_provided(reports: &[CurveReport<'_>]) -> Vec<String> {
    let Some((first, others)) = reports.split_first() else {
        return Vec::new();
    };
    if others
        .iter()
        .all(|other| other.conditions == first.conditions)
    {
        return vec![provided(first.conditions)];
    }
    let of = |report: &CurveReport<'_>| {
        let name = report.name.as_ref().unwrap_or(&report.title);
        format!("{}: {}", printable(name), provided(report.conditions))
    };
    reports.iter().map(of).collect()
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
    notes.extend(all_provided(reports));
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
