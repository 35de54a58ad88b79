//! Points of a sweep: a table, JSON lines (`dpcmp.sweep/1`) or CSV.

use serde_json::{Map, Value, json};

use super::Style;
use super::bound::{DOES_NOT_FOLLOW, OUT_OF_TIME, STOPPED, ending_word, method_words, put_taken};
use super::csv::csv_record;
use super::digits::{JSON_DIGITS, ends, exact};
use super::estimate::{decimal, rounded_estimate};
use super::fault::Fault;
use super::printable::printable;
use super::table::{Cell, aligned, short_interval};
use super::words::{computed, provided};
use crate::analysis::Answer;
use crate::bounds::Target;
use crate::study::{Finding, NoAnswer, PointAnswers, Taken};

/// What all points of a sweep have in common, besides their queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepHead {
    /// The version of dpcmp.
    pub version: String,
    /// SHA-256 of the bytes of the mechanism, in hexadecimal.
    pub sha256: String,
    /// `certified` or `float`.
    pub engine: String,
    /// The width asked for; `None` for the default.
    pub precision: Option<String>,
}

/// One point of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepPoint {
    /// Keys and values, in the order of the sweep.
    pub parameters: Vec<(String, String)>,
    /// Time allowed per query, in seconds.
    pub max_seconds: String,
    /// Queries, in order, with what was found.
    pub results: Vec<(String, Found)>,
    /// What that takes for granted; nothing where there is no mechanism.
    pub taken: Taken,
}

/// The answer to one query at one point; numbers are decimals, `inf` or `-inf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A certified enclosure.
    Enclosure {
        /// Rounded down.
        lower: String,
        /// Rounded up.
        upper: String,
        /// How it was found, in words.
        method: String,
        /// `reached`, `out-of-time`, `exhausted`, `does-not-follow` or `stopped`.
        ending: String,
        /// Do both ends belong to one mechanism?
        attained: bool,
    },
    /// A number without guarantee.
    Estimate(String),
    /// There is no answer.
    Error(Fault),
}

/// No more reasons are listed below a table.
const MOST_REASONS: usize = 20;

impl Found {
    /// A number that was found.
    pub fn of(finding: &Finding) -> Self {
        match finding {
            Finding::Enclosure { answer, attained } => Self::enclosure(answer, *attained),
            Finding::Estimate(value) => Self::estimate(*value),
        }
    }

    /// What was found at a point of a sweep, query by query; what is wrong with the point is wrong for all of them.
    pub fn at_point(answers: &PointAnswers, queries: &[String]) -> Vec<(String, Self)> {
        let answers = match answers {
            Ok((answers, _)) => answers.iter().map(Self::of_answer).collect(),
            Err(error) => {
                vec![Self::Error(Fault::of_input(error)); queries.len()]
            }
        };
        queries.iter().cloned().zip(answers).collect()
    }

    fn of_answer(answer: &Result<Finding, NoAnswer>) -> Self {
        match answer {
            Ok(finding) => Self::of(finding),
            Err(NoAnswer::Unsupported(unsupported)) => {
                Self::error(unsupported.code(), &unsupported.to_string())
            }
            Err(NoAnswer::Internal(violation)) => Self::error("internal", &violation.to_string()),
        }
    }

    /// An enclosure, rounded outwards.
    pub fn enclosure(answer: &Answer, attained: bool) -> Self {
        let (lower, upper) = ends(&answer.enclosure, JSON_DIGITS);
        Self::Enclosure {
            lower,
            upper,
            method: method_words(&answer.method),
            ending: ending_word(answer.ending).to_owned(),
            attained,
        }
    }

    /// An estimate.
    pub fn estimate(value: f64) -> Self {
        Self::Estimate(decimal(value))
    }

    /// Why there is no answer.
    pub fn error(code: &str, message: &str) -> Self {
        Self::Error(Fault::new(code, message))
    }

