//! Claim files by heart: every key of every kind with an example, for the terminal (`dpcmp help claims`) and as docs/claims.md. Made from
//! the table that the parser is held to.

use crate::input::reference::{ADJACENCY, CLAIMS, Choice, Entry, Key, MECHANISMS, Part, Shape};

/// Columns of the text for the terminal.
const COLUMNS: usize = 96;

const FILE: &str = "\
A claim file has a mechanism and one or several claims about it, in TOML or JSON. `title` says what it is about and `source` where it was \
published; both are optional.";

const NUMBERS: &str = "\
Every number may be a number or a text: a decimal (9.4), scientific (\"1e-5\"), or a fraction (\"16384/50000\"). It is read exactly.";

const LINES: &str = "\
A .jsonl file has one claim file a line, as JSON; other keys at the top of a line are kept as notes. An input has at most 16 MiB; in JSON, equal entries of a list of mechanisms, phases or events count once, up to 128 MiB in all.";

const FOREIGN: &str = "\
In place of a mechanism, the state of an Opacus accountant, alone or in a checkpoint, and a DpEvent of dp_accounting are read, too. `dpcmp schema claim-file` prints \
the JSON Schema.";

const EXAMPLE: &str = "\
title = \"Our model\"
source = \"Model card, section 4\"

[mechanism]
kind = \"dp-sgd\"
noise-multiplier = 9.4
sample-rate = \"16384/50000\"
steps = 2000

[[claim]]
kind = \"approx-dp\"
epsilon = 8
delta = 1e-5
";

/// For the terminal.
pub fn claims_text() -> String {
    let mut text = String::new();
    let mut paragraph = |words: &str, indent: usize| {
        text.push_str(&wrapped(&words.replace('`', ""), indent));
        text.push('\n');
    };
    for words in [FILE, NUMBERS, LINES, FOREIGN] {
        paragraph(words, 0);
    }
    for line in EXAMPLE.lines() {
        text.push_str(format!("    {line}").trim_end());
        text.push('\n');
    }
    for (title, entries) in [("Mechanisms", MECHANISMS), ("Claims", CLAIMS)] {
        text.push_str(&format!("\n{title}\n"));
        for entry in entries {
            text.push_str(&format!("\n  {}\n{}", entry.kind, wrapped(entry.words, 6)));
            text.push_str(&keys_text(&entry.part, 6));
            if let Some(words) = together(&entry.part) {
                text.push_str(&wrapped(&words.replace('`', ""), 6));
            }
        }
        if title == "Mechanisms" {
            text.push_str(&format!("\n  any mechanism\n{}", key_text(&ADJACENCY, 6)));
        }
    }
    text
}

fn keys_text(part: &Part, indent: usize) -> String {
    let one = |key: &Key| match key.shape {
        Shape::Table(inner) | Shape::Tables(inner) => {
            key_text(key, indent) + &keys_text(inner, indent.saturating_add(2))
        }
        _ => key_text(key, indent),
    };
    part.keys.iter().map(one).collect()
}

fn key_text(key: &Key, indent: usize) -> String {
    let value = value_words(&key.shape).replace('`', "");
    let words = format!("{}: {value}. {}", key.name, sentence(key.words)).replace('`', "");
    wrapped(&words, indent)
}

/// As docs/claims.md.
pub fn claims_markdown() -> String {
    let mut text = format!(
        "# Claim files\n\n{FILE}\n\n```toml\n{EXAMPLE}```\n\n{NUMBERS}\n\n{LINES}\n\n{FOREIGN}\n\nThis page is `dpcmp help claims`, made from the table that the parser is held to.\n"
    );
    text.push_str(
        "\n## Mechanisms\n\nBeside its own keys a mechanism at the top may have `adjacency`.\n\n",
    );
    text.push_str(&table(&[ADJACENCY]));
    for entry in MECHANISMS {
        text.push_str(&section(entry, "[mechanism]"));
    }
    text.push_str("\n## Claims\n");
    for entry in CLAIMS {
        text.push_str(&section(entry, "[[claim]]"));
    }
    text
}

fn section(entry: &Entry, header: &str) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n", entry.kind, entry.words);
    if !entry.part.keys.is_empty() {
        text.push_str(&format!("\n{}", table(entry.part.keys)));
    }
    for key in entry.part.keys {
        if let Shape::Table(inner) | Shape::Tables(inner) = key.shape {
            text.push_str(&format!("\nIn `{}`:\n\n{}", key.name, table(inner.keys)));
        }
    }
    if let Some(words) = together(&entry.part) {
        text.push_str(&format!("\n{words}\n"));
    }
    for example in entry.examples {
        text.push_str(&format!("\n```toml\n{header}\n{example}\n```\n"));
    }
    text
}

