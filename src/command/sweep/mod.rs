//! `dpcmp bound MECH QUERY… --sweep KEY=VALUES`: the same queries at many values of parameters.
//!
//! | file | job |
//! |---|---|
//! | `file` | `--output`: what is finished, kept from run to run |

mod file;

use std::ops::Range;
use std::path::Path;

use rug::Rational;

use super::arguments::Format;
use super::beside::{Folder, as_beside};
use super::destination::Plot;
use super::exit_code::ExitCode;
use super::files::{InputFile, sha256};
use super::given::{parse_queries, read_input, show};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say, style};
use super::plot;
use super::session::Session;
use super::shard::Shard;
use crate::input::Template;
use crate::number::{decimal_down, parse_rational};
use crate::report::{
    Fault, Found, SweepHead, SweepPoint, sweep_csv, sweep_csv_header, sweep_json, sweep_provided,
    sweep_table, target_words,
};
use crate::statement::Query;
use crate::study::{Axis, Engine, Grid, NoAnswer, PointAnswers, Sweep, SweepError};
use file::Record;

/// A sweep as it is asked for.
pub struct Asked<'a> {
    /// The MECH argument.
    pub mechanism: &'a str,
    /// The QUERY arguments.
    pub queries: &'a [String],
    /// The `--sweep` arguments.
    pub axes: &'a [Axis],
    /// The `--output` argument.
    pub output: Option<&'a Path>,
    /// The `--shard` argument.
    pub shard: Option<Shard>,
}

/// Answers the queries at every point of the sweep.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, sweep: &Asked<'_>) -> Result<ExitCode, StdoutClosed> {
    let read =
        parse_queries(sweep.queries).and_then(|parsed| Ok((parsed, read_input(sweep.mechanism)?)));
    let (parsed, input) = match read {
        Ok(read) => read,
        Err(fault) => return session.refuse("dpcmp.sweep/1", &fault, ExitCode::BadInput),
    };
    let folder = Folder::of(&input);
    let template = match Template::beside(&input.name, &input.bytes, as_beside(folder.as_ref())) {
        Ok(template) => template,
        Err(error) => return refuse(session, &SweepError::Input(error)),
    };
    let queries: Vec<Query> = parsed.into_iter().map(|(_, query)| query).collect();
    let study = Sweep::new(&template, &queries, session.options.engine);
    let grid = Sweep::grid(&template, sweep.axes).and_then(|grid| {
        study.check(&grid)?;
        Ok(grid)
    });
    let grid = match grid {
        Ok(grid) => grid,
        Err(error) => return refuse(session, &error),
    };
    let head = head(session, &input, folder.as_ref());
    let wanted = piece(sweep.shard, grid.len());
    let mut run = Run {
        session,
        queries: sweep.queries,
        keys: sweep.axes.iter().map(|axis| axis.key.clone()).collect(),
        head: &head,
        points: vec![None; grid.len()],
        done: 0,
        printed: wanted.start,
        wanted,
        record: None,
        gone: None,
    };
    if let Some(path) = sweep.output
        && let Err(words) = run.open(path, &grid)
    {
        complain(&words);
        return Ok(ExitCode::BadInput);
    }
    let outcome = run.compute(&grid, &study).and_then(|()| run.end());
    match outcome {
        Ok(code) => match run.gone {
            Some(gone) => Err(gone.after(code)),
            None => Ok(code),
        },
        Err(Stopped::StdoutClosed(gone)) => Err(gone),
        Err(Stopped::Unwritten(words)) => {
            complain(&words);
            Ok(ExitCode::BadInput)
        }
    }
}

/// The places of a piece of so many points.
fn piece(shard: Option<Shard>, points: usize) -> Range<usize> {
    let place = |number: u64| usize::try_from(number).unwrap_or(points);
    match shard {
        None => 0..points,
        Some(shard) => {
            let wanted = shard.of(u64::try_from(points).unwrap_or(u64::MAX));
            place(wanted.start)..place(wanted.end)
        }
    }
}

