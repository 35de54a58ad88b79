//! `dpcmp import registry`: entries of the registry of deployments of the OpenDP project, each with what of it can be checked and what is
//! missing.
//!
//! The registry states parameters and describes mechanisms in words, so that little of an entry can be decided: whether its variant has
//! the parameters that are given, and whether (ε, δ) follows from ρ.

mod entry;
mod said;
mod yaml;

use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::Format;
use super::destination;
use super::exit_code::ExitCode;
use super::files::read;
use super::folders::{Wanted, expand};
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say, style};
use super::session::Session;
use crate::input::claim_file_beside;
use crate::report::Fault;
use crate::study::verify;
use crate::verdict::{Outcome, Reason};
use entry::Entry;

/// Reads entries and says what can be checked. With a folder, the claim files of those that can are written there.
///
/// # Errors
/// When standard output is gone.
pub fn registry(
    session: &Session,
    paths: &[PathBuf],
    output: Option<&Path>,
) -> Result<ExitCode, StdoutClosed> {
    if let Some(Err(error)) = output.map(fs::create_dir_all) {
        complain(&format!("cannot make the folder: {error}"));
        return Ok(ExitCode::BadInput);
    }
    let expanded = expand(paths, Wanted::Entries);
    for line in &expanded.skipped {
        say(&format!("note: {line}"));
    }
    let mut tally = Tally::default();
    for input in expanded.inputs {
        let read = input.and_then(|path| read(&path));
        let (name, entry) = match read {
            Err(unreadable) => (unreadable.name, Err(unreadable.message)),
            Ok(file) => {
                let entry = yaml::texts(&file.bytes).and_then(|texts| Entry::read(&texts));
                (file.name, entry)
            }
        };
        let entry = match entry {
            Ok(entry) => entry,
            Err(why) => {
                complain(&format!("{}: {why}", crate::report::name(&name)));
                tally.unread = tally.unread.saturating_add(1);
                let message = format!("{name}: {why}");
                let fault = Fault::new("unreadable", &message);
                session.refuse("dpcmp.registry/1", &fault, ExitCode::BadInput)?;
                continue;
            }
        };
        let checked = match check(session, &name, &entry, output) {
            Ok(checked) => checked,
            Err(code) => return Ok(code),
        };
        tally.add(&entry, checked.as_ref());
        let text = match session.options.format {
            Format::Json => format!("{}\n", said::json(&name, &entry, checked.as_ref())),
            _ => said::human(&name, &entry, checked.as_ref(), style()),
        };
        session.print(&text)?;
    }
    if session.options.format != Format::Json && tally.entries > 1 {
        session.print(&tally.words())?;
    }
    Ok(tally.exit_code())
}

/// What became of the claim that (ε, δ) follows from ρ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checked {
    /// It does, for every mechanism that has ρ.
    Follows,
    /// Some mechanism has ρ, and not (ε, δ).
    DoesNotFollow,
    /// Neither was shown.
    Open,
}

/// Decides the claim that the entry can be checked by, and writes it.
fn check(
    session: &Session,
    name: &str,
    entry: &Entry,
    output: Option<&Path>,
) -> Result<Option<Checked>, ExitCode> {
    let Some(text) = entry.claim_file(name) else {
        return Ok(None);
    };
    // Numbers out of their range are no claim; the entry says so itself.
    let Ok(claims) = claim_file_beside(name, text.as_bytes(), None) else {
        return Ok(None);
    };
    if let Some(folder) = output {
        let stem = Path::new(name).file_stem().unwrap_or_default();
        let path = folder.join(stem).with_extension("toml");
        if path.exists() {
            let path = path.display();
            complain(&format!(
                "`{path}` is there already; name another folder, or remove it first"
            ));
            return Err(ExitCode::BadInput);
        }
        if let Err(error) = destination::write(&path, text.as_bytes()) {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            return Err(ExitCode::BadInput);
        }
    }
    let verification = verify(&session.limits(), &claims, name).map_err(|violation| {
        internal_error(&violation.to_string());
        ExitCode::Internal
    })?;
    let [judged] = verification.judged.as_slice() else {
        return Ok(None);
    };
    Ok(Some(match &judged.verdict.outcome {
        Outcome::Verified { .. } => Checked::Follows,
        Outcome::Refuted(_) | Outcome::Undecided(Reason::DoesNotFollow(_)) => {
            Checked::DoesNotFollow
        }
        Outcome::Undecided(Reason::Budget { .. } | Reason::Unsupported(_)) => Checked::Open,
    }))
}

/// What became of the entries.
#[derive(Debug, Default)]
struct Tally {
    entries: usize,
    follow: usize,
    do_not_follow: usize,
    contradictory: usize,
    unread: usize,
}

impl Tally {
    fn add(&mut self, entry: &Entry, checked: Option<&Checked>) {
        let count = |number: &mut usize| *number = number.saturating_add(1);
        count(&mut self.entries);
        match checked {
            Some(Checked::Follows) => count(&mut self.follow),
            Some(Checked::DoesNotFollow) => count(&mut self.do_not_follow),
            Some(Checked::Open) | None => {}
        }
        if !entry.contradictions.is_empty() {
            count(&mut self.contradictory);
        }
    }

    fn words(&self) -> String {
        format!(
            "{} entries: {} whose (ε, δ) follows from ρ, {} whose does not, {} whose variant and parameters contradict each other. Mechanisms are there in \
             words, which are not judged\n",
            self.entries, self.follow, self.do_not_follow, self.contradictory
        )
    }

    fn exit_code(&self) -> ExitCode {
        if self.unread > 0 {
            ExitCode::BadInput
        } else if self.do_not_follow > 0 || self.contradictory > 0 {
            ExitCode::Refuted
        } else {
            ExitCode::Done
        }
    }
}
