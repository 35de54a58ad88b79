//! Work without Python's lock, which Ctrl-C stops within a second and from which no panic comes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use super::failure::{bad_number, exception, internal};

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(50);

/// How long a job that is stopped may take to end; then it is left to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// As much as programs have in their first thread, and more.
const STACK: usize = 32 << 20;

/// What a job may take, and whether it is to stop.
pub struct Limit {
    /// Time.
    pub time: Duration,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
    /// When the time ends.
    end: Option<Instant>,
}

impl Limit {
    /// Is the time over, or was Ctrl-C pressed?
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() > end)
    }
}

/// Does a job in a thread of its own, without Python's lock, and tells it that it may take so many seconds.
///
/// # Errors
/// Its error, `KeyboardInterrupt`, `InternalError` for a panic, or `ValueError` if that is no time.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    seconds: f64,
    job: impl FnOnce(Limit) -> Result<T, dpcmp::Error> + Send + 'static,
) -> PyResult<T> {
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| bad_number("`max_seconds` must be a number from 0 on"))?;
    let stop = Arc::<AtomicBool>::default();
    let limit = Limit {
        time,
        stop: Arc::clone(&stop),
        end: Instant::now().checked_add(time),
    };
    let outcome = py.detach(|| wait(&stop, || job(limit)))?;
    match outcome {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(exception(py, &error)),
        Err(panic) => Err(internal(py, &words(&*panic))),
    }
}

type Outcome<T> = Result<Result<T, dpcmp::Error>, Box<dyn Any + Send>>;

fn wait<T: Send + 'static>(
    stop: &AtomicBool,
    job: impl FnOnce() -> Result<T, dpcmp::Error> + Send + 'static,
) -> PyResult<Outcome<T>> {
    let (sender, receiver) = sync_channel(1);
    let work = move || {
        // Nobody listens any more after Ctrl-C.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(job)));
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(work)?;
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(outcome) => {
                // It has nothing left to do; its locals are gone when this returns.
                let _ = worker.join();
                return Ok(outcome);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(Box::new("a job ended without an answer")));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    let _ = receiver.recv_timeout(GRACE);
                    return Err(interrupt);
                }
            }
        }
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    if let Some(words) = panic.downcast_ref::<&str>() {
        (*words).to_owned()
    } else if let Some(words) = panic.downcast_ref::<String>() {
        words.clone()
    } else {
        "a panic without words".to_owned()
    }
}

/// Panics, or runs until it is stopped: what the tests of this border need.
#[pyfunction]
#[pyo3(name = "_test_border")]
#[expect(
    clippy::panic,
    reason = "that it becomes an exception is what is tested"
)]
pub fn panics(py: Python<'_>, what: &str) -> PyResult<()> {
    let what = what.to_owned();
    run(py, 60.0, move |limit| {
        match what.as_str() {
            "panic" => std::panic::panic_any("on purpose"),
            // Work that does not look at the flag.
            "deaf" => thread::sleep(Duration::from_secs(5)),
            _ => {
                while !limit.stop.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
        Ok(())
    })
}
