//! Measures above the law of a sum.

use rug::{Complete, Integer};

use super::places::{Places, Row, bulk};
use super::product::convolve;
use super::rows::{Entry, joined, push, rows_of_sum, too_far};
use crate::kernel::{Budget, Failure, InvariantViolation};

/// A measure with ∫φ at least E φ(S) for every convex φ ≥ 0 on [0, ∞), whatever φ's slope at ∞: masses at points, in units of 2^−bits,
/// and a weight at ∞ that counts that slope (δ_remove of a call has slope 1, a put 0).
///
/// Each of these keeps it so: to round a mass up; to spread a mass onto two points with the same mean, or a little more on either; to add independent terms, as ∫φ(x + y)dν(x) is such
/// a function of y for fixed ν, with the total mass of ν times the slope.
#[derive(Debug, Clone)]
pub(super) struct Above {
    /// Masses at multiples of 2^shell, shell by shell.
    rows: Vec<Row<Integer>>,
    /// Weight of the slope at ∞, in units of distance times 2^−bits.
    infinite: Integer,
    bits: u32,
}

impl Above {
    /// From points in units, in increasing order, and their masses.
    ///
    /// # Errors
    /// Only if an invariant fails.
    pub(super) fn new(
        points: Vec<(Integer, Integer)>,
        infinite: Integer,
        bits: u32,
        places: &Places,
    ) -> Result<Self, InvariantViolation> {
        let mut entries: Vec<Vec<(u64, Integer)>> = Vec::new();
        for (place, mass) in points {
            // As coarse as the point lies on it and the places want it.
            let aligned = place.find_one(0).unwrap_or(u32::MAX);
            let mut shell = 0u32;
            while shell < aligned && places.coarser(shell, index(&place, shell)) > 0 {
                shell = shell.saturating_add(1);
            }
            let found = Integer::from(&place >> shell)
                .to_u64()
                .ok_or_else(too_far)?;
            push(&mut entries, shell, found, mass);
        }
        Ok(Self {
            rows: joined(entries)?,
            infinite,
            bits,
        })
    }

    /// The law of the sum of both, rounded up, arranged around its bulk.
    ///
    /// # Errors
    /// If the budget ends; an invariant violation is an internal error.
    pub(super) fn plus(&self, other: &Self, reach: u64, budget: &Budget) -> Result<Self, Failure> {
        let rows = rows_of_sum(&self.rows, &other.rows, self.bits, budget)?;
        let (one, two) = (self.total(), other.total());
        let infinite = (&self.infinite * two) + (&other.infinite * one);
        let all = Self {
            rows,
            infinite: up(infinite, self.bits),
            bits: self.bits,
        };
        Ok(all.arranged(reach)?)
    }

    /// Spread onto coarser points far from the bulk.
    fn arranged(self, reach: u64) -> Result<Self, InvariantViolation> {
        let places = {
            let points = self.points();
            let (centre, spread) = bulk(&points);
            Places::around(centre, &spread, 0, reach)
        };
        let mut entries: Vec<Vec<(u64, Integer)>> = Vec::new();
        for (shell, row) in (0u32..).zip(self.rows) {
            let coarser = places.of_shell(shell);
            for (index, mass) in (row.first..).zip(row.entries) {
                if mass == 0 {
                    continue;
                }
                let more = coarser(index);
                let target = shell.saturating_add(more);
                let low = index.checked_shr(more).unwrap_or(0);
                let rest = index.saturating_sub(low.checked_shl(more).unwrap_or(0));
                if rest == 0 {
                    push(&mut entries, target, low, mass);
                    continue;
                }
                let rise = up(Integer::from(&mass * rest), more);
                let width = Integer::from(1) << more;
                let stay = up(mass * (width - rest), more);
                push(&mut entries, target, low, stay);
                push(&mut entries, target, low.saturating_add(1), rise);
            }
        }
        Ok(Self {
            rows: joined(entries)?,
            infinite: self.infinite,
            bits: self.bits,
        })
    }

    /// The points with a mass in increasing order, in units.
    pub(super) fn points(&self) -> Vec<(Integer, &Integer)> {
        let mut all: Vec<(Integer, &Integer)> = Vec::new();
        for (shell, row) in (0u32..).zip(&self.rows) {
            let masses = row.iter().filter(|(_, mass)| **mass != 0);
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
        entries.sum()
    }
}

/// The index of a place in units on a shell, rounded down; the largest number if it is none.
pub(super) fn index(place: &Integer, shell: u32) -> u64 {
    Integer::from(place >> shell).to_u64().unwrap_or(u64::MAX)
}

/// ⌈x/2^bits⌉.
pub(super) fn up(x: Integer, bits: u32) -> Integer {
    -((-x) >> bits)
}

/// A mass at the lower end of its cell.
impl Entry for Integer {
    fn join(&mut self, other: Self) {
        *self += other;
    }

    fn doubled(&self) -> Self {
        (self << 1u32).complete()
    }

    fn products(a: &[Self], b: &[Self]) -> Vec<Self> {
        convolve(a, b)
    }

    /// Rounded up.
    fn rounded(row: Row<Self>, bits: u32) -> Result<Row<Self>, InvariantViolation> {
        Ok(Row {
            first: row.first,
            entries: row.entries.into_iter().map(|mass| up(mass, bits)).collect(),
        })
    }

    /// What lies between two points is spread onto both, rounded up.
    fn halved(row: &Row<Self>) -> Result<Row<Self>, InvariantViolation> {
        let mut all: Vec<(u64, Self)> = Vec::with_capacity(row.entries.len());
        for (index, mass) in row.iter().filter(|(_, mass)| **mass != 0) {
            let low = index / 2;
            if index.is_multiple_of(2) {
                all.push((low, mass.clone()));
            } else {
                let half = up(mass.clone(), 1);
                all.push((low, half.clone()));
                all.push((low.saturating_add(1), half));
            }
        }
        Row::of(all, Entry::join)
    }
}
