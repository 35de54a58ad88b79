//! The rows of `docs/audit/README.md`: three short columns, so that they can be read on a phone.

use std::fmt::Write as _;

use serde_json::Value;

use crate::published_claims::holds_instead;

/// A claim with its recorded verdict.
pub(crate) struct Judged {
    pub id: String,
    pub source: String,
    pub claim: String,
    pub conditions: Vec<String>,
    pub record: Value,
    /// Whether the checker accepts a certificate of it, or why there is none.
    pub certificate: Value,
    /// How much larger than claimed ε has to be, as a share, where it is refuted.
    pub excess: Option<f64>,
}

/// Origins of so many verified claims have a table of their own.
const OWN_TABLE: usize = 5;
/// Words up to so many characters are not broken.
const LONG: usize = 12;
/// So many digits stay together.
const DIGITS: usize = 9;

impl Judged {
    pub fn is_refuted(&self) -> bool {
        self.record["verdict"] == "refuted"
    }

    pub fn is_verified(&self) -> bool {
        self.record["verdict"] == "verified"
    }

    pub fn is_rounding(&self) -> bool {
        self.record["rounding"] == true
    }

    pub fn is_certified(&self) -> bool {
        self.certificate["accepted"] == true
    }

    /// The repository or the paper that it is from, where the source begins with one.
    fn origin(&self) -> Option<&str> {
        let (first, _) = parted(&self.source);
        first.contains('/').then_some(first)
    }

    /// Where it stands: the whole source is in the file. Of paths the last name is enough, which may be broken at its underscores.
    fn place(&self, with_origin: bool) -> String {
        let (first, rest) = parted(&self.source);
        let words = rest
            .split_whitespace()
            .map(|word| match word.rsplit('/').next() {
                Some(name) if word.len() > 20 && name.len() > 3 => name,
                _ => word,
            });
        let words: Vec<&str> = words.collect();
        let place = words.join(" ").replace('|', "\\|");
        match self.origin() {
            Some(_) if !with_origin => place,
            _ => format!("{first} {place}").trim().to_owned(),
        }
    }

    /// Beside the claim stand a mark for its certificate and the letters of what is taken for granted.
    fn row(&self, conditions: &[&str], with_origin: bool) -> String {
        let (id, place) = (&self.id, self.place(with_origin));
        let beside = breakable(&match self.record["margin"].as_str() {
            Some("0") => "equal".to_owned(),
            Some(margin) => margin.to_owned(),
            None => instead(&self.record),
        });
        let mark = if self.is_certified() { "✓ " } else { "" };
        let letters: String = conditions
            .iter()
            .zip('a'..='z')
            .filter(|(condition, _)| self.conditions.iter().any(|own| own == *condition))
            .map(|(_, letter)| letter)
            .collect();
        let place = match place.is_empty() {
            true => String::new(),
            false => format!("<br><sub>{}</sub>", breakable(&place)),
        };
        format!(
            "| [{id}](../../examples/claims/published/{id}.toml){place} | {}<br><sub>{mark}{letters}</sub> | {beside} |\n",
            breakable(&self.claim)
        )
    }
}

/// Long names and numbers may go on in the next line: after signs, before capitals, after so many digits.
fn breakable(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        if word.chars().count() <= LONG {
            return word.to_owned();
        }
        let mut broken = String::new();
        let (mut before, mut digits) = (' ', 0);
        for c in word.chars() {
            let is_digit = c.is_ascii_digit() || c == '.';
            let is_capital = before.is_lowercase() && c.is_uppercase();
            if "_/,=".contains(before) || is_capital || (is_digit && digits == DIGITS) {
                broken.push_str("<wbr>");
                digits = 0;
            }
            digits = if is_digit { digits + 1 } else { 0 };
            broken.push(c);
            before = c;
        }
        broken
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A source as its first word and the rest; what says which version of a repository it was is left out.
fn parted(source: &str) -> (&str, &str) {
    let end = source.find([' ', '@', '#', ':']).unwrap_or(source.len());
    let (first, rest) = source.split_at(end);
    let rest = match rest.trim_start().strip_prefix('@') {
        Some(version) => version.split_once(' ').map_or("", |(_, rest)| rest),
        None => rest,
    };
    (first, rest.trim())
}

/// What would be true instead, as short as can be.
fn instead(record: &Value) -> String {
    let text = holds_instead(record);
    let text = text.strip_prefix("holds with ").unwrap_or(&text);
    let text = text
        .strip_suffix(": within the rounding of the printed digits")
        .unwrap_or(text);
    let text = match text.strip_prefix("order = ") {
        Some(numbers) => format!("({})", numbers.replace("epsilon = ", "")),
        None => text.replace("epsilon", "ε").replace("mu", "μ"),
    };
    text.replace(", or with ", "<br>or ")
}

/// A table of refuted claims.
pub(crate) fn refuted<'j>(claims: impl Iterator<Item = &'j Judged>, conditions: &[&str]) -> String {
    let rows: String = claims.map(|one| one.row(conditions, true)).collect();
    format!("\n| file | claimed | true instead |\n|---|---|---|\n{rows}")
}

/// Verified claims, a table for each origin that has many.
pub(crate) fn verified(claims: &[&Judged], conditions: &[&str]) -> String {
    let mut origins: Vec<(&str, Vec<&Judged>)> = Vec::new();
    let mut others = Vec::new();
    for one in claims {
        let origin = one.origin();
        let like_it = claims.iter().filter(|other| other.origin() == origin);
        match origin {
            Some(origin) if like_it.count() >= OWN_TABLE => {
                match origins.iter_mut().find(|(other, _)| *other == origin) {
                    Some((_, members)) => members.push(one),
                    None => origins.push((origin, vec![one])),
                }
            }
            _ => others.push(*one),
        }
    }
    origins.sort_by_key(|(origin, members)| (usize::MAX - members.len(), *origin));
    let mut text = String::new();
    let mut put = |title: &str, members: &[&Judged], with_origin| {
        write!(
            text,
            "\n## {title}: {}\n\n| file | claim | margin |\n|---|---|---|\n",
            members.len()
        )
        .unwrap();
        text.extend(members.iter().map(|one| one.row(conditions, with_origin)));
    };
    for (origin, members) in &origins {
        put(origin, members, false);
    }
    put("Others", &others, true);
    text
}

/// Claims whose verdict nobody confirms, and why.
pub(crate) fn without_certificate(judged: &[Judged]) -> String {
    judged
        .iter()
        .filter(|one| !one.is_certified())
        .map(|one| {
            let why = one.certificate["missing"].as_str().unwrap();
            format!("* `{}`, {}: {why}.\n", one.id, one.claim)
        })
        .collect()
}
