//! Verdicts as comma-separated values: a row per claim, numbers as exact decimals, and nothing that a spreadsheet computes.

use super::finding::{Finding, Found, text};
use super::{FileReport, Unread};
use crate::report::csv::{csv_record, inert};
use crate::report::digits::{JSON_DIGITS, ends_apart_from};
use crate::report::human::nearest_true;
use crate::report::json::{bound, margin};
use crate::report::mechanism::mechanism_line;
use crate::report::printable::printable;
use crate::report::words::{self, quantity_key};
use crate::verdict::{Outcome, Reason, Refutation, Verdict};

const COLUMNS: [&str; 22] = [
    "file",
    "line",
    "claim",
    "title",
    "source",
    "mechanism",
    "statement",
    "kind",
    "verdict",
    "quantity",
    "lower",
    "upper",
    "bound",
    "margin",
    "vacuous",
    "reason",
    "nearest-true",
    "rounding-of-printed-digits",
    "message",
    "conditions",
    "sha256",
    "version",
];

/// The names of the columns, the first time.
pub(super) fn header(is_printed: &mut bool) -> String {
    if std::mem::replace(is_printed, true) {
        return String::new();
    }
    csv_record(COLUMNS.into_iter().map(str::to_owned))
}

/// A row per claim.
pub(super) fn rows(report: &FileReport<'_>) -> String {
    let file = report.claims;
    let shared = |text: &Option<String>| text.as_deref().map(printable).unwrap_or_default();
    let (title, source) = (shared(&file.title), shared(&file.source));
    let mechanism = mechanism_line(&file.mechanism.mechanism);
    let conditions = report.conditions.join("; ");
    let mut rows = String::new();
    for ((number, entry), verdict) in (1u64..).zip(&file.claims).zip(report.verdicts) {
        let (lower, upper) = ends_apart_from(&verdict.enclosure, &verdict.bound, JSON_DIGITS);
        let (reason, nearest, rounding) = outcome(verdict);
        let nearest = nearest.then(|| nearest_true(entry, verdict)).flatten();
        rows += &record([
            printable(report.file),
            entry.line.to_string(),
            number.to_string(),
            title.clone(),
            source.clone(),
            mechanism.clone(),
            words::claim(entry),
            verdict.claim.kind().to_owned(),
            Found::of(verdict).as_str().to_owned(),
            quantity_key(entry, &verdict.query),
            lower,
            upper,
            bound(verdict),
            margin(verdict).as_str().unwrap_or_default().to_owned(),
            verdict.vacuous.to_string(),
            reason,
            nearest.unwrap_or_default(),
            rounding.to_string(),
            text(entry, verdict),
            conditions.clone(),
            report.sha256.to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ]);
    }
    rows
}

/// The row of an input that gave no verdicts: the verdict is `error`, the reason its code.
pub(super) fn unread_row(unread: &Unread<'_>) -> String {
    let found = Finding::unread(unread);
    let line = found.place.map(|(line, _)| line.to_string());
    record(COLUMNS.map(|column| match column {
        "file" => printable(unread.file),
        "line" => line.clone().unwrap_or_default(),
        "verdict" => found.found.as_str().to_owned(),
        "reason" => unread.code.to_owned(),
        "message" => found.text.clone(),
        "version" => env!("CARGO_PKG_VERSION").to_owned(),
        _ => String::new(),
    }))
}

/// Reason of an undecided claim; may a refuted one have a nearest true one; is its miss within the rounding?
fn outcome(verdict: &Verdict) -> (String, bool, bool) {
    match &verdict.outcome {
        Outcome::Verified { .. } => (String::new(), false, false),
        Outcome::Refuted(Refutation {
            rounding_of_printed_digits,
            ..
        }) => (String::new(), true, *rounding_of_printed_digits),
        Outcome::Undecided(reason) => (Reason::as_str(reason).to_owned(), false, false),
    }
}

fn record(cells: [String; COLUMNS.len()]) -> String {
    csv_record(cells.iter().map(|cell| inert(cell)))
}
