//! What a study may use: time, threads and precision, and who hears how it goes.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::analysis::{Progress, Refusal, Resources, Subject};
use crate::bounds::Target;
use crate::input::MechanismFile;
use crate::kernel::Budget;

/// Hears how long work goes.
pub trait Listener: Sync {
    /// A new job starts.
    fn start(&self, _what: &str) {}
    /// The job has come this far.
    fn show(&self, _progress: Progress) {}
    /// How the job goes, in words.
    fn note(&self, _what: &str) {}
    /// dpcmp contradicts itself, which costs one number of many; the study goes on.
    fn contradiction(&self, _what: &str) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Listener for Silent {}

/// What a study of no time at all still has for closed forms.
const GRACE: Duration = Duration::from_millis(500);

/// What a study may use.
#[derive(Clone)]
pub struct Limits<'a> {
    /// Time of one question; studies of several questions say what they make of it.
    pub max_time: Duration,
    /// Threads; no result depends on it.
    pub threads: usize,
    /// Width to reach, where one is asked for.
    pub precision: Option<Target>,
    /// Stops all work once it is true.
    pub stop: Arc<AtomicBool>,
    /// Hears how it goes.
    pub listener: &'a dyn Listener,
}

/// One time for the points of curves.
#[derive(Debug)]
pub struct SharedDeadline {
    start: Instant,
    /// What each point has when that time is over.
    least: Duration,
    /// What points have taken since then, and what all may take.
    late: Cell<Duration>,
    most: Duration,
}

impl SharedDeadline {
    /// Is nothing left for more points?
    pub fn is_over(&self) -> bool {
        self.late.get() > self.most
    }
}

impl Limits<'_> {
    /// Did the user ask to stop?
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Calls `job` with a fresh time budget.
    pub fn with_resources<T>(&self, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        self.with_time(self.max_time, job)
    }

    /// Calls `job` with what is left of one time for many questions: the first may take most of it, and those that follow, which
    /// reuse its laws, get enough at least to look at these.
    pub fn with_rest<T>(&self, start: Instant, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        let all = self.max_time;
        self.with_time(all.saturating_sub(start.elapsed()).max(all / 20), job)
    }

    /// Is so much of one time for many questions over, which began at `start`, that no more of them are to be asked? Closed forms look at no clock, and
    /// many short times are long.
    pub fn is_late(&self, start: Instant) -> bool {
        let most = self.max_time.saturating_add(self.max_time / 2);
        start.elapsed() > most.saturating_add(GRACE)
    }

    /// One time for so many points of curves, which began at `start`: the first may take most of it; when it is over, a fifth
    /// more is shared by all, which is enough to look at laws that are there. Closed forms look at no clock, so that when half
    /// of the time has passed once more nothing else is asked.
    pub fn shared(&self, start: Instant, points: usize) -> SharedDeadline {
        let points = u32::try_from(points.max(1)).unwrap_or(u32::MAX);
        let all = self.max_time;
        SharedDeadline {
            start,
            least: all / 5 / points,
            late: Cell::default(),
            most: all / 2,
        }
    }

    /// Calls `job` with what is left of a time that is shared.
    pub fn with_shared<T>(
        &self,
        shared: &SharedDeadline,
        job: impl FnOnce(&Resources<'_>) -> T,
    ) -> T {
        let left = self.max_time.saturating_sub(shared.start.elapsed());
        let begin = Instant::now();
        let done = self.with_time(left.max(shared.least), job);
        if left.is_zero() {
            let late = shared.late.get().saturating_add(begin.elapsed());
            shared.late.set(late);
        }
        done
    }

    /// Calls `job` with this much time.
    pub fn with_time<T>(&self, time: Duration, job: impl FnOnce(&Resources<'_>) -> T) -> T {
        let budget = Budget::new(time, self.stop.clone());
        budget.watch(|| {
            job(&Resources {
                budget: &budget,
                jobs: self.threads,
                progress: &|progress| self.listener.show(progress),
            })
        })
    }

    /// Prepares a mechanism, within a time budget of its own.
    ///
    /// # Errors
    /// If it cannot be treated, or the time ends.
    pub fn subject(&self, file: &MechanismFile) -> Result<Subject, Refusal> {
        self.with_resources(|resources| {
            Subject::new(&file.mechanism, file.adjacency, resources.budget)
        })
    }

    /// Prepares a mechanism for one of several curves.
    ///
    /// # Errors
    /// As [`Limits::subject`].
    pub fn subject_within(
        &self,
        shared: &SharedDeadline,
        file: &MechanismFile,
    ) -> Result<Subject, Refusal> {
        self.with_shared(shared, |resources| {
            Subject::new(&file.mechanism, file.adjacency, resources.budget)
        })
    }
}
