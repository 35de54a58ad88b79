//! The certificate of each verdict, which the checker accepts before the verdict is printed, and which `verify --certificate` writes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use dpcmp_check::{Options, Reason, check};

use super::destination;
use super::exit_code::ExitCode;
use super::files::sha256;
use super::output::complain;
use super::session::Session;
use crate::certificate::{ClaimText, Judgement, NoCertificate, certificate};
use crate::input::ClaimFile;
use crate::kernel::{Budget, start_scoped};
use crate::report::{CertificateFile, Evidence};

/// Certificates made while claims are verified, each accepted by the checker; kept where they are to be written.
pub struct Certificates {
    out: Option<PathBuf>,
    /// Are there more claims than one?
    is_folder: bool,
    written: Vec<Written>,
    names: BTreeSet<String>,
}

impl Certificates {
    /// Certificates that go to this file, or, if there are several claims or there is one, to a folder of this name; or nowhere.
    pub fn new(out: Option<PathBuf>) -> Self {
        Self {
            is_folder: out.as_deref().is_some_and(Path::is_dir),
            out,
            written: Vec::new(),
            names: BTreeSet::new(),
        }
    }

    /// Are they written?
    pub fn are_asked_for(&self) -> bool {
        self.out.is_some()
    }

    /// There are several claims: they go to a folder.
    pub fn several(&mut self) {
        self.is_folder = true;
    }

    /// Makes the certificate of a decided claim.
    ///
    /// # Errors
    /// If the checker reads another claim than dpcmp, or proves the opposite.
    pub fn add(
        &mut self,
        session: &Session,
        at: &At<'_>,
        index: usize,
        decided: &Decided,
    ) -> Result<Evidence, String> {
        let Some(verified) = decided.verified else {
            return Ok(Evidence::Undecided);
        };
        let mut rest = session.options.max_seconds.saturating_sub(decided.time);
        if self.out.is_none() {
            rest = rest.min(UNASKED);
        }
        let made = session.with_time(rest, |resources| {
            at.certificate(index, verified, resources.budget)
        });
        match made {
            Ok(text) => {
                let sha256 = sha256(text.as_bytes());
                let name = self.free_name(at, index);
                let file = self.path(&name);
                if self.out.is_some() {
                    self.written.push(Written {
                        name,
                        text,
                        sha256: sha256.clone(),
                        claim_file: at.file.to_owned(),
                        line: at.line,
                        claim_number: index.saturating_add(1),
                    });
                }
                let file = file.map(|file| file.display().to_string());
                Ok(Evidence::Certificate { sha256, file })
            }
            Err(NoCertificate::Misread(why)) => Err(why),
            Err(why) => {
                let is_contradicted = session.with_time(rest.min(OPPOSITE), |resources| {
                    at.is_contradicted(index, verified, resources.budget)
                });
                match is_contradicted {
                    true => Err("the checker accepts a proof of the opposite verdict".to_owned()),
                    false => Ok(Evidence::Nothing(why.to_string())),
                }
            }
        }
    }

    /// The files that will be written.
    pub fn files(&self) -> Vec<CertificateFile> {
        let of = |one: &Written| {
            Some(CertificateFile {
                file: self.path(&one.name)?.display().to_string(),
                sha256: one.sha256.clone(),
                claim_file: one.claim_file.clone(),
                line: one.line,
                claim_number: one.claim_number,
                text: one.text.clone(),
            })
        };
        self.written.iter().filter_map(of).collect()
    }

    /// A name that no other certificate has: claim files in different folders may be called the same.
    fn free_name(&mut self, at: &At<'_>, index: usize) -> String {
        let mut name = file_name(at, "", index);
        let mut others = 2u64;
        while !self.names.insert(name.clone()) {
            name = file_name(at, &format!("-{others}"), index);
            others = others.saturating_add(1);
        }
        name
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let out = self.out.as_deref()?;
        Some(if self.is_folder {
            out.join(name)
        } else {
            out.to_owned()
        })
    }

    /// Writes them.
    pub fn write(&self) -> ExitCode {
        let Some(out) = self.out.as_deref() else {
            return ExitCode::Done;
        };
        if self.is_folder
            && !self.written.is_empty()
            && let Err(error) = fs::create_dir_all(out)
        {
            return cannot_write(out, &error);
        }
        for Written { name, text, .. } in &self.written {
            let path = self.path(name).unwrap_or_default();
            if let Err(error) = destination::write(&path, text.as_bytes()) {
                return cannot_write(&path, &error);
            }
        }
        ExitCode::Done
    }
}

/// A certificate that nobody asked for takes no longer.
const UNASKED: Duration = Duration::from_secs(10);

