//! One line from an accountant, read.

use std::collections::BTreeMap;

use rug::Rational;
use serde_json::value::RawValue;

use super::kinds;
use crate::number::{NumberError, parse_rational};

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A number, or both ends of an interval.
    Ends {
        /// The lower end, where one is stated.
        lower: Option<Stated>,
        /// The upper end, where one is stated.
        upper: Option<Stated>,
        /// Did it state one number for both?
        single: bool,
    },
    /// It does not treat this question.
    Declined(String),
    /// It could not answer: code and message.
    Failed(String),
    /// An answer to this question that says nothing or too much: why.
    Malformed(String),
    /// Not an answer to this question: why not.
    Garbage(String),
}

/// A number as it was stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// As written.
    pub text: String,
    /// What it is.
    pub number: Number,
}

/// What a stated number is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// Exactly this.
    Finite(Rational),
    /// +∞.
    Infinite,
    /// −∞.
    MinusInfinite,
    /// Of more digits or a larger exponent than is read.
    Unread,
    /// Anything else, `nan` among them.
    Not,
}

/// Reads the answer to question `id`.
pub fn read_answer(line: &str, id: u64) -> Said {
    let garbage = |why: &str| Said::Garbage(format!("{why}: {}", clip(line, 200)));
    let Ok(object) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(line) else {
        return garbage("not a JSON object");
    };
    if object.get("id").map(|raw| raw.get().trim()) != Some(id.to_string().as_str()) {
        return garbage("not the id that was asked");
    }
    let malformed = |why: &str| Said::Malformed(format!("{why}: {}", clip(line, 200)));
    let error = object.get("error").filter(|raw| raw.get() != "null");
    if let Some(error) = error {
        return read_error(error.get());
    }
    let end = |key: &str| object.get(key).map(|raw| stated(raw.get()));
    let (lower, upper) = (end("lower"), end("upper"));
    let has_ends = lower.is_some() || upper.is_some();
    if let Some(value) = end("value") {
        if has_ends {
            return malformed("both `value` and `lower` or `upper`");
        }
        return Said::Ends {
            lower: Some(value.clone()),
            upper: Some(value),
            single: true,
        };
    }
    if !has_ends {
        return malformed("neither `value` nor `lower` and `upper` nor `error`");
    }
    Said::Ends {
        lower,
        upper,
        single: false,
    }
}

/// Name and version that an accountant gives to the greeting, and the kinds it treats; all of them optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hello {
    /// Its name.
    pub name: Option<String>,
    /// Its versions, in words.
    pub version: Option<String>,
    /// Kinds of mechanisms; `None` for all.
    pub mechanisms: Option<Vec<String>>,
    /// Kinds of queries; `None` for all.
    pub queries: Option<Vec<String>>,
    /// Neighbouring relations; `None` for `add-remove` alone.
    pub relations: Option<Vec<String>>,
}

/// Kinds of mechanisms and of queries, and neighbouring relations, that questions are about; [`kinds::KINDS`] are further mechanisms.
const KINDS: [&[&str]; 3] = [
    &[
        "approx-dp",
        "compose",
        "discrete-gaussian",
        "discrete-laplace",
        "dp-sgd",
        "finite",
        "gaussian",
        "laplace",
        "mixed",
        "phases",
        "randomized-response",
        "subsampled",
    ],
    &[
        "advantage",
        "bayes-error",
        "delta",
        "epsilon",
        "gdp-mu",
        "tradeoff",
    ],
    &["add-remove", "replace-one", "replace-special"],
];

impl Hello {
    /// What it names that no question is about.
    pub fn strangers(&self) -> Vec<&str> {
        let further: Vec<&str> = kinds::KINDS.iter().map(|(kind, _)| *kind).collect();
        let named = [
            (&self.mechanisms, further.as_slice()),
            (&self.queries, &[]),
            (&self.relations, &[]),
        ];
        let named = named.into_iter().zip(KINDS);
        named
            .flat_map(|((named, further), known)| {
                let named = named.iter().flatten().map(String::as_str);
                named.filter(|name| !known.contains(name) && !further.contains(name))
            })
            .collect()
    }
}

/// Reads the answer to the greeting; what it does not say is left open.
pub fn read_hello(line: &str) -> Hello {
    let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let text = |key: &str| value.get(key)?.as_str().map(|text| clip(text, 300));
    let list = |key: &str| {
        let items = value.get(key)?.as_array()?.iter();
        Some(
            items
                .filter_map(|item| item.as_str().map(|text| clip(text, 300)))
                .collect(),
        )
    };
    Hello {
        name: text("accountant"),
        version: text("version"),
        mechanisms: list("mechanisms"),
        queries: list("queries"),
        relations: list("relations"),
    }
}

/// The start of a text, on one line.
pub fn clip(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        .map(|c| if is_invisible(c) { ' ' } else { c })
        .take(most)
        .collect();
    if text.chars().count() > most {
        format!("{plain}…")
    } else {
        plain
    }
}

