//! How far one record moves sums with correlated noise, by the matrix as it is stated: a Toeplitz matrix by its column, another one by its rows (M7 of `proofs/FORMAT.md`).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::real::Real;
use crate::reason::Rejected;
use crate::sensitivity::{Column, Schedule, Square, ends};
use crate::work::{spend, spend_each};

pub enum Matrix {
    /// Of so many steps.
    Toeplitz(Column, u64),
    Rows(Columns),
}

impl Matrix {
    pub fn bands(&self) -> u64 {
        match self {
            Self::Toeplitz(column, _) => column.bands(),
            Self::Rows(columns) => columns.bands(),
        }
    }

    /// At least the largest squared norm of a column.
    pub fn largest_norm(&self) -> Result<BigRational, Rejected> {
        match self {
            Self::Toeplitz(column, steps) => Ok(column.norm(*steps)?.1),
            Self::Rows(columns) => Ok(columns.norms.iter().map(|norm| ends(norm).1).max().unwrap_or_default()),
        }
    }

    /// s² over the steps of a schedule; of the evenly spaced ones alone, if there is no other way to take part.
    pub fn square(&self, schedule: Schedule, is_even: bool) -> Result<Square, Rejected> {
        match self {
            Self::Toeplitz(column, _) => column.square(schedule),
            Self::Rows(columns) => columns.square(schedule, is_even),
        }
    }

    /// The squared norms in the rounds of cyclic sampling, of the first group at least and of all at most, and how often each.
    pub fn rounds(&self, apart: u64) -> Result<Vec<(Square, u64)>, Rejected> {
        match self {
            Self::Toeplitz(column, steps) => {
                // All rounds but the last one have the whole column, and it may have, too.
                let rounds = steps.div_ceil(apart);
                let last = steps - (rounds - 1) * apart;
                let full = if last >= column.bands() { rounds } else { rounds - 1 };
                Ok(vec![(column.norm(*steps)?, full), (column.norm(last)?, rounds - full)])
            }
            Self::Rows(columns) => {
                let length = usize::try_from(apart).unwrap_or(usize::MAX);
                let round = |norms: &[Real]| {
                    let most = norms.iter().map(|norm| ends(norm).1).max().unwrap_or_default();
                    (norms.first().map_or_else(BigRational::zero, |first| ends(first).0), most)
                };
                Ok(columns.norms.chunks(length).map(|norms| (round(norms), 1)).collect())
            }
        }
    }
}

/// The columns of a lower-triangular matrix from the diagonal on, without the zeros at their ends.
pub struct Columns {
    columns: Vec<Vec<Real>>,
    norms: Vec<Real>,
}

/// More rows are not read.
const MOST_ROWS: usize = 1024;
/// More patterns are not looked at.
const MOST_PATTERNS: u64 = 1 << 16;

impl Columns {
    /// By rows, each up to the diagonal, or with zeros beyond it.
    pub fn of_rows(rows: &[Vec<BigRational>], steps: u64) -> Result<Self, Rejected> {
        let is_lower = |(row, length): (&Vec<BigRational>, usize)| {
            row.len() >= length && row.iter().skip(length).all(Zero::is_zero)
        };
        if u64::try_from(rows.len()) != Ok(steps) || !rows.iter().zip(1..).all(is_lower) {
            return Err(Rejected::malformed(
                "`matrix` does not have `steps` rows, each up to the diagonal, or zeros from there on",
            ));
        }
        if rows.len() > MOST_ROWS {
            return Err(Rejected::limit("a matrix of more than 1024 rows"));
        }
        let mut columns: Vec<Vec<Real>> = vec![Vec::new(); rows.len()];
        for (row, length) in rows.iter().zip(1..) {
            for (column, x) in columns.iter_mut().zip(row).take(length) {
                spend(500)?;
                column.push(Real::of(x));
            }
        }
        for column in &mut columns {
            while column.pop_if(|x| x.lo.is_zero() && x.hi.is_zero()).is_some() {}
        }
        let mut all = Self { columns, norms: Vec::new() };
        all.norms = (0..all.columns.len()).map(|i| all.product(i, i)).collect::<Result<_, _>>()?;
        Ok(all)
    }

    fn bands(&self) -> u64 {
        u64::try_from(self.columns.iter().map(Vec::len).max().unwrap_or(0)).unwrap_or(u64::MAX)
    }

