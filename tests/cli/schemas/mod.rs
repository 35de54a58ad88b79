//! The JSON Schemas: as they stand in docs/schemas, and against what is read and written.

mod documents;
mod mutations;
mod outputs;
mod validator;

use std::fs;

use dpcmp::report::{SCHEMAS, Schema, claims_markdown};
use serde_json::Value;

use crate::{dpcmp, dpcmp_reading};
use validator::Validator;

/// A file that is made from the table of all keys; `DPCMP_SCHEMAS=update` writes it anew.
fn hold(path: &str, text: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("DPCMP_SCHEMAS").is_ok_and(|value| value == "update") {
        fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{path} is old: DPCMP_SCHEMAS=update cargo test --test cli schemas"
    );
}

#[test]
fn the_files_in_docs_are_those_of_the_program() {
    for schema in SCHEMAS {
        hold(
            &format!("docs/schemas/{}.json", schema.name),
            &schema.text(),
        );
    }
    hold("docs/claims.md", &claims_markdown());
    let folder = format!("{}/docs/schemas", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(fs::read_dir(folder).unwrap().count(), SCHEMAS.len());
}

#[test]
fn every_part_of_every_schema_is_known_to_the_validator() {
    for schema in SCHEMAS {
        let value = schema.value();
        Validator::new(&value).check_keywords();
    }
}

#[test]
fn schemas_are_printed() {
    let run = dpcmp(&["schema"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, SCHEMAS.len()));
    for schema in SCHEMAS {
        let run = dpcmp(&["schema", schema.name]);
        assert_eq!((run.code, run.stdout), (0, schema.text()));
    }
    let run = dpcmp(&["schema", "nothing"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("claim-file"), "{}", run.stderr);
}

#[test]
fn help_claims_has_every_key() {
    let run = dpcmp(&["help", "claims"]);
    assert_eq!(run.code, 0);
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    for kind in ["dp-sgd", "matrix-factorization", "dominated-by"] {
        assert!(run.stdout.contains(&format!("\n  {kind}\n")), "{kind}");
    }
    for key in [
        "batch-size",
        "dataset-size",
        "epochs",
        "error-floor",
        "adjacency",
    ] {
        assert!(run.stdout.contains(&format!(" {key}: ")), "{key}");
    }
    let verify = dpcmp(&["help", "verify"]);
    assert_eq!(
        (verify.code, verify.stdout),
        (0, dpcmp(&["verify", "--help"]).stdout)
    );
    assert_eq!(dpcmp(&["help", "nothing"]).code, 2);
}

/// Every example of docs/claims.md is answered by the program.
#[test]
fn the_examples_in_the_docs_run() {
    let text = claims_markdown();
    let blocks: Vec<&str> = text
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    assert!(blocks.len() > 50);
    for (number, block) in blocks.into_iter().enumerate() {
        // By default one in three of the dear ones.
        if block.contains("\nsampling = ") && number % crate::every(6) != 0 {
            continue;
        }
        let budget = ["-", "--max-seconds", "2", "--format", "json"];
        let run = if block.starts_with("[mechanism]") {
            dpcmp_reading(
                &[&["bound"], &budget[..1], &["advantage"], &budget[1..]].concat(),
                block,
            )
        } else if block.starts_with("[[claim]]") {
            let file = format!("mechanism = {{ kind = \"gdp\", mu = 1 }}\n{block}");
            dpcmp_reading(&[&["verify"], &budget[..]].concat(), file)
        } else {
            dpcmp_reading(&[&["verify"], &budget[..]].concat(), block)
        };
        let is_answered = run.code != 2 && run.code != 70;
        assert!(is_answered, "{block}\n{}{}", run.stdout, run.stderr);
        for object in run.objects() {
            assert!(object.get("error").is_none(), "{block}\n{}", run.stdout);
        }
    }
}

/// Errors of a document by the schema of that name.
fn errors(name: &str, value: &Value) -> Vec<String> {
    let schema = Schema::of(name).unwrap().value();
    Validator::new(&schema).errors(value)
}