/// Control characters, and those that move what stands beside them: neither is for terminals.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn read_error(raw: &str) -> Said {
    let error: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
    let text = |key: &str| error.get(key).and_then(serde_json::Value::as_str);
    let message = text("message")
        .or_else(|| error.as_str())
        .unwrap_or_default();
    match text("code") {
        Some("unsupported") => Said::Declined(clip(message, 300)),
        code => Said::Failed(clip(
            &format!("{}: {message}", code.unwrap_or("error")),
            600,
        )),
    }
}

fn stated(raw: &str) -> Stated {
    let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
    let word = text.trim().to_ascii_lowercase();
    let number = match word.trim_start_matches('+') {
        "inf" | "infinity" => Number::Infinite,
        "-inf" | "-infinity" => Number::MinusInfinite,
        word => match parse_rational(word) {
            Ok(value) => Number::Finite(value),
            // Beyond any double; what is told apart is only far from near.
            Err(NumberError::ExponentTooLarge) if word.contains("e-") && !word.contains('/') => {
                Number::Finite(Rational::new())
            }
            Err(NumberError::ExponentTooLarge | NumberError::TooLong) => Number::Unread,
            Err(_) => Number::Not,
        },
    };
    Stated {
        text: clip(&text, 1000),
        number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> Option<Number> {
        match read_answer(line, 7) {
            Said::Ends {
                upper: Some(upper), ..
            } => Some(upper.number),
            _ => None,
        }
    }

    #[test]
    fn numbers_in_every_form() {
        let tenth = Some(Number::Finite(Rational::from((1, 10))));
        for raw in ["0.1", "\"0.1\"", "1e-1", "\"1/10\""] {
            assert_eq!(value(&format!("{{\"id\":7,\"value\":{raw}}}")), tenth);
        }
        assert_eq!(
            value("{\"id\":7,\"value\":\"inf\"}"),
            Some(Number::Infinite)
        );
        assert_eq!(
            value("{\"id\":7,\"value\":\"-Infinity\"}"),
            Some(Number::MinusInfinite)
        );
        for raw in ["\"nan\"", "null", "true", "[1]", "\"\""] {
            assert_eq!(
                value(&format!("{{\"id\":7,\"value\":{raw}}}")),
                Some(Number::Not)
            );
        }
        let nothing = Some(Number::Finite(Rational::new()));
        assert_eq!(value("{\"id\":7,\"value\":1e-30000}"), nothing);
        let long = format!("{{\"id\":7,\"value\":0.{}}}", "1".repeat(1200));
        for line in [
            "{\"id\":7,\"value\":\"1/1e-30000\"}",
            "{\"id\":7,\"value\":1e30000}",
            &long,
        ] {
            assert_eq!(value(line), Some(Number::Unread), "{line}");
        }
        assert_eq!(
            value("{\"id\":7,\"value\":1,\"error\":null}"),
            Some(Number::Finite(Rational::from(1)))
        );
        let line = "{\"id\":7,\"lower\":\"0\",\"upper\":\"2\"}";
        assert!(matches!(
            read_answer(line, 7),
            Said::Ends { single: false, .. }
        ));
    }

    #[test]
    fn what_is_no_answer() {
        for line in ["", "nonsense", "[]", "{}", "{\"id\":8,\"value\":1}"] {
            assert!(matches!(read_answer(line, 7), Said::Garbage(_)), "{line}");
        }
        for line in [
            "{\"id\":7}",
            "{\"id\":7,\"error\":null}",
            "{\"id\":7,\"value\":1,\"upper\":2}",
            "{\"id\":7,\"value\":1,\"lower\":0,\"upper\":2}",
        ] {
            assert!(matches!(read_answer(line, 7), Said::Malformed(_)), "{line}");
        }
        let declined = "{\"id\":7,\"error\":{\"code\":\"unsupported\",\"message\":\"no\"}}";
        assert_eq!(read_answer(declined, 7), Said::Declined("no".into()));
        let failed = "{\"id\":7,\"error\":{\"code\":\"raised\",\"message\":\"no\"}}";
        assert_eq!(read_answer(failed, 7), Said::Failed("raised: no".into()));
        assert_eq!(
            read_answer("{\"id\":7,\"error\":\"x\"}", 7),
            Said::Failed("error: x".into())
        );
    }

    #[test]
    fn a_greeting_may_say_nothing() {
        assert_eq!(read_hello("{\"id\":null,\"error\":{}}"), Hello::default());
        assert_eq!(read_hello("nonsense"), Hello::default());
        let hello = read_hello("{\"accountant\":\"a\",\"queries\":[\"delta\"]}");
        assert_eq!(hello.name.as_deref(), Some("a"));
        assert_eq!(hello.queries, Some(vec!["delta".to_owned()]));
        let typo =
            read_hello("{\"mechanisms\":[\"gaussian\",\"dpsgd\"],\"queries\":[\"delta\",\"eps\"]}");
        assert_eq!(typo.strangers(), ["dpsgd", "eps"]);
        assert_eq!(clip("\u{1b}[31mred\nline\u{202e}", 100), " [31mred line ");
    }
}
