//! How much mass the ends of a law may lose (a hint: any value is sound).

use rug::Float;

use super::Lattice;
use super::mass::Mass;
use super::shells::{Shell, fine_index, rightmost};
use crate::kernel::{InvariantViolation, Pick};

/// Mass that may be cut off at each end of a law, as an absolute probability.
#[derive(Debug, Clone)]
pub struct TailBudget {
    /// Probability that an end may lose.
    pub mass: Float,
    /// What counts on the left.
    pub left: LeftEnd,
}

/// Which masses count on the left end of a law.
///
/// The P-mass of an atom is its Q-mass times e^{−y}: far on the left it is the larger of the two, and the profile of the
/// swapped pair lives on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftEnd {
    /// Both, so that the law serves both orders of the pair.
    BothMasses,
    /// The Q-mass: the law serves the order in which it is stated.
    QMass,
}

impl TailBudget {
    /// A budget of this probability; nothing is trimmed if it is not a positive number.
    pub fn new(mass: Float, left: LeftEnd) -> Self {
        Self {
            mass: if mass > 0 { mass } else { Float::new(64) },
            left,
        }
    }

    /// A share `steps/total` of the budget.
    #[must_use]
    pub fn share(&self, steps: u64, total: u64) -> Self {
        let scaled = Float::with_val(64, &self.mass * steps) / total.max(1);
        Self {
            mass: scaled,
            left: self.left,
        }
    }

    fn limit(&self, bits: u32) -> Float {
        Float::with_val(64, &self.mass << bits)
    }
}

/// Takes atoms off the right end that weigh no more than the budget, but not the last; returns their mass.
pub(super) fn take_right<const L: usize, S: Shell<L>>(
    shells: &mut [S],
    budget: &TailBudget,
    bits: u32,
) -> Result<Mass<L>, InvariantViolation> {
    let limit = budget.limit(bits).floor().to_integer().unwrap_or_default();
    let limit = Mass::from_integer(&limit).unwrap_or(Mass::ZERO);
    let mut taken = Mass::ZERO;
    while let Some(s) = rightmost(shells)
        && !is_single(shells)
        && let Some(shell) = shells.get_mut(s)
    {
        let last = shell
            .masses()
            .masses()
            .last()
            .copied()
            .unwrap_or(Mass::ZERO);
        let sum = taken.plus(&last)?;
        if !last.is_zero() && sum > limit {
            break;
        }
        taken = sum;
        shell.drop_last(1);
    }
    Ok(taken)
}

/// Takes atoms off the left end that weigh no more than the budget, but not the last; returns their mass under Q.
pub(super) fn take_left<const L: usize, S: Shell<L>>(
    shells: &mut [S],
    budget: &TailBudget,
    lattice: &Lattice,
    bits: u32,
) -> Result<Mass<L>, InvariantViolation> {
    let limit = budget.limit(bits);
    let positions = lattice.positions(64);
    let one = Float::with_val(64, 1);
    let mut weight = Float::new(64);
    let mut taken = Mass::ZERO;
    // What is left of each shell: its first index and its masses. They are taken off at the end, as each time moves all that stay.
    let mut rests: Vec<(i64, &[Mass<L>])> = shells
        .iter()
        .map(|shell| (shell.masses().first(), shell.masses().masses()))
        .collect();
    loop {
        let occupied = || {
            let rests = rests.iter().enumerate();
            rests.filter(|(_, (_, masses))| !masses.is_empty())
        };
        let Some((s, &(first, masses))) =
            occupied().min_by_key(|(s, (first, _))| fine_index(*first, *s))
        else {
            break;
        };
        // As many atoms at once as are left of the other shells, weighed as if all were at the first.
        let next = occupied()
            .filter(|(other, _)| *other != s)
            .map(|(other, (first, _))| fine_index(*first, other))
            .min();
        let free = next.map_or(i64::MAX, |next| (next >> s).saturating_sub(first).max(1));
        let length = masses.len().saturating_sub(usize::from(next.is_none()));
        let mut count = usize::try_from(free)
            .unwrap_or(usize::MAX)
            .min(BATCH)
            .min(length);
        let index = fine_index(first, s);
        let tilt = match budget.left {
            LeftEnd::BothMasses => Float::with_val(64, -positions.at(index).middle()).exp(),
            LeftEnd::QMass => one.clone(),
        };
        let tilt = tilt.larger(&one);
        let (batch, heavier) = loop {
            let batch = Mass::sum(masses.iter().take(count))?;
            let heavier = Float::with_val(64, &tilt * batch.to_integer()) + &weight;
            if heavier <= limit || batch.is_zero() || count == 0 {
                break (batch, heavier);
            }
            count /= 2;
        };
        if count == 0 {
            break;
        }
        weight = heavier;
        taken = taken.plus(&batch)?;
        if let Some(rest) = rests.get_mut(s) {
            let first = first.saturating_add(i64::try_from(count).unwrap_or(0));
            *rest = (first, masses.get(count..).unwrap_or_default());
        }
    }
    let lengths: Vec<usize> = rests.iter().map(|(_, masses)| masses.len()).collect();
    for (shell, length) in shells.iter_mut().zip(lengths) {
        shell.drop_first(shell.masses().masses().len().saturating_sub(length));
    }
    Ok(taken)
}

