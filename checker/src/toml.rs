//! TOML, as far as claim files use it: tables, lists of tables, strings, numbers, lists, inline tables, comments.
//!
//! What is not read (dates, multi-line strings, dotted keys before `=`) is an error, never a guess.

use std::collections::BTreeSet;

use crate::reason::{Rejected, one_line};
use crate::value::{Cursor, DEEPEST, Value, insert, key, skip, value};
use crate::work::spend_each;

/// Reads a document.
pub fn toml(text: &str) -> Result<Value, Rejected> {
    let text = text.replace("\r\n", "\n");
    if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Rejected::malformed("a control character"));
    }
    let mut at = Cursor { rest: &text };
    let mut root: Vec<(String, Value)> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut opened: BTreeSet<Vec<String>> = BTreeSet::new();
    loop {
        skip(&mut at, true);
        if at.rest.is_empty() {
            return Ok(Value::Table(root));
        }
        if at.take("[[") {
            path = header(&mut at, "]]")?;
            let (last, parents) = path.split_last().ok_or_else(|| at.error("an empty header"))?;
            let table = open(&mut root, parents)?;
            spend_each(table.len(), 1)?;
            match table.iter_mut().find(|(key, _)| key == last) {
                None => insert(table, last.clone(), Value::List(vec![Value::Table(Vec::new())]))?,
                Some((_, Value::List(items))) if opened.contains(&path) => items.push(Value::Table(Vec::new())),
                Some(_) => return Err(at.error("a list of tables has a name that is taken")),
            }
            opened.insert(path.clone());
        } else if at.take("[") {
            path = header(&mut at, "]")?;
            let (last, parents) = path.split_last().ok_or_else(|| at.error("an empty header"))?;
            insert(open(&mut root, parents)?, last.clone(), Value::Table(Vec::new()))?;
        } else {
            let key = key(&mut at, true)?;
            at.skip(is_blank);
            at.require("=")?;
            at.skip(is_blank);
            let value = value(&mut at, 0, true)?;
            insert(open(&mut root, &path)?, key, value)?;
        }
        at.skip(is_blank);
        if !at.rest.is_empty() && !at.rest.starts_with(['\n', '#']) {
            return Err(at.error("more than one thing on a line"));
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// The table at a path, where a list of tables stands for its last one.
fn open<'a>(root: &'a mut Vec<(String, Value)>, path: &[String]) -> Result<&'a mut Vec<(String, Value)>, Rejected> {
    let mut table = root;
    for key in path {
        spend_each(table.len(), 2)?;
        if !table.iter().any(|(name, _)| name == key) {
            insert(table, key.clone(), Value::Table(Vec::new()))?;
        }
        let entry = table.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value);
        table = match entry {
            Some(Value::Table(inner)) => inner,
            Some(Value::List(items)) => match items.last_mut() {
                Some(Value::Table(inner)) => inner,
                _ => return Err(Rejected::malformed(format!("`{}` is not a table", one_line(key, 40)))),
            },
            _ => return Err(Rejected::malformed(format!("`{}` is not a table", one_line(key, 40)))),
        };
    }
    Ok(table)
}

fn header(at: &mut Cursor<'_>, close: &str) -> Result<Vec<String>, Rejected> {
    let mut path = Vec::new();
    loop {
        at.skip(is_blank);
        path.push(key(at, true)?);
        if path.len() > DEEPEST {
            return Err(Rejected::limit("tables are nested too deeply"));
        }
        at.skip(is_blank);
        if at.take(close) {
            return Ok(path);
        }
        at.require(".")?;
    }
}
