//! Ctrl-C: what was answered stays, and the rest is said to be missing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{Run, TRUE_CLAIM, finite_claim};

const TRAINING: &str = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.01,"steps":1000}"#;
/// No time is enough for so many digits.
const TOO_FINE: &str = "1e-40";

fn start(arguments: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Ctrl-C, which is handled in a thread of its own.
fn interrupt(child: &Child, wait: Duration) {
    let pid = child.id().to_string();
    let signal = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(signal.success());
    std::thread::sleep(wait);
}

fn ended(mut child: Child, before: &str, mut output: impl Read) -> Run {
    drop(child.stdin.take());
    let mut stdout = before.to_owned();
    output.read_to_string(&mut stdout).unwrap();
    let mut stderr = String::new();
    let errors = child.stderr.as_mut().unwrap();
    errors.read_to_string(&mut stderr).unwrap();
    Run {
        code: child.wait().unwrap().code().unwrap(),
        stdout,
        stderr,
    }
}

/// Is interrupted when the first line has been printed.
fn after_the_first_line(arguments: &[&str]) -> Run {
    let mut child = start(arguments);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child, Duration::ZERO);
    ended(child, &first, output)
}

/// Is interrupted before it has its input. A program that has not yet come so far as to catch the signal is killed by it, and then gets more time.
fn before_the_input(arguments: &[&str], input: &str) -> Run {
    for attempt in 1..=10u32 {
        let mut child = start(arguments);
        let wait = attempt * Duration::from_millis(100);
        std::thread::sleep(wait);
        interrupt(&child, wait);
        let mut stdin = child.stdin.take().unwrap();
        let written = stdin.write_all(input.as_bytes());
        drop(stdin);
        if written.is_err() {
            child.wait().unwrap();
            continue;
        }
        let output = child.wait_with_output().unwrap();
        if let Some(code) = output.status.code() {
            return Run {
                code,
                stdout: String::from_utf8(output.stdout).unwrap(),
                stderr: String::from_utf8(output.stderr).unwrap(),
            };
        }
    }
    panic!("the signal always came too early");
}

/// Answers that say something; those of work that was stopped say so.
fn says_something(run: &Run) {
    for object in run.objects() {
        let ends = (object["lower"].as_str(), object["upper"].as_str());
        let nothing = [("-inf", "inf"), ("0", "inf"), ("0", "1")];
        assert!(
            !nothing
                .map(|(low, high)| (Some(low), Some(high)))
                .contains(&ends),
            "{object}"
        );
        assert_ne!(object["ending"], "out-of-time", "{object}");
    }
}

#[test]
fn bounds_end_with_what_is_answered() {
    let queries = ["epsilon:delta=0", "epsilon:delta=1e-5", "advantage"];
    let options = ["--format", "json", "--precision", TOO_FINE];
    let arguments: Vec<&str> = ["bound", TRAINING]
        .into_iter()
        .chain(queries)
        .chain(options)
        .collect();
    let run = after_the_first_line(&arguments);
    assert_eq!(run.code, 3, "{}", run.page());
    assert!(
        run.stderr.contains("stopped: 1 of 3 queries are finished"),
        "{}",
        run.stderr
    );
    says_something(&run);
    assert!(run.objects().len() <= 2, "{}", run.stdout);
    assert!(run.objects()[0].get("ending").is_none(), "{}", run.stdout);
    // With the signal at hand nothing is begun, neither of bounds nor of estimates.
    let mechanism = r#"{"kind":"gaussian","sigma":1}"#;
    for engine in ["certified", "float"] {
        let arguments = [
            "bound",
            "-",
            "advantage",
            "minimax-risk",
            "--engine",
            engine,
        ];
        let run = before_the_input(&arguments, mechanism);
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
        assert!(
            run.stderr.contains("stopped: 0 of 2 queries are finished"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn batches_end_with_what_is_answered() {
    let line = |id: u32, query: &str| {
        format!(r#"{{"id":{id},"mechanism":{TRAINING},"query":{query}}}"#) + "\n"
    };
    let hard = r#"{"kind":"epsilon","delta":1e-5}"#;
    let lines = line(1, r#"{"kind":"epsilon","delta":0}"#) + &line(2, hard) + "\n" + &line(3, hard);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("batch.jsonl");
    std::fs::write(&file, &lines).unwrap();
    let file = file.to_str().unwrap();
    let run = after_the_first_line(&["bound", "--batch", file, "--precision", TOO_FINE]);
    assert_eq!(run.code, 3, "{}", run.page());
    assert!(
        run.stderr.contains("stopped: 1 of 3 lines are finished"),
        "{}",
        run.stderr
    );
    says_something(&run);
    assert!(run.objects().len() <= 2, "{}", run.stdout);
    // A pipe has no number of lines.
    let run = before_the_input(&["bound", "--batch", "-"], &lines);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert!(
        run.stderr.contains("stopped: 0 lines are finished"),
        "{}",
        run.stderr
    );
}

#[test]
fn curves_end_with_what_is_enclosed() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("curve.svg");
    let child = start(&[
        "curve",
        TRAINING,
        "--points",
        "1,2,3",
        "--precision",
        TOO_FINE,
        "--format",
        "json",
        "--plot",
        picture.to_str().unwrap(),
    ]);
    std::thread::sleep(Duration::from_secs(3));
    interrupt(&child, Duration::ZERO);
    let mut child = child;
    let output = child.stdout.take().unwrap();
    let run = ended(child, "", output);
    assert_eq!(run.code, 3, "{}", run.page());
    assert!(run.stderr.contains("stopped"), "{}", run.stderr);
    assert!(!run.stderr.contains("max-seconds"), "{}", run.stderr);
    says_something(&run);
    assert!(!picture.exists());
}

/// The page, and what machines read, have the files that were not begun, and say why.
#[test]
fn files_that_were_not_begun_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let second = folder.path().join("second.json");
    std::fs::write(&second, finite_claim(TRUE_CLAIM)).unwrap();
    let second = second.to_str().unwrap();
    let why = "the work was stopped before this file";
    for format in ["csv", "junit", "github"] {
        let arguments = [
            "verify",
            "-",
            second,
            "--format",
            format,
            "--report",
            page.to_str().unwrap(),
        ];
        let run = before_the_input(&arguments, &finite_claim(TRUE_CLAIM));
        assert_eq!(run.code, 3, "{}", run.page());
        assert!(
            run.stdout.contains(&format!("{why}; verify it again")),
            "{}",
            run.stdout
        );
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.contains("second.json") && page.contains(why), "{page}");
    }
}

#[test]
fn words_of_what_was_stopped() {
    let run = before_the_input(
        &["compare", TRAINING, "-"],
        r#"{"kind":"laplace","scale":1}"#,
    );
    assert_eq!(run.code, 3, "{}", run.page());
    let said = run.stdout + &run.stderr;
    assert!(said.contains("stopped"), "{said}");
    assert!(!said.contains("max-seconds"), "{said}");
    // The next experiments are not begun.
    let mut child = start(&["reproduce", "--format", "json"]);
    std::thread::sleep(Duration::from_secs(1));
    interrupt(&child, Duration::ZERO);
    let output = child.stdout.take().unwrap();
    let run = ended(child, "", output);
    // One that was finished in time may refute a number of a paper, which counts for more.
    let expected = match run.stdout.contains(r#""agreement":"refuted""#) {
        true => 1,
        false => 3,
    };
    assert_eq!(run.code, expected, "{}", run.page());
    assert!(
        run.stderr.contains("of 9 experiments are finished"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("max-seconds"), "{}", run.stderr);
}