    /// `lower`, `upper` and `ending`, or `estimate`; and `error`.
    pub(super) fn csv_fields(&self, is_estimate: bool) -> Vec<String> {
        match self {
            Self::Enclosure {
                lower,
                upper,
                ending,
                ..
            } => vec![lower.clone(), upper.clone(), ending.clone(), String::new()],
            Self::Estimate(value) => vec![value.clone(), String::new()],
            Self::Error(fault) => {
                let mut fields = vec![String::new(); if is_estimate { 1 } else { 3 }];
                fields.push(fault.message.clone());
                fields
            }
        }
    }

    /// Would more time narrow it?
    pub fn is_out_of_time(&self) -> bool {
        self.ended(OUT_OF_TIME)
    }

    /// Was it the user who ended the work?
    pub fn is_stopped(&self) -> bool {
        self.ended(STOPPED)
    }

    fn ended(&self, word: &str) -> bool {
        matches!(self, Self::Enclosure { ending, .. } if ending == word)
    }

    /// What did not end of itself was ended by the user.
    #[must_use]
    pub fn stopped(mut self) -> Self {
        if let Self::Enclosure { ending, .. } = &mut self
            && ending == OUT_OF_TIME
        {
            STOPPED.clone_into(ending);
        }
        self
    }
}

/// A width to reach, as it is written on the command line.
pub fn target_words(target: &Target) -> String {
    match target {
        Target::Relative(width) => exact(width),
        Target::Absolute(width) => format!("{}abs", exact(width)),
    }
}

/// The JSON line of a point, without a line break.
pub fn sweep_json(head: &SweepHead, point: &SweepPoint) -> String {
    let parameters: Map<String, Value> = point
        .parameters
        .iter()
        .map(|(key, text)| (key.clone(), json!(text)))
        .collect();
    let results: Vec<Value> = point
        .results
        .iter()
        .map(|(query, found)| result_json(query, found))
        .collect();
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema", json!("dpcmp.sweep/1"));
    put("version", json!(head.version));
    put("sha256", json!(head.sha256));
    put("engine", json!(head.engine));
    put("precision", json!(head.precision));
    put("max-seconds", json!(point.max_seconds));
    put("parameters", Value::Object(parameters));
    put("results", Value::Array(results));
    put_taken(&mut object, &point.taken.conditions, &point.taken.computed);
    Value::Object(object).to_string()
}

fn result_json(query: &str, found: &Found) -> Value {
    let mut object = Map::new();
    object.insert("query".to_owned(), json!(query));
    put_found(&mut object, found);
    Value::Object(object)
}

/// What was found, under the keys that say what it is.
pub(super) fn put_found(object: &mut Map<String, Value>, found: &Found) {
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    match found {
        Found::Enclosure {
            lower,
            upper,
            method,
            ending,
            attained,
        } => {
            put("lower", json!(lower));
            put("upper", json!(upper));
            if !attained {
                put("attained", json!(false));
            }
            put("method", json!(method));
            put("ending", json!(ending));
        }
        Found::Estimate(value) => {
            put("estimate", json!(value));
        }
        Found::Error(fault) => {
            put("error", fault.json());
        }
    }
}

/// The first line of the CSV: a column per parameter; per query `lower`, `upper` and `ending` (with estimates, `estimate`)
/// and `error`.
pub fn sweep_csv_header(keys: &[String], queries: &[String], with_estimates: bool) -> String {
    let columns: &[&str] = if with_estimates {
        &["estimate", "error"]
    } else {
        &["lower", "upper", "ending", "error"]
    };
    let of_queries = queries.iter().flat_map(|query| {
        columns
            .iter()
            .map(move |column| format!("{query} {column}"))
    });
    csv_record(keys.iter().cloned().chain(of_queries))
}

/// The CSV record of a point.
pub fn sweep_csv(point: &SweepPoint, with_estimates: bool) -> String {
    let values = point.parameters.iter().map(|(_, text)| text.clone());
    let results = point
        .results
        .iter()
        .flat_map(|(_, found)| found.csv_fields(with_estimates));
    csv_record(values.chain(results))
}

