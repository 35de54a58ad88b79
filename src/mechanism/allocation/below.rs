//! Measures below the law of a sum.

use rug::Integer;

use super::places::{Places, Row, bulk};
use super::product::convolve;
use super::rows::{Entry, joined, push, rows_of_sum, too_far};
use crate::kernel::{Budget, Failure, InvariantViolation};

/// A measure with ∫φ at most E φ(S) for every convex φ ≥ 0 on [0, ∞) that does not fall: one point in each cell, and a weight at ∞ that counts
/// the slope of φ there.
///
/// Each of these keeps it so: to merge points into one with their mean; to move a point down; to drop a part of a mass; to add
/// independent terms.
#[derive(Debug, Clone)]
pub(super) struct Below {
    rows: Vec<Row<Point>>,
    /// Weight of the slope at ∞, in units of distance times 2^−bits.
    infinite: Integer,
    bits: u32,
}

/// A mass at (index + rest/mass)·2^shell units; both in units of 2^−bits.
#[derive(Debug, Clone, Default)]
pub(super) struct Point {
    pub(super) mass: Integer,
    pub(super) rest: Integer,
}

impl Below {
    /// From cells (start, width as a power of two, point), where `rest` is in units of the width.
    ///
    /// # Errors
    /// Only if an invariant fails.
    pub(super) fn new(
        cells: Vec<(Integer, u32, Point)>,
        infinite: Integer,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
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
        Ok(Self {
            rows: joined(entries)?,
            infinite,
            bits,
        })
    }

    /// The law of the sum of both, rounded down, arranged around its bulk.
    ///
    /// # Errors
    /// If the budget ends; an invariant violation is an internal error.
    pub(super) fn plus(&self, other: &Self, reach: u64, budget: &Budget) -> Result<Self, Failure> {
        let rows = rows_of_sum(&self.rows, &other.rows, self.bits, budget)?;
        let (one, two) = (self.total(), other.total());
        let infinite = (&self.infinite * two) + (&other.infinite * one);
        let all = Self {
            rows,
            infinite: infinite >> self.bits,
            bits: self.bits,
        };
        Ok(all.arranged(reach)?)
    }

    /// Merged into coarser cells far from the bulk.
    fn arranged(self, reach: u64) -> Result<Self, InvariantViolation> {
        let places = {
            let points = self.places();
            let (centre, spread) = bulk(&points);
            Places::around(centre, &spread, 0, reach)
        };
        let mut entries: Vec<Vec<(u64, Point)>> = Vec::new();
        for (shell, row) in (0u32..).zip(self.rows) {
            let coarser = places.of_shell(shell);
            for (index, Point { mass, rest }) in (row.first..).zip(row.entries) {
                if mass == 0 {
                    continue;
                }
                let more = coarser(index);
                let target = shell.saturating_add(more);
                let low = index.checked_shr(more).unwrap_or(0);
                let within = index.saturating_sub(low.checked_shl(more).unwrap_or(0));
                let rest = (rest + Integer::from(&mass * within)) >> more;
                push(&mut entries, target, low, Point { mass, rest });
            }
        }
        Ok(Self {
            rows: joined(entries)?,
            infinite: self.infinite,
            bits: self.bits,
        })
    }

    /// Starts of cells in units, in order, with their masses.
    fn places(&self) -> Vec<(Integer, &Integer)> {
        let mut all: Vec<(Integer, &Integer)> = Vec::new();
        for (shell, row) in (0u32..).zip(&self.rows) {
            let masses = row.iter().filter(|(_, point)| point.mass != 0);
            all.extend(masses.map(|(index, point)| (Integer::from(index) << shell, &point.mass)));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
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
                let within = Integer::from(rest << Self::FINE) / mass;
                let place = (Integer::from(index) << Self::FINE) + within;
                let moment = Integer::from(mass * index) + rest;
                all.push((place << shell, mass.clone(), moment << shell));
            }
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
        entries.map(|point| &point.mass).sum()
    }
}

impl Entry for Point {
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
    fn rounded(row: Row<Self>, bits: u32) -> Result<Row<Self>, InvariantViolation> {
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
    fn halved(row: &Row<Self>) -> Result<Row<Self>, InvariantViolation> {
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
