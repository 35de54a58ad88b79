//! How far one record moves sums over many steps: trees of prefix sums, and Toeplitz matrices (M7 of `proofs/FORMAT.md`).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::*;
/// In which steps a record may take part: so many at most, any two of them at least `apart` apart.
#[derive(Clone, Copy)]
pub struct Schedule {
    pub steps: u64,
    pub most: u64,
    pub apart: u64,
}

impl Schedule {
    pub fn count(&self) -> u64 {
        self.most.min(self.steps.div_ceil(self.apart))
    }
}

/// An enclosure of a squared sensitivity.
pub type Square = (BigRational, BigRational);

/// Σ over complete dyadic blocks of the squared number of steps in them: of 0, b, 2b, …, and at most. m consecutive steps
/// have at most ⌈m/b⌉ of them, and squares add up to the most if all blocks but one are full or empty.
pub fn of_tree(schedule: Schedule) -> Result<Square> {
    let Schedule { steps, apart, .. } = schedule;
    let most = schedule.count();
    let square = |n: u64| BigInt::from(n) * n;
    let (mut least, mut all) = (BigInt::zero(), BigInt::zero());
    for level in 0..=steps.ilog2() {
        let (size, blocks) = (1u64 << level, steps >> level);
        let (cap, there) = (size.div_ceil(apart), most.min((blocks * size).div_ceil(apart)));
        let full = blocks.min(there / cap);
        all += square(cap) * full + square(if full < blocks { there % cap } else { 0 });
        // Those of 0, b, 2b, … in blocks that begin no later than the last of them; all but the last such block have ⌊size/b⌋, or one more.
        let (few, whole) = (size / apart, (most - 1) * apart / size);
        let before = (whole * size).div_ceil(apart);
        let (more, rest) = (before - few * whole, if whole < blocks { most - before } else { 0 });
        least += square(few) * (whole - more) + square(few + 1) * more + square(rest);
    }
    if least < all
        && let Some(best) = Patterns::best(steps, most, apart)?
    {
        (least, all) = (best.into(), best.into());
    }
    Ok((BigRational::from(least), BigRational::from(all)))
}

/// What the steps of a pattern in a range add up to, and how far behind its end the next one must stand: those that no other beats in both.
type Reached = Rc<[(u64, u64)]>;

/// All patterns in a tree, range by range: a complete block counts the square of its steps of the pattern, and halves; what is no block
/// is its largest block and the rest. In a block that is no longer than `apart` there is at most one, which is best on the left.
struct Patterns {
    apart: u64,
    /// By the length of a range, how many of its first steps are too near to the last one before it, and its steps of the pattern.
    known: BTreeMap<(u64, u64, u64), Reached>,
    /// Pairs that were looked at.
    work: u64,
}

impl Patterns {
    /// More pairs are not looked at, nor longer patterns.
    const MOST: u64 = 1 << 21;
    const LONGEST: u64 = 1 << 12;

    /// The largest sum of a pattern of at most so many steps; `None` where that takes too long.
    fn best(steps: u64, most: u64, apart: u64) -> Result<Option<u64>> {
        if most > Self::LONGEST {
            return Ok(None);
        }
        let mut all = Self { apart, known: BTreeMap::new(), work: 0 };
        // Fewer steps may be better than as many as fit.
        let found = (1..=most).map(|count| all.range(steps, 0, count)).collect::<Option<Vec<_>>>();
        spend(all.work.saturating_mul(100))?;
        Ok(found.and_then(|found| found.iter().flat_map(|ends| ends.iter()).map(|(sum, _)| *sum).max()))
    }

    fn range(&mut self, length: u64, near: u64, count: u64) -> Option<Reached> {
        let Some(others) = count.checked_sub(1) else { return Some([(0, near.saturating_sub(length))].into()) };
        if near.saturating_add(others.saturating_mul(self.apart)) >= length {
            return Some([].into());
        }
        let is_block = length.is_power_of_two();
        if is_block && length <= self.apart {
            return Some([(u64::from(length.ilog2()) + 1, near + self.apart - length)].into());
        }
        if let Some(known) = self.known.get(&(length, near, count)) {
            return Some(known.clone());
        }
        let (whole, first) = if is_block { (count * count, length / 2) } else { (0, 1 << length.ilog2()) };
        let mut all = Vec::new();
        for left in 0..=count {
            for (sum, near) in self.range(first, near, left)?.iter() {
                for (more, after) in self.range(length - first, *near, count - left)?.iter() {
                    all.push((whole + sum + more, *after));
                    self.work += 1;
                }
            }
            self.work += 1;
            if self.work > Self::MOST {
                return None;
            }
        }
        // From the nearest on, what is more than all before it.
        all.sort_unstable_by_key(|(sum, after)| (*after, Reverse(*sum)));
        let mut best: Vec<(u64, u64)> = Vec::new();
        for (sum, after) in all {
            if best.iter().all(|(most, _)| *most < sum) {
                best.push((sum, after));
            }
        }
        let best: Reached = best.into();
        self.known.insert((length, near, count), best.clone());
        Some(best)
    }
}

