//! Lower-triangular Toeplitz matrices, by their first column.

use rug::ops::NegAssign;
use rug::{Integer, Rational};

use super::matrix::LowerTriangular;
use super::{Participation, SquaredSensitivity, squared_units};

/// Longest common denominator, in bits, with which a column is kept exactly.
pub(super) const MAX_DENOMINATOR_BITS: u32 = 2048;

/// Bits below the largest entry that are kept of a column whose exact common denominator is longer.
pub(super) const ROUNDED_BITS: u32 = 256;

/// Most steps with which what the fast bounds leave open is looked at pair by pair.
const FEW_STEPS: usize = 256;

/// The first column of C, its entries enclosed by multiples of one fraction; zeros follow the entries.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    denominator: Integer,
    entries: Vec<Enclosed>,
}

/// A number between two integers, in units of 1/denominator.
#[derive(Debug, Clone)]
pub(super) struct Enclosed {
    pub lower: Integer,
    pub upper: Integer,
}

impl Enclosed {
    fn largest_magnitude(&self) -> Integer {
        let negated = Integer::from(-&self.lower);
        negated.max(self.upper.clone())
    }

    fn least_magnitude(&self) -> Integer {
        let negated = Integer::from(-&self.upper);
        negated.max(self.lower.clone()).max(Integer::new())
    }
}

impl Column {
    /// Exactly these entries, unless their common denominator is too long; then entries rounded down and up.
    pub fn of(entries: &[Rational]) -> Self {
        match common_denominator(entries) {
            Some(denominator) => {
                let exact = |entry: &Rational| {
                    let scale = Integer::from(&denominator / entry.denom());
                    let number = scale * entry.numer();
                    Enclosed {
                        lower: number.clone(),
                        upper: number,
                    }
                };
                let entries = entries.iter().map(exact).collect();
                Self::between(denominator, entries)
            }
            None => {
                let denominator = rounding_denominator(entries);
                let rounded = |entry: &Rational| {
                    let scaled = Integer::from(entry.numer() * &denominator);
                    let (lower, _) = scaled.clone().div_rem_floor(entry.denom().clone());
                    let (upper, _) = scaled.div_rem_ceil(entry.denom().clone());
                    Enclosed { lower, upper }
                };
                let entries = entries.iter().map(rounded).collect();
                Self::between(denominator, entries)
            }
        }
    }

    /// Entries between these multiples of 1/denominator; zeros at the end are dropped.
    pub(super) fn between(denominator: Integer, mut entries: Vec<Enclosed>) -> Self {
        while entries
            .pop_if(|last| last.lower.is_zero() && last.upper.is_zero())
            .is_some()
        {}
        Self {
            denominator,
            entries,
        }
    }

    /// Number of bands: the entries up to the last that is not 0.
    pub fn bands(&self) -> usize {
        self.entries.len()
    }

    /// The squared norm of the first column, which is the longest one.
    pub fn squared_norm(&self) -> SquaredSensitivity {
        self.enclosure(
            self.sum_of_first_columns(1, u64::MAX, u64::MAX, Enclosed::least_magnitude),
            self.sum_of_first_columns(1, u64::MAX, u64::MAX, Enclosed::largest_magnitude),
        )
    }

    /// The squared norms of the columns 0, b, 2b, … of the matrix with so many steps.
    ///
    /// Requires: at most b bands. All these columns but the last have the norm of the first; so there are two kinds, each with
    /// how many there are.
    pub fn squared_norms_apart(&self, steps: u64, apart: u64) -> Vec<(SquaredSensitivity, u64)> {
        let columns = steps.div_ceil(apart.max(1));
        let last = steps.saturating_sub(columns.saturating_sub(1).saturating_mul(apart));
        let shortened = usize::try_from(last).unwrap_or(usize::MAX);
        if shortened >= self.entries.len() {
            return vec![(self.squared_norm(), columns)];
        }
        let cut = Self {
            denominator: self.denominator.clone(),
            entries: self.entries.iter().take(shortened).cloned().collect(),
        };
        let mut norms = vec![(self.squared_norm(), columns.saturating_sub(1))];
        norms.push((cut.squared_norm(), 1));
        norms.retain(|(_, count)| *count > 0);
        norms
    }

    /// s² of the matrix with so many steps, at least as many as there are entries.
    ///
    /// *One participation, or at most b bands.* Columns b apart have no common row, so that s² = Σ G_ii; and G_ii is a sum of
    /// fewer squares the larger i is, so that 0, b, 2b, … is the best pattern, whatever the signs.
    ///
    /// *c_0 ≥ c_1 ≥ … ≥ 0.* The best pattern is 0, b, 2b, … (Kalinin and Lampert 2024, arXiv 2405.13763, Theorem 2). Let
    /// i_1 < i_2 < … be any pattern, counted from 0. For j < l, G at (i_j, i_l) is Σ c_r c_{r + i_l − i_j} over r < n − i_l;
    /// since i_l ≥ (l−1)b and i_l − i_j ≥ (l−j)b, that has no more terms, and no larger ones, than G at ((j−1)b, (l−1)b).
    ///
    /// *Any column.* |G| is at most the G of the least such column above |c|; that bounds s² from above. Explicit signs
    /// on 0, b, 2b, … bound it from below. That pattern is an evenly spaced one, so all of this holds for these alone, too.
    pub fn squared_sensitivity(
        &self,
        steps: u64,
        participation: Participation,
    ) -> SquaredSensitivity {
        let apart = participation.separation();
        let most = participation.most_in(steps);
        let trace =
            |of: fn(&Enclosed) -> Integer| self.sum_of_first_columns(most, apart, steps, of);
        let bands = u64::try_from(self.entries.len()).unwrap_or(u64::MAX);
        // Some signs give at least the mean over all signs.
        let mean = trace(Enclosed::least_magnitude);
        if most == 1 || bands <= apart {
            return self.enclosure(mean, trace(Enclosed::largest_magnitude));
        }
        let sum = Sum {
            steps,
            apart,
            most,
            alternating: false,
        };
        let upper = sum.squared(&self.least_monotone_above());
        let mut lower = mean;
        if let Some(exact) = self.exact_entries() {
            lower = lower.max(sum.squared(&exact));
            let alternating = Sum {
                alternating: true,
                ..sum
            };
            lower = lower.max(alternating.squared(&exact));
        } else if self.entries.iter().all(|entry| entry.lower >= 0) {
            lower = lower.max(sum.squared(&self.lower_entries()));
        }
        let bounds = self.enclosure(lower, upper);
        if bounds.attained().is_none()
            && let Some(matrix) = self.small_matrix(steps)
        {
            return bounds.and(matrix.squared_sensitivity(participation));
        }
        bounds
    }

