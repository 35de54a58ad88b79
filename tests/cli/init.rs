//! `init`, `completions`, `manual`: what helps to begin.

use std::fs;

use super::{dpcmp, dpcmp_reading};

const WORDS: [&str; 10] = [
    "init",
    "dp-sgd",
    "noise-multiplier=9.4",
    "batch-size=16384",
    "dataset-size=50000",
    "steps=2000",
    "--title",
    "Model \"card\"",
    "--claim",
    "approx-dp:epsilon=8,delta=1e-5",
];

#[test]
fn a_statement_in_words_becomes_a_claim_file_that_verifies() {
    let run = dpcmp(&WORDS);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("init_words", run.stdout);
    let verdict = dpcmp_reading(&["verify", "-"], run.stdout);
    assert_eq!(verdict.code, 0, "{}", verdict.stdout);
    assert!(verdict.stdout.contains("✓ verified  (8, 1e-5)-DP"));
}

#[test]
fn nothing_is_replaced_and_no_wrong_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claim.toml");
    let path = path.to_str().unwrap();
    let with = |more: &[&str]| dpcmp(&[&WORDS[..], &["--output", path], more].concat());
    // A claim that is none.
    let run = with(&["--claim", "approx-dp:epsilon=8,delta=-1"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("delta"), "{}", run.stderr);
    assert!(!fs::exists(path).unwrap());
    let run = with(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = fs::read_to_string(path).unwrap();
    let run = with(&[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("there already"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

#[test]
fn questions_lead_to_the_same_file() {
    // Title and source, kind, how DP-SGD is stated, its keys, adjacency; one claim, another one, no more.
    let listed = dpcmp_reading(&["init", "--title", "t", "--source", "s"], "\n?\n");
    assert_eq!(listed.code, 2);
    assert!(
        listed.stderr.contains("the answers end"),
        "{}",
        listed.stderr
    );
    let answers = [
        "gaussian", "", "2", "", "", "", "", "1", "1e-5", "yes", "gdp", "", "", "1/2", "no",
    ];
    let run = dpcmp_reading(
        &["init", "--title", "t", "--source", "s"],
        answers.join("\n") + "\n",
    );
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    insta::assert_snapshot!("init_answers", run.stdout);
}

#[test]
fn what_is_wrong_is_said_with_the_next_step() {
    for (words, said) in [
        (&["init", "dpsgd"][..], "did you mean dp-sgd?"),
        (
            &["init", "gaussian", "sigma=2"],
            "--claim approx-dp:epsilon=8",
        ),
        (
            &["init", "gaussian", "sigma", "--claim", "pure-dp:epsilon=1"],
            "KEY=VALUE",
        ),
        (
            &[
                "init",
                "gaussian",
                "sigmas=2",
                "--claim",
                "pure-dp:epsilon=1",
            ],
            "sigma",
        ),
        (&["init"], "the answers end"),
        (
            &["examples/claims/laplace.toml"],
            "dpcmp verify examples/claims/laplace.toml",
        ),
    ] {
        let run = dpcmp(words);
        assert_eq!(run.code, 2, "{words:?}");
        assert!(run.stderr.contains(said), "{words:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn shells_complete_and_the_manual_has_a_page_for_each_command() {
    for shell in ["bash", "zsh", "fish"] {
        let run = dpcmp(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("fuzz-accountant"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("man");
    let run = dpcmp(&["manual", man.to_str().unwrap()]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let verify = fs::read_to_string(man.join("dpcmp-verify.1")).unwrap();
    assert!(
        verify.contains(".SH NAME") && verify.contains("certificate"),
        "{verify}"
    );
    assert!(man.join("dpcmp.1").is_file());
    assert!(fs::read_dir(&man).unwrap().count() > 10);
}
