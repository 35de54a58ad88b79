//! `dpcmp verify --format csv`, `junit`, `sarif` and `github`.

use std::fs;

use serde_json::Value;

use crate::{FALSE_CLAIM, Run, TRUE_CLAIM, UNSUPPORTED, dpcmp, dpcmp_reading, finite_claim};

const FORMATS: [&str; 6] = ["human", "json", "csv", "junit", "sarif", "github"];

/// Two claim files of the examples, and one that is not there.
fn verify(format: &str) -> Run {
    dpcmp(&[
        "verify",
        "--format",
        format,
        "examples/claims/finite-pair.toml",
        "examples/claims/wrong-claim.toml",
        "nowhere.toml",
    ])
}

/// The text without the times in it.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" time=\"");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('"').unwrap();
        out += &format!(" time=\"…\"{rest}");
    }
    out
}

#[test]
fn csv() {
    insta::assert_snapshot!("formats_csv", verify("csv").stdout.replace("\r\n", "\n"));
}

#[test]
fn junit() {
    insta::assert_snapshot!("formats_junit", without_times(&verify("junit").stdout));
}

#[test]
fn sarif() {
    insta::assert_snapshot!("formats_sarif", verify("sarif").stdout);
}

#[test]
fn github() {
    let run = verify("github");
    insta::assert_snapshot!("formats_github", run.page());
}

/// Whatever the format, the exit code is that of the verdicts.
#[test]
fn the_exit_code_does_not_depend_on_the_format() {
    let (verified, refuted) = (finite_claim(TRUE_CLAIM), finite_claim(FALSE_CLAIM));
    for (input, code) in [
        (verified.clone(), 0),
        (refuted.clone(), 1),
        (UNSUPPORTED.to_owned(), 3),
        (format!("{verified}\n{refuted}\nnonsense\n"), 2),
    ] {
        for format in FORMATS {
            let run = dpcmp_reading(&["verify", "--format", format, "-"], input.clone());
            assert_eq!(run.code, code, "{format}: {}", run.stdout);
        }
    }
}

#[test]
fn every_claim_is_a_row_a_case_or_an_annotation() {
    let lines = [
        finite_claim(TRUE_CLAIM),
        finite_claim(FALSE_CLAIM),
        UNSUPPORTED.to_owned(),
        "nonsense".to_owned(),
    ]
    .join("\n");
    let run = |format| dpcmp_reading(&["verify", "--format", format, "-"], lines.clone()).stdout;
    let rows = records(&run("csv"));
    let column = |name: &str| rows[0].iter().position(|one| one == name).unwrap();
    let verdicts: Vec<&str> = rows[1..]
        .iter()
        .map(|row| row[column("verdict")].as_str())
        .collect();
    assert_eq!(verdicts, ["verified", "refuted", "undecided", "error"]);
    let places: Vec<&str> = rows[1..]
        .iter()
        .map(|row| row[column("line")].as_str())
        .collect();
    assert_eq!(places, ["1", "2", "3", "4"]);
    let xml = run("junit");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let count = |name: &str| {
        let nodes = document.descendants();
        nodes.filter(|node| node.has_tag_name(name)).count()
    };
    assert_eq!(document.root_element().attribute("tests"), Some("4"));
    assert_eq!(
        ["testsuite", "testcase", "failure", "skipped", "error"].map(count),
        [4, 4, 1, 1, 1]
    );
    let log: Value = serde_json::from_str(&run("sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results
        .iter()
        .map(|one| one["ruleId"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["refuted", "undecided", "unreadable"]);
    let annotations = run("github");
    let starts = |word: &str| {
        let lines = annotations.lines();
        lines.filter(|line| line.starts_with(word)).count()
    };
    assert_eq!(
        ["✓ verified", "::error ", "::warning ", "::notice "].map(starts),
        [1, 2, 1, 0]
    );
}

/// Titles and names of files that look like markup, formulas and commands.
#[test]
fn hostile_titles_and_names_stay_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "=cmd|' C'!A0.toml",
        "##[set-output name=a]b.toml",
        "a\n::error::b.toml",
        "<b>&\"'%2C,c.toml",
        "-1+2.toml",
    ];
    for name in names {
        let title = serde_json::to_string(&format!("{name}\"\n=1+1;=2 ]]></testsuite>")).unwrap();
        let claim = finite_claim(FALSE_CLAIM).replacen(
            '{',
            &format!("{{\"title\":{title},\"source\":{title},"),
            1,
        );
        fs::write(folder.path().join(name), claim).unwrap();
        fs::write(folder.path().join(format!("bad {name}")), "{\"a\nb").unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let run = |format| dpcmp(&["verify", "--format", format, path]);
    let both = 2 * names.len();
    let rows = records(&run("csv").stdout);
    assert_eq!(rows.len(), 1 + both);
    for cell in rows.iter().flatten() {
        let is_number = cell.parse::<f64>().is_ok();
        assert!(
            is_number || !cell.starts_with(['=', '+', '-', '@']),
            "{cell}"
        );
        assert!(!cell.contains(";=") && !cell.contains('\n'), "{cell}");
    }
    let xml = run("junit").stdout;
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suites = document
        .descendants()
        .filter(|node| node.has_tag_name("testsuite"));
    assert_eq!(suites.count(), both);
    let log: Value = serde_json::from_str(&run("sarif").stdout).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), both);
    let annotations = run("github");
    assert_eq!(annotations.stdout.lines().count(), both);
    for line in annotations.stdout.lines() {
        assert!(line.starts_with("::error file="), "{line}");
    }
    for line in annotations.stderr.lines() {
        assert!(!line.trim_start().starts_with("::"), "{line}");
        assert!(!line.contains("##["), "{line}");
    }
}

#[test]
fn formats_of_other_commands_are_refused() {
    for format in ["junit", "sarif", "github"] {
        let run = dpcmp(&[
            "bound",
            "{\"kind\":\"gdp\",\"mu\":1}",
            "advantage",
            "--format",
            format,
        ]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("dpcmp verify"), "{}", run.stderr);
    }
}

/// Records as in RFC 4180.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut chars) = (false, text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {
                chars.next();
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && record.is_empty() && !quoted, "{text}");
    let width = records[0].len();
    assert!(
        records
            .iter()
            .all(|record: &Vec<String>| record.len() == width)
    );
    records
}
