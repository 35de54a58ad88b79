//! How far one record moves sums with correlated noise, by the matrix as it is stated: a Toeplitz matrix by its column, another one by its rows (M7 of `proofs/FORMAT.md`).

use crate::sensitivity::{Column, Schedule, ends};
use crate::*;

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
    pub fn largest_norm(&self) -> Result<BigRational> {
        match self {
            Self::Toeplitz(column, steps) => Ok(column.norm(*steps)?.1),
            Self::Rows(columns) => Ok(columns.norms.iter().map(|norm| ends(norm).1).max().unwrap_or_default()),
        }
    }

    /// s² over the steps of a schedule; of the evenly spaced ones alone, if there is no other way to take part.
    pub fn square(&self, schedule: Schedule, is_even: bool) -> Result<Square> {
        match self {
            Self::Toeplitz(column, steps) => {
                let (least, most) = column.square(schedule)?;
                if &most - &least < BigRational::new(1.into(), BigInt::from(1) << 128) || *steps > FEW_STEPS {
                    return Ok((least, most));
                }
                let (low, high) = Columns::new(column.columns(*steps))?.square(schedule, is_even)?;
                Ok((least.max(low), most.min(high)))
            }
            Self::Rows(columns) => columns.square(schedule, is_even),
        }
    }

    /// The squared norms in the rounds of cyclic sampling, of the first group at least and of all at most, and how often each.
    pub fn rounds(&self, apart: u64) -> Result<Vec<(Square, u64)>> {
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
/// Of a Toeplitz matrix of more steps no patterns are looked at.
const FEW_STEPS: u64 = 128;
/// More patterns are not looked at.
const MOST_PATTERNS: u64 = 1 << 16;

impl Columns {
    /// By rows, each up to the diagonal, or with zeros beyond it.
    pub fn of_rows(rows: &[Vec<BigRational>], steps: u64) -> Result<Self> {
        let is_lower = |(row, length): (&Vec<BigRational>, usize)| {
            row.len() >= length && row.iter().skip(length).all(Zero::is_zero)
        };
        let what = "`matrix` does not have `steps` rows, each up to the diagonal, or zeros from there on";
        let is_square = u64::try_from(rows.len()) == Ok(steps);
        Reason::Malformed.when(!is_square || !rows.iter().zip(1..).all(is_lower), what)?;
        Reason::Limit.when(rows.len() > MOST_ROWS, "a matrix of more than 1024 rows")?;
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
        Self::new(columns)
    }

    fn new(columns: Vec<Vec<Real>>) -> Result<Self> {
        let mut all = Self { columns, norms: Vec::new() };
        all.norms = (0..all.columns.len()).map(|i| all.product(i, i)).collect::<Result<_>>()?;
        Ok(all)
    }

    fn bands(&self) -> u64 {
        u64::try_from(self.columns.iter().map(Vec::len).max().unwrap_or(0)).unwrap_or(u64::MAX)
    }

    /// G_ij, i ≤ j.
    fn product(&self, i: usize, j: usize) -> Result<Real> {
        let (Some(first), Some(second)) = (self.columns.get(i), self.columns.get(j)) else { return Ok(Real::int(0)) };
        spend_each(second.len().min(first.len()) + 1, 500)?;
        Ok(first.iter().skip(j.saturating_sub(i)).zip(second).map(|(x, y)| x.times(y)).sum())
    }

    /// One step, or columns without a common row: the largest Σ G_ii (X3). Else patterns are looked at: Σ |G_ij| at most, and at least what some signs
    /// give, chosen one after the other; where there are too many, at most the heaviest sum of rows of |G| (X2).
    fn square(&self, schedule: Schedule, is_even: bool) -> Result<Square> {
        let (count, apart) = (schedule.count(), usize::try_from(schedule.apart).unwrap_or(usize::MAX));
        if !is_even && (count == 1 || self.bands() <= schedule.apart) {
            let (low, high): (Vec<_>, Vec<_>) = self.norms.iter().map(|x| (x.lo.clone(), x.hi.clone())).unzip();
            return Ok(ends(&Real::new(heaviest(&low, count, apart)?, heaviest(&high, count, apart)?)));
        }
        let product = |i: usize, j: usize| match is_even && !(j - i).is_multiple_of(apart) || i != j && j - i < apart {
            true => Ok(Real::int(0)),
            false => self.product(i, j),
        };
        let row = |j: usize| (0..=j).map(|i| product(i, j)).collect::<Result<_>>();
        let rows = (0..self.columns.len()).map(row).collect::<Result<_>>()?;
        let mut gram = Gram { rows, count, apart, is_even, best: Real::int(0), tried: 0 };
        gram.grow(&[], [&Real::int(0), &Real::int(0)])?;
        if gram.tried > MOST_PATTERNS {
            gram.best.hi = gram.sum_of_rows()?;
        }
        Ok(ends(&gram.best))
    }
}

/// The largest sum of so many weights, any two of them so far apart: with one, two and so on of them, from each place on.
fn heaviest(weights: &[BigInt], count: u64, apart: usize) -> Result<BigInt> {
    let mut best = vec![BigInt::zero(); weights.len() + 1];
    for _ in 0..count {
        spend_each(weights.len(), 100)?;
        // From the last place on.
        let mut next = vec![BigInt::zero()];
        for (done, weight) in weights.iter().rev().enumerate() {
            let after = best.get((done + 1).saturating_sub(apart)).cloned().unwrap_or_default();
            let without = next.last().cloned().unwrap_or_default();
            next.push(without.max(weight + after));
        }
        best = next;
    }
    Ok(best.last().cloned().unwrap_or_default())
}

/// The patterns of a matrix.
struct Gram {
    /// G_ij of steps that one pattern may have both of, i ≤ j, and 0 of others.
    rows: Vec<Vec<Real>>,
    count: u64,
    apart: usize,
    is_even: bool,
    /// The largest of both ends, and of how many patterns.
    best: Real,
    tried: u64,
}

impl Gram {
    fn at(&self, i: usize, j: usize) -> Real {
        self.rows.get(i.max(j)).and_then(|row| row.get(i.min(j))).cloned().unwrap_or_else(|| Real::int(0))
    }

    /// At least Σ |G_ij| of each pattern: in the row of i, G_ii and the heaviest others; of these the heaviest pattern.
    fn sum_of_rows(&self) -> Result<BigInt> {
        let row = |i: usize| {
            let mut sizes: Vec<_> = (0..self.rows.len()).map(|j| self.at(i, j).size().hi).collect();
            let own = sizes.get_mut(i).map(std::mem::take).unwrap_or_default();
            Ok(own + heaviest(&sizes, self.count - 1, self.apart)?)
        };
        let rows = (0..self.rows.len()).map(row).collect::<Result<Vec<_>>>()?;
        heaviest(&rows, self.count, self.apart)
    }

    /// All patterns that begin with these steps, each with whether its sign is minus, which add up to at least and at most so much.
    fn grow(&mut self, before: &[(usize, bool)], [least, most]: [&Real; 2]) -> Result<()> {
        let first = before.last().map_or(0, |(last, _)| last.saturating_add(self.apart));
        let evenly = first.saturating_add(if before.is_empty() { self.apart } else { 1 });
        for step in first..self.rows.len().min(if self.is_even { evenly } else { usize::MAX }) {
            if u64::try_from(before.len()) == Ok(self.count) || self.tried > MOST_PATTERNS {
                break;
            }
            self.tried += 1;
            spend_each(before.len() + 1, 200)?;
            let (mut signed, mut sizes, norm) = (Real::int(0), Real::int(0), self.at(step, step));
            for (other, is_minus) in before {
                let product = self.at(*other, step);
                sizes = sizes.plus(&product.size());
                signed = if *is_minus { signed.minus(&product) } else { signed.plus(&product) };
            }
            let is_minus = signed.lo.is_negative();
            let signed = if is_minus { signed.neg() } else { signed };
            let least = least.plus(&norm).plus(&signed).plus(&signed);
            let most = most.plus(&norm).plus(&sizes).plus(&sizes);
            self.best = self.best.larger(&Real::new(least.lo.clone(), most.hi.clone()));
            self.grow(&[before, &[(step, is_minus)]].concat(), [&least, &most])?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "matrix_tests.rs"]
mod tests;
