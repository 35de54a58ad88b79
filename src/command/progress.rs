//! A progress line on standard error, when somebody watches.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::interrupt::internal_error;
use crate::analysis::Progress;
use crate::kernel::start_thread;
use crate::study::Listener;

/// A line that says what is being computed; nothing unless standard error is a terminal.
pub struct ProgressLine {
    bar: ProgressBar,
    begun: Instant,
    /// Which part of a job of several parts this is.
    part: Mutex<String>,
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
        Self {
            bar,
            begun: Instant::now(),
            part: Mutex::default(),
        }
    }

    /// A new job starts.
    pub fn start(&self, what: &str) {
        self.bar.reset();
        self.bar.set_prefix(format!("{}{what}", self.which_part()));
        self.bar.set_message("");
        self.tick();
    }

    /// Moves the line along, by a thread of its own: where nobody sees it, or there are no more threads, it stands still.
    fn tick(&self) {
        if !self.bar.is_hidden() && start_thread(|| ()).is_ok() {
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// So many inputs of all of them are done; says it before every job from here on, with about how long the rest will take.
    pub fn part(&self, done: usize, all: usize) {
        if all < 2 {
            return;
        }
        let left = u32::try_from(done)
            .ok()
            .and_then(|done| self.begun.elapsed().checked_div(done))
            .zip(u32::try_from(all.saturating_sub(done)).ok())
            .map(|(each, left)| each.saturating_mul(left).as_secs());
        let left = left.map_or_else(String::new, |seconds| match seconds {
            0..120 => format!(", about {seconds} s left"),
            _ => format!(", about {} min left", seconds.div_ceil(60)),
        });
        let number = done.saturating_add(1);
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("{number} of {all}{left}: ");
    }

    fn which_part(&self) -> String {
        self.part
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
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
        self.tick();
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