/// The first column of a Toeplitz matrix; zeros follow.
pub struct Column(Vec<Real>);

impl Column {
    /// So many entries at most.
    pub fn new(entries: &[BigRational], steps: u64) -> Self {
        let length = usize::try_from(steps).unwrap_or(usize::MAX).min(entries.len());
        let last = entries.iter().take(length).rposition(|x| !x.is_zero()).map_or(0, |place| place + 1);
        Self(entries.iter().take(last).map(Real::of).collect())
    }

    /// 1, and then Σ weight·decay^(j − 1).
    pub fn buffered(buffers: &[(BigRational, BigRational)], steps: u64) -> Result<Self> {
        let steps = usize::try_from(steps).ok().filter(|n| *n <= 1 << 17);
        let steps = steps.ok_or_else(|| Rejected::limit("a matrix of more than 2^17 steps"))?;
        spend_each(steps, 500)?;
        spend_each(steps.saturating_mul(buffers.len()), 500)?;
        let mut held: Vec<(Real, Real)> = buffers.iter().map(|(w, decay)| (Real::of(w), Real::of(decay))).collect();
        let mut entries = vec![Real::int(1)];
        while entries.len() < steps {
            entries.push(held.iter().map(|(value, _)| value.clone()).sum());
            held.iter_mut().for_each(|(value, decay)| *value = value.times(decay));
        }
        Ok(Self(entries))
    }

    pub fn bands(&self) -> u64 {
        u64::try_from(self.0.len()).unwrap_or(u64::MAX)
    }

    /// Those of the matrix of so many steps.
    pub fn columns(&self, steps: u64) -> Vec<Vec<Real>> {
        let rows = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        (1..=steps).rev().map(|length| self.0.iter().take(rows(length)).cloned().collect()).collect()
    }

    /// The squared norm of the column that has so many rows.
    pub fn norm(&self, rows: u64) -> Result<Square> {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        spend_each(rows.min(self.0.len()), 300)?;
        Ok(square_of(self.0.iter().take(rows)))
    }

    /// s² = max ‖Σ C_t ⊗ g_t‖² over the steps of a schedule and |g_t| ≤ 1. For one step, or columns without a common row, it is the sum of
    /// the squared norms of 0, b, 2b, …; these are also the best steps of a column that falls, and the least such one above |c| bounds it.
    pub fn square(&self, schedule: Schedule) -> Result<Square> {
        let Schedule { steps, apart, .. } = schedule;
        let count = schedule.count();
        spend(count.saturating_mul(self.bands().saturating_mul(600)))?;
        let (mut least, mut most) = (BigRational::zero(), BigRational::zero());
        if count == 1 || self.bands() <= apart {
            for column in 0..count {
                let (low, high) = self.norm(steps - column * apart)?;
                (least, most) = (least + low, most + high);
            }
            return Ok((least, most));
        }
        let mut falling = self.0.clone();
        let mut above = BigInt::zero();
        for x in falling.iter_mut().rev() {
            above = above.max(x.size().hi);
            *x = Real::units(above.clone());
        }
        let all_at = |entries: &[Real]| -> Result<Square> {
            let length = usize::try_from(steps).unwrap_or(usize::MAX);
            spend_each(length, 300)?;
            let mut rows = vec![Real::int(0); length.min(1 << 17)];
            Reason::Limit.when(rows.len() < length, "a matrix of more than 2^17 steps")?;
            for column in 0..count {
                let from = usize::try_from(column * apart).unwrap_or(usize::MAX);
                for (row, x) in rows.iter_mut().skip(from).zip(entries) {
                    *row = row.plus(x);
                }
            }
            Ok(square_of(rows.iter()))
        };
        Ok((all_at(&self.0)?.0, all_at(&falling)?.1))
    }
}

/// Both ends, none below 0.
pub fn ends(x: &Real) -> Square {
    x.at_least_zero().ends()
}

/// |x|² of a vector.
fn square_of<'a>(vector: impl Iterator<Item = &'a Real>) -> Square {
    ends(&vector.map(|x| x.size().times(&x.size())).sum())
}