    /// G_ij, i ≤ j.
    fn product(&self, i: usize, j: usize) -> Result<Real, Rejected> {
        let (Some(first), Some(second)) = (self.columns.get(i), self.columns.get(j)) else { return Ok(Real::int(0)) };
        spend_each(second.len().min(first.len()) + 1, 500)?;
        let both = first.iter().skip(j.saturating_sub(i)).zip(second);
        Ok(both.fold(Real::int(0), |sum, (x, y)| sum.plus(&x.times(y))))
    }

    /// One step, or columns without a common row: the largest Σ G_ii (X3). Else all patterns are looked at: Σ |G_ij| at most, and at least what some signs
    /// give, chosen one after the other (X2).
    fn square(&self, schedule: Schedule, is_even: bool) -> Result<Square, Rejected> {
        let count = schedule.most.min(schedule.steps.div_ceil(schedule.apart));
        let apart = usize::try_from(schedule.apart).unwrap_or(usize::MAX);
        let mut found = Found { best: Real::int(0), tried: 0 };
        if !is_even && (count == 1 || self.bands() <= schedule.apart) {
            let heaviest = |end: fn(&Real) -> &BigInt| self.heaviest(count, apart, end);
            found.best = Real::new(heaviest(|norm| &norm.lo)?, heaviest(|norm| &norm.hi)?);
        } else {
            let last = if is_even { apart.min(self.columns.len()) } else { self.columns.len() };
            for first in 0..last {
                let grown = Pattern { steps: Vec::new(), least: Real::int(0), most: Real::int(0) };
                self.grow(&grown, first, count, apart, is_even, &mut found)?;
            }
        }
        Ok(ends(&found.best))
    }

    /// The largest sum of so many numbers, any two of them so far apart, of one end of the norms: with one, two and so on of them, from each place on.
    fn heaviest(&self, count: u64, apart: usize, end: fn(&Real) -> &BigInt) -> Result<BigInt, Rejected> {
        let mut best = vec![BigInt::zero(); self.norms.len() + 1];
        for _ in 0..count {
            spend_each(self.norms.len(), 100)?;
            // From the last place on.
            let mut next = vec![BigInt::zero()];
            for (done, norm) in self.norms.iter().rev().enumerate() {
                let after = best.get((done + 1).saturating_sub(apart)).cloned().unwrap_or_default();
                let without = next.last().cloned().unwrap_or_default();
                next.push(without.max(end(norm) + after));
            }
            best = next;
        }
        Ok(best.last().cloned().unwrap_or_default())
    }

    /// This pattern with one step more, and all that begin with it.
    fn grow(
        &self, before: &Pattern, step: usize, left: u64, apart: usize, is_even: bool, found: &mut Found,
    ) -> Result<(), Rejected> {
        let Some(norm) = self.norms.get(step).filter(|_| left > 0) else { return Ok(()) };
        found.tried += 1;
        if found.tried > MOST_PATTERNS {
            return Err(Rejected::limit("a matrix of which more than 2^16 patterns would be looked at"));
        }
        let (mut signed, mut sizes) = (Real::int(0), Real::int(0));
        for (other, is_minus) in &before.steps {
            let product = self.product(*other, step)?;
            sizes = sizes.plus(&product.size());
            signed = if *is_minus { signed.minus(&product) } else { signed.plus(&product) };
        }
        let is_minus = signed.lo.is_negative();
        let signed = if is_minus { signed.neg() } else { signed };
        let mut steps = before.steps.clone();
        steps.push((step, is_minus));
        let least = before.least.plus(norm).plus(&signed).plus(&signed);
        let most = before.most.plus(norm).plus(&sizes).plus(&sizes);
        let best = &found.best;
        found.best = Real::new(best.lo.clone().max(least.lo.clone()), best.hi.clone().max(most.hi.clone()));
        let pattern = Pattern { steps, least, most };
        let first = step.saturating_add(apart);
        let last = if is_even { self.norms.len().min(first.saturating_add(1)) } else { self.norms.len() };
        (first..last).try_for_each(|next| self.grow(&pattern, next, left - 1, apart, is_even, found))
    }
}

/// Steps, each with its sign, and what they add up to.
struct Pattern {
    steps: Vec<(usize, bool)>,
    least: Real,
    most: Real,
}

/// The largest of both ends, and how many patterns were looked at.
struct Found {
    best: Real,
    tried: u64,
}

#[cfg(test)]
#[path = "matrix_tests.rs"]
mod tests;
