//! Where a key stands in a mechanism: at its top, or in the mechanisms in `of`.

use crate::input::mechanism::Notation;
use crate::input::node::{Node, Table, Value};
use crate::input::problem::{ErrorCode, Problem};

/// What is met on the way to a key.
pub(super) enum Found<'a> {
    /// A mechanism around the one that has the key.
    Outside { table: &'a Table, start: usize },
    /// The mechanism that has it, or may have it.
    Key {
        table: &'a mut Table,
        start: usize,
        key: &'a str,
    },
}

/// Goes from the mechanism in a document to the one that has the key at the end of `path`: `sigma`, `of.sigma`, `of.1.of.sigma`.
///
/// # Errors
/// If there is nothing at that place, and what `look` finds wrong.
pub(super) fn walk(
    document: &mut Node,
    path: &str,
    look: &mut dyn FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let (table, start) = mechanism_table(document)?;
    inside(table, start, path, look)
}

fn inside(
    table: &mut Table,
    start: usize,
    path: &str,
    look: &mut dyn FnMut(Found<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let Some((step, rest)) = path.split_once('.') else {
        let key = path;
        return look(Found::Key { table, start, key });
    };
    look(Found::Outside { table, start })?;
    let nothing = |place: usize, message: String| {
        let place = place..place.saturating_add(1);
        Problem::new(ErrorCode::UnknownKey, &place, message).help(
            "a key of an inner mechanism is written as `of.sigma`, or `of.0.sigma` for the first one in a list",
        )
    };
    let mut entries = table.entries.iter_mut();
    let Some(of) = entries.find(|entry| entry.key == "of" && step == "of") else {
        return Err(nothing(start, format!("there is no mechanism in `{step}`")));
    };
    let start = of.node.span.start;
    match &mut of.node.value {
        Value::Table(table) => inside(table, start, rest, look),
        Value::Array(items) => {
            let (place, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let item = place.parse::<usize>().ok();
            match item.and_then(|item| items.get_mut(item)) {
                Some(Node {
                    value: Value::Table(table),
                    span,
                }) if !rest.is_empty() => inside(table, span.start, rest, look),
                _ => Err(nothing(
                    start,
                    format!("there is no `{place}` in this list, which begins with 0"),
                )),
            }
        }
        Value::Many(_) => Err(nothing(
            start,
            "entries of so long a list have no place of their own".to_owned(),
        )),
        Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Null => {
            Err(nothing(start, "`of` is no mechanism".to_owned()))
        }
    }
}

/// Whether the mechanism has such a key. If not, and one in its `of` has, that is said.
///
/// # Errors
/// Where another key is meant.
pub(super) fn is_known(table: &Table, start: usize, key: &str) -> Result<(), Problem> {
    let place = start..start.saturating_add(1);
    let (notation, _) = Notation::of(table, &place)?;
    if notation.keys().contains(&key) {
        return Ok(());
    }
    match path_to(table, key) {
        Some(path) => {
            let message = format!("`{}` stands in `of`", key);
            Err(Problem::new(ErrorCode::UnknownKey, &place, message)
                .help(format!("write `{path}`")))
        }
        // What is wrong with it is said where the mechanism is read.
        None => Ok(()),
    }
}

/// The first place in `of` where a mechanism has such a key.
fn path_to(table: &Table, key: &str) -> Option<String> {
    let of = &table.get("of")?.node;
    let within = |name: String, inner: &Node| {
        let table = inner.as_table()?;
        let (notation, _) = Notation::of(table, &inner.span).ok()?;
        if notation.keys().contains(&key) {
            Some(format!("{name}.{key}"))
        } else {
            Some(format!("{name}.{}", path_to(table, key)?))
        }
    };
    match of.as_array() {
        Some(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(place, item)| within(format!("of.{place}"), item))
        }
        None => within("of".to_owned(), of),
    }
}

fn mechanism_table(document: &mut Node) -> Result<(&mut Table, usize), Problem> {
    let span = document.span.clone();
    let no_table = || {
        let message = "there is no mechanism with `kind` in which a key could be set";
        Problem::new(
            ErrorCode::MissingKey,
            &(span.start..span.start.saturating_add(1)),
            message,
        )
        .help("give a mechanism or a claim file of dpcmp itself")
    };
    let Value::Table(table) = &mut document.value else {
        return Err(no_table());
    };
    if table.has("kind") {
        return Ok((table, span.start));
    }
    let entry = table
        .entries
        .iter_mut()
        .find(|entry| entry.key == "mechanism");
    match entry.map(|entry| &mut entry.node) {
        Some(Node {
            value: Value::Table(inner),
            span,
        }) => Ok((inner, span.start)),
        _ => Err(no_table()),
    }
}