    fn enclosure(&self, lower: Integer, upper: Integer) -> SquaredSensitivity {
        SquaredSensitivity {
            lower: squared_units(lower, &self.denominator),
            upper: squared_units(upper, &self.denominator),
        }
    }

    /// Σ G_ii over i = 0, b, 2b, …, so many of them, from one end of each entry.
    fn sum_of_first_columns(
        &self,
        columns: u64,
        apart: u64,
        steps: u64,
        of: fn(&Enclosed) -> Integer,
    ) -> Integer {
        let mut total = Integer::new();
        for (row, entry) in self.entries.iter().enumerate() {
            // In column i there is an entry c_r where i + r < n.
            let row = u64::try_from(row).unwrap_or(u64::MAX);
            let below = steps.saturating_sub(row).div_ceil(apart);
            total += of(entry).square() * below.min(columns);
        }
        total
    }

    fn exact_entries(&self) -> Option<Vec<Integer>> {
        let exact = |entry: &Enclosed| (entry.lower == entry.upper).then(|| entry.lower.clone());
        self.entries.iter().map(exact).collect()
    }

    fn lower_entries(&self) -> Vec<Integer> {
        self.entries
            .iter()
            .map(|entry| entry.lower.clone())
            .collect()
    }

    /// max |c_r| over r ≥ j, for each j.
    fn least_monotone_above(&self) -> Vec<Integer> {
        let mut largest = Integer::new();
        let mut backwards: Vec<Integer> = self
            .entries
            .iter()
            .rev()
            .map(|entry| {
                largest = std::mem::take(&mut largest).max(entry.largest_magnitude());
                largest.clone()
            })
            .collect();
        backwards.reverse();
        backwards
    }

    fn small_matrix(&self, steps: u64) -> Option<LowerTriangular> {
        let steps = usize::try_from(steps)
            .ok()
            .filter(|steps| *steps <= FEW_STEPS)?;
        let exact = self.exact_entries()?;
        let columns = (0..steps)
            .map(|column| {
                let rows = steps.saturating_sub(column);
                exact.iter().take(rows).cloned().collect()
            })
            .collect();
        Some(LowerTriangular::from_columns(
            self.denominator.clone(),
            columns,
        ))
    }
}

/// The sum of the columns 0, b, 2b, …, with equal or alternating signs.
#[derive(Clone, Copy)]
struct Sum {
    steps: u64,
    apart: u64,
    most: u64,
    alternating: bool,
}

impl Sum {
    /// The squared norm of the sum v, by v_t = c_t ± v_{t−b} ∓ … c_{t−kb}, the last for the columns that are too many.
    fn squared(self, column: &[Integer]) -> Integer {
        let at = |index: Option<u64>| {
            index
                .and_then(|index| usize::try_from(index).ok())
                .and_then(|index| column.get(index))
        };
        let all = self.most.saturating_mul(self.apart);
        let mut values: Vec<Integer> = Vec::new();
        let mut total = Integer::new();
        for step in 0..self.steps {
            let mut value = at(Some(step)).cloned().unwrap_or_default();
            let before = step.checked_sub(self.apart);
            let before = before.and_then(|index| usize::try_from(index).ok());
            if let Some(before) = before.and_then(|index| values.get(index)) {
                if self.alternating {
                    value -= before;
                } else {
                    value += before;
                }
            }
            if let Some(over) = at(step.checked_sub(all)) {
                let mut over = over.clone();
                if self.alternating && self.most % 2 == 1 {
                    over.neg_assign();
                }
                value -= over;
            }
            total += value.clone().square();
            values.push(value);
        }
        total
    }
}

/// The least common denominator, unless it is too long.
pub(super) fn common_denominator<'r>(
    numbers: impl IntoIterator<Item = &'r Rational>,
) -> Option<Integer> {
    let mut common = Integer::from(1);
    for number in numbers {
        if !common.is_divisible(number.denom()) {
            common.lcm_mut(number.denom());
            if common.significant_bits() > MAX_DENOMINATOR_BITS {
                return None;
            }
        }
    }
    Some(common)
}

/// 2^p, so that the largest entry has at least [`ROUNDED_BITS`] bits.
fn rounding_denominator(entries: &[Rational]) -> Integer {
    let below_one = |entry: &Rational| {
        let of_denominator = entry.denom().significant_bits();
        of_denominator.saturating_sub(entry.numer().significant_bits())
    };
    let nonzero = entries.iter().filter(|entry| !entry.is_zero());
    let shift = nonzero.map(below_one).min().unwrap_or(0);
    Integer::from(1) << ROUNDED_BITS.saturating_add(shift).saturating_add(1)
}
