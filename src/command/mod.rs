//! The command line.
//!
//! | file | job |
//! |---|---|
//! | `arguments` | options and commands, as clap reads them |
//! | `verify`, `bound`, `compare`, `report` | one command each |
//! | `certify`, `check` | certificates, and the program that checks them |
//! | `calibrate` | the least noise that provably meets a target |
//! | `convert` | a statement in other terms |
//! | `curve` | δ(ε), f(α), R(π) at many points |
//! | `plot` | `--plot` |
//! | `reproduce` | numbers of the papers beside their enclosures |
//! | `batch` | `bound --batch` |
//! | `fuzz_accountant` | the search for false guarantees of an external accountant |
//! | `sweep` | `bound --sweep` |
//! | `estimate` | `--engine float` |
//! | `query` | a query and its answer to the precision asked for |
//! | `files` | paths, folders and standard input to bytes |
//! | `destination` | files that are written: pictures, pages |
//! | `output` | standard output and standard error |
//! | `progress`, `interrupt` | the progress line, Ctrl-C, panics |
//! | `exit_code` | what the exit code says |

mod arguments;
mod batch;
mod bound;
mod calibrate;
mod certify;
mod check;
mod compare;
mod convert;
mod curve;
mod destination;
mod estimate;
mod exit_code;
mod files;
mod fuzz_accountant;
mod interrupt;
mod output;
mod plot;
mod progress;
mod query;
mod report;
mod reproduce;
mod sweep;
mod verify;

pub use exit_code::{ExitCode, HELP as EXIT_CODES_HELP};

use std::cell::Cell;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::analysis::{Means, Refusal, Subject};
use crate::input::MechanismFile;
use crate::kernel::Budget;
use crate::plot::Picture;
use arguments::{Arguments, Command, Format, Options};
use calibrate::{Calibration, What};
use output::{Gone, complain};
use plot::Plot;
use progress::ProgressLine;
use sweep::Sweep;

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::panics_are_internal_errors();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no failure; if they cannot be printed, nobody wanted them.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::BadInput
            } else {
                ExitCode::Done
            };
        }
    };
    if let Err(words) = arguments.check() {
        complain(words);
        return ExitCode::BadInput;
    }
    if let Err(words) = destination::check(&arguments) {
        complain(&words);
        return ExitCode::BadInput;
    }
    let session = Session {
        progress: ProgressLine::new(arguments.options.quiet),
        options: arguments.options,
        stop: interrupt::stop_flag(),
    };
    let outcome = match &arguments.command {
        Command::Verify {
            claims,
            certificate,
            report,
        } => verify::run(&session, claims, certificate.as_deref(), report.as_deref()),
        Command::Check {
            certificates,
            claim,
            explain,
        } => match session.options.format {
            Format::Json => check::run_json(certificates, claim.as_deref(), *explain),
            _ => Ok(check::run(certificates, claim.as_deref(), *explain)),
        },
        Command::Bound {
            batch: Some(path), ..
        } => batch::run(&session, path),
        Command::Bound {
            mechanism,
            queries,
            sweep: axes,
            output,
            ..
        } if !axes.is_empty() => sweep::run(
            &session,
            &Sweep {
                mechanism: mechanism.as_deref().unwrap_or_default(),
                queries,
                axes,
                output: output.as_deref(),
            },
        ),
        Command::Bound {
            mechanism, queries, ..
        } => bound::run(&session, mechanism.as_deref().unwrap_or_default(), queries),
        Command::Compare {
            first,
            second,
            prior,
            tolerance,
        } => compare::run(&session, first, second, prior, tolerance.as_ref()),
        Command::Report { mechanism, delta } => report::run(&session, mechanism, delta),
        Command::Calibrate {
            mechanism,
            profile_table,
            solve,
            target,
            compare_with_standard,
            delta,
        } => calibrate::run(
            &session,
            &Calibration {
                what: match profile_table {
                    Some(path) => What::Profiles(path),
                    None => What::Mechanism(mechanism.as_deref().unwrap_or_default()),
                },
                solve,
                targets: target,
                standard: compare_with_standard.then_some(delta),
            },
        ),
        Command::Curve {
            mechanism,
            kind,
            points,
        } => curve::run(&session, mechanism, *kind, points.as_ref()),
        Command::Convert { statement, delta } => convert::run(&session, statement, delta),
        Command::Reproduce { name } => reproduce::run(&session, name.as_deref()),
        Command::FuzzAccountant(arguments) => fuzz_accountant::run(&session, arguments),
    };
    session.progress.end();
    outcome.unwrap_or_else(|gone| gone.exit_code())
}

