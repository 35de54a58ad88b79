//! Verdicts as a page to hand in: one HTML file that needs nothing else. All text is escaped by the template; the picture is
//! markup of our own.

use askama::Template;
use gmp_mpfr_sys::{gmp, mpfr};

use super::human::{details, finding};
use super::mechanism::mechanism_line;
use super::printable::printable;
use super::proved::{laws, proved, rates, to_tell};
use super::review::{questions, remarks};
use super::{Evidence, FileReport, Tally, words};
use crate::input::ClaimEntry;
use crate::mechanism::Orders;
use crate::verdict::{Outcome, Verdict};

/// A certificate that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFile {
    /// Its name.
    pub file: String,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// The claim file that it is about, as given.
    pub claim_file: String,
    /// The line of a `.jsonl` file, from 1.
    pub line: Option<usize>,
    /// The number of the claim there, from 1.
    pub claim_number: usize,
    /// What is in it.
    pub text: String,
}

/// What a page of one claim file has beside its verdicts.
#[derive(Debug, Default)]
pub struct Beside {
    /// SVG, taken as it is.
    pub picture: Option<String>,
    /// False-positive rates, with what is certified of the true-positive rate of any attack.
    pub rates: Vec<(String, String)>,
    /// The claim file, or the line of a `.jsonl` file, as it was read.
    pub text: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// No longer text of a certificate is put on a page.
const LONGEST_TEXT: usize = 1 << 16;

#[derive(Template)]
#[template(path = "verdict.html")]
struct Page {
    title: String,
    source: Option<String>,
    mechanism: String,
    tally: String,
    claims: Vec<ClaimOnPage>,
    picture: Option<String>,
    rates: Vec<(String, String)>,
    about: &'static str,
    to_tell: &'static str,
    of_rates: [&'static str; 2],
    laws: &'static str,
    questions: Vec<&'static str>,
    text: String,
    conditions: Vec<String>,
    computed: Vec<String>,
    certificates: Vec<CertificateOnPage>,
    file: String,
    sha256: String,
    /// That of the claim file, where it is not `file`.
    text_sha256: Option<String>,
    named: Vec<(String, String)>,
    command: String,
    version: &'static str,
    gmp: String,
    mpfr: String,
}

#[derive(Debug)]
struct ClaimOnPage {
    certificate: String,
    claim: String,
    symbol: &'static str,
    verdict: &'static str,
    found: String,
    details: Vec<String>,
    words: String,
    formula: String,
    remarks: Vec<String>,
}

struct CertificateOnPage {
    claim: usize,
    file: String,
    sha256: String,
    command: String,
    text: String,
}

/// The page.
///
/// # Errors
/// If the template cannot be filled, in words.
pub fn page(
    report: &FileReport<'_>,
    beside: Beside,
    certificates: &[CertificateFile],
) -> Result<String, String> {
    let claims = report.claims;
    let file = printable(report.file);
    let (gmp, mpfr) = library_versions();
    let title = claims.title.as_deref().unwrap_or(report.file);
    // Claims of the command line make another text than the file that the mechanism is in.
    let is_other = report.line.is_none() && beside.sha256 != report.sha256;
    let text_sha256 = is_other.then_some(beside.sha256);
    let page = Page {
        title: printable(title),
        source: claims.source.as_deref().map(printable),
        mechanism: mechanism_line(&claims.mechanism.mechanism),
        tally: tally(report.verdicts),
        claims: on_page(report),
        rates: beside.rates,
        about: match claims.mechanism.adjacency.orders() {
            Orders::Both => "in either direction",
            Orders::Remove | Orders::Add => "in the direction that is claimed",
        },
        to_tell: to_tell(claims.mechanism.adjacency),
        of_rates: rates(claims.mechanism.adjacency),
        laws: laws(claims.mechanism.adjacency),
        questions: questions(claims),
        text: beside.text,
        picture: beside.picture,
        conditions: report.conditions.to_vec(),
        computed: claims
            .mechanism
            .notes
            .iter()
            .map(|note| printable(note))
            .collect(),
        certificates: certificates
            .iter()
            .map(|one| CertificateOnPage {
                claim: one.claim_number,
                file: printable(&one.file),
                sha256: one.sha256.clone(),
                command: format!("dpcmp-check {}", quoted(&one.file)),
                text: Some(&one.text)
                    .filter(|text| text.len() <= LONGEST_TEXT)
                    .cloned()
                    .unwrap_or_default(),
            })
            .collect(),
        command: match text_sha256 {
            Some(_) => "dpcmp verify claims.json".to_owned(),
            None => format!("dpcmp verify {}", quoted(report.file)),
        },
        text_sha256,
        file,
        sha256: report.sha256.to_owned(),
        named: report
            .named
            .iter()
            .map(|(file, sha256)| (printable(file), sha256.clone()))
            .collect(),
        version: env!("CARGO_PKG_VERSION"),
        gmp,
        mpfr,
    };
    page.render().map_err(|error| error.to_string())
}

/// The claims of a file with their verdicts.
fn on_page(report: &FileReport<'_>) -> Vec<ClaimOnPage> {
    let claims = report.claims;
    let of = |(place, (entry, verdict)): (usize, (&ClaimEntry, &Verdict))| {
        let evidence = report.evidence.get(place);
        let (mut words, formula) = proved(entry, claims.mechanism.adjacency, verdict);
        if claims.mechanism.mechanism.has_groups() {
            words += " Here a record stands for a group of records, which change together.";
        }
        ClaimOnPage {
            certificate: evidence.map(certified).unwrap_or_default(),
            claim: printable(&words::claim(entry)),
            symbol: symbol(verdict),
            verdict: verdict.outcome.as_str(),
            found: finding(&words::quantity(entry, &verdict.query), verdict),
            details: details(entry, verdict),
            words,
            formula,
            remarks: remarks(&entry.claim, claims, verdict),
        }
    };
    let pairs = claims.claims.iter().zip(report.verdicts);
    pairs.enumerate().map(of).collect()
}

/// A page for several claim files: a table of all claims that sorts, and a section for each file.
#[derive(Debug, Default)]
pub struct FolderPage {
    sections: Vec<Section>,
    unread: Vec<(String, String)>,
}

#[derive(Debug)]
struct Section {
    anchor: String,
    title: String,
    source: Option<String>,
    mechanism: String,
    claims: Vec<ClaimOnPage>,
    conditions: Vec<String>,
    file: String,
    sha256: String,
}

#[derive(Template)]
#[template(path = "folder.html")]
struct Folder<'a> {
    tally: String,
    count: String,
    sections: &'a [Section],
    unread: &'a [(String, String)],
    version: &'static str,
    script: &'static str,
    script_hash: &'static str,
}

/// Sorts the table by the column whose heading is clicked; everything can be read without it.
const SCRIPT: &str = "\
document.querySelectorAll('#all button').forEach((button, column) => button.addEventListener('click', () => {
  const body = document.querySelector('#all tbody');
  const text = row => row.cells[column].textContent;
  const rows = [...body.rows].sort((a, b) => text(a).localeCompare(text(b), 'en', { numeric: true }));
  if (rows.every((row, place) => row === body.rows[place])) rows.reverse();
  body.append(...rows);
}));
";

