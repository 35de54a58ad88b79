//! Lower-triangular matrices, entry by entry.

use rug::{Integer, Rational};

use super::selection::{heaviest, heaviest_pattern};
use super::toeplitz::common_denominator;
use super::{Participation, SquaredSensitivity, squared_units};

/// Most participations that are looked at while all patterns are tried one by one.
const MAX_TRIED: u64 = 300_000;

/// Most sums of two numbers in one dynamic program for every row.
const MAX_ROW_WORK: usize = 30_000_000;

/// A lower-triangular matrix with integer entries in units of 1/denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LowerTriangular {
    denominator: Integer,
    /// Column j from row j on; what is left out at the end is 0.
    columns: Vec<Vec<Integer>>,
}

impl LowerTriangular {
    /// The matrix with these rows, each up to the diagonal; `None` if the common denominator is too long.
    pub fn of_rows(rows: &[Vec<Rational>]) -> Option<Self> {
        let denominator = common_denominator(rows.iter().flatten())?;
        let mut columns: Vec<Vec<Integer>> = vec![Vec::new(); rows.len()];
        for (number, row) in rows.iter().enumerate() {
            for (column, entry) in columns.iter_mut().zip(row).take(number.saturating_add(1)) {
                let scale = Integer::from(&denominator / entry.denom());
                column.push(scale * entry.numer());
            }
        }
        Some(Self::from_columns(denominator, columns))
    }

