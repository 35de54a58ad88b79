//! The best pattern of participations in a tree, by a dynamic program over its blocks.

use std::collections::HashMap;
use std::rc::Rc;

use rug::Integer;

use super::Participation;

/// Most participations of a search, so that every value fits into 64 bits.
const MAX_LEAVES: u64 = 1 << 12;

/// Most pairs of results that are combined.
const MAX_WORK: u64 = 5_000_000;

/// The largest sum of squared counts over the complete dyadic blocks of `steps` steps; `None` if that takes too long.
///
/// A result of a range of steps with a number of leaves (steps of the pattern) is a value and the carry: how far behind the end
/// of the range the next leaf may stand. A range is a complete block, which counts the square of its leaves and halves, or its
/// largest complete block and the rest. In a block that is no longer than the separation there is at most one leaf, which may
/// as well stand as far to the left as it may. What [`Search::at_most`] shows to be beaten is not looked at.
pub(super) fn largest_by_search(steps: u64, participation: Participation) -> Option<Integer> {
    let most = participation.most_in(steps);
    if most > MAX_LEAVES {
        return None;
    }
    let mut search = Search {
        separation: participation.separation(),
        known: HashMap::new(),
        bounds: HashMap::new(),
        work: 0,
    };
    let mut largest = 0;
    // Fewer leaves may be better: one more may not fit into the pattern. Their bounds fall.
    for leaves in (1..=most).rev() {
        if search.at_most(steps, leaves) <= largest {
            break;
        }
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
    /// Bounds of the values of a length, with no leaf, with one, …
    bounds: HashMap<u64, Vec<u64>>,
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
        let second = length.saturating_sub(first);
        let mut all = Vec::new();
        // No pattern has a smaller carry than one whose leaves stand as far to the left as they may. A value with that carry beats all that are no larger.
        let least = last.saturating_add(self.separation).saturating_sub(length);
        let mut settled = None;
        let fit = |length: u64| length.div_ceil(self.separation);
        let fewest = leaves.saturating_sub(fit(second));
        let most = leaves.min(fit(first.saturating_sub(carry)));
        for in_first in (fewest..=most).rev() {
            self.work = self.work.saturating_add(1);
            let rest = leaves.saturating_sub(in_first);
            let bound = of_whole
                .saturating_add(self.at_most(first, in_first))
                .saturating_add(self.at_most(second, rest));
            if settled.is_some_and(|settled| bound <= settled) {
                continue;
            }
            for left in self.range(first, carry, in_first)?.iter() {
                for right in self.range(second, left.carry, rest)?.iter() {
                    self.work = self.work.saturating_add(1);
                    let value = of_whole
                        .saturating_add(left.value)
                        .saturating_add(right.value);
                    let carry = right.carry;
                    if carry <= least {
                        settled = settled.max(Some(value));
                    }
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

    /// No pattern of so many leaves has a larger value in a range of this length: on each level the counts are bounded, and so is their sum, and squares add up to
    /// the most if all counts but one are at their bound or 0.
    ///
    /// Ensures: it rises with the leaves.
    fn at_most(&mut self, length: u64, leaves: u64) -> u64 {
        let Ok(place) = usize::try_from(leaves) else {
            return u64::MAX;
        };
        let known = self.bounds.entry(length).or_default();
        while known.len() <= place {
            let leaves = u64::try_from(known.len()).unwrap_or(u64::MAX);
            known.push(by_levels(length, self.separation, leaves));
        }
        known.get(place).copied().unwrap_or(u64::MAX)
    }
}

fn by_levels(length: u64, separation: u64, leaves: u64) -> u64 {
    let levels = u64::BITS.saturating_sub(length.leading_zeros());
    let of_level = |level: u32| {
        let (size, blocks) = (1u64 << level, length >> level);
        let cap = size.div_ceil(separation);
        let there = leaves.min(blocks.saturating_mul(size).div_ceil(separation));
        let full = blocks.min(there / cap);
        let rest = if full < blocks { there % cap } else { 0 };
        let squares = cap.saturating_mul(cap).saturating_mul(full);
        squares.saturating_add(rest.saturating_mul(rest))
    };
    (0..levels).map(of_level).fold(0, u64::saturating_add)
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

    /// No result of a range is above its bound, and bounds rise with the leaves.
    #[test]
    fn bounds_are_above_all_results() {
        for separation in [1, 2, 3, 7, 8, 9] {
            let mut search = Search {
                separation,
                known: HashMap::new(),
                bounds: HashMap::new(),
                work: 0,
            };
            for length in 1..70u64 {
                let mut before = 0;
                for leaves in 1..=length.div_ceil(separation) {
                    let bound = search.at_most(length, leaves);
                    assert!(bound >= before, "{length} {leaves} {separation}");
                    before = bound;
                    for carry in 0..separation {
                        for result in search.range(length, carry, leaves).unwrap().iter() {
                            assert!(
                                result.value <= bound,
                                "{length} {carry} {leaves} {separation}"
                            );
                        }
                    }
                }
            }
        }
    }

    type Places = (u64, u64, u64);

    /// Values and carries that no other one beats, of all ways to share the leaves, down to single steps.
    fn by_steps(
        (length, carry, leaves): Places,
        separation: u64,
        known: &mut HashMap<Places, Vec<(u64, u64)>>,
    ) -> Vec<(u64, u64)> {
        if length == 1 {
            return match (leaves, carry) {
                (0, _) => vec![(0, carry.saturating_sub(1))],
                (1, 0) => vec![(1, separation - 1)],
                _ => Vec::new(),
            };
        }
        let key = (length, carry, leaves);
        if let Some(found) = known.get(&key) {
            return found.clone();
        }
        let complete = length.is_power_of_two();
        let first = if complete {
            length / 2
        } else {
            1 << length.ilog2()
        };
        let whole = if complete { leaves * leaves } else { 0 };
        let mut all = Vec::new();
        for there in 0..=leaves {
            for (value, carry) in by_steps((first, carry, there), separation, known) {
                let rest = (length - first, carry, leaves - there);
                let rest = by_steps(rest, separation, known);
                all.extend(rest.iter().map(|(more, end)| (whole + value + more, *end)));
            }
        }
        let is_beaten = |one: &(u64, u64)| {
            let beats = |other: &(u64, u64)| other != one && other.0 >= one.0 && other.1 <= one.1;
            all.iter().any(beats)
        };
        let mut best = all.clone();
        best.retain(|one| !is_beaten(one));
        best.sort_unstable();
        best.dedup();
        known.insert(key, best.clone());
        best
    }

    /// What is not looked at is beaten: the same as by single steps, of every range, carry and number of leaves.
    #[test]
    fn nothing_that_is_not_looked_at_is_better() {
        for (separation, longest) in [(1, 24u64), (2, 40), (3, 48), (5, 70), (7, 80), (9, 90)] {
            let mut search = Search {
                separation,
                known: HashMap::new(),
                bounds: HashMap::new(),
                work: 0,
            };
            let mut known = HashMap::new();
            for length in 1..longest {
                for leaves in 1..=length.div_ceil(separation) + 1 {
                    for carry in 0..=separation {
                        let found = search.range(length, carry, leaves).unwrap();
                        let found = found.iter().map(|one| (one.value, one.carry));
                        let mut found: Vec<(u64, u64)> = found.collect();
                        found.sort_unstable();
                        let truth = by_steps((length, carry, leaves), separation, &mut known);
                        assert_eq!(found, truth, "{length} {carry} {leaves} {separation}");
                    }
                }
            }
        }
    }

    /// Ten million steps: the search ends, because most ways to share the leaves between two halves are beaten by their bounds alone.
    #[test]
    fn trees_of_very_many_steps() {
        for (steps, most, separation, value) in [
            (9_200_460, u64::MAX, 6_300, 3_583_336u64),
            (9_200_460, u64::MAX, 6_330, 3_551_200),
            (920_000, 829, 60, 3_581_778),
            (200_460, u64::MAX, 70, 8_786_103),
            (40_545, 820, 10, 2_691_784),
            (1_000_000, 4_096, 3, 121_173_806),
        ] {
            let found = largest_by_search(steps, Participation::new(most, separation));
            assert_eq!(found, Some(Integer::from(value)), "{steps} {separation}");
        }
    }

    /// Two neighbouring steps of four: 2² in the whole and in their half, 1 in each of their leaves.
    #[test]
    fn steps_that_may_follow_each_other() {
        let found = largest_by_search(4, Participation::new(2, 1));
        assert_eq!(found, Some(Integer::from(10)));
    }
}
