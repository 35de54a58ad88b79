//! TOML to a tree that keeps the place of every value and the text of every number.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeArray, DeTable, DeValue},
};

use super::{
    fields::typographic,
    json::too_deep,
    node::{Entry, Node, Table, Value},
    problem::{ErrorCode, Problem},
};

/// Reads `text` as a TOML document. The parser refuses nesting beyond 80 levels.
///
/// # Errors
/// Anything that TOML 1.1 does not allow, and dates, which nothing here needs.
pub(crate) fn read_toml(text: &str) -> Result<Node, Problem> {
    match DeTable::parse(text) {
        Err(error) => Err(syntax_problem(text, &error)),
        Ok(document) => Ok(Node::new(
            Value::Table(table(text, document.get_ref())?),
            0..text.len(),
        )),
    }
}

fn table(text: &str, parsed: &DeTable<'_>) -> Result<Table, Problem> {
    let mut entries = Vec::with_capacity(parsed.len());
    for (key, value) in parsed {
        entries.push(Entry {
            key: key.get_ref().clone().into_owned(),
            key_span: key.span(),
            node: node(text, value)?,
        });
    }
    // The parser sorts by name; messages and notes follow the text.
    entries.sort_unstable_by_key(|entry| entry.key_span.start);
    Ok(Table { entries })
}

fn array(text: &str, parsed: &DeArray<'_>) -> Result<Vec<Node>, Problem> {
    parsed.iter().map(|item| node(text, item)).collect()
}

fn node(text: &str, parsed: &Spanned<DeValue<'_>>) -> Result<Node, Problem> {
    let span = parsed.span();
    let value = match parsed.get_ref() {
        DeValue::Table(parsed) => Value::Table(table(text, parsed)?),
        DeValue::Array(parsed) => Value::Array(array(text, parsed)?),
        DeValue::String(content) => Value::String(content.clone().into_owned()),
        DeValue::Integer(_) | DeValue::Float(_) => Value::Number(raw(text, &span)),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(_) => {
            return Err(
                Problem::new(ErrorCode::WrongType, &span, "dates have no meaning here")
                    .help("put it in quotes if it is a title"),
            );
        }
    };
    Ok(Node::new(value, span))
}

fn raw(text: &str, span: &Range<usize>) -> String {
    text.get(span.clone()).unwrap_or_default().to_owned()
}

fn syntax_problem(text: &str, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(0..text.len().min(1));
    let message = error.message();
    if message.contains("recurs") {
        return too_deep(&span);
    }
    if message.contains("duplicate key") {
        let key = text.get(span.clone()).unwrap_or_default();
        let message = format!("duplicate key `{}`", super::json::shown(key));
        // Without its heading a claim goes on with the table before it.
        let help = match key {
            "kind" => "keep one of them; a claim begins with a line `[[claim]]`",
            _ => "keep one of them",
        };
        return Problem::new(ErrorCode::DuplicateKey, &span, message).help(help);
    }
    let problem = Problem::new(
        ErrorCode::Syntax,
        &span,
        format!("this is not TOML: {message}"),
    );
    if let Some(help) = other_format(text).or_else(|| typographic(line_at(text, span.start))) {
        return problem.help(help);
    }
    if separates_digits(text, span.start) {
        return problem
            .help("the decimal separator is a point, and nothing separates thousands: 0.5, 60000");
    }
    if let Some(help) = of_value(line_at(text, span.start)) {
        return problem.help(help);
    }
    match text.get(span).map(looks_like_bare_fraction) {
        Some(true) => problem.help("fractions go in quotes, for instance \"16384/50000\""),
        _ => problem,
    }
}

/// A number that is written as people do.
fn of_value(line: &str) -> Option<&'static str> {
    let (_, value) = line.split_once('=')?;
    let value = value.trim();
    let is_number = value.starts_with(|c: char| c.is_ascii_digit());
    if is_number && value.ends_with('%') {
        return Some("a share is a number from 0 to 1: one per cent is 0.01");
    }
    let is_power = is_number && value.contains('^');
    is_power.then_some("powers of ten are written 1e-5, fractions in quotes: \"1/100000\"")
}

/// Is there a comma between two digits?
fn separates_digits(text: &str, place: usize) -> bool {
    let (before, after) = text.split_at_checked(place).unwrap_or((text, ""));
    let is_digit = |c: char| c.is_ascii_digit();
    let after = after.strip_prefix(',');
    before.ends_with(is_digit) && after.is_some_and(|rest| rest.starts_with(is_digit))
}

/// What a text is that begins as no TOML does, and what to give in its place.
fn other_format(text: &str) -> Option<&'static str> {
    let start: String = text.trim_start().chars().take(80).collect();
    let start = start.to_ascii_lowercase();
    let line = text.trim();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Some("it is a web page; give the claim file itself, or a certificate");
    }
    if start.starts_with("<?xml") || start.starts_with("<svg") {
        return Some("it is XML; claim files are TOML or JSON");
    }
    if start.starts_with("%pdf") {
        return Some(
            "it is a PDF; claim files are TOML or JSON, and `dpcmp init` writes one from what a statement says",
        );
    }
    let is_key = |line: &str| {
        let key = line
            .split_once(": ")
            .map(|(key, _)| key)
            .or(line.strip_suffix(':'));
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == ' ';
        key.is_some_and(|key| !key.is_empty() && key.chars().all(is_word))
    };
    let mut lines = line.lines().map(str::trim_end);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    if first.is_some_and(|first| first == "---" || is_key(first)) {
        return Some("it looks like YAML; claim files are TOML (`kind = \"gaussian\"`) or JSON");
    }
    let (kind, rest) = line.split_once(':')?;
    let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
    let is_statement = kind.starts_with(|c: char| c.is_ascii_lowercase())
        && kind.chars().all(is_word)
        && rest.contains('=')
        && !line.contains('\n');
    is_statement.then_some(
        "queries and claims are written `kind:key=value`; a mechanism in one argument is JSON, such as '{\"kind\":\"laplace\",\"scale\":2}'",
    )
}

/// The line with the byte at this place.
fn line_at(text: &str, place: usize) -> &str {
    let (before, after) = text.split_at_checked(place).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
    let end = place.saturating_add(after.find('\n').unwrap_or(after.len()));
    text.get(start..end).unwrap_or_default()
}

fn looks_like_bare_fraction(found: &str) -> bool {
    found.contains('/')
}
