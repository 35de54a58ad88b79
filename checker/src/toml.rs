//! TOML documents: headers, dotted keys, and which table may still grow. Values are read as in `value`.
//!
//! Dates are the one thing that is not read; what is doubtful is an error, never a guess.

use crate::value::{Cursor, Form, entry, insert, key};
use crate::*;

type Entries = Vec<(String, Value)>;

/// Reads a document.
pub fn toml(text: &str) -> Result<Value> {
    let mut before = text.chars().zip(text.chars().skip(1).chain(['\0']));
    let has_control =
        before.any(|(c, next)| c.is_ascii_control() && !matches!(c, '\n' | '\t') && (c, next) != ('\r', '\n'));
    Reason::Malformed.when(has_control, "a control character")?;
    let mut at = Cursor { rest: text, is_toml: true };
    let (mut root, mut path) = (Entries::new(), Vec::new());
    loop {
        at.skip();
        if at.rest.is_empty() {
            return Ok(Value::Table(root, Form::Open));
        }
        if at.take("[") {
            let is_item = at.take("[");
            at.blanks();
            path = keys(&mut at)?;
            at.require(if is_item { "]]" } else { "]" })?;
            begin(&mut root, &path, is_item)?;
        } else {
            entry(&mut at, open(&mut root, &path, false)?, 0)?;
        }
        at.blanks();
        let has_more = !at.rest.is_empty() && !at.rest.starts_with(['\n', '\r', '#']);
        Reason::Malformed.when(has_more, "more than one thing on a line")?;
    }
}

/// The table of a header, or one more of a list of tables.
fn begin(root: &mut Entries, path: &[String], is_item: bool) -> Result<()> {
    let (last, parents) = path.split_last().ok_or_else(|| taken(""))?;
    let table = open(root, parents, false)?;
    let new = Value::Table(Entries::new(), Form::Open);
    match table.iter_mut().find(|(key, _)| key == last).map(|(_, value)| value) {
        None => insert(table, last.clone(), if is_item { Value::List(vec![new]) } else { new }),
        Some(Value::Table(_, form @ Form::Implied)) if !is_item => {
            *form = Form::Open;
            Ok(())
        }
        Some(Value::List(items)) if is_item && matches!(items.last(), Some(Value::Table(_, Form::Open))) => {
            items.push(new);
            Ok(())
        }
        Some(_) => Err(taken(last)),
    }
}

/// The table at a path, where a list of tables stands for its last one; `dotted` keys open no table that has a header.
pub fn open<'a>(root: &'a mut Entries, path: &[String], dotted: bool) -> Result<&'a mut Entries> {
    let mut table = root;
    for key in path {
        spend_each(table.len(), 2)?;
        if !table.iter().any(|(name, _)| name == key) {
            let form = if dotted { Form::Dotted } else { Form::Implied };
            insert(table, key.clone(), Value::Table(Entries::new(), form))?;
        }
        let mut value = table.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value);
        if let Some(Value::List(items)) = value {
            value = items.last_mut();
        }
        table = match value {
            Some(Value::Table(inner, form)) if *form != Form::Closed && !(dotted && *form == Form::Open) => {
                if dotted {
                    *form = Form::Dotted;
                }
                inner
            }
            _ => return Err(taken(key)),
        };
    }
    Ok(table)
}

fn taken(key: &str) -> Rejected {
    Rejected::malformed(format!("`{}` is something else already", one_line(key, 40)))
}

/// Keys with dots between them; in JSON there is one.
pub fn keys(at: &mut Cursor<'_>) -> Result<Vec<String>> {
    let mut path = vec![key(at)?];
    while at.is_toml {
        at.blanks();
        if !at.take(".") {
            break;
        }
        at.blanks();
        path.push(key(at)?);
        Reason::Limit.when(path.len() > 80, "tables are nested too deeply")?;
    }
    Ok(path)
}
