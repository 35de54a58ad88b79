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

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::analysis::{Means, Refusal, Subject};
use crate::input::MechanismFile;
use crate::kernel::Budget;
use arguments::{Arguments, Command, Format, Options};
use calibrate::{Calibration, What};
use output::{Gone, complain};
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

    fn jobs(&self) -> usize {
        let all_cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.options.jobs.unwrap_or_else(all_cores).get()
    }

    /// Prints a result.
    fn print(&self, text: &str) -> Result<(), Gone> {
        self.progress.aside(|| output::print(text))
    }
}
