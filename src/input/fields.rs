//! Reading the keys of one table: unknown, missing, mistyped and out-of-range values become problems
//! that say what would be right.

use std::ops::Range;

use rug::Rational;

use super::{
    json::shown,
    node::{Node, Table, Value},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Domain, OutOfRange, Why};
use crate::number::{NumberError, parse_rational, to_u64};

/// Most repetitions of one thing: `times`, `steps`, `epochs`.
pub(crate) const MAX_TIMES: u64 = 1_000_000_000_000;

/// A table whose keys are all known, and the name under which messages speak of it.
pub(crate) struct Fields<'n> {
    table: &'n Table,
    owner: String,
    /// Where a missing key is reported.
    anchor: Range<usize>,
}

impl<'n> Fields<'n> {
    /// The keys of `table`, all of which must be in `known`. `owner` is what the table describes, for
    /// instance "`gaussian`"; `anchor` is underlined when a key is missing.
    pub fn new(
        table: &'n Table,
        owner: impl Into<String>,
        anchor: &Range<usize>,
        known: &[&str],
    ) -> Result<Self, Problem> {
        let owner = owner.into();
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                return Err(unknown_key(&entry.key, &entry.key_span, &owner, known));
            }
        }
        Ok(Fields {
            table,
            owner,
            anchor: anchor.clone(),
        })
    }

    pub fn has(&self, key: &str) -> bool {
        self.table.has(key)
    }

    pub fn optional(&self, key: &str) -> Option<&'n Node> {
        self.table.get(key).map(|entry| &entry.node)
    }

    pub fn required(&self, key: &str) -> Result<&'n Node, Problem> {
        self.optional(key)
            .ok_or_else(|| self.missing(&format!("`{key}`")))
    }

    /// The problem that `what` is missing.
    pub fn missing(&self, what: &str) -> Problem {
        let message = format!("{} needs {what}", self.owner);
        Problem::new(ErrorCode::MissingKey, &self.anchor, message).help(format!("add {what} here"))
    }

    /// The problem that `key` cannot stand beside `other`.
    pub fn conflict(&self, key: &str, other: &str, help: &str) -> Problem {
        let span = self
            .table
            .get(key)
            .map_or(&self.anchor, |entry| &entry.key_span);
        let message = format!("{} takes either `{key}` or `{other}`, not both", self.owner);
        Problem::new(ErrorCode::Conflict, span, message).help(help)
    }

    /// The problem that a parameter is out of range, at the key of its name if there is one.
    pub fn out_of_range(&self, error: &OutOfRange) -> Problem {
        let node = self.optional(error.parameter());
        let entry = error.index().and_then(|index| node?.as_array()?.get(index));
        let place = entry.or(node).map_or(&self.anchor, |node| &node.span);
        out_of_range(place, error)
    }

    pub fn number(&self, key: &str, domain: Domain) -> Result<Rational, Problem> {
        number(self.required(key)?, &format!("`{key}`"), domain)
    }

    pub fn number_or(&self, key: &str, domain: Domain, default: u32) -> Result<Rational, Problem> {
        match self.optional(key) {
            None => Ok(Rational::from(default)),
            Some(node) => number(node, &format!("`{key}`"), domain),
        }
    }

    pub fn whole(&self, key: &str, least: u64, most: u64) -> Result<u64, Problem> {
        whole(self.required(key)?, &format!("`{key}`"), least, most)
    }

    pub fn whole_or(&self, key: &str, least: u64, most: u64, default: u64) -> Result<u64, Problem> {
        match self.optional(key) {
            None => Ok(default),
            Some(node) => whole(node, &format!("`{key}`"), least, most),
        }
    }

    /// The entries of a list whose order says nothing, and how often each stands there.
    pub fn counted(&self, key: &str) -> Result<Vec<(&'n Node, u64)>, Problem> {
        counted(self.required(key)?, &format!("`{key}`"))
    }

    pub fn list(&self, key: &str) -> Result<&'n [Node], Problem> {
        list(self.required(key)?, &format!("`{key}`"))
    }
}