fn table(keys: &[Key]) -> String {
    let rows: String = keys
        .iter()
        .map(|key| {
            let value = value_words(&key.shape);
            format!("| `{}` | {value} | {} |\n", key.name, key.words)
        })
        .collect();
    format!("| key | value | meaning |\n|---|---|---|\n{rows}")
}

/// Which keys go together, where that is not simply all of them.
fn together(part: &Part) -> Option<String> {
    if part.choices.is_empty() {
        return None;
    }
    let always: Vec<String> = part.needs.iter().map(|key| format!("`{key}`")).collect();
    let mut sentences: Vec<String> = Vec::new();
    if !always.is_empty() {
        sentences.push(format!("Always {}.", list(&always)));
    }
    sentences.extend(part.choices.iter().map(|group| ways(group)));
    Some(sentences.join(" "))
}

fn ways(group: &[Choice]) -> String {
    let quoted =
        |keys: &[&str]| -> Vec<String> { keys.iter().map(|key| format!("`{key}`")).collect() };
    let is_plain = group.iter().all(|choice| choice.word.is_none());
    if is_plain && group.iter().any(|choice| choice.needs.is_empty()) {
        let all: Vec<&str> = group
            .iter()
            .flat_map(|choice| [choice.needs, choice.may])
            .flatten()
            .copied()
            .collect();
        return format!("At most one of {}.", list(&quoted(&all)));
    }
    let way = |choice: &Choice| {
        // The key of the word stands with it.
        let others = |keys: &[&'static str]| -> Vec<&'static str> {
            let is_other = |key: &&&str| choice.word.is_none_or(|(own, _)| own != **key);
            keys.iter().filter(is_other).copied().collect()
        };
        let mut needs = quoted(&others(choice.needs));
        let may = quoted(&others(choice.may));
        if let Some((key, word)) = choice.word {
            let default = if choice.may.contains(&key) {
                " or without it"
            } else {
                ""
            };
            needs.push(format!("`{key} = \"{word}\"`{default}"));
        }
        if may.is_empty() {
            list(&needs)
        } else {
            format!("{}, and {} where wanted", list(&needs), list(&may))
        }
    };
    let ways: Vec<String> = group.iter().map(way).collect();
    format!("Either {}.", ways.join("; or "))
}

fn list(words: &[String]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => words.join(""),
    }
}

/// What a value is, in words.
pub fn value_words(shape: &Shape) -> String {
    match shape {
        Shape::Number(domain) => format!("a number, {}", domain.wording()),
        Shape::Whole(least) => format!("a whole number, at least {least}"),
        Shape::NumberOrWord(domain, words) => {
            format!("a number, {}, or {}", domain.wording(), choice(words))
        }
        Shape::Flag => "true or false".to_owned(),
        Shape::Word(words) => choice(words),
        Shape::Numbers(domain) => format!("a list of numbers, each {}", domain.wording()),
        Shape::Wholes => "a list of whole numbers".to_owned(),
        Shape::Rows => "a list of lists of numbers, or the name of a file of them".to_owned(),
        Shape::Pairs([(first, one), (second, other)]) => format!(
            "a list of pairs: {first}, {}, and {second}, {}",
            one.wording(),
            other.wording()
        ),
        Shape::Points => {
            "a list of pairs of epsilon and delta, or of tables with `epsilon` or `exp-epsilon` and `delta`".to_owned()
        }
        Shape::Mechanism => "a mechanism, which may have `adjacency`".to_owned(),
        Shape::Inside => "a mechanism".to_owned(),
        Shape::Composed => "a list of mechanisms, which may have `times`".to_owned(),
        Shape::Weighted => "a list of mechanisms, each with `weight`".to_owned(),
        Shape::Table(_) => "a table".to_owned(),
        Shape::Tables(_) => "a list of tables".to_owned(),
        Shape::Prior => "a density".to_owned(),
    }
}

fn choice(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
    quoted.join(", ")
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    match chars.next() {
        // A symbol at the start stays as it is.
        Some(first) if first.is_ascii() && !chars.as_str().starts_with('^') => {
            format!("{}{}.", first.to_ascii_uppercase(), chars.as_str())
        }
        _ => format!("{words}."),
    }
}

/// Words on lines of so many columns, every line indented and ended; from the second on by two more.
fn wrapped(words: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut width = 0usize;
    for word in words.split_whitespace() {
        let columns = word.chars().count();
        let with_blank = width.saturating_add(columns).saturating_add(1);
        if width > 0 && with_blank <= COLUMNS {
            text.push(' ');
            width = with_blank;
        } else {
            let deeper = if width > 0 && indent > 0 { 2 } else { 0 };
            if width > 0 {
                text.push('\n');
            }
            let blanks = indent.saturating_add(deeper);
            text.push_str(&" ".repeat(blanks));
            width = blanks.saturating_add(columns);
        }
        text.push_str(word);
    }
    text.push('\n');
    text
}
