//! A mechanism in the words of its claim file: the same keys, and numbers as they are written there.

use crate::*;

/// Longest text, and most entries of a list that are shown.
const LONGEST: usize = 600;
const MOST_SHOWN: usize = 6;

/// The mechanism of a claim file, which has been read: all its keys are known words.
pub fn stated(value: &Value) -> String {
    one_line(&words(value), LONGEST)
}

fn words(value: &Value) -> String {
    match value {
        Value::Number(text) => text.clone(),
        Value::Word(word) => (*word).to_owned(),
        // A number, or a word that is known: anything else has been refused, but for names, which are in quotes.
        Value::Text(text) => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._/".contains(c);
            let text = one_line(text, 40);
            if text.chars().all(is_plain) { text } else { format!("{text:?}") }
        }
        Value::List(items) => match items.as_slice() {
            // A DpEvent: [module, class, …].
            [Value::Text(_), Value::Text(class), values @ ..] if class.ends_with("DpEvent") => {
                format!("{}({})", words(&Value::Text(class.clone())), list(values.iter().map(words).collect()))
            }
            _ => format!("[{}]", list(items.iter().map(words).collect())),
        },
        Value::Table(entries, _) => {
            let named = |key: &str| entries.iter().find(|(name, _)| name == key).map(|(_, value)| words(value));
            let name = named("kind").or_else(|| named("class_name")).unwrap_or_default();
            let others =
                entries.iter().filter(|(key, _)| !["kind", "class_name", "module_name"].contains(&key.as_str()));
            let entries = others.map(|(key, value)| format!("{key} = {}", words(value))).collect::<Vec<_>>();
            format!("{name}({})", entries.join(", "))
        }
    }
}

fn list(items: Vec<String>) -> String {
    let rest = items.len().saturating_sub(MOST_SHOWN);
    let shown: Vec<_> = items.into_iter().take(MOST_SHOWN).collect();
    if rest == 0 { shown.join(", ") } else { format!("{}, … {rest} more", shown.join(", ")) }
}
