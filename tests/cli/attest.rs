//! `dpcmp verify --attest`: an in-toto statement.

use std::fs;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{FALSE_CLAIM, TRUE_CLAIM, dpcmp, dpcmp_reading, finite_claim};

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_statement_has_subject_verdicts_certificates_and_assumptions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.json");
    let out = folder.path().join("certificates");
    let claim = "examples/claims/finite-pair.toml";
    let arguments = [
        "verify",
        claim,
        "--attest",
        file.to_str().unwrap(),
        "--certificate",
        out.to_str().unwrap(),
    ];
    let run = dpcmp(&arguments);
    let text = fs::read_to_string(&file).unwrap();
    let statement: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], "urn:dpcmp:verdict:1");
    let bytes = fs::read(format!("{}/{claim}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let subject = &statement["subject"];
    assert_eq!(subject.as_array().unwrap().len(), 1);
    assert_eq!(subject[0]["name"], claim);
    assert_eq!(subject[0]["digest"]["sha256"], sha256(&bytes));
    let predicate = &statement["predicate"];
    let word = ["verified", "refuted"][usize::try_from(run.code).unwrap()];
    assert_eq!(predicate["verdict"], word);
    // What `--format json` says of the same file, but for the time.
    let out = out.to_str().unwrap();
    let mut said = dpcmp(&["verify", claim, "--certificate", out, "--format", "json"]).objects();
    said[0].as_object_mut().unwrap().remove("seconds");
    assert_eq!(predicate["files"], Value::Array(said));
    assert_eq!(
        predicate["assumptions"],
        predicate["files"][0]["conditions"]
    );
    let certificates = predicate["certificates"].as_array().unwrap();
    assert!(!certificates.is_empty());
    for one in certificates {
        let bytes = fs::read(one["file"].as_str().unwrap()).unwrap();
        assert_eq!(one["sha256"], sha256(&bytes));
        assert_eq!(one["claim-file"], claim);
        let certificate: Value = serde_json::from_slice(&bytes).unwrap();
        let number = certificate["claim"].as_u64().unwrap() + 1;
        assert_eq!(one["claim-number"], number);
    }
    // The same claims give the same statement.
    dpcmp(&arguments);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn what_could_not_be_read_is_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.json");
    let path = file.to_str().unwrap();
    let (good, bad) = (finite_claim(TRUE_CLAIM), finite_claim(FALSE_CLAIM));
    let run = dpcmp_reading(
        &["verify", "-", "--attest", path],
        format!("{good}\nnonsense\n"),
    );
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no attestation"), "{}", run.stderr);
    assert!(!file.exists());
    let run = dpcmp_reading(
        &["verify", "-", "--attest", path],
        format!("{good}\n{bad}\n"),
    );
    assert_eq!(run.code, 1);
    let statement: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(statement["subject"].as_array().unwrap().len(), 1);
    assert_eq!(statement["predicate"]["counts"]["verified"], 1);
    assert_eq!(statement["predicate"]["counts"]["refuted"], 1);
    assert_eq!(statement["predicate"]["files"][1]["line"], 2);
    // A claim file is not overwritten.
    let claim = folder.path().join("claim.json");
    fs::write(&claim, good).unwrap();
    let claim = claim.to_str().unwrap();
    assert_eq!(dpcmp(&["verify", claim, "--attest", claim]).code, 2);
}
