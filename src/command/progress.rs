//! A progress line on standard error, when somebody watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::interrupt::internal_error;
use crate::analysis::Progress;
use crate::study::Listener;

/// A line that says what is being computed; nothing unless standard error is a terminal.
pub struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// A line that is not shown yet.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            // Hidden by itself when standard error is no terminal.
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {prefix}{msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// A new job starts.
    pub fn start(&self, what: &str) {
        self.bar.reset();
        self.bar.set_prefix(what.to_owned());
        self.bar.set_message("");
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// The job has come this far.
    pub fn show(&self, progress: Progress) {
        let Progress { round, cells } = progress;
        self.bar
            .set_message(format!("   round {round}, {cells} cells"));
    }

    /// How the job goes, in words.
    pub fn note(&self, what: &str) {
        self.bar.set_message(format!("   {what}"));
    }

    /// A job of so many parts starts.
    pub fn start_counting(&self, parts: usize) {
        self.bar.reset();
        let template = "{spinner} {elapsed} [{bar:30}] {pos} of {len} points, about {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(count(parts));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// So many parts are done.
    pub fn count(&self, done: usize) {
        self.bar.set_position(count(done));
    }

    /// Prints something while the line is out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the line away.
    pub fn end(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

fn count(parts: usize) -> u64 {
    u64::try_from(parts).unwrap_or(u64::MAX)
}

impl Listener for ProgressLine {
    fn start(&self, what: &str) {
        Self::start(self, what);
    }

    fn show(&self, progress: Progress) {
        Self::show(self, progress);
    }

    fn note(&self, what: &str) {
        Self::note(self, what);
    }

    fn contradiction(&self, what: &str) {
        self.aside(|| internal_error(what));
    }
}
