//! Sums of laws that are kept in rows of coarser and coarser cells, whatever a cell holds.

use rug::Integer;

use super::places::Row;
use crate::kernel::{Budget, Failure, InvariantViolation};

/// What a cell holds.
pub(super) trait Entry: Clone + Default {
    /// The mass in the cell.
    fn mass(&self) -> &Integer;

    /// x/2^bits rounded to the side where the law is kept: the weight at ∞.
    fn weight_rounded(x: Integer, bits: u32) -> Integer;

    /// The same `more` shells coarser, on that side, where it is `within` cells above the start of a coarser one: `put` takes what comes into the cell
    /// so many above that one.
    fn coarser(self, within: u64, more: u32, put: impl FnMut(u64, Self));

    /// Both in one cell.
    fn join(&mut self, other: Self);

    /// Two of it.
    fn doubled(&self) -> Self;

    /// The sums of independent terms, in units of 2^−2·bits: entry k is what i and k − i make together.
    fn products(a: &[Self], b: &[Self]) -> Vec<Self>;

    /// In units of 2^−bits again, on the side where the law is kept.
    ///
    /// # Errors
    /// Only if an invariant fails.
    fn rounded(row: Row<Self>, bits: u32) -> Result<Row<Self>, Failure>;

    /// The same one shell coarser, on that side.
    ///
    /// # Errors
    /// Only if an invariant fails.
    fn halved(row: &Row<Self>) -> Result<Row<Self>, Failure>;
}

/// The rows of the sum of two independent terms. The product of two laws is the sum of the products of their rows: those whose coarser row is s
/// are formed on shell s, with everything finer first brought onto it.
///
/// # Errors
/// If the budget ends; an invariant violation is an internal error.
pub(super) fn rows_of_sum<T: Entry>(
    own: &[Row<T>],
    others: &[Row<T>],
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Row<T>>, Failure> {
    let is_square = std::ptr::eq(own, others);
    let shells = own.len().max(others.len());
    // What is finer than the shell, brought onto it.
    let (mut mine, mut theirs) = (Row::EMPTY, Row::EMPTY);
    let mut rows = Vec::with_capacity(shells);
    for shell in 0..shells {
        budget.check()?;
        let (a, b) = (row(own, shell), row(others, shell));
        let product = if is_square {
            convolved(a, &sum(b, &twice(&mine))?)?
        } else {
            sum(&convolved(a, &sum(b, &theirs)?)?, &convolved(&mine, b)?)?
        };
        rows.push(T::rounded(product, bits)?);
        mine = T::halved(&sum(&mine, a)?)?;
        if !is_square {
            theirs = T::halved(&sum(&theirs, b)?)?;
        }
    }
    Ok(rows)
}

/// Rows of entries with their indices, shell by shell.
pub(super) fn joined<T: Entry>(entries: Vec<Vec<(u64, T)>>) -> Result<Vec<Row<T>>, Failure> {
    let rows = entries.into_iter();
    rows.map(|of| Row::of(of, T::join)).collect()
}

pub(super) fn push<T>(entries: &mut Vec<Vec<(u64, T)>>, shell: u32, index: u64, entry: T) {
    let shell = usize::try_from(shell).unwrap_or(usize::MAX);
    if entries.len() <= shell {
        entries.resize_with(shell.saturating_add(1), Vec::new);
    }
    if let Some(of) = entries.get_mut(shell) {
        of.push((index, entry));
    }
}

pub(super) fn too_far() -> InvariantViolation {
    InvariantViolation("an index of a sum is too large".into())
}

fn row<T>(rows: &[Row<T>], shell: usize) -> &Row<T> {
    rows.get(shell).unwrap_or(const { &Row::EMPTY })
}

fn twice<T: Entry>(row: &Row<T>) -> Row<T> {
    Row {
        first: row.first,
        entries: row.entries.iter().map(T::doubled).collect(),
    }
}

/// Both added up, index by index.
fn sum<T: Entry>(a: &Row<T>, b: &Row<T>) -> Result<Row<T>, Failure> {
    if a.entries.is_empty() {
        return Ok(b.clone());
    }
    if b.entries.is_empty() {
        return Ok(a.clone());
    }
    let all = a.iter().chain(b.iter());
    let all = all.map(|(index, entry)| (index, entry.clone())).collect();
    Row::of(all, T::join)
}

fn convolved<T: Entry>(a: &Row<T>, b: &Row<T>) -> Result<Row<T>, Failure> {
    if a.entries.is_empty() || b.entries.is_empty() {
        return Ok(Row::EMPTY);
    }
    Ok(Row {
        first: a.first.checked_add(b.first).ok_or_else(too_far)?,
        entries: T::products(&a.entries, &b.entries),
    })
}
