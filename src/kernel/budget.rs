//! How long a computation may go on, and why it stopped early.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::InvariantViolation;

/// A deadline and a stop flag, looked at between steps of long computations.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    /// When evaluations that are given no budget give up.
    late: Option<Instant>,
    stop: Arc<AtomicBool>,
}

/// What an evaluation may take beyond half of the time.
const GRACE: Duration = Duration::from_millis(250);

thread_local! {
    static WATCH: Cell<Option<Budget>> = const { Cell::new(None) };
}

/// Has the time of the question at hand been over for half of it and a little? Evaluations of profiles are given no budget: the long ones among them ask this, and
/// give a wide answer where it is so. Nothing of that may be kept for later questions.
pub fn is_late() -> bool {
    let watch = WATCH.take();
    let late = watch.as_ref().is_some_and(Budget::is_late);
    WATCH.set(watch);
    late
}

/// The budget that [`is_late`] looks at on this thread, for work on another one.
pub(super) fn watched() -> Option<Budget> {
    let watch = WATCH.take();
    WATCH.set(watch.clone());
    watch
}

/// What `work` gives while [`is_late`] looks at this budget.
pub(super) fn watching<T>(budget: Option<Budget>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Budget>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCH.set(self.0.take());
        }
    }
    let _restore = Restore(WATCH.replace(budget));
    work()
}

/// Why a computation gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The time budget ended, or the user asked to stop.
    #[error("stopped before an answer was found")]
    Interrupted,
    /// dpcmp contradicts itself: exit code 70.
    #[error(transparent)]
    Invariant(#[from] InvariantViolation),
}

impl Budget {
    /// No deadline.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// A budget that ends `time` from now, or when `stop` becomes true.
    pub fn new(time: Duration, stop: Arc<AtomicBool>) -> Self {
        let deadline = Instant::now().checked_add(time);
        Self {
            deadline,
            late: deadline.and_then(|end| end.checked_add(time / 2 + GRACE)),
            stop,
        }
    }

    /// For work within an evaluation that was given none: it ends when [`is_late`] says so.
    pub fn of_evaluations() -> Self {
        let watch = watched().unwrap_or_default();
        Self {
            deadline: watch.late,
            ..watch
        }
    }

    /// The same, but only the user ends it: for what is kept for later questions.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Self {
            deadline: None,
            late: None,
            stop: Arc::clone(&self.stop),
        }
    }

    /// Two thirds of the time left, for work that there is another way around.
    #[must_use]
    pub fn most_of_it(&self) -> Self {
        let part = self.remaining().map(|left| left / 3 * 2);
        Self {
            deadline: part.and_then(|part| Instant::now().checked_add(part)),
            late: self.late,
            stop: Arc::clone(&self.stop),
        }
    }

    /// The same, but with so much time at least: for the little that is worth more than an answer in time.
    #[must_use]
    pub fn with_at_least(&self, time: Duration) -> Self {
        let least = Instant::now().checked_add(time);
        Self {
            deadline: self
                .deadline
                .map(|deadline| least.map_or(deadline, |least| deadline.max(least))),
            late: self.late,
            stop: Arc::clone(&self.stop),
        }
    }

    /// Time left; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// # Errors
    /// [`Failure::Interrupted`] once the deadline has passed or the stop flag is set.
    pub fn check(&self) -> Result<(), Failure> {
        let late = self.deadline.is_some_and(|d| Instant::now() >= d);
        if late || self.is_stopped() {
            Err(Failure::Interrupted)
        } else {
            Ok(())
        }
    }

    /// What `work` gives while [`is_late`] looks at this budget.
    pub fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        watching(Some(self.clone()), work)
    }

    fn is_late(&self) -> bool {
        self.is_stopped() || self.late.is_some_and(|late| Instant::now() >= late)
    }

    /// Did the user ask to stop?
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_at_the_deadline_or_the_flag() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        let flag = Arc::new(AtomicBool::new(false));
        assert_eq!(
            Budget::new(Duration::ZERO, flag.clone()).check(),
            Err(Failure::Interrupted)
        );
        let long = Budget::new(Duration::from_secs(3600), flag.clone());
        assert_eq!(long.check(), Ok(()));
        let ended = Budget::new(Duration::ZERO, flag.clone());
        let hour = Duration::from_secs(3600);
        assert_eq!(ended.with_at_least(hour).check(), Ok(()));
        assert!(long.with_at_least(Duration::ZERO).remaining() > Some(hour / 2));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(long.check(), Err(Failure::Interrupted));
    }

    /// Late is half of the time and a quarter of a second after its end, or once the flag is set; of the innermost question, and on its threads.
    #[test]
    fn late_is_well_after_the_end() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = |time| Budget::new(time, flag.clone());
        let gap = |of: &Budget| of.late.unwrap() - of.deadline.unwrap();
        let short = budget(Duration::from_secs(4));
        assert_eq!(gap(&short), Duration::from_millis(2250));
        assert_eq!(short.most_of_it().late, short.late);
        assert_eq!(short.with_at_least(Duration::from_secs(9)).late, short.late);
        assert_eq!(short.without_deadline().late, None);
        let over = Budget {
            late: Some(Instant::now()),
            ..budget(Duration::ZERO)
        };
        assert!(!is_late());
        over.watch(|| {
            assert!(is_late());
            assert!(!budget(Duration::ZERO).watch(is_late));
            assert!(!Budget::unlimited().watch(is_late));
            assert!(is_late());
            let there = crate::kernel::in_parallel(&[1, 2, 3], 3, |_| Ok(is_late()));
            assert_eq!(there, Ok(vec![true; 3]));
            let both = crate::kernel::both(2, || Ok(is_late()), || Ok(is_late()));
            assert_eq!(both, Ok((true, true)));
        });
        assert!(!is_late());
        flag.store(true, Ordering::Relaxed);
        assert!(short.watch(is_late) && !is_late());
    }

    /// Work within an evaluation ends with the evaluation; where nobody waits, it does not end.
    #[test]
    fn evaluations_have_the_time_that_is_left() {
        let hour = Duration::from_secs(3600);
        assert_eq!(Budget::of_evaluations().remaining(), None);
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(hour, flag.clone());
        budget.watch(|| {
            let inner = Budget::of_evaluations();
            let left = inner.remaining().unwrap();
            assert!(left > hour && left <= hour + hour / 2 + GRACE);
            assert_eq!(inner.check(), Ok(()));
            flag.store(true, Ordering::Relaxed);
            assert_eq!(inner.check(), Err(Failure::Interrupted));
        });
    }
}
