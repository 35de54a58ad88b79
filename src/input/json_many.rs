//! Long lists of mechanisms, steps or phases, in which equal entries are read once.
//!
//! What is composed is the same in any order, so that of a list only its different entries matter, and how often each is there.

use std::collections::BTreeMap;

use super::{
    json::Reader,
    node::{Many, Node, Value},
    problem::Problem,
};

/// Shorter lists are kept as they are, every entry with its place.
pub(super) const FEW: usize = 4096;
/// Entries longer than this are not looked for.
const LONGEST: usize = 1 << 16;
/// Keys of lists whose order says nothing: of compositions and mixtures, of training runs, of Opacus and of dp_accounting.
const KEYS: [&str; 4] = ["of", "phases", "history", "events"];

pub(super) fn has_equal_entries(key: &str) -> bool {
    KEYS.contains(&key)
}

impl<'t> Reader<'t> {
    /// The rest of a list, of which some entries were read already.
    ///
    /// Ensures: as often as an entry stands in the list, a value of the same text is counted. An object or a list ends with its bracket, so that it is read in the same way wherever
    /// its text stands at this depth.
    pub(super) fn many(&mut self, first: Vec<Node>, depth: usize) -> Result<Value, Problem> {
        let mut found = Found::default();
        for node in first {
            let text = self.text.get(node.span.clone()).unwrap_or_default();
            if !found.count(text) {
                found.add(text, node);
            }
        }
        loop {
            self.skip_blanks();
            let text = self.bracketed().unwrap_or_default();
            if found.count(text) {
                self.skip(text.len());
                self.repeated = self.repeated.saturating_add(text.len());
            } else {
                let node = self.value(depth)?;
                let text = self.text.get(node.span.clone()).unwrap_or_default();
                found.add(text, node);
            }
            self.skip_blanks();
            if self.take(b']') {
                return Ok(Value::Many(found.items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// The text from the bracket that is next up to the one that closes it; `None` for anything else, or where there is none soon.
    fn bracketed(&self) -> Option<&'t str> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let (mut open, mut is_string, mut is_escaped) = (0usize, false, false);
        for (length, byte) in (1..=LONGEST).zip(rest) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_string => is_escaped = true,
                b'"' => is_string = !is_string,
                _ if is_string => {}
                b'{' | b'[' => open = open.saturating_add(1),
                b'}' | b']' => open = open.checked_sub(1)?,
                _ => {}
            }
            if open == 0 {
                // Of a value that is no list and no object nothing is open after its first byte.
                return self
                    .text
                    .get(self.at..self.at.checked_add(length)?)
                    .filter(|_| length > 1);
            }
        }
        None
    }
}

/// The different entries of a list.
#[derive(Default)]
struct Found<'t> {
    items: Vec<Many>,
    places: BTreeMap<&'t str, usize>,
}

impl<'t> Found<'t> {
    /// Counts one more entry with this text; false if there was none before.
    fn count(&mut self, text: &str) -> bool {
        let place = self.places.get(text);
        match place.and_then(|place| self.items.get_mut(*place)) {
            Some(known) => {
                known.times = known.times.saturating_add(1);
                true
            }
            None => false,
        }
    }

