//! A strict JSON reader (RFC 8259) that keeps the place of every value and the text of every number.

use std::{collections::BTreeSet, ops::Range};

use super::{
    document::{MAX_VALUES, too_many_values},
    json_many::{FEW, has_equal_entries},
    node::{Entry, MAX_DEPTH, Node, Table, Value},
    problem::{ErrorCode, Problem},
    source::{MAX_BYTES, too_large},
};

/// Reads `text` as one JSON value.
///
/// # Errors
/// Anything that RFC 8259 does not allow, the same key twice in an object, nesting beyond
/// [`MAX_DEPTH`], more than [`MAX_VALUES`] values or [`MAX_BYTES`] bytes beside entries that are equal to others.
pub(crate) fn read_json(text: &str) -> Result<Node, Problem> {
    let mut reader = Reader::new(text, 0);
    let node = reader.value(0)?;
    reader.skip_blanks();
    reader.check_length()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.unexpected("the end of the input")),
    }
}

/// Reads the JSON value at the start of `text` and tells where it ends.
pub(crate) fn read_json_prefix(text: &str, from: usize) -> Result<(Node, usize), Problem> {
    let mut reader = Reader::new(text, from);
    let node = reader.value(0)?;
    Ok((node, reader.at))
}

/// A position in the text; [`super::json_string`] has the part that reads strings.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Bytes of entries that were not read, as others are the same.
    pub(super) repeated: usize,
    values: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            repeated: 0,
            values: 0,
        }
    }
}

impl Reader<'_> {
    pub(super) fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        self.skip_blanks();
        self.check_length()?;
        self.values = self.values.saturating_add(1);
        if self.values > MAX_VALUES {
            return Err(too_many_values(&self.here()));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node::new(value, start..self.at))
    }

    fn object(&mut self, depth: usize) -> Result<Value, Problem> {
        let depth = self.deeper(depth)?;
        self.skip(1);
        let mut keys = BTreeSet::new();
        let mut entries = Vec::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(Value::Table(Table::default()));
        }
        loop {
            let entry = self.entry(depth)?;
            if !keys.insert(entry.key.clone()) {
                return Err(duplicate_key(&entry.key, &entry.key_span));
            }
            entries.push(entry);
            self.skip_blanks();
            if self.take(b'}') {
                return Ok(Value::Table(Table { entries }));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn entry(&mut self, depth: usize) -> Result<Entry, Problem> {
        self.skip_blanks();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes").help(match self.peek() {
                Some(b'}') => "in JSON no comma stands before `}`: take it out",
                Some(b'/' | b'#') => "JSON has no comments: take it out, or write TOML",
                _ => "keys and strings stand in double quotes; an input that starts with `{` is read as JSON",
            }));
        }
        let key = self.string()?;
        let key_span = start..self.at;
        self.skip_blanks();
        if !self.take(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.skip_blanks();
        let start = self.at;
        let node = match has_equal_entries(&key) && self.take(b'[') {
            true => {
                let value = self.entries(depth, true)?;
                Node::new(value, start..self.at)
            }
            false => self.value(depth)?,
        };
        Ok(Entry {
            key,
            key_span,
            node,
        })
    }

    fn array(&mut self, depth: usize) -> Result<Value, Problem> {
        self.skip(1);
        self.entries(depth, false)
    }

    /// A list whose bracket was read.
    fn entries(&mut self, depth: usize, are_counted: bool) -> Result<Value, Problem> {
        let depth = self.deeper(depth)?;
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            if are_counted && items.len() >= FEW {
                return self.many(items, depth);
            }
            items.push(self.value(depth)?);
            self.skip_blanks();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// The depth inside the table or array that starts here.
    fn deeper(&self, depth: usize) -> Result<usize, Problem> {
        if depth < MAX_DEPTH {
            return Ok(depth.saturating_add(1));
        }
        Err(too_deep(&self.here()))
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let start = self.at;
        while self.peek().is_some_and(|byte| {
            matches!(byte, b'+' | b'-' | b'.' | b'_') || byte.is_ascii_alphanumeric()
        }) {
            self.skip(1);
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if is_json_number(text) {
            return Ok(Value::Number(text.to_owned()));
        }
        Err(Problem::new(ErrorCode::Syntax, &(start..self.at), format!("`{}` is not a JSON number", shown(text)))
            .help("JSON numbers look like -12.5e3, with a digit on both sides of the point; other forms, such as fractions, go in quotes"))
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            self.skip(1);
        }
        match self.text.get(start..self.at).unwrap_or_default() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            word => {
                let message = format!("`{}` is not JSON", shown(word));
                Err(Problem::new(ErrorCode::Syntax, &(start..self.at), message).help(
                    "a value is a number, a string in double quotes, a list, an object, true, false or null; nan and inf are no numbers",
                ))
            }
        }
    }

    /// Is what was read, but for repetitions, no more than is kept of an input?
    fn check_length(&self) -> Result<(), Problem> {
        let length = self.at.saturating_sub(self.repeated);
        if length > MAX_BYTES {
            return Err(too_large(self.text.len()));
        }
        Ok(())
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.skip(1);
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over whole characters only, as long as the callers have seen ASCII.
    pub(super) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.text.len());
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.skip(1);
        }
        found
    }

    fn here(&self) -> Range<usize> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        self.at..self.at.saturating_add(length)
    }

    pub(super) fn syntax(&self, message: impl Into<String>) -> Problem {
        Problem::new(ErrorCode::Syntax, &self.here(), message)
    }

    pub(super) fn unexpected(&self, expected: &str) -> Problem {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
            None => self.syntax(format!("the input ends where {expected} should be")),
            Some(found) => {
                let found = shown(&found.to_string());
                let problem = self.syntax(format!("found `{found}` where {expected} should be"));
                match found.as_str() {
                    "/" => problem.help("fractions go in quotes, for instance \"16384/50000\""),
                    _ => problem,
                }
            }
        }
    }
}

