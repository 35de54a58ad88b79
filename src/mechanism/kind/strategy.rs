//! The matrices C of `matrix-factorization`: how they are stated, and what is derived from them.

use rug::Rational;

use super::Parameter;
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::sensitivity::{
    Column, LowerTriangular, MAX_STEPS, Participation, SquaredSensitivity, blt_column,
};

/// Most multiplications for the products of the columns of a matrix.
const MAX_PRODUCTS: usize = 150_000_000;

/// How a lower-triangular matrix is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// By the first column of a Toeplitz matrix; zeros follow, and what is longer than the matrix is left out.
    Toeplitz(Vec<Rational>),
    /// By its rows, each up to the diagonal.
    Matrix(Vec<Vec<Rational>>),
    /// As a buffered linear Toeplitz matrix: c_0 = 1, c_j = Σ weight · decay^(j−1).
    Blt {
        /// `output_scale` of jax_privacy.
        weights: Vec<Rational>,
        /// `buf_decay` of jax_privacy, each in [0, 1].
        decays: Vec<Rational>,
    },
}

/// The entries of a matrix of so many steps.
pub(super) enum Entries {
    Toeplitz { column: Column, steps: u64 },
    Matrix(LowerTriangular),
}

impl Strategy {
    /// Its key in a file.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Toeplitz(_) => "toeplitz",
            Self::Matrix(_) => "matrix",
            Self::Blt { .. } => "blt",
        }
    }

    pub(super) fn entry(&self) -> (&'static str, Parameter<'_>) {
        let value = match self {
            Self::Toeplitz(column) => Parameter::List(column),
            Self::Matrix(rows) => Parameter::Rows(rows),
            Self::Blt { weights, decays } => Parameter::Table(vec![
                ("weights", Parameter::List(weights)),
                ("decays", Parameter::List(decays)),
            ]),
        };
        (self.key(), value)
    }

    pub(super) fn words(&self, steps: u64) -> String {
        let what = match self {
            Self::Toeplitz(column) => format!("Toeplitz matrix of {} bands", column.len()),
            Self::Matrix(_) => "matrix".to_owned(),
            Self::Blt { weights, .. } => format!("BLT of {} buffers", weights.len()),
        };
        format!("{what} and {steps} steps")
    }

    /// The entries, if it is a matrix of so many steps.
    ///
    /// # Errors
    /// If it is none, or too large.
    pub(super) fn entries(&self, steps: u64) -> Result<Entries, OutOfRange> {
        let length = usize::try_from(steps)
            .ok()
            .filter(|_| steps <= MAX_STEPS)
            .ok_or_else(|| {
                OutOfRange::new("steps", &format!("must be at most {MAX_STEPS}"))
                    .because(Why::TooLarge)
            })?;
        match self {
            Self::Toeplitz(column) => {
                let column = column.get(..length).unwrap_or(column);
                let column = not_zero(Column::of(column), "toeplitz")?;
                Ok(Entries::Toeplitz { column, steps })
            }
            Self::Matrix(rows) => matrix(rows, length).map(Entries::Matrix),
            Self::Blt { weights, decays } => {
                if weights.len() != decays.len() || weights.is_empty() {
                    let message =
                        "`weights` and `decays` must be lists of the same length, at least 1";
                    return Err(OutOfRange::sentence("blt", message));
                }
                for decay in decays {
                    Domain::Unit.hold("decays", decay)?;
                }
                let buffers: Vec<(Rational, Rational)> = weights
                    .iter()
                    .cloned()
                    .zip(decays.iter().cloned())
                    .collect();
                let column = blt_column(&buffers, length);
                Ok(Entries::Toeplitz { column, steps })
            }
        }
    }
}

fn not_zero(column: Column, key: &'static str) -> Result<Column, OutOfRange> {
    if column.bands() == 0 {
        return Err(OutOfRange::new(key, "must have an entry that is not 0"));
    }
    Ok(column)
}

fn matrix(rows: &[Vec<Rational>], steps: usize) -> Result<LowerTriangular, OutOfRange> {
    if rows.len() != steps {
        let message = format!(
            "`matrix` has {} rows, and there are {steps} `steps`",
            rows.len()
        );
        return Err(OutOfRange::sentence("matrix", message));
    }
    for (index, row) in rows.iter().enumerate() {
        let diagonal = index.saturating_add(1);
        if row.len() != diagonal {
            let message = format!(
                "row {diagonal} of `matrix` has {} entries instead of {diagonal}",
                row.len()
            );
            return Err(OutOfRange::sentence("matrix", message).at(index));
        }
    }
    let too_long = || {
        OutOfRange::new("matrix", "has numbers with too long a common denominator")
            .because(Why::TooLarge)
    };
    let matrix = LowerTriangular::of_rows(rows).ok_or_else(too_long)?;
    if matrix.bands() == 0 {
        return Err(OutOfRange::new(
            "matrix",
            "must have an entry that is not 0",
        ));
    }
    Ok(matrix)
}

