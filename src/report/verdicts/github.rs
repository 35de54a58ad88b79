//! Verdicts as workflow commands of GitHub Actions: an annotation at each claim that is not verified, a line of the log for each that is.

use super::finding::{Finding, Found};
use crate::report::printable::{name, printable};

/// The line of one claim or error.
pub(super) fn line(finding: &Finding) -> String {
    let Finding {
        what, text, file, ..
    } = finding;
    let command = match finding.found {
        Found::Verified if finding.vacuous => "notice",
        Found::Verified => {
            let file = name(file);
            return disarmed(&format!("✓ verified  {file}  {what}  {text}")) + "\n";
        }
        Found::Refuted | Found::Unread => "error",
        Found::Undecided => "warning",
    };
    let mut properties = Vec::new();
    if file != "-" {
        properties.push(format!("file={}", property(&printable(file))));
        if let Some((line, column)) = finding.place {
            properties.push(format!("line={line}"));
            properties.push(format!("col={column}"));
        }
    }
    let title = match finding.found {
        Found::Unread => format!("dpcmp: {what}"),
        found => format!("dpcmp: {what} is {}", found.as_str()),
    };
    properties.push(format!("title={}", property(&title)));
    format!("::{command} {}::{}\n", properties.join(","), data(text))
}

/// Text of which no line is a command, neither `::name::` nor, anywhere in a line, `##[name]`.
pub fn disarmed(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let line = line.replace("##[", "# #[");
            match line.trim_start().strip_prefix("::") {
                Some(rest) => format!(": :{rest}"),
                None => line,
            }
        })
        .collect();
    lines.join("\n")
}

/// The text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
