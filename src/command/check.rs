//! `dpcmp check`: what the checker says, for people and for programs.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};

use dpcmp_check::{Accepted, Options, Reason, Rejected, Statement, Verdict, check_reader};
use serde_json::{Value, json};

use super::arguments::Format;
use super::checked::{claim_object, mechanism_object};
use super::exit_code::ExitCode;
use super::files;
use super::folders::{Wanted, expand};
use super::output::{StdoutClosed, say};
use super::session::Session;
use crate::input::claim_file_from_bytes;
use crate::report::name;

/// What is checked.
pub struct Check<'a> {
    /// Certificates, and folders of them; `-` is standard input.
    pub certificates: &'a [PathBuf],
    /// A claim file that must be the one inside.
    pub claim: Option<&'a Path>,
    /// Is the proof wanted in words?
    pub explain: bool,
}

/// Checks certificates: a record for each, or one object (`dpcmp.check/2`) for programs.
///
/// # Errors
/// When standard output does not take it.
pub fn run(session: &Session, check: &Check<'_>) -> Result<ExitCode, StdoutClosed> {
    let Check {
        certificates,
        claim,
        explain,
    } = *check;
    let claim = claim.map(read).transpose();
    let options = Options::default().stop(session.stop.clone());
    let options = match &claim {
        Ok(Some(claim)) => options.claim_file(claim),
        Ok(None) | Err(_) => options,
    };
    let mut worst = ExitCode::Done;
    let mut advice = None;
    let expanded = expand(certificates, Wanted::Certificates);
    for line in &expanded.skipped {
        say(line);
    }
    for path in &expanded.inputs {
        let shown = match path {
            Ok(path) => path.display().to_string(),
            Err(unreadable) => unreadable.name.clone(),
        };
        session.progress.start(&shown);
        let checked = match (&claim, path) {
            (Ok(_), Ok(path)) => {
                open(path).and_then(|certificate| check_reader(certificate, &options))
            }
            (Ok(_), Err(unreadable)) => Err(io::Error::other(unreadable.message.clone()).into()),
            (Err(unreadable), _) => Err(unreadable.clone()),
        };
        let rejected = checked.as_ref().err();
        if rejected.is_some_and(|no| no.reason == Reason::Malformed) {
            advice = Some(path.as_deref().map_or(Advice::Write, Advice::about));
        }
        worst = worst.and(rejected.map_or(ExitCode::Done, exit_code));
        let text = match session.options.format {
            Format::Json => format!("{}\n", object(&shown, &checked, explain)),
            _ => human(&shown, &checked, explain),
        };
        session.print(&text).map_err(|gone| gone.after(worst))?;
        if rejected.is_some_and(|no| no.reason == Reason::Stopped) {
            return Ok(worst);
        }
    }
    if let Some(advice) = advice
        && session.options.format != Format::Json
    {
        session
            .print(&advice.text())
            .map_err(|gone| gone.after(worst))?;
    }
    Ok(worst)
}

/// What to do about a file that is no certificate.
enum Advice {
    Write,
    /// It states claims, and its name is this.
    Verify(String),
}

impl Advice {
    fn about(path: &Path) -> Self {
        let is_claim = !files::is_standard_input(path)
            && files::read(path)
                .is_ok_and(|file| claim_file_from_bytes(&file.name, &file.bytes).is_ok());
        match is_claim {
            true => Self::Verify(name(&path.display().to_string()).to_string()),
            false => Self::Write,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Write => {
                "`dpcmp verify CLAIM --certificate OUT` writes a new certificate.\n".to_owned()
            }
            Self::Verify(file) => format!(
                "{file} is a claim file: `dpcmp verify` gives its verdicts, and with `--certificate OUT` certificates that can be checked.\n"
            ),
        }
    }
}

fn open(path: &Path) -> Result<Box<dyn Read>, Rejected> {
    Ok(if path.as_os_str() == "-" {
        Box::new(stdin())
    } else {
        Box::new(File::open(path)?)
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Rejected> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A check that was stopped leaves the claim as undecided as before.
fn exit_code(rejected: &Rejected) -> ExitCode {
    match rejected.reason {
        Reason::Stopped => ExitCode::Undecided,
        reason if reason.is_unreadable() => ExitCode::BadInput,
        _ => ExitCode::Refuted,
    }
}

fn human(path: &str, checked: &Result<Accepted, Rejected>, explain: bool) -> String {
    let file = name(path);
    match checked {
        Ok(accepted) => format!("{file}: accepted\n{}\n", record(accepted, explain)),
        Err(no) if no.reason == Reason::Stopped => {
            format!("{file}: not checked: {}\n", no.detail)
        }
        Err(no) => format!("{file}: rejected ({}): {}\n", no.reason, no.detail),
    }
}

fn record(accepted: &Accepted, explain: bool) -> String {
    if explain {
        format!("{accepted:#}")
    } else {
        accepted.to_string()
    }
}

fn object(path: &str, checked: &Result<Accepted, Rejected>, explain: bool) -> Value {
    match checked {
        Ok(accepted) => {
            let mut object = json!({
                "schema": SCHEMA,
                "certificate": path,
                "accepted": true,
                "title": accepted.title,
                "source": accepted.source,
                "ignored": accepted.notes,
                "stated": accepted.stated,
                "mechanism": mechanism_object(&accepted.mechanism),
                "adjacency": accepted.statement.adjacency.to_string(),
                "claim-number": accepted.claim,
                "claim": claim_object(&accepted.statement.claim),
                "verdict": verdict(&accepted.statement),
                "proved": accepted.statement.to_string(),
                "conditions": accepted.conditions.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "claim-file-sha256": accepted.sha256,
                "written-by": accepted.written_by,
                "checked-by": accepted.checked_by,
                "text": format!("{}\n", record(accepted, explain)),
            });
            if explain && let Some(entries) = object.as_object_mut() {
                entries.insert("explanation".to_owned(), json!(accepted.explanation));
            }
            object
        }
        Err(no) => json!({
            "schema": SCHEMA,
            "certificate": path,
            "accepted": false,
            "reason": no.reason.word(),
            "place": no.place.to_string(),
            "text": no.detail,
        }),
    }
}

fn verdict(statement: &Statement) -> &'static str {
    match statement.verdict {
        Verdict::Verified => "verified",
        Verdict::Refuted => "refuted",
    }
}

const SCHEMA: &str = "dpcmp.check/2";
