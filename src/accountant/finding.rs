//! What was found, as a file that can be verified again.

use serde_json::json;

use super::answer::clip;
use super::case::Case;
use super::claim_file::claim_file;
use super::judge::Kind;

/// One thing wrong with an accountant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: Kind,
    /// Name and versions of the accountant.
    pub accountant: String,
    /// The simplest case found.
    pub case: Case,
    /// Its answer, as it was given.
    pub said: String,
    /// What is wrong, in words.
    pub detail: String,
    /// The number that a guarantee states.
    pub value: Option<String>,
    /// The quantity asked for, enclosed.
    pub truth: Option<(String, String)>,
    /// The quantity that the claim is about, enclosed a second time.
    pub bounded: Option<(String, String)>,
    /// By how much the claim is missed, at least.
    pub margin: Option<String>,
    /// Who else says so.
    pub confirmation: Option<String>,
    /// Bodies of `[[claim]]` tables.
    pub claims: Vec<String>,
    /// Cases with this cause are taken for the same finding.
    pub cause: String,
    /// Seed and number of the case, and the case as it was generated.
    pub origin: Origin,
}

/// Where a finding comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the case.
    pub number: u64,
    /// The case as it was generated.
    pub case: Case,
    /// The command that runs the accountant.
    pub command: String,
}

impl Finding {
    /// A name for its file, from kind and cause; words of the accountant's are told apart by a number, because few of their characters
    /// are kept.
    pub fn file_name(&self) -> String {
        let mut text = format!("{} {}", self.kind.as_str(), self.cause);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " .,<>=-".contains(c);
        if !text.chars().all(is_plain) {
            text = format!("{text} {:08x}", fingerprint(&text));
        }
        let mut name = String::new();
        for character in text.chars() {
            match character {
                '<' => name.push_str("below"),
                '>' => name.push_str("from"),
                c if c.is_ascii_alphanumeric() => name.push(c),
                '.' => name.push('.'),
                _ if name.ends_with('-') || name.is_empty() => {}
                _ => name.push('-'),
            }
        }
        format!("{}.toml", name.trim_matches('-').replace("--", "-"))
    }

    /// A claim file; what a claim file has no keys for stands in comments.
    pub fn toml(&self) -> String {
        let mut text = String::new();
        let mut say = |key: &str, value: &str| {
            text.push_str(&format!("# {key:<12} {}\n", clip(value, 2000)));
        };
        say("finding", self.kind.as_str());
        say("accountant", &self.accountant);
        say("question", &self.case.line(1));
        say("answer", &self.said);
        say("detail", &self.detail);
        if let Some((lower, upper)) = &self.truth {
            let query = self.case.ask.json();
            say("certified", &format!("{query} in [{lower}, {upper}]"));
        }
        if let Some((lower, upper)) = &self.bounded {
            say(
                "refuted by",
                &format!("the claim bounds a number in [{lower}, {upper}]"),
            );
        }
        if let Some(margin) = &self.margin {
            say("misses by", &format!("{margin} at least"));
        }
        if let Some(who) = &self.confirmation {
            say("confirmed", who);
        }
        say("cause", &self.cause);
        say("dpcmp", env!("CARGO_PKG_VERSION"));
        let origin = &self.origin;
        say(
            "found by",
            &format!(
                "{}, --seed {}, case {}",
                origin.command, origin.seed, origin.number
            ),
        );
        say("shrunk from", &origin.case.line(1));
        let title = format!("{}: {}", self.kind.as_str(), self.cause);
        text.push_str(&format!("title = {}\n", quoted(&title)));
        text.push_str(&format!("source = {}\n\n", quoted(&self.accountant)));
        text.push_str(&claim_file(&self.case.model, &self.claims));
        text
    }

    /// In one line, for people.
    pub fn words(&self) -> String {
        let value = self.value.as_deref().unwrap_or("no number");
        let mechanism = clip(&self.case.model.json(), 200);
        let query = self.case.ask.json();
        let truth = match &self.truth {
            Some((lower, upper)) => format!("; the truth is in [{lower}, {upper}]"),
            None => String::new(),
        };
        let by = match &self.confirmation {
            Some(who) => format!("; {who}"),
            None => String::new(),
        };
        format!("{mechanism} {query}: {value}{truth}{by}")
    }

    /// One line of JSON.
    pub fn json(&self) -> String {
        let ends = |ends: &Option<(String, String)>| {
            ends.as_ref()
                .map(|(lower, upper)| json!({"lower": lower, "upper": upper}))
        };
        let line = self.case.line(1);
        let question: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        json!({
            "schema": "dpcmp.finding/1",
            "kind": self.kind.as_str(),
            "accountant": self.accountant,
            "cause": self.cause,
            "mechanism": question.get("mechanism"),
            "query": question.get("query"),
            "value": self.value,
            "truth": ends(&self.truth),
            "bounded": ends(&self.bounded),
            "margin": self.margin,
            "confirmation": self.confirmation,
            "detail": self.detail,
            "answer": self.said,
            "seed": self.origin.seed.to_string(),
            "case": self.origin.number,
            "file": self.file_name(),
            "version": env!("CARGO_PKG_VERSION"),
        })
        .to_string()
    }
}

/// FNV-1a.
fn fingerprint(text: &str) -> u32 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    text.bytes().fold(2_166_136_261, mix)
}

/// A TOML basic string; JSON escapes are TOML's too.
fn quoted(text: &str) -> String {
    json!(clip(text, 300)).to_string()
}
