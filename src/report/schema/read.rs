//! Schemas of what is read, from the table of all keys.

use serde_json::{Map, Value, json};

use super::object;
use crate::input::reference::{
    ADJACENCY, CLAIMS, Choice, Entry, Key, MECHANISMS, PRIORS, Part, QUERIES, Shape, TIMES, WEIGHT,
};
use crate::mechanism::Domain;

/// Digits, with single underscores between them.
macro_rules! digits {
    () => {
        r"[0-9]+(?:_[0-9]+)*"
    };
}

/// A decimal, with blanks around it.
macro_rules! decimal {
    () => {
        concat!(
            r"[ \t\r\n]*[-+]?(?:",
            digits!(),
            r"(?:\.(?:",
            digits!(),
            r")?)?|\.",
            digits!(),
            r")(?:[eE][-+]?",
            digits!(),
            r")?[ \t\r\n]*"
        )
    };
}

/// Numbers that are written as text: decimals and fractions of them.
const NUMBER: &str = concat!("^", decimal!(), "(?:/", decimal!(), ")?$");

/// A claim file.
pub(super) fn claim_file() -> Value {
    let mut schema = file();
    schema.insert("additionalProperties".to_owned(), json!(false));
    with_definitions(schema)
}

/// A line of claims.
pub(super) fn claim_line() -> Value {
    with_definitions(file())
}

/// A mechanism.
pub(super) fn mechanism() -> Value {
    with_definitions(object([("$ref", reference("top"))]))
}

/// A claim.
pub(super) fn claim() -> Value {
    with_definitions(object([("$ref", reference("claim"))]))
}

/// A query.
pub(super) fn query() -> Value {
    with_definitions(object([("$ref", reference("query"))]))
}

/// A line of a batch.
pub(super) fn batch_line() -> Value {
    with_definitions(object([
        ("type", json!("object")),
        (
            "properties",
            json!({
                "id": {"description": "anything, echoed"},
                "mechanism": to("top"),
                "query": to("query"),
            }),
        ),
        ("required", json!(["mechanism", "query"])),
    ]))
}

fn file() -> Map<String, Value> {
    object([
        ("type", json!("object")),
        (
            "properties",
            json!({
                "title": {"type": "string", "description": "what the claims are about"},
                "source": {"type": "string", "description": "where they were published"},
                "mechanism": to("top"),
                "claim": {
                    "description": "one claim, or several",
                    "anyOf": [to("claim"), {"type": "array", "items": to("claim"), "minItems": 1}],
                },
            }),
        ),
        ("required", json!(["mechanism", "claim"])),
    ])
}

fn reference(name: &str) -> Value {
    json!(format!("#/definitions/{name}"))
}

fn to(name: &str) -> Value {
    json!({"$ref": reference(name)})
}

/// The schema with all that it may refer to.
fn with_definitions(mut schema: Map<String, Value>) -> Value {
    let mut definitions = Map::new();
    let mut define = |name: &str, value: Value| definitions.insert(name.to_owned(), value);
    define("number", number(Domain::Real));
    let beside = [ADJACENCY, TIMES, WEIGHT];
    define("kinds", any_of("mechanism", MECHANISMS));
    for entry in MECHANISMS {
        define(&format!("mechanism-{}", entry.kind), kind(entry, &beside));
    }
    define("top", top());
    define("inside", placed(&[], &["adjacency", "times", "weight"]));
    define("composed", placed(&[], &["adjacency", "weight"]));
    define("weighted", placed(&["weight"], &["adjacency", "times"]));
    define("opacus-state", opacus_state());
    define("dp-event", dp_event());
    for (name, entries) in [("claim", CLAIMS), ("query", QUERIES)] {
        define(name, any_of(name, entries));
        for entry in entries {
            define(&format!("{name}-{}", entry.kind), kind(entry, &[]));
        }
    }
    define("prior", prior());
    let used = reachable(&schema, &definitions);
    definitions.retain(|name, _| used.contains(name));
    schema.insert("definitions".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// The names of definitions that a schema uses, directly or not.
fn reachable(schema: &Map<String, Value>, definitions: &Map<String, Value>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut waiting: Vec<&Value> = schema.values().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(map) => waiting.extend(map.values()),
            Value::Array(items) => waiting.extend(items),
            Value::String(text) => {
                let name = text.strip_prefix("#/definitions/").unwrap_or_default();
                if let Some(next) = definitions.get(name)
                    && !found.iter().any(|known| known == name)
                {
                    found.push(name.to_owned());
                    waiting.push(next);
                }
            }
            _ => {}
        }
    }
    found
}

