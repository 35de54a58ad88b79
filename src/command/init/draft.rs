//! A claim file in parts, and its text.

use crate::input::reference::{ADJACENCY, Entry, Key, Shape};

/// A claim file that is not written yet.
#[derive(Debug, Clone)]
pub struct Draft {
    pub title: Option<String>,
    pub source: Option<String>,
    pub mechanism: Table,
    pub claims: Vec<Table>,
}

/// A mechanism or a claim: its kind, and the keys with their values in TOML.
#[derive(Debug, Clone)]
pub struct Table {
    entry: &'static Entry,
    values: Vec<(String, String)>,
}

impl Table {
    /// A table without any keys.
    pub fn new(entry: &'static Entry) -> Self {
        Self {
            entry,
            values: Vec::new(),
        }
    }

    /// A table with the keys of these `KEY=VALUE`.
    ///
    /// # Errors
    /// If one of them is no such pair.
    pub fn of(entry: &'static Entry, pairs: &[String]) -> Result<Self, String> {
        let mut table = Self::new(entry);
        for pair in pairs {
            let Some((key, value)) = pair.split_once('=') else {
                let pair = crate::report::name(pair);
                return Err(format!("{pair} is no KEY=VALUE"));
            };
            table.put(key.trim(), value.trim());
        }
        Ok(table)
    }

    /// Adds a key; its value is as it was typed.
    pub fn put(&mut self, key: &str, typed: &str) {
        let value = toml_value(self.key(key).map(|key| &key.shape), typed);
        self.values.push((toml_key(key), value));
    }

    fn key(&self, name: &str) -> Option<&'static Key> {
        let own = self.entry.part.keys.iter().find(|key| key.name == name);
        own.or_else(|| (name == ADJACENCY.name).then_some(&ADJACENCY))
    }

    fn text(&self, header: &str) -> String {
        let mut text = format!(
            "\n{header}\nkind = {}   # {}\n",
            quoted(self.entry.kind),
            comment(self.entry.words)
        );
        for (name, value) in &self.values {
            let words = self
                .key(name)
                .map(|key| format!("   # {}", comment(key.words)));
            text.push_str(&format!("{name} = {value}{}\n", words.unwrap_or_default()));
        }
        text
    }
}

impl Draft {
    /// As TOML, with a comment on every key.
    pub fn text(&self) -> String {
        let mut text =
            String::from("# dpcmp help claims: every key of every mechanism and claim\n");
        for (key, value) in [("title", &self.title), ("source", &self.source)] {
            if let Some(value) = value {
                text.push_str(&format!("{key} = {}\n", quoted(value)));
            }
        }
        text.push_str(&self.mechanism.text("[mechanism]"));
        for claim in &self.claims {
            text.push_str(&claim.text("[[claim]]"));
        }
        text
    }
}

/// The parts between commas that stand in no brackets and no quotes.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut in_quotes) = (0u32, false);
    let is_end = move |c: char| {
        match c {
            '"' => in_quotes = !in_quotes,
            '[' | '{' if !in_quotes => depth = depth.saturating_add(1),
            ']' | '}' if !in_quotes => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !in_quotes
    };
    text.split(is_end).filter(|part| !part.trim().is_empty())
}

/// What was typed, as a value of this shape.
fn toml_value(shape: Option<&Shape>, typed: &str) -> String {
    if let Some(toml) = toml_of_json(typed) {
        return toml;
    }
    let is_whole = typed.starts_with(['[', '{', '"', '\'']);
    match shape {
        Some(Shape::Number(_) | Shape::Whole(_) | Shape::NumberOrWord(..) | Shape::Word(_))
        | None => {
            if is_whole || is_bare_number(typed) {
                typed.to_owned()
            } else {
                quoted(typed)
            }
        }
        Some(Shape::Flag) if matches!(typed, "true" | "false") => typed.to_owned(),
        // The name of a file.
        Some(_) if !is_whole => quoted(typed),
        Some(_) => typed.to_owned(),
    }
}

