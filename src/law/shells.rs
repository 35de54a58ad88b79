//! Shells: the rows of a law, fine around its median and ever coarser away from it. All of this is a matter of
//! quality; no choice made here can make a law unsound.

use super::mass::{Fraction, Mass};
use super::row::Row;
use crate::kernel::InvariantViolation;

/// A row of atoms of either kind of law.
pub(super) trait Shell<const L: usize>: Clone {
    /// No atom.
    fn empty() -> Self;
    /// The Q-masses.
    fn masses(&self) -> &Row<L>;
    /// The part with indices in `from..to`.
    fn between(&self, from: i64, to: i64) -> Self;
    /// Both added up.
    fn plus(&self, other: &Self) -> Result<Self, InvariantViolation>;
    /// Without what lies beyond the first and the last atom with mass.
    fn stripped(self) -> Self;
    /// Drops the last atoms.
    fn drop_last(&mut self, count: usize);
    /// Drops the first atoms.
    fn drop_first(&mut self, count: usize);
}

impl<const L: usize> Shell<L> for Row<L> {
    fn empty() -> Self {
        Self::EMPTY
    }

    fn masses(&self) -> &Row<L> {
        self
    }

    fn between(&self, from: i64, to: i64) -> Self {
        self.between(from, to)
    }

    fn plus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        self.plus(other)
    }

    fn stripped(self) -> Self {
        self.stripped()
    }

    fn drop_last(&mut self, count: usize) {
        self.drop_last(count);
    }

    fn drop_first(&mut self, count: usize) {
        self.drop_first(count);
    }
}

/// Shells beyond these are not needed by any loss that a lattice index can hold.
const MOST_SHELLS: usize = 48;

/// Moves what lies farther than `reach` points from the median to the next shell, which is made when there is
/// much to move.
pub(super) fn sort<const L: usize, S: Shell<L>>(
    shells: &mut Vec<S>,
    reach: i64,
    coarsened: impl Fn(&S, usize) -> Result<S, InvariantViolation>,
) -> Result<(), InvariantViolation> {
    let middle = Ranks::new(shells)?.quantile(HALF)?;
    let mut s = 0;
    while s < shells.len() && s < MOST_SHELLS {
        let is_last = s.saturating_add(1) == shells.len();
        let slack = if is_last { reach / 2 } else { 0 };
        let centre = middle >> s;
        let (from, to) = (centre.saturating_sub(reach), centre.saturating_add(reach));
        if let Some(shell) = shells.get(s) {
            let row = shell.masses();
            let is_within =
                row.first() >= from.saturating_sub(slack) && row.end() <= to.saturating_add(slack);
            if !row.is_empty() && !is_within {
                let outer = [shell.between(i64::MIN, from), shell.between(to, i64::MAX)];
                let inner = shell.between(from, to).stripped();
                let mut next = shells
                    .get(s.saturating_add(1))
                    .map_or_else(S::empty, S::clone);
                for part in outer.iter().filter(|part| !part.masses().is_empty()) {
                    next = next.plus(&coarsened(part, s)?)?;
                }
                replace(shells, s, inner);
                replace(shells, s.saturating_add(1), next.stripped());
            }
        }
        s = s.saturating_add(1);
    }
    Ok(())
}

fn replace<S>(shells: &mut Vec<S>, s: usize, shell: S) {
    match shells.get_mut(s) {
        Some(slot) => *slot = shell,
        None => shells.push(shell),
    }
}

/// The shell with the last atom.
pub(super) fn rightmost<const L: usize, S: Shell<L>>(shells: &[S]) -> Option<usize> {
    let ends = shells.iter().enumerate();
    let occupied = ends.filter(|(_, shell)| !shell.masses().is_empty());
    occupied
        .max_by_key(|(s, shell)| fine_index(shell.masses().end().saturating_sub(1), *s))
        .map(|(s, _)| s)
}

/// The shell with the first atom.
pub(super) fn leftmost<const L: usize, S: Shell<L>>(shells: &[S]) -> Option<usize> {
    let ends = shells.iter().enumerate();
    let occupied = ends.filter(|(_, shell)| !shell.masses().is_empty());
    occupied
        .min_by_key(|(s, shell)| fine_index(shell.masses().first(), *s))
        .map(|(s, _)| s)
}

/// The index on the finest lattice of a point of shell s.
pub(super) fn fine_index(index: i64, s: usize) -> i64 {
    let scale = u32::try_from(s).ok().and_then(|s| 1i64.checked_shl(s));
    scale.map_or(i64::MAX, |scale| index.saturating_mul(scale))
}

