//! JSON: a reader that accepts nothing doubtful, and the canonical form of a value.

use crate::Reason;

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
const DEEPEST: usize = 32;

impl Value {
    pub fn table(&self, what: &str) -> Result<&[(String, Value)], Reason> {
        match self {
            Value::Table(entries) => Ok(entries),
            _ => Err(Reason::malformed(format!("{what} is not a table"))),
        }
    }

    pub fn list(&self, what: &str) -> Result<&[Value], Reason> {
        match self {
            Value::List(items) => Ok(items),
            _ => Err(Reason::malformed(format!("{what} is not a list"))),
        }
    }

    pub fn text(&self, what: &str) -> Result<&str, Reason> {
        match self {
            Value::Text(text) => Ok(text),
            _ => Err(Reason::malformed(format!("{what} is not a string"))),
        }
    }

    /// The text of a number, whether it is written as a number or as a string.
    pub fn number(&self, what: &str) -> Result<&str, Reason> {
        match self {
            Value::Text(text) | Value::Number(text) => Ok(text),
            _ => Err(Reason::malformed(format!("{what} is not a number"))),
        }
    }

    /// The entries of a table that has these keys and no others; the keys from `required` on may be absent.
    pub fn fields<'a>(&'a self, what: &str, keys: &[&str], required: usize) -> Result<Vec<Option<&'a Value>>, Reason> {
        let entries = self.table(what)?;
        if let Some((key, _)) = entries.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            return Err(Reason::malformed(format!("{what} has the unknown key `{key}`")));
        }
        let find = |key: &&str| entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let found: Vec<_> = keys.iter().map(find).collect();
        match found.iter().zip(keys).take(required).find(|(value, _)| value.is_none()) {
            Some((_, key)) => Err(Reason::malformed(format!("{what} lacks the key `{key}`"))),
            None => Ok(found),
        }
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

    pub fn require(&mut self, what: &str) -> Result<(), Reason> {
        if self.take(what) { Ok(()) } else { Err(self.error(&format!("`{what}` is missing"))) }
    }

    pub fn word(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    pub fn error(&self, what: &str) -> Reason {
        let near: String = self.rest.chars().take(20).collect();
        Reason::malformed(format!("{what} near `{}`", near.escape_debug()))
    }

    /// The rest of a string after its opening quote, with JSON's escapes.
    pub fn string(&mut self) -> Result<String, Reason> {
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

    fn escape(&mut self) -> Result<char, Reason> {
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

    fn four_digits(&mut self) -> Result<u32, Reason> {
        let digits = self.rest.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = code.ok_or_else(|| self.error("four hexadecimal digits are missing"))?;
        self.rest = self.rest.get(4..).unwrap_or("");
        Ok(code)
    }
}

/// Reads one JSON value and nothing after it.
pub fn json(text: &str) -> Result<Value, Reason> {
    let mut at = Cursor { rest: text };
    let value = value(&mut at, 0)?;
    at.skip(is_blank);
    if at.rest.is_empty() { Ok(value) } else { Err(at.error("text after the end")) }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn value(at: &mut Cursor<'_>, depth: usize) -> Result<Value, Reason> {
    if depth > DEEPEST {
        return Err(Reason::limit("values are nested too deeply"));
    }
    at.skip(is_blank);
    if at.take("\"") {
        return at.string().map(Value::Text);
    }
    if at.take("[") {
        let mut items = Vec::new();
        at.skip(is_blank);
        while !at.take("]") {
            if !items.is_empty() {
                at.require(",")?;
            }
            items.push(value(at, depth + 1)?);
            at.skip(is_blank);
        }
        return Ok(Value::List(items));
    }
    if at.take("{") {
        let mut entries = Vec::new();
        at.skip(is_blank);
        while !at.take("}") {
            if !entries.is_empty() {
                at.require(",")?;
                at.skip(is_blank);
            }
            at.require("\"")?;
            let key = at.string()?;
            at.skip(is_blank);
            at.require(":")?;
            let value = value(at, depth + 1)?;
            insert(&mut entries, key, value)?;
            at.skip(is_blank);
        }
        return Ok(Value::Table(entries));
    }
    for word in ["true", "false", "null"] {
        if at.take(word) {
            return Ok(Value::Word(word));
        }
    }
    let number = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        Ok(Value::Number(number.to_owned()))
    } else {
        Err(at.error("no JSON value"))
    }
}

/// No table of a claim file or a certificate has nearly as many.
const MOST_KEYS: usize = 1024;

/// A key that occurs twice would leave open which value is meant.
pub fn insert(entries: &mut Vec<(String, Value)>, key: String, value: Value) -> Result<(), Reason> {
    if entries.len() >= MOST_KEYS {
        return Err(Reason::limit("a table has too many keys"));
    }
    if entries.iter().any(|(name, _)| *name == key) {
        return Err(Reason::malformed(format!("the key `{key}` occurs twice")));
    }
    entries.push((key, value));
    Ok(())
}
