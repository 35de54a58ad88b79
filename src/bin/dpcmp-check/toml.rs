//! TOML, as far as claim files use it: tables, lists of tables, strings, numbers, lists, inline tables, comments.
//!
//! What is not read (dates, multi-line strings, dotted keys before `=`) is an error, never a guess.

use crate::Reason;
use crate::value::{Cursor, Value, insert};

/// Tables and lists inside each other.
const DEEPEST: usize = 32;

/// Reads a document.
pub fn toml(text: &str) -> Result<Value, Reason> {
    let text = text.replace("\r\n", "\n");
    let mut at = Cursor { rest: &text };
    let mut root: Vec<(String, Value)> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut opened: Vec<Vec<String>> = Vec::new();
    loop {
        skip_lines(&mut at);
        if at.rest.is_empty() {
            return Ok(Value::Table(root));
        }
        if at.take("[[") {
            path = header(&mut at, "]]")?;
            let (last, parents) = path.split_last().ok_or_else(|| at.error("an empty header"))?;
            let table = open(&mut root, parents)?;
            match table.iter_mut().find(|(key, _)| key == last) {
                None => table.push((last.clone(), Value::List(vec![Value::Table(Vec::new())]))),
                Some((_, Value::List(items))) if opened.contains(&path) => items.push(Value::Table(Vec::new())),
                Some(_) => return Err(at.error("a list of tables has a name that is taken")),
            }
            opened.push(path.clone());
        } else if at.take("[") {
            path = header(&mut at, "]")?;
            let (last, parents) = path.split_last().ok_or_else(|| at.error("an empty header"))?;
            insert(open(&mut root, parents)?, last.clone(), Value::Table(Vec::new()))?;
        } else {
            let key = key(&mut at)?;
            at.skip(is_blank);
            at.require("=")?;
            let value = value(&mut at, 0)?;
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

fn skip_lines(at: &mut Cursor<'_>) {
    loop {
        at.skip(|c| matches!(c, ' ' | '\t' | '\n'));
        if !at.take("#") {
            return;
        }
        at.word(|c| c != '\n');
    }
}

/// The table at a path, where a list of tables stands for its last one.
fn open<'a>(root: &'a mut Vec<(String, Value)>, path: &[String]) -> Result<&'a mut Vec<(String, Value)>, Reason> {
    let mut table = root;
    for key in path {
        if !table.iter().any(|(name, _)| name == key) {
            insert(table, key.clone(), Value::Table(Vec::new()))?;
        }
        let entry = table.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value);
        table = match entry {
            Some(Value::Table(inner)) => inner,
            Some(Value::List(items)) => match items.last_mut() {
                Some(Value::Table(inner)) => inner,
                _ => return Err(Reason::malformed(format!("`{key}` is not a table"))),
            },
            _ => return Err(Reason::malformed(format!("`{key}` is not a table"))),
        };
    }
    Ok(table)
}

fn header(at: &mut Cursor<'_>, close: &str) -> Result<Vec<String>, Reason> {
    let mut path = Vec::new();
    loop {
        at.skip(is_blank);
        path.push(key(at)?);
        if path.len() > DEEPEST {
            return Err(Reason::limit("tables are nested too deeply"));
        }
        at.skip(is_blank);
        if at.take(close) {
            return Ok(path);
        }
        at.require(".")?;
    }
}

fn key(at: &mut Cursor<'_>) -> Result<String, Reason> {
    if at.take("\"") {
        return at.string();
    }
    let key = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if key.is_empty() { Err(at.error("a key is missing")) } else { Ok(key.to_owned()) }
}

fn value(at: &mut Cursor<'_>, depth: usize) -> Result<Value, Reason> {
    if depth > DEEPEST {
        return Err(Reason::limit("values are nested too deeply"));
    }
    at.skip(is_blank);
    if at.rest.starts_with("\"\"\"") || at.rest.starts_with("'''") {
        return Err(at.error("strings of several lines are not read"));
    }
    if at.take("\"") {
        return at.string().map(Value::Text);
    }
    if at.take("'") {
        let text = at.word(|c| c != '\'' && c != '\n').to_owned();
        at.require("'")?;
        return Ok(Value::Text(text));
    }
    if at.take("[") {
        let mut items = Vec::new();
        loop {
            skip_lines(at);
            if at.take("]") {
                return Ok(Value::List(items));
            }
            items.push(value(at, depth + 1)?);
            skip_lines(at);
            if !at.rest.starts_with(']') {
                at.require(",")?;
            }
        }
    }
    if at.take("{") {
        let mut entries = Vec::new();
        loop {
            at.skip(is_blank);
            if at.take("}") {
                return Ok(Value::Table(entries));
            }
            if !entries.is_empty() {
                at.require(",")?;
                at.skip(is_blank);
            }
            let key = key(at)?;
            at.skip(is_blank);
            at.require("=")?;
            let value = value(at, depth + 1)?;
            insert(&mut entries, key, value)?;
        }
    }
    for word in ["true", "false"] {
        if at.take(word) {
            return Ok(Value::Word(word));
        }
    }
    let number = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if number.starts_with(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit()) {
        Ok(Value::Number(number.to_owned()))
    } else {
        Err(at.error("no value that is read here"))
    }
}
