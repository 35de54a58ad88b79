//! Bad input and bad usage, as the user sees them.

use std::fmt::Write;

use crate::{dpcmp, dpcmp_reading, finite_claim};

#[test]
fn usage() {
    let mut page = String::new();
    for arguments in [
        &["verify"][..],
        &["prove"],
        &["examples/claims/finite-pair.toml"],
        &["epsilon", "--delta", "1e-5"],
        &["advantage", "examples/claims/finite-pair.toml"],
        &["delta:epsilon=1", "-"],
        &["curve", "-", "--svg", "x.svg"],
        &["verify", "--format", "xml", "-"],
        &["verify", "--precision", "0", "-"],
        &["verify", "--precision", "tight", "-"],
        &["verify", "--max-seconds", "-1", "-"],
        &["verify", "--jobs", "0", "-"],
        &["verify", "--engine", "float", "-"],
        &["bound"],
        &["bound", "{\"kind\":\"gdp\",\"mu\":1}"],
        &["bound", "--batch", "-", "x"],
        &["report", "laplace:scale=2"],
        &[
            "calibrate",
            "--solve",
            "epochz",
            "--target",
            "approx-dp:epsilon=1,delta=1e-5",
            "{\"kind\":\"gaussian\",\"sigma\":2}",
        ],
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.stdout, "");
        writeln!(page, "$ dpcmp {}\n{}", arguments.join(" "), run.page()).unwrap();
        assert_eq!(run.code, 2, "{page}");
    }
    insta::assert_snapshot!(page);
}

#[test]
fn files_that_cannot_be_read() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().display().to_string();
    let mut page = String::new();
    for arguments in [
        &["verify", "no-such-file.toml"][..],
        &[
            "verify",
            "no-such-file.toml",
            "examples/claims/finite-pair.toml",
        ],
        &["verify", empty.as_str()],
        &["bound", "no-such-file.toml", "advantage"],
        &["bound", "--batch", "no-such-file.jsonl"],
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.code, 2);
        writeln!(page, "{}", run.stderr.replace(&empty, "EMPTY")).unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn a_claim_file_is_no_certificate() {
    let run = dpcmp(&["check", "examples/claims/finite-pair.toml"]);
    assert_eq!(run.code, 2);
    let next = "it is a claim file: `dpcmp verify` gives its verdicts";
    assert!(run.stdout.contains(next), "{}", run.stdout);
}

#[test]
fn claim_files_with_mistakes() {
    let mut page = String::new();
    for text in [
        String::new(),
        "[mechanism]\nkind = \"gausian\"\nsigma = 1\n".to_owned(),
        "[mechanism]\nkind = \"gaussian\"\nsigma = 0\n[[claim]]\nkind = \"gdp\"\nmu = 1\n"
            .to_owned(),
        "[mechanism]\nkind = \"gdp\"\nmu = 1\n".to_owned(),
        finite_claim(r#"{"kind":"approx-dp","epsilon":1,"delta":"1e-99999999"}"#),
        finite_claim(r#"{"kind":"gdp","mu":"nan"}"#),
        finite_claim(r#"{"kind":"advantage","atmost":0.1}"#),
        "{".to_owned(),
        "[mechanism]\nkind = \"dp\"\nepsilon = 1\n".to_owned(),
        "[mechanism]\nkind = \"pure-dp\"\neps = 1\n".to_owned(),
        "[mechanism]\nkind = “pure-dp”\nepsilon = 1\n".to_owned(),
        "[mechanism]\nkind = \"laplace\"\nscale = 1e–5\n".to_owned(),
        "[mechanism]\nkind = \"laplace\"\nscale = \"1–5\"\n".to_owned(),
        "[mechanism]\nkind = \"laplace\"\nscale = \"60,000\"\n".to_owned(),
        "[mechanism]\nkind = \"laplace\"\nscale = 60,000\n".to_owned(),
        "[mechanism]\nkind = \"laplace\"\nscale = \"5 %\"\n".to_owned(),
        "<!DOCTYPE html>\n<p>verified</p>\n".to_owned(),
        "<?xml version=\"1.0\"?>\n<claim/>\n".to_owned(),
        "%PDF-1.7\n".to_owned(),
    ] {
        let run = dpcmp_reading(&["verify", "-"], text);
        assert_eq!(run.code, 2);
        assert_eq!(run.stdout, "");
        assert!(
            run.stderr.contains("= help: "),
            "no next step: {}",
            run.stderr
        );
        writeln!(page, "{}", run.stderr).unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn bytes_that_are_no_text() {
    let run = dpcmp_reading(&["verify", "-"], [0xff, 0xfe, 0x00]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("UTF-8"), "{}", run.stderr);
}

#[test]
fn a_misspelt_query_is_found_before_anything_is_computed() {
    let mechanism = r#"{"kind":"gdp","mu":1}"#;
    let run = dpcmp(&["bound", mechanism, "advantage", "delta:eps=1"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("epsilon"), "{}", run.stderr);
}

/// What is meant is said, at the place that is wrong.
#[test]
fn places_and_next_steps() {
    let run = dpcmp(&["verify", "-", "-"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr
            .contains("only one of the claim files can come from standard input"),
        "{}",
        run.stderr
    );
    let line = finite_claim(crate::TRUE_CLAIM);
    let lines = format!("{line}\n{}\n", line.replace("\"claim\":", "\"claims\":"));
    let run = dpcmp_reading(&["verify", "-"], lines);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("no key `claims`") && run.stderr.contains("`claim`"),
        "{}",
        run.stderr
    );
    for (mechanism, column, words) in [
        (
            r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":2,"participations":1,"blt":{"weights":[1],"decays":[1.5]}}"#,
            ":1:113",
            "`decays` must be in [0, 1]",
        ),
        (
            r#"{"kind":"private-selection","runs":{"kind":"geometric","mean":0.5},"of":{"kind":"pure-dp","epsilon":1}}"#,
            ":1:63",
            "`mean` must be at least 1",
        ),
    ] {
        let run = dpcmp(&["bound", mechanism, "advantage"]);
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains(words) && run.stderr.contains(column),
            "{}",
            run.stderr
        );
    }
    let run = dpcmp(&["convert", "trade-off:alpha=0.01,beta=0.5"]);
    assert!(
        run.stdout.contains("dpcmp derives no other statement"),
        "{}",
        run.stdout
    );
}
