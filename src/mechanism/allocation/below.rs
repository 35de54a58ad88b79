//! Measures below the law of a sum.

use rug::Integer;

use super::measure::Measure;
use super::places::Row;
use super::product::convolve;
use super::rows::{Entry, push, too_far};
use crate::kernel::Failure;

/// A measure with ∫φ at most E φ(S) for every convex φ ≥ 0 on [0, ∞) that does not fall: one point in each cell, and a weight at ∞ that counts
/// the slope of φ there.
///
/// Each of these keeps it so: to merge points into one with their mean; to move a point down; to drop a part of a mass; to add
/// independent terms.
pub(super) type Below = Measure<Point>;

/// A mass at (index + rest/mass)·2^shell units; both in units of 2^−bits.
#[derive(Debug, Clone, Default)]
pub(super) struct Point {
    pub(super) mass: Integer,
    pub(super) rest: Integer,
}

impl Measure<Point> {
    /// From cells (start, width as a power of two, point), where `rest` is in units of the width.
    ///
    /// # Errors
    /// Only if an invariant fails.
    pub(super) fn new(
        cells: Vec<(Integer, u32, Point)>,
        infinite: Integer,
        bits: u32,
    ) -> Result<Self, Failure> {
        let mut entries: Vec<Vec<(u64, Point)>> = Vec::new();
        for (start, shell, point) in cells {
            if point.mass == 0 {
                continue;
            }
            let index = Integer::from(&start >> shell)
                .to_u64()
                .ok_or_else(too_far)?;
            push(&mut entries, shell, index, point);
        }
        Self::of(entries, infinite, bits)
    }

    /// Places are given in units of 2^−this many more bits.
    pub(super) const FINE: u32 = 40;

    /// The points in increasing order: the place, in finer units and rounded down; the mass; the mass times the exact place, in units.
    pub(super) fn points(&self) -> Vec<(Integer, Integer, Integer)> {
        let mut all: Vec<(Integer, Integer, Integer)> = Vec::new();
        for (shell, row) in (0u32..).zip(&self.rows) {
            for (index, Point { mass, rest }) in row.iter() {
                if *mass == 0 {
                    continue;
                }
                // Of the moment, so that the last digit is worth the same on every shell.
                let moment = (Integer::from(mass * index) + rest) << shell;
                let place = Integer::from(&moment << Self::FINE) / mass;
                all.push((place, mass.clone(), moment));
            }
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

impl Entry for Point {
    fn mass(&self) -> &Integer {
        &self.mass
    }

    /// Rounded down.
    fn weight_rounded(x: Integer, bits: u32) -> Integer {
        x >> bits
    }

    /// Merged into the coarser cell, its place rounded down.
    fn coarser(self, within: u64, more: u32, mut put: impl FnMut(u64, Self)) {
        let Self { mass, rest } = self;
        let rest = (rest + Integer::from(&mass * within)) >> more;
        put(0, Self { mass, rest });
    }

    fn join(&mut self, other: Self) {
        self.mass += other.mass;
        self.rest += other.rest;
    }

    fn doubled(&self) -> Self {
        let twice = |x: &Integer| Integer::from(x << 1u32);
        Self {
            mass: twice(&self.mass),
            rest: twice(&self.rest),
        }
    }

    /// Masses multiply; the mean of a sum is the sum of the means.
    fn products(a: &[Self], b: &[Self]) -> Vec<Self> {
        let parts = |of: &[Self]| -> (Vec<Integer>, Vec<Integer>) {
            let one = |point: &Self| (point.mass.clone(), point.rest.clone());
            of.iter().map(one).unzip()
        };
        let ((mass_a, rest_a), (mass_b, rest_b)) = (parts(a), parts(b));
        let rests = convolve(&rest_a, &mass_b).into_iter();
        let rests = rests.zip(convolve(&mass_a, &rest_b)).map(|(x, y)| x + y);
        let masses = convolve(&mass_a, &mass_b).into_iter();
        let both = masses.zip(rests);
        both.map(|(mass, rest)| Self { mass, rest }).collect()
    }

    /// The mass rounded down, the point where it is or a little lower, in the cell where it lies.
    fn rounded(row: Row<Self>, bits: u32) -> Result<Row<Self>, Failure> {
        let mut all: Vec<(u64, Self)> = Vec::with_capacity(row.entries.len());
        for (index, point) in (row.first..).zip(row.entries) {
            let mass = Integer::from(&point.mass >> bits);
            if mass == 0 {
                continue;
            }
            let rest = (point.rest * &mass) / point.mass;
            let (cells, rest) = rest.div_rem_floor(mass.clone());
            let index = cells
                .to_u64()
                .and_then(|cells| index.checked_add(cells))
                .ok_or_else(too_far)?;
            all.push((index, Self { mass, rest }));
        }
        Row::of(all, Entry::join)
    }

    /// Two cells become one.
    fn halved(row: &Row<Self>) -> Result<Row<Self>, Failure> {
        let mut all: Vec<(u64, Self)> = Vec::with_capacity(row.entries.len());
        for (index, point) in row.iter().filter(|(_, point)| point.mass != 0) {
            let mass = point.mass.clone();
            let rest = if index.is_multiple_of(2) {
                point.rest.clone()
            } else {
                Integer::from(&point.rest + &mass)
            };
            let rest = rest >> 1u32;
            all.push((index / 2, Self { mass, rest }));
        }
        Row::of(all, Entry::join)
    }
}