/// The only script that a browser runs on the page.
const SCRIPT_HASH: &str = "sha256-3ZqniamypcRgY07mbCvWhXppRb43t77Nd/UbmDJwg40=";

impl FolderPage {
    /// Adds the verdicts on a claim file.
    pub fn add(&mut self, report: &FileReport<'_>) {
        let claims = report.claims;
        let place = match report.line {
            Some(line) => format!("{}:{line}", report.file),
            None => report.file.to_owned(),
        };
        self.sections.push(Section {
            anchor: format!("file-{}", self.sections.len().saturating_add(1)),
            title: printable(claims.title.as_deref().unwrap_or(&place)),
            source: claims.source.as_deref().map(printable),
            mechanism: mechanism_line(&claims.mechanism.mechanism),
            claims: on_page(report),
            conditions: report.conditions.to_vec(),
            file: printable(&place),
            sha256: report.sha256.to_owned(),
        });
    }

    /// Adds a file that gave no verdicts.
    pub fn add_unread(&mut self, file: &str, message: &str) {
        self.unread.push((printable(file), printable(message)));
    }

    /// The page.
    ///
    /// # Errors
    /// If the template cannot be filled, in words.
    pub fn page(&self, tally: &Tally) -> Result<String, String> {
        let (files, unread) = (self.sections.len(), self.unread.len());
        let all = files.saturating_add(unread);
        let plural = if all == 1 { "file" } else { "files" };
        let count = match unread {
            0 => format!("in {all} claim {plural}"),
            _ => format!("in {all} claim {plural}, of which {unread} could not be read"),
        };
        let page = Folder {
            tally: tally_words(tally),
            count: format!("{count}; a click on a heading sorts"),
            sections: &self.sections,
            unread: &self.unread,
            version: env!("CARGO_PKG_VERSION"),
            script: SCRIPT,
            script_hash: SCRIPT_HASH,
        };
        page.render().map_err(|error| error.to_string())
    }
}

