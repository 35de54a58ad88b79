//! Documents that are read: those of the table of keys, and the examples of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use dpcmp::input::reference::{CLAIMS, MECHANISMS, QUERIES};
use serde_json::{Map, Number, Value, json};
use toml::de::{DeTable, DeValue};

use super::errors;

/// A schema by name and a document of it.
pub type Document = (&'static str, Value);

pub fn all() -> Vec<Document> {
    let mut all = Vec::new();
    let gdp = || json!({"kind": "gdp", "mu": 1});
    for text in MECHANISMS.iter().flat_map(|entry| entry.examples) {
        all.push(("mechanism", from_toml(text)));
    }
    for text in CLAIMS.iter().flat_map(|entry| entry.examples) {
        let claim = from_toml(text);
        all.push(("claim-file", json!({"mechanism": gdp(), "claim": claim})));
        let lines = json!({"mechanism": gdp(), "claim": [claim], "id": 7});
        all.push(("claim-line", lines));
    }
    for text in QUERIES.iter().flat_map(|entry| entry.examples) {
        let query = from_toml(text);
        all.push((
            "batch-line",
            json!({"id": null, "mechanism": gdp(), "query": query}),
        ));
    }
    for path in examples() {
        let document = from_toml(&fs::read_to_string(&path).unwrap());
        let name = if document.get("mechanism").is_some() {
            "claim-file"
        } else {
            "mechanism"
        };
        all.push((name, document));
    }
    for text in [
        r#"{"history":[[1.1,0.01,100],["2","1/50",3]],"mechanism":"rdp"}"#,
        r#"["dp_accounting.dp_event","GaussianDpEvent",1.1]"#,
        r#"{"event":["dp_accounting.dp_event","GaussianDpEvent",1.1],"neighboring-relation":"REPLACE_ONE"}"#,
        r#"{"module_name":"dp_accounting.dp_event","class_name":"LaplaceDpEvent","noise_multiplier":2}"#,
    ] {
        all.push(("mechanism", serde_json::from_str(text).unwrap()));
    }
    all
}

/// The examples in TOML; certificates and the like are JSON.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut waiting) = (Vec::new(), vec![root.join("examples")]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 100);
    found
}

#[test]
fn every_example_is_valid() {
    for (name, document) in all() {
        let errors = errors(name, &document);
        assert!(errors.is_empty(), "{name} {document}: {errors:?}");
    }
    for text in CLAIMS.iter().flat_map(|entry| entry.examples) {
        assert_eq!(errors("claim", &from_toml(text)), Vec::<String>::new());
    }
    for text in QUERIES.iter().flat_map(|entry| entry.examples) {
        assert_eq!(errors("query", &from_toml(text)), Vec::<String>::new());
    }
}

/// TOML as JSON.
pub fn from_toml(text: &str) -> Value {
    table(DeTable::parse(text).unwrap().get_ref())
}

fn table(table: &DeTable<'_>) -> Value {
    let entries = table
        .iter()
        .map(|(key, one)| (key.get_ref().to_string(), value(one.get_ref())));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn value(one: &DeValue<'_>) -> Value {
    match one {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => parsed(number.as_str()),
        DeValue::Float(number) => parsed(number.as_str()),
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Array(items) => items.iter().map(|item| value(item.get_ref())).collect(),
        DeValue::Table(inner) => table(inner),
        DeValue::Datetime(_) => panic!("a date"),
    }
}

fn parsed(text: &str) -> Value {
    let number: Number = text.replace('_', "").parse().unwrap();
    Value::Number(number)
}
