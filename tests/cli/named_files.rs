//! Files that a claim file names: the matrix of a factorization.

use std::fs;
use std::path::Path;

use crate::dpcmp;

const CLAIM: &str = r#"[mechanism]
kind = "matrix-factorization"
noise-multiplier = 2
steps = 3
participations = 3
matrix = "matrices/c.csv"

# s² = 1 + (1/2 + 1)² + (1/4 + 1/2 + 1)² = 101/16, over 8.
[[claim]]
kind = "zcdp"
rho = "101/128"

[[claim]]
kind = "zcdp"
rho = "100/128"
"#;

const ROWS: &str = "1\n0.5,1\n0.25,0.5,1\n";

fn written(folder: &Path, rows: &str) -> String {
    fs::create_dir_all(folder.join("matrices")).unwrap();
    fs::write(folder.join("matrices/c.csv"), rows).unwrap();
    let claim = folder.join("claim.toml");
    fs::write(&claim, CLAIM).unwrap();
    claim.display().to_string()
}

#[test]
fn a_matrix_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let claim = written(folder.path(), ROWS);
    let run = dpcmp(&["verify", &claim, "--format", "json"]);
    let object = &run.objects()[0];
    assert_eq!(object["claims"][0]["verdict"], "verified");
    assert_eq!(object["claims"][1]["verdict"], "refuted");
    // What `sha256sum` says of the rows.
    assert_eq!(
        object["files"],
        serde_json::json!([{
            "file": "matrices/c.csv",
            "sha256": "00ebe3d0f67d870bb94efa0cd474150055d58ee63f5c90e166afa7e8b56f611c",
        }])
    );
    let page = folder.path().join("page.html");
    let page_file = page.display().to_string();
    let run = dpcmp(&[
        "verify",
        &claim,
        "--max-seconds",
        "1",
        "--report",
        &page_file,
    ]);
    assert_eq!(run.code, 1);
    let page = fs::read_to_string(page).unwrap();
    assert!(
        page.contains("matrices/c.csv")
            && page.contains("00ebe3d0f67d870bb94efa0cd474150055d58ee63f5c90e166afa7e8b56f611c")
    );
    // MECH arguments, and numbers that are solved for.
    assert_eq!(dpcmp(&["bound", &claim, "zcdp-rho"]).code, 0);
    let solve = ["calibrate", &claim, "--solve", "participations"];
    let run = dpcmp(&[&solve[..], &["--target", "zcdp:rho=1/2"]].concat());
    assert!(
        run.stdout.starts_with("participations = 2 "),
        "{}",
        run.stdout
    );
}

#[test]
fn the_place_in_the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let claim = written(folder.path(), "1\n0.5,1\n0.25,x,1\n");
    let run = dpcmp(&["verify", &claim]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("c.csv:3:6"), "{}", run.stderr);
    // Nothing is read for text that is in no file.
    let run = dpcmp(&[
        "bound",
        r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":1,"participations":1,"matrix":"c.csv"}"#,
        "zcdp-rho",
    ]);
    assert!(
        run.stderr.contains("must be a list of rows"),
        "{}",
        run.stderr
    );
}

/// Points of a sweep that were found for other rows are not gone on with.
#[test]
fn a_sweep_knows_when_the_matrix_changes() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("points.jsonl").display().to_string();
    let sweep = |rows: &str| {
        let claim = written(folder.path(), rows);
        let sweep = ["--sweep", "noise-multiplier=1,2", "--output", &output];
        dpcmp(&[&["bound", &claim, "zcdp-rho"][..], &sweep].concat())
    };
    assert_eq!(sweep(ROWS).code, 0);
    assert_eq!(sweep(ROWS).code, 0);
    let changed = sweep("2\n0.5,1\n0.25,0.5,1\n");
    assert_ne!(changed.code, 0, "{}", changed.stdout);
}
