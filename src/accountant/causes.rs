//! Which cases are followed up: one for each cause, the first one that settles it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use super::kind::Kind;

/// So many cases with one cause are followed up if nobody confirms what is found.
pub const TRIES: u32 = 3;
/// How often the end of the run is looked for.
const GLANCE: Duration = Duration::from_millis(100);

/// What is known about each cause, by all workers.
#[derive(Debug, Default)]
pub struct Causes {
    known: Mutex<HashMap<String, Numbers>>,
    changed: Condvar,
}

/// Numbers of cases.
#[derive(Debug, Default)]
struct Numbers {
    busy: BTreeSet<u64>,
    unconfirmed: BTreeSet<u64>,
    settled: BTreeSet<u64>,
}

impl Causes {
    /// Is the case to be followed up? Only if no case with a lower number settles the cause, and fewer than [`TRIES`] of them
    /// were followed up in vain; those that are being followed up are waited for, unless the run is over.
    ///
    /// Ensures: a case that would be followed up if cases came in their order is.
    pub fn begin(&self, cause: &str, number: u64, is_over: &dyn Fn() -> bool) -> bool {
        let Ok(mut known) = self.known.lock() else {
            return false;
        };
        loop {
            let numbers = known.entry(cause.to_owned()).or_default();
            let tries = numbers.unconfirmed.range(..number).count();
            let is_settled = numbers.settled.range(..number).next().is_some();
            if is_settled || u32::try_from(tries).is_ok_and(|tries| tries >= TRIES) {
                return false;
            }
            if numbers.busy.range(..number).next().is_none() || is_over() {
                numbers.busy.insert(number);
                return true;
            }
            known = match self.changed.wait_timeout(known, GLANCE) {
                Ok((known, _)) => known,
                Err(_) => return false,
            };
        }
    }

    /// What was found; `None` if nothing was.
    pub fn end(&self, cause: &str, number: u64, found: Option<Kind>) {
        let Ok(mut known) = self.known.lock() else {
            return;
        };
        let numbers = known.entry(cause.to_owned()).or_default();
        numbers.busy.remove(&number);
        match found {
            None => {}
            Some(Kind::Unconfirmed) => {
                numbers.unconfirmed.insert(number);
            }
            Some(_) => {
                numbers.settled.insert(number);
            }
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_that_settles_it() {
        let causes = Causes::default();
        let begin = |number| causes.begin("a", number, &|| false);
        assert!(begin(7));
        // A lower one does not wait for a higher one.
        assert!(begin(3));
        causes.end("a", 3, None);
        causes.end("a", 7, Some(Kind::Unsound));
        assert!(begin(4) && causes.begin("b", 9, &|| false));
        assert!(!begin(8));
    }

    #[test]
    fn what_is_not_confirmed_is_tried_again_a_few_times() {
        let causes = Causes::default();
        for number in [1, 2, 5] {
            assert!(causes.begin("a", number, &|| false));
            causes.end("a", number, Some(Kind::Unconfirmed));
        }
        assert!(!causes.begin("a", 6, &|| false));
        assert!(causes.begin("a", 4, &|| false));
    }

    #[test]
    fn a_higher_number_waits() {
        let causes = Causes::default();
        assert!(causes.begin("a", 1, &|| false));
        // Unless the run is over.
        assert!(causes.begin("a", 2, &|| true));
        causes.end("a", 2, None);
        std::thread::scope(|scope| {
            let later = scope.spawn(|| causes.begin("a", 3, &|| false));
            causes.end("a", 1, Some(Kind::Crash));
            assert!(!later.join().unwrap());
        });
    }
}
