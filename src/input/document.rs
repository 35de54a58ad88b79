//! A whole input text to a tree, TOML or JSON.

use super::{
    json::{read_json, read_json_prefix},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
    toml_text::read_toml,
};
use crate::number::size_in_bits;

/// Most bits that the exact numbers of one input may take, 64 MB: `1e20000` is seven bytes of text and
/// eight thousand of memory.
const MAX_NUMBER_BITS: u64 = 1 << 29;

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
        read_toml(text)?
    };
    check_number_sizes(&node)?;
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

/// Refuses an input whose exact numbers would take too much memory, before any of them is built.
fn check_number_sizes(root: &Node) -> Result<(), Problem> {
    let mut bits: u64 = 0;
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.value {
            Value::Table(table) => waiting.extend(table.entries.iter().map(|entry| &entry.node)),
            Value::Array(items) => waiting.extend(items),
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
    fn a_memory_bomb_of_exponents_is_refused() {
        let text = format!("{{\"p\":[{}1]}}", "1e20000,".repeat(100_000));
        assert_eq!(read_document(&text).unwrap_err().code, ErrorCode::TooLarge);
    }
}
