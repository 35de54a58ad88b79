//! The exit code: the highest of 70 > 2 > 1 > 3 > 0 that applies.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::{FALSE_CLAIM, TRUE_CLAIM, UNSUPPORTED, dpcmp_reading, finite_claim};

#[test]
fn of_claims_together() {
    let bad = "nonsense";
    let (verified, refuted, undecided) = (
        finite_claim(TRUE_CLAIM),
        finite_claim(FALSE_CLAIM),
        UNSUPPORTED.to_owned(),
    );
    for (lines, code) in [
        (vec![verified.as_str()], 0),
        (vec![refuted.as_str()], 1),
        (vec![undecided.as_str()], 3),
        (vec![verified.as_str(), undecided.as_str()], 3),
        (
            vec![undecided.as_str(), refuted.as_str(), verified.as_str()],
            1,
        ),
        (vec![refuted.as_str(), undecided.as_str()], 1),
        (vec![verified.as_str(), bad], 2),
        (vec![refuted.as_str(), bad, undecided.as_str()], 2),
    ] {
        let run = dpcmp_reading(&["verify", "-"], lines.join("\n"));
        assert_eq!(run.code, code, "{lines:?}\n{}", run.stderr);
    }
}

/// `dpcmp verify … | head -1` under `pipefail` must not let a refuted claim pass.
#[test]
fn a_broken_pipe_hides_no_refuted_claim() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
        .args(["verify", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More output than a pipe holds, so that the program does notice.
    let claim = finite_claim(FALSE_CLAIM);
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..2_000 {
        writeln!(stdin, "{claim}").unwrap();
    }
    drop(stdin);
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.contains("\"refuted\""), "{first}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
}

/// A reader that has seen enough, as in `dpcmp … | head -1`, is no failure.
#[test]
fn a_broken_pipe_is_success() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
        .args(["bound", "--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let line = r#"{"id":1,"mechanism":{"kind":"gdp","mu":1},"query":{"kind":"advantage"}}"#;
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{line}").unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("{\"id\":1,"), "{first}");
    // The reader is gone; the program notices with one of the next answers.
    for _ in 0..100 {
        if writeln!(stdin, "{line}").is_err() {
            break;
        }
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// Ctrl-C ends the computation, not the report.
#[cfg(unix)]
#[test]
fn an_interrupted_claim_is_undecided() {
    use std::time::Duration;

    let claim = r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000},
        "claim":[{"kind":"approx-dp","epsilon":1.8,"delta":1e-5},{"kind":"gdp","mu":1,"tolerance":"1e-30"}]}"#;
    // The signal comes before the input, so that no claim can be decided before it; but a program that has not yet
    // come so far as to catch it is killed by it, and then has to be given more time.
    for attempt in 1..=10u32 {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
            .args(["verify", "--format", "json", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(attempt * Duration::from_millis(100));
        let pid = child.id().to_string();
        let signal = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(signal.success());
        // Signals are handled in a thread of their own.
        std::thread::sleep(attempt * Duration::from_millis(100));
        let written = child.stdin.take().unwrap().write_all(claim.as_bytes());
        let output = child.wait_with_output().unwrap();
        if written.is_err() || output.status.code().is_none() {
            continue;
        }
        assert_eq!(output.status.code(), Some(3));
        assert!(
            String::from_utf8(output.stderr)
                .unwrap()
                .contains("stopping")
        );
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for claim in object["claims"].as_array().unwrap() {
            assert_eq!(claim["verdict"], "undecided", "{claim}");
            assert_eq!(claim["reason"], "budget", "{claim}");
        }
        return;
    }
    panic!("the signal always came too early");
}

/// Ctrl-C on `check` is an interruption as elsewhere, and no internal error.
#[cfg(unix)]
#[test]
fn an_interrupted_check_is_undecided() {
    use std::time::Duration;

    let example = "examples/certificates/de-et-al-claim-1.json";
    let certificate = std::fs::read_to_string(example).unwrap();
    // As above: the signal comes before the input.
    for format in ["human", "json"] {
        let found = (1..=10u32).find_map(|attempt| {
            let mut child = Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
                .args(["check", "--format", format, "-", example])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(attempt * Duration::from_millis(100));
            let pid = child.id().to_string();
            let signal = Command::new("kill").args(["-INT", &pid]).status().unwrap();
            assert!(signal.success());
            std::thread::sleep(attempt * Duration::from_millis(100));
            let written = child
                .stdin
                .take()
                .unwrap()
                .write_all(certificate.as_bytes());
            let output = child.wait_with_output().unwrap();
            (written.is_ok() && output.status.code().is_some()).then_some(output)
        });
        let output = found.expect("the signal always came too early");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("stopping") && !said.contains("mistake"),
            "{said}"
        );
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        if format == "json" {
            let object: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (&object["accepted"], &object["reason"]),
                (&false.into(), &"stopped".into())
            );
        } else {
            assert_eq!(text, "-: not checked: the check was stopped\n");
        }
    }
}