fn any_of(name: &str, entries: &[Entry]) -> Value {
    let kinds: Vec<Value> = entries
        .iter()
        .map(|entry| to(&format!("{name}-{}", entry.kind)))
        .collect();
    json!({"anyOf": kinds})
}

/// A mechanism at the top of a file, in any notation.
fn top() -> Value {
    json!({"anyOf": [
        placed(&[], &["times", "weight"]),
        to("opacus-state"),
        to("dp-event"),
    ]})
}

/// A mechanism where some of the keys beside its own are needed, and others not allowed.
fn placed(needed: &[&str], refused: &[&str]) -> Value {
    let refused = refused.iter().map(|key| (*key, json!(false)));
    json!({"allOf": [
        to("kinds"),
        {"required": needed, "properties": object(refused)},
    ]})
}

fn kind(entry: &Entry, beside: &[Key]) -> Value {
    let own = [("kind", json!({"const": entry.kind}))];
    let keys = entry.part.keys.iter().chain(beside);
    let properties = own.into_iter().chain(keys.map(property));
    let mut schema = object([
        ("description", json!(entry.words)),
        ("type", json!("object")),
        ("properties", Value::Object(object(properties))),
        ("required", json!([&["kind"], entry.part.needs].concat())),
        ("additionalProperties", json!(false)),
    ]);
    schema.extend(choices(&entry.part));
    Value::Object(schema)
}

fn part(part: &Part) -> Value {
    let mut schema = object([
        ("type", json!("object")),
        (
            "properties",
            Value::Object(object(part.keys.iter().map(property))),
        ),
        ("required", json!(part.needs)),
        ("additionalProperties", json!(false)),
    ]);
    schema.extend(choices(part));
    Value::Object(schema)
}

/// Of each group one choice holds: its keys are there, and those of the others are not.
fn choices(part: &Part) -> Option<(String, Value)> {
    if part.choices.is_empty() {
        return None;
    }
    let groups = part.choices.iter().map(|group| {
        let all = |choice: &Choice| choice.needs.iter().chain(choice.may).copied();
        let choices: Vec<Value> = group
            .iter()
            .map(|choice| {
                let own: Vec<&str> = all(choice).collect();
                let others = group.iter().flat_map(&all);
                let refused = others
                    .filter(|key| !own.contains(key))
                    .map(|key| (key, json!(false)));
                let word = choice.word.map(|(key, word)| (key, json!({"const": word})));
                json!({"required": choice.needs, "properties": object(refused.chain(word))})
            })
            .collect();
        json!({"anyOf": choices})
    });
    Some(("allOf".to_owned(), Value::Array(groups.collect())))
}

fn property(key: &Key) -> (&'static str, Value) {
    let mut schema = match shape(&key.shape) {
        // What stands beside `$ref` is not looked at.
        Value::Object(one) if one.contains_key("$ref") => object([("allOf", json!([one]))]),
        Value::Object(one) => one,
        other => object([("const", other)]),
    };
    schema.insert("description".to_owned(), json!(key.words));
    (key.name, Value::Object(schema))
}

fn shape(shape: &Shape) -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    match shape {
        Shape::Number(domain) => number(*domain),
        Shape::Whole(least) => whole(*least),
        Shape::NumberOrWord(domain, words) => {
            json!({"anyOf": [number(*domain), {"enum": words}]})
        }
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Word(words) => json!({"enum": words}),
        Shape::Numbers(domain) => list(number(*domain)),
        Shape::Wholes => list(whole(0)),
        Shape::Rows => json!({"anyOf": [list(list(number(Domain::Real))), {"type": "string"}]}),
        Shape::Pairs(pair) => {
            let mut pairs = list(pair_of(*pair));
            if let Some(pairs) = pairs.as_object_mut() {
                pairs.insert("minItems".to_owned(), json!(1));
            }
            pairs
        }
        Shape::Points => points(),
        Shape::Mechanism => to("top"),
        Shape::Inside => to("inside"),
        Shape::Composed => list(to("composed")),
        Shape::Weighted => list(to("weighted")),
        Shape::Table(inner) => part(inner),
        Shape::Tables(inner) => {
            json!({"type": "array", "items": part(inner), "minItems": 1})
        }
        Shape::Prior => to("prior"),
    }
}

