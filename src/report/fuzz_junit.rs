//! What a search for false guarantees found, as JUnit XML for build servers: a test case per finding, and one per kind that fails a run and of which there is
//! nothing new.

use super::FuzzReport;
use super::verdicts::{xml_attribute, xml_seconds};
use crate::accountant::{Kind, Known};

/// What a finding means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// It fails the run: a failed test.
    Fails,
    /// It is in the baseline: a skipped test.
    IsKnown,
    /// Its kind does not fail the run: a test that passes, with what was found as its output.
    Passes,
}

/// The document. `failing` are the kinds that fail a run; `trouble` is why not all cases were asked, or what was internally wrong: errors.
pub fn fuzz_junit(
    report: &FuzzReport<'_>,
    failing: &[Kind],
    trouble: &[String],
    judge: impl Fn(&Known) -> Judgement,
) -> String {
    let name = xml_attribute(report.accountant);
    let (mut cases, mut tests, mut failures, mut skipped) = (String::new(), 0u64, 0u64, 0u64);
    let mut push = |title: &str, inside: &str| {
        let title = xml_attribute(title);
        tests = tests.saturating_add(1);
        cases.push_str(&format!(
            "    <testcase name=\"{title}\" classname=\"{name}\">{inside}</testcase>\n"
        ));
    };
    for known in &report.tally.findings {
        let kind = known.kind.as_str();
        let file = report
            .folder
            .map(|folder| format!("{folder}/{}", known.file));
        let place = file.map(|file| format!(" ({file})")).unwrap_or_default();
        let text = xml_attribute(&format!("{}{place}", known.words));
        let inside = match judge(known) {
            Judgement::Fails => {
                failures = failures.saturating_add(1);
                format!("<failure message=\"{text}\" type=\"{kind}\">{text}</failure>")
            }
            Judgement::IsKnown => {
                skipped = skipped.saturating_add(1);
                format!("<skipped message=\"in the baseline: {text}\"/>")
            }
            Judgement::Passes => format!("<system-out>{text}</system-out>"),
        };
        push(&format!("{kind}: {}", known.cause), &inside);
    }
    for kind in failing {
        let mut found = report.tally.findings.iter();
        if !found.any(|known| known.kind == *kind && judge(known) == Judgement::Fails) {
            push(&format!("{}: nothing new", kind.as_str()), "");
        }
    }
    for text in trouble {
        let text = xml_attribute(text);
        push("run", &format!("<error message=\"{text}\" type=\"run\"/>"));
    }
    let tally = report.tally;
    let properties = [
        ("seed", report.seed.to_string()),
        ("cases", tally.cases.to_string()),
        ("answered", tally.answered.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let properties = properties.map(|(key, value)| {
        let value = xml_attribute(&value);
        format!("      <property name=\"{key}\" value=\"{value}\"/>\n")
    });
    let errors = trouble.len();
    let time = xml_seconds(report.time);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"dpcmp fuzz-accountant\" {counts} time=\"{time}\">\n  <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\" time=\"{time}\">\n    <properties>\n{}    </properties>\n{cases}  </testsuite>\n</testsuites>\n",
        properties.concat(),
    )
}
