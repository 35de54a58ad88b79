//! Verdicts as a page to hand in: one HTML file that needs nothing else. All text is escaped by the template; the picture is
//! markup of our own.

use askama::Template;
use gmp_mpfr_sys::{gmp, mpfr};

use super::human::{details, finding};
use super::mechanism::mechanism_line;
use super::printable::printable;
use super::proved::proved;
use super::{Evidence, FileReport, Tally, words};
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
}

#[derive(Template)]
#[template(path = "verdict.html")]
struct Page {
    title: String,
    source: Option<String>,
    mechanism: String,
    tally: String,
    claims: Vec<ClaimOnPage>,
    picture: Option<String>,
    conditions: Vec<String>,
    computed: Vec<String>,
    certificates: Vec<CertificateOnPage>,
    file: String,
    sha256: String,
    named: Vec<(String, String)>,
    command: String,
    version: &'static str,
    gmp: String,
    mpfr: String,
}

struct ClaimOnPage {
    certificate: String,
    claim: String,
    symbol: &'static str,
    verdict: &'static str,
    found: String,
    details: Vec<String>,
    words: String,
    formula: String,
}

struct CertificateOnPage {
    claim: usize,
    file: String,
    sha256: String,
    command: String,
}

/// The page. `picture` is SVG, taken as it is.
///
/// # Errors
/// If the template cannot be filled, in words.
pub fn page(
    report: &FileReport<'_>,
    picture: Option<String>,
    certificates: &[CertificateFile],
) -> Result<String, String> {
    let claims = report.claims;
    let file = printable(report.file);
    let (gmp, mpfr) = library_versions();
    let title = claims.title.as_deref().unwrap_or(report.file);
    let page = Page {
        title: printable(title),
        source: claims.source.as_deref().map(printable),
        mechanism: mechanism_line(&claims.mechanism.mechanism),
        tally: tally(report.verdicts),
        claims: claims
            .claims
            .iter()
            .zip(report.verdicts)
            .enumerate()
            .map(|(place, (entry, verdict))| {
                let evidence = report.evidence.get(place);
                let (words, formula) = proved(entry, claims.mechanism.adjacency, verdict);
                ClaimOnPage {
                    certificate: evidence.map(certified).unwrap_or_default(),
                    claim: printable(&words::claim(entry)),
                    symbol: symbol(verdict),
                    verdict: verdict.outcome.as_str(),
                    found: finding(&words::quantity(entry, &verdict.query), verdict),
                    details: details(entry, verdict),
                    words,
                    formula,
                }
            })
            .collect(),
        picture,
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
            })
            .collect(),
        command: format!("dpcmp verify {}", quoted(report.file)),
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
    format!("{total} {plural}: {}", parts.join(", "))
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

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b-1.toml"), "a/b-1.toml");
        assert_eq!(quoted("my claim; rm.toml"), "'my claim; rm.toml'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