/// The value, or the problem that a parameter of `node` is out of range.
pub(crate) fn valid<T>(node: &Node, value: Result<T, OutOfRange>) -> Result<T, Problem> {
    value.map_err(|error| out_of_range(&node.span, &error))
}

pub(crate) fn out_of_range(place: &Range<usize>, error: &OutOfRange) -> Problem {
    let code = match error.why() {
        Why::Range => ErrorCode::Range,
        Why::Infeasible => ErrorCode::Infeasible,
        Why::TooLarge => ErrorCode::TooLarge,
        Why::Unsupported => ErrorCode::Unsupported,
    };
    let problem = Problem::new(code, place, error.to_string());
    match error.advice() {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// The exact value of a number, written as a number or as a string, in `domain`.
pub(crate) fn number(node: &Node, what: &str, domain: Domain) -> Result<Rational, Problem> {
    let text = number_text(node, what)?;
    let value = parse_rational(text).map_err(|error| number_problem(node, what, text, &error))?;
    if domain.contains(&value) {
        return Ok(value);
    }
    let message = format!("{what} must be {}", domain.wording());
    Err(Problem::new(ErrorCode::Range, &node.span, message))
}

/// The text of a number, written as a number or as a string.
pub(crate) fn number_text<'n>(node: &'n Node, what: &str) -> Result<&'n str, Problem> {
    match &node.value {
        Value::Number(text) | Value::String(text) => Ok(text),
        _ => Err(wrong_type(node, what, "a number")),
    }
}

/// A whole number in `least ..= most`.
pub(crate) fn whole(node: &Node, what: &str, least: u64, most: u64) -> Result<u64, Problem> {
    let value = number(node, what, Domain::Real)?;
    match to_u64(&value) {
        Some(value) if value >= least && value <= most => Ok(value),
        _ => {
            let bound = if most == u64::MAX {
                format!("at least {least}")
            } else {
                format!("from {least} to {most}")
            };
            let message = format!("{what} must be a whole number, {bound}");
            Err(Problem::new(ErrorCode::Range, &node.span, message))
        }
    }
}

pub(crate) fn list<'n>(node: &'n Node, what: &str) -> Result<&'n [Node], Problem> {
    node.as_array()
        .ok_or_else(|| wrong_type(node, what, "a list"))
}

/// As [`Fields::counted`].
pub(crate) fn counted<'n>(node: &'n Node, what: &str) -> Result<Vec<(&'n Node, u64)>, Problem> {
    match &node.value {
        Value::Many(items) => Ok(items.iter().map(|many| (&many.node, many.times)).collect()),
        _ => Ok(list(node, what)?.iter().map(|item| (item, 1)).collect()),
    }
}

pub(crate) fn string<'n>(node: &'n Node, what: &str) -> Result<&'n str, Problem> {
    node.as_string()
        .ok_or_else(|| wrong_type(node, what, "a string"))
}

pub(crate) fn table<'n>(node: &'n Node, what: &str) -> Result<&'n Table, Problem> {
    node.as_table()
        .ok_or_else(|| wrong_type(node, what, "a table"))
}

/// A list of pairs of numbers, for instance `[[2, 0.1], [4, 0.3]]`; not empty.
pub(crate) fn pairs(
    node: &Node,
    what: &str,
    names: (&str, &str),
    domains: (Domain, Domain),
) -> Result<Vec<(Rational, Rational)>, Problem> {
    let items = list(node, what)?;
    if items.is_empty() {
        let message = format!("{what} must not be empty");
        return Err(Problem::new(ErrorCode::Range, &node.span, message));
    }
    items
        .iter()
        .map(|item| pair(item, what, names, domains))
        .collect()
}

