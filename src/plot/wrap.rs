//! Words in lines, by an upper estimate of their width.

/// An upper estimate of the width of words of this size.
pub fn width_of(text: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | '['
        | ']' => 0.4,
        'm' | 'w' | 'M' | 'W' | '%' | '‖' | '≤' | '≥' | '−' | '=' | '+' | '∈' | '→' => {
            0.9
        }
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.45,
        c if c.is_ascii_lowercase() || c.is_ascii_digit() => 0.64,
        c if u32::from(c) >= 0x2e80 => 1.1,
        _ => 0.72,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// Lines that fit into so many pixels, at most four; what is longer is cut.
pub fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    const MOST_LINES: usize = 4;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        let joined = if line.is_empty() {
            word.to_owned()
        } else {
            format!("{line} {word}")
        };
        if width_of(&joined, size) <= room {
            *line = joined;
        } else if line.is_empty() {
            *line = cut(word, room, size);
        } else {
            lines.push(cut(word, room, size));
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last} …"), room, size);
        }
    }
    lines
}

/// As much of a word as fits.
fn cut(word: &str, room: f64, size: f64) -> String {
    if width_of(word, size) <= room {
        return word.to_owned();
    }
    let mut kept = String::new();
    for c in word.chars() {
        if width_of(&kept, size) + 2.0 * size > room {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_whatever_the_words() {
        for text in [
            "",
            "short",
            &"word ".repeat(200),
            &"x".repeat(3000),
            &"データ".repeat(300),
        ] {
            let lines = wrapped(text, 13.0, 500.0);
            assert!(lines.len() <= 4 && !lines.is_empty());
            assert!(
                lines.iter().all(|line| width_of(line, 13.0) <= 500.0),
                "{lines:?}"
            );
        }
    }
}
