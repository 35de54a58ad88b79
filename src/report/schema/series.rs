//! The schemas of answers at many points: sweeps and curves.

use serde_json::{Value, json};

use super::written::{
    answered, answers, error, head, one_answer, open, or_error, or_null, sha256, taken, text,
    texts_by_name, word,
};

/// `dpcmp.sweep/1`.
pub(super) fn sweep() -> Value {
    let result = answered(open([("query", text())], answers()));
    let mut object = head(
        "dpcmp.sweep/1",
        [
            ("version", text()),
            ("engine", word(&["certified", "float"])),
            ("parameters", texts_by_name()),
        ],
        [
            ("sha256", sha256()),
            ("precision", or_null(text())),
            ("max-seconds", text()),
            ("results", json!({"type": "array", "items": result})),
            ("error", error()),
        ]
        .into_iter()
        .chain(taken()),
    );
    object.insert(
        "anyOf".to_owned(),
        json!([{"required": ["results"]}, {"required": ["error"]}]),
    );
    Value::Object(object)
}

/// `dpcmp.curve/1`.
pub(super) fn curve() -> Value {
    let places = ["epsilon", "alpha", "prior"].map(|key| (key, text()));
    let kinds = word(&["privacy-profile", "trade-off", "bayes-error"]);
    let mut object = head(
        "dpcmp.curve/1",
        [("kind", kinds)],
        places
            .into_iter()
            .chain([("name", text())])
            .chain(answers())
            .chain(taken()),
    );
    object.insert("anyOf".to_owned(), one_answer());
    or_error(object)
}
