//! Values of JSON (RFC 8259) and TOML 1.1: a reader that accepts nothing doubtful, and the canonical form in JSON.

use crate::toml::{keys, open};
use crate::*;

/// A JSON or TOML value. Numbers stay text: they are read as exact fractions where they are used.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(String),
    Word(&'static str),
    List(Vec<Value>),
    Table(Vec<(String, Value)>, Form),
}

/// How a table came to be, which decides what a TOML document may still add to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// JSON, or inline: nothing.
    Closed,
    /// By a header.
    Open,
    /// By a header of a table in it.
    Implied,
    /// By a dotted key.
    Dotted,
}

fn no(what: &str, kind: &str) -> Rejected {
    Rejected::malformed(format!("{what} is not {kind}"))
}

impl Value {
    /// A table that is complete.
    pub fn of_entries<'a>(entries: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
        Self::Table(entries.collect(), Form::Closed)
    }

    fn table(&self, what: &str) -> Result<&[(String, Value)]> {
        if let Value::Table(entries, _) = self { Ok(entries) } else { Err(no(what, "a table")) }
    }

    pub fn list(&self, what: &str) -> Result<&[Value]> {
        if let Value::List(items) = self { Ok(items) } else { Err(no(what, "a list")) }
    }

    pub fn text(&self, what: &str) -> Result<&str> {
        if let Value::Text(text) = self { Ok(text) } else { Err(no(what, "a string")) }
    }

    /// The text of a number, whether it is written as a number or as a string.
    pub fn number(&self, what: &str) -> Result<&str> {
        if let Value::Text(text) | Value::Number(text) = self { Ok(text) } else { Err(no(what, "a number")) }
    }

    /// Refuses a table with any other key.
    pub fn only(&self, what: &str, keys: &[&str]) -> Result<()> {
        let other = self.table(what)?.iter().map(|(key, _)| key.as_str()).find(|key| !keys.contains(key));
        let no = |key| Err(Rejected::malformed(format!("{what} has the unknown key `{}`", one_line(key, 40))));
        other.map_or(Ok(()), no)
    }

    /// The keys of a table.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let entries = if let Value::Table(entries, _) = self { entries.as_slice() } else { &[] };
        entries.iter().map(|(key, _)| key.as_str())
    }

    /// What a table has under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Table(entries, _) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn need(&self, key: &str) -> Result<&Value> {
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
            Value::Table(entries, _) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
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

/// A position in a text of JSON or TOML.
pub struct Cursor<'a> {
    pub rest: &'a str,
    /// Or else JSON.
    pub is_toml: bool,
}

