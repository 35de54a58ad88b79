//! Schemas of what is written: the keys that are always there. Later versions may add keys, and change the meaning of none.

use serde_json::{Map, Value, json};

use super::object;

/// `dpcmp.verdict/1`.
pub(super) fn verdict() -> Value {
    Value::Object(verdict_object())
}

fn verdict_object() -> Map<String, Value> {
    let claim = open(
        [
            ("kind", text()),
            ("verdict", word(&["verified", "refuted", "undecided"])),
            (
                "statement",
                word(&["strict", "tolerance", "error-floor", "exact"]),
            ),
            ("quantity", text()),
            ("lower", number()),
            ("upper", number()),
            ("bound", number()),
            ("margin", or_null(number())),
            ("vacuous", flag()),
            (
                "reason",
                or_null(word(&["budget", "unsupported", "does-not-follow"])),
            ),
            ("witness", or_null(texts_by_name())),
            ("nearest-true", or_null(texts_by_name())),
            ("rounding-of-printed-digits", flag()),
        ],
        [
            ("exact", text()),
            ("message", text()),
            (
                "certificate",
                open(
                    [("accepted", flag())],
                    [("sha256", sha256()), ("file", text()), ("message", text())],
                ),
            ),
        ],
    );
    let named = open([("file", text()), ("sha256", sha256())], []);
    let mut object = head(
        "dpcmp.verdict/1",
        [
            ("file", text()),
            ("version", text()),
            ("claims", json!({"type": "array", "items": claim})),
        ],
        [
            ("line", count()),
            ("sha256", sha256()),
            ("files", json!({"type": "array", "items": named})),
            ("title", text()),
            ("source", text()),
            ("mechanism", json!({"type": "object"})),
            ("conditions", texts()),
            ("computed", texts()),
            ("notes", json!({"type": "object"})),
            ("seconds", json!({"type": "number"})),
            ("error", error()),
        ],
    );
    object.insert(
        "anyOf".to_owned(),
        json!([
            {"required": ["sha256", "mechanism", "conditions"]},
            {"required": ["error"]},
        ]),
    );
    object
}

/// An in-toto statement.
pub(super) fn attestation() -> Value {
    let subject = open(
        [
            ("name", text()),
            ("digest", open([("sha256", sha256())], [])),
        ],
        [],
    );
    let certificate = open(
        [
            ("file", text()),
            ("sha256", sha256()),
            ("claim-file", text()),
            ("claim-number", count()),
        ],
        [("line", count())],
    );
    let counts = ["verified", "refuted", "undecided"];
    let verifier = ["name", "version", "gmp", "mpfr"];
    let predicate = head(
        "dpcmp.attestation/1",
        [
            ("verifier", open(verifier.map(|key| (key, text())), [])),
            ("verdict", word(&["verified", "refuted", "undecided"])),
            ("counts", open(counts.map(|key| (key, count())), [])),
            ("assumptions", texts()),
            (
                "files",
                json!({"type": "array", "items": verdict_object(), "minItems": 1}),
            ),
            (
                "certificates",
                json!({"type": "array", "items": certificate}),
            ),
        ],
        [],
    );
    open(
        [
            ("_type", json!({"const": "https://in-toto.io/Statement/v1"})),
            (
                "subject",
                json!({"type": "array", "items": subject, "minItems": 1}),
            ),
            (
                "predicateType",
                json!({"const": crate::report::PREDICATE_TYPE}),
            ),
            ("predicate", Value::Object(predicate)),
        ],
        [],
    )
}

/// `dpcmp.certificate/2`, which has no other keys.
pub(super) fn certificate() -> Value {
    let file = open(
        [
            ("form", word(&["file", "line"])),
            ("sha256", sha256()),
            ("text", text()),
        ],
        [],
    );
    let mut object = head(
        "dpcmp.certificate/2",
        [
            ("claim", count()),
            ("claim-file", file),
            ("conditions", texts()),
            ("proof", json!({"type": "object"})),
            ("statement", text()),
            ("verdict", word(&["verified", "refuted"])),
            ("version", text()),
        ],
        [],
    );
    object.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(object)
}

