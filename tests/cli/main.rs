//! The `dpcmp` program, driven as a user drives it. Snapshots are in `tests/cli/snapshots`; after a deliberate
//! change of wording, look at the difference and accept it with `INSTA_UPDATE=always`.

#![cfg(feature = "cli")]
#![allow(
    clippy::disallowed_methods,
    reason = "expected values may come from the C library"
)]

mod answers;
mod attest;
mod bound;
mod calibrate;
mod calibrate_ends;
mod calibrate_plot;
mod calibrate_standard;
mod certificates;
mod compare;
mod convert;
mod documents;
mod errors;
mod exit_codes;
mod faults;
mod folders;
mod fuzz_accountant;
mod image;
mod import;
mod init;
mod named_files;
mod overlays;
mod page;
mod pictures;
mod recorded_certificates;
mod report;
mod reproduce;
mod schemas;
mod shards;
mod stated;
#[cfg(unix)]
mod stopped;
mod sweep;
mod uncertified;
mod verify;
mod verify_equality;
mod verify_formats;
mod verify_odds;
mod verify_titles;

use assert_cmd::Command;

/// `DPCMP_TEST_SCALE`, 1 unless it is set.
fn scale() -> usize {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    scale.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Is it 10 or more, so that what takes long is run as well?
fn is_thorough() -> bool {
    scale() >= 10
}

/// One item of a list in so many is tried: `stride` by default, fewer by as much as the scale says, and every item from a scale of half the stride on.
fn every(stride: usize) -> usize {
    (stride / scale().max(1)).max(1)
}

/// What one run of the program gave.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs the program in the root of the repository.
fn dpcmp(arguments: &[&str]) -> Run {
    dpcmp_reading(arguments, "")
}

/// The same with something on standard input.
fn dpcmp_reading(arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
    let output = Command::cargo_bin("dpcmp")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", "100")
        .args(arguments)
        .write_stdin(stdin)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// The JSON objects on standard output, one a line.
    fn objects(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        self.stdout.lines().map(parse).collect()
    }

    /// Everything in one text, for snapshots.
    fn page(&self) -> String {
        let Run {
            code,
            stdout,
            stderr,
        } = self;
        format!("exit {code}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}

/// One claim about a finite pair, of which everything is known exactly: δ(0) = 1/3.
fn finite_claim(claim: &str) -> String {
    let mechanism = r#"{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]}"#;
    format!(r#"{{"mechanism":{mechanism},"claim":{claim}}}"#)
}

const TRUE_CLAIM: &str = r#"{"kind":"advantage","at-most":0.5}"#;
const FALSE_CLAIM: &str = r#"{"kind":"advantage","at-most":0.25}"#;
/// A claim about a mechanism that is not built.
const UNSUPPORTED: &str = r#"{"mechanism":{"kind":"subsampled","rate":0.5,"of":{"kind":"compose","of":[{"kind":"laplace","scale":1,"times":2}]}},"claim":{"kind":"advantage","at-most":0.9}}"#;