fn whole(least: u64) -> Value {
    json!({"anyOf": [
        {"type": "integer", "minimum": least},
        {"type": "string", "pattern": NUMBER},
    ]})
}

/// A number, or a text that is one. Ends of a range that do not belong to it are let in, because a double may not tell.
fn number(domain: Domain) -> Value {
    let mut plain = object([("type", json!("number"))]);
    let (least, most) = match domain {
        Domain::Real => (None, None),
        Domain::NonNegative | Domain::Positive => (Some(json!(0)), None),
        Domain::AtLeastOne | Domain::AboveOne => (Some(json!(1)), None),
        Domain::Unit | Domain::Rate => (Some(json!(0)), Some(json!(1))),
        Domain::Tolerance | Domain::ErrorFloor => (Some(json!(0)), Some(json!(0.5))),
    };
    plain.extend(least.map(|least| ("minimum".to_owned(), least)));
    plain.extend(most.map(|most| ("maximum".to_owned(), most)));
    json!({"anyOf": [plain, {"type": "string", "pattern": NUMBER}]})
}

fn pair_of(pair: [(&str, Domain); 2]) -> Value {
    let ends = pair.map(|(name, domain)| {
        let mut end = number(domain);
        if let Some(end) = end.as_object_mut() {
            end.insert("description".to_owned(), json!(name));
        }
        end
    });
    json!({"type": "array", "items": ends, "minItems": 2, "maxItems": 2})
}

/// Points of a privacy profile.
fn points() -> Value {
    let pair = pair_of([("epsilon", Domain::Real), ("delta", Domain::Unit)]);
    let table = |key: &str, domain: Domain| {
        json!({
            "type": "object",
            "properties": object([(key, number(domain)), ("delta", number(Domain::Unit))]),
            "required": [key, "delta"],
            "additionalProperties": false,
        })
    };
    json!({
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [
            pair,
            table("epsilon", Domain::Real),
            table("exp-epsilon", Domain::Positive),
        ]},
    })
}

fn prior() -> Value {
    let words = PRIORS.iter().filter(|entry| entry.part.keys.is_empty());
    let words: Vec<&str> = words.map(|entry| entry.kind).collect();
    let kinds = PRIORS.iter().map(|entry| kind(entry, &[]));
    let all: Vec<Value> = [json!({"enum": words})].into_iter().chain(kinds).collect();
    json!({"anyOf": all})
}

fn opacus_state() -> Value {
    let phase = json!({
        "type": "array",
        "items": [number(Domain::Positive), number(Domain::Rate), whole(1)],
        "minItems": 3,
        "maxItems": 3,
    });
    let state = json!({
        "description": "the state of an Opacus accountant: noise multiplier, sample rate and steps of each phase",
        "type": "object",
        "properties": {
            "history": {"type": "array", "items": phase, "minItems": 1},
            "mechanism": {"type": "string"},
        },
        "required": ["history"],
        "additionalProperties": false,
    });
    let checkpoint = json!({
        "description": "a checkpoint of Opacus, which has the state of its accountant among others",
        "type": "object",
        "properties": {"privacy_accountant_state_dict": state, "kind": false},
        "required": ["privacy_accountant_state_dict"],
    });
    json!({"anyOf": [state, checkpoint]})
}

/// Events are told from other tables; what is in them is not described.
fn dp_event() -> Value {
    json!({
        "description": "a DpEvent of dp_accounting, as lists or tables, alone or with the neighbouring relation beside it",
        "anyOf": [
            {"type": "array", "minItems": 2},
            {"type": "object", "required": ["class_name"]},
            {"type": "object", "required": ["event"], "properties": {"kind": false}},
        ],
    })
}
