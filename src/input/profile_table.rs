//! Privacy profiles of another accountant, at several values of a parameter: comma-separated values.
//!
//! The first line names the columns, `sigma,epsilon,delta` for instance; every other line is a point of the profile at that value
//! of the parameter. Empty lines and lines that start with `#` are skipped.

use std::collections::BTreeMap;

use rug::Rational;

use super::{
    error::InputError,
    mechanism::MechanismFile,
    mechanism_from_bytes,
    problem::{ErrorCode, Problem},
    source::Source,
};
use crate::number::parse_rational;

/// What an accountant says of a mechanism, by the value of one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileTable {
    /// The parameter, as the first line names it.
    pub key: String,
    /// By rising value, the class of all mechanisms with that profile.
    pub profiles: Vec<(Rational, MechanismFile)>,
}

impl ProfileTable {
    /// Reads a table. `name` is only for messages.
    ///
    /// # Errors
    /// Anything that is not such a table, with its place; a profile that no mechanism has.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, InputError> {
        let source = Source::decode(name, bytes, 1)?;
        let (key, points) = read(source.text()).map_err(|problem| source.locate(problem))?;
        let profiles = points
            .into_iter()
            .map(|(value, points)| {
                let json = format!(r#"{{"kind":"profile","points":[{}]}}"#, points.join(","));
                let name = format!("{name}, {key} = {value}");
                Ok((value, mechanism_from_bytes(&name, json.as_bytes())?))
            })
            .collect::<Result<_, InputError>>()?;
        Ok(Self { key, profiles })
    }
}

/// The points of each value, as JSON.
type Points = BTreeMap<Rational, Vec<String>>;

fn read(text: &str) -> Result<(String, Points), Problem> {
    let mut lines = lines(text);
    let syntax = |at: usize, message: &str| {
        Problem::new(ErrorCode::Syntax, &(at..at.saturating_add(1)), message)
            .help("the first line names the columns, as in `sigma,epsilon,delta`; every other line is a point of a profile")
    };
    let (at, head) = lines
        .next()
        .ok_or_else(|| syntax(0, "the table is empty"))?;
    let key = match columns(head) {
        Some([key, "epsilon", "delta"]) if !key.is_empty() && parse_rational(key).is_err() => key,
        _ => {
            return Err(syntax(
                at,
                "the columns are not a parameter, epsilon and delta",
            ));
        }
    };
    let mut points = Points::new();
    for (at, line) in lines {
        let cells =
            columns(line).ok_or_else(|| syntax(at, "a line does not have three columns"))?;
        let [value, epsilon, delta] = cells;
        let number = |text: &str| {
            let span = at..at.saturating_add(line.len());
            parse_rational(text)
                .map_err(|error| Problem::new(ErrorCode::Number, &span, error.to_string()))
        };
        let value = number(value)?;
        // As numbers, these are safe to quote.
        number(epsilon)?;
        let parsed = number(delta)?;
        if !(0..=1).contains(&parsed) {
            let span = at..at.saturating_add(line.len());
            let message = format!("delta must be in [0, 1], and {delta} is not");
            return Err(Problem::new(ErrorCode::Range, &span, message));
        }
        points
            .entry(value)
            .or_default()
            .push(format!(r#"["{epsilon}","{delta}"]"#));
    }
    if points.is_empty() {
        return Err(syntax(at, "the table has no points"));
    }
    Ok((key.to_owned(), points))
}

/// The lines that say something, with their places.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0usize;
    text.split('\n')
        .map(move |line| {
            let start = at;
            at = at.saturating_add(line.len()).saturating_add(1);
            (start, line.trim())
        })
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn columns(line: &str) -> Option<[&str; 3]> {
    // Some programs write all texts in quotes.
    let cells = line.split(',').map(|cell| unquoted(cell.trim()));
    let cells: Vec<&str> = cells.collect();
    cells.try_into().ok()
}

fn unquoted(cell: &str) -> &str {
    let within = cell
        .strip_prefix('"')
        .and_then(|cell| cell.strip_suffix('"'));
    within.unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Kind;

    #[test]
    fn reads_points_by_value() {
        let text =
            "# from elsewhere\n\"sigma\", \"epsilon\", \"delta\"\n2,0,0.1\n\n1,0,0.3\n2,1,1e-3\n";
        let table = ProfileTable::from_bytes("t", text.as_bytes()).unwrap();
        assert_eq!(table.key, "sigma");
        let [(one, _), (two, profile)] = table.profiles.as_slice() else {
            panic!("{table:?}");
        };
        assert_eq!((one, two), (&Rational::from(1), &Rational::from(2)));
        let Kind::Profile(stated) = profile.mechanism.kind() else {
            panic!("{profile:?}");
        };
        assert_eq!(stated.points().len(), 2);
    }

    #[test]
    fn refuses_what_is_no_table() {
        for (text, word) in [
            ("", "empty"),
            ("sigma,epsilon,delta", "no points"),
            ("1,0,0.1\n", "columns"),
            ("sigma,delta,epsilon\n1,0.1,0", "columns"),
            ("sigma,epsilon,delta\n1,0", "three columns"),
            ("sigma,epsilon,delta\n1,0,nan", "t:2"),
            ("sigma,epsilon,delta\n1,0,\"],[\"", "t:2"),
            ("sigma,epsilon,delta\n\n1,0,0.5\n1,0,2", "t:4"),
            ("sigma,epsilon,delta\n1,0,-1", "delta must be in [0, 1]"),
        ] {
            match ProfileTable::from_bytes("t", text.as_bytes()) {
                Ok(table) => panic!("{text}: {table:?}"),
                Err(error) => {
                    let message = error.render(false);
                    assert!(message.contains(word), "{text}: {message}");
                }
            }
        }
    }

    quickcheck::quickcheck! {
        fn arbitrary_text_never_panics(text: String) -> bool {
            let _ = ProfileTable::from_bytes("t", text.as_bytes());
            let _ = ProfileTable::from_bytes("t", format!("sigma,epsilon,delta\n{text}").as_bytes());
            true
        }
    }
}