/// A table or list of JSON as one of TOML: colons between keys and values are equals signs there.
fn toml_of_json(typed: &str) -> Option<String> {
    if !typed.starts_with(['[', '{']) {
        return None;
    }
    serde_json::from_str::<serde_json::Value>(typed).ok()?;
    let (mut in_quotes, mut is_escaped) = (false, false);
    let mut toml = String::new();
    for c in typed.chars() {
        match c {
            ':' if !in_quotes => toml.push_str(" ="),
            c => toml.push(c),
        }
        in_quotes ^= c == '"' && !is_escaped;
        is_escaped = in_quotes && c == '\\' && !is_escaped;
    }
    Some(toml)
}

/// Is it a number of TOML: digits, and perhaps a point with digits on both sides, and an exponent?
fn is_bare_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = match mantissa.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (mantissa, None),
    };
    let starts_well = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    // A whole number in TOML has at most 63 bits.
    let is_short = part.is_some() || exponent.is_some() || whole.len() <= 18;
    let power = exponent.is_none_or(|text| digits(text.strip_prefix(['-', '+']).unwrap_or(text)));
    starts_well && is_short && part.is_none_or(digits) && power
}

/// A key that needs no quotes as it is, any other one in quotes, so that the parser names it.
fn toml_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        quoted(key)
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Words of the reference on one line.
fn comment(words: &str) -> String {
    words.replace('`', "").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::claim_file_beside;
    use crate::input::reference::{CLAIMS, MECHANISMS};

    #[test]
    fn numbers_of_toml_are_bare_and_others_in_quotes() {
        for text in ["0", "9.4", "-1", "1e-5", "1.5E+3", "123456789012345678"] {
            assert!(is_bare_number(text), "{text}");
        }
        for text in [
            "",
            "01",
            ".5",
            "5.",
            "1/2",
            "1e",
            "1_000",
            "inf",
            "1.2.3",
            "1234567890123456789",
        ] {
            assert!(!is_bare_number(text), "{text}");
        }
    }

    #[test]
    fn tables_of_json_are_tables_of_toml() {
        for (json, toml) in [
            (
                r#"{"kind":"gaussian","sigma":1}"#,
                Some(r#"{"kind" ="gaussian","sigma" =1}"#),
            ),
            (
                r#"{"a":"x:\"y:","b":[1e-5]}"#,
                Some(r#"{"a" ="x:\"y:","b" =[1e-5]}"#),
            ),
            ("{kind = \"gaussian\"}", None),
            ("1", None),
        ] {
            assert_eq!(toml_of_json(json).as_deref(), toml, "{json}");
        }
    }

    #[test]
    fn commas_in_brackets_and_quotes_part_nothing() {
        let found: Vec<&str> = parts("mechanism={kind=\"a,b\",x=[1,2]},at-most=1").collect();
        assert_eq!(found, ["mechanism={kind=\"a,b\",x=[1,2]}", "at-most=1"]);
    }

    /// Every example of the reference, typed key by key, is read back to what it says.
    #[test]
    fn every_example_that_stands_on_lines_is_written_as_it_is_read() {
        let mut count = 0;
        for entry in MECHANISMS {
            for example in entry.examples {
                let lines: Vec<&str> = example.lines().skip(1).collect();
                if lines
                    .iter()
                    .any(|line| !line.contains(" = ") || line.starts_with('['))
                {
                    continue;
                }
                let pairs: Vec<String> = lines
                    .iter()
                    .map(|line| {
                        line.replacen(" = ", "=", 1)
                            .replace('"', if line.contains(['[', '{']) { "\"" } else { "" })
                    })
                    .collect();
                let draft = Draft {
                    title: Some("a \"title\" \\ with signs\n".to_owned()),
                    source: None,
                    mechanism: Table::of(entry, &pairs).unwrap(),
                    claims: vec![Table::of(&CLAIMS[0], &["epsilon=1".to_owned()]).unwrap()],
                };
                let plain =
                    format!("[mechanism]\n{example}\n[[claim]]\nkind = \"pure-dp\"\nepsilon = 1\n");
                let (Ok(read), Ok(wanted)) = (
                    claim_file_beside("a", draft.text().as_bytes(), None),
                    claim_file_beside("b", plain.as_bytes(), None),
                ) else {
                    panic!("{}\n{plain}", draft.text());
                };
                assert_eq!(read.mechanism.mechanism, wanted.mechanism.mechanism);
                assert_eq!(read.title.as_deref(), Some("a \"title\" \\ with signs\n"));
                count += 1;
            }
        }
        assert!(count > 30, "{count}");
    }
}
