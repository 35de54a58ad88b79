//! How long a computation may go on, and why it stopped early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::InvariantViolation;

/// A deadline and a stop flag, looked at between steps of long computations.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    stop: Arc<AtomicBool>,
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
        Self {
            deadline: Instant::now().checked_add(time),
            stop,
        }
    }

    /// The same, but only the user ends it: for what is kept for later questions.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Self {
            deadline: None,
            stop: Arc::clone(&self.stop),
        }
    }

    /// Two thirds of the time left, for work that there is another way around.
    #[must_use]
    pub fn most_of_it(&self) -> Self {
        let part = self.remaining().map(|left| left / 3 * 2);
        Self {
            deadline: part.and_then(|part| Instant::now().checked_add(part)),
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
}
