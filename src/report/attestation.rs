//! Verdicts as an in-toto Statement v1, unsigned: what other tools sign and keep (docs/attestation.md).

use serde_json::{Value, json};

use super::json::verdicts_object;
use super::page::{CertificateFile, library_versions};
use super::{FileReport, Tally};

/// What the predicate is, as the documentation fixes it.
pub const PREDICATE_TYPE: &str = "urn:dpcmp:verdict:1";

/// Verdicts collected for a statement.
#[derive(Debug, Default)]
pub struct Attestation {
    /// Claim files with their hashes.
    subjects: Vec<(String, String)>,
    files: Vec<Value>,
    assumptions: Vec<String>,
}

impl Attestation {
    /// Takes up the verdicts on a claim file.
    pub fn add(&mut self, report: &FileReport<'_>) {
        let own = (report.file.to_owned(), report.sha256.to_owned());
        let named = report.named.iter().cloned();
        for subject in std::iter::once(own).chain(named) {
            if !self.subjects.iter().rev().any(|known| *known == subject) {
                self.subjects.push(subject);
            }
        }
        for condition in report.conditions {
            if !self.assumptions.contains(condition) {
                self.assumptions.push(condition.clone());
            }
        }
        let mut object = verdicts_object(report);
        // The same claims give the same statement.
        object.shift_remove("seconds");
        self.files.push(Value::Object(object));
    }

    /// The statement, which says nothing of the time or the machine. `verdict` is about all claims together.
    pub fn statement(
        self,
        tally: &Tally,
        verdict: &str,
        certificates: &[CertificateFile],
    ) -> String {
        let subjects: Vec<Value> = self
            .subjects
            .iter()
            .map(|(name, sha256)| json!({"name": name, "digest": {"sha256": sha256}}))
            .collect();
        let certificates: Vec<Value> = certificates.iter().map(certificate).collect();
        let (gmp, mpfr) = library_versions();
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": subjects,
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "schema": "dpcmp.attestation/1",
                "verifier": {
                    "name": "dpcmp",
                    "version": env!("CARGO_PKG_VERSION"),
                    "gmp": gmp,
                    "mpfr": mpfr,
                },
                "verdict": verdict,
                "counts": {
                    "verified": tally.verified,
                    "refuted": tally.refuted,
                    "undecided": tally.budget.saturating_add(tally.unsupported),
                },
                "assumptions": self.assumptions,
                "files": self.files,
                "certificates": certificates,
            },
        });
        format!("{statement:#}\n")
    }
}

fn certificate(one: &CertificateFile) -> Value {
    let mut object = json!({
        "file": one.file,
        "sha256": one.sha256,
        "claim-file": one.claim_file,
        "claim-number": one.claim_number,
    });
    if let (Some(line), Some(object)) = (one.line, object.as_object_mut()) {
        object.insert("line".to_owned(), json!(line));
    }
    object
}
