//! A mechanism and claims about it, as they were published.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::analysis::Settings;
use super::{Error, Precision, Verdict};
use crate::input::{self, MAX_TEXT_BYTES, claim_file_beside, claim_line};
use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::Claim;
use crate::study::{self, FolderOf};

/// A claim file: a mechanism, and what is claimed about it.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::ClaimFile;
///
/// let file = ClaimFile::from_text(
///     r#"{"title": "An example", "mechanism": {"kind": "laplace", "scale": 2},
///         "claim": [{"kind": "pure-dp", "epsilon": "1/2"}, {"kind": "advantage", "at-most": 0.1}]}"#,
/// )?;
/// let verdicts = file.verify()?;
/// assert!(verdicts[0].is_verified() && verdicts[1].is_refuted());
/// assert_eq!(file.title(), Some("An example"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ClaimFile {
    text: String,
    #[cfg_attr(
        not(feature = "certificates"),
        expect(dead_code, reason = "only certificates contain it")
    )]
    is_line: bool,
    file: input::ClaimFile,
    settings: Settings,
}

impl ClaimFile {
    /// Reads the text of a claim file, TOML or JSON.
    ///
    /// # Errors
    /// If it is none, with line, column and what to do.
    pub fn from_text(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        let file = claim_file_beside("text", text.as_bytes(), None)?;
        Ok(Self::of(text, false, file))
    }

    /// Reads one line of a `.jsonl` file, where other keys at the top are notes. `number` is that of the line.
    ///
    /// # Errors
    /// As [`ClaimFile::from_text`].
    pub fn from_line(text: impl Into<String>, number: usize) -> Result<Self, Error> {
        let text = text.into();
        let file = claim_line("text", number, text.as_bytes())?;
        Ok(Self::of(text, true, file))
    }

    /// Reads a claim file, and the matrices in CSV files that it names, which stand in its folder or below.
    ///
    /// # Errors
    /// If it cannot be read, or as [`ClaimFile::from_text`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unreadable =
            |why: &dyn std::fmt::Display| Error::bad_input(format!("cannot read `{name}`: {why}"));
        let size = fs::metadata(path).map_err(|error| unreadable(&error))?;
        if !size.is_file() {
            return Err(unreadable(&"it is no file"));
        }
        if usize::try_from(size.len()).map_or(true, |length| length > MAX_TEXT_BYTES) {
            return Err(unreadable(&format!(
                "it has more than {MAX_TEXT_BYTES} bytes"
            )));
        }
        let text = fs::read_to_string(path).map_err(|error| unreadable(&error))?;
        let folder = path.parent().map(FolderOf);
        let folder = folder
            .as_ref()
            .map(|folder| -> &dyn input::Beside { folder });
        let file = claim_file_beside(&name, text.as_bytes(), folder)?;
        Ok(Self::of(text, false, file))
    }

    fn of(text: String, is_line: bool, file: input::ClaimFile) -> Self {
        Self {
            text,
            is_line,
            file,
            settings: Settings::default(),
        }
    }

    /// Time for each claim, 60 seconds unless said otherwise; work ends soon after `stop` is true.
    #[must_use]
    pub fn within(mut self, time: Duration, stop: Arc<AtomicBool>) -> Self {
        self.settings.time = time;
        self.settings.stop = stop;
        self
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the claims are about.
    pub fn title(&self) -> Option<&str> {
        self.file.title.as_deref()
    }

    /// Where they were published.
    pub fn source(&self) -> Option<&str> {
        self.file.source.as_deref()
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.file.mechanism.mechanism
    }

    /// The neighbouring relation.
    pub fn adjacency(&self) -> Adjacency {
        self.file.mechanism.adjacency
    }

    /// The claims, in the order of the file.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.file.claims.iter().map(|entry| &entry.claim)
    }

    /// What all verdicts take for granted, in words.
    pub fn conditions(&self) -> Vec<String> {
        study::conditions_of(&self.file)
    }

    /// Decides every claim, in the order of the file. A mechanism that cannot be treated is no error: its claims are undecided.
    ///
    /// # Errors
    /// Only if dpcmp contradicts itself.
    pub fn verify(&self) -> Result<Vec<Verdict>, Error> {
        let limits = self.settings.limits(Precision::usual());
        let found = study::verify(&limits, &self.file, "text")?;
        let verdicts = found.judged.into_iter();
        Ok(verdicts.map(|judged| Verdict(judged.verdict)).collect())
    }

    /// The certificate of the claim of this number, from 0, given its verdict, for the separate checker `dpcmp-check`. `accepts` is asked about each candidate,
    /// the smallest first: it is to say what the checker says.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// let file = dpcmp::ClaimFile::from_text(
    ///     "[mechanism]\nkind = 'laplace'\nscale = 2\n[[claim]]\nkind = 'pure-dp'\nepsilon = '1/2'",
    /// )?;
    /// let options = dpcmp_check::Options::default();
    /// let accepts = |text: &str| dpcmp_check::check(text.as_bytes(), &options).is_ok();
    /// let verdicts = file.verify()?;
    /// let certificate = file.certificate(0, &verdicts[0], &accepts)?;
    /// let accepted = dpcmp_check::check(certificate.as_bytes(), &options).unwrap();
    /// assert_eq!(accepted.statement.verdict, dpcmp_check::Verdict::Verified);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the claim is undecided, certificates do not cover it, or no plan within reach decides it.
    #[cfg(feature = "certificates")]
    pub fn certificate(
        &self,
        number: usize,
        verdict: &Verdict,
        accepts: &dyn Fn(&str) -> bool,
    ) -> Result<String, Error> {
        use crate::certificate::{self, Judgement};

        if verdict.is_undecided() {
            return Err(Error::unsupported("the claim is undecided"));
        }
        let text = certificate::ClaimText {
            text: &self.text,
            is_line: self.is_line,
        };
        let limits = self.settings.limits(Precision::usual());
        let made = limits.with_resources(|resources| {
            let verified = verdict.is_verified();
            let budget = resources.budget;
            let judge = |text: &str| match accepts(text) {
                true => Judgement::Accepted,
                false => Judgement::Rejected("the caller does not accept it".to_owned()),
            };
            certificate::certificate(&self.file, text, number, verified, budget, &judge)
        });
        made.map_err(Error::unsupported)
    }
}
