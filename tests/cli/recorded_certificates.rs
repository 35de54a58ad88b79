//! Which published claims have a certificate that the checker accepts, against the record of it, `tests/published_claims/certificates.jsonl`.
//!
//! By default a few files are certified, all of them with `DPCMP_TEST_SCALE` at 40 or more or `DPCMP_CERTIFICATES=all`. With `DPCMP_UPDATE_VERDICTS=1`
//! the record is written anew.

use std::path::Path;

use dpcmp_check::check;
use serde_json::{Value, json};

use crate::{dpcmp, every};

const FOLDER: &str = "examples/claims/published";
const RECORD: &str = "tests/published_claims/certificates.jsonl";
/// By default one file in so many is certified.
const STRIDE: usize = 40;
/// Without a certificate, and refused at once: always among those that are asked.
const WITHOUT: &str = "apple-shuffle-upper";

#[test]
fn published_claims_have_the_recorded_certificates() {
    let is_update = std::env::var_os("DPCMP_UPDATE_VERDICTS").is_some();
    let is_all = is_update || std::env::var("DPCMP_CERTIFICATES").as_deref() == Ok("all");
    let names = names();
    let wanted = names.iter().step_by(if is_all { 1 } else { every(STRIDE) });
    let mut wanted: Vec<&str> = wanted.map(String::as_str).collect();
    if !wanted.contains(&WITHOUT) {
        wanted.push(WITHOUT);
        wanted.sort_unstable();
    }
    let found = certified(&wanted);
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORD);
    if is_update {
        let lines: String = found.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(record, lines).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(record).unwrap();
    let recorded = recorded
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let recorded: Vec<Value> = recorded
        .filter(|one: &Value| wanted.contains(&one["id"].as_str().unwrap()))
        .collect();
    assert_eq!(found, recorded, "DPCMP_UPDATE_VERDICTS=1 renews {RECORD}");
    assert!(found.len() >= wanted.len());
}

/// Of each claim of these files: does the checker accept its certificate, read again from the file that was written, or why is there none?
fn certified(names: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let files = names.iter().map(|name| format!("{FOLDER}/{name}.toml"));
    let files: Vec<String> = files.collect();
    let mut arguments = vec!["verify", "--format", "json", "--quiet"];
    arguments.extend(["--certificate", folder]);
    arguments.extend(files.iter().map(String::as_str));
    let told = dpcmp(&arguments).objects();
    assert_eq!(told.len(), names.len());
    let mut found = Vec::new();
    for (name, told) in names.iter().zip(&told) {
        for (number, claim) in told["claims"].as_array().unwrap().iter().enumerate() {
            let certificate = &claim["certificate"];
            found.push(match certificate["file"].as_str() {
                Some(file) => {
                    let text = std::fs::read(file).unwrap();
                    let checked = check(&text, &Default::default());
                    let is_accepted = checked.is_ok() && certificate["accepted"] == true;
                    assert!(is_accepted, "{name}: {checked:?}");
                    json!({"id": name, "claim": number, "accepted": true})
                }
                None => json!({"id": name, "claim": number, "missing": certificate["message"]}),
            });
        }
    }
    found
}

/// The names of all files, in their order.
fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
