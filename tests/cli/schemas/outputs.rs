//! What the program writes is valid.

use std::fs;

use serde_json::Value;

use super::errors;
use crate::{FALSE_CLAIM, TRUE_CLAIM, UNSUPPORTED, dpcmp, dpcmp_reading, finite_claim};

const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":2}"#;

fn assert_valid(name: &str, objects: &[Value]) {
    assert!(!objects.is_empty(), "{name}");
    for object in objects {
        let errors = errors(name, object);
        assert!(errors.is_empty(), "{name} {object}: {errors:?}");
        // Nor is it a schema that takes anything.
        let mut less = object.clone();
        less.as_object_mut().unwrap().clear();
        assert!(!super::errors(name, &less).is_empty(), "{name}");
    }
}

#[test]
fn verdicts_certificates_checks_and_attestations() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.json");
    let out = folder.path().join("certificates");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let lines = [
        finite_claim(TRUE_CLAIM),
        finite_claim(FALSE_CLAIM),
        UNSUPPORTED.to_owned(),
        "nonsense".to_owned(),
    ];
    let run = dpcmp_reading(&["verify", "-", "--format", "json"], lines.join("\n"));
    assert_valid("verdict", &run.objects());
    let claims = "examples/claims";
    let run = dpcmp(&[
        "verify",
        &format!("{claims}/finite-pair.toml"),
        &format!("{claims}/laplace.toml"),
        &format!("{claims}/wrong-claim.toml"),
        "--format",
        "json",
        "--attest",
        file,
        "--certificate",
        out,
    ]);
    assert_valid("verdict", &run.objects());
    let read = |path: &str| serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_valid("attestation", &[read(file)]);
    let certificates: Vec<Value> = fs::read_dir(out)
        .unwrap()
        .map(|entry| read(entry.unwrap().path().to_str().unwrap()))
        .collect();
    assert_valid("certificate", &certificates);
    assert_valid(
        "check",
        &dpcmp(&["check", out, "--format", "json"]).objects(),
    );
    fs::write(file, "{}").unwrap();
    assert_valid(
        "check",
        &dpcmp(&["check", file, "--format", "json"]).objects(),
    );
}

#[test]
fn bounds_sweeps_and_curves() {
    let json = ["--format", "json"];
    let run = |arguments: &[&str]| dpcmp(&[arguments, &json].concat()).objects();
    assert_valid(
        "bound",
        &run(&["bound", GAUSSIAN, "advantage", "renyi:order=2"]),
    );
    assert_valid(
        "bound",
        &run(&["bound", GAUSSIAN, "advantage", "--engine", "float"]),
    );
    let class = r#"{"kind":"compose","of":[{"kind":"zcdp","rho":0.1,"times":2}]}"#;
    assert_valid("bound", &run(&["bound", class, "advantage"]));
    let sweep = ["bound", GAUSSIAN, "advantage", "--sweep", "sigma=1,-1,2"];
    assert_valid("sweep", &run(&sweep));
    for kind in ["privacy-profile", "trade-off", "bayes-error"] {
        let curve = ["curve", GAUSSIAN, "--kind", kind, "--points", "0,1/2,1"];
        assert_valid("curve", &run(&curve));
    }
    let lines = [
        format!(r#"{{"id":1,"mechanism":{GAUSSIAN},"query":{{"kind":"advantage"}}}}"#),
        r#"{"id":"x"}"#.to_owned(),
    ];
    let answers = dpcmp_reading(&["bound", "--batch", "-"], lines.join("\n"));
    assert_valid("batch-answer", &answers.objects());
}

#[test]
fn comparisons_reports_calibrations_and_the_rest() {
    let json = ["--format", "json", "--max-seconds", "5"];
    let run = |arguments: &[&str]| dpcmp(&[arguments, &json].concat()).objects();
    let wider = r#"{"kind":"gaussian","sigma":3}"#;
    assert_valid("comparison", &run(&["compare", GAUSSIAN, wider]));
    assert_valid(
        "comparison",
        &run(&["compare", GAUSSIAN, wider, "--engine", "float"]),
    );
    assert_valid(
        "report",
        &run(&["report", r#"{"kind":"pure-dp","epsilon":1}"#]),
    );
    let calibrate = [
        "calibrate",
        r#"{"kind":"gaussian"}"#,
        "--solve",
        "sigma",
        "--target",
        "advantage:at-most=0.1",
    ];
    assert_valid("calibration", &run(&calibrate));
    assert_valid("conversion", &run(&["convert", "pure-dp:epsilon=1"]));
    assert_valid(
        "registry",
        &run(&["import", "registry", "tests/cli/registry/rho.yaml"]),
    );
    assert_valid("reproduction", &run(&["reproduce", "conversions"]));
}

/// What a command does not answer it says in an object of its own schema.
#[test]
fn what_is_refused_has_the_schema_of_the_command() {
    let unsupported = r#"{"kind":"compose","of":[{"kind":"zcdp","rho":1},{"kind":"approx-dp","epsilon":1,"delta":"1e-5"}]}"#;
    let never = ["--solve", "sigma", "--target", "pure-dp:epsilon=1"];
    let calibrate = [&["calibrate", r#"{"kind":"gaussian"}"#][..], &never].concat();
    for (name, arguments) in [
        ("report", vec!["report", unsupported]),
        ("comparison", vec!["compare", unsupported, GAUSSIAN]),
        ("curve", vec!["curve", unsupported]),
        ("calibration", calibrate),
    ] {
        let run = dpcmp(&[arguments.as_slice(), &["--format", "json"]].concat());
        assert_eq!(run.code, 2, "{}", run.page());
        assert!(
            run.stdout.starts_with(r#"{"schema":"dpcmp."#),
            "{}",
            run.stdout
        );
        let objects = run.objects();
        assert!(objects[0]["error"]["message"].is_string(), "{}", run.stdout);
        assert_valid(name, &objects);
    }
}
