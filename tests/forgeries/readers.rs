//! The checker's own reader of JSON and TOML against the readers of the engine: over examples, texts that use every corner of the
//! two formats, and mutations of them. Both accept the same texts, and read the same values.

use std::path::Path;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use dpcmp::input::ErrorCode;
use dpcmp::number::{NumberError, parse_rational};

use super::random::Random;

/// Every corner of TOML, in few lines each.
const CORNERS: [&str; 26] = [
    "\u{feff}a = 1_000 # a comment\nb = +1.5e1_0\n\"c d\" = 'x\\y'\n",
    "a.b.c = 1\na.b.d = 2\n[e]\nf.g = {h.i = 1, h.j = [1, 2,],}\n",
    "[a.b]\nx = 1\n[a]\ny = 2\n[a.c]\nz.w = 3\n[a.c.d]\n",
    "[[a]]\nx = 1\n[a.b]\ny = 2\n[[a]]\n[[a.c]]\n[[a.c]]\n",
    "a = \"\"\"\nline\r\n  \\\n   more \\\" \"\" end\"\"\"\"\"\nb = '''\nx'' y'''''\n",
    "a = \"\\u00e9\\U0001F600\\x41\\e\\b\\f\\n\\r\\t\\\\\\\"\"\n",
    "a = [\n 1, # one\n 2 # two\n , 3,\n]\nb = {\n c = 1, # c\n d = 2,\n}\n",
    "'a' . \"b\" . c = true\n[ 'x' . y ]\nz = false\n[[ q . 'r' ]]\n",
    "mechanism = {kind = \"gaussian\", sigma = 2}\nclaim = [{kind = \"pure-dp\", epsilon = 1}]\n",
    "a = 0\nb = -0\nc = 0.0\nd = 1e05\ne = 1E+3\nf = -1_2.3_4e-5_6\n",
    "a = 1979-05-27\n",
    "a = 07:32:00\n",
    "a = inf\nb = -nan\n",
    "a = 0x1F\nb = 0o7\nc = 0b1\n",
    "a = {}\nb = []\n[c]\n[d.e]\n",
    "a.b = 1\n[a]\n",
    "a.b = 1\n[a.c]\nx = 1\n",
    "[a.b]\n[a]\nb.c = 1\n",
    "[t.a.x]\n[t]\na.b = 1\n",
    "[[a]]\n[a]\n",
    "a = [{}]\n[[a]]\n",
    "a = {b = {c = 1}, b.d = 2}\n",
    "a = {b.c = 1, b.d = 2}\n[a.e]\n",
    "1 = 2\n-1 = 3\n_ = 4\n\"\" = 5\n",
    "\t a\t=\t1\t\r\n\r\n  b = \"\t\u{85}\u{a0}\"\r\n",
    "[\"mechanism\"]\n\"kind\" = \"gdp\"\n'mu' = .5\n",
];

const JSON_CORNERS: [&str; 6] = [
    "{\"a\":[1.50e+3,\"x\\u00e9\\ud83d\\ude00\\n\\/\",true,false,null,{},[]],\"b\":-0.0E-5}",
    " {\t\"a\" : 1 ,\r\n\"b\" : [ ] }\n",
    "{\"a\":\"\u{7f}\u{85}\u{2028}\"}",
    "{\"\":\"\",\"a\\\"b\":{\"c\":{}}}",
    "{\"a\":01}",
    "{\"a\":[1,],}",
];

/// What TOML says, in JSON; the engine's reader takes the text of numbers as it stands.
fn table(text: &str, table: &DeTable<'_>) -> Result<Value, ()> {
    let entries = table
        .iter()
        .map(|(key, value)| Ok((key.get_ref().to_string(), node(text, value)?)));
    Ok(Value::Object(entries.collect::<Result<Map<_, _>, ()>>()?))
}

fn node(text: &str, value: &toml::Spanned<DeValue<'_>>) -> Result<Value, ()> {
    Ok(match value.get_ref() {
        DeValue::Table(inner) => table(text, inner)?,
        DeValue::Array(items) => {
            let items = items.iter().map(|item| node(text, item));
            Value::Array(items.collect::<Result<_, ()>>()?)
        }
        DeValue::String(content) => Value::from(content.as_ref()),
        DeValue::Boolean(is) => Value::from(*is),
        DeValue::Integer(_) | DeValue::Float(_) => {
            let raw = text.get(value.span()).unwrap();
            // The engine takes it for a number when it is used for one.
            let no_number = [
                NumberError::NotANumber,
                NumberError::NotFinite,
                NumberError::NotDecimal,
            ];
            if parse_rational(raw).is_err_and(|error| no_number.contains(&error)) {
                return Err(());
            }
            number(raw)
        }
        DeValue::Datetime(_) => return Err(()),
    })
}

/// Marked, so that no number can pass for a string.
fn number(raw: &str) -> Value {
    Value::from(format!("number {raw}"))
}

