//! Long lines for a terminal: broken between words, whatever its width.

/// The same text with no line longer than so many columns, where words allow it. What goes on is set in below the second column of the line, where it has
/// two that are apart by blanks, or else by two more than the line itself.
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut whole = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if width(line.trim_end()) <= columns {
            whole.push_str(line);
        } else {
            wrap(line, columns, &mut whole);
        }
    }
    whole
}

fn wrap(line: &str, columns: usize, whole: &mut String) {
    let indent = hanging(line).filter(|at| at.saturating_mul(2) <= columns);
    let own = blanks_before(line);
    let indent = indent.unwrap_or(own.saturating_add(2).min(columns / 2));
    let mut at = 0usize;
    for (blanks, word) in pieces(line.trim_end()) {
        let end = at.saturating_add(blanks).saturating_add(width(word));
        if end > columns && at > indent {
            whole.push('\n');
            whole.push_str(&" ".repeat(indent));
            at = indent.saturating_add(width(word));
        } else {
            whole.push_str(&" ".repeat(blanks));
            at = end;
        }
        whole.push_str(word);
    }
    if line.ends_with('\n') {
        whole.push('\n');
    }
}

/// Blanks before the first word that is seen; a colour may stand before them.
fn blanks_before(line: &str) -> usize {
    let mut blanks = 0usize;
    for (more, word) in pieces(line.trim_end()) {
        blanks = blanks.saturating_add(more);
        if width(word) > 0 {
            break;
        }
    }
    blanks
}

/// Where the second column of a line starts, after two blanks or more.
fn hanging(line: &str) -> Option<usize> {
    let (mut at, mut apart) = (0usize, 0usize);
    for (blanks, word) in pieces(line.trim_end()) {
        apart = apart.saturating_add(blanks);
        if width(word) == 0 {
            continue;
        }
        let column = at.saturating_add(apart);
        if at > 0 && apart >= 2 {
            return Some(column);
        }
        at = column.saturating_add(width(word));
        apart = 0;
    }
    None
}

/// Words, each with the number of blanks before it.
fn pieces(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut blanks = 0usize;
    let words = line.split(' ').enumerate();
    words.filter_map(move |(number, word)| {
        // Between two words that `split` gives stands one blank.
        blanks = blanks.saturating_add(usize::from(number > 0));
        if word.is_empty() {
            return None;
        }
        Some((std::mem::take(&mut blanks), word))
    })
}

/// Characters that are seen: an escape sequence ends with its letter and takes no room.
fn width(text: &str) -> usize {
    let mut is_escape = false;
    let seen = text.chars().filter(|c| {
        let hidden = is_escape || *c == '\u{1b}';
        is_escape = hidden && !(is_escape && c.is_ascii_alphabetic());
        !hidden
    });
    seen.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "short\n  ✗ refuted   (1, 1e-5)-DP   δ(1) in [3.4e-5, 3.5e-5], misses by 2.4e-5\n  provided: Poisson sampling; both directions\n";
        let found = wrapped(text, 40);
        assert_eq!(
            found,
            "short\n  ✗ refuted   (1, 1e-5)-DP   δ(1) in\n              [3.4e-5, 3.5e-5], misses\n              by 2.4e-5\n  provided: Poisson sampling; both\n    directions\n"
        );
        assert_eq!(wrapped(text, 200), text);
        // Words that are one letter longer and stand one blank nearer are set in alike.
        let verified = wrapped(
            "  ✓ verified  (1, 1e-5)-DP   δ(1) in [3.4e-5, 3.5e-5]\n",
            40,
        );
        assert_eq!(
            verified,
            "  ✓ verified  (1, 1e-5)-DP   δ(1) in\n              [3.4e-5, 3.5e-5]\n"
        );
    }

    /// A line is set in alike with a colour or without.
    #[test]
    fn colours_do_not_move_what_goes_on() {
        let plain = "  refuted   (1, 1e-5)-DP   δ(1) in [3.4e-5, 3.5e-5], misses by 2.4e-5\n    provided: Poisson sampling; both directions\n";
        let coloured = "\u{1b}[1;31m  refuted\u{1b}[0m   (1, 1e-5)-DP   δ(1) in [3.4e-5, 3.5e-5], misses by 2.4e-5\n\u{1b}[2m    provided: Poisson sampling; both directions\u{1b}[0m\n";
        for columns in 10..80 {
            let found = wrapped(coloured, columns);
            let found = ["\u{1b}[1;31m", "\u{1b}[2m", "\u{1b}[0m"]
                .iter()
                .fold(found, |text, colour| text.replace(colour, ""));
            assert_eq!(found, wrapped(plain, columns), "{columns}");
        }
    }

    /// Nothing is lost and nothing is too long at any width, colours or not; a word that is longer than a line stays whole.
    #[test]
    fn nothing_is_lost_at_any_width() {
        let text = "\u{1b}[1;31m✗ refuted\u{1b}[0m    a claim that is rather long,  with more  blanks\n\n    averyveryverylongword and more\n";
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        for columns in 0..80 {
            let found = wrapped(text, columns);
            assert_eq!(words(&found), words(text), "{columns}");
            assert!(found.ends_with('\n') && found.contains("\n\n"));
            if columns >= 30 {
                assert!(
                    found.lines().all(|line| width(line) <= columns),
                    "{columns}: {found}"
                );
            }
        }
        assert_eq!(width("\u{1b}[1;31m✗\u{1b}[0m x"), 3);
    }
}
