//! Masses at consecutive indices of a lattice.

use super::mass::{Mass, Product};
use super::transform;
use crate::kernel::InvariantViolation;

/// Masses at the indices `first`, `first + 1`, …; zero everywhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<const L: usize> {
    first: i64,
    masses: Vec<Mass<L>>,
}

impl<const L: usize> Row<L> {
    /// No mass at all.
    pub const EMPTY: Self = Self {
        first: 0,
        masses: Vec::new(),
    };

    /// The masses from index `first` on.
    pub fn new(first: i64, masses: Vec<Mass<L>>) -> Self {
        Self { first, masses }
    }

    /// Index of the first mass.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// One beyond the index of the last mass.
    pub fn end(&self) -> i64 {
        self.first
            .saturating_add(i64::try_from(self.masses.len()).unwrap_or(i64::MAX))
    }

    /// The masses from `first` on.
    pub fn masses(&self) -> &[Mass<L>] {
        &self.masses
    }

    /// Are there no indices?
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }

    /// The mass at an index.
    pub fn at(&self, index: i64) -> Mass<L> {
        index
            .checked_sub(self.first)
            .and_then(|i| usize::try_from(i).ok())
            .and_then(|i| self.masses.get(i))
            .copied()
            .unwrap_or(Mass::ZERO)
    }

    /// Indices and masses.
    pub fn atoms(&self) -> impl Iterator<Item = (i64, &Mass<L>)> {
        let count = i64::try_from(self.masses.len()).unwrap_or(i64::MAX);
        (0..count)
            .map(|i| self.first.saturating_add(i))
            .zip(&self.masses)
    }

    /// Σ masses.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn total(&self) -> Result<Mass<L>, InvariantViolation> {
        Mass::sum(&self.masses)
    }

    /// Both added up, index by index.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn plus(&self, other: &Self) -> Result<Self, InvariantViolation> {
        if self.is_empty() {
            return Ok(other.clone());
        }
        if other.is_empty() {
            return Ok(self.clone());
        }
        let first = self.first.min(other.first);
        let masses = (first..self.end().max(other.end()))
            .map(|index| self.at(index).plus(&other.at(index)))
            .collect::<Result<_, _>>()?;
        Ok(Self { first, masses })
    }

    /// The part with indices in `from..to`.
    pub fn between(&self, from: i64, to: i64) -> Self {
        let from = from.max(self.first);
        let to = to.min(self.end());
        let skipped = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let taken = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
        Self {
            first: from,
            masses: self
                .masses
                .iter()
                .skip(skipped)
                .take(taken)
                .copied()
                .collect(),
        }
    }

    /// Without the zeros at both ends.
    #[must_use]
    pub fn stripped(mut self) -> Self {
        let last = self.masses.iter().rposition(|mass| !mass.is_zero());
        self.masses
            .truncate(last.map_or(0, |i| i.saturating_add(1)));
        let leading = self.masses.iter().take_while(|mass| mass.is_zero()).count();
        self.masses.drain(..leading);
        self.first = self
            .first
            .saturating_add(i64::try_from(leading).unwrap_or(0));
        self
    }

    /// Drops the last `count` masses.
    pub(super) fn drop_last(&mut self, count: usize) {
        self.masses
            .truncate(self.masses.len().saturating_sub(count));
    }

    /// Drops the first `count` masses.
    pub(super) fn drop_first(&mut self, count: usize) {
        let count = count.min(self.masses.len());
        self.masses.drain(..count);
        self.first = self.first.saturating_add(i64::try_from(count).unwrap_or(0));
    }

    /// Adds to the first mass.
    ///
    /// # Errors
    /// If the sum does not fit, or there is none.
    pub(super) fn add_to_first(&mut self, added: &Mass<L>) -> Result<(), InvariantViolation> {
        match self.masses.first_mut() {
            Some(mass) => *mass = mass.plus(added)?,
            None if added.is_zero() => {}
            None => return Err(InvariantViolation("no atom to add to".into())),
        }
        Ok(())
    }

    /// Σ over pairs of indices that add up to the same: the exact convolution.
    ///
    /// # Errors
    /// If a check of the product fails: an internal error.
    pub fn convolve(&self, other: &Self) -> Result<ProductRow<L>, InvariantViolation> {
        if self.is_empty() || other.is_empty() {
            return Ok(ProductRow::EMPTY);
        }
        let first = self
            .first
            .checked_add(other.first)
            .ok_or_else(|| InvariantViolation("a lattice index overflows".into()))?;
        Ok(ProductRow {
            first,
            products: transform::convolve(&self.masses, &other.masses)?,
        })
    }
}

