//! JSON Schemas (draft 7) of the files that are read and written.
//!
//! | file | job |
//! |---|---|
//! | `read` | what is read, made from the table of all keys that the parser is held to |
//! | `written` | what is written: the keys that are always there; more may be |
//! | `series` | the same of sweeps and curves |
//!
//! A schema says which keys there are, which go together and what their values are. It does not say what takes arithmetic: that
//! probabilities sum to 1, that a range is left by less than a double tells, that nested mechanisms can be composed.

mod read;
mod registry;
mod series;
mod written;

use serde_json::{Map, Value, json};

/// A schema: its name, what it is about, and whether it is read or written.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// As `dpcmp schema` takes it.
    pub name: &'static str,
    /// What it describes.
    pub title: &'static str,
    make: fn() -> Value,
}

/// All schemas.
pub const SCHEMAS: &[Schema] = &[
    Schema {
        name: "claim-file",
        title: "A claim file of dpcmp: a mechanism and what is claimed of it",
        make: read::claim_file,
    },
    Schema {
        name: "claim-line",
        title: "A line of a .jsonl file of claims; other keys are kept as notes",
        make: read::claim_line,
    },
    Schema {
        name: "mechanism",
        title: "A mechanism as dpcmp reads it, also in its foreign notations",
        make: read::mechanism,
    },
    Schema {
        name: "claim",
        title: "A claim",
        make: read::claim,
    },
    Schema {
        name: "query",
        title: "A query of dpcmp bound",
        make: read::query,
    },
    Schema {
        name: "batch-line",
        title: "A line of dpcmp bound --batch; other keys are kept as notes",
        make: read::batch_line,
    },
    Schema {
        name: "verdict",
        title: "dpcmp verify --format json: an object for each claim file",
        make: written::verdict,
    },
    Schema {
        name: "attestation",
        title: "dpcmp verify --attest: an in-toto Statement v1",
        make: written::attestation,
    },
    Schema {
        name: "certificate",
        title: "dpcmp verify --certificate; proofs/FORMAT.md has the proofs",
        make: written::certificate,
    },
    Schema {
        name: "check",
        title: "dpcmp check --format json: an object for each certificate",
        make: written::check,
    },
    Schema {
        name: "bound",
        title: "dpcmp bound --format json: an object for each query",
        make: written::bound,
    },
    Schema {
        name: "batch-answer",
        title: "A line of the answer to dpcmp bound --batch",
        make: written::batch_answer,
    },
    Schema {
        name: "sweep",
        title: "dpcmp bound --sweep --format json: an object for each point",
        make: series::sweep,
    },
    Schema {
        name: "curve",
        title: "dpcmp curve --format json: an object for each point",
        make: series::curve,
    },
    Schema {
        name: "comparison",
        title: "dpcmp compare --format json",
        make: written::comparison,
    },
    Schema {
        name: "report",
        title: "dpcmp report --format json",
        make: written::report,
    },
    Schema {
        name: "calibration",
        title: "dpcmp calibrate --format json",
        make: written::calibration,
    },
    Schema {
        name: "conversion",
        title: "dpcmp convert --format json",
        make: written::conversion,
    },
    Schema {
        name: "registry",
        title: "dpcmp import registry --format json: an object for each entry",
        make: registry::registry,
    },
    Schema {
        name: "reproduction",
        title: "dpcmp reproduce --format json",
        make: written::reproduction,
    },
    Schema {
        name: "fuzz",
        title: "dpcmp fuzz-accountant --format json",
        make: written::fuzz,
    },
    Schema {
        name: "finding",
        title: "A finding of dpcmp fuzz-accountant",
        make: written::finding,
    },
];

impl Schema {
    /// The schema of that name.
    pub fn of(name: &str) -> Option<&'static Self> {
        SCHEMAS.iter().find(|schema| schema.name == name)
    }

    /// As JSON.
    pub fn value(&self) -> Value {
        let mut object = Map::new();
        object.insert("$schema".to_owned(), json!(DRAFT));
        object.insert(
            "$id".to_owned(),
            json!(format!("urn:dpcmp:schema:{}", self.name)),
        );
        object.insert("title".to_owned(), json!(self.title));
        if let Value::Object(body) = (self.make)() {
            object.extend(body);
        }
        Value::Object(object)
    }

    /// As a JSON document.
    pub fn text(&self) -> String {
        format!("{:#}\n", self.value())
    }
}

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// Entries of an object.
fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    let entries = entries.into_iter();
    entries
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}
