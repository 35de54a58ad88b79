//! Verdicts and enclosures, as text for people and JSON for machines.
//!
//! Printed bounds are rounded outwards, so that a printed interval still contains the truth, and with enough
//! digits that it still shows the verdict.
//!
//! | file | job |
//! |---|---|
//! | `digits` | an enclosure as two decimals |
//! | `words` | claims and quantities in the notation of papers |
//! | `mechanism` | a mechanism in one line, and as the JSON that dpcmp reads |
//! | `human` | verdicts for people |
//! | `json` | verdicts as `dpcmp.verdict/1` |
//! | `verdicts` | verdicts in the formats of `verify --format` |
//! | `page` | verdicts as a page to hand in |
//! | `manual` | every key of a claim file, for the terminal and as docs/claims.md |
//! | `schema` | JSON Schemas of what is read and written |
//! | `attestation` | verdicts as an in-toto statement, for signing |
//! | `refutation` | where a refuted claim fails and what would be true, as numbers by name |
//! | `proved` | what they say, in words and in a formula |
//! | `bound` | answers of `bound` |
//! | `comparison` | two mechanisms side by side, and as `dpcmp.comparison/2` |
//! | `emergence` | what the moments of the steps prove about two compositions |
//! | `estimate` | answers of `--engine float` |
//! | `summary` | one page about a mechanism, and as `dpcmp.report/1` |
//! | `calibration` | a value that meets a target, and as `dpcmp.calibration/1` |
//! | `standard` | noise by way of (ε, δ) beside it |
//! | `black_box` | the same by the word of another accountant |
//! | `curve` | a curve point by point, as `dpcmp.curve/1` and as CSV |
//! | `conversion` | a statement in other terms, and as `dpcmp.conversion/1` |
//! | `reproduction` | numbers of a paper beside enclosures |
//! | `sweep` | points of a sweep as a table, as `dpcmp.sweep/1` and as CSV |
//! | `fuzz` | what a search for false guarantees found, and as `dpcmp.fuzz/1` |
//! | `table` | columns that line up |
//! | `csv` | comma-separated values |
//! | `fault` | why there is no answer, in JSON |
//! | `style` | colours |

mod attestation;
mod black_box;
mod bound;
mod calibration;
mod comparison;
mod conversion;
mod csv;
mod curve;
mod digits;
mod emergence;
mod estimate;
mod fault;
mod fuzz;
mod fuzz_junit;
mod human;
mod json;
mod manual;
mod mechanism;
mod page;
mod printable;
mod proved;
mod refutation;
mod reproduction;
mod review;
mod schema;
mod standard;
mod style;
mod summary;
mod sweep;
mod table;
mod verdicts;
mod words;
mod wrap;

pub use attestation::{Attestation, PREDICATE_TYPE};
pub use black_box::{BlackBoxReport, black_box_human, black_box_json};
pub use bound::{
    BoundReport, bound_human, bound_json, error_json, fault_json, refused_json, taken_human,
};
pub use calibration::{CalibrationReport, calibration_human, calibration_json};
pub use comparison::{comparison_human, comparison_json};
pub use conversion::{ConversionReport, conversion_human, conversion_json};
pub use curve::{CurveReport, curve_csv, curve_csv_header, curve_found, curve_human, curve_json};
pub use estimate::{
    comparison_estimate_human, comparison_estimate_json, estimate_human, estimate_json,
};
pub use fault::Fault;
pub use fuzz::{FuzzReport, fuzz_human, fuzz_json};
pub use fuzz_junit::{Judgement, fuzz_junit};
pub use human::{Layout, Tally};
pub use manual::{claims_markdown, claims_text, value_words};
pub use mechanism::{mechanism_json, mechanism_line};
pub use page::{Beside, CertificateFile, FolderPage, page};
pub use printable::{name, printable, quoted};
pub use reproduction::{ReproducedRow, reproduction_human, reproduction_json};
pub use schema::{SCHEMAS, Schema};
pub use style::Style;
pub use summary::{
    name as statement_name, regret_notes, report_human, report_json, statement, true_positives,
};
pub use sweep::{
    Found, SweepHead, SweepPoint, sweep_csv, sweep_csv_header, sweep_json, sweep_provided,
    sweep_table, target_words,
};
pub use verdicts::{Unread, VerdictFormat, VerdictPrinter, disarmed};
pub use words::{claim as claim_words, enclosed, interval_words, provided};
pub use wrap::wrapped;

use std::time::Duration;

use crate::input::{ClaimEntry, ClaimFile};
use crate::verdict::Verdict;

/// The verdicts on one claim file.
pub struct FileReport<'a> {
    /// File name as given; `-` for standard input.
    pub file: &'a str,
    /// The line of a `.jsonl` file, from 1.
    pub line: Option<usize>,
    /// SHA-256 of the bytes of the file, in hexadecimal.
    pub sha256: &'a str,
    /// The files that it names, with the SHA-256 of each.
    pub named: &'a [(String, String)],
    /// What was read.
    pub claims: &'a ClaimFile,
    /// One verdict per claim, in order.
    pub verdicts: &'a [Verdict],
    /// The conditions of the verdicts.
    pub conditions: &'a [String],
    /// Time taken.
    pub time: Duration,
    /// Time taken for each claim.
    pub times: &'a [Duration],
    /// What the checker said of each verdict; empty where it was not asked.
    pub evidence: &'a [Evidence],
}

/// What the checker says of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// It accepts a certificate of it.
    Certificate {
        /// SHA-256 of the certificate, in hexadecimal.
        sha256: String,
        /// Where it is written, if it is.
        file: Option<String>,
    },
    /// There is no certificate, and why.
    Nothing(String),
    /// There is no verdict to prove.
    Undecided,
}

impl FileReport<'_> {
    /// The claims with their verdicts, and why there is no certificate where there is none.
    fn rows(&self) -> impl Iterator<Item = (&ClaimEntry, &Verdict, Option<&str>)> {
        let claims = self.claims.claims.iter().zip(self.verdicts);
        claims.enumerate().map(move |(place, (entry, verdict))| {
            let missing = match self.evidence.get(place) {
                Some(Evidence::Nothing(why)) => Some(why.as_str()),
                Some(Evidence::Certificate { .. } | Evidence::Undecided) | None => None,
            };
            (entry, verdict, missing)
        })
    }
}