fn refuse(session: &Session, error: &SweepError) -> Result<ExitCode, StdoutClosed> {
    let fault = match error {
        SweepError::Input(error) => show(error),
        SweepError::Values { .. } | SweepError::Twice(_) | SweepError::TooMany => {
            let message = error.to_string();
            complain(&message);
            Fault::new("usage", &message)
        }
    };
    session.refuse("dpcmp.sweep/1", &fault, ExitCode::BadInput)
}

/// Why a sweep cannot go on.
enum Stopped {
    StdoutClosed(StdoutClosed),
    Unwritten(String),
}

fn head(session: &Session, input: &InputFile, folder: Option<&Folder>) -> SweepHead {
    let engine = match session.options.engine {
        Engine::Certified => "certified",
        Engine::Float => "float",
    };
    SweepHead {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256: hash(input, folder),
        engine: engine.to_owned(),
        precision: session.options.precision.as_ref().map(target_words),
    }
}

/// Of the input alone, or of its hash and those of the files that it names.
fn hash(input: &InputFile, folder: Option<&Folder>) -> String {
    let named = folder.map(Folder::read_so_far).unwrap_or_default();
    let own = input.sha256();
    if named.is_empty() {
        return own;
    }
    let lines = named.iter().map(|(name, hash)| format!("{hash}  {name}\n"));
    let all: String = std::iter::once(format!("{own}\n")).chain(lines).collect();
    sha256(all.as_bytes())
}

struct Run<'s> {
    session: &'s Session,
    queries: &'s [String],
    keys: Vec<String>,
    head: &'s SweepHead,
    /// What is finished, by its place in the grid.
    points: Vec<Option<SweepPoint>>,
    /// The places of the points that are asked for.
    wanted: Range<usize>,
    /// How many of these are finished.
    done: usize,
    /// Lines are printed in order: this is the first that is not.
    printed: usize,
    record: Option<Record<'s>>,
    /// Set once nobody reads standard output any more.
    gone: Option<StdoutClosed>,
}