impl Entries {
    pub fn squared_sensitivity(
        &self,
        participation: Participation,
    ) -> Result<SquaredSensitivity, OutOfRange> {
        match self {
            Self::Toeplitz { column, steps } => {
                Ok(column.squared_sensitivity(*steps, participation))
            }
            Self::Matrix(matrix) => {
                if matrix.products_work(participation) > MAX_PRODUCTS {
                    return Err(
                        OutOfRange::new("matrix", "has too many entries that are not 0")
                            .because(Why::TooLarge)
                            .help("state a Toeplitz matrix by `toeplitz`, or fewer bands"),
                    );
                }
                Ok(matrix.squared_sensitivity(participation))
            }
        }
    }

    fn bands(&self) -> usize {
        match self {
            Self::Toeplitz { column, .. } => column.bands(),
            Self::Matrix(matrix) => matrix.bands(),
        }
    }

    /// The largest squared norms of columns in the rounds of cyclic Poisson sampling, and how often each: see
    /// [`super::Schedule::CyclicPoisson`].
    ///
    /// Ensures: from below, the norms are those of one group of records; from above, the largest of all groups in each round.
    ///
    /// # Errors
    /// If columns that are `apart` steps apart have a row in common.
    pub fn squared_norms_of_rounds(
        &self,
        apart: u64,
    ) -> Result<Vec<(SquaredSensitivity, u64)>, OutOfRange> {
        let bands = self.bands();
        if u64::try_from(bands).is_ok_and(|bands| bands > apart) {
            let message = format!(
                "sampling amplifies only where no row is common to columns `min-separation` apart, but the matrix has {bands} bands"
            );
            return Err(OutOfRange::sentence("min-separation", message)
                .because(Why::Unsupported)
                .help("a matrix of b bands needs `min-separation` of at least b (arXiv 2306.08153, Theorem 4)"));
        }
        match self {
            Self::Toeplitz { column, steps } => Ok(column.squared_norms_apart(*steps, apart)),
            Self::Matrix(matrix) => Ok(rounds(&matrix.squared_norms().collect::<Vec<_>>(), apart)),
        }
    }

    /// Proves that no column has a norm above 1.
    ///
    /// # Errors
    /// If the first one that has is found, or the proof fails.
    pub fn are_normalised(&self) -> Result<(), OutOfRange> {
        let (number, squared_norm) = match self {
            // The first column is the longest.
            Self::Toeplitz { column, .. } => (1, column.squared_norm()),
            Self::Matrix(matrix) => {
                let above = (1usize..)
                    .zip(matrix.squared_norms())
                    .find(|(_, norm)| *norm > 1);
                let Some((number, norm)) = above else {
                    return Ok(());
                };
                (number, SquaredSensitivity::exactly(norm))
            }
        };
        if squared_norm.upper <= 1 {
            return Ok(());
        }
        let message = if squared_norm.lower > 1 {
            format!("column {number} of the matrix has a norm above 1")
        } else {
            format!(
                "that column {number} of the matrix has a norm of at most 1 is not proved: its numbers are too long"
            )
        };
        Err(OutOfRange::sentence("normalised", message)
            .because(Why::Infeasible)
            .help("leave `normalised` out: the norms are computed from the entries"))
    }
}

/// The norms of columns in rounds of `apart` columns: of one group, and the largest.
fn rounds(norms: &[Rational], apart: u64) -> Vec<(SquaredSensitivity, u64)> {
    let apart = usize::try_from(apart).unwrap_or(usize::MAX);
    let of_group = |group: usize| norms.iter().skip(group).step_by(apart);
    let groups = 0..apart.min(norms.len());
    // The group whose norms sum up to the most.
    let best = groups
        .map(|group| (of_group(group).sum::<Rational>(), group))
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        .map_or(0, |(_, group)| group);
    norms
        .chunks(apart)
        .map(|round| {
            let lower = round.get(best).cloned().unwrap_or_default();
            let upper = round.iter().max().cloned().unwrap_or_default();
            (SquaredSensitivity { lower, upper }, 1)
        })
        .collect()
}
