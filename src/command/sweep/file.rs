//! `--output FILE`: finished points as JSON lines, so that a sweep that was stopped goes on where it was.
//!
//! A point is appended as soon as it is finished, in one write; when the sweep ends, the lines are put in the order of the
//! sweep, by way of a second file that takes the place of the first at once. A file holds one sweep: the same version
//! of dpcmp, mechanism (by its bytes), engine, precision and queries in every line, and only points of the grid. Anything
//! else is refused before anything is written. An unfinished last line, which is what an interrupted write leaves, is
//! dropped. Of a point that comes twice, the later line counts.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::destination;
use crate::report::{Fault, Found, SweepHead, SweepPoint, sweep_json};
use crate::study::{Grid, Taken};

/// A file that finished points are written to.
#[derive(Debug)]
pub struct Record<'h> {
    path: PathBuf,
    file: File,
    head: &'h SweepHead,
    /// The last point of the file, if all its lines are in order.
    last: Option<usize>,
    in_order: bool,
}

/// Points of the grid by their place in it.
pub type Points = HashMap<usize, SweepPoint>;

impl<'h> Record<'h> {
    /// Opens the file, or creates it, and reads the points that are in it already.
    ///
    /// # Errors
    /// If it cannot be read or written, or is no record of this sweep.
    pub fn open(
        path: &Path,
        head: &'h SweepHead,
        grid: &Grid,
        queries: &[String],
    ) -> Result<(Self, Points), String> {
        let failed = |error: io::Error| failure("open", path, &error);
        if path.extension().is_some_and(|ending| ending == "csv") {
            return Err(format!(
                "`{}` would hold JSON lines; for CSV, redirect standard output with `--format csv`",
                path.display()
            ));
        }
        // Where a link leads, so that it is not replaced when the lines are put in order.
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(failed(error)),
        };
        if path.exists() && !path.is_file() {
            return Err(format!("`{}` is not a file", path.display()));
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        let bytes = fs::read(&path).map_err(failed)?;
        let mut record = Self {
            path,
            file,
            head,
            last: None,
            in_order: true,
        };
        let points = record.read(&bytes, grid, queries)?;
        Ok((record, points))
    }

    fn read(&mut self, bytes: &[u8], grid: &Grid, queries: &[String]) -> Result<Points, String> {
        let name = self.path.display().to_string();
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let end = end.map_or(0, |place| place.saturating_add(1));
        let (lines, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        let places: HashMap<Vec<(String, String)>, usize> = (0..grid.len())
            .map(|index| (grid.point(index), index))
            .collect();
        let mut points = Points::new();
        for (line, number) in lines.split_inclusive(|byte| *byte == b'\n').zip(1u64..) {
            let (head, point) = read_line(line)
                .ok_or_else(|| format!("{name}:{number}: this is no line of a sweep"))?;
            let wrong = difference(self.head, &head, &point, queries);
            if let Some(what) = wrong {
                return Err(format!(
                    "{name}:{number}: this line is of a sweep {what}; give another --output"
                ));
            }
            let Some(index) = places.get(&point.parameters) else {
                let point = words(&point.parameters);
                return Err(format!(
                    "{name}:{number}: the point {point} is not in this sweep; give another --output"
                ));
            };
            self.note(*index);
            points.insert(*index, point);
        }
        if !rest.is_empty() {
            if !self.may_begin_a_line(rest) {
                return Err(format!("{name}: the last line is no line of this sweep"));
            }
            let length = u64::try_from(end).unwrap_or(u64::MAX);
            let cut = self.file.set_len(length);
            cut.map_err(|error| failure("write", &self.path, &error))?;
        }
        Ok(points)
    }

    /// Is this how a line of this sweep begins?
    fn may_begin_a_line(&self, bytes: &[u8]) -> bool {
        let empty = SweepPoint {
            parameters: Vec::new(),
            max_seconds: String::new(),
            results: Vec::new(),
            taken: Taken::default(),
        };
        let line = sweep_json(self.head, &empty);
        let (start, _) = line.split_once("\"max-seconds\"").unwrap_or((&line, ""));
        let length = start.len().min(bytes.len());
        bytes.get(..length) == start.as_bytes().get(..length)
    }

    /// Appends a point that is finished.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, index: usize, point: &SweepPoint) -> Result<(), String> {
        self.note(index);
        let line = format!("{}\n", sweep_json(self.head, point));
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| failure("write", &self.path, &error))
    }

    fn note(&mut self, index: usize) {
        self.in_order &= self.last.is_none_or(|last| last < index);
        self.last = Some(index);
    }

    /// Puts the lines in order, given all points that are finished, in order.
    ///
    /// # Errors
    /// If the file cannot be replaced; it then stays as it is.
    pub fn finish<'p>(self, points: impl Iterator<Item = &'p SweepPoint>) -> Result<(), String> {
        if self.in_order {
            return Ok(());
        }
        let failed = |error| failure("write", &self.path, &error);
        let (sorted, file) = destination::beside(&self.path).map_err(failed)?;
        let write = || -> io::Result<()> {
            let mut file = io::BufWriter::new(file);
            for point in points {
                writeln!(file, "{}", sweep_json(self.head, point))?;
            }
            file.into_inner()?.sync_all()?;
            fs::rename(&sorted, &self.path)
        };
        write().map_err(|error| {
            // What is left of the second file is of no use.
            let _ = fs::remove_file(&sorted);
            failed(error)
        })
    }
}