/// Products of masses at consecutive indices, in units of 2^−2·bits.
#[derive(Debug, Clone)]
pub struct ProductRow<const L: usize> {
    first: i64,
    products: Vec<Product<L>>,
}

impl<const L: usize> ProductRow<L> {
    /// Nothing.
    pub const EMPTY: Self = Self {
        first: 0,
        products: Vec::new(),
    };

    /// Index of the first product.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The products from `first` on.
    pub fn products(&self) -> &[Product<L>] {
        &self.products
    }

    /// Both added up, index by index.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn plus(self, other: Self) -> Result<Self, InvariantViolation> {
        if self.products.is_empty() {
            return Ok(other);
        }
        if other.products.is_empty() {
            return Ok(self);
        }
        let (mut low, high) = if self.first <= other.first {
            (self, other)
        } else {
            (other, self)
        };
        let gap = usize::try_from(high.first.saturating_sub(low.first)).unwrap_or(usize::MAX);
        let wanted = gap.saturating_add(high.products.len());
        if low.products.len() < wanted {
            low.products.resize(wanted, Product::ZERO);
        }
        for (sum, product) in low.products.iter_mut().skip(gap).zip(&high.products) {
            *sum = sum.plus(product)?;
        }
        Ok(low)
    }
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
    fn rows_add_by_index() {
        let sum = row(-2, &[1, 2]).plus(&row(1, &[5])).unwrap();
        assert_eq!(sum, row(-2, &[1, 2, 0, 5]));
        assert_eq!(sum.between(-1, 1), row(-1, &[2, 0]));
        assert_eq!(sum.between(5, 9).masses().len(), 0);
        assert_eq!(row(3, &[0, 0, 7, 0]).stripped(), row(5, &[7]));
        assert!(row(3, &[0]).stripped().is_empty());
        assert_eq!(Row::EMPTY.plus(&row(4, &[1])).unwrap(), row(4, &[1]));
        assert_eq!(sum.end(), 2);
        assert_eq!(
            sum.atoms().map(|(i, _)| i).collect::<Vec<_>>(),
            [-2, -1, 0, 1]
        );
    }

    #[test]
    fn products_add_by_index() {
        let a = row(0, &[1, 2]).convolve(&row(3, &[1])).unwrap();
        let b = row(1, &[1]).convolve(&row(5, &[9])).unwrap();
        for sum in [a.clone().plus(b.clone()).unwrap(), b.plus(a).unwrap()] {
            assert_eq!(sum.first(), 3);
            let values: Vec<u64> = sum.products().iter().map(|p| p.low.limbs()[0]).collect();
            assert_eq!(values, [1, 2, 0, 9]);
        }
        // From the same place on, and one within the other.
        let one = row(0, &[1]);
        for (first, a, at, b, expected) in [
            (3, &[1u64, 2][..], 3, &[5u64, 6, 7][..], &[6u64, 8, 7][..]),
            (3, &[1, 2, 3, 4][..], 4, &[9][..], &[1, 11, 3, 4][..]),
        ] {
            let of = |first, masses| row(first, masses).convolve(&one).unwrap();
            for sum in [of(first, a).plus(of(at, b)), of(at, b).plus(of(first, a))] {
                let values = sum.unwrap();
                let values = values.products().iter().map(|p| p.low.limbs()[0]);
                assert_eq!(values.collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn what_is_added_goes_to_the_first() {
        let mut sum = row(4, &[1, 2, 3]);
        sum.add_to_first(&Mass::from_limbs([10])).unwrap();
        assert_eq!(sum, row(4, &[11, 2, 3]));
        assert!(row(0, &[]).add_to_first(&Mass::ZERO).is_ok());
        assert!(row(0, &[]).add_to_first(&Mass::from_limbs([1])).is_err());
    }
}
