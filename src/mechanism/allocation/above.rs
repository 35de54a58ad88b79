//! Measures above the law of a sum.

use rug::{Complete, Integer};

use super::measure::Measure;
use super::places::{Places, Row};
use super::product::convolve;
use super::rows::{Entry, push, too_far};
use crate::kernel::Failure;

/// A measure with ∫φ at least E φ(S) for every convex φ ≥ 0 on [0, ∞), whatever φ's slope at ∞: masses at points, in units of 2^−bits,
/// and a weight at ∞ that counts that slope (δ_remove of a call has slope 1, a put 0).
///
/// Each of these keeps it so: to round a mass up; to spread a mass onto two points with the same mean, or a little more on either; to add independent terms, as ∫φ(x + y)dν(x) is such
/// a function of y for fixed ν, with the total mass of ν times the slope.
pub(super) type Above = Measure<Integer>;

impl Measure<Integer> {
    /// From points in units, in increasing order, and their masses.
    ///
    /// # Errors
    /// Only if an invariant fails.
    pub(super) fn new(
        points: Vec<(Integer, Integer)>,
        infinite: Integer,
        bits: u32,
        places: &Places,
    ) -> Result<Self, Failure> {
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
        Self::of(entries, infinite, bits)
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
    fn mass(&self) -> &Integer {
        self
    }

    /// Rounded up.
    fn weight_rounded(x: Integer, bits: u32) -> Integer {
        up(x, bits)
    }

    /// Spread onto both ends of the coarser cell, rounded up.
    fn coarser(self, within: u64, more: u32, mut put: impl FnMut(u64, Self)) {
        if within == 0 {
            put(0, self);
            return;
        }
        let width = Integer::from(1) << more;
        let rise = up(Integer::from(&self * within), more);
        put(0, up(self * (width - within), more));
        put(1, rise);
    }

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
    fn rounded(row: Row<Self>, bits: u32) -> Result<Row<Self>, Failure> {
        Ok(Row {
            first: row.first,
            entries: row.entries.into_iter().map(|mass| up(mass, bits)).collect(),
        })
    }

    /// What lies between two points is spread onto both, rounded up.
    fn halved(row: &Row<Self>) -> Result<Row<Self>, Failure> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Random rows and units: no less mass, at places whose mean is no less, and no more than a unit of each more.
    #[test]
    fn random_rows_are_rounded_up() {
        let mut random = crate::kernel::coarse::Random(62);
        for _ in 0..10_000 {
            let bits = u32::try_from(random.below(12)).unwrap();
            let entries: Vec<Integer> = (0..1 + random.below(5))
                .map(|_| {
                    let digits = 1 + random.below(16);
                    Integer::from(random.below(1 << digits))
                })
                .collect();
            let first = random.below(9);
            let row = Row {
                first,
                entries: entries.clone(),
            };
            let moments = |row: &Row<Integer>, width: u64| {
                row.iter().fold(
                    (Integer::new(), Integer::new()),
                    |(sum, moment), (place, mass)| {
                        (sum + mass, moment + Integer::from(mass * place) * width)
                    },
                )
            };
            let halved = Integer::halved(&row).unwrap();
            let ((mass, moment), (more, farther)) = (moments(&row, 1), moments(&halved, 2));
            assert!(more >= mass && farther >= moment, "{entries:?}");
            assert!(more - mass <= 2 * entries.len(), "{entries:?}");
            let rounded = Integer::rounded(row, bits).unwrap();
            for (found, exact) in rounded.entries.iter().zip(&entries) {
                let gap = Integer::from(found << bits) - exact;
                assert!(gap >= 0 && gap < Integer::from(1) << bits, "{exact} {bits}");
                let weight = Integer::weight_rounded(exact.clone(), bits);
                assert_eq!(weight, *found, "{exact} {bits}");
            }
        }
    }

    /// Halved rows have no less mass, down to the last unit, at places whose mean is no less.
    #[test]
    fn halved_rows_keep_every_unit() {
        for masses in [[1u32, 1, 1, 1], [3, 2, 1, 0], [0, 1, 0, 1], [8, 5, 7, 2]] {
            let row = Row {
                first: 6,
                entries: masses.map(Integer::from).to_vec(),
            };
            let halved = Integer::halved(&row).unwrap();
            let moments = |row: &Row<Integer>, width: u64| {
                let all = row
                    .iter()
                    .map(|(place, mass)| (mass.clone(), Integer::from(mass * place) * width));
                all.fold((Integer::new(), Integer::new()), |sum, (mass, moment)| {
                    (sum.0 + mass, sum.1 + moment)
                })
            };
            let (before, after) = (moments(&row, 1), moments(&halved, 2));
            assert!(after.0 >= before.0 && after.1 >= before.1, "{masses:?}");
        }
    }
}
