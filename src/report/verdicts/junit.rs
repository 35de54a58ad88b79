//! Verdicts as JUnit XML: a test suite per claim file, a test case per claim. Refuted is failed, undecided is skipped, and what cannot be
//! read is an error.

use std::fmt::Write;
use std::time::Duration;

use super::finding::{Finding, Found};
use super::{FileReport, Unread};
use crate::report::mechanism::mechanism_line;
use crate::report::printable::printable;

/// Test suites collected for one document.
#[derive(Default)]
pub(super) struct Suites {
    text: String,
    counts: Counts,
    time: Duration,
}

#[derive(Default)]
struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Suites {
    /// The suite of a claim file.
    pub fn add(&mut self, report: &FileReport<'_>) {
        let mut properties = vec![
            ("sha256", report.sha256.to_owned()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            (
                "mechanism",
                mechanism_line(&report.claims.mechanism.mechanism),
            ),
        ];
        let claims = report.claims;
        let texts = [("title", &claims.title), ("source", &claims.source)];
        properties.extend(
            texts
                .into_iter()
                .filter_map(|(key, text)| Some((key, text.clone()?))),
        );
        properties.extend(
            report
                .conditions
                .iter()
                .map(|one| ("condition", one.clone())),
        );
        let findings = Finding::all(report);
        self.suite(
            report.file,
            report.line,
            &properties,
            &findings,
            report.time,
        );
    }

    /// The suite of an input that gave no verdicts.
    pub fn add_unread(&mut self, unread: &Unread<'_>) {
        let finding = Finding::unread(unread);
        self.suite(unread.file, unread.line, &[], &[finding], Duration::ZERO);
    }

    /// The document.
    pub fn document(self) -> String {
        let Counts {
            tests,
            failures,
            errors,
            ..
        } = self.counts;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"dpcmp verify\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{}\">\n{}</testsuites>\n",
            seconds(self.time),
            self.text,
        )
    }

    fn suite(
        &mut self,
        file: &str,
        line: Option<usize>,
        properties: &[(&str, String)],
        findings: &[Finding],
        time: Duration,
    ) {
        let counts = Counts::of(findings);
        self.counts.add(&counts);
        self.time = self.time.saturating_add(time);
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let name = attribute(&format!("{file}{line}"));
        let Counts {
            tests,
            failures,
            errors,
            skipped,
        } = counts;
        let time = seconds(time);
        let text = &mut self.text;
        push(
            text,
            &format!(
                "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\" file=\"{}\">\n",
                attribute(file),
            ),
        );
        if !properties.is_empty() {
            push(text, "    <properties>\n");
            for (key, value) in properties {
                let value = attribute(value);
                push(
                    text,
                    &format!("      <property name=\"{key}\" value=\"{value}\"/>\n"),
                );
            }
            push(text, "    </properties>\n");
        }
        for finding in findings {
            push(text, &case(&name, finding));
        }
        push(text, "  </testsuite>\n");
    }
}

impl Counts {
    fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            counts.tests = counts.tests.saturating_add(1);
            let count = match finding.found {
                Found::Verified => continue,
                Found::Refuted => &mut counts.failures,
                Found::Undecided => &mut counts.skipped,
                Found::Unread => &mut counts.errors,
            };
            *count = count.saturating_add(1);
        }
        counts
    }

    fn add(&mut self, other: &Self) {
        self.tests = self.tests.saturating_add(other.tests);
        self.failures = self.failures.saturating_add(other.failures);
        self.errors = self.errors.saturating_add(other.errors);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }
}

fn case(suite: &str, finding: &Finding) -> String {
    let name = match finding.number {
        Some(number) => format!("{number}: {}", finding.what),
        None => "read".to_owned(),
    };
    let text = attribute(&finding.text);
    let place = match finding.place {
        Some((line, column)) => format!("{}:{line}:{column}: ", attribute(&finding.file)),
        None => String::new(),
    };
    let inside = match finding.found {
        Found::Verified => format!("<system-out>{text}</system-out>"),
        Found::Refuted => {
            format!("<failure message=\"{text}\" type=\"refuted\">{place}{text}</failure>")
        }
        Found::Undecided => format!("<skipped message=\"undecided: {text}\"/>"),
        Found::Unread => {
            let code = attribute(&finding.what);
            format!("<error message=\"{text}\" type=\"{code}\">{place}{text}</error>")
        }
    };
    format!(
        "    <testcase name=\"{}\" classname=\"{suite}\" time=\"{}\">{inside}</testcase>\n",
        attribute(&name),
        seconds(finding.time),
    )
}

/// Text as it may stand in an attribute, and between tags: on one line, and without what XML 1.0 does not allow.
pub(in crate::report) fn attribute(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            c => safe.push(c),
        }
    }
    safe
}

pub(in crate::report) fn seconds(time: Duration) -> String {
    format!("{}.{:03}", time.as_secs(), time.subsec_millis())
}

fn push(text: &mut String, more: &str) {
    // Writing to a text does not fail.
    let _ = text.write_str(more);
}
