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
use super::output::{StdoutClosed, complain, say};
use super::session::Session;
use crate::input::claim_file_from_bytes;
use crate::report::name;

const IS_CLAIM: &str = "  it is a claim file: `dpcmp verify` gives its verdicts, and with `--certificate OUT` certificates that can be checked\n";

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
    let claim = claim.map(claim_file).transpose();
    if let Err(unreadable) = &claim
        && session.options.format != Format::Json
    {
        complain(&unreadable.detail);
        return Ok(ExitCode::BadInput);
    }
    let options = Options::default().stop(session.stop.clone());
    let options = match &claim {
        Ok(Some(claim)) => options.claim_file(claim),
        Ok(None) | Err(_) => options,
    };
    let mut worst = ExitCode::Done;
    let mut is_malformed = false;
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
        let is_other = rejected.is_some_and(|no| no.reason == Reason::Malformed);
        let is_claim = is_other && path.as_deref().is_ok_and(is_claim_file);
        is_malformed |= is_other && !is_claim;
        worst = worst.and(rejected.map_or(ExitCode::Done, exit_code));
        let text = match session.options.format {
            Format::Json => format!("{}\n", object(&shown, &checked, explain)),
            _ if is_claim => human(&shown, &checked, explain) + IS_CLAIM,
            _ => human(&shown, &checked, explain),
        };
        session.print(&text).map_err(|gone| gone.after(worst))?;
        if rejected.is_some_and(|no| no.reason == Reason::Stopped) {
            return Ok(worst);
        }
    }
    if is_malformed && session.options.format != Format::Json {
        let advice = "`dpcmp verify CLAIM --certificate OUT` writes a new certificate.\n";
        session.print(advice).map_err(|gone| gone.after(worst))?;
    }
    Ok(worst)
}

/// Does the file that was taken for a certificate state claims?
fn is_claim_file(path: &Path) -> bool {
    let read = || files::read(path).ok();
    !files::is_standard_input(path)
        && read().is_some_and(|file| claim_file_from_bytes(&file.name, &file.bytes).is_ok())
}

fn open(path: &Path) -> Result<Box<dyn Read>, Rejected> {
    Ok(if path.as_os_str() == "-" {
        Box::new(stdin())
    } else {
        Box::new(File::open(path)?)
    })
}

/// The claim file, to compare with; where it cannot be read, its name is said, as no certificate is to blame.
fn claim_file(path: &Path) -> Result<Vec<u8>, Rejected> {
    let read = || -> Result<Vec<u8>, Rejected> {
        let mut bytes = Vec::new();
        open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|mut rejected| {
        let shown = path.display();
        rejected.detail = format!("cannot read the claim file `{shown}`: {}", rejected.detail);
        rejected
    })
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
