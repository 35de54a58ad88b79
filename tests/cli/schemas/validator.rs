//! JSON Schema, draft 7, as far as the schemas here use it.

use serde_json::{Map, Value};

use dpcmp::number::{NumberError, parse_rational};

/// Words that say nothing of a document.
const ANNOTATIONS: [&str; 5] = ["$schema", "$id", "title", "description", "definitions"];

const KEYWORDS: [&str; 15] = [
    "$ref",
    "type",
    "const",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "anyOf",
    "allOf",
    "minimum",
    "maximum",
    "pattern",
];

pub struct Validator<'s> {
    root: &'s Value,
}

impl<'s> Validator<'s> {
    pub fn new(root: &'s Value) -> Self {
        Self { root }
    }

    /// What is wrong with a document, with the places.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(self.root, value, "", &mut errors);
        errors
    }

    /// Panics at a word that is not looked at.
    pub fn check_keywords(&self) {
        let mut waiting = vec![self.root];
        waiting.extend(
            self.root["definitions"]
                .as_object()
                .into_iter()
                .flat_map(Map::values),
        );
        while let Some(schema) = waiting.pop() {
            let Some(object) = schema.as_object() else {
                assert!(schema.is_boolean(), "{schema}");
                continue;
            };
            for (word, value) in object {
                let known =
                    KEYWORDS.contains(&word.as_str()) || ANNOTATIONS.contains(&word.as_str());
                assert!(known, "{word}");
                match (word.as_str(), value) {
                    ("properties", Value::Object(inner)) => waiting.extend(inner.values()),
                    ("anyOf" | "allOf" | "items", Value::Array(inner)) => waiting.extend(inner),
                    ("items" | "additionalProperties", inner) => waiting.push(inner),
                    ("$ref", _) => assert!(self.target(value).is_some(), "{value}"),
                    ("pattern", Value::String(text)) => {
                        matches_pattern(text, "");
                    }
                    _ => {}
                }
            }
        }
    }

    fn target(&self, reference: &Value) -> Option<&'s Value> {
        let name = reference.as_str()?.strip_prefix("#/definitions/")?;
        self.root["definitions"].get(name)
    }

    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let Some(object) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                errors.push(format!("{at}: not allowed"));
            }
            return;
        };
        if let Some(reference) = object.get("$ref") {
            let target = self.target(reference).expect("a definition");
            self.check(target, value, at, errors);
        }
        for (word, rule) in object {
            if !self.holds(word, rule, value) {
                errors.push(format!("{at}: {word} {}", short(rule)));
            }
        }
        for one in object
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.check(one, value, at, errors);
        }
        if let Value::Object(entries) = value {
            let properties = object.get("properties").and_then(Value::as_object);
            for (key, inner) in entries {
                let at = format!("{at}/{key}");
                match properties.and_then(|known| known.get(key)) {
                    Some(known) => self.check(known, inner, &at, errors),
                    None => {
                        if let Some(rest) = object.get("additionalProperties") {
                            self.check(rest, inner, &at, errors);
                        }
                    }
                }
            }
        }
        if let (Value::Array(items), Some(rule)) = (value, object.get("items")) {
            for (index, item) in items.iter().enumerate() {
                let at = format!("{at}/{index}");
                match rule {
                    Value::Array(rules) => {
                        if let Some(rule) = rules.get(index) {
                            self.check(rule, item, &at, errors);
                        }
                    }
                    rule => self.check(rule, item, &at, errors),
                }
            }
        }
    }

    fn holds(&self, word: &str, rule: &Value, value: &Value) -> bool {
        let count = |rule: &Value| usize::try_from(rule.as_u64().unwrap()).unwrap();
        match (word, value) {
            ("type", _) => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "number" => value.is_number(),
                "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
                other => panic!("type {other}"),
            },
            ("const", _) => rule == value,
            ("enum", _) => rule.as_array().unwrap().contains(value),
            ("anyOf", _) => {
                let all = rule.as_array().unwrap();
                all.iter().any(|one| self.is_valid(one, value))
            }
            ("required", Value::Object(entries)) => {
                let mut keys = rule.as_array().unwrap().iter();
                keys.all(|key| entries.contains_key(key.as_str().unwrap()))
            }
            ("minItems", Value::Array(items)) => items.len() >= count(rule),
            ("maxItems", Value::Array(items)) => items.len() <= count(rule),
            ("minimum", Value::Number(number)) => number.as_f64() >= rule.as_f64(),
            ("maximum", Value::Number(number)) => number.as_f64() <= rule.as_f64(),
            ("pattern", Value::String(text)) => matches_pattern(rule.as_str().unwrap(), text),
            _ => true,
        }
    }
}

/// There are three patterns, told by their beginnings.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let is_hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if pattern == "^[0-9a-f]{64}$" {
        return text.len() == 64 && text.chars().all(is_hexadecimal);
    }
    if pattern.starts_with("^(?:-?inf|") {
        let number = text.strip_prefix('-').unwrap_or(text);
        return number == "inf"
            || (number.starts_with(|c: char| c.is_ascii_digit())
                && !number.contains(['/', '_', ' '])
                && parse_rational(number).is_ok());
    }
    assert!(pattern.starts_with("^[ \\t\\r\\n]*[-+]?"), "{pattern}");
    match parse_rational(text) {
        // As text these look like numbers.
        Ok(_)
        | Err(
            NumberError::TooLong | NumberError::ExponentTooLarge | NumberError::ZeroDenominator,
        ) => true,
        Err(_) => false,
    }
}

fn short(rule: &Value) -> String {
    rule.to_string().chars().take(100).collect()
}

#[test]
fn rejects_what_is_wrong() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/n"}, "b": false, "c": {"items": [{"const": 1}], "maxItems": 1}},
        "required": ["a"],
        "additionalProperties": false,
        "definitions": {"n": {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["x"]}]}},
    });
    let validator = Validator::new(&schema);
    for (text, good) in [
        (r#"{"a":1}"#, true),
        (r#"{"a":2.0,"c":[1]}"#, true),
        (r#"{"a":"x"}"#, true),
        (r#"{"a":"y"}"#, false),
        (r#"{"a":-1}"#, false),
        (r#"{"a":1.5}"#, false),
        (r#"{"a":1,"b":1}"#, false),
        (r#"{"a":1,"d":1}"#, false),
        (r#"{"a":1,"c":[2]}"#, false),
        (r#"{"a":1,"c":[1,1]}"#, false),
        (r#"{}"#, false),
        ("[]", false),
    ] {
        let value = serde_json::from_str(text).unwrap();
        assert_eq!(validator.errors(&value).is_empty(), good, "{text}");
    }
}
