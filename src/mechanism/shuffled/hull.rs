//! The upper hull of tests of many datasets.

use rug::Integer;

use super::fixed::FRACTION;

/// Tests are looked at together from so many on.
const FEWEST: usize = 2_000;

/// A test: P(accept) and Q(accept), in units of 2^−320.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mechanism) struct Test {
    pub(in crate::mechanism) null: Integer,
    pub(in crate::mechanism) with: Integer,
}

/// The upper hull of tests, with some that are not yet looked at together.
#[derive(Debug)]
pub(super) struct Hull {
    /// From the left, by falling slope, once joined: (0, 0) or what is above it first, (1, 1) or what is above it last.
    pub(super) corners: Vec<Test>,
    waiting: Vec<Test>,
}

impl Hull {
    /// Never and always to accept.
    pub(super) fn new() -> Self {
        let (never, always) = (Integer::new(), Integer::from(1) << FRACTION);
        let both = |share: Integer| Test {
            null: share.clone(),
            with: share,
        };
        Self {
            corners: vec![both(never), both(always)],
            waiting: Vec::new(),
        }
    }

    /// Some more tests, by rising P(accept); those under the corners need nothing.
    pub(super) fn add(&mut self, tests: Vec<Test>) {
        let mut place = 0usize;
        for test in tests {
            let is_above = loop {
                match self.corners.get(place..) {
                    Some([_, right, ..]) if right.null < test.null => {
                        place = place.saturating_add(1);
                    }
                    Some([left, right, ..]) => {
                        break test.null < left.null || rises_above(left, &test, right);
                    }
                    _ => break true,
                }
            };
            if is_above {
                self.waiting.push(test);
            }
        }
        if self.waiting.len() > self.corners.len().saturating_mul(2).max(FEWEST) {
            self.join();
        }
    }

    /// Looks at all of them.
    pub(super) fn join(&mut self) {
        self.waiting.append(&mut self.corners);
        self.waiting.sort_unstable();
        for next in self.waiting.drain(..) {
            // The last of several at one place is the highest.
            while let Some(last) = self.corners.last()
                && last.null == next.null
            {
                self.corners.pop();
            }
            while let [.., before, last] = self.corners.as_slice() {
                if rises_above(before, last, &next) {
                    break;
                }
                self.corners.pop();
            }
            self.corners.push(next);
        }
    }
}

/// Is the middle point above the chord?
fn rises_above(left: &Test, middle: &Test, right: &Test) -> bool {
    let run = |to: &Test| Integer::from(&to.null - &left.null);
    let rise = |to: &Test| Integer::from(&to.with - &left.with);
    rise(middle) * run(right) > rise(right) * run(middle)
}