/// What the checker says of a verdict, in words.
fn certified(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Certificate { sha256, file: None } => {
            format!("certificate accepted by dpcmp-check, SHA-256 {sha256}")
        }
        Evidence::Certificate {
            sha256,
            file: Some(file),
        } => format!(
            "certificate {} accepted by dpcmp-check, SHA-256 {sha256}",
            printable(file)
        ),
        Evidence::Nothing(why) => format!("no certificate: {}", printable(why)),
        Evidence::Undecided => String::new(),
    }
}

/// Versions of GMP and MPFR.
pub(super) fn library_versions() -> (String, String) {
    (
        version(gmp::VERSION, gmp::VERSION_MINOR, gmp::VERSION_PATCHLEVEL),
        version(
            mpfr::VERSION_MAJOR,
            mpfr::VERSION_MINOR,
            mpfr::VERSION_PATCHLEVEL,
        ),
    )
}

fn version(major: i32, minor: i32, patch: i32) -> String {
    format!("{major}.{minor}.{patch}")
}

fn symbol(verdict: &Verdict) -> &'static str {
    match verdict.outcome {
        Outcome::Verified { .. } => "✓",
        Outcome::Refuted(_) => "✗",
        Outcome::Undecided(_) => "?",
    }
}

fn tally(verdicts: &[Verdict]) -> String {
    let mut tally = Tally::default();
    for verdict in verdicts {
        tally.add(verdict);
    }
    tally_words(&tally)
}

fn tally_words(tally: &Tally) -> String {
    let undecided = tally.budget.saturating_add(tally.unsupported);
    let parts = [
        (tally.verified, "verified"),
        (tally.refuted, "refuted"),
        (undecided, "undecided"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let total = tally.total();
    let plural = if total == 1 { "claim" } else { "claims" };
    match parts.is_empty() {
        true => format!("{total} {plural}"),
        false => format!("{total} {plural}: {}", parts.join(", ")),
    }
}

/// A file name as a shell takes it.
fn quoted(name: &str) -> String {
    let shown = printable(name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:".contains(c);
    if !shown.is_empty() && shown.chars().all(is_plain) {
        shown
    } else {
        format!("'{}'", shown.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a browser compares before it runs the script.
    #[test]
    fn the_hash_is_that_of_the_script() {
        let digest = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            <sha2::Sha256 as sha2::Digest>::digest(SCRIPT),
        );
        assert_eq!(SCRIPT_HASH, format!("sha256-{digest}"));
    }

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b-1.toml"), "a/b-1.toml");
        assert_eq!(quoted("my claim; rm.toml"), "'my claim; rm.toml'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
