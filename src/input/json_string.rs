//! Strings of JSON and their escapes (RFC 8259, section 7).

use std::ops::Range;

use super::{
    json::Reader,
    problem::{ErrorCode, Problem},
};

impl Reader<'_> {
    /// The string whose opening quote is next.
    pub(super) fn string(&mut self) -> Result<String, Problem> {
        let opening = self.at;
        self.skip(1);
        let mut content = String::new();
        loop {
            let run = self.at;
            while self
                .peek()
                .is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20)
            {
                self.skip(1);
            }
            content.push_str(self.text.get(run..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.skip(1);
                    return Ok(content);
                }
                Some(b'\\') => content.push(self.escape()?),
                Some(_) => {
                    return Err(self
                        .syntax("a control character stands inside a string")
                        .help("write it as an escape, for instance `\\n`"));
                }
                None => {
                    let span = opening..opening.saturating_add(1);
                    return Err(
                        Problem::new(ErrorCode::Syntax, &span, "a string is not closed")
                            .label("it starts here"),
                    );
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let start = self.at;
        self.skip(1);
        let letter = self.peek();
        let character = match letter {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'/') => Some('/'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => {
                self.skip(1);
                return self.unicode_escape(start);
            }
            _ => None,
        };
        self.skip(1);
        character.ok_or_else(|| bad_escape(start..self.at))
    }

    /// After `\u`: four hexadecimal digits, or two such escapes that are a surrogate pair.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Problem> {
        let first = self.four_hex_digits(start)?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let high = first.checked_sub(0xd800).filter(|high| *high < 0x400);
        let followed = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with("\\u"));
        if let (Some(high), true) = (high, followed) {
            self.skip(2);
            let second = self.four_hex_digits(start)?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
            let pair = low.and_then(|low| char::from_u32(0x10000 + (high << 10) + low));
            if let Some(character) = pair {
                return Ok(character);
            }
        }
        Err(bad_escape(start..self.at))
    }

    fn four_hex_digits(&mut self, start: usize) -> Result<u32, Problem> {
        let end = self.at.saturating_add(4);
        let digits = self.text.get(self.at..end).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad_escape(start..self.at));
        }
        self.at = end;
        u32::from_str_radix(digits, 16).map_err(|_| bad_escape(start..end))
    }
}

fn bad_escape(span: Range<usize>) -> Problem {
    Problem::new(ErrorCode::Syntax, &span, "this is no JSON escape")
        .help("escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits")
}
