//! Work on several threads, as many as there are cores and as the system gives: what finds none is done by the thread that asked for it.

use std::fs;
use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Builder, JoinHandle, Scope, ScopedJoinHandle};

use super::budget::{watched, watching};
use super::{Failure, InvariantViolation};

/// The results for all items, in their order, whatever the number of threads.
///
/// # Errors
/// The first that `work` gives, in the order of the items.
pub fn in_parallel<I: Sync, T: Send>(
    items: &[I],
    jobs: usize,
    work: impl Fn(&I) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let jobs = jobs.min(cores()).clamp(1, items.len().max(1));
    if jobs == 1 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    let chunks: Vec<Result<Vec<T>, Failure>> = thread::scope(|scope| {
        let running: Vec<_> = items
            .chunks(items.len().div_ceil(jobs))
            .map(|chunk| Running::start(scope, move || chunk.iter().map(work).collect()))
            .collect();
        running.into_iter().map(Running::end).collect()
    });
    let chunks: Result<Vec<Vec<T>>, Failure> = chunks.into_iter().collect();
    Ok(chunks?.into_iter().flatten().collect())
}

/// What both give, at the same time where there may be several `jobs`.
///
/// # Errors
/// The first of theirs.
pub fn both<A: Send, B>(
    jobs: usize,
    first: impl Fn() -> Result<A, Failure> + Copy + Send,
    second: impl FnOnce() -> Result<B, Failure>,
) -> Result<(A, B), Failure> {
    if jobs <= 1 {
        return Ok((first()?, second()?));
    }
    let (first, second) = thread::scope(|scope| {
        let running = Running::start(scope, first);
        let second = second();
        (running.end(), second)
    });
    Ok((first?, second?))
}

/// More threads than cores gain nothing, and each takes memory.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Addresses that are left to the work itself where threads are many: another stack would be of no use to it.
const RESERVE: u64 = 48 << 20;

/// Addresses that glibc sets aside for what a new thread allocates, where there are as many; twice as many for a moment, to choose among them.
const ARENA: u64 = 64 << 20;

/// Starts a thread where there is room for it and for what all of them do.
///
/// # Errors
/// If there is no room, or the thread does not start.
pub fn start_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    one_at_a_time(|begun| {
        Builder::new().spawn(move || {
            let _ = begun.send(());
            work()
        })
    })
}

/// The same for a thread that ends with its scope.
///
/// # Errors
/// If there is no room, or the thread does not start.
pub fn start_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    one_at_a_time(|begun| {
        Builder::new().spawn_scoped(scope, move || {
            let _ = begun.send(());
            work()
        })
    })
}

/// None takes the room that another has found: there is no look at it before the last thread says that it has begun, and so has the addresses that are set aside for what it allocates.
fn one_at_a_time<T>(start: impl FnOnce(Sender<()>) -> io::Result<T>) -> io::Result<T> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if room().is_some_and(|room| left(room) < RESERVE) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    let (begun, waiting) = mpsc::channel();
    let started = start(begun)?;
    let _ = waiting.recv();
    Ok(started)
}

/// Of so many bytes, those that are left to other threads while a new one begins.
fn left(room: u64) -> u64 {
    let arenas = [ARENA << 1, ARENA];
    let taken = arenas.into_iter().find(|arena| *arena <= room);
    room.saturating_sub(taken.unwrap_or(0))
}

/// Bytes of addresses that the process may still have; `None` where there is no limit, or none that is known.
///
/// To take them for a try would leave none to the other threads meanwhile.
fn room() -> Option<u64> {
    let most = most_addresses()?;
    let taken = number("/proc/self/status", "VmSize:")?.checked_mul(1024)?;
    Some(most.saturating_sub(taken))
}

/// Bytes of addresses that the process may have in all; `None` where there is no limit, or none that is known.
pub fn most_addresses() -> Option<u64> {
    number("/proc/self/limits", "Max address space")
}

/// The number after a name at the beginning of a line.
fn number(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Work that has begun.
enum Running<'scope, T> {
    There(ScopedJoinHandle<'scope, Result<T, Failure>>),
    Done(Result<T, Failure>),
}

impl<'scope, T: Send + 'scope> Running<'scope, T> {
    fn start(
        scope: &'scope Scope<'scope, '_>,
        work: impl Fn() -> Result<T, Failure> + Copy + Send + 'scope,
    ) -> Self {
        let watch = watched();
        match Builder::new().spawn_scoped(scope, move || watching(watch, work)) {
            Ok(thread) => Self::There(thread),
            Err(_) => Self::Done(work()),
        }
    }

    fn end(self) -> Result<T, Failure> {
        let panicked = || Err(InvariantViolation("a thread panicked".into()).into());
        match self {
            Self::There(thread) => thread.join().unwrap_or_else(|_| panicked()),
            Self::Done(result) => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice what is set aside, or once where there is no more, or nothing.
    #[test]
    fn what_a_new_thread_leaves() {
        for (halves, rest) in [(6, 2), (5, 1), (4, 0), (3, 1), (2, 0), (1, 1), (0, 0)] {
            assert_eq!(left(ARENA / 2 * halves), ARENA / 2 * rest, "{halves}");
        }
    }

    #[test]
    fn results_are_in_order_and_errors_the_first() {
        let items: Vec<u64> = (0..10).collect();
        for jobs in [0, 1, 2, 3, 10, 1000] {
            let doubled = in_parallel(&items, jobs, |item| Ok(item * 2)).unwrap();
            assert!(doubled.iter().zip(&items).all(|(two, one)| *two == 2 * one));
            let none: Vec<u64> = in_parallel(&[], jobs, |item: &u64| Ok(*item)).unwrap();
            assert!(none.is_empty());
            let failed = in_parallel(&items, jobs, |item| match item {
                0..4 => Ok(()),
                _ => Err(InvariantViolation(format!("{item}")).into()),
            });
            assert_eq!(failed, Err(InvariantViolation("4".into()).into()));
            assert_eq!(both(jobs, || Ok(1), || Ok("b")), Ok((1, "b")));
            let stopped: Result<((), ()), _> = both(jobs, || Err(Failure::Interrupted), || Ok(()));
            assert_eq!(stopped, Err(Failure::Interrupted));
        }
    }

    #[test]
    fn results_are_in_their_order() {
        for jobs in [0, 1, 2, 3, 9] {
            let none: Vec<u32> = in_parallel(&[], jobs, |x| Ok(*x)).unwrap();
            assert!(none.is_empty());
            let squares = in_parallel(&[1u32, 2, 3, 4, 5], jobs, |x| Ok(x * x)).unwrap();
            assert_eq!(squares, [1, 4, 9, 16, 25]);
        }
    }
}
