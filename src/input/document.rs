//! A whole input text to a tree, TOML or JSON.

use std::ops::Range;

use super::{
    json::{read_json, read_json_prefix},
    matrix_file::{Beside, put_in_place},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
    source::{MAX_BYTES, too_large},
    toml_text::read_toml,
};
use crate::number::size_in_bits;

/// Most bits that the exact numbers of one input may take, 64 MB: `1e20000` is seven bytes of text and
/// eight thousand of memory.
const MAX_NUMBER_BITS: u64 = 1 << 29;

/// Most values of one input. A parsed value takes up to 150 bytes where its text takes two, a key with its value twice
/// that.
pub(super) const MAX_VALUES: usize = 2_000_000;

/// Reads a document: JSON if it starts with `{` or like a positional DpEvent, TOML otherwise.
pub(crate) fn read_document(text: &str) -> Result<Node, Problem> {
    if text.trim().is_empty() {
        return Err(
            Problem::new(ErrorCode::Syntax, &(0..0), "the input is empty")
                .help("give a mechanism or a claim file, in TOML or JSON"),
        );
    }
    let node = if looks_like_json(text) {
        read_json(text)?
    } else {
        if text.len() > MAX_BYTES {
            return Err(too_large(text.len()));
        }
        check_value_count(text)?;
        read_toml(text)?
    };
    check_number_sizes(&node)?;
    Ok(node)
}

/// As [`read_document`], with the matrices of the files that it names.
pub(crate) fn read_document_beside(
    text: &str,
    beside: Option<&dyn Beside>,
) -> Result<Node, Problem> {
    let mut node = read_document(text)?;
    if let Some(beside) = beside {
        put_in_place(&mut node, beside)?;
        check_number_sizes(&node)?;
    }
    Ok(node)
}

/// Reads a document that must be JSON, such as a line of a `.jsonl` file.
pub(crate) fn read_json_document(text: &str) -> Result<Node, Problem> {
    let node = read_json(text)?;
    check_number_sizes(&node)?;
    Ok(node)
}

/// `{` cannot start TOML. `[` starts a TOML header, but a header has no `,` after its first string,
/// while a positional DpEvent, `["dp_accounting.dp_event", …]`, always has.
fn looks_like_json(text: &str) -> bool {
    let blanks = text.len().saturating_sub(text.trim_start().len());
    let start = text.get(blanks..).unwrap_or_default();
    if start.starts_with('{') {
        return true;
    }
    let Some(inside) = start.strip_prefix('[') else {
        return false;
    };
    let inside = inside.trim_start();
    if !inside.starts_with('"') {
        return false;
    }
    match read_json_prefix(inside, 0) {
        Ok((_, end)) => inside
            .get(end..)
            .is_some_and(|rest| rest.trim_start().starts_with(',')),
        Err(_) => false,
    }
}

/// As much as so many values a table takes that a dot in a key makes.
const TABLE: usize = 8;

/// Refuses an input of more values than fit in memory, before any of them is read: there is a separator before every
/// value but the first. Those inside strings and comments count too; nobody has so many there.
fn check_value_count(text: &str) -> Result<(), Problem> {
    let mut values: usize = 0;
    // Tables of the dots so far, if these turn out to be in a key.
    let mut tables: usize = 0;
    for (place, byte) in text.bytes().enumerate() {
        let more = match byte {
            b',' | b'[' | b'{' => 1,
            b'=' => 2usize.saturating_add(tables),
            b']' => tables,
            b'.' => {
                tables = tables.saturating_add(TABLE);
                continue;
            }
            b'\n' => 0,
            _ => continue,
        };
        tables = 0;
        values = values.saturating_add(more);
        if values > MAX_VALUES {
            return Err(too_many_values(&(place..place.saturating_add(1))));
        }
    }
    Ok(())
}

pub(super) fn too_many_values(place: &Range<usize>) -> Problem {
    let message = format!("the input has more than {MAX_VALUES} values");
    Problem::new(ErrorCode::TooLarge, place, message)
        .help("split it; a `.jsonl` file holds one claim file a line")
}

/// Refuses an input whose exact numbers would take too much memory, before any of them is built.
pub(crate) fn check_number_sizes(root: &Node) -> Result<(), Problem> {
    let mut bits: u64 = 0;
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.value {
            Value::Table(table) => waiting.extend(table.entries.iter().map(|entry| &entry.node)),
            Value::Array(items) => waiting.extend(items),
            Value::Many(items) => waiting.extend(items.iter().map(|many| &many.node)),
            Value::Number(text) | Value::String(text) => {
                bits = bits.saturating_add(size_in_bits(text));
            }
            Value::Bool(_) | Value::Null => {}
        }
        if bits > MAX_NUMBER_BITS {
            let message = "the exact numbers of this input take more than 64 MB";
            return Err(Problem::new(ErrorCode::TooLarge, &node.span, message)
                .help("use smaller exponents or fewer numbers"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_toml_are_told_apart() {
        for (text, json) in [
            (" \n{}", true),
            ("[\"dp_accounting.dp_event\", \"NoOpDpEvent\"]", true),
            ("[ \"a\" , 1]", true),
            ("[\"mechanism\"]\nkind = \"gdp\"", false),
            ("[\"a\".b]", false),
            ("[mechanism]", false),
            ("[[claim]]", false),
            ("a = [1]", false),
            ("[\"a", false),
            ("[", false),
        ] {
            assert_eq!(looks_like_json(text), json, "{text}");
        }
    }

    #[test]
    fn a_memory_bomb_of_small_values_is_refused() {
        let json = format!("{{\"p\":[{}1]}}", "1,".repeat(MAX_VALUES));
        for text in [
            format!("x = [{}1]", "1,".repeat(MAX_VALUES)),
            "[[claim]]\n".repeat(MAX_VALUES / 2 + 1),
            "k=1\n".repeat(MAX_VALUES / 2 + 1),
            "a.b.b.b.b=1\n".repeat(MAX_VALUES / 34 + 1),
            "[a.b.b.b.b]\n".repeat(MAX_VALUES / 33 + 1),
            json.clone(),
        ] {
            assert_eq!(read_document(&text).unwrap_err().code, ErrorCode::TooLarge);
        }
        assert_eq!(
            read_json_document(&json).unwrap_err().code,
            ErrorCode::TooLarge
        );
        let within = "[claim]\n".repeat(MAX_VALUES / 2);
        assert_eq!(
            read_document(&within).unwrap_err().code,
            ErrorCode::DuplicateKey
        );
    }

    #[test]
    fn a_memory_bomb_of_exponents_is_refused() {
        let text = format!("{{\"p\":[{}1]}}", "1e20000,".repeat(100_000));
        assert_eq!(read_document(&text).unwrap_err().code, ErrorCode::TooLarge);
    }
}