impl<'a> Cursor<'a> {
    pub fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or("");
        Some(c)
    }

    pub fn take(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub fn require(&mut self, what: &str) -> Result<()> {
        if self.take(what) { Ok(()) } else { Err(Rejected::malformed(format!("`{what}` is missing"))) }
    }

    pub fn word(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Blanks on a line.
    pub fn blanks(&mut self) {
        self.word(|c| matches!(c, ' ' | '\t'));
    }

    /// Blanks and ends of lines; in TOML comments too.
    pub fn skip(&mut self) {
        let blank = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
        self.word(blank);
        while self.is_toml && self.take("#") {
            self.word(|c| c != '\n');
            self.word(blank);
        }
    }

    /// A string, if one begins here. TOML has them in single quotes, without escapes, and on several lines.
    fn string(&mut self) -> Result<Option<String>> {
        let quote = match self.rest.chars().next() {
            Some('"') => "\"",
            Some('\'') if self.is_toml => "'",
            _ => return Ok(None),
        };
        let three = quote.repeat(3);
        let lines = self.is_toml && self.take(&three);
        if lines {
            let _ = self.take("\n") || self.take("\r\n");
        } else {
            self.require(quote)?;
        }
        let (end, mut out) = (if lines { three.as_str() } else { quote }, String::new());
        while !self.take(end) {
            match self.next() {
                Some('\\') if quote == "\"" => out.extend(self.escape(lines)?),
                Some(c) if c >= ' ' || (self.is_toml && c == '\t') || (lines && matches!(c, '\n' | '\r')) => {
                    out.push(c)
                }
                _ => return Err(Rejected::malformed("no end of the string")),
            }
        }
        // Up to two quotes may stand before the last three.
        while lines && self.rest.starts_with(quote) && !out.ends_with(&quote.repeat(2)) {
            self.require(quote)?;
            out.push_str(quote);
        }
        Ok(Some(out))
    }

    /// What a backslash begins; the end of a line means nothing, with all blanks that follow.
    fn escape(&mut self, lines: bool) -> Result<Option<char>> {
        let toml = self.is_toml;
        Ok(Some(match self.next() {
            Some(c @ ('"' | '\\')) => c,
            Some('/') if !toml => '/',
            Some('b') => '\u{8}',
            Some('e') if toml => '\u{1b}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('x') if toml => self.character(2)?,
            Some('u') => self.character(4)?,
            Some('U') if toml => self.character(8)?,
            Some(c @ (' ' | '\t' | '\r' | '\n')) if lines => {
                let blanks = self.word(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
                let is_end = c == '\n' || c == '\r' || blanks.contains('\n');
                return Reason::Malformed.when(!is_end, "an unknown escape").map(|()| None);
            }
            _ => return Err(Rejected::malformed("an unknown escape")),
        }))
    }

    /// By its number; JSON has those beyond 16 bits as two halves.
    fn character(&mut self, digits: usize) -> Result<char> {
        let mut code = self.hexadecimal(digits)?;
        if !self.is_toml && (0xd800..0xdc00).contains(&code) {
            self.require("\\u")?;
            let second = self.hexadecimal(4)?;
            Reason::Malformed.when(!(0xdc00..0xe000).contains(&second), "half a character")?;
            code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
        }
        char::from_u32(code).ok_or_else(|| Rejected::malformed("no such character"))
    }

    fn hexadecimal(&mut self, count: usize) -> Result<u32> {
        let digits = self.rest.get(..count).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        self.rest = self.rest.get(count..).unwrap_or("");
        code.ok_or_else(|| Rejected::malformed(format!("{count} hexadecimal digits are missing")))
    }
}

/// Reads one JSON value and nothing after it.
pub fn json(text: &str) -> Result<Value> {
    let mut at = Cursor { rest: text, is_toml: false };
    at.skip();
    let value = value(&mut at, 0)?;
    at.skip();
    if at.rest.is_empty() { Ok(value) } else { Err(Rejected::malformed("text after the end")) }
}

/// One key, bare only in TOML.
pub fn key(at: &mut Cursor<'_>) -> Result<String> {
    if !["\"\"\"", "'''"].iter().any(|three| at.is_toml && at.rest.starts_with(three))
        && let Some(key) = at.string()?
    {
        return Ok(key);
    }
    let key = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if key.is_empty() || !at.is_toml { Err(Rejected::malformed("a key is missing")) } else { Ok(key.to_owned()) }
}

/// A value that begins here, inside so many others.
pub fn value(at: &mut Cursor<'_>, depth: usize) -> Result<Value> {
    if let Some(text) = at.string()? {
        return Ok(Value::Text(text));
    }
    let (is_list, is_table) = (at.rest.starts_with('['), at.rest.starts_with('{'));
    if is_list || is_table {
        let deepest = if at.is_toml { 80 } else { 128 };
        Reason::Limit.when(depth >= deepest, "values are nested too deeply")?;
        at.next();
        let (mut items, mut entries, end) = (Vec::new(), Vec::new(), if is_list { "]" } else { "}" });
        at.skip();
        while !at.take(end) {
            if is_list {
                items.push(value(at, depth + 1)?);
            } else {
                entry(at, &mut entries, depth + 1)?;
            }
            at.skip();
            if !at.rest.starts_with(end) {
                at.require(",")?;
                at.skip();
                // A comma after the last one is TOML.
                Reason::Malformed.when(!at.is_toml && at.rest.starts_with(end), "a value is missing")?;
            }
        }
        return Ok(if is_list { Value::List(items) } else { Value::Table(entries, Form::Closed) });
    }
    let word = at.word(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'));
    let words = ["true", "false", "null"].into_iter().filter(|known| *known != "null" || !at.is_toml);
    if let Some(known) = words.into_iter().find(|known| *known == word) {
        return Ok(Value::Word(known));
    }
    let number = is_number(word, at.is_toml).then(|| Value::Number(word.to_owned()));
    Reason::Malformed.unless(number, "no value that is read here")
}

/// A key, a value and what is between them.
pub fn entry(at: &mut Cursor<'_>, table: &mut Vec<(String, Value)>, depth: usize) -> Result<()> {
    let mut path = keys(at)?;
    let last = path.pop().unwrap_or_default();
    let gap = if depth > 0 { Cursor::skip } else { Cursor::blanks };
    gap(at);
    at.require(if at.is_toml { "=" } else { ":" })?;
    gap(at);
    let value = value(at, depth)?;
    insert(open(table, &path, true)?, last, value)
}

/// A number of JSON, or the same with a sign and with underscores between digits.
fn is_number(text: &str, toml: bool) -> bool {
    let unsigned = text.strip_prefix('-').or(text.strip_prefix('+').filter(|_| toml)).unwrap_or(text);
    let parts = |text: &str, plain: &dyn Fn(&str) -> bool| match toml {
        true => text.split('_').all(plain),
        false => plain(text),
    };
    let digits = |text: &str| parts(text, &|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_whole = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    is_whole && digits(part) && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

/// No table of a claim file or a certificate has nearly as many.
const MOST_KEYS: usize = 1024;

/// A key that occurs twice would leave open which value is meant.
pub fn insert(entries: &mut Vec<(String, Value)>, key: String, value: Value) -> Result<()> {
    spend_each(entries.len(), 1)?;
    Reason::Limit.when(entries.len() >= MOST_KEYS, "a table has too many keys")?;
    if entries.iter().any(|(name, _)| *name == key) {
        return Err(Rejected::malformed(format!("the key `{}` occurs twice", one_line(&key, 40))));
    }
    entries.push((key, value));
    Ok(())
}
