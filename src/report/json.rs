//! Verdicts as `dpcmp.verdict/1`: one JSON object, on one line, per claim file.

use serde_json::{Map, Number, Value, json};

use super::digits::{Digits, JSON_DIGITS, ends, ends_apart_from, exact};
use super::fault::Fault;
use super::mechanism::mechanism_json;
use super::refutation;
use super::verdicts::Unread;
use super::words::quantity_key;
use super::{Evidence, FileReport};
use crate::bounds::Enclosure;
use crate::input::ClaimEntry;
use crate::number::{MAX_CHARACTERS, decimal_down, decimal_up, float_down, float_up};
use crate::statement::{Claim, StatedClaim};
use crate::verdict::{Nearest, Outcome, Reason, Relation, Verdict};

/// Digits of margins and widths.
const FEW_DIGITS: usize = 6;

/// The object of one claim file, without a line break.
pub fn verdicts_json(report: &FileReport<'_>) -> String {
    Value::Object(verdicts_object(report)).to_string()
}

/// The same as an object.
pub(super) fn verdicts_object(report: &FileReport<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema", json!("dpcmp.verdict/1"));
    put("file", json!(report.file));
    if let Some(line) = report.line {
        put("line", json!(line));
    }
    put("sha256", json!(report.sha256));
    if !report.named.is_empty() {
        let named = report
            .named
            .iter()
            .map(|(file, sha256)| json!({"file": file, "sha256": sha256}));
        put("files", Value::Array(named.collect()));
    }
    put("version", json!(env!("CARGO_PKG_VERSION")));
    if let Some(title) = &report.claims.title {
        put("title", json!(title));
    }
    if let Some(source) = &report.claims.source {
        put("source", json!(source));
    }
    let mechanism = &report.claims.mechanism;
    put(
        "mechanism",
        mechanism_json(&mechanism.mechanism, mechanism.adjacency),
    );
    let claims = report.claims.claims.iter().zip(report.verdicts);
    let claims: Vec<Value> = claims
        .enumerate()
        .map(|(place, (entry, verdict))| {
            let mut object = claim(entry, verdict);
            let evidence = report.evidence.get(place).and_then(certificate);
            if let (Some(evidence), Some(entries)) = (evidence, object.as_object_mut()) {
                entries.insert("certificate".to_owned(), evidence);
            }
            object
        })
        .collect();
    put("claims", Value::Array(claims));
    put("conditions", json!(report.conditions));
    let mut notes = Map::new();
    for (key, text) in &report.claims.notes {
        // The text is JSON already: dpcmp has read it.
        let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        notes.insert(key.clone(), value);
    }
    if !mechanism.notes.is_empty() {
        put("computed", json!(mechanism.notes));
    }
    if !notes.is_empty() {
        put("notes", Value::Object(notes));
    }
    put("seconds", seconds(report.time));
    object
}

/// The object of an input that gave no verdicts: `claims` is empty and `error` says why.
pub fn unread_json(unread: &Unread<'_>) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), json!("dpcmp.verdict/1"));
    object.insert("file".to_owned(), json!(unread.file));
    if let Some(line) = unread.line {
        object.insert("line".to_owned(), json!(line));
    }
    object.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    object.insert("claims".to_owned(), json!([]));
    let fault = Fault {
        place: unread.full_place(),
        hint: unread.hint.map(str::to_owned),
        ..Fault::new(unread.code, unread.message)
    };
    object.insert("error".to_owned(), fault.json());
    Value::Object(object).to_string()
}

/// A duration as a JSON number of seconds.
pub(super) fn seconds(time: std::time::Duration) -> Value {
    Number::from_f64(time.as_secs_f64()).map_or(Value::Null, Value::Number)
}

