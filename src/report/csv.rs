//! Comma-separated values, and text in them that no spreadsheet computes.

use crate::number::parse_rational;

/// A record as in RFC 4180, with its line break: fields with commas, quotes or line breaks are quoted, quotes doubled.
pub(super) fn csv_record(fields: impl Iterator<Item = String>) -> String {
    let quoted: Vec<String> = fields
        .map(|field| {
            if field.contains([',', '"', '\r', '\n']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field
            }
        })
        .collect();
    format!("{}\r\n", quoted.join(","))
}

/// The cell as a spreadsheet takes it for text or a number, never for a formula: an apostrophe stands before what would begin one,
/// also where another separator than the comma is expected.
pub(super) fn inert(cell: &str) -> String {
    if parse_rational(cell).is_ok() && !cell.contains('/') {
        return cell.to_owned();
    }
    let mut safe = String::with_capacity(cell.len());
    let mut begins = true;
    for c in cell.chars() {
        if begins && matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') {
            safe.push('\'');
        }
        begins = matches!(c, ',' | ';' | '|' | '"' | '\t') || (begins && c == ' ');
        safe.push(c);
    }
    safe
}
