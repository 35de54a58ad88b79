//! The map of the house in `src/lib.rs`, held against the source text: who may use whom, and what trusted
//! modules must not contain.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// No source file is longer.
const MOST_LINES: usize = 500;

/// A module of the map.
struct Module {
    name: String,
    trusted: bool,
}

/// A source file: its path from the root of the repository, its module, and its text without comments, strings
/// and test modules.
struct Source {
    path: String,
    module: String,
    text: String,
    code: String,
}

#[test]
fn every_module_is_on_the_map() {
    let declared: Vec<String> = read("src/lib.rs")
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub mod ")?
                .strip_suffix(';')
                .map(str::to_owned)
        })
        .collect();
    let mut on_the_map: Vec<String> = map().into_iter().map(|module| module.name).collect();
    assert!(on_the_map.len() > 5, "the table in src/lib.rs was not read");
    on_the_map.sort();
    assert_eq!(declared, on_the_map);
}

#[test]
fn modules_use_only_modules_above_them() {
    let order: BTreeMap<String, usize> = map()
        .into_iter()
        .enumerate()
        .map(|(place, module)| (module.name, place))
        .collect();
    let mut violations = Vec::new();
    for source in sources() {
        let Some(here) = order.get(&source.module) else {
            continue;
        };
        for used in used_modules(&source.code) {
            match order.get(&used) {
                Some(there) if there <= here => {}
                Some(_) => violations.push(format!("{} uses `{used}`, below it", source.path)),
                None => violations.push(format!(
                    "{}: `crate::{used}` is not on the map",
                    source.path
                )),
            }
        }
    }
    assert_none(&violations);
}

#[test]
fn trusted_modules_have_no_floats_casts_or_panics() {
    const WORDS: [&str; 4] = ["f32", "f64", "unsafe", "unchecked"];
    const CALLS: [&str; 7] = [
        ".unwrap()",
        ".expect(",
        "panic!",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "dbg!",
    ];
    let trusted: Vec<String> = map()
        .into_iter()
        .filter(|module| module.trusted)
        .map(|module| module.name)
        .collect();
    assert!(trusted.iter().any(|name| name == "kernel"));
    let mut violations = Vec::new();
    for source in sources() {
        if !trusted.contains(&source.module) {
            continue;
        }
        for (number, line) in (1..).zip(source.code.lines()) {
            let mut complain = |what: &str| {
                violations.push(format!("{}:{number}: {what}", source.path));
            };
            for word in words(line) {
                if WORDS.contains(&word) {
                    complain(word);
                }
            }
            for call in CALLS {
                if line.contains(call) {
                    complain(call);
                }
            }
            if has_numeric_cast(line) {
                complain("a cast with `as`");
            }
        }
    }
    assert_none(&violations);
}

#[test]
fn files_say_what_they_are_for_and_are_short() {
    let mut violations = Vec::new();
    for source in sources() {
        if !source.text.starts_with("//!") {
            violations.push(format!("{}: no `//!` on the first line", source.path));
        }
        let lines = source.text.lines().count();
        if lines > MOST_LINES {
            violations.push(format!("{}: {lines} lines", source.path));
        }
    }
    assert_none(&violations);
}

/// The checker of certificates shares nothing with the library: no code, no floats, no C, no command line parser; and it is
/// short enough to be read in an evening or two.
#[test]
fn the_checker_is_independent() {
    const CRATES: [&str; 6] = [
        "std",
        "num_bigint",
        "num_integer",
        "num_rational",
        "num_traits",
        "sha2",
    ];
    const NOT_THERE: [&str; 12] = [
        "dpcmp",
        "f32",
        "f64",
        "unsafe",
        "rug",
        "gmp_mpfr_sys",
        "clap",
        "rustfft",
        "statrs",
        "serde_json",
        "extern",
        "include",
    ];
    const MOST_LINES_IN_ALL: usize = 2_200;
    let files: Vec<Source> = sources()
        .into_iter()
        .filter(|source| source.path.contains("dpcmp-check"))
        .collect();
    assert!(files.len() > 5, "the checker was not found");
    let modules: Vec<String> = files
        .iter()
        .flat_map(|file| declared_modules(&file.code))
        .collect();
    let mut violations = Vec::new();
    for file in &files {
        for (number, line) in (1..).zip(file.code.lines()) {
            for word in words(line).filter(|word| NOT_THERE.contains(word)) {
                violations.push(format!("{}:{number}: {word}", file.path));
            }
            // Every path starts in the standard library, in one of a few crates, or in the checker itself.
            if let Some(path) = line.trim_start().strip_prefix("use ") {
                let head = words(path).next().unwrap_or("");
                if head != "crate"
                    && !CRATES.contains(&head)
                    && !modules.iter().any(|module| module == head)
                {
                    violations.push(format!("{}:{number}: use {path}", file.path));
                }
            }
        }
    }
    assert_none(&violations);
    let lines: usize = files
        .iter()
        .map(|file| {
            file.code
                .lines()
                .filter(|line| !line.trim().is_empty())
                .count()
        })
        .sum();
    assert!(lines <= MOST_LINES_IN_ALL, "{lines} lines of code");
    println!("{lines} lines of code in {} files", files.len());
}

