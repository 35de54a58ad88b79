//! A few thousand documents with something changed: what the parser reads the schema lets in, and what the parser refuses for its keys or
//! types the schema refuses, too.

use std::collections::BTreeMap;

use dpcmp::input::reference::{CLAIMS, MECHANISMS, QUERIES};
use dpcmp::input::{
    ErrorCode, InputError, batch_line, claim_file_from_bytes, claims_from_jsonl,
    mechanism_from_bytes,
};
use dpcmp::report::Schema;
use serde_json::{Value, json};

use super::documents::{Document, all};
use super::validator::Validator;

/// Changed documents; ten times as many with `DPCMP_TEST_SCALE=10`.
const CASES: usize = 2_000;

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[test]
fn the_schema_says_what_the_parser_says() {
    let documents = all();
    let schemas: BTreeMap<&str, Value> = ["mechanism", "claim-file", "claim-line", "batch-line"]
        .into_iter()
        .map(|name| (name, Schema::of(name).unwrap().value()))
        .collect();
    let (keys, values) = (keys(), values());
    let mut random = Random(28);
    let (mut accepted, mut refused, mut beyond) = (0, 0, 0);
    let scale = crate::scale().clamp(1, 30);
    for _ in 0..CASES * scale {
        let (name, document) = random.of(&documents).clone();
        let mut changed = document.clone();
        for _ in 0..=random.below(2) {
            change(&mut changed, &mut random, &keys, &values);
        }
        let text = changed.to_string();
        if is_elsewhere(&changed) {
            continue;
        }
        let valid = Validator::new(&schemas[name]).errors(&changed);
        match read((name, changed)) {
            Ok(()) => {
                assert!(valid.is_empty(), "{name} {text}: {valid:?}");
                accepted += 1;
            }
            Err(error) if is_of_a_schema(&error) => {
                assert!(!valid.is_empty(), "{name} {text}: {error}");
                refused += 1;
            }
            Err(_) => beyond += 1,
        }
    }
    // Enough of each: the test is none if all are refused for another reason.
    let least = CASES * scale / 20;
    assert!(
        accepted > least && refused > least,
        "{accepted} {refused} {beyond}"
    );
    println!("{accepted} read, {refused} refused, {beyond} refused for what a schema cannot say");
}

fn read((name, document): Document) -> Result<(), InputError> {
    let text = document.to_string();
    let bytes = text.as_bytes();
    match name {
        "mechanism" => mechanism_from_bytes("test", bytes).map(|_| ()),
        "claim-file" => claim_file_from_bytes("test", bytes).map(|_| ()),
        "claim-line" => {
            let (_, read) = claims_from_jsonl("test", bytes).next().unwrap();
            read.map(|_| ())
        }
        "batch-line" => batch_line("test", 1, bytes)
            .map(|_| ())
            .map_err(|error| error.error),
        other => panic!("{other}"),
    }
}

/// Is it about keys, types or words?
fn is_of_a_schema(error: &InputError) -> bool {
    match error.code() {
        ErrorCode::UnknownKey
        | ErrorCode::MissingKey
        | ErrorCode::WrongType
        | ErrorCode::UnknownKind
        | ErrorCode::Conflict => true,
        ErrorCode::Number => !error.message().contains("denominator"),
        _ => false,
    }
}

/// Has it become something that another schema is about, or that none describes: events, claim files in the place of a mechanism?
fn is_elsewhere(document: &Value) -> bool {
    match document {
        Value::Object(entries) => {
            let is_event = entries.contains_key("class_name") || entries.contains_key("event");
            let is_file = entries.get("mechanism").is_some_and(|one| !one.is_string())
                && !entries.contains_key("claim")
                && !entries.contains_key("query")
                && !entries.contains_key("kind");
            let places = ["mechanism", "other"];
            let is_list = places
                .iter()
                .any(|key| entries.get(*key).is_some_and(Value::is_array));
            is_event || is_file || is_list || entries.values().any(is_elsewhere)
        }
        Value::Array(items) => {
            items.iter().any(is_elsewhere) || items.first().is_some_and(Value::is_string)
        }
        _ => false,
    }
}

/// Changes one place.
fn change(document: &mut Value, random: &mut Random, keys: &[String], values: &[Value]) {
    let mut here = document;
    loop {
        let deeper = match &*here {
            Value::Object(entries) => !entries.is_empty() && random.below(3) > 0,
            Value::Array(items) => !items.is_empty() && random.below(4) > 0,
            _ => false,
        };
        if !deeper {
            break;
        }
        here = match here {
            Value::Object(entries) => {
                let place = random.below(entries.len());
                entries.values_mut().nth(place).unwrap()
            }
            Value::Array(items) => {
                let place = random.below(items.len());
                &mut items[place]
            }
            _ => unreachable!(),
        };
    }
    match here {
        Value::Object(entries) => {
            let names: Vec<String> = entries.keys().cloned().collect();
            match random.below(4) {
                0 if !names.is_empty() => {
                    entries.remove(random.of(&names));
                }
                1 if !names.is_empty() => {
                    let value = entries.remove(random.of(&names)).unwrap();
                    entries.insert(random.of(keys).clone(), value);
                }
                2 => {
                    entries.insert("kind".to_owned(), json!(random.of(keys)));
                }
                _ => {
                    entries.insert(random.of(keys).clone(), random.of(values).clone());
                }
            }
        }
        Value::Array(items) => match random.below(3) {
            0 => {
                items.pop();
            }
            1 => items.push(random.of(values).clone()),
            _ => items.clear(),
        },
        other => *other = random.of(values).clone(),
    }
}

fn keys() -> Vec<String> {
    let entries = [MECHANISMS, CLAIMS, QUERIES].into_iter().flatten();
    let mut keys: Vec<&str> = entries
        .flat_map(|entry| {
            entry
                .part
                .keys
                .iter()
                .map(|key| key.name)
                .chain([entry.kind])
        })
        .chain([
            "adjacency",
            "times",
            "weight",
            "title",
            "source",
            "claim",
            "sigmaa",
            "",
        ])
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(str::to_owned).collect()
}

fn values() -> Vec<Value> {
    let texts = [
        "1",
        "1/3",
        "-2",
        " 0.5 ",
        "1e-5",
        "1_0",
        "_1",
        "1/0",
        "a",
        "",
        ".5",
        "5.",
        "+1",
        "inf",
        "nan",
        "0x1",
        "1/2/3",
        "poisson",
        "add-remove",
        "replace-one",
        "jeffreys",
        "mu_star",
        "gaussian",
        "1e99999",
    ];
    let plain = [
        json!(0),
        json!(1),
        json!(2),
        json!(3.0),
        json!(0.5),
        json!(-1),
        json!(1.5),
        json!(1e-9),
        json!(1_000_000),
        json!(true),
        json!(null),
        json!([]),
        json!({}),
        json!([1]),
        json!([1, 2]),
        json!([[1, 0.5]]),
        json!([[2, 0.1], [4, 0.3]]),
        json!(["1/2", 0.5]),
        json!({"kind": "gaussian", "sigma": 2}),
        json!({"kind": "gdp", "mu": 1, "times": 3}),
        json!({"kind": "gdp", "mu": 1, "weight": 1}),
        json!([{"kind": "laplace", "scale": 1}]),
        json!({"weights": [0.5], "decays": [0.5]}),
        json!([{"noise-multiplier": 2, "sample-rate": 0.01, "steps": 100}]),
        json!({"kind": "advantage", "at-most": 0.5}),
        json!({"kind": "beta", "a": 1, "b": 2}),
    ];
    texts.iter().map(|text| json!(text)).chain(plain).collect()
}
