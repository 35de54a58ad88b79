//! Rows of gains together with others: as few as do no harm.
//!
//! The gain at each ratio is at most the largest of a group, and so is the gain of a step, so that any partition of the rows into groups is a bound. Here groups are
//! squares of the grid of triangles; the ones that decide at some u, and are more than the largest of single rows, are divided.

use crate::kernel::Failure;

/// What a step gains at the ratios ρ^k for −n ≤ k ≤ 2n, beyond (1 − r)⁺, in units, at a place of the grid.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub place: (usize, usize),
    pub gains: Vec<u128>,
}

/// A group of rows.
#[derive(Debug)]
pub(super) struct Node {
    /// The largest at each ratio.
    pub gains: Vec<u128>,
    /// Smaller groups that make it up; none of a single row.
    children: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub root: Vec<usize>,
}

/// A group is divided where it gains this part more than single rows.
const PART: u128 = 512;
/// And this many units.
const LEAST: u128 = 1 << 25;
/// Groups start afresh after so many steps.
const STEPS: u64 = 200;

impl Tree {
    pub fn new(rows: Vec<Row>) -> Self {
        let mut nodes = Vec::new();
        let mut level: Vec<((usize, usize), usize)> = Vec::new();
        for row in rows {
            level.push((row.place, nodes.len()));
            nodes.push(Node {
                gains: row.gains,
                children: Vec::new(),
            });
        }
        while level.len() > 1 {
            level = squares(&level, &mut nodes);
        }
        let root = level.into_iter().map(|(_, node)| node).collect();
        Self { nodes, root }
    }

    /// The largest gains of all rows, at most a little too large, and the groups that are enough for them. `active` are groups that are all rows together.
    pub fn largest(
        &self,
        steps: u64,
        active: &[usize],
        gains: impl Fn(&[usize]) -> Result<Vec<Vec<u128>>, Failure>,
    ) -> Result<(Vec<u128>, Vec<usize>), Failure> {
        let afresh = steps.is_power_of_two() || steps.checked_rem(STEPS) == Some(0);
        let mut new = if afresh { &self.root } else { active }.to_vec();
        let mut known: Vec<(usize, Vec<u128>)> = Vec::new();
        loop {
            let found = gains(&new)?;
            known.extend(new.drain(..).zip(found));
            let all = known.iter().map(|(_, gains)| gains);
            let top = largest(all);
            let single = known.iter().filter(|(node, _)| self.is_single(*node));
            let sure = largest(single.map(|(_, gains)| gains));
            let enough = |place: usize| {
                let sure = sure.get(place).copied().unwrap_or(0);
                sure.saturating_add(sure / PART).saturating_add(LEAST)
            };
            known.retain(|(node, gains)| {
                let mut places = gains.iter().zip(&top).enumerate();
                let decides =
                    places.any(|(place, (gain, top))| gain >= top && *gain > enough(place));
                let is_divided = decides && !self.is_single(*node);
                if is_divided {
                    new.extend(self.nodes.get(*node).iter().flat_map(|node| &node.children));
                }
                !is_divided
            });
            if new.is_empty() {
                return Ok((top, known.into_iter().map(|(node, _)| node).collect()));
            }
        }
    }

    fn is_single(&self, node: usize) -> bool {
        self.nodes
            .get(node)
            .is_none_or(|node| node.children.is_empty())
    }
}

/// The largest at each place.
pub(super) fn largest<'a>(all: impl Iterator<Item = &'a Vec<u128>>) -> Vec<u128> {
    let mut most: Vec<u128> = Vec::new();
    for gains in all {
        if most.is_empty() {
            most.clone_from(gains);
        }
        for (most, gain) in most.iter_mut().zip(gains) {
            *most = (*most).max(*gain);
        }
    }
    most
}

/// Each as large as those before it.
pub(super) fn rising<'a>(all: impl Iterator<Item = &'a mut u128>) {
    let mut most = 0u128;
    for one in all {
        most = most.max(*one);
        *one = most;
    }
}

/// Groups of twice the width.
fn squares(
    level: &[((usize, usize), usize)],
    nodes: &mut Vec<Node>,
) -> Vec<((usize, usize), usize)> {
    let mut groups: std::collections::BTreeMap<(usize, usize), Vec<usize>> =
        std::collections::BTreeMap::new();
    for ((i, j), node) in level {
        groups.entry((i / 2, j / 2)).or_default().push(*node);
    }
    let groups = groups.into_iter().map(|(place, children)| match *children {
        [only] => (place, only),
        _ => {
            let rows = children.iter().filter_map(|node| nodes.get(*node));
            let gains = largest(rows.map(|node| &node.gains));
            nodes.push(Node { gains, children });
            (place, nodes.len() - 1)
        }
    });
    groups.collect()
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
