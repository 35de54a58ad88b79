//! Many independent jobs on several threads, their results taken one by one as they come.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::kernel::start_scoped;

/// Does every job of `jobs` on at most `threads` threads, and hands each result to `take`, on the thread of the caller, in
/// the order in which they finish.
///
/// `work` gets the job and the number of threads it may use itself: one, unless there are fewer jobs than threads. It
/// returns `None` if it was stopped before it had a result. Jobs start in the given order; once `stop` is set, or `take`
/// has failed, which sets it, no further one starts.
///
/// # Errors
/// The first error of `take`.
pub fn run<J: Copy + Send + Sync, T: Send, E>(
    jobs: &[J],
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(J, usize) -> Option<T> + Sync,
    mut take: impl FnMut(J, T) -> Result<(), E>,
) -> Result<(), E> {
    let workers = threads.min(jobs.len()).max(1);
    let threads_each = threads.checked_div(workers).unwrap_or(1).max(1);
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let worker = |results: mpsc::Sender<(J, T)>| {
        while !stop.load(Ordering::Relaxed) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let Some(result) = work(*job, threads_each) else {
                return;
            };
            if results.send((*job, result)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let mut is_alone = true;
        for _ in 0..workers {
            let sender = sender.clone();
            let worker = &worker;
            // As many as the system gives.
            let work = move || worker(sender);
            if start_scoped(scope, work).is_err() {
                break;
            }
            is_alone = false;
        }
        // The results end when the last worker has gone.
        drop(sender);
        let mut take = |job, result| {
            let taken = take(job, result);
            if taken.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            taken
        };
        if is_alone {
            let running = jobs.iter().take_while(|_| !stop.load(Ordering::Relaxed));
            let mut done = running.map_while(|job| Some((*job, work(*job, threads.max(1))?)));
            return done.try_for_each(|(job, result)| take(job, result));
        }
        results
            .into_iter()
            .try_for_each(|(job, result)| take(job, result))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(count: usize, threads: usize) -> Vec<usize> {
        let jobs: Vec<usize> = (0..count).collect();
        let mut found = vec![0; count];
        let stop = AtomicBool::new(false);
        let outcome: Result<(), ()> = run(
            &jobs,
            threads,
            &stop,
            |job, _| Some(job * job),
            |job, square| {
                found[job] = square;
                Ok(())
            },
        );
        assert_eq!(outcome, Ok(()));
        found
    }

    #[test]
    fn every_job_is_done_once_whatever_the_threads() {
        let expected: Vec<usize> = (0..100).map(|job| job * job).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(squares(100, threads), expected);
        }
        assert!(squares(0, 3).is_empty());
    }

    #[test]
    fn few_jobs_share_the_threads() {
        for (count, threads, each) in [(1, 8, 8), (3, 8, 2), (9, 8, 1), (5, 1, 1)] {
            let jobs = vec![(); count];
            let stop = AtomicBool::new(false);
            let outcome: Result<(), ()> = run(
                &jobs,
                threads,
                &stop,
                |(), threads| Some(threads),
                |(), threads| {
                    assert_eq!(threads, each);
                    Ok(())
                },
            );
            assert_eq!(outcome, Ok(()));
        }
    }

    #[test]
    fn stops_when_told_and_when_nobody_takes() {
        let jobs: Vec<usize> = (0..1000).collect();
        let stop = AtomicBool::new(false);
        let mut taken = 0;
        let work = |job: usize, _: usize| (!stop.load(Ordering::Relaxed)).then_some(job);
        let outcome = run(&jobs, 2, &stop, work, |_, _| {
            taken += 1;
            if taken == 3 { Err("enough") } else { Ok(()) }
        });
        assert_eq!((outcome, taken), (Err("enough"), 3));
        assert!(stop.load(Ordering::Relaxed));
        let outcome: Result<(), ()> = run(&jobs, 2, &stop, work, |_, _| {
            panic!("nothing starts once it is stopped")
        });
        assert_eq!(outcome, Ok(()));
    }
}
