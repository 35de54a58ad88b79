//! Numbers of a paper beside their enclosures: for people, and as `dpcmp.reproduction/1`.

use serde_json::{Map, Value, json};

use super::Style;
use super::digits::{Digits, ends, scientific};
use super::json::put_ends;
use super::table;
use crate::bounds::Enclosure;

/// As many as papers print, and a few more.
const DIGITS: Digits = Digits { least: 4, most: 7 };

/// One number of a paper and what is true.
pub struct ReproducedRow {
    /// What it is about.
    pub what: String,
    /// As the paper prints it; empty where it does not.
    pub printed: String,
    /// What is true.
    pub found: Enclosure,
    /// `agrees`, `refuted`, `undecided` or nothing.
    pub agreement: &'static str,
    /// A remark.
    pub note: String,
}

/// For people.
pub fn reproduction_human(title: &str, rows: &[ReproducedRow], style: Style) -> String {
    let mut cells = vec![["", "paper", "certified", "", ""].map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        [
            row.what.clone(),
            row.printed.clone(),
            value(&row.found),
            row.agreement.to_owned(),
            row.note.clone(),
        ]
    }));
    let mut lines = vec![style.bold(title)];
    lines.extend(table::lines(&cells));
    let count = |word| rows.iter().filter(|row| row.agreement == word).count();
    lines.push(style.dim(&format!(
        "{} agree, {} refuted, {} undecided",
        count("agrees"),
        count("refuted"),
        count("undecided")
    )));
    lines.join("\n") + "\n\n"
}

fn value(enclosure: &Enclosure) -> String {
    let (lower, upper) = ends(enclosure, DIGITS);
    if lower == upper {
        scientific(&lower)
    } else {
        format!("[{}, {}]", scientific(&lower), scientific(&upper))
    }
}

/// For machines, without a line break.
pub fn reproduction_json(name: &str, rows: &[ReproducedRow]) -> String {
    let rows = rows.iter().map(|row| {
        let mut object = Map::new();
        object.insert("what".to_owned(), json!(row.what));
        object.insert("paper".to_owned(), json!(row.printed));
        put_ends(&mut object, &row.found);
        object.insert("agreement".to_owned(), json!(row.agreement));
        object.insert("note".to_owned(), json!(row.note));
        Value::Object(object)
    });
    json!({
        "schema": "dpcmp.reproduction/1",
        "name": name,
        "rows": rows.collect::<Vec<_>>(),
    })
    .to_string()
}