impl Run<'_> {
    /// Opens the record and keeps what is in it, but for points that ran out of less time than there is now.
    fn open(&mut self, path: &Path, grid: &Grid) -> Result<(), String> {
        let (record, kept) = Record::open(path, self.head, grid, self.queries)?;
        self.record = Some(record);
        let now = parse_rational(&self.max_seconds());
        for (index, point) in kept {
            let before = parse_rational(&point.max_seconds);
            let out_of_time = point
                .results
                .iter()
                .any(|(_, found)| found.is_out_of_time());
            let more_time = matches!((&before, &now), (Ok(before), Ok(now)) if before < now);
            if !(out_of_time && more_time) {
                self.keep(index, point);
            }
        }
        Ok(())
    }

    fn compute(&mut self, grid: &Grid, study: &Sweep<'_>) -> Result<(), Stopped> {
        let session = self.session;
        self.print_header()?;
        self.print_ready(false)?;
        let missing: Vec<usize> = (0..)
            .zip(&self.points)
            .filter_map(|(index, point)| point.is_none().then_some(index))
            .filter(|index| self.wanted.contains(index))
            .collect();
        let max_seconds = self.max_seconds();
        session.progress.start_counting(self.wanted.len());
        session.progress.count(self.done);
        study.run(grid, &missing, &session.limits(), |index, answers| {
            self.say_contradictions(&answers);
            let point = SweepPoint {
                parameters: grid.point(index),
                max_seconds: max_seconds.clone(),
                results: Found::at_point(&answers, self.queries),
                taken: answers.map(|(_, taken)| taken).unwrap_or_default(),
            };
            self.take(index, point)
        })
    }

    fn say_contradictions(&self, answers: &PointAnswers) {
        let answers = answers.iter().flat_map(|(answers, _)| answers);
        for (text, answer) in self.queries.iter().zip(answers) {
            if let Err(NoAnswer::Internal(violation)) = answer {
                let words = format!("{text}: {violation}");
                self.session.progress.aside(|| internal_error(&words));
            }
        }
    }

    /// Keeps a point, and prints what can be printed in order.
    fn take(&mut self, index: usize, point: SweepPoint) -> Result<(), Stopped> {
        if let Some(record) = &mut self.record {
            record.append(index, &point).map_err(Stopped::Unwritten)?;
        }
        self.keep(index, point);
        self.session.progress.count(self.done);
        self.print_ready(false)
    }

    fn keep(&mut self, index: usize, point: SweepPoint) {
        if let Some(place) = self.points.get_mut(index) {
            *place = Some(point);
            if self.wanted.contains(&index) {
                self.done = self.done.saturating_add(1);
            }
        }
    }

    fn end(&mut self) -> Result<ExitCode, Stopped> {
        if let Some(record) = self.record.take() {
            let finished = record.finish(self.points.iter().flatten());
            finished.map_err(Stopped::Unwritten)?;
        }
        self.print_ready(true)?;
        let points: Vec<&SweepPoint> = self.points.iter().flatten().collect();
        match self.session.options.format {
            Format::Human => {
                let table = sweep_table(&self.keys, self.queries, &points, style());
                self.print(&table)?;
            }
            // Its columns have no place for it.
            Format::Csv => {
                if let Some(words) = sweep_provided(&points) {
                    self.session.progress.aside(|| say(&words));
                }
            }
            _ => {}
        }
        let drawn = self.plot()?;
        let (done, total) = (self.done, self.wanted.len());
        if done < total {
            let stopped = self.session.stopped(done, total, "points");
            return Ok(self.code().and(drawn).and(stopped));
        }
        Ok(self.code().and(drawn))
    }

    fn plot(&self) -> Result<ExitCode, Stopped> {
        let picture = || {
            let points: Vec<&SweepPoint> = self.points.iter().flatten().collect();
            plot::sweep(&self.keys, self.queries, &points, self.with_estimates())
        };
        self.session.plot(picture).map_err(Stopped::StdoutClosed)
    }

    /// Errors of points are answers; a contradiction of dpcmp is not.
    fn code(&self) -> ExitCode {
        let results = self
            .points
            .iter()
            .flatten()
            .flat_map(|point| &point.results);
        let is_internal =
            |found: &Found| matches!(found, Found::Error(fault) if fault.code == "internal");
        if results.map(|(_, found)| found).any(is_internal) {
            ExitCode::Internal
        } else {
            ExitCode::Done
        }
    }

    fn print_header(&mut self) -> Result<(), Stopped> {
        if self.session.options.format == Format::Csv {
            let header = sweep_csv_header(&self.keys, self.queries, self.with_estimates());
            self.print(&header)?;
        }
        Ok(())
    }

    /// Prints lines up to the first point that is missing, or past `all` that are. A table is printed as a whole.
    fn print_ready(&mut self, all: bool) -> Result<(), Stopped> {
        if self.session.options.format == Format::Human {
            return Ok(());
        }
        while self.wanted.contains(&self.printed) {
            match self.points.get(self.printed).and_then(Option::as_ref) {
                Some(point) if self.session.options.format == Format::Csv => {
                    let line = sweep_csv(point, self.with_estimates());
                    self.print(&line)?;
                }
                Some(point) => {
                    let line = format!("{}\n", sweep_json(self.head, point));
                    self.print(&line)?;
                }
                None if all => {}
                None => break,
            }
            self.printed = self.printed.saturating_add(1);
        }
        Ok(())
    }

    /// Once nobody reads any more the sweep goes on only if it is drawn to a file.
    fn print(&mut self, text: &str) -> Result<(), Stopped> {
        let is_file = matches!(
            self.session.options.plot,
            Some(Plot::Svg(_) | Plot::Png(_) | Plot::Pdf(_))
        );
        match self.session.print(text) {
            Err(gone) if is_file => self.gone = self.gone.take().or(Some(gone)),
            printed => printed.map_err(Stopped::StdoutClosed)?,
        }
        Ok(())
    }

    fn with_estimates(&self) -> bool {
        self.session.options.engine == Engine::Float
    }

    /// Time per query, in seconds.
    fn max_seconds(&self) -> String {
        let milliseconds = self.session.options.max_seconds.as_millis();
        decimal_down(&(Rational::from(milliseconds) / 1000u32), 20)
    }
}
