//! `dpcmp check`: runs `dpcmp-check`, and tells programs what it says.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::certify::checker;
use super::exit_code::ExitCode;
use super::output::{Gone, complain, print};

/// Checks certificates, for people.
pub fn run(certificates: &[PathBuf], claim: Option<&Path>, explain: bool) -> ExitCode {
    let Some(mut command) = command(claim, explain) else {
        return ExitCode::BadInput;
    };
    match command.args(certificates).status() {
        Ok(status) => exit_code(status.code()),
        Err(_) => exit_code(None),
    }
}

/// The same for programs: one object (`dpcmp.check/1`) for each certificate.
///
/// # Errors
/// When standard output does not take it.
pub fn run_json(
    certificates: &[PathBuf],
    claim: Option<&Path>,
    explain: bool,
) -> Result<ExitCode, Gone> {
    let mut worst = ExitCode::Done;
    for path in certificates {
        let Some(command) = command(claim, explain) else {
            return Ok(ExitCode::BadInput);
        };
        let (code, answer) = match answer(command, path) {
            Ok(output) => {
                let code = exit_code(output.status.code());
                let printed = String::from_utf8_lossy(&output.stdout);
                (code, object(path, code, &printed))
            }
            Err(error) => (
                ExitCode::BadInput,
                rejected(path, "unreadable", &error.to_string()),
            ),
        };
        worst = worst.and(code);
        print(&format!("{answer}\n")).map_err(|gone| gone.after(worst))?;
    }
    Ok(worst)
}

fn command(claim: Option<&Path>, explain: bool) -> Option<Command> {
    let Some(checker) = checker() else {
        complain("dpcmp-check is not in the folder of dpcmp");
        return None;
    };
    let mut command = Command::new(checker);
    if let Some(claim) = claim {
        command.arg("--claim").arg(claim);
    }
    if explain {
        command.arg("--explain");
    }
    command.arg("--");
    Some(command)
}

fn exit_code(code: Option<i32>) -> ExitCode {
    match code {
        Some(0) => ExitCode::Done,
        Some(1) => ExitCode::Refuted,
        Some(2) => ExitCode::BadInput,
        _ => {
            complain("dpcmp-check did not run to its end");
            ExitCode::Internal
        }
    }
}

/// On standard input, where it is called `-`: no name of a file can look like an answer.
fn answer(mut command: Command, path: &Path) -> std::io::Result<Output> {
    if path.as_os_str() != "-" {
        command.stdin(Stdio::from(File::open(path)?));
    }
    command.arg("-").stderr(Stdio::inherit()).output()
}

/// What the checker printed: `-: accepted` and the record of what was proved, or `-: rejected (reason): text`.
fn object(path: &Path, code: ExitCode, printed: &str) -> Value {
    let (first, rest) = printed.split_once('\n').unwrap_or((printed, ""));
    let why = first
        .strip_prefix("-: rejected (")
        .and_then(|why| why.split_once("): "));
    match why {
        Some((reason, text)) => rejected(path, reason, text),
        None if code == ExitCode::Done => json!({
            "schema": SCHEMA,
            "certificate": path.display().to_string(),
            "accepted": true,
            "text": rest,
        }),
        None => rejected(path, "unreadable", first),
    }
}

fn rejected(path: &Path, reason: &str, text: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "certificate": path.display().to_string(),
        "accepted": false,
        "reason": reason,
        "text": text,
    })
}

const SCHEMA: &str = "dpcmp.check/1";
