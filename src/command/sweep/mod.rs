//! `dpcmp bound MECH QUERY… --sweep KEY=VALUES`: the same queries at many values of parameters.
//!
//! | file | job |
//! |---|---|
//! | `grid` | values of a parameter, and their product |
//! | `run` | independent jobs on several threads |
//! | `point` | the answers at one point |
//! | `file` | `--output`: what is finished, kept from run to run |

mod file;
mod grid;
mod point;
mod run;

pub use grid::Axis;

use std::path::Path;

use rug::Rational;

use super::Session;
use super::arguments::{Engine, Format};
use super::bound::{parse_queries, read_input, show};
use super::exit_code::ExitCode;
use super::files::InputFile;
use super::output::{Gone, complain, say, style};
use super::plot;
use crate::input::{InputError, takes_whole_numbers};
use crate::number::{decimal_down, parse_rational};
use crate::report::{
    Found, SweepHead, SweepPoint, sweep_csv, sweep_csv_header, sweep_json, sweep_table,
    target_words,
};
use file::Record;
use grid::Grid;
use point::Questions;

/// A sweep as it is asked for.
pub struct Sweep<'a> {
    /// The MECH argument.
    pub mechanism: &'a str,
    /// The QUERY arguments.
    pub queries: &'a [String],
    /// The `--sweep` arguments.
    pub axes: &'a [Axis],
    /// The `--output` argument.
    pub output: Option<&'a Path>,
}

/// Answers the queries at every point of the sweep.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, sweep: &Sweep<'_>) -> Result<ExitCode, Gone> {
    let Some(parsed) = parse_queries(sweep.queries) else {
        return Ok(ExitCode::BadInput);
    };
    let Some(input) = read_input(sweep.mechanism) else {
        return Ok(ExitCode::BadInput);
    };
    let prepared = grid(&input, sweep.axes).and_then(|grid| {
        let questions = Questions::new(session, &input, parsed)?;
        if grid.len() > 0 {
            questions.check(&grid.point(0))?;
        }
        Ok((grid, questions))
    });
    let (grid, questions) = match prepared {
        Ok(prepared) => prepared,
        Err(Refused::Input(error)) => {
            show(&error);
            return Ok(ExitCode::BadInput);
        }
        Err(Refused::Words(words)) => {
            complain(&words);
            return Ok(ExitCode::BadInput);
        }
    };
    let head = head(session, &input);
    let mut run = Run {
        session,
        queries: sweep.queries,
        keys: sweep.axes.iter().map(|axis| axis.key.clone()).collect(),
        head: &head,
        points: vec![None; grid.len()],
        done: 0,
        printed: 0,
        record: None,
        gone: None,
    };
    if let Some(path) = sweep.output
        && let Err(words) = run.open(path, &grid)
    {
        complain(&words);
        return Ok(ExitCode::BadInput);
    }
    let outcome = run.compute(&grid, &questions).and_then(|()| run.end());
    match outcome {
        Ok(code) => match run.gone {
            Some(gone) => Err(gone.after(code)),
            None => Ok(code),
        },
        Err(Stopped::Gone(gone)) => Err(gone),
        Err(Stopped::Unwritten(words)) => {
            complain(&words);
            Ok(ExitCode::BadInput)
        }
    }
}

/// Why a sweep cannot begin.
enum Refused {
    Input(InputError),
    Words(String),
}

/// Why a sweep cannot go on.
enum Stopped {
    Gone(Gone),
    Unwritten(String),
}

fn grid(input: &InputFile, axes: &[Axis]) -> Result<Grid, Refused> {
    let mut values = Vec::with_capacity(axes.len());
    for axis in axes {
        let whole = takes_whole_numbers(&input.name, &input.bytes, &axis.key);
        let texts = axis.texts(whole.map_err(Refused::Input)?);
        let texts = texts.map_err(|words| Refused::Words(format!("{}: {words}", axis.key)))?;
        values.push((axis.key.clone(), texts));
    }
    Grid::new(values).map_err(Refused::Words)
}

fn head(session: &Session, input: &InputFile) -> SweepHead {
    let engine = match session.options.engine {
        Engine::Certified => "certified",
        Engine::Float => "float",
    };
    SweepHead {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256: input.sha256(),
        engine: engine.to_owned(),
        precision: session.options.precision.as_ref().map(target_words),
    }
}

struct Run<'s> {
    session: &'s Session,
    queries: &'s [String],
    keys: Vec<String>,
    head: &'s SweepHead,
    /// What is finished, by its place in the grid.
    points: Vec<Option<SweepPoint>>,
    /// How many are.
    done: usize,
    /// Lines are printed in order: this is the first that is not.
    printed: usize,
    record: Option<Record<'s>>,
    /// Set once nobody reads standard output any more.
    gone: Option<Gone>,
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

    fn compute(&mut self, grid: &Grid, questions: &Questions<'_>) -> Result<(), Stopped> {
        let session = self.session;
        self.print_header()?;
        self.print_ready(false)?;
        let missing: Vec<usize> = (0..)
            .zip(&self.points)
            .filter_map(|(index, point)| point.is_none().then_some(index))
            .collect();
        let max_seconds = self.max_seconds();
        session.progress.start_counting(grid.len());
        session.progress.count(self.done);
        let work = |index: usize, threads: usize| {
            let parameters = grid.point(index);
            let results = questions.answers(&parameters, threads)?;
            Some(SweepPoint {
                parameters,
                max_seconds: max_seconds.clone(),
                results,
            })
        };
        run::run(
            &missing,
            session.jobs(),
            &session.stop,
            work,
            |index, point| self.take(index, point),
        )
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
            self.done = self.done.saturating_add(1);
        }
    }

    fn end(&mut self) -> Result<ExitCode, Stopped> {
        if let Some(record) = self.record.take() {
            let finished = record.finish(self.points.iter().flatten());
            finished.map_err(Stopped::Unwritten)?;
        }
        self.print_ready(true)?;
        if self.session.options.format == Format::Human {
            let points: Vec<&SweepPoint> = self.points.iter().flatten().collect();
            let table = sweep_table(&self.keys, self.queries, &points, style());
            self.print(&table)?;
        }
        let drawn = self.plot()?;
        let (done, total) = (self.done, self.points.len());
        if done < total {
            let session = self.session;
            session
                .progress
                .aside(|| say(&format!("stopped: {done} of {total} points are finished")));
            return Ok(self.code().and(drawn).and(ExitCode::Undecided));
        }
        Ok(self.code().and(drawn))
    }

    fn plot(&self) -> Result<ExitCode, Stopped> {
        let picture = || {
            let points: Vec<&SweepPoint> = self.points.iter().flatten().collect();
            plot::sweep(&self.keys, self.queries, &points, self.with_estimates())
        };
        self.session.plot(picture).map_err(Stopped::Gone)
    }

    /// Errors of points are answers; a contradiction of dpcmp is not.
    fn code(&self) -> ExitCode {
        let results = self
            .points
            .iter()
            .flatten()
            .flat_map(|point| &point.results);
        let is_internal =
            |found: &Found| matches!(found, Found::Error { code, .. } if code == "internal");
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
        while let Some(place) = self.points.get(self.printed) {
            match place {
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
            Some(plot::Plot::Svg(_) | plot::Plot::Png(_))
        );
        match self.session.print(text) {
            Err(gone) if is_file => self.gone = self.gone.take().or(Some(gone)),
            printed => printed.map_err(Stopped::Gone)?,
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
