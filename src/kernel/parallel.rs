//! Work on several threads.

use std::thread;

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
    let jobs = jobs.clamp(1, items.len().max(1));
    if jobs == 1 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    let chunks: Vec<Result<Vec<T>, Failure>> = thread::scope(|scope| {
        let running: Vec<_> = items
            .chunks(items.len().div_ceil(jobs))
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect()))
            .collect();
        let panicked = || Err(InvariantViolation("a thread panicked".into()).into());
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| panicked()))
            .collect()
    });
    let chunks: Result<Vec<Vec<T>>, Failure> = chunks.into_iter().collect();
    Ok(chunks?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