pub(crate) fn pair(
    item: &Node,
    what: &str,
    names: (&str, &str),
    domains: (Domain, Domain),
) -> Result<(Rational, Rational), Problem> {
    let shape = format!("a pair [{}, {}]", names.0, names.1);
    match item.as_array() {
        Some([first, second]) => {
            let first = number(first, &format!("{} in {what}", names.0), domains.0)?;
            let second = number(second, &format!("{} in {what}", names.1), domains.1)?;
            Ok((first, second))
        }
        _ => Err(wrong_type(item, &format!("each entry of {what}"), &shape)),
    }
}

/// The value of `kind`, which must be one of `kinds`, and its place.
pub(crate) fn kind<'k>(
    table: &Table,
    owner: &str,
    anchor: &Range<usize>,
    kinds: &[&'k str],
) -> Result<(&'k str, Range<usize>), Problem> {
    let Some(entry) = table.get("kind") else {
        let message = format!("{owner} needs `kind`");
        let problem = Problem::new(ErrorCode::MissingKey, anchor, message);
        return Err(problem.help(format!("kinds are {}", quoted_list(kinds))));
    };
    let found = string(&entry.node, "`kind`")?;
    match kinds.iter().find(|kind| **kind == found) {
        Some(kind) => Ok((kind, entry.node.span.clone())),
        None => Err(unknown_kind(found, &entry.node.span, owner, kinds)),
    }
}

pub(crate) fn unknown_kind(
    found: &str,
    span: &Range<usize>,
    owner: &str,
    kinds: &[&str],
) -> Problem {
    let message = format!("{owner} has no kind `{}`", shown(found));
    Problem::new(ErrorCode::UnknownKind, span, message).help(suggestion(found, kinds, "kinds are"))
}

pub(crate) fn wrong_type(node: &Node, what: &str, expected: &str) -> Problem {
    let message = format!("{what} must be {expected}");
    Problem::new(ErrorCode::WrongType, &node.span, message)
        .label(format!("this is {}", node.type_name()))
}

/// A key that is not one of `known`.
pub(crate) fn unknown_key(key: &str, span: &Range<usize>, owner: &str, known: &[&str]) -> Problem {
    let problem = Problem::new(
        ErrorCode::UnknownKey,
        span,
        format!("{owner} has no key `{}`", shown(key)),
    );
    problem.help(match key {
        "adjacency" => "`adjacency` stands at the top of a mechanism only".to_owned(),
        "times" => "`times` stands beside `kind` in an entry of a `compose`".to_owned(),
        "sampling" => "`sampling` stands in `subsampled`, `dp-sgd` or `compose`".to_owned(),
        _ if known == ["kind"] => "it takes nothing besides `kind`".to_owned(),
        _ => suggestion(key, known, "keys are"),
    })
}

/// What stands for something else in papers and in other programs.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("dp", &["pure-dp", "approx-dp"]),
    ("eps", &["epsilon"]),
    ("noise", &["noise-multiplier"]),
    ("noise-multiplier", &["sigma"]),
    ("q", &["sample-rate", "rate"]),
    ("rate", &["sample-rate"]),
    ("sample-rate", &["rate"]),
    ("sampling-probability", &["sample-rate", "rate"]),
    ("sampling-rate", &["sample-rate", "rate"]),
    ("sigma", &["noise-multiplier"]),
    ("standard-deviation", &["sigma"]),
    ("std", &["sigma"]),
    ("stddev", &["sigma"]),
];

/// What is meant by another name, the nearest of `known`, or all of them.
pub(crate) fn suggestion(found: &str, known: &[&str], introduction: &str) -> String {
    let others = OTHER_NAMES.iter().filter(|(name, _)| *name == found);
    let meant: Vec<String> = others
        .flat_map(|(_, names)| names.iter())
        .filter(|name| known.contains(name))
        .map(|name| format!("`{name}`"))
        .collect();
    if !meant.is_empty() {
        return format!("did you mean {}?", meant.join(" or "));
    }
    match nearest(found, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("{introduction} {}", quoted_list(known)),
    }
}

