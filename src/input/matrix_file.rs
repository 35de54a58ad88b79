//! Matrices that stand in CSV files beside the input that names them.

use std::mem;
use std::ops::Range;

use super::{
    document::check_number_sizes,
    error::InputError,
    fields::number,
    node::{Node, Value},
    problem::{ErrorCode, Problem},
    source::{MAX_BYTES, Source},
};
use crate::mechanism::{Domain, KindName};

/// Where the files are that an input names.
pub trait Beside {
    /// The file at a path that is relative to the folder of the input.
    ///
    /// # Errors
    /// Why it is not read, in words.
    fn read(&self, path: &str) -> Result<BesideFile, String>;
}

/// A file that an input names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesideFile {
    /// Its name in messages.
    pub name: String,
    /// Its content, or more than [`MAX_BYTES`] of it.
    pub bytes: Vec<u8>,
}

/// Puts the rows in the place of every `matrix` that is the name of a file.
///
/// Ensures: each row has the entries of a line up to the diagonal, all of them exact numbers; what stood behind the diagonal was 0. All files
/// together have at most [`MAX_BYTES`].
///
/// # Errors
/// At the place in the file that is wrong, or at its name if it cannot be read.
pub(crate) fn put_in_place(document: &mut Node, beside: &dyn Beside) -> Result<(), Problem> {
    let mut room = MAX_BYTES;
    let mut waiting = vec![document];
    while let Some(node) = waiting.pop() {
        match &mut node.value {
            Value::Table(table) => {
                let is_factorization = table
                    .get("kind")
                    .and_then(|entry| entry.node.as_string())
                    .is_some_and(|kind| kind == KindName::MatrixFactorization.as_str());
                for entry in &mut table.entries {
                    if is_factorization && entry.key == "matrix" {
                        put_rows(&mut entry.node, beside, &mut room)?;
                    } else {
                        waiting.push(&mut entry.node);
                    }
                }
            }
            Value::Array(items) => waiting.extend(items),
            Value::Many(items) => waiting.extend(items.iter_mut().map(|many| &mut many.node)),
            Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Null => {}
        }
    }
    Ok(())
}

fn put_rows(node: &mut Node, beside: &dyn Beside, room: &mut usize) -> Result<(), Problem> {
    let Value::String(path) = &node.value else {
        return Ok(());
    };
    let file = beside.read(path).map_err(|why| {
        let message = format!("the matrix `{path}` cannot be read: {why}");
        Problem::new(ErrorCode::Unreadable, &node.span, message)
            .help("`matrix` is a CSV file beside this one, or the rows themselves")
    })?;
    *room = room.checked_sub(file.bytes.len()).ok_or_else(|| {
        let message = format!("the files named here have more than {MAX_BYTES} bytes");
        Problem::new(ErrorCode::TooLarge, &node.span, message).help(
            "leave out the zeros above the diagonal, or state a Toeplitz matrix by `toeplitz`",
        )
    })?;
    let rows = read_rows(&file).map_err(|error| Problem::in_another_file(error, &node.span))?;
    let at = |value| Node::new(value, node.span.clone());
    let row = |entries: Vec<String>| {
        let entries = entries.into_iter().map(|text| at(Value::Number(text)));
        at(Value::Array(entries.collect()))
    };
    node.value = Value::Array(rows.into_iter().map(row).collect());
    Ok(())
}

/// The rows of a file, each up to the diagonal: the texts of exact numbers.
fn read_rows(file: &BesideFile) -> Result<Vec<Vec<String>>, InputError> {
    let source = Source::decode(&file.name, &file.bytes, 1)?;
    rows(&source).map_err(|problem| source.locate(problem))
}

fn rows(source: &Source<'_>) -> Result<Vec<Vec<String>>, Problem> {
    let mut lines = Vec::new();
    let mut start: usize = 0;
    for line in source.text().split_inclusive('\n') {
        // `numpy.savetxt` begins its header with `#`.
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            lines.push(cells(line, start));
        }
        start = start.saturating_add(line.len());
    }
    // Nothing is made of a number before it is known that all of them fit in memory.
    let whole = 0..source.text().len();
    let mut document = Node::new(Value::Array(lines), whole.clone());
    check_number_sizes(&document)?;
    let Value::Array(lines) = &mut document.value else {
        return Ok(Vec::new());
    };
    if lines.is_empty() {
        let message = "there is no row of a matrix";
        return Err(Problem::new(ErrorCode::MissingKey, &whole, message)
            .help("write a row a line, with commas between its entries"));
    }
    (1..)
        .zip(lines)
        .map(|(diagonal, line)| up_to_diagonal(diagonal, line))
        .collect()
}

/// A line that starts at this byte.
fn cells(line: &str, start: usize) -> Node {
    let mut at = start;
    let cells = line.trim_end().split(',').map(|cell| {
        let blanks = cell.len().saturating_sub(cell.trim_start().len());
        let from = at.saturating_add(blanks);
        let text = cell.trim();
        at = at.saturating_add(cell.len()).saturating_add(1);
        Node::new(Value::Number(text.to_owned()), place(from, text.len()))
    });
    let cells = cells.collect();
    Node::new(Value::Array(cells), place(start, line.trim_end().len()))
}

fn place(start: usize, length: usize) -> Range<usize> {
    start..start.saturating_add(length.max(1))
}

fn up_to_diagonal(diagonal: usize, line: &mut Node) -> Result<Vec<String>, Problem> {
    let Value::Array(cells) = &mut line.value else {
        return Ok(Vec::new());
    };
    for (column, cell) in (1..).zip(cells.iter()) {
        let what = format!("entry {column} of row {diagonal}");
        if matches!(&cell.value, Value::Number(text) if text.is_empty()) {
            let message = format!("{what} is empty");
            return Err(Problem::new(ErrorCode::Number, &cell.span, message)
                .help("write a row a line, with commas between its entries"));
        }
        let value = number(cell, &what, Domain::Real).map_err(|problem| {
            match matches!(&cell.value, Value::Number(text) if text.contains([';', '\t', ' '])) {
                true => problem.help("write commas between the entries of a row"),
                false => problem,
            }
        })?;
        if column > diagonal && value != 0 {
            let message = format!("{what} is above the diagonal and not 0");
            return Err(Problem::new(ErrorCode::Range, &cell.span, message)
                .help("the matrix is lower-triangular: no step may depend on later ones"));
        }
    }
    if cells.len() < diagonal {
        let message = format!(
            "row {diagonal} has {} entries; up to the diagonal there are {diagonal}",
            cells.len()
        );
        return Err(Problem::new(ErrorCode::Range, &line.span, message));
    }
    cells.truncate(diagonal);
    let text = |cell: &mut Node| match &mut cell.value {
        Value::Number(text) => mem::take(text),
        _ => String::new(),
    };
    Ok(cells.iter_mut().map(text).collect())
}

#[cfg(test)]
#[path = "matrix_file_tests.rs"]
mod tests;
