//! Values of JSON and TOML: a reader that accepts nothing doubtful, and the canonical form in JSON.

use crate::reason::{Rejected, one_line};
use crate::work::spend_each;

/// A JSON or TOML value. Numbers stay text: they are read as exact fractions where they are used.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(String),
    Word(&'static str),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

/// Nesting beyond this is refused.
pub const DEEPEST: usize = 32;

impl Value {
    fn table(&self, what: &str) -> Result<&[(String, Value)], Rejected> {
        match self {
            Value::Table(entries) => Ok(entries),
            _ => Err(Rejected::malformed(format!("{what} is not a table"))),
        }
    }

    pub fn list(&self, what: &str) -> Result<&[Value], Rejected> {
        match self {
            Value::List(items) => Ok(items),
            _ => Err(Rejected::malformed(format!("{what} is not a list"))),
        }
    }

    pub fn text(&self, what: &str) -> Result<&str, Rejected> {
        match self {
            Value::Text(text) => Ok(text),
            _ => Err(Rejected::malformed(format!("{what} is not a string"))),
        }
    }

    /// The text of a number, whether it is written as a number or as a string.
    pub fn number(&self, what: &str) -> Result<&str, Rejected> {
        match self {
            Value::Text(text) | Value::Number(text) => Ok(text),
            _ => Err(Rejected::malformed(format!("{what} is not a number"))),
        }
    }

    /// Refuses a table with any other key.
    pub fn only(&self, what: &str, keys: &[&str]) -> Result<(), Rejected> {
        match self.table(what)?.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            Some((key, _)) => Err(Rejected::malformed(format!("{what} has the unknown key `{}`", one_line(key, 40)))),
            None => Ok(()),
        }
    }

    /// The keys of a table.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let entries = if let Value::Table(entries) = self { entries.as_slice() } else { &[] };
        entries.iter().map(|(key, _)| key.as_str())
    }

    /// What a table has under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Table(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn need(&self, key: &str) -> Result<&Value, Rejected> {
        self.get(key).ok_or_else(|| Rejected::malformed(format!("the key `{key}` is missing")))
    }

    /// Canonical JSON: keys in the order of their bytes, no blanks, the shortest escapes.
    pub fn canonical(&self) -> String {
        match self {
            Value::Text(text) => quoted(text),
            Value::Number(text) => text.clone(),
            Value::Word(word) => (*word).to_owned(),
            Value::List(items) => {
                let items: Vec<_> = items.iter().map(Value::canonical).collect();
                format!("[{}]", items.join(","))
            }
            Value::Table(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                let entries: Vec<_> = entries.iter().map(|(k, v)| format!("{}:{}", quoted(k), v.canonical())).collect();
                format!("{{{}}}", entries.join(","))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A position in a text; also used by the TOML reader.
pub struct Cursor<'a> {
    pub rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or("");
        Some(c)
    }

    pub fn take(&mut self, what: &str) -> bool {
        match self.rest.strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub fn skip(&mut self, blank: fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(blank);
    }

    pub fn require(&mut self, what: &str) -> Result<(), Rejected> {
        if self.take(what) { Ok(()) } else { Err(self.error(&format!("`{what}` is missing"))) }
    }

    pub fn word(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    pub fn error(&self, what: &str) -> Rejected {
        let near: String = self.rest.chars().take(20).collect();
        Rejected::malformed(format!("{what} near `{}`", one_line(&near, 20)))
    }

    /// The rest of a string after its opening quote, with JSON's escapes.
    pub fn string(&mut self) -> Result<String, Rejected> {
        let mut out = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(out),
                Some('\\') => out.push(self.escape()?),
                Some(c) if c >= ' ' => out.push(c),
                _ => return Err(self.error("a string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Rejected> {
        Ok(match self.next() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let first = self.four_digits()?;
                let code = if (0xd800..0xdc00).contains(&first) {
                    self.require("\\u")?;
                    let second = self.four_digits()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return Err(self.error("half a character"));
                    }
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| self.error("no such character"))?
            }
            _ => return Err(self.error("an unknown escape")),
        })
    }

    fn four_digits(&mut self) -> Result<u32, Rejected> {
        let digits = self.rest.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = code.ok_or_else(|| self.error("four hexadecimal digits are missing"))?;
        self.rest = self.rest.get(4..).unwrap_or("");
        Ok(code)
    }
}

/// Reads one JSON value and nothing after it.
pub fn json(text: &str) -> Result<Value, Rejected> {
    let mut at = Cursor { rest: text };
    skip(&mut at, false);
    let value = value(&mut at, 0, false)?;
    skip(&mut at, false);
    if at.rest.is_empty() { Ok(value) } else { Err(at.error("text after the end")) }
}

/// Blanks and ends of lines; in TOML comments too.
pub fn skip(at: &mut Cursor<'_>, toml: bool) {
    at.skip(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
    while toml && at.take("#") {
        at.word(|c| c != '\n');
        at.skip(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
    }
}

/// The key of an entry, bare only in TOML.
pub fn key(at: &mut Cursor<'_>, toml: bool) -> Result<String, Rejected> {
    if at.take("\"") {
        return at.string();
    }
    let key = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if key.is_empty() || !toml { Err(at.error("a key is missing")) } else { Ok(key.to_owned()) }
}

/// A value of JSON, or of TOML, that begins here.
pub fn value(at: &mut Cursor<'_>, depth: usize, toml: bool) -> Result<Value, Rejected> {
    if depth > DEEPEST {
        return Err(Rejected::limit("values are nested too deeply"));
    }
    if toml && (at.rest.starts_with("\"\"\"") || at.rest.starts_with("'''")) {
        return Err(at.error("strings of several lines are not read"));
    }
    if at.take("\"") {
        return at.string().map(Value::Text);
    }
    if toml && at.take("'") {
        let text = at.word(|c| c != '\'' && c != '\n').to_owned();
        at.require("'")?;
        return Ok(Value::Text(text));
    }
    if at.take("[") {
        let mut items = Vec::new();
        loop {
            skip(at, toml);
            // A comma after the last item is TOML.
            if at.rest.starts_with(']') && (toml || items.is_empty()) {
                break;
            }
            items.push(value(at, depth + 1, toml)?);
            skip(at, toml);
            if at.rest.starts_with(']') {
                break;
            }
            at.require(",")?;
        }
        at.require("]")?;
        return Ok(Value::List(items));
    }
    if at.take("{") {
        let mut entries = Vec::new();
        skip(at, toml);
        while !at.take("}") {
            if !entries.is_empty() {
                at.require(",")?;
                skip(at, toml);
            }
            let key = key(at, toml)?;
            skip(at, toml);
            at.require(if toml { "=" } else { ":" })?;
            skip(at, toml);
            let value = value(at, depth + 1, toml)?;
            insert(&mut entries, key, value)?;
            skip(at, toml);
        }
        return Ok(Value::Table(entries));
    }
    for word in ["true", "false", "null"] {
        if at.take(word) {
            return Ok(Value::Word(word));
        }
    }
    let before = Cursor { rest: at.rest };
    let number = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if is_number(if toml { number.strip_prefix('+').unwrap_or(number) } else { number }) {
        Ok(Value::Number(number.to_owned()))
    } else {
        Err(before.error("no value that is read here"))
    }
}

/// A number of JSON; those of TOML look the same.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_whole = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    is_whole && digits(part) && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

/// No table of a claim file or a certificate has nearly as many.
const MOST_KEYS: usize = 1024;

/// A key that occurs twice would leave open which value is meant.
pub fn insert(entries: &mut Vec<(String, Value)>, key: String, value: Value) -> Result<(), Rejected> {
    spend_each(entries.len(), 1)?;
    if entries.len() >= MOST_KEYS {
        return Err(Rejected::limit("a table has too many keys"));
    }
    if entries.iter().any(|(name, _)| *name == key) {
        return Err(Rejected::malformed(format!("the key `{}` occurs twice", one_line(&key, 40))));
    }
    entries.push((key, value));
    Ok(())
}
