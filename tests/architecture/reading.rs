//! Reading Rust without a parser: what the rules of the house need of it.

/// The first path segment after every `crate::`, also in `use crate::{a, b::c}`.
pub(crate) fn used_modules(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (place, _) in code.match_indices("crate::") {
        let before = code[..place].chars().next_back();
        let after = &code[place + "crate::".len()..];
        if before.is_some_and(|c| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        match after.strip_prefix('{') {
            Some(list) => found.extend(heads_of_list(list)),
            None => found.extend(words(after).next().map(str::to_owned)),
        }
    }
    found.retain(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    found
}

/// The first segment of each entry of `a::b, c::{d, e}}…`.
fn heads_of_list(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut entry = String::new();
    let mut heads = Vec::new();
    for character in list.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(std::mem::take(&mut entry)),
            other => entry.push(other),
        }
    }
    heads.push(entry);
    heads
        .iter()
        .filter_map(|entry| words(entry).next().map(str::to_owned))
        .collect()
}

pub(crate) fn has_numeric_cast(line: &str) -> bool {
    const NUMBERS: [&str; 14] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64",
    ];
    line.match_indices(" as ").any(|(place, cast)| {
        let target = line[place + cast.len()..].trim_start();
        target.starts_with('_') || words(target).next().is_some_and(|w| NUMBERS.contains(&w))
    })
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The code without `#[cfg(test)]` items (blank lines keep the line numbers), and the names of test modules in
/// files of their own.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let mut kept = String::new();
    let mut files = Vec::new();
    let mut rest = code;
    while let Some(place) = rest.find(MARK) {
        kept.push_str(&rest[..place]);
        let item = &rest[place..];
        let end = end_of_item(item);
        let declaration = item[..end].trim_end_matches(';').trim();
        if !declaration.contains('{')
            && let Some((_, name)) = declaration.rsplit_once("mod ")
        {
            files.push(name.trim().to_owned());
        }
        kept.extend(item[..end].chars().filter(|c| *c == '\n'));
        rest = &item[end..];
    }
    kept.push_str(rest);
    (kept, files)
}

/// The files of test modules that are named by an attribute.
pub(crate) fn test_paths(text: &str) -> Vec<&str> {
    text.split("#[cfg(test)]\n#[path = \"")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('"')?.0))
        .collect()
}

/// The length of the item at the start of `code`: up to `;`, or the brace that closes its first one.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0;
    for (place, character) in code.char_indices() {
        match character {
            ';' if depth == 0 => return place + 1,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return place + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The text with comments, strings and character literals blanked out, line by line as long as before.
pub(crate) fn without_comments_and_strings(text: &str) -> String {
    let bytes: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    let starts = |at: usize, what: &str| {
        what.chars()
            .enumerate()
            .all(|(i, c)| bytes.get(at + i) == Some(&c))
    };
    while at < bytes.len() {
        let end = if starts(at, "//") {
            (at..bytes.len())
                .find(|i| bytes[*i] == '\n')
                .unwrap_or(bytes.len())
        } else if starts(at, "/*") {
            (at..bytes.len())
                .find(|i| starts(*i, "*/"))
                .map_or(bytes.len(), |i| i + 2)
        } else if let Some(hashes) = raw_string(&bytes[at..]) {
            let close = format!("\"{}", "#".repeat(hashes));
            let inside = at + hashes + 2;
            (inside..bytes.len())
                .find(|i| starts(*i, &close))
                .map_or(bytes.len(), |i| i + close.len())
        } else if bytes[at] == '"' {
            end_of_quoted(&bytes, at, '"')
        } else if bytes[at] == '\'' && (starts(at + 1, "\\") || bytes.get(at + 2) == Some(&'\'')) {
            end_of_quoted(&bytes, at, '\'')
        } else {
            code.push(bytes[at]);
            at += 1;
            continue;
        };
        code.extend(
            bytes[at..end]
                .iter()
                .map(|c| if *c == '\n' { '\n' } else { ' ' }),
        );
        at = end;
    }
    code
}

/// The number of `#` if a raw string starts here.
fn raw_string(text: &[char]) -> Option<usize> {
    let rest = text.strip_prefix(&['r'])?;
    let hashes = rest.iter().take_while(|c| **c == '#').count();
    (rest.get(hashes) == Some(&'"')).then_some(hashes)
}

fn end_of_quoted(text: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// What it must see and what it must not.
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_blanked() {
        let text = "a // f64\n\"f32 \\\" x\" b 'c' '\\'' 'static r#\"f64\"# /* f32\n */ d";
        let code = without_comments_and_strings(text);
        assert!(!code.contains("f64") && !code.contains("f32"), "{code}");
        assert_eq!(words(&code).collect::<Vec<_>>(), ["a", "b", "static", "d"]);
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn tests_are_left_out() {
        let code = "use a;\n#[cfg(test)]\nmod tests {\n fn f() { x }\n}\nfn g() {}\n#[cfg(test)]\nmod long;\n";
        let (kept, files) = without_tests(code);
        assert_eq!(words(&kept).collect::<Vec<_>>(), ["use", "a", "fn", "g"]);
        assert_eq!(files, ["long"]);
    }

    #[test]
    fn uses_are_found() {
        let code =
            "use crate::kernel::{a, b}; use crate::{law::X, plan::{c, d}}; crate::input::y()";
        assert_eq!(used_modules(code), ["kernel", "law", "plan", "input"]);
    }

    #[test]
    fn casts_are_told_from_renames() {
        assert!(has_numeric_cast("let x = y as u64;"));
        assert!(has_numeric_cast("y as _"));
        assert!(!has_numeric_cast("use a as b;"));
        assert!(!has_numeric_cast("<T as Trait>::f()"));
    }
}

/// The names right after `super::` (or `super::super::`, with `up` = 2), also in `use super::{a, b::c}`.
pub(crate) fn used_neighbours(code: &str, up: usize) -> Vec<String> {
    let path = "super::".repeat(up);
    let mut found = Vec::new();
    for (place, _) in code.match_indices(&path) {
        let before = &code[..place];
        let after = &code[place + path.len()..];
        let is_whole = !before.ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
        if !is_whole || after.starts_with("super") {
            continue;
        }
        match after.strip_prefix('{') {
            Some(list) => found.extend(heads_of_list(list)),
            None => found.extend(words(after).next().map(str::to_owned)),
        }
    }
    found
}