/// One time for the points of curves.
#[derive(Debug)]
struct Shared {
    start: Instant,
    /// What each point has when that time is over.
    least: Duration,
    /// What points have taken since then, and what all may take.
    late: Cell<Duration>,
    most: Duration,
}

impl Shared {
    /// Is nothing left for more points?
    fn is_over(&self) -> bool {
        self.late.get() > self.most
    }
}

/// What all commands need.
struct Session {
    options: Options,
    progress: ProgressLine,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// Calls `job` with a fresh time budget.
    fn with_means<T>(&self, job: impl FnOnce(&Means<'_>) -> T) -> T {
        self.with_time(self.options.max_seconds, job)
    }

    /// Calls `job` with what is left of one time for many questions: the first may take most of it, and those that follow, which
    /// reuse its laws, get enough at least to look at these.
    fn with_rest<T>(&self, start: Instant, job: impl FnOnce(&Means<'_>) -> T) -> T {
        let all = self.options.max_seconds;
        self.with_time(all.saturating_sub(start.elapsed()).max(all / 20), job)
    }

    /// One time for so many points of curves, which began at `start`: the first may take most of it; when it is over, a fifth
    /// more is shared by all, which is enough to look at laws that are there. Closed forms look at no clock, so that when half
    /// of the time has passed once more nothing else is asked.
    fn shared(&self, start: Instant, points: usize) -> Shared {
        let points = u32::try_from(points.max(1)).unwrap_or(u32::MAX);
        let all = self.options.max_seconds;
        Shared {
            start,
            least: all / 5 / points,
            late: Cell::default(),
            most: all / 2,
        }
    }

    /// Calls `job` with what is left of a time that is shared.
    fn with_shared<T>(&self, shared: &Shared, job: impl FnOnce(&Means<'_>) -> T) -> T {
        let all = self.options.max_seconds;
        let left = all.saturating_sub(shared.start.elapsed());
        let begin = Instant::now();
        let done = self.with_time(left.max(shared.least), job);
        if left.is_zero() {
            let late = shared.late.get().saturating_add(begin.elapsed());
            shared.late.set(late);
        }
        done
    }

    /// Calls `job` with this much time.
    fn with_time<T>(&self, time: Duration, job: impl FnOnce(&Means<'_>) -> T) -> T {
        let budget = Budget::new(time, self.stop.clone());
        job(&Means {
            budget: &budget,
            jobs: self.jobs(),
            progress: &|progress| self.progress.show(progress),
        })
    }

    /// Prepares a mechanism, within a time budget of its own.
    fn subject(&self, mechanism: &MechanismFile) -> Result<Subject, Refusal> {
        let MechanismFile {
            mechanism,
            adjacency,
            ..
        } = mechanism;
        self.with_means(|means| Subject::new(mechanism, *adjacency, means.budget))
    }

    /// Prepares a mechanism for one of several curves.
    fn subject_within(&self, shared: &Shared, file: &MechanismFile) -> Result<Subject, Refusal> {
        self.with_shared(shared, |means| {
            Subject::new(&file.mechanism, file.adjacency, means.budget)
        })
    }

    fn jobs(&self) -> usize {
        let all_cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.options.jobs.unwrap_or_else(all_cores).get()
    }

    /// Prints a result.
    fn print(&self, text: &str) -> Result<(), Gone> {
        self.progress.aside(|| output::print(text))
    }

    /// Prints a result and draws its picture, which a reader who has seen enough of the text still gets.
    fn show(&self, text: &str, picture: impl FnOnce() -> Picture) -> Result<ExitCode, Gone> {
        match self.print(text) {
            Ok(()) => self.plot(picture),
            Err(gone) => match &self.options.plot {
                Some(Plot::Svg(_) | Plot::Png(_)) => Err(gone.after(self.plot(picture)?)),
                Some(Plot::Terminal) | None => Err(gone),
            },
        }
    }
}
