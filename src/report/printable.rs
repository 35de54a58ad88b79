//! Text of an input file, safe to show: a title must not be able to draw a verdict.

/// The text on one line: blanks in a row are one, and control characters and invisible characters that reorder or hide
/// others are replaced.
pub fn printable(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let shown = |c: char| {
        if misleads(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    words.join(" ").chars().map(shown).collect()
}

/// Free text on one line: in quotes, so that it does not begin the line, and cut to so many columns.
pub fn quoted(text: &str, most: usize) -> String {
    let text = escaped(text);
    let room = most.saturating_sub(2);
    if columns(&text) <= room {
        return format!("\"{text}\"");
    }
    let mut left = room.saturating_sub(1);
    let fits = |c: &char| match left.checked_sub(column(*c)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("\"{kept}…\"")
}

/// Free text in quotes, on lines of so many columns that begin with `indent`: broken before a terminal does it.
pub fn quoted_lines(text: &str, most: usize, indent: &str) -> String {
    const LINES: usize = 4;
    let text = quoted(text, most.saturating_mul(LINES));
    let (mut out, mut width) = (String::new(), 0usize);
    for (place, word) in text.split(' ').enumerate() {
        let with_blank = width.saturating_add(columns(word)).saturating_add(1);
        if place > 0 && with_blank <= most {
            out.push(' ');
            width = width.saturating_add(1);
        } else if place > 0 {
            out.push_str(indent);
            width = 0;
        }
        for c in word.chars() {
            if width.saturating_add(column(c)) > most {
                out.push_str(indent);
                width = 0;
            }
            out.push(c);
            width = width.saturating_add(column(c));
        }
    }
    out
}

/// The name of a file: in quotes, unless it is a plain word.
pub fn name(path: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(
                c,
                '/' | '\\' | '.' | '_' | '-' | '+' | '=' | ',' | '@' | ':' | '~' | '%'
            )
    };
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("\"{}\"", escaped(path))
    }
}

fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn columns(text: &str) -> usize {
    text.chars().map(column).fold(0, usize::saturating_add)
}

/// Columns of a terminal that a character may take.
fn column(c: char) -> usize {
    if c.is_ascii() || c == '…' { 1 } else { 2 }
}

/// Escape sequences; directions of Unicode (UAX 9), zero-width characters, tags, and letters that look like blanks.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
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
            '\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{2800}',
        ] {
            assert_eq!(printable(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
        }
        for c in ['\n', '\r', '\t', '\u{2028}', '\u{a0}', '\u{3000}'] {
            assert_eq!(printable(&format!(" a{c} {c}b{c}")), "a b", "{c:?}");
        }
    }

    #[test]
    fn free_text_keeps_its_place() {
        assert_eq!(quoted("a \"b\"", 20), "\"a \\\"b\\\"\"");
        assert_eq!(quoted("abcdefgh", 8), "\"abcde…\"");
        assert_eq!(quoted("データベース", 9), "\"データ…\"");
        assert_eq!(quoted("データベース", 8), "\"デー…\"");
        let long = "word ".repeat(200);
        let lines = quoted_lines(&long, 20, "\n    ");
        assert!(
            lines
                .lines()
                .skip(1)
                .all(|line| line.starts_with("    word")),
            "{lines}"
        );
        assert!(
            lines.lines().all(|line| line.chars().count() <= 24),
            "{lines}"
        );
        assert!(lines.len() < 150, "{lines}");
        let unbroken = quoted_lines(&"x".repeat(50), 20, "\n    ");
        assert!(
            unbroken.lines().all(|line| line.chars().count() <= 24),
            "{unbroken}"
        );
    }

    #[test]
    fn names_of_files_are_words() {
        assert_eq!(
            name("examples/claims/de-et-al.toml"),
            "examples/claims/de-et-al.toml"
        );
        assert_eq!(name("a: accepted\n  b"), "\"a: accepted b\"");
    }
}