/// The table: a row per point, a column per parameter and per query. What cannot be answered is said in the row, by its
/// code where it concerns one query only, with the reasons below the table.
pub fn sweep_table(
    keys: &[String],
    queries: &[String],
    points: &[&SweepPoint],
    style: Style,
) -> String {
    let heading = keys.iter().chain(queries).map(|text| Cell::plain(text));
    let mut rows = vec![heading.collect::<Vec<Cell>>()];
    let mut reasons: Vec<String> = Vec::new();
    for point in points {
        let mut row: Vec<Cell> = point
            .parameters
            .iter()
            .map(|(_, text)| Cell::plain(text))
            .collect();
        if let Some(fault) = error_of_the_point(point) {
            let message = printable(&fault.message);
            row.push(Cell::overhanging(&format!("error: {message}")));
            if let Some(hint) = &fault.hint {
                let hint = format!("hint: {}", printable(hint));
                if reasons.len() < MOST_REASONS && !reasons.contains(&hint) {
                    reasons.push(hint);
                }
            }
        } else {
            for (query, found) in &point.results {
                row.push(Cell::plain(&found_words(found)));
                if let Found::Error(Fault { code, message, .. }) = found {
                    let reason = format!("{code}: {query}: {}", printable(message));
                    if reasons.len() < MOST_REASONS && !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
        rows.push(row);
    }
    let all = points.iter().flat_map(|point| &point.results);
    reasons.extend(marks(all.map(|(_, found)| found)));
    let mut text = aligned(&rows, style);
    for line in reasons.into_iter().chain(taken_words(points)) {
        text.push_str(&style.dim(&line));
        text.push('\n');
    }
    text
}

/// What the points take for granted, each condition once; nothing where there is no mechanism at any of them.
pub fn sweep_provided(points: &[&SweepPoint]) -> Option<String> {
    let mut conditions: Vec<String> = Vec::new();
    for condition in points.iter().flat_map(|point| &point.taken.conditions) {
        if !conditions.contains(condition) {
            conditions.push(condition.clone());
        }
    }
    (!conditions.is_empty()).then(|| provided(&conditions))
}

/// The same, and what was computed where that is the same at all of them.
fn taken_words(points: &[&SweepPoint]) -> Vec<String> {
    let Some(provided) = sweep_provided(points) else {
        return Vec::new();
    };
    let with_mechanism = points
        .iter()
        .filter(|point| !point.taken.conditions.is_empty());
    let mut notes = with_mechanism.map(|point| &point.taken.computed);
    let first = notes.next();
    let lines = match first {
        Some(first) if notes.all(|other| other == first) => computed(first),
        Some(_) => vec!["computed: not the same at all points, `--format json` has it".to_owned()],
        None => Vec::new(),
    };
    std::iter::once(provided).chain(lines).collect()
}

/// What is wrong with all queries alike.
fn error_of_the_point(point: &SweepPoint) -> Option<&Fault> {
    let (_, first) = point.results.first()?;
    let Found::Error(fault) = first else {
        return None;
    };
    let same = point.results.iter().all(|(_, found)| found == first);
    same.then_some(fault)
}

/// What stands behind an enclosure that is wider than was asked for, and what that means.
fn mark(found: &Found) -> Option<(&'static str, &'static str)> {
    match found {
        Found::Enclosure { ending, .. } => match ending.as_str() {
            OUT_OF_TIME => Some(("(?)", "out of time, a larger --max-seconds may narrow it")),
            STOPPED => Some(("(?)", "stopped before it was as narrow as asked for")),
            DOES_NOT_FOLLOW => Some(("(*)", "bounds from above and from below, which do not meet")),
            _ => None,
        },
        Found::Estimate(_) | Found::Error(_) => None,
    }
}

/// What the marks in a table mean, each once.
pub(super) fn marks<'f>(all: impl Iterator<Item = &'f Found>) -> Vec<String> {
    let mut lines = Vec::new();
    for (mark, words) in all.filter_map(mark) {
        let line = format!("{mark}: {words}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

pub(super) fn found_words(found: &Found) -> String {
    match found {
        Found::Enclosure { lower, upper, .. } => {
            let interval = short_interval(lower, upper);
            match mark(found) {
                Some((mark, _)) => format!("{interval} {mark}"),
                None => interval,
            }
        }
        Found::Estimate(value) => format!("≈ {}", rounded_estimate(value)),
        Found::Error(fault) => fault.code.clone(),
    }
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;