fn failure(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {what} `{}`: {error}", path.display())
}

fn words(parameters: &[(String, String)]) -> String {
    let pairs: Vec<String> = parameters
        .iter()
        .map(|(key, text)| format!("{key}={text}"))
        .collect();
    pairs.join(" ")
}

/// Why a line belongs to another sweep.
fn difference(
    wanted: &SweepHead,
    found: &SweepHead,
    point: &SweepPoint,
    queries: &[String],
) -> Option<String> {
    if found.version != wanted.version {
        return Some(format!("by dpcmp {}", found.version));
    }
    if found.sha256 != wanted.sha256 {
        return Some("of another mechanism".to_owned());
    }
    if found.engine != wanted.engine {
        return Some(format!("with `--engine {}`", found.engine));
    }
    if found.precision != wanted.precision {
        return Some(match &found.precision {
            Some(precision) => format!("with `--precision {precision}`"),
            None => "without `--precision`".to_owned(),
        });
    }
    let asked = point.results.iter().map(|(query, _)| query);
    (!asked.eq(queries)).then(|| "with other queries".to_owned())
}

/// A line as [`sweep_json`] writes it.
fn read_line(line: &[u8]) -> Option<(SweepHead, SweepPoint)> {
    let Value::Object(mut object) = serde_json::from_slice(line).ok()? else {
        return None;
    };
    if take_text(&mut object, "schema")? != "dpcmp.sweep/1" {
        return None;
    }
    let head = SweepHead {
        version: take_text(&mut object, "version")?,
        sha256: take_text(&mut object, "sha256")?,
        engine: take_text(&mut object, "engine")?,
        precision: match object.remove("precision")? {
            Value::Null => None,
            Value::String(text) => Some(text),
            _ => return None,
        },
    };
    let Value::Object(parameters) = object.remove("parameters")? else {
        return None;
    };
    let Value::Array(results) = object.remove("results")? else {
        return None;
    };
    let point = SweepPoint {
        parameters: parameters
            .into_iter()
            .map(|(key, value)| Some((key, text(value)?)))
            .collect::<Option<_>>()?,
        max_seconds: take_text(&mut object, "max-seconds")?,
        results: results
            .into_iter()
            .map(read_result)
            .collect::<Option<_>>()?,
        taken: Taken {
            conditions: take_texts(&mut object, "conditions")?,
            computed: take_texts(&mut object, "computed")?,
        },
    };
    Some((head, point))
}

fn read_result(value: Value) -> Option<(String, Found)> {
    let Value::Object(mut object) = value else {
        return None;
    };
    let query = take_text(&mut object, "query")?;
    let found = if let Some(error) = object.remove("error") {
        let Value::Object(mut error) = error else {
            return None;
        };
        Found::Error(Fault {
            code: take_text(&mut error, "code")?,
            message: take_text(&mut error, "message")?,
            place: take_text(&mut error, "place"),
            hint: take_text(&mut error, "hint"),
        })
    } else if let Some(estimate) = object.remove("estimate") {
        Found::Estimate(text(estimate)?)
    } else {
        Found::Enclosure {
            lower: take_text(&mut object, "lower")?,
            upper: take_text(&mut object, "upper")?,
            method: take_text(&mut object, "method")?,
            ending: take_text(&mut object, "ending")?,
            attained: object.remove("attained") != Some(Value::Bool(false)),
        }
    };
    Some((query, found))
}

/// None where the key is not there.
fn take_texts(object: &mut Map<String, Value>, key: &str) -> Option<Vec<String>> {
    match object.remove(key) {
        Some(Value::Array(texts)) => texts.into_iter().map(text).collect(),
        Some(_) => None,
        None => Some(Vec::new()),
    }
}

fn take_text(object: &mut Map<String, Value>, key: &str) -> Option<String> {
    text(object.remove(key)?)
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