/// Nothing that needs a C compiler, and nothing of the library, is built without the default feature.
#[test]
fn the_checker_is_built_without_the_engine() {
    let manifest = read("Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let always: Vec<&str> = dependencies
        .lines()
        .filter(|line| line.contains('=') && !line.contains("optional = true"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        always,
        [
            "num-bigint",
            "num-integer",
            "num-rational",
            "num-traits",
            "sha2"
        ]
    );
    assert!(read("src/lib.rs").contains("#![cfg(feature = \"engine\")]"));
}

fn declared_modules(code: &str) -> Vec<String> {
    let lines = code
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    lines.map(str::to_owned).collect()
}

/// A path of one machine works on no other; loose ends belong in no release.
#[test]
fn no_paths_of_one_machine_and_no_loose_ends() {
    // Put together here, so that this file does not contain them.
    let forbidden = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/tm", "p/"],
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["DEB", "UG"],
    ]
    .map(|parts| parts.concat());
    let mut violations = Vec::new();
    for path in repository_files() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in (1..).zip(text.lines()) {
            for what in forbidden.iter().filter(|what| line.contains(*what)) {
                violations.push(format!("{}:{number}: {what}", path.display()));
            }
        }
    }
    assert_none(&violations);
}

/// The table of `src/lib.rs`, from top to bottom.
fn map() -> Vec<Module> {
    let rows = read("src/lib.rs");
    rows.lines()
        .filter_map(|line| line.strip_prefix("//! | [`"))
        .filter_map(|row| {
            let (name, rest) = row.split_once("`]")?;
            let last = rest.trim_end().trim_end_matches('|').rsplit('|').next()?;
            Some(Module {
                name: name.to_owned(),
                trusted: last.trim() == "yes",
            })
        })
        .collect()
}

fn sources() -> Vec<Source> {
    let mut tests_of_modules = Vec::new();
    let mut found: Vec<Source> = files_below(&root().join("src"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let relative = path.strip_prefix(root().join("src")).unwrap();
            let module = relative.components().next().unwrap().as_os_str();
            let text = fs::read_to_string(&path).unwrap();
            let (code, test_files) = without_tests(&without_comments_and_strings(&text));
            for name in test_paths(&text) {
                tests_of_modules.push(path.parent().unwrap().join(name));
            }
            for name in test_files {
                tests_of_modules.push(path.parent().unwrap().join(format!("{name}.rs")));
                tests_of_modules.push(path.with_extension("").join(format!("{name}.rs")));
            }
            Source {
                path: path.display().to_string(),
                module: module.to_string_lossy().trim_end_matches(".rs").to_owned(),
                text,
                code,
            }
        })
        .collect();
    for source in &mut found {
        if tests_of_modules.contains(&PathBuf::from(&source.path)) {
            source.code.clear();
        }
    }
    assert!(found.len() > 20, "the sources were not found");
    found
}

/// The first path segment after every `crate::`, also in `use crate::{a, b::c}`.
fn used_modules(code: &str) -> Vec<String> {
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

fn has_numeric_cast(line: &str) -> bool {
    const NUMBERS: [&str; 14] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64",
    ];
    line.match_indices(" as ").any(|(place, cast)| {
        let target = line[place + cast.len()..].trim_start();
        target.starts_with('_') || words(target).next().is_some_and(|w| NUMBERS.contains(&w))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The code without `#[cfg(test)]` items (blank lines keep the line numbers), and the names of test modules in
/// files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
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
fn test_paths(text: &str) -> Vec<&str> {
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
fn without_comments_and_strings(text: &str) -> String {
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

/// Everything that is kept under version control, as far as it is text.
fn repository_files() -> Vec<PathBuf> {
    let skipped = ["target", ".git", "Cargo.lock"];
    let mut found = Vec::new();
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if skipped.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    assert!(found.iter().any(|path| path.ends_with("Cargo.toml")));
    found
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

/// The rules above rest on this reading of Rust; here is what it must see and what it must not.
mod reading {
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
