//! The best pattern of participations in a tree, by a dynamic program over its blocks.

use std::collections::HashMap;
use std::rc::Rc;

use rug::Integer;

use super::Participation;

/// Most participations of a search, so that every value fits into 64 bits.
const MAX_LEAVES: u64 = 1 << 12;

/// Most pairs of results that are combined.
const MAX_WORK: u64 = 20_000_000;

/// The largest sum of squared counts over the complete dyadic blocks of `steps` steps; `None` if that takes too long.
///
/// A result of a range of steps with a number of leaves (steps of the pattern) is a value and the carry: how far behind the end
/// of the range the next leaf may stand. A range is a complete block, which counts the square of its leaves and halves, or its
/// largest complete block and the rest. In a block that is no longer than the separation there is at most one leaf, which may
/// as well stand as far to the left as it may.
pub(super) fn largest_by_search(steps: u64, participation: Participation) -> Option<Integer> {
    let most = participation.most_in(steps);
    if most > MAX_LEAVES {
        return None;
    }
    let mut search = Search {
        separation: participation.separation(),
        known: HashMap::new(),
        work: 0,
    };
    let mut largest = 0;
    // Fewer leaves may be better: one more may not fit into the pattern.
    for leaves in 1..=most {
        for result in search.range(steps, 0, leaves)?.iter() {
            largest = largest.max(result.value);
        }
    }
    Some(Integer::from(largest))
}

/// What leaves in a range can reach.
#[derive(Clone, Copy)]
struct Reached {
    value: u64,
    carry: u64,
}

struct Search {
    separation: u64,
    /// By the length of the range, the carry before it, and its leaves.
    known: HashMap<(u64, u64, u64), Rc<[Reached]>>,
    work: u64,
}

impl Search {
    /// The results that no other one beats in both value and carry; none if so many leaves do not fit.
    fn range(&mut self, length: u64, carry: u64, leaves: u64) -> Option<Rc<[Reached]>> {
        if leaves == 0 {
            let carry = carry.saturating_sub(length);
            return Some(Rc::new([Reached { value: 0, carry }]));
        }
        let last = carry.saturating_add((leaves.saturating_sub(1)).saturating_mul(self.separation));
        if last >= length {
            return Some(Rc::new([]));
        }
        let complete = length.is_power_of_two();
        if complete && length <= self.separation {
            let value = u64::from(length.ilog2()).saturating_add(1);
            let carry = last.saturating_add(self.separation).saturating_sub(length);
            return Some(Rc::new([Reached { value, carry }]));
        }
        let key = (length, carry, leaves);
        if let Some(known) = self.known.get(&key) {
            return Some(Rc::clone(known));
        }
        let of_whole = if complete {
            leaves.saturating_mul(leaves)
        } else {
            0
        };
        let first = if complete {
            length / 2
        } else {
            1 << length.ilog2()
        };
        let mut all = Vec::new();
        for in_first in 0..=leaves {
            self.work = self.work.saturating_add(1);
            let rest = leaves.saturating_sub(in_first);
            for left in self.range(first, carry, in_first)?.iter() {
                let second = length.saturating_sub(first);
                for right in self.range(second, left.carry, rest)?.iter() {
                    self.work = self.work.saturating_add(1);
                    let value = of_whole
                        .saturating_add(left.value)
                        .saturating_add(right.value);
                    let carry = right.carry;
                    all.push(Reached { value, carry });
                }
            }
            if self.work > MAX_WORK {
                return None;
            }
        }
        let best: Rc<[Reached]> = unbeaten(all).into();
        self.known.insert(key, Rc::clone(&best));
        Some(best)
    }
}

/// The results that are not beaten in both value and carry.
fn unbeaten(mut all: Vec<Reached>) -> Vec<Reached> {
    all.sort_unstable_by(|a, b| a.carry.cmp(&b.carry).then(b.value.cmp(&a.value)));
    let mut best: Vec<Reached> = Vec::new();
    for result in all {
        if best.last().is_none_or(|last| result.value > last.value) {
            best.push(result);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of everything there is one that is kept with at least its value and no larger carry.
    #[test]
    fn nothing_that_is_left_out_is_better() {
        let of = |value, carry| Reached { value, carry };
        let all = [
            (5, 3),
            (5, 0),
            (4, 0),
            (9, 7),
            (6, 7),
            (7, 5),
            (2, 1),
            (5, 9),
        ];
        let all: Vec<Reached> = all
            .iter()
            .map(|(value, carry)| of(*value, *carry))
            .collect();
        let best = unbeaten(all.clone());
        for one in &all {
            let is_covered = best
                .iter()
                .any(|kept| kept.value >= one.value && kept.carry <= one.carry);
            assert!(is_covered, "{} {}", one.value, one.carry);
        }
        assert_eq!(best.len(), 3);
    }

    /// Two neighbouring steps of four: 2² in the whole and in their half, 1 in each of their leaves.
    #[test]
    fn steps_that_may_follow_each_other() {
        let found = largest_by_search(4, Participation::new(2, 1));
        assert_eq!(found, Some(Integer::from(10)));
    }
}