/// 1/2, in units of 2^−64.
const HALF: u64 = 1 << 63;
/// 1/20 and 19/20.
const LOW: u64 = u64::MAX / 20;
const HIGH: u64 = u64::MAX / 20 * 19;

/// How many points of the finest lattice the middle nine tenths of the mass take up.
pub(super) fn bulk_width<const L: usize, S: Shell<L>>(
    shells: &[S],
) -> Result<i64, InvariantViolation> {
    let ranks = Ranks::new(shells)?;
    Ok(ranks.quantile(HIGH)?.saturating_sub(ranks.quantile(LOW)?))
}

/// Masses up to each point, shell by shell.
struct Ranks<'a, S, const L: usize> {
    shells: &'a [S],
    sums: Vec<Vec<Mass<L>>>,
}

impl<'a, const L: usize, S: Shell<L>> Ranks<'a, S, L> {
    fn new(shells: &'a [S]) -> Result<Self, InvariantViolation> {
        let sums = shells.iter().map(|shell| prefix_sums(shell.masses()));
        Ok(Self {
            shells,
            sums: sums.collect::<Result<_, _>>()?,
        })
    }

    /// The mass at or below a point of the finest lattice.
    fn up_to(&self, x: i64) -> Result<Mass<L>, InvariantViolation> {
        let rows = self.shells.iter().zip(&self.sums).enumerate();
        rows.map(|(s, (shell, sums))| {
            let count = (x >> s)
                .saturating_sub(shell.masses().first())
                .saturating_add(1);
            let count = usize::try_from(count).unwrap_or(0).min(sums.len());
            let last = count.checked_sub(1).and_then(|i| sums.get(i));
            last.copied().unwrap_or(Mass::ZERO)
        })
        .try_fold(Mass::ZERO, |sum, part| sum.plus(&part))
    }

    /// About the point of the finest lattice below which lies a share/2^64 of the finite mass.
    fn quantile(&self, share: u64) -> Result<i64, InvariantViolation> {
        let mut limbs = [0; L];
        if let Some(highest) = limbs.last_mut() {
            *highest = share;
        }
        let (Some(left), Some(right)) = (leftmost(self.shells), rightmost(self.shells)) else {
            return Ok(0);
        };
        let edge = |s: usize, pick: fn(&Row<L>) -> i64| {
            let row = self.shells.get(s).map(Shell::masses);
            row.map_or(0, |row| fine_index(pick(row), s))
        };
        let mut low = edge(left, Row::first);
        let mut high = edge(right, Row::end);
        let target = self.up_to(high)?.times_down(&Fraction::from_limbs(limbs));
        while low < high {
            let middle = low.saturating_add(high.saturating_sub(low) / 2);
            if self.up_to(middle)? < target {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

fn prefix_sums<const L: usize>(row: &Row<L>) -> Result<Vec<Mass<L>>, InvariantViolation> {
    let mut sum = Mass::ZERO;
    row.masses()
        .iter()
        .map(|mass| {
            sum = sum.plus(mass)?;
            Ok(sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: i64, masses: &[u64]) -> Row<1> {
        Row::new(
            first,
            masses.iter().map(|m| Mass::from_limbs([*m])).collect(),
        )
    }

    #[test]
    fn quantiles_count_all_shells() {
        let shells = [row(0, &[1, 1, 1, 1]), row(3, &[4, 2])];
        let ranks = Ranks::new(&shells).unwrap();
        assert_eq!(ranks.quantile(HALF).unwrap(), 6);
        assert_eq!(ranks.quantile(LOW).unwrap(), 0);
        assert_eq!(rightmost(&shells), Some(1));
        assert_eq!(leftmost(&shells), Some(0));
    }

    /// Of a hundred equal masses of one and of two limbs.
    #[test]
    fn quantiles_of_a_long_row() {
        fn check<const L: usize>() {
            let mut limbs = [0; L];
            limbs[L - 1] = 1 << 40;
            let shells = [Row::new(-50, vec![Mass::<L>::from_limbs(limbs); 100])];
            let ranks = Ranks::new(&shells).unwrap();
            // A share in units of 2^−64 is a little less than it should be.
            for (share, place) in [(HALF, 49), (LOW, 4), (HIGH, 94)] {
                assert_eq!(ranks.quantile(share).unwrap(), place - 50);
            }
            assert_eq!(bulk_width(&shells).unwrap(), 90);
        }
        check::<1>();
        check::<2>();
    }
}
