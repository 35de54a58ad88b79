//! The page of `verify --report`: of one claim file, or of several.

use std::path::Path;

use rug::Rational;

use super::destination;
use super::exit_code::ExitCode;
use super::files::sha256;
use super::output::complain;
use super::session::Session;
use crate::analysis::Subject;
use crate::report::{Beside, CertificateFile, FileReport, FolderPage, Tally, page, true_positives};
use crate::statement::Query;
use crate::study::bound;

/// What becomes the page, where one is wanted.
pub struct Pages<'s> {
    session: &'s Session,
    path: Option<&'s Path>,
    /// A page of several claim files.
    folder: Option<FolderPage>,
}

impl<'s> Pages<'s> {
    /// A page that goes here.
    pub fn new(session: &'s Session, path: Option<&'s Path>) -> Self {
        Self {
            session,
            path,
            folder: None,
        }
    }

    /// Is there a page to be made?
    pub fn are_wanted(&self) -> bool {
        self.path.is_some()
    }

    /// It is about several claim files.
    pub fn several(&mut self) {
        self.folder = Some(FolderPage::default());
    }

    /// Is it about several claim files?
    pub fn are_several(&self) -> bool {
        self.folder.is_some()
    }

    /// The verdicts on one of several claim files.
    pub fn add(&mut self, report: &FileReport<'_>) {
        if let Some(folder) = &mut self.folder {
            folder.add(report);
        }
    }

    /// One of several claim files that gave no verdicts.
    pub fn add_unread(&mut self, file: &str, message: &str) {
        if let Some(folder) = &mut self.folder {
            folder.add_unread(file, message);
        }
    }

    /// Writes the page of one claim file.
    pub fn of_one(
        &self,
        report: &FileReport<'_>,
        text: &[u8],
        picture: Option<String>,
        subject: Option<&Subject>,
        certificates: &[CertificateFile],
    ) -> ExitCode {
        let Some(path) = self.path.filter(|_| !self.are_several()) else {
            return ExitCode::Done;
        };
        let beside = Beside {
            picture,
            rates: subject
                .map(|subject| self.rates(subject))
                .unwrap_or_default(),
            text: String::from_utf8_lossy(text).into_owned(),
            sha256: sha256(text),
        };
        write(path, page(report, beside, certificates))
    }

    /// Writes the page of several claim files.
    pub fn end(&self, tally: &Tally) -> ExitCode {
        match (&self.folder, self.path) {
            (Some(folder), Some(path)) => write(path, folder.page(tally)),
            _ => ExitCode::Done,
        }
    }

    /// What any attack reaches at some false-positive rates, where that is known.
    fn rates(&self, subject: &Subject) -> Vec<(String, String)> {
        let row = |parts: u32, words: &str| {
            let query = Query::trade_off(Rational::from((1, parts))).ok()?;
            let bounded = bound(&self.session.limits(), Ok(subject), &query).ok()?;
            let found = true_positives(&bounded.answer.enclosure);
            Some((words.to_owned(), found))
        };
        let rates = [(1000, "0.001"), (100, "0.01"), (10, "0.1")];
        rates
            .into_iter()
            .filter_map(|(parts, words)| row(parts, words))
            .collect()
    }
}

fn write(path: &Path, page: Result<String, String>) -> ExitCode {
    let written = page.and_then(|text| {
        destination::write(path, text.as_bytes()).map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => ExitCode::Done,
        Err(error) => {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            ExitCode::BadInput
        }
    }
}
