//! False certificates, one for each way to lie, and random mutations of true ones. `claims.jsonl` holds the claims and `true/` their
//! certificates as `dpcmp verify --certificate` wrote them.

#![allow(
    clippy::disallowed_methods,
    reason = "expected values may come from the C library"
)]

mod batches;
mod comparisons;
mod corpus;
mod hostile;
mod kinds;
mod mutations;
mod normal_forms;
#[path = "../random/mod.rs"]
mod random;
mod random_claims;
mod readers;
mod strictness;
mod values;

use dpcmp_check::{Options, Place};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// What the checker said.
struct Answer {
    /// The exit code of the program.
    code: i32,
    /// `accepted`, or the word of the reason, for instance `hash`.
    word: &'static str,
    place: Option<Place>,
    text: String,
}

impl Answer {
    fn word(&self) -> &str {
        self.word
    }
}

/// Checks the text of a certificate.
fn check(text: &str) -> Answer {
    match dpcmp_check::check(text.as_bytes(), &Options::default()) {
        Ok(accepted) => Answer {
            code: 0,
            word: "accepted",
            place: None,
            text: accepted.to_string(),
        },
        Err(no) => Answer {
            code: if no.reason.is_unreadable() { 2 } else { 1 },
            word: no.reason.word(),
            place: Some(no.place),
            text: no.detail,
        },
    }
}

/// A true certificate, by its line in `claims.jsonl`.
fn certificate(line: usize) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/forgeries/true");
    let text =
        std::fs::read_to_string(format!("{folder}/claims-line-{line}-claim-1.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The text of a certificate in canonical form.
fn canonical(value: &Value) -> String {
    format!("{}\n", sorted(value))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            let entries = entries
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Another text of the claim file, with its hash; JSON without a line break is a line of a `.jsonl` file.
fn put_claim_file(certificate: &mut Value, text: &str) {
    let hash = Sha256::digest(text.as_bytes());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_line = text.trim_start().starts_with('{') && !text.contains('\n');
    certificate["claim-file"]["form"] = Value::from(if is_line { "line" } else { "file" });
    certificate["claim-file"]["text"] = Value::from(text);
    certificate["claim-file"]["sha256"] = Value::from(hash);
}

const REAL_NOISE: &str =
    "its noise is real-valued: effects of floating-point arithmetic are not modelled";

/// The sentence that the checker forms from the claim file and the verdict, and whether it says that noise is real-valued: a careful liar
/// writes them too.
fn put_statement(certificate: &mut Value) {
    let answer = check(&canonical(certificate));
    if let Some((_, sentence)) = answer.text.split_once("what the claim file claims is: ") {
        certificate["statement"] = Value::from(sentence);
    }
    let answer = check(&canonical(certificate));
    if answer.word() == "conditions" {
        let conditions = certificate["conditions"].as_array_mut().unwrap();
        conditions.retain(|condition| condition != REAL_NOISE);
        if answer.text.contains(REAL_NOISE) {
            conditions.insert(1, Value::from(REAL_NOISE));
        }
    }
}

/// The claim file inside, as JSON, changed; the hash and the sentence follow.
fn with_claim_file(certificate: &mut Value, change: impl FnOnce(&mut Value)) {
    let text = certificate["claim-file"]["text"].as_str().unwrap();
    let mut file = serde_json::from_str(text).unwrap();
    change(&mut file);
    put_claim_file(certificate, &file.to_string());
    put_statement(certificate);
}

#[test]
fn true_certificates_are_accepted() {
    let claims = include_str!("claims.jsonl");
    for line in 1..=claims.lines().count() {
        let certificate = certificate(line);
        let text = certificate["claim-file"]["text"].as_str().unwrap();
        assert_eq!(Some(text), claims.lines().nth(line - 1));
        let answer = check(&canonical(&certificate));
        assert_eq!(answer.code, 0, "line {line}: {}", answer.text);
    }
}