/// The object of one claim.
pub(super) fn claim(entry: &ClaimEntry, verdict: &Verdict) -> Value {
    let (lower, upper) = ends_apart_from(&verdict.enclosure, &verdict.bound, JSON_DIGITS);
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("kind", json!(verdict.claim.kind()));
    for (key, text) in &entry.numbers {
        put(key, json!(text.trim()));
    }
    if let StatedClaim::DominatedBy { other, .. } = entry.claim.stated() {
        let (mechanism, adjacency) = (other.mechanism(), other.adjacency());
        put("mechanism", mechanism_json(mechanism, adjacency));
    }
    put("verdict", json!(verdict.outcome.as_str()));
    put("statement", json!(verdict.statement.as_str()));
    put("quantity", json!(quantity_key(entry, &verdict.query)));
    put("lower", json!(lower));
    put("upper", json!(upper));
    if let Some(value) = verdict.enclosure.exact() {
        put("exact", json!(exact(value)));
    }
    put("bound", json!(bound(verdict)));
    put("margin", margin(verdict));
    put("vacuous", json!(verdict.vacuous));
    let mut reason = Value::Null;
    let mut witness = Value::Null;
    let mut nearest = Value::Null;
    let mut rounding = false;
    let mut details = Vec::new();
    match &verdict.outcome {
        Outcome::Verified { .. } => {}
        Outcome::Refuted(refutation) => {
            if let Some(found) = &refutation.witness {
                witness = numbers(&refutation::counterexample(entry, found));
            }
            match &refutation.nearest {
                Nearest::Claim {
                    nearest: claim,
                    other,
                } => {
                    let mut all = refutation::nearest(entry, claim);
                    let other = other.as_deref().map(Claim::stated);
                    if let Some(StatedClaim::ApproxDp { delta, .. }) = other {
                        all.push(("delta-at-epsilon", refutation::decimal(delta)));
                    }
                    nearest = numbers(&all);
                }
                Nearest::Nothing(why) => {
                    details.push(("message", format!("nearest true claim: {why}")))
                }
            }
            rounding = refutation.rounding_of_printed_digits;
        }
        Outcome::Undecided(why) => {
            reason = json!(why.as_str());
            match why {
                Reason::Budget { width, needed, .. } => {
                    details.push(("width", float_up(width, FEW_DIGITS)));
                    details.push(("width-needed", float_down(needed, FEW_DIGITS)));
                }
                Reason::Unsupported(what) | Reason::DoesNotFollow(what) => {
                    details.push(("message", what.clone()));
                }
            }
        }
    }
    put("reason", reason);
    for (key, text) in details {
        put(key, json!(text));
    }
    put("witness", witness);
    put("nearest-true", nearest);
    put("rounding-of-printed-digits", json!(rounding));
    Value::Object(object)
}

/// What the checker says of a verdict.
fn certificate(evidence: &Evidence) -> Option<Value> {
    match evidence {
        Evidence::Certificate { sha256, file } => {
            let mut object = Map::new();
            object.insert("accepted".to_owned(), json!(true));
            object.insert("sha256".to_owned(), json!(sha256));
            if let Some(file) = file {
                object.insert("file".to_owned(), json!(file));
            }
            Some(Value::Object(object))
        }
        Evidence::Nothing(why) => Some(json!({"accepted": false, "message": why})),
        Evidence::Undecided => None,
    }
}

/// The claimed number as a decimal; a fraction without one is rounded to the side where the verdict still shows.
pub(super) fn bound(verdict: &Verdict) -> String {
    // A claim is read from at most a thousand characters, so its decimal is printed in full.
    let text = decimal_down(&verdict.bound, MAX_CHARACTERS);
    if text == decimal_up(&verdict.bound, MAX_CHARACTERS) {
        return text;
    }
    let is_verified = matches!(verdict.outcome, Outcome::Verified { .. });
    let is_upper_bound = verdict.relation == Relation::AtMost;
    if is_verified == is_upper_bound {
        decimal_up(&verdict.bound, JSON_DIGITS.most)
    } else {
        decimal_down(&verdict.bound, JSON_DIGITS.most)
    }
}

/// Towards zero: it is at least this, or the miss is at least this.
pub(super) fn margin(verdict: &Verdict) -> Value {
    verdict
        .margin()
        .map_or(Value::Null, |margin| json!(margin.towards_zero(FEW_DIGITS)))
}

fn numbers(numbers: &[(&'static str, String)]) -> Value {
    let entries = numbers
        .iter()
        .map(|(key, text)| ((*key).to_owned(), json!(text)));
    Value::Object(entries.collect())
}

/// Both ends of an enclosure under the keys `lower` and `upper`.
pub(super) fn put_ends(object: &mut Map<String, Value>, enclosure: &Enclosure) {
    put_ends_to(object, enclosure, JSON_DIGITS);
}

/// [`put_ends`], with other digits.
pub(super) fn put_ends_to(object: &mut Map<String, Value>, enclosure: &Enclosure, digits: Digits) {
    let (lower, upper) = ends(enclosure, digits);
    object.insert("lower".to_owned(), json!(lower));
    object.insert("upper".to_owned(), json!(upper));
}
