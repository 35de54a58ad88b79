//! A measure on one side of the law of a sum, whatever its cells hold.

use rug::Integer;

use super::places::{Places, Row, bulk};
use super::rows::{Entry, joined, push, rows_of_sum};
use crate::kernel::{Budget, Failure};

/// Entries at multiples of 2^shell, shell by shell, and a weight at ∞; what it is a bound of, and why, says the kind of entry.
#[derive(Debug, Clone)]
pub(super) struct Measure<T> {
    pub(super) rows: Vec<Row<T>>,
    /// Weight of the slope at ∞, in units of distance times 2^−bits.
    infinite: Integer,
    bits: u32,
}

impl<T: Entry> Measure<T> {
    /// From entries with their indices, shell by shell.
    ///
    /// # Errors
    /// Only if an invariant fails.
    pub(super) fn of(
        entries: Vec<Vec<(u64, T)>>,
        infinite: Integer,
        bits: u32,
    ) -> Result<Self, Failure> {
        Ok(Self {
            rows: joined(entries)?,
            infinite,
            bits,
        })
    }

    /// The law of the sum of both, rounded to its side, arranged around its bulk.
    ///
    /// # Errors
    /// If the budget ends; an invariant violation is an internal error.
    pub(super) fn plus(&self, other: &Self, reach: u64, budget: &Budget) -> Result<Self, Failure> {
        let rows = rows_of_sum(&self.rows, &other.rows, self.bits, budget)?;
        let (one, two) = (self.total(), other.total());
        let infinite = (&self.infinite * two) + (&other.infinite * one);
        let all = Self {
            rows,
            infinite: T::weight_rounded(infinite, self.bits),
            bits: self.bits,
        };
        all.arranged(reach)
    }

    /// Brought onto coarser cells far from the bulk.
    fn arranged(self, reach: u64) -> Result<Self, Failure> {
        let places = {
            let points = self.places();
            let (centre, spread) = bulk(&points);
            Places::around(centre, &spread, 0, reach)
        };
        let mut entries: Vec<Vec<(u64, T)>> = Vec::new();
        for (shell, row) in (0u32..).zip(self.rows) {
            let coarser = places.of_shell(shell);
            for (index, entry) in (row.first..).zip(row.entries) {
                if *entry.mass() == 0 {
                    continue;
                }
                let more = coarser(index);
                let target = shell.saturating_add(more);
                let low = index.checked_shr(more).unwrap_or(0);
                let within = index.saturating_sub(low.checked_shl(more).unwrap_or(0));
                entry.coarser(within, more, |up, entry| {
                    push(&mut entries, target, low.saturating_add(up), entry);
                });
            }
        }
        Self::of(entries, self.infinite, self.bits)
    }

    /// Where there is a mass: the starts of cells in units, in order, with it.
    pub(super) fn places(&self) -> Vec<(Integer, &Integer)> {
        let mut all: Vec<(Integer, &Integer)> = Vec::new();
        for (shell, row) in (0u32..).zip(&self.rows) {
            let masses = row.iter().map(|(index, entry)| (index, entry.mass()));
            let masses = masses.filter(|(_, mass)| **mass != 0);
            all.extend(masses.map(|(index, mass)| (Integer::from(index) << shell, mass)));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Weight of the slope at ∞.
    pub(super) fn infinite(&self) -> &Integer {
        &self.infinite
    }

    /// Masses are in units of 2^−this.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    fn total(&self) -> Integer {
        let entries = self.rows.iter().flat_map(|row| &row.entries);
        entries.map(T::mass).sum()
    }
}
