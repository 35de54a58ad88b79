//! A document as a tree in which every value and key knows its place, and numbers keep their text.

use std::ops::Range;

/// Deepest nesting of tables and arrays that is read.
pub const MAX_DEPTH: usize = 128;

/// A value and the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub value: Value,
    pub span: Range<usize>,
}

/// What TOML and JSON have in common. Numbers are kept as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Table(Table),
    Array(Vec<Node>),
    /// A long list of which equal entries are read once, where their order says nothing.
    Many(Vec<Many>),
    Number(String),
    String(String),
    Bool(bool),
    Null,
}

/// An entry of a list, at its first place, and how often it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Many {
    pub node: Node,
    pub times: u64,
}

/// Keys with their values, in the order of the text; no key occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

impl Node {
    pub fn new(value: Value, span: Range<usize>) -> Self {
        Node { value, span }
    }

    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_string(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// What the value is, in words.
    pub fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Table(_) => "a table",
            Value::Array(_) | Value::Many(_) => "a list",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Bool(_) => "a boolean",
            Value::Null => "null",
        }
    }
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}
