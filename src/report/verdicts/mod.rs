//! Verdicts in the formats of `verify --format`.
//!
//! | file | job |
//! |---|---|
//! | `finding` | what became of one claim, or of an input that gave none, in few words |
//! | `csv` | a row per claim, for spreadsheets |
//! | `junit` | a test case per claim, for build servers |
//! | `sarif` | what is not verified, as SARIF 2.1.0, for code scanning |
//! | `github` | the same as workflow commands of GitHub Actions |
//!
//! What comes from an input file, its name included, cannot leave its place in any of them.

mod csv;
mod finding;
mod github;
mod junit;
mod sarif;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;

pub use github::disarmed;
pub(super) use junit::{attribute as xml_attribute, seconds as xml_seconds};

use super::human::{Layout, Tally, summary, verdicts_human};
use super::json::{unread_json, verdicts_json};
use super::{FileReport, Style};
use finding::Finding;
use junit::Suites;
use sarif::Log;

/// An input, or a line of it, that gave no verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread<'a> {
    /// File name as given; `-` for standard input.
    pub file: &'a str,
    /// The line of a `.jsonl` file, from 1.
    pub line: Option<usize>,
    /// Line and column of what is wrong, from 1, where that is known.
    pub place: Option<(usize, usize)>,
    /// The kind of error, stable for programs.
    pub code: &'a str,
    /// One sentence, with its place.
    pub message: &'a str,
    /// What is wrong and what to do about it, without the place.
    pub advice: &'a str,
    /// What to do about it, where that is known.
    pub hint: Option<&'a str>,
}

impl Unread<'_> {
    /// `FILE:LINE:COLUMN`.
    pub(super) fn full_place(&self) -> Option<String> {
        let (line, column) = self.place?;
        Some(format!("{}:{line}:{column}", self.file))
    }
}

/// A format of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictFormat {
    /// Text for people.
    Human(Style),
    /// One object (`dpcmp.verdict/1`) for each input.
    Json,
    /// Comma-separated values, a row for each claim.
    Csv,
    /// JUnit XML, a test case for each claim.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// Prints verdicts as they are found, or all of them at the end where the format is one document.
pub struct VerdictPrinter(State);

enum State {
    Human {
        style: Style,
        printed: bool,
        /// What is taken for granted by verdicts that are printed without it.
        conditions: Vec<String>,
    },
    Json,
    Csv {
        has_header: bool,
    },
    Junit(Suites),
    Sarif(Box<Log>),
    Github,
}

impl VerdictPrinter {
    /// Nothing printed yet.
    pub fn new(format: VerdictFormat) -> Self {
        Self(match format {
            VerdictFormat::Human(style) => State::Human {
                style,
                printed: false,
                conditions: Vec::new(),
            },
            VerdictFormat::Json => State::Json,
            VerdictFormat::Csv => State::Csv { has_header: false },
            VerdictFormat::Junit => State::Junit(Suites::default()),
            VerdictFormat::Sarif => State::Sarif(Box::default()),
            VerdictFormat::Github => State::Github,
        })
    }

    /// What to print of the verdicts on a claim file.
    pub fn verdicts(&mut self, report: &FileReport<'_>, layout: Layout) -> String {
        match &mut self.0 {
            State::Human {
                style,
                printed,
                conditions,
            } => {
                let gap = layout == Layout::Full && *printed;
                *printed = true;
                if layout == Layout::Compact {
                    for condition in report.conditions {
                        if !conditions.contains(condition) {
                            conditions.push(condition.clone());
                        }
                    }
                }
                let text = verdicts_human(report, layout, *style);
                format!("{}{text}", if gap { "\n" } else { "" })
            }
            State::Json => format!("{}\n", verdicts_json(report)),
            State::Csv { has_header } => csv::header(has_header) + &csv::rows(report),
            State::Junit(suites) => {
                suites.add(report);
                String::new()
            }
            State::Sarif(log) => {
                log.add(report);
                String::new()
            }
            State::Github => Finding::all(report).iter().map(github::line).collect(),
        }
    }

    /// What to print of an input that gave none.
    pub fn unread(&mut self, unread: &Unread<'_>) -> String {
        match &mut self.0 {
            // Standard error has it.
            State::Human { .. } => String::new(),
            State::Json => format!("{}\n", unread_json(unread)),
            State::Csv { has_header } => csv::header(has_header) + &csv::unread_row(unread),
            State::Junit(suites) => {
                suites.add_unread(unread);
                String::new()
            }
            State::Sarif(log) => {
                log.add_unread(unread);
                String::new()
            }
            State::Github => github::line(&Finding::unread(unread)),
        }
    }

    /// What to print after the last of them. `exit_code` is the number that the program ends with.
    pub fn end(self, tally: &Tally, exit_code: u8) -> String {
        match self.0 {
            State::Human {
                style, conditions, ..
            } if tally.total() > 1 || tally.total() == 1 && tally.unread > 0 => {
                let all = match conditions.is_empty() {
                    true => String::new(),
                    false => {
                        let all = conditions.join("; ");
                        let words = format!(
                            "provided, each where its mechanism needs it (--details says where): {all}"
                        );
                        format!("{}\n", style.dim(&words))
                    }
                };
                format!("\n{}{all}", summary(tally, style))
            }
            State::Human { .. } | State::Json | State::Github => String::new(),
            State::Csv { mut has_header } => csv::header(&mut has_header),
            State::Junit(suites) => suites.document(),
            State::Sarif(log) => log.document(tally, exit_code),
        }
    }
}