/// Whether `found` may be a misspelling of one of `known`.
pub(crate) fn is_near(found: &str, known: &[&str]) -> bool {
    nearest(found, known).is_some()
}

/// The known name at the least edit distance, if it is near enough to be meant.
fn nearest<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    const LONGEST: usize = 60;
    if found.len() > LONGEST {
        return None;
    }
    let found = found.to_lowercase().replace(['_', ' '], "-");
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&found, name), *name))
        .filter(|(distance, name)| distance.saturating_mul(3) <= name.len().max(3))
        .min()
        .map(|(_, name)| name)
}

pub(crate) fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn number_problem(node: &Node, what: &str, text: &str, error: &NumberError) -> Problem {
    let code = match error {
        NumberError::TooLong | NumberError::ExponentTooLarge => ErrorCode::TooLarge,
        _ => ErrorCode::Number,
    };
    let problem = Problem::new(code, &node.span, format!("{what}: {error}"));
    match error {
        NumberError::NotANumber | NumberError::Empty => problem.help(how_to_write(text)),
        NumberError::ExponentTooLarge => {
            problem.help("write a number between 1e-20000 and 1e20000")
        }
        _ => problem,
    }
}

fn how_to_write(text: &str) -> &'static str {
    if let Some(help) = typographic(text) {
        return help;
    }
    if text.contains(',') {
        return "the decimal separator is a point, and nothing separates thousands: 0.5, 60000";
    }
    if text.contains('%') {
        return "write a part of one instead of per cent: 0.01";
    }
    "write a decimal (9.4), scientific notation (1e-5) or a fraction (\"16384/50000\")"
}

/// What to type in the place of a character that a text processor has put in.
pub(crate) fn typographic(text: &str) -> Option<&'static str> {
    if text.contains(['“', '”', '„', '‘', '’', '«', '»']) {
        return Some("there is a typographic quotation mark: write \" in its place");
    }
    if text.contains(['–', '—', '−', '‐', '‑']) {
        return Some("there is a typographic dash: write - in its place");
    }
    if text.contains(['\u{a0}', '\u{2009}', '\u{202f}']) {
        return Some(
            "there is a blank that does not break: write a plain one, and none within a number",
        );
    }
    if text.contains(['×', '·']) {
        return Some("write powers of ten as 1e-5");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_a_text_processor_has_put_in() {
        for (text, word) in [
            ("1e–5", "dash"),
            ("−1", "dash"),
            ("“0.1”", "quotation mark"),
            ("60\u{202f}000", "blank"),
            ("10,000", "thousands"),
            ("0,5", "point"),
            ("1%", "per cent"),
            ("3·10^-5", "1e-5"),
            ("many", "scientific"),
        ] {
            assert!(how_to_write(text).contains(word), "{text}");
        }
        assert_eq!(typographic("0.1 - \"a\""), None);
    }

    #[test]
    fn knows_other_names() {
        let known = ["pure-dp", "approx-dp", "gdp"];
        let help = suggestion("dp", &known, "kinds are");
        assert_eq!(help, "did you mean `pure-dp` or `approx-dp`?");
        assert_eq!(
            suggestion("eps", &["epsilon", "delta"], ""),
            "did you mean `epsilon`?"
        );
        // What is meant by another name must be there.
        assert_eq!(suggestion("eps", &["mu"], "keys are"), "keys are `mu`");
    }

    #[test]
    fn suggests_what_is_near() {
        let known = ["sigma", "sensitivity", "noise-multiplier"];
        for (found, expected) in [
            ("noise_multiplier", Some("noise-multiplier")),
            ("Noise-Multiplier", Some("noise-multiplier")),
            ("sgima", Some("sigma")),
            ("sensitvity", Some("sensitivity")),
            ("rate", None),
            ("s", None),
        ] {
            assert_eq!(nearest(found, &known), expected, "{found}");
        }
    }
}