    fn add(&mut self, text: &'t str, node: Node) {
        self.places.insert(text, self.items.len());
        self.items.push(Many { node, times: 1 });
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::read_document;
    use super::super::mechanism::read_mechanism;
    use super::*;
    use crate::kernel::coarse::Random;
    use crate::mechanism::Mechanism;

    fn mechanism(text: &str) -> Mechanism {
        let node = read_document(text).unwrap();
        read_mechanism(&node).unwrap().mechanism
    }

    /// Long lists in any order are the compositions of their entries, each as often as it stands there.
    #[test]
    fn entries_are_counted() {
        let mut random = Random(5);
        let count = FEW + 500;
        let numbers: Vec<u64> = (0..count).map(|_| random.below(3)).collect();
        let often = |n: u64| numbers.iter().filter(|one| **one == n).count() as u64;
        let list = |entry: &dyn Fn(u64) -> String| {
            let entries: Vec<String> = numbers.iter().map(|n| entry(*n)).collect();
            entries.join(", ")
        };
        let runs = |steps: u64| -> Vec<(Mechanism, u64)> {
            let of = |n: u64| {
                let noise = Mechanism::gaussian_sum(n + 1, 1).unwrap();
                let step = Mechanism::subsampled("1/10", noise).unwrap();
                (step, often(n) * steps)
            };
            // In the order of their first places.
            let mut order: Vec<u64> = Vec::new();
            for number in &numbers {
                if !order.contains(number) {
                    order.push(*number);
                }
            }
            order.into_iter().map(of).collect()
        };
        let phase = |n: u64| {
            format!(
                r#"{{"noise-multiplier": {}, "sample-rate": "1/10", "steps": 7}}"#,
                n + 1
            )
        };
        let found = mechanism(&format!(
            r#"{{"kind": "dp-sgd", "phases": [{}]}}"#,
            list(&phase)
        ));
        assert_eq!(found, Mechanism::compose(runs(7)).unwrap());
        let state = |n: u64| format!("[{}, \"1/10\", 3]", n + 1);
        let found = mechanism(&format!(r#"{{"history": [{}]}}"#, list(&state)));
        assert_eq!(found, Mechanism::compose(runs(3)).unwrap());
        let entry = |n: u64| {
            let step = format!(r#"{{"kind": "gaussian", "noise-multiplier": {}}}"#, n + 1);
            format!(r#"{{"kind": "subsampled", "rate": "1/10", "of": {step}, "times": 2}}"#)
        };
        let found = mechanism(&format!(
            r#"{{"kind": "compose", "of": [{}]}}"#,
            list(&entry)
        ));
        assert_eq!(found, Mechanism::compose(runs(2)).unwrap());
    }

    /// Equal entries of a mixture have the weights of all.
    #[test]
    fn weights_of_equal_entries_add_up() {
        let half = FEW as u64;
        let entry = |sigma: u64| {
            format!(
                r#"{{"kind": "gaussian", "sigma": {sigma}, "weight": "1/{}"}}"#,
                2 * half
            )
        };
        let all: Vec<String> = (0..2 * half).map(|i| entry(1 + i % 2)).collect();
        let found = mechanism(&format!(
            r#"{{"kind": "mixture", "of": [{}]}}"#,
            all.join(",")
        ));
        let part = |sigma: u64| {
            (
                rug::Rational::from((1, 2)),
                Mechanism::gaussian(sigma, 1).unwrap(),
            )
        };
        assert_eq!(found, Mechanism::mixture(vec![part(1), part(2)]).unwrap());
    }

    fn lists(text: &str) -> Result<Vec<(String, u64)>, Problem> {
        let node = read_document(text)?;
        let of = &node.as_table().unwrap().get("of").unwrap().node;
        let Value::Many(items) = &of.value else {
            panic!("{of:?}");
        };
        let texts = items
            .iter()
            .map(|many| (text[many.node.span.clone()].to_owned(), many.times));
        Ok(texts.collect())
    }

    /// Brackets within strings, escaped quotes, spaces and numbers; every value is counted.
    #[test]
    fn texts_end_where_their_values_do() {
        let entries = [
            r#"{"a": "}\"]{"}"#,
            r#"{"a": "}\"]{" }"#,
            "[1, [2, {}]]",
            "[]",
            "{}",
            "12",
            "\"[\"",
            "null",
            r#"["\\"]"#,
        ];
        let count = 9 * (FEW / 9 + 200);
        let all: Vec<&str> = entries.iter().copied().cycle().take(count).collect();
        let found = lists(&format!("{{\"of\": [{}]}}", all.join(" ,\n"))).unwrap();
        let each = count as u64 / 9;
        for entry in entries {
            let all: u64 = found
                .iter()
                .filter(|one| one.0 == entry)
                .map(|one| one.1)
                .sum();
            assert_eq!(all, each, "{entry}");
        }
        let total: u64 = found.iter().map(|one| one.1).sum();
        assert_eq!(total, count as u64);
    }

    /// What is wrong in or after a repeated entry is an error as anywhere.
    #[test]
    fn errors_after_many_entries() {
        let many = "{},".repeat(FEW + 10);
        for end in [
            "{}",
            "{}]",
            "{} {}]}",
            "]}",
            "{,}]}",
            "{\"a\": 1, \"a\": 2}]}",
            "[}]}",
            "{}}",
            "{\"]}",
        ] {
            let text = format!("{{\"of\": [{many}{end}");
            assert!(read_document(&text).is_err(), "{end}");
        }
        assert!(read_document(&format!("{{\"of\": [{many}{{}}]}}")).is_ok());
        // Nesting is limited there, too.
        let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
        assert!(read_document(&format!("{{\"of\": [{many}{deep}]}}")).is_err());
    }

    /// Only what is repeated may be longer than an input otherwise.
    #[test]
    fn what_differs_is_limited() {
        use super::super::source::MAX_BYTES;
        let entry = format!("{{\"a\": \"{}\"}},", "x".repeat(1000));
        let count = FEW + MAX_BYTES / entry.len();
        let text = |list: &str| format!("{{\"{list}\": [{}{{}}]}}", entry.repeat(count));
        let found = lists(&text("of")).unwrap();
        assert_eq!(found.iter().map(|one| one.1).sum::<u64>(), count as u64 + 1);
        let error = read_document(&text("claims")).unwrap_err();
        assert_eq!(error.code, super::super::ErrorCode::TooLarge);
        let differ: Vec<String> = (0..count)
            .map(|i| entry.replacen('x', &format!("{i:08}"), 1))
            .collect();
        let text = format!("{{\"of\": [{}{{}}]}}", differ.concat());
        let error = read_document(&text).unwrap_err();
        assert_eq!(error.code, super::super::ErrorCode::TooLarge);
    }
}
