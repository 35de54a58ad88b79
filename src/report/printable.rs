//! Text of an input file, safe to show: a title must not be able to draw a verdict.

/// The text with every control character, line break and invisible character that reorders or hides others replaced.
pub fn printable(text: &str) -> String {
    let shown = |c: char| {
        if misleads(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// Escape sequences and line breaks; separators and directions of Unicode (UAX 9), zero-width characters, tags.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_unchanged() {
        for text in ["", "De et al. 2022, Tabelle 3: ε ≤ 8", "データ", "a\u{301}"] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn what_moves_the_cursor_or_the_reading_order_is_replaced() {
        for c in [
            '\n', '\r', '\t', '\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}',
        ] {
            assert_eq!(printable(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
        }
    }
}
