//! The texts of a YAML file by their places, such as `deployment.basic.name`.
//!
//! Numbers stay as they are written. What can make a short file long or deep is refused: aliases, more than one document, keys that are
//! no text, deep nesting.

use std::collections::BTreeMap;

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

/// An entry of the registry has a fiftieth of it.
const MOST_BYTES: usize = 1 << 20;

/// An entry of the registry has five.
const DEEPEST: usize = 32;

/// Keys of an entry have some sixty bytes together; each text keeps its own.
const LONGEST_PLACE: usize = 512;

/// Texts by their places: keys with dots between them. The texts of a list are joined by `; `.
pub type Texts = BTreeMap<String, String>;

enum Frame {
    List,
    /// With the key whose value is next.
    Map(Option<String>),
}

/// Reads one document. What is empty or `null` is left out.
///
/// # Errors
/// With the line, if it is no such document.
pub fn texts(bytes: &[u8]) -> Result<Texts, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!(
            "more than {MOST_BYTES} bytes, which no entry of the registry has"
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let mut reader = Reader::default();
    let mut parser = Parser::new_from_str(text);
    loop {
        let (event, mark) = parser
            .next_token()
            .map_err(|error| format!("not YAML: {error}"))?;
        match reader.take(event) {
            Ok(true) => return Ok(reader.texts),
            Ok(false) => {}
            Err(why) => return Err(format!("line {}: {why}", mark.line())),
        }
    }
}

#[derive(Default)]
struct Reader {
    texts: Texts,
    stack: Vec<Frame>,
    documents: usize,
}

impl Reader {
    /// Is the file at its end?
    fn take(&mut self, event: Event) -> Result<bool, String> {
        match event {
            Event::StreamEnd => return Ok(true),
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::DocumentStart => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    return Err("a second document begins; an entry is a file".to_owned());
                }
            }
            Event::Alias(_) => return Err("aliases (`*name`) are not read".to_owned()),
            Event::Scalar(text, style, ..) => self.scalar(&text, style)?,
            Event::SequenceStart(..) => self.open(Frame::List)?,
            Event::MappingStart(..) => self.open(Frame::Map(None))?,
            Event::SequenceEnd | Event::MappingEnd => {
                self.stack.pop();
                self.value_ended();
            }
        }
        Ok(false)
    }

    fn open(&mut self, frame: Frame) -> Result<(), String> {
        if matches!(self.stack.last(), Some(Frame::Map(None))) {
            return Err("a key that is no text".to_owned());
        }
        if self.stack.len() >= DEEPEST {
            return Err(format!("nested more than {DEEPEST} deep"));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: TScalarStyle) -> Result<(), String> {
        if let Some(Frame::Map(key @ None)) = self.stack.last_mut() {
            *key = Some(text.to_owned());
            return Ok(());
        }
        let is_nothing = text.trim().is_empty()
            || (style == TScalarStyle::Plain && matches!(text, "~" | "null" | "Null" | "NULL"));
        if !is_nothing {
            let keys: Vec<&str> = self.stack.iter().filter_map(Frame::key).collect();
            let is_in_list = matches!(self.stack.last(), Some(Frame::List));
            let length = keys.iter().map(|key| key.len().saturating_add(1));
            if length.sum::<usize>() > LONGEST_PLACE {
                return Err(format!(
                    "keys that are longer than {LONGEST_PLACE} bytes, all that a text is within together"
                ));
            }
            let place = keys.join(".");
            match self.texts.get_mut(&place) {
                None => {
                    self.texts.insert(place, text.trim().to_owned());
                }
                Some(known) if is_in_list => {
                    known.push_str("; ");
                    known.push_str(text.trim());
                }
                Some(_) => {
                    let place = crate::report::name(&place);
                    return Err(format!("{place} is there a second time"));
                }
            }
        }
        self.value_ended();
        Ok(())
    }

    /// The next text of this table is a key again.
    fn value_ended(&mut self) {
        if let Some(Frame::Map(key)) = self.stack.last_mut() {
            *key = None;
        }
    }
}

impl Frame {
    fn key(&self) -> Option<&str> {
        match self {
            Self::List => None,
            Self::Map(key) => key.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_texts() {
        let found = texts(b"a:\n  b: 1.50e-7\n  c:\n    - x\n    - 'y z'\n  d: ''\n  e: ~\n  f: |\n    two\n    lines\n").unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(place, text)| (place.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            found,
            [("a.b", "1.50e-7"), ("a.c", "x; y z"), ("a.f", "two\nlines")]
        );
    }

    #[test]
    fn what_is_refused() {
        let deep = format!("a: {}1{}", "[".repeat(40), "]".repeat(40));
        let cases = [
            ("a: &x 1\nb: *x", "line 2: aliases"),
            ("a: 1\na: 2", "second time"),
            ("a: 1\n---\na: 2", "second document"),
            ("? [a, b]\n: 1", "no text"),
            (&deep, "deep"),
            ("a: [1", "not YAML"),
            ("a: b: c", "not YAML"),
        ];
        for (text, expected) in cases {
            let error = texts(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(texts(&[0xff, 0xfe, 0x00]).unwrap_err().contains("UTF-8"));
        assert!(
            texts(&vec![b' '; MOST_BYTES + 1])
                .unwrap_err()
                .contains("bytes")
        );
        // Nesting without an end is stopped, not followed.
        assert!(texts("[".repeat(500_000).as_bytes()).is_err());
        assert!(texts("- ".repeat(300_000).as_bytes()).is_err());
    }
}