/// A verdict without a certificate has no more time to be contradicted by the checker.
const OPPOSITE: Duration = Duration::from_secs(1);

/// A certificate, and what it is about.
struct Written {
    name: String,
    text: String,
    sha256: String,
    claim_file: String,
    line: Option<usize>,
    claim_number: usize,
}

fn cannot_write(path: &Path, error: &io::Error) -> ExitCode {
    complain(&format!("cannot write to `{}`: {error}", path.display()));
    ExitCode::BadInput
}

/// What became of a claim, and how long that took.
pub struct Decided {
    pub verified: Option<bool>,
    pub time: Duration,
}

/// A claim file and where it came from.
pub struct At<'a> {
    pub claims: &'a ClaimFile,
    /// The claim file as it was read.
    pub text: &'a str,
    /// The name of the file it is in.
    pub file: &'a str,
    /// The line, in a `.jsonl` file.
    pub line: Option<usize>,
}

impl At<'_> {
    /// One that the checker accepts.
    fn certificate(
        &self,
        index: usize,
        verified: bool,
        budget: &Budget,
    ) -> Result<String, NoCertificate> {
        let text = ClaimText {
            text: self.text,
            is_line: self.line.is_some(),
        };
        let judge = |text: &str| judged(text, budget);
        certificate(self.claims, text, index, verified, budget, &judge)
    }

    /// Does the checker accept a proof of the opposite? Then one of both is wrong.
    fn is_contradicted(&self, index: usize, verified: bool, budget: &Budget) -> bool {
        self.certificate(index, !verified, budget).is_ok()
    }
}

fn file_name(at: &At<'_>, other: &str, index: usize) -> String {
    let stem = Path::new(at.file)
        .file_stem()
        .map_or_else(|| "claim".into(), |stem| stem.to_string_lossy());
    let line = at
        .line
        .map(|line| format!("-line-{line}"))
        .unwrap_or_default();
    format!("{stem}{other}{line}-claim-{}.json", index.saturating_add(1))
}

/// How often the time is looked at while a certificate is checked.
const GLANCE: Duration = Duration::from_millis(20);

/// What the checker says before the time is over.
pub(super) fn judged(text: &str, budget: &Budget) -> Judgement {
    let stop = Arc::new(AtomicBool::new(false));
    let options = Options::default().stop(stop.clone());
    let (done, waiting) = mpsc::channel();
    let work = || check(text.as_bytes(), &options);
    let checked = thread::scope(|scope| {
        let on_its_own = || {
            let checked = work();
            let _ = done.send(());
            checked
        };
        let Ok(checking) = start_scoped(scope, on_its_own) else {
            // There is no room for a thread: only the checker's own limits end it.
            return Ok(work());
        };
        while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(GLANCE) {
            if budget.check().is_err() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        checking.join()
    });
    match checked {
        Ok(Ok(_)) => Judgement::Accepted,
        Ok(Err(no)) => match no.reason {
            Reason::Malformed | Reason::NoCertificateYet | Reason::Unreadable => {
                Judgement::NotCovered(unread(&no.detail))
            }
            Reason::Statement | Reason::Conditions | Reason::NoSuchClaim | Reason::Hash => {
                Judgement::Misread(no.detail)
            }
            Reason::WrongKind | Reason::Direction => Judgement::NotItsProof,
            _ => Judgement::Rejected(no.detail),
        },
        Err(_) => Judgement::Rejected("the checker broke down".to_owned()),
    }
}

/// Does the checker accept it before the time is over?
pub(super) fn is_accepted(text: &str, budget: &Budget) -> bool {
    judged(text, budget) == Judgement::Accepted
}

/// Why the checker does not cover something, in words that follow "no certificate:".
fn unread(detail: &str) -> String {
    match detail.strip_prefix("no certificate yet for ") {
        Some(what) => format!("the checker does not read {what} yet"),
        None => detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::claims_from_jsonl;

    /// δ(1/2) is 1 − e^(−1/4), some 0.2212.
    #[test]
    fn a_wrong_verdict_is_contradicted() {
        for (delta, truth) in [("0.23", true), ("0.22", false)] {
            let text = format!(
                r#"{{"mechanism":{{"kind":"laplace","scale":"1","adjacency":"remove"}},"claim":{{"kind":"approx-dp","epsilon":"1/2","delta":"{delta}"}}}}"#
            );
            let mut files = claims_from_jsonl("test", text.as_bytes());
            let at = At {
                claims: &files.next().unwrap().1.unwrap(),
                text: &text,
                file: "test",
                line: Some(1),
            };
            let budget = Budget::unlimited();
            assert!(at.is_contradicted(0, !truth, &budget), "{delta}");
            assert!(!at.is_contradicted(0, truth, &budget), "{delta}");
        }
    }
}
