//! Verdicts as SARIF 2.1.0: a result for each claim that is not verified, and for each input that cannot be read. Verified claims are
//! counted but are no results, because GitHub's code scanning takes every result for a problem.

use serde_json::{Map, Value, json};

use super::finding::{Finding, Found};
use super::{FileReport, Tally, Unread};
use crate::report::json::claim;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Results collected for one document.
#[derive(Default)]
pub(super) struct Log {
    results: Vec<Value>,
    /// The files with their hashes, where they could be read.
    artifacts: Vec<(String, Option<String>)>,
    unread: u64,
}

/// A rule: its name, its level, and what it says, short and in full.
struct Rule {
    id: &'static str,
    level: &'static str,
    short: &'static str,
    full: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        id: "refuted",
        level: "error",
        short: "The claim is false.",
        full: "The stated guarantee is not true of the stated mechanism: this is proved. The nearest true claim stands beside it.",
    },
    Rule {
        id: "undecided",
        level: "warning",
        short: "The claim is neither proved nor refuted.",
        full: "The time ended before the claim was decided, it does not follow from what is known, or it is not supported.",
    },
    Rule {
        id: "vacuous",
        level: "note",
        short: "The claim is true of every mechanism.",
        full: "The claim is verified, but says nothing: it is true of every mechanism.",
    },
    Rule {
        id: "unreadable",
        level: "error",
        short: "The claim file cannot be read.",
        full: "The file is missing, is no claim file, or states something impossible. Nothing is known of its claims.",
    },
];

impl Log {
    /// The results of a claim file.
    pub fn add(&mut self, report: &FileReport<'_>) {
        let artifact = self.artifact(report.file, Some(report.sha256));
        let claims = report.claims.claims.iter().zip(report.verdicts);
        for (finding, (entry, verdict)) in Finding::all(report).iter().zip(claims) {
            let mut properties = Map::new();
            properties.insert("claim-number".to_owned(), json!(finding.number));
            properties.insert("claim".to_owned(), claim(entry, verdict));
            properties.insert("conditions".to_owned(), json!(report.conditions));
            self.result(finding, artifact, properties);
        }
    }

    /// The result of an input that gave no verdicts.
    pub fn add_unread(&mut self, unread: &Unread<'_>) {
        self.unread = self.unread.saturating_add(1);
        let artifact = self.artifact(unread.file, None);
        let finding = Finding::unread(unread);
        let mut properties = Map::new();
        properties.insert("code".to_owned(), json!(unread.code));
        self.result(&finding, artifact, properties);
    }

    /// The document.
    pub fn document(self, tally: &Tally, exit_code: u8) -> String {
        let artifacts: Vec<Value> = self
            .artifacts
            .iter()
            .map(|(file, sha256)| {
                let mut artifact = json!({"location": {"uri": uri(file)}});
                if let (Some(sha256), Some(object)) = (sha256, artifact.as_object_mut()) {
                    object.insert("hashes".to_owned(), json!({"sha-256": sha256}));
                }
                artifact
            })
            .collect();
        let rules: Vec<Value> = RULES.iter().map(Rule::object).collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "dpcmp",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": self.unread == 0,
                    "exitCode": exit_code,
                }],
                "artifacts": artifacts,
                "results": self.results,
                "properties": {
                    "verified": tally.verified,
                    "refuted": tally.refuted,
                    "undecided": tally.budget.saturating_add(tally.unsupported),
                    "unreadable": self.unread,
                },
            }],
        });
        format!("{log:#}\n")
    }

    fn result(&mut self, finding: &Finding, artifact: usize, properties: Map<String, Value>) {
        let id = match finding.found {
            Found::Verified if finding.vacuous => "vacuous",
            Found::Verified => return,
            Found::Refuted => "refuted",
            Found::Undecided => "undecided",
            Found::Unread => "unreadable",
        };
        let Some((index, rule)) = (0u64..).zip(&RULES).find(|(_, rule)| rule.id == id) else {
            return;
        };
        let mut physical = Map::new();
        physical.insert(
            "artifactLocation".to_owned(),
            json!({"uri": uri(&finding.file), "index": artifact}),
        );
        if let Some((line, column)) = finding.place {
            let region = json!({"startLine": line.max(1), "startColumn": column.max(1)});
            physical.insert("region".to_owned(), region);
        }
        let text = match finding.found {
            Found::Unread => finding.text.clone(),
            found => format!("{} is {}: {}", finding.what, found.as_str(), finding.text),
        };
        self.results.push(json!({
            "ruleId": id,
            "ruleIndex": index,
            "level": rule.level,
            "message": {"text": text},
            "locations": [{"physicalLocation": physical}],
            "properties": properties,
        }));
    }

    /// The place of a file in the list of files.
    fn artifact(&mut self, file: &str, sha256: Option<&str>) -> usize {
        let known = self.artifacts.iter().position(|(name, _)| name == file);
        if let Some(entry) = known.and_then(|index| self.artifacts.get_mut(index)) {
            if entry.1.is_none() {
                entry.1 = sha256.map(str::to_owned);
            }
            return known.unwrap_or_default();
        }
        self.artifacts
            .push((file.to_owned(), sha256.map(str::to_owned)));
        self.artifacts.len().saturating_sub(1)
    }
}

impl Rule {
    fn object(&self) -> Value {
        json!({
            "id": self.id,
            "shortDescription": {"text": self.short},
            "fullDescription": {"text": self.full},
            "help": {"text": self.full},
            "defaultConfiguration": {"level": self.level},
        })
    }
}

/// The path as a URI reference (RFC 3986); relative paths stay relative.
pub(super) fn uri(path: &str) -> String {
    let path = if std::path::MAIN_SEPARATOR == '\\' {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