/// Atoms weighed at once.
const BATCH: usize = 16;

fn is_single<const L: usize, S: Shell<L>>(shells: &[S]) -> bool {
    let mut counts = shells.iter().map(|shell| shell.masses().masses().len());
    counts
        .try_fold(0usize, |sum, count| {
            let sum = sum.saturating_add(count);
            (sum <= 1).then_some(sum)
        })
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Offset;
    use crate::law::row::Row;
    use rug::Rational;

    fn shells() -> Vec<Row<1>> {
        let masses = [1u64, 2, 100, 2, 1, 1];
        vec![Row::new(
            0,
            masses.iter().map(|m| Mass::from_limbs([*m])).collect(),
        )]
    }

    fn lattice(step: (u32, u32), from: i64) -> Lattice {
        let step = Rational::from(step);
        Lattice::new(Offset::rational(Rational::from(&step * from)), step)
    }

    #[test]
    fn takes_what_fits_the_budget() {
        let budget = TailBudget::new(Float::with_val(64, 4) >> 10u32, LeftEnd::BothMasses);
        let mut law = shells();
        assert_eq!(take_right(&mut law, &budget, 10).unwrap().limbs(), &[4]);
        assert_eq!(law[0].masses().len(), 3);
        let flat = lattice((1, 1_000_000), 0);
        assert_eq!(
            take_left(&mut law, &budget, &flat, 10).unwrap().limbs(),
            &[3]
        );
        assert_eq!(law[0].masses().len(), 1);
        let steep = lattice((1, 1), -6);
        assert!(
            take_left(&mut shells(), &budget, &steep, 10)
                .unwrap()
                .is_zero()
        );
        let stated = TailBudget::new(budget.mass.clone(), LeftEnd::QMass);
        let taken = take_left(&mut shells(), &stated, &steep, 10).unwrap();
        assert_eq!(taken.limbs(), &[3]);
        let quarter = budget.share(1, 4);
        assert_eq!(
            take_right(&mut shells(), &quarter, 10).unwrap().limbs(),
            &[1]
        );
    }

    /// Three shells among each other, in many batches: the same atoms go as one by one.
    #[test]
    fn takes_the_leftmost_of_all_shells() {
        let row = |first, count| Row::new(first, vec![Mass::from_limbs([1u64]); count]);
        for limit in [0u32, 1, 9, 10, 11, 25, 60, 89, 90, 99, 200] {
            let mut law = vec![row(-10, 60), row(0, 40), row(-2, 3)];
            let places = [(0, -10..50), (1, 0..40), (2, -2..1)];
            let mut order: Vec<(i64, usize)> = places
                .into_iter()
                .flat_map(|(s, indices)| indices.map(move |i| (fine_index(i, s), s)))
                .collect();
            order.sort_unstable();
            let gone = usize::try_from(limit).unwrap().min(102);
            let (taken, kept) = order.split_at(gone);
            let mass = Float::with_val(64, limit) >> 10u32;
            let budget = TailBudget::new(mass, LeftEnd::QMass);
            let flat = lattice((1, 1_000_000), 0);
            let found = take_left(&mut law, &budget, &flat, 10).unwrap();
            assert_eq!(found.limbs(), &[taken.len() as u64], "{limit}");
            for (s, row) in law.iter().enumerate() {
                let left: Vec<i64> = kept
                    .iter()
                    .filter(|(_, of)| *of == s)
                    .map(|(i, _)| *i)
                    .collect();
                assert_eq!(row.masses().len(), left.len(), "{limit}");
                if let Some(first) = left.first() {
                    assert_eq!(fine_index(row.first(), s), *first, "{limit}");
                }
            }
        }
    }

    #[test]
    fn the_last_atom_stays() {
        let all = TailBudget::new(Float::with_val(64, 1), LeftEnd::BothMasses);
        let mut law = shells();
        take_right(&mut law, &all, 10).unwrap();
        assert_eq!(law[0].masses().len(), 1);
    }
}
