//! What all commands need: options, the progress line, time, standard output, and pictures where they are asked for.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::arguments::{Format, Options};
use super::destination::{self, Plot};
use super::exit_code::ExitCode;
use super::output::{self, StdoutClosed, complain, say};
use super::progress::ProgressLine;
use crate::analysis::{Refusal, Resources, Subject};
use crate::input::MechanismFile;
use crate::plot::{Picture, pdf, png, svg, terminal};
use crate::report::{Fault, refused_json, wrapped};
use crate::study::Limits;

/// What all commands need.
pub struct Session {
    /// As they were given.
    pub options: Options,
    /// Says what is being computed.
    pub progress: ProgressLine,
    /// Stops all work once it is true.
    pub stop: Arc<AtomicBool>,
}

impl Session {
    /// What a study may use.
    pub fn limits(&self) -> Limits<'_> {
        Limits {
            max_time: self.options.max_seconds,
            threads: self.jobs(),
            precision: self.options.precision.clone(),
            stop: self.stop.clone(),
            listener: &self.progress,
        }
    }

    /// Calls `job` with a fresh time budget.
    pub fn with_resources<T>(&self, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        self.limits().with_resources(job)
    }

    /// Calls `job` with this much time.
    pub fn with_time<T>(&self, time: Duration, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        self.limits().with_time(time, job)
    }

    /// Prepares a mechanism, within a time budget of its own.
    pub fn subject(&self, mechanism: &MechanismFile) -> Result<Subject, Refusal> {
        self.limits().subject(mechanism)
    }

    /// Did the user ask to stop?
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Says how much is finished of what was asked for, as the user stopped the rest.
    pub fn stopped(&self, done: impl Display, total: impl Display, what: &str) -> ExitCode {
        let words = format!("stopped: {done} of {total} {what} are finished");
        self.progress.aside(|| say(&words));
        ExitCode::Undecided
    }

    /// What to say where "the time ended before …": what to do, or that it was the user who ended it.
    pub fn cut_short(&self, message: &str) -> String {
        if self.is_stopped() {
            message.replacen("the time ended", "stopped", 1)
        } else {
            format!("{message}; a larger --max-seconds may help")
        }
    }

    pub fn jobs(&self) -> usize {
        let all_cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.options.jobs.unwrap_or_else(all_cores).get()
    }

    /// Prints a result; for people on a terminal, no line is wider than it is.
    pub fn print(&self, text: &str) -> Result<(), StdoutClosed> {
        let columns = output::columns().filter(|_| self.options.format == Format::Human);
        self.progress.aside(|| match columns {
            Some(columns) => output::print(&wrapped(text, columns)),
            None => output::print(text),
        })
    }

    /// There is no result, as standard error has been told: for machines the object of this schema that says why.
    ///
    /// # Errors
    /// When standard output is gone.
    pub fn refuse(
        &self,
        schema: &str,
        fault: &Fault,
        code: ExitCode,
    ) -> Result<ExitCode, StdoutClosed> {
        if self.options.format == Format::Json {
            self.print(&format!("{}\n", refused_json(schema, fault)))?;
        }
        Ok(code)
    }

    /// Prints a result and draws its picture, which a reader who has seen enough of the text still gets.
    pub fn show(
        &self,
        text: &str,
        picture: impl FnOnce() -> Picture,
    ) -> Result<ExitCode, StdoutClosed> {
        match self.print(text) {
            Ok(()) => self.plot(picture),
            Err(gone) => match &self.options.plot {
                Some(Plot::Svg(_) | Plot::Png(_) | Plot::Pdf(_)) => {
                    Err(gone.after(self.plot(picture)?))
                }
                Some(Plot::Terminal) | None => Err(gone),
            },
        }
    }

    /// Draws the picture where it was asked for.
    ///
    /// # Errors
    /// When standard output is gone.
    pub fn plot(&self, picture: impl FnOnce() -> Picture) -> Result<ExitCode, StdoutClosed> {
        let Some(plot) = &self.options.plot else {
            return Ok(ExitCode::Done);
        };
        let picture = picture();
        let (path, bytes) = match plot {
            Plot::Terminal => {
                self.print(&format!("\n{}", terminal(&picture, output::columns())))?;
                return Ok(ExitCode::Done);
            }
            Plot::Svg(path) => (path, Ok((svg(&picture) + "\n").into_bytes())),
            Plot::Png(path) => (path, png(&picture)),
            Plot::Pdf(path) => (path, pdf(&picture)),
        };
        let written = bytes
            .and_then(|bytes| destination::write(path, &bytes).map_err(|error| error.to_string()));
        Ok(match written {
            Ok(()) => ExitCode::Done,
            Err(error) => {
                complain(&format!("cannot write `{}`: {error}", path.display()));
                ExitCode::BadInput
            }
        })
    }
}