/// What the checker reads, as a value.
fn of_checker(text: &str) -> Option<Value> {
    let canonical = dpcmp_check::canonical(text).ok()?;
    // Numbers of TOML are none of JSON: they are marked before the text is read again.
    let (mut out, mut is_string, mut characters) = (String::new(), false, canonical.chars());
    let mut number_so_far = String::new();
    let end = |out: &mut String, raw: &mut String| {
        if !raw.is_empty() && !["true", "false", "null"].contains(&raw.as_str()) {
            out.push_str(&number(raw).to_string());
        } else {
            out.push_str(raw);
        }
        raw.clear();
    };
    while let Some(c) = characters.next() {
        if is_string {
            out.push(c);
            if c == '\\' {
                out.extend(characters.next());
            }
            is_string = c != '"';
        } else if "{}[],:\"".contains(c) {
            end(&mut out, &mut number_so_far);
            out.push(c);
            is_string = c == '"';
        } else {
            number_so_far.push(c);
        }
    }
    end(&mut out, &mut number_so_far);
    Some(serde_json::from_str(&out).unwrap())
}

/// Does the engine read a document at all, whatever it says?
fn is_read_by_engine(text: &str) -> bool {
    let unread = [ErrorCode::Syntax, ErrorCode::DuplicateKey];
    match dpcmp::input::claim_file_from_bytes("text", text.as_bytes()) {
        Ok(_) => true,
        Err(error) => !unread.contains(&error.code()),
    }
}

/// What the engine's libraries read; `None` if nothing, or nothing that is read here.
fn of_engine(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    let document = DeTable::parse(text).ok()?;
    table(text, document.get_ref()).ok()
}

/// The numbers of JSON lose their text in `serde_json`: as doubles they have to agree.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::String(ours), Value::Number(theirs)) => {
            let raw = ours.strip_prefix("number ").unwrap_or("");
            raw.parse().ok() == theirs.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Is the text read by both? They have to agree about that, and about what it says.
fn compare(text: &str) -> bool {
    let plain = text.trim_start_matches('\u{feff}').trim_start();
    // A list is an event, and no claim file.
    if plain.is_empty() || (plain.starts_with('[') && serde_json::from_str::<Value>(plain).is_ok())
    {
        return false;
    }
    let (ours, theirs) = (of_checker(text), of_engine(text));
    if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
        assert!(is_same(ours, theirs), "{text:?}\n{ours}\n{theirs}");
    }
    // Of TOML the engine reads dates and other notations of numbers, to say that they mean nothing.
    let is_meant = plain.starts_with('{') || theirs.is_some();
    let is_read = is_meant && is_read_by_engine(text);
    assert_eq!(
        ours.is_some(),
        is_read,
        "{text:?}\nchecker: {:?}",
        dpcmp_check::canonical(text)
    );
    is_read
}

/// The claim and mechanism files beside the sources.
fn examples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![
        root.join("examples"),
        root.join("tests/published_claims"),
        root.join("tests/suite"),
    ];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            let is = |ending: &str| path.extension().is_some_and(|found| found == ending);
            if path.is_dir() {
                folders.push(path);
            } else if (is("toml") || is("json")) && path.metadata().unwrap().len() < 20_000 {
                texts.extend(std::fs::read_to_string(&path));
            }
        }
    }
    texts
}

#[test]
fn both_read_every_example_and_every_corner_alike() {
    let examples = examples();
    assert!(examples.len() > 20, "{} examples", examples.len());
    let read = examples.iter().filter(|text| compare(text)).count();
    assert!(read > 20, "{read} of {} examples are read", examples.len());
    let read = CORNERS.iter().filter(|text| compare(text)).count();
    assert_eq!(read, 15, "corners of TOML");
    let read = JSON_CORNERS.iter().filter(|text| compare(text)).count();
    assert_eq!(read, 4, "corners of JSON");
}

#[test]
fn both_read_mutations_alike() {
    let mut texts = examples();
    texts.retain(|text| text.len() < 2_000);
    let corners = CORNERS.iter().chain(&JSON_CORNERS);
    let corners = corners.flat_map(|text| std::iter::repeat_n((*text).to_owned(), 4));
    texts.extend(corners.collect::<Vec<_>>());
    let pieces = [
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "[",
        "]",
        "[[",
        "{",
        "}",
        ",",
        "=",
        ".",
        "\n",
        "\r\n",
        "\r",
        "#",
        "\\",
        "_",
        "+",
        "-",
        "e",
        "0",
        "1",
        " ",
        "\t",
        "a",
        "a.b",
        "\u{feff}",
        "\0",
        "\u{7f}",
        "é",
        "\\u0041",
        "\\U0001F600",
        "true",
        "nan",
        ":",
    ];
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let all = number("DPCMP_MUTATIONS")
        .unwrap_or_else(|| 2_500 * number("DPCMP_TEST_SCALE").unwrap_or(1));
    let (mut random, mut read) = (Random(24), 0);
    for _ in 0..all {
        let mut characters: Vec<char> = texts[random.below(texts.len())].chars().collect();
        for _ in 0..=random.below(3) {
            let from = random.below(characters.len() + 1);
            let to = (from + random.below(4)).min(characters.len());
            let piece: Vec<char> = match random.below(4) {
                0 => Vec::new(),
                1 => {
                    let from = random.below(characters.len() + 1);
                    let to = (from + random.below(30)).min(characters.len());
                    characters[from..to].to_vec()
                }
                _ => pieces[random.below(pieces.len())].chars().collect(),
            };
            characters.splice(from..to, piece);
        }
        read += usize::from(compare(&characters.into_iter().collect::<String>()));
    }
    println!("{read} of {all} mutated texts are read by both");
    assert!(read > all / 20, "{read} of {all} mutated texts are read");
}