    pub(super) fn from_columns(denominator: Integer, mut columns: Vec<Vec<Integer>>) -> Self {
        for column in &mut columns {
            while column.pop_if(|last| last.is_zero()).is_some() {}
        }
        Self {
            denominator,
            columns,
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> u64 {
        u64::try_from(self.columns.len()).unwrap_or(u64::MAX)
    }

    /// Number of bands: C_ij = 0 where i − j is at least that.
    pub fn bands(&self) -> usize {
        self.columns.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The squared norms of all columns.
    pub fn squared_norms(&self) -> impl Iterator<Item = Rational> + '_ {
        let in_units = |norm| squared_units(norm, &self.denominator);
        self.integer_norms().into_iter().map(in_units)
    }

    /// Multiplications in all products of two columns that a pattern can have, at most.
    pub fn products_work(&self, participation: Participation) -> usize {
        let steps = self.columns.len();
        let most = usize::try_from(participation.most_in(self.steps())).unwrap_or(usize::MAX);
        let bands = self.bands();
        let partners = match most {
            1 => 1,
            _ if participation.evenly => most.min(bands),
            _ => bands,
        };
        steps.saturating_mul(partners).saturating_mul(bands)
    }

    /// s² over the patterns.
    ///
    /// *One participation, or at most b bands:* s² is the largest Σ G_ii, by a dynamic program. Otherwise Σ |G_ij| bounds it from
    /// above, and signs chosen one after the other bound it from below: over all patterns, if they are few. If they are many,
    /// from above by the heaviest pattern of the largest row sums, from below by that pattern and all evenly spaced ones.
    pub fn squared_sensitivity(&self, participation: Participation) -> SquaredSensitivity {
        let steps = self.steps();
        let bands = u64::try_from(self.bands()).unwrap_or(u64::MAX);
        if participation.evenly {
            return self.of_even_patterns(participation);
        }
        let norms = self.integer_norms();
        if participation.most_in(steps) == 1 || bands <= participation.separation() {
            let value = heaviest(&norms, participation);
            return SquaredSensitivity::exactly(squared_units(value, &self.denominator));
        }
        let gram = Gram::of(self, participation);
        let bounds = gram.all_patterns().unwrap_or_else(|| gram.some_patterns());
        self.enclosure(bounds, heaviest(&norms, participation))
    }

    /// Each of them, one by one.
    fn of_even_patterns(&self, participation: Participation) -> SquaredSensitivity {
        let separation = usize::try_from(participation.separation()).unwrap_or(usize::MAX);
        let most = usize::try_from(participation.most).unwrap_or(usize::MAX);
        let gram = Gram::of(self, participation);
        let (mut lower, mut upper) = (Integer::new(), Integer::new());
        for first in 0..separation.min(self.columns.len()) {
            let pattern = (first..self.columns.len()).step_by(separation).take(most);
            let grown = gram.grown(pattern);
            lower = lower.max(grown.lower);
            upper = upper.max(grown.upper);
        }
        self.enclosure((lower, upper), Integer::new())
    }

    /// Some signs give at least the mean over all signs.
    fn enclosure(&self, (lower, upper): (Integer, Integer), mean: Integer) -> SquaredSensitivity {
        SquaredSensitivity {
            lower: squared_units(lower.max(mean), &self.denominator),
            upper: squared_units(upper, &self.denominator),
        }
    }

    /// As for more patterns than can be tried.
    #[cfg(test)]
    pub(super) fn without_trying(&self, participation: Participation) -> SquaredSensitivity {
        let bounds = Gram::of(self, participation).some_patterns();
        self.enclosure(bounds, Integer::new())
    }

    fn integer_norms(&self) -> Vec<Integer> {
        self.columns
            .iter()
            .map(|column| Integer::from(Integer::dot(column.iter().map(|entry| (entry, entry)))))
            .collect()
    }

    /// ⟨C_i, C_j⟩ for i ≤ j.
    fn product(&self, i: usize, j: usize) -> Integer {
        let (Some(first), Some(second)) = (self.columns.get(i), self.columns.get(j)) else {
            return Integer::new();
        };
        let common = first.iter().skip(j.saturating_sub(i));
        Integer::from(Integer::dot(common.zip(second)))
    }
}

/// The products of the columns of steps in which one record may take part.
struct Gram {
    participation: Participation,
    /// Row i has the products with the columns j ≤ i; those that no pattern has are 0.
    rows: Vec<Vec<Integer>>,
}

/// A pattern while it grows: Σ |G_ij|, and Σ ε_i ε_j G_ij for signs chosen one after the other.
#[derive(Clone, Default)]
struct Grown {
    upper: Integer,
    lower: Integer,
    /// The steps, and whether their signs are negative.
    steps: Vec<(usize, bool)>,
}

impl Gram {
    fn of(matrix: &LowerTriangular, participation: Participation) -> Self {
        let separation = usize::try_from(participation.separation()).unwrap_or(usize::MAX);
        let row = |i: usize| {
            let product = |j: usize| {
                let apart = i.saturating_sub(j);
                let is_common = match participation.evenly {
                    true => apart.checked_rem(separation) == Some(0),
                    false => apart == 0 || apart >= separation,
                };
                if is_common {
                    matrix.product(j, i)
                } else {
                    Integer::new()
                }
            };
            (0..=i).map(product).collect()
        };
        Self {
            participation,
            rows: (0..matrix.columns.len()).map(row).collect(),
        }
    }

    fn at(&self, i: usize, j: usize) -> Integer {
        let row = self.rows.get(i.max(j));
        row.and_then(|row| row.get(i.min(j)))
            .cloned()
            .unwrap_or_default()
    }

    /// The best of both sums over all patterns; `None` if there are too many.
    fn all_patterns(&self) -> Option<(Integer, Integer)> {
        let mut best = (Integer::new(), Integer::new());
        let mut tried = 0;
        self.try_from(0, &Grown::default(), &mut best, &mut tried)?;
        Some(best)
    }

    fn try_from(
        &self,
        first: usize,
        grown: &Grown,
        best: &mut (Integer, Integer),
        tried: &mut u64,
    ) -> Option<()> {
        if best.0 < grown.lower {
            best.0.clone_from(&grown.lower);
        }
        if best.1 < grown.upper {
            best.1.clone_from(&grown.upper);
        }
        let count = u64::try_from(grown.steps.len()).unwrap_or(u64::MAX);
        if count >= self.participation.most {
            return Some(());
        }
        let separation = usize::try_from(self.participation.separation()).unwrap_or(usize::MAX);
        for step in first..self.rows.len() {
            *tried = tried.saturating_add(count.saturating_add(1));
            if *tried > MAX_TRIED {
                return None;
            }
            let next = self.with(grown, step);
            self.try_from(step.saturating_add(separation), &next, best, tried)?;
        }
        Some(())
    }

    fn with(&self, grown: &Grown, step: usize) -> Grown {
        let mut next = grown.clone();
        let mut signed = Integer::new();
        let mut magnitudes = Integer::new();
        for (earlier, negative) in &grown.steps {
            let product = self.at(step, *earlier);
            if *negative {
                signed -= &product;
            } else {
                signed += &product;
            }
            magnitudes += product.abs();
        }
        let own = self.at(step, step);
        next.steps.push((step, signed < 0));
        next.lower += &own;
        next.lower += signed.abs() * 2u32;
        next.upper += own;
        next.upper += magnitudes * 2u32;
        next
    }

    /// Explicit patterns from below, sums of rows from above.
    fn some_patterns(&self) -> (Integer, Integer) {
        let sums = self.largest_row_sums();
        let upper = heaviest(&sums, self.participation);
        let mut lower = self.value_of(heaviest_pattern(&sums, self.participation));
        let steps = u64::try_from(self.rows.len()).unwrap_or(u64::MAX);
        let most = self.participation.most_in(steps);
        let separation = self.participation.separation();
        let spread = most.saturating_sub(1).saturating_mul(separation);
        for first in 0..steps.saturating_sub(spread) {
            let places =
                (0..most).map(|number| first.saturating_add(number.saturating_mul(separation)));
            let places = places.map(|place| usize::try_from(place).unwrap_or(usize::MAX));
            lower = lower.max(self.value_of(places));
        }
        (lower, upper)
    }

    fn value_of(&self, pattern: impl IntoIterator<Item = usize>) -> Integer {
        self.grown(pattern).lower
    }

    fn grown(&self, pattern: impl IntoIterator<Item = usize>) -> Grown {
        let steps = pattern.into_iter();
        steps.fold(Grown::default(), |grown, step| self.with(&grown, step))
    }

    /// The most that one step adds to Σ |G_ij|: its square, and the heaviest other steps of its row.
    fn largest_row_sums(&self) -> Vec<Integer> {
        let steps = self.rows.len();
        let most = self
            .participation
            .most_in(u64::try_from(steps).unwrap_or(u64::MAX));
        let others = self.participation.with_most(most.saturating_sub(1));
        let rounds = usize::try_from(others.most).unwrap_or(usize::MAX);
        let work = steps.saturating_mul(steps).saturating_mul(rounds);
        let sum = |i: usize| {
            let mut row: Vec<Integer> = (0..steps).map(|j| self.at(i, j).abs()).collect();
            let own = row.get_mut(i).map(std::mem::take).unwrap_or_default();
            if work <= MAX_ROW_WORK {
                own + heaviest(&row, others)
            } else {
                own + row.iter().sum::<Integer>()
            }
        };
        (0..steps).map(sum).collect()
    }
}