/// Nesting beyond [`MAX_DEPTH`].
pub(crate) fn too_deep(span: &Range<usize>) -> Problem {
    Problem::new(ErrorCode::Syntax, span, "the input is nested too deeply")
        .label(format!(
            "at most {MAX_DEPTH} levels in JSON and 80 in TOML are read"
        ))
        .help("write repeated compositions with `times`, and flatten `compose` inside `compose`")
}

fn duplicate_key(key: &str, span: &Range<usize>) -> Problem {
    Problem::new(
        ErrorCode::DuplicateKey,
        span,
        format!("duplicate key `{}`", shown(key)),
    )
    .help("keep one of them")
}

/// A quoted piece of input, cut to a length that fits a message, on one line.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        if position == LONGEST {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_debug());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// RFC 8259, section 6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
fn is_json_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        None => (text, None),
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        None => (mantissa, None),
        Some((whole, fraction)) => (whole, Some(fraction)),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |text: &str| digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read_json(text).unwrap_err().message
    }

    #[test]
    fn keeps_number_text_and_places() {
        let node = read_json(r#" {"a": [1.50e+3, "x\u00e9\ud83d\ude00\n", true, null, {}, []]} "#)
            .unwrap();
        let entry = node.as_table().unwrap().get("a").unwrap();
        assert_eq!(entry.key_span, 2..5);
        let items = entry.node.as_array().unwrap();
        assert_eq!(items[0], Node::new(Value::Number("1.50e+3".into()), 8..15));
        assert_eq!(items[1].as_string(), Some("xé😀\n"));
        assert_eq!(items[2].value, Value::Bool(true));
        assert_eq!(items[3].value, Value::Null);
        assert_eq!(items[4].value, Value::Table(Table::default()));
        assert_eq!(items[5].value, Value::Array(vec![]));
    }

    #[test]
    fn accepts_and_refuses_the_numbers_that_serde_json_does() {
        for text in [
            "0",
            "-0",
            "1",
            "10",
            "1.0",
            "-1.5e10",
            "1E5",
            "1e-05",
            "01",
            "-",
            "+1",
            ".5",
            "5.",
            "1e",
            "1e+",
            "1.e5",
            "0x10",
            "1_000",
            "--1",
            "1.5.5",
            "00",
            "-01",
            "NaN",
            "Infinity",
            "-Infinity",
            "1e5e5",
        ] {
            let theirs = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(read_json(text).is_ok(), theirs, "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let cases = [
            ("", "the input ends where a value should be"),
            ("{", "the input ends where a key in double quotes should be"),
            ("{\"a\"}", "found `}` where `:` should be"),
            (
                "{\"a\":1,}",
                "found `}` where a key in double quotes should be",
            ),
            ("{\"a\":1 \"b\":2}", "found `\"` where `,` or `}` should be"),
            ("[1 2]", "found `2` where `,` or `]` should be"),
            ("[1,]", "found `]` where a value should be"),
            ("{} x", "found `x` where the end of the input should be"),
            ("\"a", "a string is not closed"),
            ("\"\\q\"", "this is no JSON escape"),
            ("\"\\ud800\"", "this is no JSON escape"),
            ("\"\\ud800\\u0041\"", "this is no JSON escape"),
            ("\"\\u12é\"", "this is no JSON escape"),
            ("\"\u{1}\"", "a control character stands inside a string"),
            ("{\"a\":1,\"a\":2}", "duplicate key `a`"),
            ("nan", "`nan` is not JSON"),
            ("'a'", "found `'` where a value should be"),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        for (open, close) in [("[", "]"), ("{\"of\":", "}")] {
            let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert!(read_json(&nested(MAX_DEPTH)).is_ok());
            for depth in [MAX_DEPTH + 1, 1_000, 100_000, 5_000_000] {
                assert_eq!(message(&nested(depth)), "the input is nested too deeply");
            }
        }
    }

    quickcheck::quickcheck! {
        fn agrees_with_serde_json_on_mutated_documents(position: usize, byte: u8, removed: bool) -> bool {
            let text = r#"{"a":[1.5,-2e-3,"x\n\u0041é"],"b":{"c":null,"d":true},"e":"","f":[[],{}]}"#;
            let mut bytes = text.as_bytes().to_vec();
            let position = position % bytes.len();
            if removed { bytes.remove(position); } else { bytes[position] = byte; }
            let Ok(text) = String::from_utf8(bytes) else { return true };
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            match read_json(&text) {
                Ok(_) => theirs,
                Err(problem) => !theirs || problem.code == ErrorCode::DuplicateKey,
            }
        }

        fn arbitrary_text_never_panics(text: String) -> bool {
            let _ = read_json(&text);
            let _ = read_json(&format!("[\"{text}"));
            true
        }
    }
}
