//! How the atoms of a composition come about: found once with exact losses, carried out at any precision.

use std::collections::HashMap;
use std::sync::Arc;

use super::weights::Weight;
use crate::kernel::{Budget, Failure};
use crate::mechanism::finite::{Key, multiple_of_key, sum_of_keys};

/// Atoms of a composition, after merging.
const MOST_ATOMS: usize = 20_000;

/// Repetitions of a single law with two losses, whose masses are binomial.
const MOST_BINOMIAL: u64 = 100_000;

/// Pairs of atoms multiplied in one convolution.
const MOST_PAIRS: usize = 4_000_000;

/// How the atoms of a composition come about: a plan, to be carried out at any precision.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) keys: Vec<Key>,
    how: How,
}

#[derive(Debug)]
enum How {
    /// The atoms of a factor.
    Factor(usize),
    /// A factor with at most two atoms, repeated: binomial masses.
    Binomial(usize, u64),
    /// All sums of two atoms; the target of each pair, row by row.
    Convolution(Arc<Node>, Arc<Node>, Vec<u32>),
}

/// The atoms of a factor repeated. `None` beyond the limits.
///
/// # Errors
/// If the budget ends.
pub(crate) fn power(
    index: usize,
    keys: &[Key],
    times: u64,
    is_alone: bool,
    budget: &Budget,
) -> Result<Option<Arc<Node>>, Failure> {
    budget.check()?;
    if times == 1 {
        return Ok(Some(Arc::new(Node {
            keys: keys.to_vec(),
            how: How::Factor(index),
        })));
    }
    if keys.len() <= 2 {
        return Ok(binomial(index, keys, times, is_alone).map(Arc::new));
    }
    let Some(half) = power(index, keys, times / 2, is_alone, budget)? else {
        return Ok(None);
    };
    let square = convolution(&half, &half, budget)?;
    match square {
        Some(square) if times % 2 == 1 => {
            let Some(single) = power(index, keys, 1, is_alone, budget)? else {
                return Ok(None);
            };
            convolution(&square, &single, budget)
        }
        other => Ok(other),
    }
}

fn binomial(index: usize, keys: &[Key], times: u64, is_alone: bool) -> Option<Node> {
    let how = How::Binomial(index, times);
    let (low, high) = match keys {
        [] => {
            return Some(Node {
                keys: Vec::new(),
                how,
            });
        }
        [only] => {
            let keys = vec![multiple_of_key(only, times)?];
            return Some(Node { keys, how });
        }
        [low, high, ..] => (low, high),
    };
    let limit = if is_alone {
        MOST_BINOMIAL
    } else {
        u64::try_from(MOST_ATOMS).ok()?.checked_sub(1)?
    };
    if times > limit {
        return None;
    }
    let keys = (0..=times)
        .map(|j| {
            let rest = multiple_of_key(low, times.checked_sub(j)?)?;
            sum_of_keys(&rest, &multiple_of_key(high, j)?)
        })
        .collect::<Option<_>>()?;
    Some(Node { keys, how })
}

/// All sums of an atom of each, equal ones merged. `None` beyond the limits.
///
/// # Errors
/// If the budget ends.
pub(crate) fn convolution(
    left: &Arc<Node>,
    right: &Arc<Node>,
    budget: &Budget,
) -> Result<Option<Arc<Node>>, Failure> {
    let pairs = left.keys.len().checked_mul(right.keys.len());
    if pairs.is_none_or(|pairs| pairs > MOST_PAIRS) {
        return Ok(None);
    }
    let mut places: HashMap<Key, u32> = HashMap::new();
    let mut keys = Vec::new();
    let mut targets = Vec::new();
    for a in &left.keys {
        budget.check()?;
        for b in &right.keys {
            let Some(key) = sum_of_keys(a, b) else {
                return Ok(None);
            };
            let Ok(fresh) = u32::try_from(keys.len()) else {
                return Ok(None);
            };
            let place = *places.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                fresh
            });
            targets.push(place);
            if keys.len() > MOST_ATOMS {
                return Ok(None);
            }
        }
    }
    let how = How::Convolution(Arc::clone(left), Arc::clone(right), targets);
    Ok(Some(Arc::new(Node { keys, how })))
}

impl Node {
    /// The masses of the atoms, for given masses of the factors' atoms.
    pub(crate) fn masses<W: Weight>(&self, factors: &[Vec<W>]) -> Vec<W> {
        match &self.how {
            How::Factor(index) => factors.get(*index).cloned().unwrap_or_default(),
            How::Binomial(index, times) => {
                W::binomial(factors.get(*index).map_or(&[], Vec::as_slice), *times)
            }
            How::Convolution(left, right, targets) => {
                let a = left.masses(factors);
                if Arc::ptr_eq(left, right) {
                    W::squares(&a, targets, self.keys.len())
                } else {
                    W::products(&a, &right.masses(factors), targets, self.keys.len())
                }
            }
        }
    }

    /// Pairs multiplied in all convolutions.
    pub(crate) fn pairs(&self) -> u64 {
        match &self.how {
            How::Factor(_) => 0,
            How::Binomial(_, times) => *times,
            How::Convolution(left, right, targets) => {
                let own = u64::try_from(targets.len()).unwrap_or(u64::MAX);
                let right = if Arc::ptr_eq(left, right) {
                    0
                } else {
                    right.pairs()
                };
                own.saturating_add(left.pairs()).saturating_add(right)
            }
        }
    }
}
