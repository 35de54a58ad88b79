//! A curve point by point: a table, JSON lines (`dpcmp.curve/1`) or CSV.

use serde_json::{Map, Value, json};

use super::Style;
use super::bound::put_taken;
use super::csv::{csv_record, inert};
use super::digits::scientific;
use super::printable::printable;
use super::sweep::{Found, found_words, marks, put_found};
use super::table::{Cell, aligned};
use super::words::{computed, provided};
use crate::study::CurvePoint;

/// A curve, enclosed at points.
pub struct CurveReport<'a> {
    /// What it is called, where there are several.
    pub name: Option<String>,
    /// The mechanism in one line.
    pub title: String,
    /// `privacy-profile`, `trade-off` or `bayes-error`.
    pub kind: &'static str,
    /// `epsilon`, `alpha` or `prior`.
    pub key: &'static str,
    /// The same and the curve in the notation of papers.
    pub symbols: (&'static str, &'static str),
    /// Places, in order, with what the curve is there.
    pub points: &'a [(String, Found)],
    /// Are these estimates?
    pub is_estimate: bool,
    /// The conditions of the numbers.
    pub conditions: &'a [String],
    /// What was computed from the keys of its file.
    pub notes: &'a [String],
}

/// The points of a curve as they are printed.
pub fn curve_found(points: &[CurvePoint]) -> Vec<(String, Found)> {
    let found = |CurvePoint { place, found }: &CurvePoint| {
        let found = match found {
            Ok(found) => Found::of(found),
            Err(violation) => Found::error("internal", &violation.to_string()),
        };
        (place.text.clone(), found)
    };
    points.iter().map(found).collect()
}

/// For people.
pub fn curve_human(report: &CurveReport<'_>, style: Style) -> String {
    let (place, value) = report.symbols;
    let mut rows = vec![vec![Cell::plain(place), Cell::plain(value)]];
    for (place, found) in report.points {
        rows.push(vec![
            Cell::plain(&scientific(place)),
            Cell::plain(&found_words(found)),
        ]);
    }
    let title = match &report.name {
        Some(name) if *name != report.title => format!("{}   {}", printable(name), report.title),
        _ => report.title.clone(),
    };
    let mut lines = vec![style.bold(&title), String::new()];
    lines.push(aligned(&rows, style));
    let found = report.points.iter().map(|(_, found)| found);
    lines.extend(marks(found).iter().map(|line| style.dim(line)));
    lines.push(style.dim(&provided(report.conditions)));
    lines.extend(computed(report.notes).iter().map(|line| style.dim(line)));
    lines.join("\n") + "\n"
}

/// One object a line, for each point.
pub fn curve_json(report: &CurveReport<'_>) -> String {
    let line = |(place, found): &(String, Found)| {
        let mut object = Map::new();
        object.insert("schema".to_owned(), json!("dpcmp.curve/1"));
        if let Some(name) = &report.name {
            object.insert("name".to_owned(), json!(name));
        }
        object.insert("kind".to_owned(), json!(report.kind));
        object.insert(report.key.to_owned(), json!(place));
        put_found(&mut object, found);
        put_taken(&mut object, report.conditions, report.notes);
        format!("{}\n", Value::Object(object))
    };
    report.points.iter().map(line).collect()
}

/// The first line of the CSV.
pub fn curve_csv_header(report: &CurveReport<'_>) -> String {
    let columns: &[&str] = if report.is_estimate {
        &["estimate", "error"]
    } else {
        &["lower", "upper", "ending", "error"]
    };
    let name = report.name.as_ref().map(|_| "name");
    let names = name
        .into_iter()
        .chain(std::iter::once(report.key))
        .chain(columns.iter().copied());
    csv_record(names.map(str::to_owned))
}

/// A record for each point.
pub fn curve_csv(report: &CurveReport<'_>) -> String {
    let record = |(place, found): &(String, Found)| {
        let fields = found.csv_fields(report.is_estimate);
        let name = report.name.iter().map(|name| inert(&printable(name)));
        csv_record(name.chain(std::iter::once(place.clone())).chain(fields))
    };
    report.points.iter().map(record).collect()
}