/// `dpcmp.check/2`.
pub(super) fn check() -> Value {
    let mut object = head(
        "dpcmp.check/2",
        [
            ("certificate", text()),
            ("accepted", flag()),
            ("text", text()),
        ],
        [
            ("title", or_null(text())),
            ("source", or_null(text())),
            ("stated", text()),
            ("mechanism", json!({"type": "object"})),
            ("adjacency", text()),
            ("claim-number", count()),
            ("claim", json!({"type": "object"})),
            ("verdict", word(&["verified", "refuted"])),
            ("proved", text()),
            ("conditions", texts()),
            ("claim-file-sha256", sha256()),
            ("written-by", text()),
            ("checked-by", text()),
            ("reason", text()),
            ("place", text()),
        ],
    );
    let accepted = [
        "mechanism",
        "adjacency",
        "claim-number",
        "claim",
        "verdict",
        "proved",
        "conditions",
        "claim-file-sha256",
        "written-by",
        "checked-by",
    ];
    object.insert(
        "anyOf".to_owned(),
        json!([
            {"properties": {"accepted": {"const": true}}, "required": accepted},
            {"properties": {"accepted": {"const": false}}, "required": ["reason", "place"]},
        ]),
    );
    Value::Object(object)
}

/// What answers take for granted, and what was computed.
pub(super) fn taken() -> [(&'static str, Value); 2] {
    ["conditions", "computed"].map(|key| (key, texts()))
}

/// `dpcmp.bound/1`.
pub(super) fn bound() -> Value {
    let others = answers().into_iter().chain(taken());
    let mut object = head("dpcmp.bound/1", [("query", text())], others);
    object.insert("anyOf".to_owned(), one_answer());
    or_error(object)
}

/// A line of the answer to a batch.
pub(super) fn batch_answer() -> Value {
    answered(open([("id", json!({}))], answers()))
}

/// `dpcmp.comparison/2`.
pub(super) fn comparison() -> Value {
    let divergences = ["delta-a-b", "delta-b-a", "symmetric"];
    or_error(head(
        "dpcmp.comparison/2",
        divergences.map(|key| (key, json!({"type": "object"}))),
        [
            ("version", text()),
            ("engine", text()),
            ("a", json!({"type": "object"})),
            ("b", json!({"type": "object"})),
            (
                "blackwell",
                word(&[
                    "a-dominates",
                    "b-dominates",
                    "equal",
                    "incomparable",
                    "undecided",
                ]),
            ),
            ("conditions", texts()),
            ("seconds", json!({"type": "number"})),
        ],
    ))
}

/// `dpcmp.report/1`.
pub(super) fn report() -> Value {
    or_error(report_object())
}

fn report_object() -> Map<String, Value> {
    let representation = open([("kind", text())], []);
    head(
        "dpcmp.report/1",
        [
            ("version", text()),
            ("mechanism", json!({"type": "object"})),
            (
                "representations",
                json!({"type": "array", "items": representation}),
            ),
            ("conditions", texts()),
            ("seconds", json!({"type": "number"})),
        ],
        [],
    )
}

/// `dpcmp.calibration/1`.
pub(super) fn calibration() -> Value {
    or_error(head(
        "dpcmp.calibration/1",
        [
            ("version", text()),
            ("key", text()),
            ("value", or_null(text())),
            ("not-reachable-beyond", or_null(text())),
            ("seconds", json!({"type": "number"})),
        ],
        [("targets", texts()), ("conditions", texts())],
    ))
}

/// `dpcmp.conversion/1`.
pub(super) fn conversion() -> Value {
    or_error(head(
        "dpcmp.conversion/1",
        [
            ("statement", text()),
            ("follows", or_null(Value::Object(report_object()))),
        ],
        [],
    ))
}

/// `dpcmp.reproduction/1`.
pub(super) fn reproduction() -> Value {
    let row = open([("what", text()), ("paper", text())], []);
    Value::Object(head(
        "dpcmp.reproduction/1",
        [
            ("name", text()),
            ("rows", json!({"type": "array", "items": row})),
        ],
        [],
    ))
}

/// `dpcmp.fuzz/1`.
pub(super) fn fuzz() -> Value {
    Value::Object(head(
        "dpcmp.fuzz/1",
        [
            ("accountant", text()),
            ("seed", text()),
            ("cases", count()),
            ("answered", count()),
            ("undecided", count()),
            ("kinds", json!({"type": "object"})),
            ("seconds", text()),
            ("version", text()),
        ],
        [],
    ))
}

/// `dpcmp.finding/1`.
pub(super) fn finding() -> Value {
    Value::Object(head(
        "dpcmp.finding/1",
        [
            ("kind", text()),
            ("accountant", text()),
            ("mechanism", json!({})),
            ("query", json!({})),
            ("seed", text()),
            ("case", count()),
            ("file", text()),
            ("version", text()),
        ],
        [],
    ))
}

/// An object with `schema`, other keys that must be there, and some that may.
pub(super) fn head<'a>(
    schema: &str,
    needed: impl IntoIterator<Item = (&'a str, Value)>,
    may: impl IntoIterator<Item = (&'a str, Value)>,
) -> Map<String, Value> {
    let needed = [("schema", json!({"const": schema}))]
        .into_iter()
        .chain(needed);
    match open(needed, may) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// An object that may have other keys, too.
pub(super) fn open<'a>(
    needed: impl IntoIterator<Item = (&'a str, Value)>,
    may: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let needed: Vec<(&str, Value)> = needed.into_iter().collect();
    let names: Vec<&str> = needed.iter().map(|(key, _)| *key).collect();
    let properties = object(needed.iter().cloned().chain(may));
    json!({"type": "object", "properties": properties, "required": names})
}

/// What may be answered: an enclosure, an estimate or an error.
pub(super) fn answers() -> [(&'static str, Value); 7] {
    [
        ("lower", number()),
        ("upper", number()),
        ("attained", flag()),
        ("estimate", number()),
        ("method", text()),
        ("ending", text()),
        ("error", error()),
    ]
}

pub(super) fn answered(mut object: Value) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.insert("anyOf".to_owned(), one_answer());
    }
    object
}

pub(super) fn one_answer() -> Value {
    json!([
        {"required": ["lower", "upper"]},
        {"required": ["estimate"]},
        {"required": ["error"]},
    ])
}

/// The object, or one that says in `error` why there is none.
pub(super) fn or_error(mut object: Map<String, Value>) -> Value {
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.insert("error".to_owned(), error());
    }
    let needed = object.insert("required".to_owned(), json!(["schema"]));
    let mut all = Map::new();
    all.extend(needed.map(|needed| ("required".to_owned(), needed)));
    all.extend(object.remove("anyOf").map(|one| ("anyOf".to_owned(), one)));
    object.insert("anyOf".to_owned(), json!([all, {"required": ["error"]}]));
    Value::Object(object)
}

pub(super) fn error() -> Value {
    open(
        [("code", text()), ("message", text())],
        [("place", text()), ("hint", text())],
    )
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn texts() -> Value {
    json!({"type": "array", "items": text()})
}

pub(super) fn texts_by_name() -> Value {
    json!({"type": "object", "additionalProperties": text()})
}

pub(super) fn flag() -> Value {
    json!({"type": "boolean"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

pub(super) fn word(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// A decimal, or an infinite end.
fn number() -> Value {
    json!({"type": "string", "pattern": "^(?:-?inf|-?[0-9]+(?:\\.[0-9]+)?(?:e[-+]?[0-9]+)?)$"})
}

pub(super) fn sha256() -> Value {
    json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
}

pub(super) fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}
